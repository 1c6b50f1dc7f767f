//! The store in one SQLite file (WAL). One thread writes, so that steps of many runs share a commit
//! and facts get their numbers without a race; readers have connections of their own. A commit
//! survives the death of the process at any moment; the last ones before a power cut may be lost,
//! never torn (`synchronous = NORMAL`).

mod pictures;
mod read;
mod write;
mod writer;

use super::rows::{
    Answered, AuditRow, Commit, FactRow, GrantRow, Message, NewRun, QuestionRow, Resolution, RunFilter,
    RunRow, StepRow, Stored,
};
use super::{Observer, Reply, Store, StoreError};
use crate::clock::{Moment, Stopwatch};
use crate::ids::{GrantId, QuestionId, RunId};
use crate::metrics;
use pictures::Pictures;
use rusqlite::Connection;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;
use writer::Writer;

/// Each migration in order; `user_version` counts those that have been applied.
const MIGRATIONS: [&str; 1] = [include_str!("../migrations/0001_start.sql")];

/// Connections that read at once. Each has a thread and a cache: more would cost memory, not time.
const READERS: usize = 4;
/// Pages that a reader keeps, in KiB; what is read is mostly what was just written.
const READER_CACHE: i64 = 512;

pub struct SqliteStore {
    writer: Writer,
    readers: Arc<Readers>,
    pictures: Arc<Pictures>,
}

impl SqliteStore {
    /// Opens (and makes or migrates) the store in `folder`. `observer` hears of every fact.
    pub fn open(folder: &Path, observer: Observer) -> Result<Self, StoreError> {
        let file = folder.join("askfirst.db");
        let failed = |reason: String| StoreError::Open { path: file.display().to_string(), reason };
        std::fs::create_dir_all(folder).map_err(|fault| failed(fault.to_string()))?;
        let mut connection = connect(&file).map_err(|fault| failed(fault.to_string()))?;
        migrate(&mut connection).map_err(|fault| failed(fault.to_string()))?;
        let pictures = Pictures::open(folder.join("pictures")).map_err(|fault| failed(fault.to_string()))?;
        Ok(Self {
            writer: Writer::start(connection, observer).map_err(|fault| failed(fault.to_string()))?,
            readers: Arc::new(Readers {
                file,
                places: Arc::new(Semaphore::new(READERS)),
                idle: Mutex::new(Vec::new()),
            }),
            pictures: Arc::new(pictures),
        })
    }

    fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Reply<T> {
        let readers = Arc::clone(&self.readers);
        Box::pin(async move {
            let watch = Stopwatch::start();
            let place = Arc::clone(&readers.places).acquire_owned().await.map_err(|_| StoreError::Stopped)?;
            let reading = tokio::task::spawn_blocking(move || {
                let _place = place;
                readers.with(read)
            });
            let read = reading.await;
            metrics::STORE_SECONDS.took(["read"], watch.seconds());
            read.map_err(|_| StoreError::Stopped)?
        })
    }
}

fn connect(file: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(file)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "busy_timeout", 5_000)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

fn connect_reader(file: &Path) -> rusqlite::Result<Connection> {
    let connection = connect(file)?;
    // Negative: in KiB, not in pages.
    connection.pragma_update(None, "cache_size", -READER_CACHE)?;
    Ok(connection)
}

fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let applied: usize = connection.query_row("pragma user_version", [], |row| row.get(0))?;
    for (index, sql) in MIGRATIONS.iter().enumerate().skip(applied) {
        let transaction = connection.transaction()?;
        transaction.execute_batch(sql)?;
        transaction.pragma_update(None, "user_version", index + 1)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Connections that read; as many as are read with at once, kept for the next reader.
struct Readers {
    file: PathBuf,
    /// One permit for each connection there may be.
    places: Arc<Semaphore>,
    // A plain mutex: held for the moment of a push or pop, never across a query.
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    fn with<T>(&self, read: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => connect_reader(&self.file).map_err(refused)?,
        };
        let result = read(&connection);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        result
    }
}

fn refused(fault: rusqlite::Error) -> StoreError {
    StoreError::Refused(fault.to_string())
}

impl Store for SqliteStore {
    fn create(&self, run: NewRun, facts: Vec<String>) -> Reply<RunId> {
        self.writer.write(move |connection, log| write::create(connection, log, &run, &facts))
    }

    fn commit(&self, commit: Commit) -> Reply<()> {
        let written = self.writer.write(move |connection, log| write::commit(connection, log, &commit));
        Box::pin(async move {
            let watch = Stopwatch::start();
            let written = written.await;
            metrics::STORE_SECONDS.took(["commit"], watch.seconds());
            written
        })
    }

    fn resolve(&self, reference: QuestionId, answer: Answered) -> Reply<Resolution> {
        self.writer.write(move |connection, log| write::resolve(connection, log, &reference, &answer))
    }

    fn deliver(&self, run: RunId, text: String) -> Reply<Option<Message>> {
        self.writer.write(move |connection, _| write::deliver(connection, &run, &text))
    }

    fn restore(&self, run: RunId) -> Reply<Option<Stored>> {
        self.read(move |connection| read::stored(connection, &run))
    }

    fn run(&self, run: RunId) -> Reply<Option<RunRow>> {
        self.read(move |connection| read::run(connection, &run))
    }

    fn runs(&self, filter: RunFilter) -> Reply<Vec<RunRow>> {
        self.read(move |connection| read::runs(connection, &filter))
    }

    fn standing(&self, statuses: Vec<&'static str>) -> Reply<Vec<RunId>> {
        self.read(move |connection| read::standing(connection, &statuses))
    }

    fn children(&self, run: RunId) -> Reply<Vec<RunId>> {
        self.read(move |connection| read::children(connection, &run))
    }

    fn steps(&self, run: RunId) -> Reply<Vec<StepRow>> {
        self.read(move |connection| read::steps(connection, &run, 0))
    }

    fn facts(&self, root: RunId, after: u64, limit: usize) -> Reply<Vec<FactRow>> {
        self.read(move |connection| read::facts(connection, &root, after, limit))
    }

    fn last_seq(&self, root: RunId) -> Reply<u64> {
        self.read(move |connection| read::last_seq(connection, &root).map_err(refused))
    }

    fn question(&self, reference: QuestionId) -> Reply<Option<QuestionRow>> {
        self.read(move |connection| read::question(connection, &reference))
    }

    fn open_questions(&self, root: Option<RunId>) -> Reply<Vec<QuestionRow>> {
        self.read(move |connection| read::open_questions(connection, root.as_ref()))
    }

    fn grants(&self, now: Moment) -> Reply<Vec<GrantRow>> {
        self.read(move |connection| read::grants(connection, now))
    }

    fn revoke(&self, grant: GrantId) -> Reply<bool> {
        self.writer.write(move |connection, _| write::revoke(connection, &grant))
    }

    fn audit(&self, run: Option<RunId>, limit: usize) -> Reply<Vec<Value>> {
        self.read(move |connection| read::audit(connection, run.as_ref(), limit))
    }

    fn add_audit(&self, row: AuditRow) -> Reply<()> {
        self.writer.write(move |connection, _| write::audit(connection, &row.run, &row.root, &row.row))
    }

    fn add_picture(&self, run: RunId, jpeg: Vec<u8>) -> Reply<u64> {
        let pictures = Arc::clone(&self.pictures);
        let writer = self.writer.clone();
        Box::pin(async move {
            let hash = tokio::task::spawn_blocking(move || pictures.put(&jpeg))
                .await
                .map_err(|_| StoreError::Stopped)?
                .map_err(|fault| StoreError::Refused(fault.to_string()))?;
            writer.write(move |connection, _| write::picture(connection, &run, &hash)).await
        })
    }

    fn picture(&self, run: RunId, n: u64) -> Reply<Option<Vec<u8>>> {
        let pictures = Arc::clone(&self.pictures);
        self.read(move |connection| match read::picture_hash(connection, &run, n)? {
            None => Ok(None),
            Some(hash) => pictures.get(&hash).map_err(|fault| StoreError::Corrupt {
                what: format!("picture {n} of run {run}"),
                reason: fault.to_string(),
            }),
        })
    }

    fn browser(&self, root: RunId) -> Reply<Option<Value>> {
        self.read(move |connection| read::browser(connection, &root))
    }
}
