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
        let shared = self.shared.clone();
        CancelOnDrop::by(async move {
            loop {
                let released = shared.released.notified();
                let turn = shared.turn.lock().await;
                if shared.context.borrow().is_none() {
                    return;
                }
                match shared.me.send(LeaveIfFree).await {
                    Ok(true) => return,
                    Ok(false) => {
                        drop(turn);
                        released.await;
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
        let context = self.shared.context.borrow().clone();
        let Some(context) = context.filter(|_| self.takeover.holder().is_none()) else {
            return Box::pin(actix::fut::ready(self.takeover.holder().is_none()));
        };
        let from = Rc::clone(&context);
        let taken = async move { snapshot::take(&from).await };
        let left = taken.into_actor(self).map(|taken, this, ctx| {
            // A person who has taken over meanwhile keeps the page in this Chromium.
            if this.takeover.holder().is_some() {
                return None;
            }
            match taken {
                Ok(snapshot) => this.publish_snapshot(snapshot),
                Err(fault) => tracing::debug!(run_id = %this.owner, code = fault.code.word(), "no snapshot"),
            }
            // If Chromium has just died, another page context may have replaced it.
            if this.shared.context.borrow().as_ref().is_some_and(|now| Rc::ptr_eq(now, &context)) {
                this.leave_chromium(ctx);
            }
            Some(context)
        });
        Box::pin(left.then(|left, this, _| {
            async move {
                match left {
                    Some(context) => context.close().await,
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
pub(super) struct StoreSnapshot(pub Snapshot);

impl Handler<StoreSnapshot> for Browser {
    type Result = ();

    fn handle(&mut self, StoreSnapshot(snapshot): StoreSnapshot, _: &mut Context<Self>) {
        // Ignored if another take-over has begun.
        if self.takeover.holder().is_none() {
            self.publish_snapshot(snapshot);
        }
    }
}

impl Browser {
    /// Stores the snapshot for a restart. Cookies of a lasting profile are also stored beside it.
    pub(super) fn store_snapshot(&mut self, snapshot: Snapshot) {
        let context = self.shared.context.borrow().clone();
        if let Some(profile) = context.as_ref().and_then(|context| context.profile_folder.as_ref()) {
            cookies::save_profile_cookies(profile, &snapshot.cookies);
        }
        self.snapshot = Some(snapshot);
    }

    /// Stores the snapshot and sends it as an event, to outlive this process.
    fn publish_snapshot(&mut self, snapshot: Snapshot) {
        self.send_event(BrowserEvent::SnapshotTaken { snapshot: Box::new(snapshot.clone()) });
        self.store_snapshot(snapshot);
    }
}
