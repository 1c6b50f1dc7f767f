//! Converts lanes without a graph, lanes as plain lists, and sequential steps, each of which becomes a lane.

use crate::agent_spec::parse::legacy::file::LegacyFile;
use crate::agent_spec::parse::yaml::{NodeKind, YamlNode};
use crate::agent_spec::types::graph::CONTEXT;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Older keys for the called agent, its inputs and its condition.
const AGENT: [&str; 5] = ["agent", "tool", "node", "use", "step"];
const GIVEN: [&str; 6] = ["with", "inputs", "input", "params", "parameters", "args"];
const CONDITION: [&str; 3] = ["when", "if", "condition"];

/// Older keys for a list of steps.
const STEPS: [&str; 4] = ["steps", "nodes", "tools", "workflow"];

/// True if the lanes of a graph have an older format.
pub fn has_signs(graph: &YamlNode) -> bool {
    let lanes = match &graph.kind {
        NodeKind::List(_) => return true,
        NodeKind::Map { .. } => graph.get("lanes"),
        NodeKind::Scalar { .. } | NodeKind::Alias => None,
    };
    let Some(YamlNode { kind: NodeKind::List(lanes), .. }) = lanes else { return false };
    lanes.iter().any(|lane| match &lane.kind {
        NodeKind::List(_) => true,
        NodeKind::Map { .. } => {
            let Some(YamlNode { kind: NodeKind::List(items), .. }) = lane.get("items") else { return false };
            items.iter().any(|item| {
                matches!(item.kind, NodeKind::Scalar { .. })
                    || AGENT[1..].iter().any(|word| item.get(word).is_some())
            })
        }
        NodeKind::Scalar { .. } | NodeKind::Alias => false,
    })
}

pub fn convert(file: &mut LegacyFile) {
    if let Some(lanes) = file.take_if("lanes", Value::is_array).filter(|_| !file.has("graph")) {
        file.put("graph", json!({"lanes": lanes}));
    }
    if let Some(lanes) = file.take_if("graph", Value::is_array) {
        file.put("graph", json!({"lanes": lanes}));
    }
    if file.has("lanes") {
        file.add_unsupported("lanes", "write graph: {lanes: […]}");
    }
    let steps = STEPS.into_iter().find_map(|key| {
        let (path, steps) = match file.members.get(key)? {
            Value::Object(inner) if inner.len() == 1 => (format!("{key}.steps"), inner.get("steps")?),
            steps => (key.to_owned(), steps),
        };
        let all = steps.as_array().filter(|steps| steps.iter().all(is_step))?;
        Some((key, path, all.clone()))
    });
    // Edges could define a different order of the steps.
    let ordered = !["edges", "transitions", "states", "next"].iter().any(|key| file.has(key));
    match steps {
        Some((key, path, steps)) if ordered && !file.has("graph") => {
            file.take(key);
            let lanes: Vec<Vec<Value>> = steps.into_iter().map(|step| vec![step]).collect();
            let paths: Vec<String> = (0..lanes.len()).map(|index| format!("{path}[{index}]")).collect();
            Converter::new(file).lanes(lanes, &|lane, _| paths[lane].clone());
        }
        Some(_) | None => graph(file),
    }
}

fn is_step(value: &Value) -> bool {
    AGENT.iter().any(|word| value.get(word).is_some_and(Value::is_string))
}

/// Converts the items of a graph that have an older format.
fn graph(file: &mut LegacyFile) {
    let Some(lanes) = file.members.get("graph").and_then(|graph| graph.get("lanes")?.as_array()).cloned()
    else {
        return;
    };
    let items = |lane: &Value| lane.as_array().or_else(|| lane.get("items")?.as_array()).cloned();
    let Some(items) = lanes.iter().map(items).collect::<Option<Vec<Vec<Value>>>>() else { return };
    let older = |item: &Value| item.is_string() || AGENT[1..].iter().any(|word| item.get(word).is_some());
    if lanes.iter().any(Value::is_array) || items.iter().flatten().any(older) {
        Converter::new(file).lanes(items, &|lane, item| format!("graph.lanes[{lane}].items[{item}]"));
    }
}

struct Converter<'f> {
    file: &'f mut LegacyFile,
    ids: BTreeSet<String>,
}

impl<'f> Converter<'f> {
    fn new(file: &'f mut LegacyFile) -> Self {
        Self { file, ids: BTreeSet::new() }
    }

    fn lanes(mut self, lanes: Vec<Vec<Value>>, path_of: &dyn Fn(usize, usize) -> String) {
        let mut done = Vec::new();
        for (lane, items) in lanes.into_iter().enumerate() {
            let items: Vec<Value> = items
                .into_iter()
                .enumerate()
                .filter_map(|(index, item)| self.item(item, &path_of(lane, index)))
                .collect();
            done.push(json!({"items": items}));
        }
        let mut graph = match self.file.take("graph") {
            Some(Value::Object(graph)) => graph,
            _ => Map::new(),
        };
        graph.insert(String::from("lanes"), Value::Array(done));
        self.file.put("graph", Value::Object(graph));
    }

    fn item(&mut self, item: Value, path: &str) -> Option<Value> {
        let mut old = match item {
            Value::String(agent) => Map::from_iter([(String::from("agent"), Value::String(agent))]),
            Value::Object(members) => members,
            _ => {
                self.file.add_unsupported(path, "write {id: …, agent: …}");
                return None;
            }
        };
        let agent = AGENT.into_iter().find_map(|word| old.shift_remove(word));
        let Some(Value::String(agent)) = agent else {
            self.file.add_unsupported(path, "write {id: …, agent: …}");
            return None;
        };
        let named = ["id", "name"].into_iter().find_map(|key| old.shift_remove(key));
        let id = self.free_id(named.as_ref().and_then(Value::as_str).unwrap_or(&agent));
        let mut new =
            Map::from_iter([(String::from("id"), json!(id)), (String::from("agent"), json!(agent))]);
        if let Some(condition) = CONDITION.into_iter().find_map(|key| old.shift_remove(key)) {
            new.insert(String::from("when"), self.when(condition, path)?);
        }
        if let Some(bindings) = GIVEN.into_iter().find_map(|key| old.shift_remove(key)) {
            new.insert(String::from("bindings"), self.bindings(&bindings, &id, path)?);
        }
        // Current keys, or unknown keys that are reported later.
        new.extend(old);
        self.ids.insert(id);
        Some(Value::Object(new))
    }

    fn free_id(&self, wanted: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
        let wanted: String = wanted.chars().map(plain).take(56).collect();
        let numbered = |n: usize| if n < 2 { wanted.clone() } else { format!("{wanted}_{n}") };
        (1..).map(numbered).find(|id| !self.ids.contains(id)).unwrap_or_default()
    }

    fn when(&mut self, condition: Value, path: &str) -> Option<Value> {
        match condition {
            Value::String(text) => {
                let text = text.trim();
                let bare = text.strip_prefix("${{").or_else(|| text.strip_prefix("{{"));
                let bare = bare.and_then(|text| text.strip_suffix("}}")).unwrap_or(text).trim();
                Some(json!({"expr": bare}))
            }
            Value::Object(members) => Some(Value::Object(members)),
            _ => {
                self.file.add_unsupported(path, "write when: {var: …, equals: …} or when: {expr: …}");
                None
            }
        }
    }

    /// Converts `with: {text: "{{ task }}", tone: polite}`: variables become bindings, constants become
    /// locals.
    fn bindings(&mut self, value: &Value, id: &str, path: &str) -> Option<Value> {
        let Value::Object(members) = value else {
            self.file.add_unsupported(
                path,
                "write bindings: [{from_agent_item_id: …, from_var: …, to_agent_item_id: …, to_var: …}]",
            );
            return None;
        };
        let mut bindings = Vec::new();
        for (to, value) in members {
            let (from, name) = match self.source(value, id, to) {
                Some(found) => found,
                None => {
                    let hint = format!(
                        "write a binding to {to}; what is put together from parts belongs in an agent of its own"
                    );
                    self.file.add_unsupported(path, hint);
                    return None;
                }
            };
            bindings.push(json!({
                "from_agent_item_id": from, "from_var": name, "to_agent_item_id": id, "to_var": to,
            }));
        }
        Some(Value::Array(bindings))
    }

    /// Returns the item and the variable that a value refers to.
    fn source(&mut self, value: &Value, id: &str, to: &str) -> Option<(String, String)> {
        let Some(text) = value.as_str() else { return Some(self.constant(value, id, to)) };
        let text = text.trim();
        let braced = text.strip_prefix("${{").or_else(|| text.strip_prefix("{{"));
        let name = match braced {
            Some(rest) => rest.strip_suffix("}}")?.trim(),
            None => match text.strip_prefix('$') {
                Some(name) => name,
                None if text.contains("{{") || text.contains("{%") => return None,
                None => return Some(self.constant(value, id, to)),
            },
        };
        let parts: Vec<&str> = name.split('.').collect();
        let plain = |part: &&str| {
            !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
        };
        if !parts.iter().all(plain) {
            return None;
        }
        let parts: Vec<&str> =
            parts.into_iter().filter(|part| !["steps", "output", "outputs"].contains(part)).collect();
        match parts.as_slice() {
            [name] | ["inputs" | "input" | "variables" | "ctx" | "context", name] => {
                Some((CONTEXT.to_owned(), (*name).to_owned()))
            }
            [item, name] if self.ids.contains(*item) => Some(((*item).to_owned(), (*name).to_owned())),
            _ => None,
        }
    }

    fn constant(&mut self, value: &Value, id: &str, to: &str) -> (String, String) {
        let name = format!("{id}_{to}").replace('-', "_");
        let locals = self.file.members.entry("locals").or_insert_with(|| json!([]));
        if let Value::Array(locals) = locals {
            locals.push(json!({"name": name, "value": value}));
        }
        (CONTEXT.to_owned(), name)
    }
}
