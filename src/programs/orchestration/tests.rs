//! The program around the state machine: observers are notified in order, a panic ends the run with its
//! results, and each ended agent is logged.

use super::*;
use crate::engine::program::journal::Journal;
use crate::metrics;
use crate::model::Planner;
use crate::model::role_requests::OfferedAgent;
use crate::programs::orchestration::dependencies::{AgentOffers, PlanningDeps};
use crate::programs::orchestration::graph::OrchestrationEvent;
use crate::programs::orchestration::observers::{LogObserver, Observer};
use crate::programs::orchestration::plan::check::AgentLookupResult;
use crate::programs::orchestration::plan::{OrchestrationPlan, parse};
use crate::programs::orchestration::state::{
    AgentResult, AgentStatus, BegunStep, OrchestrateInput, StepFault, StepStatus,
};
use crate::programs::orchestration::step_run::FinishedAgent;
use crate::protocol::Locale;
use crate::store::Store;
use crate::store::sqlite::connection::store::SqliteStore;
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::thread::ThreadId;

/// Offers no agents, and panics when asked for a planner.
struct Nobody;

impl AgentOffers for Nobody {
    fn look_up_agent(&self, _: &str) -> AgentLookupResult {
        AgentLookupResult::Missing
    }

    fn await_offers(&self, _: &BTreeSet<String>) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    fn list_offered(&self) -> Vec<OfferedAgent> {
        Vec::new()
    }

    fn may_plan(&self, _: &str) -> Result<(), String> {
        panic!("as the test wants it")
    }
}

/// Observer that records its notifications.
#[derive(Default)]
struct RecordingObserver(Mutex<Vec<String>>);

impl RecordingObserver {
    fn down(&self, line: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }
}

impl Observer for RecordingObserver {
    fn before_event(&self, _: &RunId, node: OrchestrationNode, event: OrchestrationEvent) {
        self.down(format!("before {} at {}", event.word(), node.word()));
    }

    fn enter_state(&self, _: &RunId, node: OrchestrationNode) {
        self.down(format!("enter {}", node.word()));
    }

    fn after_event(&self, _: &RunId, event: OrchestrationEvent, node: OrchestrationNode) {
        self.down(format!("after {} at {}", event.word(), node.word()));
    }

    fn record_finished(&self, _: &RunId, step: &FinishedAgent) {
        self.down(format!("finished {}", step.step_id));
    }
}

fn store(folder: &std::path::Path) -> Arc<dyn Store> {
    Arc::new(SqliteStore::open(folder, Box::new(|_| {})).expect("a store"))
}

fn deps(store: Arc<dyn Store>, observer: Arc<dyn Observer>) -> Deps {
    Deps {
        planning: PlanningDeps {
            offers: Arc::new(Nobody),
            planner: Planner::Commands,
            agent: Some(String::from("planner")),
            model: None,
            steps: 12,
        },
        store,
        width: 4,
        observers: vec![observer, Arc::new(LogObserver)],
    }
}

fn step_input(store: &Arc<dyn Store>) -> StepInput {
    let run = RunId::fresh();
    StepInput {
        root: run.clone(),
        inbox: Vec::new(),
        answer: None,
        ended: Vec::new(),
        journal: Journal::new(Arc::clone(store), run.clone(), run.clone(), 0),
        run,
    }
}

// Plan, planner, executor, states and observers are separate modules, connected by `Deps` (S3.23, S3.24,
// S3.41).
#[actix::test]
async fn observers_get_each_event_and_a_breakdown_ends_the_plan_with_its_results() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, written) = (store(folder.path()), Arc::new(RecordingObserver::default()));
    let watching: Arc<dyn Observer> = written.clone();
    let order = OrchestrateInput { prompt: Some(String::from("do it")), ..OrchestrateInput::default() };
    let state = json!(OrchestrationState::begin(Locale::En, order));
    let mut program =
        Orchestration::load(state, Arc::new(deps(Arc::clone(&store), watching))).expect("a program");
    let begun = program.step(step_input(&store)).await.expect("a visit");
    assert_eq!((begun.node, begun.outcome), ("plan_init", "start_plan"));
    program.apply(&begun.changes).expect("changes");
    // A step that is not stored is taken again, and observers are not notified.
    program.step(step_input(&store)).await.expect("a visit");
    assert!(written.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty());
    begun.record.after_commit.run();
    let broke = program.step(step_input(&store)).await.expect("a visit");
    broke.record.after_commit.run();
    assert_eq!((broke.node, broke.outcome), ("planner_active", "panic"));
    let Continuation::End(end) = broke.next else { panic!("it ends") };
    assert_eq!((end.outcome, &end.vars["success"]), (Status::Failed, &json!(false)));
    assert_eq!(end.vars["errors"][0]["code"], "panic");
    let lines = written.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let expected = [
        "before start_plan at plan_init",
        "enter planner_active",
        "after start_plan at planner_active",
        "before panic at planner_active",
        "enter failed",
        "after panic at failed",
    ];
    assert_eq!(lines, expected);
    let counted = metrics::text(Vec::new());
    for labels in [r#"{event="start_plan",state="planner_active"}"#, r#"{event="panic",state="failed"}"#] {
        assert!(counted.contains(&format!("askfirst_orchestration_transitions_total{labels}")), "{counted}");
    }
}

/// Records the threads of its calls.
#[derive(Default)]
struct ThreadRecorder(Mutex<Vec<(&'static str, ThreadId)>>);

impl ThreadRecorder {
    fn is_asked(&self, what: &'static str) {
        let at = (what, std::thread::current().id());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(at);
    }
}

impl AgentOffers for ThreadRecorder {
    fn look_up_agent(&self, _: &str) -> AgentLookupResult {
        self.is_asked("known");
        AgentLookupResult::Missing
    }

    fn await_offers(&self, _: &BTreeSet<String>) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    fn list_offered(&self) -> Vec<OfferedAgent> {
        self.is_asked("offered");
        Vec::new()
    }

    fn may_plan(&self, _: &str) -> Result<(), String> {
        self.is_asked("may_plan");
        Ok(())
    }
}

// Agent files are read where no run waits for the disk.
#[actix::test]
async fn agent_files_are_read_on_another_thread() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, aside) = (store(folder.path()), Arc::new(ThreadRecorder::default()));
    let offers: Arc<dyn AgentOffers> = aside.clone();
    let mut deps = deps(Arc::clone(&store), Arc::new(RecordingObserver::default()));
    deps.planning.offers = offers;
    let deps = Arc::new(deps);
    let prompt = OrchestrateInput { prompt: Some(String::from("do it")), ..OrchestrateInput::default() };
    let plan = json!({"steps": [{"agent_id": "x"}]});
    for order in [prompt, OrchestrateInput { plan: Some(plan), ..OrchestrateInput::default() }] {
        let state = OrchestrationState {
            node: OrchestrationNode::PlannerActive,
            ..OrchestrationState::begin(Locale::En, order)
        };
        let program = Orchestration::load(json!(state), Arc::clone(&deps)).expect("a program");
        program.step(step_input(&store)).await.expect("a visit");
    }
    let calls = aside.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let here = std::thread::current().id();
    assert_eq!(calls.iter().map(|(what, _)| *what).collect::<Vec<_>>(), ["offered", "may_plan", "known"]);
    assert!(calls.iter().all(|(_, thread)| *thread != here), "{calls:?}");
}

/// A plan of consecutive steps of agent `x` with these ids, the first of them in these states.
fn build_state(ids: &[&str], slots: Vec<AgentStatus>) -> OrchestrationState {
    let steps: Vec<Value> = ids.iter().map(|id| json!({"id": id, "agent_id": "x"})).collect();
    let steps = parse::steps(&json!({ "steps": steps })).expect("a plan");
    let begun = slots.into_iter().map(|status| {
        let slot = AgentState { status, ..AgentState::default() };
        let status = slot.result().map(|over| over.status);
        BegunStep { slots: vec![slot], status, ..BegunStep::default() }
    });
    OrchestrationState {
        node: OrchestrationNode::AwaitingResults,
        plan: Some(OrchestrationPlan { steps, agents: Default::default() }),
        steps: begun.collect(),
        ..OrchestrationState::begin(Locale::En, OrchestrateInput::default())
    }
}

// The output schema declares `exec_id` as a string, so it must be absent rather than null (S3.8, S3.9).
#[test]
fn a_step_that_never_began_has_no_exec_id() {
    let error = Some(StepFault {
        code: String::from("template"),
        message: String::from("no"),
        message_for_people: None,
    });
    let over = AgentResult { status: StepStatus::Failed, run: None, outputs: Map::new(), error };
    let outputs = outputs::outputs(&build_state(&["a", "b"], vec![AgentStatus::Over(Box::new(over))]));
    assert_eq!(outputs["steps"][0]["status"], "failed");
    assert_eq!(outputs["errors"][0], json!({"step_id": "a", "code": "template", "message": "no"}));
    for step in outputs["steps"].as_array().expect("steps") {
        assert_eq!(step.get("exec_id"), None, "{step}");
    }
}

// A run ended from outside keeps its results, at every node (S3.9, S3.28).
#[actix::test]
async fn an_orchestration_ended_from_outside_returns_its_results() {
    let folder = tempfile::tempdir().expect("a folder");
    let deps = Arc::new(deps(store(folder.path()), Arc::new(RecordingObserver::default())));
    let left = |state: &OrchestrationState| {
        let program = Orchestration::load(json!(state), Arc::clone(&deps)).expect("a program");
        Value::Object(program.partial_outputs())
    };
    let stopped = json!({"code": "stopped", "message": "it was stopped"});
    let nothing = json!({"success": false, "steps": [], "bindings": {"result": {}}, "errors": [stopped]});
    assert_eq!(left(&OrchestrationState::begin(Locale::En, OrchestrateInput::default())), nothing);
    let outputs = Map::from_iter([(String::from("said"), json!("hello"))]);
    let over =
        AgentResult { status: StepStatus::Success, run: Some(RunId::from("r1")), outputs, error: None };
    let slots = vec![AgentStatus::Over(Box::new(over)), AgentStatus::Running { run: RunId::from("r2") }];
    let vars = left(&build_state(&["a", "b", "c"], slots));
    let of = |member: &str| -> Vec<Value> {
        vars["steps"].as_array().expect("steps").iter().map(|step| step[member].clone()).collect()
    };
    assert_eq!((&vars["success"], vars["steps"][0].get("error")), (&json!(false), None));
    assert_eq!(of("status"), ["success", "failed", "skipped"]);
    assert_eq!(
        of("error")[1..],
        [stopped, json!({"code": "stopped", "message": "it was stopped before it began"})]
    );
    assert_eq!(vars["bindings"], json!({"result": {"a": {"said": "hello"}}}));
    let error = json!({"step_id": "b", "exec_id": "r2", "code": "stopped", "message": "it was stopped"});
    assert_eq!(vars["errors"], json!([error]));
}

// An impossible event is refused (S3.12).
#[actix::test]
async fn an_event_that_cannot_happen_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let deps = deps(store(folder.path()), Arc::new(RecordingObserver::default()));
    let state = OrchestrationState::begin(Locale::En, OrchestrateInput::default());
    let taken = OrchestrationStepOutput::new(OrchestrationEvent::PlanCompleted, Vec::new());
    let refused = apply_transition(state, &deps.observers, &RunId::fresh(), taken).expect_err("a refusal");
    assert_eq!(refused.to_string(), "plan_completed cannot happen at plan_init");
}

/// Log output as text.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn logged(step: &FinishedAgent) -> Value {
    let lines = Lines::default();
    let writer = lines.clone();
    let log = tracing_subscriber::fmt().json().with_writer(move || writer.clone()).finish();
    tracing::subscriber::with_default(log, || LogObserver.record_finished(&RunId::from("r0"), step));
    let text = String::from_utf8(lines.0.lock().unwrap_or_else(PoisonError::into_inner).clone());
    let line: Value = serde_json::from_str(text.expect("text").trim()).expect("a line");
    line["fields"].clone()
}

// The log line of a step has all keys (S3.31).
#[test]
fn each_agent_that_ends_is_a_line_of_the_log_with_all_keys() {
    let mut step = FinishedAgent {
        step_id: String::from("a"),
        agent_id: String::from("echo"),
        action_id: Some(String::from("greet")),
        exec_id: Some(RunId::from("r1")),
        latency_ms: 7,
        status: "success",
    };
    let wanted = json!({
        "message": "step of an orchestration", "tool": "agent_orchestrate", "run_id": "r0", "step_id": "a",
        "agent_id": "echo", "action_id": "greet", "exec_id": "r1", "latency_ms": 7, "status": "success",
    });
    assert_eq!(logged(&step), wanted);
    // A step without an action goes by its own id; one that never began has no run.
    (step.action_id, step.exec_id) = (None, None);
    let fields = logged(&step);
    assert_eq!((&fields["action_id"], fields.get("exec_id")), (&json!("a"), None));
}
