//! Events outside the run's own steps: ended background children and messages. The run handles them between two
//! steps, whatever its status, before it does anything else.

use crate::engine::program::BackgroundResult;
use crate::engine::program::ended_child::EndedChild;
use crate::engine::run::state::Run;
use crate::engine::run::step_recorder::record_outside_events;
use crate::engine::run::step_report::StepReport;
use crate::protocol::Status;
use crate::store::error::StoreError;
use crate::store::rows::RunCommit;
use actix::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// Outcome under which traces list changes made by outside events.
const ATTENDED: &str = "Attended";

impl Run {
    /// Returns the time until a queued run may start. A pending signal ends the wait.
    pub(crate) fn time_until_due(&self) -> Option<Duration> {
        let idle = self.status == Status::Queued && self.mailbox.pending() == Default::default();
        if idle { self.identity.position.start_delay() } else { None }
    }

    /// True if something may have happened since the run last handled outside events.
    pub(crate) fn may_have_outside_events(&self) -> bool {
        let pending = self.mailbox.pending();
        let is_live = !(self.status.is_outcome() || self.status == Status::Queued);
        is_live
            && !(pending.stop || pending.time_up)
            && self.program.is_some()
            && self.mailbox.has_new_signals()
    }

    /// Reads the ended background children and the open question, then handles them.
    pub(crate) fn load_outside_events(&mut self, ctx: &mut Context<Self>) {
        self.mailbox.mark_outside_events_handled();
        let background =
            self.program.as_ref().map(|program| program.background_children()).unwrap_or_default();
        // The signal may have been about an answer. The run reads its question first.
        let open_question = self.interrupt.open_question();
        let open_question = open_question.map(|question| question.reference.clone());
        let reads_inbox = self.mailbox.take_must_read_inbox();
        if background.is_empty() && open_question.is_none() && !reads_inbox {
            return self.handle_outside_events(&[], ctx);
        }
        let (store, run) = (Arc::clone(&self.services.store), self.identity.id.clone());
        let loading = async move {
            let question = match open_question {
                Some(reference) => store.question(reference).await?,
                None => None,
            };
            let ended = if background.is_empty() { Vec::new() } else { store.ended_runs(background).await? };
            let inbox = if reads_inbox { store.inbox(run).await? } else { Vec::new() };
            Ok::<_, StoreError>((question, ended, inbox))
        };
        ctx.spawn(loading.into_actor(self).map(|loaded, run, ctx| match loaded {
            Ok((question, rows, inbox)) => {
                run.mailbox.restore_inbox(inbox);
                if question.is_some() {
                    run.interrupt.question = question;
                }
                run.handle_outside_events(
                    &rows.into_iter().map(EndedChild::from_row).collect::<Vec<_>>(),
                    ctx,
                );
            }
            Err(fault) => run.leave_after_store_error(&fault, ctx),
        }));
    }

    fn handle_outside_events(&mut self, ended: &[EndedChild], ctx: &mut Context<Self>) {
        let (step, outside) = (self.step_counter.next_step(), (self.mailbox.inbox(), ended));
        let recording = record_outside_events(&self.services, &self.identity.root, step, outside);
        let Some(program) = &mut self.program else { return self.leave(ctx) };
        let Some(BackgroundResult { changes, mut record }) =
            program.handle_background(ended, self.mailbox.inbox())
        else {
            return self.advance(ctx);
        };
        if let Err(fault) = program.apply(&changes) {
            return self.fail(&fault, ctx);
        }
        if let Some(read) = record.read_inbox {
            self.mailbox.remove_read(read);
        }
        self.report = Some(StepReport::from_record(&mut record));
        let calls = std::mem::take(&mut record.calls);
        self.step_counter.start_clock();
        let (blank, step) = (self.identity.commit(Vec::new()), (program.node(), ATTENDED));
        let commit = self.step_counter.step_commit(blank, step, changes, record, program.as_ref());
        let stop = commit.children.stop.clone();
        self.commit(RunCommit { recording, ..commit }, calls, ctx, |run, ctx| {
            run.start_and_stop_children(stop);
            run.advance(ctx);
        });
    }
}
