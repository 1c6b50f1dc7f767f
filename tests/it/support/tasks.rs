//! A conversation that calls agents, with a scripted model: agents of each kind, and helpers to wait for
//! results.

use super::agents::with_settings;
use super::app::{self, TestApp};
use super::model::{Reply, ScriptedModel, turn};
use super::model_checks::Rules;
use futures_util::StreamExt;
use serde_json::{Value, json};

/// An agent that takes a message and may call these agents.
pub fn master(uses: &[&str]) -> String {
    format!(
        "kind: atomic\ninputs: [{{name: text, type: string, required: true}}]\noutputs: [{{name: answer, type: string}}]\n\
         llm: {{system: 'You help.', prompt: '{{{{ text }}}}', uses: [{}], plan: 'off', thinking: 'off'}}\n",
        uses.join(", ")
    )
}

/// Asks the person first, so that a test decides when it continues.
pub const HELD: &str = "
kind: atomic
inputs: [{name: target, type: string}, {name: config, type: string, default: debug}]
outputs: [{name: log, type: string}]
python: {code: 'log = target + \" built\"', files: true}
";

/// A pure function of its inputs.
pub const ECHO: &str = "
kind: atomic
inputs: [{name: n, type: integer}]
outputs: [{name: n, type: integer}]
python: {code: 'n = n'}
";

/// Always fails.
pub const BROKEN: &str = "
kind: atomic
inputs: [{name: n, type: integer, default: 1}]
outputs: [{name: n, type: integer}]
python: {code: 'n = 1 // 0'}
";

pub fn rules() -> Rules {
    Rules { several_runs: true, format: None, ..Rules::default() }
}

pub async fn service(agents: &[(&str, &str)], model: &ScriptedModel, settings: &[(&str, &str)]) -> TestApp {
    let prompt = [("ASKFIRST_MODEL__STRUCTURED", "prompt")];
    with_settings(agents, Some(model), &[&prompt[..], settings].concat()).await
}

/// Creates a turn with these calls: id, agent, parameters and execution mode.
pub fn calls(calls: &[(&str, &str, Value, &str)]) -> Value {
    let mut reply = turn("", json!({}));
    reply["actions"] = calls
        .iter()
        .map(|(id, agent, params, execution)| {
            json!({"action_id": id, "action": agent, "type": "tool", "params": params, "execution": execution})
        })
        .collect();
    reply
}

/// Returns a recorded turn of `tests/golden/prototypes`.
pub fn prototype(n: u32) -> Reply {
    let path = format!("{}/tests/golden/prototypes/{n}.json", env!("CARGO_MANIFEST_DIR"));
    Reply::Turn(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
}

/// Gets a path of the service at this address, which may be a separate process.
pub async fn get(base: &str, path: &str) -> Value {
    reqwest::get(format!("{base}{path}")).await.unwrap().json().await.unwrap()
}

pub async fn post(base: &str, path: &str, body: Value) -> (u16, Value) {
    let sent = reqwest::Client::new().post(format!("{base}{path}")).json(&body).send().await.unwrap();
    (sent.status().as_u16(), sent.json().await.unwrap_or_default())
}

/// Starts a run of `master`, and returns when it rests, asks or has ended.
pub async fn run_master(base: &str, text: &str) -> Value {
    let body = json!({"agent": "master", "input": {"text": text, "locale": "en"}, "wait": true});
    post(base, "/api/runs", body).await.1
}

/// Waits until the run satisfies the condition.
pub async fn wait_for_run(base: &str, run: &str, what: &str, so: impl Fn(&Value) -> bool) -> Value {
    let url = format!("{base}/api/runs/{run}/events");
    let stream = reqwest::Client::new().get(url).header("accept", "text/event-stream").send().await.unwrap();
    let mut stream = stream.bytes_stream();
    loop {
        let whole = get(base, &format!("/api/runs/{run}")).await;
        if so(&whole) {
            return whole;
        }
        let news = tokio::time::timeout(app::PATIENCE, stream.next()).await;
        news.unwrap_or_else(|_| panic!("{what}: {whole}")).expect("the stream goes on").unwrap();
    }
}

/// Confirms the question of the held agent.
pub async fn release_held_task(base: &str, run: &str) {
    let confirm = |question: &Value| question["kind"] == "confirm";
    let has_confirmation = |whole: &Value| whole["questions"].as_array().unwrap().iter().any(confirm);
    let whole = wait_for_run(base, run, "a held agent asks", has_confirmation).await;
    let question = whole["questions"].as_array().unwrap().iter().find(|question| confirm(question)).unwrap();
    let path = format!("/api/questions/{}", question["reference"].as_str().unwrap());
    assert_eq!(post(base, &path, json!({"confirmed": true})).await.0, 200);
}

/// Returns a task of the run.
pub fn task<'a>(whole: &'a Value, id: &str) -> &'a Value {
    let tasks = whole["tasks"].as_array().unwrap();
    tasks.iter().find(|task| task["task_id"] == id).unwrap_or(&Value::Null)
}

/// Returns the data of all events of this name in the whole tree.
pub async fn events(base: &str, run: &str, name: &str) -> Vec<Value> {
    let events = get(base, &format!("/api/runs/{run}/events")).await;
    let events = events["items"].as_array().unwrap().clone();
    events.into_iter().filter(|event| event["event"] == name).map(|event| event["data"].clone()).collect()
}
