//! What a conversation remembers besides its history: relics that it builds on, and the summary that is being
//! written of its oldest pieces.

use super::history::{self, Compacting};
use super::premoves::{PremoveChange, Premoves};
use super::state::State;
use super::thinking::Pondered;
use crate::model::Entry;
use crate::turn::Turn;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
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

impl State {
    pub(super) fn remember(&mut self, change: Remembered) {
        match change {
            Remembered::Relics(named) => {
                for name in named {
                    if !self.memory.relics.contains(&name) {
                        self.memory.relics.push(name);
                    }
                }
            }
            Remembered::Compacting(begun) => self.memory.compacting = Some(begun),
            Remembered::Compacted { text } => self.compact(text.as_deref()),
            Remembered::Premove(change) => {
                if let PremoveChange::Ended { name, text: Some(text), .. } = &change
                    && self.memory.premoves.before(name) != Some(text)
                {
                    self.messages.push(Entry::Premove { name: name.clone(), text: text.clone() });
                }
                self.memory.premoves.change(change);
            }
            Remembered::Thought { turn, tokens } => {
                self.memory.pondered.thought(tokens);
                self.notes.clear();
                self.messages.push(Entry::Acted { turn, results: Vec::new() });
            }
        }
    }

    /// A turn was planned that does something.
    pub(super) fn was_planned(&mut self) {
        self.memory.pondered.acted();
        self.memory.premoves.change(PremoveChange::Planned);
    }

    /// The summary under way has come, or not.
    fn compact(&mut self, text: Option<&str>) {
        let Some(Compacting { cut, .. }) = self.memory.compacting.take() else { return };
        match text {
            Some(text) => {
                self.memory.forgotten += cut.shorter();
                self.messages = cut.put(std::mem::take(&mut self.messages), text);
                self.memory.compact_at = 0;
            }
            None => self.memory.compact_at = history::again_at(&self.messages),
        }
    }
}
