//! Shared by tests of orchestrations: steps of plans, and helpers to run a plan.

use super::agents::{get, run};
use super::app::TestApp;
use serde_json::{Value, json};

pub fn agent(id: &str, agent: &str, with: Value) -> Value {
    json!({"id": id, "type": "agent", "agent_id": agent, "with": with})
}

/// Creates a step that calls `say` with this word.
pub fn say_step(id: &str, word: &str) -> Value {
    agent(id, "say", json!({"word": word}))
}

pub fn parallel(id: &str, children: Vec<Value>) -> Value {
    json!({"id": id, "type": "parallel", "children": children})
}

/// Adds members to a step.
pub fn with(mut step: Value, more: Value) -> Value {
    let more = more.as_object().unwrap().clone();
    step.as_object_mut().unwrap().extend(more);
    step
}

/// Runs an orchestration and returns its result.
pub async fn orchestrate(app: &TestApp, mut input: Value) -> Value {
    input["locale"] = json!("en");
    run(app, "agent_orchestrate", input).await
}

/// Posts an orchestration, and returns the response.
pub async fn posted(app: &TestApp, input: &Value) -> (u16, Value) {
    let url = format!("{}/api/runs", app.base);
    let order = json!({"agent": "agent_orchestrate", "input": input});
    let answer = reqwest::Client::new().post(url).json(&order).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

/// Returns the number of child runs of an ended run.
pub async fn started_below(app: &TestApp, done: &Value) -> usize {
    let run = done["run_id"].as_str().unwrap();
    get(app, &format!("/api/runs?limit=200&parent={run}")).await["items"].as_array().unwrap().len()
}

/// Returns the statuses of the steps, in order.
pub fn status_of(done: &Value) -> Vec<&str> {
    let steps = done["vars"]["steps"].as_array().unwrap();
    steps.iter().map(|step| step["status"].as_str().unwrap()).collect()
}
