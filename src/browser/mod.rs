//! The browser of one run tree: an isolated context of Chromium with its pages.
//!
//! It owns the context, its tabs, the last look, the screencast and the control lease. The run writes
//! to it (look, act), sessions do (watch, take over); it tells the run's `BrowserFact` recipient
//! what befell it and the supervisor what it shows. States: closed → opening → open, and after a
//! crash closed again with a snapshot to open from. It never decides anything, and never waits in a
//! handler: work is a child future that ends when its caller stops waiting.

pub mod act;
pub mod asking;
pub mod attended;
mod byhand;
pub mod cast;
pub mod chromium;
pub mod closed;
pub mod confided;
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
mod hands;
pub mod input;
pub mod keyring;
mod late;
pub mod holder_view;
pub mod holding;
pub mod link;
pub mod listed;
mod listeners;
pub mod moving;
pub mod observe;
mod opening;
mod owed;
pub mod paint;
mod processes;
pub mod proxy;
pub mod reach;
pub mod script;
mod sealed;
pub mod snapshot;
mod strays;
pub mod supervisor;
mod swept;
pub mod tab;
mod typed;
mod under_way;
mod veil;
pub mod viewer;
mod walked;
pub mod window;
pub mod within_reach;
pub mod wire;
mod work;

use crate::browser::act::Done;
use crate::browser::cast::Cast;
use crate::browser::closed::Closed;
use crate::browser::fault::Fault;
use crate::browser::holding::Holding;
use crate::browser::keyring::Keyring;
use crate::browser::opening::Standing;
use crate::browser::snapshot::Snapshot;
use crate::browser::supervisor::Limits;
use crate::browser::veil::Veil;
use crate::browser::window::Window;
use crate::files::Shelf;
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

/// The settings of `[browser]`, and where profiles live.
#[derive(Clone, Debug)]
pub struct BrowserConfig {
    /// None: found on the machine.
    pub executable: Option<PathBuf>,
    pub headless: bool,
    /// A Chromium that runs elsewhere, `http://host:port` or `ws://…`.
    pub cdp_url: Option<String>,
    pub viewport: (u32, u32),
    /// How long a context stays after its run's end.
    pub linger: Duration,
    pub load_timeout: Duration,
    /// Tokens that the text of one look may take.
    pub page_tokens: usize,
    /// What pages are told that their reader reads, the best first, as "uk-UA,uk,en"; none: what
    /// Chromium says by itself.
    pub languages: Option<&'static str>,
    pub limits: Limits,
    /// Addresses that no page may ask for.
    pub closed: Closed,
    /// Secrets that are typed by name.
    pub keys: Keyring,
    /// What runs were given and have downloaded.
    pub files: Shelf,
    /// Temporary profiles live in `browser/` under it, those that last in `profiles/`.
    pub data_dir: PathBuf,
}

/// Page text and picture of the same moment. Answered by `Seen` or a fault.
#[derive(Debug, Message)]
#[rtype(result = "Result<Seen, Fault>")]
pub struct Look;

#[derive(Clone, Debug)]
pub struct Seen {
    pub observation: Arc<Observation>,
    pub jpeg: Bytes,
}

/// The facts about one element as they are now.
#[derive(Debug, Message)]
#[rtype(result = "Result<Target, Fault>")]
pub struct Examine {
    pub eid: u32,
}

/// Carries out one action and waits until the page has settled. One at a time.
#[derive(Debug, Message)]
#[rtype(result = "Result<Done, Fault>")]
pub struct Perform {
    pub action: Action,
    /// For a key: the element that must have the focus when it is pressed, if that matters.
    pub focus_eid: Option<u32>,
    /// What it downloads may be a program.
    pub programs: bool,
    /// The page is left whatever it asks.
    pub for_good: bool,
}

impl Perform {
    pub fn of(action: Action) -> Self {
        Self { action, focus_eid: None, programs: false, for_good: false }
    }
}

/// Where the pages of this browser may go by themselves or by an action, from now on.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Within {
    /// Why a page may not go to an address; none: wherever it is not closed.
    pub judge: Option<Arc<closed::Judge>>,
}

/// A JPEG of the surroundings of an element, which is outlined; of the whole view without one.
#[derive(Debug, Message)]
#[rtype(result = "Result<crop::Cropped, crop::NoPicture>")]
pub struct Crop {
    pub eid: Option<u32>,
}

/// What a new Chromium needs to be where this one is.
#[derive(Debug, Message)]
#[rtype(result = "Result<Snapshot, Fault>")]
pub struct SnapshotNow;

/// Closes the context with its pages, and ends. Answered when they are gone.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Close;

/// Who hears of this browser's facts from now on, and how many looks they know of.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Tell {
    pub facts: Recipient<BrowserFact>,
    pub looks: u64,
}

/// What befell the browser by itself.
#[derive(Clone, Debug, PartialEq, Message)]
#[rtype(result = "()")]
pub enum BrowserFact {
    /// The page or Chromium is gone; the next look or action opens it anew.
    Crashed { reason: String },
    /// After a crash: open again, with its cookies, at this address.
    Reopened { url: String },
    /// The page in front has another address or title.
    Navigated { url: String, title: String },
    /// Where it stands, to be kept: it is about to be closed, or a person has just handed it back.
    Kept { snapshot: Box<Snapshot> },
}

/// The actor.
pub struct Browser {
    owner: RunId,
    here: Here,
    supervisor: Addr<supervisor::Supervisor>,
    facts: Option<Recipient<BrowserFact>>,
    standing: Standing,
    /// To open from after a crash; kept fresh after every action.
    snapshot: Option<Snapshot>,
    /// Address and title as last told.
    shown: (String, String),
    cast: Cast,
    veil: Veil,
    holding: Holding,
    /// As it was told last.
    within: Option<Arc<closed::Judge>>,
    /// A snapshot will be taken.
    keeping: Option<actix::SpawnHandle>,
}

/// What the actor and its own child futures share, on one thread.
#[derive(Clone)]
struct Here {
    me: Addr<Browser>,
    config: Rc<BrowserConfig>,
    window: Rc<RefCell<Option<Rc<Window>>>>,
    /// Looks and actions take turns.
    turn: Rc<tokio::sync::Mutex<()>>,
    /// The next number for an element: never used twice in this browser.
    next_eid: Rc<Cell<u32>>,
    looks: Rc<Cell<u64>>,
    /// Somebody waits until no person holds the page.
    freed: Rc<Notify>,
    /// Of the last look: a page with a dialog in front cannot be photographed.
    picture: Rc<RefCell<Option<Bytes>>>,
}

impl Browser {
    /// Starts one; it opens its context when it is first needed.
    pub fn start_for(
        supervisor::Open { owner, snapshot, facts, languages, looks }: supervisor::Open,
        mut config: BrowserConfig,
        supervisor: Addr<supervisor::Supervisor>,
    ) -> Addr<Self> {
        config.languages = languages;
        config.keys = config.keys.of_run(&owner);
        Self::create(|ctx| Self {
            owner,
            here: Here {
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
            standing: Standing::new(snapshot.is_some()),
            snapshot,
            shown: Default::default(),
            cast: Cast::default(),
            veil: Veil::default(),
            holding: Holding::default(),
            within: None,
            keeping: None,
        })
    }

    fn tell(&self, fact: BrowserFact) {
        if let Some(facts) = &self.facts {
            facts.do_send(fact);
        }
    }
}

impl Actor for Browser {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        // The page is on its way while the run still thinks.
        self.open(ctx);
    }

    fn stopped(&mut self, _: &mut Self::Context) {
        // Dropping the window closes its context.
        self.here.window.replace(None);
    }
}
