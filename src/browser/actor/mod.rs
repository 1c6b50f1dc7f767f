//! Browser of one run tree: an actor that owns an isolated Chromium context with its pages.
//!
//! The actor owns the context, its tabs, the last observation, the screencast and the holder of the page.
//! The run sends `Observe` and `Perform`; sessions send `Watch`, `HolderInput` and subscriptions; the registry
//! sends `GiveToPerson` and `ReturnToRun`, through `engine::takeover::pages`. It sends `BrowserEvent` to the run, and
//! `BrowserStatus` to the pool. States: closed, opening, open; after a crash closed again, with a snapshot to
//! restore. It never waits in a handler: work is a child future that ends when its caller stops waiting.

mod dialogs;
mod downloads;
mod live_redaction;
mod person_input;
mod screencast;
mod snapshot;
mod takeover;
mod open;
mod requests;
mod run_commands;
mod events;
mod leave_chromium;

use crate::browser::config::BrowserConfig;
use crate::browser::error::PageError;
use crate::browser::messages::{BrowserEvent, BrowserStatus, NeedChromium};
use crate::browser::network::request_judge::RequestJudge;
use crate::browser::network::url_policy::UrlCheck;
use crate::browser::page::context::PageContext;
use crate::browser::screencast::Screencast;
use crate::browser::screencast::live_redaction::LiveRedaction;
use crate::browser::snapshot::Snapshot;
use crate::browser::takeover::page_holder::PageHolder;
use crate::clock::Stopwatch;
use crate::ids::RunId;
use actix::{Actor, Addr, Context, Recipient};
use actix_web::web::Bytes;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use tokio::sync::{Notify, oneshot, watch};

/// The browser actor.
pub struct Browser {
    owner: RunId,
    shared: BrowserShared,
    /// Starts a Chromium for this browser, or returns the running one.
    chromium: Recipient<NeedChromium>,
    /// Receives what the browser shows, for the pool's list.
    inventory: Recipient<BrowserStatus>,
    events: Option<Recipient<BrowserEvent>>,
    /// Number of observations that the receiver of the events knows.
    known_observations: u64,
    opening_state: OpeningState,
    /// Snapshot for restoring after a crash; renewed after every action.
    snapshot: Option<Snapshot>,
    /// Last reported address and title.
    shown: (String, String),
    /// Time since the actor was created.
    started: Stopwatch,
    screencast: Screencast,
    live_redaction: LiveRedaction,
    takeover: PageHolder,
    /// Last restriction received.
    url_check: Option<Arc<UrlCheck>>,
    /// Judge of the pages' requests; `None` until the run's first action.
    judge: Option<Arc<dyn RequestJudge>>,
    /// Publishes the restriction to the policies of its pages, except during a take-over.
    limits: watch::Sender<Option<Arc<UrlCheck>>>,
    /// Timer for taking a snapshot.
    snapshot_timer: Option<actix::SpawnHandle>,
}

/// State shared by the actor and its child futures, on one thread.
#[derive(Clone)]
struct BrowserShared {
    me: Addr<Browser>,
    config: Rc<BrowserConfig>,
    context: Rc<RefCell<Option<Rc<PageContext>>>>,
    /// Makes observations and actions take turns.
    turn: Arc<tokio::sync::Mutex<ObservationState>>,
    /// Notifies those who wait until no person holds the page.
    released: Rc<Notify>,
}

/// State that one observation leaves for the next.
#[derive(Debug)]
struct ObservationState {
    /// Next element id; never reused in this browser.
    next_eid: u32,
    /// Number of observations so far.
    observations: u64,
    /// Screenshot of the last observation, because none can be taken while a dialog is open.
    picture: Option<Bytes>,
}

/// Parameters of a new browser.
pub struct BrowserStart {
    /// Root of the run tree.
    pub owner: RunId,
    /// State to restore.
    pub snapshot: Option<Snapshot>,
    /// Receives the browser's events.
    pub events: Recipient<BrowserEvent>,
    /// Languages that its pages are asked in, as in [`BrowserConfig`].
    pub languages: Option<&'static str>,
    /// Number of earlier observations, from which counting continues.
    pub observations: u64,
}

impl Browser {
    /// Starts the actor. It begins to open its context at once.
    pub fn start_for(
        BrowserStart { owner, snapshot, events, languages, observations }: BrowserStart,
        mut config: BrowserConfig,
        chromium: Recipient<NeedChromium>,
        inventory: Recipient<BrowserStatus>,
    ) -> Addr<Self> {
        config.languages = languages;
        config.keys = config.keys.for_run(&owner);
        Self::create(|ctx| Self {
            owner,
            shared: BrowserShared {
                me: actix::AsyncContext::address(ctx),
                config: Rc::new(config),
                context: Rc::default(),
                turn: Arc::new(tokio::sync::Mutex::new(ObservationState {
                    next_eid: 1,
                    observations: 0,
                    picture: None,
                })),
                released: Rc::default(),
            },
            known_observations: observations,
            chromium,
            inventory,
            events: Some(events),
            opening_state: OpeningState::new(snapshot.is_some()),
            snapshot,
            shown: Default::default(),
            started: Stopwatch::start(),
            screencast: Screencast::default(),
            live_redaction: LiveRedaction::default(),
            takeover: PageHolder::default(),
            url_check: None,
            judge: None,
            limits: watch::Sender::new(None),
            snapshot_timer: None,
        })
    }

    fn send_event(&self, event: BrowserEvent) {
        if let Some(events) = &self.events {
            events.do_send(event);
        }
    }
}

impl Actor for Browser {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        // The page opens while the run is still planning.
        self.open(ctx);
    }

    fn stopped(&mut self, _: &mut Self::Context) {
        // Dropping the page context closes it.
        self.shared.context.replace(None);
    }
}

/// State of opening: callers that wait for it, and whether it restores the snapshot.
#[derive(Debug)]
struct OpeningState {
    opening: bool,
    waiting: Vec<oneshot::Sender<Result<(), PageError>>>,
    /// True if the next opening restores the snapshot.
    restore: bool,
    crashed: bool,
}

impl OpeningState {
    fn new(restore: bool) -> Self {
        Self { opening: false, waiting: Vec::new(), restore, crashed: false }
    }

    /// Begins to open the context. Returns false if that is in progress.
    fn begin(&mut self) -> bool {
        !std::mem::replace(&mut self.opening, true)
    }

    /// Ends opening and answers those who wait for it.
    fn finish(&mut self, result: &Result<(), PageError>) {
        self.opening = false;
        for waiting in self.waiting.drain(..) {
            let _ = waiting.send(result.clone());
        }
    }

    fn is_opening(&self) -> bool {
        self.opening
    }

    /// Adds one who waits for the end of opening.
    fn wait_for_end(&mut self) -> oneshot::Receiver<Result<(), PageError>> {
        let (reply_to, reply) = oneshot::channel();
        self.waiting.push(reply_to);
        reply
    }

    /// Records that the page is gone: the next opening restores the snapshot.
    fn record_loss(&mut self, by_crash: bool) {
        self.restore = true;
        self.crashed |= by_crash;
    }

    /// Records that the page is open. Returns true if it was lost by a crash.
    fn record_open(&mut self) -> bool {
        self.restore = false;
        std::mem::take(&mut self.crashed)
    }

    /// Reports whether the snapshot is still to be restored.
    fn restores(&self) -> bool {
        self.restore
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_opening_answers_all_who_wait_for_it() {
        let mut opening = OpeningState::new(false);
        assert!(opening.begin() && opening.is_opening() && !opening.begin(), "one at a time");
        let mut waiting = [opening.wait_for_end(), opening.wait_for_end()];
        opening.finish(&Err(PageError::crashed()));
        assert!(!opening.is_opening() && opening.begin());
        for reply in &mut waiting {
            assert_eq!(reply.try_recv(), Ok(Err(PageError::crashed())));
        }
    }

    #[test]
    fn a_lost_page_is_restored_until_it_is_open_and_a_crash_is_reported_once() {
        let mut opening = OpeningState::new(true);
        assert!(opening.restores() && !opening.record_open() && !opening.restores());
        opening.record_loss(true);
        opening.record_loss(false);
        opening.begin();
        opening.finish(&Err(PageError::crashed()));
        assert!(opening.restores(), "it is not open yet");
        assert!(opening.record_open() && !opening.restores());
        opening.record_loss(false);
        assert!(opening.restores() && !opening.record_open(), "no crash");
    }
}
