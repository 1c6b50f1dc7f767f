//! The one thread that writes. Calls that wait together go into one transaction, each behind a
//! savepoint of its own, so that a bad one takes no other with it; replies and facts leave only
//! after the commit.

use crate::clock::Stopwatch;
use crate::metrics;
use crate::store::rows::Written;
use crate::store::{Observer, Reply, StoreError};
use rusqlite::Connection;
use std::sync::mpsc::{Receiver, Sender, channel};

/// More would make the first of a batch wait for the last.
const BATCH: usize = 64;

type Report = Box<dyn FnOnce(Result<(), StoreError>) + Send>;
/// Without a connection there is no transaction to work in: it only reports.
type Work = Box<dyn FnOnce(Option<&Connection>, &mut Written) -> (Worked, Report) + Send>;
/// Reports itself.
type Aside = Box<dyn FnOnce(&Connection) + Send>;

enum Job {
    InTransaction(Work),
    /// Work that no transaction may be open for.
    Between(Aside),
}

/// Why a job failed, if it did.
type Worked = Result<(), StoreError>;

/// Sends work to the thread, which ends when the last handle is gone and the work is done.
#[derive(Clone)]
pub struct Writer {
    // Not bounded: each run has at most one step under way, so its length is bounded by the runs.
    jobs: Sender<Job>,
}

impl Writer {
    pub fn start(connection: Connection, observer: Observer) -> std::io::Result<Self> {
        let (jobs, queue) = channel();
        std::thread::Builder::new()
            .name(String::from("store-writer"))
            .spawn(move || serve(&connection, &queue, &observer))?;
        Ok(Self { jobs })
    }

    /// Runs `work` on the writing thread; the reply comes after its transaction is committed.
    pub fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &mut Written) -> rusqlite::Result<T> + Send + 'static,
    ) -> Reply<T> {
        let (reply, answer) = tokio::sync::oneshot::channel();
        let job: Work = Box::new(move |connection, log| {
            // Without a connection the reason comes with the report.
            let result = connection
                .map_or(Err(StoreError::Stopped), |connection| work(connection, log).map_err(super::refused));
            let worked = result.as_ref().map(|_| ()).map_err(StoreError::clone);
            let report: Report = Box::new(move |committed| {
                // Nobody may be waiting any more; the work is done all the same.
                let _ = reply.send(committed.and(result));
            });
            (worked, report)
        });
        self.sent(Job::InTransaction(job), answer)
    }

    /// Runs `work` on the writing thread between two transactions.
    pub fn between<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Reply<T> {
        let (reply, answer) = tokio::sync::oneshot::channel();
        let job: Aside = Box::new(move |connection| {
            // Nobody may be waiting any more; the work is done all the same.
            let _ = reply.send(work(connection).map_err(super::refused));
        });
        self.sent(Job::Between(job), answer)
    }

    fn sent<T: Send + 'static>(
        &self,
        job: Job,
        answer: tokio::sync::oneshot::Receiver<Result<T, StoreError>>,
    ) -> Reply<T> {
        let sent = self.jobs.send(job);
        Box::pin(async move {
            sent.map_err(|_| StoreError::Stopped)?;
            answer.await.map_err(|_| StoreError::Stopped)?
        })
    }

    /// The same, and how long it took is counted for that operation.
    pub fn timed<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: impl FnOnce(&Connection, &mut Written) -> rusqlite::Result<T> + Send + 'static,
    ) -> Reply<T> {
        let (watch, written) = (Stopwatch::start(), self.write(work));
        Box::pin(async move {
            let written = written.await;
            metrics::STORE_SECONDS.took([operation], watch.seconds());
            written
        })
    }
}

fn serve(connection: &Connection, queue: &Receiver<Job>, observer: &Observer) {
    let mut waiting = None;
    while let Some(job) = waiting.take().or_else(|| queue.recv().ok()) {
        let first = match job {
            Job::Between(work) => {
                work(connection);
                continue;
            }
            Job::InTransaction(work) => work,
        };
        let mut written = Written::default();
        let mut reports = Vec::new();
        let committed = batch(connection, first, queue, &mut waiting, &mut written, &mut reports);
        if let Err(fault) = &committed {
            tracing::error!(%fault, "store transaction failed");
            // The connection must not stay inside of a broken transaction.
            let _ = connection.execute_batch("rollback");
            written = Written::default();
        }
        if !written.facts.is_empty() {
            observer(written);
        }
        for report in reports {
            report(committed.clone());
        }
    }
}

/// `waiting` gets a job that is to be done after this transaction.
fn batch(
    connection: &Connection,
    first: Work,
    queue: &Receiver<Job>,
    waiting: &mut Option<Job>,
    written: &mut Written,
    reports: &mut Vec<Report>,
) -> Worked {
    let begun = run(connection, "begin immediate");
    let mut next = Some(first);
    while let Some(job) = next.take() {
        match &begun {
            Ok(()) => one(connection, job, written, reports)?,
            // Every job's caller must hear of it, so the job is still made to report.
            Err(_) => reports.push(job(None, &mut Written::default()).1),
        }
        if reports.len() < BATCH {
            next = match queue.try_recv() {
                Ok(Job::InTransaction(work)) => Some(work),
                Ok(between) => {
                    *waiting = Some(between);
                    None
                }
                Err(_) => None,
            };
        }
    }
    begun?;
    run(connection, "commit")
}

fn one(connection: &Connection, job: Work, written: &mut Written, reports: &mut Vec<Report>) -> Worked {
    let (facts, ended) = (written.facts.len(), written.ended.len());
    run(connection, "savepoint job")?;
    let (worked, report) = job(Some(connection), written);
    reports.push(report);
    if let Err(cause) = worked {
        written.facts.truncate(facts);
        written.ended.truncate(ended);
        // A full disk may have undone the whole transaction: then that is why nothing is stored.
        run(connection, "rollback to job").map_err(|_| cause)?;
    }
    run(connection, "release job")
}

fn run(connection: &Connection, sql: &str) -> Worked {
    let ran = connection.prepare_cached(sql).and_then(|mut statement| statement.execute([]));
    ran.map(|_| ()).map_err(super::refused)
}
