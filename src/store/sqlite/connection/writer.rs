//! The writer thread. Jobs that wait together share a transaction, each in a savepoint of its own, so that a
//! failed job affects no other. Replies and events are sent only after the commit.

use crate::clock::Stopwatch;
use crate::metrics;
use crate::store::StoreObserver;
use crate::store::error::{StoreError, StoreFuture};
use crate::store::rows::LogAdditions;
use crate::store::sqlite::connection::error;
use rusqlite::Connection;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Most jobs per transaction. More would delay the reply to the first.
const BATCH: usize = 64;

type Report = Box<dyn FnOnce(Result<(), StoreError>) + Send>;
/// Work inside a transaction. Without a connection, because no transaction could be opened, it only reports.
type TransactionWork = Box<dyn FnOnce(Option<&Connection>, &mut LogAdditions) -> (JobResult, Report) + Send>;
/// Work outside of transactions, which sends its reply itself.
type SeparateWork = Box<dyn FnOnce(&Connection) + Send>;

enum Job {
    InTransaction(TransactionWork),
    /// Work that must run while no transaction is open.
    OutsideTransaction(SeparateWork),
}

/// Result of a job.
type JobResult = Result<(), StoreError>;

/// Handle of the writer thread. The thread ends when the last handle is dropped and the queue is empty.
#[derive(Clone)]
pub struct Writer {
    // Unbounded: each run has at most one step under way, so the number of runs bounds the queue.
    jobs: Sender<Job>,
}

impl Writer {
    /// Starts the writer thread, which ends when the last clone of the writer is dropped.
    pub fn start(connection: Connection, observer: StoreObserver) -> std::io::Result<Self> {
        let (jobs, queue) = channel();
        std::thread::Builder::new()
            .name(String::from("store-writer"))
            .spawn(move || run_jobs(&connection, &queue, &observer))?;
        Ok(Self { jobs })
    }

    /// Runs `work` on the writer thread. The reply comes after its transaction is committed.
    pub fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &mut LogAdditions) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<T> {
        let (reply, answer) = tokio::sync::oneshot::channel();
        let job: TransactionWork = Box::new(move |connection, log| {
            // Without a connection, the report carries the reason.
            let result = connection.map_or(Err(StoreError::Stopped), |connection| {
                work(connection, log).map_err(error::store_error)
            });
            let job_result = result.as_ref().map(|_| ()).map_err(StoreError::clone);
            let report: Report = Box::new(move |committed| {
                // The caller may have stopped waiting; the work is done all the same.
                let _ = reply.send(committed.and(result));
            });
            (job_result, report)
        });
        self.send_job(Job::InTransaction(job), answer)
    }

    /// Runs `work` on the writer thread between two transactions.
    pub fn run_outside_transaction<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<T> {
        let (reply, answer) = tokio::sync::oneshot::channel();
        let job: SeparateWork = Box::new(move |connection| {
            // The caller may have stopped waiting; the work is done all the same.
            let _ = reply.send(work(connection).map_err(error::store_error));
        });
        self.send_job(Job::OutsideTransaction(job), answer)
    }

    fn send_job<T: Send + 'static>(
        &self,
        job: Job,
        answer: tokio::sync::oneshot::Receiver<Result<T, StoreError>>,
    ) -> StoreFuture<T> {
        let sent = self.jobs.send(job);
        Box::pin(async move {
            sent.map_err(|_| StoreError::Stopped)?;
            answer.await.map_err(|_| StoreError::Stopped)?
        })
    }

    /// Runs `work` like `write`, and records its duration for `operation`.
    pub fn write_timed<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: impl FnOnce(&Connection, &mut LogAdditions) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<T> {
        let (watch, written) = (Stopwatch::start(), self.write(work));
        Box::pin(async move {
            let written = written.await;
            metrics::STORE_SECONDS.observe([operation], watch.seconds());
            written
        })
    }
}

fn run_jobs(connection: &Connection, queue: &Receiver<Job>, observer: &StoreObserver) {
    let mut waiting = None;
    while let Some(job) = waiting.take().or_else(|| queue.recv().ok()) {
        let first = match job {
            Job::OutsideTransaction(work) => {
                work(connection);
                continue;
            }
            Job::InTransaction(work) => work,
        };
        let mut written = LogAdditions::default();
        let mut reports = Vec::new();
        let committed = batch(connection, first, queue, &mut waiting, &mut written, &mut reports);
        if let Err(fault) = &committed {
            tracing::error!(%fault, "store transaction failed");
            // The connection must not stay inside a failed transaction.
            let _ = connection.execute_batch("rollback");
            written = LogAdditions::default();
        }
        if written != LogAdditions::default() {
            observer(written);
        }
        for report in reports {
            report(committed.clone());
        }
    }
}

/// Runs a transaction of queued jobs. `waiting` receives a job that must run after it.
fn batch(
    connection: &Connection,
    first: TransactionWork,
    queue: &Receiver<Job>,
    waiting: &mut Option<Job>,
    written: &mut LogAdditions,
    reports: &mut Vec<Report>,
) -> JobResult {
    let began = execute(connection, "begin immediate");
    let mut next = Some(first);
    while let Some(job) = next.take() {
        match &began {
            Ok(()) => run_job(connection, job, written, reports)?,
            // Every caller needs a reply, so the job still reports.
            Err(_) => reports.push(job(None, &mut LogAdditions::default()).1),
        }
        if reports.len() < BATCH {
            next = match queue.try_recv() {
                Ok(Job::InTransaction(work)) => Some(work),
                Ok(separate) => {
                    *waiting = Some(separate);
                    None
                }
                Err(_) => None,
            };
        }
    }
    began?;
    execute(connection, "commit")
}

fn run_job(
    connection: &Connection,
    job: TransactionWork,
    written: &mut LogAdditions,
    reports: &mut Vec<Report>,
) -> JobResult {
    let (events, ended, questions) = (written.events.len(), written.ended.len(), written.questions);
    execute(connection, "savepoint job")?;
    let (job_result, report) = job(Some(connection), written);
    reports.push(report);
    if let Err(cause) = job_result {
        written.events.truncate(events);
        written.ended.truncate(ended);
        written.questions = questions;
        // A full disk may have rolled back the whole transaction; then the job's error is the reason.
        execute(connection, "rollback to job").map_err(|_| cause)?;
    }
    execute(connection, "release job")
}

fn execute(connection: &Connection, sql: &str) -> JobResult {
    let ran = connection.prepare_cached(sql).and_then(|mut statement| statement.execute([]));
    ran.map(|_| ()).map_err(error::store_error)
}
