//! Splices changed values into an existing YAML text, entry by entry and element by element. This works for
//! block style; values in braces are replaced as a whole.

use crate::agent_spec::parse::yaml;
use crate::agent_spec::parse::yaml::{NodeKind, Tree, YamlKey, YamlNode};
use serde_json::{Map, Value, json};

/// Keys that identify an element of a list when its other members have changed.
const IDENTITY: [&str; 2] = ["id", "name"];

pub struct Splice<'t> {
    text: &'t str,
    tree: &'t Tree,
    /// Start positions of lost comments.
    lost: Vec<usize>,
}

/// The text of an entry from its key, or of an element from its dash, and the text above it and before it on
/// its line.
struct Piece {
    above: String,
    text: String,
}

impl<'t> Splice<'t> {
    pub fn new(text: &'t str, tree: &'t Tree) -> Self {
        Self { text, tree, lost: Vec::new() }
    }

    /// Returns the new text and the positions of lost comments; `None` if the text cannot be spliced.
    pub fn document(
        mut self,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
    ) -> Option<(String, Vec<usize>)> {
        let NodeKind::Map { entries, block: true } = &self.tree.root.kind else { return None };
        // Text above the first key belongs to the file, not to the key.
        let (begin, end) = (entries.first()?.0.start, self.content_end());
        let text = self.map(entries, begin, end, old, new)?;
        Some((format!("{}{text}{}", self.part(0, begin), self.part(end, self.text.len())), self.lost))
    }

    /// Returns the end of the last entry. Trailing comments at the margin belong to the file.
    fn content_end(&self) -> usize {
        let mut end = self.text.len();
        for comment in self.tree.comments.iter().rev() {
            let line = self.line_start(comment.span.start);
            let alone = line == comment.span.start;
            if !alone || !self.part(comment.span.end, end).trim().is_empty() {
                break;
            }
            end = line;
        }
        end
    }

    /// Rewrites the entries of a map that occupy the text from `begin` to `end`.
    fn map(
        &mut self,
        entries: &[(YamlKey, YamlNode)],
        begin: usize,
        end: usize,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
    ) -> Option<String> {
        let indent = self.column(entries.first()?.0.start);
        let mut pieces: Vec<(&str, Piece)> = Vec::new();
        for (index, (key, value)) in entries.iter().enumerate() {
            let start = if index == 0 { begin } else { self.start_of_comments(key.start, indent) };
            let stop =
                entries.get(index + 1).map_or(end, |(next, _)| self.start_of_comments(next.start, indent));
            let name = key.name.as_str();
            let text = match (old.get(name), new.get(name)) {
                (before, after) if before == after => self.part(key.start, stop).to_owned(),
                (before, Some(after)) => self.entry(key, value, stop, before, after)?,
                // Without its first key, a list element would lose its dash.
                (_, None) if !self.is_first_of_line(begin) => return None,
                (_, None) => {
                    self.record_lost(start, stop);
                    continue;
                }
            };
            pieces.push((name, Piece { above: self.part(start, key.start).to_owned(), text }));
        }
        for (name, value) in new {
            let known = pieces.iter().any(|(known, _)| known == name);
            // A value that the old text omitted is a default and stays omitted.
            if known || old.get(name) == Some(value) {
                continue;
            }
            let before = new.keys().take_while(|key| *key != name);
            let after = before.filter_map(|key| pieces.iter().position(|(known, _)| known == key)).max();
            let piece = Piece { above: " ".repeat(indent), text: render_entry(name, value, indent)? };
            pieces.insert(after.map_or(pieces.len(), |at| at + 1), (name, piece));
        }
        // An empty map is written in braces.
        (!pieces.is_empty()).then(|| join_pieces(pieces.into_iter().map(|(_, piece)| piece)))
    }

    /// Rewrites one entry, from its key on.
    fn entry(
        &mut self,
        key: &YamlKey,
        value: &YamlNode,
        stop: usize,
        old: Option<&Value>,
        new: &Value,
    ) -> Option<String> {
        let lost = self.lost.len();
        if let Some(text) = old.and_then(|old| self.value(key, value, stop, old, new)) {
            return Some(text);
        }
        self.lost.truncate(lost);
        self.record_lost(key.start, stop);
        let text = render_entry(&key.name, new, self.column(key.start))?;
        let whole = self.part(key.start, stop);
        let blank = whole[whole.trim_end().len()..].matches('\n').count().saturating_sub(1);
        // After `|+`, blank lines would become part of the text.
        let below = if text.contains("|+") { 0 } else { blank };
        Some(text + &"\n".repeat(below))
    }

    /// Rewrites only the changed parts of an entry's value; `None` if the value must be replaced as a whole.
    fn value(
        &mut self,
        key: &YamlKey,
        value: &YamlNode,
        stop: usize,
        old: &Value,
        new: &Value,
    ) -> Option<String> {
        match (&value.kind, old, new) {
            (NodeKind::Map { entries, block: true }, Value::Object(old), Value::Object(new)) => {
                let first = entries.first()?.0.start;
                let begin = self.start_of_comments(first, self.column(first));
                let text = self.map(entries, begin, stop, old, new)?;
                Some(format!("{}{text}", self.part(key.start, begin)))
            }
            (NodeKind::List(nodes), Value::Array(old), Value::Array(new)) => {
                let first = self.dash(nodes.first()?)?;
                let begin = self.start_of_comments(first, self.column(first));
                let text = self.list(nodes, stop, old, new)?;
                Some(format!("{}{text}", self.part(key.start, begin)))
            }
            (NodeKind::Scalar { .. }, ..) => {
                let one = self.text.get(value.start..value.end)?;
                let entry = render_entry(&key.name, new, 0)?;
                let word = entry.strip_prefix(&format!("{}: ", key.name))?.strip_suffix('\n')?;
                let short = !one.is_empty() && !one.contains('\n') && !word.contains('\n');
                let around = (self.part(key.start, value.start), self.part(value.end, stop));
                short.then(|| format!("{}{word}{}", around.0, around.1))
            }
            _ => None,
        }
    }

    /// Rewrites the elements of a list in their new order.
    fn list(&mut self, nodes: &[YamlNode], end: usize, old: &[Value], new: &[Value]) -> Option<String> {
        if new.is_empty() || nodes.len() != old.len() {
            return None;
        }
        let dashes: Vec<usize> = nodes.iter().map(|node| self.dash(node)).collect::<Option<_>>()?;
        let indent = self.column(*dashes.first()?);
        let starts: Vec<usize> = dashes.iter().map(|dash| self.start_of_comments(*dash, indent)).collect();
        let stop = |index: usize| starts.get(index + 1).copied().unwrap_or(end);
        let found = match_elements(old, new);
        let mut pieces = Vec::new();
        for (value, from) in new.iter().zip(&found) {
            pieces.push(match *from {
                None => Piece { above: " ".repeat(indent), text: rendered_element(value, indent)? },
                Some(at) => Piece {
                    above: self.part(starts[at], dashes[at]).to_owned(),
                    text: self.element(&nodes[at], dashes[at], stop(at), &old[at], value)?,
                },
            });
        }
        for index in (0..nodes.len()).filter(|index| !found.contains(&Some(*index))) {
            self.record_lost(starts[index], stop(index));
        }
        Some(join_pieces(pieces.into_iter()))
    }

    /// Rewrites one element, from its dash on.
    fn element(
        &mut self,
        node: &YamlNode,
        dash: usize,
        stop: usize,
        old: &Value,
        new: &Value,
    ) -> Option<String> {
        if old == new {
            return Some(self.part(dash, stop).to_owned());
        }
        let lost = self.lost.len();
        if let (NodeKind::Map { entries, block: true }, Value::Object(old), Value::Object(new)) =
            (&node.kind, old, new)
            && let Some((first, _)) = entries.first()
            && let Some(text) = self.map(entries, first.start, stop, old, new)
        {
            return Some(format!("{}{text}", self.part(dash, first.start)));
        }
        self.lost.truncate(lost);
        self.record_lost(dash, stop);
        rendered_element(new, self.column(dash))
    }

    fn record_lost(&mut self, start: usize, stop: usize) {
        let begins = self.tree.comments.iter().map(|comment| comment.span.start);
        self.lost.extend(begins.filter(|at| (start..stop).contains(at)));
    }

    /// Returns a part of the text; empty if the positions are invalid, as after a block scalar that ends
    /// beyond its lines.
    fn part(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    fn line_start(&self, at: usize) -> usize {
        self.part(0, at).rfind('\n').map_or(0, |end| end + 1)
    }

    fn column(&self, at: usize) -> usize {
        at.saturating_sub(self.line_start(at))
    }

    fn is_first_of_line(&self, at: usize) -> bool {
        self.part(self.line_start(at), at).trim().is_empty()
    }

    /// Returns the dash of an element, if nothing else precedes it on its line.
    fn dash(&self, node: &YamlNode) -> Option<usize> {
        let before = self.part(0, node.start).trim_end();
        let dash = before.len().checked_sub(1).filter(|_| before.ends_with('-'))?;
        self.is_first_of_line(dash).then_some(dash)
    }

    /// Returns the start of the comments above a part with the same indentation. Blank lines above the first
    /// of them may belong to a block scalar.
    fn start_of_comments(&self, at: usize, indent: usize) -> usize {
        let mut start = self.line_start(at);
        let mut next = start;
        while next > 0 {
            let line = self.line_start(next - 1);
            let words = self.part(line, next);
            let depth = words.len() - words.trim_start().len();
            let comment = self.tree.comments.iter().any(|comment| comment.span.start == line + depth);
            if comment && depth == indent {
                start = line;
            } else if !words.trim().is_empty() {
                break;
            }
            next = line;
        }
        start
    }
}

/// Matches each new element with an old one: an equal one, one with the same id or name, or the one at the
/// same index.
fn match_elements(old: &[Value], new: &[Value]) -> Vec<Option<usize>> {
    let mut found: Vec<Option<usize>> = vec![None; new.len()];
    let named = |one: &Value, other: &Value| {
        IDENTITY.iter().any(|key| one.get(key).is_some_and(|name| Some(name) == other.get(key)))
    };
    let nameless = |one: &Value| IDENTITY.iter().all(|key| one.get(key).is_none());
    for round in 0..3 {
        for (index, value) in new.iter().enumerate().filter(|(_, value)| !value.is_null()) {
            let fits = |at: &usize| match round {
                0 => old[*at] == *value,
                1 => named(&old[*at], value),
                _ => *at == index && nameless(value) && nameless(&old[*at]),
            };
            if found[index].is_none() {
                found[index] = (0..old.len()).filter(|at| !found.contains(&Some(*at))).find(fits);
            }
        }
    }
    found
}

/// Renders an entry for this indentation; its first line is not indented.
fn render_entry(name: &str, value: &Value, indent: usize) -> Option<String> {
    Some(indent_lines(&yaml::text(&json!({name: value})).ok()?, indent))
}

fn rendered_element(value: &Value, indent: usize) -> Option<String> {
    Some(indent_lines(&yaml::text(&json!([value])).ok()?, indent))
}

fn indent_lines(text: &str, indent: usize) -> String {
    let blank = " ".repeat(indent);
    let lines = text.lines().enumerate();
    let lines =
        lines.map(
            |(at, line)| if at == 0 || line.is_empty() { line.to_owned() } else { format!("{blank}{line}") },
        );
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Joins the pieces, each on a line of its own.
fn join_pieces(pieces: impl Iterator<Item = Piece>) -> String {
    let mut text = String::new();
    for piece in pieces {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&piece.above);
        text.push_str(&piece.text);
    }
    text
}
