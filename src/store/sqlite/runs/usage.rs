//! Statements on model usage.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::rows::usage::{AgentUsage, Usage};
use crate::store::sqlite::row_reading;
use crate::store::sqlite::row_reading::{Result, WITH_TREE};
use rusqlite::{Connection, Row};

const SUMS: &str =
    "coalesce(sum(model_calls), 0), coalesce(sum(unpriced_calls), 0), coalesce(sum(input_tokens), 0),
    coalesce(sum(cached_tokens), 0), coalesce(sum(output_tokens), 0), coalesce(sum(cost), 0)";

/// Returns the model usage of a run and its descendants.
pub fn sum_tree_usage(connection: &Connection, run: &RunId) -> Result<Usage> {
    let sql = format!("{WITH_TREE} select {SUMS} from runs where id in tree");
    Ok(row_reading::query_one(connection, &sql, [run.as_str()], |row| usage(row, 0))?.unwrap_or_default())
}

/// Returns the model usage of each agent's own runs. Child runs count for their own agents.
pub fn sum_agent_usage(connection: &Connection, since: Option<Moment>) -> Result<Vec<AgentUsage>> {
    let sql = format!(
        "select agent, count(*), {SUMS} from runs where created_at >= ? group by agent order by agent"
    );
    row_reading::query_all(connection, &sql, [since.map_or(0, Moment::millis)], |row| {
        Ok(AgentUsage { agent: row.get(0)?, runs: row.get(1)?, usage: usage(row, 2)? })
    })
}

/// Reads the six usage columns from index `at`.
pub fn usage(row: &Row<'_>, at: usize) -> rusqlite::Result<Usage> {
    Ok(Usage {
        calls: row.get(at)?,
        unpriced: row.get(at + 1)?,
        input: row.get(at + 2)?,
        cached: row.get(at + 3)?,
        output: row.get(at + 4)?,
        cost: row.get(at + 5)?,
    })
}
