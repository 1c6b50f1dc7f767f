//! Texts of the question whether a single-call run may do its work, in the run's language.

use crate::agent_spec::types::spec::{AgentSpec, TitleLanguage};
use crate::engine::program::result_text::truncate_value;
use crate::protocol::Locale;
use crate::texts::questions;
use serde_json::{Map, Value, json};

/// Describes the action to the person who decides.
pub fn sentence(spec: &AgentSpec, action: &Value, isolated: bool, locale: Locale) -> String {
    let params = &action["params"];
    if let Some(tool) = &spec.mcp {
        let arguments = truncate_value(&params["arguments"].to_string());
        return questions::call_mcp_tool(&tool.tool, &tool.server, &arguments, locale);
    }
    let what = if spec.python.is_some() {
        questions::run_program(spec.title(title_language(locale)), locale)
    } else {
        questions::run_command(&command(params), locale)
    };
    let resources = list_resources(params, isolated, locale);
    if resources.is_empty() { format!("{what}.") } else { format!("{what}, {}.", resources.join(", ")) }
}

/// Lists the resources that the code can use beyond its inputs.
fn list_resources(params: &Value, isolated: bool, locale: Locale) -> Vec<String> {
    let mut resources: Vec<String> = Vec::new();
    if !isolated {
        resources.push(questions::without_sandbox(locale).to_owned());
    }
    if let Some(names) = params["env"].as_array().filter(|names| !names.is_empty()) {
        let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
        resources.push(questions::with_environment(&names.join(", "), locale));
    }
    if params["files"] == "read" {
        resources.push(questions::with_files_to_read(locale).to_owned());
    }
    if params["files"] == true {
        resources.push(questions::with_files(locale).to_owned());
    }
    resources
}

/// Returns the description of the agent, and labels of its inputs, to show beside the question.
pub fn description_and_labels(spec: &AgentSpec, locale: Locale) -> (Option<String>, Map<String, Value>) {
    let own = |uk: &Option<String>, en: &Option<String>| {
        let (own, other) = match locale {
            Locale::Uk => (uk, en),
            Locale::En => (en, uk),
        };
        let non_empty = |one: &Option<String>| one.clone().filter(|non_empty| !non_empty.trim().is_empty());
        non_empty(own).or_else(|| non_empty(other))
    };
    let labels = spec.inputs.iter().filter_map(|input| {
        let label = own(&input.description_ua, &input.description)?;
        Some((input.name.clone(), json!(label.trim().trim_end_matches('.'))))
    });
    (own(&spec.description_ua, &spec.description_en), labels.collect())
}

pub(crate) fn title_language(locale: Locale) -> TitleLanguage {
    match locale {
        Locale::Uk => TitleLanguage::Uk,
        Locale::En => TitleLanguage::En,
    }
}

/// Returns the whole command if its sentence truncates it.
pub fn long_command(params: &Value) -> Option<String> {
    let command = format_command(params);
    (!command.is_empty() && truncate_value(&command) != command).then_some(command)
}

fn command(params: &Value) -> String {
    format!("`{}`", truncate_value(&format_command(params)))
}

/// Formats the command as it could be typed in a shell, with quoted arguments.
fn format_command(params: &Value) -> String {
    let args = params["args"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let quoted = |word: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word.to_owned()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    let parts: Vec<String> = params["command"].as_str().into_iter().chain(args).map(quoted).collect();
    parts.join(" ")
}
