//! Attention to events outside the run's own steps: ended background children and messages. The run attends
//! to them between two steps, whatever its status, before it does anything else.

use super::telling::Untold;
use super::{Run, RunActivity};
use crate::program::{Attended, Child};
use crate::protocol::Status;
use crate::store::StoreError;
use crate::store::rows::Commit;
use actix::prelude::*;
use std::sync::Arc;
use std::time::Duration;

impl Run {
    /// Attends to outside events, then handles pending signals or takes the next step.
    pub(super) fn go_on(&mut self, ctx: &mut Context<Self>) {
        self.under_way = RunActivity::Store;
        if let Some(wait) = self.not_due() {
            let timer = ctx.run_later(wait, |run, ctx| run.go_on(ctx));
            self.under_way = RunActivity::Later(timer);
            return;
        }
        if self.must_attend() {
            return self.look_around(ctx);
        }
        self.proceed(ctx);
    }

    /// Returns the time until a queued run may start. A pending signal ends the wait.
    fn not_due(&self) -> Option<Duration> {
        let idle = self.status == Status::Queued && self.hearing.orders() == Default::default();
        if idle { self.place.not_yet() } else { None }
    }

    /// True if something may have happened since the run last attended.
    pub(super) fn must_attend(&self) -> bool {
        let orders = self.hearing.orders();
        let lives = !(self.status.is_outcome() || self.status == Status::Queued);
        lives && !(orders.stop || orders.time_up) && self.program.is_some() && self.hearing.is_unattended()
    }

    fn look_around(&mut self, ctx: &mut Context<Self>) {
        self.hearing.attend();
        let background = self.program.as_ref().map(|program| program.background()).unwrap_or_default();
        // The signal may have been about an answer. The run reads its question before it attends.
        let open = self.question.as_ref().filter(|question| question.resolved_by.is_none());
        let open = open.map(|question| question.reference.clone());
        if background.is_empty() && open.is_none() {
            return self.attend(&[], ctx);
        }
        let store = Arc::clone(&self.engine.store);
        let look = async move {
            let question = match open {
                Some(reference) => store.question(reference).await?,
                None => None,
            };
            let ended = if background.is_empty() { Vec::new() } else { store.ended(background).await? };
            Ok::<_, StoreError>((question, ended))
        };
        ctx.spawn(look.into_actor(self).map(|looked, run, ctx| match looked {
            Ok((question, rows)) => {
                if question.is_some() {
                    run.question = question;
                }
                run.attend(&rows.into_iter().map(Child::from_row).collect::<Vec<_>>(), ctx);
            }
            Err(fault) => run.give_up(&fault, ctx),
        }));
    }

    fn attend(&mut self, ended: &[Child], ctx: &mut Context<Self>) {
        let heard = self.beside(ended);
        let Some(program) = &mut self.program else { return self.leave(ctx) };
        let Some(mut attended) = program.attend(ended, self.hearing.inbox()) else {
            return self.proceed_or_attend(ctx);
        };
        if let Err(fault) = program.apply(&attended.changes) {
            return self.fail(&fault, ctx);
        }
        if let Some(read) = attended.record.read_inbox {
            self.hearing.read(read);
        }
        self.untold = Some(Untold::beside(&mut attended.record));
        let calls = std::mem::take(&mut attended.record.calls);
        let commit = Commit { heard, ..self.attended(attended) };
        self.call(commit, calls, ctx, |run, commit, ctx| {
            let stop = commit.cancel.clone();
            run.store(commit, ctx, |run, ctx| {
                run.tell_children(stop);
                run.go_on(ctx);
            });
        });
    }

    /// Proceeds, or attends again if something came in meanwhile.
    fn proceed_or_attend(&mut self, ctx: &mut Context<Self>) {
        if self.must_attend() { self.look_around(ctx) } else { self.proceed(ctx) }
    }

    fn attended(&mut self, attended: Attended) -> Commit {
        self.checkpoint.begin();
        match &self.program {
            Some(program) => self.checkpoint.attended(&self.id, &self.root, attended, program.as_ref()),
            None => Commit::default(),
        }
    }
}
