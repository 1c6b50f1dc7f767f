//! Reading and writing agent files, and whether what they say makes sense. Every fault has a path into
//! the file, its line where that is known, and words that say what to write instead.

use super::graph::{CONTEXT, Graph, Item, When};
use super::script::faults::faults_of_script;
use super::{AgentSpec, Kind};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;

/// One thing that is wrong with an agent file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Fault {
    /// Where in the file: `graph.lanes[0].items[1].agent`; empty for the whole.
    pub path: String,
    pub line: Option<u64>,
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "`{}` ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

/// A file's text as a checked agent; `name` is the file's own, without its ending.
pub fn read(text: &str, name: &str) -> Result<AgentSpec, Vec<Fault>> {
    let spec = parse(text)?;
    let mut faults = faults(&spec);
    if spec.name != name {
        let message = format!("must be \"{name}\", as the file's name says, not \"{}\"", spec.name);
        faults.push(fault("name", message));
    }
    if faults.is_empty() { Ok(spec) } else { Err(faults) }
}

/// A text as an agent, whether or not it makes sense.
pub fn parse(text: &str) -> Result<AgentSpec, Vec<Fault>> {
    serde_saphyr::from_str(text).map_err(|error| {
        let error = error.without_snippet();
        let line = error.location().map(|place| place.line()).filter(|line| *line > 0);
        vec![Fault { path: String::new(), line, message: error.to_string() }]
    })
}

/// An agent as the text of its file (S0.15).
pub fn write(spec: &AgentSpec) -> Result<String, serde_saphyr::SerializeError> {
    serde_saphyr::to_string(spec)
}

/// Everything that is wrong with an agent, without looking at other agents.
pub fn faults(spec: &AgentSpec) -> Vec<Fault> {
    let mut found = Vec::new();
    if !is_agent_name(&spec.name) {
        found.push(fault(
            "name",
            "must be a-z, 0-9 and _, begin with a letter, and have at most 64 characters",
        ));
    }
    check_sections(spec, &mut found);
    check_names("inputs", spec.inputs.iter().map(|variable| &variable.name), &mut found);
    check_names("locals", spec.locals.iter().map(|local| &local.name), &mut found);
    check_names("outputs", spec.outputs.iter().map(|variable| &variable.name), &mut found);
    check_browser(spec, &mut found);
    check_limits(spec, &mut found);
    if let Some(graph) = &spec.graph {
        check_graph(graph, &mut found);
    }
    found
}

fn fault(path: impl Into<String>, message: impl Into<String>) -> Fault {
    Fault { path: path.into(), line: None, message: message.into() }
}

/// `[a-z][a-z0-9_]{0,63}`
pub fn is_agent_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.len() <= 64 && name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(plain)
}

/// Exactly the section that the kind asks for.
fn check_sections(spec: &AgentSpec, found: &mut Vec<Fault>) {
    let given = [
        ("llm", spec.llm.is_some()),
        ("python", spec.python.is_some()),
        ("shell", spec.shell.is_some()),
        ("browser", spec.browser.is_some()),
    ];
    let sections: Vec<&str> = given.iter().filter(|(_, given)| *given).map(|(word, _)| *word).collect();
    match spec.kind {
        Kind::Atomic => {
            if sections.len() != 1 {
                let message =
                    "must have exactly one of llm, python, shell, browser, since its kind is atomic";
                found.push(fault("", message));
            }
            if spec.graph.is_some() {
                found.push(fault(
                    "graph",
                    "belongs to a composite agent; write kind: composite or leave it out",
                ));
            }
        }
        Kind::Composite => {
            for section in sections {
                found.push(fault(section, "belongs to an atomic agent; write kind: atomic or leave it out"));
            }
            if spec.graph.is_none() {
                found.push(fault("graph", "is missing; a composite agent has a graph with lanes"));
            }
        }
    }
}

fn check_names<'s>(path: &str, names: impl Iterator<Item = &'s String>, found: &mut Vec<Fault>) {
    let mut seen = BTreeSet::new();
    for (index, name) in names.enumerate() {
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !begins || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            let message = format!("\"{name}\" must be letters, digits and _, and begin with a letter");
            found.push(fault(format!("{path}[{index}].name"), message));
        }
        if !seen.insert(name) {
            found.push(fault(format!("{path}[{index}].name"), format!("\"{name}\" stands there twice")));
        }
    }
}

fn check_browser(spec: &AgentSpec, found: &mut Vec<Fault>) {
    let Some(browser) = &spec.browser else { return };
    if let Some(start) = &browser.start_url {
        // A template is filled in before it is an address.
        let address = url::Url::parse(start).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        let own = start.starts_with('/') && !start.starts_with("//");
        if !address && !own && !start.contains("{{") && !start.contains("{%") {
            let message =
                "must be an address that begins with http:// or https://, or a path of this service";
            found.push(fault("browser.start_url", message));
        }
    }
    for (index, host) in browser.allowed_hosts.iter().flatten().enumerate() {
        if host.is_empty() || host.contains('/') || host.contains(char::is_whitespace) {
            let message = format!("\"{host}\" must be a host such as shop.example or shop.example:8080");
            found.push(fault(format!("browser.allowed_hosts[{index}]"), message));
        }
    }
    found.extend(faults_of_script(browser).into_iter().map(|(path, message)| fault(path, message)));
    if browser.language.as_deref().is_some_and(|tag| !matches!(tag, "uk" | "en")) {
        found.push(fault("browser.language", "must be uk or en"));
    }
    // It becomes the name of a folder.
    if browser.profile.as_ref().is_some_and(|name| !is_agent_name(name)) {
        let message = "must be a-z, 0-9 and _, begin with a letter, and have at most 64 characters";
        found.push(fault("browser.profile", message));
    }
}

fn check_limits(spec: &AgentSpec, found: &mut Vec<Fault>) {
    let Some(limits) = &spec.limits else { return };
    let Ok(Value::Object(members)) = serde_json::to_value(limits) else { return };
    for (name, value) in members {
        let least = if name.ends_with("depth") { 0.0 } else { f64::MIN_POSITIVE };
        if value.as_f64().is_some_and(|number| number < least) {
            found.push(fault(format!("limits.{name}"), "must be more than 0; leave it out for the default"));
        }
    }
}

fn check_graph(graph: &Graph, found: &mut Vec<Fault>) {
    let ids: BTreeSet<&str> = items(graph).map(|(_, item)| item.id.as_str()).collect();
    let mut seen = BTreeSet::new();
    for (path, item) in items(graph) {
        if item.id.is_empty() || item.id == CONTEXT || !seen.insert(item.id.as_str()) {
            found.push(fault(format!("{path}.id"), format!("\"{}\" must be an id of its own", item.id)));
        }
        if !is_agent_name(&item.agent) {
            found.push(fault(format!("{path}.agent"), format!("\"{}\" is no agent's name", item.agent)));
        }
        if let Some(when) = &item.when {
            check_when(&path, when, found);
        }
        check_bindings(&path, item, &ids, found);
    }
}

fn check_when(path: &str, when: &When, found: &mut Vec<Fault>) {
    let compared =
        [when.equals.is_some(), when.not_equals.is_some(), when.one_of.is_some(), when.exists.is_some()];
    let comparisons = compared.into_iter().filter(|given| *given).count();
    let fits = match (&when.var, &when.expr) {
        (Some(_), None) => comparisons == 1,
        (None, Some(_)) => comparisons == 0,
        (Some(_), Some(_)) | (None, None) => false,
    };
    if !fits {
        let message = "must be `var` with one of equals, not_equals, in and exists, or `expr` alone";
        found.push(fault(format!("{path}.when"), message));
    }
    for (word, value) in [("equals", &when.equals), ("not_equals", &when.not_equals)] {
        if value.as_ref().is_some_and(|value| value.is_array() || value.is_object()) {
            let message = "must be text, true or false, a number or null";
            found.push(fault(format!("{path}.when.{word}"), message));
        }
    }
}

fn check_bindings(path: &str, item: &Item, ids: &BTreeSet<&str>, found: &mut Vec<Fault>) {
    for (index, binding) in item.bindings.iter().enumerate() {
        let from = binding.from_agent_item_id.as_str();
        if from != CONTEXT && !ids.contains(from) {
            let message = format!("\"{from}\" is neither {CONTEXT} nor the id of an item");
            found.push(fault(format!("{path}.bindings[{index}].from_agent_item_id"), message));
        }
        if binding.to_agent_item_id != item.id {
            let message = format!("must be the item's own id, \"{}\"", item.id);
            found.push(fault(format!("{path}.bindings[{index}].to_agent_item_id"), message));
        }
    }
}

fn items(graph: &Graph) -> impl Iterator<Item = (String, &Item)> {
    graph.lanes.iter().enumerate().flat_map(|(lane, lane_spec)| {
        let named = move |(place, item)| (format!("graph.lanes[{lane}].items[{place}]"), item);
        lane_spec.items.iter().enumerate().map(named)
    })
}
