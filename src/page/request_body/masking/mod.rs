//! Masking of secrets in values, before a person or a log sees them.

pub mod secret_names;
pub mod secret_patterns;

#[cfg(test)]
mod tests;

use crate::page::request_body::body_value::{BodyValue, ValueKind};
use crate::page::request_body::json_tree::JsonTree;
use crate::page::request_body::masking::secret_names::is_secret_name;
use crate::page::request_body::masking::secret_patterns::mask_patterns;
use crate::turn::typed_secret::MASK;
use std::collections::HashSet;

/// Keys of the name in pairs such as `{"name": "password", "value": "x"}`.
const NAME_KEYS: &[&str] = &["name", "key", "field", "path", "property", "attribute", "label", "id"];
/// Keys of the value in such pairs.
const VALUE_KEYS: &[&str] = &["value", "values", "val", "newValue", "new_value", "text", "data"];

/// Replaces secrets by `••••`: values with the name of a secret, and parts of values that look like one.
pub fn mask_secrets(values: &mut [BodyValue]) {
    let paired: HashSet<String> = values
        .iter()
        .filter(|value| is_short_secret_name(&value.value))
        .filter_map(|value| Some(split_pair(&value.name, NAME_KEYS)?.to_owned()))
        .collect();
    for value in values {
        let is_said = matches!(value.kind, ValueKind::Text | ValueKind::Number);
        if !is_said || value.value.is_empty() {
            continue;
        }
        let is_paired = split_pair(&value.name, VALUE_KEYS).is_some_and(|pair| paired.contains(pair));
        if is_paired || is_secret_name(&value.name) {
            MASK.clone_into(&mut value.value);
        } else if let Some(tree) = JsonTree::parse_container(&value.value) {
            if let Some(masked) = mask_tree(&tree) {
                value.value = masked.to_json();
            }
        } else {
            mask_text(&mut value.value);
        }
    }
}

/// Reports whether a value is the name of a secret. A long text is no name.
fn is_short_secret_name(value: &str) -> bool {
    const LONGEST: usize = 100;
    value.len() <= LONGEST && is_secret_name(value)
}

/// Returns the path of the object that a value belongs to, if its own key is one of these.
fn split_pair<'a>(name: &'a str, keys: &[&str]) -> Option<&'a str> {
    let name = name.strip_suffix(']').unwrap_or(name);
    keys.iter().find_map(|key| {
        let path = name.strip_suffix(key)?;
        if path.is_empty() { Some(path) } else { path.strip_suffix(['.', '[']) }
    })
}

fn mask_text(text: &mut String) {
    if text.trim_start().starts_with(['{', '[']) {
        *text = mask_broken_json(text);
    }
    if let Some(masked) = mask_patterns(text) {
        *text = masked;
    }
}

/// Masks what follows the names of secrets in JSON that cannot be parsed, because it is cut or because only its
/// server understands it.
fn mask_broken_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(colon) = rest.find(':') {
        let key = rest[..colon].trim_end().trim_end_matches(['"', '\'', '\\']);
        let key = key.rsplit(['"', '\'', '{', ',', ' ', '\n', '[']).next().unwrap_or_default();
        out.push_str(&rest[..=colon]);
        rest = &rest[colon + 1..];
        if !key.is_empty() && is_secret_name(key) {
            let value = rest.trim_start();
            let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''));
            let end = match quote {
                Some(quote) => value[1..].find(quote).map_or(value.len(), |end| end + 2),
                None => value.find([',', '}', ']', '\n']).unwrap_or(value.len()),
            };
            out.push_str(MASK);
            rest = &value[end..];
        }
    }
    out.push_str(rest);
    out
}

/// Returns JSON with its secrets masked; `None` if it has none.
fn mask_tree(tree: &JsonTree) -> Option<JsonTree> {
    let masked = mask_node("", tree);
    (masked != *tree).then_some(masked)
}

fn mask_node(key: &str, tree: &JsonTree) -> JsonTree {
    match tree {
        JsonTree::List(items) => JsonTree::List(items.iter().map(|item| mask_node(key, item)).collect()),
        JsonTree::Object(entries) => {
            let is_name = |(key, value): &(String, JsonTree)| {
                NAME_KEYS.contains(&key.as_str()) && value.as_text().is_some_and(is_short_secret_name)
            };
            let is_paired = entries.iter().any(is_name);
            let mask_entry = |(inner, value): &(String, JsonTree)| {
                let is_value = is_paired && VALUE_KEYS.contains(&inner.as_str());
                let key = if is_value { String::from("secret") } else { format!("{key}.{inner}") };
                (inner.clone(), mask_node(&key, value))
            };
            JsonTree::Object(entries.iter().map(mask_entry).collect())
        }
        JsonTree::Text(text) if text.is_empty() => tree.clone(),
        JsonTree::Text(_) | JsonTree::Number(_) if is_secret_name(key) => JsonTree::Text(MASK.to_owned()),
        JsonTree::Text(text) => JsonTree::Text(mask_patterns(text).unwrap_or_else(|| text.clone())),
        JsonTree::Number(number) => match mask_patterns(&number.to_string()) {
            Some(masked) => JsonTree::Text(masked),
            None => tree.clone(),
        },
        JsonTree::Null | JsonTree::Flag(_) => tree.clone(),
    }
}
