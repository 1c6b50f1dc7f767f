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
use std::collections::VecDeque;
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
    pub(crate) commits: CommitsUnderWay,
}

/// Commits that are being stored, oldest first. The store keeps their order, and refuses one whose predecessor failed.
#[derive(Default)]
pub(crate) struct CommitsUnderWay {
    /// Number of commits that this actor has begun.
    begun: u64,
    under_way: VecDeque<CommitUnderWay>,
    /// True if the run goes on once all are stored.
    pub(crate) is_awaited: bool,
}

struct CommitUnderWay {
    n: u64,
    future: SpawnHandle,
    report: Option<StepReport>,
}

impl CommitsUnderWay {
    /// Returns the number of the next commit.
    pub(crate) fn begin(&mut self) -> u64 {
        self.begun += 1;
        self.begun
    }

    /// Adds a commit, with the report that is published once it is stored.
    pub(crate) fn add(&mut self, n: u64, future: SpawnHandle, report: Option<StepReport>) {
        self.under_way.push_back(CommitUnderWay { n, future, report });
    }

    /// Removes a stored commit and those before it, and returns their reports.
    pub(crate) fn remove_stored(&mut self, n: u64) -> Vec<StepReport> {
        let stored = self.under_way.partition_point(|commit| commit.n <= n);
        self.under_way.drain(..stored).filter_map(|commit| commit.report).collect()
    }

    /// Removes all, and returns their futures.
    pub(crate) fn take_futures(&mut self) -> Vec<SpawnHandle> {
        self.under_way.drain(..).map(|commit| commit.future).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.under_way.len()
    }
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
    /// A read or write of the store that the run waits for; always short, never interrupted.
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
            commits: CommitsUnderWay::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::program::StepRecord;

    fn report(node: &'static str) -> StepReport {
        StepReport { node: Some(node), ..StepReport::from_record(&mut StepRecord::default()) }
    }

    // The store keeps the order, so a stored commit proves those before it stored, whichever reply is read first.
    #[test]
    fn a_stored_commit_leaves_with_those_before_it() {
        let mut commits = CommitsUnderWay::default();
        for node in [Some("a"), None, Some("c"), Some("d")] {
            let n = commits.begin();
            commits.add(n, SpawnHandle::default(), node.map(report));
        }
        let nodes = |reports: Vec<StepReport>| reports.into_iter().filter_map(|report| report.node);
        assert!(nodes(commits.remove_stored(3)).eq(["a", "c"]));
        assert_eq!(nodes(commits.remove_stored(2)).count(), 0);
        assert_eq!(commits.take_futures().len(), 1);
        assert_eq!((commits.len(), commits.begin()), (0, 5));
    }
}
