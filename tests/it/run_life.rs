//! Life of a run where only a race would show a fault: commands that come at the wrong moment.

use crate::support::service::TestService;
use actix::prelude::*;
use askfirst::engine::questions::{QuestionEnd, resolve_question};
use askfirst::engine::registry::CountAtWork;
use askfirst::engine::run::messages::{ChildSignals, NumberedSignal, RunLeft, RunSignal};
use askfirst::engine::run::state::Run;
use askfirst::ids::{QuestionId, RunId};
use askfirst::protocol::Status;
use askfirst::protocol::client::Answer;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

const STEPS: &str = "askfirst_steps_total";

/// Stands where the registry would.
struct Ear(UnboundedSender<RunLeft>);

impl Actor for Ear {
    type Context = Context<Self>;
}

impl Handler<RunLeft> for Ear {
    type Result = ();

    fn handle(&mut self, left: RunLeft, _: &mut Self::Context) {
        let _ = self.0.send(left);
    }
}

impl Handler<ChildSignals> for Ear {
    type Result = ();

    fn handle(&mut self, _: ChildSignals, _: &mut Self::Context) {}
}

async fn standing(app: &TestService, run: &str) -> Value {
    app.get(&format!("/api/runs/{run}")).await.1["status"].clone()
}

// A pause that is heard while the question is being stored reaches the actor that comes after.
#[actix_web::test]
async fn a_pause_received_while_asking_holds_the_run_and_keeps_its_answer() {
    let app = TestService::start();
    let run = app.begin(json!({"agent": "asks"})).await;
    app.until(&run, "waiting").await;
    let (left, mut departures) = unbounded_channel();
    let pause = vec![NumberedSignal { n: 1, signal: RunSignal::Pause }];
    let ear = Ear(left).start();
    Run::new(RunId::from(run.as_str()), Arc::clone(&app.engine), &ear, pause).start();
    assert_eq!(departures.recv().await.unwrap().covered_up_to, 1);
    assert_eq!(standing(&app, &run).await, "paused");
    let (_, questions) = app.get("/api/questions").await;
    let reference = questions["items"][0]["reference"].as_str().unwrap().to_owned();
    // Resumed without an answer it waits again; with one it takes it.
    assert_eq!(app.post(&format!("/api/runs/{run}/resume"), Value::Null).await.0, 200);
    app.until(&run, "waiting").await;
    let (left, mut departures) = unbounded_channel();
    let pause = vec![NumberedSignal { n: 1, signal: RunSignal::Pause }];
    let ear = Ear(left).start();
    Run::new(RunId::from(run.as_str()), Arc::clone(&app.engine), &ear, pause).start();
    departures.recv().await.unwrap();
    let (status, _) = app.post(&format!("/api/questions/{reference}"), json!({"confirmed": true})).await;
    assert_eq!(status, 200);
    assert_eq!(standing(&app, &run).await, "paused");
    assert_eq!(app.post(&format!("/api/runs/{run}/resume"), Value::Null).await.0, 200);
    app.until(&run, "succeeded").await;
    let (_, whole) = app.get(&format!("/api/runs/{run}")).await;
    assert_eq!(whole["vars"]["answers"][0]["confirmed"], true);
    app.finish().await;
}

// Messages sent before the end must not reopen the run.
#[actix_web::test]
async fn a_stop_with_unread_messages_stays_stopped() {
    let app = TestService::start();
    let run = app.begin(json!({"agent": "endless"})).await;
    app.until(&run, "running").await;
    for text in ["and this", "and that"] {
        assert_eq!(app.post(&format!("/api/runs/{run}/messages"), json!({"text": text})).await.0, 202);
    }
    let (status, answer) = app.post(&format!("/api/runs/{run}/stop"), Value::Null).await;
    assert_eq!((status, &answer["status"]), (200, &json!("cancelled")));
    app.programs.ended(&run).await;
    // Woken again, it finds nothing to do.
    let (left, mut departures) = unbounded_channel();
    let wake = vec![NumberedSignal { n: 1, signal: RunSignal::Wake }];
    Run::new(RunId::from(run.as_str()), Arc::clone(&app.engine), &Ear(left).start(), wake).start();
    let left = departures.recv().await.unwrap();
    assert!(!left.must_restart);
    assert_eq!(standing(&app, &run).await, "cancelled");
    let (_, events) = app.get(&format!("/api/runs/{run}/events")).await;
    let last = events["items"].as_array().unwrap().last().unwrap();
    assert_eq!(last["type"], "run_ended");
    app.finish().await;
}

// C5, `limits.wall_s`: a step that is slower than what the run has left is cut.
#[actix_web::test]
async fn a_slow_step_is_cut_when_the_time_of_the_run_is_up() {
    let app = TestService::start();
    let run = app.begin(json!({"agent": "script", "input": {"script": ["timed", "go"]}})).await;
    app.until(&run, "exhausted").await;
    assert_eq!(standing(&app, &run).await, "exhausted");
    app.finish().await;
}

// C5: what a run may use stands in it.
#[actix_web::test]
async fn a_run_reports_its_limits() {
    let app = TestService::start();
    let run = app.begin(json!({"agent": "asks"})).await;
    app.until(&run, "waiting").await;
    let (_, welcome) = app.socket(&run).await;
    let (_, whole) = app.get(&format!("/api/runs/{run}")).await;
    for run in [&welcome["run"], &whole] {
        assert_eq!(
            (&run["limits"]["tool_steps"], &run["limits"]["total_steps"]),
            (&json!(30), &json!(10_000))
        );
    }
    app.finish().await;
}

// S1.19: what was accepted does not disappear, and does not open what was stopped.
#[actix_web::test]
async fn an_unread_message_is_reported_before_the_end() {
    let app = TestService::start();
    let run = app.begin(json!({"agent": "asks"})).await;
    app.until(&run, "waiting").await;
    assert_eq!(app.post(&format!("/api/runs/{run}/messages"), json!({"text": "and gloves"})).await.0, 202);
    assert_eq!(app.post(&format!("/api/runs/{run}/stop"), Value::Null).await.0, 200);
    app.programs.ended(&run).await;
    let (_, events) = app.get(&format!("/api/runs/{run}/events")).await;
    let events = events["items"].as_array().unwrap();
    let position_of = |wanted: &dyn Fn(&Value) -> bool| events.iter().position(wanted).unwrap();
    let reported =
        position_of(&|event| event["event"] == "user_message" && event["data"]["text"] == "and gloves");
    assert!(reported < position_of(&|event| event["type"] == "run_ended"));
    assert_eq!(standing(&app, &run).await, "cancelled");
    // A question that a stop resolved is counted, too.
    let metrics = app.request(Method::GET, "/metrics").send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains("askfirst_questions_total{kind=\"confirm\",outcome=\"stopped\"}"), "{metrics}");
    app.finish().await;
}

/// Lets an actor of this run begin with one order, outside of the registry, and gives what it says when
/// it leaves.
async fn run_with_signal(app: &TestService, run: &str, order: RunSignal) -> RunLeft {
    let (left, mut departures) = unbounded_channel();
    let ear = Ear(left).start();
    Run::new(RunId::from(run), Arc::clone(&app.engine), &ear, vec![NumberedSignal { n: 1, signal: order }])
        .start();
    departures.recv().await.unwrap()
}

// A pause holds the whole tree. A child under creation is neither in the store nor with its caller, so the paused
// caller passes the pause on.
#[actix_web::test]
async fn children_that_were_called_just_then_are_paused_and_resumed_with_their_caller() {
    let app = TestService::start();
    let script = json!(["ask:question", "call:endless"]);
    let run = app.begin(json!({"agent": "script", "input": {"script": script}})).await;
    app.until(&run, "waiting").await;
    let (_, questions) = app.get("/api/questions").await;
    let reference = QuestionId::from(questions["items"][0]["reference"].as_str().unwrap());
    let question = app.store.question(reference).await.unwrap().unwrap();
    let answered = QuestionEnd::answered(Answer::default(), None, None);
    resolve_question(&*app.store, &question, answered).await.unwrap();
    let calls = run_with_signal(&app, &run, RunSignal::Wake).await;
    assert_eq!((calls.status, calls.begun_children.len(), &calls.forwarded), (Status::Running, 1, &None));
    let child = calls.begun_children[0].to_string();
    app.registry.send(calls).await.unwrap();
    app.until(&child, "running").await;
    // The pause was for the caller alone, as far as whoever ordered it could know.
    let paused = run_with_signal(&app, &run, RunSignal::Pause).await;
    assert_eq!((paused.status, &paused.forwarded), (Status::Paused, &Some(RunSignal::Pause)));
    assert_eq!(paused.unfinished_children, Some(vec![RunId::from(child.as_str())]));
    app.registry.send(paused).await.unwrap();
    app.until(&child, "paused").await;
    let resumed = run_with_signal(&app, &run, RunSignal::Resume).await;
    assert_eq!((resumed.status, &resumed.forwarded), (Status::Running, &Some(RunSignal::Resume)));
    app.registry.send(resumed).await.unwrap();
    app.programs.release();
    app.until(&run, "succeeded").await;
    assert_eq!(standing(&app, &child).await, "succeeded");
    app.finish().await;
}

// C5: a run whose state cannot be read ends with words when its time is up, and is not woken for ever.
#[actix_web::test]
async fn a_run_that_cannot_be_read_ends_as_failed_when_its_time_is_up() {
    let app = TestService::start();
    let run = app.begin(json!({"agent": "asks"})).await;
    app.until(&run, "waiting").await;
    let database = rusqlite::Connection::open(app.folder.path().join("askfirst.db")).unwrap();
    database.execute("update state_snapshots set state = '{' where run_id = ?", [&run]).unwrap();
    database.execute("update runs set deadline = 1 where id = ?", [&run]).unwrap();
    app.until(&run, "failed").await;
    let (_, whole) = app.get(&format!("/api/runs/{run}")).await;
    let words = whole["final_response"].as_str().unwrap();
    assert!(words.contains("cannot be read"), "{whole}");
    assert_eq!(app.store.overdue_runs(askfirst::clock::Moment::now()).await.unwrap(), Vec::<RunId>::new());
    app.finish().await;
}

// A run whose row cannot be read can be given no end, so that it is left alone.
#[actix_web::test]
async fn a_run_whose_row_cannot_be_read_is_left_alone() {
    let app = TestService::start();
    let run = app.begin(json!({"agent": "asks"})).await;
    app.until(&run, "waiting").await;
    let database = rusqlite::Connection::open(app.folder.path().join("askfirst.db")).unwrap();
    database.execute("update runs set depth = 'deep', deadline = 1 where id = ?", [&run]).unwrap();
    let left = run_with_signal(&app, &run, RunSignal::TimeUp).await;
    assert!(left.unreadable && !left.must_restart);
    database.execute("update runs set depth = 0 where id = ?", [&run]).unwrap();
    app.registry.send(left).await.unwrap();
    // The next look at the clock is for others: another run that is late ends, this one stands.
    let other = app.begin(json!({"agent": "asks"})).await;
    app.until(&other, "waiting").await;
    database.execute("update runs set deadline = 1 where id = ?", [&other]).unwrap();
    app.until(&other, "exhausted").await;
    assert_eq!(standing(&app, &run).await, "waiting");
    app.finish().await;
}

// S3.24, S3.30, S3.31: a step that the store does not take is taken again; it counts once, when it is stored.
#[actix_web::test]
async fn a_step_counts_when_it_is_stored() {
    let app = TestService::start();
    let database = rusqlite::Connection::open(app.folder.path().join("askfirst.db")).unwrap();
    let refuses = "create trigger refuses before insert on steps begin select raise(abort, 'no'); end";
    database.execute_batch(refuses).unwrap();
    let run = app.begin(json!({"agent": "script", "input": {"script": ["go", "go"]}})).await;
    while app.registry.send(CountAtWork).await.unwrap() > 0 {
        tokio::task::yield_now().await;
    }
    // Other tests of this process count their steps, too.
    let counted = |node: &str| {
        let text = askfirst::metrics::text(Vec::new());
        let start = format!("{STEPS}{{node=\"{node}\"}} ");
        text.lines().find_map(|line| line.strip_prefix(&start)?.parse::<usize>().ok()).unwrap_or_default()
    };
    assert_eq!(app.store.steps(RunId::from(run.as_str())).await.unwrap().len(), 0);
    let before = counted("go");
    database.execute_batch("drop trigger refuses").unwrap();
    run_with_signal(&app, &run, RunSignal::Wake).await;
    let steps = app.store.steps(RunId::from(run.as_str())).await.unwrap();
    // The recovery after a restart is no step of the graph.
    let steps: Vec<_> = steps.into_iter().filter(|step| step.outcome != "recover").collect();
    let taken = steps.iter().filter(|step| step.node == "go").count();
    let nodes: Vec<&str> = steps.iter().map(|step| step.node.as_str()).collect();
    assert!(taken > 0 && counted("go") >= before + taken, "{nodes:?}, {} counted", counted("go"));
    app.finish().await;
}
