//! What a conversation remembers besides its history: relics that it builds on, and the summary that is being
//! written of its oldest pieces.

use super::history::Compacting;
use super::premoves::{PremoveChange, Premoves};
use super::thinking::Pondered;
use crate::turn::Turn;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// The page to begin at was opened; a summary may have taken the turn that did it.
    pub opened: bool,
    /// By so much summaries have shortened the history.
    pub forgotten: usize,
    pub compacting: Option<Compacting>,
    /// After a summary that failed: how long the history must be for the next try.
    pub compact_at: usize,
    /// Relics that turns have named (S4.2).
    pub relics: Vec<String>,
    /// What is looked up before plans (S4.31).
    pub premoves: Premoves,
    pub pondered: Pondered,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Remembered {
    /// The turn named these relics as what it builds on.
    Relics(Vec<String>),
    /// The oldest pieces of the history are being put together.
    Compacting(Compacting),
    /// They are one summary now; none: there is none to be had, they stay as they are.
    Compacted {
        text: Option<String>,
    },
    Premove(PremoveChange),
    /// A turn of thoughts alone, and what it took.
    Thought {
        turn: Turn,
        tokens: u64,
    },
}
