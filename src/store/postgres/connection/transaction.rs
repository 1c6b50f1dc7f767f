//! A transaction whose statements are sent together, with the record by which a lost reply is cleared up.

use crate::store::postgres::connection::errors::Fault;
use crate::store::postgres::connection::sql::{Sql, send_all};
use crate::store::tree_leases::held_trees::Fence;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio_postgres::{Client, Row};
use uuid::Uuid;

const BEGIN: &str = "begin isolation level read committed";
const BEGIN_READING: &str = "begin isolation level repeatable read read only";

/// Ends a transaction whose process is suspended, so that it does not keep a tree from being taken over.
const END_IF_SUSPENDED: &str = "set_config('idle_in_transaction_session_timeout', '3s', true)";

/// An open transaction of a write.
pub struct WriteTransaction<'a> {
    pub(crate) client: &'a Client,
    pub(crate) token: Uuid,
    /// Node that the write is of.
    node: Option<Uuid>,
    /// Lease that the write needs; it is refused if the tree was given to another node.
    fence: Option<Fence>,
    begun: AtomicBool,
}

impl<'a> WriteTransaction<'a> {
    /// Prepares a transaction. It begins with its first statement.
    pub fn new(client: &'a Client, token: Uuid, node: Option<Uuid>, fence: Option<Fence>) -> Self {
        Self { client, token, node, fence, begun: AtomicBool::new(false) }
    }

    /// Node that the write is of; `None` if the process is none.
    pub fn node(&self) -> Option<Uuid> {
        self.node
    }

    /// True if the transaction begins by locking its tree.
    pub fn locks_tree(&self) -> bool {
        matches!(self.fence, Some(Fence::Tree { .. }))
    }

    /// Sends statements together, and returns the rows of each.
    pub async fn send(&self, statements: &[Sql]) -> Result<Vec<Vec<Row>>, Fault> {
        self.send_with(statements, &[]).await
    }

    /// Sends the last statements together with the commit, and returns the rows of each. `result` is kept for a caller whose
    /// reply is lost.
    pub async fn finish(&self, statements: &[Sql], result: Option<String>) -> Result<Vec<Vec<Row>>, Fault> {
        let record = Sql::new("insert into applied_writes (token, result) values ($1::text::uuid, $2)")
            .with(self.token)
            .with(result);
        self.send_with(statements, &[record, Sql::new("commit")]).await
    }

    /// Ends the transaction without its writes.
    pub async fn roll_back(&self) -> Result<(), Fault> {
        if self.begun.load(Ordering::Relaxed) {
            send_all(self.client, &[&Sql::new("rollback")]).await?;
        }
        Ok(())
    }

    async fn send_with(&self, statements: &[Sql], end: &[Sql]) -> Result<Vec<Vec<Row>>, Fault> {
        let begun = self.begun.swap(true, Ordering::Relaxed);
        let begin = if begun { Vec::new() } else { self.first_statements() };
        let all: Vec<&Sql> = begin.iter().chain(statements).chain(end).collect();
        let mut rows = send_all(self.client, &all).await?;
        rows.drain(..begin.len());
        rows.truncate(statements.len());
        Ok(rows)
    }

    fn first_statements(&self) -> Vec<Sql> {
        let mut statements = vec![Sql::new(BEGIN)];
        match (&self.fence, self.node) {
            (Some(fence), _) => statements.push(check_lease(fence)),
            (None, Some(_)) => statements.push(Sql::new(format!("select {END_IF_SUSPENDED}"))),
            (None, None) => {}
        }
        statements
    }
}

/// Locks a tree, and ends the transaction if there is none (one cannot be divided by zero) or if it has another owner (zero
/// has no logarithm).
fn check_lease(fence: &Fence) -> Sql {
    match fence {
        Fence::Tree { root, node, epoch } => Sql::new(format!(
            "with tree as (select owner, epoch from trees where root_id = $1 for update)
             select {END_IF_SUSPENDED}, 1 / (select count(*) from tree),
                 ln((select count(*) from tree where owner = $2::text::uuid and epoch = $3)::float8)"
        ))
        .with(root)
        .with(*node)
        .with(*epoch),
        Fence::TreeOfRun { run, node } => Sql::new(format!(
            "with tree as (
                 select owner from trees where root_id = (select root_id from runs where id = $1) for update
             ) select {END_IF_SUSPENDED},
                 ln(((select count(*) from tree where owner is distinct from $2::text::uuid) = 0)::int::float8)"
        ))
        .with(run)
        .with(*node),
    }
}

/// Sends reading statements together, all of one moment, and returns the rows of each.
pub async fn read_at_one_moment(client: &Client, statements: &[Sql]) -> Result<Vec<Vec<Row>>, Fault> {
    let (begin, commit) = (Sql::new(BEGIN_READING), Sql::new("commit"));
    let mut all: Vec<&Sql> = vec![&begin];
    all.extend(statements);
    all.push(&commit);
    // After an error the commit ends the transaction all the same.
    let mut rows = send_all(client, &all).await?;
    rows.remove(0);
    rows.truncate(statements.len());
    Ok(rows)
}
