//! From a run to an agent: what was done becomes the steps of a script, what came from the person its
//! inputs, what was seen its checks. What failed, was undone or led nowhere is left out, and said so.

mod checks;
mod inputs;
mod kept;
mod mended;
pub mod names;
mod steps;

use super::recording::Deed;
use crate::protocol::Locale;
use crate::spec::executor::Browser;
use crate::spec::script::Step;
use crate::spec::{AgentSpec, Kind, Variable};
use serde::Serialize;
use serde_json::{Map, Value};

/// A run, as it is to be played again.
#[derive(Clone, Debug, Default)]
pub struct Story {
    pub deeds: Vec<Deed>,
    /// What the person said, in their own words.
    pub words: Vec<String>,
    pub locale: Locale,
    /// What the run was given.
    pub inputs: Map<String, Value>,
    /// Where this service serves its own pages.
    pub own_origin: String,
}

/// What a new agent is called.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Called {
    pub name: String,
    pub title_ua: Option<String>,
    pub title_en: Option<String>,
}

/// An agent that could be saved.
#[derive(Clone, Debug)]
pub struct Draft {
    pub spec: AgentSpec,
    /// Steps that a model did in its own way, where the run played a script.
    pub mended: Vec<Mended>,
    pub left_out: Vec<LeftOut>,
}

/// A step that is another one now.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mended {
    /// Counted from 1.
    pub step: usize,
    pub was: Step,
    pub now: Vec<Step>,
}

/// Something that was done and is not in the script.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeftOut {
    pub action_id: String,
    pub action: String,
    /// failed, waits and scrolls (a script does by itself), again (done later once more), back (left again at
    /// once), elsewhere (nothing was done there), asked (what was answered is an input), ended
    pub why: &'static str,
}

/// An agent of what a run did; none if it did nothing on any page. `agent` is the one that ran.
pub fn draft(story: &Story, agent: &AgentSpec, called: &Called) -> Option<Draft> {
    let script = agent.browser.as_ref().and_then(|browser| browser.script.as_ref());
    match script {
        Some(script) => Some(mended::draft(story, agent, script, called)),
        None => recorded(story, agent, called),
    }
}

fn recorded(story: &Story, agent: &AgentSpec, called: &Called) -> Option<Draft> {
    let (deeds, left_out) = kept::kept(&story.deeds);
    if !deeds.iter().any(steps::is_on_a_page) {
        return None;
    }
    let mut script: Vec<Step> = deeds.iter().map(|deed| steps::step(deed, &story.own_origin)).collect();
    steps::name_what_is_read(&mut script);
    checks::take(&deeds, &mut script);
    let inputs = inputs::take(story, &deeds, &mut script);
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
    Some(Draft { spec, mended: Vec::new(), left_out })
}

fn variable(name: &str) -> Variable {
    Variable { name: name.to_owned(), of: Some(String::from("string")), ..Variable::default() }
}

#[cfg(test)]
mod tests;
