//! Pages that send again and again, at once or without a page: the questions stay few, and nothing leaves unasked. S1.24,
//! C24.

use crate::support::model::Reply;
use crate::support::talk::Talk;
use serde_json::{Value, json};

/// Opens the page and presses its button; returns the question.
async fn press_in(talk: &mut Talk, html: &str) -> Value {
    talk.script([talk.shows(html), Reply::click("button", "Hand over")]);
    talk.say("hand it over").await;
    let question = talk.wait_for_question().await;
    assert_eq!(question["payload"]["layer"], "wire", "{question}");
    question
}

// A page that sends again by itself what the person declined is not asked about again.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_declined_request_that_its_page_repeats_fails_without_a_question() {
    let page = "<title>Desk</title><button onclick=\"window.tries=0;const send=()=>fetch('/send',{method:'POST',\
        body:new URLSearchParams({message:'hello',at:tries})}).catch(()=>{tries++;setTimeout(send,10)});send()\">\
        Hand over</button>";
    let mut talk = Talk::start(&[]).await;
    let question = press_in(&mut talk, page).await;
    let mut desk = talk.page("/html").await;
    let (look, release) = Reply::act("scroll", json!({"direction": "down"})).stalled();
    talk.script([look, Reply::stop("Left alone.")]);
    talk.answer(&question, json!({"confirmed": false, "comment": "Not today."})).await;
    desk.until("tries > 5").await;
    drop(release);
    talk.ends_as("succeeded").await;
    let told =
        talk.model.requests().iter().any(|request| request.last_text().contains("sent again by itself"));
    assert!(told, "the planner is told");
    assert_eq!(talk.ws.events.iter().filter(|event| event["type"] == "agent_question").count(), 1);
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.finish().await;
}

// The person's next message is a new wish: what they declined before it is asked about again.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn what_was_declined_is_asked_about_again_after_the_next_message() {
    let page = "<title>Desk</title><p id=said>nothing</p><button onclick=\"fetch('/send',{method:'POST',\
        body:new URLSearchParams({message:'hello'})}).catch(()=>{said.textContent='refused'})\">Hand over</button>";
    let mut talk = Talk::start(&[]).await;
    let question = press_in(&mut talk, page).await;
    talk.script([Reply::stop("Left alone.")]);
    talk.answer(&question, json!({"confirmed": false, "comment": "Not yet."})).await;
    talk.ends_as("succeeded").await;
    talk.script([Reply::click("button", "Hand over"), Reply::stop("Handed over.")]);
    talk.say("now hand it over").await;
    let again = talk.wait_for_question().await;
    assert_eq!(again["payload"]["values"], json!({"message": "hello"}));
    talk.answer(&again, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.site.sent(), ["message=hello"]);
    talk.finish().await;
}

// 500 requests of different kinds after one press: few wait, and the others fail at once.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_page_that_sends_without_end_is_asked_about_a_few_times() {
    let page = "<title>Desk</title><button onclick=\"window.failed=0;for(let i=0;i<500;i++)fetch('/send',{method:'POST',\
        body:new URLSearchParams({['field'+String.fromCharCode(97+i%26,97+i/26)]:'v'})}).catch(()=>{failed++})\">Hand over</button>";
    let mut talk = Talk::start(&[]).await;
    let mut question = press_in(&mut talk, page).await;
    let mut desk = talk.page("/html").await;
    desk.until("failed >= 490").await;
    let mut asked = 1;
    talk.script([Reply::seen(|request| {
        assert!(
            request.last_text().contains("more at once than a person can be asked"),
            "{}",
            request.last_text()
        );
        Reply::stop("It sends too much.")
    })]);
    loop {
        talk.answer(&question, json!({"confirmed": false, "comment": "No."})).await;
        let halts = |frame: &Value| frame["type"] == "agent_question" || frame["type"] == "run_ended";
        question = talk.ws.until_that("a question or the end", halts).await;
        if question["type"] == "run_ended" {
            break;
        }
        asked += 1;
    }
    assert!(asked <= 10, "{asked} questions");
    assert_eq!(question["outcome"], "succeeded", "{question}");
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.finish().await;
}

// A beacon outlives its page: it leaves after the approval, and not before.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_held_request_outlives_its_page() {
    let page = "<title>Desk</title><button onclick=\"navigator.sendBeacon('/send',\
        new URLSearchParams({message:'hello'}))\">Hand over</button>";
    for confirmed in [true, false] {
        let mut talk = Talk::start(&[]).await;
        let question = press_in(&mut talk, page).await;
        talk.page("/html").await.call("Page.close", json!({})).await;
        if confirmed {
            talk.script([Reply::stop("Handed over.")]);
        }
        talk.answer(&question, json!({"confirmed": confirmed})).await;
        talk.ends_as(if confirmed { "succeeded" } else { "cancelled" }).await;
        let expected: &[&str] = if confirmed { &["message=hello"] } else { &[] };
        assert_eq!(talk.site.sent(), expected);
        talk.finish().await;
    }
}

// The body is larger than what Chromium reports in one piece of text is shown.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_large_body_is_asked_about() {
    let page = "<title>Desk</title><button onclick=\"fetch('/send',{method:'POST',body:'x'.repeat(20000000)})\
        .catch(()=>{document.title='refused'})\">Hand over</button>";
    let mut talk = Talk::start(&[]).await;
    let question = press_in(&mut talk, page).await;
    assert_eq!(question["payload"]["request"]["size"], 20_000_000, "{question}");
    assert!(question["payload"]["values"].to_string().len() < 10_000);
    talk.answer(&question, json!({"confirmed": false})).await;
    talk.ends_as("cancelled").await;
    talk.finish().await;
}
