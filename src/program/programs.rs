//! Who makes programs: what the engine asks of agents before there is a run, and about one.

use super::{Beginning, Program, ProgramError};
use crate::config::Limits;
use crate::files::{StagedError, TakenFile};
use crate::ids::RunId;
use crate::store::rows::RunRow;
use crate::turn::typed;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

/// Makes programs; the composition root knows which. Agents are files: whatever takes the name of one may
/// wait for the disk, and is called aside (`run::aside`).
pub trait Programs: Send + Sync + 'static {
    /// The state that a new run of this agent begins with.
    fn begin(&self, agent: &str, input: &Map<String, Value>) -> Result<Beginning, ProgramError>;

    /// What is waited for before a run of this agent begins: no more than somebody waits who asks for it.
    fn before_begin(&self, _agent: &str) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    /// What is waited for before the program of a stored run is loaded, if anything: what others offer it.
    fn before_load(&self, _row: &RunRow) -> Option<BoxFuture<'static, ()>> {
        None
    }

    /// Whether runs of this program work in the browser.
    fn browses(&self, _program: &str) -> bool {
        true
    }

    /// Whether runs of this program hear further messages.
    fn hears(&self, _program: &str) -> bool {
        true
    }

    /// The program of a stored run, at the given whole state.
    fn load(&self, row: &RunRow, state: Value) -> Result<Box<dyn Program>, ProgramError>;

    /// The limits of an agent's runs, for those who watch; none if there is no such agent any more.
    fn limits(&self, _agent: &str) -> Option<Limits> {
        None
    }

    /// What a person said, as it may be stored: secrets in it are kept aside in memory, with marks in
    /// their place (`turn::typed`). `question` is the frame that it answers, if any. Without
    /// secrets of their own to keep, programs take words as they are.
    fn conceal(&self, root: &RunId, said: &str, question: Option<&Value>) -> String {
        let _ = (root, question);
        said.to_owned()
    }

    /// Moves files staged under these ids into a run that begins.
    fn take_files(&self, run: &RunId, ids: &[String]) -> Result<Vec<TakenFile>, StagedError> {
        let _ = run;
        ids.first().map_or(Ok(Vec::new()), |id| Err(StagedError::Unknown(id.clone())))
    }

    /// Stages the files of a run that did not begin again.
    fn give_files_back(&self, run: &RunId, files: &[TakenFile]) {
        let _ = (run, files);
    }

    /// Where this service is; runs that are recorded keep it.
    fn origin(&self) -> Option<String> {
        None
    }

    /// Takes the secrets of a run tree out of what is to be stored.
    fn scrub(&self, root: &RunId, value: &mut Value) {
        let _ = (root, value);
    }

    /// The inputs of a new run, as they may be stored.
    fn conceal_inputs(&self, root: &RunId, agent: &str, mut input: Map<String, Value>) -> Map<String, Value> {
        let _ = agent;
        for value in input.values_mut() {
            if let Value::String(text) = value {
                *text = self.conceal(root, text, None);
            }
        }
        input
    }

    /// What a caller keeps with a new run, as it may be stored.
    fn conceal_metadata(&self, metadata: Map<String, Value>) -> Map<String, Value> {
        metadata
    }

    /// The inputs of a new run, as its row shows them.
    fn shown_inputs(&self, agent: &str, input: Map<String, Value>) -> Map<String, Value> {
        let _ = agent;
        typed::shown_in(input)
    }

    /// A run tree has nothing under way any more until it is spoken to again.
    fn ended(&self, root: &RunId);
}
