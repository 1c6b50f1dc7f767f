//! What programs are made of lies in files: it is read aside, so that no actor and no request waits for a disk.

use super::{Engine, checkpoint};
use crate::agent_name::canonical;
use crate::config::Limits;
use crate::files::{FilesError, StagedError, TakenFile};
use crate::ids::RunId;
use crate::program::{Beginning, Program, ProgramError, Programs};
use crate::store::rows::{RunRow, Stored};
use serde_json::{Map, Value};
use std::sync::Arc;

/// How a run begins, by the name that its agent goes by, and its input as it may be stored; also where it cannot
/// begin.
pub struct Begun {
    pub agent: String,
    pub input: Map<String, Value>,
    pub beginning: Result<Beginning, ProgramError>,
}

impl Engine {
    pub async fn begin(&self, root: RunId, agent: String, input: Map<String, Value>) -> Begun {
        let agent = canonical(&agent).to_owned();
        let named = agent.clone();
        self.programs.before_begin(&agent).await;
        let begun = self.aside(move |programs| {
            let input = programs.conceal_inputs(&root, &agent, input);
            Begun { beginning: programs.begin(&agent, &input), input, agent }
        });
        begun.await.unwrap_or_else(|fault| Begun { agent: named, input: Map::new(), beginning: Err(fault) })
    }

    /// The program of a stored run, at this whole state.
    pub async fn load(&self, row: RunRow, state: Value) -> Result<Box<dyn Program>, ProgramError> {
        // Where nothing is waited for, it is one walk to the files.
        let loaded = self.aside(move |programs| match programs.before_load(&row) {
            Some(heard) => Err((heard, Box::new(row), state)),
            None => Ok(programs.load(&row, state)),
        });
        match loaded.await? {
            Ok(loaded) => loaded,
            Err((heard, row, state)) => {
                heard.await;
                self.aside(move |programs| programs.load(&row, state)).await?
            }
        }
    }

    /// The whole state of what is stored.
    pub async fn state(&self, stored: Stored) -> Result<Value, ProgramError> {
        self.aside(move |programs| checkpoint::state(programs, stored)).await?
    }

    pub async fn shown_inputs(
        &self,
        agent: String,
        input: Map<String, Value>,
    ) -> Result<Map<String, Value>, ProgramError> {
        self.aside(move |programs| programs.shown_inputs(&agent, input)).await
    }

    pub async fn limits(&self, agent: String) -> Option<Limits> {
        self.aside(move |programs| programs.limits(&agent)).await.ok().flatten()
    }

    /// Gives files that were waiting to a run that begins.
    pub async fn take_files(&self, run: &RunId, ids: Vec<String>) -> Result<Vec<TakenFile>, StagedError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let run = run.clone();
        let taken = self.aside(move |programs| programs.take_files(&run, &ids)).await;
        taken.unwrap_or_else(|fault| Err(FilesError::Disk(std::io::Error::other(fault.to_string())).into()))
    }

    /// The run did not begin: its files wait again.
    pub async fn give_files_back(&self, run: &RunId, files: Vec<TakenFile>) {
        if !files.is_empty() {
            let run = run.clone();
            // Nobody waits for it, and what fails is logged.
            let _ = self.aside(move |programs| programs.give_files_back(&run, &files)).await;
        }
    }

    async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Programs) -> T + Send + 'static,
    ) -> Result<T, ProgramError> {
        let programs = Arc::clone(&self.programs);
        let done = tokio::task::spawn_blocking(move || work(&*programs)).await;
        done.map_err(|fault| ProgramError::Failed(format!("its agent could not be read: {fault}")))
    }
}
