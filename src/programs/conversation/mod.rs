//! The conversation program (docs/graphs.md): an agent that plans, asks and acts on a page. `graph` has the
//! transitions, `state` the state and its changes, and `nodes` one file per node; this file drives one visit.

pub(crate) mod agent_message;
pub mod visit_context;
pub mod questions;
pub mod acting;
pub mod calls;
pub mod ending;
pub mod shown_pages;
pub mod working_set;
pub mod graph;
pub mod nodes;
pub(crate) mod planning;
pub mod state;
pub(crate) mod progress_event;
pub(crate) mod drafts;
pub(crate) mod effects;
pub(crate) mod host_context;
pub(crate) mod inbox;
pub(crate) mod order_address;

use crate::clock::{Moment, Stopwatch};
use crate::engine::program::ended_child::EndedChild;
use crate::engine::program::{
    BackgroundResult, ChildRuns, Continuation, Program, ProgramError, Replayable, RunEnd, RunEnding,
    StepInput, StepRecord, StepResult,
};
use crate::gate::flow::read_texts::TextSource;
use crate::gate::flow::tree_texts::list_texts;
use crate::gate::host_scope::HostScope;
use crate::ids::RunId;
use crate::programs::conversation::acting::{flow_check, secret_input};
use crate::programs::conversation::calls::{background_events, call_effects};

use crate::programs::conversation::ending::response;
use crate::programs::conversation::ending::title;
use crate::programs::conversation::graph::{ConversationEdge, ConversationOutcome};
use crate::programs::conversation::nodes::questions::{
    approve_plan, budget, confirm, flow_consent, held_request, manual, question,
};
use crate::programs::conversation::nodes::waits::{await_calls, resting, run_premoves};
use crate::programs::conversation::state::ConversationState;
use crate::programs::conversation::state::changes::{ConversationChange, ConversationChanges};
use crate::programs::conversation::state::node::ConversationNode;
use crate::programs::conversation::state::recovery;
use crate::programs::conversation::visit_context::{ConversationDeps, VisitContext};
use crate::programs::conversation::working_set::WorkingSet;
use crate::protocol::Status;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::secrets::scrub::Replacement;
use crate::store::rows::Intent;
use crate::store::rows::inbox::InboxRow;
use crate::turn::action::{Action, AgentAction, BrowserAction, PageAction};
use crate::turn::internal_action::InternalAction;
use crate::{metrics, plan, record};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Graph visits allowed for each allowed tool step, so that a conversation that only plans ends as well (S1.36).
const VISITS_PER_STEP: u32 = 10;

pub struct Conversation {
    state: Arc<ConversationState>,
    deps: Arc<ConversationDeps>,
    working_set: Arc<WorkingSet>,
}

impl Conversation {
    /// The name of this program in stored runs.
    pub const NAME: &'static str = "conversation";
    /// The name of this program in stored runs that work in no browser.
    pub const WITHOUT_PAGE: &'static str = "conversation_without_page";

    pub fn new(state: ConversationState, deps: Arc<ConversationDeps>) -> Self {
        Self { state: Arc::new(state), deps, working_set: Arc::default() }
    }
}

impl Program for Conversation {
    fn node(&self) -> &'static str {
        self.state.node.word()
    }

    fn step(&self, input: StepInput) -> BoxFuture<'static, Result<StepResult, ProgramError>> {
        let node = self.state.node;
        let mut cx = VisitContext::new(
            ConversationState::clone(&self.state),
            Arc::clone(&self.deps),
            Arc::clone(&self.working_set),
            input,
        );
        Box::pin(async move {
            cx.push_event(Fact::Event(Event::Node { node: node.word().to_owned() }));
            if cx.state.waits_since.is_some() {
                cx.change(ConversationChange::GoesOn { at: Moment::now().millis() });
            }
            let watch = Stopwatch::start();
            let done = visit(node, &mut cx).await?;
            record_sources(&mut cx);
            effects::delay_recording_of_secrets(&cx);
            if let Some(phase) = node.phase() {
                metrics::STEP_SECONDS.observe([phase], watch.seconds());
            }
            let limits = &cx.deps.limits;
            let most = u32::try_from(limits.total_steps).unwrap_or(u32::MAX);
            let limit = cx.state.step_limit(limits).saturating_mul(VISITS_PER_STEP).min(most);
            let edge = graph::limit_visits(graph::route(done), cx.state.visits + 1, limit);
            finish_visit(cx, node, done, edge)
        })
    }

    fn apply(&mut self, changes: &Value) -> Result<(), ProgramError> {
        let changes: ConversationChanges = serde::Deserialize::deserialize(changes)?;
        Arc::make_mut(&mut self.state).apply(changes);
        Ok(())
    }

    fn state(&self) -> Value {
        let mut state = json!(self.state.as_ref());
        // Older texts may contain a value that was recognized as a secret only later.
        self.deps.vault.scrub(&mut state, Replacement::Placeholder);
        state
    }

    fn title(&self, current: &str) -> Option<String> {
        let message = self.state.inputs.get("text")?.as_str()?;
        title::title_after(message, self.state.last_observation.as_ref()?, current)
    }

    fn is_resting(&self) -> bool {
        self.state.node == ConversationNode::Resting
    }

    fn is_repeatable(&self) -> bool {
        let action = self.state.planned_action.as_ref().and_then(|planned| planned.action.as_ref());
        let repeatable = matches!(
            action,
            Some(
                Action::Page(PageAction::Wait { .. } | PageAction::Find { .. } | PageAction::Extract { .. })
                    | Action::Browser(BrowserAction::Navigate { .. })
                    | Action::Agent(AgentAction::Inner(InternalAction::ReadFile { .. }))
            )
        );
        match self.state.node {
            ConversationNode::ExecuteAction => repeatable && !self.state.has_outside_effect,
            // A released request cannot be taken back.
            ConversationNode::HeldRequest => false,
            _ => true,
        }
    }

    fn time_left(&self) -> Option<Duration> {
        let most = Duration::from_secs(self.deps.limits.wall_s?);
        let until = self.state.waits_since.unwrap_or_else(|| Moment::now().millis());
        let used = until.saturating_sub(self.state.begun_at).max(0).unsigned_abs();
        // The time limit starts when the message has been read, and does not cut off final nodes.
        let counts = self.state.node != ConversationNode::IngestUserInput && !self.state.node.is_final();
        counts.then(|| most.saturating_sub(Duration::from_millis(used)))
    }

    fn recover(&self, effect: Option<&Intent>) -> Value {
        json!(recovery::recover(&self.state, effect, self.has_lost_secret()))
    }

    fn reopen(&self) -> Option<Value> {
        Some(json!(recovery::reopen(&self.state)))
    }
}

impl ChildRuns for Conversation {
    fn awaited_children(&self) -> Vec<RunId> {
        background_events::awaited_children(&self.state)
    }

    /// A summary is completed even if the run ends in the meantime, so its run is not included.
    fn unfinished_children(&self) -> Vec<RunId> {
        self.state
            .calls
            .running_children()
            .chain(self.state.memory.premoves.running_children())
            .cloned()
            .collect()
    }

    fn background_children(&self) -> Vec<RunId> {
        let compacting = self.state.memory.compacting.iter().map(|begun| &begun.run);
        self.state.calls.running_children().chain(compacting).cloned().collect()
    }

    fn host_scope(&self) -> Option<HostScope> {
        Some(host_context::scope_for_children(&self.state, &self.deps))
    }

    fn handle_background(&self, ended: &[EndedChild], inbox: &[InboxRow]) -> Option<BackgroundResult> {
        background_events::handle_background(&self.state, &self.deps, ended, inbox)
    }
}

impl RunEnding for Conversation {
    fn closing_record(&self) -> StepRecord {
        background_events::closing_record(&self.state, &self.deps)
    }

    fn plan(&self) -> Option<String> {
        let items = &self.state.plan.items;
        (!items.is_empty()).then(|| plan::format_checklist(items))
    }

    fn interrupted_response(&self, outcome: Status) -> String {
        response::interrupted_response(outcome, self.state.locale)
    }
}

impl Replayable for Conversation {
    fn is_replayable(&self) -> bool {
        true
    }
}

impl Conversation {
    /// Reports whether the text to type was a secret that the ended process had in memory.
    fn has_lost_secret(&self) -> bool {
        let action = self.state.planned_action.as_ref().and_then(|planned| planned.action.as_ref());
        action.is_some_and(|action| {
            action.typed_texts().iter().any(|(_, text)| self.deps.vault.has_lost_placeholder(text))
        })
    }
}

/// Visits one node.
async fn visit(node: ConversationNode, cx: &mut VisitContext) -> Result<ConversationOutcome, ProgramError> {
    Ok(match node {
        ConversationNode::IngestUserInput => {
            ConversationOutcome::Ingest(nodes::ingest_user_input::visit(cx).await?)
        }
        ConversationNode::MaybeObserve => {
            ConversationOutcome::Observe(nodes::maybe_observe::visit(cx).await?)
        }
        ConversationNode::MakePlan => ConversationOutcome::MakePlan(nodes::make_plan::visit(cx).await?),
        ConversationNode::ApprovePlan => ConversationOutcome::ApprovePlan(approve_plan::visit(cx).await?),
        ConversationNode::PlanAction => ConversationOutcome::Plan(nodes::plan_action::visit(cx).await?),
        ConversationNode::RunPremoves => ConversationOutcome::Premoves(run_premoves::visit(cx).await?),
        ConversationNode::ValidateAction => {
            ConversationOutcome::Validate(nodes::validate_action::visit(cx).await?)
        }
        ConversationNode::PolicyGate => ConversationOutcome::Gate(nodes::policy_gate::visit(cx).await?),
        ConversationNode::Confirm => ConversationOutcome::Confirm(confirm::visit(cx).await?),
        ConversationNode::FlowConsent => ConversationOutcome::Flow(flow_consent::visit(cx).await?),
        ConversationNode::HeldRequest => ConversationOutcome::Held(held_request::visit(cx).await?),
        ConversationNode::Manual => ConversationOutcome::Manual(manual::visit(cx).await?),
        ConversationNode::Question => ConversationOutcome::Question(question::visit(cx).await?),
        ConversationNode::ExecuteAction => {
            ConversationOutcome::Execute(nodes::execute_action::visit(cx).await?)
        }
        ConversationNode::CheckAcceptance => {
            ConversationOutcome::Check(nodes::check_acceptance::visit(cx).await?)
        }
        ConversationNode::Budget => ConversationOutcome::Budget(budget::visit(cx).await?),
        ConversationNode::AwaitCalls => ConversationOutcome::Calls(await_calls::visit(cx).await?),
        ConversationNode::Resting => ConversationOutcome::Rest(resting::visit(cx).await?),
        ConversationNode::MaybeStopOrContinue => {
            ConversationOutcome::Continue(nodes::maybe_stop_or_continue::visit(cx).await?)
        }
        ConversationNode::FinalizeDone => ConversationOutcome::Finalize(nodes::finalize::done(cx).await?),
        ConversationNode::FinalizePartial => {
            ConversationOutcome::Finalize(nodes::finalize::partial(cx).await?)
        }
        ConversationNode::FinalizeDenied => ConversationOutcome::Finalize(nodes::finalize::denied(cx).await?),
        ConversationNode::FinalizeCancelled => {
            ConversationOutcome::Finalize(nodes::finalize::cancelled(cx).await?)
        }
        ConversationNode::FinalizeBlocked => {
            ConversationOutcome::Finalize(nodes::finalize::blocked(cx).await?)
        }
        ConversationNode::FinalizeLimit => ConversationOutcome::Finalize(nodes::finalize::limit(cx).await?),
    })
}

/// Adds the person's words to the texts of the tree, and records the sources that the run has read since the last
/// visit.
fn record_sources(cx: &mut VisitContext) {
    flow_check::add_persons_words(cx);
    let read = record::record_value("sources", || cx.deps.texts.list_sources(&cx.run));
    let new: Vec<TextSource> = read.into_iter().filter(|source| !cx.state.sources.contains(source)).collect();
    if !new.is_empty() {
        cx.change(ConversationChange::SourcesRead(new));
    }
}

/// Converts a finished visit into what the engine stores, without secrets.
fn finish_visit(
    mut cx: VisitContext,
    node: ConversationNode,
    done: ConversationOutcome,
    edge: ConversationEdge,
) -> Result<StepResult, ProgramError> {
    let vault = Arc::clone(&cx.deps.vault);
    match edge {
        ConversationEdge::End(_) => call_effects::cancel_calls(&mut cx),
        ConversationEdge::Ask(_) | ConversationEdge::Rest(_) => {
            cx.change(ConversationChange::Waits { since: Moment::now().millis() })
        }
        ConversationEdge::Go(_) | ConversationEdge::Await(_) => {}
    }
    let (to, next) = match edge {
        ConversationEdge::Go(to) => (to, Continuation::Go),
        ConversationEdge::Await(to) => (to, Continuation::Await),
        ConversationEdge::Rest(to) => (to, Continuation::Rest),
        ConversationEdge::Ask(to) => {
            let ask = cx.ask.ok_or_else(|| ProgramError::Failed(String::from("the question has no text")))?;
            (to, Continuation::Ask(secret_input::mask_question(&vault, ask)))
        }
        ConversationEdge::End(outcome) => {
            let vars = collect_outputs(&cx);
            add_answer(&cx, &vars);
            let end = RunEnd { outcome, response: cx.state.final_response.clone(), vars };
            (node, Continuation::End(secret_input::mask_end(&vault, end)))
        }
    };
    let mut changes = json!(ConversationChanges { to, changes: cx.changes });
    vault.scrub(&mut changes, Replacement::Placeholder);
    let record = secret_input::redact_record(&vault, cx.record);
    Ok(StepResult { node: node.word(), outcome: done.word(), changes, next, record })
}

/// Adds the answer of a called run to the texts of the tree.
fn add_answer(cx: &VisitContext, vars: &Map<String, Value>) {
    if cx.deps.caller.is_some() {
        let texts = cx.state.final_response.iter().cloned().chain(vars.values().flat_map(list_texts));
        let answer = texts.collect::<Vec<_>>().join("\n");
        cx.deps.texts.add_answer(&cx.run, &cx.deps.task.agent, &answer);
    }
}

/// Returns the declared outputs of the agent and nothing else (C13). The first one is the final response,
/// unless it was set otherwise.
fn collect_outputs(cx: &VisitContext) -> Map<String, Value> {
    let (state, names) = (&cx.state, &cx.deps.task.outputs);
    let first_output = names.first().zip(state.final_response.as_ref());
    let value_of = |name: &String| {
        let first_output = first_output.filter(|(first, _)| *first == name).map(|(_, text)| json!(text));
        let stored_value = state.answers.get(name).or_else(|| state.variables.get(name)).cloned();
        // A value that a script has read under this name comes before the final response.
        if cx.deps.task.script.is_empty() {
            first_output.or(stored_value)
        } else {
            stored_value.or(first_output)
        }
    };
    names.iter().filter_map(|name| Some((name.clone(), value_of(name)?))).collect()
}
