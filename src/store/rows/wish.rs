//! A person's wish for a run: stop, pause or resume. It is stored before they are answered, and stays until the run has come to it.

use crate::ids::RunId;

/// A command of a person to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    Stop,
    Pause,
    Resume,
}

/// A wish that a run has not come to yet. One command to a run tree has one number in all of its runs; a later command
/// has a larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WishRow {
    pub n: u64,
    pub wish: Wish,
}

/// A command that has been stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wished {
    pub row: WishRow,
    /// The runs that it is stored for, callers first; not those that are to be stopped already.
    pub runs: Vec<RunId>,
}

impl Wish {
    /// The word that a stored row names it by.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Pause => "pause",
            Self::Resume => "resume",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Stop, Self::Pause, Self::Resume].into_iter().find(|wish| wish.word() == word)
    }
}
