//! Services that all runs share: store, pages, programs, archive, files, recording. Calls that read agent files are
//! made on the blocking thread pool, so that no actor or request waits for the disk.

use crate::agent_name::canonical;
use crate::blobs::{BlobError, Patience};
use crate::config::Limits;
use crate::config::recording::Recording;
use crate::engine::archive::Archive;
use crate::engine::program::factory::ProgramFactory;
use crate::engine::program::run_start::RunStart;
use crate::engine::program::{Program, ProgramError};
use crate::engine::takeover::pages::Pages;
use crate::files::staged::{StagedError, TakenFile};
use crate::files::{FileStore, FilesError};
use crate::ids::RunId;
use crate::store::Store;
use crate::store::error::{StoreError, StoreFuture};
use crate::store::rows::{RunCommit, RunRow, StoredRun};
use actix::prelude::*;
use futures_util::future::join_all;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// Time limit for files that are brought from other nodes before a run goes on.
const FETCH_TIMEOUT: Duration = Duration::from_secs(10);

/// Shared services of all runs.
pub struct RunServices {
    pub store: Arc<dyn Store>,
    pub pages: Arc<dyn Pages>,
    pub programs: Arc<dyn ProgramFactory>,
    pub archive: Addr<Archive>,
    /// Files of runs, and files that wait for their run.
    pub files: FileStore,
    /// Extent of the recordings of steps.
    pub recording: Recording,
    /// `gate.client_answers`: true if a program may answer questions of runs that it started.
    pub client_answers: bool,
}

/// A prepared start of a run: canonical agent name, input with secrets concealed, and the program's start or the
/// reason why the run cannot start.
pub struct PreparedStart {
    /// Canonical name.
    pub agent: String,
    pub input: Map<String, Value>,
    pub start: Result<RunStart, ProgramError>,
}

impl RunServices {
    /// Prepares the start of a run: conceals secrets of the input, and asks the program for its beginning.
    pub async fn prepare_start(
        &self,
        root: RunId,
        agent: String,
        input: Map<String, Value>,
    ) -> PreparedStart {
        let agent = canonical(&agent).to_owned();
        let name = agent.clone();
        self.programs.prepare_start(&agent).await;
        let begun = self.run_blocking(move |programs| {
            let input = programs.conceal_inputs(&root, &agent, input);
            PreparedStart { start: programs.begin(&agent, &input), input, agent }
        });
        begun.await.unwrap_or_else(|fault| PreparedStart {
            agent: name,
            input: Map::new(),
            start: Err(fault),
        })
    }

    /// Loads the program of a stored run, at the given whole state.
    pub async fn load_program(&self, row: RunRow, state: Value) -> Result<Box<dyn Program>, ProgramError> {
        // Without anything to await, one blocking call suffices.
        let loaded = self.run_blocking(move |programs| match programs.prepare_load(&row) {
            Some(offers) => Err((offers, Box::new(row), state)),
            None => Ok(programs.load(&row, state)),
        });
        match loaded.await? {
            Ok(loaded) => loaded,
            Err((offers, row, state)) => {
                offers.await;
                self.run_blocking(move |programs| programs.load(&row, state)).await?
            }
        }
    }

    /// Restores the whole state from stored rows.
    pub async fn stored_state(&self, stored: StoredRun) -> Result<Value, ProgramError> {
        self.run_blocking(move |programs| {
            let mut program = programs.load(&stored.row, stored.state)?;
            stored.changes.iter().try_for_each(|changes| program.apply(changes))?;
            Ok(program.state())
        })
        .await?
    }

    /// Returns the input as people may see it, with secrets masked.
    pub async fn shown_inputs(
        &self,
        agent: String,
        input: Map<String, Value>,
    ) -> Result<Map<String, Value>, ProgramError> {
        self.run_blocking(move |programs| programs.shown_inputs(&agent, input)).await
    }

    /// Returns the limits of an agent; `None` if its file cannot be used.
    pub async fn limits(&self, agent: String) -> Option<Limits> {
        self.run_blocking(move |programs| programs.limits(&agent)).await.ok().flatten()
    }

    /// Moves staged files to a run that begins.
    pub async fn take_files(&self, run: &RunId, ids: Vec<String>) -> Result<Vec<TakenFile>, StagedError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let (files, run) = (self.files.clone(), run.clone());
        let taken = tokio::task::spawn_blocking(move || files.take_staged(&run, &ids)).await;
        taken.unwrap_or_else(|fault| Err(FilesError::Disk(std::io::Error::other(fault)).into()))
    }

    /// Stores a step, after the files that it tells of are where other nodes find them.
    pub fn commit(&self, commit: RunCommit) -> StoreFuture<()> {
        if !self.files.is_shared() {
            return self.store.commit(commit);
        }
        let (files, store) = (self.files.clone(), Arc::clone(&self.store));
        Box::pin(async move {
            let (patience, as_error) =
                (Patience::start(), |fault: BlobError| StoreError::Blobs(fault.to_string()));
            while let Err(fault) = files.publish(&commit.root).await {
                patience.pause_after(fault).await.map_err(as_error)?;
            }
            store.commit(commit).await
        })
    }

    /// Stores the files of a run tree where other nodes find them.
    pub async fn publish_files(&self, root: &RunId) -> Result<(), StoreError> {
        self.files.publish(root).await.map(drop).map_err(|fault| StoreError::Blobs(fault.to_string()))
    }

    /// Brings the files of run trees here that other nodes have stored. Gives up after a time: what is missing is brought when it
    /// is asked for.
    pub async fn fetch_files(&self, roots: &[RunId]) {
        let fetching = join_all(roots.iter().map(|root| async move {
            if let Err(fault) = self.files.fetch(root).await {
                tracing::warn!(%root, %fault, "files of a run not brought from the store of blobs");
            }
        }));
        if tokio::time::timeout(FETCH_TIMEOUT, fetching).await.is_err() {
            tracing::warn!("files of runs not brought in time from the store of blobs");
        }
    }

    /// Returns the files of a run that did not begin to the staging area.
    pub async fn give_files_back(&self, run: &RunId, taken: Vec<TakenFile>) {
        if !taken.is_empty() {
            let (files, run) = (self.files.clone(), run.clone());
            // Nobody waits for it, and what fails is logged.
            let _ = tokio::task::spawn_blocking(move || files.give_back(&run, &taken)).await;
        }
    }

    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn ProgramFactory) -> T + Send + 'static,
    ) -> Result<T, ProgramError> {
        let programs = Arc::clone(&self.programs);
        let done = tokio::task::spawn_blocking(move || work(&*programs)).await;
        done.map_err(|fault| ProgramError::Failed(format!("its agent could not be read: {fault}")))
    }
}
