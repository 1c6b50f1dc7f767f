//! State graph of a single-call run: code, a command, a tool, or a model's answer. Actions that use more than
//! their own inputs need confirmation first. No state and no I/O; the diagram in docs/graphs.md is generated
//! from it.

use crate::programs::outcome::{graph_outcomes, outcomes};
use crate::protocol::Status;
use crate::text::named_values::named_values;
use serde::{Deserialize, Serialize};

named_values! {
    /// Nodes of the graph.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Node {
        PolicyGate = "policy_gate",
        Confirm = "confirm",
        Execute = "execute",
        FinalizeDone = "finalize_done",
        FinalizeFailed = "finalize_failed",
        FinalizeDenied = "finalize_denied",
        FinalizeCancelled = "finalize_cancelled",
        FinalizeLimit = "finalize_limit",
    }
}

graph_outcomes! {
    /// Outcome of a node, tagged with the node.
    pub enum SingleOutcome {
        Gate(policy_gate),
        Confirm(confirm),
        Execute(execute),
        Finalize(finalize),
    }
}

impl SingleOutcome {
    /// Returns the node that has the outcome.
    pub fn node(self) -> Node {
        match self {
            Self::Gate(_) => Node::PolicyGate,
            Self::Confirm(_) => Node::Confirm,
            Self::Execute(_) => Node::Execute,
            Self::Finalize(finalize::Done) => Node::FinalizeDone,
            Self::Finalize(finalize::Failed) => Node::FinalizeFailed,
            Self::Finalize(finalize::Denied) => Node::FinalizeDenied,
            Self::Finalize(finalize::Cancelled) => Node::FinalizeCancelled,
            Self::Finalize(finalize::Limit) => Node::FinalizeLimit,
        }
    }
}

pub mod policy_gate {
    pub use Outcome::*;

    super::outcomes! {
        pub enum Outcome {
            Allowed,
            NeedsConfirmation,
            Denied,
        }
    }
}

pub mod confirm {
    pub use Outcome::*;

    super::outcomes! {
        pub enum Outcome {
            Approved,
            Declined,
        }
    }
}

pub mod execute {
    pub use Outcome::*;

    super::outcomes! {
        pub enum Outcome {
            Executed,
            Failed,
            /// Its tokens or money, or those of a run above it, are used up.
            OutOfBudget,
        }
    }
}

pub mod finalize {
    pub use Outcome::*;

    super::outcomes! {
        pub enum Outcome {
            Done,
            Failed,
            Denied,
            Cancelled,
            Limit,
        }
    }
}

/// Transition to the next node. `Ask` is an interrupt: the run waits for a person and continues at the given
/// node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SingleEdge {
    Go(Node),
    Ask(Node),
    End(Status),
}

/// Every edge of the graph, one per line.
#[rustfmt::skip]
pub fn route(done: SingleOutcome) -> SingleEdge {
    use {SingleEdge::*, Node::*};
    match done {
        SingleOutcome::Gate(policy_gate::Allowed)           => Go(Execute),
        SingleOutcome::Gate(policy_gate::NeedsConfirmation) => Ask(Confirm),
        SingleOutcome::Gate(policy_gate::Denied)            => Go(FinalizeDenied),

        SingleOutcome::Confirm(confirm::Approved)           => Go(Execute),
        SingleOutcome::Confirm(confirm::Declined)           => Go(FinalizeCancelled),

        SingleOutcome::Execute(execute::Executed)           => Go(FinalizeDone),
        SingleOutcome::Execute(execute::Failed)             => Go(FinalizeFailed),
        SingleOutcome::Execute(execute::OutOfBudget)        => Go(FinalizeLimit),

        SingleOutcome::Finalize(finalize::Done)             => End(Status::Succeeded),
        SingleOutcome::Finalize(finalize::Failed)           => End(Status::Failed),
        SingleOutcome::Finalize(finalize::Denied)           => End(Status::Denied),
        SingleOutcome::Finalize(finalize::Cancelled)        => End(Status::Cancelled),
        SingleOutcome::Finalize(finalize::Limit)            => End(Status::Exhausted),
    }
}

impl Node {
    /// Returns the phase that the visit's duration is measured for, or `None` if it is not measured.
    pub fn phase(self) -> Option<&'static str> {
        match self {
            Self::PolicyGate => Some("gate"),
            Self::Execute => Some("execute"),
            Self::Confirm
            | Self::FinalizeDone
            | Self::FinalizeFailed
            | Self::FinalizeDenied
            | Self::FinalizeCancelled
            | Self::FinalizeLimit => None,
        }
    }
}
