//! JSON views of runs for clients: the row of a list, and the full run (`welcome.run` and `GET
//! /api/runs/{id}` are the same object). Both read from the store, so they work for any run.

use crate::clock::Moment;
use crate::engine::services::RunServices;
use crate::ids::RunId;
use crate::plan::{Item, edit};
use crate::store::error::StoreError;
use crate::store::rows::usage::Usage;
use crate::store::rows::{QuestionRow, RunRow, TaskRow};
use serde_json::{Value, json};

/// Returns a row of `GET /api/runs`.
pub fn list_row(run: &RunRow) -> Value {
    let outcome = run.ended_at.map(|_| run.status.clone());
    json!({
        "run_id": run.id,
        "root_run_id": run.root,
        "parent_run_id": run.parent,
        "agent": run.agent,
        "title": run.title,
        "own_title": run.list_settings.own_title,
        "pinned": run.list_settings.pinned,
        "archived": run.list_settings.archived,
        "visibility": run.list_settings.visibility,
        "depth": run.depth,
        "version": run.version,
        "model": run.model,
        "status": run.status,
        "node": run.node,
        "created_at": run.created_at.rfc3339(),
        "updated_at": run.updated_at.rfc3339(),
        "ended_at": run.ended_at.map(Moment::rfc3339),
        "outcome": outcome,
        "steps": run.tool_steps,
        "tokens": run.usage.input + run.usage.output,
        "question": run.question,
    })
}

/// Returns the full run, or `None` if it does not exist.
pub async fn full_run(services: &RunServices, run: &RunId) -> Result<Option<Value>, StoreError> {
    let store = services.store.as_ref();
    let Some(row) = store.run(run.clone()).await? else { return Ok(None) };
    let questions = store.open_questions(Some(row.root.clone())).await?;
    let last_seq = store.last_seq(row.root.clone()).await?;
    let lease = store.lease(row.root.clone()).await?;
    let mut body = list_row(&row);
    let more = json!({
        "input": row.input,
        "metadata": row.metadata,
        "url": row.url,
        "final_response": row.response,
        "vars": row.vars,
        "usage": usage(&row.usage),
        "tree_usage": usage(&store.tree_usage(row.id.clone()).await?),
        "questions": questions.iter().map(question).collect::<Vec<_>>(),
        "plan": plan(&row),
        "planned": row.plan.as_ref().map(|plan| &plan["steps"]),
        "tasks": store.tasks(row.root.clone()).await?.iter().map(task).collect::<Vec<_>>(),
        "lease": {"holder": lease.and_then(|lease| lease.holder)},
        "limits": services.limits(row.agent.clone()).await,
        "last_seq": last_seq,
    });
    if let (Value::Object(body), Value::Object(more)) = (&mut body, more) {
        body.extend(more);
    }
    Ok(Some(body))
}

/// Returns the model usage. The cost is null if no call has a known price.
pub fn usage(used: &Usage) -> Value {
    json!({
        "model_calls": used.calls,
        "unpriced_calls": used.unpriced,
        "input_tokens": used.input,
        "cached_tokens": used.cached,
        "output_tokens": used.output,
        "cost": used.money(),
    })
}

/// Returns an ASYNC action, as in `GET /api/tasks/{id}` and in `tasks` of a run.
pub fn task(row: &TaskRow) -> Value {
    json!({
        "task_id": row.id,
        "action_id": row.action_id,
        "run_id": row.run,
        "root_run_id": row.root,
        "child_run_id": row.child,
        "agent": row.agent,
        "status": row.status,
        "progress": row.progress,
        "display": row.display,
        "result": row.result,
        "error": row.error,
        "created_at": row.created_at.rfc3339(),
        "started_at": row.started_at.map(Moment::rfc3339),
        "ended_at": row.ended_at.map(Moment::rfc3339),
    })
}

/// Returns the plan of a run with its version, or `None` if there is no plan.
pub fn plan(run: &RunRow) -> Option<Value> {
    let items: Vec<Item> = serde_json::from_value(run.plan.as_ref()?["items"].clone()).unwrap_or_default();
    let version = edit::hash_editable(&items);
    (!items.is_empty()).then(|| json!({"items": items, "version": version}))
}

/// Returns a question with the fields of its `agent_question` message (`docs/protocol.md`).
pub fn question(row: &QuestionRow) -> Value {
    let mut frame = row.frame.clone();
    if let Value::Object(fields) = &mut frame {
        fields.insert("run_id".into(), json!(row.run));
        fields.insert("root_run_id".into(), json!(row.root));
        fields.entry("at").or_insert_with(|| json!(row.asked_at.rfc3339()));
    }
    frame
}
