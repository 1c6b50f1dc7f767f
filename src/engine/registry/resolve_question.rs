//! Resolution of questions: stored once, counted and logged.

use crate::clock::Moment;
use crate::metrics;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::rows::{QuestionRow, Resolution, ResolutionRow};
use serde_json::Value;
use std::time::Duration;

/// Resolves a question unless it is resolved already, and counts its waiting time.
pub async fn resolve_question(
    store: &dyn Store,
    row: &QuestionRow,
    answered: ResolutionRow,
    outcome: &str,
) -> Result<Resolution, StoreError> {
    let audit = answered.audit.clone().unwrap_or_default();
    let resolution = store.resolve(row.reference.clone(), answered).await?;
    if matches!(resolution, Resolution::Resolved { .. }) {
        count_question(row, outcome);
        log(row, outcome, &audit);
    }
    Ok(resolution)
}

/// Logs who resolved a question and with which decision, without the words of the answer.
fn log(row: &QuestionRow, outcome: &str, audit: &Value) {
    let told = |field: &Value| field.as_str().unwrap_or_default().to_owned();
    tracing::info!(
        run_id = %row.run,
        reference = %row.reference,
        kind = %row.kind,
        by = outcome,
        decision = %told(&audit["decision"]),
        client_kind = %told(&audit["client"]["kind"]),
        client_id = %told(&audit["client"]["id"]),
        client_name = %told(&audit["client"]["name"]),
        "question resolved"
    );
}

fn count_question(row: &QuestionRow, outcome: &str) {
    metrics::QUESTIONS.increment([&row.kind, outcome]);
    let waited = Moment::now().millis().saturating_sub(row.asked_at.millis());
    metrics::QUESTION_WAIT.observe([], Duration::from_millis(waited.unsigned_abs()).as_secs_f64());
}
