//! Looks that show only what changed (docs/page_text.md, "Deltas"), in the whole service.

use crate::browser_redaction_frames::{cities, form, secrets};
use crate::support::model::{Reply, Request};
use crate::support::talk::Talk;
use base64::Engine as _;
use serde_json::{Value, json};

fn write(text: &'static str) -> Reply {
    Reply::fill("Your name", text)
}

/// Attributes of the fence, and the lines of the page.
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
#[ignore = "needs Chromium; make test runs it"]
async fn observations_after_the_first_are_shown_as_changes() {
    let mut talk = Talk::start(&[("ASKFIRST_OBSERVE__FULL_EVERY", "3")]).await;
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
    // Messages before the last turn are repeated unchanged, so that prompt caches work; the turn is told in words.
    let (before, after) = (requests[2].messages(), requests[3].messages());
    let last = before.len() - 3;
    assert_eq!(before[..last], after[..last]);
    let content = |messages: &[Value]| messages[last]["content"].as_str().unwrap().to_owned();
    assert!(content(after).starts_with(&content(before)), "{after:?}");
    assert!(content(after).contains(r#"result a1 ok: typed "Olena" into textbox "Your name""#), "{after:?}");
    talk.finish().await;
}

// The page that a planner was shown is forgotten with the end of its run.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_run_that_goes_on_after_its_end_is_shown_its_page_in_full() {
    let mut talk = Talk::start(&[]).await;
    talk.in_the_room([write("Olena"), write("Ivan"), Reply::stop("Written.")]).await;
    talk.ends_as("succeeded").await;
    talk.play("and now Taras", [write("Taras"), Reply::stop("Written.")]).await;
    talk.ends_as("succeeded").await;
    let are_changes: Vec<bool> =
        talk.model.requests().iter().map(|r| attribute(&shown(r).0, "since").is_some()).collect();
    // An empty page, the room, two looks of changes; after the end the room, and a look of changes.
    assert_eq!(are_changes, [false, false, true, true, false, true]);
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn every_observation_is_full_with_full_every_1() {
    let mut talk = Talk::start(&[("ASKFIRST_OBSERVE__FULL_EVERY", "1")]).await;
    talk.in_the_room([write("Olena"), write("Ivan"), Reply::stop("Written.")]).await;
    talk.ends_as("succeeded").await;
    for request in talk.model.requests() {
        assert_eq!(attribute(&shown(&request).0, "since"), None);
    }
    talk.finish().await;
}

// docs/page_text.md, "Number": while the planner thinks, an element becomes another one under the same number.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_element_that_changed_its_meaning_is_not_acted_on() {
    let mut talk = Talk::start(&[]).await;
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
        let prompt = request.last_text();
        let words = "was button \\\"Show Anna\\\" and is button \\\"Show Boris\\\" now; look again";
        let plain = words.replace('\\', "");
        assert!(prompt.contains(words) || prompt.contains(&plain), "{prompt}");
        assert!(!request.page().contains("it is Show"), "{prompt}");
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
#[ignore = "needs Chromium; make test runs it"]
async fn a_button_with_a_clock_can_be_pressed() {
    let mut talk = Talk::start(&[]).await;
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

/// The picture that goes along with the page.
fn picture(request: &Request) -> Vec<u8> {
    let parts = request.messages().last().unwrap()["content"].as_array().unwrap();
    let url = parts.iter().find_map(|part| part["image_url"]["url"].as_str()).unwrap();
    let coded = url.strip_prefix("data:image/jpeg;base64,").unwrap();
    base64::engine::general_purpose::STANDARD.decode(coded).unwrap()
}

// A secret field is painted over in the stored picture and in that for a model.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn stored_pictures_and_those_for_the_model_hide_secret_fields() {
    let mut talk = Talk::seeing(&[]).await;
    let page = format!(
        "{}<form method=post action=/nothing><input type=hidden name=a><button>Pay now</button></form>",
        form()
    );
    let steps = [talk.shows(&page), Reply::click("button", "Pay now"), Reply::stop("Not paid.")];
    talk.play("pay", steps).await;
    let question = talk.wait_for_question().await;
    talk.answer(&question, json!({"confirmed": false, "comment": "no"})).await;
    talk.ended().await;

    let mut pictures: Vec<(String, Vec<u8>)> = Vec::new();
    for (at, request) in talk.model.requests().iter().enumerate().skip(1) {
        pictures.push((format!("request {at}"), picture(request)));
    }
    let observations = talk.events("observation");
    let observations = observations.iter().filter(|seen| seen["url"].as_str().unwrap().contains("/html"));
    let stored = observations.filter_map(|seen| seen["picture"].as_str());
    let asked = question["payload"]["screenshot"].as_str().unwrap();
    for path in stored.chain([asked]) {
        let stored = talk.picture(path).await.unwrap_or_else(|| panic!("no picture {path}"));
        pictures.push((path.to_owned(), stored));
    }
    assert!(pictures.len() >= 5, "two for the model, two looks, one question: {}", pictures.len());
    for (what, jpeg) in &pictures {
        assert_eq!(secrets(jpeg), 0, "{what} shows the card's number");
    }
    for (what, jpeg) in pictures.iter().filter(|(what, _)| what != asked) {
        assert!(cities(jpeg) > 500, "{what} shows what is no secret");
    }
    talk.finish().await;
}

// Viewers learn why the wait for the page ended.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn action_finished_reports_why_the_wait_for_the_page_ended() {
    let mut talk = Talk::start(&[]).await;
    let busy = "<title>Busy</title><p>0</p><button>Show more</button><script>let n = 0;\
        setInterval(() => document.querySelector('p').textContent = ++n, 5)</script>";
    talk.script([talk.room(), Reply::fill("Your name", "Olena")]);
    talk.script([talk.shows(busy), Reply::click("button", "Show more"), Reply::stop("Pressed.")]);
    talk.say("press it").await;
    talk.ends_as("succeeded").await;
    let action_finished_events = talk.events("action_finished");
    let why: Vec<&str> =
        action_finished_events.iter().map(|data| data["settled"].as_str().unwrap()).collect();
    assert_eq!((why[0], why[2], why[3]), ("loaded", "loaded", "busy"), "{action_finished_events:?}");
    assert!(matches!(why[1], "still" | "quiet"), "{action_finished_events:?}");
    talk.finish().await;
}

// Titles of the tabs stand in the request once, in a fence, and only where there are several.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_request_names_the_tabs_where_there_are_several() {
    let mut talk = Talk::start(&[]).await;
    let page = "<title>Second \"tab\"</title><h1>Second</h1>";
    let body = url::form_urlencoded::byte_serialize(page.as_bytes()).collect::<String>();
    let second = talk.site.url(&format!("/html?{body}"));
    let steps = [
        talk.room(),
        Reply::act("tab", json!({"operation": "new", "url": second})),
        Reply::act("tab", json!({"operation": "switch", "tab": 1})),
        Reply::act("tab", json!({"operation": "close", "tab": 2})),
        Reply::stop("Seen."),
    ];
    talk.play("open both", steps).await;
    talk.ends_as("succeeded").await;
    let tabs = |request: &Request| -> Vec<String> {
        let text = request.last_text();
        assert!(text.matches("Tabs:").count() <= 1, "{text}");
        let lines = text.lines().skip_while(|line| *line != "Tabs:").skip(1);
        let lines = lines.skip_while(|line| line.starts_with("<returned nonce="));
        lines.take_while(|line| !line.starts_with("</returned")).map(str::to_owned).collect()
    };
    let listed: Vec<Vec<String>> = talk.model.requests().iter().map(tabs).collect();
    let second = r#"2 "Second \"tab\"""#;
    let none: [String; 0] = [];
    assert_eq!(listed[1], none, "{listed:?}");
    assert_eq!(listed[2], ["1 \"Quiet room\"", format!("{second} (in front)").as_str()]);
    assert_eq!(listed[3], ["1 \"Quiet room\" (in front)", second]);
    assert_eq!(listed[4], none);
    talk.finish().await;
}
