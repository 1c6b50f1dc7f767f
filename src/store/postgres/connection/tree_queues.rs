//! Queues of run trees. The writes of a tree that store events go one after the other, so that the observer receives the
//! events in the order of their numbers. The server would make them wait for each other all the same.

use crate::ids::RunId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OwnedMutexGuard;

/// A queue for each tree that is written to now.
#[derive(Clone, Default)]
pub struct TreeQueues {
    queues: Arc<Mutex<HashMap<RunId, Arc<tokio::sync::Mutex<()>>>>>,
}

/// Turn of one write. The next one begins when it is dropped.
pub struct TreeTurn {
    root: RunId,
    queues: TreeQueues,
    turn: Option<OwnedMutexGuard<()>>,
}

impl TreeQueues {
    /// Waits for the turn of this write, in the order of the calls.
    pub async fn enter(&self, root: &RunId) -> TreeTurn {
        let queue = {
            let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(queues.entry(root.clone()).or_default())
        };
        TreeTurn { root: root.clone(), queues: self.clone(), turn: Some(queue.lock_owned().await) }
    }
}

impl Drop for TreeTurn {
    fn drop(&mut self) {
        let mut queues = self.queues.queues.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.turn.take());
        // Nobody waits if the map has the only reference.
        if queues.get(&self.root).is_some_and(|queue| Arc::strong_count(queue) == 1) {
            queues.remove(&self.root);
        }
    }
}
