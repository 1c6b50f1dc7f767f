//! The transitions of a composite run: lanes run from left to right, each to its end before the next (S0.22).
//! No state and no I/O. The diagram in ARCHITECTURE.md is drawn from this table.

use serde::{Deserialize, Serialize};

/// A node of the graph of a composite run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Node {
    EnterLane,
    RunItems,
    FinalizeDone,
    FinalizeFailed,
}

/// The outcome of a node, tagged with the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
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
pub enum Edge {
    Go(Node),
    /// Stay at this node until a child has ended.
    Rest(Node),
    End,
}

/// The transition table, one arrow per line.
#[rustfmt::skip]
pub fn route(done: Done) -> Edge {
    use {Edge::*, Node::*};
    match done {
        Done::EnterLane(enter_lane::Entered)    => Go(RunItems),
        Done::EnterLane(enter_lane::NoLaneLeft) => Go(FinalizeDone),

        Done::RunItems(run_items::AtWork)       => Rest(RunItems),
        Done::RunItems(run_items::LaneDone)     => Go(EnterLane),
        Done::RunItems(run_items::ItemFailed)   => Go(FinalizeFailed),

        Done::Finalize(finalize::Done)          => End,
        Done::Finalize(finalize::Failed)        => End,
    }
}

/// All outcomes, so that the drawing and a test can visit every arrow.
#[rustfmt::skip]
pub const OUTCOMES: [(Node, &str, Done); 7] = [
    (Node::EnterLane, "Entered", Done::EnterLane(enter_lane::Entered)),
    (Node::EnterLane, "NoLaneLeft", Done::EnterLane(enter_lane::NoLaneLeft)),
    (Node::RunItems, "AtWork", Done::RunItems(run_items::AtWork)),
    (Node::RunItems, "LaneDone", Done::RunItems(run_items::LaneDone)),
    (Node::RunItems, "ItemFailed", Done::RunItems(run_items::ItemFailed)),
    (Node::FinalizeDone, "Done", Done::Finalize(finalize::Done)),
    (Node::FinalizeFailed, "Failed", Done::Finalize(finalize::Failed)),
];

impl Done {
    /// Returns the name of the outcome, as traces have it.
    pub fn word(self) -> &'static str {
        OUTCOMES.iter().find(|(_, _, done)| *done == self).map_or("", |(_, word, _)| word)
    }
}

impl Node {
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
