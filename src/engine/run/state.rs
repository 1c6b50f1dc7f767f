//! State of the run actor.

use crate::engine::lifecycle::WaitState;
use crate::engine::program::run_bounds::TreePosition;
use crate::engine::program::{Program, QuestionResult};
use crate::engine::run::checkpoint::StepCounter;
use crate::engine::run::mailbox::Mailbox;
use crate::engine::run::messages::{ChildSignals, NumberedSignal, RegistryRecipients, RunLeft, RunSignal};
use crate::engine::run::step_report::StepReport;
use crate::engine::services::RunServices;
use crate::ids::RunId;
use crate::protocol::Status;
use crate::store::rows::{QuestionRow, RunCommit, RunRow};
use actix::prelude::*;
use std::sync::Arc;

/// Actor that steps one run. Several actors may step a run one after the other, never at the same time.
pub struct Run {
    pub(crate) identity: RunIdentity,
    pub(crate) services: Arc<RunServices>,
    pub(crate) registry: RegistryRecipients,
    /// `None` until restored.
    pub(crate) program: Option<Box<dyn Program>>,
    pub(crate) step_counter: StepCounter,
    pub(crate) status: Status,
    pub(crate) mailbox: Mailbox,
    pub(crate) interrupt: Interrupt,
    pub(crate) departure: Departure,
    /// Number of steps that this actor has begun.
    pub(crate) steps_begun: u64,
    /// Data for metrics and logs of the next commit, published once that is stored.
    pub(crate) report: Option<StepReport>,
    pub(crate) activity: RunActivity,
}

/// Names of a run, and its position in its tree, with limits.
pub(crate) struct RunIdentity {
    pub(crate) id: RunId,
    pub(crate) root: RunId,
    pub(crate) agent: String,
    pub(crate) title: String,
    pub(crate) position: TreePosition,
}

/// The question at which the run waits, and its answer.
#[derive(Default)]
pub(crate) struct Interrupt {
    pub(crate) question: Option<QuestionRow>,
    /// The answer, for the next step.
    pub(crate) answer: Option<QuestionResult>,
}

/// Notes for the registry, which it receives when the actor leaves.
#[derive(Default)]
pub(crate) struct Departure {
    /// Children begun by commits and not started yet.
    pub(crate) begun_children: Vec<RunId>,
    /// Signal to pass to the children, after a change of status.
    pub(crate) forwarded: Option<RunSignal>,
    /// True if the stored state cannot be read.
    pub(crate) unreadable: bool,
}

pub(crate) enum RunActivity {
    /// A read or write of the store; always short, never interrupted.
    Storing,
    /// Waiting for the time at which the run may begin.
    Delayed(SpawnHandle),
    /// A step, which may be slow and can be dropped: its number in this actor's life, its future, and the
    /// timer of the run's time limit.
    Step { n: u64, future: SpawnHandle, timer: Option<SpawnHandle> },
}

impl RunIdentity {
    /// Takes names and position from the stored row.
    pub(crate) fn restore(&mut self, row: &RunRow) {
        self.root = row.root.clone();
        self.agent.clone_from(&row.agent);
        self.title.clone_from(&row.title);
        self.position = TreePosition::from_row(row);
    }

    /// Creates a commit of this run with these events.
    pub(crate) fn commit(&self, events: Vec<String>) -> RunCommit {
        RunCommit { events, ..RunCommit::new(self.id.clone(), self.root.clone()) }
    }
}

impl Interrupt {
    /// Returns the question if it has no answer yet.
    pub(crate) fn open_question(&self) -> Option<&QuestionRow> {
        self.question.as_ref().filter(|row| row.resolved_by.is_none())
    }

    /// Returns the state of the question; `rests` is true if the program has nothing to do.
    pub(crate) fn state(&self, rests: bool) -> WaitState {
        match &self.question {
            None if rests => WaitState::Resting,
            None => WaitState::NoQuestion,
            Some(row) if row.resolved_by.is_none() => WaitState::Open,
            Some(_) => WaitState::Answered,
        }
    }
}

impl Run {
    /// Creates the actor of a run with the signals that woke it. It knows nothing else until it has read the
    /// run's rows.
    pub fn new<R>(
        id: RunId,
        services: Arc<RunServices>,
        registry: &Addr<R>,
        signals: Vec<NumberedSignal>,
    ) -> Self
    where
        R: Actor<Context = Context<R>> + Handler<RunLeft> + Handler<ChildSignals>,
    {
        let registry =
            RegistryRecipients { left: registry.clone().recipient(), children: registry.clone().recipient() };
        let (agent, title, position) = Default::default();
        Self {
            identity: RunIdentity { root: id.clone(), id, agent, title, position },
            services,
            registry,
            program: None,
            step_counter: StepCounter::default(),
            status: Status::Queued,
            mailbox: Mailbox::with_signals(signals),
            interrupt: Interrupt::default(),
            departure: Departure::default(),
            steps_begun: 0,
            report: None,
            activity: RunActivity::Storing,
        }
    }
}
