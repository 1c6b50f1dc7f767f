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

// PROTOCOL section 3: while the planner thinks, an element becomes another one under the same number.
#[actix_web::test]
async fn an_element_that_means_something_else_by_now_is_not_acted_on() {
    let Some(mut talk) = Talk::start(&[]).await else { return };
    let page = "<title>People</title><p id=o></p>\
        <button onclick=\"o.textContent = 'it is ' + this.textContent\">Show Anna</button>";
    talk.script([talk.shows(page)]);
    let (thinks, release) = Reply::click("button", "Show Anna").stalled();
    talk.script([thinks]);
    talk.say("show Anna").await;
    talk.model.arrived(2).await;
    let mut shown = talk.page("/html").await;
    shown.run("document.querySelector('button').textContent = 'Show Boris'").await;
    talk.script([Reply::seen(|request| {
        let told = request.last_text();
        let words = "was button \\\"Show Anna\\\" and is button \\\"Show Boris\\\" now; look again";
        let plain = words.replace('\\', "");
        assert!(told.contains(words) || told.contains(&plain), "{told}");
        assert!(!request.page().contains("it is Show"), "{told}");
        Reply::click("button", "Show Boris")
    })]);
    talk.script([Reply::seen(|request| {
        assert!(request.page().contains("it is Show Boris"), "{}", request.page());
        Reply::stop("Here is Boris.")
    })]);
    drop(release);
    talk.ends_as("succeeded").await;
    talk.finish().await;
}

// A name that counts seconds is refused once, and taken as it is then.
#[actix_web::test]
async fn a_button_with_a_clock_can_be_pressed() {
    let Some(mut talk) = Talk::start(&[]).await else { return };
    let page = "<title>Clock</title><p id=o></p><button onclick=\"o.textContent = 'taken'\">Show 0</button>\
        <script>let n = 0; const b = document.querySelector('button');\
        setInterval(() => b.textContent = 'Show ' + ++n, 5)</script>";
    let click = || {
        Reply::seen(|request| {
            let page = request.page();
            let line = page.lines().find(|line| line.contains("button \"Show")).expect("the button");
            let eid: u32 =
                line.split('[').nth(1).and_then(|rest| rest.split(']').next()).unwrap().parse().unwrap();
            Reply::act("click", serde_json::json!({"eid": eid}))
        })
    };
    talk.script([talk.shows(page), click(), click()]);
    talk.script([Reply::seen(|request| {
        assert!(request.page().contains("\"taken\""), "{}", request.page());
        Reply::stop("Taken.")
    })]);
    talk.say("take it").await;
    talk.ends_as("succeeded").await;
    talk.finish().await;
}
