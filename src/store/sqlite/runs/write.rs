//! Transactions of runs: create, commit, resolve a question. Each runs inside a savepoint, so its effect is atomic.

use crate::clock::Moment;
use crate::ids::{GrantId, QuestionId, RunId};
use crate::store::RunTransactions;
use crate::store::error::StoreFuture;
use crate::store::rows::usage::Usage;
use crate::store::rows::{
    EffectChange, EndRow, GrantRow, LogAdditions, NewRun, PageChange, PermissionChanges, Resolution,
    ResolutionRow, RunCommit, StepRow, StoredRun,
};
use crate::store::sqlite::connection::store::SqliteStore;
use crate::store::sqlite::row_reading::run_id;
use crate::store::sqlite::runs::events::append;
use crate::store::sqlite::runs::{leases, questions, run_trees, stored_run, user_commands};
use crate::store::sqlite::search_index;
use crate::store::sqlite::{idempotency, recordings, tasks};
use rusqlite::{Connection, OptionalExtension, Result, params};
use serde_json::Value;

impl RunTransactions for SqliteStore {
    fn create(&self, run: NewRun, events: Vec<String>) -> StoreFuture<RunId> {
        self.writer.write_timed("create", move |connection, log| create(connection, log, &run, &events))
    }

    /// Fails at the first statement if the run was deleted.
    fn commit(&self, commit: RunCommit) -> StoreFuture<()> {
        self.writer.write_timed("commit", move |connection, log| {
            let RunCommit { run, root, status, .. } = &commit;
            update_run(connection, &commit)?;
            put_step(connection, &commit)?;
            put_effect(connection, run, &commit.effect)?;
            if let Some(read) = commit.consumed.inbox {
                connection
                    .prepare_cached("delete from inbox where run_id = ? and n <= ?")?
                    .execute(params![run.as_str(), read])?;
            }
            put_permissions(connection, run, root, &commit.permissions)?;
            put_page(connection, root, &commit.page)?;
            commit.children.tasks.iter().try_for_each(|row| tasks::put(connection, row))?;
            if status.ended.is_some() {
                log.ended.push(run.clone());
                tasks::cancel_unfinished(connection, run, Moment::now().millis())?;
            }
            commit.children.stop.iter().try_for_each(|child| tasks::mark_stopping(connection, child))?;
            tasks::put_run_report(connection, run, &commit.report)?;
            let first = append(connection, log, root, run, &commit.events)?;
            for (child, events) in &commit.children.begin {
                create(connection, log, child, events)?;
            }
            user_commands::delete_carried_out(connection, run, &commit.consumed, status.ended.is_some())?;
            if let Some(row) = &status.question {
                log.questions = true;
                questions::put(connection, row, &log.events[first..])?;
            }
            Ok(())
        })
    }

    fn resolve(&self, reference: QuestionId, answered: ResolutionRow) -> StoreFuture<Resolution> {
        self.writer.write_timed("resolve", move |connection, log| {
            let sql = "select run_id, root_id, resolved_by from questions where reference = ?";
            let found: Option<(String, String, Option<String>)> = connection
                .prepare_cached(sql)?
                .query_row([reference.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .optional()?;
            let (run, root) = match found {
                None => return Ok(Resolution::Unknown),
                Some((_, _, Some(by))) if by == "expired" => return Ok(Resolution::Expired),
                Some((_, _, Some(_))) => return Ok(Resolution::AlreadyResolved),
                Some((run, root, None)) => (RunId::from(run), RunId::from(root)),
            };
            put_resolution(connection, &reference, &answered)?;
            if let Some(row) = &answered.audit {
                insert_audit(connection, &run, &root, row)?;
            }
            append(connection, log, &root, &run, std::slice::from_ref(&answered.event))?;
            log.questions = true;
            idempotency::put(connection, &root, answered.idempotency_record.as_ref())?;
            Ok(Resolution::Resolved { run, root })
        })
    }

    fn restore(&self, run: RunId) -> StoreFuture<Option<StoredRun>> {
        self.read(move |connection| stored_run::load(connection, &run))
    }
}

/// Adds a run with its first events, unless its idempotency key names an earlier one.
fn create(connection: &Connection, log: &mut LogAdditions, run: &NewRun, events: &[String]) -> Result<RunId> {
    if let Some(older) = run_with_key(connection, run)? {
        return Ok(older);
    }
    insert_run(connection, run)?;
    put_snapshot(connection, &run.id, 0, &run.state)?;
    search_index::index_title(connection, &run.id)?;
    append(connection, log, &run.root, &run.id, events)?;
    user_commands::inherit_command(connection, run)?;
    idempotency::put(connection, &run.id, run.idempotency_record.as_ref())?;
    Ok(run.id.clone())
}

fn insert_run(connection: &Connection, run: &NewRun) -> Result<()> {
    let now = Moment::now().millis();
    let (ordinal, exceeded_limit) = run_trees::count_descendant(connection, run.parent.as_ref())?;
    connection
        .prepare_cached(
            "insert into runs (id, root_id, parent_id, depth, agent, program, title, input, status, node,
                               created_at, updated_at, idempotency_key, version, bounds, deadline, descendant_limit,
                               ordinal, exceeded_limit, metadata, model)
             values (?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, coalesce(?, (select model from runs where id = ?3)))",
        )?
        .execute(params![
            run.id.as_str(),
            run.root.as_str(),
            run.parent.as_ref().map(RunId::as_str),
            run.depth,
            run.agent,
            run.program,
            run.title,
            to_json_text(&Value::Object(run.input.clone())),
            run.node,
            now,
            now,
            run.idempotency_key,
            run.version,
            to_json_text(&run.bounds),
            run.deadline.map(Moment::millis),
            run.descendant_limit,
            ordinal,
            exceeded_limit,
            run.metadata.as_ref().map(to_json_text),
            run.model,
        ])?;
    Ok(())
}

fn run_with_key(connection: &Connection, run: &NewRun) -> Result<Option<RunId>> {
    let Some(key) = &run.idempotency_key else { return Ok(None) };
    let mut sql = connection.prepare_cached("select id from runs where agent = ? and idempotency_key = ?")?;
    sql.query_row([&run.agent, key], |row| run_id(row, 0)).optional()
}

/// Updates the changed columns of the run's own row. Returns an error if the run was deleted.
fn update_run(connection: &Connection, commit: &RunCommit) -> Result<()> {
    let (run, now, change) = (&commit.run, Moment::now().millis(), &commit.status);
    if let Some((status, question)) = &change.to {
        connection
            .prepare_cached("update runs set status = ?, question_reference = ? where id = ?")?
            .execute(params![status, question.as_ref().map(QuestionId::as_str), run.as_str()])?;
    }
    if let Some(EndRow { response, vars }) = &change.ended {
        connection
            .prepare_cached("update runs set ended_at = ?, response = ?, vars = ? where id = ?")?
            .execute(params![now, response, to_json_text(&Value::Object(vars.clone())), run.as_str()])?;
    }
    if change.reopened {
        connection
            .prepare_cached("update runs set ended_at = null, response = null where id = ?")?
            .execute([run.as_str()])?;
    }
    update_usage(connection, commit, now)?;
    if let Some(title) = &commit.report.title {
        let sql = "update runs set title = ? where id = ?";
        connection.prepare_cached(sql)?.execute([title, run.as_str()])?;
        search_index::index_title(connection, run)?;
    }
    Ok(())
}

/// Stores the step with its position and its recording.
fn put_step(connection: &Connection, commit: &RunCommit) -> Result<()> {
    let run = &commit.run;
    if let Some(row) = &commit.checkpoint {
        insert_step(connection, run, &row.step)?;
        if let Some(state) = &row.snapshot {
            recordings::keep_initial_state(connection, run)?;
            put_snapshot(connection, run, row.step.n, state)?;
        }
    }
    match &commit.recording {
        Some(recorded) => recordings::put(connection, run, recorded),
        None => Ok(()),
    }
}

/// Stores the receipt of the open effect, then the intent of the next one.
fn put_effect(connection: &Connection, run: &RunId, effect: &EffectChange) -> Result<()> {
    if let Some(receipt) = &effect.receipt {
        connection
            .prepare_cached(
                "update effects set receipt_at = ?, receipt = ? where run_id = ? and receipt_at is null",
            )?
            .execute(params![Moment::now().millis(), to_json_text(receipt), run.as_str()])?;
    }
    if let Some(intent) = &effect.intent {
        connection
            .prepare_cached(
                "insert into effects (run_id, n, action_id, action, intent_at)
                 values (?1, (select coalesce(max(n), 0) + 1 from effects where run_id = ?1), ?2, ?3, ?4)",
            )?
            .execute(params![
                run.as_str(),
                intent.action_id,
                to_json_text(&intent.action),
                Moment::now().millis()
            ])?;
    }
    Ok(())
}

fn put_permissions(
    connection: &Connection,
    run: &RunId,
    root: &RunId,
    permissions: &PermissionChanges,
) -> Result<()> {
    for row in &permissions.audit {
        insert_audit(connection, run, root, row)?;
    }
    if let Some(row) = &permissions.grant {
        insert_grant(connection, row)?;
    }
    if let Some(raised) = &permissions.raised {
        run_trees::raise(connection, run, raised)?;
    }
    Ok(())
}

fn put_page(connection: &Connection, root: &RunId, page: &PageChange) -> Result<()> {
    if let Some(snapshot) = &page.snapshot {
        connection
            .prepare_cached("insert or replace into page_snapshots (root_id, snapshot) values (?, ?)")?
            .execute(params![root.as_str(), to_json_text(snapshot)])?;
    }
    if let Some(held) = &page.lease {
        leases::put(connection, root, held.as_ref())?;
    }
    Ok(())
}

/// Updates the run's position and usage. Returns an error if the run does not exist, or not in the state that the commit
/// follows.
fn update_usage(connection: &Connection, commit: &RunCommit, now: i64) -> Result<()> {
    let (report, checkpoint) = (&commit.report, commit.checkpoint.as_ref());
    let Usage { calls, unpriced, input, cached, output, cost } = report.usage.unwrap_or_default();
    let there = connection
        .prepare_cached(
            "update runs set updated_at = ?1, node = coalesce(?2, node), last_step = max(last_step, ?3),
                    tool_steps = coalesce(?4, tool_steps), url = coalesce(?5, url),
                    model_calls = model_calls + ?6, input_tokens = input_tokens + ?7,
                    cached_tokens = cached_tokens + ?8, output_tokens = output_tokens + ?9, cost = cost + ?10,
                    unpriced_calls = unpriced_calls + ?11
             where id = ?12 and last_step >= ?13",
        )?
        .execute(params![
            now,
            checkpoint.map(|row| &row.node),
            checkpoint.map_or(0, |row| row.step.n),
            report.tool_steps,
            report.url,
            calls,
            input,
            cached,
            output,
            cost,
            unpriced,
            commit.run.as_str(),
            commit.after_step,
        ])?;
    if there == 0 { Err(rusqlite::Error::QueryReturnedNoRows) } else { Ok(()) }
}

/// Writes the resolution into the row of the question.
fn put_resolution(connection: &Connection, reference: &QuestionId, answered: &ResolutionRow) -> Result<()> {
    connection
        .prepare_cached(
            "update questions set resolved_at = ?1, resolved_by = ?2, answer = ?3,
                    client = json_extract(?4, '$.client')
             where reference = ?5",
        )?
        .execute(params![
            answered.at.millis(),
            answered.by,
            to_json_text(&answered.answer),
            answered.event,
            reference.as_str()
        ])
        .map(drop)
}

/// Revokes a grant. Returns false if there is none, or if it was revoked before.
pub fn revoke(connection: &Connection, grant: &GrantId) -> Result<bool> {
    let sql = "update grants set revoked_at = ? where id = ? and revoked_at is null";
    Ok(connection.prepare_cached(sql)?.execute(params![Moment::now().millis(), grant.as_str()])? > 0)
}

/// Adds a row to the audit log, with the title of the task at this moment.
pub fn insert_audit(connection: &Connection, run: &RunId, root: &RunId, row: &Value) -> Result<()> {
    connection
        .prepare_cached(
            "insert into audit_log (at, run_id, root_id, entry, title)
             values (?1, ?2, ?3, ?4, (select coalesce(own_title, title) from runs where id = ?3))",
        )?
        .execute(params![Moment::now().millis(), run.as_str(), root.as_str(), to_json_text(row)])?;
    Ok(())
}

fn insert_step(connection: &Connection, run: &RunId, row: &StepRow) -> Result<()> {
    connection
        .prepare_cached(
            "insert into steps (run_id, n, node, outcome, at, took_ms, changes) values (?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            run.as_str(),
            row.n,
            row.node,
            row.outcome,
            row.at.millis(),
            row.took_ms,
            to_json_text(&row.changes)
        ])?;
    Ok(())
}

fn put_snapshot(connection: &Connection, run: &RunId, n: u64, state: &Value) -> Result<()> {
    connection
        .prepare_cached("insert or replace into state_snapshots (run_id, n, state) values (?, ?, ?)")?
        .execute(params![run.as_str(), n, to_json_text(state)])?;
    Ok(())
}

fn insert_grant(connection: &Connection, row: &GrantRow) -> Result<()> {
    connection
        .prepare_cached(
            "insert into grants (id, scope, run_id, origin, rule, created_at, expires_at, covers)
             values (?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            row.id.as_str(),
            row.scope,
            row.run.as_ref().map(RunId::as_str),
            row.origin,
            row.rule,
            row.created_at.millis(),
            row.expires_at.millis(),
            row.covers.as_ref().map(to_json_text),
        ])?;
    Ok(())
}

fn to_json_text(value: &Value) -> String {
    value.to_string()
}
