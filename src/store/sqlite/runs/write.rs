//! Write statements. Each function runs inside a savepoint, so its effect is atomic.

use crate::clock::Moment;
use crate::ids::{GrantId, QuestionId, RunId};
use crate::store::rows::usage::Usage;
use crate::store::rows::{
    EndRow, GrantRow, LogAdditions, NewRun, Resolution, ResolutionRow, RunCommit, StepRow,
};
use crate::store::sqlite::listing::search;
use crate::store::sqlite::runs::events::append;
use crate::store::sqlite::runs::{commands, leases, questions, tree};
use crate::store::sqlite::{idempotency, llm_calls, tasks};
use rusqlite::{Connection, OptionalExtension, Result, params};
use serde_json::Value;

pub fn create(
    connection: &Connection,
    log: &mut LogAdditions,
    run: &NewRun,
    facts: &[String],
) -> Result<RunId> {
    if let Some(older) = run_with_key(connection, run)? {
        return Ok(older);
    }
    insert_run(connection, run)?;
    snapshot(connection, &run.id, 0, &run.state)?;
    search::index_title(connection, &run.id)?;
    append(connection, log, &run.root, &run.id, facts)?;
    commands::inherit_command(connection, run)?;
    idempotency::put(connection, &run.id, run.tried.as_ref())?;
    Ok(run.id.clone())
}

fn insert_run(connection: &Connection, run: &NewRun) -> Result<()> {
    let now = Moment::now().millis();
    let (ordinal, beyond) = tree::count_descendant(connection, run.parent.as_ref())?;
    connection
        .prepare_cached(
            "insert into runs (id, root_id, parent_id, depth, agent, program, title, input, status, node,
                               created_at, updated_at, idempotency_key, version, bounds, deadline, most,
                               ordinal, beyond, metadata, model)
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
            text(&Value::Object(run.input.clone())),
            run.node,
            now,
            now,
            run.idempotency_key,
            run.version,
            text(&run.bounds),
            run.deadline.map(Moment::millis),
            run.most,
            ordinal,
            beyond,
            run.metadata.as_ref().map(text),
            run.model,
        ])?;
    Ok(())
}

fn run_with_key(connection: &Connection, run: &NewRun) -> Result<Option<RunId>> {
    let Some(key) = &run.idempotency_key else { return Ok(None) };
    let mut sql = connection.prepare_cached("select id from runs where agent = ? and idempotency_key = ?")?;
    sql.query_row([&run.agent, key], |row| Ok(RunId::from(row.get::<_, String>(0)?))).optional()
}

pub fn commit(connection: &Connection, log: &mut LogAdditions, commit: &RunCommit) -> Result<()> {
    let (Some(run), Some(root)) = (&commit.run, &commit.root) else { return Ok(()) };
    update_run(connection, run, commit)?;
    put_step(connection, run, commit)?;
    put_effect(connection, run, commit)?;
    if let Some(read) = commit.read_inbox {
        connection
            .prepare_cached("delete from inbox where run_id = ? and n <= ?")?
            .execute(params![run.as_str(), read])?;
    }
    for row in &commit.audit {
        audit(connection, run, root, row)?;
    }
    put_tree(connection, run, root, commit)?;
    commit.tasks.iter().try_for_each(|row| tasks::put(connection, row))?;
    if commit.ended.is_some() {
        log.ended.push(run.clone());
        tasks::cancel_unfinished(connection, run, Moment::now().millis())?;
    }
    commit.cancel.iter().try_for_each(|child| tasks::mark_stopping(connection, child))?;
    tasks::put_run_report(connection, run, commit)?;
    let first = append(connection, log, root, run, &commit.facts)?;
    for (child, facts) in &commit.children {
        create(connection, log, child, facts)?;
    }
    commands::delete_carried_out(connection, run, commit)?;
    match &commit.question {
        Some(row) => {
            log.questions = true;
            questions::put(connection, row, &log.facts[first..])
        }
        None => Ok(()),
    }
}

/// Stores the step, its snapshot and the model's replies in it.
fn put_step(connection: &Connection, run: &RunId, commit: &RunCommit) -> Result<()> {
    if let Some(row) = &commit.step {
        step(connection, run, row)?;
        if let Some(state) = &commit.snapshot {
            llm_calls::keep_beginning(connection, run)?;
            snapshot(connection, run, row.n, state)?;
        }
    }
    if let Some(told) = &commit.heard {
        llm_calls::put(connection, run, told)?;
    }
    Ok(())
}

/// Stores the receipt of the effect under way, and the intent of the next one.
fn put_effect(connection: &Connection, run: &RunId, commit: &RunCommit) -> Result<()> {
    if let Some(receipt) = &commit.receipt {
        connection
            .prepare_cached(
                "update effects set receipt_at = ?, receipt = ? where run_id = ? and receipt_at is null",
            )?
            .execute(params![Moment::now().millis(), text(receipt), run.as_str()])?;
    }
    if let Some(intent) = &commit.intent {
        connection
            .prepare_cached(
                "insert into effects (run_id, n, action_id, action, intent_at)
                 values (?1, (select coalesce(max(n), 0) + 1 from effects where run_id = ?1), ?2, ?3, ?4)",
            )?
            .execute(params![run.as_str(), intent.action_id, text(&intent.action), Moment::now().millis()])?;
    }
    Ok(())
}

/// Stores what a whole run tree shares: grant, raised limits, browser and lease.
fn put_tree(connection: &Connection, run: &RunId, root: &RunId, commit: &RunCommit) -> Result<()> {
    if let Some(row) = &commit.grant {
        grant(connection, row)?;
    }
    if let Some(raised) = &commit.raised {
        tree::raise(connection, run, raised)?;
    }
    if let Some(snapshot) = &commit.browser {
        connection
            .prepare_cached("insert or replace into browsers (root_id, snapshot) values (?, ?)")?
            .execute(params![root.as_str(), text(snapshot)])?;
    }
    if let Some(held) = &commit.lease {
        leases::put(connection, root, held.as_ref())?;
    }
    Ok(())
}

/// Updates the changed columns of the run's own row. Writes nothing if the run was deleted.
fn update_run(connection: &Connection, run: &RunId, commit: &RunCommit) -> Result<()> {
    let now = Moment::now().millis();
    if let Some((status, question)) = &commit.status {
        connection
            .prepare_cached("update runs set status = ?, question = ? where id = ?")?
            .execute(params![status, question.as_ref().map(QuestionId::as_str), run.as_str()])?;
    }
    if let Some(EndRow { response, vars }) = &commit.ended {
        connection
            .prepare_cached("update runs set ended_at = ?, response = ?, vars = ? where id = ?")?
            .execute(params![now, response, text(&Value::Object(vars.clone())), run.as_str()])?;
    }
    if commit.reopened {
        connection
            .prepare_cached("update runs set ended_at = null, response = null where id = ?")?
            .execute([run.as_str()])?;
    }
    update_usage(connection, run, commit, now)?;
    if let Some(title) = &commit.title {
        let sql = "update runs set title = ? where id = ?";
        connection.prepare_cached(sql)?.execute([title, run.as_str()])?;
        search::index_title(connection, run)?;
    }
    Ok(())
}

/// Updates the run's position and usage. Returns an error if the run does not exist.
fn update_usage(connection: &Connection, run: &RunId, commit: &RunCommit, now: i64) -> Result<()> {
    let Usage { calls, unpriced, input, cached, output, cost } = commit.usage.unwrap_or_default();
    let there = connection
        .prepare_cached(
            "update runs set updated_at = ?1, node = coalesce(?2, node), last_step = max(last_step, ?3),
                    steps = coalesce(?4, steps), url = coalesce(?5, url),
                    model_calls = model_calls + ?6, input_tokens = input_tokens + ?7,
                    cached_tokens = cached_tokens + ?8, output_tokens = output_tokens + ?9, cost = cost + ?10,
                    unpriced_calls = unpriced_calls + ?11
             where id = ?12",
        )?
        .execute(params![
            now,
            commit.node,
            commit.step.as_ref().map_or(0, |step| step.n),
            commit.tool_steps,
            commit.url,
            calls,
            input,
            cached,
            output,
            cost,
            unpriced,
            run.as_str(),
        ])?;
    if there == 0 { Err(rusqlite::Error::QueryReturnedNoRows) } else { Ok(()) }
}

pub fn resolve(
    connection: &Connection,
    log: &mut LogAdditions,
    reference: &QuestionId,
    answered: &ResolutionRow,
) -> Result<Resolution> {
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
    connection
        .prepare_cached(
            "update questions set resolved_at = ?1, resolved_by = ?2, answer = ?3,
                    client = json_extract(?4, '$.client')
             where reference = ?5",
        )?
        .execute(params![
            answered.at.millis(),
            answered.by,
            text(&answered.answer),
            answered.fact,
            reference.as_str()
        ])?;
    if let Some(row) = &answered.audit {
        audit(connection, &run, &root, row)?;
    }
    append(connection, log, &root, &run, std::slice::from_ref(&answered.fact))?;
    log.questions = true;
    idempotency::put(connection, &root, answered.tried.as_ref())?;
    Ok(Resolution::Resolved { run, root })
}

pub fn revoke(connection: &Connection, grant: &GrantId) -> Result<bool> {
    let sql = "update grants set revoked_at = ? where id = ? and revoked_at is null";
    Ok(connection.prepare_cached(sql)?.execute(params![Moment::now().millis(), grant.as_str()])? > 0)
}

pub fn audit(connection: &Connection, run: &RunId, root: &RunId, row: &Value) -> Result<()> {
    connection
        .prepare_cached(
            "insert into audit (at, run_id, root_id, row, title)
             values (?1, ?2, ?3, ?4, (select coalesce(own_title, title) from runs where id = ?3))",
        )?
        .execute(params![Moment::now().millis(), run.as_str(), root.as_str(), text(row)])?;
    Ok(())
}

fn step(connection: &Connection, run: &RunId, row: &StepRow) -> Result<()> {
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
            text(&row.changes)
        ])?;
    Ok(())
}

fn snapshot(connection: &Connection, run: &RunId, n: u64, state: &Value) -> Result<()> {
    connection
        .prepare_cached("insert or replace into snapshots (run_id, n, state) values (?, ?, ?)")?
        .execute(params![run.as_str(), n, text(state)])?;
    Ok(())
}

fn grant(connection: &Connection, row: &GrantRow) -> Result<()> {
    connection
        .prepare_cached(
            "insert into grants (id, scope, run_id, origin, rule, created_at, expires_at)
             values (?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            row.id.as_str(),
            row.scope,
            row.run.as_ref().map(RunId::as_str),
            row.origin,
            row.rule,
            row.created_at.millis(),
            row.expires_at.millis(),
        ])?;
    Ok(())
}

fn text(value: &Value) -> String {
    value.to_string()
}
