//! Archive files of runs: `runs/<run_id>/state.json` and `trace.json` (S0.50).
//!
//! The files are written when a run comes to rest. Several rests in quick succession are written once,
//! because traces grow and an answering client must not wait for a file. The files are for people and tools;
//! the service never reads them back.

pub mod documents;

use crate::clock::{Moment, Stopwatch};
use crate::engine::archive::documents::{DocumentKind, SaveStamp};
use crate::files::{mark_written, modified_at};
use crate::ids::RunId;
use crate::store::Store;
use actix::prelude::*;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Write as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// Longest wait for the files of an ended run.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// Minimum pause between two writes of a run's files.
const WRITE_PAUSE: Duration = Duration::from_millis(250);
/// Minimum pause as a multiple of the duration of the last write: long traces take at most a tenth of one
/// core.
const PAUSE_FACTOR: f64 = 10.0;

/// Writes the files of a run that has come to rest in this state.
#[derive(Message)]
#[rtype(result = "()")]
pub struct WriteArchive {
    pub run: RunId,
    /// Whole state of the program.
    pub state: Value,
    /// True if the run has ended; a client may be waiting for the files.
    pub last: bool,
}

/// Waits until the files of the run that ended at this moment are written, at most for `WRITE_TIMEOUT`: a disk
/// that accepts no files delays nobody.
#[derive(Message)]
#[rtype(result = "()")]
pub struct AwaitArchive {
    pub run: RunId,
    pub ended_at: Moment,
}

/// Selects the runs, given with their end times, whose final files are missing.
#[derive(Message)]
#[rtype(result = "Vec<RunId>")]
pub struct FindMissingArchives(pub Vec<(RunId, Moment)>);

/// Writes the files of every run whose last rest is not written yet.
#[derive(Message)]
#[rtype(result = "()")]
pub struct FlushArchive;

/// Removes the folders of deleted runs, including their uploaded files. Returns the runs whose folders are
/// gone.
#[derive(Message)]
#[rtype(result = "Vec<RunId>")]
pub struct RemoveFolders(pub Vec<RunId>);

/// Ends the pause after which a run's files may be written again.
#[derive(Message)]
#[rtype(result = "()")]
struct EndWritePause(RunId);

/// The archive actor. It writes one run after another, so a run never waits for its files and an older state
/// never replaces a newer one.
pub struct Archive {
    folder: PathBuf,
    store: Arc<dyn Store>,
    /// Runs in their pause after a write, each with the latest state that is not written yet.
    recent: HashMap<RunId, Option<Value>>,
    /// Senders that wait for the final files of a run.
    awaited: HashMap<RunId, Vec<oneshot::Sender<()>>>,
    /// Deleted runs. Pending writes for them are dropped.
    removed: HashSet<RunId>,
}

impl Archive {
    /// Creates an archive in `folder`, which holds one subfolder per run.
    pub fn new(folder: PathBuf, store: Arc<dyn Store>) -> Self {
        Self { folder, store, recent: HashMap::new(), awaited: HashMap::new(), removed: HashSet::new() }
    }

    fn write(&mut self, run: RunId, state: Value, last: bool) -> AtomicResponse<Self, ()> {
        if self.removed.contains(&run) {
            return done_response();
        }
        self.recent.insert(run.clone(), None);
        let watch = Stopwatch::start();
        let written = write(self.folder.join(run.as_str()), Arc::clone(&self.store), run.clone(), state)
            .into_actor(self);
        AtomicResponse::new(Box::pin(written.map(move |(), archive: &mut Self, ctx| {
            let waiting = if last { archive.awaited.remove(&run) } else { None };
            for sender in waiting.into_iter().flatten() {
                // The receiver may have timed out.
                let _ = sender.send(());
            }
            ctx.notify_later(
                EndWritePause(run),
                WRITE_PAUSE.max(Duration::from_secs_f64(watch.seconds() * PAUSE_FACTOR)),
            );
        })))
    }
}

impl Actor for Archive {
    type Context = Context<Self>;
}

impl Handler<WriteArchive> for Archive {
    type Result = AtomicResponse<Self, ()>;

    fn handle(
        &mut self,
        WriteArchive { run, state, last }: WriteArchive,
        _: &mut Self::Context,
    ) -> Self::Result {
        match self.recent.get_mut(&run) {
            Some(due) if !last => {
                *due = Some(state);
                done_response()
            }
            Some(_) | None => self.write(run, state, last),
        }
    }
}

impl Handler<AwaitArchive> for Archive {
    type Result = ResponseFuture<()>;

    fn handle(
        &mut self,
        AwaitArchive { run, ended_at }: AwaitArchive,
        _: &mut Self::Context,
    ) -> Self::Result {
        let (sender, receiver) = oneshot::channel();
        let file = self.folder.join(run.as_str()).join("trace.json");
        // Remove receivers that found their files on disk or timed out.
        self.awaited.retain(|_, waiting| {
            waiting.retain(|sender| !sender.is_closed());
            !waiting.is_empty()
        });
        self.awaited.entry(run).or_default().push(sender);
        Box::pin(async move {
            let is_archived = tokio::task::spawn_blocking(move || modified_at(&file) >= Some(ended_at)).await;
            if !is_archived.unwrap_or(false) {
                let _ = tokio::time::timeout(WRITE_TIMEOUT, receiver).await;
            }
        })
    }
}

impl Handler<FindMissingArchives> for Archive {
    type Result = ResponseFuture<Vec<RunId>>;

    fn handle(
        &mut self,
        FindMissingArchives(ends): FindMissingArchives,
        _: &mut Self::Context,
    ) -> Self::Result {
        let folder = self.folder.clone();
        let is_missing = move |run: &RunId, ended_at| {
            modified_at(&folder.join(run.as_str()).join("trace.json")) < Some(ended_at)
        };
        let missing = tokio::task::spawn_blocking(move || {
            ends.into_iter()
                .filter(|(run, ended_at)| is_missing(run, *ended_at))
                .map(|(run, _)| run)
                .collect()
        });
        Box::pin(async move { missing.await.unwrap_or_default() })
    }
}

impl Handler<EndWritePause> for Archive {
    type Result = AtomicResponse<Self, ()>;

    fn handle(&mut self, EndWritePause(run): EndWritePause, _: &mut Self::Context) -> Self::Result {
        match self.recent.remove(&run).flatten() {
            Some(state) => self.write(run, state, false),
            None => done_response(),
        }
    }
}

impl Handler<FlushArchive> for Archive {
    type Result = AtomicResponse<Self, ()>;

    fn handle(&mut self, _: FlushArchive, _: &mut Self::Context) -> Self::Result {
        let due: Vec<(RunId, Value)> = self
            .recent
            .iter_mut()
            .filter_map(|(run, due)| due.take().map(|state| (run.clone(), state)))
            .collect();
        let (folder, store) = (self.folder.clone(), Arc::clone(&self.store));
        let all = async move {
            for (run, state) in due {
                write(folder.join(run.as_str()), Arc::clone(&store), run, state).await;
            }
        };
        AtomicResponse::new(Box::pin(all.into_actor(self)))
    }
}

impl Handler<RemoveFolders> for Archive {
    type Result = AtomicResponse<Self, Vec<RunId>>;

    fn handle(&mut self, RemoveFolders(runs): RemoveFolders, _: &mut Self::Context) -> Self::Result {
        for run in &runs {
            self.recent.remove(run);
            self.removed.insert(run.clone());
        }
        let folder = self.folder.clone();
        let removed = tokio::task::spawn_blocking(move || {
            runs.into_iter().filter(|run| remove_folder(&folder, run)).collect()
        });
        AtomicResponse::new(Box::pin(
            removed.into_actor(self).map(|removed, _, _| removed.unwrap_or_default()),
        ))
    }
}

/// Removes the folder of a run. Returns true if the folder is gone.
fn remove_folder(folder: &Path, run: &RunId) -> bool {
    // The id must be a single path component, so that nothing outside `folder` can be removed.
    let mut parts = Path::new(run.as_str()).components();
    if !matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) {
        return true;
    }
    match std::fs::remove_dir_all(folder.join(run.as_str())) {
        Err(fault) if fault.kind() != std::io::ErrorKind::NotFound => {
            tracing::warn!(run_id = %run, %fault, "folder of a deleted run not removed");
            false
        }
        Ok(()) | Err(_) => true,
    }
}

fn done_response() -> AtomicResponse<Archive, ()> {
    AtomicResponse::new(Box::pin(actix::fut::ready(())))
}

/// Writes the state and the trace of a run. A disk error is logged only: the store holds all data.
async fn write(folder: PathBuf, store: Arc<dyn Store>, run: RunId, state: Value) {
    let steps = match documents::steps(store.as_ref(), &run).await {
        Ok(steps) => steps,
        Err(fault) => return tracing::warn!(run_id = %run, %fault, "trace not written"),
    };
    let run_id = run.clone();
    let written = tokio::task::spawn_blocking(move || {
        std::fs::create_dir_all(&folder)?;
        let saved = SaveStamp::next(&folder);
        for (kind, body) in [(DocumentKind::State, state), (DocumentKind::Trace, steps)] {
            replace_file(&folder.join(kind.file()), &saved.document(&run_id, kind, body))?;
        }
        Ok(saved.version())
    });
    match written.await.map_err(std::io::Error::other).flatten() {
        Ok(version) => tracing::debug!(run_id = %run, version, "state_saved"),
        Err(fault) => tracing::warn!(run_id = %run, %fault, "state_save_failed"),
    }
}

/// Replaces a file by renaming, so that a reader never sees half a file.
fn replace_file(path: &Path, value: &Value) -> std::io::Result<()> {
    let part = path.with_extension("part");
    let mut file = File::create(&part)?;
    file.write_all(documents::serialize(value).as_bytes())?;
    // `AwaitArchive` and `FindMissingArchives` compare this modification time with the end of the run.
    mark_written(&file, Moment::now())?;
    std::fs::rename(part, path)
}
