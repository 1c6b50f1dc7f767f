//! Turns a run into an agent: actions become the steps of a script, values from the person its inputs, and
//! observations its checks. Actions that failed, were undone or had no effect are left out, and listed as
//! such.

pub(crate) mod found_checks;
pub(crate) mod found_inputs;
pub mod identifiers;
pub(crate) mod repaired_script;
pub mod recorded_run;
pub(crate) mod single_actions;
pub(crate) mod action_filter;
pub(crate) mod steps;

use crate::agent_spec::types::executor::Browser;
use crate::agent_spec::types::script::Step;
use crate::agent_spec::types::spec::{AgentSpec, Kind, Variable};
use crate::script::author::recorded_run::{AgentDraft, AgentNames, RecordedRun};

/// Returns an agent that repeats a run; `None` if the run did nothing on a page. `agent` is the agent of the
/// run.
pub fn draft_agent(story: &RecordedRun, agent: &AgentSpec, called: &AgentNames) -> Option<AgentDraft> {
    let script = agent.browser.as_ref().and_then(|browser| browser.script.as_ref());
    match script {
        Some(script) => Some(repaired_script::draft(story, agent, script, called)),
        None => draft_from_actions(story, agent, called),
    }
}

fn draft_from_actions(story: &RecordedRun, agent: &AgentSpec, called: &AgentNames) -> Option<AgentDraft> {
    let (actions, left_out) = action_filter::filter_actions(&single_actions::split_fills(&story.actions));
    if !actions.iter().any(steps::is_on_a_page) {
        return None;
    }
    let mut script: Vec<Step> = actions.iter().map(|deed| steps::step(deed, &story.own_origin)).collect();
    steps::name_what_is_read(&mut script);
    found_checks::add_checks(&actions, &mut script);
    let inputs = found_inputs::extract_inputs(story, &actions, &mut script);
    let start_url = steps::start(&mut script);
    let reads: Vec<&str> = script.iter().filter_map(|step| step.known_as.as_deref()).collect();
    let outputs = if reads.is_empty() { vec!["answer"] } else { reads };
    let outputs = outputs.into_iter().map(variable).collect();
    let before = agent.browser.clone().unwrap_or_default();
    let browser = Browser {
        start_url,
        language: Some(String::from(story.locale.tag())),
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
    Some(AgentDraft { spec, repaired_steps: Vec::new(), left_out })
}

fn variable(name: &str) -> Variable {
    Variable { name: name.to_owned(), of: Some(String::from("string")), ..Variable::default() }
}

#[cfg(test)]
mod tests;
