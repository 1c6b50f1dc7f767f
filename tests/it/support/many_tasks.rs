//! Fills a store with thousands of tasks within a few seconds, each with its first message, an observed site,
//! a response and an end.

use askfirst::clock::Moment;
use askfirst::ids::RunId;
use askfirst::protocol::Status;
use askfirst::protocol::event::Event;
use askfirst::protocol::server::Fact;
use askfirst::store::Store;
use askfirst::store::rows::{CheckpointRow, EndRow, NewRun, RunCommit, StatusChange, StepRow};
use askfirst::store::sqlite::connection::store::SqliteStore;
use futures_util::future::join_all;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Words for titles. The seventh of every ten tasks has a Ukrainian one.
const THINGS: [&str; 10] =
    ["lamp", "chair", "ticket", "invoice", "flight", "kettle", "лампу", "parcel", "window", "garden"];

/// Adds this many ended tasks, and returns their ids, oldest first.
pub async fn fill(store: &dyn Store, count: usize) -> Vec<RunId> {
    let ids: Vec<RunId> = (0..count).map(|_| RunId::fresh()).collect();
    // Concurrently, so that many share a transaction.
    for part in ids.iter().enumerate().collect::<Vec<_>>().chunks(256) {
        join_all(part.iter().map(|(n, id)| add(store, *n, id))).await;
    }
    ids
}

/// Adds tasks to the data folder of a service, which may be running.
pub async fn fill_folder(folder: &Path, count: usize) -> Vec<RunId> {
    let store = SqliteStore::open(folder, Box::new(|_| ())).unwrap();
    fill(&store, count).await
}

/// Returns the title of the task with this number.
pub fn title(n: usize) -> String {
    format!("find {} number {n}", THINGS[n % THINGS.len()])
}

async fn add(store: &dyn Store, n: usize, id: &RunId) {
    let input = Map::from_iter([(String::from("text"), json!(title(n)))]);
    let run = new_run(id, &title(n), input.clone());
    let started = Fact::RunStarted { agent: run.agent.clone(), parent_run_id: None, input, client: None };
    store.create(run, vec![started.body()]).await.unwrap();
    let answer =
        format!("Number {n} costs {} hryvnias; {}", n * 3, "it is the best of those there are. ".repeat(8));
    let seen = Event::Observation {
        look: 1,
        url: format!("https://shop{}.test/thing?token=hidden{n}", n % 50),
        title: format!("Thing {n} · Shop {}", n % 50),
        tab: String::from("1/1"),
        chars: 10,
        picture: None,
    };
    let events = vec![
        Fact::Event(seen).body(),
        Fact::AgentMessage { text: answer.clone(), html: format!("<p>{answer}</p>"), r#final: true }.body(),
        Fact::RunEnded {
            outcome: Status::Succeeded,
            final_response: Some(answer.clone()),
            vars: Map::new(),
            plan: None,
        }
        .body(),
    ];
    let step = StepRow {
        n: 1,
        node: String::from("Finalize"),
        outcome: String::from("done"),
        at: Moment::now(),
        took_ms: 1,
        changes: json!({}),
    };
    let status = StatusChange {
        to: Some((Status::Succeeded.word().to_owned(), None)),
        ended: Some(EndRow { response: Some(answer), vars: Map::new() }),
        ..StatusChange::default()
    };
    let checkpoint = Some(CheckpointRow { node: step.node.clone(), step, snapshot: None });
    let commit = RunCommit { checkpoint, status, events, ..RunCommit::new(id.clone(), id.clone()) };
    store.commit(commit).await.unwrap();
}

/// Creates a root run that has not begun.
pub fn new_run(id: &RunId, title: &str, input: Map<String, Value>) -> NewRun {
    NewRun {
        id: id.clone(),
        root: id.clone(),
        parent: None,
        depth: 0,
        agent: String::from("browser"),
        program: String::from("conversation"),
        title: title.to_owned(),
        input,
        node: String::from("IngestUserInput"),
        state: json!({}),
        idempotency_key: None,
        idempotency_record: None,
        metadata: None,
        model: None,
        version: None,
        bounds: json!({}),
        descendant_limit: None,
        deadline: None,
    }
}
