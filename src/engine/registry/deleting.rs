//! Deletion of run trees: stops every run of the tree and waits for its end, then deletes the rows, the
//! folders and the pictures. The next start removes files that a crash left behind.

use crate::engine::archive::RemoveFolders;
use crate::engine::error::RunRequestError;
use crate::engine::registry::state::{Registry, SpaceRelease, unknown_run};
use crate::engine::run::messages::RunSignal;
use crate::engine::services::RunServices;
use crate::ids::RunId;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::rows::user_command::UserCommand;
use actix::prelude::*;
use futures_util::future::join_all;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// Longest wait for the runs of a tree to end. A stop takes effect within a second; the rest is for a busy
/// machine.
const STOP_TIMEOUT: Duration = Duration::from_secs(30);
/// Most attempts to stop a tree. A child begun during one attempt is stopped by the next.
const MAX_STOP_ATTEMPTS: usize = 4;
/// Pause between attempts to release disk space while readers hold the store's free pages.
const RETRY_PAUSE: Duration = Duration::from_secs(2);
const MAX_RELEASE_ATTEMPTS: usize = 15;
/// Pause between looks at runs that another node stops.
const ELSEWHERE_PAUSE: Duration = Duration::from_millis(100);
/// Delay between a deletion and the release of disk space: further deletions mostly follow.
const SETTLE_TIME: Duration = Duration::from_secs(1);

/// Deletes a root run with its tree. The audit log stays.
#[derive(Message)]
#[rtype(result = "Result<(), RunRequestError>")]
pub struct Delete {
    pub run: RunId,
}

/// Stops the `unfinished` runs. Returns one receiver per run at work in `tree`; each resolves when its run has
/// left.
#[derive(Message)]
#[rtype(result = "StopReceivers")]
struct StopRuns {
    tree: Vec<RunId>,
    unfinished: Vec<RunId>,
}

#[derive(MessageResponse)]
struct StopReceivers(Vec<oneshot::Receiver<()>>);

impl Handler<Delete> for Registry {
    type Result = ResponseActFuture<Self, Result<(), RunRequestError>>;

    fn handle(&mut self, Delete { run }: Delete, ctx: &mut Self::Context) -> Self::Result {
        let (services, registry) = (Arc::clone(&self.services), ctx.address());
        let deleted = async move { delete(&services, &registry, &run).await.map(|()| run) };
        Box::pin(deleted.into_actor(self).map(|deleted, registry, ctx| {
            registry.unreadable.remove(&deleted?);
            registry.schedule_space_release(ctx);
            Ok(())
        }))
    }
}

impl Handler<StopRuns> for Registry {
    type Result = StopReceivers;

    fn handle(&mut self, StopRuns { tree, unfinished }: StopRuns, ctx: &mut Self::Context) -> Self::Result {
        let others = tree.iter().filter(|run| self.is_at_work(run) && !unfinished.contains(run)).cloned();
        let stopping: Vec<RunId> = others.chain(unfinished.iter().cloned()).collect();
        stopping.into_iter().for_each(|run| self.signal(run, RunSignal::Stop, ctx));
        // The signal may have started the actor of a run that waited.
        let at_work: Vec<RunId> = tree.into_iter().filter(|run| self.is_at_work(run)).collect();
        StopReceivers(at_work.iter().map(|run| self.subscribe_rest(run)).collect())
    }
}

impl Registry {
    /// Releases disk space a moment later, once for all deletions until then.
    fn schedule_space_release(&mut self, ctx: &mut Context<Self>) {
        if self.space_release != SpaceRelease::Idle {
            self.space_release = SpaceRelease::Again;
            return;
        }
        self.space_release = SpaceRelease::UnderWay;
        let store = Arc::clone(&self.services.store);
        let releasing = async move {
            tokio::time::sleep(SETTLE_TIME).await;
            release_space(&*store).await;
        }
        .into_actor(self);
        ctx.spawn(releasing.map(|(), registry, ctx| {
            if std::mem::take(&mut registry.space_release) == SpaceRelease::Again {
                registry.schedule_space_release(ctx);
            }
        }));
    }
}

async fn delete(
    services: &RunServices,
    registry: &Addr<Registry>,
    run: &RunId,
) -> Result<(), RunRequestError> {
    let row = services.store.run(run.clone()).await?.ok_or_else(|| unknown_run(run))?;
    if row.parent.is_some() {
        return Err(RunRequestError::NotRoot { run: row.id, root: row.root });
    }
    stop_tree(services, registry, run).await?;
    services.programs.forget_tree(run);
    services.pages.close(run);
    let deleted = services.store.delete_tree(run.clone()).await?;
    if deleted.is_empty() {
        return Err(unknown_run(run));
    }
    // An answer may have woken a run between stop and deletion. It can store nothing any more, and ends.
    wait_until_at_rest(registry, StopRuns { tree: deleted, unfinished: Vec::new() }, run).await?;
    services.programs.forget_tree(run);
    services.pages.close(run);
    remove_leftovers(services).await;
    Ok(())
}

/// Stops the tree. Returns when none of its runs is at work.
async fn stop_tree(
    services: &RunServices,
    registry: &Addr<Registry>,
    root: &RunId,
) -> Result<(), RunRequestError> {
    if !services.store.owns(root) {
        return stop_tree_elsewhere(services, root).await;
    }
    for _ in 0..MAX_STOP_ATTEMPTS {
        let tree = services.store.tree_ids(root.clone()).await?;
        let mut unfinished = services.store.living_descendants(root.clone()).await?;
        let row = services.store.run(root.clone()).await?.ok_or_else(|| unknown_run(root))?;
        unfinished.extend(row.ended_at.is_none().then(|| root.clone()));
        if !wait_until_at_rest(registry, StopRuns { tree, unfinished }, root).await? {
            return Ok(());
        }
    }
    // A run with an unreadable state never ends. No actor steps it, so it can be deleted.
    Ok(())
}

/// Has the owner of the tree stop it, and waits for the end of its runs.
async fn stop_tree_elsewhere(services: &RunServices, root: &RunId) -> Result<(), RunRequestError> {
    let stopping = async {
        loop {
            let row = services.store.run(root.clone()).await?.ok_or_else(|| unknown_run(root))?;
            let mut living = services.store.living_descendants(root.clone()).await?;
            living.extend(row.ended_at.is_none().then(|| root.clone()));
            let Some(first) = living.pop() else { return Ok(()) };
            services.store.add_user_command(first, UserCommand::Stop, true).await?;
            services.store.wake_owner(root);
            tokio::time::sleep(ELSEWHERE_PAUSE).await;
        }
    };
    let stopped = tokio::time::timeout(STOP_TIMEOUT, stopping).await;
    stopped.unwrap_or_else(|_| Err(RunRequestError::StillRuns(root.clone())))
}

/// Stops the runs and waits until they have left. Returns false if none was at work.
async fn wait_until_at_rest(
    registry: &Addr<Registry>,
    stop: StopRuns,
    root: &RunId,
) -> Result<bool, RunRequestError> {
    let StopReceivers(receivers) = registry.send(stop).await.map_err(|_| StoreError::Stopped)?;
    let had_runs = !receivers.is_empty();
    let result = tokio::time::timeout(STOP_TIMEOUT, join_all(receivers)).await;
    result.map_err(|_| RunRequestError::StillRuns(root.clone()))?;
    Ok(had_runs)
}

/// Removes what deleted runs have left on the disk. What cannot be removed now is removed at the next start.
pub(crate) async fn remove_leftovers(services: &RunServices) {
    let removing = async {
        let folders = services.store.leftover_folders().await?;
        if !folders.is_empty() {
            // A stopped archive removes nothing.
            let removed = services.archive.send(RemoveFolders(folders)).await.unwrap_or_default();
            for root in &removed {
                if let Err(fault) = services.files.remove_published(root).await {
                    tracing::warn!(%root, %fault, "files of a deleted run not removed from the store of blobs");
                }
            }
            services.store.forget_folders(removed).await?;
        }
        services.store.remove_leftover_pictures().await
    };
    let removed: Result<(), StoreError> = removing.await;
    if let Err(fault) = removed {
        tracing::warn!(%fault, "files of deleted runs not removed");
    }
}

async fn release_space(store: &dyn Store) {
    for _ in 0..MAX_RELEASE_ATTEMPTS {
        match store.release_space().await {
            Ok(true) => return,
            Ok(false) => tokio::time::sleep(RETRY_PAUSE).await,
            Err(fault) => return tracing::warn!(%fault, "disk space of deleted runs not released"),
        }
    }
}
