//! Writes for a step that is still under way: events that viewers should see now, and the intent of an
//! effect, which must be stored before the effect happens.

use crate::engine::program::model_usage::count_usage;
use crate::engine::program::task_state::TaskState;
use crate::ids::RunId;
use crate::planning::ModelUsage;
use crate::protocol::server::Fact;
use crate::store::Store;
use crate::store::error::{StoreError, StoreFuture};
use crate::store::rows::{
    ChildChanges, EffectChange, Intent, PageChange, PermissionChanges, RunCommit, RunReport, TaskRow,
};
use serde_json::Value;
use std::sync::Arc;

/// Writer of a run's rows between two commits. Clones write for the same run.
#[derive(Clone)]
pub struct Journal {
    store: Arc<dyn Store>,
    run: RunId,
    root: RunId,
    after_step: u64,
}

impl Journal {
    /// Creates the journal of a run in the tree of `root`. It stores nothing unless `after_step`, the number of the last
    /// step, is stored.
    pub fn new(store: Arc<dyn Store>, run: RunId, root: RunId, after_step: u64) -> Self {
        Self { store, run, root, after_step }
    }

    /// Stores a task of this run, with an event about it. The write is already queued when this returns,
    /// whether or not the reply is awaited.
    pub fn store_task(&self, task: TaskState) -> StoreFuture<()> {
        let fact = task.event().body();
        self.commit_task(task, vec![fact])
    }

    /// Stores a new task without an event. Returns false if another run has taken the id.
    pub async fn start_task(&self, task: TaskState) -> Result<bool, StoreError> {
        let id = task.id.clone();
        self.commit_task(task, Vec::new()).await?;
        // An id belongs to the run that took it first.
        Ok(self.store.task(id).await?.is_none_or(|row| row.run == self.run))
    }

    /// Reserves and returns `wanted`, or `wanted` with the first number that no run has taken.
    pub async fn reserve_task_id(&self, wanted: &str) -> Result<String, StoreError> {
        let reserved = self.store.reserve_task_ids(self.run.clone(), vec![wanted.to_owned()]).await?;
        Ok(reserved.into_iter().next().unwrap_or_default())
    }

    fn commit_task(&self, task: TaskState, facts: Vec<String>) -> StoreFuture<()> {
        let task = task.into_row(self.run.clone(), self.root.clone());
        let task = TaskRow { child: Some(self.run.clone()), ..task };
        let children = ChildChanges { tasks: vec![task], ..ChildChanges::default() };
        self.store.commit(RunCommit { events: facts, children, ..self.blank_commit() })
    }

    /// Stores events, which sends them to every viewer.
    pub async fn store_events(&self, facts: Vec<Fact>) -> Result<(), StoreError> {
        let facts = facts.iter().map(Fact::body).collect();
        self.store.commit(RunCommit { events: facts, ..self.blank_commit() }).await
    }

    /// Stores an event with the rows of the audit log that belong to it.
    pub async fn store_audited(&self, fact: Fact, audit: Vec<Value>) -> Result<(), StoreError> {
        let permissions = PermissionChanges { audit, ..PermissionChanges::default() };
        self.store.commit(RunCommit { events: vec![fact.body()], permissions, ..self.blank_commit() }).await
    }

    /// Stores the intent of an effect that is about to happen, with the events that announce it.
    pub async fn store_intent(&self, intent: Intent, facts: Vec<Fact>) -> Result<(), StoreError> {
        let effect = EffectChange { intent: Some(intent), receipt: None };
        let facts = facts.iter().map(Fact::body).collect();
        self.store.commit(RunCommit { events: facts, effect, ..self.blank_commit() }).await
    }

    /// Counts and stores the cost of a model call. The write is already queued when this returns, whether or
    /// not the reply is awaited.
    pub fn store_usage(&self, usage: &ModelUsage) -> StoreFuture<()> {
        let (facts, usage) = count_usage(std::slice::from_ref(usage));
        let facts = facts.iter().map(Fact::body).collect();
        let report = RunReport { usage, ..RunReport::default() };
        self.store.commit(RunCommit { events: facts, report, ..self.blank_commit() })
    }

    /// Stores a JPEG picture and returns the path at which it is served.
    pub async fn store_picture(&self, jpeg: Vec<u8>) -> Result<String, StoreError> {
        let n = self.store.add_picture(self.run.clone(), jpeg).await?;
        Ok(format!("/api/runs/{}/pictures/{n}", self.run))
    }

    /// Reserves the number of a picture that is still being taken, and stores the picture when it is there. Returns
    /// the path at which it will be served.
    ///
    /// The task that stores it has no owner, on purpose: the picture is that of a step which is stored by then, so it
    /// is kept even if the run ends or leaves meanwhile, or is stopped. The task is bounded all the same: the browser
    /// drops the sender of a picture after three seconds or when it closes, and takes one picture at a time, so there
    /// is at most one such task a browser. The number of a run that was deleted is filled by nothing.
    #[expect(clippy::disallowed_methods, reason = "it ends with the picture, for which time is bounded")]
    pub async fn store_pending_picture(
        &self,
        jpeg: impl Future<Output = Option<Vec<u8>>> + Send + 'static,
    ) -> Result<String, StoreError> {
        let (store, run) = (Arc::clone(&self.store), self.run.clone());
        let n = store.reserve_picture(run.clone()).await?;
        let path = format!("/api/runs/{run}/pictures/{n}");
        tokio::spawn(async move {
            if let Err(fault) = store.fill_picture(run.clone(), n, jpeg.await).await {
                tracing::warn!(run_id = %run, %fault, "picture {n} not stored");
            }
        });
        Ok(path)
    }

    /// Stores a snapshot of the page, from which another browser can open it again.
    pub async fn store_snapshot(&self, snapshot: Value) -> Result<(), StoreError> {
        let page = PageChange { snapshot: Some(snapshot), lease: None };
        self.store.commit(RunCommit { page, ..self.blank_commit() }).await
    }

    fn blank_commit(&self) -> RunCommit {
        RunCommit { after_step: self.after_step, ..RunCommit::new(self.run.clone(), self.root.clone()) }
    }
}
