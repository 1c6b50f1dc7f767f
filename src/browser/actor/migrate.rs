//! Leaving a Chromium that is ending: the state is kept in a snapshot, and the next use reopens it in another
//! Chromium. Waits until no observation or action is running and no person holds the page.

use crate::browser::actor::{Browser, snapshot};
use crate::browser::cancel_on_drop::CancelOnDrop;
use crate::browser::messages::{BrowserEvent, LeaveChromium, LeaveIfFree};
use crate::browser::page::cookies;
use crate::browser::snapshot::Snapshot;
use actix::{ActorFutureExt, Context, Handler, Message, ResponseActFuture, WrapFuture};
use std::rc::Rc;

impl Handler<LeaveChromium> for Browser {
    type Result = CancelOnDrop<()>;

    fn handle(&mut self, _: LeaveChromium, _: &mut Context<Self>) -> Self::Result {
        let here = self.here.clone();
        CancelOnDrop::by(async move {
            loop {
                let freed = here.freed.notified();
                let turn = here.turn.lock().await;
                if here.window.borrow().is_none() {
                    return;
                }
                match here.me.send(LeaveIfFree).await {
                    Ok(true) => return,
                    Ok(false) => {
                        drop(turn);
                        freed.await;
                    }
                    Err(_) => return,
                }
            }
        })
    }
}

impl Handler<LeaveIfFree> for Browser {
    type Result = ResponseActFuture<Self, bool>;

    fn handle(&mut self, _: LeaveIfFree, _: &mut Context<Self>) -> Self::Result {
        let window = self.here.window.borrow().clone();
        let Some(window) = window.filter(|_| self.holding.holder().is_none()) else {
            return Box::pin(actix::fut::ready(self.holding.holder().is_none()));
        };
        let from = Rc::clone(&window);
        let taken = async move { snapshot::take(&from).await };
        let left = taken.into_actor(self).map(|taken, this, ctx| {
            // A person who has taken over meanwhile keeps the page in this Chromium.
            if this.holding.holder().is_some() {
                return None;
            }
            match taken {
                Ok(snapshot) => this.publish_snapshot(snapshot),
                Err(fault) => tracing::debug!(run_id = %this.owner, code = fault.code.word(), "no snapshot"),
            }
            // If Chromium has just died, another page context may have replaced it.
            if this.here.window.borrow().as_ref().is_some_and(|now| Rc::ptr_eq(now, &window)) {
                this.leave_chromium(ctx);
            }
            Some(window)
        });
        Box::pin(left.then(|left, this, _| {
            async move {
                match left {
                    Some(window) => window.close().await,
                    None => return false,
                }
                true
            }
            .into_actor(this)
        }))
    }
}

/// Snapshot taken at a hand-back.
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct StoreSnapshot(pub Snapshot);

impl Handler<StoreSnapshot> for Browser {
    type Result = ();

    fn handle(&mut self, StoreSnapshot(snapshot): StoreSnapshot, _: &mut Context<Self>) {
        // Ignored if another take-over has begun.
        if self.holding.holder().is_none() {
            self.publish_snapshot(snapshot);
        }
    }
}

impl Browser {
    /// Stores the snapshot for a restart. Cookies of a lasting profile are also stored beside it.
    pub(crate) fn store_snapshot(&mut self, snapshot: Snapshot) {
        let window = self.here.window.borrow().clone();
        if let Some(profile) = window.as_ref().and_then(|window| window.lasting.as_ref()) {
            cookies::save_profile_cookies(profile, &snapshot.cookies);
        }
        self.snapshot = Some(snapshot);
    }

    /// Stores the snapshot and sends it as an event, to outlive this process.
    pub(crate) fn publish_snapshot(&mut self, snapshot: Snapshot) {
        self.send_event(BrowserEvent::Kept { snapshot: Box::new(snapshot.clone()) });
        self.store_snapshot(snapshot);
    }
}
