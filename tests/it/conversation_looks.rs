//! Looks that show only what changed (PROTOCOL section 6), in the whole service.

use crate::support::model::{Reply, Request};
use crate::support::talk::Talk;
use serde_json::json;

fn write(text: &'static str) -> Reply {
    Reply::fill("Your name", text)
}

/// What the fence says, and the lines.
fn shown(request: &Request) -> (String, Vec<String>) {
    let text = request.shown();
    let mut lines = text.lines().map(str::to_owned);
    let fence = lines.next().unwrap_or_default();
    (fence, lines.filter(|line| !line.starts_with("</page")).collect())
}

fn attribute(fence: &str, name: &str) -> Option<u64> {
    fence.split_once(&format!(" {name}=\""))?.1.split('"').next()?.parse().ok()
}

// `observe.full_every`
#[actix_web::test]
async fn from_the_second_look_on_only_what_changed_is_shown() {
    let Some(mut talk) = Talk::start(&[("ASKFIRST_OBSERVE__FULL_EVERY", "3")]).await else { return };
    let next = Reply::click("link", "Next door");
    talk.in_the_room([write("Olena"), write("Ivan"), write("Taras"), next, Reply::stop("Written.")]).await;
    talk.ends_as("succeeded").await;
    let requests = talk.model.requests();
    let since: Vec<Option<u64>> = requests.iter().map(|r| attribute(&shown(r).0, "since")).collect();
    // An empty page, the room, two looks of changes, the third look whole, another page whole.
    assert_eq!(since, [None, None, Some(2), Some(2), None, None]);

    let (_, first) = shown(&requests[1]);
    let (fence, changes) = shown(&requests[3]);
    assert_eq!(attribute(&fence, "look"), Some(4));
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert!(changes[0].starts_with("~ textbox \"Your name\" [") && changes[0].contains("value=\"Ivan\""));
    // The look that they build on stands earlier in the same request, whole.
    let earlier = json!(requests[3].messages()[..requests[3].messages().len() - 1]).to_string();
    assert!(earlier.contains(r#"look=\\\"2\\\">"#) || earlier.contains(r#"look=\"2\">"#), "{earlier}");
    assert!(earlier.contains("The end of the room"));
    // Read together they are the page as it is.
    let whole = requests[3].page();
    assert_eq!(whole.lines().count(), first.len() + 2);
    assert!(whole.contains("value=\"Ivan\"") && whole.contains("The end of the room"), "{whole}");
    // What was sent before is sent again as it was, so that prompt caches work.
    let (before, after) = (requests[2].messages(), requests[3].messages());
    assert_eq!(before[..before.len() - 1], after[..before.len() - 1]);
    talk.finish().await;
}

#[actix_web::test]
async fn every_look_is_whole_where_that_is_asked_for() {
    let Some(mut talk) = Talk::start(&[("ASKFIRST_OBSERVE__FULL_EVERY", "1")]).await else { return };
    talk.in_the_room([write("Olena"), write("Ivan"), Reply::stop("Written.")]).await;
    talk.ends_as("succeeded").await;
    for request in talk.model.requests() {
        assert_eq!(attribute(&shown(&request).0, "since"), None);
    }
    talk.finish().await;
}
