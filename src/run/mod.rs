//! The run actor: steps one program and keeps what each step leaves behind.
//!
//! It owns the program's state, where its life stands, the messages not yet read and the answer not
//! yet given. The registry wakes it and sends it orders; it tells the store what happened, the store
//! tells the viewers, and it tells the registry when it leaves. It lives only while there is work: a
//! run that waits, is paused or has ended is nothing but its rows, so the way back after a restart
//! and the way back after an answer are the same way. It knows no socket, HTTP or browser, and never
//! waits in a handler.

pub mod archive;
pub mod checkpoint;
pub mod feed;
pub mod lifecycle;
pub mod registry;
pub mod view;

use crate::ids::RunId;
use crate::metrics;
use crate::program::journal::Journal;
use crate::program::{End, Given, Next, Program, ProgramError, Programs, Resolved, Visit};
use crate::protocol::Status;
use crate::protocol::server::ResolvedBy;
use crate::store::rows::{Commit, Message as InboxMessage, QuestionRow, Stored};
use crate::store::{Store, StoreError};
use actix::prelude::*;
use archive::{Archive, Write};
use checkpoint::Checkpoint;
use futures_util::FutureExt;
use lifecycle::Turnpoint;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

/// What every run works with.
pub struct Engine {
    pub store: Arc<dyn Store>,
    pub programs: Arc<dyn Programs>,
    pub archive: Addr<Archive>,
}

/// An order from the registry, numbered so that none is lost when the run is just leaving.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct Do {
    pub n: u64,
    pub order: Order,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// Look whether there is something to do.
    Wake,
    /// A message has been stored in the inbox.
    Read(InboxMessage),
    Pause,
    Resume,
    Stop,
}

/// The run has nothing to do and is gone.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Left {
    pub run: RunId,
    /// The last order that it acted upon; later ones are for the actor that comes next.
    pub heard: u64,
    /// Whether there is something to do after all, so that one must come.
    pub again: bool,
}

/// Leave at once, without a word: the run goes on from its last checkpoint when the service is back.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Aside;

pub struct Run {
    id: RunId,
    root: RunId,
    agent: String,
    engine: Arc<Engine>,
    registry: Recipient<Left>,
    /// None until it has been restored.
    program: Option<Box<dyn Program>>,
    checkpoint: Checkpoint,
    status: Status,
    inbox: Vec<InboxMessage>,
    answer: Option<Resolved>,
    question: Option<QuestionRow>,
    heard: u64,
    /// The last order heard before the commit under way: later ones may not have been minded by it.
    minded: u64,
    /// Orders that wait for the step or commit under way.
    wants_pause: bool,
    wants_resume: bool,
    wants_stop: bool,
    under_way: UnderWay,
}

enum UnderWay {
    /// Reading from or writing to the store: always soon over, never cut short.
    Store,
    /// A step, which may be slow; it can be dropped.
    Visit(SpawnHandle),
}

impl Run {
    pub fn new(id: RunId, engine: Arc<Engine>, registry: Recipient<Left>, orders: Vec<Do>) -> Self {
        let mut run = Self {
            root: id.clone(),
            id,
            agent: String::new(),
            engine,
            registry,
            program: None,
            checkpoint: Checkpoint::default(),
            status: Status::Queued,
            inbox: Vec::new(),
            answer: None,
            question: None,
            heard: 0,
            minded: 0,
            wants_pause: false,
            wants_resume: false,
            wants_stop: false,
            under_way: UnderWay::Store,
        };
        for order in orders {
            run.hear(order);
        }
        run.minded = run.heard;
        run
    }

    /// Takes an order in; it is acted upon at the next moment when that is possible.
    fn hear(&mut self, Do { n, order }: Do) {
        self.heard = self.heard.max(n);
        match order {
            Order::Wake => {}
            Order::Read(message) => {
                if self.inbox.last().is_none_or(|last| last.n < message.n) {
                    self.inbox.push(message);
                }
            }
            // The later of the two is what the person wants.
            Order::Pause => (self.wants_pause, self.wants_resume) = (true, false),
            Order::Resume => (self.wants_pause, self.wants_resume) = (false, true),
            Order::Stop => self.wants_stop = true,
        }
    }
}

impl Actor for Run {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        let restore = self.engine.store.restore(self.id.clone());
        ctx.spawn(restore.into_actor(self).map(|stored, run, ctx| match stored {
            Ok(Some(stored)) => {
                if let Err(fault) = run.restored(stored, ctx) {
                    run.fail(&fault, ctx);
                }
            }
            Ok(None) => run.leave(ctx),
            Err(fault) => run.give_up(&fault, ctx),
        }));
    }
}

impl Handler<Aside> for Run {
    type Result = ();

    fn handle(&mut self, _: Aside, ctx: &mut Self::Context) {
        ctx.stop();
    }
}

impl Handler<Do> for Run {
    type Result = ();

    fn handle(&mut self, order: Do, ctx: &mut Self::Context) {
        self.hear(order);
        let UnderWay::Visit(handle) = self.under_way else { return };
        let repeatable = self.program.as_ref().is_some_and(|program| program.repeatable());
        if self.wants_stop || (self.wants_pause && repeatable) {
            ctx.cancel_future(handle);
            self.go_on(ctx);
        }
    }
}

impl Run {
    /// Puts together what is stored and decides whether there is something to do.
    fn restored(&mut self, stored: Stored, ctx: &mut Context<Self>) -> Result<(), ProgramError> {
        self.root = stored.row.root.clone();
        self.agent.clone_from(&stored.row.agent);
        self.checkpoint = Checkpoint::restored(&stored);
        self.status = Status::from_word(&stored.row.status)
            .ok_or_else(|| ProgramError::Changes(format!("unknown status {}", stored.row.status)))?;
        let newest = stored.inbox.last().map_or(0, |message| message.n);
        self.inbox.retain(|message| message.n > newest);
        self.inbox.splice(0..0, stored.inbox);
        let mut program = self.engine.programs.load(&stored.row, stored.state)?;
        for changes in &stored.changes {
            program.apply(changes)?;
        }
        self.question = stored.question;
        // What a paused run had in hand is gone as well, so it goes on as after a crash.
        let goes_on = self.status == Status::Running || (self.status == Status::Paused && self.wants_resume);
        let recovery = goes_on.then(|| program.recover(stored.open_effect.as_ref()));
        let reopening = program.reopen().filter(|_| self.status.is_outcome() && !self.inbox.is_empty());
        self.program = Some(program);
        match (self.status, recovery, reopening) {
            (_, Some(changes), _) => self.change("recover", changes, Turnpoint::Start, ctx),
            (_, _, Some(changes)) => self.change("reopen", changes, Turnpoint::Reopen, ctx),
            _ => self.go_on(ctx),
        }
        Ok(())
    }

    /// Between two steps: what was ordered comes first, then the next step if there is one.
    fn go_on(&mut self, ctx: &mut Context<Self>) {
        self.under_way = UnderWay::Store;
        if std::mem::take(&mut self.wants_stop) && !self.status.is_outcome() {
            return self.stop(ctx);
        }
        if std::mem::take(&mut self.wants_pause)
            && let Ok(paused) = lifecycle::next(self.status, Turnpoint::Pause)
        {
            return self.turn(paused, ctx);
        }
        if std::mem::take(&mut self.wants_resume)
            && let Ok(running) = lifecycle::next(self.status, Turnpoint::Resume)
        {
            return self.turn(running, ctx);
        }
        match self.status {
            Status::Running => self.visit(ctx),
            Status::Queued => self.turn(Status::Running, ctx),
            Status::Waiting => match self.question.take().and_then(checkpoint::resolved) {
                Some(answer) => self.resume(answer, ctx),
                None => self.leave(ctx),
            },
            Status::Paused
            | Status::Succeeded
            | Status::Partial
            | Status::Failed
            | Status::Skipped
            | Status::Cancelled
            | Status::Denied
            | Status::Blocked
            | Status::Exhausted => self.leave(ctx),
        }
    }

    /// The answer is there. Its row stays "waiting" until the step that takes it is stored, so that
    /// the answer is not lost were the process to die before.
    fn resume(&mut self, answer: Resolved, ctx: &mut Context<Self>) {
        self.answer = Some(answer);
        self.status = Status::Running;
        let node = self.program.as_ref().map(|program| program.node());
        let note = self.commit_of(checkpoint::status_fact(Status::Running, node));
        self.store(note, ctx, |run, ctx| run.visit(ctx));
    }

    fn visit(&mut self, ctx: &mut Context<Self>) {
        let Some(program) = &self.program else { return self.leave(ctx) };
        let given = Given {
            run: self.id.clone(),
            root: self.root.clone(),
            inbox: self.inbox.clone(),
            answer: self.answer.clone(),
            journal: Journal::new(Arc::clone(&self.engine.store), self.id.clone(), self.root.clone()),
        };
        self.checkpoint.begin();
        // A step that panics ends its own run, not the process.
        let visit = AssertUnwindSafe(program.visit(given)).catch_unwind();
        let handle = ctx.spawn(visit.into_actor(self).map(|result, run, ctx| {
            run.under_way = UnderWay::Store;
            match result {
                Ok(Ok(visit)) => run.visited(visit, ctx),
                Ok(Err(fault)) => run.fail(&fault, ctx),
                Err(_) => run.fail(&ProgramError::Failed(String::from("a step of this run broke down")), ctx),
            }
        }));
        self.under_way = UnderWay::Visit(handle);
    }

    fn visited(&mut self, mut visit: Visit, ctx: &mut Context<Self>) {
        metrics::STEPS.one([visit.node]);
        if let Some(read) = visit.record.read_inbox {
            self.inbox.retain(|message| message.n > read);
        }
        let Some(program) = &mut self.program else { return self.leave(ctx) };
        if let Err(fault) = program.apply(&visit.changes) {
            return self.fail(&fault, ctx);
        }
        let event = match &visit.next {
            Next::Go => None,
            Next::Ask(_) => Some(Turnpoint::Ask),
            Next::End(end) => Some(Turnpoint::End(end.outcome)),
        };
        let was_answer = self.answer.take().is_some();
        if let Some(event) = event {
            self.status = match lifecycle::next(self.status, event) {
                Ok(status) => status,
                Err(refusal) => return self.fail(&ProgramError::Failed(refusal.to_string()), ctx),
            };
        }
        let told = event.is_some() || was_answer;
        let mut commit = self.checkpoint.step(&self.id, &self.root, &mut visit, program.as_ref());
        commit.status = told.then(|| (self.status.word().to_owned(), None));
        match visit.next {
            Next::Go => self.store(commit, ctx, Self::go_on),
            Next::Ask(ask) => {
                let row = checkpoint::question(&self.id, &self.root, ask);
                commit.status = Some((Status::Waiting.word().to_owned(), Some(row.reference.clone())));
                commit.facts.extend(checkpoint::question_facts(&row, visit.node));
                commit.question = Some(row);
                self.store(commit, ctx, Self::parked);
            }
            Next::End(end) => self.finish(commit, end, ctx),
        }
    }

    fn finish(&mut self, mut commit: Commit, end: End, ctx: &mut Context<Self>) {
        metrics::RUNS.one([&self.agent, end.outcome.word()]);
        commit.facts.extend(checkpoint::end_facts(&end));
        commit.ended = Some(checkpoint::ended(end));
        self.store(commit, ctx, |run, ctx| {
            if run.id == run.root {
                run.engine.programs.ended(&run.root);
            }
            run.parked(ctx);
        });
    }

    /// Stopped from outside: whatever is asked is resolved, and the run ends as cancelled.
    fn stop(&mut self, ctx: &mut Context<Self>) {
        self.status = Status::Cancelled;
        if let Some(row) = self.question.take().filter(|row| row.resolved_by.is_none()) {
            let answered =
                checkpoint::answered(&row.reference, ResolvedBy::Stopped, &Default::default(), None);
            let resolve = self.engine.store.resolve(row.reference, answered);
            ctx.spawn(resolve.into_actor(self).map(|result, run, ctx| match result {
                Ok(_) => run.end_as(Status::Cancelled, None, ctx),
                Err(fault) => run.give_up(&fault, ctx),
            }));
            return;
        }
        self.end_as(Status::Cancelled, None, ctx);
    }

    fn fail(&mut self, fault: &ProgramError, ctx: &mut Context<Self>) {
        tracing::warn!(run_id = %self.id, %fault, "run failed");
        self.status = Status::Failed;
        self.end_as(Status::Failed, Some(fault.to_string()), ctx);
    }

    fn end_as(&mut self, outcome: Status, why: Option<String>, ctx: &mut Context<Self>) {
        let words = self.program.as_ref().map(|program| program.farewell(outcome)).unwrap_or_default();
        let response = match why {
            Some(why) => format!("{words} {why}").trim().to_owned(),
            None => words,
        };
        let mut commit = self.commit_of(Vec::new());
        commit.status = Some((outcome.word().to_owned(), None));
        // What was said before the end must not open it again.
        commit.read_inbox = self.inbox.drain(..).next_back().map(|message| message.n);
        // An effect that was cut off is closed as such, lest a later receipt be taken for its own.
        commit.receipt = Some(checkpoint::cut_off());
        self.finish(commit, End { outcome, response: Some(response), vars: Default::default() }, ctx);
    }

    /// Changes that no step made: after a crash, or when an ended run is spoken to again.
    fn change(&mut self, why: &str, changes: serde_json::Value, event: Turnpoint, ctx: &mut Context<Self>) {
        let Some(program) = &mut self.program else { return self.leave(ctx) };
        if let Err(fault) = program.apply(&changes) {
            return self.fail(&fault, ctx);
        }
        self.status = Status::Running;
        self.checkpoint.begin();
        let node = program.node();
        let facts = checkpoint::status_fact(Status::Running, Some(node));
        let mut commit = self.checkpoint.change(&self.id, &self.root, why, changes, program.as_ref(), facts);
        commit.status = Some((Status::Running.word().to_owned(), None));
        commit.reopened = event == Turnpoint::Reopen;
        commit.receipt = Some(checkpoint::cut_off());
        self.store(commit, ctx, Self::go_on);
    }

    /// A new status that needs no step.
    fn turn(&mut self, status: Status, ctx: &mut Context<Self>) {
        self.status = status;
        let node = self.program.as_ref().map(|program| program.node());
        let mut commit = self.commit_of(checkpoint::status_fact(status, node));
        commit.status = Some((status.word().to_owned(), None));
        let parks = status == Status::Paused;
        self.store(commit, ctx, move |run, ctx| if parks { run.parked(ctx) } else { run.go_on(ctx) });
    }

    fn commit_of(&self, facts: Vec<String>) -> Commit {
        Commit { run: Some(self.id.clone()), root: Some(self.root.clone()), facts, ..Commit::default() }
    }

    fn store(
        &mut self,
        commit: Commit,
        ctx: &mut Context<Self>,
        then: impl FnOnce(&mut Self, &mut Context<Self>) + 'static,
    ) {
        self.under_way = UnderWay::Store;
        self.minded = self.heard;
        let stored = self.engine.store.commit(commit);
        ctx.spawn(stored.into_actor(self).map(|result, run, ctx| match result {
            Ok(()) => then(run, ctx),
            Err(fault) => run.give_up(&fault, ctx),
        }));
    }

    /// Nothing to do until somebody speaks: has its files written, and leaves.
    fn parked(&mut self, ctx: &mut Context<Self>) {
        if let Some(program) = &self.program {
            self.engine.archive.do_send(Write { run: self.id.clone(), state: program.state() });
        }
        let again = self.heard > self.minded || (self.status.is_outcome() && !self.inbox.is_empty());
        self.registry.do_send(Left { run: self.id.clone(), heard: self.minded, again });
        ctx.stop();
    }

    /// The store does not take it. What it holds stays true: the run is where its last checkpoint
    /// was and goes on from there when the service starts again.
    fn give_up(&mut self, fault: &StoreError, ctx: &mut Context<Self>) {
        tracing::error!(run_id = %self.id, %fault, "run set aside at its last checkpoint");
        self.leave(ctx);
    }

    fn leave(&mut self, ctx: &mut Context<Self>) {
        let again = self.heard > self.minded;
        self.registry.do_send(Left { run: self.id.clone(), heard: self.minded, again });
        ctx.stop();
    }
}
