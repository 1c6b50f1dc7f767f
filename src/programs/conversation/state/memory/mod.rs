//! The memory of a conversation besides its history: used relics, results of premoves, and the summary being
//! written.

pub mod premoves;
pub mod summary_range;
pub mod thought_turns;

use crate::programs::conversation::state::memory::premoves::{PremoveChange, Premoves};
use crate::programs::conversation::state::memory::summary_range::Compacting;
use crate::programs::conversation::state::memory::thought_turns::ThoughtCount;
use crate::turn::Turn;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// True if the start page was opened. A summary may have replaced the turn that opened it.
    pub opened: bool,
    /// The number of entries by which summaries have shortened the history.
    #[serde(rename = "forgotten")]
    pub summarized_entries: usize,
    pub compacting: Option<Compacting>,
    /// The length of the history at which a failed summary is tried again.
    pub compact_at: usize,
    /// Relics that turns have named (S4.2).
    pub relics: Vec<String>,
    /// The agents that run before turns are planned (S4.31).
    pub premoves: Premoves,
    /// Turns of thoughts alone about the last message of the person.
    #[serde(rename = "pondered")]
    pub thoughts: ThoughtCount,
    /// The planner's newest note to itself. No summary replaces it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryChange {
    /// The turn names these relics as its sources.
    Relics(Vec<String>),
    /// A summary of the oldest entries is being written.
    Compacting(Compacting),
    /// The summary is ready; with `None` it failed, and the entries stay.
    Compacted {
        text: Option<String>,
    },
    Premove(PremoveChange),
    /// The planner's note to itself.
    Noted(String),
    /// A turn of thoughts alone, and its output tokens.
    Thought {
        turn: Turn,
        tokens: u64,
    },
}
