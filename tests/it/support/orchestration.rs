//! What tests of orchestrations share: steps as one writes them, and ways to have a plan carried out.

use super::agents::{get, run};
use super::app::TestApp;
use serde_json::{Value, json};

pub fn agent(id: &str, agent: &str, with: Value) -> Value {
    json!({"id": id, "type": "agent", "agent_id": agent, "with": with})
}

/// A step in which `say` says these words.
pub fn says(id: &str, word: &str) -> Value {
    agent(id, "say", json!({"word": word}))
}

pub fn parallel(id: &str, children: Vec<Value>) -> Value {
    json!({"id": id, "type": "parallel", "children": children})
}

/// The step with these members besides.
pub fn with(mut step: Value, more: Value) -> Value {
    let more = more.as_object().unwrap().clone();
    step.as_object_mut().unwrap().extend(more);
    step
}

/// What comes of an order, when it has ended.
pub async fn orchestrate(app: &TestApp, mut input: Value) -> Value {
    input["locale"] = json!("en");
    run(app, "agent_orchestrate", input).await
}

/// How the service answers an order.
pub async fn posted(app: &TestApp, input: &Value) -> (u16, Value) {
    let url = format!("{}/api/runs", app.base);
    let order = json!({"agent": "agent_orchestrate", "input": input});
    let answer = reqwest::Client::new().post(url).json(&order).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

/// How many runs an ended one has called.
pub async fn started_below(app: &TestApp, done: &Value) -> usize {
    let run = done["run_id"].as_str().unwrap();
    get(app, &format!("/api/runs?limit=200&parent={run}")).await["items"].as_array().unwrap().len()
}

/// How the steps ended, in order.
pub fn status_of(done: &Value) -> Vec<&str> {
    let steps = done["vars"]["steps"].as_array().unwrap();
    steps.iter().map(|step| step["status"].as_str().unwrap()).collect()
}
