//! Inboxes of runs, records of requests, and commands of people.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::error::{StoreError, StoreFuture};
use crate::store::idempotency::IdempotencyRecords;
use crate::store::inbox::{DeliveryCondition, Inbox};
use crate::store::postgres::connection::sql::{Sql, run_id, unsigned};
use crate::store::postgres::connection::store::{PostgresStore, Shared};
use crate::store::postgres::connection::transaction::WriteTransaction;
use crate::store::postgres::connection::writes::{AsWrite, ReadThenWrite, Work, store_once};
use crate::store::postgres::statements::columns::{RUN, inbox_row, run_row, value};
use crate::store::postgres::statements::commands::{UNLESS_NEWER, command_row};
use crate::store::postgres::statements::{lock, requests};
use crate::store::rows::idempotency::IdempotencyRecord;
use crate::store::rows::inbox::{InboxItem, InboxRow};
use crate::store::rows::user_command::{StoredUserCommand, UserCommand, UserCommandRow};
use crate::store::user_commands::UserCommands;
use std::sync::{Mutex, PoisonError};
use tokio_postgres::Row;

impl Inbox for PostgresStore {
    fn deliver(
        &self,
        run: RunId,
        item: InboxItem,
        idempotency_record: Option<IdempotencyRecord>,
    ) -> StoreFuture<Option<InboxRow>> {
        self.call("deliver", async move |shared| {
            deliver(
                &shared,
                Delivery {
                    run,
                    item,
                    record: idempotency_record,
                    holds: Mutex::new(Condition::Answered(true)),
                },
            )
            .await
        })
    }

    fn deliver_if(
        &self,
        run: RunId,
        item: InboxItem,
        holds: DeliveryCondition,
    ) -> StoreFuture<Option<InboxRow>> {
        self.call("deliver", async move |shared| {
            deliver(&shared, Delivery { run, item, record: None, holds: Mutex::new(Condition::Open(holds)) })
                .await
        })
    }

    fn inbox(&self, run: RunId) -> StoreFuture<Vec<InboxRow>> {
        let sql = "select n, kind, text from inbox where run_id = $1 order by n";
        self.read_rows(Sql::new(sql).with(&run), move |row| inbox_row(&run, row))
    }
}

/// A message to deliver.
struct Delivery {
    run: RunId,
    item: InboxItem,
    record: Option<IdempotencyRecord>,
    holds: Mutex<Condition>,
}

/// Condition of a delivery. It can be asked once, and a repeated attempt takes its answer.
enum Condition {
    Open(DeliveryCondition),
    Answered(bool),
}

async fn deliver(shared: &Shared, delivery: Delivery) -> Result<Option<InboxRow>, StoreError> {
    let delivery = AsWrite(delivery);
    let n = store_once(&shared.connections, &delivery).await?;
    Ok(n.map(|n| InboxRow { n, item: delivery.0.item }))
}

impl ReadThenWrite for Delivery {
    /// Number of the message; `None` if it is not delivered.
    type Outcome = Option<u64>;

    fn work<'a>(&'a self, transaction: &'a WriteTransaction<'a>) -> Work<'a, Option<u64>> {
        Box::pin(async {
            let run = Sql::new(format!("select {RUN}, last_message from runs where id = $1")).with(&self.run);
            let unread = "select n, kind, text from inbox where run_id = $1 order by n";
            let lock = lock::tree_of_run_for_owner(&self.run, transaction.node());
            let reads = [lock, run, Sql::new(unread).with(&self.run)];
            let rows = transaction.send(&reads).await?;
            let [_, run, unread] = rows.as_slice() else { return Ok((Vec::new(), None)) };
            let Some(row) = run.first() else { return Ok((Vec::new(), None)) };
            if !self.is_wanted(row, unread)? {
                return Ok((Vec::new(), None));
            }
            let n = unsigned(row, LAST_MESSAGE)? + 1;
            Ok((self.statements(n), Some(n)))
        })
    }
}

/// Column of `last_message` after those of a run.
const LAST_MESSAGE: usize = 39;

impl Delivery {
    fn is_wanted(&self, row: &Row, unread: &[Row]) -> Result<bool, StoreError> {
        let mut holds = self.holds.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = match std::mem::replace(&mut *holds, Condition::Answered(false)) {
            Condition::Answered(answer) => answer,
            Condition::Open(condition) => {
                let unread: Vec<InboxRow> =
                    unread.iter().map(|row| inbox_row(&self.run, row)).collect::<Result<_, _>>()?;
                condition(&run_row(row)?, &unread)
            }
        };
        *holds = Condition::Answered(answer);
        Ok(answer)
    }

    fn statements(&self, n: u64) -> Vec<Sql> {
        let insert = "insert into inbox (run_id, n, at, kind, text) values ($1, $2, $3, $4, $5)";
        let insert = Sql::new(insert).with(&self.run).with(n).with(Moment::now().millis());
        let counted = Sql::new("update runs set last_message = $2 where id = $1").with(&self.run).with(n);
        let mut statements = vec![insert.with(self.item.kind()).with(self.item.text()), counted];
        statements.extend(self.record.as_ref().map(|record| requests::put(&self.run, record)));
        statements
    }
}

impl IdempotencyRecords for PostgresStore {
    fn idempotency_record(&self, key: String) -> StoreFuture<Option<(RunId, IdempotencyRecord)>> {
        let sql = "select run_id, request_hash, position from idempotency_records where key = $1";
        self.read_row(Sql::new(sql).with(&key), move |row| {
            let record = IdempotencyRecord {
                key: key.clone(),
                request_hash: row.try_get(1)?,
                position: value(row, 2)?,
            };
            Ok((run_id(row, 0)?, record))
        })
    }

    fn add_idempotency_record(&self, run: RunId, record: IdempotencyRecord) -> StoreFuture<()> {
        self.store("idempotency", vec![requests::put(&run, &record)])
    }
}

impl UserCommands for PostgresStore {
    fn add_user_command(
        &self,
        run: RunId,
        command: UserCommand,
        below: bool,
    ) -> StoreFuture<Option<StoredUserCommand>> {
        self.call("user_command", async move |shared| {
            let wanted = AsWrite(WantedCommand { run, command, below });
            let stored = store_once(&shared.connections, &wanted).await?;
            Ok(stored.map(|(n, runs)| StoredUserCommand { row: UserCommandRow { n, command }, runs }))
        })
    }

    fn withdraw_user_command(&self, n: u64) -> StoreFuture<()> {
        self.store("user_command", vec![Sql::new("delete from user_commands where n = $1").with(n)])
    }

    fn pending_user_commands(&self) -> StoreFuture<Vec<(RunId, UserCommandRow)>> {
        self.read_rows(
            Sql::new("select run_id, n, command from user_commands order by n, run_id"),
            command_row,
        )
    }
}

/// A command to store for a run, and for the runs below it.
struct WantedCommand {
    run: RunId,
    command: UserCommand,
    below: bool,
}

impl WantedCommand {
    /// Stores the command for the living runs, and returns its number and those that take it, parents first. Numbers of a
    /// sequence grow with the order in which the tree was locked.
    fn statement(&self) -> Sql {
        Sql::new(format!(
            "with recursive tree (id, depth) as (
                 select id, 0 from runs where id = $1 and ended_at is null
                 union all select runs.id, tree.depth + 1 from runs join tree on runs.parent_id = tree.id where $2
             ), number (n) as (select nextval('user_command_numbers')), stored as (
                 insert into user_commands as old (run_id, n, command)
                 select runs.id, number.n, $3 from runs join tree using (id), number where runs.ended_at is null
                 {UNLESS_NEWER}
                 returning run_id
             ) select number.n, stored.run_id from number left join (stored join tree on tree.id = stored.run_id) on true
             order by tree.depth, stored.run_id"
        ))
        .with(&self.run)
        .with(self.below)
        .with(self.command.name())
    }
}

impl ReadThenWrite for WantedCommand {
    type Outcome = Option<(u64, Vec<RunId>)>;

    fn work<'a>(&'a self, transaction: &'a WriteTransaction<'a>) -> Work<'a, Self::Outcome> {
        Box::pin(async {
            let lives = Sql::new("select 1 from runs where id = $1 and ended_at is null").with(&self.run);
            let lock = lock::tree_of_run_for_owner(&self.run, transaction.node());
            let rows = transaction.send(&[lock, lives, self.statement()]).await?;
            let [_, lives, stored] = rows.as_slice() else { return Ok((Vec::new(), None)) };
            let Some(first) = stored.first().filter(|_| !lives.is_empty()) else {
                return Ok((Vec::new(), None));
            };
            let mut runs = Vec::new();
            for row in stored {
                runs.extend(row.try_get::<_, Option<String>>(1)?.map(RunId::from));
            }
            Ok((Vec::new(), Some((unsigned(first, 0)?, runs))))
        })
    }
}
