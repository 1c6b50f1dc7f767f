//! Parsed commands, before they are resolved on a page. If a sentence is ambiguous about value and name
//! (`type salt in water in Notes`), all readings are kept, best first, and the page decides.

use crate::command_planner::grammar::element_kinds::ElementKind;
use crate::turn::action::Direction;

/// A command with its words.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainCommand {
    pub text: String,
    /// The command exactly as typed, including courtesies; secrets are masked.
    pub typed: String,
    pub wish: CommandAction,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CommandAction {
    Open {
        element: ElementRef,
    },
    Click {
        name: ElementRef,
        times: u32,
        right: bool,
        manner: ClickManner,
    },
    /// Presses a key unless the page has a clickable element of this name.
    PressOrClick {
        key: String,
        name: ElementRef,
    },
    Press {
        key: String,
    },
    Type {
        readings: Vec<FieldReading>,
    },
    /// Fills several fields in one action; `whole` reads the words as one field, for a page without such fields.
    Fill {
        fields: Vec<FieldReading>,
        whole: Vec<FieldReading>,
    },
    /// Types or selects, depending on the field.
    Set {
        readings: Vec<FieldReading>,
    },
    Select {
        readings: Vec<FieldReading>,
    },
    Check {
        name: ElementRef,
        on: bool,
    },
    Hover {
        name: ElementRef,
    },
    /// Uploads files of the run to a field; a reading without values means the run's only file.
    Upload {
        readings: Vec<FieldReading>,
    },
    Drag {
        from: ElementRef,
        to: ElementRef,
    },
    Scroll {
        direction: Direction,
        pages: f64,
        within: Option<ElementRef>,
    },
    ScrollTo {
        name: ElementRef,
    },
    Wait {
        seconds: f64,
        text: Option<String>,
        /// Text that is to disappear.
        gone: Option<String>,
    },
    /// Finds a text on the whole page.
    Find {
        text: String,
    },
    Back,
    Forward,
    Reload,
    Read {
        name: Option<ElementRef>,
        rows: Option<WantedRows>,
    },
    /// Calls a tool that the page declares.
    Tool {
        name: String,
        arguments: Vec<(String, String)>,
    },
    NeedUser,
    Stop,
    /// A text that is no command.
    Unclear {
        why: ParseFault,
    },
}

/// Keys held during a click, and its length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClickManner {
    pub modifiers: Vec<&'static str>,
    pub hold_ms: u32,
}

/// Rows that a command reads into a file.
#[derive(Clone, Debug, PartialEq)]
pub struct WantedRows {
    /// Format of the file: `csv` or `json`.
    pub format: &'static str,
    /// Names of the columns; empty for those of the page.
    pub columns: Vec<String>,
}

/// Reason why a text is no command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseFault {
    /// The text does not begin with a known verb.
    NoVerb,
    /// The verb lacks an object: `click`.
    NoObject,
}

/// A possible reading of a command with a value and a field.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldReading {
    pub values: Vec<String>,
    pub field: Option<ElementRef>,
}

/// Reference to an element in a command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ElementRef {
    /// Without article and noun: `Sign in` for `the Sign in button`.
    pub text: String,
    /// With article and noun, for elements whose names contain them.
    pub full: String,
    pub kind: Option<ElementKind>,
    /// Position among elements of the same name: 1, 2 … or -1 for the last.
    pub nth: Option<i32>,
    /// A neighbouring element: `Add to cart` near `Blue lamp`.
    pub near: Option<Box<ElementRef>>,
}
