//! Drafts from a run that played a script: the script itself, with the steps that a model repaired.

use crate::agent_spec::types::script::{Step, Target};
use crate::agent_spec::types::spec::AgentSpec;
use crate::script::author::found_inputs::replace_words;
use crate::script::author::recorded_run::{AgentDraft, AgentNames, RecordedRun, RepairedStep};
use crate::script::author::steps;
use crate::script::player::script_progress::ScriptActionPurpose;
use crate::script::recording::RecordedAction;
use crate::script::rendering::names_input;
use serde_json::{Map, Value, json};

/// Returns the agent with its repaired steps, under its new name.
pub fn draft(story: &RecordedRun, agent: &AgentSpec, script: &[Step], called: &AgentNames) -> AgentDraft {
    let mut repaired_steps = Vec::new();
    let mut changed: Vec<Step> = Vec::new();
    for (at, step) in script.iter().enumerate() {
        let now = replacement_steps(story, at, step);
        if now.is_empty() {
            changed.push(step.clone());
            continue;
        }
        repaired_steps.push(RepairedStep { step: at + 1, was: step.clone(), now: now.clone() });
        changed.extend(now);
    }
    let mut spec = agent.clone();
    spec.name.clone_from(&called.name);
    if let Some(title) = &called.title_ua {
        spec.title_ua.clone_from(title);
    }
    spec.title_en = called.title_en.clone().or(spec.title_en);
    if let Some(browser) = &mut spec.browser {
        browser.script = Some(changed);
    }
    AgentDraft { spec, repaired_steps, left_out: Vec::new() }
}

/// Returns the actions that replaced this step; empty if it was played as written.
fn replacement_steps(story: &RecordedRun, at: usize, step: &Step) -> Vec<Step> {
    let of_it = |deed: &&RecordedAction| {
        ScriptActionPurpose::parse_id(&deed.action_id) == Some((at, ScriptActionPurpose::Repair)) && deed.ok
    };
    let actions: Vec<&RecordedAction> = story.actions.iter().filter(of_it).collect();
    let mut done: Vec<Step> = actions
        .into_iter()
        .filter(|deed| {
            !matches!(deed.action.as_str(), "wait" | "scroll" | "hover" | "extract")
                || deed.action == step.action
        })
        .map(|deed| restore_inputs(steps::step(deed, &story.own_origin), step, &story.inputs))
        .collect();
    if let Some(last) = done.last_mut() {
        last.note.clone_from(&step.note);
        last.action_id.clone_from(&step.action_id);
        last.known_as.clone_from(&step.known_as);
        last.take.clone_from(&step.take);
        last.check.clone_from(&step.check);
        if last.action == step.action {
            last.params = step.plain_params();
        }
    }
    done
}

/// Puts inputs that the old step named in place of their values.
fn restore_inputs(mut step: Step, old: &Step, inputs: &Map<String, Value>) -> Step {
    let written = texts_in(&json!(old));
    for (name, value) in inputs.iter().filter(|(name, _)| written.iter().any(|text| names_input(text, name)))
    {
        let Value::String(value) = value else { continue };
        let template = format!("{{{{ {name} }}}}");
        let in_words = |words: &mut String| *words = replace_words(words, value, &template);
        let in_target = |target: &mut Target| {
            in_words(&mut target.name);
            target.near.iter_mut().for_each(in_words);
        };
        [&mut step.target, &mut step.from_target, &mut step.to_target]
            .into_iter()
            .flatten()
            .for_each(in_target);
        for param in step.params.values_mut() {
            if let Value::String(words) = param {
                in_words(words);
            }
        }
    }
    step
}

/// Returns all texts in a value.
fn texts_in(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts_in).collect(),
        Value::Object(members) => members.values().flat_map(texts_in).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}
