//! Statements that delete a run tree.

use crate::ids::RunId;
use crate::store::postgres::connection::sql::Sql;

/// Tables whose rows belong to a run, and tables whose rows belong to the root of a tree.
const RUN_TABLES: [&str; 10] = [
    "steps",
    "state_snapshots",
    "inbox",
    "effects",
    "pictures",
    "step_inputs",
    "initial_states",
    "idempotency_records",
    "user_commands",
    "reserved_task_ids",
];
const ROOT_TABLES: [&str; 7] =
    ["questions", "events", "tasks", "page_snapshots", "leases", "search_texts", "trees"];

const RUNS: &str = "(select id from runs where root_id = $1)";

/// Reads the messages and texts of the recorded calls of a tree: `hash` and `text` of each message, and null and `text` of
/// each request.
pub fn recorded_parts(root: &RunId) -> Sql {
    Sql::new(
        "with recursive chain (hash, previous, text) as (
             select m.hash, m.previous, m.text from request_messages m where m.hash in (
                 select last_message from model_calls where run_id in (select id from runs where root_id = $1))
             union
             select m.hash, m.previous, m.text from request_messages m join chain on m.hash = chain.previous
         ) select hash, text from chain
         union select null, request_text from model_calls
         where request_text is not null and run_id in (select id from runs where root_id = $1)",
    )
    .with(root)
}

/// Deletes all rows of a tree, and records its files as leftovers. The tree is locked, and so are the texts of requests.
pub fn delete_tree(root: &RunId, messages: Vec<Vec<u8>>, texts: Vec<Vec<u8>>) -> Vec<Sql> {
    let folders = "insert into leftover_files (kind, name) select 'run', id from runs where root_id = $1
                   on conflict do nothing";
    let pictures = format!(
        "insert into leftover_files (kind, name)
         select distinct 'picture', hash from pictures
         where run_id in {RUNS} and hash <> ''
             and not exists (select 1 from pictures other where other.hash = pictures.hash
                                 and other.run_id not in {RUNS})
         on conflict do nothing"
    );
    let calls = format!("delete from model_calls where run_id in {RUNS}");
    let mut statements: Vec<Sql> =
        [folders.to_owned(), pictures, calls].into_iter().map(|sql| Sql::new(sql).with(root)).collect();
    statements.extend(forget_parts(messages, texts));
    let of_runs = RUN_TABLES.map(|table| format!("delete from {table} where run_id in {RUNS}"));
    // Grants for a site belong to the person and stay; grants for this run go.
    let grants = format!("delete from grants where scope = 'run' and run_id in {RUNS}");
    let of_root = ROOT_TABLES.map(|table| format!("delete from {table} where root_id = $1"));
    let rest = of_runs.into_iter().chain([grants]).chain(of_root);
    statements.extend(rest.map(|sql| Sql::new(sql).with(root)));
    statements.push(Sql::new("delete from runs where root_id = $1").with(root));
    statements
}

/// Deletes those of these messages and texts that no call uses.
fn forget_parts(messages: Vec<Vec<u8>>, texts: Vec<Vec<u8>>) -> [Sql; 2] {
    let unused_messages = "with recursive used (hash) as (
            (select last_message from model_calls where last_message = any ($1)
             union select previous from request_messages where previous = any ($1) and not hash = any ($1))
            union
            select m.previous from request_messages m join used using (hash) where m.previous is not null
        ) delete from request_messages where hash = any ($1) and hash not in (select hash from used)";
    let unused_texts = "delete from request_texts where hash = any ($1)
            and not exists (select 1 from request_messages where text = request_texts.hash)
            and not exists (select 1 from model_calls where request_text = request_texts.hash)";
    [Sql::new(unused_messages).with(messages), Sql::new(unused_texts).with(texts)]
}
