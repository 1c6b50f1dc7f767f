//! Checks whether an item of the plan is reached (S2.12, S2.16, C12): by its own conditions, otherwise by the
//! judge with the evidence at hand. If the attempts are used up, the item is planned anew once; then the
//! person is asked.

use crate::engine::program::ProgramError;
use crate::plan::{self, Evidence, Item};
use crate::planning::PlanError;
use crate::programs::conversation::acting::observe;
use crate::programs::conversation::planning::evidence::JudgeInput;
use crate::programs::conversation::planning::plan_steps;
use crate::programs::conversation::questions;
use crate::programs::conversation::questions::budget_check;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::plan_state::PlanChange;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;
use crate::texts;
use crate::turn::TurnStatus;
pub use Outcome::*;

/// The number of new plans before the person is asked.
const MAX_REPLANS: u32 = 1;
/// The number of rejected claims in a row that the whole is done after which the run ends as it is.
const MAX_REFUSALS: u32 = 2;

outcomes! {
    pub enum Outcome {
        /// The item is reached; the next one is due.
        Accepted,
        /// The item is reached, and the planned turn is already for the next one.
        AcceptedOn,
        /// The item is reached; the whole was claimed to be done, so the next one is checked too.
        AcceptedNext,
        /// All items are reached.
        Finished,
        /// The item is not reached, and is tried again.
        Rejected,
        /// The conditions do not hold yet, and nothing claimed that they do.
        NotYet,
        /// The open items are planned anew.
        NeedsPlan,
        /// The person decides about the item.
        NeedsAnswer,
        /// The whole was claimed to be done once more, with open items.
        Partly,
    }
}

/// The reason why the item is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JudgeReason {
    /// The next turn is for a later item.
    MovedOn,
    /// The turn claims that the work is done.
    Stops,
    /// The turn claims that this item is done.
    Done,
    /// No claim; the conditions of the item may hold.
    None,
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    if let Some(position) = cx.state.plan.exhausted_item().map(|item| item.position) {
        return Ok(handle_exhausted(cx, position));
    }
    let claim = read_claim(cx);
    let Some(item) = cx.state.plan.current().or_else(|| plan::next_item(&cx.state.plan.items)).cloned()
    else {
        return Ok(if claim == JudgeReason::Stops { respond_and_finish(cx) } else { Accepted });
    };
    if cx.deps.browsers.is_some() && cx.state.needs_observe {
        observe::observe_page(cx).await?;
    }
    let evidence = match judge_item(cx, &item, claim).await? {
        None => return Ok(NotYet),
        Some(Ok(evidence)) => evidence,
        Some(Err(why)) => return Ok(ask_about_unread_verdict(cx, item.position, claim, &why)),
    };
    if !evidence.accepted && claim == JudgeReason::None {
        return Ok(NotYet);
    }
    let (accepted, position, why) = (evidence.accepted, item.position, evidence.why.clone());
    plan_steps::change_plan(
        cx,
        PlanChange::Judged { position, evidence, claimed: claim != JudgeReason::None },
    );
    Ok(match (accepted, claim) {
        (true, JudgeReason::MovedOn) => AcceptedOn,
        (true, JudgeReason::Stops) if cx.state.plan.is_open() => AcceptedNext,
        (true, JudgeReason::Stops) => respond_and_finish(cx),
        (true, JudgeReason::Done | JudgeReason::None) => Accepted,
        (false, JudgeReason::None) => NotYet,
        (false, JudgeReason::MovedOn | JudgeReason::Stops | JudgeReason::Done) => {
            reject_item(cx, &item, claim, &why)
        }
    })
}

fn read_claim(cx: &VisitContext) -> JudgeReason {
    let state = &cx.state;
    let planned = state.planned_action.as_ref();
    if planned.is_some_and(|planned| planned.at == 0 && planned.action.is_none()) {
        return JudgeReason::MovedOn;
    }
    if state.final_response_of_turn().is_some() {
        return JudgeReason::Stops;
    }
    match state.last_turn() {
        Some(turn) if turn.status == TurnStatus::Success && !state.is_mid_turn() => JudgeReason::Done,
        Some(_) | None => JudgeReason::None,
    }
}

/// The judge's evidence, or the reason why its verdict cannot be read.
type Verdict = Result<Evidence, String>;

/// Judges an item. Returns `None` if it has no conditions and nothing claims that it is done.
async fn judge_item(
    cx: &mut VisitContext,
    item: &Item,
    claim: JudgeReason,
) -> Result<Option<Verdict>, ProgramError> {
    let input = JudgeInput::collect(cx, item.position).await;
    if let Some(evidence) = input.check_predicates(item) {
        return Ok(Some(Ok(evidence)));
    }
    if claim == JudgeReason::None {
        return Ok(None);
    }
    let response = cx.state.last_response();
    let request = input.judge_request(item, &cx.state.plan.mission, response.as_deref().unwrap_or_default());
    let judgement = cx.deps.planner.judge(&request).await;
    match judgement {
        Ok(judgement) => {
            budget_check::count_usage(cx, &judgement.usage);
            Ok(Some(Ok(input.evidence(judgement.met, "judge", judgement.why))))
        }
        Err(PlanError::Invalid { message, usage }) => {
            budget_check::count_usage(cx, &usage);
            Ok(Some(Err(message)))
        }
        Err(PlanError::Unavailable { message, usage }) => {
            budget_check::count_usage(cx, &usage);
            Err(ProgramError::Failed(message))
        }
    }
}

fn reject_item(cx: &mut VisitContext, item: &Item, claim: JudgeReason, why: &str) -> Outcome {
    let position = item.position;
    tracing::warn!(run_id = %cx.run, step = position, why, "acceptance_failed");
    let note = format!("item {position} of the plan does not count as done: {why}");
    if claim == JudgeReason::MovedOn {
        cx.change(ConversationChange::RestDropped { why: note.clone() });
    }
    if claim == JudgeReason::Stops {
        cx.change(ConversationChange::Plan(PlanChange::Refused));
        if cx.state.plan.refusals >= MAX_REFUSALS {
            let response = cx.state.final_response_of_turn().unwrap_or_default();
            cx.change(ConversationChange::Responded(response));
            return Partly;
        }
    }
    if cx.state.plan.exhausted_item().is_some() {
        return handle_exhausted(cx, position);
    }
    tracing::info!(run_id = %cx.run, step = position, attempt = item.attempts + 1, "retry_step");
    cx.change(ConversationChange::Note(note));
    Rejected
}

/// Asks the person about an item whose verdict cannot be read. The work is not at fault, so this counts as no
/// attempt.
fn ask_about_unread_verdict(cx: &mut VisitContext, position: u32, claim: JudgeReason, why: &str) -> Outcome {
    tracing::warn!(run_id = %cx.run, step = position, why, "verdict_unreadable");
    if claim == JudgeReason::MovedOn {
        cx.change(ConversationChange::RestDropped {
            why: format!("item {position} of the plan could not be judged"),
        });
    }
    let text = texts::questions::verdict_unreadable(why, cx.state.locale);
    let (goal, _) = cx.state.plan.item_failure(position);
    cx.ask = Some(questions::failed_item_question(cx.state.locale, position, &goal, &text));
    cx.change(ConversationChange::Plan(PlanChange::Asked(position)));
    NeedsAnswer
}

/// Handles an item whose attempts are used up.
fn handle_exhausted(cx: &mut VisitContext, position: u32) -> Outcome {
    tracing::error!(run_id = %cx.run, step = position, "step_exhausted");
    if cx.state.plan.replans < MAX_REPLANS && plan_steps::may_plan(cx) {
        plan_steps::change_plan(cx, PlanChange::GivenUp(position));
        return NeedsPlan;
    }
    let (goal, why) = cx.state.plan.item_failure(position);
    cx.ask = Some(questions::failed_item_question(cx.state.locale, position, &goal, &why));
    cx.change(ConversationChange::Plan(PlanChange::Asked(position)));
    NeedsAnswer
}

fn respond_and_finish(cx: &mut VisitContext) -> Outcome {
    let response = cx.state.final_response_of_turn().unwrap_or_default();
    cx.change(ConversationChange::Responded(response));
    Finished
}
