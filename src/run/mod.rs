//! The run actor: steps one program and commits the result of each step.
//!
//! It owns the program's state, the run's status, the unread messages and the pending answer. The registry
//! starts it and sends it signals. It commits to the store, which notifies viewers, and reports to the
//! registry when it leaves. The actor lives only while there is work. A run that waits, is paused or has
//! ended consists of its rows alone, so restoring it after a restart is the same as restoring it for an
//! answer. The actor knows no socket, HTTP or browser, and never waits in a handler.

pub mod answers;
pub mod archive;
mod arrears;
mod aside;
mod attending;
pub mod checkpoint;
mod children;
pub mod deleting;
pub mod editing;
mod ending;
pub mod error;
pub mod feed;
mod handover;
mod hearing;
pub mod lease;
pub mod leases;
pub mod lifecycle;
pub mod pages;
mod progress;
mod recording;
pub mod registry;
pub mod registry_messages;
mod resolving;
mod restoring;
pub mod saved;
pub mod starting;
pub mod takeover;
mod telling;
pub mod view;

use crate::ids::RunId;
use crate::program::bounds::TreePosition;
use crate::program::journal::Journal;
use crate::program::{
    Child, Continuation, Program, ProgramError, Programs, QuestionResult, StepInput, StepResult,
};
use crate::protocol::Status;
use crate::store::Store;
use crate::store::rows::{Commit, Message as InboxMessage, QuestionRow, UserCommand, WishRow};
use actix::prelude::*;
use archive::{Archive, Write};
use checkpoint::Checkpoint;
use futures_util::FutureExt;
use hearing::{Hearing, LeaveState};
use lifecycle::{Doing, QuestionState, Turnpoint};
use pages::Pages;
use registry_messages::{Above, Children, Left};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use telling::Untold;

/// Shared services of all runs.
pub struct Engine {
    pub store: Arc<dyn Store>,
    /// The pages that people may take over.
    pub pages: Arc<dyn Pages>,
    pub programs: Arc<dyn Programs>,
    pub archive: Addr<Archive>,
    pub recording: crate::config::Recording,
}

/// A numbered signal from the registry. The numbers keep signals from being lost while the run leaves.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct Do {
    pub n: u64,
    pub order: RunSignal,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RunSignal {
    /// Check for something to do.
    Wake,
    /// A message has been stored in the inbox.
    Read(InboxMessage),
    /// A stored command of a user.
    Wish(WishRow),
    Pause,
    /// Pause for a take-over: the action under way is cut off after `GRACE`.
    GiveWay,
    Resume,
    Stop,
    /// The run has used up its time.
    TimeUp,
    /// End the run, because it must not outlive a restart of the service.
    Lapse,
}

/// Time for the action under way to finish before a take-over. The outcome of an action cut off is unknown,
/// as after a crash, and the run never repeats it by itself.
const GRACE: Duration = Duration::from_millis(1_500);

/// Stops the actor at once without a report. The run goes on from its last checkpoint after the next start.
#[derive(Message)]
#[rtype(result = "()")]
pub struct StopRunActor;

pub struct Run {
    id: RunId,
    root: RunId,
    agent: String,
    title: String,
    /// Position in the run tree, with limits.
    place: TreePosition,
    engine: Arc<Engine>,
    registry: Above,
    /// `None` until restored.
    program: Option<Box<dyn Program>>,
    checkpoint: Checkpoint,
    status: Status,
    hearing: Hearing,
    answer: Option<QuestionResult>,
    question: Option<QuestionRow>,
    /// Children begun by the commit under way.
    called: Vec<RunId>,
    /// Signal to pass to the children when the actor leaves, after a change of status.
    passes: Option<RunSignal>,
    unreadable: bool,
    /// Number of steps that this actor has begun.
    visits: u64,
    /// Data for metrics and logs of the next commit, published once that is stored.
    untold: Option<Untold>,
    under_way: RunActivity,
}

enum RunActivity {
    /// A read or write of the store; always short, never interrupted.
    Store,
    /// Waiting for the time at which the run may begin.
    Later(SpawnHandle),
    /// A step, which may be slow and can be dropped: its number in this actor's life, its future, and the
    /// timer of the run's time limit.
    Visit { n: u64, step: SpawnHandle, wall: Option<SpawnHandle> },
}

impl Run {
    pub fn new<R>(id: RunId, engine: Arc<Engine>, registry: &Addr<R>, orders: Vec<Do>) -> Self
    where
        R: Actor<Context = Context<R>> + Handler<Left> + Handler<Children>,
    {
        let registry = Above { left: registry.clone().recipient(), children: registry.clone().recipient() };
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
            hearing: Hearing::with_signals(orders),
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

impl Handler<Do> for Run {
    type Result = ();

    fn handle(&mut self, order: Do, ctx: &mut Self::Context) {
        let gives_way = order.order == RunSignal::GiveWay;
        self.hearing.hear(order);
        if let RunActivity::Later(timer) = self.under_way {
            ctx.cancel_future(timer);
            return self.go_on(ctx);
        }
        let RunActivity::Visit { n, .. } = self.under_way else { return };
        let repeatable = self.program.as_ref().is_some_and(|program| program.repeatable());
        let orders = self.hearing.orders();
        if orders.stop || orders.time_up || (orders.pause && repeatable) {
            self.cut(ctx);
            self.go_on(ctx);
        } else if gives_way {
            ctx.run_later(GRACE, move |run, ctx| {
                if run.visits(n) && run.hearing.orders().pause {
                    run.cut(ctx);
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
            None if self.program.as_ref().is_some_and(|program| program.rests()) => QuestionState::Resting,
            None => QuestionState::Nothing,
            Some(row) if row.resolved_by.is_none() => QuestionState::Open,
            Some(_) => QuestionState::Answered,
        };
        let orders = self.hearing.take_orders();
        match lifecycle::decide(self.status, orders, asked, !self.hearing.inbox().is_empty()) {
            Doing::Stop if self.hearing.lapsed() => self.stop(Turnpoint::Fail, ctx),
            Doing::Stop => self.stop(Turnpoint::Stop, ctx),
            Doing::TimeUp => self.stop(Turnpoint::TimeUp, ctx),
            Doing::Turn(event) => self.turn(event, ctx),
            Doing::TakeAnswer => self.resume(ctx),
            Doing::Reopen => match self.program.as_ref().and_then(|program| program.reopen()) {
                Some(changes) => self.change("reopen", changes, ctx),
                None => self.leave(ctx),
            },
            Doing::Visit => self.step(ctx),
            // The command is fulfilled already. Store that.
            Doing::Leave if self.hearing.carried().is_some() => {
                let nothing = self.commit_of(Vec::new());
                self.store(nothing, ctx, Self::go_on);
            }
            Doing::Leave => self.leave(ctx),
        }
    }

    /// True if step number `this` is still under way.
    fn visits(&self, this: u64) -> bool {
        matches!(self.under_way, RunActivity::Visit { n, .. } if n == this)
    }

    /// Drops the step under way.
    fn cut(&mut self, ctx: &mut Context<Self>) {
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
        let Some(answer) = checkpoint::resolved(question) else { return self.leave(ctx) };
        let Ok(status) = lifecycle::next(self.status, Turnpoint::Answer) else { return self.leave(ctx) };
        (self.answer, self.status) = (Some(answer), status);
        let node = self.program.as_ref().map(|program| program.node());
        let mut note = self.commit_of(checkpoint::status_fact(status, node));
        note.status = Some((Status::Waiting.word().to_owned(), Some(reference)));
        self.store(note, ctx, Self::go_on);
    }

    /// Takes a step. `ended` holds the awaited children that have ended.
    fn visit(&mut self, ended: Vec<Child>, ctx: &mut Context<Self>) {
        let Some(program) = &self.program else { return self.leave(ctx) };
        let given = StepInput {
            ended,
            run: self.id.clone(),
            root: self.root.clone(),
            inbox: self.hearing.inbox().to_vec(),
            answer: self.answer.clone(),
            journal: Journal::new(Arc::clone(&self.engine.store), self.id.clone(), self.root.clone()),
        };
        self.checkpoint.begin();
        // A step that panics ends its own run, not the process.
        let visit = self
            .recorded(self.describe_inputs(&given), AssertUnwindSafe(program.visit(given)).catch_unwind());
        let time_left = self.place.time_left().into_iter().chain(program.time_left()).min();
        self.visits += 1;
        let n = self.visits;
        let step = ctx.spawn(visit.into_actor(self).map(move |(result, heard), run, ctx| {
            // The result of a step dropped at its very end still arrives. Ignore it.
            if !run.visits(n) {
                return;
            }
            run.cut(ctx);
            match result {
                Ok(Ok(visit)) => run.visited(visit, heard, ctx),
                Ok(Err(fault)) => run.fail(&fault, ctx),
                Err(_) => run.fail(&ProgramError::Failed(String::from("a step of this run broke down")), ctx),
            }
        }));
        let wall = time_left.map(|left| {
            ctx.run_later(left, move |run, ctx| {
                if run.visits(n) {
                    run.cut(ctx);
                    run.end_as(Turnpoint::TimeUp, None, ctx);
                }
            })
        });
        self.under_way = RunActivity::Visit { n, step, wall };
    }

    fn visited(&mut self, mut visit: StepResult, heard: recording::Recorder, ctx: &mut Context<Self>) {
        if let Some(read) = visit.record.read_inbox {
            self.hearing.read(read);
        }
        let Some(program) = &mut self.program else { return self.leave(ctx) };
        if let Err(fault) = program.apply(&visit.changes) {
            return self.fail(&fault, ctx);
        }
        let event = match &visit.next {
            Continuation::Go | Continuation::Await => None,
            Continuation::Ask(_) => Some(Turnpoint::Ask),
            Continuation::Rest => Some(Turnpoint::Rest),
            Continuation::End(end) => Some(Turnpoint::End(end.outcome)),
        };
        self.question = None;
        let was_answer = self.answer.take().is_some();
        if let Some(event) = event {
            self.status = match lifecycle::next(self.status, event) {
                Ok(status) => status,
                Err(refusal) => return self.fail(&ProgramError::Failed(refusal.to_string()), ctx),
            };
        }
        let told = event.is_some() || was_answer;
        self.untold = Some(Untold::of(&mut visit));
        let calls = std::mem::take(&mut visit.record.calls);
        let mut commit = self.checkpoint.step(&self.id, &self.root, &mut visit, program.as_ref());
        commit.status = told.then(|| (self.status.word().to_owned(), None));
        commit.heard = self.checkpoint.take_recording(heard, matches!(visit.next, Continuation::Go));
        commit.title = self.retitle();
        let (node, next) = (visit.node, visit.next);
        self.call(commit, calls, ctx, move |run, commit, ctx| run.keep(commit, node, next, ctx));
    }

    /// Stores a step and continues as it says.
    fn keep(&mut self, mut commit: Commit, node: &str, next: Continuation, ctx: &mut Context<Self>) {
        let stop = commit.cancel.clone();
        match next {
            Continuation::Go => self.store(commit, ctx, |run, ctx| {
                run.tell_children(stop);
                run.go_on(ctx);
            }),
            // New children start when this actor leaves, so that their ends wake a new one.
            Continuation::Await if stop.is_empty() => self.store(commit, ctx, Self::awaits),
            Continuation::Await => self.store(commit, ctx, |run, ctx| {
                run.tell_children(stop);
                run.awaits(ctx);
            }),
            Continuation::Ask(ask) => {
                let row = checkpoint::question(&self.id, &self.root, ask);
                commit.status = Some((Status::Waiting.word().to_owned(), Some(row.reference.clone())));
                commit.facts.extend(checkpoint::question_facts(&row, node));
                self.question = Some(row.clone());
                commit.question = Some(row);
                self.comes_to_rest(commit, stop, ctx);
            }
            Continuation::Rest => {
                commit.facts.extend(checkpoint::status_fact(self.status, Some(node)));
                self.comes_to_rest(commit, stop, ctx);
            }
            Continuation::End(end) => self.finish(commit, end, ctx),
        }
    }

    fn comes_to_rest(&mut self, commit: Commit, stop: Vec<RunId>, ctx: &mut Context<Self>) {
        self.store(commit, ctx, |run, ctx| {
            run.tell_children(stop);
            run.tell_question();
            run.parked(ctx);
        });
    }

    /// Commits changes that no step made: after a crash, or when an ended run gets a message.
    fn change(&mut self, why: &str, changes: serde_json::Value, ctx: &mut Context<Self>) {
        let Some(program) = &mut self.program else { return self.leave(ctx) };
        if let Err(fault) = program.apply(&changes) {
            return self.fail(&fault, ctx);
        }
        let reopened = self.status.is_outcome();
        let event = if reopened { Turnpoint::Reopen } else { Turnpoint::Resume };
        // A run that was running when the process died is still running.
        self.status = lifecycle::next(self.status, event).unwrap_or(Status::Running);
        self.checkpoint.begin();
        let facts = checkpoint::status_fact(self.status, Some(program.node()));
        let mut commit = self.checkpoint.change(&self.id, &self.root, why, changes, program.as_ref(), facts);
        commit.status = Some((Status::Running.word().to_owned(), None));
        commit.reopened = reopened;
        commit.receipt = Some(checkpoint::cut_off());
        self.store(commit, ctx, Self::go_on);
    }

    /// Changes the status without a step.
    fn turn(&mut self, event: Turnpoint, ctx: &mut Context<Self>) {
        let Ok(status) = lifecycle::next(self.status, event) else { return self.leave(ctx) };
        self.status = status;
        // A child begun while the signal came may not have received it, so pass the signal on when leaving.
        let (passes, wish) = match event {
            Turnpoint::Pause => (Some(RunSignal::Pause), Some(UserCommand::Pause)),
            Turnpoint::Resume | Turnpoint::Ask | Turnpoint::Rest => {
                (Some(RunSignal::Resume), Some(UserCommand::Resume))
            }
            _ => (self.passes.take(), None),
        };
        let below = self.hearing.carried().filter(|row| Some(row.wish) == wish);
        self.passes = below.map(RunSignal::Wish).or(passes);
        let node = self.program.as_ref().map(|program| program.node());
        let mut commit = self.commit_of(checkpoint::status_fact(status, node));
        commit.wish_below = below;
        let asked = self.question.as_ref().map(|row| row.reference.clone());
        commit.status = Some((status.word().to_owned(), asked));
        let parks = status == Status::Paused;
        self.store(commit, ctx, move |run, ctx| if parks { run.parked(ctx) } else { run.go_on(ctx) });
    }

    fn commit_of(&self, facts: Vec<String>) -> Commit {
        Commit { run: Some(self.id.clone()), root: Some(self.root.clone()), facts, ..Commit::default() }
    }

    /// Has the archive files written, and leaves until the next signal.
    fn parked(&mut self, ctx: &mut Context<Self>) {
        if let Some(program) = &self.program {
            let (run, last) = (self.id.clone(), self.status.is_outcome());
            self.engine.archive.do_send(Write { run, state: program.state(), last });
            if !last && self.must_attend() {
                return self.go_on(ctx);
            }
        }
        let unread = self.status.is_outcome() && !self.hearing.inbox().is_empty();
        self.left(unread, ctx);
    }

    fn leave(&mut self, ctx: &mut Context<Self>) {
        self.left(false, ctx);
    }

    /// Leaves. `unread` is true if messages remain for which the run must be reopened.
    fn left(&mut self, unread: bool, ctx: &mut Context<Self>) {
        let (run, LeaveState { heard, again }, status) = (self.id.clone(), self.hearing.leave(), self.status);
        let again = again || unread;
        let passes = self.passes.take();
        let parent = self.place.parent.clone().filter(|_| passes == Some(RunSignal::Stop));
        let called = std::mem::take(&mut self.called);
        let living = self.program.as_ref().map(|program| program.living());
        let unreadable = self.unreadable;
        self.registry.left.do_send(Left {
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
