//! Effects of an action as codes with values. The texts for planners and for people are written from them.

use serde::{Deserialize, Serialize};

/// Effect of an action, or something to know about what it read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub enum ActionEffect {
    /// A message that the page shows about the action, in a live region or a toast.
    Says {
        text: String,
    },
    /// The page has this main heading in place of another one.
    HeadingNow {
        text: String,
    },
    /// The page has this address now.
    Moved {
        url: String,
    },
    /// An element of the action has changed; `among` is true if the action has others.
    ElementChanged {
        eid: u32,
        among: bool,
        changes: Vec<StateChange>,
    },
    Opened(PageThing),
    Closed(PageThing),
    FocusMoved(PageThing),
    /// These words of a text are selected.
    TextSelected {
        text: String,
    },
    /// Number of new parts of the page; `text` are the words of the only one.
    Appeared {
        count: usize,
        text: String,
    },
    Scrolled,
    /// The element of the action is gone.
    ElementGone,
    SomethingGone,
    PageChanged,
    LooksChanged,
    NothingBesideDrawing,
    NothingChanged,
    RequestsSent {
        count: usize,
    },
    RequestOpen,
    SecretTyped,
    /// A new tab is in front, at this place among so many.
    TabOpened {
        number: u32,
        count: u32,
    },
    DialogAsks {
        message: String,
    },
    DownloadComing,
    /// The page sent the form by itself when this element was set, so that other fields were not filled.
    SentByItself {
        eid: u32,
        unfilled: Vec<u32>,
        enter_left_out: bool,
    },
    /// The form of a tool of the page is filled in and not sent.
    ToolFormFilled,
    /// Rows were stored in a file.
    RowsStored {
        count: usize,
        file: String,
    },
    /// Rows after the first `most` were left out.
    RowsOverBound {
        count: usize,
        most: usize,
    },
    /// Columns with values that were left empty, as they have another type, each with their number.
    ValuesUnfit {
        names: Vec<String>,
    },
    /// Nothing on the page stands for these names of the schema.
    ColumnsMissing {
        names: Vec<String>,
    },
    /// Names of the schema that are no fields of a row.
    NamesUnread {
        names: Vec<String>,
    },
    RowsFromModel,
    /// Values that a model gave and the page does not show, each with its name.
    ValuesInvented {
        values: Vec<String>,
        more: usize,
    },
    /// Rows that a model gave and of which the page shows nothing.
    RowsInvented {
        count: usize,
    },
    /// Required fields without a value in some rows.
    FieldsLacking {
        names: Vec<String>,
        more: usize,
    },
    /// Parts of the text that were not read, each with the reason, for planners.
    TextUnread {
        parts: Vec<String>,
        more: usize,
    },
    /// A model gave no rows, and those of the page's structure stand instead.
    ModelGaveNoRows,
    /// Pages of a PDF whose text was returned, of so many.
    PagesRead {
        pages: Vec<u32>,
        of: u32,
    },
    /// Pages that were asked for and left out, as the text would be too long.
    PagesLeft {
        pages: Vec<u32>,
    },
    /// Pages whose pictures are left out, as they show a secret.
    PicturesHidden {
        pages: Vec<u32>,
    },
}

/// Dialog, menu, field or the like by its role and name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageThing {
    pub role: String,
    pub name: String,
}

/// Change of an element's state or value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum StateChange {
    On { state: String },
    Off { state: String },
    Value { value: String },
    SameValue { value: String },
}
