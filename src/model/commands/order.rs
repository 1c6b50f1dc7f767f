//! Orders: what a sentence asks for, before any look at a page. Where the words leave open what is
//! value and what is name (`type salt in water in Notes`), all readings are kept, best first, and
//! the page decides.

use super::kinds::Kind;
use crate::turn::action::Direction;

/// One order with the words that it was given in.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    pub said: String,
    /// The order exactly as typed, words of courtesy included; secrets are masked.
    pub typed: String,
    pub wish: Wish,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    Open {
        place: Name,
    },
    Click {
        name: Name,
        times: u32,
        right: bool,
    },
    /// A key if the page has nothing clickable of this name.
    PressOrClick {
        key: String,
        name: Name,
    },
    Press {
        key: String,
    },
    Type {
        readings: Vec<Reading>,
    },
    /// Typed or selected, as the field turns out to be.
    Set {
        readings: Vec<Reading>,
    },
    Select {
        readings: Vec<Reading>,
    },
    Check {
        name: Name,
        on: bool,
    },
    Hover {
        name: Name,
    },
    /// Gives files of the run to a field; a reading without values means the only file there is.
    Upload {
        readings: Vec<Reading>,
    },
    Drag {
        from: Name,
        to: Name,
    },
    Scroll {
        direction: Direction,
        pages: f64,
        within: Option<Name>,
    },
    ScrollTo {
        name: Name,
    },
    Wait {
        seconds: f64,
        text: Option<String>,
    },
    Back,
    Forward,
    Reload,
    Read {
        name: Option<Name>,
    },
    NeedUser,
    Stop,
    /// Words that fit nothing.
    Unclear {
        why: Unclear,
    },
}

/// Why words are no order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unclear {
    /// They begin with no verb that is known.
    NoVerb,
    /// A verb that says nothing of what: `click`.
    NoObject,
}

/// One way to read an order about a value and a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    pub values: Vec<String>,
    pub field: Option<Name>,
}

/// How an order names an element.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Name {
    /// Without article and noun: `Sign in` of `the Sign in button`.
    pub text: String,
    /// With them, for elements whose name contains such a word.
    pub full: String,
    pub kind: Option<Kind>,
    /// Which of several of that name: 1, 2 … or -1 for the last.
    pub nth: Option<i32>,
    /// What it stands next to: `Add to cart` near `Blue lamp`.
    pub near: Option<Box<Name>>,
}
