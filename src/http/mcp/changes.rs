//! Whether the tools are others than they were: agents' files are edited by hand, so they are looked at now
//! and then, for as long as anybody wants to know.

use crate::http::service::aside;
use crate::spec::library::Library;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How often the folder is looked at.
const TICK: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub struct Changes {
    library: Arc<Library>,
    /// What the files said when they were last looked at.
    seen: Arc<watch::Sender<Option<String>>>,
}

impl Changes {
    pub fn new(library: Arc<Library>) -> Self {
        Self { library, seen: Arc::new(watch::channel(None).0) }
    }

    /// Changes from now on.
    #[expect(clippy::disallowed_methods, reason = "it ends when nobody follows any more")]
    pub fn follow(&self) -> watch::Receiver<Option<String>> {
        let first = self.seen.receiver_count() == 0;
        let follower = self.seen.subscribe();
        if first {
            tokio::spawn(self.clone().look());
        }
        follower
    }

    async fn look(self) {
        let mut ticks = tokio::time::interval(TICK);
        // From before nobody followed.
        self.seen.send_if_modified(|before| {
            *before = None;
            false
        });
        while self.seen.receiver_count() > 0 {
            ticks.tick().await;
            let library = Arc::clone(&self.library);
            let Ok(now) = aside(move || said(&library)).await else { continue };
            self.seen.send_if_modified(|before| {
                let changed = before.as_ref().is_some_and(|before| *before != now);
                *before = Some(now);
                changed
            });
        }
    }
}

/// Names and versions of all agents, in short.
fn said(library: &Library) -> String {
    let mut hash = Sha256::new();
    for agent in library.list() {
        hash.update(agent.spec.name.as_bytes());
        hash.update(agent.hash.as_bytes());
    }
    format!("{:x}", hash.finalize())
}
