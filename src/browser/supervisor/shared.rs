//! The one shared Chromium: started at the first need, ended soon after its last user.

use super::{State, Supervisor};
use crate::browser::fault::BrowserError;
use crate::browser::reach::{self, Reached, Started};
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};
use std::time::Duration;
use tokio::sync::oneshot;

/// Runs that follow each other closely share one Chromium.
const GRACE: Duration = Duration::from_millis(1000);

impl Supervisor {
    /// The answer comes when Chromium is there; begins to start it if nobody did.
    pub(super) fn reach(
        &mut self,
        ctx: &mut Context<Self>,
    ) -> oneshot::Receiver<Result<Reached, BrowserError>> {
        let (tell, told) = oneshot::channel();
        if let Some(ending) = self.ending.take() {
            ctx.cancel_future(ending);
        }
        match &mut self.chromium {
            _ if self.shut => drop(tell.send(Err(BrowserError::ShuttingDown))),
            State::Up { reached, .. } if !reached.link.is_gone() => drop(tell.send(Ok(reached.clone()))),
            State::Starting(waiting) => waiting.push(tell),
            State::Idle | State::Up { .. } => {
                let gone = self.take_chromium();
                ctx.spawn(gone.into_actor(self));
                self.chromium = State::Starting(vec![tell]);
                let started = reach::start(self.config.clone());
                ctx.spawn(started.into_actor(self).map(|started, this, ctx| this.started_up(started, ctx)));
            }
        }
        told
    }

    pub(super) fn started_up(&mut self, started: Result<Started, BrowserError>, ctx: &mut Context<Self>) {
        let State::Starting(waiting) = std::mem::replace(&mut self.chromium, State::Idle) else { return };
        let result = match started {
            Ok(Started { reached, process, drive }) => {
                self.generation += 1;
                let generation = self.generation;
                ctx.spawn(drive.into_actor(self).map(move |(), this, ctx| this.lost(generation, ctx)));
                self.chromium = State::Up { reached: reached.clone(), process };
                Ok(reached)
            }
            Err(error) => Err(error),
        };
        for tell in waiting {
            let _ = tell.send(result.clone());
        }
        self.end_if_unused(ctx);
    }

    /// The connection broke: Chromium died, or was killed.
    pub(super) fn lost(&mut self, generation: u64, ctx: &mut Context<Self>) {
        if generation == self.generation && matches!(self.chromium, State::Up { .. }) {
            tracing::warn!("chromium is gone");
            // Its guard cleans up after it.
            ctx.spawn(self.take_chromium().into_actor(self));
        }
    }

    pub(super) fn end_if_unused(&mut self, ctx: &mut Context<Self>) {
        if self.tenants.is_empty() && matches!(self.chromium, State::Up { .. }) && self.ending.is_none() {
            self.ending = Some(ctx.run_later(GRACE, |this, ctx| {
                this.ending = None;
                if this.tenants.is_empty() {
                    ctx.spawn(this.take_chromium().into_actor(this));
                }
            }));
        }
    }

    /// Chromium's end, to be waited for.
    pub(super) fn take_chromium(&mut self) -> impl Future<Output = ()> + use<> {
        let state = match self.chromium {
            State::Up { .. } => std::mem::replace(&mut self.chromium, State::Idle),
            State::Idle | State::Starting(_) => State::Idle,
        };
        let dying = self.dying.clone();
        let process = match state {
            State::Up { process, .. } => process,
            State::Idle | State::Starting(_) => None,
        };
        dying.send_modify(|count| *count += usize::from(process.is_some()));
        async move {
            if let Some(process) = process {
                process.end().await;
                dying.send_modify(|count| *count -= 1);
            }
        }
    }

    /// Returns when no Chromium is on its way out any more.
    pub(super) fn all_dead(&self) -> impl Future<Output = ()> + use<> {
        let mut dying = self.dying.subscribe();
        async move {
            // It fails only when the supervisor is gone, and then nobody waits.
            let _ = dying.wait_for(|count| *count == 0).await;
        }
    }
}
