//! Passages of notes, their scope, and notes that cannot be read.

use serde::{Deserialize, Serialize};

/// A note: its name and title.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relic {
    pub name: String,
    pub title: String,
}

/// A part of a relic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    pub relic: String,
    /// Headings above the passage, outermost first.
    pub heading: String,
    pub text: String,
}

/// A file that is refused as a relic, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedNote {
    pub name: String,
    pub why: String,
}

/// Selection of relics for an agent, and limits of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    pub agent: String,
    /// True if shared relics are included. A relic of the agent hides the shared one of the same name.
    pub shared: bool,
    /// Restricts the selection to these names; `None` means all.
    pub only: Option<Vec<String>>,
    pub passages: usize,
    pub characters: usize,
}

impl Scope {
    /// Creates a search in all notes of an agent, with the default limits.
    pub fn new(agent: &str) -> Self {
        let agent = agent.to_owned();
        Self { agent, shared: true, only: None, passages: PASSAGES, characters: CHARACTERS }
    }
}

/// Relics that exist, and files that were refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnowledgeList {
    pub relics: Vec<Relic>,
    pub refused: Vec<RefusedNote>,
}

/// Default number of passages of a result.
pub const PASSAGES: usize = 5;

/// Default limit of characters for all passages of a result.
pub const CHARACTERS: usize = 6_000;
