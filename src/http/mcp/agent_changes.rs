//! Detects changes of the agents. Their files are edited by hand, so one task polls them as long as there are
//! followers.

use crate::agent_spec::files::library::Library;
use crate::http::service::run_blocking;
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// Polling interval.
const TICK: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub struct Changes {
    library: Arc<Library>,
    /// Hash of all agents at the last poll.
    seen: Arc<watch::Sender<Option<String>>>,
    /// True while the polling task runs. Private to this file and locked for a few instructions.
    polling: Arc<Mutex<bool>>,
}

impl Changes {
    pub fn new(library: Arc<Library>) -> Self {
        Self { library, seen: Arc::new(watch::channel(None).0), polling: Arc::default() }
    }

    /// Subscribes to changes from now on.
    #[expect(clippy::disallowed_methods, reason = "it ends when nobody follows any more")]
    pub fn follow(&self) -> watch::Receiver<Option<String>> {
        let mut polling = self.polling.lock().unwrap_or_else(PoisonError::into_inner);
        let follower = self.seen.subscribe();
        if !std::mem::replace(&mut *polling, true) {
            tokio::spawn(self.clone().poll());
        }
        follower
    }

    /// Returns the number of followers.
    pub fn followers(&self) -> usize {
        self.seen.receiver_count()
    }

    async fn poll(self) {
        let mut ticks = tokio::time::interval(TICK);
        // Forget the state from before there were followers.
        self.seen.send_if_modified(|before| {
            *before = None;
            false
        });
        loop {
            tokio::select! {
                _ = ticks.tick() => self.poll_once().await,
                () = self.seen.closed() => {
                    // The lock keeps new followers from subscribing meanwhile.
                    let mut polling = self.polling.lock().unwrap_or_else(PoisonError::into_inner);
                    if self.followers() == 0 {
                        *polling = false;
                        return;
                    }
                }
            }
        }
    }

    async fn poll_once(&self) {
        let library = Arc::clone(&self.library);
        let Ok(now) = run_blocking(move || hash_agents(&library)).await else { return };
        self.seen.send_if_modified(|before| {
            let changed = before.as_ref().is_some_and(|before| *before != now);
            *before = Some(now);
            changed
        });
    }
}

/// Returns a hash of the names and versions of all agents.
fn hash_agents(library: &Library) -> String {
    let mut hash = Sha256::new();
    for agent in library.list() {
        hash.update(agent.spec.name.as_bytes());
        hash.update(agent.hash.as_bytes());
    }
    format!("{:x}", hash.finalize())
}

/// Notifies one session of changes, as long as the session lives.
pub struct ChangeNotifier {
    changes: Changes,
    task: OnceLock<AbortHandle>,
}

impl ChangeNotifier {
    pub fn for_changes(changes: &Changes) -> Self {
        Self { changes: changes.clone(), task: OnceLock::new() }
    }

    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Starts the notifications unless they run already. `tell` returns false if the client is gone.
    #[expect(clippy::disallowed_methods, reason = "it ends with its session")]
    pub fn begin<T>(&self, tell: impl Fn() -> T + Send + 'static)
    where
        T: Future<Output = bool> + Send,
    {
        self.task.get_or_init(|| {
            let mut changed = self.changes.follow();
            let telling = async move { while changed.changed().await.is_ok() && tell().await {} };
            tokio::spawn(telling).abort_handle()
        });
    }
}

impl Drop for ChangeNotifier {
    fn drop(&mut self) {
        if let Some(task) = self.task.get() {
            task.abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::runtime::Handle;

    fn tasks() -> usize {
        Handle::current().metrics().num_alive_tasks()
    }

    async fn comes(happens: impl Fn() -> bool) {
        let patience = Duration::from_secs(20);
        let wait = async {
            while !happens() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(patience, wait).await.expect("in time");
    }

    fn telling(changes: &Changes) -> ChangeNotifier {
        let change_notifier = ChangeNotifier::for_changes(changes);
        // A client may send `initialized` any number of times.
        (0..5).for_each(|_| change_notifier.begin(async || true));
        change_notifier
    }

    #[tokio::test]
    async fn each_session_has_one_task_and_all_share_one_watcher() {
        let folder = tempfile::tempdir().unwrap();
        let changes = Changes::new(Arc::new(Library::open(folder.path()).unwrap()));
        for _ in 0..20 {
            let (one, other) = (telling(&changes), telling(&changes));
            assert_eq!((tasks(), changes.followers()), (3, 2), "two sessions and a looker");
            drop(one);
            comes(|| tasks() == 2).await;
            assert_eq!(changes.followers(), 1);
            // A follower that comes just when the last one leaves finds the polling task or starts another:
            // there are never two.
            drop(other);
            comes(|| changes.followers() == 0).await;
            let next = telling(&changes);
            comes(|| tasks() == 2).await;
            tokio::task::yield_now().await;
            assert_eq!((tasks(), changes.followers()), (2, 1));
            drop(next);
            comes(|| tasks() == 0).await;
            assert!(!*changes.polling.lock().unwrap(), "nobody looks for nobody");
        }
    }
}
