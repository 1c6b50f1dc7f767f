//! A dialog that a page has opened and that waits for an answer: `confirm`, `prompt`, or the browser's own
//! question before leaving a page. Nothing else of the page can be read or acted on until then, so the
//! observation consists of the dialog.

use super::target::Target;
use super::{Attributes, Line};
use crate::turn::redact;
use serde::{Deserialize, Serialize};

/// Maximum length of its texts in characters.
const LONGEST: usize = 2000;

/// Chromium's name for the question before a page is left.
pub const LEAVE: &str = "beforeunload";
/// Browsers show a text of their own for this, whatever the page supplies.
const LEAVING: &str = "Leave this page? What was typed here and not saved will be lost.";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dialog {
    /// `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    pub message: String,
    /// Default text of a prompt.
    pub default: String,
}

impl Dialog {
    pub fn new(kind: &str, message: &str, default: &str) -> Self {
        let message = if kind == LEAVE { LEAVING } else { message };
        Self {
            kind: kind.to_owned(),
            message: redact::truncate(message, LONGEST),
            default: redact::truncate(default, LONGEST),
        }
    }

    /// Reports whether accepting the dialog leaves the page.
    pub fn is_leave(&self) -> bool {
        self.kind == LEAVE
    }

    pub fn takes_text(&self) -> bool {
        self.kind == "prompt"
    }

    /// Returns the lines of the observation.
    pub fn lines(&self) -> Vec<Line> {
        let told = self.note_text();
        let line =
            |depth, role: &str, name: String| Line { depth, role: role.into(), name, ..Line::default() };
        let value = self.takes_text().then(|| self.default.clone());
        let attributes = Attributes { value, ..Attributes::default() };
        let mut lines =
            vec![Line { attributes, ..line(0, "dialog", self.message.clone()) }, line(0, "note", told)];
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
