//! Carries out the planned action (S1.27).
//!
//! Beside `questions::held_request`, which lets held requests leave, this is the only node with effects outside, but for
//! the scripts that a page runs as it is left because it may not be observed (`acting/observe.rs`). The intent of an effect
//! is stored first, so that after a crash the run resumes at `maybe_observe` and nothing is done twice. An approved action is compared with the page right before the effect; if the page is not what the person
//! saw, nothing is done.

use crate::browser::input::ActionOptions;
use crate::browser::input::gestures::points::PointCheck;
use crate::browser::input::outcome::ActionOutcome;
use crate::browser::messages::Perform;
use crate::clock::Stopwatch;
use crate::engine::program::ProgramError;
use crate::page::url::strip_fragment;
use crate::planning::{APPROVAL_VOID, ActionStatus};
use crate::programs::conversation::acting::finish_action;
use crate::programs::conversation::acting::flow_check;
use crate::programs::conversation::acting::performed_action;
use crate::programs::conversation::acting::reading::model_rows;
use crate::programs::conversation::acting::reading::read_file;
use crate::programs::conversation::acting::request_guard;
use crate::programs::conversation::acting::secret_input;
use crate::programs::conversation::acting::unasked_messages;
use crate::programs::conversation::calls::call_effects::CallStart;
use crate::programs::conversation::calls::{agent_calls, task_operations};
use crate::programs::conversation::effects;
use crate::programs::conversation::planning::knowledge_recall;
use crate::programs::conversation::planning::premove_runs;
use crate::programs::conversation::questions::approval_check;
use crate::programs::conversation::questions::approval_check::ApprovalCheck;
use crate::programs::conversation::questions::held_requests;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::plan_state::PlanChange;
use crate::programs::conversation::state::turn::turn_progress::TurnProgress;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;
use crate::protocol::action_effect::ActionEffect;
use crate::protocol::event::{ActionEnd, Event, TextInLanguages};
use crate::protocol::server::Fact;
use crate::record;
use crate::store::rows::Intent;
use crate::turn::action::{Action, AgentAction, PageAction};
use crate::turn::internal_action::InternalAction;
use serde_json::json;
use std::sync::Arc;

pub use Outcome::*;

outcomes! {
    pub enum Outcome {
        Executed,
        Failed,
        /// The action is no longer what the person approved, or its secret is lost; nothing was done.
        Void,
        /// A request that the action caused waits for the person.
        Held,
        /// Agents are called, and the action waits for them.
        Called,
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    let planned = cx.planned_turn()?.clone();
    let Some(action) = planned.action.clone() else {
        return Err(ProgramError::Failed(String::from("the planned action was not validated")));
    };
    if matches!(action, Action::Agent(AgentAction::Stop { .. })) {
        let dropped = planned.remaining_as_dropped("the turn stopped before it");
        performed_action::finish_with_result(cx, &planned, &action, (Ok(None), dropped), false);
        return Ok(Executed);
    }
    if let Action::Agent(AgentAction::Inner(inner)) = &action {
        return perform_internal(cx, &planned, inner).await;
    }
    effects::hold_browser(cx).await?;
    if cx.state.repeat_for.is_some() {
        // The approved request may leave now.
        cx.change(ConversationChange::Effect);
    }
    let action = match cx.state.approval.clone().filter(|approval| approval.given) {
        None => action,
        Some(approval) => match approval_check::check_approval(cx, &approval, action.clone()).await? {
            ApprovalCheck::Same(action) => action,
            ApprovalCheck::Changed(how) => {
                void_approval(cx, &planned, &how);
                return Ok(Void);
            }
        },
    };
    let filled_action = match secret_input::fill_secrets(cx, action.clone(), cx.working_set.target().as_ref())
    {
        Ok(filled_action) => filled_action,
        Err(unfilled) => {
            finish_action::finish_unfilled(cx, &planned, unfilled);
            return Ok(Void);
        }
    };
    flow_check::record_sent(cx, &action, cx.working_set.target().as_ref());
    let outcome = perform_with_intent(cx, &planned, (action, filled_action)).await?;
    effects::store_snapshot(cx).await?;
    Ok(outcome)
}

/// Stores the intent, performs the filled-in action and reports its result, unless a request that it caused waits
/// for the person. The event and, for an effect, the intent are stored before anything happens.
async fn perform_with_intent(
    cx: &mut VisitContext,
    planned: &TurnProgress,
    (action, filled_action): (Action, Action),
) -> Result<Outcome, ProgramError> {
    let started = Fact::Event(Event::ActionStarted {
        action_id: planned.action_id.clone(),
        action: action.name().to_owned(),
        params: planned.params(),
        target: cx.working_set.target_json(cx.deps.view.viewport),
    });
    let started = Vec::from_iter(secret_input::mask_event(&cx.deps.vault, &started));
    if cx.state.has_outside_effect {
        let intent = Intent { action_id: planned.action_id.clone(), action: json!(action) };
        cx.journal.store_intent(intent, started).await?;
    } else {
        cx.journal.store_events(started).await?;
    }
    let watch = Stopwatch::start();
    let judge = request_guard::judge_of_action(cx, planned, &action, &filled_action);
    let perform = Perform { action: filled_action, options: action_options(cx, &action).await };
    let result = match perform.options.model_completes_rows {
        true => model_rows::perform_action(cx, perform, &judge).await?,
        false => effects::perform_in_browser(cx, perform, Arc::clone(&judge)).await?,
    };
    if let Some(repeated) = cx.state.repeat_for.as_ref().map(|approved| approved.reference.clone())
        && record::record_value("approval used", || judge.has_used_approval(&repeated))
    {
        cx.change(ConversationChange::RepeatEnded);
    }
    let result = unasked_messages::report_unasked(cx, &planned.action_id, result);
    if let Ok(ActionOutcome { held: Some(batch), .. }) = &result
        && held_requests::ask_about_batch(cx, batch.clone(), true).await?
    {
        // Nothing has left yet: what is released later has an intent of its own.
        cx.record.receipt = cx.state.has_outside_effect.then(|| json!({"ok": true, "held": true}));
        return Ok(Held);
    }
    let worked = performed_action::finish_performed(cx, planned, &action, result, watch.millis()).await?;
    Ok(if worked { Executed } else { Failed })
}

async fn action_options(cx: &VisitContext, action: &Action) -> ActionOptions {
    let continues_turn = cx.state.planned_action.as_ref().is_some_and(|planned| planned.at > 0);
    let (focus_eid, picture) = (focus_target(cx, action), picture_of_points(cx, action).await);
    let (model_completes_rows, tool_digest) = (model_rows::may_ask_model(cx, action), shown_tool(cx, action));
    let programs = may_fetch_programs(cx);
    ActionOptions {
        focus_eid,
        picture,
        tool_digest,
        programs,
        model_completes_rows,
        continues_turn,
        skip_leave_dialog: false,
    }
}

/// Returns the digest of the tool's declaration that the planner saw and the gate judged.
fn shown_tool(cx: &VisitContext, action: &Action) -> Option<String> {
    let Action::Page(PageAction::Tool { name, .. }) = action else { return None };
    Some(cx.working_set.observation()?.observation.tool(name)?.digest.clone())
}

/// Returns the picture that the planner saw, for points on it.
async fn picture_of_points(cx: &VisitContext, action: &Action) -> Option<PointCheck> {
    let Action::Page(PageAction::Point(_)) = action else { return None };
    let shown = cx.working_set.observation()?;
    let url = strip_fragment(&shown.observation.url).to_owned();
    let jpeg = shown.picture.wait().await?;
    Some(PointCheck { jpeg, url, scroll: shown.observation.scroll.0 })
}

/// Reports whether the person has approved that the planned action downloads a program. Others are asked about when
/// they arrive.
fn may_fetch_programs(cx: &VisitContext) -> bool {
    cx.state.approval.as_ref().is_some_and(|approval| approval.given && approval.download)
}

/// Returns the element that must have the focus for a key press: the one that the gate judged.
fn focus_target(cx: &VisitContext, action: &Action) -> Option<u32> {
    if !matches!(action, Action::Page(PageAction::Press { .. })) {
        return None;
    }
    cx.working_set.target().map(|target| target.eid)
}

fn void_approval(cx: &mut VisitContext, planned: &TurnProgress, how: &str) {
    let message = format!(
        "not done: the page is not what the person approved any more ({how}); look and propose again"
    );
    cx.change(ConversationChange::NeedsObserve);
    finish_action::finish_not_done(cx, planned, APPROVAL_VOID, message);
}

async fn perform_internal(
    cx: &mut VisitContext,
    planned: &TurnProgress,
    inner: &InternalAction,
) -> Result<Outcome, ProgramError> {
    match inner {
        InternalAction::Replan { .. } if cx.state.plan.edited => {
            let why = String::from("the person changed the plan meanwhile; go by it as it is now");
            finish_action::finish_not_done(cx, planned, "plan_changed", why);
            Ok(Outcome::Failed)
        }
        InternalAction::Replan { reason } => {
            let reason = if reason.trim().is_empty() { "the task needs several steps" } else { reason };
            cx.change(ConversationChange::Plan(PlanChange::Wanted(reason.to_owned())));
            Ok(finish_internal(cx, planned, None, None))
        }
        InternalAction::Agent { .. } | InternalAction::Group { .. } => {
            Ok(call_outcome(agent_calls::start_call(cx, planned).await?))
        }
        InternalAction::TaskManager { operation, task_id } => Ok(call_outcome(
            task_operations::run_operation(cx, planned, *operation, task_id.as_deref()).await?,
        )),
        InternalAction::Recall { query, relics } => {
            let found = knowledge_recall::recall(cx, query, relics).await;
            found.iter().for_each(|text| cx.deps.texts.add_trusted(text));
            Ok(finish_with(cx, planned, found, "no_knowledge"))
        }
        InternalAction::ReadFile { file, pages, pictures } => {
            let read = read_file::read_file(cx, file, pages.clone(), *pictures).await;
            Ok(finish_reading(cx, planned, read))
        }
        InternalAction::Premove { operation, name, agent, params } => {
            let premove = (name.as_deref(), agent.as_deref(), params);
            let done = premove_runs::run_premove_operation(cx, *operation, premove);
            Ok(finish_with(cx, planned, done, "no_premove"))
        }
    }
}

/// Finishes an internal action with its text, or as not carried out for a reason with this code.
fn finish_with(
    cx: &mut VisitContext,
    planned: &TurnProgress,
    found: Result<String, String>,
    code: &str,
) -> Outcome {
    match found {
        Ok(text) => finish_internal(cx, planned, Some(text), None),
        Err(why) => {
            finish_action::finish_not_done(cx, planned, code, why);
            Outcome::Failed
        }
    }
}

/// Finishes the reading of a file with its text and what is to be known about it.
fn finish_reading(
    cx: &mut VisitContext,
    planned: &TurnProgress,
    read: Result<(String, Vec<ActionEffect>), String>,
) -> Outcome {
    match read {
        Ok((text, effects)) => {
            let told = performed_action::effects_for_people(cx, &effects);
            finish_internal(cx, planned, Some(text), told)
        }
        Err(why) => finish_with(cx, planned, Err(why), "unreadable_file"),
    }
}

fn call_outcome(begun: CallStart) -> Outcome {
    match begun {
        CallStart::Waits => Outcome::Called,
        CallStart::Over { ok: true } => Outcome::Executed,
        CallStart::Over { ok: false } => Outcome::Failed,
    }
}

/// Finishes an action that is done at once. It does not count as a tool step.
fn finish_internal(
    cx: &mut VisitContext,
    planned: &TurnProgress,
    returned: Option<String>,
    summary_texts: Option<TextInLanguages>,
) -> Outcome {
    let result = planned.result(ActionStatus::Ok, returned);
    cx.push_event(Fact::Event(Event::ActionStarted {
        action_id: result.action_id.clone(),
        action: result.action.clone(),
        params: planned.params(),
        target: None,
    }));
    cx.push_event(Fact::Event(Event::from(ActionEnd {
        action_id: result.action_id.clone(),
        action: result.action.clone(),
        ok: true,
        result: result.returned.clone().map(serde_json::Value::String),
        summary_texts,
        ..ActionEnd::default()
    })));
    cx.change(ConversationChange::Finished { result, dropped: Vec::new(), counts: false });
    Outcome::Executed
}
