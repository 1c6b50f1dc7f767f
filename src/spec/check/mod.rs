//! Reading and writing agent files, and whether what they say makes sense. Every fault has a path into
//! the file, its line, and words that say what to write instead.

pub mod build;
mod flow;
mod lanes;
mod own;
mod parts;
mod secrets;
mod rest;
mod templates;
pub mod types;

use super::AgentSpec;
use super::build::Build;
use super::fault::Fault;
use super::folder::FILE_BYTES;
use super::legacy::{self, Form};
use super::shape;
use super::tool::{Missing, ToolRef};
use super::yaml::{self, Tree};
use serde_json::Value;
use std::sync::Arc;

/// The other agents that there are, for what one says about another.
pub trait Others {
    fn agent(&self, name: &str) -> Option<Arc<AgentSpec>>;
    fn names(&self) -> Vec<String>;

    /// Why there is no such tool of a server; none where there is, or where nobody knows.
    fn missing_tool(&self, _tool: &ToolRef) -> Option<Missing> {
        None
    }

    /// What `build.tool.yml` in an agent's folder says.
    fn build_beside(&self, _name: &str) -> Option<Result<Build, Fault>> {
        None
    }
}

/// What a text is as an agent, and everything that is wrong with it.
#[derive(Clone, Debug)]
pub struct Examined {
    /// None where the text has not the shape of an agent.
    pub spec: Option<AgentSpec>,
    pub faults: Vec<Fault>,
}

impl Examined {
    pub fn errors(&self) -> impl Iterator<Item = &Fault> {
        self.faults.iter().filter(|fault| fault.is_error())
    }
}

/// A file's text as a checked agent; `name` is the file's own, without its ending. What it says about
/// other agents is not looked at.
pub fn read(text: &str, name: &str) -> Result<AgentSpec, Vec<Fault>> {
    let Examined { spec, mut faults } = examine(text, Some(name), None);
    faults.retain(Fault::is_error);
    match spec {
        Some(spec) if faults.is_empty() => Ok(spec),
        Some(_) | None => Err(faults),
    }
}

/// A text as an agent, whether or not it makes sense.
pub fn parse(text: &str) -> Result<AgentSpec, Vec<Fault>> {
    let tree = tree(text).map_err(|fault| vec![fault])?;
    let (spec, faults) = shaped(&tree, text);
    spec.ok_or(faults)
}

/// Everything that can be said of a text: what it is as an agent, what is wrong, and what hardly is as it
/// was meant. `name` is the file's, if it has one already.
pub fn examine(text: &str, name: Option<&str>, others: Option<&dyn Others>) -> Examined {
    let tree = match tree(text) {
        Ok(tree) => tree,
        Err(fault) => return Examined { spec: None, faults: vec![fault] },
    };
    let (spec, mut faults) = shaped(&tree, text);
    if spec.is_none()
        && let Some(rest) = rest::rest(text, &faults)
    {
        let further = faults_of(&rest, others).into_iter();
        let told: Vec<String> = faults.iter().map(|fault| fault.path.clone()).collect();
        faults.extend(further.filter(|fault| !told.iter().any(|path| rest::within(&fault.path, path))));
    }
    if let Some(spec) = &spec {
        faults.extend(faults_of(spec, others));
        if let Some(name) = name.filter(|name| *name != spec.name) {
            let message = format!("must be \"{name}\", as the file's name says, not \"{}\"", spec.name);
            faults.push(Fault::new("name", message));
        }
    }
    for fault in faults.iter_mut().filter(|fault| fault.line.is_none()) {
        fault.line = Some(tree.line(&fault.path, fault.within));
    }
    faults.sort_by_key(|fault| fault.line);
    Examined { spec, faults }
}

/// A text that no file may have is not even looked at.
fn tree(text: &str) -> Result<Tree, Fault> {
    if text.len() as u64 > FILE_BYTES {
        let message = format!("it has more than {} kB", FILE_BYTES / 1024);
        return Err(Fault::new("", message).on_line(Some(1)));
    }
    Tree::parse(text)
}

/// The agent if the text has the shape of one, in today's form or in an older one.
fn shaped(tree: &Tree, text: &str) -> (Option<AgentSpec>, Vec<Fault>) {
    match legacy::form(tree, text) {
        Form::Current => typed(tree, text),
        Form::Unsupported(faults) => (None, faults),
        Form::Converted(value, old) => {
            let Ok(text) = of_json(&value) else { return typed(tree, text) };
            let Ok(converted) = Tree::parse(&text) else { return typed(tree, &text) };
            let (spec, mut faults) = typed(&converted, &text);
            for fault in &mut faults {
                fault.line = Some(tree.line(&fault.path, fault.within));
            }
            if old {
                let message = "is written in an older form; it is read, and saving writes it anew";
                faults.push(Fault::warning("", message));
            }
            (spec, faults)
        }
    }
}

/// The text in today's form, if it is one of an older form; its comments stand above the rest.
pub fn renewed(text: &str) -> Option<String> {
    let tree = Tree::parse(text).ok()?;
    let Form::Converted(value, true) = legacy::form(&tree, text) else { return None };
    let spec = parse(&of_json(&value).ok()?).ok()?;
    let comments = tree.comments.iter().filter_map(|comment| text.get(comment.place.clone()));
    let above: String = comments.map(|comment| format!("{}\n", comment.trim_end())).collect();
    Some(above + &write(&spec).ok()?)
}

fn typed(tree: &Tree, text: &str) -> (Option<AgentSpec>, Vec<Fault>) {
    let mut faults = shape::faults(tree);
    let spec = if faults.is_empty() { values(text).map_err(|fault| faults.push(fault)).ok() } else { None };
    (spec, faults)
}

fn values(text: &str) -> Result<AgentSpec, Fault> {
    yaml::value(text).map_err(|error| {
        let error = error.without_snippet();
        let line = error.location().map(|place| place.line()).filter(|line| *line > 0);
        let words = error.to_string();
        if words.starts_with("multiple YAML documents") {
            let fault = Fault::new("", "has a second document").on_line(line);
            return fault.hint("write one agent a file; `askfirst agents import` takes them apart");
        }
        Fault::new("", words.lines().next().unwrap_or_default()).on_line(line)
    })
}

/// An agent as the text of its file (S0.15).
pub fn write(spec: &AgentSpec) -> Result<String, serde_saphyr::SerializeError> {
    yaml::text(spec)
}

/// JSON as the text of a file, whether or not it is an agent; keys stay in their order.
pub fn of_json(value: &Value) -> Result<String, serde_saphyr::SerializeError> {
    yaml::text(value)
}

/// Everything that is wrong with an agent; without others, what it says about them is not looked at.
pub fn faults_of(spec: &AgentSpec, others: Option<&dyn Others>) -> Vec<Fault> {
    let mut found = Vec::new();
    own::check(spec, &mut found);
    templates::check(spec, &mut found);
    secrets::check(spec, &mut found);
    build::check(spec, others, &mut found);
    if let Some(graph) = &spec.graph {
        lanes::check(spec, graph, &mut found);
    }
    if let Some(others) = others {
        flow::check(spec, others, &mut found);
    }
    found
}

/// `[a-z][a-z0-9_]{0,63}`
pub fn is_agent_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.len() <= 64 && name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(plain)
}
