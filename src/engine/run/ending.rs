//! Ends of runs: by the graph, by a stop, by timeout, or by an error.

use crate::engine::lifecycle;
use crate::engine::lifecycle::LifecycleEvent;
use crate::engine::program::bounds::TreePosition;
use crate::engine::program::{ProgramError, RunEnd};
use crate::engine::registry::resolve_question;
use crate::engine::run::checkpoint;
use crate::engine::run::observability::EndReport;
use crate::engine::run::report::StepReport;
use crate::engine::run::signals::RunSignal;
use crate::engine::run::state::Run;
use crate::protocol::Status;
use crate::protocol::server::ResolvedBy;
use crate::store::error::StoreError;
use crate::store::rows::RunCommit;
use actix::prelude::*;
use std::sync::Arc;

impl Run {
    /// Ends the run because its tree has used up a limit.
    pub(crate) fn end_exhausted(&mut self, why: String, ctx: &mut Context<Self>) {
        self.end_as(LifecycleEvent::TimeUp, Some(why), ctx);
    }

    pub(crate) fn commit_end(&mut self, mut commit: RunCommit, end: RunEnd, ctx: &mut Context<Self>) {
        let told = EndReport::from_end(&end);
        let plan = self.program.as_ref().and_then(|program| program.plan());
        commit.facts.extend(checkpoint::end_events(&end, plan));
        commit.ended = Some(checkpoint::end_row(end));
        self.commit_and_report(commit, ctx, move |run, ctx| {
            run.report_end(&told);
            run.passes = Some(RunSignal::Stop);
            if run.id == run.root {
                run.engine.programs.release_tree(&run.root);
            }
            run.archive_and_leave(ctx);
        });
    }

    /// Ends the run after a stop or a timeout. Resolves its open question first.
    pub(crate) fn stop(&mut self, event: LifecycleEvent, ctx: &mut Context<Self>) {
        if let Some(row) = self.question.take().filter(|row| row.resolved_by.is_none()) {
            let (by, word) = match event {
                LifecycleEvent::TimeUp => (ResolvedBy::Expired, "expired"),
                _ => (ResolvedBy::Stopped, "stopped"),
            };
            let answered = checkpoint::resolution(&row.reference, by, &Default::default(), None, None);
            let store = Arc::clone(&self.engine.store);
            let resolve =
                async move { resolve_question::resolve_question(&*store, &row, answered, word).await };
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
        let out_of_time = || {
            String::from(
                "Its time is up: `timeout_s` of its item, or `limits.wall_s` of an agent that it works for.",
            )
        };
        match event {
            _ if self.hearing.ends_with_restart() => Some(restart_reason()),
            LifecycleEvent::TimeUp => Some(out_of_time()),
            _ => None,
        }
    }

    pub(crate) fn fail(&mut self, fault: &ProgramError, ctx: &mut Context<Self>) {
        tracing::warn!(run_id = %self.id, %fault, "run failed");
        self.end_as(LifecycleEvent::Fail, Some(fault.to_string()), ctx);
    }

    /// Leaves after a store error. The run stays at its last checkpoint and goes on from there when the
    /// service starts again.
    pub(crate) fn leave_after_store_error(&mut self, fault: &StoreError, ctx: &mut Context<Self>) {
        tracing::error!(run_id = %self.id, %fault, "run set aside at its last checkpoint");
        self.leave(ctx);
    }

    /// Ends a run whose stored state cannot be restored as failed, provided its row can be read.
    pub(crate) fn fail_unreadable(&mut self, fault: StoreError, ctx: &mut Context<Self>) {
        self.unreadable = true;
        if !matches!(fault, StoreError::Corrupt { .. }) {
            return self.leave_after_store_error(&fault, ctx);
        }
        let row = self.engine.store.run(self.id.clone());
        ctx.spawn(row.into_actor(self).map(move |row, run, ctx| {
            let Ok(Some(row)) = row else { return run.leave_after_store_error(&fault, ctx) };
            run.root = row.root.clone();
            run.agent.clone_from(&row.agent);
            run.place = TreePosition::from_row(&row);
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
        let words =
            self.program.as_ref().map(|program| program.interrupted_response(outcome)).unwrap_or_default();
        let response = match why {
            Some(why) => format!("{words} {why}").trim().to_owned(),
            None => words,
        };
        // Unread messages get no reply, but the run's history shows them.
        let unread = self.hearing.take_inbox();
        let mut closing = self.program.as_ref().map(|program| program.closing_record()).unwrap_or_default();
        self.untold = Some(StepReport::from_record(&mut closing));
        let vars = self.program.as_ref().map(|program| program.partial_outputs()).unwrap_or_default();
        let mut commit = self.commit_with_events(
            unread
                .iter()
                .filter_map(|message| message.item.words())
                .map(checkpoint::user_message_event)
                .collect(),
        );
        commit = checkpoint::with_record(commit, closing);
        commit.status = Some((outcome.word().to_owned(), None));
        // Messages from before the end must not reopen the run.
        commit.read_inbox = unread.last().map(|message| message.n);
        // Closes an interrupted effect, so that a later receipt cannot be mistaken for its own.
        commit.receipt = Some(checkpoint::unknown_receipt());
        self.commit_end(commit, RunEnd { outcome, response: Some(response), vars }, ctx);
    }
}

fn restart_reason() -> String {
    String::from(
        "The service was started anew, and runs of this agent do not outlive it (durability: ephemeral).",
    )
}
