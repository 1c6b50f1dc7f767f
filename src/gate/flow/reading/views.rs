//! Views of a value: as it is written, and as it reads once simple encodings are undone.

use crate::gate::flow::reading::decoders;
use std::collections::HashSet;
use std::collections::VecDeque;

/// Most views of one value, and most bytes of all.
const MOST_VIEWS: usize = 48;
const MOST_BYTES: usize = 256 * 1024;
/// Encodings inside each other.
pub const DEEPEST: usize = 3;
/// Longest text that is also read backwards and rotated.
const LONGEST_TURNED: usize = 16 * 1024;

/// A text that a value may carry.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    pub text: String,
    pub kind: ViewKind,
    depth: usize,
}

impl View {
    /// Makes the view of a value as it is written.
    pub fn from_written(value: &str) -> Self {
        Self { text: value.to_owned(), kind: ViewKind::Written, depth: 0 }
    }
}

/// Relation of a view to the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewKind {
    Written,
    Decoded,
    /// Read backwards or rotated. Short parts match by chance.
    Turned,
}

/// Returns the views of a value, the written one first.
pub fn find_views(value: &str) -> Vec<View> {
    let mut found: Vec<View> = Vec::new();
    let mut seen = HashSet::new();
    let mut bytes = 0;
    let mut waiting = VecDeque::from([View::from_written(value)]);
    while let Some(view) = waiting.pop_front() {
        let is_new = seen.insert(view.text.clone());
        if !is_new || found.len() >= MOST_VIEWS || (bytes + view.text.len() > MOST_BYTES && !found.is_empty())
        {
            continue;
        }
        bytes += view.text.len();
        if view.depth < DEEPEST {
            waiting.extend(decode_view(&view));
        }
        found.push(view);
    }
    found
}

/// Returns the views that are one step from this one.
fn decode_view(view: &View) -> Vec<View> {
    let text = view.text.as_str();
    let depth = view.depth + 1;
    let mut decoded: Vec<String> = Vec::new();
    decoded.extend(decoders::decode_percent(text));
    decoded.extend(decoders::decode_escapes(text));
    decoded.extend(decoders::decode_runs(text));
    decoded.extend(decoders::decode_numbers(text));
    let tight: String =
        text.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=')).collect();
    if tight.len() != text.len() && tight.len() >= 12 {
        decoded.extend(decoders::decode_runs(&tight));
    }
    let kind = if view.kind == ViewKind::Turned { ViewKind::Turned } else { ViewKind::Decoded };
    let mut views: Vec<View> = decoded.into_iter().map(|text| View { text, kind, depth }).collect();
    if view.kind != ViewKind::Turned && text.len() <= LONGEST_TURNED {
        for text in [text.chars().rev().collect(), decoders::rotate_letters(text)] {
            views.push(View { text, kind: ViewKind::Turned, depth });
        }
    }
    views
}
