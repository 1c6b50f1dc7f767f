//! Take-over: a person takes the page and hands it back.

use crate::browser::actor::migrate::StoreSnapshot;
use crate::browser::actor::{Browser, BrowserShared, snapshot};
use crate::browser::cancel_on_drop::CancelOnDrop;
use crate::browser::cdp::connection::Session;
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::takeover::comparison::{StateBefore, StateReply, TakeoverChanges, changes};
use crate::browser::takeover::page_holder::{HandBack, TakeOver};
use actix::{ActorFutureExt, Context, Handler, Message, ResponseActFuture, WrapFuture};
use serde_json::Value;

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

/// Switches off the take-over script, once everything typed has been reported.
#[derive(Message)]
#[rtype(result = "()")]
struct StopTakeoverScript;

/// Keeps the take-over script active until dropped, possibly at an await point.
struct ActiveTakeoverScript(BrowserShared);

impl Drop for ActiveTakeoverScript {
    fn drop(&mut self) {
        self.0.me.do_send(StopTakeoverScript);
    }
}

/// Wakes the waiters for a free page when dropped.
struct NotifyFreeOnDrop(BrowserShared);

impl Drop for NotifyFreeOnDrop {
    fn drop(&mut self) {
        self.0.freed.notify_waiters();
    }
}

async fn record_state(here: BrowserShared) -> Result<StateBefore, PageError> {
    let _turn = here.turn.lock().await;
    let window = here.window().await?;
    let tab = window.current()?;
    window.set_takeover(true);
    let StateReply { url, title, passwords } = tab.call_script("rememberFields()").await?;
    let frames = tab.in_frames::<Value>("askfirst.rememberFields()").await.len();
    let (url, title) = tab.policy.secrets().hide_secrets((url, title));
    Ok(StateBefore { url, title, passwords, tabs: window.tab_position().1, frames })
}
