//! What was seen of a page: pure data, no browser. `text` writes it for a reader (a model or a
//! person), `delta` only what changed of it, `target` holds what the gate must know of one element.

pub mod compared;
pub mod delta;
pub mod dialog;
mod digest;
pub mod fingerprint;
mod quote;
pub mod target;
pub mod text;

use serde::{Deserialize, Serialize};

/// One look at a page: its text, and (beside it, by the same moment) its screenshot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Observation {
    /// 1, 2, 3 … within a run's browser.
    pub look: u64,
    pub url: String,
    pub title: String,
    /// The tab shown now and how many there are, from 1.
    pub tab: (u32, u32),
    /// CSS pixels: width, height.
    pub viewport: (u32, u32),
    /// CSS pixels: how far down, and how far down it can go.
    pub scroll: (u32, u32),
    pub lines: Vec<Line>,
    /// The dialog that the page waits with: then there is nothing else of the page in `lines`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialog: Option<dialog::Dialog>,
}

/// One element or one piece of text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Line {
    pub depth: u32,
    pub role: String,
    pub name: String,
    /// Only what can be acted on has one. Belongs to one node for as long as the node lives.
    pub eid: Option<u32>,
    pub attributes: Attributes,
}

/// What is true of an element now, in the order in which it is written (PROTOCOL section 3).
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
    /// `above/below` in CSS pixels, for a scrollable element.
    pub scroll: Option<String>,
    /// Takes typed text (not written, used by validation: S1.22).
    pub editable: bool,
    /// A password, one-time code or card field: its value is never shown.
    pub secret: bool,
    /// Address of what a frame shows (not written either).
    pub source: Option<String>,
}

impl Observation {
    pub fn line(&self, eid: u32) -> Option<&Line> {
        self.lines.iter().find(|line| line.eid == Some(eid))
    }
}
