//! Why a run stands as it does, and what would move it: one answer over what is stored of it and of what it
//! depends on. Pure; whoever asks has gathered what it stands on (`http::why`).

mod deciding;
mod moves;
mod reason;
mod words;

pub use moves::{Move, Who};
pub use reason::{Ended, Reason, Stands};

use crate::clock::Moment;
use crate::ids::RunId;
use crate::protocol::{Locale, Status};
use crate::store::rows::{LeaseRow, QuestionRow, RunRow, TaskRow};
use serde::Serialize;

/// What is known of a run and of what it depends on.
#[derive(Clone, Debug)]
pub struct Standing {
    pub run: RunRow,
    /// The run that called it.
    pub parent: Option<RunRow>,
    /// Runs below it that have not ended, those that it called itself first.
    pub below: Vec<RunRow>,
    /// Open questions of it and of those below, its own first.
    pub questions: Vec<QuestionRow>,
    /// How its last question was resolved, if one was: by whom, and whether that was a refusal.
    pub resolved: Option<Resolved>,
    /// What it does in the background and that has not ended.
    pub tasks: Vec<TaskRow>,
    pub lease: Option<LeaseRow>,
    pub line: Option<Line>,
    /// Whether its agent is one call of a model.
    pub asks_model: bool,
    /// Whether it takes further messages.
    pub hears: bool,
    /// Whether anything of this service steps it.
    pub at_work: bool,
    pub limits: Used,
    pub now: Moment,
}

/// How a question ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolved {
    Answered,
    Declined,
    Expired,
}

/// Its place among those who wait for a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// From 1.
    pub place: usize,
    /// How many may work at once.
    pub places: usize,
}

/// Which of its limits are used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    pub tokens: bool,
    pub money: bool,
    pub steps: bool,
}

/// Why, and what would move it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Why {
    pub run_id: RunId,
    pub status: Status,
    /// The language of its sentences.
    pub locale: Locale,
    /// A word that programs may rely on.
    pub reason: &'static str,
    /// A sentence for people.
    pub because: String,
    pub moves: Vec<Move>,
}

pub fn why(standing: &Standing, locale: Locale) -> Why {
    let reason = Reason::of(standing);
    Why {
        run_id: standing.run.id.clone(),
        status: standing.status(),
        locale,
        reason: reason.word(),
        because: words::because(&reason, standing, locale),
        moves: moves::of(&reason, standing, locale),
    }
}

impl Standing {
    fn status(&self) -> Status {
        Status::from_word(&self.run.status).unwrap_or(Status::Failed)
    }
}

/// Where a person finds a run in the page.
fn page_of(run: &RunId, root: &RunId) -> String {
    if run == root { format!("/#/runs/{root}") } else { format!("/#/runs/{root}/{run}") }
}

#[cfg(test)]
mod tests;
