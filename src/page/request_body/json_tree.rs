//! JSON as a tree that keeps repeated keys, and its values as named paths.

use crate::page::request_body::body_value::ValueKind;
use crate::page::request_body::value_list::ValueList;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use std::fmt;

/// Deepest level whose values are named; deeper ones are shown as JSON.
const DEEPEST: usize = 64;

/// JSON value. An object keeps repeated keys: servers differ in which of them they take.
#[derive(Clone, Debug, PartialEq)]
pub enum JsonTree {
    Null,
    Flag(bool),
    Number(Number),
    Text(String),
    List(Vec<JsonTree>),
    Object(Vec<(String, JsonTree)>),
}

impl JsonTree {
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()
    }

    /// Parses a text that is an object or a list.
    pub fn parse_container(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('\u{feff}').trim();
        text.starts_with(['{', '[']).then(|| Self::parse(text)).flatten()
    }

    /// Parses one object or list a line; `None` unless every line is one.
    pub fn parse_lines(text: &str) -> Option<Vec<Self>> {
        let lines = text.split(['\n', '\u{1e}']).map(str::trim).filter(|line| !line.is_empty());
        let read: Option<Vec<Self>> = lines.map(Self::parse_container).collect();
        read.filter(|lines| !lines.is_empty())
    }

    /// Returns the last value of a key, as servers mostly do.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(entries) => {
                entries.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Writes the tree as JSON without spaces.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Flag(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Self::Number(number) => out.push_str(&number.to_string()),
            Self::Text(text) => out.push_str(&quote_json(text)),
            Self::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    out.push(if index == 0 { '[' } else { ',' });
                    item.write(out);
                }
                out.push_str(if items.is_empty() { "[]" } else { "]" });
            }
            Self::Object(entries) => {
                for (index, (key, value)) in entries.iter().enumerate() {
                    out.push(if index == 0 { '{' } else { ',' });
                    out.push_str(&quote_json(key));
                    out.push(':');
                    value.write(out);
                }
                out.push_str(if entries.is_empty() { "{}" } else { "}" });
            }
        }
    }
}

fn quote_json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Pushes the values of a tree under a path, which is empty for a whole body.
pub fn push_tree(list: &mut ValueList, path: &str, tree: &JsonTree) {
    push_level(list, &mut path.to_owned(), tree, 0);
}

fn push_level(list: &mut ValueList, path: &mut String, tree: &JsonTree, depth: usize) {
    match tree {
        JsonTree::Null => list.push(path, "null", ValueKind::Null),
        JsonTree::Flag(flag) => list.push(path, if *flag { "true" } else { "false" }, ValueKind::Flag),
        JsonTree::Number(number) => list.push(path, &number.to_string(), ValueKind::Number),
        JsonTree::Text(text) => list.push_text(path, text),
        // A body of no fields has no values.
        JsonTree::List(items) if items.is_empty() && path.is_empty() => {}
        JsonTree::Object(entries) if entries.is_empty() && path.is_empty() => {}
        JsonTree::List(items) if items.is_empty() => list.push(path, "[]", ValueKind::Null),
        JsonTree::Object(entries) if entries.is_empty() => list.push(path, "{}", ValueKind::Null),
        deep if depth >= DEEPEST => list.push_text(path, &deep.to_json()),
        JsonTree::List(items) => {
            let end = path.len();
            for (index, item) in items.iter().enumerate() {
                path.push_str(&format!("[{index}]"));
                push_level(list, path, item, depth + 1);
                path.truncate(end);
                if !list.has_room() && index + 1 < items.len() {
                    list.read.is_truncated = true;
                    return;
                }
            }
        }
        JsonTree::Object(entries) => {
            let end = path.len();
            for (key, value) in entries {
                push_key(path, key);
                push_level(list, path, value, depth + 1);
                path.truncate(end);
            }
        }
    }
}

/// Appends a key to a path. A key that could be taken for a path itself is quoted.
pub fn push_key(path: &mut String, key: &str) {
    if key.is_empty() || key.contains(['.', '[', ']', '"']) {
        path.push_str(&format!("[{}]", quote_json(key)));
    } else {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
    }
}

impl<'de> Deserialize<'de> for JsonTree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = JsonTree;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<JsonTree, E> {
        Ok(JsonTree::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<JsonTree, E> {
        Ok(JsonTree::Flag(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<JsonTree, E> {
        Ok(JsonTree::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<JsonTree, E> {
        Ok(JsonTree::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<JsonTree, E> {
        Ok(Number::from_f64(number).map_or(JsonTree::Null, JsonTree::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<JsonTree, E> {
        Ok(JsonTree::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<JsonTree, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(JsonTree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<JsonTree, A::Error> {
        let mut object = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            object.push(entry);
        }
        Ok(JsonTree::Object(object))
    }
}
