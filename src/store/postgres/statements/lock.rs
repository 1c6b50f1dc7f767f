//! Locks of run trees. A statement that finds no row divides by zero: so the server ends the transaction at once, though the
//! statements after it were sent already.

use crate::ids::RunId;
use crate::store::postgres::connection::sql::Sql;
use uuid::Uuid;

/// Key of the lock under which texts of requests are shared between trees: `texts` in ASCII.
const REQUEST_TEXTS: i64 = 0x74_6578_7473;
/// Key of the lock under which ids of tasks are reserved: `tasks` in ASCII.
const TASK_IDS: i64 = 0x74_6173_6b73;

/// Locks a run tree. Ends the transaction if there is none.
pub fn tree(root: &RunId) -> Sql {
    Sql::new(
        "with tree as (select 1 from trees where root_id = $1 for update)
         select 1 / (select count(*) from tree)",
    )
    .with(root)
}

/// Locks the tree of a run, if there is such a run.
pub fn tree_of_run(run: &RunId) -> Sql {
    Sql::new("select 1 from trees where root_id = (select root_id from runs where id = $1) for update")
        .with(run)
}

/// Locks the tree of a run, if there is such a run, and notes for its owner that something is stored for it, if that is not
/// this node.
pub fn tree_of_run_for_owner(run: &RunId, node: Option<Uuid>) -> Sql {
    let Some(node) = node else { return tree_of_run(run) };
    Sql::new(
        "update trees set wanted = wanted or owner is distinct from $2::text::uuid
         where root_id = (select root_id from runs where id = $1)",
    )
    .with(run)
    .with(node)
}

/// Keeps texts of requests from being removed until the end of the transaction.
pub fn request_texts_shared() -> Sql {
    Sql::new("select pg_advisory_xact_lock_shared($1)").with(REQUEST_TEXTS)
}

/// Keeps texts of requests from being added until the end of the transaction.
pub fn request_texts_alone() -> Sql {
    Sql::new("select pg_advisory_xact_lock($1)").with(REQUEST_TEXTS)
}

/// Keeps others from reserving ids of tasks until the end of the transaction.
pub fn task_ids() -> Sql {
    Sql::new("select pg_advisory_xact_lock($1)").with(TASK_IDS)
}
