//! Statements that add a run. They do nothing if its idempotency key names an earlier run.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::postgres::connection::sql::Sql;
use crate::store::postgres::statements::log::LogBatch;
use crate::store::postgres::statements::{requests, search};
use crate::store::rows::NewRun;
use serde_json::Value;
use uuid::Uuid;

/// Epoch of a new tree.
pub const FIRST_EPOCH: i64 = 1;

/// Adds a run with its first events. The tree of its root is locked, or new with it, and then of the node `owner`.
pub fn push(batch: &mut LogBatch, run: &NewRun, events: &[String], owner: Option<Uuid>) {
    batch.push(insert(run));
    if run.parent.is_none() {
        let tree = "insert into trees (root_id, owner, epoch, wanted)
                    select id, $2::text::uuid, $3, $2 is null from runs where id = $1";
        batch.push(Sql::new(tree).with(&run.id).with(owner).with(FIRST_EPOCH));
    }
    let snapshot = "insert into state_snapshots (run_id, n, state) select id, 0, $2 from runs where id = $1";
    batch.push(Sql::new(snapshot).with(&run.id).with(&run.state));
    let [_, title] = search::index_title(&run.id, &run.title, false);
    batch.push(title);
    batch.append(&run.id, events);
    if let Some(parent) = &run.parent {
        let inherit = "insert into user_commands (run_id, n, command)
                       select $1, n, command from user_commands
                       where run_id = $2 and command <> 'resume' and exists (select 1 from runs where id = $1)";
        batch.push(Sql::new(inherit).with(&run.id).with(parent));
    }
    if let Some(record) = &run.idempotency_record {
        batch.push(requests::put(&run.id, record));
    }
}

/// Inserts the row of a run, and counts it at each of its ancestors.
fn insert(run: &NewRun) -> Sql {
    let mut sql = Sql::new("");
    let parent = sql.place(run.parent.as_ref().map(RunId::as_str));
    let free = match &run.idempotency_key {
        None => String::from("true"),
        Some(key) => {
            let (agent, key) = (sql.place(&run.agent), sql.place(key));
            format!("not exists (select 1 from runs where agent = {agent} and idempotency_key = {key})")
        }
    };
    let now = Moment::now().millis();
    let values = [
        sql.place(&run.id),
        sql.place(&run.root),
        sql.place(run.depth),
        sql.place(&run.agent),
        sql.place(&run.program),
        sql.place(&run.title),
        sql.place(&Value::Object(run.input.clone())),
        sql.place(&run.node),
        sql.place(now),
        sql.place(now),
        sql.place(run.idempotency_key.as_deref()),
        sql.place(run.version.as_deref()),
        sql.place(&run.bounds),
        sql.place(run.deadline.map(Moment::millis)),
        sql.place(run.descendant_limit),
        sql.place(run.metadata.as_ref()),
    ]
    .join(", ");
    let model = sql.place(run.model.as_deref());
    sql.push(&format!(
        "with recursive above (id) as (
             select {parent} collate \"C\" union all select parent_id from runs join above using (id) where parent_id is not null
         ), counted as (
             update runs set descendants = descendants + 1 where id in (select id from above) and {free}
             returning parent_id is null as is_root, descendants, descendant_limit
         ) insert into runs (id, root_id, depth, agent, program, title, input, node, created_at, updated_at,
                             idempotency_key, version, bounds, deadline, descendant_limit, metadata, parent_id, status,
                             model, ordinal, exceeded_limit)
         select {values}, {parent}, 'queued', coalesce({model}, (select model from runs where id = {parent})),
             coalesce((select descendants from counted where is_root), 0),
             (select min(descendant_limit) from counted where descendants > descendant_limit)
         where {free}"
    ));
    sql
}
