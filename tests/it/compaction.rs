//! Long conversations: their oldest pieces become a summary while they go on (S2.32, C15).

use crate::support::agents::{get, with_settings};
use crate::support::app::{Process, TestApp};
use crate::support::model::{Release, Reply, Request, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::ws::Ws;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

const TALKER: &str = "
kind: atomic
inputs: [{name: text, type: string}]
outputs: [{name: answer, type: string}]
llm: {prompt: '{{ text }}', thinking: auto}
";
const TITLE: &str = "[Previous context summary]";

fn rules() -> Rules {
    Rules::default()
}

fn summary(text: &str) -> Reply {
    Reply::Text(json!({ "summary": text }).to_string())
}

/// A conversation with this model, in which the notes can be recalled.
struct Talk {
    app: TestApp,
    ws: Ws,
    run: String,
}

impl Talk {
    async fn start(model: &ScriptedModel, notes: &str, window: &str) -> Self {
        let files = [("talker", TALKER), ("talker/knowledge/facts.md", notes)];
        let settings = [("ASKFIRST_LIMITS__HISTORY", window), ("ASKFIRST_CHAT__DEFAULT_AGENT", "talker")];
        let app = with_settings(&files, Some(model), &settings).await;
        let (ws, _) = Ws::hello(&app.base, json!({"locale": "en"})).await;
        Self { app, ws, run: String::new() }
    }

    /// Says it, and waits until the run has ended.
    async fn say(&mut self, text: &str) -> Value {
        self.begin(text).await;
        self.ends().await
    }

    async fn begin(&mut self, text: &str) {
        let mut frame = json!({"type": "user_message", "text": text});
        if !self.run.is_empty() {
            frame["run_id"] = json!(self.run);
        }
        self.ws.send(frame).await;
        if self.run.is_empty() {
            self.run = self.frame("run_started").await["run_id"].as_str().unwrap().to_owned();
        }
    }

    async fn ends(&mut self) -> Value {
        let run = self.run.clone();
        let ended = self.frame_that(|frame| frame["type"] == "run_ended" && frame["run_id"] == run).await;
        assert_eq!(ended["outcome"], "succeeded", "{ended}");
        ended
    }

    /// The next of this name, also after the end of a run.
    async fn frame(&mut self, kind: &str) -> Value {
        let kind = kind.to_owned();
        self.frame_that(move |frame| frame["type"] == *kind || frame["event"] == *kind).await
    }

    async fn frame_that(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let frame = self.ws.next().await;
            if wanted(&frame) {
                return frame;
            }
        }
    }

    async fn answer(&mut self, question: &Value, text: &str) {
        let frame = json!({"type": "answer", "reference": question["reference"], "text": text});
        self.ws.send(frame).await;
    }

    async fn state(&self) -> Value {
        get(&self.app, &format!("/api/runs/{}/state", self.run)).await["state_data"].clone()
    }

    /// Bytes that the store holds: of steps, of facts, and of all the rest of what grows.
    fn stored(&self) -> u64 {
        let store = rusqlite::Connection::open(self.app.data().join("askfirst.db")).unwrap();
        let sums = ["steps: changes", "events: body", "state_snapshots: state", "inbox: text", "runs: input"];
        let sum = |of: &str| {
            let (table, column) = of.split_once(": ").unwrap();
            let sql = format!("select coalesce(sum(length({column})), 0) from {table}");
            store.query_row(&sql, [], |row| row.get::<_, u64>(0)).unwrap()
        };
        sums.into_iter().map(sum).sum()
    }

    async fn trace(&self) -> String {
        get(&self.app, &format!("/api/runs/{}/trace", self.run)).await.to_string()
    }
}

fn length(request: &Request) -> usize {
    let texts = request.messages().iter().filter_map(|message| message["content"].as_str());
    texts.map(|text| text.chars().count()).sum()
}

/// A model that does something at every second message, and sums up when asked to.
fn busy(longest: &Arc<Mutex<usize>>) -> impl Fn(&Request) -> Reply + Send + Sync + 'static {
    let longest = Arc::clone(longest);
    move |request| {
        let mut longest = longest.lock().unwrap();
        *longest = (*longest).max(length(request));
        if request.schema_name() == "summary" {
            let given = request.last_text();
            assert!(given.contains("<conversation nonce="), "{given}");
            return summary(&format!("Much was said and done; {} letters of it.", given.chars().count()));
        }
        let prompt = request.last_text();
        let user_messages = request.messages().iter().filter(|message| message["role"] == "user");
        let user_messages: Vec<&str> =
            user_messages.filter_map(|message| message["content"].as_str()).collect();
        let text = user_messages.join("\n");
        let number = text.rsplit("message ").find_map(|rest| rest.split(' ').next()?.parse::<u32>().ok());
        let number = number.unwrap_or_else(|| panic!("no message in {text}"));
        if prompt.contains("<returned nonce=") || number % 2 == 1 {
            return Reply::stop(&format!("answer {number}"));
        }
        Reply::act("recall", json!({"query": format!("fact{number}"), "relics": null}))
    }
}

// S2.32, C15: after 200 messages and 100 actions the prompt is within its budget and the window of messages is
// bounded. The state does not grow with the conversation, the store grows equally for each message, and every result
// is in the trace.
#[actix_web::test]
async fn a_long_conversation_stays_within_its_budget_and_loses_no_result() {
    let longest = Arc::new(Mutex::new(0));
    let model = ScriptedModel::answering(rules(), busy(&longest));
    let note = |n: u32| format!("# fact{n}\nvalue{} {}\n", n * 7919, "so it is ".repeat(100));
    let notes: String = (0..200).step_by(2).map(note).collect();
    let mut talk = Talk::start(&model, &notes, "50").await;
    let (mut sizes, mut stored) = (Vec::new(), vec![talk.stored()]);
    for n in 0..200 {
        talk.say(&format!("message {n} {}", "and more words of it ".repeat(40))).await;
        if n % 50 == 49 {
            let state = talk.state().await;
            assert!(state["messages"].as_array().unwrap().len() <= 60, "{n}: {state}");
            sizes.push(state.to_string().len());
            stored.push(talk.stored());
        }
    }
    let trace = talk.trace().await;
    for n in (0..200u32).step_by(2) {
        assert!(trace.contains(&format!("value{} ", n * 7919)), "the result of {n} is gone");
    }
    assert!(*longest.lock().unwrap() < 100_000, "{longest:?} characters");
    // Room for one line per step, and no more.
    assert!(sizes.iter().all(|size| *size < 150_000), "{sizes:?}");
    assert!(sizes[3] < sizes[1] + 60_000, "{sizes:?}");
    // The second half of the messages takes as much space as the first.
    let (first, second) = (stored[2] - stored[0], stored[4] - stored[2]);
    assert!(second * 10 < first * 12, "{first} bytes, then {second}: {stored:?}");
    assert!(second < 100 * 40_000, "{second} bytes for 100 messages");
    let compacted = talk.ws.events.iter().filter(|event| event["event"] == "compacted").count();
    assert!(compacted >= 8, "{compacted}");
    println!(
        "bytes of the state after 50, 100, 150, 200 messages: {sizes:?}; longest prompt {longest:?}; stored {stored:?}"
    );
    talk.app.finish().await;
}

/// Recalls four times, then asks; the first summary is held back until it is released.
fn asking(
    held: &Arc<Mutex<Vec<Release>>>,
    reply: fn() -> Reply,
) -> impl Fn(&Request) -> Reply + Send + Sync + 'static + use<> {
    let (held, first) = (Arc::clone(held), AtomicBool::new(true));
    move |request| {
        if request.schema_name() == "summary" {
            if !first.swap(false, Ordering::Relaxed) {
                return reply();
            }
            let (stalled, release) = reply().stalled();
            held.lock().unwrap().push(release);
            return stalled;
        }
        if request.last_text().contains("the person answered") {
            return Reply::stop(if request.body["messages"].to_string().contains(TITLE) {
                "summed up"
            } else {
                "whole"
            });
        }
        match request.body.to_string().matches("result a1 ok").count() {
            done @ 0..4 => Reply::act("recall", json!({"query": format!("fact{done}"), "relics": null})),
            _ => Reply::act("ask_user", json!({"question": "Which?", "answer_key": "kind", "options": []})),
        }
    }
}

// C15: it goes on while a question waits, and the answer comes upon the summary.
#[actix_web::test]
async fn a_summary_comes_while_a_question_waits() {
    let held = Arc::new(Mutex::new(Vec::new()));
    let model = ScriptedModel::answering(rules(), asking(&held, || summary("Facts were looked up.")));
    let mut talk = Talk::start(&model, "# fact0\nvalue0\n", "4").await;
    talk.begin("look it up").await;
    let question = talk.frame("agent_question").await;
    model.arrived(6).await;
    assert!(!talk.state().await["memory"]["compacting"].is_null());
    held.lock().unwrap().remove(0);
    let compacted = talk.frame("compacted").await;
    assert_eq!(compacted["data"]["summary"], "Facts were looked up.", "{compacted}");
    let state = talk.state().await;
    assert_eq!(state["messages"][0]["entry"], "summary", "{state}");
    // The person's own words stay.
    assert_eq!(state["messages"][1]["text"], "look it up", "{state}");
    let row = get(&talk.app, &format!("/api/runs/{}", talk.run)).await;
    assert_eq!(row["status"], "waiting", "{row}");
    talk.answer(&question, "that one").await;
    assert_eq!(talk.ends().await["final_response"], "summed up");
    // The summary agent can be started by nobody else, and no list of agents contains it.
    let refused = reqwest::Client::new()
        .post(format!("{}/api/runs", talk.app.base))
        .json(&json!({"agent": "__summary", "input": {"conversation": "x"}}))
        .send()
        .await
        .unwrap();
    assert_eq!(refused.status(), 404);
    assert!(!get(&talk.app, "/api/agents").await.to_string().contains("__summary"));
    talk.app.finish().await;
}

// S2.32: what fails loses nothing.
#[actix_web::test]
async fn a_summary_that_fails_loses_nothing() {
    let held = Arc::new(Mutex::new(Vec::new()));
    let failing = || Reply::Text(String::from("no JSON at all"));
    let model = ScriptedModel::answering(rules(), asking(&held, failing));
    let mut talk = Talk::start(&model, "# fact0\nvalue0\n", "4").await;
    talk.begin("look it up").await;
    let question = talk.frame("agent_question").await;
    model.arrived(6).await;
    held.lock().unwrap().remove(0);
    let run = talk.run.clone();
    let failed = talk.frame_that(|frame| frame["type"] == "run_ended" && frame["run_id"] != run).await;
    assert_eq!(failed["outcome"], "failed", "{failed}");
    talk.answer(&question, "that one").await;
    assert_eq!(talk.ends().await["final_response"], "whole");
    let state = talk.state().await;
    let entries = state["messages"].as_array().unwrap();
    assert!(entries.iter().all(|entry| entry["entry"] != "summary") && entries.len() >= 6, "{state}");
    assert!(
        state["memory"]["compacting"].is_null() && state["memory"]["compact_at"].as_u64() > Some(4),
        "{state}"
    );
    talk.app.finish().await;
}

/// Talks until a summary has been requested and has not arrived, and kills the service; it starts again and writes the
/// summary. Returns the service, a socket that follows the run, and its question.
async fn kill_during_summary(model: &ScriptedModel, folder: &Path) -> (Process, Ws, String, Value) {
    let notes = folder.join("agents/talker/knowledge");
    std::fs::create_dir_all(&notes).unwrap();
    std::fs::write(notes.join("facts.md"), "# fact0\nvalue0\n").unwrap();
    std::fs::write(folder.join("agents/talker.yaml"), format!("name: talker\n{TALKER}")).unwrap();
    let settings = [
        ("ASKFIRST_LIMITS__HISTORY", "4"),
        ("ASKFIRST_CHAT__DEFAULT_AGENT", "talker"),
        ("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()),
    ];
    let service = Process::start(folder, &settings).await;
    let (mut ws, _) = Ws::hello(&service.base, json!({"locale": "en"})).await;
    ws.send(json!({"type": "user_message", "text": "look it up"})).await;
    let run = ws.until("run_started").await["run_id"].as_str().unwrap().to_owned();
    let question = ws.until("agent_question").await;
    model.arrived(6).await;
    service.kill().await;
    let service = Process::start(folder, &settings).await;
    let (mut ws, _) = Ws::hello(&service.base, json!({"run_id": run, "after_seq": 0, "locale": "en"})).await;
    while ws.next().await["event"] != "compacted" {}
    (service, ws, run, question)
}

// C15: a service that is killed while a summary is written writes it again, and loses nothing.
#[actix_web::test]
async fn a_killed_service_goes_on_with_the_summary() {
    let held = Arc::new(Mutex::new(Vec::new()));
    let model = ScriptedModel::answering(rules(), asking(&held, || summary("Facts were looked up.")));
    let folder = tempfile::tempdir().unwrap();
    let (service, mut ws, run, question) = kill_during_summary(&model, folder.path()).await;
    // Before the kill there was none.
    assert_eq!(ws.events.iter().filter(|event| event["event"] == "compacted").count(), 1);
    ws.send(json!({"type": "answer", "reference": question["reference"], "text": "that one"})).await;
    loop {
        let frame = ws.next().await;
        if frame["type"] == "run_ended" && frame["run_id"] == *run {
            assert_eq!(
                (&frame["outcome"], &frame["final_response"]),
                (&json!("succeeded"), &json!("summed up"))
            );
            break;
        }
    }
    let trace: Value =
        reqwest::get(format!("{}/api/runs/{run}/trace", service.base)).await.unwrap().json().await.unwrap();
    assert!(trace.to_string().contains("value0"), "{trace}");
    assert!(service.terminate().await.success());
}

// S2.9, S4.4, S2.32: what the person answered and what the conversation remembers are told whatever a summary left out.
#[actix_web::test]
async fn answers_and_variables_are_kept_beside_a_summary() {
    let model = ScriptedModel::answering(Rules::default(), |request| {
        let prompt = request.last_text();
        if request.schema_name() == "summary" {
            return summary("Somebody chatted.");
        }
        if prompt.contains("order a shirt") && !prompt.contains("XL-42") {
            let ask_action = json!({"action": "ask_user", "params": {"question": "Size?", "answer_key": "size", "options": []}});
            let variables = json!([{"name": "bid", "value": "B-77"}]);
            return Reply::Text(
                json!({"context": {"variables": variables}, "actions": [ask_action]}).to_string(),
            );
        }
        let knows = prompt.contains("\"size\":\"XL-42\"") && prompt.contains("\"bid\":\"B-77\"");
        let summed = request.messages().iter().any(|message| message["content"].to_string().contains(TITLE));
        Reply::stop(&format!("knows: {knows}, summed up: {summed}"))
    });
    let mut talk = Talk::start(&model, "# fact0\nvalue0\n", "4").await;
    talk.begin("order a shirt").await;
    let question = talk.frame("agent_question").await;
    talk.answer(&question, "XL-42").await;
    assert_eq!(talk.ends().await["final_response"], "knows: true, summed up: false");
    let mut reply = talk.say("and one more").await;
    for n in 0..20 {
        if reply["final_response"] != "knows: true, summed up: false" {
            break;
        }
        reply = talk.say(&format!("and so on, {n}")).await;
    }
    assert_eq!(reply["final_response"], "knows: true, summed up: true");
    talk.app.finish().await;
}

// The planner's note to itself is there once, the newest, after a death of the service and a summary.
#[actix_web::test]
async fn the_note_of_the_planner_outlives_the_service_and_a_summary() {
    let (held, turns) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(0)));
    let (kept, counted) = (Arc::clone(&held), Arc::clone(&turns));
    let model = ScriptedModel::answering(rules(), move |request| {
        if request.schema_name() == "summary" {
            if !kept.lock().unwrap().is_empty() {
                return summary("Facts were looked up.");
            }
            let (stalled, release) = summary("Facts were looked up.").stalled();
            kept.lock().unwrap().push(release);
            return stalled;
        }
        let all = request.body["messages"].to_string();
        if request.last_text().contains("the person answered") {
            let notes = all.matches("note number").count();
            let (newest, summed) = (all.matches("note number 4").count(), all.contains(TITLE));
            return Reply::stop(&format!("notes: {notes}, newest: {newest}, summed up: {summed}"));
        }
        let mut turns = counted.lock().unwrap();
        let action = match *turns {
            4 => {
                json!({"action": "ask_user", "params": {"question": "Which?", "answer_key": "kind", "options": []}})
            }
            turn => json!({"action": "recall", "params": {"query": format!("fact{turn}"), "relics": null}}),
        };
        let memory = format!("note number {turns}");
        *turns += 1;
        Reply::Text(json!({"memory": memory, "actions": [action]}).to_string())
    });
    let folder = tempfile::tempdir().unwrap();
    let (service, mut ws, run, question) = kill_during_summary(&model, folder.path()).await;
    ws.send(json!({"type": "answer", "reference": question["reference"], "text": "that one"})).await;
    let ended = loop {
        let frame = ws.next().await;
        if frame["type"] == "run_ended" && frame["run_id"] == *run {
            break frame;
        }
    };
    assert_eq!(ended["final_response"], "notes: 1, newest: 1, summed up: true", "{ended}");
    assert!(service.terminate().await.success());
}
