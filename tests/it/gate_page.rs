//! Small pieces of pages, as short words, for the gate's tables.

use askfirst::gate::assess;
use askfirst::gate::host_kinds::HostContext;
use askfirst::gate::request::{AssessmentRequest, PageRef};
use askfirst::gate::rules::Rules;
use askfirst::gate::verdict::Verdict;
use askfirst::page::target::{Field, Form, Target};
use askfirst::turn::action::{Action, BrowserAction, PageAction};
use askfirst::turn::page_input::fields::{FieldInput, FieldValue};
use askfirst::turn::page_input::mouse::{ClickInput, Modifier};
use askfirst::turn::page_input::points::{PicturePoint, PointAction};

pub const SHOP: &str = "https://shop.test/page";

pub fn element(role: &str, tag: &str, name: &str) -> Target {
    Target { eid: 7, role: role.into(), tag: tag.into(), name: name.into(), ..Target::default() }
}

/// A button of no form.
pub fn button(name: &str) -> Target {
    Target { kind: String::from("button"), ..element("button", "button", name) }
}

pub fn link(name: &str, to: &str) -> Target {
    Target { destination: Some(to.into()), ..element("link", "a", name) }
}

/// A field to type into, of no form.
pub fn field(role: &str, name: &str) -> Target {
    Target { editable: true, kind: String::from("text"), ..element(role, "input", name) }
}

/// A button that sends a form.
pub fn sends(name: &str, method: &str, action: &str, fields: &[&str]) -> Target {
    let form = Form {
        action: format!("https://shop.test{action}"),
        method: method.into(),
        fields: fields.iter().map(|words| form_field(words)).collect(),
        buttons: vec![name.into()],
        ..Form::default()
    };
    let destination = Some(form.action.clone());
    Target {
        kind: String::from("submit"),
        submits: true,
        form: Some(form),
        destination,
        ..element("button", "button", name)
    }
}

pub fn post(name: &str, action: &str, fields: &[&str]) -> Target {
    sends(name, "post", action, fields)
}

/// A control that sends its form as soon as it changes.
pub fn by_itself(role: &str, name: &str, method: &str, action: &str, fields: &[&str]) -> Target {
    let form = sends("", method, action, fields);
    let tag = if role == "combobox" { "select" } else { "input" };
    Target { submits: false, sends_itself: true, form: form.form, ..element(role, tag, name) }
}

pub fn click_holding(modifier: Modifier) -> Action {
    let click = ClickInput { modifiers: vec![modifier], ..ClickInput::once() };
    Action::Page(PageAction::Click { eid: 7, click })
}

pub fn at_point() -> Action {
    let at = PicturePoint { x: 40.0, y: 50.0 };
    Action::Page(PageAction::Point(PointAction::Click { at, click: ClickInput::once() }))
}

/// Fills the elements 7 and 8; Enter is pressed in 7.
pub fn fill(submit: bool) -> Action {
    let seventh = FieldInput { eid: 7, value: FieldValue::Text(String::from("Lviv")) };
    let eighth = FieldInput { eid: 8, value: FieldValue::Options(vec![String::from("Lviv")]) };
    Action::Page(PageAction::Fill { fields: vec![seventh, eighth], submit })
}

/// Elements 7 and 8.
pub fn fields(seventh: Target, eighth: Target) -> Target {
    Target { eid: 7, others: vec![Target { eid: 8, ..eighth }], ..seventh }
}

pub fn hover() -> Action {
    Action::Page(PageAction::Hover { eid: 7 })
}

pub fn drag() -> Action {
    Action::Page(PageAction::Drag { from_eid: 3, to_eid: 7 })
}

pub fn choose(option: &str) -> Action {
    Action::Page(PageAction::Select { eid: 7, options: vec![option.into()] })
}

/// `kind name=value`, as `text city=Lviv`; `card` and `password` are secret.
fn form_field(words: &str) -> Field {
    let (kind, rest) = words.split_once(' ').unwrap_or((words, words));
    let (name, value) = rest.split_once('=').unwrap_or((rest, "filled"));
    let secret = matches!(kind, "password" | "card");
    Field {
        name: name.into(),
        label: name.into(),
        kind: if kind == "card" { String::from("text") } else { kind.into() },
        autocomplete: if kind == "new-password" { kind.into() } else { String::new() },
        value: if secret { String::new() } else { value.into() },
        secret,
        card: kind == "card",
        filled: !value.is_empty(),
        group: String::new(),
        sent: String::new(),
        generated: String::new(),
    }
}

/// Small changes to a target, said after it.
pub trait With {
    fn under(self, title: &str) -> Self;
    fn near(self, text: &str) -> Self;
    fn with_text(self, text: &str) -> Self;
    fn sent_to(self, url: &str) -> Self;
    fn with_kind(self, kind: &str) -> Self;
    /// In the same form, another element.
    fn at_field(self, role: &str, name: &str) -> Self;
}

impl With for Target {
    fn under(self, title: &str) -> Self {
        Target { context: title.into(), ..self }
    }

    fn near(self, text: &str) -> Self {
        Target { near: text.into(), ..self }
    }

    fn with_text(mut self, text: &str) -> Self {
        if let Some(form) = &mut self.form {
            form.text = text.into();
        }
        self
    }

    fn sent_to(mut self, url: &str) -> Self {
        if let Some(form) = &mut self.form {
            form.action = url.into();
        }
        Target { destination: Some(url.into()), ..self }
    }

    fn with_kind(self, kind: &str) -> Self {
        Target { kind: kind.into(), ..self }
    }

    fn at_field(self, role: &str, name: &str) -> Self {
        Target { form: self.form, submits: self.submits, destination: self.destination, ..field(role, name) }
    }
}

pub fn click() -> Action {
    Action::Page(PageAction::Click { eid: 7, click: ClickInput::once() })
}

pub fn press(key: &str) -> Action {
    Action::Page(PageAction::Press { key: key.into() })
}

pub fn typed(text: &str, submit: bool) -> Action {
    Action::Page(PageAction::Type { eid: 7, text: text.into(), clear: true, submit })
}

pub fn navigate(url: &str) -> Action {
    Action::Browser(BrowserAction::Navigate { url: url.into() })
}

pub fn context() -> HostContext {
    HostContext { own_origin: String::from("http://127.0.0.1:8787"), ..HostContext::default() }
}

pub fn page(url: &str) -> PageRef {
    PageRef {
        url: url.into(),
        title: String::from("Page"),
        secrets: false,
        filled: false,
        names_decide: false,
    }
}

/// Verdict of the built-in rules, on a page where something has been typed.
pub fn judged(action: &Action, target: Option<&Target>, url: &str) -> Verdict {
    let page = PageRef { filled: true, ..page(url) };
    assess(Rules::built_in(), &AssessmentRequest { action, target, page: &page, context: &context() })
}
