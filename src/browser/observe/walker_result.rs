//! Walker result, and its conversion to an observation.

use crate::browser::geometry::{Bounds, FrameTransform};
use crate::browser::injected::without_nulls;
use crate::page::observation::{Attributes, Line, Observation, UnshownLines};
use serde::Deserialize;
use serde_json::Value;

/// Reply of a walker.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WalkerResult {
    pub url: String,
    title: String,
    /// Identifies the document; another one has other element ids.
    #[serde(default)]
    document: String,
    pub viewport: (f64, f64),
    pub scroll: (f64, f64),
    /// Distance from the left edge and its maximum.
    #[serde(default)]
    pub scroll_across: (f64, f64),
    pub lines: Vec<(u32, String, String, u32, Value)>,
    pub next_eid: u32,
    #[serde(default)]
    pub left_out: OmittedCounts,
    /// Lines of earlier observations that are left out now.
    #[serde(default)]
    pub unshown: UnshownLines,
    /// Boxes of secret fields, to be painted over.
    #[serde(default)]
    pub secrets: Vec<Bounds>,
    /// Frames that the walker could not read.
    #[serde(default)]
    pub frames: Vec<UnreadFrame>,
    /// Number of elements that may have content that the walker could not see.
    #[serde(default, rename = "suspects")]
    pub shadow_candidates: u32,
    /// Number of style sheets that the walker could not read.
    #[serde(default)]
    pub closed_sheets: u32,
    /// True if the page changed since the picture was asked for, or has not been covered completely.
    #[serde(default)]
    pub changed: bool,
}

/// Reply of a frame's walker, which may run out of element ids.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum WalkerReply {
    Short { short: u32 },
    Whole(Box<WalkerResult>),
}

/// A frame that needs its own walker.
#[derive(Debug, Deserialize)]
pub struct UnreadFrame {
    /// Index of its line.
    pub line: usize,
    pub eid: u32,
    #[serde(flatten)]
    pub place: FrameTransform,
    /// Visible part, for its own walker.
    pub part: Value,
    /// Token budget for its text.
    pub room: u32,
}

impl UnreadFrame {
    /// Returns the visible part in the coordinates of the parent; `None` if nothing is visible.
    pub fn visible_bounds(&self) -> Option<Bounds> {
        let edge = |name: &str| self.part[name].as_f64().unwrap_or_default();
        let (width, height) = (edge("right") - edge("left"), edge("bottom") - edge("top"));
        let shown = width > 0.0 && height > 0.0;
        shown.then(|| self.place.bounds_with_margin([edge("left"), edge("top"), width, height]))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct OmittedCounts {
    above: u32,
    below: u32,
    /// Number of texts among both.
    text: u32,
}

impl From<WalkerResult> for Observation {
    fn from(result: WalkerResult) -> Self {
        let mut lines: Vec<Line> = result.lines.into_iter().map(line).collect();
        lines.extend(result.left_out.note());
        Self {
            number: 0,
            url: result.url,
            title: result.title,
            tab: (1, 1),
            tabs: Vec::new(),
            viewport: rounded(result.viewport),
            scroll: rounded(result.scroll),
            scroll_across: rounded(result.scroll_across),
            lines,
            tools: Vec::new(),
            dialog: None,
            document: result.document,
            unshown: result.unshown,
        }
    }
}

impl OmittedCounts {
    pub fn add(&mut self, inner: &Self) {
        self.above += inner.above;
        self.below += inner.below;
        self.text += inner.text;
    }

    fn note(&self) -> Option<Line> {
        let (place, way) = match (self.above, self.below) {
            (0, 0) => return None,
            (above, 0) => (format!("{above} more above"), "scroll up"),
            (0, below) => (format!("{below} more below"), "scroll down"),
            (above, below) => (format!("{above} more above, {below} more below"), "scroll"),
        };
        let all = self.above.saturating_add(self.below);
        let of = match all.saturating_sub(self.text) {
            0 => String::from("texts"),
            acted if acted == all => String::from("to act on"),
            acted => format!("{acted} of them to act on"),
        };
        Some(note(format!("{place} ({of}); {way} to see them, or extract to read all")))
    }
}

/// Creates a line for a note, which is not an element.
pub fn note(name: String) -> Line {
    Line { role: String::from("note"), name, ..Line::default() }
}

fn line((depth, role, name, eid, attributes): (u32, String, String, u32, Value)) -> Line {
    // An unexpected attribute must not lose the line.
    let attributes = Attributes::deserialize(without_nulls(attributes)).unwrap_or_default();
    Line { depth, role, name, eid: Some(eid).filter(|eid| *eid > 0), attributes }
}

fn rounded((a, b): (f64, f64)) -> (u32, u32) {
    // Casts from float to integer saturate, so no page can cause an overflow.
    (a.round() as u32, b.round() as u32)
}
