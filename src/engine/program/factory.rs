//! The factory of programs: what the engine asks about agents before there is a run, and about a stored run.

use crate::config::Limits;
use crate::engine::program::run_start::RunStart;
use crate::engine::program::{Program, ProgramError};
use crate::ids::RunId;
use crate::store::rows::RunRow;
use crate::turn::typed_secret;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

/// Creates programs; implemented where the service is composed. Agents are files: a method that takes an
/// agent's name may wait for the disk, so it is called on a blocking thread (`engine::services`).
pub trait ProgramFactory: Concealment + Send + Sync + 'static {
    /// Returns the initial state of a new run of this agent.
    fn begin(&self, agent: &str, input: &Map<String, Value>) -> Result<RunStart, ProgramError>;

    /// Waits for what a new run of this agent needs, only as long as the caller of the API can be kept
    /// waiting.
    fn prepare_start(&self, _agent: &str) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Returns a future to await before the program of a stored run is loaded: the tools that MCP servers
    /// offer. `None` if there is nothing to wait for.
    fn prepare_load(&self, _row: &RunRow) -> Option<BoxFuture<'static, ()>> {
        None
    }

    /// Reports whether runs of this program work in the browser.
    fn uses_browser(&self, _program: &str) -> bool {
        true
    }

    /// Reports whether runs of this program accept further messages.
    fn accepts_messages(&self, _program: &str) -> bool {
        true
    }

    /// Loads the program of a stored run, at the given whole state.
    fn load(&self, row: &RunRow, state: Value) -> Result<Box<dyn Program>, ProgramError>;

    /// Returns the limits of an agent's runs, for display; `None` if the agent does not exist any more.
    fn limits(&self, _agent: &str) -> Option<Limits> {
        None
    }

    /// Returns the origin of this service. It is stored with recorded runs.
    fn origin(&self) -> Option<String> {
        None
    }

    /// Releases what a run that has ended holds by itself. The default holds nothing.
    fn release_run(&self, _run: &RunId) {}

    /// Releases what a run tree holds, because it has nothing under way until the next message.
    fn release_tree(&self, root: &RunId);

    /// Releases what a deleted run tree holds, and forgets its texts.
    fn forget_tree(&self, root: &RunId) {
        self.release_tree(root);
    }
}

/// Conceals the secrets in data that is to be stored or shown. The defaults know no secrets.
pub trait Concealment {
    /// Returns a person's text as it may be stored: secrets in it are kept in memory and replaced by
    /// placeholders (`turn::typed_secret`). `question` is the question frame that the text answers, if any. The
    /// default returns the text unchanged.
    fn conceal(&self, root: &RunId, text: &str, question: Option<&Value>) -> String {
        let _ = (root, question);
        text.to_owned()
    }

    /// Returns the inputs of a new run as they may be stored.
    fn conceal_inputs(&self, root: &RunId, agent: &str, mut input: Map<String, Value>) -> Map<String, Value> {
        let _ = agent;
        for value in input.values_mut() {
            if let Value::String(text) = value {
                *text = self.conceal(root, text, None);
            }
        }
        input
    }

    /// Returns the caller's metadata of a new run as it may be stored.
    fn conceal_metadata(&self, metadata: Map<String, Value>) -> Map<String, Value> {
        metadata
    }

    /// Returns the inputs of a new run as its row shows them.
    fn shown_inputs(&self, agent: &str, input: Map<String, Value>) -> Map<String, Value> {
        let _ = agent;
        typed_secret::mask_input(input)
    }

    /// Replaces the secrets of a run tree in a value that is to be stored.
    fn scrub(&self, root: &RunId, value: &mut Value) {
        let _ = (root, value);
    }
}
