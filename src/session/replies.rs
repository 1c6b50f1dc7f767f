//! Frames for one socket alone: replies and errors, each with its code on the wire.

use crate::engine::error::RunRequestError;
use crate::ids::{QuestionId, RunId};
use crate::protocol::server::Reply;
use crate::session::state::{Context, Session};
use crate::store::error::StoreError;
use actix::MailboxError;

impl Session {
    pub(crate) fn send_error(&self, code: &'static str, message: &str, ctx: &mut Context) {
        reply(&Reply::Error { code, message: message.to_owned(), reference: None, run_id: None }, ctx);
    }

    pub(crate) fn send_refusal(
        &self,
        fault: &RunRequestError,
        reference: Option<QuestionId>,
        ctx: &mut Context,
    ) {
        let message = fault.to_string();
        reply(&Reply::Error { code: fault.code(), message, reference, run_id: None }, ctx);
    }

    /// Tells the client that a run it followed was deleted.
    pub(crate) fn send_deleted(&self, run: &RunId, ctx: &mut Context) {
        let message = String::from("this run was deleted");
        reply(
            &Reply::Error { code: "unknown_run", message, reference: None, run_id: Some(run.clone()) },
            ctx,
        );
    }

    pub(crate) fn send_internal_error(&self, fault: &StoreError, ctx: &mut Context) {
        tracing::error!(session_id = %self.id, %fault, "request of a socket failed");
        self.send_error("internal", "the service could not use its store; its log says why", ctx);
    }
}

pub(crate) fn reply(frame: &Reply, ctx: &mut Context) {
    // Serializing these types cannot fail; if it did, the client would receive an empty frame.
    ctx.text(serde_json::to_string(frame).unwrap_or_default());
}

pub(crate) fn flatten_reply<T>(
    result: Result<Result<T, RunRequestError>, MailboxError>,
) -> Result<T, RunRequestError> {
    result.unwrap_or_else(|_| Err(RunRequestError::Store(StoreError::Stopped)))
}
