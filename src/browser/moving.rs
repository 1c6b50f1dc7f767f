//! Leaving a Chromium that ends: where the browser stands is kept, and the next need opens it there in
//! another one. It waits for a moment when nothing is under way and no person holds the page.

use super::attended::Attended;
use super::snapshot::{self, Snapshot};
use super::{Browser, BrowserFact, cookies};
use actix::{ActorFutureExt, Context, Handler, Message, ResponseActFuture, WrapFuture};
use std::rc::Rc;

/// Leaves the Chromium that it is in. Answered when it has left, at once if it is in none.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub struct Move;

/// Nothing is under way: true if it has left.
#[derive(Message)]
#[rtype(result = "bool")]
struct SetDown;

impl Handler<Move> for Browser {
    type Result = Attended<()>;

    fn handle(&mut self, _: Move, _: &mut Context<Self>) -> Self::Result {
        let here = self.here.clone();
        Attended::by(async move {
            loop {
                let freed = here.freed.notified();
                let turn = here.turn.lock().await;
                if here.window.borrow().is_none() {
                    return;
                }
                match here.me.send(SetDown).await {
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

impl Handler<SetDown> for Browser {
    type Result = ResponseActFuture<Self, bool>;

    fn handle(&mut self, _: SetDown, _: &mut Context<Self>) -> Self::Result {
        let window = self.here.window.borrow().clone();
        let Some(window) = window.filter(|_| self.holding.holder().is_none()) else {
            return Box::pin(actix::fut::ready(self.holding.holder().is_none()));
        };
        let from = Rc::clone(&window);
        let taken = async move { snapshot::take(&from).await };
        let left = taken.into_actor(self).map(|taken, this, ctx| {
            // Whoever has taken it meanwhile has it here, and not in another.
            if this.holding.holder().is_some() {
                return None;
            }
            match taken {
                Ok(snapshot) => this.keep_at(snapshot),
                Err(fault) => tracing::debug!(run_id = %this.owner, code = fault.code.word(), "no snapshot"),
            }
            // Another may be there by now, were Chromium to have died just then.
            if this.here.window.borrow().as_ref().is_some_and(|now| Rc::ptr_eq(now, &window)) {
                this.set_down(ctx);
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

/// Where it stands after a person had it.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct StandsAt(pub Snapshot);

impl Handler<StandsAt> for Browser {
    type Result = ();

    fn handle(&mut self, StandsAt(snapshot): StandsAt, _: &mut Context<Self>) {
        // Unless a person has it again.
        if self.holding.holder().is_none() {
            self.keep_at(snapshot);
        }
    }
}

impl Browser {
    /// To open from, were Chromium to end. A profile's cookies are kept beside it as well.
    pub(super) fn stands_at(&mut self, snapshot: Snapshot) {
        let window = self.here.window.borrow().clone();
        if let Some(profile) = window.as_ref().and_then(|window| window.lasting.as_ref()) {
            cookies::keep(profile, &snapshot.cookies);
        }
        self.snapshot = Some(snapshot);
    }

    /// The same, and told, to be kept beyond this process.
    pub(super) fn keep_at(&mut self, snapshot: Snapshot) {
        self.tell(BrowserFact::Kept { snapshot: Box::new(snapshot.clone()) });
        self.stands_at(snapshot);
    }
}
