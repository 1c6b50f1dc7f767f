//! Statements of a commit: the run's row, its step, effects, permissions, page, tasks and question.

use crate::clock::Moment;
use crate::ids::{QuestionId, RunId};
use crate::store::postgres::connection::sql::{Parameter, Sql};
use crate::store::postgres::statements::log::LogBatch;
use crate::store::postgres::statements::{commands, new_runs, recordings, search};
use crate::store::rows::{
    CheckpointRow, EffectChange, GrantRow, LeaseRow, PageChange, PermissionChanges, QuestionRow, RunCommit,
    RunReport, TaskRow, Usage,
};
use serde_json::{Value, json};

/// Adds all statements of a commit, in the order in which their effects build on each other. The tree is locked.
pub fn push_commit(batch: &mut LogBatch, commit: &RunCommit) {
    let RunCommit { run, status, .. } = commit;
    batch.push(update_run(commit, batch.at));
    if let Some(title) = &commit.report.title {
        search::index_title(run, title, false).into_iter().for_each(|statement| batch.push(statement));
    }
    push_step(batch, run, commit.checkpoint.as_ref());
    if let Some(recording) = &commit.recording {
        recordings::push(batch, run, recording);
    }
    push_effect(batch, run, &commit.effect);
    if let Some(read) = commit.consumed.inbox {
        batch.push(Sql::new("delete from inbox where run_id = $1 and n <= $2").with(run).with(read));
    }
    push_permissions(batch, run, &commit.permissions);
    push_page(batch, &commit.page);
    commit.children.tasks.iter().for_each(|row| batch.push(put_task(row)));
    if status.ended.is_some() {
        let sql =
            "update tasks set status = 'cancelled', ended_at = $1 where run_id = $2 and ended_at is null";
        batch.push(Sql::new(sql).with(batch.at.millis()).with(run));
    }
    if !commit.children.stop.is_empty() {
        let ids: Vec<String> = commit.children.stop.iter().map(RunId::to_string).collect();
        batch.push(Sql::new("update runs set stopping = true where id = any ($1)").with(ids));
    }
    batch.append(run, &commit.events);
    if let Some(row) = &status.question {
        batch.push(ask(row, &commit.events, batch.at));
    }
    for (child, events) in &commit.children.begin {
        new_runs::push(batch, child, events, None);
    }
    commands::push_carried_out(batch, run, &commit.consumed, status.ended.is_some());
}

/// Updates the changed columns of the run's own row. Ends the transaction if there is no such run, or a step is missing.
fn update_run(commit: &RunCommit, now: Moment) -> Sql {
    let mut sql = Sql::new("with there as (update runs set updated_at = ");
    let now = sql.place(now.millis());
    sql.push(&now);
    push_status(&mut sql, commit, &now);
    let report = &commit.report;
    if let Some(Usage { calls, unpriced, input, cached, output, cost }) = report.usage {
        for (column, more) in [
            ("model_calls", calls),
            ("unpriced_calls", unpriced),
            ("input_tokens", input),
            ("cached_tokens", cached),
            ("output_tokens", output),
        ] {
            let more = sql.place(more);
            sql.push(&format!(", {column} = {column} + {more}"));
        }
        let more = sql.place(cost);
        sql.push(&format!(", cost = cost + {more}"));
    }
    if let Some(row) = &commit.checkpoint {
        let (node, n) = (sql.place(&row.node), sql.place(row.step.n));
        sql.push(&format!(", node = {node}, last_step = greatest(last_step, {n})"));
    }
    push_report(&mut sql, report);
    let (run, after) = (sql.place(&commit.run), sql.place(commit.after_step));
    sql.push(&format!(
        " where id = {run} and last_step >= {after} returning 1) select 1 / (select count(*) from there)"
    ));
    sql
}

fn push_report(sql: &mut Sql, report: &RunReport) {
    if let Some(plan) = &report.plan {
        set(sql, "plan", Some(plan).filter(|plan| !plan.is_null()));
    }
    if let Some(steps) = report.tool_steps {
        set(sql, "tool_steps", steps);
    }
    if let Some(url) = &report.url {
        set(sql, "url", url);
    }
    if let Some(title) = &report.title {
        set(sql, "title", title);
    }
    if let Some(progress) = report.progress {
        set(sql, "progress", progress);
    }
    if let Some(cause) = &report.cause {
        set(sql, "failure_cause", cause);
    }
}

fn push_status(sql: &mut Sql, commit: &RunCommit, now: &str) {
    let change = &commit.status;
    if let Some((status, question)) = &change.to {
        set(sql, "status", status);
        set(sql, "question_reference", question.as_ref().map(QuestionId::as_str));
    }
    match &change.ended {
        // A run that ends and is reopened at once is open.
        Some(_) if change.reopened => sql.push(", ended_at = null, response = null"),
        Some(end) => {
            sql.push(&format!(", ended_at = {now}"));
            set(sql, "response", end.response.as_deref());
        }
        None if change.reopened => sql.push(", ended_at = null, response = null"),
        None => {}
    }
    if let Some(end) = &change.ended {
        set(sql, "vars", &Value::Object(end.vars.clone()));
    }
}

fn set(sql: &mut Sql, column: &str, value: impl Parameter) {
    let value = sql.place(value);
    sql.push(&format!(", {column} = {value}"));
}

fn push_step(batch: &mut LogBatch, run: &RunId, checkpoint: Option<&CheckpointRow>) {
    let Some(CheckpointRow { step, snapshot, .. }) = checkpoint else { return };
    let insert = "insert into steps (run_id, n, node, outcome, at, took_ms, changes)
                  values ($1, $2, $3, $4, $5, $6, $7)";
    batch.push(
        Sql::new(insert)
            .with(run)
            .with(step.n)
            .with(&step.node)
            .with(&step.outcome)
            .with(step.at.millis())
            .with(step.took_ms)
            .with(&step.changes),
    );
    let Some(state) = snapshot else { return };
    // The initial state is kept before the first snapshot takes its place.
    let keep = "insert into initial_states (run_id, state)
                select run_id, state from state_snapshots where run_id = $1 and n = 0 on conflict do nothing";
    batch.push(Sql::new(keep).with(run));
    let put = "insert into state_snapshots (run_id, n, state) values ($1, $2, $3)
               on conflict (run_id) do update set n = excluded.n, state = excluded.state";
    batch.push(Sql::new(put).with(run).with(step.n).with(state));
}

/// Adds the receipt of the open effect, then the intent of the next one.
fn push_effect(batch: &mut LogBatch, run: &RunId, effect: &EffectChange) {
    if let Some(receipt) = &effect.receipt {
        let sql = "update effects set receipt_at = $1, receipt = $2 where run_id = $3 and receipt_at is null";
        batch.push(Sql::new(sql).with(batch.at.millis()).with(receipt).with(run));
    }
    if let Some(intent) = &effect.intent {
        let sql = "insert into effects (run_id, n, action_id, action, intent_at)
                   values ($1, (select coalesce(max(n), 0) + 1 from effects where run_id = $1), $2, $3, $4)";
        batch.push(
            Sql::new(sql).with(run).with(&intent.action_id).with(&intent.action).with(batch.at.millis()),
        );
    }
}

fn push_permissions(batch: &mut LogBatch, run: &RunId, permissions: &PermissionChanges) {
    let root = batch.root.clone();
    permissions.audit.iter().for_each(|entry| batch.push(insert_audit(run, &root, entry)));
    if let Some(row) = &permissions.grant {
        batch.push(insert_grant(row));
    }
    let Some(raised) = &permissions.raised else { return };
    for (name, most) in
        [("tokens", raised.tokens.map(|most| json!(most))), ("money", raised.money.map(|most| json!(most)))]
    {
        if let Some(most) = most {
            let sql = format!(
                "update runs set bounds = jsonb_set(bounds::jsonb, '{{{name}}}', $1::text::jsonb)::text where id = $2"
            );
            batch.push(Sql::new(sql).with(&most).with(run));
        }
    }
}

/// Adds a row to the audit log, with the title of the task at this moment.
pub fn insert_audit(run: &RunId, root: &RunId, entry: &Value) -> Sql {
    Sql::new(
        "insert into audit_log (at, run_id, root_id, entry, title)
         values ($1, $2, $3, $4, (select coalesce(own_title, title) from runs where id = $3))",
    )
    .with(Moment::now().millis())
    .with(run)
    .with(root)
    .with(entry)
}

fn insert_grant(row: &GrantRow) -> Sql {
    Sql::new(
        "insert into grants (id, scope, run_id, origin, rule, created_at, expires_at, covers)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .with(&row.id)
    .with(&row.scope)
    .with(row.run.as_ref())
    .with(row.origin.as_ref())
    .with(&row.rule)
    .with(row.created_at.millis())
    .with(row.expires_at.millis())
    .with(row.covers.as_ref())
}

fn push_page(batch: &mut LogBatch, page: &PageChange) {
    let root = batch.root.clone();
    if let Some(snapshot) = &page.snapshot {
        let sql = "insert into page_snapshots (root_id, snapshot) values ($1, $2)
                   on conflict (root_id) do update set snapshot = excluded.snapshot";
        batch.push(Sql::new(sql).with(&root).with(snapshot));
    }
    match &page.lease {
        None => {}
        Some(None) => batch.push(Sql::new("delete from leases where root_id = $1").with(&root)),
        Some(Some(LeaseRow { run, holder, paused, .. })) => {
            let sql = "insert into leases (root_id, run_id, holder, paused) values ($1, $2, $3, $4)
                       on conflict (root_id) do update
                       set run_id = excluded.run_id, holder = excluded.holder, paused = excluded.paused";
            batch.push(Sql::new(sql).with(&root).with(run).with(holder.as_ref()).with(*paused));
        }
    }
}

/// Inserts or updates a task. An id belongs to the run that used it first.
fn put_task(row: &TaskRow) -> Sql {
    Sql::new(
        "insert into tasks as old (id, action_id, run_id, root_id, child_id, agent, status, progress, display, result, error,
                            created_at, started_at, ended_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
         on conflict (id) do update
         set child_id = coalesce(excluded.child_id, old.child_id), agent = excluded.agent, status = excluded.status,
             progress = coalesce(excluded.progress, old.progress), display = excluded.display,
             result = excluded.result, error = excluded.error, started_at = excluded.started_at,
             ended_at = excluded.ended_at
         where old.run_id = excluded.run_id",
    )
    .with(&row.id)
    .with(&row.action_id)
    .with(&row.run)
    .with(&row.root)
    .with(row.child.as_ref())
    .with(&row.agent)
    .with(&row.status)
    .with(row.progress)
    .with(row.display.as_ref())
    .with(row.result.as_ref())
    .with(row.error.as_ref())
    .with(row.created_at.millis())
    .with(row.started_at.map(Moment::millis))
    .with(row.ended_at.map(Moment::millis))
}

/// Stores a question with the log position of its event. The number of the event is known to the server alone: it follows
/// from the newest one, since the events of the commit were appended last.
fn ask(row: &QuestionRow, events: &[String], at: Moment) -> Sql {
    /// Stands for the number of the event in the text of the question.
    const PLACEHOLDER: &str = "\u{1}seq\u{1}";
    let body = row.frame.to_string();
    let mut frame = row.frame.clone();
    let after = events.iter().position(|event| *event == body).map(|index| events.len() - 1 - index);
    if after.is_some() {
        (frame["seq"], frame["at"]) = (json!(PLACEHOLDER), json!(at.rfc3339()));
    }
    Sql::new(
        "insert into questions (reference, run_id, root_id, kind, asked_at, expires_at, frame)
         values ($1, $2, $3, $4, $5, $6,
             replace($7, $8, ((select seq from trees where root_id = $3) - $9)::text))",
    )
    .with(&row.reference)
    .with(&row.run)
    .with(&row.root)
    .with(&row.kind)
    .with(row.asked_at.millis())
    .with(row.expires_at.map(Moment::millis))
    .with(&frame)
    .with(&json!(PLACEHOLDER))
    .with(after.unwrap_or(0))
}
