//! Pages that send what is typed into them while it is typed. What the site has in the end is what stands in the field, and
//! each state that it was sent was shown to the person. S1.25, C24.

use crate::support::model::{Reply, Request};
use crate::support::talk::Talk;
use serde_json::{Value, json};

/// A field that calls `typed` with its text on each event, as a page does that saves by itself.
const FIELD: &str = "<title>Tasks</title><h1>Tasks</h1><label>Filter <input id=f></label><script>\
    const post = (text, how) => fetch('/send', {method: 'POST', body: new URLSearchParams({message: text}), ...how});\
    let busy = false, timer = 0, next = null, known = '', stop = new AbortController();\
    f.addEventListener('input', () => typed(f.value));";

/// A page, the values of its questions, and the letters that it has sent in the end.
struct Case {
    name: &'static str,
    script: &'static str,
    shown: &'static [&'static str],
    sent: &'static [&'static str],
}

const CASES: [Case; 7] = [
    Case {
        name: "sends each state",
        script: "const typed = (text) => post(text);",
        shown: &["R; Re; Ref; Refu; Refun; Refund"],
        sent: &["R", "Re", "Ref", "Refu", "Refun", "Refund"],
    },
    Case {
        name: "gives the earlier request up",
        script: "const typed = (text) => { stop.abort(); stop = new AbortController();\
            post(text, {signal: stop.signal}).catch(() => 0); };",
        shown: &["Refund"],
        sent: &["Refund"],
    },
    Case {
        name: "waits for a pause",
        script: "const typed = (text) => { clearTimeout(timer); timer = setTimeout(() => post(text), 300); };",
        shown: &["Refund"],
        sent: &["Refund"],
    },
    Case {
        name: "waits for the answer",
        script: "const typed = (text) => { if (busy) { next = text; return; } busy = true;\
            post(text).then(() => { busy = false; if (next !== null) { const last = next; next = null; typed(last); } }); };",
        shown: &["R", "Refund"],
        sent: &["R", "Refund"],
    },
    Case {
        name: "forgets what is typed until the answer",
        script: "const typed = (text) => { if (busy) return; busy = true; post(text).then(() => { busy = false; }); };",
        shown: &["R", "Refund"],
        sent: &["R", "Refund"],
    },
    // As Label Studio's filter and React's fields do: an event without another text than before is none.
    Case {
        name: "forgets it, waits for a pause and compares",
        script: "const save = (text) => { if (busy) return; busy = true; post(text).then(() => { busy = false; }); };\
            const typed = (text) => { if (text === known) return; known = text; if (text.length === 1 && timer === 0) save(text);\
            clearTimeout(timer); timer = setTimeout(() => save(f.value), 300); };",
        shown: &["R", "Refund"],
        sent: &["R", "Refund"],
    },
    Case {
        name: "shows what the server has",
        script: "const typed = (text) => { if (busy) return; busy = true;\
            post(text).then(() => { busy = false; f.value = text; }); };",
        shown: &["R", "Refund"],
        sent: &["R", "Refund"],
    },
];

fn fill() -> Reply {
    Reply::fill("Filter", "Refund")
}

async fn start(script: &str, last: impl FnOnce(&Request) -> Reply + Send + 'static) -> Talk {
    let mut talk = Talk::start(&[]).await;
    talk.script([talk.shows(&format!("{FIELD}{script}</script>")), fill(), Reply::seen(last)]);
    talk.say("show the refunds").await;
    talk
}

async fn approve(talk: &mut Talk, shown: &str, case: &str) {
    let question = talk.wait_for_question().await;
    assert_eq!(question["payload"]["values"], json!({"message": shown}), "{case}: {question}");
    let told = "This is only the beginning of the text that the agent types: “Refund”";
    assert_eq!(question["text"].as_str().unwrap().ends_with(told), shown == "R", "{case}: {question}");
    talk.answer(&question, json!({"confirmed": true})).await;
}

fn letters(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| format!("message={text}")).collect()
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn what_is_typed_arrives_as_a_whole() {
    for case in CASES {
        let mut talk = start(case.script, |request| {
            assert!(request.page().contains("value=\"Refund\""), "{}", request.page());
            assert!(!request.last_text().contains("has sent only"), "{}", request.last_text());
            Reply::stop("Filtered.")
        })
        .await;
        for shown in case.shown {
            approve(&mut talk, shown, case.name).await;
        }
        talk.ends_as("succeeded").await;
        assert_eq!(talk.site.sent(), letters(case.sent), "{}", case.name);
        assert_eq!(talk.events("effect").len(), case.sent.len(), "{}", case.name);
        talk.finish().await;
    }
}

// Nothing that the agent can type makes the page send the rest: the planner is told.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_text_that_the_page_does_not_send_is_told() {
    let script = "const typed = (text) => { if (!busy) { busy = true; post(text); } };";
    let mut talk = start(script, |request| {
        let told = r#"was given \"Refund\", but the page has sent only \"R\" of it"#;
        assert!(request.last_text().contains(told), "{}", request.last_text());
        Reply::stop("The filter has only the first letter.")
    })
    .await;
    approve(&mut talk, "R", "once").await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.site.sent(), letters(&["R"]));
    talk.finish().await;
}

// A declined beginning is not typed again.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_declined_beginning_stays_unsent() {
    let mut talk = Talk::start(&[]).await;
    talk.script([talk.shows(&format!("{FIELD}{}</script>", CASES[4].script)), fill()]);
    talk.say("show the refunds").await;
    let question: Value = talk.wait_for_question().await;
    talk.answer(&question, json!({"confirmed": false})).await;
    talk.ends_as("cancelled").await;
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.finish().await;
}
