//! Observations of pages: pure data, no browser. `text` writes one for a reader (a model or a person),
//! `delta` only its changes, `target` holds the facts about one element for the gate.

pub mod compared;
pub mod delta;
pub mod dialog;
mod digest;
pub mod fingerprint;
mod quote;
pub mod target;
pub mod text;

use serde::{Deserialize, Serialize};

/// An observation of a page: its text. The screenshot of the same moment is kept beside it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Observation {
    /// Number within a run's browser, from 1.
    pub look: u64,
    pub url: String,
    pub title: String,
    /// Number of the tab in front, from 1, and the number of tabs.
    pub tab: (u32, u32),
    /// Width and height in CSS pixels.
    pub viewport: (u32, u32),
    /// Scroll position and maximum scroll position in CSS pixels.
    pub scroll: (u32, u32),
    pub lines: Vec<Line>,
    /// Dialog that the page waits with; `lines` then holds nothing else of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialog: Option<dialog::Dialog>,
}

/// An element or a text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Line {
    pub depth: u32,
    pub role: String,
    pub name: String,
    /// Element id, for elements that can be acted on. Belongs to one node for the node's lifetime.
    pub eid: Option<u32>,
    pub attributes: Attributes,
}

/// Current state of an element, in the order in which it is written (`docs/page_text.md`, "Attributes").
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attributes {
    pub value: Option<String>,
    pub options: Vec<String>,
    pub level: Option<u32>,
    pub href: Option<String>,
    pub checked: bool,
    pub mixed: bool,
    pub selected: bool,
    pub pressed: bool,
    pub expanded: bool,
    pub collapsed: bool,
    pub required: bool,
    pub invalid: bool,
    pub readonly: bool,
    pub disabled: bool,
    pub focused: bool,
    pub new: bool,
    pub above: bool,
    pub below: bool,
    /// Distances above and below in CSS pixels, as `above/below`, for a scrollable element.
    pub scroll: Option<String>,
    /// True if text can be typed into it. Not written; used by validation (S1.22).
    pub editable: bool,
    /// True for a password, one-time code or card field. The value is never shown.
    pub secret: bool,
    /// Address of a frame's document. Not written.
    pub source: Option<String>,
}

impl Observation {
    pub fn line(&self, eid: u32) -> Option<&Line> {
        self.lines.iter().find(|line| line.eid == Some(eid))
    }
}
