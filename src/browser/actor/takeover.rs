//! Take-over: a person takes the page and hands it back.

use crate::browser::actor::migrate::StoreSnapshot;
use crate::browser::actor::{Browser, BrowserShared, snapshot};
use crate::browser::cancel_on_drop::CancelOnDrop;
use crate::browser::cdp::connection::Session;
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::takeover::comparison::{StateBefore, StateReply, TakeoverChanges, find_changes};
use crate::browser::takeover::page_holder::{GivePage, TakePageBack};
use actix::{ActorFutureExt, Context, Handler, Message, ResponseActFuture, WrapFuture};
use serde_json::Value;

impl Handler<GivePage> for Browser {
    type Result = ResponseActFuture<Self, Result<(), PageError>>;

    fn handle(&mut self, GivePage { holder }: GivePage, _: &mut Context<Self>) -> Self::Result {
        if self.takeover.holder.as_ref().is_some_and(|now| *now != holder) {
            return Box::pin(actix::fut::ready(Err(PageError::lease_held())));
        }
        // From here on no observation or action starts; the current one finishes first.
        self.takeover.holder = Some(holder.clone());
        self.takeover.number += 1;
        let number = self.takeover.number;
        self.report_status();
        self.apply_restrictions();
        if let Some(context) = self.shared.context.borrow().as_ref() {
            // A dialog does not appear in the screencast, and the page is stopped while it is open.
            context.dismiss("when the person took the page");
        }
        let shared = self.shared.clone();
        Box::pin(record_state(shared).into_actor(self).map(move |before, this, _| match before {
            // By now the page may have been handed back and taken by another session.
            _ if this.takeover.number != number || this.takeover.holder.as_ref() != Some(&holder) => {
                this.stop_takeover_script();
                Err(PageError::new(ErrorCode::NoLease, "the page was handed back before it could be taken"))
            }
            Ok(before) => {
                this.takeover.before = Some(before);
                this.screencast.show_unredacted(&holder);
                Ok(())
            }
            Err(fault) => {
                this.end_dialog_subscription();
                this.takeover.holder = None;
                this.stop_takeover_script();
                this.notify_free();
                this.apply_restrictions();
                Err(fault)
            }
        }))
    }
}

impl Handler<TakePageBack> for Browser {
    type Result = CancelOnDrop<Result<TakeoverChanges, PageError>>;

    fn handle(&mut self, TakePageBack { holder }: TakePageBack, ctx: &mut Context<Self>) -> Self::Result {
        if let Some(Err(fault)) = holder.map(|holder| self.takeover.check_held_by(&holder)) {
            return CancelOnDrop::now(Err(fault));
        }
        let typed = self.takeover.held.has_typed();
        self.release_held_input();
        self.end_dialog_subscription();
        let had = self.takeover.holder.take();
        if let Some(holder) = &had {
            self.show_last(holder, ctx);
        }
        self.apply_restrictions();
        let before = self.takeover.before.take().unwrap_or_default();
        let shared = self.shared.clone();
        if had.is_some() {
            self.report_status();
        }
        // Runs that wait for the page continue after the comparison.
        let free = NotifyFreeOnDrop(self.shared.clone());
        let pending_input = self.takeover.pending_input.clone();
        let theirs = ActiveTakeoverScript(self.shared.clone());
        CancelOnDrop::by(async move {
            let _free = free;
            pending_input.wait_until_processed().await;
            let context = shared.open_context().await?;
            let changes = find_changes(&context, &context.current()?, before, typed).await;
            drop(theirs);
            let changes = changes?;
            // A snapshot keeps what the person did, such as a log-in, even if Chromium ends now.
            if let Ok(snapshot) = snapshot::take(&context).await {
                shared.me.do_send(StoreSnapshot(snapshot));
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
        let context = self.shared.context.borrow();
        if let Some(context) = context.as_ref().filter(|_| self.takeover.holder.is_none()) {
            context.set_takeover(false);
        }
    }
}

impl Browser {
    fn in_front(&self) -> Result<Session, PageError> {
        let context = self.shared.context.borrow().clone();
        Ok(context.ok_or_else(PageError::crashed)?.current()?.session)
    }

    /// Releases all buttons and keys of the holder.
    fn release_held_input(&mut self) {
        let orders = self.takeover.held.release();
        if let Ok(session) = self.in_front() {
            orders.into_iter().for_each(|order| session.post(order));
        }
    }

    /// Wakes the waiters for a free page.
    fn notify_free(&self) {
        self.shared.released.notify_waiters();
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
        self.0.released.notify_waiters();
    }
}

async fn record_state(shared: BrowserShared) -> Result<StateBefore, PageError> {
    let _turn = shared.turn.lock().await;
    let context = shared.open_context().await?;
    let tab = context.current()?;
    context.set_takeover(true);
    let StateReply { url, title, passwords } = tab.call_script("rememberFields()").await?;
    let frames = tab.in_frames::<Value>("askfirst.rememberFields()").await.len();
    let (url, title) = tab.policy.secrets().hide_secrets((url, title));
    Ok(StateBefore { url, title, passwords, tabs: context.tab_position().1, frames })
}
