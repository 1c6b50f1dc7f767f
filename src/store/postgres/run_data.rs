//! Rows of runs beside their own: steps, effects, events, questions, recordings.

use crate::clock::Moment;
use crate::ids::{QuestionId, RunId};
use crate::store::error::{StoreError, StoreFuture};
use crate::store::postgres::connection::sql::{Sql, unsigned};
use crate::store::postgres::connection::store::PostgresStore;
use crate::store::postgres::statements::columns::{
    self, CALL, EFFECT, QUESTION, STEP, call_row, effect_row, question_row, step_row,
};
use crate::store::postgres::statements::log::event_row;
use crate::store::postgres::timeline;
use crate::store::rows::recordings::{CallRow, CallText};
use crate::store::rows::trace::{EffectRow, TimelineData, TraceBounds};
use crate::store::rows::{EventRow, QuestionRow, StepRow};
use crate::store::run_records::RunRecords;
use crate::store::waiting_questions::{WaitingFilter, WaitingQuestions, WaitingRow};
use crate::store::{QuestionRows, TraceRows};
use serde_json::Value;
use tokio_postgres::Row;

impl TraceRows for PostgresStore {
    fn steps(&self, run: RunId) -> StoreFuture<Vec<StepRow>> {
        self.read_rows(
            Sql::new(format!("select {STEP} from steps where run_id = $1 order by n")).with(&run),
            step_row,
        )
    }

    fn step(&self, run: RunId, n: u64) -> StoreFuture<Option<StepRow>> {
        let sql = format!("select {STEP} from steps where run_id = $1 and n = $2");
        self.read_row(Sql::new(sql).with(&run).with(n), step_row)
    }

    fn effect(&self, run: RunId, n: u64) -> StoreFuture<Option<EffectRow>> {
        let sql = format!("select {EFFECT} from effects where run_id = $1 and n = $2");
        self.read_row(Sql::new(sql).with(&run).with(n), effect_row)
    }

    fn timeline_data(&self, run: RunId, bounds: TraceBounds) -> StoreFuture<TimelineData> {
        self.read(timeline::statements(&run, bounds), |rows| timeline::decode(&rows))
    }

    fn events(&self, root: RunId, after: u64, limit: usize) -> StoreFuture<Vec<EventRow>> {
        let sql = "select seq, run_id, at, body, root_id from events where root_id = $1 and seq > $2 order by seq limit $3";
        self.read_rows(Sql::new(sql).with(&root).with(after).with(limit), event_row)
    }

    fn last_seq(&self, root: RunId) -> StoreFuture<u64> {
        let seq = self.read_row(Sql::new("select seq from trees where root_id = $1").with(&root), |row| {
            unsigned(row, 0)
        });
        Box::pin(async move { Ok(seq.await?.unwrap_or(0)) })
    }
}

impl QuestionRows for PostgresStore {
    fn question(&self, reference: QuestionId) -> StoreFuture<Option<QuestionRow>> {
        let sql = format!("select {QUESTION} from questions where reference = $1");
        self.read_row(Sql::new(sql).with(&reference), question_row)
    }

    fn open_questions(&self, root: Option<RunId>) -> StoreFuture<Vec<QuestionRow>> {
        let sql = format!(
            "select {QUESTION} from questions where resolved_at is null and ($1 is null or root_id = $1)
             order by asked_at, reference"
        );
        self.read_rows(Sql::new(sql).with(root.as_ref()), question_row)
    }

    fn overdue_questions(&self, now: Moment) -> StoreFuture<Vec<QuestionRow>> {
        let sql = format!(
            "select {QUESTION} from questions where resolved_at is null and expires_at is not null and expires_at <= $1
             order by asked_at, reference"
        );
        self.read_rows(Sql::new(sql).with(now.millis()), question_row)
    }
}

impl WaitingQuestions for PostgresStore {
    fn waiting_questions(&self, filter: WaitingFilter) -> StoreFuture<Vec<WaitingRow>> {
        let sql = "select q.reference, q.run_id, q.root_id, q.kind, q.frame, q.asked_at, q.expires_at,
                       q.resolved_by, q.answer, coalesce(r.own_title, r.title), r.agent
                   from questions q join runs r on r.id = q.root_id
                   where q.resolved_at is null and ($1 is null or q.root_id = $1)
                       and ($2 is null or (q.asked_at, q.reference) > ($2, $3))
                   order by q.asked_at, q.reference limit $4";
        let after = filter.after.as_ref();
        let statement = Sql::new(sql)
            .with(filter.root.as_ref())
            .with(after.map(|after| after.asked_at.millis()))
            .with(after.map(|after| &after.reference))
            .with(filter.limit);
        self.read_rows(statement, |row| {
            Ok(WaitingRow { question: question_row(row)?, title: row.try_get(9)?, agent: row.try_get(10)? })
        })
    }

    fn count_waiting(&self, root: Option<RunId>) -> StoreFuture<u64> {
        let sql = "select count(*) from questions where resolved_at is null and ($1 is null or root_id = $1)";
        let count = self.read_row(Sql::new(sql).with(root.as_ref()), |row| unsigned(row, 0));
        Box::pin(async move { Ok(count.await?.unwrap_or(0)) })
    }
}

impl RunRecords for PostgresStore {
    fn calls(&self, run: RunId) -> StoreFuture<Vec<CallRow>> {
        let sql = format!("select {CALL} from model_calls where run_id = $1 order by n");
        self.read_rows(Sql::new(sql).with(&run), call_row)
    }

    fn call(&self, run: RunId, n: u64) -> StoreFuture<Option<(CallRow, CallText)>> {
        let call = format!(
            "select {CALL}, (select body from request_texts where hash = request_text), answer, fault
             from model_calls where run_id = $1 and n = $2"
        );
        let messages = "with recursive messages (previous, text, depth) as (
                select previous, text, 0 from request_messages
                where hash = (select last_message from model_calls where run_id = $1 and n = $2)
                union all
                select m.previous, m.text, depth + 1
                from request_messages m join messages on m.hash = messages.previous
            ) select body from messages join request_texts on hash = text order by depth desc";
        let of_call = |sql: String| Sql::new(sql).with(&run).with(n);
        self.read(vec![of_call(call), of_call(messages.to_owned())], |rows| decode_call(&rows))
    }

    fn step_inputs(&self, run: RunId) -> StoreFuture<Vec<(u64, Value)>> {
        let sql = "select step, body from step_inputs where run_id = $1 order by step";
        self.read_rows(Sql::new(sql).with(&run), |row| Ok((unsigned(row, 0)?, columns::value(row, 1)?)))
    }

    fn last_exported_step(&self, run: RunId) -> StoreFuture<u64> {
        let sql = "select last_exported_step from runs where id = $1";
        let step = self.read_row(Sql::new(sql).with(&run), |row| unsigned(row, 0));
        Box::pin(async move { Ok(step.await?.unwrap_or(0)) })
    }

    fn set_last_exported_step(&self, run: RunId, step: u64) -> StoreFuture<()> {
        let sql = "update runs set last_exported_step = greatest(last_exported_step, $1) where id = $2";
        self.store("exported", vec![Sql::new(sql).with(step).with(&run)])
    }

    fn initial_state(&self, run: RunId) -> StoreFuture<Option<Value>> {
        let sql = "select state from initial_states where run_id = $1
                   union all select state from state_snapshots where run_id = $1 and n = 0";
        self.read_row(Sql::new(sql).with(&run), |row| columns::value(row, 0))
    }
}

fn decode_call(rows: &[Vec<Row>]) -> Result<Option<(CallRow, CallText)>, StoreError> {
    let [call, messages] = rows else { return Ok(None) };
    let Some(row) = call.first() else { return Ok(None) };
    let text = CallText {
        messages: messages.iter().map(|row| columns::value(row, 0)).collect::<Result<_, _>>()?,
        request: columns::optional_value(row, 13)?.unwrap_or_default(),
        answer: columns::optional_value(row, 14)?,
        fault: columns::optional_value(row, 15)?,
    };
    Ok(Some((call_row(row)?, text)))
}
