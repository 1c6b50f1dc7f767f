//! Rows that the cases store.

use askfirst::clock::Moment;
use askfirst::ids::{QuestionId, RunId};
use askfirst::store::rows::{
    CheckpointRow, EndRow, EventRow, LogAdditions, NewRun, QuestionRow, ResolutionRow, RunCommit,
    StatusChange, StepRow, TaskRow,
};
use askfirst::store::{Store, StoreObserver};
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};

/// Additions that an observer has received.
#[derive(Clone, Default)]
pub struct Observed(Arc<Mutex<Vec<LogAdditions>>>);

impl Observed {
    pub fn observer(&self) -> StoreObserver {
        let received = Arc::clone(&self.0);
        Box::new(move |additions| received.lock().unwrap().push(additions))
    }

    /// Returns the events so far, in the order in which they came.
    pub fn events(&self) -> Vec<EventRow> {
        self.0.lock().unwrap().iter().flat_map(|additions| additions.events.clone()).collect()
    }

    pub fn ended(&self) -> Vec<RunId> {
        self.0.lock().unwrap().iter().flat_map(|additions| additions.ended.clone()).collect()
    }

    pub fn questions(&self) -> usize {
        self.0.lock().unwrap().iter().filter(|additions| additions.questions).count()
    }
}

/// Returns an observer that receives events and drops them.
pub fn ignore() -> StoreObserver {
    Box::new(|_| ())
}

pub fn run_with(id: &RunId, title: &str) -> NewRun {
    NewRun {
        id: id.clone(),
        root: id.clone(),
        parent: None,
        depth: 0,
        agent: String::from("browser"),
        program: String::from("conversation"),
        title: title.to_owned(),
        input: Map::from_iter([(String::from("text"), json!(title))]),
        node: String::from("Begin"),
        state: json!({"n": 0}),
        idempotency_key: None,
        idempotency_record: None,
        metadata: None,
        version: None,
        model: None,
        bounds: json!({}),
        descendant_limit: None,
        deadline: None,
    }
}

pub fn child_of(root: &RunId, parent: &RunId, depth: u32) -> NewRun {
    NewRun { root: root.clone(), parent: Some(parent.clone()), depth, ..run_with(&RunId::fresh(), "a child") }
}

/// Creates a root run without events.
pub async fn add_root(store: &dyn Store, title: &str) -> RunId {
    let id = RunId::fresh();
    assert_eq!(store.create(run_with(&id, title), vec![]).await.unwrap(), id);
    id
}

pub async fn add_child(store: &dyn Store, root: &RunId, parent: &RunId) -> RunId {
    store.create(child_of(root, parent, 1), vec![]).await.unwrap()
}

pub fn event(n: impl Into<Value>) -> String {
    json!({"type": "event", "event": "probe", "data": {"n": n.into()}}).to_string()
}

pub fn commit(run: &RunId) -> RunCommit {
    RunCommit::new(run.clone(), run.clone())
}

pub fn step(n: u64, changes: Value) -> StepRow {
    StepRow {
        n,
        node: String::from("Act"),
        outcome: String::from("done"),
        at: Moment::from_millis(1_000 + i64::try_from(n).unwrap()),
        took_ms: 7,
        changes,
    }
}

pub fn checkpoint(n: u64, snapshot: Option<Value>) -> Option<CheckpointRow> {
    Some(CheckpointRow { step: step(n, json!({"n": n})), node: String::from("Next"), snapshot })
}

pub fn status(name: &str) -> StatusChange {
    StatusChange { to: Some((name.to_owned(), None)), ..StatusChange::default() }
}

pub fn ended(name: &str) -> StatusChange {
    let end = EndRow {
        response: Some(String::from("done")),
        vars: Map::from_iter([(String::from("price"), json!(3))]),
    };
    StatusChange { ended: Some(end), ..status(name) }
}

/// A commit that ends a run.
pub fn end(root: &RunId, run: &RunId) -> RunCommit {
    RunCommit { status: ended("succeeded"), ..RunCommit::new(run.clone(), root.clone()) }
}

pub fn question(run: &RunId, asked_at: i64, expires_at: Option<i64>) -> QuestionRow {
    let reference = QuestionId::fresh();
    QuestionRow {
        frame: json!({"type": "agent_question", "reference": reference, "text": "May I?"}),
        reference,
        run: run.clone(),
        root: run.clone(),
        kind: String::from("approval"),
        asked_at: Moment::from_millis(asked_at),
        expires_at: expires_at.map(Moment::from_millis),
        resolved_by: None,
        answer: None,
    }
}

/// A commit that asks a question, with its event.
pub fn ask(run: &RunId, question: &QuestionRow) -> RunCommit {
    let status = StatusChange {
        to: Some((String::from("waiting"), Some(question.reference.clone()))),
        question: Some(question.clone()),
        ..StatusChange::default()
    };
    RunCommit { status, events: vec![event("before"), question.frame.to_string()], ..commit(run) }
}

pub fn resolution(by: &str) -> ResolutionRow {
    let event = json!({"type": "question_resolved", "answer": {"text": "yes"}, "client": {"id": by}});
    ResolutionRow {
        by: by.to_owned(),
        answer: json!({"text": "yes"}),
        at: Moment::from_millis(5_000),
        event: event.to_string(),
        audit: Some(json!({"by": by})),
        idempotency_record: None,
    }
}

pub fn task(id: &str, run: &RunId) -> TaskRow {
    TaskRow {
        id: id.to_owned(),
        action_id: String::from("act-1"),
        run: run.clone(),
        root: run.clone(),
        child: None,
        agent: String::from("browser"),
        status: String::from("running"),
        progress: None,
        display: Some(json!({"title": "Build"})),
        result: None,
        error: None,
        created_at: Moment::from_millis(10),
        started_at: None,
        ended_at: None,
    }
}
