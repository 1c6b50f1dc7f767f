//! Browser of one run tree: an actor that owns an isolated Chromium context with its pages.
//!
//! The actor owns the context, its tabs, the last observation, the screencast and the lease of the take-over.
//! The run sends it `Observe` and `Perform`, sessions send `Watch` and `TakeOver`. It sends `BrowserEvent` to
//! the run, and `BrowserStatus` to the supervisor. States: closed, opening, open; after a crash closed
//! again, with a snapshot to restore. It makes no decisions and never waits in a handler: work is a child
//! future that ends when its caller stops waiting.

pub mod act;
pub mod pending_dialog;
pub mod cancel_on_drop;
mod takeover_script;
pub mod cast;
pub mod chromium;
pub mod url_policy;
pub mod takeover_dialogs;
mod context;
mod cookies;
pub mod crop;
pub mod dialogs;
mod downloading;
pub mod downloads;
mod events;
pub mod fault;
pub mod folders;
pub mod frames;
mod input_state;
pub mod input;
pub mod keyring;
mod stale_frames;
pub mod holder_view;
pub mod takeover;
pub mod link;
pub mod inventory;
mod listeners;
pub mod migrate;
pub mod observe;
mod opening;
mod ack_window;
pub mod paint;
mod processes;
pub mod proxy;
pub mod process_connect;
pub mod script;
mod value_hashes;
pub mod snapshot;
mod orphaned_processes;
pub mod supervisor;
mod redaction_motion;
pub mod tab;
mod typed_secrets;
mod pending_input;
mod live_redaction;
pub mod viewer;
mod walker_result;
pub mod window;
pub mod actionability;
pub mod cdp_message;
mod work;

use crate::browser::act::ActionOutcome;
use crate::browser::cast::Screencast;
use crate::browser::fault::PageError;
use crate::browser::keyring::NamedSecrets;
use crate::browser::live_redaction::LiveRedaction;
use crate::browser::opening::OpeningState;
use crate::browser::snapshot::Snapshot;
use crate::browser::supervisor::PoolLimits;
use crate::browser::takeover::TakeoverLease;
use crate::browser::url_policy::UrlPolicy;
use crate::browser::window::PageContext;
use crate::files::FileStore;
use crate::ids::RunId;
use crate::page::Observation;
use crate::page::target::Target;
use crate::turn::action::Action;
use actix::{Actor, Addr, Context, Message, Recipient};
use actix_web::web::Bytes;
use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// Settings of `[browser]`, and the folders of profiles.
#[derive(Clone, Debug)]
pub struct BrowserConfig {
    /// Path of the executable; `None` searches the machine.
    pub executable: Option<PathBuf>,
    pub headless: bool,
    /// Address of a Chromium that runs elsewhere, `http://host:port` or `ws://…`.
    pub cdp_url: Option<String>,
    pub viewport: (u32, u32),
    /// Time for which a context is kept after its run has ended.
    pub linger: Duration,
    pub load_timeout: Duration,
    /// Maximum number of tokens in the text of one observation.
    pub page_tokens: usize,
    /// Languages for `Accept-Language`, best first, as in "uk-UA,uk,en"; `None` keeps Chromium's own.
    pub languages: Option<&'static str>,
    pub limits: PoolLimits,
    /// URL policy: addresses that no page may request.
    pub closed: UrlPolicy,
    /// Named secrets that may be typed.
    pub keys: NamedSecrets,
    /// Files that runs were given or have downloaded.
    pub files: FileStore,
    /// Parent of `browser/`, for temporary profiles, and `profiles/`, for lasting ones.
    pub data_dir: PathBuf,
}

/// Observes the page: text and screenshot of the same moment.
#[derive(Debug, Message)]
#[rtype(result = "Result<ObservationWithScreenshot, PageError>")]
pub struct Observe;

#[derive(Clone, Debug)]
pub struct ObservationWithScreenshot {
    pub observation: Arc<Observation>,
    pub jpeg: Bytes,
}

/// Reads the current facts about one element.
#[derive(Debug, Message)]
#[rtype(result = "Result<Target, PageError>")]
pub struct Examine {
    pub eid: u32,
}

/// Performs one action and waits until the page has settled. One action at a time.
#[derive(Debug, Message)]
#[rtype(result = "Result<ActionOutcome, PageError>")]
pub struct Perform {
    pub action: Action,
    /// For a key: the element that must have the focus.
    pub focus_eid: Option<u32>,
    /// True if the action may download a program.
    pub programs: bool,
    /// True if the page is left even if it asks whether it may be left.
    pub for_good: bool,
}

impl Perform {
    pub fn new(action: Action) -> Self {
        Self { action, focus_eid: None, programs: false, for_good: false }
    }
}

/// Sets the addresses to which pages of this browser may navigate, by an action or by themselves.
#[derive(Message)]
#[rtype(result = "()")]
pub struct RestrictUrls {
    /// Returns why a page may not go to an address; `None` leaves only the URL policy.
    pub judge: Option<Arc<url_policy::UrlCheck>>,
}

/// Takes a JPEG of an element outlined in its surroundings, or of the whole viewport if no element is given.
#[derive(Debug, Message)]
#[rtype(result = "Result<crop::Cropped, crop::NoPicture>")]
pub struct Crop {
    pub eid: Option<u32>,
}

/// Takes a snapshot from which another Chromium can restore the browser.
#[derive(Debug, Message)]
#[rtype(result = "Result<Snapshot, PageError>")]
pub struct SnapshotNow;

/// Closes the context with its pages and stops the actor. Replies when they are gone.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Close;

/// Replaces the recipient of events, and the number of observations that the recipient knows.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct SetEventRecipient {
    pub facts: Recipient<BrowserEvent>,
    pub looks: u64,
}

/// Event of the browser that no command caused.
#[derive(Clone, Debug, PartialEq, Message)]
#[rtype(result = "()")]
pub enum BrowserEvent {
    /// The page or Chromium is gone; the next observation or action reopens it.
    Crashed { reason: String },
    /// The browser was reopened after a crash, with its cookies, at this address.
    Reopened { url: String },
    /// The tab in front has another address or title.
    Navigated { url: String, title: String },
    /// Snapshot to store: the browser is about to close, or a person has handed it back.
    Kept { snapshot: Box<Snapshot> },
}

/// The browser actor.
pub struct Browser {
    owner: RunId,
    here: BrowserShared,
    supervisor: Addr<supervisor::Supervisor>,
    facts: Option<Recipient<BrowserEvent>>,
    standing: OpeningState,
    /// Snapshot for restoring after a crash; renewed after every action.
    snapshot: Option<Snapshot>,
    /// Last reported address and title.
    shown: (String, String),
    cast: Screencast,
    veil: LiveRedaction,
    holding: TakeoverLease,
    /// Last restriction received.
    within: Option<Arc<url_policy::UrlCheck>>,
    /// Timer for taking a snapshot.
    keeping: Option<actix::SpawnHandle>,
}

/// State shared by the actor and its child futures, on one thread.
#[derive(Clone)]
struct BrowserShared {
    me: Addr<Browser>,
    config: Rc<BrowserConfig>,
    window: Rc<RefCell<Option<Rc<PageContext>>>>,
    /// Makes observations and actions take turns.
    turn: Rc<tokio::sync::Mutex<()>>,
    /// Next element id; never reused in this browser.
    next_eid: Rc<Cell<u32>>,
    looks: Rc<Cell<u64>>,
    /// Notifies those who wait until no person holds the page.
    freed: Rc<Notify>,
    /// Screenshot of the last observation, because none can be taken while a dialog is open.
    picture: Rc<RefCell<Option<Bytes>>>,
}

impl Browser {
    /// Starts the actor. It begins to open its context at once.
    pub fn start_for(
        supervisor::OpenBrowser { owner, snapshot, facts, languages, looks }: supervisor::OpenBrowser,
        mut config: BrowserConfig,
        supervisor: Addr<supervisor::Supervisor>,
    ) -> Addr<Self> {
        config.languages = languages;
        config.keys = config.keys.for_run(&owner);
        Self::create(|ctx| Self {
            owner,
            here: BrowserShared {
                me: actix::AsyncContext::address(ctx),
                config: Rc::new(config),
                window: Rc::default(),
                turn: Rc::default(),
                next_eid: Rc::new(Cell::new(1)),
                looks: Rc::new(Cell::new(looks)),
                freed: Rc::default(),
                picture: Rc::default(),
            },
            supervisor,
            facts: Some(facts),
            standing: OpeningState::new(snapshot.is_some()),
            snapshot,
            shown: Default::default(),
            cast: Screencast::default(),
            veil: LiveRedaction::default(),
            holding: TakeoverLease::default(),
            within: None,
            keeping: None,
        })
    }

    fn send_event(&self, fact: BrowserEvent) {
        if let Some(facts) = &self.facts {
            facts.do_send(fact);
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
        self.here.window.replace(None);
    }
}
