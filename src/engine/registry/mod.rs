//! The registry actor: finds, steers and restores runs.
//!
//! It owns the addresses of the runs at work and the signals sent to each, so that a signal to a run that is
//! just leaving reaches the next actor. It also owns the leases of pages (`takeovers`). It keeps nothing about runs
//! that are not at work and whose page nobody holds or wants, except which of them cannot be read, and knows no state
//! of a run. `starting` starts runs; `answers` takes messages and answers.

pub mod plan_edits;
pub(crate) mod archive_backfill;
pub(crate) mod leased_trees;
pub(crate) mod task_progress;
pub mod state;
pub mod answers;
pub(crate) mod client_answers;
pub mod deleting;
pub mod feed;
pub mod starting;
pub mod takeovers;
pub mod view;

use crate::clock::Moment;
use crate::engine::error::RunRequestError;
use crate::engine::lifecycle;
use crate::engine::lifecycle::{LifecycleEvent, LifecycleRefusal};
use crate::engine::registry::state::{
    ActiveRun, Registry, SharedWork, SignalsFuture, SpaceRelease, unknown_run,
};
use crate::engine::run::messages::{ChildSignals, NumberedSignal, RunLeft, RunSignal, StopRunActor};
use crate::engine::run::state::Run;
use crate::engine::services::RunServices;
use crate::engine::takeover::lease;
use crate::engine::takeover::leases::Leases;
use crate::ids::RunId;
use crate::protocol::Status;
use crate::store::Store;
use crate::store::rows::RunRow;
use crate::store::rows::user_command::{StoredUserCommand, UserCommand, UserCommandRow};
use actix::prelude::*;
use futures_util::FutureExt;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tokio::sync::oneshot;

/// Stops, pauses or resumes a run and its descendants. Replies once the command is stored.
#[derive(Message)]
#[rtype(result = "Result<(), RunRequestError>")]
pub struct Control {
    pub run: RunId,
    pub command: UserCommand,
}

/// Prepares the end of the service: every run stays at its last checkpoint, and no run is woken any more.
#[derive(Message)]
#[rtype(result = "()")]
pub struct StopService;

/// Reports whether an actor steps this run.
#[derive(Message)]
#[rtype(result = "bool")]
pub struct IsAtWork {
    pub run: RunId,
}

/// Returns the number of runs at work.
#[derive(Message)]
#[rtype(result = "usize")]
pub struct CountAtWork;

impl Registry {
    /// Creates a registry without active runs. It resumes those of earlier starts when it has started.
    pub fn new(services: Arc<RunServices>) -> Self {
        Self {
            services,
            leases: Leases::default(),
            page_replies: HashMap::new(),
            rest_waiters: HashMap::new(),
            at_work: HashMap::new(),
            background_work: Vec::new(),
            stopping: false,
            ignore_before: None,
            unreadable: HashSet::new(),
            space_release: SpaceRelease::default(),
            shared_work: SharedWork::default(),
        }
    }

    /// Leaves earlier runs and their questions as they are.
    pub fn ignore_earlier_runs(self) -> Self {
        Self { ignore_before: Some(Moment::now()), ..self }
    }

    pub(crate) fn is_at_work(&self, run: &RunId) -> bool {
        self.at_work.contains_key(run)
    }

    /// Sends a signal to the run's actor, and starts one if there is none.
    pub(crate) fn signal(&mut self, run: RunId, run_signal: RunSignal, ctx: &mut Context<Self>) {
        let continues = matches!(run_signal, RunSignal::Wake | RunSignal::Read(_) | RunSignal::LookAtInbox);
        // The cause of a delayed wake-up is stored, and the run can do nothing without its page.
        if continues && !self.is_at_work(&run) && self.leases.hold_back_wake(&run) {
            return;
        }
        if let Some(entry) = self.at_work.get_mut(&run) {
            let n = entry.signals.last().map_or(0, |last| last.n) + 1;
            let run_signal = NumberedSignal { n, signal: run_signal };
            entry.signals.push(run_signal.clone());
            entry.address.do_send(run_signal);
        } else if !self.stopping {
            let signals = vec![NumberedSignal { n: 1, signal: run_signal }];
            let actor = Run::new(run.clone(), Arc::clone(&self.services), &ctx.address(), signals.clone());
            self.at_work.insert(run, ActiveRun { address: actor.start(), signals });
        }
    }

    /// Returns a receiver that resolves when the run comes to rest.
    pub(crate) fn subscribe_rest(&mut self, run: &RunId) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        self.rest_waiters.entry(run.clone()).or_default().push(sender);
        receiver
    }

    /// Sends the signals that result from work with the store, once that is done.
    pub(crate) fn signal_after(
        &self,
        work: SignalsFuture,
    ) -> ResponseActFuture<Self, Result<(), RunRequestError>> {
        Box::pin(work.into_actor(self).map(|result, registry, ctx| {
            for (run, signal) in result? {
                registry.signal(run, signal, ctx);
            }
            Ok(())
        }))
    }
}

impl Actor for Registry {
    type Context = Context<Self>;

    /// Resumes everything that was under way when the process ended.
    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.run_interval(state::EXPIRY_CHECK_INTERVAL, Self::expire_overdue);
        let (store, since) = (Arc::clone(&self.services.store), self.ignore_before);
        self.background_work.push(
            ctx.spawn(async move { task_progress::publish_progress(&*store, since).await }.into_actor(self)),
        );
        if self.services.store.is_shared() {
            self.share_trees(ctx);
        }
        if self.ignore_before.is_some() {
            return;
        }
        let services = Arc::clone(&self.services);
        self.background_work
            .push(ctx.spawn(async move { deleting::remove_leftovers(&services).await }.into_actor(self)));
        if self.services.store.is_shared() {
            return;
        }
        self.park_stored_leases(None, ctx);
        let services = Arc::clone(&self.services);
        self.background_work.push(
            ctx.spawn(async move { archive_backfill::backfill_archive(&services).await }.into_actor(self)),
        );
        let work: SignalsFuture = runs_to_resume(Arc::clone(&self.services.store)).boxed_local();
        ctx.wait(self.signal_after(work).map(|result, _, _| {
            if let Err(fault) = result {
                tracing::error!(%fault, "runs not restored");
            }
        }));
    }
}

impl Handler<Control> for Registry {
    type Result = ResponseActFuture<Self, Result<(), RunRequestError>>;

    fn handle(&mut self, Control { run, command }: Control, _: &mut Self::Context) -> Self::Result {
        let store = Arc::clone(&self.services.store);
        let row = check_command(Arc::clone(&store), run.clone(), command);
        let commanded_run = run.clone();
        let command_stored = row.into_actor(self).then(move |row, registry, _| {
            // Checked and sent without an await in between, so that a take-over cannot come first.
            let sent = row.and_then(|row| match command {
                UserCommand::Resume if registry.leases.is_taken_over(&row.root) => {
                    Err(lease::LeaseRefusal::HeldByOther.into())
                }
                UserCommand::Stop | UserCommand::Pause | UserCommand::Resume => {
                    Ok((row.root, registry.services.store.add_user_command(run, command, true)))
                }
            });
            let stored = async move {
                let (root, sent) = sent?;
                Ok((root, sent.await?.ok_or(LifecycleRefusal::Ended)?))
            };
            stored.into_actor(registry)
        });
        Box::pin(command_stored.map(move |command_stored: Result<_, RunRequestError>, registry, ctx| {
            let (root, StoredUserCommand { row, runs }) = command_stored?;
            if command == UserCommand::Resume {
                if registry.leases.is_taken_over(&root) {
                    // Somebody took the page meanwhile.
                    let withdrawn = store.withdraw_user_command(row.n).into_actor(registry);
                    ctx.spawn(withdrawn.map(move |withdrawn, _, _| {
                        if let Err(fault) = withdrawn {
                            tracing::warn!(run_id = %commanded_run, %fault, "a refused resume stays stored");
                        }
                    }));
                    return Err(lease::LeaseRefusal::HeldByOther.into());
                }
                registry.apply_lease_event(&root, lease::LeaseEvent::Resumed, ctx)?;
            }
            if !registry.services.store.owns(&root) {
                registry.services.store.wake_owner(&root);
                return Ok(());
            }
            // The descendants pause, resume and stop with the run.
            for run in runs {
                registry.signal(run, RunSignal::Command(row), ctx);
            }
            Ok(())
        }))
    }
}

/// Returns the runs that were under way when the process ended, each with its signal.
async fn runs_to_resume(store: Arc<dyn Store>) -> Result<Vec<(RunId, RunSignal)>, RunRequestError> {
    let mut runs = store.runs_with_status(vec!["running", "queued"]).await?;
    runs.extend(store.runs_with_missed_signals().await?);
    runs.extend(store.pending_user_commands().await?.into_iter().map(|(run, _)| run));
    for waiting in store.runs_with_status(vec!["waiting"]).await? {
        // Only runs whose answer came and was not taken yet.
        let answered = match store.run(waiting.clone()).await?.and_then(|row| row.question) {
            Some(reference) => {
                store.question(reference).await?.is_some_and(|question| question.resolved_by.is_some())
            }
            None => false,
        };
        if answered {
            runs.push(waiting);
        }
    }
    let orphans = store.orphaned_runs().await?;
    let lapsed = store.ephemeral_runs().await?;
    let mut visited = HashSet::new();
    runs.retain(|run| visited.insert(run.clone()) && !orphans.contains(run) && !lapsed.contains(run));
    let woken = runs.into_iter().map(|run| (run, RunSignal::Wake));
    let stopped = orphans.into_iter().map(|run| (run, RunSignal::Stop));
    Ok(woken.chain(stopped).chain(lapsed.into_iter().map(|run| (run, RunSignal::EndAfterRestart))).collect())
}

/// Returns the row of the run if it can obey the command now.
async fn check_command(
    store: Arc<dyn Store>,
    run: RunId,
    command: UserCommand,
) -> Result<RunRow, RunRequestError> {
    let row = store.run(run.clone()).await?.ok_or_else(|| unknown_run(&run))?;
    if command == UserCommand::Resume && takeovers::is_held_elsewhere(&*store, &row.root).await? {
        return Err(lease::LeaseRefusal::HeldByOther.into());
    }
    let status = Status::from_word(&row.status).unwrap_or(Status::Failed);
    let event = match command {
        UserCommand::Stop => LifecycleEvent::Stop,
        // A run that waits for an answer does nothing that could be paused. Only a pause that arrives during
        // the asking step holds it.
        UserCommand::Pause if status == Status::Waiting && row.question.is_some() => {
            return Err(LifecycleRefusal::Waiting.into());
        }
        UserCommand::Pause => LifecycleEvent::Pause,
        UserCommand::Resume => LifecycleEvent::Resume,
    };
    // An answer may be on its way into a run that still waits. Stop is always allowed.
    let Err(refusal) = lifecycle::transition(status, event) else { return Ok(row) };
    // A pending opposite command may be taken back.
    let opposite = match command {
        UserCommand::Stop => None,
        UserCommand::Pause => Some(UserCommand::Resume),
        UserCommand::Resume => Some(UserCommand::Pause),
    };
    let pending = store.pending_user_commands().await?.into_iter().find(|(run_id, _)| *run_id == run);
    if pending.is_some_and(|(_, pending)| Some(pending.command) == opposite) {
        Ok(row)
    } else {
        Err(refusal.into())
    }
}

impl Registry {
    /// Starts the children that the run has begun, and forwards its signal to its children.
    fn signal_children(&mut self, left: &RunLeft, ctx: &mut Context<Self>) {
        let resumes = |signal: &RunSignal| {
            matches!(
                signal,
                RunSignal::Resume | RunSignal::Command(UserCommandRow { command: UserCommand::Resume, .. })
            )
        };
        if left.forwarded.as_ref().is_none_or(resumes) {
            left.begun_children.iter().for_each(|child| self.signal(child.clone(), RunSignal::Wake, ctx));
        }
        match (&left.forwarded, &left.unfinished_children) {
            (None, _) => {}
            (Some(signal), Some(children)) => {
                children.iter().for_each(|child| self.signal(child.clone(), signal.clone(), ctx));
            }
            (Some(signal), None) => self.signal_descendants(left.run.clone(), signal.clone(), ctx),
        }
    }

    /// Sends a signal to all living descendants of a run.
    fn signal_descendants(&self, run: RunId, signal: RunSignal, ctx: &mut Context<Self>) {
        let descendants = self.services.store.living_descendants(run);
        let work: SignalsFuture =
            async move { Ok(descendants.await?.into_iter().map(|run| (run, signal.clone())).collect()) }
                .boxed_local();
        ctx.spawn(self.signal_after(work).map(|result, _, _| {
            if let Err(fault) = result {
                tracing::warn!(%fault, "a run's signal did not reach its children");
            }
        }));
    }
}

impl Handler<RunLeft> for Registry {
    type Result = ();

    fn handle(&mut self, left: RunLeft, ctx: &mut Self::Context) {
        self.signal_children(&left, ctx);
        let RunLeft { run, covered_up_to, must_restart, status, parent, unreadable, .. } = left;
        if unreadable {
            self.unreadable.insert(run.clone());
        } else {
            self.unreadable.remove(&run);
        }
        if let Some(parent) = parent {
            self.signal(parent, RunSignal::Wake, ctx);
        }
        let Some(entry) = self.at_work.get_mut(&run) else { return };
        entry.signals.retain(|signal| signal.n > covered_up_to);
        if must_restart || !entry.signals.is_empty() {
            let (services, signals) = (Arc::clone(&self.services), entry.signals.clone());
            entry.address = Run::new(run, services, &ctx.address(), signals).start();
            return;
        }
        self.at_work.remove(&run);
        for waiter in self.rest_waiters.remove(&run).unwrap_or_default() {
            // The receiver may have timed out.
            let _ = waiter.send(());
        }
        if let Some(root) = self.leases.tree_pausing(&run).filter(|_| status.is_outcome()) {
            // The end of a run is never refused.
            let _ = self.apply_lease_event(&root, lease::LeaseEvent::Ended, ctx);
        }
    }
}

impl Handler<ChildSignals> for Registry {
    type Result = ();

    fn handle(&mut self, ChildSignals { begin, stop }: ChildSignals, ctx: &mut Self::Context) {
        begin.into_iter().for_each(|child| self.signal(child, RunSignal::Wake, ctx));
        stop.into_iter().for_each(|child| self.signal(child, RunSignal::Stop, ctx));
    }
}

impl Handler<StopService> for Registry {
    type Result = ();

    fn handle(&mut self, _: StopService, ctx: &mut Self::Context) {
        self.stopping = true;
        for work in self.background_work.drain(..) {
            ctx.cancel_future(work);
        }
        for (_, run) in self.at_work.drain() {
            run.address.do_send(StopRunActor);
        }
    }
}

impl Handler<IsAtWork> for Registry {
    type Result = bool;

    fn handle(&mut self, IsAtWork { run }: IsAtWork, _: &mut Self::Context) -> bool {
        self.is_at_work(&run)
    }
}

impl Handler<CountAtWork> for Registry {
    type Result = usize;

    fn handle(&mut self, _: CountAtWork, _: &mut Self::Context) -> usize {
        self.at_work.len()
    }
}
