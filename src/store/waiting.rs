//! Questions of all runs that wait for a person: pages of the list, and their number.

use super::Reply;
use super::rows::QuestionRow;
use crate::clock::Moment;
use crate::ids::{QuestionId, RunId};

/// The place behind a question in the order in which questions were asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedAfter {
    pub asked_at: Moment,
    pub reference: QuestionId,
}

/// A part of the list of waiting questions.
#[derive(Clone, Debug, Default)]
pub struct WaitingFilter {
    /// Only those of this run tree.
    pub root: Option<RunId>,
    pub after: Option<AskedAfter>,
    pub limit: usize,
}

/// An open question with the task that it belongs to.
#[derive(Clone, Debug)]
pub struct WaitingRow {
    pub question: QuestionRow,
    /// Title and agent of the root run.
    pub title: String,
    pub agent: String,
}

pub trait WaitingQuestions {
    /// Open questions, oldest first.
    fn waiting_questions(&self, filter: WaitingFilter) -> Reply<Vec<WaitingRow>>;

    /// The number of open questions, of one run tree or of all.
    fn count_waiting(&self, root: Option<RunId>) -> Reply<u64>;
}
