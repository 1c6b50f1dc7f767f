//! How what an approval is bound to becomes one short text: the parts of the action, the form and
//! its fields, each with its length, under one hash.

use super::target::{Field, Form, Target};
use crate::turn::action::Action;
use sha2::{Digest, Sha256};

pub(super) fn print_action(print: &mut Print, action: &Action, target: &Target) {
    print.part("action", action.name());
    match action {
        Action::Navigate { url } => print.part("url", url),
        Action::Click { button, count, .. } => {
            print.part("button", &format!("{button:?}"));
            print.part("count", &count.to_string());
        }
        Action::Type { text, clear, submit, .. } => {
            let hidden = target.is_secret();
            print.part("text", if hidden { "" } else { text });
            print.flag("typed", !text.is_empty());
            print.flag("clear", *clear);
            print.flag("submit", *submit);
        }
        Action::Select { options, .. } => print.list("options", options),
        Action::Upload { files, .. } => print.list("files", files),
        Action::Press { key } => print.part("key", key),
        Action::Dialog { accept, text } => {
            print.flag("accept", *accept);
            print.part("text", text.as_deref().unwrap_or_default());
        }
        Action::Tab { operation, tab, url } => {
            print.part("operation", &format!("{operation:?}"));
            print.part("tab", &tab.map(|tab| tab.to_string()).unwrap_or_default());
            print.part("url", url.as_deref().unwrap_or_default());
        }
        Action::Back
        | Action::Forward
        | Action::Reload
        | Action::Hover { .. }
        | Action::Drag { .. }
        | Action::Scroll { .. }
        | Action::Wait { .. }
        | Action::Extract { .. }
        | Action::NeedUser { .. }
        | Action::AskUser { .. }
        | Action::Stop { .. } => {}
    }
}

pub(super) fn print_form(print: &mut Print, form: &Form) {
    print.part("form", &form.action);
    print.part("method", &form.method);
    print.part("form name", &form.name);
    print.part("form text", &form.text);
    print.list("buttons", &form.buttons);
    print.said("rest", &form.rest);
    form.fields.iter().for_each(|field| print_field(print, field));
}

pub(super) fn print_field(print: &mut Print, field: &Field) {
    let ([name, label, kind, value, sent], filled) = stated(field);
    for (what, text) in [("field", name), ("label", label), ("kind", kind), ("value", value)] {
        print.part(what, text);
    }
    print.said("sent", sent);
    print.flag("filled", filled);
}

/// What counts of a field.
pub(super) fn stated(field: &Field) -> ([&str; 5], bool) {
    let unsaid = field.secret || field.card || field.is_token();
    let value = if unsaid { "" } else { field.value.as_str() };
    ([&field.name, &field.label, &field.kind, value, &field.sent], field.filled)
}

/// White space is layout, not content.
pub(super) fn same(one: &str, other: &str) -> bool {
    one == other || one.split_whitespace().eq(other.split_whitespace())
}

/// Parts are written with their lengths, so that no two lists of parts read the same.
pub(super) struct Print(Sha256);

impl Print {
    pub(super) fn new() -> Self {
        Self(Sha256::new())
    }

    /// A part that most prints do not have.
    pub(super) fn said(&mut self, what: &str, text: &str) {
        if !text.is_empty() {
            self.part(what, text);
        }
    }

    pub(super) fn part(&mut self, what: &str, text: &str) {
        for piece in [what, &text.split_whitespace().collect::<Vec<_>>().join(" ")] {
            self.0.update((piece.len() as u64).to_le_bytes());
            self.0.update(piece.as_bytes());
        }
    }

    pub(super) fn flag(&mut self, what: &str, holds: bool) {
        self.part(what, if holds { "yes" } else { "no" });
    }

    fn list(&mut self, what: &str, texts: &[String]) {
        self.part(what, &texts.len().to_string());
        for text in texts {
            self.part(what, text);
        }
    }

    pub(super) fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
