//! Errors of pages, worded so that a planner can correct its step, and errors of Chromium, worded so that a
//! person can repair the machine.

use crate::page::observation::PageDialog;
use crate::text::truncate;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Error of an observation or an action. `message` says what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct PageError {
    pub code: ErrorCode,
    pub message: String,
}

/// Error codes, as used in the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The element is gone or never existed.
    DeadEid,
    /// The element is no longer the one that was shown.
    ChangedEid,
    Hidden,
    Disabled,
    /// Another element lies over the element.
    Covered,
    ZeroSize,
    Inert,
    /// The element does not stand still.
    Moving,
    NotEditable,
    Readonly,
    /// `select` on an element that is not a list of options, or shows none.
    NotSelect,
    /// The list has no such option, or accepts only one.
    InvalidOption,
    /// A date, colour or range field does not accept the value.
    BadValue,
    /// The drop target did not accept the dragged element.
    NotTaken,
    /// `upload` on an element that accepts no file.
    NoFileField,
    /// The field accepts only one file.
    OneFile,
    /// The run has no such file.
    NoFile,
    InvalidKey,
    /// The focus is on another element than the one that the key was for.
    FocusMoved,
    /// The named secret is not for this field or site.
    SecretMisplaced,
    BadUrl,
    NavigationFailed,
    /// Navigation to an address that the URL policy blocks; the page was not opened.
    Blocked,
    Timeout,
    /// The page's scripts never yield, so it does not answer.
    Unresponsive,
    BrowserCrashed,
    /// Chromium ended during an action with an effect.
    OutcomeUnknown,
    BrowserFailed,
    LeaseHeld,
    NoLease,
    NoPage,
    /// The page has opened a dialog and waits for the answer.
    DialogOpen,
    /// `dialog` while none is open.
    NoDialog,
    /// The action is not for the browser, such as `stop` or `ask_user`.
    NotABrowserAction,
    /// Chromium refused a command, or the page's own scripts prevented it.
    Protocol,
}

impl ErrorCode {
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

    /// Parses a code of the page script, which uses these words and two finer ones.
    pub fn from_word(word: &str) -> Self {
        if matches!(word, "no_option" | "one_option") {
            return Self::InvalidOption;
        }
        Self::ALL.into_iter().find(|code| code.word() == word).unwrap_or(Self::Protocol)
    }
}

impl PageError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    pub fn crashed() -> Self {
        Self::new(
            ErrorCode::BrowserCrashed,
            "the page's browser went away; look again: it is opened anew where it was",
        )
    }

    /// Error for an action with an effect that was interrupted: only the page can show whether it took place.
    pub fn outcome_unknown() -> Self {
        Self::new(
            ErrorCode::OutcomeUnknown,
            "Chromium ended while this was being done; its outcome is unknown: look at the page and check whether it was done before doing it again",
        )
    }

    pub fn tab_closed() -> Self {
        Self::new(ErrorCode::NoPage, "the tab was closed; look again: another one is in front now")
    }

    pub fn slow(what: &str, patience: Duration) -> Self {
        Self::new(ErrorCode::Timeout, format!("{what} was not answered within {} s", patience.as_secs()))
    }

    /// Error for a script that was retried to the limit because another document arrived each time.
    pub fn restless_documents() -> Self {
        Self::new(
            ErrorCode::Protocol,
            "the page goes on from document to document and never rests; wait a moment, or go elsewhere",
        )
    }

    /// Error for a page whose scripts never yield.
    pub fn unresponsive(patience: Duration) -> Self {
        let message = format!(
            "the page does not answer ({} s): its scripts never pause; go elsewhere, back, or reload",
            patience.as_secs()
        );
        Self::new(ErrorCode::Unresponsive, message)
    }

    pub fn lease_held() -> Self {
        Self::new(ErrorCode::LeaseHeld, "the person is in control of the page; wait until they hand it back")
    }

    /// Reports whether the frame in which a script ran navigated or lost its process.
    pub fn is_lost_frame(&self) -> bool {
        self.is_lost_document() || matches!(self.code, ErrorCode::NoPage | ErrorCode::BrowserCrashed)
    }

    pub fn dialog_open(dialog: &PageDialog) -> Self {
        let message = truncate::truncate(&dialog.message, 200);
        let message = format!(
            "the page asks ({}): \"{message}\", and waits; answer it with dialog {{accept, text?}}, or leave the page, before anything else",
            dialog.kind
        );
        Self::new(ErrorCode::DialogOpen, message)
    }

    /// Reports whether the document in which a script ran is gone. That is a navigation, not a defect.
    pub fn is_lost_document(&self) -> bool {
        self.code == ErrorCode::Protocol && LOST_DOCUMENT.iter().any(|words| self.message.contains(words))
    }
}

/// Phrases of Chromium's and our own messages for a lost document.
const LOST_DOCUMENT: [&str; 6] = [
    "from document to document",
    "context was destroyed",
    "Cannot find context",
    "navigated or closed",
    "No frame for given id",
    "No frame with given id",
];

/// Ways to install Chromium on the supported systems. `make run` in a source checkout does the same.
pub const INSTALL_CHROMIUM: &str = "install it (`apt install chromium`, `dnf install chromium`, `pacman -S chromium`, `apk add chromium` or `brew install --cask chromium`; Google Chrome will do, too), or set browser.executable";

/// Reason why there is no browser. Each message says what to do.
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
        ErrorCode::BrowserFailed.word()
    }
}

impl From<BrowserError> for PageError {
    fn from(error: BrowserError) -> Self {
        Self::new(ErrorCode::BrowserFailed, error.to_string())
    }
}
