//! Changes between two bodies of which each carries a whole state. Tokens, times and counters that an application
//! stamps by itself are none.

pub mod value_tree;
pub mod opaque_tokens;
pub mod list_matching;
pub mod view_state;

#[cfg(test)]
mod tests;

use crate::page::request_body::body_value::{BodyValue, ValueKind};
use crate::page::request_body::changes::list_matching::{is_record, match_items};
use crate::page::request_body::changes::opaque_tokens::{is_bookkeeping, is_version_step};
use crate::page::request_body::changes::value_tree::{ValueChild, ValueTree, build_tree};
use crate::text::truncate::truncate_within;

/// End of the name of a change that is a new order of a list's items.
pub const ORDER: &str = " (order)";
/// Longest part of an item that names it in an order.
const LABEL: usize = 60;

/// Change of one value. A list whose items stand in another order is a change with the name of the list and
/// [`ORDER`]; its values are the names of the items.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueChange {
    pub name: String,
    /// `None` if the value is new.
    pub before: Option<String>,
    /// `None` if the value is gone.
    pub now: Option<String>,
}

/// Returns the changes from one body to the next. The values should come from
/// [`read_whole_body`](crate::page::request_body::read_whole_body), because a change after the end of a truncated
/// body would be missed.
///
/// A body that asks for a step ("add one more") is the same at each step: only requests that set a state may be
/// judged by their difference.
pub fn difference(before: &[BodyValue], now: &[BodyValue]) -> Vec<ValueChange> {
    let mut changes = Changes::default();
    changes.compare(&mut String::new(), &build_tree(before), &build_tree(now), false);
    changes.found
}

#[derive(Default)]
struct Changes {
    found: Vec<ValueChange>,
}

impl Changes {
    fn compare(&mut self, path: &mut String, before: &ValueTree, now: &ValueTree, is_stateful: bool) {
        if before.is_repeated != now.is_repeated && (before.value.is_some() || now.value.is_some()) {
            let (mut before, mut now) = (before.clone(), now.clone());
            before.lift_value();
            now.lift_value();
            self.compare_items(path, &before, &now);
            return;
        }
        self.compare_values(before, now, is_stateful);
        if before.children.is_empty() && now.children.is_empty() {
            return;
        }
        if before.is_list() && now.is_list() {
            self.compare_items(path, before, now);
        } else {
            self.compare_keys(path, before, now);
        }
    }

    fn compare_values(&mut self, before: &ValueTree, now: &ValueTree, is_stateful: bool) {
        // An empty list or object that gets children is no value that went.
        let own = |one: &ValueTree, other: &ValueTree| {
            one.value.clone().filter(|value| {
                value.kind != ValueKind::Null || other.children.is_empty() || value.value == "null"
            })
        };
        match (own(before, now), own(now, before)) {
            (Some(old), Some(new)) if describe(&old) == describe(&new) => {}
            (Some(old), Some(new)) => {
                let is_counted = is_version_step(&new.name, &old.value, &new.value, is_stateful);
                if !is_counted && !is_bookkeeping(&new.name, &old.value, &new.value) {
                    self.push(&new.name, Some(describe(&old)), Some(describe(&new)));
                }
            }
            (Some(old), None) if !is_bookkeeping(&old.name, &old.value, "") => {
                self.push(&old.name, Some(describe(&old)), None);
            }
            (None, Some(new)) if !is_bookkeeping(&new.name, "", &new.value) => {
                self.push(&new.name, None, Some(describe(&new)));
            }
            _ => {}
        }
    }

    fn compare_keys(&mut self, path: &mut String, before: &ValueTree, now: &ValueTree) {
        let nothing = ValueTree::default();
        let is_stateful = is_record(before) && is_record(now);
        let end = path.len();
        for child in &now.children {
            path.push_str(&child.written);
            match before.find_child(&child.key) {
                Some(old) => self.compare(path, old, &child.tree, is_stateful),
                None => self.push_all(&nothing, &child.tree),
            }
            path.truncate(end);
        }
        for child in before.children.iter().filter(|child| now.find_child(&child.key).is_none()) {
            self.push_all(&child.tree, &nothing);
        }
    }

    fn compare_items(&mut self, path: &mut String, before: &ValueTree, now: &ValueTree) {
        let nothing = ValueTree::default();
        let (old, new) = (before.items(), now.items());
        let matched = match_items(&old, &new);
        let end = path.len();
        for (from, to) in matched.pairs {
            path.push_str(&new[to].written);
            self.compare(path, &old[from].tree, &new[to].tree, false);
            path.truncate(end);
        }
        matched.removed.iter().for_each(|index| self.push_all(&old[*index].tree, &nothing));
        matched.added.iter().for_each(|index| self.push_all(&nothing, &new[*index].tree));
        if matched.is_reordered {
            let list = |items: &[&ValueChild]| {
                items.iter().map(|item| label_item(item)).collect::<Vec<_>>().join(", ")
            };
            self.push(&format!("{path}{ORDER}"), Some(list(&old)), Some(list(&new)));
        }
    }

    /// Pushes all values of a part that is new or gone.
    fn push_all(&mut self, before: &ValueTree, now: &ValueTree) {
        let is_new = before.value.is_none() && before.children.is_empty();
        let leaves = if is_new { now.leaves() } else { before.leaves() };
        let counts = |leaf: &&&BodyValue| !is_bookkeeping(&leaf.name, &leaf.value, &leaf.value);
        for leaf in leaves.iter().filter(counts) {
            let text = Some(describe(leaf));
            if is_new { self.push(&leaf.name, None, text) } else { self.push(&leaf.name, text, None) }
        }
    }

    fn push(&mut self, name: &str, before: Option<String>, now: Option<String>) {
        self.found.push(ValueChange { name: name.to_owned(), before, now });
    }
}

/// Returns the text of a value; of a file its type and size too, by which another file of the same name differs.
fn describe(value: &BodyValue) -> String {
    match &value.kind {
        ValueKind::File { file_name, content_type, size } => {
            let size = size.map_or_else(|| String::from("?"), |size| size.to_string());
            format!("{file_name} ({content_type}, {size})")
        }
        _ => value.value.clone(),
    }
}

/// Returns a short name of an item: its title or id, or its values.
fn label_item(item: &ValueChild) -> String {
    let named = ["title", "name", "label", "text", "id", "_id", "uid"]
        .iter()
        .find_map(|key| item.tree.child_text(key));
    let label = named.map_or_else(
        || item.tree.leaves().iter().map(|leaf| leaf.value.as_str()).collect::<Vec<_>>().join(" "),
        str::to_owned,
    );
    truncate_within(&label, LABEL)
}
