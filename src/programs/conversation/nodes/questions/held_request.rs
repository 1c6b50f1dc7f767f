//! Takes the answer to a question about requests that are held: they are released or fail (the wire layer of the
//! gate; S1.25, C24).

use crate::browser::error::PageError;
use crate::browser::input::outcome::ActionOutcome;
use crate::browser::messages::ReleaseOutcome;
use crate::clock::{Moment, Stopwatch};
use crate::engine::program::{ProgramError, QuestionResult};
use crate::gate::action_judge::CoveredRequest;
use crate::gate::grants::{self, Grant, RememberOffer};
use crate::gate::meaning::effect_class::EffectClass;
use crate::gate::wire_layer::proposed_request::{ApprovedContent, ApprovedEffect};
use crate::gate::wire_layer::question::{HeldQuestion, ShownRequest};
use crate::planning::APPROVAL_VOID;
use crate::programs::conversation::acting::{
    finish_action, performed_action, request_guard, unasked_messages,
};
use crate::programs::conversation::effects;
use crate::programs::conversation::questions::{flow_question, held_requests};
use crate::programs::conversation::state::changes::{ConversationChange, HeldEffect};
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;
use crate::protocol::Remember;
use crate::store::rows::Intent;
use serde_json::json;

pub use Outcome::*;

/// Note to the planner about requests that were refused.
const NOTHING_SENT: &str = "the person declined what the page was about to send; nothing was sent";
/// Note to the planner about a program that was refused.
const NOTHING_KEPT: &str = "the person declined the download; the file was deleted";

outcomes! {
    pub enum Outcome {
        /// The requests have left, and the page has settled.
        Released,
        /// They have left, and the page reported an error.
        Failed,
        /// Further requests of the page wait for the person.
        HeldAgain,
        /// The page gave them up before the answer: the action is done once more for the same requests.
        GivenUp,
        /// Their page is gone; nothing was sent.
        Void,
        /// Declined with a comment: the run goes on with it.
        Redirected,
        /// Declined without a comment, or expired.
        Declined,
    }
}

pub async fn visit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    let answer = cx.answer()?;
    let Some(held) = cx.state.held.clone() else {
        return Err(ProgramError::Failed(String::from("no held request is known")));
    };
    cx.change(ConversationChange::RequestsAnswered);
    if answer.by.is_answer() && answer.answer.confirmed == Some(true) {
        return release(cx, held, &answer).await;
    }
    decline(cx, held, answer).await
}

async fn decline(
    cx: &mut VisitContext,
    held: HeldEffect,
    answer: QuestionResult,
) -> Result<Outcome, ProgramError> {
    let is_download = held.question.effect == EffectClass::Download.as_str();
    let why = if is_download { NOTHING_KEPT } else { NOTHING_SENT };
    effects::fail_requests(cx, held.batch).await?;
    cx.change(ConversationChange::NeedsObserve);
    let comment = answer.answer.comment;
    let goes_on = if held.is_of_planned_action {
        finish_action::finish_declined(cx, why, comment)?
    } else {
        cx.change(ConversationChange::Note(why.to_owned()));
        finish_action::add_comment(cx, comment)
    };
    Ok(if goes_on { Redirected } else { Declined })
}

/// Lets the requests leave. The intent is stored before.
async fn release(
    cx: &mut VisitContext,
    held: HeldEffect,
    answer: &QuestionResult,
) -> Result<Outcome, ProgramError> {
    remember_approval(cx, &held, answer);
    if let Some(flow) = &held.question.flow {
        cx.change(ConversationChange::FlowAsked(flow.pairs().collect()));
        flow_question::consent(cx);
    }
    let reference = answer.reference.to_string();
    let action_id = held.question.caused_by.clone().unwrap_or_default();
    let intent = Intent { action_id: action_id.clone(), action: json!({"release": held.question.request}) };
    cx.journal.store_intent(intent, Vec::new()).await?;
    let watch = Stopwatch::start();
    let judge = request_guard::judge_of_release(cx, &held.question, &reference);
    let released = effects::release_requests(cx, held.batch.clone(), judge).await?;
    match released {
        Ok(ReleaseOutcome::Sent(outcome)) => {
            report_sent(cx, &held, &action_id, answer);
            let result = unasked_messages::report_unasked(cx, &action_id, Ok(*outcome));
            finish_released(cx, held, result, watch.millis()).await
        }
        Ok(ReleaseOutcome::GivenUp) => {
            cx.record.receipt = Some(json!({"ok": false, "sent": false}));
            Ok(repeat(cx, held, reference))
        }
        Ok(ReleaseOutcome::Void) => {
            cx.record.receipt = Some(json!({"ok": false, "sent": false}));
            void(cx, &held)?;
            Ok(Void)
        }
        Err(fault) => {
            report_sent(cx, &held, &action_id, answer);
            finish_released(cx, held, Err(fault), watch.millis()).await
        }
    }
}

/// Reports each request of the batch.
fn report_sent(cx: &mut VisitContext, held: &HeldEffect, action_id: &str, answer: &QuestionResult) {
    let by = answer.by.word().to_owned();
    for question in held_requests::read_questions(&held.batch) {
        let ShownRequest { method, url, .. } = question.request;
        let (action_id, covered_by) = (action_id.to_owned(), answer.reference.to_string());
        request_guard::report_effect(cx, CoveredRequest { action_id, method, url, covered_by }, &by);
    }
}

/// Reports the result of the action whose requests have left, or asks about further ones.
async fn finish_released(
    cx: &mut VisitContext,
    held: HeldEffect,
    result: Result<ActionOutcome, PageError>,
    took_ms: u64,
) -> Result<Outcome, ProgramError> {
    cx.record.receipt = Some(json!({"ok": result.is_ok()}));
    if let Ok(ActionOutcome { held: Some(batch), .. }) = &result
        && held_requests::ask_about_batch(cx, batch.clone(), held.is_of_planned_action).await?
    {
        return Ok(HeldAgain);
    }
    cx.change(ConversationChange::NeedsObserve);
    let worked = result.is_ok();
    let planned = cx.state.planned_action.clone().filter(|_| held.is_of_planned_action);
    if let Some(planned) = planned
        && let Some(action) = planned.action.clone()
    {
        performed_action::finish_performed(cx, &planned, &action, result, took_ms).await?;
    }
    effects::store_snapshot(cx).await?;
    Ok(if worked { Released } else { Failed })
}

/// Has the action done once more: the page gave its requests up before the answer. What leaves then must be the same.
fn repeat(cx: &mut VisitContext, held: HeldEffect, reference: String) -> Outcome {
    cx.deps.approvals.end_rest();
    cx.change(ConversationChange::NeedsObserve);
    if !held.is_of_planned_action {
        cx.change(ConversationChange::Note(String::from(
            "the page gave up what the person then approved; nothing was sent: do it again if it is still wanted",
        )));
        return Void;
    }
    let approved =
        held_requests::read_questions(&held.batch).into_iter().map(|question| question.approved).collect();
    let content = ApprovedContent::Requests(approved);
    cx.change(ConversationChange::RepeatApproved(Box::new(ApprovedEffect { reference, content })));
    GivenUp
}

/// Ends the action whose page is gone.
fn void(cx: &mut VisitContext, held: &HeldEffect) -> Result<(), ProgramError> {
    cx.deps.approvals.end_rest();
    cx.change(ConversationChange::NeedsObserve);
    let message = String::from(
        "not done: the page was closed before the person answered, and nothing was sent; look and propose again",
    );
    if held.is_of_planned_action {
        let planned = cx.planned_turn()?.clone();
        finish_action::finish_not_done(cx, &planned, APPROVAL_VOID, message);
    } else {
        cx.change(ConversationChange::Note(message));
    }
    Ok(())
}

/// Keeps what the person chose with the approval: a grant, or that the rest of the action is approved, too.
fn remember_approval(cx: &mut VisitContext, held: &HeldEffect, answer: &QuestionResult) {
    let choice = answer.answer.remember.unwrap_or_default();
    store_grant(cx, &held.question, choice);
    let covers_rest = choice == Remember::Action && held.question.remember.contains(&choice);
    // A batch is of one kind.
    if let Some(question) = held_requests::read_questions(&held.batch).first() {
        cx.deps.approvals.note_approved(question, &answer.reference.to_string(), covers_rest);
    }
}

/// Stores the grant that the person chose with the approval, if the question offered it.
fn store_grant(cx: &mut VisitContext, question: &HeldQuestion, choice: Remember) {
    let offer = RememberOffer {
        choices: &question.remember,
        origin: &question.origin,
        rule: &question.rule,
        covers: &question.covers,
    };
    let grant = grants::from_answer(offer, choice, &cx.root, Moment::now());
    cx.record.grant = grant.map(Grant::into_row);
}
