//! Writes that are stored once, whatever becomes of the connection. Each has a token, which its transaction stores beside
//! its result. After a lost connection the token tells whether the transaction was stored: if so, its result is returned,
//! and if not, it runs again. An attempt whose transaction is still open on the server cannot be stored beside a second one,
//! because both store the same token.

use crate::clock::Stopwatch;
use crate::store::error::StoreError;
use crate::store::postgres::connection::connections::Connections;
use crate::store::postgres::connection::errors::Fault;
use crate::store::postgres::connection::open;
use crate::store::postgres::connection::sql::{Sql, send_all};
use crate::store::postgres::connection::transaction::{WriteTransaction, read_at_one_moment};
use crate::store::tree_leases::held_trees::LeasedTree;
use deadpool_postgres::Object;
use futures_util::future::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;
use tokio::time::error::Elapsed;
use tokio::time::timeout;
use tokio_postgres::{Client, Row};
use uuid::Uuid;

/// Time for which a call is tried again while the server cannot be reached.
const PATIENCE_SECONDS: f64 = 30.0;
/// The same for a step of a run, which would stand still without it, and for a write that may have been stored, so that it is
/// not reported as failed.
const LONG_PATIENCE_SECONDS: f64 = 600.0;
/// Longest attempt. A connection that is silent for longer is given up.
const LONGEST_ATTEMPT: Duration = Duration::from_secs(20);
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A write: its work within a transaction, and the reading of its result after a lost reply.
pub trait Write: Sync {
    type Stored: Send;
    /// True if the write is tried again for long, because its caller cannot go on without it.
    const IS_PATIENT: bool = false;

    /// Returns the tree whose lease the write needs, if only the owner of a tree may make it.
    fn leased_tree(&self) -> Option<LeasedTree<'_>> {
        None
    }

    /// Does the work. Ends with `WriteTransaction::finish`.
    fn attempt<'a>(
        &'a self,
        transaction: &'a WriteTransaction<'a>,
    ) -> BoxFuture<'a, Result<Self::Stored, Fault>>;

    /// Returns the result of the transaction with this token, which was stored with this text.
    fn recover<'a>(
        &'a self,
        client: &'a Client,
        token: Uuid,
        result: Option<String>,
    ) -> BoxFuture<'a, Result<Self::Stored, Fault>>;
}

/// Runs a write until it is known to be stored or refused.
pub async fn store_once<W: Write>(connections: &Connections, write: &W) -> Result<W::Stored, StoreError> {
    let under_way = connections.begin_write();
    let mut retries = Retries::start(W::IS_PATIENT);
    loop {
        let (node, fence) = (connections.trees.node(), connections.trees.fence(write.leased_tree())?);
        let attempted = match connections.get().await {
            Ok(client) => {
                let transaction = WriteTransaction::new(&client, under_way.token, node, fence);
                let limited = timeout(LONGEST_ATTEMPT, attempt(transaction, write, &retries)).await;
                let attempted = give_back(client, limited);
                // It may have been stored.
                retries.is_patient |= matches!(attempted, Err(Fault::Lost(_)));
                attempted
            }
            Err(fault) => Err(Fault::from(fault)),
        };
        match attempted {
            Ok(stored) => return Ok(stored),
            Err(Fault::Final(StoreError::LeaseLost)) => {
                if let Some(LeasedTree::Root(root)) = write.leased_tree() {
                    connections.trees.remove(root);
                }
                return Err(StoreError::LeaseLost);
            }
            Err(fault) => retries.pause_after(fault).await?,
        }
    }
}

async fn attempt<W: Write>(
    transaction: WriteTransaction<'_>,
    write: &W,
    retries: &Retries,
) -> Result<W::Stored, Fault> {
    let (client, token) = (transaction.client, transaction.token);
    let is_repeated = retries.count > 0;
    if is_repeated && let Some(result) = find_result(client, token).await? {
        return write.recover(client, token, result).await;
    }
    let fault = match write.attempt(&transaction).await {
        Ok(stored) => return Ok(stored),
        Err(fault) => fault,
    };
    if !matches!(fault, Fault::Lost(_)) {
        transaction.roll_back().await?;
        // The refusal may be of rows that an earlier attempt stored meanwhile.
        if is_repeated && let Some(result) = find_result(client, token).await? {
            return write.recover(client, token, result).await;
        }
    }
    Err(fault)
}

/// Returns the stored result of a write; the outer `None` if it was not stored.
async fn find_result(client: &Client, token: Uuid) -> Result<Option<Option<String>>, Fault> {
    let sql = Sql::new("select result from applied_writes where token = $1::text::uuid").with(token);
    let rows = send_all(client, &[&sql]).await?.pop().unwrap_or_default();
    Ok(rows.first().map(|row| row.try_get(0)).transpose()?)
}

/// Sends reading statements together, all of one moment, until there is a reply.
pub async fn read_all(connections: &Connections, statements: &[Sql]) -> Result<Vec<Vec<Row>>, StoreError> {
    let mut retries = Retries::start(false);
    loop {
        let attempted = match connections.get().await {
            Ok(client) => {
                let limited = timeout(LONGEST_ATTEMPT, read_once(&client, statements)).await;
                give_back(client, limited)
            }
            Err(fault) => Err(Fault::from(fault)),
        };
        match attempted {
            Ok(rows) => return Ok(rows),
            Err(fault) => retries.pause_after(fault).await?,
        }
    }
}

/// Sends statements, each a transaction of its own, without repeating them.
pub async fn send_apart(connections: &Connections, statements: &[&Sql]) -> Result<Vec<Vec<Row>>, StoreError> {
    let sent = async {
        let client = connections.get().await?;
        Ok::<_, Fault>(send_all(&client, statements).await?)
    };
    sent.await.map_err(|fault| match fault {
        Fault::Lost(reason) | Fault::Retry(reason) => StoreError::Unreachable(reason),
        Fault::Final(fault) => fault,
    })
}

async fn read_once(client: &Client, statements: &[Sql]) -> Result<Vec<Vec<Row>>, Fault> {
    match statements {
        [statement] => Ok(send_all(client, &[statement]).await?),
        _ => read_at_one_moment(client, statements).await,
    }
}

/// Returns the result of an attempt. A connection on which it was cut off, or lost, does not return to the pool.
fn give_back<T>(client: Object, limited: Result<Result<T, Fault>, Elapsed>) -> Result<T, Fault> {
    let attempted = limited.unwrap_or_else(|_| Err(Fault::Lost(String::from("the server does not answer"))));
    if matches!(attempted, Err(Fault::Lost(_))) {
        drop(Object::take(client));
    }
    attempted
}

/// Opens the store. A server that is starting is waited for; one that is away is reported at once.
pub async fn open(connections: &Connections, address: &str) -> Result<(), Fault> {
    let mut retries = Retries::start(false);
    loop {
        let opened = match connections.get().await {
            Ok(client) => open::migrate(&client, address).await,
            Err(fault) => Err(Fault::from(fault)),
        };
        match opened {
            Err(Fault::Retry(reason)) => retries.pause_after(Fault::Retry(reason)).await?,
            opened => return opened,
        }
    }
}

/// Attempts so far, and the pauses between them.
struct Retries {
    watch: Stopwatch,
    count: u32,
    pause: Duration,
    is_patient: bool,
}

impl Retries {
    fn start(is_patient: bool) -> Self {
        Self { watch: Stopwatch::start(), count: 0, pause: FIRST_PAUSE, is_patient }
    }

    /// Waits before the next attempt; returns the error if there is to be none.
    async fn pause_after(&mut self, fault: Fault) -> Result<(), StoreError> {
        let reason = match fault {
            Fault::Final(fault) => return Err(fault),
            Fault::Lost(reason) | Fault::Retry(reason) => reason,
        };
        let patience = if self.is_patient { LONG_PATIENCE_SECONDS } else { PATIENCE_SECONDS };
        if self.watch.seconds() >= patience {
            return Err(StoreError::Unreachable(reason));
        }
        tracing::warn!(%reason, attempt = self.count + 1, "store call is tried again");
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        self.count += 1;
        Ok(())
    }
}

/// A write of statements that are sent together and whose rows are not needed.
pub struct WriteOnly(pub Vec<Sql>);

impl Write for WriteOnly {
    type Stored = ();

    fn attempt<'a>(&'a self, transaction: &'a WriteTransaction<'a>) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(async {
            transaction.finish(&self.0, None).await?;
            Ok(())
        })
    }

    fn recover<'a>(&'a self, _: &'a Client, _: Uuid, _: Option<String>) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(async { Ok(()) })
    }
}

/// Last statements of a write, and its outcome.
pub type Work<'a, O> = BoxFuture<'a, Result<(Vec<Sql>, O), Fault>>;

/// Work of a write that reads before it stores.
pub trait ReadThenWrite: Sync {
    type Outcome: Serialize + DeserializeOwned + Send;

    /// Returns the tree whose lease the write needs, if only the owner of a tree may make it.
    fn leased_tree(&self) -> Option<LeasedTree<'_>> {
        None
    }

    /// Reads, and returns the last statements with the outcome.
    fn work<'a>(&'a self, transaction: &'a WriteTransaction<'a>) -> Work<'a, Self::Outcome>;
}

/// A write that reads before it stores. Its outcome is stored beside its rows, as JSON.
pub struct AsWrite<E>(pub E);

impl<E: ReadThenWrite> Write for AsWrite<E> {
    type Stored = E::Outcome;

    fn leased_tree(&self) -> Option<LeasedTree<'_>> {
        self.0.leased_tree()
    }

    fn attempt<'a>(
        &'a self,
        transaction: &'a WriteTransaction<'a>,
    ) -> BoxFuture<'a, Result<E::Outcome, Fault>> {
        Box::pin(async {
            let (statements, outcome) = self.0.work(transaction).await?;
            let text =
                serde_json::to_string(&outcome).map_err(|fault| StoreError::Refused(fault.to_string()))?;
            transaction.finish(&statements, Some(text)).await?;
            Ok(outcome)
        })
    }

    fn recover<'a>(
        &'a self,
        _: &'a Client,
        _: Uuid,
        result: Option<String>,
    ) -> BoxFuture<'a, Result<E::Outcome, Fault>> {
        Box::pin(async move {
            let read = serde_json::from_str(&result.unwrap_or_default());
            Ok(read.map_err(|fault| StoreError::Refused(fault.to_string()))?)
        })
    }
}
