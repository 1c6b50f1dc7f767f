//! A page that answered an approved form is loaded again: its form must not be sent a second time unasked. The proof is
//! the letters that the site received.

use crate::support::model::Reply;
use crate::support::talk::Talk;
use serde_json::{Value, json};

/// Sends a letter after its approval, and then goes on with these actions.
async fn send_letter_then(talk: &mut Talk, actions: &[&str]) {
    let again = actions.iter().map(|action| Reply::act(action, json!({})));
    talk.in_the_room(
        [Reply::fill("Message", "hello"), Reply::click("button", "Send message")]
            .into_iter()
            .chain(again)
            .chain([Reply::stop("Done.")]),
    )
    .await;
    let question = talk.wait_for_question().await;
    talk.answer(&question, json!({"confirmed": true})).await;
}

/// Waits for the next question or the end of the run.
async fn next_halt(talk: &mut Talk) -> Value {
    let halts = |frame: &Value| frame["type"] == "agent_question" || frame["type"] == "run_ended";
    talk.ws.until_that("a question or the end", halts).await
}

/// The page is loaded again by these actions: the site has one letter, whether it was asked about or not.
async fn assert_sent_once_after(actions: &[&str]) {
    let mut talk = Talk::start(&[]).await;
    send_letter_then(&mut talk, actions).await;
    let mut halt = next_halt(&mut talk).await;
    assert_eq!(talk.site.sent().len(), 1, "{actions:?}: {halt}");
    while halt["type"] == "agent_question" {
        talk.answer(&halt, json!({"confirmed": false, "comment": "once is enough"})).await;
        halt = next_halt(&mut talk).await;
    }
    assert_eq!(talk.site.sent().len(), 1, "{actions:?}: {halt}");
    talk.app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_reload_sends_no_approved_form_again() {
    assert_sent_once_after(&["reload"]).await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn going_back_and_forward_sends_no_approved_form_again() {
    assert_sent_once_after(&["back", "forward"]).await;
}
