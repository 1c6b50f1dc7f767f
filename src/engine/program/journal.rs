//! Writes for a step that is still under way: events that viewers should see now, and the intent of an
//! effect, which must be stored before the effect happens.

use crate::engine::program::spending::count_usage;
use crate::ids::RunId;
use crate::planning::ModelUsage;
use crate::protocol::server::Fact;
use crate::store::Store;
use crate::store::error::{StoreError, StoreFuture};
use crate::store::rows::{Intent, RunCommit, TaskRow};
use serde_json::Value;
use std::sync::Arc;

#[derive(Clone)]
pub struct Journal {
    store: Arc<dyn Store>,
    run: RunId,
    root: RunId,
}

impl Journal {
    pub fn new(store: Arc<dyn Store>, run: RunId, root: RunId) -> Self {
        Self { store, run, root }
    }

    /// Stores a task of this run, with an event about it. The write is already queued when this returns,
    /// whether or not the reply is awaited.
    pub fn store_task(&self, task: TaskRow, fact: &Fact) -> StoreFuture<()> {
        self.commit_task(task, vec![fact.body()])
    }

    /// Stores a new task without an event. Returns false if another run has taken the id.
    pub async fn start_task(&self, task: TaskRow) -> Result<bool, StoreError> {
        let id = task.id.clone();
        self.commit_task(task, Vec::new()).await?;
        // An id belongs to the run that took it first.
        Ok(self.store.task(id).await?.is_none_or(|known| known.run == self.run))
    }

    /// Reserves and returns `wanted`, or `wanted` with the first number that no run has taken.
    pub async fn free_task_id(&self, wanted: &str) -> Result<String, StoreError> {
        let reserved = self.store.reserve_task_ids(self.run.clone(), vec![wanted.to_owned()]).await?;
        Ok(reserved.into_iter().next().unwrap_or_default())
    }

    fn commit_task(&self, task: TaskRow, facts: Vec<String>) -> StoreFuture<()> {
        let (run, root) = (self.run.clone(), self.root.clone());
        let task = TaskRow { run: run.clone(), root: root.clone(), child: Some(run.clone()), ..task };
        let (run, root) = (Some(run), Some(root));
        self.store.commit(RunCommit { run, root, facts, tasks: vec![task], ..RunCommit::default() })
    }

    /// Stores events, which sends them to every viewer.
    pub async fn store_events(&self, facts: Vec<Fact>) -> Result<(), StoreError> {
        self.write(facts, None).await
    }

    /// Stores the intent of an effect that is about to happen, with the events that announce it.
    pub async fn store_intent(&self, intent: Intent, facts: Vec<Fact>) -> Result<(), StoreError> {
        self.write(facts, Some(intent)).await
    }

    /// Counts and stores the cost of a model call. The write is already queued when this returns, whether or
    /// not the reply is awaited.
    pub fn store_usage(&self, usage: &ModelUsage) -> StoreFuture<()> {
        let (facts, usage) = count_usage(std::slice::from_ref(usage));
        let facts = facts.iter().map(Fact::body).collect();
        let (run, root) = (Some(self.run.clone()), Some(self.root.clone()));
        self.store.commit(RunCommit { run, root, facts, usage, ..RunCommit::default() })
    }

    /// Stores a JPEG picture and returns the path at which it is served.
    pub async fn store_picture(&self, jpeg: Vec<u8>) -> Result<String, StoreError> {
        let n = self.store.add_picture(self.run.clone(), jpeg).await?;
        Ok(format!("/api/runs/{}/pictures/{n}", self.run))
    }

    /// Stores a snapshot of the page, from which another browser can open it again.
    pub async fn store_snapshot(&self, snapshot: Value) -> Result<(), StoreError> {
        let (run, root) = (Some(self.run.clone()), Some(self.root.clone()));
        self.store.commit(RunCommit { run, root, browser: Some(snapshot), ..RunCommit::default() }).await
    }

    async fn write(&self, facts: Vec<Fact>, intent: Option<Intent>) -> Result<(), StoreError> {
        self.store
            .commit(RunCommit {
                run: Some(self.run.clone()),
                root: Some(self.root.clone()),
                facts: facts.iter().map(Fact::body).collect(),
                intent,
                ..RunCommit::default()
            })
            .await
    }
}
