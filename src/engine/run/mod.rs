//! The run actor: steps one program and commits the result of each step.
//!
//! It owns the program's state, the run's status, the unread messages and the pending answer. It lives only while
//! there is work: a run that waits, is paused or has ended consists of its rows alone, so a restart restores it
//! as an answer does. It knows no socket, HTTP or browser, and never waits in a handler.

pub mod report;
pub mod signals;
pub mod state;
pub(crate) mod attention;
pub mod checkpoint;
pub(crate) mod children;
pub(crate) mod ending;
pub(crate) mod mailbox;
pub(crate) mod recording;
pub(crate) mod restoring;
pub(crate) mod observability;

use crate::engine::archive::WriteArchive;
use crate::engine::lifecycle;
use crate::engine::lifecycle::{LifecycleEvent, NextRunAction, QuestionState};
use crate::engine::program::bounds::TreePosition;
use crate::engine::program::child::EndedChild;
use crate::engine::program::journal::Journal;
use crate::engine::program::{Continuation, ProgramError, StepInput, StepResult};
use crate::engine::registry::messages::{ChildSignals, RegistryRecipients, RunLeft};
use crate::engine::run::checkpoint::Checkpoint;
use crate::engine::run::mailbox::{LeaveState, Mailbox};
use crate::engine::run::recording::step_recorder::StepRecorder;
use crate::engine::run::report::StepReport;
use crate::engine::run::signals::{NumberedSignal, RunSignal, StopRunActor};
use crate::engine::run::state::{Run, RunActivity};
use crate::engine::services::RunServices;
use crate::ids::RunId;
use crate::protocol::Status;
use crate::store::rows::RunCommit;
use crate::store::rows::command::UserCommand;
use actix::prelude::*;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

/// Time for the action under way to finish before a take-over; cut off, its outcome is unknown as after a crash.
const TAKE_OVER_GRACE: Duration = Duration::from_millis(1_500);

impl Run {
    pub fn new<R>(
        id: RunId,
        engine: Arc<RunServices>,
        registry: &Addr<R>,
        orders: Vec<NumberedSignal>,
    ) -> Self
    where
        R: Actor<Context = Context<R>> + Handler<RunLeft> + Handler<ChildSignals>,
    {
        let registry =
            RegistryRecipients { left: registry.clone().recipient(), children: registry.clone().recipient() };
        Self {
            root: id.clone(),
            id,
            agent: String::new(),
            title: String::new(),
            place: TreePosition::default(),
            engine,
            registry,
            program: None,
            checkpoint: Checkpoint::default(),
            status: Status::Queued,
            hearing: Mailbox::with_signals(orders),
            answer: None,
            question: None,
            called: Vec::new(),
            passes: None,
            unreadable: false,
            visits: 0,
            untold: None,
            under_way: RunActivity::Store,
        }
    }
}

impl Actor for Run {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        self.restore(ctx);
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

    fn handle(&mut self, order: NumberedSignal, ctx: &mut Self::Context) {
        let gives_way = order.order == RunSignal::GiveWay;
        self.hearing.receive_signal(order);
        if let RunActivity::Later(timer) = self.under_way {
            ctx.cancel_future(timer);
            return self.go_on(ctx);
        }
        let RunActivity::Visit { n, .. } = self.under_way else { return };
        let repeatable = self.program.as_ref().is_some_and(|program| program.is_repeatable());
        let orders = self.hearing.pending();
        if orders.stop || orders.time_up || (orders.pause && repeatable) {
            self.drop_visit(ctx);
            self.go_on(ctx);
        } else if gives_way {
            ctx.run_later(TAKE_OVER_GRACE, move |run, ctx| {
                if run.is_visiting(n) && run.hearing.pending().pause {
                    run.drop_visit(ctx);
                    run.go_on(ctx);
                }
            });
        }
    }
}

impl Run {
    /// Handles pending signals between two steps, then takes the next step if there is one.
    fn proceed(&mut self, ctx: &mut Context<Self>) {
        self.under_way = RunActivity::Store;
        let asked = match &self.question {
            None if self.program.as_ref().is_some_and(|program| program.is_resting()) => {
                QuestionState::Resting
            }
            None => QuestionState::Nothing,
            Some(row) if row.resolved_by.is_none() => QuestionState::Open,
            Some(_) => QuestionState::Answered,
        };
        let orders = self.hearing.take_pending();
        match lifecycle::decide(self.status, orders, asked, !self.hearing.inbox().is_empty()) {
            NextRunAction::Stop if self.hearing.ends_with_restart() => self.stop(LifecycleEvent::Fail, ctx),
            NextRunAction::Stop => self.stop(LifecycleEvent::Stop, ctx),
            NextRunAction::TimeUp => self.stop(LifecycleEvent::TimeUp, ctx),
            NextRunAction::Turn(event) => self.change_status(event, ctx),
            NextRunAction::TakeAnswer => self.resume(ctx),
            NextRunAction::Reopen => match self.program.as_ref().and_then(|program| program.reopen()) {
                Some(changes) => self.commit_change("reopen", changes, ctx),
                None => self.leave(ctx),
            },
            NextRunAction::Visit => self.step(ctx),
            // The command is fulfilled already. Store that.
            NextRunAction::Leave if self.hearing.command_under_way().is_some() => {
                let nothing = self.commit_with_events(Vec::new());
                self.commit_and_report(nothing, ctx, Self::go_on);
            }
            NextRunAction::Leave => self.leave(ctx),
        }
    }

    /// True if step number `this` is still under way.
    fn is_visiting(&self, this: u64) -> bool {
        matches!(self.under_way, RunActivity::Visit { n, .. } if n == this)
    }

    /// Drops the step under way.
    fn drop_visit(&mut self, ctx: &mut Context<Self>) {
        if let RunActivity::Visit { step, wall, .. } =
            std::mem::replace(&mut self.under_way, RunActivity::Store)
        {
            ctx.cancel_future(step);
            wall.map(|timer| ctx.cancel_future(timer));
        }
    }

    /// Continues with the answer. The stored status stays "waiting" until the step that takes the answer is
    /// stored, so that a crash does not lose it.
    fn resume(&mut self, ctx: &mut Context<Self>) {
        let Some(question) = self.question.clone() else { return self.leave(ctx) };
        let reference = question.reference.clone();
        let Some(answer) = checkpoint::stored_resolution(question) else { return self.leave(ctx) };
        let Ok(status) = lifecycle::transition(self.status, LifecycleEvent::Answer) else {
            return self.leave(ctx);
        };
        (self.answer, self.status) = (Some(answer), status);
        let node = self.program.as_ref().map(|program| program.node());
        let mut note = self.commit_with_events(checkpoint::status_event(status, node));
        note.status = Some((Status::Waiting.word().to_owned(), Some(reference)));
        self.commit_and_report(note, ctx, Self::go_on);
    }

    /// Takes a step. `ended` holds the awaited children that have ended.
    fn visit(&mut self, ended: Vec<EndedChild>, ctx: &mut Context<Self>) {
        let Some(program) = &self.program else { return self.leave(ctx) };
        let given = StepInput {
            ended,
            run: self.id.clone(),
            root: self.root.clone(),
            inbox: self.hearing.inbox().to_vec(),
            answer: self.answer.clone(),
            journal: Journal::new(Arc::clone(&self.engine.store), self.id.clone(), self.root.clone()),
        };
        self.checkpoint.start_clock();
        // A step that panics ends its own run, not the process.
        let visit = self
            .record_step(self.describe_inputs(&given), AssertUnwindSafe(program.step(given)).catch_unwind());
        let time_left = self.place.time_left().into_iter().chain(program.time_left()).min();
        self.visits += 1;
        let n = self.visits;
        let step = ctx.spawn(visit.into_actor(self).map(move |(result, heard), run, ctx| {
            // The result of a step dropped at its very end still arrives. Ignore it.
            if !run.is_visiting(n) {
                return;
            }
            run.drop_visit(ctx);
            match result {
                Ok(Ok(visit)) => run.finish_visit(visit, heard, ctx),
                Ok(Err(fault)) => run.fail(&fault, ctx),
                Err(_) => run.fail(&ProgramError::Failed(String::from("a step of this run broke down")), ctx),
            }
        }));
        let wall = time_left.map(|left| {
            ctx.run_later(left, move |run, ctx| {
                if run.is_visiting(n) {
                    run.drop_visit(ctx);
                    run.end_as(LifecycleEvent::TimeUp, None, ctx);
                }
            })
        });
        self.under_way = RunActivity::Visit { n, step, wall };
    }

    fn finish_visit(&mut self, mut visit: StepResult, heard: StepRecorder, ctx: &mut Context<Self>) {
        if let Some(read) = visit.record.read_inbox {
            self.hearing.remove_read(read);
        }
        let Some(program) = &mut self.program else { return self.leave(ctx) };
        if let Err(fault) = program.apply(&visit.changes) {
            return self.fail(&fault, ctx);
        }
        let event = match &visit.next {
            Continuation::Go | Continuation::Await => None,
            Continuation::Ask(_) => Some(LifecycleEvent::Ask),
            Continuation::Rest => Some(LifecycleEvent::Rest),
            Continuation::End(end) => Some(LifecycleEvent::End(end.outcome)),
        };
        self.question = None;
        let was_answer = self.answer.take().is_some();
        if let Some(event) = event {
            self.status = match lifecycle::transition(self.status, event) {
                Ok(status) => status,
                Err(refusal) => return self.fail(&ProgramError::Failed(refusal.to_string()), ctx),
            };
        }
        let told = event.is_some() || was_answer;
        self.untold = Some(StepReport::from_step(&mut visit));
        let calls = std::mem::take(&mut visit.record.calls);
        let mut commit = self.checkpoint.step_commit(&self.id, &self.root, &mut visit, program.as_ref());
        commit.status = told.then(|| (self.status.word().to_owned(), None));
        commit.heard = self.checkpoint.take_recording(heard, matches!(visit.next, Continuation::Go));
        commit.title = self.retitle();
        let (node, next) = (visit.node, visit.next);
        self.begin_children(commit, calls, ctx, move |run, commit, ctx| {
            run.commit_step(commit, node, next, ctx)
        });
    }

    /// Stores a step and continues as it says.
    fn commit_step(
        &mut self,
        mut commit: RunCommit,
        node: &str,
        next: Continuation,
        ctx: &mut Context<Self>,
    ) {
        let stop = commit.cancel.clone();
        match next {
            Continuation::Go => self.commit_and_report(commit, ctx, |run, ctx| {
                run.start_and_stop_children(stop);
                run.go_on(ctx);
            }),
            // New children start when this actor leaves, so that their ends wake a new one.
            Continuation::Await if stop.is_empty() => {
                self.commit_and_report(commit, ctx, Self::leave_or_look_again)
            }
            Continuation::Await => self.commit_and_report(commit, ctx, |run, ctx| {
                run.start_and_stop_children(stop);
                run.leave_or_look_again(ctx);
            }),
            Continuation::Ask(ask) => {
                let row = checkpoint::question_row(&self.id, &self.root, ask);
                commit.status = Some((Status::Waiting.word().to_owned(), Some(row.reference.clone())));
                commit.facts.extend(checkpoint::question_events(&row, node));
                self.question = Some(row.clone());
                commit.question = Some(row);
                self.commit_and_park(commit, stop, ctx);
            }
            Continuation::Rest => {
                commit.facts.extend(checkpoint::status_event(self.status, Some(node)));
                self.commit_and_park(commit, stop, ctx);
            }
            Continuation::End(end) => self.commit_end(commit, end, ctx),
        }
    }

    fn commit_and_park(&mut self, commit: RunCommit, stop: Vec<RunId>, ctx: &mut Context<Self>) {
        self.commit_and_report(commit, ctx, |run, ctx| {
            run.start_and_stop_children(stop);
            run.report_question();
            run.archive_and_leave(ctx);
        });
    }

    /// Commits changes that no step made: after a crash, or when an ended run gets a message.
    fn commit_change(&mut self, why: &str, changes: serde_json::Value, ctx: &mut Context<Self>) {
        let Some(program) = &mut self.program else { return self.leave(ctx) };
        if let Err(fault) = program.apply(&changes) {
            return self.fail(&fault, ctx);
        }
        let reopened = self.status.is_outcome();
        let event = if reopened { LifecycleEvent::Reopen } else { LifecycleEvent::Resume };
        // A run that was running when the process died is still running.
        self.status = lifecycle::transition(self.status, event).unwrap_or(Status::Running);
        self.checkpoint.start_clock();
        let facts = checkpoint::status_event(self.status, Some(program.node()));
        let mut commit =
            self.checkpoint.change_commit(&self.id, &self.root, why, changes, program.as_ref(), facts);
        commit.status = Some((Status::Running.word().to_owned(), None));
        commit.reopened = reopened;
        commit.receipt = Some(checkpoint::unknown_receipt());
        self.commit_and_report(commit, ctx, Self::go_on);
    }

    /// Changes the status without a step.
    fn change_status(&mut self, event: LifecycleEvent, ctx: &mut Context<Self>) {
        let Ok(status) = lifecycle::transition(self.status, event) else {
            return self.leave(ctx);
        };
        self.status = status;
        // A child begun while the signal came may not have received it, so pass the signal on when leaving.
        let (passes, wish) = match event {
            LifecycleEvent::Pause => (Some(RunSignal::Pause), Some(UserCommand::Pause)),
            LifecycleEvent::Resume | LifecycleEvent::Ask | LifecycleEvent::Rest => {
                (Some(RunSignal::Resume), Some(UserCommand::Resume))
            }
            _ => (self.passes.take(), None),
        };
        let below = self.hearing.command_under_way().filter(|row| Some(row.wish) == wish);
        self.passes = below.map(RunSignal::Wish).or(passes);
        let node = self.program.as_ref().map(|program| program.node());
        let mut commit = self.commit_with_events(checkpoint::status_event(status, node));
        commit.wish_below = below;
        let asked = self.question.as_ref().map(|row| row.reference.clone());
        commit.status = Some((status.word().to_owned(), asked));
        let parks = status == Status::Paused;
        self.commit_and_report(
            commit,
            ctx,
            move |run, ctx| if parks { run.archive_and_leave(ctx) } else { run.go_on(ctx) },
        );
    }

    fn commit_with_events(&self, facts: Vec<String>) -> RunCommit {
        RunCommit { run: Some(self.id.clone()), root: Some(self.root.clone()), facts, ..RunCommit::default() }
    }

    /// Has the archive files written, and leaves until the next signal.
    fn archive_and_leave(&mut self, ctx: &mut Context<Self>) {
        if let Some(program) = &self.program {
            let (run, last) = (self.id.clone(), self.status.is_outcome());
            self.engine.archive.do_send(WriteArchive { run, state: program.state(), last });
            if !last && self.must_attend() {
                return self.go_on(ctx);
            }
        }
        let unread = self.status.is_outcome() && !self.hearing.inbox().is_empty();
        self.report_left(unread, ctx);
    }

    fn leave(&mut self, ctx: &mut Context<Self>) {
        self.report_left(false, ctx);
    }

    /// Leaves. `unread` is true if messages remain for which the run must be reopened.
    fn report_left(&mut self, unread: bool, ctx: &mut Context<Self>) {
        let (run, LeaveState { heard, again }, status) = (self.id.clone(), self.hearing.leave(), self.status);
        let again = again || unread;
        let passes = self.passes.take();
        let parent = self.place.parent.clone().filter(|_| passes == Some(RunSignal::Stop));
        let called = std::mem::take(&mut self.called);
        let living = self.program.as_ref().map(|program| program.unfinished_children());
        let unreadable = self.unreadable;
        self.registry.left.do_send(RunLeft {
            run,
            heard,
            again,
            status,
            parent,
            called,
            passes,
            living,
            unreadable,
        });
        ctx.stop();
    }
}
