//! Recording of each step: requests to models and their replies, each stored once however often it is sent.

use crate::support::agents::{get, run, with_agents, with_settings};
use crate::support::model::{Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::talk::Talk;
use askfirst::clock::Moment;
use askfirst::ids::RunId;
use askfirst::store::RunTransactions;
use askfirst::store::rows::recordings::{CallRow, CallText, NewCall, StepRecording};
use askfirst::store::rows::{NewRun, RunCommit};
use askfirst::store::run_records::RunRecords;
use askfirst::store::sqlite::connection::store::SqliteStore;
use serde_json::{Map, Value, json};

const POEM: &str = "
kind: atomic
inputs: [{name: task}]
outputs: [{name: poem}]
llm: {system: 'You rhyme.', prompt: 'A poem: {{ task }}'}
";

fn rules() -> Rules {
    Rules { llm: true, several_runs: true, format: None, ..Rules::default() }
}

async fn calls(base: &str, run: &str) -> Vec<Value> {
    let listed: Value =
        reqwest::get(format!("{base}/api/runs/{run}/calls")).await.unwrap().json().await.unwrap();
    listed["items"].as_array().unwrap().clone()
}

// S0.31, S3.34
#[actix_web::test]
async fn recorded_calls_of_an_llm_agent_can_be_read() {
    let model = ScriptedModel::with_rules(rules(), vec![Reply::Text(String::from("Roses"))]);
    let app = with_agents(&[("poem", POEM)], Some(&model)).await;
    let done = run(&app, "poem", json!({"task": "spring"})).await;
    let id = done["run_id"].as_str().unwrap();
    let listed = calls(&app.base, id).await;
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert_eq!(
        (&listed[0]["n"], &listed[0]["role"], &listed[0]["error"]),
        (&json!(1), &json!("llm"), &Value::Null)
    );
    assert!(listed[0]["tokens"]["output"].as_u64().unwrap() > 0);
    let trace = get(&app, &format!("/api/runs/{id}/trace")).await;
    let step = listed[0]["step"].as_u64().unwrap();
    let asked = trace["steps"].as_array().unwrap().iter().find(|row| row["n"] == step).unwrap();
    assert_eq!(asked["node"], "execute");

    let whole = get(&app, &format!("/api/runs/{id}/calls/1")).await;
    assert_eq!(json!(whole["messages"]), json!(model.requests()[0].messages()));
    assert_eq!(
        (&whole["text"], &whole["request"]["model"]),
        (&json!("Roses"), &model.requests()[0].body["model"])
    );
    let missing = reqwest::get(format!("{}/api/runs/{id}/calls/2", app.base)).await.unwrap();
    assert_eq!(missing.status(), 404);
    model.finish();
    app.finish().await;
}

#[actix_web::test]
async fn settings_decide_what_of_model_calls_is_recorded() {
    for (word, count, messages) in [("answers", 1, 0), ("off", 0, 0)] {
        let model = ScriptedModel::with_rules(rules(), vec![Reply::Text(String::from("Roses"))]);
        let settings = [("ASKFIRST_MODEL__STRUCTURED", "prompt"), ("ASKFIRST_TELEMETRY__RECORD_MODEL", word)];
        let app = with_settings(&[("poem", POEM)], Some(&model), &settings).await;
        let done = run(&app, "poem", json!({"task": "spring"})).await;
        let id = done["run_id"].as_str().unwrap();
        assert_eq!(calls(&app.base, id).await.len(), count, "{word}");
        if count > 0 {
            let whole = get(&app, &format!("/api/runs/{id}/calls/1")).await;
            assert_eq!(
                (whole["messages"].as_array().unwrap().len(), &whole["text"]),
                (messages, &json!("Roses"))
            );
        }
        model.finish();
        app.finish().await;
    }
}

// A refused call is stored with its reason, together with the step that fails the run.
#[actix_web::test]
async fn a_failed_model_call_is_recorded_with_its_error() {
    let model = ScriptedModel::with_rules(rules(), vec![Reply::status(401, "no such key")]);
    let app = with_agents(&[("poem", POEM)], Some(&model)).await;
    let done = run(&app, "poem", json!({"task": "spring"})).await;
    assert_eq!(done["status"], "failed");
    let listed = calls(&app.base, done["run_id"].as_str().unwrap()).await;
    assert!(listed[0]["error"].as_str().unwrap().contains("no such key"), "{listed:?}");
    model.finish();
    app.finish().await;
}

// Secrets are marks, also in what a model answers; pictures are hashes.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn recorded_model_calls_contain_no_secret() {
    const PASSWORD: &str = "hunter\"2 \\x9";
    let mut talk = Talk::start(&[]).await;
    let login = format!("{}/demo/login?lang=en&visitor=record", talk.app.base);
    talk.script([
        Reply::act("navigate", json!({"url": login})),
        Reply::fill("Login", "olena"),
        Reply::fill("Password", PASSWORD),
        Reply::stop("I typed it."),
    ]);
    talk.say("sign me in").await;
    talk.ended().await;
    let listed = calls(&talk.app.base, &talk.run).await;
    assert_eq!(listed.len(), 4, "{listed:?}");
    let mut marked = 0;
    for call in &listed {
        let whole = get(&talk.app, &format!("/api/runs/{}/calls/{}", talk.run, call["n"])).await.to_string();
        assert!(!whole.contains("hunter") && !whole.contains("data:image"), "{whole}");
        marked += usize::from(whole.contains("<typed:"));
    }
    assert!(marked >= 1);
    talk.finish().await;
}

fn call(step: u64, messages: Vec<Value>) -> NewCall {
    let row = CallRow {
        n: 0,
        step,
        role: "planner".into(),
        model: "m".into(),
        at: Moment::from_millis(0),
        took_ms: 1,
        input: 1,
        cached: 0,
        output: 1,
        cost: None,
        currency: None,
        error: None,
        dropped: false,
    };
    let request = json!({"model": "m", "response_format": {"schema": "s".repeat(10_000)}});
    NewCall { row, text: CallText { messages, request, answer: Some(json!({"n": step})), fault: None } }
}

fn bytes(folder: &std::path::Path) -> u64 {
    let connection = rusqlite::Connection::open(folder.join("askfirst.db")).unwrap();
    let sql =
        "select (select sum(length(body)) from request_texts) + (select count(*) * 24 from request_messages)
                    + (select count(*) * 100 from model_calls)";
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

// A conversation that sends all that was said again with each step costs the same for each.
#[actix_web::test]
async fn repeated_messages_are_recorded_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path(), Box::new(|_| ())).unwrap();
    let run = RunId::fresh();
    let new = NewRun {
        id: run.clone(),
        root: run.clone(),
        parent: None,
        depth: 0,
        agent: "a".into(),
        program: "p".into(),
        title: String::new(),
        input: Map::new(),
        node: "n".into(),
        state: json!({}),
        idempotency_key: None,
        idempotency_record: None,
        version: None,
        model: None,
        bounds: json!({}),
        descendant_limit: None,
        deadline: None,
        metadata: None,
    };
    store.create(new, Vec::new()).await.unwrap();
    let (mut messages, mut sizes) =
        (vec![json!({"role": "system", "content": "x".repeat(5_000)})], Vec::new());
    for step in 1..=300_u64 {
        let message = |who: &str, what: &str| json!({"role": who, "content": format!("{what} {step} {}", "y".repeat(500))});
        messages.push(message("assistant", "did"));
        messages.push(message("user", "became of it"));
        let mut sent = messages.clone();
        sent.push(message("user", "page"));
        let recording = Some(StepRecording { step, calls: vec![call(step, sent)], body: None });
        let blank = RunCommit::new(run.clone(), run.clone());
        store.commit(RunCommit { recording, ..blank }).await.unwrap();
        if step % 100 == 0 {
            sizes.push(bytes(folder.path()));
        }
    }
    let (first, last) = (sizes[1] - sizes[0], sizes[2] - sizes[1]);
    assert!(last < first + first / 20, "{sizes:?}");
    assert!(sizes[2] < 300 * 3 * 700 + 40_000, "{sizes:?}");
    let (row, text) = store.call(run.clone(), 300).await.unwrap().unwrap();
    assert_eq!((row.step, text.messages.len()), (300, 602));
    assert_eq!(text.messages[..601], messages[..]);
    assert_eq!(store.calls(run).await.unwrap().len(), 300);
}
