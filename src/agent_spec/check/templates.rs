//! Checks the templates of an agent: their syntax, and that every variable exists. Values are unknown until
//! the templates are rendered.

use crate::agent_spec::parse::fault::SpecFault;
use crate::agent_spec::template;
use crate::agent_spec::template::error::TemplateError;
use crate::agent_spec::types::script::Step;
use crate::agent_spec::types::spec::AgentSpec;
use serde_json::Value;
use std::collections::BTreeSet;

/// Inputs that every conversation has, declared or not.
pub const OF_CONVERSATIONS: [&str; 2] = ["text", "locale"];

/// A template and its path.
struct Text<'t> {
    path: String,
    text: &'t str,
}

impl<'t> Text<'t> {
    fn new(path: impl Into<String>, text: &'t str) -> Self {
        Self { path: path.into(), text }
    }
}

pub fn check(spec: &AgentSpec, found: &mut Vec<SpecFault>) {
    let mut known: BTreeSet<&str> = spec.inputs.iter().map(|input| input.name.as_str()).collect();
    known.extend(spec.locals.iter().map(|local| local.name.as_str()));
    if spec.converses() {
        known.extend(OF_CONVERSATIONS);
    }
    for text in texts(spec) {
        check_text(&text, &known, found);
    }
    for (index, step) in spec.browser.iter().flat_map(|browser| browser.script.iter().flatten()).enumerate() {
        for (path, text) in &step_texts(step) {
            let path = format!("browser.script[{index}].{path}");
            check_text(&Text { path, text }, &known, found);
        }
        // Names that a step defines are available to later steps.
        known.extend(step.known_as.as_deref());
        known.extend(step.params.get("answer_key").and_then(Value::as_str));
    }
}

fn check_text(Text { path, text }: &Text<'_>, known: &BTreeSet<&str>, found: &mut Vec<SpecFault>) {
    match template::check(text) {
        Err(error) => found.push(unreadable(path, "is not a valid template", &error)),
        Ok(()) => found.extend(undefined_names(path, text, template::names(text), known)),
    }
}

/// Checks the syntax of a condition, and its names if `known` contains all that exist.
pub fn check_expression(path: &str, text: &str, known: Option<&BTreeSet<&str>>, found: &mut Vec<SpecFault>) {
    match template::check_expression(text) {
        Err(error) => {
            let fault = unreadable(path, "is not a valid expression", &error);
            found.push(fault.hint("write a condition, such as: score > 3 and not done"));
        }
        Ok(()) => {
            if let Some(known) = known {
                found.extend(undefined_names(path, text, template::names_of_expression(text), known));
            }
        }
    }
}

fn undefined_names(path: &str, text: &str, mut names: Vec<String>, known: &BTreeSet<&str>) -> Vec<SpecFault> {
    names.retain(|name| {
        !known.contains(name.as_str()) && !template::is_built_in(name) && !is_guarded(text, name)
    });
    let faults = names.iter().map(|name| {
        let message = format!("asks for \"{name}\", which is not an input or local value of the agent");
        let line = text.lines().position(|line| has_word(line, name)).unwrap_or_default();
        let near = SpecFault::new(path, message).hint_name(name, known.iter().copied());
        let mut fault = if near.hint.is_some() { near } else { near.hint("declare it among the inputs") };
        fault.within = u64::try_from(line + 1).ok();
        fault
    });
    faults.collect()
}

/// True if the template handles an undefined name, by `x is defined` or `x | default(…)`.
fn is_guarded(text: &str, name: &str) -> bool {
    occurrences(text, name).any(|rest| {
        let rest = rest.trim_start();
        let test = rest.strip_prefix("is").map(str::trim_start);
        let test = test.map(|rest| rest.strip_prefix("not ").unwrap_or(rest).trim_start());
        test.is_some_and(|rest| rest.starts_with("defined") || rest.starts_with("undefined"))
            || rest.strip_prefix('|').is_some_and(|rest| rest.trim_start().starts_with("default"))
    })
}

fn has_word(text: &str, word: &str) -> bool {
    occurrences(text, word).next().is_some()
}

/// Yields the text after each occurrence of the word as a whole word.
fn occurrences<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = &'t str> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).filter_map(move |(at, _)| {
        let rest = &text[at + word.len()..];
        (!text[..at].ends_with(part) && !rest.starts_with(part)).then_some(rest)
    })
}

fn unreadable(path: &str, what: &str, error: &TemplateError) -> SpecFault {
    let mut fault = SpecFault::new(path, format!("{what}: {error}"));
    fault.within = error.line.and_then(|line| u64::try_from(line).ok());
    fault
}

/// Returns the templates of an agent, without those of a script.
fn texts(spec: &AgentSpec) -> Vec<Text<'_>> {
    let mut found = Vec::new();
    if let Some(llm) = &spec.llm {
        found.push(Text::new("llm.prompt", &llm.prompt));
        found.extend(llm.system.iter().map(|text| Text::new("llm.system", text)));
    }
    if let Some(shell) = &spec.shell {
        for (index, arg) in shell.args.iter().enumerate() {
            found.push(Text::new(format!("shell.args[{index}]"), arg));
        }
    }
    if let Some(browser) = &spec.browser {
        found.extend(browser.goal.iter().map(|text| Text::new("browser.goal", text)));
        found.extend(browser.start_url.iter().map(|text| Text::new("browser.start_url", text)));
    }
    found
}

/// Returns the templates of a scripted step, with their paths relative to the step.
fn step_texts(step: &Step) -> Vec<(String, String)> {
    let occurrences =
        [("target", &step.target), ("from_target", &step.from_target), ("to_target", &step.to_target)];
    let mut found = Vec::new();
    for (path, target) in occurrences {
        collect_texts(path.to_owned(), &serde_json::to_value(target).unwrap_or_default(), &mut found);
    }
    found.extend(step.note.iter().map(|note| (String::from("note"), note.clone())));
    found.extend(step.take.iter().map(|take| (String::from("take"), take.clone())));
    collect_texts(String::from("check"), &serde_json::to_value(&step.check).unwrap_or_default(), &mut found);
    for (name, value) in &step.params {
        collect_texts(format!("params.{name}"), value, &mut found);
    }
    found
}

/// Collects all strings in a value.
fn collect_texts(path: String, value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) => found.push((path, text.clone())),
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                collect_texts(format!("{path}[{index}]"), value, found);
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                collect_texts(format!("{path}.{name}"), value, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
