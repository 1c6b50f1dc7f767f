//! What people say to a run: messages and answers, and the answers that did not come in time. Each question
//! is answered once, whoever does it; the answer is stored and the run is woken, nothing else.

use super::error::RegistryError;
use super::registry::{Registry, Work, unknown};
use super::{Order, checkpoint, lease, resolving};
use crate::clock::Moment;
use crate::ids::{QuestionId, RunId, SessionId};
use crate::program::Programs;
use crate::protocol::caller::Caller;
use crate::protocol::client::Answer;
use crate::protocol::server::{Question, ResolvedBy};
use crate::store::StoreError;
use crate::store::rows::{Answered, QuestionRow, Resolution, Try};
use actix::prelude::*;
use futures_util::FutureExt;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// How often open questions, and runs at rest, are looked at for one whose time is up.
pub const TICK: Duration = Duration::from_millis(500);

/// The next message of a run; the answer, if the run waits for words or for hands.
#[derive(Message)]
#[rtype(result = "Result<(), RegistryError>")]
pub struct Say {
    pub run: RunId,
    pub text: String,
    /// The client that it came from.
    pub client: Caller,
    /// Kept with it.
    pub tried: Option<Try>,
}

/// Answers a question. Only people reach this message: no program holds an address of the registry.
#[derive(Message)]
#[rtype(result = "Result<(), RegistryError>")]
pub struct Reply {
    pub reference: QuestionId,
    pub answer: Answer,
    /// The socket that it came by, if it came by one.
    pub by: Option<SessionId>,
    /// The client that it came from.
    pub client: Caller,
    /// Kept with it.
    pub tried: Option<Try>,
}

impl Reply {
    /// With nothing kept beside it.
    pub fn plain(reference: QuestionId, answer: Answer, by: Option<SessionId>, client: Caller) -> Self {
        Self { reference, answer, by, client, tried: None }
    }
}

impl Registry {
    pub(super) fn expire(&mut self, ctx: &mut Context<Self>) {
        let (store, since) = (Arc::clone(&self.engine.store), self.since);
        let unreadable = self.unreadable.clone();
        let work: Work = async move {
            let mut orders = Vec::new();
            let overdue = store.overdue_questions(Moment::now()).await?;
            for row in overdue.into_iter().filter(|row| since.is_none_or(|since| row.asked_at >= since)) {
                let answered =
                    checkpoint::answered(&row.reference, ResolvedBy::Expired, &Answer::default(), None, None);
                let resolution = resolving::resolve(&*store, &row, answered, "expired").await?;
                if let Resolution::Resolved { run, .. } = resolution {
                    orders.push((run, Order::Wake));
                }
            }
            let overdue = store.overdue(Moment::now()).await?;
            for run in overdue.into_iter().filter(|run| !unreadable.contains(run)) {
                let row = if since.is_some() { store.run(run.clone()).await? } else { None };
                if row.is_none_or(|row| since.is_none_or(|since| row.created_at >= since)) {
                    orders.push((run, Order::TimeUp));
                }
            }
            Ok(orders)
        }
        .boxed_local();
        ctx.spawn(self.aside(work).map(|result, _, _| {
            if let Err(fault) = result {
                tracing::warn!(%fault, "expired questions not looked at");
            }
        }));
    }
}

impl Handler<Say> for Registry {
    type Result = ResponseActFuture<Self, Result<(), RegistryError>>;

    fn handle(&mut self, say: Say, _: &mut Self::Context) -> Self::Result {
        let engine = Arc::clone(&self.engine);
        let work: Work = async move {
            let store = &engine.store;
            let row = store.run(say.run.clone()).await?.ok_or_else(|| unknown(&say.run))?;
            if !engine.programs.hears(&row.program) {
                return Err(RegistryError::Deaf(row.agent));
            }
            if let Some(reference) = row.question
                && let Some(question) = store.question(reference).await?
                && matches!(question.kind.as_str(), "manual" | "question")
                && question.resolved_by.is_none()
            {
                let text = engine.programs.conceal(&row.root, &say.text, Some(&question.frame));
                let answer = Answer { text: Some(text), ..Answer::default() };
                let answered =
                    Answered { tried: say.tried.clone(), ..answered(&question, &answer, Some(&say.client)) };
                let resolution = resolving::resolve(&**store, &question, answered, "user").await?;
                if let Resolution::Resolved { run, .. } = resolution {
                    return Ok(vec![(run, Order::Wake)]);
                }
            }
            let text = engine.programs.conceal(&row.root, &say.text, None);
            let message = store.deliver(say.run.clone(), text, say.tried).await?;
            let message = message.ok_or_else(|| unknown(&say.run))?;
            Ok(vec![(say.run, Order::Read(message))])
        }
        .boxed_local();
        self.aside(work)
    }
}

impl Handler<Reply> for Registry {
    type Result = ResponseActFuture<Self, Result<(), RegistryError>>;

    fn handle(&mut self, reply: Reply, _: &mut Self::Context) -> Self::Result {
        let Reply { reference, answer, by, client, tried } = reply;
        let engine = Arc::clone(&self.engine);
        let others: Vec<RunId> = self.leases.held_by_others(by.as_ref()).cloned().collect();
        let work: Work = async move {
            let store = &engine.store;
            let row = store.question(reference.clone()).await?;
            let row = row.ok_or_else(|| RegistryError::UnknownReference(reference.clone()))?;
            let answer = if row.resolved_by.is_none() { accepted(&row, answer)? } else { answer };
            if answer.done == Some(true) && !others.is_empty() {
                let run = store.run(row.run.clone()).await?.ok_or_else(|| unknown(&row.run))?;
                // It is done when they hand it back.
                if others.contains(&run.root) {
                    return Err(lease::Refusal::Held.into());
                }
            }
            let answer = concealed(answer, &row, engine.programs.as_ref());
            let answered = Answered { tried, ..answered(&row, &answer, Some(&client)) };
            match resolving::resolve(&**store, &row, answered, "user").await? {
                Resolution::Resolved { run, .. } => Ok(vec![(run, Order::Wake)]),
                Resolution::AlreadyResolved => Err(RegistryError::AlreadyResolved),
                Resolution::Expired => Err(RegistryError::Expired),
                Resolution::Unknown => Err(RegistryError::UnknownReference(reference)),
            }
        }
        .boxed_local();
        self.aside(work)
    }
}

/// An answer as it may be stored.
fn concealed(mut answer: Answer, row: &QuestionRow, programs: &dyn Programs) -> Answer {
    let hide = |text: &mut String| *text = programs.conceal(&row.root, text, Some(&row.frame));
    [&mut answer.text, &mut answer.comment, &mut answer.message].into_iter().flatten().for_each(hide);
    answer
}

fn accepted(row: &QuestionRow, answer: Answer) -> Result<Answer, RegistryError> {
    let question: Result<Question, _> = serde_json::from_value(row.frame.clone());
    match question {
        Ok(question) => {
            question.accepts(&answer).map_err(RegistryError::BadAnswer)?;
            Ok(question.counted(answer))
        }
        Err(fault) => Err(StoreError::Corrupt {
            what: format!("question {}", row.reference),
            reason: fault.to_string(),
        }
        .into()),
    }
}

/// The answer with the row that the audit log gets for it.
pub(super) fn answered(row: &QuestionRow, answer: &Answer, client: Option<&Caller>) -> Answered {
    let payload = &row.frame["payload"];
    let audit = json!({
        "question": row.reference,
        "kind": row.kind,
        "action_id": payload["action"]["action_id"],
        "action": payload["action"]["action"],
        "rule": payload["rule"],
        "risk": payload["risk"],
        "decision": if answer.confirmed == Some(false) { "declined" } else { "answered" },
        "remember": answer.remember,
        "by": "user",
        "client": client,
        "origin": payload["page"]["origin"],
        // As they were shown: secrets are masked in the question already.
        "values": payload["values"],
        "picture": payload["screenshot"],
    });
    checkpoint::answered(&row.reference, ResolvedBy::User, answer, client, Some(audit))
}
