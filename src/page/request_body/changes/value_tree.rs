//! Values of a body as the tree that their names describe.

use crate::page::request_body::body_value::{BodyValue, ValueKind};
use crate::page::request_body::json_tree::{JsonTree, push_tree};
use crate::page::request_body::value_list::{ReadLimits, ValueList};
use std::collections::HashMap;

/// Deepest level; what lies deeper is one key.
const DEEPEST: usize = 80;
/// Limits of JSON inside of a text value.
const INSIDE: ReadLimits = ReadLimits { values: 50_000, value: 4_000_000 };

/// Key of a child.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TreeKey {
    Index(usize),
    Name(String),
}

/// Node of a tree: a value, children, or both where a form has `a` beside `a[b]`.
#[derive(Clone, Debug, Default)]
pub struct ValueTree {
    /// Value with its whole name.
    pub value: Option<BodyValue>,
    /// Children in the order of their first values.
    pub children: Vec<ValueChild>,
    places: HashMap<TreeKey, usize>,
    /// True for the values of a repeated name.
    pub is_repeated: bool,
}

#[derive(Clone, Debug)]
pub struct ValueChild {
    pub key: TreeKey,
    /// Part of the name that leads here, with its separators.
    pub written: String,
    pub tree: ValueTree,
}

/// Builds the tree of a body. JSON in text values becomes a part of it.
pub fn build_tree(values: &[BodyValue]) -> ValueTree {
    let mut root = ValueTree::default();
    for value in values {
        let inside =
            if value.kind == ValueKind::Text { JsonTree::parse_container(&value.value) } else { None };
        match inside {
            Some(tree) => {
                let mut list = ValueList::new(INSIDE);
                push_tree(&mut list, &value.name, &tree);
                list.read.values.into_iter().for_each(|inner| root.insert(inner));
            }
            None => root.insert(value.clone()),
        }
    }
    root
}

impl ValueTree {
    fn insert(&mut self, value: BodyValue) {
        let mut node = self;
        for (key, written) in parse_path(&value.name) {
            node = node.open_child(key, written);
        }
        if node.is_repeated || node.value.is_some() {
            node.add_repeated(value);
        } else {
            node.value = Some(value);
        }
    }

    fn open_child(&mut self, key: TreeKey, written: String) -> &mut Self {
        let next = self.children.len();
        let place = *self.places.entry(key.clone()).or_insert(next);
        if place == next {
            self.children.push(ValueChild { key, written, tree: Self::default() });
        }
        &mut self.children[place].tree
    }

    fn add_repeated(&mut self, value: BodyValue) {
        self.lift_value();
        let mut index = self.children.len();
        while self.places.contains_key(&TreeKey::Index(index)) {
            index += 1;
        }
        self.open_child(TreeKey::Index(index), String::new()).value = Some(value);
    }

    /// Makes a single value the first of a repeated name.
    pub fn lift_value(&mut self) {
        if let Some(value) = self.value.take() {
            self.open_child(TreeKey::Index(self.children.len()), String::new()).value = Some(value);
        }
        self.is_repeated = true;
    }

    pub fn find_child(&self, key: &TreeKey) -> Option<&Self> {
        self.places.get(key).map(|place| &self.children[*place].tree)
    }

    /// Reports whether the children are the items of a list: numbered from 0 without gaps, or repeated. An empty
    /// list is one, too.
    pub fn is_list(&self) -> bool {
        let has = |index: usize| self.places.contains_key(&TreeKey::Index(index));
        let is_empty = self.value.as_ref().is_none_or(|value| value.kind == ValueKind::Null);
        if self.children.is_empty() { is_empty } else { (0..self.children.len()).all(has) }
    }

    /// Returns the items of a list in order.
    pub fn items(&self) -> Vec<&ValueChild> {
        let mut items: Vec<&ValueChild> = self.children.iter().collect();
        items.sort_by(|one, other| one.key.cmp(&other.key));
        items
    }

    /// Returns the text of a child that is a single value.
    pub fn child_text(&self, key: &str) -> Option<&str> {
        let child =
            self.children.iter().find(|child| matches!(&child.key, TreeKey::Name(name) if name == key))?;
        child.tree.value.as_ref().map(|value| value.value.as_str())
    }

    /// Returns all values in order.
    pub fn leaves(&self) -> Vec<&BodyValue> {
        let mut found = Vec::new();
        self.collect_leaves(&mut found);
        found
    }

    fn collect_leaves<'a>(&'a self, found: &mut Vec<&'a BodyValue>) {
        found.extend(&self.value);
        self.children.iter().for_each(|child| child.tree.collect_leaves(found));
    }
}

/// Splits a name into keys, each with its written form: `a.b[0]["c.d"]`, `user[name]`, `ids[]`.
pub fn parse_path(name: &str) -> Vec<(TreeKey, String)> {
    let mut path = Vec::new();
    let mut rest = name;
    while !rest.is_empty() && path.len() < DEEPEST {
        let end = find_key_end(rest);
        let (written, after) = rest.split_at(end);
        path.push((read_key(written), written.to_owned()));
        rest = after;
    }
    if !rest.is_empty() || path.is_empty() {
        path.push((TreeKey::Name(rest.to_owned()), rest.to_owned()));
    }
    path
}

/// Returns the end of the first key. Empty brackets belong to the key before them.
fn find_key_end(text: &str) -> usize {
    if let Some(inside) = text.strip_prefix("[\"") {
        let mut is_escaped = false;
        for (at, letter) in inside.char_indices() {
            if letter == '"' && !is_escaped {
                return if inside[at + 1..].starts_with(']') { at + 4 } else { at + 3 };
            }
            is_escaped = letter == '\\' && !is_escaped;
        }
        return text.len();
    }
    if text.starts_with('[') {
        return text.find(']').map_or(text.len(), |end| end + 1);
    }
    let first = text.chars().next().map_or(0, char::len_utf8);
    let mut end = text[first..].find(['.', '[']).map_or(text.len(), |end| first + end);
    while text[end..].starts_with("[]") {
        end += 2;
    }
    end
}

fn read_key(written: &str) -> TreeKey {
    if let Some(inside) = written.strip_prefix('[') {
        let inside = inside.strip_suffix(']').unwrap_or(inside);
        let is_short_number =
            inside.len() <= 6 && !inside.is_empty() && inside.bytes().all(|byte| byte.is_ascii_digit());
        if let Some(index) = inside.parse().ok().filter(|_| is_short_number) {
            return TreeKey::Index(index);
        }
        let quoted = serde_json::from_str::<String>(inside).ok();
        return TreeKey::Name(quoted.unwrap_or_else(|| inside.to_owned()));
    }
    TreeKey::Name(written.strip_prefix('.').unwrap_or(written).to_owned())
}
