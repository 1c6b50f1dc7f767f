//! The typed action: a `Call` whose name and parameters have been checked. A model reaches the page only
//! through this type.

use crate::turn::internal_action::InternalAction;
use serde::{Deserialize, Serialize};

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
        button: Button,
        count: u32,
    },
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
    /// `amount` in pages; `eid` is a scrollable element, or `None` for the page.
    Scroll {
        direction: Direction,
        amount: f64,
        eid: Option<u32>,
    },
    /// Waits until `text` shows, for at most `seconds`; without `text`, waits for `seconds`.
    Wait {
        seconds: f64,
        text: Option<String>,
    },
    /// Answers the open dialog of the page; `text` is the input of a prompt.
    Dialog {
        accept: bool,
        text: Option<String>,
    },
    Extract {
        eid: Option<u32>,
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Button {
    #[default]
    Left,
    Middle,
    Right,
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

/// Names of the actions on a page and with the person (`docs/turns.md`, "Actions"), in the order in which
/// they are offered. `complete` is read as `stop`.
pub const NAMES: [&str; 19] = [
    "navigate",
    "back",
    "forward",
    "reload",
    "click",
    "type",
    "select",
    "press",
    "hover",
    "drag",
    "scroll",
    "wait",
    "upload",
    "dialog",
    "tab",
    "extract",
    "need_user",
    "ask_user",
    "stop",
];

/// Names of the actions that need no page.
pub const WITHOUT_PAGE: [&str; 2] = ["ask_user", "stop"];

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

    /// Returns the element of the action, if it has one; for `drag` the target.
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
            Self::Page(action) => !matches!(action, PageAction::Extract { .. }),
            Self::Browser(_) => true,
            Self::Person(_) | Self::Agent(_) => false,
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
        matches!(self, Self::Hover { .. } | Self::Scroll { .. })
    }

    /// True if the action acts on the page, so that what the page sends afterwards may be its effect.
    pub fn sends_input(&self) -> bool {
        match self {
            Self::Click { .. }
            | Self::Type { .. }
            | Self::Select { .. }
            | Self::Upload { .. }
            | Self::Press { .. }
            | Self::Hover { .. }
            | Self::Drag { .. }
            | Self::Scroll { .. }
            | Self::Dialog { .. } => true,
            Self::Wait { .. } | Self::Extract { .. } => false,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Click { .. } => "click",
            Self::Type { .. } => "type",
            Self::Select { .. } => "select",
            Self::Upload { .. } => "upload",
            Self::Press { .. } => "press",
            Self::Hover { .. } => "hover",
            Self::Drag { .. } => "drag",
            Self::Scroll { .. } => "scroll",
            Self::Wait { .. } => "wait",
            Self::Dialog { .. } => "dialog",
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
            Self::Scroll { eid, .. } | Self::Extract { eid } => *eid,
            Self::Press { .. } | Self::Wait { .. } | Self::Dialog { .. } => None,
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
            Self::Scroll { eid, .. } | Self::Extract { eid } => eid.as_mut(),
            Self::Press { .. } | Self::Wait { .. } | Self::Dialog { .. } => None,
        }
    }
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
    use serde_json::json;

    // Stored steps hold actions as JSON, in which the group does not appear.
    #[test]
    fn actions_of_all_groups_are_stored_with_one_tag() {
        for (stored, action) in [
            (
                json!({"action": "click", "eid": 3, "button": "left", "count": 1}),
                Action::Page(PageAction::Click { eid: 3, button: Button::Left, count: 1 }),
            ),
            (
                json!({"action": "scroll", "direction": "down", "amount": 1.5, "eid": null}),
                Action::Page(PageAction::Scroll { direction: Direction::Down, amount: 1.5, eid: None }),
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
