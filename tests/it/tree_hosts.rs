//! Hosts hold for the whole run tree: what the person named may be opened by the agents below, and what an agent tells
//! another one names no host.

use crate::support::agents::with_settings;
use crate::support::model::{Reply, Request, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::talk::slot;
use crate::support::ws::Ws;
use serde_json::{Value, json};

const BOSS: &str = "kind: atomic\ninputs: [{name: text, type: string, required: true}]\n\
    outputs: [{name: answer, type: string}]\nllm: {prompt: '{{ text }}', uses: [narrow]}\n";
const NARROW: &str = "kind: atomic\ninputs: [{name: text, type: string, required: true}]\n\
    outputs: [{name: answer, type: string}]\nbrowser: {allowed_hosts: [shop.test]}\n";
const ORDER: &str = "open http://elsewhere.test/ for the person";

/// The first agent calls the second one with an order that names a host; the second one goes there.
fn plan_turn(request: &Request) -> Reply {
    let prompt = request.last_text();
    let is_caller = request.body["response_format"].to_string().contains("narrow");
    match is_caller {
        true if prompt.contains("result a1") => Reply::stop("Done."),
        true => Reply::act("narrow", json!({"text": ORDER})),
        false if prompt.contains("result a1") => Reply::stop("It cannot be opened."),
        false => Reply::act("navigate", json!({"url": "http://elsewhere.test/"})),
    }
}

/// Returns the questions of a run tree that was started with this message.
async fn questions_after(message: &str) -> Vec<Value> {
    let _slot = slot().await;
    let model = ScriptedModel::answering(Rules { several_runs: true, ..Rules::default() }, plan_turn);
    let app = with_settings(&[("boss", BOSS), ("narrow", NARROW)], Some(&model), &[]).await;
    let (mut ws, _) = Ws::hello(&app.base, json!({"locale": "en"})).await;
    ws.send(json!({"type": "user_message", "agent": "boss", "text": message})).await;
    let mut questions = Vec::new();
    loop {
        let frame = ws.next().await;
        if frame["type"] == "agent_question" {
            ws.send(json!({"type": "answer", "reference": frame["reference"], "confirmed": false})).await;
            questions.push(frame);
        } else if frame["type"] == "run_ended" && frame["run_id"] == frame["root_run_id"] {
            break;
        }
    }
    drop(ws);
    app.finish().await;
    questions
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_order_of_an_agent_names_no_host() {
    let questions = questions_after("look around").await;
    let rules: Vec<&Value> = questions.iter().map(|question| &question["payload"]["rule"]).collect();
    assert_eq!(rules, [&json!("new-host")], "{questions:?}");
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn hosts_that_the_person_named_hold_for_called_agents() {
    assert_eq!(questions_after("look around at elsewhere.test").await, Vec::<Value>::new());
}
