//! A YAML text as a tree with positions, used only to locate faults and preserve comments. Serde reads the
//! values.

use crate::agent_spec::parse::fault::SpecFault;
use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StructureStyle};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ops::Range;

/// Largest size of an agent file, in bytes.
pub const FILE_BYTES: u64 = 512 * 1024;

/// Deserializes a text. `yes` and `no` are strings, as in YAML 1.2.
pub fn value<T: DeserializeOwned>(text: &str) -> Result<T, serde_saphyr::Error> {
    let options = serde_saphyr::options! { strict_booleans: true, emit_comments: false };
    serde_saphyr::from_str_with_options(text, options)
}

/// Parses a JSON or YAML text as a map; `None` if it is not one.
pub fn map(text: &str) -> Option<serde_json::Map<String, serde_json::Value>> {
    value(text).ok()
}

/// Serializes a value, with lists indented below their keys like the shipped agents.
pub fn text<T: Serialize>(value: &T) -> Result<String, serde_saphyr::SerializeError> {
    serde_saphyr::to_string_with_options(value, serde_saphyr::ser_options! { compact_list_indent: false })
}

/// The first document of a text.
#[derive(Clone, Debug)]
pub struct Tree {
    pub root: YamlNode,
    pub comments: Vec<Comment>,
}

#[derive(Clone, Debug)]
pub struct Comment {
    pub span: Range<usize>,
}

#[derive(Clone, Debug)]
pub struct YamlNode {
    pub line: u64,
    /// Start, as a byte offset.
    pub start: usize,
    /// End of a scalar, as a byte offset.
    pub end: usize,
    pub kind: NodeKind,
}

#[derive(Clone, Debug)]
pub enum NodeKind {
    Scalar {
        text: String,
        style: ScalarStyle,
    },
    List(Vec<YamlNode>),
    Map {
        entries: Vec<(YamlKey, YamlNode)>,
        /// True in block style, false in braces.
        block: bool,
    },
    /// `*name`. Faults of the value are reported at its anchor.
    Alias,
}

#[derive(Clone, Debug)]
pub struct YamlKey {
    pub name: String,
    pub line: u64,
    pub start: usize,
}

/// A list or map that is not closed yet.
struct OpenNode {
    line: u64,
    start: usize,
    nodes: Vec<YamlNode>,
    /// For a map, whose keys and values alternate in `nodes`: true in block style.
    map: Option<bool>,
}

impl Tree {
    pub fn parse(text: &str) -> Result<Self, SpecFault> {
        let options = granit_parser::options! { max_buffered_comment_events: 10_000 };
        let mut comments = Vec::new();
        let mut open: Vec<OpenNode> = Vec::new();
        let mut root = None;
        for next in Parser::new_from_str_with_options(text, options) {
            let (event, span) = next.map_err(|error| unreadable(text, &error))?;
            let done = match event {
                Event::Comment(..) => {
                    comments.extend(span.byte_range().map(|span| Comment { span }));
                    None
                }
                Event::Scalar(text, style, ..) => {
                    Some(node(&span, NodeKind::Scalar { text: text.into_owned(), style }))
                }
                Event::Alias(_) | Event::UnresolvedAlias(_) => Some(node(&span, NodeKind::Alias)),
                Event::SequenceStart(..) => {
                    open.push(OpenNode::begin(&span, None));
                    None
                }
                Event::MappingStart(style, ..) => {
                    open.push(OpenNode::begin(&span, Some(style == StructureStyle::Block)));
                    None
                }
                Event::SequenceEnd | Event::MappingEnd => open.pop().map(OpenNode::close),
                // Deserialization refuses further documents.
                Event::DocumentEnd => break,
                // Nodes are handled above; other events only describe the notation.
                _ => None,
            };
            match (done, open.last_mut()) {
                (Some(node), Some(parent)) => parent.nodes.push(node),
                (Some(node), None) => root = Some(node),
                (None, _) => {}
            }
        }
        let empty = NodeKind::Scalar { text: String::new(), style: ScalarStyle::Plain };
        Ok(Self { root: root.unwrap_or(YamlNode { line: 1, start: 0, end: 0, kind: empty }), comments })
    }

    /// Returns the line of the part with that path, or of its nearest existing ancestor. `within` adds lines
    /// inside a block scalar.
    pub fn line(&self, path: &str, within: Option<u64>) -> u64 {
        let (mut line, mut node) = (self.root.line, &self.root);
        for step in path.split(['.', '[']).filter(|step| !step.is_empty()) {
            let next = match &node.kind {
                NodeKind::Map { entries, .. } => {
                    entries.iter().find(|(key, _)| key.name == step).map(|(key, value)| (key.line, value))
                }
                NodeKind::List(nodes) => step
                    .strip_suffix(']')
                    .and_then(|index| index.parse::<usize>().ok())
                    .and_then(|index| nodes.get(index))
                    .map(|node| (node.line, node)),
                NodeKind::Scalar { .. } | NodeKind::Alias => None,
            };
            let Some(found) = next else { return line };
            (line, node) = found;
        }
        match (&node.kind, within) {
            // A block scalar begins on the line after its indicator.
            (NodeKind::Scalar { style: ScalarStyle::Literal | ScalarStyle::Folded, .. }, Some(within)) => {
                line + within
            }
            _ => line,
        }
    }
}

impl YamlNode {
    /// Returns the value of a key of a map.
    pub fn get(&self, name: &str) -> Option<&YamlNode> {
        match &self.kind {
            NodeKind::Map { entries, .. } => {
                entries.iter().find(|(key, _)| key.name == name).map(|(_, value)| value)
            }
            NodeKind::Scalar { .. } | NodeKind::List(_) | NodeKind::Alias => None,
        }
    }
}

impl OpenNode {
    fn begin(span: &Span, map: Option<bool>) -> Self {
        Self { line: line(span), start: start(span), nodes: Vec::new(), map }
    }

    fn close(self) -> YamlNode {
        let kind = match self.map {
            None => NodeKind::List(self.nodes),
            Some(block) => {
                let mut entries = Vec::new();
                let mut nodes = self.nodes.into_iter();
                while let (Some(key), Some(value)) = (nodes.next(), nodes.next()) {
                    let name = match key.kind {
                        NodeKind::Scalar { text, .. } => text,
                        NodeKind::List(_) | NodeKind::Map { .. } | NodeKind::Alias => String::from("?"),
                    };
                    entries.push((YamlKey { name, line: key.line, start: key.start }, value));
                }
                NodeKind::Map { entries, block }
            }
        };
        YamlNode { line: self.line, start: self.start, end: self.start, kind }
    }
}

fn node(span: &Span, kind: NodeKind) -> YamlNode {
    let range = span.byte_range().unwrap_or_default();
    YamlNode { line: line(span), start: range.start, end: range.end, kind }
}

fn line(span: &Span) -> u64 {
    u64::try_from(span.start.line()).unwrap_or(u64::MAX)
}

fn start(span: &Span) -> usize {
    span.byte_range().map_or(0, |range| range.start)
}

fn unreadable(text: &str, error: &ScanError) -> SpecFault {
    let line = error.marker().line().max(1);
    let words = error.info();
    let fault =
        SpecFault::new("", format!("is not valid YAML: {}", words.lines().next().unwrap_or_default()));
    // The error is at the beginning of the scalar; the tab is on a later line.
    let indented = |line: &str| line[..line.len() - line.trim_start().len()].contains('\t');
    let tab = words.contains("tab").then(|| text.lines().skip(line - 1).position(indented)).flatten();
    let fault = fault.on_line(u64::try_from(line + tab.unwrap_or_default()).ok());
    if tab.is_some() { fault.hint("indent with spaces; YAML takes no tabs there") } else { fault }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_by_path() {
        let text = "# first\nname: a\ngraph:\n  lanes:\n    - items:\n        - {id: x}\n        - id: y\n          \
                    agent: z\nllm:\n  prompt: |\n    one\n    two\n";
        let tree = Tree::parse(text).unwrap();
        for (path, within, line) in [
            ("", None, 2),
            ("name", None, 2),
            ("graph.lanes[0].items[0].id", None, 6),
            ("graph.lanes[0].items[1].agent", None, 8),
            ("graph.lanes[0].items[7].agent", None, 5),
            ("llm.prompt", None, 10),
            ("llm.prompt", Some(2), 12),
            ("llm.system", None, 9),
            ("nowhere", None, 2),
        ] {
            assert_eq!(tree.line(path, within), line, "{path}");
        }
        assert_eq!(tree.comments.len(), 1);
        assert_eq!(&text[tree.comments[0].span.clone()], "# first");
    }

    #[test]
    fn invalid_yaml_is_reported_with_its_line() {
        for (text, line, words) in [
            ("a: [\n", 1, ""),
            ("a: b\n\tc: d\n", 2, "takes no tabs"),
            ("a: 'x\n", 1, ""),
            ("a: *b\n", 1, ""),
        ] {
            let fault = Tree::parse(text).unwrap_err();
            assert!(fault.line.is_some_and(|found| found >= line), "{text:?}: {fault}");
            assert!(fault.to_string().contains(words), "{text:?}: {fault}");
        }
        assert!(Tree::parse("").is_ok() && Tree::parse("\u{feff}a: b\r\n").is_ok());
    }
}
