//! Transactions of runs: create, commit, resolve a question, and the read that continues a run.

use crate::clock::Moment;
use crate::ids::{QuestionId, RunId};
use crate::store::RunTransactions;
use crate::store::error::{StoreError, StoreFuture};
use crate::store::postgres::connection::errors::Fault;
use crate::store::postgres::connection::sql::{Sql, run_id, send_all, unsigned};
use crate::store::postgres::connection::store::{PostgresStore, Shared};
use crate::store::postgres::connection::transaction::WriteTransaction;
use crate::store::postgres::connection::writes::{AsWrite, ReadThenWrite, Work, Write, read_all, store_once};
use crate::store::postgres::statements::log::{LogBatch, event_row, events_of_write};
use crate::store::postgres::statements::{columns, commands, lock, new_runs, requests, run_changes};
use crate::store::rows::json_columns::corrupt;
use crate::store::rows::{
    EventRow, Intent, LogAdditions, NewRun, Resolution, ResolutionRow, RunCommit, StoredRun,
};
use crate::store::tree_leases::held_trees::LeasedTree;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::atomic::Ordering;
use tokio_postgres::{Client, Row};
use uuid::Uuid;

impl RunTransactions for PostgresStore {
    fn create(&self, run: NewRun, events: Vec<String>) -> StoreFuture<RunId> {
        self.call("create", async move |shared| {
            let _turn = shared.queues.enter(&run.root).await;
            let is_owned = shared.node_parts.works.load(Ordering::Relaxed);
            let creation = Creation { run, events, is_owned };
            let node = shared.connections.trees.node().filter(|_| is_owned);
            let (id, events) = store_once(&shared.connections, &creation).await?;
            if let Some(node) = node.filter(|_| creation.run.parent.is_none() && id == creation.run.id) {
                shared.connections.trees.add(node, id.clone(), new_runs::FIRST_EPOCH);
            }
            shared.observe(LogAdditions { events, ..LogAdditions::default() });
            Ok(id)
        })
    }

    fn commit(&self, commit: RunCommit) -> StoreFuture<()> {
        self.call("commit", async move |shared| {
            let _turn = shared.queues.enter(&commit.root).await;
            let ended = commit.status.ended.as_ref().map(|_| commit.run.clone()).into_iter().collect();
            let questions = commit.status.question.is_some();
            let events = store_once(&shared.connections, &commit).await?;
            shared.observe(LogAdditions { events, ended, questions });
            Ok(())
        })
    }

    fn resolve(&self, reference: QuestionId, answer: ResolutionRow) -> StoreFuture<Resolution> {
        self.call("resolve", async move |shared| resolve(&shared, &reference, &answer).await)
    }

    fn restore(&self, run: RunId) -> StoreFuture<Option<StoredRun>> {
        self.read(restore_statements(&run), move |rows| decode_stored_run(&run, &rows))
    }
}

/// A run to create, with its first events.
struct Creation {
    run: NewRun,
    events: Vec<String>,
    /// True if a new tree is of this node, false if any node may claim it.
    is_owned: bool,
}

impl Creation {
    fn find(&self) -> Sql {
        Sql::new(
            "select id from runs where id = $1
             union all select id from runs where agent = $2 and idempotency_key = $3 limit 1",
        )
        .with(&self.run.id)
        .with(&self.run.agent)
        .with(self.run.idempotency_key.as_ref())
    }
}

impl Write for Creation {
    type Stored = (RunId, Vec<EventRow>);

    fn leased_tree(&self) -> Option<LeasedTree<'_>> {
        self.run.parent.as_ref().map(|_| LeasedTree::Root(&self.run.root))
    }

    fn attempt<'a>(
        &'a self,
        transaction: &'a WriteTransaction<'a>,
    ) -> BoxFuture<'a, Result<Self::Stored, Fault>> {
        Box::pin(async {
            let mut batch = LogBatch::new(&self.run.root);
            if self.run.parent.is_some() && !transaction.locks_tree() {
                batch.push(lock::tree(&self.run.root));
            }
            let owner = transaction.node().filter(|_| self.is_owned);
            new_runs::push(&mut batch, &self.run, &self.events, owner);
            batch.push(self.find());
            let rows = transaction.finish(&batch.statements, None).await?;
            let found = rows.last().and_then(|rows| rows.first()).map(|row| run_id(row, 0)).transpose()?;
            Ok((found.unwrap_or_else(|| self.run.id.clone()), batch.stored_events(&rows)?))
        })
    }

    fn recover<'a>(
        &'a self,
        client: &'a Client,
        token: Uuid,
        _: Option<String>,
    ) -> BoxFuture<'a, Result<Self::Stored, Fault>> {
        Box::pin(async move {
            let found = send_all(client, &[&self.find()]).await?;
            let found = found.iter().flatten().next().map(|row| run_id(row, 0)).transpose()?;
            Ok((found.ok_or(StoreError::NoRun)?, read_events(client, &self.run.root, token).await?))
        })
    }
}

impl Write for RunCommit {
    type Stored = Vec<EventRow>;
    /// A run whose commit fails stands still until the next start of the service.
    const IS_PATIENT: bool = true;

    fn leased_tree(&self) -> Option<LeasedTree<'_>> {
        Some(LeasedTree::Root(&self.root))
    }

    fn attempt<'a>(
        &'a self,
        transaction: &'a WriteTransaction<'a>,
    ) -> BoxFuture<'a, Result<Self::Stored, Fault>> {
        Box::pin(async {
            let mut batch = LogBatch::new(&self.root);
            if !transaction.locks_tree() {
                batch.push(lock::tree(&self.root));
            }
            run_changes::push_commit(&mut batch, self);
            let rows = transaction.finish(&batch.statements, None).await?;
            Ok(batch.stored_events(&rows)?)
        })
    }

    fn recover<'a>(
        &'a self,
        client: &'a Client,
        token: Uuid,
        _: Option<String>,
    ) -> BoxFuture<'a, Result<Self::Stored, Fault>> {
        Box::pin(read_events(client, &self.root, token))
    }
}

/// Reads the events that a write stored before its reply was lost.
async fn read_events(client: &Client, root: &RunId, token: Uuid) -> Result<Vec<EventRow>, Fault> {
    let rows = send_all(client, &[&events_of_write(root, token)]).await?;
    Ok(rows.iter().flatten().map(event_row).collect::<Result<_, _>>()?)
}

/// A question to resolve.
struct Resolving<'r> {
    reference: &'r QuestionId,
    answer: &'r ResolutionRow,
    run: RunId,
    root: RunId,
}

/// Outcome of a resolution. `seq` and `at` are those of its event.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum ResolutionOutcome {
    Stored { seq: u64, at: i64 },
    Refused { by: String },
    Unknown,
}

async fn resolve(
    shared: &Shared,
    reference: &QuestionId,
    answer: &ResolutionRow,
) -> Result<Resolution, StoreError> {
    let find = Sql::new("select run_id, root_id from questions where reference = $1").with(reference);
    let found = read_all(&shared.connections, &[find]).await?;
    let Some(row) = found.iter().flatten().next() else { return Ok(Resolution::Unknown) };
    let (run, root) = (run_id(row, 0)?, run_id(row, 1)?);
    let _turn = shared.queues.enter(&root).await;
    let resolving = Resolving { reference, answer, run: run.clone(), root: root.clone() };
    Ok(match store_once(&shared.connections, &AsWrite(resolving)).await? {
        ResolutionOutcome::Unknown => Resolution::Unknown,
        ResolutionOutcome::Refused { by } if by == "expired" => Resolution::Expired,
        ResolutionOutcome::Refused { .. } => Resolution::AlreadyResolved,
        ResolutionOutcome::Stored { seq, at } => {
            let at = Moment::from_millis(at);
            let row = EventRow { root: root.clone(), seq, run: run.clone(), at, body: answer.event.clone() };
            shared.observe(LogAdditions { events: vec![row], ended: Vec::new(), questions: true });
            Resolution::Resolved { run, root }
        }
    })
}

impl ReadThenWrite for Resolving<'_> {
    type Outcome = ResolutionOutcome;

    fn work<'a>(&'a self, transaction: &'a WriteTransaction<'a>) -> Work<'a, ResolutionOutcome> {
        Box::pin(async {
            let find = "select resolved_by, (select seq from trees where root_id = $2) from questions where reference = $1";
            let find = Sql::new(find).with(self.reference).with(&self.root);
            let lock = lock::tree_of_run_for_owner(&self.root, transaction.node());
            let rows = transaction.send(&[lock, find]).await?;
            let Some(row) = rows.get(1).and_then(|rows| rows.first()) else {
                return Ok((Vec::new(), ResolutionOutcome::Unknown));
            };
            if let Some(by) = row.try_get(0)? {
                return Ok((Vec::new(), ResolutionOutcome::Refused { by }));
            }
            let seq = unsigned(row, 1)? + 1;
            let batch = self.batch();
            let at = batch.at.millis();
            Ok((batch.statements, ResolutionOutcome::Stored { seq, at }))
        })
    }
}

impl Resolving<'_> {
    fn batch(&self) -> LogBatch {
        let mut batch = LogBatch::new(&self.root);
        batch.push(put_resolution(self.reference, self.answer));
        if let Some(entry) = &self.answer.audit {
            batch.push(run_changes::insert_audit(&self.run, &self.root, entry));
        }
        batch.append(&self.run, std::slice::from_ref(&self.answer.event));
        if let Some(record) = &self.answer.idempotency_record {
            batch.push(requests::put(&self.root, record));
        }
        batch
    }
}

/// Writes the resolution into the row of the question.
fn put_resolution(reference: &QuestionId, answer: &ResolutionRow) -> Sql {
    let event: Value = serde_json::from_str(&answer.event).unwrap_or_default();
    let sql = "update questions set resolved_at = $1, resolved_by = $2, answer = $3, client = $4 where reference = $5";
    Sql::new(sql)
        .with(answer.at.millis())
        .with(&answer.by)
        .with(&answer.answer)
        .with(event.get("client"))
        .with(reference)
}

fn restore_statements(run: &RunId) -> Vec<Sql> {
    let (run_columns, question) = (columns::RUN, columns::QUESTION);
    let of_run = |sql: String| Sql::new(sql).with(run);
    vec![
        of_run(format!("select {run_columns} from runs where id = $1")),
        of_run(String::from("select n, state from state_snapshots where run_id = $1")),
        of_run(String::from(
            "select changes from steps where run_id = $1
                 and n > (select n from state_snapshots where run_id = $1) order by n",
        )),
        of_run(String::from("select n, kind, text from inbox where run_id = $1 order by n")),
        of_run(String::from("select run_id, n, command from user_commands where run_id = $1")),
        of_run(format!(
            "select {question} from questions where reference = (select question_reference from runs where id = $1)"
        )),
        of_run(String::from(
            "select action_id, action from effects where run_id = $1 and receipt_at is null",
        )),
    ]
}

fn decode_stored_run(run: &RunId, rows: &[Vec<Row>]) -> Result<Option<StoredRun>, StoreError> {
    let [row, state, changes, inbox, command, question, effect] = rows else { return Ok(None) };
    let Some(row) = row.first() else { return Ok(None) };
    let Some(state) = state.first() else { return Err(corrupt(run, "it has no state")) };
    let text: &str = state.try_get(1)?;
    let intent = |row: &Row| {
        Ok::<_, StoreError>(Intent { action_id: row.try_get(0)?, action: columns::value(row, 1)? })
    };
    Ok(Some(StoredRun {
        row: columns::run_row(row)?,
        state: serde_json::from_str(text).map_err(|fault| corrupt(run, &fault.to_string()))?,
        changes: changes.iter().map(|row| columns::value(row, 0)).collect::<Result<_, _>>()?,
        state_at: unsigned(state, 0)?,
        inbox: inbox.iter().map(|row| columns::inbox_row(run, row)).collect::<Result<_, _>>()?,
        user_command: command.first().map(commands::command_row).transpose()?.map(|(_, row)| row),
        question: question.first().map(columns::question_row).transpose()?,
        open_effect: effect.first().map(intent).transpose()?,
    }))
}
