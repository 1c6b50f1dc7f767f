//! Operation of the browser: an action, parsed once. An action that is added to `PageAction` or `BrowserAction` does
//! not compile before it is one of these, and each of these is carried out in one place.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::action_trace::TracedAction;
use crate::browser::input::navigate::NavigationTarget;
use crate::browser::input::reading::PageReading;
use crate::browser::input::reading::extract_rows::RowsOrder;
use crate::browser::input::reading::wait::{self, TextWait};
use crate::browser::page::held_requests::TypedTexts;
use crate::turn::action::{Action, BrowserAction, Direction, PageAction, TabOperation};
use crate::turn::page_input::fields::FieldInput;
use crate::turn::page_input::mouse::ClickInput;
use crate::turn::page_input::points::PointAction;
use serde_json::{Map, Value};
use std::time::Duration;

/// Action, by the way in which the browser carries it out.
pub enum BrowserOperation {
    AnswerDialog {
        accept: bool,
        text: Option<String>,
    },
    CallTool {
        name: String,
        arguments: Map<String, Value>,
    },
    /// `number` counts from 1; `None` is the tab in front. `url` is for a new tab.
    ChangeTab {
        change: TabOperation,
        number: Option<u32>,
        url: Option<String>,
    },
    Navigate(NavigationTarget),
    SendInput(InputOrder),
    Read(PageReading),
    Sleep(Duration),
    WaitForText(TextWait),
}

/// Behaviour of an operation while a dialog is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDialog {
    Answer,
    /// Goes elsewhere, which dismisses the dialog.
    Leave,
    Fail,
}

/// Order to send input, with what is recorded before it.
pub struct InputOrder {
    pub action: InputAction,
    /// Elements whose states the trace of the action compares.
    pub eids: Vec<u32>,
    pub typed: TypedTexts,
}

/// Action that sends mouse or key events, or sets fields.
pub enum InputAction {
    Click { eid: u32, click: ClickInput },
    Point(PointAction),
    Hover { eid: u32 },
    Drag { from_eid: u32, to_eid: u32 },
    SelectText { text: String },
    Type { eid: u32, text: String, clear: bool, submit: bool },
    Fill { fields: Vec<FieldInput>, submit: bool },
    Select { eid: u32, options: Vec<String> },
    Upload { eid: u32, files: Vec<String> },
    Press { key: String },
    Scroll { direction: Direction, amount: f64, eid: Option<u32> },
}

/// Events that only the frames of these elements may receive.
pub struct IsolatedEvents {
    /// Name of the events in messages.
    pub what: &'static str,
    pub eids: Vec<u32>,
}

impl BrowserOperation {
    /// Parses an action. Fails if it is none of the browser.
    pub fn parse(action: Action) -> Result<Self, PageError> {
        let (eids, typed) = (action.eids(), TypedTexts::of_action(&action));
        let send = |action: InputAction| Self::SendInput(InputOrder { action, eids, typed });
        match action {
            Action::Page(action) => Ok(Self::parse_page_action(action, send)),
            Action::Browser(action) => Ok(Self::parse_browser_action(action)),
            Action::Person(_) | Action::Agent(_) => {
                Err(PageError::new(ErrorCode::NotABrowserAction, "a browser cannot do this action"))
            }
        }
    }

    fn parse_page_action(action: PageAction, send: impl FnOnce(InputAction) -> Self) -> Self {
        match action {
            PageAction::Click { eid, click } => send(InputAction::Click { eid, click }),
            PageAction::Point(action) => send(InputAction::Point(action)),
            PageAction::Hover { eid } => send(InputAction::Hover { eid }),
            PageAction::Drag { from_eid, to_eid } => send(InputAction::Drag { from_eid, to_eid }),
            PageAction::SelectText { text } => send(InputAction::SelectText { text }),
            PageAction::Type { eid, text, clear, submit } => {
                send(InputAction::Type { eid, text, clear, submit })
            }
            PageAction::Fill { fields, submit } => send(InputAction::Fill { fields, submit }),
            PageAction::Select { eid, options } => send(InputAction::Select { eid, options }),
            PageAction::Upload { eid, files } => send(InputAction::Upload { eid, files }),
            PageAction::Press { key } => send(InputAction::Press { key }),
            PageAction::Scroll { direction, amount, eid } => {
                send(InputAction::Scroll { direction, amount, eid })
            }
            PageAction::Wait { seconds, text: None, gone: None } => Self::Sleep(wait::duration(seconds)),
            PageAction::Wait { seconds, text, gone } => Self::WaitForText(TextWait { text, gone, seconds }),
            PageAction::Find { text, role } => Self::Read(PageReading::Find { text, role }),
            PageAction::Extract { eid, schema: None, format: None } => Self::Read(PageReading::Text { eid }),
            PageAction::Extract { eid, schema, format } => {
                Self::Read(PageReading::Rows(RowsOrder { eid, schema, format }))
            }
            PageAction::Tool { name, arguments } => Self::CallTool { name, arguments },
            PageAction::Dialog { accept, text } => Self::AnswerDialog { accept, text },
        }
    }

    fn parse_browser_action(action: BrowserAction) -> Self {
        match action {
            BrowserAction::Navigate { url } => Self::Navigate(NavigationTarget::Address(url)),
            BrowserAction::Back => Self::Navigate(NavigationTarget::History(-1)),
            BrowserAction::Forward => Self::Navigate(NavigationTarget::History(1)),
            BrowserAction::Reload => Self::Navigate(NavigationTarget::Reload),
            BrowserAction::Tab { operation, tab, url } => {
                Self::ChangeTab { change: operation, number: tab, url }
            }
        }
    }

    /// Returns what the operation does with a dialog that is open.
    pub fn on_dialog(&self) -> OnDialog {
        match self {
            Self::AnswerDialog { .. } => OnDialog::Answer,
            Self::Navigate(_) | Self::ChangeTab { .. } => OnDialog::Leave,
            Self::CallTool { .. }
            | Self::SendInput(_)
            | Self::Read(_)
            | Self::Sleep(_)
            | Self::WaitForText(_) => OnDialog::Fail,
        }
    }
}

impl InputAction {
    /// Returns the kind of the action, as far as its trace depends on it.
    pub fn traced(&self) -> TracedAction {
        TracedAction {
            at_point: matches!(self, Self::Point(_)),
            fills: matches!(self, Self::Type { .. } | Self::Fill { .. } | Self::Select { .. }),
            switches: matches!(self, Self::Click { click, .. } if *click == ClickInput::once()),
            submits: matches!(self, Self::Type { submit: true, .. } | Self::Fill { submit: true, .. }),
            typed: self.typed_texts(),
        }
    }

    /// Returns the texts that are typed into fields and stay there: a submitted form may empty them.
    fn typed_texts(&self) -> Vec<(u32, String)> {
        let typed: Vec<(u32, &str)> = match self {
            Self::Type { eid, text, submit: false, .. } => vec![(*eid, text)],
            Self::Fill { fields, submit: false } => {
                fields.iter().filter_map(|field| Some((field.eid, field.text()?))).collect()
            }
            _ => Vec::new(),
        };
        let stays = typed.into_iter().filter(|(_, text)| !text.trim().is_empty());
        stays.map(|(eid, text)| (eid, text.to_owned())).collect()
    }

    /// Reports whether the first command of the action is input.
    pub fn begins_with_input(&self) -> bool {
        matches!(self, Self::Press { .. } | Self::Point(_))
    }

    /// Returns the events from which frames of other sites are isolated; `None` if the action sends none, or isolates
    /// them itself. `focus_eid` is the element that has the focus.
    pub fn isolated_events(&self, focus_eid: Option<u32>) -> Option<IsolatedEvents> {
        let (what, eids) = match self {
            Self::Select { eid, .. } | Self::Upload { eid, .. } => ("the click", vec![*eid]),
            Self::Type { eid, .. } => ("what was typed", vec![*eid]),
            Self::Fill { fields, .. } => ("what was typed", fields.iter().map(|field| field.eid).collect()),
            Self::Press { .. } => ("the key", vec![focus_eid?]),
            Self::Drag { from_eid, to_eid } => ("what was dragged", vec![*from_eid, *to_eid]),
            // Isolated once the pointer is there.
            Self::Click { .. } => return None,
            // The target of a point may itself be in a frame of another site.
            Self::Point(_) => return None,
            // Its frame is known only when the words are found.
            Self::SelectText { .. } => return None,
            // Frames may see the pointer move and the wheel turn: nothing is pressed.
            Self::Hover { .. } | Self::Scroll { .. } => return None,
        };
        Some(IsolatedEvents { what, eids })
    }
}
