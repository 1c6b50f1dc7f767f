//! Questions of all runs that wait for a person: pages of the list, and their number.

use crate::clock::Moment;
use crate::ids::{QuestionId, RunId};
use crate::store::error::StoreFuture;
use crate::store::rows::QuestionRow;

/// Position after a question, in the order in which questions were asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionCursor {
    pub asked_at: Moment,
    pub reference: QuestionId,
}

/// Page of the list of open questions.
#[derive(Clone, Debug, Default)]
pub struct WaitingFilter {
    /// Only questions of this run tree.
    pub root: Option<RunId>,
    pub after: Option<QuestionCursor>,
    pub limit: usize,
}

/// An open question with its task.
#[derive(Clone, Debug)]
pub struct WaitingRow {
    pub question: QuestionRow,
    /// Title of the root run; `agent` is the root's agent.
    pub title: String,
    pub agent: String,
}

/// Open questions of all runs.
pub trait WaitingQuestions {
    /// Returns the open questions that match the filter, oldest first.
    fn waiting_questions(&self, filter: WaitingFilter) -> StoreFuture<Vec<WaitingRow>>;

    /// Returns the number of open questions of one run tree or of all.
    fn count_waiting(&self, root: Option<RunId>) -> StoreFuture<u64>;
}
