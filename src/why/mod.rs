//! Explains the status of a run and what would change it, from the stored rows of the run and its
//! dependencies. Pure; the caller gathers the inputs (`http::why`).

mod deciding;
mod moves;
mod reason;
mod words;

pub use moves::{NextMove, Who};
pub use reason::{Ended, OpenReason, Reason};

use crate::clock::Moment;
use crate::ids::RunId;
use crate::protocol::{Locale, Status};
use crate::store::rows::{LeaseRow, QuestionRow, RunRow, TaskRow};
use serde::Serialize;

/// The run and everything that its progress depends on.
#[derive(Clone, Debug)]
pub struct RunSituation {
    pub run: RunRow,
    /// The calling run.
    pub parent: Option<RunRow>,
    /// Runs below it that have not ended, direct children first.
    pub below: Vec<RunRow>,
    /// Open questions of the run and of runs below it, its own first.
    pub questions: Vec<QuestionRow>,
    /// Resolution of its last question, if there was one.
    pub resolved: Option<Resolution>,
    /// Background tasks that have not ended.
    pub tasks: Vec<TaskRow>,
    pub lease: Option<LeaseRow>,
    pub line: Option<QueuePosition>,
    /// True if the agent is a single model call.
    pub asks_model: bool,
    /// True if the run accepts further messages.
    pub hears: bool,
    /// True if a run actor of this service is stepping the run.
    pub at_work: bool,
    pub limits: LimitsUsed,
    pub now: Moment,
}

/// Resolution of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    Answered,
    Declined,
    Expired,
}

/// Position in the queue for a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuePosition {
    /// Starts at 1.
    pub place: usize,
    /// Number of browsers that may be in use at once.
    pub places: usize,
}

/// Limits that are used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitsUsed {
    pub tokens: bool,
    pub money: bool,
    pub steps: bool,
}

/// The reason for a run's status, and the events that would change it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    pub run_id: RunId,
    pub status: Status,
    /// Language of the sentences.
    pub locale: Locale,
    /// Stable identifier for programs.
    pub reason: &'static str,
    /// Sentence for people.
    pub because: String,
    pub moves: Vec<NextMove>,
}

pub fn why(standing: &RunSituation, locale: Locale) -> Explanation {
    let reason = Reason::select(standing);
    Explanation {
        run_id: standing.run.id.clone(),
        status: standing.status(),
        locale,
        reason: reason.word(),
        because: words::because(&reason, standing, locale),
        moves: moves::of(&reason, standing, locale),
    }
}

impl RunSituation {
    fn status(&self) -> Status {
        Status::from_word(&self.run.status).unwrap_or(Status::Failed)
    }
}

/// Returns the path of a run in the page.
fn page_of(run: &RunId, root: &RunId) -> String {
    if run == root { format!("/#/runs/{root}") } else { format!("/#/runs/{root}/{run}") }
}

#[cfg(test)]
mod tests;
