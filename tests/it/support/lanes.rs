//! Shared by tests of composite agents: items in YAML, a model whose answers a test can hold back by word,
//! and a run tree followed by its events.

use super::agents::get;
use super::app::{Http, TestApp};
use super::model::{Release, Reply, Request, ScriptedModel};
use super::model_checks::Rules;
use super::ws::Ws;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

/// Returns the model's answer to its input word.
pub const SAY: &str = "
kind: atomic
inputs: [{name: word, default: nothing}]
outputs: [{name: said}]
llm: {prompt: 'say {{ word }}'}
";

/// Asks a person before it prints an environment variable.
pub const ASKS: &str = "
kind: atomic
outputs: [{name: said}]
shell: {command: printenv, args: [CARGO_PKG_NAME], env: [CARGO_PKG_NAME]}
";

/// Does nothing and succeeds.
pub const LEAF: &str = "kind: composite\ngraph: {lanes: []}\n";

/// Rules for models that write plain text without a response format.
pub fn rules() -> Rules {
    Rules { llm: true, several_runs: true, format: None, ..Rules::default() }
}

pub fn item(id: &str, agent: &str, rest: &str) -> String {
    format!("        - {{id: {id}, agent: {agent}{rest}}}\n")
}

pub fn bind(from: &str, var: &str, to: &str, input: &str) -> String {
    format!("{{from_agent_item_id: {from}, from_var: {var}, to_agent_item_id: {to}, to_var: {input}}}")
}

/// Formats an item that calls `say` with this word, which is a local of the agent.
pub fn say_item(word: &str, rest: &str) -> String {
    item(word, "say", &format!(", bindings: [{}]{rest}", bind("__CTX__", word, word, "word")))
}

/// Formats a composite with these words as locals, these lanes, and other settings of its graph.
pub fn composite(words: &[&str], outputs: &[&str], graph: &str, lanes: &[String]) -> String {
    let locals: Vec<String> = words.iter().map(|word| format!("{{name: {word}, value: {word}}}")).collect();
    let outputs: Vec<String> = outputs.iter().map(|name| format!("{{name: {name}}}")).collect();
    let lanes: String = lanes.iter().map(|items| format!("    - items:\n{items}")).collect();
    format!(
        "kind: composite\nlocals: [{}]\noutputs: [{}]\ngraph:\n{graph}  lanes:\n{lanes}",
        locals.join(", "),
        outputs.join(", ")
    )
}

/// Formats this many items that call the agent and tolerate its errors.
pub fn many(agent: &str, count: usize) -> String {
    (0..count).map(|n| item(&format!("{agent}{n}"), agent, ", on_error: continue")).collect()
}

pub fn sorted(mut words: Vec<String>) -> Vec<String> {
    words.sort();
    words
}

pub fn statuses(runs: &[Value]) -> Vec<&str> {
    runs.iter().map(|run| run["status"].as_str().unwrap()).collect()
}

pub fn prompt(request: &Request) -> String {
    let messages = request.body["messages"].as_array().unwrap();
    messages.last().unwrap()["content"].as_str().unwrap().to_owned()
}

/// A model that answers `say a` with `a!`: at once, or when the test releases that word.
pub struct HeldModel {
    pub model: ScriptedModel,
    stage: Arc<Stage>,
}

#[derive(Default)]
struct Stage {
    asked: watch::Sender<Vec<String>>,
    /// Requests on hold, by word. A word without an entry is answered at once.
    held: Mutex<HashMap<String, Vec<Release>>>,
}

impl HeldModel {
    /// Holds back the answers to these words.
    pub fn back(words: &[&str]) -> Self {
        let stage = Arc::new(Stage::default());
        for word in words {
            stage.held.lock().unwrap().insert((*word).to_owned(), Vec::new());
        }
        let behind = Arc::clone(&stage);
        let model = ScriptedModel::answering(rules(), move |request| {
            let word = prompt(request).trim_start_matches("say ").to_owned();
            behind.asked.send_modify(|asked| asked.push(word.clone()));
            let answer = Reply::Text(format!("{word}!"));
            match behind.held.lock().unwrap().get_mut(&word) {
                None => answer,
                Some(waiting) => {
                    let (reply, release) = answer.stalled();
                    waiting.push(release);
                    reply
                }
            }
        });
        Self { model, stage }
    }

    /// Waits until this word has been requested this many times.
    pub async fn wait_for_request(&self, word: &str, times: usize) {
        let mut asked = self.stage.asked.subscribe();
        let so_often = |asked: &Vec<String>| asked.iter().filter(|one| *one == word).count() >= times;
        let came = tokio::time::timeout(Duration::from_secs(30), asked.wait_for(so_often)).await;
        assert!(came.is_ok(), "{word} was not asked for {times} times, only {:?}", self.all());
    }

    /// Returns all requested words in order.
    pub fn all(&self) -> Vec<String> {
        self.stage.asked.borrow().clone()
    }

    pub fn times(&self, word: &str) -> usize {
        self.all().iter().filter(|one| *one == word).count()
    }

    /// Answers the waiting requests for this word, and later ones at once.
    pub fn release(&self, word: &str) {
        self.stage.held.lock().unwrap().remove(word);
    }
}

/// A run and all runs below it.
pub struct Tree<'a> {
    pub app: &'a TestApp,
    pub root: String,
    http: Http,
    ws: Ws,
}

impl<'a> Tree<'a> {
    pub async fn start(app: &'a TestApp, agent: &str) -> Self {
        Self::start_with(app, agent, json!({})).await
    }

    pub async fn start_with(app: &'a TestApp, agent: &str, mut input: Value) -> Self {
        let http = Http::new();
        input["locale"] = json!("en");
        let order = json!({"agent": agent, "input": input});
        let (status, started) = http.post(&format!("{}/api/runs", app.base), &order).await;
        assert_eq!(status, 201, "{started}");
        let root = started["run_id"].as_str().unwrap().to_owned();
        let (ws, _) = Ws::hello(&app.base, json!({"run_id": root})).await;
        Self { app, root, http, ws }
    }

    /// Returns the first matching event, waiting for it if necessary.
    pub async fn event(&mut self, mut wanted: impl FnMut(&Value) -> bool) -> Value {
        if let Some(event) = self.ws.events.iter().find(|event| wanted(event)) {
            return event.clone();
        }
        loop {
            let event = self.ws.next().await;
            if wanted(&event) {
                return event;
            }
        }
    }

    /// Waits until a run of the tree has ended.
    pub async fn ended(&mut self, run: &str) -> Value {
        self.event(|event| event["type"] == "run_ended" && event["run_id"] == run).await
    }

    /// Waits until the root run has ended.
    pub async fn end(&mut self) -> Value {
        let root = self.root.clone();
        self.ended(&root).await
    }

    /// Returns the run of an item at this attempt.
    pub async fn run_of(&mut self, item: &str, attempt: u64) -> String {
        let begun = |data: &Value| {
            data["item_id"] == item && data["attempt"] == attempt && data["status"] == "running"
        };
        let event = self.event(|event| event["event"] == "item" && begun(&event["data"])).await;
        event["data"]["run_id"].as_str().unwrap().to_owned()
    }

    /// Waits until an item has this status, and returns its event data.
    pub async fn item(&mut self, item: &str, status: &str) -> Value {
        let so = |data: &Value| data["item_id"] == item && data["status"] == status;
        self.event(|event| event["event"] == "item" && so(&event["data"])).await["data"].clone()
    }

    /// Waits until a run of the tree has this status.
    pub async fn wait_for_status(&mut self, run: &str, status: &str) {
        self.event(|event| event["type"] == "status" && event["run_id"] == run && event["status"] == status)
            .await;
    }

    /// Waits for the question of a run.
    pub async fn question(&mut self, run: &str) -> Value {
        self.event(|event| event["type"] == "agent_question" && event["run_id"] == run).await
    }

    pub async fn answer(&self, question: &Value, answer: Value) -> (u16, Value) {
        let reference = question["reference"].as_str().unwrap();
        self.http.post(&format!("{}/api/questions/{reference}", self.app.base), &answer).await
    }

    /// Posts an action to a run of the tree: stop, pause, resume or a message.
    pub async fn post_action(&self, run: &str, word: &str, body: Value) -> (u16, Value) {
        self.http.post(&format!("{}/api/runs/{run}/{word}", self.app.base), &body).await
    }

    pub async fn whole(&self, run: &str) -> Value {
        get(self.app, &format!("/api/runs/{run}")).await
    }

    /// Returns every run of the tree, oldest first, as lists show them.
    pub async fn all(&self) -> Vec<Value> {
        let list = get(self.app, &format!("/api/runs?limit=200&root={}", self.root)).await;
        let mut runs = list["items"].as_array().unwrap().clone();
        runs.reverse();
        runs
    }
}
