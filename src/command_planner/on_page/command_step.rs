//! The step for a command on a page, and helpers shared by all commands: find the element, look for it, or
//! report what is missing.

use crate::command_planner::grammar::command::ElementRef;
use crate::command_planner::on_page::find::{ElementUse, FindResult, find};
use crate::command_planner::plan_request::MAX_OBSERVATIONS;
use crate::command_planner::turns::PlannedAction;
use crate::page::observation::{Line, Observation};
use crate::protocol::Locale;
use serde_json::json;

/// Context of a command.
#[derive(Clone, Copy, Debug)]
pub struct StepContext<'a> {
    pub page: Option<&'a Observation>,
    /// Number of earlier actions that looked for the element.
    pub searches: usize,
    /// True if the run has gone back in the history of its tab.
    pub went_back: bool,
    pub locale: Locale,
    /// Names of the run's files.
    pub files: &'a [String],
}

/// Next step for a command.
#[derive(Clone, Debug, PartialEq)]
pub enum CommandStep {
    Act(PlannedAction),
    /// The element is not visible yet; the action may bring it into the next observation.
    Search(PlannedAction),
    /// The page is already in the wanted state.
    Nothing,
    /// The command is `stop`.
    Finish,
    Missing(MissingPart),
}

/// Reason why a command cannot be carried out here.
#[derive(Clone, Debug, PartialEq)]
pub enum MissingPart {
    Element {
        name: String,
        want: ElementUse,
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
    /// No file is named, and the run does not have exactly one.
    WhichFile {
        there: Vec<String>,
    },
    /// No field is named, and the page does not have exactly one that accepts files.
    FileField {
        fields: Vec<String>,
    },
    Meaning,
}

/// Acts on the element of this name, looks for it, or reports what is missing.
pub fn act_on_element<'a>(
    name: &ElementRef,
    want: ElementUse,
    setting: &StepContext<'a>,
    act: impl FnOnce(&'a Line, u32) -> CommandStep,
) -> CommandStep {
    let Some(page) = setting.page else { return CommandStep::Missing(MissingPart::Page) };
    match find(page, name, want) {
        FindResult::One(line, _) => match line.eid {
            Some(eid) => act(line, eid),
            None => CommandStep::Missing(MissingPart::Page),
        },
        FindResult::Disabled(line) => {
            search_or_report(page, setting, MissingPart::Disabled { name: line.name.clone() })
        }
        FindResult::Nothing => {
            search_or_report(page, setting, MissingPart::Element { name: display_name(name), want })
        }
    }
}

/// The name as the person wrote it, with the word for its kind (`Pay now button`).
pub fn display_name(name: &ElementRef) -> String {
    if name.full.is_empty() { name.text.clone() } else { name.full.clone() }
}

/// Looks for a missing element: first waits, then scrolls if the page continues below.
pub fn search_or_report(page: &Observation, setting: &StepContext<'_>, missing: MissingPart) -> CommandStep {
    let more_below = page.scroll.0 < page.scroll.1;
    match setting.searches {
        0 => CommandStep::Search(PlannedAction::new("wait", json!({ "seconds": 1.0, "text": null }))),
        searches
            if searches + 1 < MAX_OBSERVATIONS
                && more_below
                && matches!(missing, MissingPart::Element { .. }) =>
        {
            CommandStep::Search(PlannedAction::new(
                "scroll",
                json!({ "direction": "down", "amount": 1.0, "eid": null }),
            ))
        }
        searches if searches + 1 < MAX_OBSERVATIONS => {
            CommandStep::Search(PlannedAction::new("wait", json!({ "seconds": 2.0, "text": null })))
        }
        _ => CommandStep::Missing(missing),
    }
}

pub fn click(eid: u32, times: u32, right: bool) -> PlannedAction {
    let button = if right { "right" } else { "left" };
    PlannedAction::new("click", json!({ "eid": eid, "button": button, "count": times }))
}

pub fn element_named(value: &str) -> ElementRef {
    ElementRef { text: value.to_owned(), full: value.to_owned(), ..ElementRef::default() }
}
