//! The transitions of a composite run: lanes run from left to right, each to its end before the next (S0.22).
//! No state and no I/O. The diagram in docs/graphs.md is drawn from this table.

use serde::{Deserialize, Serialize};

/// A node of the graph of a composite run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LanesNode {
    EnterLane,
    RunItems,
    FinalizeDone,
    FinalizeFailed,
}

/// The outcome of a node, tagged with the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeOutcome {
    EnterLane(enter_lane::Outcome),
    RunItems(run_items::Outcome),
    Finalize(finalize::Outcome),
}

pub mod enter_lane {
    pub use Outcome::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Outcome {
        /// The conditions of the lane's items are decided.
        Entered,
        NoLaneLeft,
    }
}

pub mod run_items {
    pub use Outcome::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Outcome {
        /// Items are at work.
        AtWork,
        /// All items of the lane have ended or are skipped; their outputs are in the context.
        LaneDone,
        ItemFailed,
    }
}

pub mod finalize {
    pub use Outcome::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Outcome {
        Done,
        Failed,
    }
}

/// The continuation after an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LanesEdge {
    Go(LanesNode),
    /// Stay at this node until a child has ended.
    Rest(LanesNode),
    End,
}

/// The transition table, one arrow per line.
#[rustfmt::skip]
pub fn route(done: NodeOutcome) -> LanesEdge {
    use {LanesEdge::*, LanesNode::*};
    match done {
        NodeOutcome::EnterLane(enter_lane::Entered)    => Go(RunItems),
        NodeOutcome::EnterLane(enter_lane::NoLaneLeft) => Go(FinalizeDone),

        NodeOutcome::RunItems(run_items::AtWork)       => Rest(RunItems),
        NodeOutcome::RunItems(run_items::LaneDone)     => Go(EnterLane),
        NodeOutcome::RunItems(run_items::ItemFailed)   => Go(FinalizeFailed),

        NodeOutcome::Finalize(finalize::Done)          => End,
        NodeOutcome::Finalize(finalize::Failed)        => End,
    }
}

/// All outcomes, so that the drawing and a test can visit every arrow.
#[rustfmt::skip]
pub const OUTCOMES: [(LanesNode, &str, NodeOutcome); 7] = [
    (LanesNode::EnterLane, "Entered", NodeOutcome::EnterLane(enter_lane::Entered)),
    (LanesNode::EnterLane, "NoLaneLeft", NodeOutcome::EnterLane(enter_lane::NoLaneLeft)),
    (LanesNode::RunItems, "AtWork", NodeOutcome::RunItems(run_items::AtWork)),
    (LanesNode::RunItems, "LaneDone", NodeOutcome::RunItems(run_items::LaneDone)),
    (LanesNode::RunItems, "ItemFailed", NodeOutcome::RunItems(run_items::ItemFailed)),
    (LanesNode::FinalizeDone, "Done", NodeOutcome::Finalize(finalize::Done)),
    (LanesNode::FinalizeFailed, "Failed", NodeOutcome::Finalize(finalize::Failed)),
];

impl NodeOutcome {
    /// Returns the name of the outcome, as traces have it.
    pub fn word(self) -> &'static str {
        OUTCOMES.iter().find(|(_, _, done)| *done == self).map_or("", |(_, word, _)| word)
    }
}

impl LanesNode {
    pub const ALL: [Self; 4] = [Self::EnterLane, Self::RunItems, Self::FinalizeDone, Self::FinalizeFailed];

    pub fn name(self) -> &'static str {
        match self {
            Self::EnterLane => "enter_lane",
            Self::RunItems => "run_items",
            Self::FinalizeDone => "finalize_done",
            Self::FinalizeFailed => "finalize_failed",
        }
    }
}
