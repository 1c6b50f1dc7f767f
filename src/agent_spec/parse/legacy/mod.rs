//! Conversion of older file formats (S0.16). Unambiguous files are converted; others are refused as an
//! "unsupported legacy format" with the place and what to write. All later code knows only the current
//! format.

pub mod file;
pub(crate) mod executor;
pub(crate) mod lanes;
pub(crate) mod variables;

use crate::agent_spec::parse::fault::SpecFault;
use crate::agent_spec::parse::legacy::file::{LegacyFile, convert_kind};
use crate::agent_spec::parse::yaml;
use crate::agent_spec::parse::yaml::{NodeKind, Tree, YamlNode};
use serde_json::Value;

/// Format of a file.
pub enum FileFormat {
    Current,
    /// The file in the current format, and true if anything was written in an older one.
    Converted(Value, bool),
    Unsupported(Vec<SpecFault>),
}

/// Top-level keys of older formats; none of them is a current key.
const TOP: [&str; 13] = [
    "executor",
    "title",
    "description",
    "type",
    "prompt",
    "code",
    "command",
    "goal",
    "system",
    "args",
    "lanes",
    "tools",
    "output_vars",
];

/// Keys of older graph formats with an ambiguous meaning.
const GRAPHS: [&str; 11] = [
    "edges",
    "transitions",
    "states",
    "stages",
    "pipeline",
    "entry",
    "start",
    "next",
    "nodes",
    "steps",
    "workflow",
];

pub fn form(tree: &Tree, text: &str) -> FileFormat {
    if !has_signs(&tree.root) {
        return FileFormat::Current;
    }
    // The caller reports a text that cannot be parsed.
    let Ok(Value::Object(members)) = yaml::value::<Value>(text) else { return FileFormat::Current };
    // A key with the value null counts as absent, as in `executor: null` and `graph: null` (S0.6).
    let members = members.into_iter().filter(|(_, value)| !value.is_null()).collect();
    let mut file = LegacyFile { members, faults: Vec::new(), old: false };
    file.kind();
    file.titles();
    variables::convert(&mut file);
    lanes::convert(&mut file);
    executor::convert(&mut file);
    file.leftovers();
    if file.faults.is_empty() {
        return FileFormat::Converted(Value::Object(file.members), file.old);
    }
    for fault in &mut file.faults {
        fault.line = Some(tree.line(&fault.path, None));
    }
    FileFormat::Unsupported(file.faults)
}

fn has_signs(root: &YamlNode) -> bool {
    let NodeKind::Map { entries, .. } = &root.kind else { return false };
    let lists = ["inputs", "outputs", "locals"];
    entries.iter().any(|(key, value)| match key.name.as_str() {
        name if TOP.contains(&name) || GRAPHS.contains(&name) => true,
        name if lists.contains(&name) => match &value.kind {
            NodeKind::Map { .. } => true,
            NodeKind::List(nodes) => nodes.iter().any(|node| matches!(node.kind, NodeKind::Scalar { .. })),
            NodeKind::Scalar { .. } | NodeKind::Alias => false,
        },
        "kind" => matches!(&value.kind, NodeKind::Scalar { text, .. } if convert_kind(text).is_some()),
        "graph" => lanes::has_signs(value),
        _ => false,
    })
}

impl LegacyFile {
    pub(crate) fn add_unsupported(&mut self, path: impl Into<String>, hint: impl Into<String>) {
        self.faults.push(SpecFault::new(path, "unsupported legacy format").hint(hint));
    }

    pub(crate) fn take(&mut self, key: &str) -> Option<Value> {
        self.members.shift_remove(key)
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.members.contains_key(key)
    }

    pub(crate) fn put(&mut self, key: &str, value: Value) {
        self.old = true;
        self.members.insert(key.to_owned(), value);
    }

    /// Converts `kind: workflow`, `type: composite` and `type: llm`.
    pub(crate) fn kind(&mut self) {
        if let Some(Value::String(word)) = self.take_if("type", |value| value.is_string()) {
            let kind = convert_kind(&word).map(str::to_owned);
            let kind =
                kind.or_else(|| ["atomic", "composite"].contains(&word.as_str()).then(|| word.clone()));
            match kind {
                Some(kind) if !self.has("kind") => self.put("kind", Value::String(kind)),
                None if executor::is_executor(&word) && !self.has("executor") => {
                    self.put("executor", Value::String(word))
                }
                Some(_) | None => self.add_unsupported("type", "write kind: atomic or kind: composite"),
            }
        }
        let Some(word) = self.members.get("kind").and_then(Value::as_str).map(str::to_owned) else { return };
        if let Some(kind) = convert_kind(&word) {
            self.put("kind", Value::from(kind));
        }
    }

    /// Assigns `title` and `description` without a language to Ukrainian if they contain Cyrillic letters,
    /// else to English.
    pub(crate) fn titles(&mut self) {
        for key in ["title", "description"] {
            let names = (format!("{key}_ua"), format!("{key}_en"));
            if self.has(&names.0) || self.has(&names.1) {
                continue;
            }
            match self.members.get(key) {
                Some(Value::String(words)) => {
                    let cyrillic = words.chars().any(|c| ('\u{400}'..='\u{4ff}').contains(&c));
                    let name = if cyrillic { names.0 } else { names.1 };
                    let words = Value::String(words.clone());
                    self.put(&name, words);
                    self.take(key);
                }
                Some(Value::Object(both))
                    if both.keys().all(|tag| ["ua", "uk", "en"].contains(&tag.as_str())) =>
                {
                    for (tag, words) in both.clone() {
                        self.put(if tag == "en" { &names.1 } else { &names.0 }, words);
                    }
                    self.take(key);
                }
                Some(_) => self.add_unsupported(key, format!("write {key}_ua and {key}_en")),
                None => {}
            }
        }
    }

    /// Reports the remaining keys of older formats, whose meaning is ambiguous.
    pub(crate) fn leftovers(&mut self) {
        for key in GRAPHS.into_iter().filter(|key| self.has(key)).collect::<Vec<_>>() {
            self.add_unsupported(
                key,
                "write graph: {lanes: [{items: [{id: …, agent: …}]}]}; lanes run from left to right",
            );
        }
        for (key, hint) in [
            ("tools", "write uses: [names of agents] in the section llm or browser"),
            ("output_vars", "write outputs: [{name: …}]"),
        ] {
            if self.has(key) {
                self.add_unsupported(key, hint);
            }
        }
    }

    pub(crate) fn take_if(&mut self, key: &str, fits: impl Fn(&Value) -> bool) -> Option<Value> {
        if self.members.get(key).is_some_and(fits) { self.take(key) } else { None }
    }
}
