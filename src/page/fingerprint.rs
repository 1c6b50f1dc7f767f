//! Fingerprint of what an approval is bound to: one hash over the parts of the action, the form and its
//! fields, each with its length.

use crate::page::target::{Field, Form, Target};
use crate::page::url::strip_fragment;
use crate::turn::action::{Action, AgentAction, BrowserAction, PageAction};
use crate::turn::page_input::fields::{FieldInput, FieldValue};
use crate::turn::page_input::mouse::ClickInput;
use crate::turn::page_input::points::{PicturePoint, PointAction};
use serde_json::json;
use sha2::{Digest, Sha256};

/// Returns the fingerprint of page, frame, element, form with values, and the action. It survives a reload or
/// restart, so it contains no element id and no position. Secrets count only as filled or empty, so that
/// nothing can be guessed from it.
pub fn fingerprint(page_url: &str, action: &Action, target: &Target) -> String {
    let mut print = FingerprintHasher::new();
    print.part("page", strip_fragment(page_url));
    if !target.top.is_empty() {
        print.part("top", strip_fragment(&target.top));
    }
    print.part("action", action.name());
    print_action(&mut print, action, target);
    for (what, text) in identity(target) {
        print.part(what, text);
    }
    print.optional_part("also", &target.other_name);
    if let Some(dragged) = &target.dragged {
        print.part("dragged", &dragged.other_name);
        identity(dragged).into_iter().for_each(|(what, text)| print.part(what, text));
    }
    for other in &target.others {
        print.part("also acted on", &other.other_name);
        identity(other).into_iter().for_each(|(what, text)| print.part(what, text));
    }
    print.flag("disabled", target.disabled);
    print.flag("submits", target.submits);
    if let Some(form) = &target.form {
        print_form(&mut print, form);
    }
    target.prices.iter().for_each(|price| print.optional_part("price", price));
    target.loose.iter().for_each(|field| print_field(&mut print, field));
    print.finish()
}

/// Returns the properties that identify an element, under the names that `changed` uses.
pub(crate) fn identity(target: &Target) -> [(&'static str, &str); 8] {
    [
        ("frame", &target.frame),
        ("role", &target.role),
        ("name", &target.name),
        ("tag", &target.tag),
        ("type", &target.kind),
        ("destination", target.destination.as_deref().unwrap_or_default()),
        ("section", &target.context),
        ("text around it", &target.near),
    ]
}

fn print_action(print: &mut FingerprintHasher, action: &Action, target: &Target) {
    match action {
        Action::Page(action) => print_page_action(print, action, target),
        Action::Browser(BrowserAction::Navigate { url }) => print.part("url", url),
        Action::Browser(BrowserAction::Tab { operation, tab, url }) => {
            print.part("operation", &format!("{operation:?}"));
            print.part("tab", &tab.map(|tab| tab.to_string()).unwrap_or_default());
            print.part("url", url.as_deref().unwrap_or_default());
        }
        Action::Agent(AgentAction::Inner(inner)) => print.part("inner", &json!(inner).to_string()),
        Action::Browser(BrowserAction::Back | BrowserAction::Forward | BrowserAction::Reload)
        | Action::Person(_)
        | Action::Agent(AgentAction::Stop { .. }) => {}
    }
}

fn print_page_action(print: &mut FingerprintHasher, action: &PageAction, target: &Target) {
    match action {
        PageAction::Click { click, .. } => print_click(print, click),
        PageAction::Point(action) => print_point_action(print, action, target),
        PageAction::Fill { fields, submit } => {
            fields.iter().for_each(|field| print_filled_field(print, field, target));
            print.flag("submit", *submit);
        }
        PageAction::Type { text, clear, submit, .. } => {
            let hidden = target.is_secret();
            print.part("text", if hidden { "" } else { text });
            print.flag("typed", !text.is_empty());
            print.flag("clear", *clear);
            print.flag("submit", *submit);
        }
        PageAction::Select { options, .. } => print.list("options", options),
        PageAction::Upload { files, .. } => print.list("files", files),
        PageAction::Press { key } => print.part("key", key),
        PageAction::Dialog { accept, text } => {
            print.flag("accept", *accept);
            print.part("text", text.as_deref().unwrap_or_default());
        }
        PageAction::Tool { arguments, .. } => print.part("arguments", &json!(arguments).to_string()),
        PageAction::SelectText { text } => print.part("text", text),
        PageAction::Hover { .. }
        | PageAction::Drag { .. }
        | PageAction::Scroll { .. }
        | PageAction::Wait { .. }
        | PageAction::Find { .. }
        | PageAction::Extract { .. } => {}
    }
}

fn print_click(print: &mut FingerprintHasher, click: &ClickInput) {
    let ClickInput { button, count, modifiers, hold_ms } = click;
    print.part("button", &format!("{button:?}"));
    print.part("count", &count.to_string());
    let held: Vec<&str> = modifiers.iter().map(|modifier| modifier.key()).collect();
    print.optional_part("modifiers", &held.join("+"));
    print.optional_part("held", &if *hold_ms > 0 { hold_ms.to_string() } else { String::new() });
}

/// Adds an action at points. A picture does not survive a reload, so the points count as they are.
fn print_point_action(print: &mut FingerprintHasher, action: &PointAction, target: &Target) {
    for PicturePoint { x, y } in action.points() {
        print.part("point", &format!("{x} {y}"));
    }
    match action {
        PointAction::Click { click, .. } => print_click(print, click),
        PointAction::Type { text, clear, submit, .. } => {
            print.part("text", if target.is_secret() { "" } else { text });
            print.flag("clear", *clear);
            print.flag("submit", *submit);
        }
        PointAction::Hover { .. } | PointAction::Drag { .. } => {}
    }
}

fn print_filled_field(print: &mut FingerprintHasher, field: &FieldInput, target: &Target) {
    let is_secret = target.element(field.eid).is_some_and(Target::is_secret);
    match &field.value {
        FieldValue::Text(text) => {
            print.part("text", if is_secret { "" } else { text });
            print.flag("typed", !text.is_empty());
        }
        FieldValue::Options(options) => print.list("options", options),
        FieldValue::Checked(checked) => print.flag("checked", *checked),
    }
}

fn print_form(print: &mut FingerprintHasher, form: &Form) {
    print.part("form", &form.action);
    print.part("method", &form.method);
    print.optional_part("encoding", &form.encoding);
    print.optional_part("window", &form.window);
    print.part("form name", &form.name);
    print.part("form text", &form.text);
    print.list("buttons", &form.buttons);
    print.optional_part("rest", &form.rest);
    form.fields.iter().for_each(|field| print_field(print, field));
}

fn print_field(print: &mut FingerprintHasher, field: &Field) {
    let ([name, label, kind, value, sent], filled) = field_parts(field);
    for (what, text) in [("field", name), ("label", label), ("kind", kind), ("value", value)] {
        print.part(what, text);
    }
    print.optional_part("sent", sent);
    print.flag("filled", filled);
}

/// Returns the parts of a field that count for an approval.
pub(crate) fn field_parts(field: &Field) -> ([&str; 5], bool) {
    let withheld = field.secret || field.card || field.is_token();
    let value = if withheld { "" } else { field.value.as_str() };
    ([&field.name, &field.label, &field.kind, value, &field.sent], field.filled)
}

/// Compares two texts, ignoring differences in white space.
pub(crate) fn same_text(one: &str, other: &str) -> bool {
    one == other || one.split_whitespace().eq(other.split_whitespace())
}

/// Hash of the parts. Each part is preceded by its length, so that different lists of parts never give the
/// same input.
struct FingerprintHasher(Sha256);

impl FingerprintHasher {
    fn new() -> Self {
        Self(Sha256::new())
    }

    /// Adds a part that most fingerprints lack, unless it is empty.
    fn optional_part(&mut self, what: &str, text: &str) {
        if !text.is_empty() {
            self.part(what, text);
        }
    }

    fn part(&mut self, what: &str, text: &str) {
        for piece in [what, &text.split_whitespace().collect::<Vec<_>>().join(" ")] {
            self.0.update((piece.len() as u64).to_le_bytes());
            self.0.update(piece.as_bytes());
        }
    }

    fn flag(&mut self, what: &str, holds: bool) {
        self.part(what, if holds { "yes" } else { "no" });
    }

    fn list(&mut self, what: &str, texts: &[String]) {
        self.part(what, &texts.len().to_string());
        for text in texts {
            self.part(what, text);
        }
    }

    fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
