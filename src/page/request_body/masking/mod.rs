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

/// Replaces secrets by `••••`: values with the name of a secret, and parts of values that look like one.
pub fn mask_secrets(values: &mut [BodyValue]) {
    for value in values {
        let is_said = matches!(value.kind, ValueKind::Text | ValueKind::Number);
        if !is_said || value.value.is_empty() {
            continue;
        }
        if is_secret_name(&value.name) {
            MASK.clone_into(&mut value.value);
        } else if let Some(tree) = JsonTree::parse_container(&value.value).and_then(|tree| mask_tree(&tree)) {
            value.value = tree.to_json();
        } else if let Some(masked) = mask_patterns(&value.value) {
            value.value = masked;
        }
    }
}

/// Returns JSON with its secrets masked; `None` if it has none.
fn mask_tree(tree: &JsonTree) -> Option<JsonTree> {
    let masked = mask_node("", tree);
    (masked != *tree).then_some(masked)
}

fn mask_node(key: &str, tree: &JsonTree) -> JsonTree {
    match tree {
        JsonTree::List(items) => JsonTree::List(items.iter().map(|item| mask_node(key, item)).collect()),
        JsonTree::Object(entries) => JsonTree::Object(
            entries
                .iter()
                .map(|(inner, value)| (inner.clone(), mask_node(&format!("{key}.{inner}"), value)))
                .collect(),
        ),
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
