//! Parses, checks and writes agent files. Every fault has a path within the file, its line, and a text that
//! says what to write instead.

pub(crate) mod agent_references;
pub(crate) mod conversation_parts;
pub(crate) mod faulty_parts;
pub(crate) mod sections;
pub mod variable_types;
pub mod script;
pub mod build;
pub(crate) mod lanes;
pub(crate) mod secrets;
pub(crate) mod templates;

use crate::agent_spec::agent_lookup::AgentLookup;
use crate::agent_spec::parse::fault::SpecFault;
use crate::agent_spec::parse::legacy::FileFormat;
use crate::agent_spec::parse::yaml::FILE_BYTES;
use crate::agent_spec::parse::yaml::Tree;
use crate::agent_spec::parse::{legacy, schema_check, yaml};
use crate::agent_spec::types::spec::AgentSpec;
use serde_json::Value;

/// A parsed text and its faults.
#[derive(Clone, Debug)]
pub struct Examined {
    /// `None` if the text does not have the shape of an agent.
    pub spec: Option<AgentSpec>,
    pub faults: Vec<SpecFault>,
}

impl Examined {
    pub fn errors(&self) -> impl Iterator<Item = &SpecFault> {
        self.faults.iter().filter(|fault| fault.is_error())
    }
}

/// Parses and checks a file without looking at other agents. `name` is the file name without its extension.
pub fn read(text: &str, name: &str) -> Result<AgentSpec, Vec<SpecFault>> {
    let Examined { spec, mut faults } = examine(text, Some(name), None);
    faults.retain(SpecFault::is_error);
    match spec {
        Some(spec) if faults.is_empty() => Ok(spec),
        Some(_) | None => Err(faults),
    }
}

/// Parses a text as an agent without checking its meaning.
pub fn parse(text: &str) -> Result<AgentSpec, Vec<SpecFault>> {
    let tree = tree(text).map_err(|fault| vec![fault])?;
    let (spec, faults) = parse_shape(&tree, text);
    spec.ok_or(faults)
}

/// Parses a text and returns all its faults, errors and warnings. `name` is the name of its file, if it has
/// one.
pub fn examine(text: &str, name: Option<&str>, others: Option<&dyn AgentLookup>) -> Examined {
    let tree = match tree(text) {
        Ok(tree) => tree,
        Err(fault) => return Examined { spec: None, faults: vec![fault] },
    };
    let (spec, mut faults) = parse_shape(&tree, text);
    if spec.is_none()
        && let Some(rest) = faulty_parts::without_faulty_parts(text, &faults)
    {
        let further = find_faults(&rest, others).into_iter();
        let reported: Vec<String> = faults.iter().map(|fault| fault.path.clone()).collect();
        faults.extend(
            further.filter(|fault| !reported.iter().any(|path| faulty_parts::is_within(&fault.path, path))),
        );
    }
    if let Some(spec) = &spec {
        faults.extend(find_faults(spec, others));
        if let Some(name) = name.filter(|name| *name != spec.name) {
            let message = format!("must be \"{name}\", as the file's name says, not \"{}\"", spec.name);
            faults.push(SpecFault::new("name", message));
        }
    }
    for fault in faults.iter_mut().filter(|fault| fault.line.is_none()) {
        fault.line = Some(tree.line(&fault.path, fault.within));
    }
    faults.sort_by_key(|fault| fault.line);
    Examined { spec, faults }
}

/// Parses a text unless it is larger than a file may be.
fn tree(text: &str) -> Result<Tree, SpecFault> {
    if text.len() as u64 > FILE_BYTES {
        let message = format!("it has more than {} kB", FILE_BYTES / 1024);
        return Err(SpecFault::new("", message).on_line(Some(1)));
    }
    Tree::parse(text)
}

/// Parses a text in the current or an older format, and checks its shape.
fn parse_shape(tree: &Tree, text: &str) -> (Option<AgentSpec>, Vec<SpecFault>) {
    match legacy::form(tree, text) {
        FileFormat::Current => check_types(tree, text),
        FileFormat::Unsupported(faults) => (None, faults),
        FileFormat::Converted(value, old) => {
            let Ok(text) = write_json(&value) else { return check_types(tree, text) };
            let Ok(converted) = Tree::parse(&text) else { return check_types(tree, &text) };
            let (spec, mut faults) = check_types(&converted, &text);
            for fault in &mut faults {
                fault.line = Some(tree.line(&fault.path, fault.within));
            }
            if old {
                let message = "is written in an older form; it is read, and saving writes it anew";
                faults.push(SpecFault::warning("", message));
            }
            (spec, faults)
        }
    }
}

/// Converts a text in an older format to the current one, with its comments at the top; `None` if the text is
/// current.
pub fn convert_legacy(text: &str) -> Option<String> {
    let tree = Tree::parse(text).ok()?;
    let FileFormat::Converted(value, true) = legacy::form(&tree, text) else { return None };
    let spec = parse(&write_json(&value).ok()?).ok()?;
    let comments = tree.comments.iter().filter_map(|comment| text.get(comment.span.clone()));
    let above: String = comments.map(|comment| format!("{}\n", comment.trim_end())).collect();
    Some(above + &write(&spec).ok()?)
}

fn check_types(tree: &Tree, text: &str) -> (Option<AgentSpec>, Vec<SpecFault>) {
    let mut faults = schema_check::faults(tree);
    let spec = if faults.is_empty() { values(text).map_err(|fault| faults.push(fault)).ok() } else { None };
    (spec, faults)
}

fn values(text: &str) -> Result<AgentSpec, SpecFault> {
    yaml::value(text).map_err(|error| {
        let error = error.without_snippet();
        let line = error.location().map(|location| location.line()).filter(|line| *line > 0);
        let words = error.to_string();
        if words.starts_with("multiple YAML documents") {
            let fault = SpecFault::new("", "has a second document").on_line(line);
            return fault.hint("write one agent a file; `askfirst agents import` takes them apart");
        }
        SpecFault::new("", words.lines().next().unwrap_or_default()).on_line(line)
    })
}

/// Serializes an agent as the text of its file (S0.15).
pub fn write(spec: &AgentSpec) -> Result<String, serde_saphyr::SerializeError> {
    yaml::text(spec)
}

/// Serializes JSON as the text of a file, valid or not; keys keep their order.
pub fn write_json(value: &Value) -> Result<String, serde_saphyr::SerializeError> {
    yaml::text(value)
}

/// Returns all faults of an agent; without `others`, references to other agents are not checked.
pub fn find_faults(spec: &AgentSpec, others: Option<&dyn AgentLookup>) -> Vec<SpecFault> {
    let mut found = Vec::new();
    sections::check(spec, &mut found);
    templates::check(spec, &mut found);
    secrets::check(spec, &mut found);
    build::check(spec, others, &mut found);
    if let Some(graph) = &spec.graph {
        lanes::check(spec, graph, &mut found);
    }
    if let Some(others) = others {
        agent_references::check(spec, others, &mut found);
    }
    found
}
