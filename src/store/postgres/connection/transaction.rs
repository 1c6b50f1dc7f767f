//! A transaction whose statements are sent together, with the record by which a lost reply is cleared up.

use crate::store::postgres::connection::errors::Fault;
use crate::store::postgres::connection::sql::{Sql, send_all};
use std::sync::atomic::{AtomicBool, Ordering};
use tokio_postgres::{Client, Row};
use uuid::Uuid;

const BEGIN: &str = "begin isolation level read committed";
const BEGIN_READING: &str = "begin isolation level repeatable read read only";

/// Key of the lock under which nodes are given the store: `nodes` in ASCII. Writes share it, so that none of an earlier node
/// is stored after another one was given the store.
pub const NODES_LOCK: i64 = 0x6e_6f64_6573;

/// Takes the lock. A transaction whose process is suspended ends after a while, so that it does not keep the lock.
const SHARE_NODES_LOCK: &str =
    "select set_config('idle_in_transaction_session_timeout', '20s', true), pg_advisory_xact_lock_shared($1)";

/// Ends the transaction if the node has lost the store: zero has no logarithm. A statement of its own, so that it sees the
/// rows as they are once the lock is held.
const CHECK_NODE: &str = "select ln((select count(*) from nodes where id = $1::text::uuid)::float8)";

/// An open transaction of a write.
pub struct WriteTransaction<'a> {
    pub(crate) client: &'a Client,
    pub(crate) token: Uuid,
    /// Node that the write is of; it is refused if the store was given to another one.
    node: Option<Uuid>,
    begun: AtomicBool,
}

impl<'a> WriteTransaction<'a> {
    /// Prepares a transaction. It begins with its first statement.
    pub fn new(client: &'a Client, token: Uuid, node: Option<Uuid>) -> Self {
        Self { client, token, node, begun: AtomicBool::new(false) }
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
        if let Some(node) = self.node {
            statements.push(Sql::new(SHARE_NODES_LOCK).with(NODES_LOCK));
            statements.push(Sql::new(CHECK_NODE).with(node));
        }
        statements
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
