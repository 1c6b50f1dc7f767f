//! The six final nodes of the graph (S1.29): each writes the final response. The engine sends it as
//! `agent_message` and ends the run, as for every program.

use crate::engine::program::ProgramError;
use crate::programs::conversation::ending::response;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::node::ConversationNode;
use crate::programs::conversation::visit_context::VisitContext;
use crate::programs::outcome::outcomes;
pub use Outcome::*;

outcomes! {
    pub enum Outcome {
        Done,
        /// The plan has open items.
        Partial,
        Denied,
        Cancelled,
        Blocked,
        Limit,
    }
}

pub async fn done(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    if cx.state.final_response.as_deref().is_none_or(|text| text.trim().is_empty()) {
        respond(cx, ConversationNode::FinalizeDone);
    }
    Ok(Done)
}

pub async fn partial(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    if cx.state.final_response.as_deref().is_none_or(|text| text.trim().is_empty()) {
        respond(cx, ConversationNode::FinalizePartial);
    }
    Ok(Partial)
}

pub async fn denied(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    respond(cx, ConversationNode::FinalizeDenied);
    Ok(Denied)
}

pub async fn cancelled(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    respond(cx, ConversationNode::FinalizeCancelled);
    Ok(Cancelled)
}

pub async fn blocked(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    if cx.state.final_response.as_deref().is_none_or(|text| text.trim().is_empty()) {
        respond(cx, ConversationNode::FinalizeBlocked);
    }
    Ok(Blocked)
}

pub async fn limit(cx: &mut VisitContext) -> Result<Outcome, ProgramError> {
    respond(cx, ConversationNode::FinalizeLimit);
    Ok(Limit)
}

fn respond(cx: &mut VisitContext, node: ConversationNode) {
    let text = response::final_response(node, &cx.state, &cx.deps.limits);
    cx.change(ConversationChange::Responded(text));
}
