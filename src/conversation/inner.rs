//! Carries out actions that need neither the page nor the person: changes of the agent's own plan, tasks,
//! premoves and knowledge queries, and calls of other agents.

use super::calling;
use super::change::{ConversationChange, TurnProgress};
use super::cx::VisitContext;
use super::follows::CallStart;
use super::goals::PlanChange;
use super::managing;
use super::nodes::execute_action::Outcome;
use crate::model::ActionOutcome as ResultOutcome;
use crate::program::ProgramError;
use crate::protocol::server::{Event, Fact};
use crate::turn::inner::InternalAction;

pub async fn perform_internal(
    cx: &mut VisitContext,
    planned: &TurnProgress,
    inner: &InternalAction,
) -> Result<Outcome, ProgramError> {
    match inner {
        InternalAction::Replan { .. } if cx.was_edited() => {
            let why = String::from("the person changed the plan meanwhile; go by it as it is now");
            cx.finish_undone(planned, "plan_changed", why);
            Ok(Outcome::Failed)
        }
        InternalAction::Replan { reason } => {
            let reason = if reason.trim().is_empty() { "the task needs several steps" } else { reason };
            cx.change(ConversationChange::Goal(PlanChange::Wanted(reason.to_owned())));
            Ok(done(cx, planned, None))
        }
        InternalAction::Agent { .. } | InternalAction::Group { .. } => {
            Ok(outcome(calling::start_call(cx, planned).await?))
        }
        InternalAction::TaskManager { operation, task_id } => {
            Ok(outcome(managing::run_operation(cx, planned, *operation, task_id.as_deref()).await?))
        }
        InternalAction::Recall { query, relics } => match cx.recall(query, relics).await {
            Ok(text) => Ok(done(cx, planned, Some(text))),
            Err(why) => {
                cx.finish_undone(planned, "no_knowledge", why);
                Ok(Outcome::Failed)
            }
        },
        InternalAction::Premove { operation, name, agent, params } => {
            match cx.run_premove_operation(*operation, (name.as_deref(), agent.as_deref(), params)) {
                Ok(text) => Ok(done(cx, planned, Some(text))),
                Err(why) => {
                    cx.finish_undone(planned, "no_premove", why);
                    Ok(Outcome::Failed)
                }
            }
        }
    }
}

fn outcome(begun: CallStart) -> Outcome {
    match begun {
        CallStart::Waits => Outcome::Called,
        CallStart::Over { ok: true } => Outcome::Executed,
        CallStart::Over { ok: false } => Outcome::Failed,
    }
}

/// Finishes an action that is done at once. It does not count as a tool step.
fn done(cx: &mut VisitContext, planned: &TurnProgress, returned: Option<String>) -> Outcome {
    let result = planned.result(ResultOutcome::Ok, returned);
    cx.push_event(Fact::Event(Event::ActionStarted {
        action_id: result.action_id.clone(),
        action: result.action.clone(),
        params: planned.params(),
        target: None,
    }));
    cx.push_event(Fact::Event(Event::ActionFinished {
        action_id: result.action_id.clone(),
        action: result.action.clone(),
        ok: true,
        result: result.returned.clone().map(serde_json::Value::String),
        error: None,
        took_ms: 0,
        settled: None,
        files: Vec::new(),
        dropped: Vec::new(),
    }));
    cx.change(ConversationChange::Finished { result, dropped: Vec::new(), counts: false });
    Outcome::Executed
}
