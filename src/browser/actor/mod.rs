//! Browser of one run tree: an actor that owns an isolated Chromium context with its pages.
//!
//! The actor owns the context, its tabs, the last observation, the screencast and the lease of the take-over.
//! The run sends it `Observe` and `Perform`, sessions send `Watch` and `GivePage`. It sends `BrowserEvent` to
//! the run, and `BrowserStatus` to the pool. States: closed, opening, open; after a crash closed
//! again, with a snapshot to restore. It makes no decisions and never waits in a handler: work is a child
//! future that ends when its caller stops waiting.

pub mod dialogs;
pub mod downloads;
pub mod live_redaction;
pub mod person_input;
pub mod screencast;
pub mod snapshot;
pub mod takeover;
pub(crate) mod open;
pub(crate) mod orders;
pub(crate) mod events;
pub mod migrate;

use crate::browser::config::BrowserConfig;
use crate::browser::error::PageError;
use crate::browser::messages::{BrowserEvent, BrowserStatus, NeedChromium};
use crate::browser::network::url_policy::UrlCheck;
use crate::browser::page::context::PageContext;
use crate::browser::screencast::Screencast;
use crate::browser::screencast::live_redaction::LiveRedaction;
use crate::browser::snapshot::Snapshot;
use crate::browser::takeover::page_holder::TakeoverLease;
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
    screencast: Screencast,
    live_redaction: LiveRedaction,
    takeover: TakeoverLease,
    /// Last restriction received.
    url_check: Option<Arc<UrlCheck>>,
    /// Publishes the restriction to the policies of its pages, except during a take-over.
    limits: watch::Sender<Option<Arc<UrlCheck>>>,
    /// Timer for taking a snapshot.
    snapshot_timer: Option<actix::SpawnHandle>,
}

/// State shared by the actor and its child futures, on one thread.
#[derive(Clone)]
pub(in crate::browser) struct BrowserShared {
    me: Addr<Browser>,
    config: Rc<BrowserConfig>,
    context: Rc<RefCell<Option<Rc<PageContext>>>>,
    /// Makes observations and actions take turns.
    turn: Rc<tokio::sync::Mutex<ObservationState>>,
    /// Notifies those who wait until no person holds the page.
    released: Rc<Notify>,
}

/// State that one observation leaves for the next.
#[derive(Debug)]
pub(in crate::browser) struct ObservationState {
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
                turn: Rc::new(tokio::sync::Mutex::new(ObservationState {
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
            screencast: Screencast::default(),
            live_redaction: LiveRedaction::default(),
            takeover: TakeoverLease::default(),
            url_check: None,
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
pub struct OpeningState {
    opening: bool,
    waiting: Vec<oneshot::Sender<Result<(), PageError>>>,
    /// True if the next opening restores the snapshot.
    restore: bool,
    crashed: bool,
}

impl OpeningState {
    pub fn new(restore: bool) -> Self {
        Self { opening: false, waiting: Vec::new(), restore, crashed: false }
    }

    /// Reports whether the snapshot is still to be restored.
    pub fn restores(&self) -> bool {
        self.restore
    }
}
