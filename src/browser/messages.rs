//! Messages to a browser, and the events that it sends.

use crate::browser::error::{BrowserError, PageError};
use crate::browser::geometry::Bounds;
use crate::browser::input::ActionOptions;
use crate::browser::input::outcome::ActionOutcome;
use crate::browser::network::request_judge::RequestJudge;
use crate::browser::network::url_policy::UrlCheck;
use crate::browser::observe::crop;
use crate::browser::page::held_requests::HeldBatch;
use crate::browser::pending_picture::PendingPicture;
use crate::browser::process::connect::ChromiumConnection;
use crate::browser::snapshot::Snapshot;
use crate::ids::{RunId, SessionId};
use crate::page::observation::Observation;
use crate::page::target::Target;
use crate::turn::action::Action;
use actix::{Message, Recipient};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Tells the browser that the run has ended, so that nobody will answer its page's dialogs.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct RunEnded;

/// Address, title, viewers and holder that a browser reports to the supervisor.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct BrowserStatus {
    pub owner: RunId,
    pub url: String,
    pub title: String,
    pub viewers: usize,
    pub holder: Option<SessionId>,
}

/// Observes the page.
#[derive(Debug, Message)]
#[rtype(result = "Result<ObservedPage, PageError>")]
pub struct Observe {
    pub picture: PictureTime,
}

/// Time at which the picture of an observation is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureTime {
    /// With the text: both show the same moment.
    Now,
    /// Right after the text, which does not wait for it, and before any other command.
    After,
    /// As `Now`, with the boxes of the elements in view at the moment of the picture.
    NowWithBoxes,
    /// As `After`, with those boxes.
    AfterWithBoxes,
    /// Nobody will look at it.
    Never,
}

/// Text of a page, with its picture, which may still be taken.
#[derive(Clone, Debug)]
pub struct ObservedPage {
    pub observation: Arc<Observation>,
    pub picture: PendingPicture,
}

/// Reads the current facts about one element.
#[derive(Debug, Message)]
#[rtype(result = "Result<Target, PageError>")]
pub struct Examine {
    pub eid: u32,
}

/// Reads the boxes of elements in CSS pixels of the viewport. Elements without a box are left out.
#[derive(Debug, Message)]
#[rtype(result = "Result<Vec<(u32, [f64; 4])>, PageError>")]
pub struct ElementBoxes {
    pub eids: Vec<u32>,
}

/// Reads the current facts about the element at a point of the viewport, in CSS pixels.
#[derive(Debug, Message)]
#[rtype(result = "Result<Option<Target>, PageError>")]
pub struct ExaminePoint {
    pub x: f64,
    pub y: f64,
}

/// Reads the current facts about what holds words of a text, which stand on the page once.
#[derive(Debug, Message)]
#[rtype(result = "Result<Target, PageError>")]
pub struct ExamineText {
    pub text: String,
}

/// Performs one action and waits until the page has settled. One action at a time.
#[derive(Debug, Message)]
#[rtype(result = "Result<ActionOutcome, PageError>")]
pub struct Perform {
    pub action: Action,
    pub options: ActionOptions,
}

impl Perform {
    pub fn new(action: Action) -> Self {
        Self { action, options: ActionOptions::default() }
    }
}

/// Sets the addresses to which pages of this browser may navigate, by an action or by themselves.
#[derive(Message)]
#[rtype(result = "()")]
pub struct RestrictUrls {
    /// Returns why a page may not go to an address; `None` leaves only the URL policy.
    pub check: Option<Arc<UrlCheck>>,
}

/// Sets the judge of the requests that pages of this browser send from now on. Replies when it is set.
#[derive(Message)]
#[rtype(result = "()")]
pub struct JudgeRequests {
    pub judge: Arc<dyn RequestJudge>,
    /// True if the next action acts on the page in front: what is new in kind afterwards is caused by it.
    pub acts_on_page: bool,
    /// True if the action may be meant to repeat what a person declined.
    pub may_repeat: bool,
    /// True if the person has said something since the last action: what was declined may be wanted now.
    pub is_new_request: bool,
}

/// Lists the oldest held requests that a question is to be asked about.
#[derive(Debug, Message)]
#[rtype(result = "Option<HeldBatch>")]
pub struct ListHeldRequests {
    /// True if the run ends when there are none: requests that the page has just sent are waited for.
    pub before_end: bool,
}

/// Lets held requests leave and waits until the page has settled.
#[derive(Debug, Message)]
#[rtype(result = "Result<ReleaseOutcome, PageError>")]
pub struct ReleaseRequests {
    pub batch: HeldBatch,
}

/// Outcome of the release of held requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReleaseOutcome {
    /// They have left.
    Sent(Box<ActionOutcome>),
    /// The page has given them up: it waited too long, or went elsewhere.
    GivenUp,
    /// Their Chromium is gone; nothing has left.
    Void,
}

/// Fails held requests: nothing leaves.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct FailRequests {
    pub batch: HeldBatch,
}

/// Takes a JPEG of an element outlined in its surroundings, or of the whole viewport if no element is given. While the
/// next document of the page is held, the picture is that of the last observation, with the outline at `bounds`.
#[derive(Debug, Message)]
#[rtype(result = "Result<crop::Cropped, crop::NoPicture>")]
pub struct Crop {
    pub eid: Option<u32>,
    /// Box of the element when its action was judged.
    pub bounds: Option<Bounds>,
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
    pub events: Recipient<BrowserEvent>,
    pub observations: u64,
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
    SnapshotTaken { snapshot: Box<Snapshot> },
}

/// Leaves the current Chromium. Replies when that is done, at once if there is none.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct LeaveChromium;

/// Leaves while no observation or action is running. Replies true if the browser has left.
#[derive(Message)]
#[rtype(result = "bool")]
pub(in crate::browser) struct LeaveIfFree;

/// Scrolls the element into view. The error says why it cannot be acted on.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), PageError>")]
pub struct CheckActionable {
    pub eid: u32,
}

/// Returns the connection for a browser, starting its Chromium if necessary.
#[derive(Debug, Message)]
#[rtype(result = "Result<ChromiumConnection, BrowserError>")]
pub struct NeedChromium {
    pub owner: RunId,
}
