//! A person's hands on the page of a whole service, through its socket.

use crate::support::model::Reply;
use crate::support::talk::Talk;
use crate::support::ws::Ws;
use serde_json::{Value, json};

async fn needs_a_hand(talk: &mut Talk) -> Value {
    talk.in_the_room([Reply::act("need_user", json!({"text": "Log in"}))]).await;
    talk.asked().await
}

async fn control(talk: &mut Talk, command: &str) {
    let frame = json!({"type": "control", "run_id": talk.run, "command": command});
    talk.ws.send(frame).await;
}

// S1.23, SPEC section 3: whoever takes over sees the page, though it was closed while the run waited.
#[actix_web::test]
async fn a_page_that_was_closed_is_seen_again_when_it_is_taken_over() {
    let Some(mut talk) = Talk::start(&[]).await else { return };
    needs_a_hand(&mut talk).await;
    talk.ws.send(json!({"type": "view", "run_id": talk.run, "on": true})).await;
    talk.ws.picture().await;
    let listed = talk.get("/api/browsers").await;
    let id = listed["items"][0]["id"].as_str().unwrap_or_else(|| panic!("{listed}")).to_owned();
    let closed = talk.http.delete(&format!("{}/api/browsers/{id}", talk.app.base)).await;
    assert_eq!(closed, 204);
    control(&mut talk, "take_over").await;
    talk.ws.until("lease").await;
    talk.ws.picture().await;
    control(&mut talk, "stop").await;
    talk.finish().await;
}

// PROTOCOL 1.1: only who holds the page says that it is done.
#[actix_web::test]
async fn another_viewer_does_not_end_what_the_holder_is_at() {
    let Some(mut talk) = Talk::start(&[]).await else { return };
    let question = needs_a_hand(&mut talk).await;
    control(&mut talk, "take_over").await;
    talk.ws.until("lease").await;
    let (mut other, _) = Ws::hello(&talk.app.base, json!({"run_id": talk.run})).await;
    other.send(json!({"type": "answer", "reference": question["reference"], "done": true})).await;
    let refused = other.until("error").await;
    assert_eq!(refused["code"], "lease_held", "{refused}");
    talk.script([Reply::stop("done")]);
    control(&mut talk, "hand_back").await;
    talk.ended().await;
    other.close().await;
    talk.finish().await;
}

// A person's hand makes some hundred events a second; a program could make any number.
#[actix_web::test]
async fn a_flood_of_input_keeps_nobody_waiting() {
    let Some(mut talk) = Talk::start(&[]).await else { return };
    needs_a_hand(&mut talk).await;
    control(&mut talk, "take_over").await;
    talk.ws.until("lease").await;
    for n in 0..20_000 {
        let (x, y) = (f64::from(n % 1000) / 1000.0, 0.5);
        let frame = json!({"type": "input", "run_id": talk.run, "kind": "mouse", "event": "move", "x": x, "y": y, "button": "none"});
        talk.ws.send(frame).await;
    }
    // Everybody else is answered, and so is the holder.
    let health = talk.get("/healthz").await;
    assert_ne!(health, json!(""), "it answers");
    talk.script([Reply::stop("done")]);
    control(&mut talk, "hand_back").await;
    talk.ended().await;
    talk.finish().await;
}
