//! Errors of pages, worded so that a planner can correct its step, and errors of Chromium, worded so that a
//! person can repair the machine.

use crate::page::observation::PageDialog;
use crate::text::named_values::named_values;
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

named_values! {
    /// Error codes, as used in the API.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum ErrorCode {
        /// The element is gone or never existed.
        DeadEid = "dead_eid",
        /// The element is no longer the one that was shown.
        ChangedEid = "changed_eid",
        Hidden = "hidden",
        Disabled = "disabled",
        /// Another element lies over the element.
        Covered = "covered",
        ZeroSize = "zero_size",
        Inert = "inert",
        /// The element does not stand still.
        Moving = "moving",
        NotEditable = "not_editable",
        Readonly = "readonly",
        /// `select` on an element that is not a list of options, or shows none.
        NotSelect = "not_select",
        /// The list has no such option, or accepts only one.
        InvalidOption = "invalid_option",
        /// A date, colour or range field does not accept the value.
        BadValue = "bad_value",
        /// The drop target did not accept the dragged element.
        NotTaken = "not_taken",
        /// The action changed nothing although it should have.
        NoEffect = "no_effect",
        /// `extract` with a schema where no table or list has such rows.
        NoRows = "no_rows",
        /// The JSON Schema of `extract` describes no rows.
        BadSchema = "bad_schema",
        /// The picture changed since the planner saw it, so that its points mean something else.
        PictureChanged = "picture_changed",
        /// `upload` on an element that accepts no file.
        NoFileField = "no_file_field",
        /// The field accepts only one file.
        OneFile = "one_file",
        /// The run has no such file.
        NoFile = "no_file",
        /// A PDF within the page is on another site, and only navigation opens it.
        OtherSite = "other_site",
        InvalidKey = "invalid_key",
        /// The focus is on another element than the one that the key was for.
        FocusMoved = "focus_moved",
        /// The named secret is not for this field or site.
        SecretMisplaced = "secret_misplaced",
        BadUrl = "bad_url",
        NavigationFailed = "navigation_failed",
        /// Navigation to an address that the URL policy blocks; the page was not opened.
        Blocked = "blocked",
        Timeout = "timeout",
        /// The page's scripts never yield, so it does not answer.
        Unresponsive = "unresponsive",
        BrowserCrashed = "browser_crashed",
        /// Chromium ended during an action with an effect.
        OutcomeUnknown = "outcome_unknown",
        BrowserFailed = "browser_failed",
        LeaseHeld = "lease_held",
        NoLease = "no_lease",
        NoPage = "no_page",
        /// The page has opened a dialog and waits for the answer.
        DialogOpen = "dialog_open",
        /// `dialog` while none is open.
        NoDialog = "no_dialog",
        /// The action is not for the browser, such as `stop` or `ask_user`.
        NotABrowserAction = "not_a_browser_action",
        /// The page's tool is gone, or is not declared any more as it was shown.
        StaleTool = "stale_tool",
        /// The page's tool reports an error.
        ToolFailed = "tool_failed",
        /// The page sent a message by a socket around the gate.
        SentUnasked = "sent_unasked",
        /// Chromium refused a command, or the page's own scripts prevented it.
        Protocol = "protocol",
    }
}

impl ErrorCode {
    /// Parses a code of the page script, which uses these words and two finer ones.
    pub fn from_word(word: &str) -> Self {
        if matches!(word, "no_option" | "one_option") {
            return Self::InvalidOption;
        }
        Self::ALL.iter().copied().find(|code| code.word() == word).unwrap_or(Self::Protocol)
    }
}

impl PageError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    pub fn crashed() -> Self {
        Self::new(
            ErrorCode::BrowserCrashed,
            "the browser of the page crashed; look again: the page is reopened at its address",
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

    pub fn slow(what: &str, timeout: Duration) -> Self {
        Self::new(ErrorCode::Timeout, format!("{what} was not answered within {} s", timeout.as_secs()))
    }

    /// Error for a script that was retried to the limit because another document arrived each time.
    pub fn documents_keep_changing() -> Self {
        Self::new(
            ErrorCode::Protocol,
            "the page goes on from document to document and never rests; wait a moment, or go elsewhere",
        )
    }

    /// Error for a page whose scripts never yield.
    pub fn unresponsive(timeout: Duration) -> Self {
        let message = format!(
            "the page does not answer ({} s): its scripts never pause; go elsewhere, back, or reload",
            timeout.as_secs()
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
    #[error("chromium did not start within {seconds} s; last output: {last}")]
    TooSlow { seconds: u64, last: String },
    #[error("chromium ended while starting; last output: {last}; `askfirst doctor` checks the machine")]
    EndedEarly { last: String },
    #[error(
        "browser.cdp_url: cannot connect to {url}: {reason}; is that browser running with --remote-debugging-port?"
    )]
    NotConnected { url: String, reason: String },
    #[error("profiles need a chromium started by this service; unset browser.cdp_url")]
    ProfileElsewhere,
    #[error("another task is using the browser profile \"{name}\"; try again when it has ended")]
    ProfileTaken { name: String },
    #[error("the proxy for chromium cannot be started: {reason}")]
    Proxy { reason: String },
    #[error("cannot use the profile folder {path}: {reason}")]
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
