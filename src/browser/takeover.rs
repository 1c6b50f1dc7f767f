//! Take-over: at most one controller at a time. While a person holds the lease, the run neither observes nor
//! acts, and every input is checked against the holder.

use super::cancel_on_drop::CancelOnDrop;
use super::fault::{ErrorCode, PageError};
use super::holder_view::HolderView;
use super::input_state::HeldInput;
use super::link::Session;
use super::migrate::StoreSnapshot;
use super::pending_input::PendingInput;
use super::tab::Tab;
use super::takeover_dialogs::DialogSubscriber;
use super::window::PageContext;
use super::{Browser, BrowserShared, snapshot};
use crate::ids::SessionId;
use crate::turn::redact;
use actix::{ActorFutureExt, Context, Handler, Message, ResponseActFuture, WrapFuture};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Starts a take-over. Refused while another session holds the page.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), PageError>")]
pub struct TakeOver {
    pub holder: SessionId,
}

/// Ends the take-over; with a holder, only if that session holds the page. Returns the changes since it
/// began.
#[derive(Debug, Message)]
#[rtype(result = "Result<TakeoverChanges, PageError>")]
pub struct HandBack {
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
pub struct TakeoverLease {
    holder: Option<SessionId>,
    before: Option<StateBefore>,
    pub(super) held: HeldInput,
    /// Subscriber to the page's dialogs.
    pub(super) confidant: Option<DialogSubscriber>,
    /// Subscriber to the page's address and file choosers.
    pub(super) view: Option<HolderView>,
    /// Number of take-overs so far, including the current one.
    number: u64,
    pub(super) under_way: PendingInput,
}

/// State of the page at the beginning of the take-over. Values of fields stay in the page.
#[derive(Clone, Debug, Default)]
struct StateBefore {
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
struct ComparisonReply {
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

impl ComparisonReply {
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

impl TakeoverLease {
    pub fn holder(&self) -> Option<&SessionId> {
        self.holder.as_ref()
    }

    /// Reports whether a take-over has begun and the page's state was recorded.
    pub fn is_active(&self) -> bool {
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
        Err(PageError::new(ErrorCode::NoLease, "this window does not hold the page; take it over first"))
    }
}

impl Handler<TakeOver> for Browser {
    type Result = ResponseActFuture<Self, Result<(), PageError>>;

    fn handle(&mut self, TakeOver { holder }: TakeOver, _: &mut Context<Self>) -> Self::Result {
        if self.holding.holder.as_ref().is_some_and(|now| *now != holder) {
            return Box::pin(actix::fut::ready(Err(PageError::lease_held())));
        }
        // From here on no observation or action starts; the current one finishes first.
        self.holding.holder = Some(holder.clone());
        self.holding.number += 1;
        let number = self.holding.number;
        self.report_status();
        self.apply_restrictions();
        if let Some(window) = self.here.window.borrow().as_ref() {
            // A dialog does not appear in the screencast, and the page is stopped while it is open.
            window.dismiss("when the person took the page");
        }
        let here = self.here.clone();
        Box::pin(record_state(here).into_actor(self).map(move |before, this, _| match before {
            // By now the page may have been handed back and taken by another session.
            _ if this.holding.number != number || this.holding.holder.as_ref() != Some(&holder) => {
                this.stop_takeover_script();
                Err(PageError::new(ErrorCode::NoLease, "the page was handed back before it could be taken"))
            }
            Ok(before) => {
                this.holding.before = Some(before);
                this.cast.show_unredacted(&holder);
                Ok(())
            }
            Err(fault) => {
                this.end_dialog_subscription();
                this.holding.holder = None;
                this.stop_takeover_script();
                this.notify_free();
                this.apply_restrictions();
                Err(fault)
            }
        }))
    }
}

async fn record_state(here: BrowserShared) -> Result<StateBefore, PageError> {
    let _turn = here.turn.lock().await;
    let window = here.window().await?;
    let tab = window.current()?;
    window.set_takeover(true);
    let StateReply { url, title, passwords } = tab.call_script("rememberFields()").await?;
    let frames = tab.in_frames::<Value>("askfirst.rememberFields()").await.len();
    let (url, title) = tab.session.keys().hide_secrets((url, title));
    Ok(StateBefore { url, title, passwords, tabs: window.tab_position().1, frames })
}

impl Handler<HandBack> for Browser {
    type Result = CancelOnDrop<Result<TakeoverChanges, PageError>>;

    fn handle(&mut self, HandBack { holder }: HandBack, ctx: &mut Context<Self>) -> Self::Result {
        if let Some(Err(fault)) = holder.map(|holder| self.holding.check_held_by(&holder)) {
            return CancelOnDrop::now(Err(fault));
        }
        let typed = self.holding.held.has_typed();
        self.release_held_input();
        self.end_dialog_subscription();
        let had = self.holding.holder.take();
        if let Some(holder) = &had {
            self.show_last(holder, ctx);
        }
        self.apply_restrictions();
        let before = self.holding.before.take().unwrap_or_default();
        let here = self.here.clone();
        if had.is_some() {
            self.report_status();
        }
        // Runs that wait for the page continue after the comparison.
        let free = NotifyFreeOnDrop(self.here.clone());
        let under_way = self.holding.under_way.clone();
        let theirs = ActiveTakeoverScript(self.here.clone());
        CancelOnDrop::by(async move {
            let _free = free;
            under_way.wait_until_processed().await;
            let window = here.window().await?;
            let changes = changes(&window, &window.current()?, before, typed).await;
            drop(theirs);
            let changes = changes?;
            // A snapshot keeps what the person did, such as a log-in, even if Chromium ends now.
            if let Ok(snapshot) = snapshot::take(&window).await {
                here.me.do_send(StoreSnapshot(snapshot));
            }
            Ok(changes)
        })
    }
}

/// Keeps the take-over script active until dropped, possibly at an await point.
struct ActiveTakeoverScript(BrowserShared);

impl Drop for ActiveTakeoverScript {
    fn drop(&mut self) {
        self.0.me.do_send(StopTakeoverScript);
    }
}

/// Switches off the take-over script, once everything typed has been reported.
#[derive(Message)]
#[rtype(result = "()")]
struct StopTakeoverScript;

impl Handler<StopTakeoverScript> for Browser {
    type Result = ();

    fn handle(&mut self, _: StopTakeoverScript, _: &mut Context<Self>) {
        self.stop_takeover_script();
    }
}

impl Browser {
    /// Switches off the take-over script, unless another take-over has begun.
    fn stop_takeover_script(&self) {
        let window = self.here.window.borrow();
        if let Some(window) = window.as_ref().filter(|_| self.holding.holder.is_none()) {
            window.set_takeover(false);
        }
    }
}

/// Wakes the waiters for a free page when dropped.
struct NotifyFreeOnDrop(BrowserShared);

impl Drop for NotifyFreeOnDrop {
    fn drop(&mut self) {
        self.0.freed.notify_waiters();
    }
}

/// Returns both addresses; parts that are new in the second one are hidden, since they may be the person's
/// secrets.
fn hide_new_parts((was, is): (String, String)) -> (String, String) {
    let told = redact::redact_unknown_query(&is, &was);
    (was, told)
}

async fn changes(
    window: &PageContext,
    tab: &Tab,
    before: StateBefore,
    typed: bool,
) -> Result<TakeoverChanges, PageError> {
    let mut now: ComparisonReply = tab.call_script("compareFields()").await?;
    let inner = tab.in_frames::<ComparisonReply>("askfirst.compareFields()").await;
    let gone = inner.len() < before.frames;
    inner.into_iter().for_each(|(_, inner)| now.take(inner));
    let keys = tab.session.keys();
    std::mem::take(&mut now.secrets).into_iter().for_each(|secret| keys.typed().add_value(secret));
    let known = keys.hidden_values();
    now.names().for_each(|name| *name = redact::redact_text(name, &known));
    let ComparisonReply {
        url,
        title,
        passwords,
        fields,
        came,
        gone: left,
        dialogs,
        text,
        frames,
        replaced,
        ..
    } = now;
    // More secrets may be known now than when this was recorded.
    let told = keys.hide_secrets((before.url, before.title));
    let (url, title) = keys.hide_secrets((url, title));
    let differ = |was: String, is: String| (was != is).then_some((was, is));
    let tabs = window.tab_position().1;
    Ok(TakeoverChanges {
        url: differ(told.0, url).map(hide_new_parts),
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
    fn release_held_input(&mut self) {
        let orders = self.holding.held.release();
        if let Ok(session) = self.in_front() {
            orders.into_iter().for_each(|order| session.post(order));
        }
    }

    /// Wakes the waiters for a free page.
    fn notify_free(&self) {
        self.here.freed.notify_waiters();
        self.report_status();
    }
}
