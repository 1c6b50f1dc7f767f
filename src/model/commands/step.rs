//! What an order comes to on a page, and the ways there that all orders share: find the element, or
//! look for it, or say what is missing.

use super::LOOKS;
use super::find::{Found, Want, find};
use super::order::Name;
use super::turns::Planned;
use crate::page::{Line, Observation};
use crate::protocol::Locale;
use serde_json::json;

/// What is known besides the order.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    pub page: Option<&'a Observation>,
    /// How often it was looked for already.
    pub looks: usize,
    /// The run has gone back in the history of its tab.
    pub went_back: bool,
    pub locale: Locale,
    /// Names of the run's files.
    pub files: &'a [String],
}

/// What to do for an order now.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Act(Planned),
    /// It is not there yet: something that may bring it into the next look.
    Look(Planned),
    /// It is so already.
    Nothing,
    /// `stop`.
    Finish,
    Missing(Missing),
}

/// Why an order cannot be carried out here.
#[derive(Clone, Debug, PartialEq)]
pub enum Missing {
    Element {
        name: String,
        want: Want,
    },
    Disabled {
        name: String,
    },
    /// A field that shows its value but takes no typed text.
    ReadOnly {
        name: String,
    },
    Option {
        value: String,
        options: Vec<String>,
    },
    Field,
    Page,
    /// The run has no file of this name; it has these.
    File {
        name: String,
        there: Vec<String>,
    },
    /// No file is named, and there is not exactly one.
    WhichFile {
        there: Vec<String>,
    },
    /// No field is named, and there is not exactly one that takes files.
    FileField {
        fields: Vec<String>,
    },
    Meaning,
}

/// Acts on the element of this name, or looks for it, or says what is missing.
pub fn on<'a>(
    name: &Name,
    want: Want,
    setting: &Setting<'a>,
    act: impl FnOnce(&'a Line, u32) -> Step,
) -> Step {
    let Some(page) = setting.page else { return Step::Missing(Missing::Page) };
    match find(page, name, want) {
        Found::One(line, _) => match line.eid {
            Some(eid) => act(line, eid),
            None => Step::Missing(Missing::Page),
        },
        Found::Disabled(line) => look_or(page, setting, Missing::Disabled { name: line.name.clone() }),
        Found::Nothing => look_or(page, setting, Missing::Element { name: shown(name), want }),
    }
}

/// The name as the person wrote it, with the word for its kind (`Pay now button`).
pub fn shown(name: &Name) -> String {
    if name.full.is_empty() { name.text.clone() } else { name.full.clone() }
}

/// Waits a little first, then scrolls where there is more of the page.
pub fn look_or(page: &Observation, setting: &Setting<'_>, missing: Missing) -> Step {
    let more_below = page.scroll.0 < page.scroll.1;
    match setting.looks {
        0 => Step::Look(Planned::new("wait", json!({ "seconds": 1.0, "text": null }))),
        looks if looks + 1 < LOOKS && more_below && matches!(missing, Missing::Element { .. }) => {
            Step::Look(Planned::new("scroll", json!({ "direction": "down", "amount": 1.0, "eid": null })))
        }
        looks if looks + 1 < LOOKS => {
            Step::Look(Planned::new("wait", json!({ "seconds": 2.0, "text": null })))
        }
        _ => Step::Missing(missing),
    }
}

pub fn click(eid: u32, times: u32, right: bool) -> Planned {
    let button = if right { "right" } else { "left" };
    Planned::new("click", json!({ "eid": eid, "button": button, "count": times }))
}

pub fn named(value: &str) -> Name {
    Name { text: value.to_owned(), full: value.to_owned(), ..Name::default() }
}
