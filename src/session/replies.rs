//! What a socket is told for itself alone: replies and refusals, each with its word on the wire.

use super::{Context, Session};
use crate::ids::QuestionId;
use crate::protocol::server::Reply;
use crate::run::error::RegistryError;
use crate::store::StoreError;
use actix::MailboxError;

impl Session {
    pub(super) fn error(&self, code: &'static str, message: &str, ctx: &mut Context) {
        reply(&Reply::Error { code, message: message.to_owned(), reference: None }, ctx);
    }

    pub(super) fn refused(&self, fault: &RegistryError, reference: Option<QuestionId>, ctx: &mut Context) {
        reply(&Reply::Error { code: fault.code(), message: fault.to_string(), reference }, ctx);
    }

    pub(super) fn internal(&self, fault: &StoreError, ctx: &mut Context) {
        tracing::error!(session_id = %self.id, %fault, "request of a socket failed");
        self.error("internal", "the service could not use its store; its log says why", ctx);
    }
}

pub(super) fn reply(frame: &Reply, ctx: &mut Context) {
    // Serialising our own frames cannot fail; were it to, the client would see an empty one.
    ctx.text(serde_json::to_string(frame).unwrap_or_default());
}

pub(super) fn flat<T>(result: Result<Result<T, RegistryError>, MailboxError>) -> Result<T, RegistryError> {
    result.unwrap_or_else(|_| Err(RegistryError::Store(StoreError::Stopped)))
}
