//! Messages to the supervisor.

use crate::browser::actor::Browser;
use crate::browser::error::BrowserError;
use crate::browser::messages::BrowserEvent;
use crate::browser::snapshot::Snapshot;
use crate::ids::RunId;
use actix::{Addr, Message, Recipient};
use std::time::Duration;

/// Returns the browser of a run tree, starting one if there is none. Cancels the timer that would close it.
/// `events` receives its events; a new browser restores `snapshot`.
#[derive(Debug, Message)]
#[rtype(result = "Result<Addr<Browser>, BrowserError>")]
pub struct OpenBrowser {
    /// Root of the run tree.
    pub owner: RunId,
    pub snapshot: Option<Snapshot>,
    pub events: Recipient<BrowserEvent>,
    /// As in [`crate::browser::config::BrowserConfig::languages`]; an existing browser keeps its own.
    pub languages: Option<&'static str>,
    /// Number of earlier observations, from which counting continues.
    pub observations: u64,
}

/// Reports that the run has ended: its browser is closed after `linger`, or after the configured time.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct ReleaseBrowser {
    pub owner: RunId,
    pub linger: Option<Duration>,
}

/// Returns the browser of this owner, if there is one.
#[derive(Debug, Message)]
#[rtype(result = "Option<Addr<Browser>>")]
pub struct FindBrowser {
    pub owner: RunId,
}

/// Closes everything. Replies when no process and no temporary folder is left. Nothing can be opened
/// afterwards.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Shutdown;

/// Sets the profile of an owner whose run is not working and so sends no `RequestSlot`.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), BrowserError>")]
pub struct SetProfile {
    pub owner: RunId,
    pub profile: Option<String>,
}

/// Returns the process group id of the shared Chromium, while one of ours is running.
#[derive(Debug, Message)]
#[rtype(result = "Option<u32>")]
pub struct ProcessGroup;

/// Closes all browsers and ends every Chromium. Replies when no process is left. The next use starts another.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct CloseAll;

/// Time that pages get to close at shutdown; they end with Chromium anyway.
pub(in crate::browser) const CLOSING: Duration = Duration::from_secs(1);
