//! What can go wrong with a page, in words that let a planner mend its step, and what can go wrong
//! with Chromium, in words that let a person mend the machine.

use crate::page::dialog::Dialog;
use crate::turn::blot;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Why a look or an action failed. `message` says what would be right.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct Fault {
    pub code: Code,
    pub message: String,
}

/// The kinds of faults, as they stand on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The element is gone, or never was.
    DeadEid,
    /// It is something else by now than what was shown.
    ChangedEid,
    Hidden,
    Disabled,
    /// Something else lies over the element.
    Covered,
    ZeroSize,
    Inert,
    /// It does not stand still.
    Moving,
    NotEditable,
    Readonly,
    /// `select` on something that is no list of options, or shows none.
    NotSelect,
    /// The list has no such option, or takes one only.
    InvalidOption,
    /// A date, colour or range field that takes no such value.
    BadValue,
    /// Nothing took what was dropped there.
    NotTaken,
    /// `upload` on what takes no file.
    NoFileField,
    /// The field takes one file.
    OneFile,
    /// The run has no such file.
    NoFile,
    InvalidKey,
    /// Another element has the focus than the one that the key was for.
    FocusMoved,
    /// A secret by name is not for this field or site.
    SecretMisplaced,
    BadUrl,
    NavigationFailed,
    /// It led to an address that is closed to the agent, and was not opened.
    Blocked,
    Timeout,
    /// The page's own scripts leave it no moment to answer.
    Unresponsive,
    BrowserCrashed,
    /// Something with an effect was under way when Chromium ended.
    OutcomeUnknown,
    BrowserFailed,
    LeaseHeld,
    NoLease,
    NoPage,
    /// The page has opened a dialog, and waits.
    DialogOpen,
    /// `dialog` where none is open.
    NoDialog,
    /// Not for the browser at all, as `stop` or `ask_user`.
    NotABrowserAction,
    /// Chromium refused a command, or the page's own scripts stood in the way.
    Protocol,
}

impl Code {
    pub const ALL: [Self; 35] = [
        Self::DeadEid,
        Self::ChangedEid,
        Self::Hidden,
        Self::Disabled,
        Self::Covered,
        Self::ZeroSize,
        Self::Inert,
        Self::Moving,
        Self::NotEditable,
        Self::Readonly,
        Self::NotSelect,
        Self::InvalidOption,
        Self::BadValue,
        Self::NotTaken,
        Self::NoFileField,
        Self::OneFile,
        Self::NoFile,
        Self::InvalidKey,
        Self::FocusMoved,
        Self::SecretMisplaced,
        Self::BadUrl,
        Self::NavigationFailed,
        Self::Blocked,
        Self::Timeout,
        Self::Unresponsive,
        Self::BrowserCrashed,
        Self::OutcomeUnknown,
        Self::BrowserFailed,
        Self::LeaseHeld,
        Self::NoLease,
        Self::NoPage,
        Self::DialogOpen,
        Self::NoDialog,
        Self::NotABrowserAction,
        Self::Protocol,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Self::DeadEid => "dead_eid",
            Self::ChangedEid => "changed_eid",
            Self::Hidden => "hidden",
            Self::Disabled => "disabled",
            Self::Covered => "covered",
            Self::ZeroSize => "zero_size",
            Self::Inert => "inert",
            Self::Moving => "moving",
            Self::NotEditable => "not_editable",
            Self::Readonly => "readonly",
            Self::NotSelect => "not_select",
            Self::InvalidOption => "invalid_option",
            Self::BadValue => "bad_value",
            Self::NotTaken => "not_taken",
            Self::NoFileField => "no_file_field",
            Self::OneFile => "one_file",
            Self::NoFile => "no_file",
            Self::InvalidKey => "invalid_key",
            Self::FocusMoved => "focus_moved",
            Self::SecretMisplaced => "secret_misplaced",
            Self::BadUrl => "bad_url",
            Self::NavigationFailed => "navigation_failed",
            Self::Blocked => "blocked",
            Self::Timeout => "timeout",
            Self::Unresponsive => "unresponsive",
            Self::BrowserCrashed => "browser_crashed",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::BrowserFailed => "browser_failed",
            Self::LeaseHeld => "lease_held",
            Self::NoLease => "no_lease",
            Self::NoPage => "no_page",
            Self::DialogOpen => "dialog_open",
            Self::NoDialog => "no_dialog",
            Self::NotABrowserAction => "not_a_browser_action",
            Self::Protocol => "protocol",
        }
    }

    /// The page script names its faults by these words, and by two finer ones.
    pub fn from_word(word: &str) -> Self {
        if matches!(word, "no_option" | "one_option") {
            return Self::InvalidOption;
        }
        Self::ALL.into_iter().find(|code| code.word() == word).unwrap_or(Self::Protocol)
    }
}

impl Fault {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    pub fn crashed() -> Self {
        Self::new(
            Code::BrowserCrashed,
            "the page's browser went away; look again: it is opened anew where it was",
        )
    }

    /// An action with an effect was under way: whether it took place, only the page can tell.
    pub fn outcome_unknown() -> Self {
        Self::new(
            Code::OutcomeUnknown,
            "Chromium ended while this was being done; its outcome is unknown: look at the page and check whether it was done before doing it again",
        )
    }

    pub fn tab_closed() -> Self {
        Self::new(Code::NoPage, "the tab was closed; look again: another one is in front now")
    }

    pub fn slow(what: &str, patience: Duration) -> Self {
        Self::new(Code::Timeout, format!("{what} was not answered within {} s", patience.as_secs()))
    }

    /// As often as a script was tried, another document came.
    pub fn restless_documents() -> Self {
        Self::new(
            Code::Protocol,
            "the page goes on from document to document and never rests; wait a moment, or go elsewhere",
        )
    }

    /// The page's scripts never yield.
    pub fn unresponsive(patience: Duration) -> Self {
        let message = format!(
            "the page does not answer ({} s): its scripts never pause; go elsewhere, back, or reload",
            patience.as_secs()
        );
        Self::new(Code::Unresponsive, message)
    }

    pub fn lease_held() -> Self {
        Self::new(Code::LeaseHeld, "the person is in control of the page; wait until they hand it back")
    }

    /// The frame that a script ran in went elsewhere, or its process away.
    pub fn is_lost_frame(&self) -> bool {
        self.is_lost_document() || matches!(self.code, Code::NoPage | Code::BrowserCrashed)
    }

    pub fn dialog_open(dialog: &Dialog) -> Self {
        let asked = blot::cut(&dialog.message, 200);
        let message = format!(
            "the page asks ({}): \"{asked}\", and waits; answer it with dialog {{accept, text?}}, or leave the page, before anything else",
            dialog.kind
        );
        Self::new(Code::DialogOpen, message)
    }

    /// The document that a script ran in went away under it: a navigation, not a defect.
    pub fn is_lost_document(&self) -> bool {
        self.code == Code::Protocol && LOST_DOCUMENT.iter().any(|words| self.message.contains(words))
    }
}

/// How Chromium, or we ourselves, say that the document is not there any more.
const LOST_DOCUMENT: [&str; 6] = [
    "from document to document",
    "context was destroyed",
    "Cannot find context",
    "navigated or closed",
    "No frame for given id",
    "No frame with given id",
];

/// Ways to a Chromium, by the systems that the service runs on. In a clone of the sources `make run` does the same.
pub const INSTALL_CHROMIUM: &str = "install it (`apt install chromium`, `dnf install chromium`, `pacman -S chromium`, `apk add chromium` or `brew install --cask chromium`; Google Chrome will do, too), or set browser.executable";

/// Why there is no browser. Each says what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BrowserError {
    #[error("no chromium found on this machine; {INSTALL_CHROMIUM}; `askfirst doctor` checks it")]
    NotFound,
    #[error("browser.executable: cannot start {path}: {reason}")]
    NotStarted { path: String, reason: String },
    #[error("chromium did not start within {seconds} s; its last words: {last}")]
    TooSlow { seconds: u64, last: String },
    #[error("chromium ended while starting; its last words: {last}; `askfirst doctor` checks the machine")]
    EndedEarly { last: String },
    #[error(
        "browser.cdp_url: cannot connect to {url}: {reason}; is that browser running with --remote-debugging-port?"
    )]
    NotConnected { url: String, reason: String },
    #[error("a profile lives in a chromium of this service; browser.cdp_url names one elsewhere")]
    ProfileElsewhere,
    #[error("another task is using the browser profile \"{name}\"; try again when it has ended")]
    ProfileTaken { name: String },
    #[error("chromium's way out cannot be opened: {reason}")]
    Proxy { reason: String },
    #[error("the profile folder {path}: {reason}")]
    Profile { path: String, reason: String },
    #[error("the browser is shutting down")]
    ShuttingDown,
}

impl BrowserError {
    pub fn code(&self) -> &'static str {
        Code::BrowserFailed.word()
    }
}

impl From<BrowserError> for Fault {
    fn from(error: BrowserError) -> Self {
        Self::new(Code::BrowserFailed, error.to_string())
    }
}
