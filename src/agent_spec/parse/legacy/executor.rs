//! Converts `executor` as a word or a map, and executor settings at the top level (S0.6).

use crate::agent_spec::parse::legacy::file::LegacyFile;
use serde_json::{Map, Value};

/// Executors with their required key and further keys.
const EXECUTORS: [(&str, &str, &[&str]); 4] = [
    ("llm", "prompt", &["system", "parse_json", "model", "temperature", "uses"]),
    ("python", "code", &["timeout_s"]),
    ("shell", "command", &["args", "cwd", "timeout_s", "allow_failure", "env"]),
    ("browser", "goal", &["start_url", "allowed_hosts", "uses"]),
];

/// Older keys and their current names.
const RENAMED: [(&str, &str); 6] = [
    ("timeout", "timeout_s"),
    ("prompt_template", "prompt"),
    ("template", "prompt"),
    ("system_prompt", "system"),
    ("cmd", "command"),
    ("url", "start_url"),
];

pub fn is_executor(word: &str) -> bool {
    EXECUTORS.iter().any(|(name, ..)| *name == word)
}

pub fn convert(file: &mut LegacyFile) {
    match file.take("executor") {
        Some(Value::String(word)) => convert_named(file, &word),
        Some(Value::Object(members)) => convert_described(file, members),
        Some(_) => file.add_unsupported("executor", "write the section: llm, python, shell or browser"),
        None => convert_unnamed(file),
    }
    if file.old && !file.has("kind") {
        let kind = if file.has("graph") { "composite" } else { "atomic" };
        file.put("kind", Value::from(kind));
    }
}

/// Converts `executor: llm`, whose settings are in a section or at the top level.
fn convert_named(file: &mut LegacyFile, word: &str) {
    let Some((name, key, more)) = EXECUTORS.into_iter().find(|(name, ..)| *name == word) else {
        return file.add_unsupported("executor", "write the section: llm, python, shell or browser");
    };
    if file.members.get("kind").and_then(Value::as_str) == Some("composite") || file.has("graph") {
        return file.add_unsupported("executor", "leave it out: a composite agent has lanes and no executor");
    }
    if file.has(name) {
        return;
    }
    if let Some((other, ..)) = EXECUTORS.into_iter().find(|(other, ..)| file.has(other)) {
        let hint =
            format!("the file has the section {other}; leave executor out, or write the section {name}");
        return file.add_unsupported("executor", hint);
    }
    let section = gather_section(file, key, more);
    if section.contains_key(key) || name == "browser" {
        file.put(name, Value::Object(section));
    } else {
        file.add_unsupported("executor", format!("write the section {name}: {{{key}: …}}"));
    }
}

/// Converts `executor: {type: llm, prompt: …}`.
fn convert_described(file: &mut LegacyFile, mut members: Map<String, Value>) {
    let word = ["type", "kind", "name"].into_iter().find_map(|key| members.shift_remove(key));
    let word = word.as_ref().and_then(Value::as_str).unwrap_or_default();
    if !is_executor(word) || file.has(word) {
        return file.add_unsupported("executor", "write the section: llm, python, shell or browser");
    }
    let section = members.into_iter().map(|(key, value)| (current_key(&key).to_owned(), value)).collect();
    file.put(word, Value::Object(convert_templates(file, section)));
}

/// Moves settings at the top level into the section that their keys identify.
fn convert_unnamed(file: &mut LegacyFile) {
    let meant: Vec<_> = EXECUTORS.into_iter().filter(|(_, key, _)| file.has(key)).collect();
    let sections = EXECUTORS.into_iter().any(|(name, ..)| file.has(name));
    match meant.as_slice() {
        [] => {}
        [(name, key, more)] if !sections && !file.has("graph") => {
            let section = gather_section(file, key, more);
            file.put(name, Value::Object(section));
        }
        [(name, key, _), ..] => {
            let hint = format!("write it in the section {name}: {{{key}: …}}");
            file.add_unsupported(*key, hint);
        }
    }
}

fn gather_section(file: &mut LegacyFile, key: &str, more: &[&str]) -> Map<String, Value> {
    let mut section = Map::new();
    let names: Vec<&str> = std::iter::once(key).chain(more.iter().copied()).collect();
    for name in names {
        let older = RENAMED.into_iter().filter(|(_, today)| *today == name).map(|(older, _)| older);
        let value = std::iter::once(name).chain(older).find_map(|key| file.take(key));
        section.extend(value.map(|value| (name.to_owned(), value)));
    }
    convert_templates(file, section)
}

fn current_key(key: &str) -> &str {
    RENAMED.into_iter().find(|(older, _)| *older == key).map_or(key, |(_, today)| today)
}

/// Converts templates in single braces, `{task}`, if `task` is an input.
fn convert_templates(file: &LegacyFile, mut section: Map<String, Value>) -> Map<String, Value> {
    let inputs = file.members.get("inputs").and_then(Value::as_array);
    let names: Vec<String> = inputs
        .into_iter()
        .flatten()
        .filter_map(|input| Some(input.get("name")?.as_str()?.to_owned()))
        .collect();
    for key in ["prompt", "system", "goal"] {
        let Some(Value::String(text)) = section.get_mut(key) else { continue };
        if !text.contains("{{") && !text.contains("{%") {
            for name in &names {
                *text = text.replace(&format!("{{{name}}}"), &format!("{{{{ {name} }}}}"));
            }
        }
    }
    section
}
