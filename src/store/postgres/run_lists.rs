//! Lists of runs, and sums of their usage.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::protocol::Status;
use crate::store::error::{StoreError, StoreFuture};
use crate::store::postgres::connection::sql::{Sql, run_id, unsigned};
use crate::store::postgres::connection::store::PostgresStore;
use crate::store::postgres::statements::columns::{RUN, SUMS, run_row, usage};
use crate::store::postgres::statements::search;
use crate::store::postgres::statements::walks::{WITH_ANCESTORS, WITH_TREE};
use crate::store::rows::usage::{AgentUsage, Usage, UsedUpLimit};
use crate::store::rows::{RunFilter, RunRow};
use crate::store::tree_leases::TreeLeases;
use crate::store::{RunRows, UsageRows};
use tokio_postgres::Row;

impl PostgresStore {
    fn read_ids(&self, statement: Sql) -> StoreFuture<Vec<RunId>> {
        self.read_rows(statement, |row| run_id(row, 0))
    }
}

impl RunRows for PostgresStore {
    fn run(&self, run: RunId) -> StoreFuture<Option<RunRow>> {
        self.read_row(Sql::new(format!("select {RUN} from runs where id = $1")).with(&run), run_row)
    }

    fn runs(&self, filter: RunFilter) -> StoreFuture<Vec<RunRow>> {
        match list_statement(&filter) {
            Some(statement) => self.read_rows(statement, run_row),
            None => Box::pin(async { Ok(Vec::new()) }),
        }
    }

    fn runs_with_status(&self, statuses: Vec<&'static str>) -> StoreFuture<Vec<RunId>> {
        let statuses: Vec<String> = statuses.into_iter().map(str::to_owned).collect();
        let sql = "select id from runs where status = any ($1) and ended_at is null
                   order by array_position($1, status), id";
        self.read_ids(Sql::new(sql).with(statuses))
    }

    fn living_descendants(&self, run: RunId) -> StoreFuture<Vec<RunId>> {
        let sql = format!(
            "{WITH_TREE} select id from runs where id in (select id from tree) and id <> $1 and ended_at is null
             order by id"
        );
        self.read_ids(Sql::new(sql).with(&run))
    }

    fn orphaned_runs(&self) -> StoreFuture<Vec<RunId>> {
        self.read_ids(Sql::new(
            "select child.id from runs child join runs parent on parent.id = child.parent_id
             where child.ended_at is null and (parent.ended_at is not null or child.stopping) order by child.id",
        ))
    }

    fn runs_with_missed_signals(&self) -> StoreFuture<Vec<RunId>> {
        self.read_ids(Sql::new(
            "select id from runs where ended_at is null
                 and (status = 'waiting' and question_reference is null
                      or status in ('waiting', 'paused')
                         and (exists (select 1 from inbox where run_id = runs.id)
                              or exists (select 1 from runs child where child.parent_id = runs.id
                                             and child.ended_at >= runs.updated_at)))
             order by id",
        ))
    }

    fn ephemeral_runs(&self) -> StoreFuture<Vec<RunId>> {
        self.read_ids(Sql::new(
            "select id from runs where ended_at is null and bounds::json ->> 'ephemeral' = 'true' order by id",
        ))
    }

    fn overdue_runs(&self, now: Moment) -> StoreFuture<Vec<RunId>> {
        let sql = "select id from runs where deadline is not null and deadline <= $1 and ended_at is null";
        let mut overdue = Sql::new(sql).with(now.millis());
        if self.is_shared() {
            // Runs of other trees are ended by their owners.
            let node = overdue.place(self.shared.connections.trees.node());
            overdue.push(&format!(
                " and root_id in (select root_id from trees where owner = {node}::text::uuid)"
            ));
        }
        self.read_ids(overdue)
    }

    fn ended_runs(&self, runs: Vec<RunId>) -> StoreFuture<Vec<RunRow>> {
        let ids: Vec<String> = runs.iter().map(RunId::to_string).collect();
        let sql = format!(
            "select {RUN} from runs where id = any ($1) and ended_at is not null order by array_position($1, id)"
        );
        self.read_rows(Sql::new(sql).with(ids), run_row)
    }

    fn latest_ended_runs(&self, skip: usize, limit: usize) -> StoreFuture<Vec<(RunId, Moment)>> {
        let sql = "select id, ended_at from runs where ended_at is not null
                   order by ended_at desc, id desc limit $1 offset $2";
        self.read_rows(Sql::new(sql).with(limit).with(skip), |row| {
            Ok((run_id(row, 0)?, Moment::from_millis(row.try_get(1)?)))
        })
    }
}

impl UsageRows for PostgresStore {
    fn used_up_limit(&self, run: RunId) -> StoreFuture<Option<UsedUpLimit>> {
        // Usage of the tree below each ancestor that has a limit, the root last.
        let sql = format!(
            "{WITH_ANCESTORS}, limited as (
                 select id, depth, (bounds::json ->> 'tokens')::float8::bigint as tokens,
                     (bounds::json ->> 'money')::float8 as money
                 from runs where id in (select id from above)
             ) select tokens, money, below.* from limited, lateral (
                 with recursive tree (id) as (
                     select limited.id union all select runs.id from runs join tree on runs.parent_id = tree.id)
                 select {SUMS} from runs where id in (select id from tree)
             ) below
             where tokens is not null or money is not null order by depth desc"
        );
        let limits = self.read_rows(Sql::new(sql).with(&run), reached_limit);
        Box::pin(async move { Ok(limits.await?.into_iter().flatten().next()) })
    }

    fn tree_usage(&self, run: RunId) -> StoreFuture<Usage> {
        let sql = format!("{WITH_TREE} select {SUMS} from runs where id in (select id from tree)");
        let sums = self.read_row(Sql::new(sql).with(&run), |row| usage(row, 0));
        Box::pin(async move { Ok(sums.await?.unwrap_or_default()) })
    }

    fn usage_by_agent(&self, since: Option<Moment>) -> StoreFuture<Vec<AgentUsage>> {
        let sql = format!(
            "select agent, count(*), {SUMS} from runs where created_at >= $1 group by agent order by agent"
        );
        self.read_rows(Sql::new(sql).with(since.map_or(0, Moment::millis)), |row| {
            Ok(AgentUsage { agent: row.try_get(0)?, runs: unsigned(row, 1)?, usage: usage(row, 2)? })
        })
    }
}

fn reached_limit(row: &Row) -> Result<Option<UsedUpLimit>, StoreError> {
    let tokens: Option<i64> = row.try_get(0)?;
    Ok(usage(row, 2)?.used_up_limit(tokens.map(|most| most.max(0).unsigned_abs()), row.try_get(1)?))
}

/// Builds the statement of a list; `None` if nothing matches. Lists of roots are read in the order of an index.
fn list_statement(filter: &RunFilter) -> Option<Sql> {
    let mut sql = Sql::new(format!("select {RUN} from runs where true"));
    if filter.roots {
        sql.push(" and parent_id is null");
    }
    if !filter.statuses.is_empty() {
        let statuses = sql.place(filter.statuses.clone());
        // A task also waits if a descendant has an open question.
        let asked_below =
            match filter.roots && filter.statuses.iter().any(|status| status == Status::Waiting.word()) {
                true => " or id in (select root_id from questions where resolved_at is null)",
                false => "",
            };
        sql.push(&format!(" and (status = any ({statuses}){asked_below})"));
    }
    for (column, value) in [
        ("agent", filter.agent.as_deref()),
        ("root_id", filter.root.as_ref().map(RunId::as_str)),
        ("parent_id", filter.parent.as_ref().map(RunId::as_str)),
    ] {
        if let Some(value) = value {
            let value = sql.place(value);
            sql.push(&format!(" and {column} = {value}"));
        }
    }
    if let Some(archived) = filter.archived {
        let of_root = "(select archived from runs root where root.id = runs.root_id)";
        let (column, value) = (if filter.roots { "archived" } else { of_root }, sql.place(archived));
        sql.push(&format!(" and {column} = {value}"));
    }
    if let Some((pinned, before)) = &filter.before {
        let (pinned, before) = (sql.place(*pinned), sql.place(before));
        sql.push(&format!(" and (pinned < {pinned} or pinned = {pinned} and id < {before})"));
    }
    if let Some(query) = &filter.query {
        require_words(&mut sql, query, filter.roots)?;
    }
    let limit = sql.place(filter.limit);
    sql.push(&format!(" order by pinned desc, id desc limit {limit}"));
    Some(sql)
}

/// Leaves only runs whose texts have all words of a search; `None` if it has no word.
fn require_words(sql: &mut Sql, query: &str, roots: bool) -> Option<()> {
    let owner = if roots { "root_id" } else { "run_id" };
    for term in search::terms(query)? {
        let term = sql.place(term);
        sql.push(&format!(" and id in (select {owner} from search_texts where words @@ {term}::tsquery)"));
    }
    Some(())
}
