//! Take-over: at most one controller at a time. While a person holds the lease, the run neither observes nor
//! acts, and every input is checked against the holder.

use super::attended::Attended;
use super::confided::Confidant;
use super::fault::{Code, PageError};
use super::hands::HeldInput;
use super::holder_view::HolderView;
use super::link::Session;
use super::moving::StandsAt;
use super::tab::Tab;
use super::under_way::PendingInput;
use super::window::Window;
use super::{Browser, Here, snapshot};
use crate::ids::SessionId;
use crate::turn::blot;
use actix::{ActorFutureExt, Context, Handler, Message, ResponseActFuture, WrapFuture};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Starts a take-over. Refused while another session holds the page.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), PageError>")]
pub struct Take {
    pub holder: SessionId,
}

/// Ends the take-over; with a holder, only if that session holds the page. Returns the changes since it
/// began.
#[derive(Debug, Message)]
#[rtype(result = "Result<TakeoverChanges, PageError>")]
pub struct GiveBack {
    pub holder: Option<SessionId>,
}

/// Changes during a take-over, as far as the run may know them: never what was typed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TakeoverChanges {
    /// Address before and after, if they differ.
    pub url: Option<(String, String)>,
    pub title: Option<(String, String)>,
    /// Names of fields whose value changed.
    pub fields: Vec<String>,
    /// Names of fields that appeared, and of those that disappeared.
    pub came: Vec<String>,
    pub gone: Vec<String>,
    /// Names of dialogs that opened.
    pub dialogs: Vec<String>,
    /// True if the page has another document, at the same address or not.
    pub replaced: bool,
    /// True if the text changed.
    pub text: bool,
    /// True if frames were added, removed or navigated.
    pub frames: bool,
    pub tabs: Option<(u32, u32)>,
    /// True if the page had a password field at the beginning, the person typed, and it has none now.
    pub signed_in: bool,
    /// True if the comparison failed, so that the changes are unknown.
    pub unknown: bool,
}

impl TakeoverChanges {
    /// Returns the changes of a page that could not be compared.
    pub fn unknown() -> Self {
        Self { unknown: true, ..Self::default() }
    }
}

#[derive(Debug, Default)]
pub struct Holding {
    holder: Option<SessionId>,
    before: Option<Before>,
    pub(super) held: HeldInput,
    /// Subscriber to the page's dialogs.
    pub(super) confidant: Option<Confidant>,
    /// Subscriber to the page's address and file choosers.
    pub(super) view: Option<HolderView>,
    /// Number of take-overs so far, including the current one.
    number: u64,
    pub(super) under_way: PendingInput,
}

/// State of the page at the beginning of the take-over. Values of fields stay in the page.
#[derive(Clone, Debug, Default)]
struct Before {
    url: String,
    title: String,
    /// Number of password fields.
    passwords: u32,
    tabs: u32,
    /// Number of frames that answered.
    frames: usize,
}

/// Reply of the page script at the beginning of a take-over.
#[derive(Deserialize)]
struct StateReply {
    url: String,
    title: String,
    passwords: u32,
}

/// Reply of the page script at the hand-back: state and differences, as in `TakeoverChanges`. Values of fields stay
/// in the isolated world, except those of secret fields.
#[derive(Deserialize)]
struct Compared {
    url: String,
    title: String,
    passwords: u32,
    fields: Vec<String>,
    came: Vec<String>,
    gone: Vec<String>,
    dialogs: Vec<String>,
    text: bool,
    frames: bool,
    replaced: bool,
    /// New values of secret fields. Kept in memory only.
    secrets: Vec<String>,
}

impl Compared {
    /// Adds the differences in a frame. For a frame with another document, only that fact is added.
    fn take(&mut self, inner: Self) {
        self.secrets.extend(inner.secrets);
        self.frames |= inner.replaced || inner.frames;
        if inner.replaced {
            return;
        }
        self.fields.extend(inner.fields);
        self.came.extend(inner.came);
        self.gone.extend(inner.gone);
        self.dialogs.extend(inner.dialogs);
        self.text |= inner.text;
    }

    fn names(&mut self) -> impl Iterator<Item = &mut String> {
        let Self { fields, came, gone, dialogs, .. } = self;
        [fields, came, gone, dialogs].into_iter().flatten()
    }
}

impl Holding {
    pub fn holder(&self) -> Option<&SessionId> {
        self.holder.as_ref()
    }

    /// Reports whether a take-over has begun and the page's state was recorded.
    pub fn is_had(&self) -> bool {
        self.holder.is_some() && self.before.is_some()
    }

    /// Returns an error while a person holds the page.
    pub fn check_free(&self) -> Result<(), PageError> {
        match self.holder {
            Some(_) => Err(PageError::lease_held()),
            None => Ok(()),
        }
    }

    pub(super) fn check_held_by(&self, session: &SessionId) -> Result<(), PageError> {
        if self.holder.as_ref() == Some(session) {
            return Ok(());
        }
        Err(PageError::new(Code::NoLease, "this window does not hold the page; take it over first"))
    }
}

impl Handler<Take> for Browser {
    type Result = ResponseActFuture<Self, Result<(), PageError>>;

    fn handle(&mut self, Take { holder }: Take, _: &mut Context<Self>) -> Self::Result {
        if self.holding.holder.as_ref().is_some_and(|now| *now != holder) {
            return Box::pin(actix::fut::ready(Err(PageError::lease_held())));
        }
        // From here on no observation or action starts; the current one finishes first.
        self.holding.holder = Some(holder.clone());
        self.holding.number += 1;
        let number = self.holding.number;
        self.report();
        self.bound();
        if let Some(window) = self.here.window.borrow().as_ref() {
            // A dialog does not appear in the screencast, and the page is stopped while it is open.
            window.dismiss("when the person took the page");
        }
        let here = self.here.clone();
        Box::pin(before(here).into_actor(self).map(move |before, this, _| match before {
            // By now the page may have been handed back and taken by another session.
            _ if this.holding.number != number || this.holding.holder.as_ref() != Some(&holder) => {
                this.hands_off();
                Err(PageError::new(Code::NoLease, "the page was handed back before it could be taken"))
            }
            Ok(before) => {
                this.holding.before = Some(before);
                this.cast.show_as_it_is(&holder);
                Ok(())
            }
            Err(fault) => {
                this.confide_no_more();
                this.holding.holder = None;
                this.hands_off();
                this.freed();
                this.bound();
                Err(fault)
            }
        }))
    }
}

async fn before(here: Here) -> Result<Before, PageError> {
    let _turn = here.turn.lock().await;
    let window = here.window().await?;
    let tab = window.current()?;
    window.by_hand(true);
    let StateReply { url, title, passwords } = tab.ask("rememberFields()").await?;
    let frames = tab.in_frames::<Value>("askfirst.rememberFields()").await.len();
    let (url, title) = tab.session.keys().hidden_in((url, title));
    Ok(Before { url, title, passwords, tabs: window.place().1, frames })
}

impl Handler<GiveBack> for Browser {
    type Result = Attended<Result<TakeoverChanges, PageError>>;

    fn handle(&mut self, GiveBack { holder }: GiveBack, ctx: &mut Context<Self>) -> Self::Result {
        if let Some(Err(fault)) = holder.map(|holder| self.holding.check_held_by(&holder)) {
            return Attended::now(Err(fault));
        }
        let typed = self.holding.held.has_typed();
        self.let_go();
        self.confide_no_more();
        let had = self.holding.holder.take();
        if let Some(holder) = &had {
            self.show_last(holder, ctx);
        }
        self.bound();
        let before = self.holding.before.take().unwrap_or_default();
        let here = self.here.clone();
        if had.is_some() {
            self.report();
        }
        // Runs that wait for the page continue after the comparison.
        let free = Free(self.here.clone());
        let under_way = self.holding.under_way.clone();
        let theirs = Theirs(self.here.clone());
        Attended::by(async move {
            let _free = free;
            under_way.over().await;
            let window = here.window().await?;
            let changes = changes(&window, &window.current()?, before, typed).await;
            drop(theirs);
            let changes = changes?;
            // A snapshot keeps what the person did, such as a log-in, even if Chromium ends now.
            if let Ok(snapshot) = snapshot::take(&window).await {
                here.me.do_send(StandsAt(snapshot));
            }
            Ok(changes)
        })
    }
}

/// Keeps the take-over script active until dropped, possibly at an await point.
struct Theirs(Here);

impl Drop for Theirs {
    fn drop(&mut self) {
        self.0.me.do_send(HandsOff);
    }
}

/// Switches off the take-over script, once everything typed has been reported.
#[derive(Message)]
#[rtype(result = "()")]
struct HandsOff;

impl Handler<HandsOff> for Browser {
    type Result = ();

    fn handle(&mut self, _: HandsOff, _: &mut Context<Self>) {
        self.hands_off();
    }
}

impl Browser {
    /// Switches off the take-over script, unless another take-over has begun.
    fn hands_off(&self) {
        let window = self.here.window.borrow();
        if let Some(window) = window.as_ref().filter(|_| self.holding.holder.is_none()) {
            window.by_hand(false);
        }
    }
}

/// Wakes the waiters for a free page when dropped.
struct Free(Here);

impl Drop for Free {
    fn drop(&mut self) {
        self.0.freed.notify_waiters();
    }
}

/// Returns both addresses; parts that are new in the second one are hidden, since they may be the person's
/// secrets.
fn beside((was, is): (String, String)) -> (String, String) {
    let told = blot::beside(&is, &was);
    (was, told)
}

async fn changes(
    window: &Window,
    tab: &Tab,
    before: Before,
    typed: bool,
) -> Result<TakeoverChanges, PageError> {
    let mut now: Compared = tab.ask("compareFields()").await?;
    let inner = tab.in_frames::<Compared>("askfirst.compareFields()").await;
    let gone = inner.len() < before.frames;
    inner.into_iter().for_each(|(_, inner)| now.take(inner));
    let keys = tab.session.keys();
    std::mem::take(&mut now.secrets).into_iter().for_each(|secret| keys.typed().keep(secret));
    let known = keys.hidden_values();
    now.names().for_each(|name| *name = blot::text(name, &known));
    let Compared { url, title, passwords, fields, came, gone: left, dialogs, text, frames, replaced, .. } =
        now;
    // More secrets may be known now than when this was recorded.
    let told = keys.hidden_in((before.url, before.title));
    let (url, title) = keys.hidden_in((url, title));
    let differ = |was: String, is: String| (was != is).then_some((was, is));
    let tabs = window.place().1;
    Ok(TakeoverChanges {
        url: differ(told.0, url).map(beside),
        title: differ(told.1, title),
        fields,
        came,
        gone: left,
        dialogs,
        replaced,
        text,
        frames: !replaced && (frames || gone),
        tabs: (before.tabs != tabs).then_some((before.tabs, tabs)),
        signed_in: typed && before.passwords > 0 && passwords == 0,
        unknown: false,
    })
}

impl Browser {
    fn in_front(&self) -> Result<Session, PageError> {
        let window = self.here.window.borrow().clone();
        Ok(window.ok_or_else(PageError::crashed)?.current()?.session)
    }

    /// Releases all buttons and keys of the holder.
    fn let_go(&mut self) {
        let orders = self.holding.held.release();
        if let Ok(session) = self.in_front() {
            orders.into_iter().for_each(|order| session.post(order));
        }
    }

    /// Wakes the waiters for a free page.
    fn freed(&self) {
        self.here.freed.notify_waiters();
        self.report();
    }
}
