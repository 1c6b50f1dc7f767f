//! The diagram of a composite run: lanes from left to right, each as a whole before the next (S0.22).
//! Pure: a node's outcome leads to the next node, to rest until a child has ended, or to an end.

use serde::{Deserialize, Serialize};

/// Where a composite run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Node {
    EnterLane,
    RunItems,
    FinalizeDone,
    FinalizeFailed,
}

/// How a visit of a node ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The conditions of the lane's items are decided.
    Entered,
    NoLaneLeft,
    /// Items are at work.
    AtWork,
    /// All items of the lane have ended or are skipped; their outputs are in the context.
    LaneDone,
    ItemFailed,
    Finalized,
}

/// What comes after a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    Go(Node),
    /// Stay at this node until a child has ended.
    Rest(Node),
    End,
}

/// The graph: one arrow a line; none where a node has no such outcome.
#[rustfmt::skip]
pub fn route(node: Node, outcome: Outcome) -> Option<Edge> {
    use Node::{EnterLane, FinalizeDone, FinalizeFailed, RunItems};
    use Outcome::{AtWork, Entered, Finalized, ItemFailed, LaneDone, NoLaneLeft};
    match (node, outcome) {
        (EnterLane,      Entered)    => Some(Edge::Go(RunItems)),
        (EnterLane,      NoLaneLeft) => Some(Edge::Go(FinalizeDone)),
        (RunItems,       AtWork)     => Some(Edge::Rest(RunItems)),
        (RunItems,       LaneDone)   => Some(Edge::Go(EnterLane)),
        (RunItems,       ItemFailed) => Some(Edge::Go(FinalizeFailed)),
        (FinalizeDone,   Finalized)  => Some(Edge::End),
        (FinalizeFailed, Finalized)  => Some(Edge::End),

        (EnterLane, AtWork | LaneDone | ItemFailed | Finalized)
        | (RunItems, Entered | NoLaneLeft | Finalized)
        | (FinalizeDone | FinalizeFailed, Entered | NoLaneLeft | AtWork | LaneDone | ItemFailed) => None,
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

impl Outcome {
    pub const ALL: [Self; 6] =
        [Self::Entered, Self::NoLaneLeft, Self::AtWork, Self::LaneDone, Self::ItemFailed, Self::Finalized];

    pub fn word(self) -> &'static str {
        match self {
            Self::Entered => "Entered",
            Self::NoLaneLeft => "NoLaneLeft",
            Self::AtWork => "AtWork",
            Self::LaneDone => "LaneDone",
            Self::ItemFailed => "ItemFailed",
            Self::Finalized => "Finalized",
        }
    }
}
