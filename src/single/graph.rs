//! The diagram of a run of one call: code, a command, or a model's answer. What touches more than its own
//! inputs is asked about first. Pure: an outcome leads to the next node, to a question, or to an end.

use crate::protocol::Status;
use serde::{Deserialize, Serialize};

/// Where such a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Node {
    PolicyGate,
    Confirm,
    Execute,
    FinalizeDone,
    FinalizeFailed,
    FinalizeDenied,
    FinalizeCancelled,
    FinalizeLimit,
}

/// How a visit of a node ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Allowed,
    NeedsConfirmation,
    Denied,
    Approved,
    Declined,
    Executed,
    Failed,
    /// Tokens or money of the run tree are used up.
    OutOfBudget,
    Finalized,
}

/// What comes after a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    Go(Node),
    Ask(Node),
    End(Status),
}

/// The graph: one arrow a line; none where a node has no such outcome.
#[rustfmt::skip]
pub fn route(node: Node, outcome: Outcome) -> Option<Edge> {
    use Node::{Confirm, Execute, FinalizeCancelled, FinalizeDenied, FinalizeDone, FinalizeFailed, FinalizeLimit, PolicyGate};
    use Outcome::{Allowed, Approved, Declined, Denied, Executed, Failed, Finalized, NeedsConfirmation, OutOfBudget};
    match (node, outcome) {
        (PolicyGate,        Allowed)           => Some(Edge::Go(Execute)),
        (PolicyGate,        NeedsConfirmation) => Some(Edge::Ask(Confirm)),
        (PolicyGate,        Denied)            => Some(Edge::Go(FinalizeDenied)),
        (Confirm,           Approved)          => Some(Edge::Go(Execute)),
        (Confirm,           Declined)          => Some(Edge::Go(FinalizeCancelled)),
        (Execute,           Executed)          => Some(Edge::Go(FinalizeDone)),
        (Execute,           Failed)            => Some(Edge::Go(FinalizeFailed)),
        (Execute,           OutOfBudget)       => Some(Edge::Go(FinalizeLimit)),
        (FinalizeDone,      Finalized)         => Some(Edge::End(Status::Succeeded)),
        (FinalizeFailed,    Finalized)         => Some(Edge::End(Status::Failed)),
        (FinalizeDenied,    Finalized)         => Some(Edge::End(Status::Denied)),
        (FinalizeCancelled, Finalized)         => Some(Edge::End(Status::Cancelled)),
        (FinalizeLimit,     Finalized)         => Some(Edge::End(Status::Exhausted)),

        (PolicyGate, Approved | Declined | Executed | Failed | OutOfBudget | Finalized)
        | (Confirm, Allowed | NeedsConfirmation | Denied | Executed | Failed | OutOfBudget | Finalized)
        | (Execute, Allowed | NeedsConfirmation | Denied | Approved | Declined | Finalized)
        | (
            FinalizeDone | FinalizeFailed | FinalizeDenied | FinalizeCancelled | FinalizeLimit,
            Allowed | NeedsConfirmation | Denied | Approved | Declined | Executed | Failed | OutOfBudget,
        ) => None,
    }
}

impl Node {
    pub const ALL: [Self; 8] = [
        Self::PolicyGate,
        Self::Confirm,
        Self::Execute,
        Self::FinalizeDone,
        Self::FinalizeFailed,
        Self::FinalizeDenied,
        Self::FinalizeCancelled,
        Self::FinalizeLimit,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::PolicyGate => "policy_gate",
            Self::Confirm => "confirm",
            Self::Execute => "execute",
            Self::FinalizeDone => "finalize_done",
            Self::FinalizeFailed => "finalize_failed",
            Self::FinalizeDenied => "finalize_denied",
            Self::FinalizeCancelled => "finalize_cancelled",
            Self::FinalizeLimit => "finalize_limit",
        }
    }
}

impl Outcome {
    pub const ALL: [Self; 9] = [
        Self::Allowed,
        Self::NeedsConfirmation,
        Self::Denied,
        Self::Approved,
        Self::Declined,
        Self::Executed,
        Self::Failed,
        Self::OutOfBudget,
        Self::Finalized,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Self::Allowed => "Allowed",
            Self::NeedsConfirmation => "NeedsConfirmation",
            Self::Denied => "Denied",
            Self::Approved => "Approved",
            Self::Declined => "Declined",
            Self::Executed => "Executed",
            Self::Failed => "Failed",
            Self::OutOfBudget => "OutOfBudget",
            Self::Finalized => "Finalized",
        }
    }
}
