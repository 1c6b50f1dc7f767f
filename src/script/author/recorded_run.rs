//! A recorded run as the author of a script reads it, and the draft that comes of it.

use crate::agent_spec::types::script::Step;
use crate::agent_spec::types::spec::AgentSpec;
use crate::protocol::Locale;
use crate::script::recording::RecordedAction;
use serde::Serialize;
use serde_json::{Map, Value};

/// A run to turn into a script.
#[derive(Clone, Debug, Default)]
pub struct RecordedRun {
    pub actions: Vec<RecordedAction>,
    /// Messages of the person, as written.
    pub words: Vec<String>,
    pub locale: Locale,
    /// Inputs of the run.
    pub inputs: Map<String, Value>,
    /// Origin of this service's own pages.
    pub own_origin: String,
}

/// Name and titles of a new agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentNames {
    pub name: String,
    pub title_ua: Option<String>,
    pub title_en: Option<String>,
}

/// An agent that can be saved.
#[derive(Clone, Debug)]
pub struct AgentDraft {
    pub spec: AgentSpec,
    /// Steps that a model repaired, if the run played a script.
    pub repaired_steps: Vec<RepairedStep>,
    pub left_out: Vec<OmittedAction>,
}

/// A repaired step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RepairedStep {
    /// Number of the step, counted from 1.
    pub step: usize,
    pub was: Step,
    pub now: Vec<Step>,
}

/// An action of the run that is not part of the script.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OmittedAction {
    pub action_id: String,
    pub action: String,
    /// Reason: failed, waits, scrolls and finds (a script does these by itself), points (they count only on their
    /// picture), again (repeated later), back (left
    /// again at once), elsewhere (nothing was done on that site), asked (the answer is an input), or ended.
    pub why: &'static str,
}
