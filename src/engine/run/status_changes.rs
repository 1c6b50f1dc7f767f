//! Changes of a run that no step makes: it is paused or resumed, recovers after a crash, or is reopened by a message.

use crate::engine::lifecycle;
use crate::engine::lifecycle::LifecycleEvent;
use crate::engine::program::StepRecord;
use crate::engine::run::checkpoint;
use crate::engine::run::messages::RunSignal;
use crate::engine::run::state::Run;
use crate::protocol::Status;
use crate::store::rows::user_command::UserCommand;
use actix::prelude::*;
use serde_json::Value;

impl Run {
    /// Commits changes that no step made: after a crash, or when an ended run gets a message.
    pub(crate) fn commit_change(&mut self, why: &str, changes: Value, ctx: &mut Context<Self>) {
        let Some(program) = &mut self.program else { return self.leave(ctx) };
        if let Err(fault) = program.apply(&changes) {
            return self.fail(&fault, ctx);
        }
        let reopened = self.status.is_outcome();
        let event = if reopened { LifecycleEvent::Reopen } else { LifecycleEvent::Resume };
        // A run that was running when the process died is still running.
        self.status = lifecycle::transition(self.status, event).unwrap_or(Status::Running);
        self.step_counter.start_clock();
        let node = program.node();
        let blank = self.identity.commit(checkpoint::status_event(self.status, Some(node)));
        let record = StepRecord::default();
        let mut commit = self.step_counter.step_commit(blank, (node, why), changes, record, program.as_ref());
        commit.status.to = Some((Status::Running.word().to_owned(), None));
        commit.status.reopened = reopened;
        commit.effect.receipt = Some(checkpoint::unknown_receipt());
        self.commit(commit, Vec::new(), ctx, Self::advance);
    }

    /// Changes the status without a step.
    pub(crate) fn change_status(&mut self, event: LifecycleEvent, ctx: &mut Context<Self>) {
        let Ok(status) = lifecycle::transition(self.status, event) else {
            return self.leave(ctx);
        };
        self.status = status;
        // A child begun while the signal came may not have received it, so pass the signal on when leaving.
        let (forwarded, fulfilled) = match event {
            LifecycleEvent::Pause => (Some(RunSignal::Pause), Some(UserCommand::Pause)),
            LifecycleEvent::Resume | LifecycleEvent::Ask | LifecycleEvent::ComeToRest => {
                (Some(RunSignal::Resume), Some(UserCommand::Resume))
            }
            _ => (self.departure.forwarded.take(), None),
        };
        let command = self.mailbox.command_under_way().filter(|row| Some(row.command) == fulfilled);
        self.departure.forwarded = command.map(RunSignal::Command).or(forwarded);
        let node = self.program.as_ref().map(|program| program.node());
        let mut commit = self.identity.commit(checkpoint::status_event(status, node));
        commit.consumed.command_below = command;
        let reference = self.interrupt.question.as_ref().map(|row| row.reference.clone());
        commit.status.to = Some((status.word().to_owned(), reference));
        let parks = status == Status::Paused;
        self.commit(commit, Vec::new(), ctx, move |run, ctx| {
            if parks { run.archive_and_leave(ctx) } else { run.advance(ctx) }
        });
    }
}
