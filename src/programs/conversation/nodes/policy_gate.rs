//! Asks the gate about the planned action (S1.24), and creates the question if a person must be asked. The
//! decision depends on the current page; the model's description of its action is not considered.

use crate::browser::error::PageError;
use crate::clock::Moment;
use crate::engine::program::ProgramError;
use crate::gate::effect::class::EffectClass;
use crate::gate::grants::{self, Grant, GrantScope};
use crate::gate::request::{AssessmentRequest as GateAsk, PageRef};
use crate::gate::verdict::{Decision, Verdict};
use crate::page::target::Target;
use crate::programs::conversation::acting::{examine, playing, secret_input, stale_ref};
use crate::programs::conversation::change::ConversationChange;
use crate::programs::conversation::cx::VisitContext;
use crate::programs::conversation::planning::planned::TurnProgress;
use crate::programs::conversation::{questions, words};
use crate::programs::outcome::outcomes;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::record;
use crate::secrets::vault::FillError;
use crate::store::rows::GrantRow;
use crate::turn::action::{Action, PageAction, PersonAction};
pub use Outcome::*;
use serde_json::json;

outcomes! {
    pub enum Outcome {
        Allowed,
        NeedsConfirmation,
        /// The person must do something on the page.
        NeedsHands,
        /// The agent asks the person a question.
        NeedsAnswer,
        /// The element has gone since the observation, or does not take the text to type.
        Gone,
        Denied,
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    let planned = cx.planned()?.clone();
    let Some(action) = planned.action.clone() else {
        return Err(ProgramError::Failed(String::from("the planned action was not validated")));
    };
    match about_the_person(cx, &action) {
        Some(outcome) => Ok(outcome),
        None => about_the_page(cx, planned, action).await,
    }
}

async fn about_the_page(
    cx: &mut VisitContext,
    planned: TurnProgress,
    action: Action,
) -> Result<Outcome, ProgramError> {
    let target = match as_shown(cx, &action).await? {
        Ok(target) => target,
        Err(fault) => return Ok(gone(cx, &planned, fault)),
    };
    playing::record_target(cx, &action, target.as_ref());
    if let Err(unfilled) = secret_input::fill_secrets(cx, action.clone(), target.as_ref()) {
        return Ok(untyped(cx, &planned, unfilled, target.as_ref()));
    }
    let page = page(cx, target.as_ref());
    let context = cx.gate_context(&action);
    let ask = GateAsk { action: &action, target: target.as_ref(), page: &page, context: &context };
    let verdict = cx.deps.gate.assess(&ask, Moment::now());
    let asks = verdict.decision == Decision::RequiresConfirmation;
    let granted = asks && granted(cx, &verdict).await?;
    if let Some(fault) = if asks { out_of_reach(cx, &action).await? } else { None } {
        return Ok(gone(cx, &planned, fault));
    }
    tell(cx, &planned, &verdict, granted);
    if verdict.effect.reaches_outside() {
        cx.change(ConversationChange::Effect);
    }
    if verdict.decision == Decision::Allow || granted {
        verdict.new_host.iter().for_each(|host| cx.change(ConversationChange::LetIn(host.clone())));
        cx.desk.set_download_allowed(verdict.effect == EffectClass::Download);
    }
    match verdict.decision {
        Decision::Allow => Ok(Allowed),
        Decision::RequiresConfirmation if granted => Ok(Allowed),
        Decision::RequiresConfirmation => {
            questions::confirm(cx, &action, target, &page, &verdict).await?;
            Ok(NeedsConfirmation)
        }
        Decision::Deny => {
            let reason = verdict.reason(cx.state.locale).to_owned();
            cx.finish_undone(&planned, "denied", reason);
            Ok(Denied)
        }
    }
}

/// Finishes the action because its element is not as it was observed; the planner receives the reason.
fn gone(cx: &mut VisitContext, planned: &TurnProgress, fault: PageError) -> Outcome {
    cx.change(ConversationChange::NeedsObserve);
    cx.finish_undone(planned, fault.code.word(), fault.message);
    Gone
}

/// Returns why an element that is not in the observation cannot be acted on, so that the person is not asked
/// about it.
async fn out_of_reach(cx: &VisitContext, action: &Action) -> Result<Option<PageError>, ProgramError> {
    let Action::Page(
        PageAction::Click { eid, .. } | PageAction::Type { eid, .. } | PageAction::Select { eid, .. },
    ) = *action
    else {
        return Ok(None);
    };
    if cx.desk.observation().is_some_and(|look| look.observation.line(eid).is_some()) {
        return Ok(None);
    }
    Ok(cx.check_reachable(eid).await?.err())
}

/// Handles actions that do not touch the page.
fn about_the_person(cx: &mut VisitContext, action: &Action) -> Option<Outcome> {
    match action {
        Action::Page(_) | Action::Browser(_) => None,
        Action::Person(PersonAction::NeedUser { text }) => {
            cx.ask = Some(questions::take_over_question(cx.state.locale, text));
            Some(NeedsHands)
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
fn untyped(
    cx: &mut VisitContext,
    planned: &TurnProgress,
    unfilled: FillError,
    target: Option<&Target>,
) -> Outcome {
    match unfilled {
        FillError::Gone => {
            let emptied =
                planned.action.as_ref().and_then(|action| secret_input::find_lost_field(cx, action, target));
            let field = emptied.or(target.map(|target| target.name.as_str())).unwrap_or_default();
            let text = words::retype_secret_text(field, cx.state.locale);
            cx.ask = Some(questions::take_over_question(cx.state.locale, &text));
            NeedsHands
        }
        FillError::Misplaced => {
            cx.finish_untyped(planned, unfilled);
            Gone
        }
    }
}

/// Returns the target of the action, if it still is what the planner was shown.
async fn as_shown(
    cx: &VisitContext,
    action: &Action,
) -> Result<Result<Option<Target>, PageError>, ProgramError> {
    let shown = cx.desk.observation();
    let target = match about_it(cx, action).await? {
        Ok(target) => target,
        Err(fault) => return Ok(Err(fault)),
    };
    if let (Some(shown), Some(target)) = (shown, target.as_ref().filter(|_| action.changes_page())) {
        if let Some(fault) = stale_ref::find_stale_element(cx, &shown.observation, target).await? {
            return Ok(Err(fault));
        }
        cx.desk.clear_changed();
    }
    Ok(Ok(target))
}

async fn about_it(
    cx: &VisitContext,
    action: &Action,
) -> Result<Result<Option<Target>, PageError>, ProgramError> {
    if matches!(action, Action::Page(PageAction::Press { .. }))
        && let Err(fault) = cx.observe().await?
    {
        // A key goes to the element that has the focus now, not at the last observation.
        return Ok(Err(fault));
    }
    if let Action::Page(PageAction::Dialog { .. }) = action {
        return Ok(Ok(cx.dialog()));
    }
    let Some(eid) = about(cx, action) else { return Ok(Ok(None)) };
    Ok(examine::examine(cx, action, eid).await?.map(Some))
}

/// Returns the page as it was observed. The page may have changed since, so the address comes from the
/// element.
fn page(cx: &VisitContext, target: Option<&Target>) -> PageRef {
    let mut page =
        cx.desk.observation().map(|seen| PageRef::from_observation(&seen.observation)).unwrap_or_default();
    if let Some(target) = target {
        page.url.clone_from(&target.page);
    }
    page
}

/// Returns the element that the action is about; for a key press, the focused one.
fn about(cx: &VisitContext, action: &Action) -> Option<u32> {
    if let Action::Page(PageAction::Press { .. }) = action {
        let look = cx.desk.observation()?;
        return look.observation.lines.iter().find(|line| line.attributes.focused)?.eid;
    }
    action.eid()
}

async fn granted(cx: &VisitContext, verdict: &Verdict) -> Result<bool, ProgramError> {
    let now = Moment::now();
    let granted = record::record_input("granted", async {
        let held = cx.deps.store.grants(now).await?;
        let answers = |grant: Grant| grants::answers(&grant, verdict, &cx.root, now);
        Ok(held.iter().filter_map(grant_of).any(answers))
    });
    granted.await
}

fn grant_of(row: &GrantRow) -> Option<Grant> {
    Some(Grant {
        id: row.id.clone(),
        scope: [GrantScope::Run, GrantScope::Site].into_iter().find(|scope| scope.as_str() == row.scope)?,
        run_id: row.run.clone()?,
        origin: row.origin.clone()?,
        rule: row.rule.clone(),
        created_at: row.created_at,
        expires_at: row.expires_at,
    })
}

/// Adds the decision as an event for viewers and as a row of the audit log.
fn tell(cx: &mut VisitContext, planned: &TurnProgress, verdict: &Verdict, granted: bool) {
    let decision = verdict.decision.as_str();
    cx.push_event(Fact::Event(Event::Policy {
        decision: String::from(if granted { "allow" } else { decision }),
        rule: verdict.rule.clone(),
        risk: verdict.risk.as_str().to_owned(),
        effect: verdict.effect.as_str().to_owned(),
        action_id: planned.action_id.clone(),
        reason: verdict.refusal(),
    }));
    cx.record.audit.push(json!({
        "action_id": planned.action_id,
        "action": planned.action.as_ref().map(Action::name),
        "decision": if granted { "allow" } else { decision },
        "rule": verdict.rule,
        "risk": verdict.risk.as_str(),
        "effect": verdict.effect.as_str(),
        "origin": verdict.origin,
        "values": questions::shown_values(verdict),
        "by": if granted { "grant" } else { "policy" },
        "picture": cx.state.last_screenshot,
    }));
}
