//! Explains the status of a run and what would change it, from the stored rows of the run and its
//! dependencies. Pure; the caller gathers the inputs (`http::why`).

pub(crate) mod next_moves;
pub(crate) mod select_reason;
pub mod situation;
pub(crate) mod reason;
pub(crate) mod sentence;

use crate::ids::RunId;
use crate::observability::why::next_moves::NextMove;
use crate::observability::why::reason::Reason;
use crate::observability::why::situation::RunSituation;
use crate::protocol::{Locale, Status};
use serde::Serialize;

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

pub fn why(situation: &RunSituation, locale: Locale) -> Explanation {
    let reason = Reason::select(situation);
    Explanation {
        run_id: situation.run.id.clone(),
        status: situation.status(),
        locale,
        reason: reason.word(),
        because: sentence::reason_sentence(&reason, situation, locale),
        moves: next_moves::next_moves(&reason, situation, locale),
    }
}

#[cfg(test)]
mod tests;
