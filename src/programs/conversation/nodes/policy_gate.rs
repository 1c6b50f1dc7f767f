//! Asks the gate about the planned action (S1.24), and creates the question if a person must be asked. The
//! decision depends on the current page; the model's description of its action is not considered.

use crate::browser::error::PageError;
use crate::engine::program::ProgramError;
use crate::gate::actor::{Assess, ProposedEffect};
use crate::gate::assessment::{Assessment, AuditedAction};
use crate::gate::host_kinds::HostContext;
use crate::gate::request::{PageRef, ProposedAction};
use crate::gate::verdict::{Decision, Verdict};
use crate::page::target::Target;
use crate::programs::conversation::acting::finish_action;
use crate::programs::conversation::acting::{
    flow_check, scripted_turns, secret_input, stale_ref, unasked_messages,
};
use crate::programs::conversation::questions;
use crate::programs::conversation::questions::flow_question;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::turn::turn_progress::TurnProgress;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::conversation::{effects, host_context};
use crate::programs::outcome::outcomes;
use crate::protocol::server::Fact;
use crate::record;
use crate::secrets::vault::FillError;
use crate::texts;
use crate::turn::action::{Action, PageAction, PersonAction};
use serde_json::{Value, json};

pub use Outcome::*;

/// Tells the planner what became of an approval.
const APPROVED_BEFORE: &str = "the person has approved what the page was about to send, but the page gave it up before: \
     do it again on the page as it is now, and the same leaves without another question";

outcomes! {
    pub enum Outcome {
        Allowed,
        NeedsConfirmation,
        /// The person must do something on the page.
        NeedsPerson = "NeedsHands",
        /// The agent asks the person a question.
        NeedsAnswer,
        /// The action would take text from one site to another.
        NeedsFlowConsent,
        /// The element has gone since the observation, or does not take the text to type.
        Gone,
        Denied,
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    let planned = cx.planned_turn()?.clone();
    let Some(action) = planned.action.clone() else {
        return Err(ProgramError::Failed(String::from("the planned action was not validated")));
    };
    match ask_person(cx, &action) {
        Some(outcome) => Ok(outcome),
        None => assess_page_action(cx, planned, action).await,
    }
}

async fn assess_page_action(
    cx: &mut VisitContext,
    planned: TurnProgress,
    action: Action,
) -> Result<Outcome, ProgramError> {
    let target = match find_shown_target(cx, &action).await? {
        Ok(target) => target,
        Err(fault) => return Ok(finish_stale(cx, &planned, fault)),
    };
    scripted_turns::record_target(cx, &action, target.as_ref());
    if let Err(unfilled) = secret_input::fill_secrets(cx, action.clone(), target.as_ref()) {
        return Ok(handle_unfilled(cx, &planned, unfilled, target.as_ref()));
    }
    let flow = flow_check::find_flow(cx, &action, target.as_ref());
    let context = gate_context(cx, &action);
    let proposed = ProposedAction { page: current_page(cx, target.as_ref()), action, target, context };
    let assessment = assess(cx, proposed.clone()).await?;
    let ProposedAction { action, target, page, .. } = proposed;
    if assessment.verdict.decision == Decision::RequiresConfirmation
        && let Some(fault) = unobserved_target_refusal(cx, &action).await?
    {
        return Ok(finish_stale(cx, &planned, fault));
    }
    if let (Decision::Allow, Some(flow)) = (assessment.decision(), &flow) {
        flow_question::ask_about_flow(cx, &action, target.as_ref(), flow).await?;
        return Ok(NeedsFlowConsent);
    }
    record_decision(cx, &planned, &assessment);
    match assessment.decision() {
        Decision::Allow => Ok(apply_permission(cx, &assessment.verdict)),
        Decision::RequiresConfirmation => {
            questions::confirm(cx, &action, target, &page, &assessment).await?;
            flow.iter().for_each(|flow| flow_question::add_flow(cx, &action, flow));
            Ok(NeedsConfirmation)
        }
        Decision::Deny => Ok(finish_denied(cx, &planned, &assessment)),
    }
}

fn finish_denied(cx: &mut VisitContext, planned: &TurnProgress, assessment: &Assessment) -> Outcome {
    let reason = assessment.verdict.reason(cx.state.locale).to_owned();
    finish_action::finish_not_done(cx, planned, "denied", reason);
    Denied
}

/// Returns the context of the gate's decision, with the files of the run for an upload.
fn gate_context(cx: &VisitContext, action: &Action) -> HostContext {
    let mut context = host_context::hosts(cx);
    if let Action::Page(PageAction::Upload { .. }) = action {
        context.files = effects::list_files(cx);
    }
    context
}

/// Opens to the run the new host that the allowed action needs.
fn apply_permission(cx: &mut VisitContext, verdict: &Verdict) -> Outcome {
    verdict.new_host.iter().for_each(|host| cx.change(ConversationChange::HostAllowed(host.clone())));
    Allowed
}

/// Returns the gate's assessment. Grants change from outside, so that a replay uses the recorded one.
async fn assess(cx: &VisitContext, action: ProposedAction) -> Result<Assessment, ProgramError> {
    let proposed = ProposedEffect::Page(Box::new(action));
    let reply = cx.deps.gate.send(Assess { proposed, root: cx.root.clone() }).await;
    let mut assessment = reply.map_err(|_| ProgramError::service_stopping())??;
    if assessment.verdict.decision == Decision::RequiresConfirmation {
        let granted = assessment.granted.take();
        let granted = record::record_value("granted", || granted);
        assessment.granted = granted.filter(|_| !cx.state.has_unknown_effect);
    }
    Ok(assessment)
}

/// Finishes the action because its element is not as it was observed; the planner receives the reason.
fn finish_stale(cx: &mut VisitContext, planned: &TurnProgress, fault: PageError) -> Outcome {
    cx.change(ConversationChange::NeedsObserve);
    let message = match &cx.state.repeat_for {
        Some(_) => format!("{}; {APPROVED_BEFORE}", fault.message),
        None => fault.message,
    };
    finish_action::finish_not_done(cx, planned, fault.code.word(), message);
    Gone
}

/// Returns why an element that is not in the observation, or covered there, cannot be acted on, so that the person is
/// not asked about it.
async fn unobserved_target_refusal(
    cx: &VisitContext,
    action: &Action,
) -> Result<Option<PageError>, ProgramError> {
    let Action::Page(
        PageAction::Click { eid, .. } | PageAction::Type { eid, .. } | PageAction::Select { eid, .. },
    ) = *action
    else {
        return Ok(None);
    };
    let observed = cx.working_set.observation();
    let line = observed.as_ref().and_then(|observed| observed.observation.line(eid));
    if line.is_some_and(|line| !line.attributes.covered) {
        return Ok(None);
    }
    Ok(effects::check_reachable(cx, eid).await?.err())
}

/// Handles actions that do not touch the page.
fn ask_person(cx: &mut VisitContext, action: &Action) -> Option<Outcome> {
    match action {
        Action::Page(_) | Action::Browser(_) => None,
        Action::Person(PersonAction::NeedUser { text }) => {
            cx.ask = Some(questions::take_over_question(cx.state.locale, text));
            Some(NeedsPerson)
        }
        Action::Person(PersonAction::AskUser { question, answer_key, options }) => {
            cx.ask = Some(questions::agent_question(cx.state.locale, question, answer_key, options));
            Some(NeedsAnswer)
        }
        Action::Agent(_) => Some(Allowed),
    }
}

/// Handles text that cannot be typed: the person is asked to type a lost secret; a secret for another field
/// is not typed.
fn handle_unfilled(
    cx: &mut VisitContext,
    planned: &TurnProgress,
    unfilled: FillError,
    target: Option<&Target>,
) -> Outcome {
    match unfilled {
        FillError::Gone => {
            let lost_field =
                planned.action.as_ref().and_then(|action| secret_input::find_lost_field(cx, action, target));
            let field = lost_field.or(target.map(|target| target.name.as_str())).unwrap_or_default();
            let text = texts::questions::retype_secret(field, cx.state.locale);
            cx.ask = Some(questions::take_over_question(cx.state.locale, &text));
            NeedsPerson
        }
        FillError::Misplaced => {
            finish_action::finish_unfilled(cx, planned, unfilled);
            Gone
        }
    }
}

/// Returns the target of the action, if it still is what the planner was shown.
async fn find_shown_target(
    cx: &VisitContext,
    action: &Action,
) -> Result<Result<Option<Target>, PageError>, ProgramError> {
    let observed = cx.working_set.observation();
    let target = match examine_action_target(cx, action).await? {
        Ok(target) => target,
        Err(fault) => return Ok(Err(fault)),
    };
    if let (Some(observed), Some(target)) = (observed, target.as_ref().filter(|_| action.changes_page())) {
        if let Some(fault) = stale_ref::find_stale_element(cx, &observed.observation, target).await? {
            return Ok(Err(fault));
        }
        cx.working_set.clear_changed();
    }
    Ok(Ok(target))
}

async fn examine_action_target(
    cx: &VisitContext,
    action: &Action,
) -> Result<Result<Option<Target>, PageError>, ProgramError> {
    if matches!(action, Action::Page(PageAction::Press { .. }))
        && let Err(fault) = effects::observe(cx).await?
    {
        // A key goes to the element that has the focus now, not at the last observation.
        return Ok(Err(fault));
    }
    match action {
        Action::Page(PageAction::Dialog { .. }) => return Ok(Ok(cx.working_set.dialog())),
        Action::Page(PageAction::Tool { name, .. }) => return Ok(Ok(cx.working_set.tool(name))),
        Action::Page(PageAction::Point(pointed)) => return effects::examine_points(cx, pointed).await,
        Action::Page(PageAction::SelectText { text }) => {
            return Ok(effects::examine_text(cx, text).await?.map(Some));
        }
        _ => {}
    }
    let Some(eid) = target_eid(cx, action) else { return Ok(Ok(None)) };
    Ok(effects::examine_target(cx, action, eid).await?.map(Some))
}

/// Returns the page as it was observed. The page may have changed since, so the address comes from the
/// element.
fn current_page(cx: &VisitContext, target: Option<&Target>) -> PageRef {
    let mut page = cx
        .working_set
        .observation()
        .map(|observed| PageRef::from_observation(&observed.observation))
        .unwrap_or_default();
    if let Some(target) = target {
        page.url.clone_from(&target.page);
    }
    page.names_decide = unasked_messages::is_unheld(&cx.state, &page.url);
    page
}

/// Returns the element that the action is about; for a key press, the focused one.
fn target_eid(cx: &VisitContext, action: &Action) -> Option<u32> {
    if let Action::Page(PageAction::Press { .. }) = action {
        return cx.working_set.observation()?.observation.focused_eid();
    }
    action.eid()
}

/// Adds the decision as an event for viewers and as a row of the audit log.
fn record_decision(cx: &mut VisitContext, planned: &TurnProgress, assessment: &Assessment) {
    cx.push_event(Fact::Event(assessment.event(&planned.action_id)));
    cx.record.audit.push(assessment.audit_row(AuditedAction {
        action_id: &planned.action_id,
        action: planned.action.as_ref().map(Action::name),
        values: Value::Object(questions::values_to_show(&assessment.verdict)),
        details: json!({"picture": cx.state.last_screenshot}),
    }));
    if assessment.verdict.effect.reaches_outside() {
        cx.change(ConversationChange::Effect);
    }
}
