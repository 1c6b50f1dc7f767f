//! Facts about a run from which its status is explained.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::observability::why::reason::QueuePosition;
use crate::protocol::Status;
use crate::store::rows::{LeaseRow, QuestionRow, RunRow, TaskRow};

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
    pub resolution: Option<Resolution>,
    /// Background tasks that have not ended.
    pub tasks: Vec<TaskRow>,
    pub lease: Option<LeaseRow>,
    pub queue_position: Option<QueuePosition>,
    /// True if the agent is a single model call.
    pub asks_model: bool,
    /// True if the run accepts further messages.
    pub accepts_messages: bool,
    /// True if a run actor of this service is stepping the run, or another service has the run.
    pub at_work: bool,
    /// True if no service works on the run, nor would take it.
    pub is_abandoned: bool,
    pub limits: LimitsUsed,
    pub now: Moment,
}

impl RunSituation {
    pub(crate) fn status(&self) -> Status {
        Status::from_word(&self.run.status).unwrap_or(Status::Failed)
    }
}

/// Resolution of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    Answered,
    Declined,
    Expired,
}

/// Limits that are used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitsUsed {
    pub tokens: bool,
    pub money: bool,
    pub steps: bool,
}

/// Returns the path of a run in the page.
pub(crate) fn format_page_path(run: &RunId, root: &RunId) -> String {
    if run == root { format!("/#/runs/{root}") } else { format!("/#/runs/{root}/{run}") }
}
