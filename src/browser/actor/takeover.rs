//! Take-over: a person takes the page and hands it back. Executes the effects of `PageHolder`.

use crate::browser::actor::leave_chromium::StoreSnapshot;
use crate::browser::actor::{Browser, BrowserShared, snapshot};
use crate::browser::cancel_on_drop::CancelOnDrop;
use crate::browser::cdp::connection::Session;
use crate::browser::error::PageError;
use crate::browser::takeover::comparison::{StateBefore, StateReply, TakeoverChanges, find_changes};
use crate::browser::takeover::page_holder::{EndedTakeover, GiveToPerson, ReturnToRun, TakeoverEffect};
use actix::{ActorFutureExt, Context, Handler, Message, ResponseActFuture, WrapFuture};
use serde_json::Value;

impl Handler<GiveToPerson> for Browser {
    type Result = ResponseActFuture<Self, Result<(), PageError>>;

    fn handle(&mut self, GiveToPerson { holder }: GiveToPerson, ctx: &mut Context<Self>) -> Self::Result {
        let (begun, effects) = match self.takeover.begin(holder) {
            Ok(begun) => begun,
            Err(fault) => return Box::pin(actix::fut::ready(Err(fault))),
        };
        if let Some(context) = self.shared.context.borrow().as_ref() {
            context.history.borrow_mut().reach.begin_takeover();
        }
        self.run_takeover(effects, ctx);
        let shared = self.shared.clone();
        Box::pin(record_state(shared).into_actor(self).map(move |recorded, this, ctx| {
            let (result, effects) = this.takeover.finish_begin(begun, recorded);
            this.run_takeover(effects, ctx);
            result
        }))
    }
}

impl Handler<ReturnToRun> for Browser {
    type Result = CancelOnDrop<Result<TakeoverChanges, PageError>>;

    fn handle(&mut self, ReturnToRun { holder }: ReturnToRun, ctx: &mut Context<Self>) -> Self::Result {
        let (EndedTakeover { before, typed, pending_input }, effects) =
            match self.takeover.end(holder.as_ref()) {
                Ok(ended) => ended,
                Err(fault) => return CancelOnDrop::now(Err(fault)),
            };
        self.run_takeover(effects, ctx);
        let shared = self.shared.clone();
        // Runs that wait for the page continue after the comparison.
        let free = NotifyFreeOnDrop(self.shared.clone());
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
    pub(super) fn run_takeover(
        &mut self,
        effects: impl IntoIterator<Item = TakeoverEffect>,
        ctx: &mut Context<Self>,
    ) {
        for effect in effects {
            match effect {
                TakeoverEffect::ReportHolder => self.report_status(),
                TakeoverEffect::ApplyRestrictions => self.apply_restrictions(),
                TakeoverEffect::DismissDialog => {
                    if let Some(context) = self.shared.context.borrow().as_ref() {
                        context.dismiss("when the person took the page");
                    }
                }
                TakeoverEffect::DismissHolderDialog => self.dismiss_holder_dialog(),
                TakeoverEffect::ShowLast(session) => self.show_last(&session, ctx),
                TakeoverEffect::Post(commands) => {
                    if let Ok(session) = self.in_front() {
                        commands.into_iter().for_each(|command| session.post(command));
                    }
                }
                TakeoverEffect::StopScript => self.stop_takeover_script(),
                TakeoverEffect::NotifyFree => {
                    self.shared.released.notify_waiters();
                    self.report_status();
                }
            }
        }
    }

    /// Switches off the take-over script, unless another take-over has begun.
    fn stop_takeover_script(&self) {
        let context = self.shared.context.borrow();
        if let Some(context) = context.as_ref().filter(|_| self.takeover.holder().is_none()) {
            context.set_takeover(false);
        }
    }

    fn in_front(&self) -> Result<Session, PageError> {
        let context = self.shared.context.borrow().clone();
        Ok(context.ok_or_else(PageError::crashed)?.current()?.session)
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
    Ok(StateBefore { url, title, passwords, tabs: context.tabs.position().1, frames })
}
