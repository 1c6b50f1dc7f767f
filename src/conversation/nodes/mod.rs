//! The nodes of the conversation graph, a file each: what can come of a visit, and the visit. No
//! node knows another or what follows it; `graph::route` does.

pub mod confirm;
pub mod execute_action;
pub mod finalize;
pub mod ingest_user_input;
pub mod manual;
pub mod maybe_observe;
pub mod maybe_stop_or_continue;
pub mod plan_action;
pub mod policy_gate;
pub mod question;
pub mod validate_action;

use super::cx::Cx;
use super::graph::{Done, Node};
use crate::program::ProgramError;

/// Visits one node.
pub async fn visit(node: Node, cx: &mut Cx) -> Result<Done, ProgramError> {
    Ok(match node {
        Node::IngestUserInput => Done::Ingest(ingest_user_input::visit(cx).await?),
        Node::MaybeObserve => Done::Observe(maybe_observe::visit(cx).await?),
        Node::PlanAction => Done::Plan(plan_action::visit(cx).await?),
        Node::ValidateAction => Done::Validate(validate_action::visit(cx).await?),
        Node::PolicyGate => Done::Gate(policy_gate::visit(cx).await?),
        Node::Confirm => Done::Confirm(confirm::visit(cx).await?),
        Node::Manual => Done::Manual(manual::visit(cx).await?),
        Node::Question => Done::Question(question::visit(cx).await?),
        Node::ExecuteAction => Done::Execute(execute_action::visit(cx).await?),
        Node::MaybeStopOrContinue => Done::Continue(maybe_stop_or_continue::visit(cx).await?),
        Node::FinalizeDone => Done::Finalize(finalize::done(cx).await?),
        Node::FinalizeDenied => Done::Finalize(finalize::denied(cx).await?),
        Node::FinalizeCancelled => Done::Finalize(finalize::cancelled(cx).await?),
        Node::FinalizeBlocked => Done::Finalize(finalize::blocked(cx).await?),
        Node::FinalizeLimit => Done::Finalize(finalize::limit(cx).await?),
    })
}
