//! The program of `python`, `shell`, `llm` and MCP tool agents: a single call, assessed by the gate first.
//! The state graph is in `graph`, the calls are in `code` and `answer`; this file drives one visit.

mod action;
mod answer;
mod assess;
mod building;
mod code;
pub mod graph;
pub mod state;
mod summary;
mod words;

use crate::build::Builds;
use crate::clock::Stopwatch;
use crate::files::FileStore;
use crate::gate::shell::Gate;
use crate::ids::RunId;
use crate::mcp::Servers;
use crate::metrics;
use crate::model::Planner;
use crate::model::writer::Writer;
use crate::program::cause::FailureCause;
use crate::program::spending;
use crate::program::words::{given, limit_text, outcome_text};
use crate::program::{
    Continuation, Program, ProgramError, QuestionDraft, RunEnd, StepInput, StepRecord, StepResult,
};
use crate::protocol::server::{Event, Fact};
use crate::protocol::{Locale, Status};
use crate::sandbox::Sandbox;
use crate::spec::AgentSpec;
use crate::spec::executor::Executor;
use crate::store::Store;
use crate::store::rows::{Intent, UsedUpLimit};
use crate::vault::{Replacement, Vault};
use futures_util::future::BoxFuture;
use graph::{Edge, Node, NodeOutcome, execute, finalize};
use serde_json::{Map, Value, json};
use state::{Changes, SingleChange, State};
use std::sync::Arc;

/// Dependencies of a single-call run.
pub struct Deps {
    pub spec: Arc<AgentSpec>,
    /// Planner that summarizes conversations. Set only for the internal summary agent.
    pub summarizer: Option<Planner>,
    pub gate: Arc<Gate>,
    pub sandbox: Sandbox,
    pub builds: Builds,
    pub servers: Servers,
    /// `None` if no model is configured.
    pub writer: Option<Arc<Writer>>,
    /// Model of the run, or `None` for the writer's default.
    pub model: Option<String>,
    pub store: Arc<dyn Store>,
    pub files: FileStore,
    /// Secrets of the run tree.
    pub vault: Arc<Vault>,
    pub confirm_timeout_s: u64,
}

pub struct SingleCall {
    state: State,
    deps: Arc<Deps>,
}

/// Context of one visit.
struct Cx {
    state: State,
    deps: Arc<Deps>,
    given: StepInput,
    changes: Vec<SingleChange>,
    record: StepRecord,
    ask: Option<QuestionDraft>,
}

impl SingleCall {
    /// Name of this program in stored runs.
    pub const NAME: &'static str = "single";

    /// Returns the initial state of a run of this agent. `context` holds inputs and locals.
    pub fn begin(spec: &AgentSpec, locale: Locale, context: Map<String, Value>) -> State {
        // A model's answer has no side effects; its cost is bounded by limits.
        let node = match spec.section() {
            Some(Executor::Llm(_)) => Node::Execute,
            Some(Executor::Python(_) | Executor::Shell(_) | Executor::Tool(_) | Executor::Browser(_))
            | None => Node::PolicyGate,
        };
        State::begin(locale, node, context)
    }

    /// Reports whether a call of this agent has no side effects and may be repeated (C11).
    pub fn is_pure(spec: &AgentSpec, isolated: bool) -> bool {
        assess::is_pure(spec, isolated)
    }

    pub fn load(state: Value, deps: Arc<Deps>) -> Result<Self, ProgramError> {
        let state =
            serde_json::from_value(state).map_err(|fault| ProgramError::Changes(fault.to_string()))?;
        Ok(Self { state, deps })
    }
}

impl Program for SingleCall {
    fn node(&self) -> &'static str {
        self.state.node.name()
    }

    fn step(&self, given: StepInput) -> BoxFuture<'static, Result<StepResult, ProgramError>> {
        let node = self.state.node;
        let facts = vec![Fact::Event(Event::Node { node: node.name().to_owned() })];
        let mut cx = Cx {
            state: self.state.clone(),
            deps: Arc::clone(&self.deps),
            given,
            changes: Vec::new(),
            record: StepRecord { facts, ..StepRecord::default() },
            ask: None,
        };
        Box::pin(async move {
            let watch = Stopwatch::start();
            let done = visit(node, &mut cx).await?;
            if let Some(phase) = node.phase() {
                metrics::STEP_SECONDS.observe([phase], watch.seconds());
            }
            settle(cx, node, done)
        })
    }

    fn apply(&mut self, changes: &Value) -> Result<(), ProgramError> {
        let changes: Changes = serde::Deserialize::deserialize(changes)
            .map_err(|fault| ProgramError::Changes(format!("{fault}")))?;
        self.state.take(changes);
        Ok(())
    }

    fn state(&self) -> Value {
        json!(self.state)
    }

    fn is_replayable(&self) -> bool {
        self.state.node != Node::Execute || self.deps.spec.llm.is_some()
    }

    fn code_hash(&self) -> Option<String> {
        let runs = self.state.node == Node::Execute && self.deps.spec.llm.is_none();
        runs.then(|| action::code(&self.deps.spec).ok().map(action::Executable::hash)).flatten()
    }

    fn is_repeatable(&self) -> bool {
        // A model's answer costs money, and the amount is known only afterwards.
        self.state.node != Node::Execute || !(self.state.effect || self.deps.spec.llm.is_some())
    }

    fn recover(&self, effect: Option<&Intent>) -> Value {
        // The effect may have happened, so it is not repeated automatically (C11).
        let unknown =
            effect.map(|_| SingleChange::Responded { text: words::unknown(self.state.locale).to_owned() });
        let to = if unknown.is_some() { Node::FinalizeFailed } else { self.state.node };
        json!(Changes { to, changes: unknown.into_iter().collect() })
    }

    fn reopen(&self) -> Option<Value> {
        None
    }

    fn interrupted_response(&self, outcome: Status) -> String {
        outcome_text(outcome, self.state.locale).to_owned()
    }
}

async fn visit(node: Node, cx: &mut Cx) -> Result<NodeOutcome, ProgramError> {
    Ok(match node {
        Node::PolicyGate => NodeOutcome::Gate(assess::assess(cx).await?),
        Node::Confirm => NodeOutcome::Confirm(assess::confirm(cx)?),
        Node::Execute => NodeOutcome::Execute(match cx.deps.spec.section() {
            Some(Executor::Llm(_)) => match cx.deps.summarizer.clone() {
                Some(planner) => summary::execute(cx, &planner).await?,
                None => answer::execute(cx).await?,
            },
            Some(Executor::Python(_) | Executor::Shell(_) | Executor::Tool(_) | Executor::Browser(_))
            | None => code::execute(cx).await?,
        }),
        Node::FinalizeDone => NodeOutcome::Finalize(finalize::Done),
        Node::FinalizeFailed => NodeOutcome::Finalize(finalize::Failed),
        Node::FinalizeDenied => NodeOutcome::Finalize(finalize::Denied),
        Node::FinalizeCancelled => NodeOutcome::Finalize(finalize::Cancelled),
        Node::FinalizeLimit => NodeOutcome::Finalize(finalize::Limit),
    })
}

fn settle(cx: Cx, node: Node, done: NodeOutcome) -> Result<StepResult, ProgramError> {
    let (to, next) = match graph::route(done) {
        Edge::Go(to) => (to, Continuation::Go),
        Edge::Ask(to) => {
            let ask = cx.ask.ok_or_else(|| ProgramError::Failed(String::from("a question without words")))?;
            (to, Continuation::Ask(ask))
        }
        Edge::End(status) => {
            let said = cx.state.response.unwrap_or_else(|| outcome_text(status, cx.state.locale).to_owned());
            (node, Continuation::End(RunEnd { outcome: status, response: Some(said), vars: cx.state.vars }))
        }
    };
    let changes = json!(Changes { to, changes: cx.changes });
    Ok(StepResult { node: node.name(), outcome: done.word(), changes, next, record: cx.record })
}

impl Cx {
    /// Completes the run: stores the declared outputs, and a response for people.
    fn succeed(&mut self, found: Map<String, Value>) -> execute::Outcome {
        let declared = |name: &String| self.deps.spec.outputs.iter().any(|output| output.name == *name);
        let mut vars: Map<String, Value> = found.into_iter().filter(|(name, _)| declared(name)).collect();
        // Without secrets nothing changes, not even text that looks like a placeholder.
        if self.deps.vault.knows_any() {
            vars = self.deps.vault.masked(vars);
        }
        self.changes.push(SingleChange::Responded { text: given(&vars, self.state.locale) });
        self.changes.push(SingleChange::Gave { vars });
        execute::Executed
    }

    fn failed(&mut self, words: String) -> execute::Outcome {
        let words = self.deps.vault.scrubbed(&words, Replacement::Mask);
        self.changes.push(SingleChange::Responded { text: words });
        execute::Failed
    }

    fn may_spend_no_more(&mut self, spent: UsedUpLimit) -> execute::Outcome {
        let text = limit_text(&spent.limit, self.state.locale).to_owned();
        self.changes.push(SingleChange::Responded { text });
        self.record.facts.push(Fact::Event(spending::budget_event(spent)));
        execute::OutOfBudget
    }

    /// Fails the run, with a cause that its caller can distinguish.
    fn broke(&mut self, words: String, cause: FailureCause) -> execute::Outcome {
        let told = |text: &str| self.deps.vault.scrubbed(text, Replacement::Mask);
        let cause = FailureCause {
            error: told(&cause.error),
            error_type: told(&cause.error_type),
            traceback: cause.traceback.as_deref().map(told),
        };
        self.record.cause = Some(cause);
        self.failed(words)
    }

    fn root(&self) -> &RunId {
        &self.given.root
    }
}
