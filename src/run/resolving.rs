//! The end of a question, whoever resolves it: stored once, and counted.

use crate::clock::Moment;
use crate::metrics;
use crate::store::rows::{Answered, QuestionRow, Resolution};
use crate::store::{Store, StoreError};
use std::time::Duration;

/// Resolves a question, if nobody has yet, and counts how long it waited.
pub async fn resolve(
    store: &dyn Store,
    row: &QuestionRow,
    answered: Answered,
    outcome: &str,
) -> Result<Resolution, StoreError> {
    let resolution = store.resolve(row.reference.clone(), answered).await?;
    if matches!(resolution, Resolution::Resolved { .. }) {
        counted(row, outcome);
    }
    Ok(resolution)
}

fn counted(row: &QuestionRow, outcome: &str) {
    metrics::QUESTIONS.one([&row.kind, outcome]);
    let waited = Moment::now().millis().saturating_sub(row.asked_at.millis());
    metrics::QUESTION_WAIT.took([], Duration::from_millis(waited.unsigned_abs()).as_secs_f64());
}
