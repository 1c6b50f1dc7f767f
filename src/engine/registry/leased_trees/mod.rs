//! Run trees of a store that several services share: claims trees and goes on with their runs, hears of what other nodes have
//! stored for them, and drops everything when the node has lost its leases.

use crate::engine::archive::FindMissingArchives;
use crate::engine::registry::archive_backfill;
use crate::engine::registry::state::{Registry, SignalsFuture};
use crate::engine::run::messages::{RunSignal, StopRunActor};
use crate::engine::services::RunServices;
use crate::engine::takeover::lease::LeaseEvent;
use crate::engine::takeover::leases::Leases;
use crate::ids::RunId;
use crate::store::error::StoreError;
use crate::store::rows::user_command::{UserCommand, UserCommandRow};
use crate::store::tree_leases::{ClaimedTrees, LeaseNotice, RunTask};
use actix::prelude::*;
use futures_util::FutureExt;
use futures_util::stream::unfold;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// Interval of the search for trees to claim, and for what other nodes have stored for those of this one.
const CLAIM_INTERVAL: Duration = Duration::from_millis(500);

impl Registry {
    /// Begins the work on the trees that this node claims.
    pub(crate) fn share_trees(&mut self, ctx: &mut Context<Self>) {
        if let Some(notices) = self.services.store.lease_notices() {
            ctx.add_stream(unfold(notices, async |mut notices| Some((notices.recv().await?, notices))));
        }
        ctx.run_interval(CLAIM_INTERVAL, |registry, ctx| {
            registry.claim_trees(ctx);
            registry.look_for_woken_runs(ctx);
        });
        self.claim_trees(ctx);
    }

    fn claim_trees(&mut self, ctx: &mut Context<Self>) {
        if self.stopping || std::mem::replace(&mut self.shared_work.is_claiming, true) {
            return;
        }
        let (services, at_work) = (Arc::clone(&self.services), self.at_work.len());
        let claiming = async move {
            let claimed = services.store.claim_trees(at_work).await?;
            // Before the runs go on, as they may name their files.
            let runs: Vec<RunId> = claimed.runs.iter().map(|(run, _)| run.clone()).collect();
            fetch_files_of(&services, &runs).await;
            Ok::<_, StoreError>(claimed)
        };
        ctx.spawn(claiming.into_actor(self).map(|claimed, registry, ctx| {
            registry.shared_work.is_claiming = false;
            match claimed {
                Ok(claimed) if claimed.roots.is_empty() => {}
                Ok(claimed) => {
                    registry.go_on_with(claimed, ctx);
                    // There may be more.
                    registry.claim_trees(ctx);
                }
                Err(fault) => tracing::warn!(%fault, "run trees not claimed"),
            }
        }));
    }

    /// Goes on with the runs of trees that were claimed.
    fn go_on_with(&mut self, ClaimedTrees { roots, runs }: ClaimedTrees, ctx: &mut Context<Self>) {
        tracing::info!(trees = roots.len(), runs = runs.len(), "run trees claimed");
        let services = Arc::clone(&self.services);
        let trees = roots.clone();
        self.background_work
            .push(ctx.spawn(async move { backfill_archive(&services, trees).await }.into_actor(self)));
        self.park_stored_leases(Some(roots.into_iter().collect()), ctx);
        for (run, task) in runs {
            let signal = match task {
                RunTask::GoOn => RunSignal::Wake,
                RunTask::Stop => RunSignal::Stop,
                RunTask::EndAfterRestart => RunSignal::EndAfterRestart,
            };
            self.signal(run, signal, ctx);
        }
    }

    /// Signals the runs for which other nodes have stored messages, answers or commands.
    fn look_for_woken_runs(&mut self, ctx: &mut Context<Self>) {
        if std::mem::replace(&mut self.shared_work.is_looking, true) {
            self.shared_work.looks_again = true;
            return;
        }
        let unsignalled = std::mem::take(&mut self.shared_work.unsignalled);
        let woken = woken_runs(Arc::clone(&self.services), unsignalled);
        ctx.spawn(woken.into_actor(self).map(|(runs, woken), registry, ctx| {
            registry.shared_work.is_looking = false;
            match woken {
                Ok(woken) => woken.into_iter().for_each(|run| registry.signal_woken(run, ctx)),
                Err(fault) => {
                    registry.shared_work.unsignalled = runs;
                    tracing::warn!(%fault, "messages from other nodes not read");
                }
            }
            if std::mem::take(&mut registry.shared_work.looks_again) {
                registry.look_for_woken_runs(ctx);
            }
        }));
    }

    fn signal_woken(&mut self, WokenRun { run, command }: WokenRun, ctx: &mut Context<Self>) {
        self.signal(run.clone(), RunSignal::LookAtInbox, ctx);
        let Some(command) = command else { return };
        if command.command == UserCommand::Resume
            && let Some(root) = self.leases.tree_pausing(&run)
        {
            if self.leases.is_taken_over(&root) {
                // The person has the page, and resumes the run by handing it back.
                let store = Arc::clone(&self.services.store);
                let work: SignalsFuture = async move {
                    store.withdraw_user_command(command.n).await?;
                    Ok(Vec::new())
                }
                .boxed_local();
                ctx.spawn(self.signal_after(work).map(|_, _, _| ()));
                return;
            }
            // A resume is refused only while a person has the page.
            let _ = self.apply_lease_event(&root, LeaseEvent::Resumed, ctx);
        }
        self.signal(run, RunSignal::Command(command), ctx);
    }

    /// Ends the work on all trees without storing anything: they are of other nodes.
    fn drop_all_trees(&mut self, dropped: oneshot::Sender<()>, ctx: &mut Context<Self>) {
        for (_, run) in self.at_work.drain() {
            run.address.do_send(StopRunActor);
        }
        self.rest_waiters.clear();
        self.page_replies.clear();
        self.leases = Leases::default();
        let closed = self.services.pages.close_all();
        ctx.spawn(closed.into_actor(self).map(|(), _, _| {
            let _ = dropped.send(());
        }));
    }
}

impl StreamHandler<LeaseNotice> for Registry {
    fn handle(&mut self, notice: LeaseNotice, ctx: &mut Self::Context) {
        match notice {
            LeaseNotice::Lost(dropped) => self.drop_all_trees(dropped, ctx),
            LeaseNotice::Deleted(roots) => {
                for root in roots {
                    self.services.programs.forget_tree(&root);
                    self.services.pages.close(&root);
                }
            }
            LeaseNotice::Woken => self.look_for_woken_runs(ctx),
            LeaseNotice::Unowned => self.claim_trees(ctx),
        }
    }

    /// Does nothing: the stream ends with the store, and an actor stops with its stream unless told otherwise.
    fn finished(&mut self, _: &mut Self::Context) {}
}

/// A run for which another node has stored something.
struct WokenRun {
    run: RunId,
    command: Option<UserCommandRow>,
}

/// Returns the woken runs, which are `runs` and further ones, and their commands.
async fn woken_runs(
    services: Arc<RunServices>,
    mut runs: Vec<RunId>,
) -> (Vec<RunId>, Result<Vec<WokenRun>, StoreError>) {
    let woken = async {
        runs.extend(services.store.take_woken_runs().await?);
        if runs.is_empty() {
            return Ok(Vec::new());
        }
        fetch_files_of(&services, &runs).await;
        let commands = services.store.pending_user_commands().await?;
        let command_of = |run: &RunId| {
            commands.iter().find(|(commanded, _)| commanded == run).map(|(_, command)| *command)
        };
        Ok(runs.iter().map(|run| WokenRun { command: command_of(run), run: run.clone() }).collect())
    };
    let woken = woken.await;
    (runs, woken)
}

/// Brings the files of runs here that other nodes have stored. The runs go on without those that cannot be brought: they are
/// of this node now, and nobody else would signal them.
async fn fetch_files_of(services: &RunServices, runs: &[RunId]) {
    if !services.files.is_shared() {
        return;
    }
    let mut roots = Vec::new();
    for run in runs {
        match services.store.run(run.clone()).await {
            Ok(row) => roots.extend(row.map(|row| row.root).filter(|root| !roots.contains(root))),
            Err(fault) => tracing::warn!(run_id = %run, %fault, "files of a run not brought here"),
        }
    }
    services.fetch_files(&roots).await;
}

/// Writes the archive files of claimed runs that ended shortly before their node did.
async fn backfill_archive(services: &RunServices, roots: Vec<RunId>) {
    for root in roots {
        let written = async {
            let tree = services.store.tree_ids(root).await?;
            let ended = services.store.ended_runs(tree).await?;
            let ends = ended.into_iter().filter_map(|row| Some((row.id, row.ended_at?))).collect();
            let missing = services.archive.send(FindMissingArchives(ends)).await.unwrap_or_default();
            archive_backfill::write_archives(services, missing).await
        };
        if let Err(fault) = written.await {
            tracing::warn!(%fault, "archive files of claimed runs not written");
        }
    }
}
