//! The transitions of a composite run: lanes run from left to right, each to its end before the next (S0.22).
//! No state and no I/O. The diagram in docs/graphs.md is drawn from this table.

use crate::programs::outcome::{graph_outcomes, outcomes};
use crate::text::named_values::named_values;
use serde::{Deserialize, Serialize};

named_values! {
    /// A node of the graph of a composite run.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum LanesNode {
        EnterLane = "enter_lane",
        RunItems = "run_items",
        FinalizeDone = "finalize_done",
        FinalizeFailed = "finalize_failed",
    }
}

graph_outcomes! {
    /// The outcome of a node, tagged with the node.
    pub enum LanesOutcome {
        EnterLane(enter_lane),
        RunItems(run_items),
        Finalize(finalize),
    }
}

impl LanesOutcome {
    /// Returns the node that has the outcome.
    pub fn node(self) -> LanesNode {
        match self {
            Self::EnterLane(_) => LanesNode::EnterLane,
            Self::RunItems(_) => LanesNode::RunItems,
            Self::Finalize(finalize::Done) => LanesNode::FinalizeDone,
            Self::Finalize(finalize::Failed) => LanesNode::FinalizeFailed,
        }
    }
}

pub mod enter_lane {
    pub use Outcome::*;

    super::outcomes! {
        pub enum Outcome {
            /// The conditions of the lane's items are decided.
            Entered,
            NoLaneLeft,
        }
    }
}

pub mod run_items {
    pub use Outcome::*;

    super::outcomes! {
        pub enum Outcome {
            /// Items are at work.
            AtWork,
            /// All items of the lane have ended or are skipped; their outputs are in the context.
            LaneDone,
            ItemFailed,
        }
    }
}

pub mod finalize {
    pub use Outcome::*;

    super::outcomes! {
        pub enum Outcome {
            Done,
            Failed,
        }
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
pub fn route(done: LanesOutcome) -> LanesEdge {
    use {LanesEdge::*, LanesNode::*};
    match done {
        LanesOutcome::EnterLane(enter_lane::Entered)    => Go(RunItems),
        LanesOutcome::EnterLane(enter_lane::NoLaneLeft) => Go(FinalizeDone),

        LanesOutcome::RunItems(run_items::AtWork)       => Rest(RunItems),
        LanesOutcome::RunItems(run_items::LaneDone)     => Go(EnterLane),
        LanesOutcome::RunItems(run_items::ItemFailed)   => Go(FinalizeFailed),

        LanesOutcome::Finalize(finalize::Done)          => End,
        LanesOutcome::Finalize(finalize::Failed)        => End,
    }
}
