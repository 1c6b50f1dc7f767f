//! Turns a run into an agent: actions become the steps of a script, values from the person its inputs, and
//! observations its checks. Actions that failed, were undone or had no effect are left out, and listed as
//! such.

mod checks;
mod inputs;
mod action_filter;
mod mended;
pub mod names;
mod steps;

use super::recording::RecordedAction;
use crate::protocol::Locale;
use crate::spec::executor::Browser;
use crate::spec::script::Step;
use crate::spec::{AgentSpec, Kind, Variable};
use serde::Serialize;
use serde_json::{Map, Value};

/// A run to turn into a script.
#[derive(Clone, Debug, Default)]
pub struct RecordedRun {
    pub deeds: Vec<RecordedAction>,
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
    pub mended: Vec<RepairedStep>,
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
    /// Reason: failed, waits and scrolls (a script does these by itself), again (repeated later), back (left
    /// again at once), elsewhere (nothing was done on that site), asked (the answer is an input), or ended.
    pub why: &'static str,
}

/// Returns an agent that repeats a run; `None` if the run did nothing on a page. `agent` is the agent of the
/// run.
pub fn draft_agent(story: &RecordedRun, agent: &AgentSpec, called: &AgentNames) -> Option<AgentDraft> {
    let script = agent.browser.as_ref().and_then(|browser| browser.script.as_ref());
    match script {
        Some(script) => Some(mended::draft(story, agent, script, called)),
        None => draft_from_actions(story, agent, called),
    }
}

fn draft_from_actions(story: &RecordedRun, agent: &AgentSpec, called: &AgentNames) -> Option<AgentDraft> {
    let (deeds, left_out) = action_filter::filter_actions(&story.deeds);
    if !deeds.iter().any(steps::is_on_a_page) {
        return None;
    }
    let mut script: Vec<Step> = deeds.iter().map(|deed| steps::step(deed, &story.own_origin)).collect();
    steps::name_what_is_read(&mut script);
    checks::add_checks(&deeds, &mut script);
    let inputs = inputs::extract_inputs(story, &deeds, &mut script);
    let start_url = steps::start(&mut script);
    let reads: Vec<&str> = script.iter().filter_map(|step| step.known_as.as_deref()).collect();
    let outputs = if reads.is_empty() { vec!["answer"] } else { reads };
    let outputs = outputs.into_iter().map(variable).collect();
    let before = agent.browser.clone().unwrap_or_default();
    let browser = Browser {
        start_url,
        language: Some(String::from(story.locale.pick("uk", "en"))),
        script: Some(script),
        allowed_hosts: before.allowed_hosts,
        profile: before.profile,
        ..Browser::default()
    };
    let spec = AgentSpec {
        name: called.name.clone(),
        title_ua: called.title_ua.clone().unwrap_or_default(),
        title_en: called.title_en.clone(),
        inputs,
        outputs,
        browser: Some(browser),
        ..AgentSpec::blank(Kind::Atomic)
    };
    Some(AgentDraft { spec, mended: Vec::new(), left_out })
}

fn variable(name: &str) -> Variable {
    Variable { name: name.to_owned(), of: Some(String::from("string")), ..Variable::default() }
}

#[cfg(test)]
mod tests;
