//! State of the registry: the runs at work, the release of disk space, and shared parts of its handlers.

use crate::clock::Moment;
use crate::engine::error::RunRequestError;
use crate::engine::run::messages::{NumberedSignal, RunSignal};
use crate::engine::run::state::Run;
use crate::engine::services::RunServices;
use crate::engine::takeover::leases::Leases;
use crate::engine::takeover::pages::PageAccess;
use crate::ids::{RunId, SessionId};
use actix::prelude::*;
use futures_util::future::LocalBoxFuture;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// Actor that starts, finds and signals the actors of runs, and assigns pages to people.
pub struct Registry {
    pub(crate) services: Arc<RunServices>,
    pub(crate) leases: Leases,
    /// Replies to sessions that have asked for a page and have not received it.
    pub(crate) page_replies: HashMap<SessionId, oneshot::Sender<Result<PageAccess, RunRequestError>>>,
    /// Senders to notify when a run comes to rest.
    pub(crate) rest_waiters: HashMap<RunId, Vec<oneshot::Sender<()>>>,
    pub(crate) at_work: HashMap<RunId, ActiveRun>,
    /// Background work. The next start repeats what an interruption leaves undone.
    pub(crate) background_work: Vec<SpawnHandle>,
    /// True while the service stops.
    pub(crate) stopping: bool,
    /// Runs from before this moment are left alone.
    pub(crate) ignore_before: Option<Moment>,
    /// Runs whose stored state cannot be read. The search for overdue runs skips them.
    pub(crate) unreadable: HashSet<RunId>,
    pub(crate) space_release: SpaceRelease,
    pub(crate) shared_work: SharedWork,
}

pub(crate) struct ActiveRun {
    pub(crate) address: Addr<Run>,
    /// Signals sent since this actor began, kept until it reports which of them it acted upon.
    pub(crate) signals: Vec<NumberedSignal>,
}

pub(crate) type SignalsFuture = LocalBoxFuture<'static, Result<Vec<(RunId, RunSignal)>, RunRequestError>>;

pub(crate) fn unknown_run(run: &RunId) -> RunRequestError {
    RunRequestError::UnknownRun(run.clone())
}

/// Interval of the search for open questions and resting runs whose deadline has passed.
pub const EXPIRY_CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// State of the release of disk space after deletions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SpaceRelease {
    #[default]
    Idle,
    /// Release under way.
    UnderWay,
    /// Release under way, and more was deleted meanwhile.
    Again,
}

/// Work of a registry on shared trees that is under way.
#[derive(Debug, Default)]
pub(crate) struct SharedWork {
    pub(crate) is_claiming: bool,
    pub(crate) is_looking: bool,
    /// True if a tree was woken while the last look was under way.
    pub(crate) looks_again: bool,
    /// Woken runs that could not be signalled, as their commands were not read.
    pub(crate) unsignalled: Vec<RunId>,
}
