//! Answers of programs: a program may not answer questions of runs that it started, unless the owner allows it
//! (`gate.client_answers`). The first event of a run tree names the program that started it.

use crate::engine::error::RunRequestError;
use crate::engine::services::RunServices;
use crate::protocol::caller::{Caller, CallerKind};
use crate::protocol::server::Fact;
use crate::store::rows::QuestionRow;

/// Fails if the client is a program that started the tree in which the question was asked.
///
/// A chat client passes: it carries the words of the person who types there, and is never asked for an
/// approval.
pub(crate) async fn check_answering_client(
    services: &RunServices,
    client: &Caller,
    question: &QuestionRow,
) -> Result<(), RunRequestError> {
    if services.client_answers || !client.is_program() || client.kind == CallerKind::Openai {
        return Ok(());
    }
    let first = services.store.events(question.root.clone(), 0, 1).await?;
    let first = first.first().and_then(|event| serde_json::from_str(&event.body).ok());
    match first {
        Some(Fact::RunStarted { client: Some(starter), .. }) if starter.is_same_program(client) => {
            Err(RunRequestError::OwnQuestion)
        }
        Some(_) | None => Ok(()),
    }
}
