//! Attention to events outside the run's own steps: ended background children and messages. The run attends
//! to them between two steps, whatever its status, before it does anything else.

use crate::engine::program::BackgroundResult;
use crate::engine::program::child::EndedChild;
use crate::engine::run::report::StepReport;
use crate::engine::run::state::{Run, RunActivity};
use crate::protocol::Status;
use crate::store::error::StoreError;
use crate::store::rows::RunCommit;
use actix::prelude::*;
use std::sync::Arc;
use std::time::Duration;

impl Run {
    /// Attends to outside events, then handles pending signals or takes the next step.
    pub(crate) fn go_on(&mut self, ctx: &mut Context<Self>) {
        self.under_way = RunActivity::Store;
        if let Some(wait) = self.time_until_due() {
            let timer = ctx.run_later(wait, |run, ctx| run.go_on(ctx));
            self.under_way = RunActivity::Later(timer);
            return;
        }
        if self.must_attend() {
            return self.load_outside_events(ctx);
        }
        self.proceed(ctx);
    }

    /// Returns the time until a queued run may start. A pending signal ends the wait.
    fn time_until_due(&self) -> Option<Duration> {
        let idle = self.status == Status::Queued && self.hearing.pending() == Default::default();
        if idle { self.place.start_delay() } else { None }
    }

    /// True if something may have happened since the run last attended.
    pub(crate) fn must_attend(&self) -> bool {
        let orders = self.hearing.pending();
        let lives = !(self.status.is_outcome() || self.status == Status::Queued);
        lives && !(orders.stop || orders.time_up) && self.program.is_some() && self.hearing.is_unattended()
    }

    fn load_outside_events(&mut self, ctx: &mut Context<Self>) {
        self.hearing.mark_attended();
        let background =
            self.program.as_ref().map(|program| program.background_children()).unwrap_or_default();
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
                run.attend(&rows.into_iter().map(EndedChild::from_row).collect::<Vec<_>>(), ctx);
            }
            Err(fault) => run.leave_after_store_error(&fault, ctx),
        }));
    }

    fn attend(&mut self, ended: &[EndedChild], ctx: &mut Context<Self>) {
        let heard = self.record_attention(ended);
        let Some(program) = &mut self.program else { return self.leave(ctx) };
        let Some(mut attended) = program.handle_background(ended, self.hearing.inbox()) else {
            return self.proceed_or_attend(ctx);
        };
        if let Err(fault) = program.apply(&attended.changes) {
            return self.fail(&fault, ctx);
        }
        if let Some(read) = attended.record.read_inbox {
            self.hearing.remove_read(read);
        }
        self.untold = Some(StepReport::from_record(&mut attended.record));
        let calls = std::mem::take(&mut attended.record.calls);
        let commit = RunCommit { heard, ..self.commit_attention(attended) };
        self.begin_children(commit, calls, ctx, |run, commit, ctx| {
            let stop = commit.cancel.clone();
            run.commit_and_report(commit, ctx, |run, ctx| {
                run.start_and_stop_children(stop);
                run.go_on(ctx);
            });
        });
    }

    /// Proceeds, or attends again if something came in meanwhile.
    fn proceed_or_attend(&mut self, ctx: &mut Context<Self>) {
        if self.must_attend() { self.load_outside_events(ctx) } else { self.proceed(ctx) }
    }

    fn commit_attention(&mut self, attended: BackgroundResult) -> RunCommit {
        self.checkpoint.start_clock();
        match &self.program {
            Some(program) => {
                self.checkpoint.attention_commit(&self.id, &self.root, attended, program.as_ref())
            }
            None => RunCommit::default(),
        }
    }
}
