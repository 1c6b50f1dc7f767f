//! Ends of runs: by the graph, by a stop, by timeout, or by an error; and the departure of the actor, with or
//! without an end.

use crate::engine::archive::WriteArchive;
use crate::engine::lifecycle;
use crate::engine::lifecycle::LifecycleEvent;
use crate::engine::program::{ChildCall, ProgramError, RunEnd};
use crate::engine::questions;
use crate::engine::questions::QuestionEnd;
use crate::engine::run::checkpoint;
use crate::engine::run::mailbox::LeaveState;
use crate::engine::run::messages::{RunLeft, RunSignal};
use crate::engine::run::observability::EndReport;
use crate::engine::run::state::{Departure, Run};
use crate::engine::run::step_report::StepReport;
use crate::protocol::Status;
use crate::protocol::server::ResolvedBy;
use crate::store::error::StoreError;
use crate::store::rows::{EndRow, RunCommit};
use actix::prelude::*;
use std::sync::Arc;

impl Run {
    /// Stores the end of the run with the commit of its last step, then leaves.
    pub(crate) fn commit_end(
        &mut self,
        mut commit: RunCommit,
        calls: Vec<ChildCall>,
        end: RunEnd,
        ctx: &mut Context<Self>,
    ) {
        let report = EndReport::from_end(&end);
        let plan = self.program.as_ref().and_then(|program| program.plan());
        commit.events.extend(checkpoint::end_events(&end, plan));
        commit.status.ended = Some(EndRow { response: end.response, vars: end.vars });
        self.commit(commit, calls, ctx, move |run, ctx| {
            run.report_end(&report);
            run.departure.forwarded = Some(RunSignal::Stop);
            run.services.programs.release_run(&run.identity.id);
            if run.identity.id == run.identity.root {
                run.services.programs.release_tree(&run.identity.root);
            }
            run.archive_and_leave(ctx);
        });
    }

    /// Ends the run after a stop or a timeout. Resolves its open question first.
    pub(crate) fn stop(&mut self, event: LifecycleEvent, ctx: &mut Context<Self>) {
        if let Some(row) = self.interrupt.question.take().filter(|row| row.resolved_by.is_none()) {
            let by = match event {
                LifecycleEvent::TimeUp => ResolvedBy::Expired,
                _ => ResolvedBy::Stopped,
            };
            let store = Arc::clone(&self.services.store);
            let resolve =
                async move { questions::resolve_question(&*store, &row, QuestionEnd::unanswered(by)).await };
            ctx.spawn(resolve.into_actor(self).map(move |result, run, ctx| match result {
                Ok(_) => run.end_as(event, run.end_reason(event), ctx),
                Err(fault) => run.leave_after_store_error(&fault, ctx),
            }));
            return;
        }
        self.end_as(event, self.end_reason(event), ctx);
    }

    /// Returns the reason of an end that the program's own texts do not explain.
    fn end_reason(&self, event: LifecycleEvent) -> Option<String> {
        let out_of_time =
            || String::from("Time limit reached: `timeout_s` of its item, or `limits.wall_s` of a caller.");
        match event {
            _ if self.mailbox.ends_after_restart() => Some(restart_reason()),
            LifecycleEvent::TimeUp => Some(out_of_time()),
            _ => None,
        }
    }

    pub(crate) fn fail(&mut self, fault: &ProgramError, ctx: &mut Context<Self>) {
        tracing::warn!(run_id = %self.identity.id, %fault, "run failed");
        self.end_as(LifecycleEvent::Fail, Some(fault.to_string()), ctx);
    }

    /// Leaves after a store error. The run stays at its last checkpoint and goes on from there when the
    /// service starts again.
    pub(crate) fn leave_after_store_error(&mut self, fault: &StoreError, ctx: &mut Context<Self>) {
        tracing::error!(run_id = %self.identity.id, %fault, "store error: run left at its last checkpoint");
        self.leave(ctx);
    }

    /// Ends a run whose stored state cannot be restored as failed, provided its row can be read.
    pub(crate) fn fail_unreadable(&mut self, fault: StoreError, ctx: &mut Context<Self>) {
        self.departure.unreadable = true;
        if !matches!(fault, StoreError::Corrupt { .. }) {
            return self.leave_after_store_error(&fault, ctx);
        }
        let row = self.services.store.run(self.identity.id.clone());
        ctx.spawn(row.into_actor(self).map(move |row, run, ctx| {
            let Ok(Some(row)) = row else { return run.leave_after_store_error(&fault, ctx) };
            run.identity.restore(&row);
            run.status = Status::from_word(&row.status).unwrap_or(Status::Running);
            if run.status.is_outcome() {
                return run.leave_after_store_error(&fault, ctx);
            }
            run.fail(&ProgramError::Store(fault), ctx);
        }));
    }

    pub(crate) fn end_as(&mut self, event: LifecycleEvent, why: Option<String>, ctx: &mut Context<Self>) {
        let Ok(outcome) = lifecycle::transition(self.status, event) else { return self.leave(ctx) };
        self.status = outcome;
        let text =
            self.program.as_ref().map(|program| program.interrupted_response(outcome)).unwrap_or_default();
        let response = match why {
            Some(why) => format!("{text} {why}").trim().to_owned(),
            None => text,
        };
        // Unread messages get no reply, but the run's history shows them.
        let unread = self.mailbox.take_inbox();
        let mut closing = self.program.as_ref().map(|program| program.closing_record()).unwrap_or_default();
        self.report = Some(StepReport::from_record(&mut closing));
        let vars = self.program.as_ref().map(|program| program.partial_outputs()).unwrap_or_default();
        let mut commit = self.identity.commit(
            unread
                .iter()
                .filter_map(|message| message.item.words())
                .map(checkpoint::user_message_event)
                .collect(),
        );
        commit = checkpoint::with_record(commit, closing);
        commit.status.to = Some((outcome.word().to_owned(), None));
        // Messages from before the end must not reopen the run.
        commit.consumed.inbox = unread.last().map(|message| message.n);
        // Closes an interrupted effect, so that a later receipt cannot be mistaken for its own.
        commit.effect.receipt = Some(checkpoint::unknown_receipt());
        self.commit_end(commit, Vec::new(), RunEnd { outcome, response: Some(response), vars }, ctx);
    }

    /// Has the archive files written, and leaves until the next signal.
    pub(crate) fn archive_and_leave(&mut self, ctx: &mut Context<Self>) {
        if let Some(program) = &self.program {
            let (run, last) = (self.identity.id.clone(), self.status.is_outcome());
            self.services.archive.do_send(WriteArchive { run, state: program.state(), last });
            if !last && self.may_have_outside_events() {
                return self.advance(ctx);
            }
        }
        let unread = self.status.is_outcome() && !self.mailbox.inbox().is_empty();
        self.report_left(unread, ctx);
    }

    pub(crate) fn leave(&mut self, ctx: &mut Context<Self>) {
        self.report_left(false, ctx);
    }

    /// Leaves. `unread` is true if messages remain for which the run must be reopened.
    fn report_left(&mut self, unread: bool, ctx: &mut Context<Self>) {
        let LeaveState { covered_up_to, must_restart } = self.mailbox.leave_state();
        let Departure { begun_children, forwarded, unreadable } = std::mem::take(&mut self.departure);
        let parent = self.identity.position.parent.clone();
        self.registry.left.do_send(RunLeft {
            run: self.identity.id.clone(),
            covered_up_to,
            must_restart: must_restart || unread,
            status: self.status,
            parent: parent.filter(|_| forwarded == Some(RunSignal::Stop)),
            begun_children,
            forwarded,
            unfinished_children: self.program.as_ref().map(|program| program.unfinished_children()),
            unreadable,
        });
        ctx.stop();
    }
}

fn restart_reason() -> String {
    String::from(
        "The service restarted, and runs of this agent do not survive a restart (durability: ephemeral).",
    )
}
