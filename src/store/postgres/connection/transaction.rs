//! A transaction whose statements are sent together, with the record by which a lost reply is cleared up.

use crate::clock::Moment;
use crate::store::postgres::connection::errors::Fault;
use crate::store::postgres::connection::sql::{Sql, send_all};
use std::sync::atomic::{AtomicBool, Ordering};
use tokio_postgres::{Client, Row};
use uuid::Uuid;

const BEGIN: &str = "begin isolation level read committed";
const BEGIN_READING: &str = "begin isolation level repeatable read read only";

/// An open transaction of a write.
pub struct WriteTransaction<'a> {
    client: &'a Client,
    token: Uuid,
    begun: AtomicBool,
}

impl<'a> WriteTransaction<'a> {
    /// Prepares a transaction. It begins with its first statement.
    pub fn new(client: &'a Client, token: Uuid) -> Self {
        Self { client, token, begun: AtomicBool::new(false) }
    }

    /// Sends statements together, and returns the rows of each.
    pub async fn send(&self, statements: &[Sql]) -> Result<Vec<Vec<Row>>, Fault> {
        self.send_with(statements, &[]).await
    }

    /// Sends the last statements together with the commit, and returns the rows of each. `result` is kept for a caller whose
    /// reply is lost.
    pub async fn finish(&self, statements: &[Sql], result: Option<String>) -> Result<Vec<Vec<Row>>, Fault> {
        let record =
            Sql::new("insert into applied_writes (token, at, result) values ($1::text::uuid, $2, $3)")
                .with(self.token)
                .with(Moment::now().millis())
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
        let begin = (!begun).then(|| Sql::new(BEGIN));
        let all: Vec<&Sql> = begin.iter().chain(statements).chain(end).collect();
        let mut rows = send_all(self.client, &all).await?;
        if !begun {
            rows.remove(0);
        }
        rows.truncate(statements.len());
        Ok(rows)
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
