//! Statements for lists of runs. A list of roots is read in index order, so a page of a long list takes no
//! longer than one of a short list.

use crate::ids::RunId;
use crate::protocol::Status;
use crate::store::rows::{RunFilter, RunRow};
use crate::store::sqlite::row_reading::{Result, query_all};
use crate::store::sqlite::runs::read::{RUN, run_row};
use crate::store::sqlite::search_index;
use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params_from_iter};

/// A statement with its parameters.
struct ListQuery {
    sql: String,
    parameters: Vec<Sql>,
}

/// Returns the runs that match the filter: pinned ones first, then newest first.
pub fn runs(connection: &Connection, filter: &RunFilter) -> Result<Vec<RunRow>> {
    let ListQuery { sql, parameters } = list_query(filter);
    query_all(connection, &sql, params_from_iter(parameters), run_row)
}

/// Builds the statement of a list. It contains only the requested conditions, because SQLite chooses the
/// index by them.
fn list_query(filter: &RunFilter) -> ListQuery {
    let mut conditions = Conditions::default();
    if filter.roots {
        conditions.add("parent_id is null", []);
    }
    if !filter.statuses.is_empty() {
        conditions.add_statuses(&filter.statuses, filter.roots);
    }
    let id = |id: &RunId| Sql::Text(id.as_str().to_owned());
    if let Some(agent) = &filter.agent {
        conditions.add("agent = ?", [Sql::Text(agent.clone())]);
    }
    if let Some(root) = &filter.root {
        conditions.add("root_id = ?", [id(root)]);
    }
    if let Some(parent) = &filter.parent {
        conditions.add("parent_id = ?", [id(parent)]);
    }
    if let Some(archived) = filter.archived {
        let of_root = "(select archived from runs root where root.id = runs.root_id)";
        let column = if filter.roots { "archived" } else { of_root };
        conditions.add(&format!("{column} = ?"), [Sql::from(archived)]);
    }
    if let Some((pinned, before)) = &filter.before {
        let pinned = Sql::from(*pinned);
        conditions.add("(pinned < ? or pinned = ? and id < ?)", [pinned.clone(), pinned, id(before)]);
    }
    let owner = if filter.roots { "root_id" } else { "run_id" };
    for term in filter.query.iter().flat_map(|query| search_index::terms(query)) {
        let found = "select rowid from search_index where search_index match ?";
        conditions.add(
            &format!("id in (select {owner} from search_texts where id in ({found}))"),
            [Sql::Text(term)],
        );
    }
    conditions.into_query(filter.limit)
}

#[derive(Default)]
struct Conditions {
    sql: Vec<String>,
    parameters: Vec<Sql>,
}

impl Conditions {
    fn add(&mut self, sql: &str, parameters: impl IntoIterator<Item = Sql>) {
        self.sql.push(sql.to_owned());
        self.parameters.extend(parameters);
    }

    fn add_statuses(&mut self, statuses: &[String], of_roots: bool) {
        let placeholders = vec!["?"; statuses.len()].join(", ");
        // A task also waits if a descendant has an open question.
        let asked_below = match of_roots && statuses.iter().any(|status| status == Status::Waiting.word()) {
            true => " or id in (select root_id from questions where resolved_at is null)",
            false => "",
        };
        let condition = format!("(status in ({placeholders}){asked_below})");
        self.add(&condition, statuses.iter().cloned().map(Sql::Text));
    }

    fn into_query(mut self, limit: usize) -> ListQuery {
        let condition = if self.sql.is_empty() { String::from("true") } else { self.sql.join(" and ") };
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.parameters.push(Sql::Integer(limit));
        let sql = format!("select {RUN} from runs where {condition} order by pinned desc, id desc limit ?");
        ListQuery { sql, parameters: self.parameters }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::connection::store::SqliteStore;

    fn query_plan(connection: &Connection, filter: &RunFilter) -> String {
        let ListQuery { sql, parameters } = list_query(filter);
        let mut statement = connection.prepare(&format!("explain query plan {sql}")).unwrap();
        let steps = statement.query_map(params_from_iter(parameters), |row| row.get(3)).unwrap();
        steps.collect::<rusqlite::Result<Vec<String>>>().unwrap().join("\n")
    }

    #[test]
    fn lists_and_searches_read_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let _store = SqliteStore::open(folder.path(), Box::new(|_| ())).unwrap();
        let connection = Connection::open(folder.path().join("askfirst.db")).unwrap();
        let list = RunFilter { roots: true, archived: Some(false), limit: 31, ..RunFilter::default() };
        let plan = query_plan(&connection, &list);
        assert!(
            plan.contains("USING INDEX root_runs_in_list_order") && !plan.contains("TEMP B-TREE"),
            "{plan}"
        );
        let plan = query_plan(&connection, &RunFilter { query: Some(String::from("lamp")), ..list });
        assert!(plan.contains("search_index VIRTUAL TABLE INDEX"), "{plan}");
    }
}
