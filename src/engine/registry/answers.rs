//! Messages to runs, answers to questions, and the expiry of questions and runs.
//!
//! Each question is resolved once. A handler stores the message or the answer and wakes the run; it does
//! nothing else.

use crate::clock::Moment;
use crate::engine::error::RunRequestError;
use crate::engine::questions;
use crate::engine::questions::QuestionEnd;
use crate::engine::registry::client_answers::check_answering_client;
use crate::engine::registry::state::{Registry, SignalsFuture, unknown_run};
use crate::engine::registry::takeovers;
use crate::engine::run::messages::RunSignal;
use crate::engine::takeover::lease;
use crate::ids::{QuestionId, RunId, SessionId};
use crate::protocol::caller::Caller;
use crate::protocol::client::Answer;
use crate::protocol::server::ResolvedBy;
use crate::store::rows::Resolution;
use crate::store::rows::idempotency::IdempotencyRecord;
use crate::store::rows::inbox::InboxItem;
use actix::prelude::*;
use futures_util::FutureExt;
use std::sync::Arc;

/// Sends a message to a run. Answers the open question of kind `manual` or `question`, if there is one.
#[derive(Message)]
#[rtype(result = "Result<(), RunRequestError>")]
pub struct SendMessage {
    pub run: RunId,
    pub text: String,
    /// The sending client.
    pub client: Caller,
    /// Idempotency record to store with the message.
    pub idempotency_record: Option<IdempotencyRecord>,
}

/// Answers a question. No program of a run holds an address of the registry; of the clients, one that started
/// the run may not answer (`client_answers`).
#[derive(Message)]
#[rtype(result = "Result<(), RunRequestError>")]
pub struct AnswerQuestion {
    pub reference: QuestionId,
    pub answer: Answer,
    /// The socket that sent the answer, if a socket did.
    pub by: Option<SessionId>,
    /// The answering client.
    pub client: Caller,
    /// Idempotency record to store with the answer.
    pub idempotency_record: Option<IdempotencyRecord>,
}

impl AnswerQuestion {
    /// Creates an answer without an idempotency record.
    pub fn new(reference: QuestionId, answer: Answer, by: Option<SessionId>, client: Caller) -> Self {
        Self { reference, answer, by, client, idempotency_record: None }
    }
}

impl Registry {
    pub(crate) fn expire_overdue(&mut self, ctx: &mut Context<Self>) {
        let (store, since) = (Arc::clone(&self.services.store), self.ignore_before);
        let unreadable = self.unreadable.clone();
        let work: SignalsFuture = async move {
            let mut signals = Vec::new();
            let overdue = store.overdue_questions(Moment::now()).await?;
            for row in overdue
                .into_iter()
                .filter(|row| store.owns(&row.root) && since.is_none_or(|since| row.asked_at >= since))
            {
                let expired = QuestionEnd::unanswered(ResolvedBy::Expired);
                let resolution = questions::resolve_question(&*store, &row, expired).await?;
                if let Resolution::Resolved { run, .. } = resolution {
                    signals.push((run, RunSignal::Wake));
                }
            }
            let overdue = store.overdue_runs(Moment::now()).await?;
            for run in overdue.into_iter().filter(|run| !unreadable.contains(run)) {
                let row = if since.is_some() { store.run(run.clone()).await? } else { None };
                if row.is_none_or(|row| since.is_none_or(|since| row.created_at >= since)) {
                    signals.push((run, RunSignal::TimeUp));
                }
            }
            Ok(signals)
        }
        .boxed_local();
        ctx.spawn(self.signal_after(work).map(|result, _, _| {
            if let Err(fault) = result {
                tracing::warn!(%fault, "search for expired questions and runs failed");
            }
        }));
    }
}

impl Handler<SendMessage> for Registry {
    type Result = ResponseActFuture<Self, Result<(), RunRequestError>>;

    fn handle(&mut self, request: SendMessage, _: &mut Self::Context) -> Self::Result {
        let services = Arc::clone(&self.services);
        let work: SignalsFuture = async move {
            let store = &services.store;
            let row = store.run(request.run.clone()).await?.ok_or_else(|| unknown_run(&request.run))?;
            if !services.programs.accepts_messages(&row.program) {
                return Err(RunRequestError::TakesNoMessages(row.agent));
            }
            if let Some(reference) = row.question
                && let Some(question) = store.question(reference).await?
                && matches!(question.kind.as_str(), "manual" | "question")
                && question.resolved_by.is_none()
            {
                check_answering_client(&services, &request.client, &question).await?;
                let text = services.programs.conceal(&row.root, &request.text, Some(&question.frame));
                let answer = Answer { text: Some(text), ..Answer::default() };
                let resolved =
                    QuestionEnd::answered(answer, Some(&request.client), request.idempotency_record.clone());
                let resolution = questions::resolve_question(&**store, &question, resolved).await?;
                if let Resolution::Resolved { run, .. } = resolution {
                    return Ok(vec![(run, RunSignal::Wake)]);
                }
            }
            let text = services.programs.conceal(&row.root, &request.text, None);
            let message = store
                .deliver(request.run.clone(), InboxItem::Words(text), request.idempotency_record)
                .await?;
            let message = message.ok_or_else(|| unknown_run(&request.run))?;
            Ok(vec![(request.run, RunSignal::Read(message))])
        }
        .boxed_local();
        self.signal_after(work)
    }
}

impl Handler<AnswerQuestion> for Registry {
    type Result = ResponseActFuture<Self, Result<(), RunRequestError>>;

    fn handle(&mut self, request: AnswerQuestion, _: &mut Self::Context) -> Self::Result {
        let AnswerQuestion { reference, answer, by, client, idempotency_record } = request;
        let services = Arc::clone(&self.services);
        let held_by_others: Vec<RunId> = self.leases.held_by_others(by.as_ref()).cloned().collect();
        let work: SignalsFuture = async move {
            let store = &services.store;
            let row = store.question(reference.clone()).await?;
            let row = row.ok_or_else(|| RunRequestError::UnknownQuestion(reference.clone()))?;
            let answer = match row.resolved_by {
                None => {
                    check_answering_client(&services, &client, &row).await?;
                    questions::accept_answer(&row, answer, &*services.programs)?
                }
                Some(_) => answer,
            };
            // Only the holder of the page may report the manual question as done, by handing the page back.
            if answer.done == Some(true)
                && (held_by_others.contains(&row.root)
                    || takeovers::is_held_elsewhere(&**store, &row.root).await?)
            {
                return Err(lease::LeaseRefusal::HeldByOther.into());
            }
            let resolved = QuestionEnd::answered(answer, Some(&client), idempotency_record);
            match questions::resolve_question(&**store, &row, resolved).await? {
                Resolution::Resolved { run, .. } => Ok(vec![(run, RunSignal::Wake)]),
                Resolution::AlreadyResolved => Err(RunRequestError::AlreadyResolved),
                Resolution::Expired => Err(RunRequestError::Expired),
                Resolution::Unknown => Err(RunRequestError::UnknownQuestion(reference)),
            }
        }
        .boxed_local();
        self.signal_after(work)
    }
}
