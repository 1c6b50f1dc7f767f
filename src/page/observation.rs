//! An observation of a page: address, title, dialog, and one line for each element or text.

use crate::page::page_tool::PageTool;
use crate::page::target::Target;
use crate::text::truncate;
use serde::{Deserialize, Serialize};

/// An observation of a page: its text. The screenshot of the same moment is kept beside it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Observation {
    /// Number within a run's browser, from 1.
    #[serde(rename = "look")]
    pub number: u64,
    pub url: String,
    pub title: String,
    /// Number of the tab in front, from 1, and the number of tabs.
    pub tab: (u32, u32),
    /// All tabs, in order; empty if there is only one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tabs: Vec<TabTitle>,
    /// Width and height in CSS pixels.
    pub viewport: (u32, u32),
    /// Scroll position and maximum scroll position in CSS pixels.
    pub scroll: (u32, u32),
    /// The same sideways: distance from the left edge, and its maximum.
    #[serde(skip_serializing_if = "is_unscrolled")]
    pub scroll_across: (u32, u32),
    /// Lines in document order.
    pub lines: Vec<Line>,
    /// Tools that the page declares; `lines` tells them too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<PageTool>,
    /// Dialog that the page waits with; `lines` then holds nothing else of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialog: Option<PageDialog>,
    /// Identifies the document of the page: changes are told only within one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub document: String,
    /// Lines of earlier observations that still stand on the page and are left out of this one.
    #[serde(skip_serializing_if = "UnshownLines::is_empty")]
    pub unshown: UnshownLines,
}

/// Lines of earlier observations that the walker met and did not show: the budget was used up, or a dialog lies over them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnshownLines {
    pub eids: Vec<u32>,
    /// Hashes of role and name of lines without a number.
    pub lines: Vec<u32>,
}

impl UnshownLines {
    pub fn is_empty(&self) -> bool {
        self.eids.is_empty() && self.lines.is_empty()
    }

    /// Adds those of a frame.
    pub fn add(&mut self, inner: Self) {
        self.eids.extend(inner.eids);
        self.lines.extend(inner.lines);
    }
}

/// Title of a tab, and the site whose words it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TabTitle {
    pub title: String,
    /// Origin of the page; empty if it has none.
    pub origin: String,
}

/// Reports whether a page does not scroll in a direction.
fn is_unscrolled(scroll: &(u32, u32)) -> bool {
    scroll.1 == 0
}

impl Observation {
    /// Returns the element that has the focus.
    pub fn focused_eid(&self) -> Option<u32> {
        self.lines.iter().find(|line| line.attributes.focused)?.eid
    }

    /// Returns the tool of this name that the page declares.
    pub fn tool(&self, name: &str) -> Option<&PageTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Returns the line of an element.
    pub fn line(&self, eid: u32) -> Option<&Line> {
        self.lines.iter().find(|line| line.eid == Some(eid))
    }
}

/// An element or a text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Line {
    /// Level of indentation, from 0.
    pub depth: u32,
    /// ARIA role, or one of those in docs/page_text.md.
    pub role: String,
    /// Accessible name, or the text of a line without an element.
    pub name: String,
    /// Element id, for elements that can be acted on. Belongs to one node for the node's lifetime.
    pub eid: Option<u32>,
    pub attributes: Attributes,
}

impl Line {
    /// Hashes role and name of a line without a number, as the walker does (`unshown.js`: FNV-1a over UTF-16). `None` if it
    /// has a number, or no name that could tell it from others.
    pub fn unnumbered_hash(&self) -> Option<u32> {
        if self.eid.is_some() || self.name.is_empty() {
            return None;
        }
        let units = self.role.encode_utf16().chain([u16::from(b' ')]).chain(self.name.encode_utf16());
        Some(units.fold(0x811c_9dc5, |hash: u32, unit| (hash ^ u32::from(unit)).wrapping_mul(0x0100_0193)))
    }
}

/// Current state of an element, in the order in which it is written (`docs/protocol.md`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attributes {
    /// Name of the row, card or dialog that the element belongs to, where others read the same.
    #[serde(rename = "in")]
    pub within: Option<String>,
    /// Current value; that of a secret field is written as `••••`.
    pub value: Option<String>,
    /// Labels of the options of a list.
    pub options: Vec<String>,
    /// Level of a heading.
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
    /// True if the line was not there at the observation before.
    pub new: bool,
    /// True if it is outside the viewport or its pane, upwards.
    pub above: bool,
    /// True if it is outside the viewport or its pane, downwards.
    pub below: bool,
    /// True for an element that was shown before and that something covers now.
    pub covered: bool,
    /// True if it is outside the viewport or its pane, to the left.
    pub left: bool,
    /// True if it is outside the viewport or its pane, to the right.
    pub right: bool,
    /// Distances in CSS pixels for a scrollable element: `above/below`, and `above/below left/right` if it also
    /// scrolls sideways.
    pub scroll: Option<String>,
    /// Text that an empty field shows, unless it is the name.
    pub placeholder: Option<String>,
    /// Reason why a field refuses its value, or the value that it wants.
    pub hint: Option<String>,
    /// True if the name was taken from an icon, a class, a file or another word that no person sees.
    pub guessed: bool,
    /// True if text can be typed into it. Not written; used by validation (S1.22).
    pub editable: bool,
    /// True for a password, one-time code or card field. The value is never shown.
    pub secret: bool,
    /// Address of a frame's document. Not written.
    pub source: Option<String>,
}

impl Attributes {
    /// Reports whether the element lies neither outside the viewport nor outside its pane.
    pub fn in_view(&self) -> bool {
        !(self.above || self.below || self.left || self.right)
    }
}

/// Maximum length of its texts in characters.
const LONGEST: usize = 2000;

/// Chromium's name for the question before a page is left.
pub const LEAVE: &str = "beforeunload";

/// Browsers show a text of their own for this, whatever the page supplies.
const LEAVING: &str = "Leave this page? What was typed here and not saved will be lost.";

/// A JavaScript dialog that the page waits with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageDialog {
    /// `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    pub message: String,
    /// Default text of a prompt.
    pub default: String,
}

impl PageDialog {
    /// Creates a dialog. Long texts are cut, and leaving a page has a message of the service.
    pub fn new(kind: &str, message: &str, default: &str) -> Self {
        let message = if kind == LEAVE { LEAVING } else { message };
        Self {
            kind: kind.to_owned(),
            message: truncate::truncate(message, LONGEST),
            default: truncate::truncate(default, LONGEST),
        }
    }

    /// Reports whether accepting the dialog leaves the page.
    pub fn is_leave(&self) -> bool {
        self.kind == LEAVE
    }

    /// True for a prompt.
    pub fn takes_text(&self) -> bool {
        self.kind == "prompt"
    }

    /// Returns the lines of the observation.
    pub fn lines(&self) -> Vec<Line> {
        let note = self.note_text();
        let line =
            |depth, role: &str, name: String| Line { depth, role: role.into(), name, ..Line::default() };
        let value = self.takes_text().then(|| self.default.clone());
        let attributes = Attributes { value, ..Attributes::default() };
        let mut lines =
            vec![Line { attributes, ..line(0, "dialog", self.message.clone()) }, line(0, "note", note)];
        if self.message.chars().count() > 200 {
            // Names are cut when written, texts are not.
            lines.insert(1, line(1, "text", self.message.clone()));
        }
        lines
    }

    fn note_text(&self) -> String {
        let how = match (self.is_leave(), self.takes_text()) {
            (true, _) => "dialog {accept: true} to leave it, with {accept: false} to stay",
            (false, true) => "dialog {accept, text}",
            (false, false) => "dialog {accept}",
        };
        format!("the page asks this and waits; answer with {how}, nothing else can be done on it before")
    }

    /// Returns the target that the gate checks when the dialog is accepted: its button, named by the message.
    pub fn target(&self, page: &str) -> Target {
        Target {
            page: page.to_owned(),
            role: String::from("dialog"),
            name: self.message.clone(),
            kind: self.kind.clone(),
            ..Target::default()
        }
    }
}
