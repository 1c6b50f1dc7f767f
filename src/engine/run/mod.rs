//! The run actor: steps one program and commits the result of each step.
//!
//! It owns the program's state, the run's status, the unread messages and the pending answer. It lives only while
//! there is work: a run that waits, is paused or has ended consists of its rows alone, so a restart restores it
//! as an answer does. It knows no socket, HTTP or browser, and never waits in a handler.
//!
//! This file has the way of a step: `assemble`, `advance`, `prepare_step`, `take_step`, `finish_step`,
//! `conclude_step`, `commit`. A step may begin while those before it are being stored, if nothing depends on it
//! (`may_go_on_before_stored`). The others have the rest: `outside_events`, `children`, `status_changes`,
//! `ending`.

pub mod step_report;
pub mod messages;
pub mod state;
pub(crate) mod outside_events;
pub(crate) mod checkpoint;
pub(crate) mod children;
pub(crate) mod ending;
pub(crate) mod mailbox;
pub(crate) mod step_recorder;
pub(crate) mod status_changes;
pub(crate) mod observability;

use crate::engine::lifecycle;
use crate::engine::lifecycle::{LifecycleEvent, NextRunAction};
use crate::engine::program::ended_child::EndedChild;
use crate::engine::program::journal::Journal;
use crate::engine::program::{ChildCall, Continuation, Program, ProgramError, StepInput, StepResult};
use crate::engine::questions;
use crate::engine::run::checkpoint::StepCounter;
use crate::engine::run::messages::{NumberedSignal, RunSignal, StopRunActor};
use crate::engine::run::state::{Run, RunActivity};
use crate::engine::run::step_recorder::StepRecorder;
use crate::engine::run::step_report::StepReport;
use crate::ids::RunId;
use crate::protocol::Status;
use crate::record;
use crate::store::error::StoreError;
use crate::store::rows::{RunCommit, StoredRun};
use actix::prelude::*;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

/// Time for the action under way to finish before a take-over; cut off, its outcome is unknown as after a crash.
const TAKE_OVER_GRACE: Duration = Duration::from_millis(1_500);

/// Most commits under way while the run goes on.
const MAX_COMMITS_UNDER_WAY: usize = 4;

type Loaded = Result<Box<dyn Program>, ProgramError>;

impl Actor for Run {
    type Context = Context<Self>;

    /// Reads the stored rows and loads the program: the same for a new run, after an answer, and after a restart.
    fn started(&mut self, ctx: &mut Self::Context) {
        let (services, id) = (Arc::clone(&self.services), self.identity.id.clone());
        let restore = async move {
            let Some(mut stored) = services.store.restore(id).await? else { return Ok(None) };
            if !services.store.owns(&stored.row.root) {
                // The owner finds in the store what the signal was about.
                services.store.wake_owner(&stored.row.root);
                return Ok(None);
            }
            let program = services.load_program(stored.row.clone(), stored.state.take()).await;
            Ok::<_, StoreError>(Some((stored, program)))
        };
        ctx.spawn(restore.into_actor(self).map(|restored, run, ctx| match restored {
            Ok(Some((stored, program))) => {
                let Err(fault) = run.assemble(stored, program, ctx) else { return };
                // An ended run stays as it ended, unless a message waits for a reply.
                if run.status.is_outcome() && run.mailbox.inbox().is_empty() {
                    run.leave(ctx);
                } else {
                    run.fail(&fault, ctx);
                }
            }
            Ok(None) => run.leave(ctx),
            Err(fault) => run.fail_unreadable(fault, ctx),
        }));
    }
}

impl Handler<StopRunActor> for Run {
    type Result = ();

    fn handle(&mut self, _: StopRunActor, ctx: &mut Self::Context) {
        ctx.stop();
    }
}

impl Handler<NumberedSignal> for Run {
    type Result = ();

    fn handle(&mut self, signal: NumberedSignal, ctx: &mut Self::Context) {
        let is_take_over = signal.signal == RunSignal::PauseForTakeover;
        self.mailbox.receive_signal(signal);
        if let RunActivity::Delayed(timer) = self.activity {
            ctx.cancel_future(timer);
            return self.advance(ctx);
        }
        let RunActivity::Step { n, .. } = self.activity else { return };
        let repeatable = self.program.as_ref().is_some_and(|program| program.is_repeatable());
        let pending = self.mailbox.pending();
        if pending.stop || pending.time_up || (pending.pause && repeatable) {
            self.drop_step(ctx);
            self.advance(ctx);
        } else if is_take_over {
            ctx.run_later(TAKE_OVER_GRACE, move |run, ctx| {
                if run.is_taking_step(n) && run.mailbox.pending().pause {
                    run.drop_step(ctx);
                    run.advance(ctx);
                }
            });
        }
    }
}

impl Run {
    /// Assembles the stored parts and continues the run.
    fn assemble(
        &mut self,
        stored: StoredRun,
        program: Loaded,
        ctx: &mut Context<Self>,
    ) -> Result<(), ProgramError> {
        self.identity.restore(&stored.row);
        self.step_counter = StepCounter::from_stored(&stored);
        self.status = Status::from_word(&stored.row.status)
            .ok_or_else(|| ProgramError::Changes(format!("unknown status {}", stored.row.status)))?;
        self.mailbox.restore_inbox(stored.inbox);
        stored.user_command.into_iter().for_each(|row| self.mailbox.receive_command(row));
        let mut program = program?;
        for changes in &stored.changes {
            program.apply(changes)?;
        }
        self.interrupt.question = stored.question;
        // A paused run has lost its action under way, so it recovers as after a crash. A run that stands at a
        // question or waits for its children had none.
        let goes_on = program.awaited_children().is_empty()
            && (self.status == Status::Running
                || (self.status == Status::Paused
                    && self.mailbox.pending().resume
                    && self.interrupt.question.is_none()
                    && !program.is_resting()));
        let recovery = goes_on.then(|| program.recover(stored.open_effect.as_ref()));
        self.program = Some(program);
        match recovery {
            Some(changes) => self.commit_change("recover", changes, ctx),
            None => self.advance(ctx),
        }
        Ok(())
    }

    /// Does what comes next between two steps, once all steps are stored: waits until the run is due, handles outside events, obeys
    /// signals, takes an answer, or prepares the next step.
    pub(crate) fn advance(&mut self, ctx: &mut Context<Self>) {
        self.activity = RunActivity::Storing;
        if self.commits.len() > 0 {
            // The next action may read the rows that they store.
            self.commits.is_awaited = true;
            return;
        }
        if let Some(wait) = self.time_until_due() {
            let timer = ctx.run_later(wait, |run, ctx| run.advance(ctx));
            self.activity = RunActivity::Delayed(timer);
            return;
        }
        if self.may_have_outside_events() {
            return self.load_outside_events(ctx);
        }
        let rests = self.program.as_ref().is_some_and(|program| program.is_resting());
        let (signals, question) = (self.mailbox.take_pending(), self.interrupt.state(rests));
        match lifecycle::decide(self.status, signals, question, !self.mailbox.inbox().is_empty()) {
            NextRunAction::Stop if self.mailbox.ends_after_restart() => self.stop(LifecycleEvent::Fail, ctx),
            NextRunAction::Stop => self.stop(LifecycleEvent::Stop, ctx),
            NextRunAction::TimeUp => self.stop(LifecycleEvent::TimeUp, ctx),
            NextRunAction::ChangeStatus(event) => self.change_status(event, ctx),
            NextRunAction::TakeAnswer => self.take_answer(ctx),
            NextRunAction::Reopen => match self.program.as_ref().and_then(|program| program.reopen()) {
                Some(changes) => self.commit_change("reopen", changes, ctx),
                None => self.leave(ctx),
            },
            NextRunAction::Visit => self.prepare_step(ctx),
            // The command is fulfilled already. Store that.
            NextRunAction::Leave if self.mailbox.command_under_way().is_some() => {
                self.commit(self.identity.commit(Vec::new()), Vec::new(), ctx, Self::advance);
            }
            NextRunAction::Leave => self.leave(ctx),
        }
    }

    /// True if step `number` is still under way.
    fn is_taking_step(&self, number: u64) -> bool {
        matches!(self.activity, RunActivity::Step { n, .. } if n == number)
    }

    /// Drops the step under way.
    fn drop_step(&mut self, ctx: &mut Context<Self>) {
        if let RunActivity::Step { future, timer, .. } =
            std::mem::replace(&mut self.activity, RunActivity::Storing)
        {
            ctx.cancel_future(future);
            timer.map(|timer| ctx.cancel_future(timer));
        }
    }

    /// Continues with the answer. The stored status stays "waiting" until the step that takes the answer is
    /// stored, so that a crash does not lose it.
    fn take_answer(&mut self, ctx: &mut Context<Self>) {
        let Some(question) = self.interrupt.question.clone() else { return self.leave(ctx) };
        let reference = question.reference.clone();
        let Some(answer) = questions::stored_result(question) else { return self.leave(ctx) };
        let Ok(status) = lifecycle::transition(self.status, LifecycleEvent::Answer) else {
            return self.leave(ctx);
        };
        (self.interrupt.answer, self.status) = (Some(answer), status);
        let node = self.program.as_ref().map(|program| program.node());
        let mut commit = self.identity.commit(checkpoint::status_event(status, node));
        commit.status.to = Some((Status::Waiting.word().to_owned(), Some(reference)));
        self.commit(commit, Vec::new(), ctx, Self::advance);
    }

    /// Takes the next step, unless a limit is used up or all awaited children are still running.
    fn prepare_step(&mut self, ctx: &mut Context<Self>) {
        if let Some(why) = self.identity.position.exceeded_run_limit() {
            return self.end_as(LifecycleEvent::TimeUp, Some(why), ctx);
        }
        // A child with the same deadline may have ended first and woken this run.
        if self.identity.position.time_left() == Some(Duration::ZERO) {
            return self.stop(LifecycleEvent::TimeUp, ctx);
        }
        self.mailbox.mark_children_checked();
        let Some(program) = &self.program else { return self.leave(ctx) };
        let awaited = program.awaited_children();
        if awaited.is_empty() {
            return self.take_step(Vec::new(), ctx);
        }
        let background = program.background_children();
        if awaited.iter().all(|child| background.contains(child)) {
            // The ends of background children have been handled as outside events.
            return self.leave(ctx);
        }
        self.mailbox.mark_covered();
        let ended = self.services.store.ended_runs(awaited);
        ctx.spawn(ended.into_actor(self).map(|ended, run, ctx| match ended {
            Ok(rows) if rows.is_empty() => run.leave(ctx),
            Ok(mut rows) => {
                // Oldest end first.
                rows.sort_by_key(|row| row.ended_at);
                run.take_step(rows.into_iter().map(EndedChild::from_row).collect(), ctx);
            }
            Err(fault) => run.leave_after_store_error(&fault, ctx),
        }));
    }

    /// Takes a step. `ended` holds the awaited children that have ended.
    fn take_step(&mut self, ended: Vec<EndedChild>, ctx: &mut Context<Self>) {
        let Some(program) = &self.program else { return self.leave(ctx) };
        let input = self.step_input(ended);
        self.step_counter.start_clock();
        let recorder =
            StepRecorder::new(&self.services, &input, self.step_counter.next_step(), self.steps_begun == 0);
        // A step that panics ends its own run, not the process.
        let step = AssertUnwindSafe(program.step(input)).catch_unwind();
        let recorded = async move { (record::run_recorded(recorder.input_recorder(), step).await, recorder) };
        let time_left = self.identity.position.time_left().into_iter().chain(program.time_left()).min();
        self.steps_begun += 1;
        let n = self.steps_begun;
        let future = ctx.spawn(recorded.into_actor(self).map(move |(result, recorder), run, ctx| {
            // The result of a step dropped at its very end still arrives. Ignore it.
            if !run.is_taking_step(n) {
                return;
            }
            run.drop_step(ctx);
            match result {
                Ok(Ok(done)) => run.finish_step(done, recorder, ctx),
                Ok(Err(fault)) => run.fail(&fault, ctx),
                Err(_) => run.fail(&ProgramError::Failed(String::from("a step of this run panicked")), ctx),
            }
        }));
        let timer = time_left.map(|left| {
            ctx.run_later(left, move |run, ctx| {
                if run.is_taking_step(n) {
                    run.drop_step(ctx);
                    run.end_as(LifecycleEvent::TimeUp, None, ctx);
                }
            })
        });
        self.activity = RunActivity::Step { n, future, timer };
    }

    fn step_input(&self, ended: Vec<EndedChild>) -> StepInput {
        let (run, root) = (self.identity.id.clone(), self.identity.root.clone());
        let last_step = self.step_counter.last_step();
        StepInput {
            ended,
            inbox: self.mailbox.inbox().to_vec(),
            answer: self.interrupt.answer.clone(),
            journal: Journal::new(Arc::clone(&self.services.store), run.clone(), root.clone(), last_step),
            run,
            root,
        }
    }

    /// Applies the changes of a step and builds its commit.
    fn finish_step(&mut self, mut done: StepResult, recorder: StepRecorder, ctx: &mut Context<Self>) {
        if let Some(read) = done.record.read_inbox {
            self.mailbox.remove_read(read);
        }
        let Some(program) = &mut self.program else { return self.leave(ctx) };
        if let Err(fault) = program.apply(&done.changes) {
            return self.fail(&fault, ctx);
        }
        let event = match &done.next {
            Continuation::Go | Continuation::Await => None,
            Continuation::Ask(_) => Some(LifecycleEvent::Ask),
            Continuation::Rest => Some(LifecycleEvent::ComeToRest),
            Continuation::End(end) => Some(LifecycleEvent::End(end.outcome)),
        };
        self.interrupt.question = None;
        let was_answer = self.interrupt.answer.take().is_some();
        if let Some(event) = event {
            self.status = match lifecycle::transition(self.status, event) {
                Ok(status) => status,
                Err(refusal) => return self.fail(&ProgramError::Failed(refusal.to_string()), ctx),
            };
        }
        self.report = Some(StepReport::from_step(&mut done));
        let StepResult { node, outcome, changes, next, mut record } = done;
        let calls = std::mem::take(&mut record.calls);
        let blank = self.identity.commit(Vec::new());
        let step = (node, outcome);
        let mut commit = self.step_counter.step_commit(blank, step, changes, record, program.as_ref());
        commit.status.to = (event.is_some() || was_answer).then(|| (self.status.word().to_owned(), None));
        commit.recording = self.step_counter.take_recording(recorder, matches!(next, Continuation::Go));
        commit.report.title = self.find_new_title();
        self.conclude_step(commit, calls, (node, next), ctx);
    }

    /// Returns the title that the program gives the run now, if it has changed.
    fn find_new_title(&mut self) -> Option<String> {
        let current = &self.identity.title;
        let title = self.program.as_ref()?.title(current).filter(|title| title != current)?;
        self.identity.title.clone_from(&title);
        Some(title)
    }

    /// Stores a step and continues as it says.
    fn conclude_step(
        &mut self,
        mut commit: RunCommit,
        calls: Vec<ChildCall>,
        (node, next): (&str, Continuation),
        ctx: &mut Context<Self>,
    ) {
        let stop = commit.children.stop.clone();
        match next {
            Continuation::Go if self.may_go_on_before_stored(&commit, &calls) => {
                self.begin_commit(commit, ctx, |_, _| {});
                self.prepare_step(ctx);
            }
            Continuation::Go => self.commit(commit, calls, ctx, |run, ctx| {
                run.start_and_stop_children(stop);
                run.advance(ctx);
            }),
            // New children start when this actor leaves, so that their ends wake a new one.
            Continuation::Await => self.commit(commit, calls, ctx, |run, ctx| {
                if !stop.is_empty() {
                    run.start_and_stop_children(stop);
                }
                run.leave_or_check_again(ctx);
            }),
            Continuation::Ask(ask) => {
                let row = questions::question_row(&self.identity.id, &self.identity.root, ask);
                commit.status.to = Some((Status::Waiting.word().to_owned(), Some(row.reference.clone())));
                commit.events.push(row.frame.to_string());
                commit.events.extend(checkpoint::status_event(Status::Waiting, Some(node)));
                self.interrupt.question = Some(row.clone());
                commit.status.question = Some(row);
                self.commit_and_park(commit, calls, stop, ctx);
            }
            Continuation::Rest => {
                commit.events.extend(checkpoint::status_event(self.status, Some(node)));
                self.commit_and_park(commit, calls, stop, ctx);
            }
            Continuation::End(end) => self.commit_end(commit, calls, end, ctx),
        }
    }

    /// Reports whether the next step may begin before this one is stored: it reads nothing of it from the store, and nothing
    /// comes between the two. An effect of the next step is announced in the store first, which stores this step before.
    fn may_go_on_before_stored(&self, commit: &RunCommit, calls: &[ChildCall]) -> bool {
        let waits = |program: &dyn Program| program.is_resting() || !program.awaited_children().is_empty();
        self.commits.len() < MAX_COMMITS_UNDER_WAY
            && calls.is_empty()
            && commit.changes_only_own_state()
            // Files are stored before the commit that tells of them, and commits must not pass each other meanwhile.
            && !self.services.files.is_shared()
            && self.report.as_ref().is_none_or(|report| report.after_commit.is_none())
            && self.status == Status::Running
            && self.mailbox.has_nothing_pending()
            && !self.may_have_outside_events()
            && self.program.as_deref().is_some_and(|program| !waits(program))
    }

    /// Stores a commit, with the children that it begins, publishes its report, and continues.
    pub(crate) fn commit(
        &mut self,
        commit: RunCommit,
        calls: Vec<ChildCall>,
        ctx: &mut Context<Self>,
        then: impl FnOnce(&mut Self, &mut Context<Self>) + 'static,
    ) {
        self.activity = RunActivity::Storing;
        if !calls.is_empty() {
            return self.begin_children(commit, calls, ctx, then);
        }
        self.begin_commit(commit, ctx, then);
    }

    /// Begins to store a commit. Publishes its report and calls `then` once it is stored.
    fn begin_commit(
        &mut self,
        mut commit: RunCommit,
        ctx: &mut Context<Self>,
        then: impl FnOnce(&mut Self, &mut Context<Self>) + 'static,
    ) {
        self.mailbox.mark_covered();
        commit.consumed.command = self.mailbox.take_command_under_way();
        commit.after_step = self.step_counter.step_before(&commit);
        let n = self.commits.begin();
        let stored = self.services.commit(commit);
        let future = ctx.spawn(stored.into_actor(self).map(move |result, run, ctx| match result {
            Ok(()) => {
                for report in run.commits.remove_stored(n) {
                    run.publish_report(report);
                }
                then(run, ctx);
                if run.commits.len() == 0 && std::mem::take(&mut run.commits.is_awaited) {
                    run.advance(ctx);
                }
            }
            Err(fault) => {
                // Later commits are not stored either.
                for later in run.commits.take_futures() {
                    ctx.cancel_future(later);
                }
                run.drop_step(ctx);
                run.leave_after_store_error(&fault, ctx);
            }
        }));
        self.commits.add(n, future, self.report.take());
    }

    fn commit_and_park(
        &mut self,
        commit: RunCommit,
        calls: Vec<ChildCall>,
        stop: Vec<RunId>,
        ctx: &mut Context<Self>,
    ) {
        self.commit(commit, calls, ctx, |run, ctx| {
            run.start_and_stop_children(stop);
            run.report_question();
            run.archive_and_leave(ctx);
        });
    }
}
