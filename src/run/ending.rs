//! Ends of runs: by the graph, by a stop, by timeout, or by an error.

use super::lifecycle::{self, Turnpoint};
use super::telling::{EndReport, Untold};
use super::{Run, RunSignal, checkpoint, resolving};
use crate::program::bounds::TreePosition;
use crate::program::{End, ProgramError};
use crate::protocol::Status;
use crate::protocol::server::ResolvedBy;
use crate::store::StoreError;
use crate::store::rows::Commit;
use actix::prelude::*;
use std::sync::Arc;

impl Run {
    /// Ends the run because its tree has used up a limit.
    pub(super) fn exhausted(&mut self, why: String, ctx: &mut Context<Self>) {
        self.end_as(Turnpoint::TimeUp, Some(why), ctx);
    }

    pub(super) fn finish(&mut self, mut commit: Commit, end: End, ctx: &mut Context<Self>) {
        let told = EndReport::of(&end);
        let plan = self.program.as_ref().and_then(|program| program.plan());
        commit.facts.extend(checkpoint::end_facts(&end, plan));
        commit.ended = Some(checkpoint::ended(end));
        self.store(commit, ctx, move |run, ctx| {
            run.tell_end(&told);
            run.passes = Some(RunSignal::Stop);
            if run.id == run.root {
                run.engine.programs.ended(&run.root);
            }
            run.parked(ctx);
        });
    }

    /// Ends the run after a stop or a timeout. Resolves its open question first.
    pub(super) fn stop(&mut self, event: Turnpoint, ctx: &mut Context<Self>) {
        if let Some(row) = self.question.take().filter(|row| row.resolved_by.is_none()) {
            let (by, word) = match event {
                Turnpoint::TimeUp => (ResolvedBy::Expired, "expired"),
                _ => (ResolvedBy::Stopped, "stopped"),
            };
            let answered = checkpoint::answered(&row.reference, by, &Default::default(), None, None);
            let store = Arc::clone(&self.engine.store);
            let resolve = async move { resolving::resolve(&*store, &row, answered, word).await };
            ctx.spawn(resolve.into_actor(self).map(move |result, run, ctx| match result {
                Ok(_) => run.end_as(event, run.why(event), ctx),
                Err(fault) => run.give_up(&fault, ctx),
            }));
            return;
        }
        self.end_as(event, self.why(event), ctx);
    }

    /// Returns the reason of an end that the program's own texts do not explain.
    fn why(&self, event: Turnpoint) -> Option<String> {
        let out_of_time = || {
            String::from(
                "Its time is up: `timeout_s` of its item, or `limits.wall_s` of an agent that it works for.",
            )
        };
        match event {
            _ if self.hearing.lapsed() => Some(lapsed()),
            Turnpoint::TimeUp => Some(out_of_time()),
            _ => None,
        }
    }

    pub(super) fn fail(&mut self, fault: &ProgramError, ctx: &mut Context<Self>) {
        tracing::warn!(run_id = %self.id, %fault, "run failed");
        self.end_as(Turnpoint::Fail, Some(fault.to_string()), ctx);
    }

    /// Leaves after a store error. The run stays at its last checkpoint and goes on from there when the
    /// service starts again.
    pub(super) fn give_up(&mut self, fault: &StoreError, ctx: &mut Context<Self>) {
        tracing::error!(run_id = %self.id, %fault, "run set aside at its last checkpoint");
        self.leave(ctx);
    }

    /// Ends a run whose stored state cannot be restored as failed, provided its row can be read.
    pub(super) fn broken(&mut self, fault: StoreError, ctx: &mut Context<Self>) {
        self.unreadable = true;
        if !matches!(fault, StoreError::Corrupt { .. }) {
            return self.give_up(&fault, ctx);
        }
        let row = self.engine.store.run(self.id.clone());
        ctx.spawn(row.into_actor(self).map(move |row, run, ctx| {
            let Ok(Some(row)) = row else { return run.give_up(&fault, ctx) };
            run.root = row.root.clone();
            run.agent.clone_from(&row.agent);
            run.place = TreePosition::from_row(&row);
            run.status = Status::from_word(&row.status).unwrap_or(Status::Running);
            if run.status.is_outcome() {
                return run.give_up(&fault, ctx);
            }
            run.fail(&ProgramError::Store(fault), ctx);
        }));
    }

    pub(super) fn end_as(&mut self, event: Turnpoint, why: Option<String>, ctx: &mut Context<Self>) {
        let Ok(outcome) = lifecycle::next(self.status, event) else { return self.leave(ctx) };
        self.status = outcome;
        let words = self.program.as_ref().map(|program| program.farewell(outcome)).unwrap_or_default();
        let response = match why {
            Some(why) => format!("{words} {why}").trim().to_owned(),
            None => words,
        };
        // Unread messages get no reply, but the run's history shows them.
        let unread = self.hearing.take_inbox();
        let mut closing = self.program.as_ref().map(|program| program.closing()).unwrap_or_default();
        self.untold = Some(Untold::beside(&mut closing));
        let vars = self.program.as_ref().map(|program| program.leaves()).unwrap_or_default();
        let mut commit = self.commit_of(
            unread
                .iter()
                .filter_map(|message| message.item.words())
                .map(checkpoint::user_message_event)
                .collect(),
        );
        commit = checkpoint::recorded(commit, closing);
        commit.status = Some((outcome.word().to_owned(), None));
        // Messages from before the end must not reopen the run.
        commit.read_inbox = unread.last().map(|message| message.n);
        // Closes an interrupted effect, so that a later receipt cannot be mistaken for its own.
        commit.receipt = Some(checkpoint::cut_off());
        self.finish(commit, End { outcome, response: Some(response), vars }, ctx);
    }
}

fn lapsed() -> String {
    String::from(
        "The service was started anew, and runs of this agent do not outlive it (durability: ephemeral).",
    )
}
