//! The program of `python`, `shell`, `llm` and MCP tool agents: a single call, assessed by the gate first.
//! The state graph is in `graph`, the calls are in `code_call` and `model_call`; this file drives one visit.

pub(crate) mod action_description;
pub(crate) mod build_wait;
pub(crate) mod code_call;
pub(crate) mod model_call;
pub mod visit_context;
pub(crate) mod text_sources;
pub(crate) mod approval_text;
pub(crate) mod assess;
pub(crate) mod code_failure;
pub mod graph;
pub mod state;

use crate::agent_spec::types::executor::Executor;
use crate::agent_spec::types::spec::AgentSpec;
use crate::clock::Stopwatch;
use crate::engine::program::result_text::outcome_text;
use crate::engine::program::{
    ChildRuns, Continuation, Program, ProgramError, Replayable, RunEnd, RunEnding, StepInput, StepRecord,
    StepResult,
};
use crate::metrics;
use crate::programs::single::action_description::Executable;
use crate::programs::single::graph::{Node, SingleEdge, SingleOutcome, finalize};
use crate::programs::single::state::{SingleChange, SingleChanges, SingleState};
use crate::programs::single::visit_context::{Deps, SingleVisit};
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::protocol::{Locale, Status};
use crate::store::rows::Intent;
use crate::texts::endings;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub struct SingleCall {
    state: SingleState,
    deps: Arc<Deps>,
}

impl SingleCall {
    /// Name of this program in stored runs.
    pub const NAME: &'static str = "single";

    /// Returns the initial state of a run of this agent. `context` holds inputs and locals.
    pub fn begin(spec: &AgentSpec, locale: Locale, context: Map<String, Value>) -> SingleState {
        // A model's answer has no side effects; its cost is bounded by limits.
        let node = match spec.section() {
            Some(Executor::Llm(_)) => Node::Execute,
            Some(Executor::Python(_) | Executor::Shell(_) | Executor::Tool(_) | Executor::Browser(_))
            | None => Node::PolicyGate,
        };
        SingleState::begin(locale, node, context)
    }

    /// Reports whether a call of this agent has no side effects and may be repeated (C11).
    pub fn is_pure(spec: &AgentSpec, isolated: bool) -> bool {
        assess::is_pure(spec, isolated)
    }

    pub fn load(state: Value, deps: Arc<Deps>) -> Result<Self, ProgramError> {
        let state = serde_json::from_value(state)?;
        Ok(Self { state, deps })
    }
}

impl Program for SingleCall {
    fn node(&self) -> &'static str {
        self.state.node.word()
    }

    fn step(&self, input: StepInput) -> BoxFuture<'static, Result<StepResult, ProgramError>> {
        let node = self.state.node;
        let facts = vec![Fact::Event(Event::Node { node: node.word().to_owned() })];
        let mut cx = SingleVisit {
            state: self.state.clone(),
            deps: Arc::clone(&self.deps),
            input,
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
            finish_visit(cx, node, done)
        })
    }

    fn apply(&mut self, changes: &Value) -> Result<(), ProgramError> {
        let changes: SingleChanges = serde::Deserialize::deserialize(changes)?;
        self.state.take(changes);
        Ok(())
    }

    fn state(&self) -> Value {
        json!(self.state)
    }

    fn is_repeatable(&self) -> bool {
        // A model's answer costs money, and the amount is known only afterwards.
        self.state.node != Node::Execute || !(self.state.effect || self.deps.spec.llm.is_some())
    }

    fn recover(&self, effect: Option<&Intent>) -> Value {
        // The effect may have happened, so it is not repeated automatically (C11).
        let unknown = effect.map(|_| SingleChange::Responded {
            text: endings::call_outcome_unknown(self.state.locale).to_owned(),
        });
        let to = if unknown.is_some() { Node::FinalizeFailed } else { self.state.node };
        json!(SingleChanges { to, changes: unknown.into_iter().collect() })
    }

    fn reopen(&self) -> Option<Value> {
        None
    }
}

impl ChildRuns for SingleCall {}

impl RunEnding for SingleCall {
    fn interrupted_response(&self, outcome: Status) -> String {
        outcome_text(outcome, self.state.locale).to_owned()
    }
}

impl Replayable for SingleCall {
    fn is_replayable(&self) -> bool {
        self.state.node != Node::Execute || self.deps.spec.llm.is_some()
    }

    fn code_hash(&self) -> Option<String> {
        let runs = self.state.node == Node::Execute && self.deps.spec.llm.is_none();
        runs.then(|| action_description::executable_of(&self.deps.spec).ok().map(Executable::hash)).flatten()
    }
}

async fn visit(node: Node, cx: &mut SingleVisit) -> Result<SingleOutcome, ProgramError> {
    Ok(match node {
        Node::PolicyGate => SingleOutcome::Gate(assess::assess(cx).await?),
        Node::Confirm => SingleOutcome::Confirm(assess::confirm(cx)?),
        Node::Execute => SingleOutcome::Execute(match cx.deps.spec.section() {
            Some(Executor::Llm(_)) => match cx.deps.summarizer.clone() {
                Some(planner) => model_call::history_summary::execute(cx, &planner).await?,
                None => model_call::llm_answer::execute(cx).await?,
            },
            Some(Executor::Python(_) | Executor::Shell(_) | Executor::Tool(_) | Executor::Browser(_))
            | None => code_call::execute(cx).await?,
        }),
        Node::FinalizeDone => SingleOutcome::Finalize(finalize::Done),
        Node::FinalizeFailed => SingleOutcome::Finalize(finalize::Failed),
        Node::FinalizeDenied => SingleOutcome::Finalize(finalize::Denied),
        Node::FinalizeCancelled => SingleOutcome::Finalize(finalize::Cancelled),
        Node::FinalizeLimit => SingleOutcome::Finalize(finalize::Limit),
    })
}

fn finish_visit(cx: SingleVisit, node: Node, done: SingleOutcome) -> Result<StepResult, ProgramError> {
    let (to, next) = match graph::route(done) {
        SingleEdge::Go(to) => (to, Continuation::Go),
        SingleEdge::Ask(to) => {
            let ask = cx.ask.ok_or_else(|| ProgramError::Failed(String::from("the question has no text")))?;
            (to, Continuation::Ask(ask))
        }
        SingleEdge::End(status) => {
            let response =
                cx.state.response.unwrap_or_else(|| outcome_text(status, cx.state.locale).to_owned());
            (
                node,
                Continuation::End(RunEnd { outcome: status, response: Some(response), vars: cx.state.vars }),
            )
        }
    };
    let changes = json!(SingleChanges { to, changes: cx.changes });
    Ok(StepResult { node: node.word(), outcome: done.word(), changes, next, record: cx.record })
}
