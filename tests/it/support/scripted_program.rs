//! A scripted program in place of a conversation, for everything that a run can do without browser and model.
//! An agent is a script of words, one per step; the agent `script` takes them from its input `script`. At the
//! end it succeeds, with its input, `steps`, `heard` and `answers` as variables.

use askfirst::clock::Moment;
use askfirst::config::layers::Flags;
use askfirst::config::{Limits, Settings};
use askfirst::engine::program::ended_child::EndedChild;
use askfirst::engine::program::factory::{Concealment, ProgramFactory};
use askfirst::engine::program::run_start::RunStart;
use askfirst::engine::program::task_state::TaskState;
use askfirst::engine::program::{
    BackgroundResult, ChildCall, ChildRuns, Continuation, Program, ProgramError, QuestionDraft, Replayable,
    RunEnd, RunEnding, StepInput, StepRecord, StepResult,
};
use askfirst::ids::RunId;
use askfirst::plan::{Item, ItemStatus};
use askfirst::protocol::event::{Display, Event};
use askfirst::protocol::server::{Fact, ResolvedBy};
use askfirst::protocol::{QuestionKind, Remember, Status};
use askfirst::store::rows::inbox::InboxRow;
use askfirst::store::rows::usage::Usage;
use askfirst::store::rows::{Intent, RunRow};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};

/// First and last bytes of a JPEG. Nothing decodes the rest.
pub const PICTURE: &[u8] = b"\xff\xd8\xff\xe0 picture \xff\xd9";

/// Agents available in every test.
const AGENTS: &[(&str, &[&str])] = &[
    ("three", &["go", "say:half way", "go"]),
    ("asks", &["go", "ask:confirm", "go"]),
    ("endless", &["go", "hold"]),
    ("script", &[]),
];

/// Makes scripted programs.
///
/// | word | step |
/// |---|---|
/// | `go` | counts one tool step and continues |
/// | `say:…` | sends the text to the person |
/// | `plan` | reports a plan of three items, the first of them done |
/// | `picture` | stores a picture and observes it |
/// | `ask:confirm`, `ask:question`, `ask:manual` | asks; a declined confirmation ends as cancelled |
/// | `brief` | asks a question that expires at once |
/// | `hold` | waits until the test releases it (`Scripted::let_go`); may be paused meanwhile |
/// | `timed` | holds in a run that has almost no time left |
/// | `effect` | stores an intent, sends `now`, holds, stores a receipt; may not be paused meanwhile |
/// | `call:…` | calls that agent and waits for its end |
/// | `begin:…` | calls that agent in the background and handles its end |
/// | `later:…` | like `begin`, but the child starts a moment later |
/// | `drop` | stops its background runs |
/// | `rest` | rests while one of its background runs lives, until it receives a message |
/// | `fail`, `panic` | as named |
/// | `end:…` | ends with that outcome |
pub struct Scripted {
    gate: Arc<Semaphore>,
    ended: watch::Sender<Vec<RunId>>,
}

impl Default for Scripted {
    fn default() -> Self {
        Self { gate: Arc::new(Semaphore::new(0)), ended: watch::Sender::default() }
    }
}

impl Scripted {
    /// Releases one `hold` or `effect`, current or future.
    pub fn release(&self) {
        self.gate.add_permits(1);
    }

    /// Returns the run trees that the engine has reported as completely ended.
    pub fn over(&self) -> Vec<RunId> {
        self.ended.borrow().clone()
    }

    /// Waits until the engine has reported the run tree as completely ended.
    pub async fn ended(&self, root: &str) {
        let root = RunId::from(root);
        self.ended.subscribe().wait_for(|ended| ended.contains(&root)).await.unwrap();
    }
}

impl Concealment for Scripted {}

impl ProgramFactory for Scripted {
    fn begin(&self, agent: &str, input: &Map<String, Value>) -> Result<RunStart, ProgramError> {
        let Some((_, script)) = AGENTS.iter().find(|(name, _)| *name == agent) else {
            return Err(ProgramError::UnknownAgent(agent.to_owned()));
        };
        let mut script: Vec<String> = script.iter().map(|word| (*word).to_owned()).collect();
        if agent == "script" {
            let words = input.get("script").cloned().unwrap_or_default();
            script = serde_json::from_value(words).map_err(|fault| {
                ProgramError::BadInput(format!("`script` must be a list of words: {fault}"))
            })?;
        }
        let title = input.get("text").and_then(Value::as_str).unwrap_or(agent).to_owned();
        let state = State { script, input: input.clone(), ..State::default() };
        Ok(RunStart::without_limits("scripted", state.node(), json!(state), title))
    }

    fn load(&self, _: &RunRow, state: Value) -> Result<Box<dyn Program>, ProgramError> {
        let state = serde_json::from_value(state)?;
        Ok(Box::new(Script { state, gate: Arc::clone(&self.gate) }))
    }

    fn limits(&self, agent: &str) -> Option<Limits> {
        let settings =
            Settings::load(&Flags { data_dir: Some("unused".into()), ..Flags::default() }, []).unwrap();
        AGENTS.iter().any(|(name, _)| *name == agent).then_some(settings.limits)
    }

    fn release_tree(&self, root: &RunId) {
        self.ended.send_modify(|ended| ended.push(root.clone()));
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    script: Vec<String>,
    at: usize,
    steps: u32,
    input: Map<String, Value>,
    received: Vec<String>,
    answers: Vec<Value>,
    recovered: u32,
    /// Child run whose end it has not received yet.
    child: Option<RunId>,
    /// Background runs that have not ended.
    begun: Vec<RunId>,
    /// Background runs that have ended: the word at which it handled the end, and the outcome.
    ends: Vec<(usize, String)>,
}

/// Stored changes of a step.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Changes {
    to: usize,
    step: bool,
    received: Vec<String>,
    answer: Option<Value>,
    recovered: bool,
    called: Option<RunId>,
    begun: Option<RunId>,
    ended: Vec<(RunId, String)>,
}

impl State {
    fn word(&self) -> &str {
        self.script.get(self.at).map_or("end:succeeded", String::as_str)
    }

    fn node(&self) -> &'static str {
        let word = self.word();
        [
            "go", "say", "plan", "picture", "ask", "brief", "hold", "timed", "effect", "call", "begin",
            "later", "drop", "rest", "fail", "panic",
        ]
        .into_iter()
        .find(|node| word.starts_with(node))
        .unwrap_or("end")
    }

    fn vars(&self) -> Map<String, Value> {
        let mut vars = self.input.clone();
        vars.insert("steps".into(), self.steps.into());
        vars.insert("heard".into(), json!(self.received));
        vars.insert("answers".into(), json!(self.answers));
        vars.insert("ends".into(), json!(self.ends));
        vars
    }
}

struct Script {
    state: State,
    gate: Arc<Semaphore>,
}

impl Program for Script {
    fn node(&self) -> &'static str {
        self.state.node()
    }

    fn step(&self, given: StepInput) -> BoxFuture<'static, Result<StepResult, ProgramError>> {
        step(self.state.clone(), Arc::clone(&self.gate), given).boxed()
    }

    fn apply(&mut self, changes: &Value) -> Result<(), ProgramError> {
        let changes: Changes = serde_json::from_value(changes.clone())?;
        self.state.at = changes.to;
        self.state.steps += u32::from(changes.step);
        self.state.received.extend(changes.received);
        self.state.answers.extend(changes.answer);
        self.state.recovered += u32::from(changes.recovered);
        self.state.child = changes.called;
        self.state.begun.extend(changes.begun);
        for (run, outcome) in changes.ended {
            self.state.begun.retain(|begun| *begun != run);
            self.state.ends.push((self.state.at, outcome));
        }
        Ok(())
    }

    fn state(&self) -> Value {
        json!(self.state)
    }

    fn is_resting(&self) -> bool {
        self.state.node() == "rest" && !self.state.begun.is_empty()
    }

    fn is_repeatable(&self) -> bool {
        self.state.node() != "effect"
    }

    fn time_left(&self) -> Option<Duration> {
        (self.state.node() == "timed").then_some(Duration::from_millis(20))
    }

    /// Skips an effect that may have happened, and never repeats it.
    fn recover(&self, effect: Option<&Intent>) -> Value {
        let to = self.state.at + usize::from(effect.is_some());
        json!(Changes { to, recovered: true, ..Changes::default() })
    }

    fn reopen(&self) -> Option<Value> {
        Some(json!(Changes { to: 0, ..Changes::default() }))
    }
}

impl ChildRuns for Script {
    fn awaited_children(&self) -> Vec<RunId> {
        self.state.child.iter().cloned().collect()
    }

    fn unfinished_children(&self) -> Vec<RunId> {
        self.state.child.iter().chain(&self.state.begun).cloned().collect()
    }

    fn background_children(&self) -> Vec<RunId> {
        self.state.begun.clone()
    }

    fn handle_background(&self, ended: &[EndedChild], _: &[InboxRow]) -> Option<BackgroundResult> {
        let ended: Vec<_> =
            ended.iter().map(|child| (child.run.clone(), child.outcome.word().to_owned())).collect();
        let outcome_events = ended.iter().flat_map(|(run, outcome)| {
            [build_message(&format!("one ended as {outcome}")), task_ended_event(run, outcome)]
        });
        let outcome_events = outcome_events.collect();
        let changes = Changes { to: self.state.at, ended, ..Changes::default() };
        (!changes.ended.is_empty()).then(|| BackgroundResult {
            changes: json!(changes),
            record: StepRecord { facts: outcome_events, ..StepRecord::default() },
        })
    }
}

impl RunEnding for Script {
    fn interrupted_response(&self, outcome: Status) -> String {
        format!("ended as {}", outcome.word())
    }
}

impl Replayable for Script {}

async fn step(state: State, gate: Arc<Semaphore>, given: StepInput) -> Result<StepResult, ProgramError> {
    let node = state.node();
    let received: Vec<String> = given.inbox.iter().map(|message| message.item.text()).collect();
    let mut record = StepRecord {
        facts: vec![Fact::Event(Event::Node { node: node.to_owned() })],
        read_inbox: given.inbox.last().map(|message| message.n),
        ..StepRecord::default()
    };
    record.facts.extend(received.iter().map(|text| person_message(text)));
    let mut changes = Changes { to: state.at + 1, received, ..Changes::default() };
    let mut next = Continuation::Go;
    match state.word().split_once(':').unwrap_or((state.word(), "")) {
        ("go", _) => {
            changes.step = true;
            record.report.tool_steps = Some(state.steps + 1);
            record.report.usage =
                Some(Usage { calls: 1, unpriced: 0, input: 10, cached: 4, output: 2, cost: 0.5 });
        }
        ("say", text) => record.facts.push(build_message(text)),
        ("plan", _) => {
            let items = planned();
            record.report.plan = Some(json!({"items": items}));
            record.facts.push(Fact::Event(Event::Plan { items }));
        }
        ("picture", _) => record.facts.push(seen(given.journal.store_picture(PICTURE.to_vec()).await?)),
        ("hold" | "timed", _) => wait_release(&gate).await,
        ("effect", _) => {
            let intent = Intent { action_id: format!("a{}", state.at), action: json!({"action": "click"}) };
            given.journal.store_intent(intent, vec![build_message("now")]).await?;
            wait_release(&gate).await;
            record.receipt = Some(json!({"ok": true}));
        }
        ("begin" | "later", agent) => {
            let run = RunId::fresh();
            changes.begun = Some(run.clone());
            record.tasks = vec![begun(&run, agent)];
            let after = (node == "later").then_some(Duration::from_millis(300));
            let (agent, input) = (agent.to_owned(), Map::new());
            record.calls = vec![ChildCall { run, agent, input, timeout: None, after }];
        }
        ("drop", _) => record.cancel = state.begun.clone(),
        ("rest", _) if state.begun.is_empty() || !changes.received.is_empty() => {}
        ("rest", _) => {
            changes.to = state.at;
            next = Continuation::Rest;
        }
        ("call", agent) if given.ended.is_empty() => {
            let run = RunId::fresh();
            (changes.to, changes.called) = (state.at, Some(run.clone()));
            next = Continuation::Await;
            let (agent, input) = (agent.to_owned(), Map::new());
            record.calls = vec![ChildCall { run, agent, input, timeout: None, after: None }];
        }
        ("call", _) => {}
        ("fail", _) => return Err(ProgramError::Failed(String::from("this step always fails"))),
        ("panic", _) => panic!("this step always panics"),
        ("end", word) => {
            let outcome = Status::from_word(word).unwrap_or(Status::Failed);
            next = Continuation::End(RunEnd {
                outcome,
                response: Some(format!("**{word}**")),
                vars: state.vars(),
            });
        }
        ("ask" | "brief", kind) => match given.answer {
            None => {
                changes.to = state.at;
                next = Continuation::Ask(question(kind, state.at));
            }
            Some(resolved) => {
                changes.answer = Some(json!(resolved.answer));
                if resolved.by == ResolvedBy::Expired || resolved.answer.confirmed == Some(false) {
                    let outcome = Status::Cancelled;
                    next = Continuation::End(RunEnd {
                        outcome,
                        response: Some(String::from("declined")),
                        vars: Map::new(),
                    });
                }
            }
        },
        (word, _) => return Err(ProgramError::Failed(format!("there is no step \"{word}\""))),
    }
    Ok(StepResult { node, outcome: "done", changes: json!(changes), next, record })
}

/// Creates the task event of an ended background run.
fn task_ended_event(run: &RunId, outcome: &str) -> Fact {
    Fact::Event(Event::Task {
        task_id: run.to_string(),
        action_id: String::from("a1"),
        status: Status::from_word(outcome).unwrap_or(Status::Failed),
        progress: None,
        display: None,
        result: None,
        agent: String::from("one"),
        child_run_id: Some(run.clone()),
        started_at: None,
    })
}

/// Creates the task of a background run.
fn begun(child: &RunId, agent: &str) -> TaskState {
    TaskState {
        id: format!("task-{child}"),
        action_id: String::from("a1"),
        child: Some(child.clone()),
        agent: agent.to_owned(),
        status: Status::Running,
        progress: Some(0.0),
        display: Some(Display {
            r#type: String::from("progress_bar"),
            label: agent.to_owned(),
            estimated_duration_seconds: Some(9.0),
        }),
        result: None,
        error: None,
        created_at: Moment::now(),
        started_at: Some(Moment::now()),
        ended_at: None,
    }
}

async fn wait_release(gate: &Semaphore) {
    gate.acquire().await.expect("the gate is never closed").forget();
}

fn build_message(text: &str) -> Fact {
    Fact::AgentMessage { text: text.to_owned(), html: format!("<p>{text}</p>"), r#final: false }
}

fn planned() -> Vec<Item> {
    let item = |position: u32, description: &str, status| Item {
        position,
        description: description.to_owned(),
        acceptance_criteria: format!("{description}: it is seen"),
        dependencies: (1..position).collect(),
        status,
        max_attempts: 3,
        ..Item::default()
    };
    vec![
        item(1, "open the shop", ItemStatus::Succeeded),
        item(2, "choose a lamp", ItemStatus::Running),
        item(3, "order it", ItemStatus::Queued),
    ]
}

fn person_message(text: &str) -> Fact {
    Fact::Event(Event::UserMessage { text: text.to_owned() })
}

fn seen(picture: String) -> Fact {
    Fact::Event(Event::Observation {
        look: 1,
        url: String::from("http://shop.test/cart"),
        title: String::from("Cart"),
        tab: String::from("1/1"),
        chars: 7,
        picture: Some(picture),
    })
}

fn question(kind: &str, at: usize) -> QuestionDraft {
    let confirm = json!({
        "action": {"action_id": format!("a{at}"), "action": "click", "params": {"eid": 12}},
        "effect": "places the order", "risk": "high", "rule": "submit",
        "values": {"card": "••••"}, "screenshot": "/api/runs/x/pictures/1", "fingerprint": "f",
    });
    let (kind, payload, expires_at) = match kind {
        "question" => (QuestionKind::Question, json!({"question": "which?", "answer_key": "which"}), None),
        "manual" => (QuestionKind::Manual, json!({"text": "log in"}), None),
        "" => (QuestionKind::Confirm, confirm, Some(Moment::now())),
        _ => (QuestionKind::Confirm, confirm, None),
    };
    QuestionDraft {
        kind,
        reason: String::from("it was told to ask"),
        text: String::from("May I?"),
        payload,
        remember: vec![Remember::Once, Remember::Run],
        expires_at,
        on_expire: Status::Cancelled,
    }
}
