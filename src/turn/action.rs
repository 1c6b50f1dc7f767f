//! The typed action: a `Call` whose name and parameters have been checked. A model reaches the page only
//! through this type.

use crate::turn::internal_action::InternalAction;
use crate::turn::page_input::fields::FieldInput;
use crate::turn::page_input::mouse::ClickInput;
use crate::turn::page_input::points::PointAction;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Action that an agent can take. JSON does not show the group: all share the tag `action`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Action {
    Page(PageAction),
    Browser(BrowserAction),
    Person(PersonAction),
    Agent(AgentAction),
}

/// Action on the page in front. `eid` is the number of an element in the last observation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum PageAction {
    Click {
        eid: u32,
        #[serde(flatten)]
        click: ClickInput,
    },
    /// Acts at points of the last picture, where there is no element.
    Point(PointAction),
    Type {
        eid: u32,
        text: String,
        clear: bool,
        submit: bool,
    },
    Select {
        eid: u32,
        options: Vec<String>,
    },
    /// Fills several fields in order; `submit` presses Enter in the last text field.
    Fill {
        fields: Vec<FieldInput>,
        submit: bool,
    },
    /// Gives files of the run to a file input.
    Upload {
        eid: u32,
        files: Vec<String>,
    },
    Press {
        key: String,
    },
    Hover {
        eid: u32,
    },
    /// Drags the element `from_eid` and drops it on `to_eid`.
    Drag {
        from_eid: u32,
        to_eid: u32,
    },
    /// Selects words in a text with the mouse; `[[ ]]` marks them within what is around them.
    SelectText {
        text: String,
    },
    /// `amount` in pages; `eid` is a scrollable element, or `None` for the page.
    Scroll {
        direction: Direction,
        amount: f64,
        eid: Option<u32>,
    },
    /// Waits until `text` shows and `gone` does not, for at most `seconds`; without both, waits for `seconds`.
    Wait {
        seconds: f64,
        text: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gone: Option<String>,
    },
    /// Finds elements and texts on the whole page, by words of them; `role` leaves others out.
    Find {
        text: String,
        role: Option<String>,
    },
    /// Answers the open dialog of the page; `text` is the input of a prompt.
    Dialog {
        accept: bool,
        text: Option<String>,
    },
    /// Calls a tool that the page declares.
    #[serde(rename = "page_tool")]
    Tool {
        name: String,
        arguments: Map<String, Value>,
    },
    /// Reads the text, or with `schema` or `format` the rows of a table or of repeated blocks.
    Extract {
        eid: Option<u32>,
        /// JSON Schema of the rows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        schema: Option<Map<String, Value>>,
        /// Format of the file that holds the rows.
        #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
        format: Option<RowFormat>,
    },
}

/// Action of the browser around the page: navigation and tabs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum BrowserAction {
    Navigate {
        url: String,
    },
    Back,
    Forward,
    Reload,
    /// `tab` counts from 1; `None` is the active tab. `url` is for a new tab.
    Tab {
        operation: TabOperation,
        tab: Option<u32>,
        url: Option<String>,
    },
}

/// Request to the person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum PersonAction {
    NeedUser { text: String },
    AskUser { question: String, answer_key: String, options: Vec<String> },
}

/// Action of the agent itself, which needs neither the page nor the person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum AgentAction {
    Stop { response: Option<String> },
    Inner(InternalAction),
}

/// Format of extracted rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowFormat {
    Json,
    Csv,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TabOperation {
    New,
    Switch,
    Close,
}

/// Direction of scrolling, or an end of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
    /// The very top or bottom.
    Top,
    Bottom,
}

/// Reason why a call is not a valid action. The planner receives the text, so it names what would be valid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ActionError {
    #[error("there is no action `{name}`; use one of: {}", known.join(", "))]
    Unknown { name: String, known: Vec<String> },
    #[error("`{action}`: {message}")]
    Params { action: String, message: String },
}

/// Name of the action that calls a tool of the page. It is offered only where the page declares some.
pub const PAGE_TOOL: &str = "page_tool";

/// Names of the actions on a page and with the person (`docs/turns.md`, "Actions"), in the order in which
/// they are offered. `complete` is read as `stop`.
pub const NAMES: [&str; 23] = [
    "navigate",
    "back",
    "forward",
    "reload",
    "click",
    "type",
    "fill",
    "select",
    "press",
    "hover",
    "drag",
    "select_text",
    "scroll",
    "wait",
    "find",
    "upload",
    "dialog",
    "tab",
    "extract",
    PAGE_TOOL,
    "need_user",
    "ask_user",
    "stop",
];

/// Names of the actions that need no page; `extract` then reads files only.
pub const WITHOUT_PAGE: [&str; 3] = ["extract", "ask_user", "stop"];

impl Action {
    /// Returns the name of the action as planners write it; for a call the name of the agent.
    pub fn name(&self) -> &str {
        match self {
            Self::Page(action) => action.name(),
            Self::Browser(action) => action.name(),
            Self::Person(PersonAction::NeedUser { .. }) => "need_user",
            Self::Person(PersonAction::AskUser { .. }) => "ask_user",
            Self::Agent(AgentAction::Stop { .. }) => "stop",
            Self::Agent(AgentAction::Inner(inner)) => inner.name(),
        }
    }

    /// Returns the element of the action, if it has one; for `drag` the target, for `fill` the field in which Enter is
    /// pressed.
    pub fn eid(&self) -> Option<u32> {
        match self {
            Self::Page(action) => action.eid(),
            Self::Browser(_) | Self::Person(_) | Self::Agent(_) => None,
        }
    }

    /// Returns all elements of the action.
    pub fn eids(&self) -> Vec<u32> {
        match self {
            Self::Page(PageAction::Drag { from_eid, to_eid }) => vec![*from_eid, *to_eid],
            Self::Page(PageAction::Fill { fields, .. }) => fields.iter().map(|field| field.eid).collect(),
            other => Vec::from_iter(other.eid()),
        }
    }

    /// Returns the action with its element replaced by `new`; for `drag` the target.
    pub fn with_eid(mut self, new: u32) -> Self {
        if let Self::Page(action) = &mut self
            && let Some(eid) = action.eid_mut()
        {
            *eid = new;
        }
        self
    }

    /// True if the action may change the page, and a new observation is due (S1.27, for all browser actions).
    pub fn changes_page(&self) -> bool {
        match self {
            Self::Page(action) => !matches!(action, PageAction::Extract { .. } | PageAction::Find { .. }),
            Self::Browser(_) => true,
            Self::Person(_) | Self::Agent(_) => false,
        }
    }

    /// Returns the texts that the action types into elements, with their numbers where it names them.
    pub fn typed_texts(&self) -> Vec<(Option<u32>, &str)> {
        match self {
            Self::Page(PageAction::Type { eid, text, .. }) => vec![(Some(*eid), text)],
            Self::Page(PageAction::Point(PointAction::Type { text, .. })) => vec![(None, text)],
            Self::Page(PageAction::Fill { fields, .. }) => {
                fields.iter().filter_map(|field| Some((Some(field.eid), field.text()?))).collect()
            }
            Self::Page(_) | Self::Browser(_) | Self::Person(_) | Self::Agent(_) => Vec::new(),
        }
    }

    /// Returns the options that the action chooses, with the numbers of their lists. A list with suggestions has them typed.
    pub fn chosen_options(&self) -> Vec<(u32, &str)> {
        match self {
            Self::Page(PageAction::Select { eid, options }) => {
                options.iter().map(|option| (*eid, option.as_str())).collect()
            }
            Self::Page(PageAction::Fill { fields, .. }) => fields
                .iter()
                .flat_map(|field| field.options().iter().map(|option| (field.eid, option.as_str())))
                .collect(),
            Self::Page(_) | Self::Browser(_) | Self::Person(_) | Self::Agent(_) => Vec::new(),
        }
    }

    /// Returns the action within the service, if it is one.
    pub fn inner(&self) -> Option<&InternalAction> {
        match self {
            Self::Agent(AgentAction::Inner(inner)) => Some(inner),
            Self::Agent(AgentAction::Stop { .. }) | Self::Page(_) | Self::Browser(_) | Self::Person(_) => {
                None
            }
        }
    }

    /// True if the action calls agents.
    pub fn is_call(&self) -> bool {
        matches!(self.inner(), Some(InternalAction::Agent { .. } | InternalAction::Group { .. }))
    }
}

impl PageAction {
    /// Reports whether the action sends input but operates no control.
    pub fn only_looks(&self) -> bool {
        matches!(self, Self::Hover { .. } | Self::Scroll { .. } | Self::Point(PointAction::Hover { .. }))
    }

    /// True if the action acts on the page, so that what the page sends afterwards may be its effect.
    pub fn sends_input(&self) -> bool {
        match self {
            Self::Click { .. }
            | Self::Point(_)
            | Self::Type { .. }
            | Self::Fill { .. }
            | Self::Select { .. }
            | Self::Upload { .. }
            | Self::Press { .. }
            | Self::Hover { .. }
            | Self::Drag { .. }
            | Self::SelectText { .. }
            | Self::Scroll { .. }
            | Self::Dialog { .. }
            | Self::Tool { .. } => true,
            Self::Wait { .. } | Self::Find { .. } | Self::Extract { .. } => false,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Click { .. } => "click",
            Self::Point(action) => action.name(),
            Self::Fill { .. } => "fill",
            Self::Find { .. } => "find",
            Self::Type { .. } => "type",
            Self::Select { .. } => "select",
            Self::Upload { .. } => "upload",
            Self::Press { .. } => "press",
            Self::Hover { .. } => "hover",
            Self::Drag { .. } => "drag",
            Self::SelectText { .. } => "select_text",
            Self::Scroll { .. } => "scroll",
            Self::Wait { .. } => "wait",
            Self::Dialog { .. } => "dialog",
            Self::Tool { .. } => PAGE_TOOL,
            Self::Extract { .. } => "extract",
        }
    }

    fn eid(&self) -> Option<u32> {
        match self {
            Self::Click { eid, .. }
            | Self::Type { eid, .. }
            | Self::Select { eid, .. }
            | Self::Upload { eid, .. }
            | Self::Hover { eid }
            | Self::Drag { to_eid: eid, .. } => Some(*eid),
            Self::Fill { fields, .. } => last_field(fields).map(|field| field.eid),
            Self::Scroll { eid, .. } | Self::Extract { eid, .. } => *eid,
            Self::Point(_)
            | Self::Press { .. }
            | Self::SelectText { .. }
            | Self::Wait { .. }
            | Self::Find { .. }
            | Self::Tool { .. }
            | Self::Dialog { .. } => None,
        }
    }

    fn eid_mut(&mut self) -> Option<&mut u32> {
        match self {
            Self::Click { eid, .. }
            | Self::Type { eid, .. }
            | Self::Select { eid, .. }
            | Self::Upload { eid, .. }
            | Self::Hover { eid }
            | Self::Drag { to_eid: eid, .. } => Some(eid),
            Self::Scroll { eid, .. } | Self::Extract { eid, .. } => eid.as_mut(),
            // The fields of `fill` are found together or not at all.
            Self::Fill { .. }
            | Self::Point(_)
            | Self::Press { .. }
            | Self::SelectText { .. }
            | Self::Wait { .. }
            | Self::Find { .. }
            | Self::Tool { .. }
            | Self::Dialog { .. } => None,
        }
    }
}

/// Returns the field of `fill` in which Enter is pressed: the last text field, else the last field.
pub fn last_field(fields: &[FieldInput]) -> Option<&FieldInput> {
    fields.iter().rev().find(|field| field.text().is_some()).or_else(|| fields.last())
}

impl BrowserAction {
    fn name(&self) -> &'static str {
        match self {
            Self::Navigate { .. } => "navigate",
            Self::Back => "back",
            Self::Forward => "forward",
            Self::Reload => "reload",
            Self::Tab { .. } => "tab",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::page_input::fields::FieldValue;
    use crate::turn::page_input::points::PicturePoint;
    use serde_json::json;

    // Stored steps hold actions as JSON, in which the group does not appear.
    #[test]
    fn actions_of_all_groups_are_stored_with_one_tag() {
        for (stored, action) in [
            (
                json!({"action": "click", "eid": 3, "button": "left", "count": 1}),
                Action::Page(PageAction::Click { eid: 3, click: ClickInput::once() }),
            ),
            (
                json!({"action": "scroll", "direction": "down", "amount": 1.5, "eid": null}),
                Action::Page(PageAction::Scroll { direction: Direction::Down, amount: 1.5, eid: None }),
            ),
            (
                json!({"action": "point", "input": "click", "at": {"x": 4.0, "y": 5.0}, "button": "left", "count": 1}),
                Action::Page(PageAction::Point(PointAction::Click {
                    at: PicturePoint { x: 4.0, y: 5.0 },
                    click: ClickInput::once(),
                })),
            ),
            (
                json!({"action": "fill", "fields": [{"eid": 2, "checked": true}], "submit": false}),
                Action::Page(PageAction::Fill {
                    fields: vec![FieldInput { eid: 2, value: FieldValue::Checked(true) }],
                    submit: false,
                }),
            ),
            (json!({"action": "back"}), Action::Browser(BrowserAction::Back)),
            (
                json!({"action": "tab", "operation": "new", "tab": null, "url": "http://a.b"}),
                Action::Browser(BrowserAction::Tab {
                    operation: TabOperation::New,
                    tab: None,
                    url: Some(String::from("http://a.b")),
                }),
            ),
            (
                json!({"action": "need_user", "text": "log in"}),
                Action::Person(PersonAction::NeedUser { text: String::from("log in") }),
            ),
            (
                json!({"action": "stop", "response": null}),
                Action::Agent(AgentAction::Stop { response: None }),
            ),
            (
                json!({"action": "inner", "inner": "replan", "reason": "stuck"}),
                Action::Agent(AgentAction::Inner(InternalAction::Replan { reason: String::from("stuck") })),
            ),
        ] {
            assert_eq!(json!(action).to_string(), stored.to_string());
            assert_eq!(serde_json::from_value::<Action>(stored).unwrap(), action);
        }
    }
}
