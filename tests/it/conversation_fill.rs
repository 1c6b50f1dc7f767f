//! `fill` with `submit` where the page sends by itself what is filled in: one question, and nothing leaves twice.

use crate::support::model::{Reply, Request, eid_of};
use crate::support::talk::Talk;
use serde_json::{Value, json};

/// A form whose list sends it as soon as something is chosen.
const SENDS_FORM: &str = "<title>Letters</title><form action=/send method=post><label>Message <input name=message></label>\
    <label>Size <select name=size onchange=\"this.form.submit()\"><option>small<option>large</select></label>\
    <button>Send message</button></form>";
/// The same by a script, on the page as it stands.
const SENDS_SCRIPT: &str = "<title>Letters</title><h1 id=h>none</h1><form id=f><label>Message <input name=message></label>\
    <label>Size <select name=size><option>small<option>large</select></label><button>Send message</button></form><script>\
    const send = () => fetch('/send', {method: 'POST', body: new URLSearchParams({message: f.message.value})})\
    .then(() => { h.textContent = 'sent'; }, () => { h.textContent = 'refused'; });\
    f.size.onchange = send; f.onsubmit = (e) => { e.preventDefault(); send(); };</script>";

/// A form that its box sends.
const SENDS_BY_BOX: &str = "<title>Letters</title><form action=/send method=post><label>Message <input name=message value=lamps></label>\
    <label><input type=checkbox name=send onchange=\"this.form.submit()\"> Send message</label></form>";

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_box_that_sends_its_form_is_filled() {
    let mut talk = Talk::start(&[]).await;
    let fill = Reply::seen(|request| {
        let eid = eid_of(&request.page(), "checkbox", "Send message");
        Reply::act("fill", json!({"fields": [{"eid": eid, "checked": true}]}))
    });
    talk.script([talk.shows(SENDS_BY_BOX), fill]);
    talk.say("send them the letter").await;
    let question = talk.wait_for_question().await;
    talk.script([Reply::seen(|request| {
        let text = request.last_text();
        assert!(text.contains("ok") && !text.contains("nothing was filled"), "{text}");
        Reply::stop("Sent.")
    })]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.site.sent(), ["message=lamps&send=on"]);
    assert_eq!(questions(&talk), 1);
    talk.finish().await;
}

fn fill_both(request: &Request) -> Reply {
    let page = request.page();
    let (message, size) = (eid_of(&page, "textbox", "Message"), eid_of(&page, "combobox", "Size"));
    let fields = json!([{"eid": message, "text": "two lamps"}, {"eid": size, "option": ["large"]}]);
    Reply::act("fill", json!({"fields": fields, "submit": true}))
}

async fn filled(html: &str) -> (Talk, Value) {
    let mut talk = Talk::start(&[]).await;
    talk.script([talk.shows(html), Reply::seen(fill_both)]);
    talk.say("send them the letter").await;
    let question = talk.wait_for_question().await;
    assert_eq!(talk.site.sent(), Vec::<String>::new(), "nothing leaves before the answer");
    (talk, question)
}

fn questions(talk: &Talk) -> usize {
    talk.ws.events.iter().filter(|event| event["type"] == "agent_question").count()
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_form_that_its_list_sends_is_asked_about_once_and_sent_once() {
    let (mut talk, question) = filled(SENDS_FORM).await;
    talk.script([Reply::stop("Sent.")]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.site.sent(), ["message=two+lamps&size=large"]);
    assert_eq!(questions(&talk), 1);
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_script_that_its_list_starts_is_asked_about_once_and_sends_once() {
    let (mut talk, question) = filled(SENDS_SCRIPT).await;
    talk.script([Reply::seen(|request| {
        let text = request.last_text();
        assert!(text.contains("the page sent the form by itself"), "{text}");
        Reply::stop("Sent.")
    })]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.site.sent(), ["message=two+lamps"]);
    assert_eq!(questions(&talk), 1);
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_declined_form_is_sent_by_nobody() {
    for html in [SENDS_FORM, SENDS_SCRIPT] {
        let (mut talk, question) = filled(html).await;
        talk.script([Reply::stop("Left alone.")]);
        talk.answer(&question, json!({"confirmed": false, "comment": "Not today."})).await;
        talk.ends_as("succeeded").await;
        assert_eq!((talk.site.sent(), questions(&talk)), (Vec::<String>::new(), 1));
        talk.finish().await;
    }
}

/// A form whose second field is taken away when the first one is filled.
const LOSES_FIELD: &str = "<title>Letters</title><label>Name <input id=n oninput=\"document.querySelector('#p').remove()\"></label>\
    <p id=p><label>Post code <input></label></p>";

// A person has never seen the numbers of elements.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_failed_fill_tells_people_the_name_of_the_field() {
    let mut talk = Talk::start(&[]).await;
    let fill = Reply::seen(|request| {
        let page = request.page();
        let fields = json!([
            {"eid": eid_of(&page, "textbox", "Name"), "text": "Olena"},
            {"eid": eid_of(&page, "textbox", "Post code"), "text": "01001"},
        ]);
        Reply::act("fill", json!({"fields": fields}))
    });
    talk.script([talk.shows(LOSES_FIELD), fill, Reply::stop("One field is gone.")]);
    talk.say("fill it in").await;
    talk.ends_as("succeeded").await;
    let failed: Vec<Value> =
        talk.events("action_finished").into_iter().filter(|event| event["ok"] == false).collect();
    let message = failed[0]["error"]["message"].as_str().unwrap();
    assert!(message.contains("“Post code”") && message.contains("(“Name” filled)"), "{message}");
    assert!(!message.contains('['), "{message}");
    talk.finish().await;
}
