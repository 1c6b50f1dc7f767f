//! Questions of runs: the row of one that is asked, its resolution, which happens once, and the result for the
//! step that asked.

use crate::clock::Moment;
use crate::engine::error::RunRequestError;
use crate::engine::program::factory::Concealment;
use crate::engine::program::{QuestionDraft, QuestionResult};
use crate::ids::{QuestionId, RunId};
use crate::metrics;
use crate::protocol::caller::Caller;
use crate::protocol::client::Answer;
use crate::protocol::server::{Fact, Question, ResolvedBy};
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::rows::idempotency::IdempotencyRecord;
use crate::store::rows::{QuestionRow, Resolution, ResolutionRow};
use crate::turn::typed_secret;
use serde_json::{Value, json};
use std::time::Duration;

/// Marker of a stored answer that is the report of a page handed back.
const HANDED_BACK: &str = "handed_back";

/// Builds the row of a question, with a fresh reference.
pub fn question_row(run: &RunId, root: &RunId, ask: QuestionDraft) -> QuestionRow {
    let reference = QuestionId::fresh();
    let question = Question {
        reference: reference.clone(),
        kind: ask.kind,
        reason: ask.reason,
        text: ask.text,
        payload: ask.payload,
        remember: ask.remember,
        expires_at: ask.expires_at.map(Moment::rfc3339),
        on_expire: ask.on_expire,
    };
    QuestionRow {
        reference,
        run: run.clone(),
        root: root.clone(),
        kind: question.kind.word().to_owned(),
        frame: json!(Fact::AgentQuestion(question)),
        asked_at: Moment::now(),
        expires_at: ask.expires_at,
        resolved_by: None,
        answer: None,
    }
}

/// End of a question: an answer, or the reason why there is none.
pub struct QuestionEnd<'a> {
    by: ResolvedBy,
    answer: Answer,
    client: Option<&'a Caller>,
    /// Idempotency record to store with the answer.
    idempotency_record: Option<IdempotencyRecord>,
    /// True if the answer's message is the service's report of a page handed back. No client can set this.
    handed_back: bool,
}

impl<'a> QuestionEnd<'a> {
    /// Creates the end of a question that nobody answered.
    pub fn unanswered(by: ResolvedBy) -> Self {
        Self { by, answer: Answer::default(), client: None, idempotency_record: None, handed_back: false }
    }

    /// Creates an answer of a person or of a program, with secrets concealed.
    pub fn answered(
        answer: Answer,
        client: Option<&'a Caller>,
        idempotency_record: Option<IdempotencyRecord>,
    ) -> Self {
        Self { by: ResolvedBy::from_client(client), answer, client, idempotency_record, handed_back: false }
    }

    /// Creates the answer to a question that asked the person to work on the page; `report` says what changed.
    pub fn handed_back(report: String, client: Option<&'a Caller>) -> Self {
        let answer = Answer { done: Some(true), message: Some(report), ..Answer::default() };
        Self { handed_back: true, ..Self::answered(answer, client, None) }
    }
}

/// Resolves a question unless it is resolved already: stores the answer with its event and, if a person gave it,
/// its audit record.
pub async fn resolve_question(
    store: &dyn Store,
    question: &QuestionRow,
    end: QuestionEnd<'_>,
) -> Result<Resolution, StoreError> {
    let QuestionEnd { by, answer, client, idempotency_record, handed_back } = end;
    let mut concealed = answer.clone();
    for text in [&mut concealed.text, &mut concealed.comment, &mut concealed.message].into_iter().flatten() {
        *text = typed_secret::mask_placeholders(text);
    }
    let reference = question.reference.clone();
    let fact = Fact::QuestionResolved {
        reference: reference.clone(),
        by: by.clone(),
        answer: json!(concealed),
        client: client.cloned(),
    };
    let audit = by.is_answer().then(|| audit_record(question, &answer, &by, client));
    let decision = audit.clone().unwrap_or_default();
    let mut answer = json!(answer);
    if handed_back {
        answer[HANDED_BACK] = json!(true);
    }
    let row = ResolutionRow {
        by: by.word().to_owned(),
        answer,
        at: Moment::now(),
        event: fact.body(),
        audit,
        idempotency_record,
    };
    let resolution = store.resolve(reference, row).await?;
    if matches!(resolution, Resolution::Resolved { .. }) {
        report_resolution(question, &by, &decision);
    }
    Ok(resolution)
}

/// Counts a resolution, and logs who resolved the question with which decision, without the words of the answer.
fn report_resolution(question: &QuestionRow, by: &ResolvedBy, audit: &Value) {
    metrics::QUESTIONS.increment([&question.kind, by.kind()]);
    metrics::QUESTION_WAIT
        .observe([], Duration::from_millis(question.asked_at.elapsed_millis()).as_secs_f64());
    let field = |field: &Value| field.as_str().unwrap_or_default().to_owned();
    tracing::info!(
        run_id = %question.run,
        reference = %question.reference,
        kind = %question.kind,
        by = by.word(),
        decision = %field(&audit["decision"]),
        client_kind = %field(&audit["client"]["kind"]),
        client_id = %field(&audit["client"]["id"]),
        client_name = %field(&audit["client"]["name"]),
        "question resolved"
    );
}

fn audit_record(question: &QuestionRow, answer: &Answer, by: &ResolvedBy, client: Option<&Caller>) -> Value {
    let payload = &question.frame["payload"];
    let mut row = json!({
        "question": question.reference,
        "kind": question.kind,
        "action_id": payload["action"]["action_id"],
        "action": payload["action"]["action"],
        "rule": payload["rule"],
        "risk": payload["risk"],
        "decision": if answer.confirmed == Some(false) { "declined" } else { "answered" },
        "remember": answer.remember,
        "by": by,
        "client": client,
        "origin": payload["page"]["origin"],
        // As shown to the person: the question's secrets are masked already.
        "values": payload["values"],
        "picture": payload["screenshot"],
    });
    if payload["request"].is_object() {
        row["request"] = payload["request"].clone();
    }
    row
}

/// Returns the answer as it is stored: without a scope that its question does not offer, and with placeholders in
/// place of the secrets in its texts. Refuses an answer that does not fit the question.
pub fn accept_answer(
    row: &QuestionRow,
    answer: Answer,
    secrets: &dyn Concealment,
) -> Result<Answer, RunRequestError> {
    let question: Question = serde_json::from_value(row.frame.clone()).map_err(|fault| {
        StoreError::Corrupt { what: format!("question {}", row.reference), reason: fault.to_string() }
    })?;
    let mut answer = question.accept_answer(answer).map_err(RunRequestError::BadAnswer)?;
    let conceal = |text: &mut String| *text = secrets.conceal(&row.root, text, Some(&row.frame));
    [&mut answer.text, &mut answer.comment, &mut answer.message].into_iter().flatten().for_each(conceal);
    Ok(answer)
}

/// Returns the result of a stored question for the step that asked it; `None` if the question is open.
pub fn stored_result(row: QuestionRow) -> Option<QuestionResult> {
    let by = serde_json::from_value(Value::String(row.resolved_by?)).ok()?;
    let stored = row.answer.unwrap_or_default();
    let handed_back = stored[HANDED_BACK] == true;
    let answer = serde_json::from_value(stored).unwrap_or_default();
    Some(QuestionResult { reference: row.reference, by, answer, handed_back })
}
