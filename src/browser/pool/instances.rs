//! Chromium instances: the shared one, and one for each lasting profile. Each starts on first use, ends soon
//! after its last user has left, and is replaced when it has become too large or too old.

use crate::browser::error::BrowserError;
use crate::browser::process::connect::ChromiumConnection;
use crate::browser::process::launch::Chromium;
use crate::clock::{Moment, Stopwatch};
use crate::ids::RunId;
use actix::SpawnHandle;
use chromiumoxide::cdp::browser_protocol::browser;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::collections::HashSet;
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// An instance: its current Chromium, and replaced ones that are ending.
pub(in crate::browser) struct Instance {
    pub(in crate::browser) state: InstanceState,
    /// Counts the connections, so that the end of an old one is not mistaken for that of the current one.
    pub(crate) generation: u64,
    pub(in crate::browser) ending: Option<SpawnHandle>,
    /// Number of Chromium processes that are ending.
    dying: watch::Sender<usize>,
    /// Replaced Chromium processes that still have users.
    pub(in crate::browser) replaced: Vec<ReplacedChromium>,
    /// Last measured memory in megabytes.
    pub(in crate::browser) memory_mb: Option<u64>,
}

/// A Chromium process that was replaced.
pub(in crate::browser) struct ReplacedChromium {
    /// Generation within its instance.
    pub(in crate::browser) generation: u64,
    /// Process group id.
    pub(in crate::browser) group: Option<u32>,
    pub(in crate::browser) since: Moment,
    /// Run trees that still use it.
    pub(in crate::browser) owners: HashSet<RunId>,
    /// Future that ends the process; `None` once it has been taken.
    end: Option<BoxFuture<'static, ()>>,
}

impl ReplacedChromium {
    /// Takes the future that ends the process.
    pub(crate) fn end(&mut self) -> Option<BoxFuture<'static, ()>> {
        self.end.take()
    }
}

pub(in crate::browser) enum InstanceState {
    Idle,
    Starting(Vec<oneshot::Sender<Result<ChromiumConnection, BrowserError>>>),
    /// `process` is `None` for a Chromium that runs elsewhere.
    Up {
        chromium: ChromiumConnection,
        process: Option<Box<Chromium>>,
        since: Moment,
        age: Stopwatch,
    },
}

impl Default for Instance {
    fn default() -> Self {
        Self {
            state: InstanceState::Idle,
            generation: 0,
            ending: None,
            dying: watch::Sender::default(),
            replaced: Vec::new(),
            memory_mb: None,
        }
    }
}

impl Instance {
    /// Replaces the current Chromium; the next use starts another. Returns its generation, or `None` if there
    /// is none.
    pub(crate) fn retire(&mut self, owners: HashSet<RunId>) -> Option<u64> {
        let (group, since, generation) = (self.group(), self.since()?, self.generation);
        let end = Some(self.take_chromium());
        self.replaced.push(ReplacedChromium { generation, group, since, owners, end });
        Some(generation)
    }
}

impl Instance {
    /// Returns the process group id, while a Chromium of ours is running.
    pub(in crate::browser) fn group(&self) -> Option<u32> {
        match &self.state {
            InstanceState::Up { process, .. } => process.as_ref().and_then(|process| process.group()),
            InstanceState::Idle | InstanceState::Starting(_) => None,
        }
    }

    pub(in crate::browser) fn since(&self) -> Option<Moment> {
        match &self.state {
            InstanceState::Up { since, .. } => Some(*since),
            InstanceState::Idle | InstanceState::Starting(_) => None,
        }
    }

    pub(in crate::browser) fn age(&self) -> Option<Duration> {
        match &self.state {
            InstanceState::Up { age, .. } => Some(Duration::from_secs_f64(age.seconds())),
            InstanceState::Idle | InstanceState::Starting(_) => None,
        }
    }

    /// Removes the current Chromium and returns the future that ends it. The next use starts another.
    pub(crate) fn take_chromium(&mut self) -> BoxFuture<'static, ()> {
        let InstanceState::Up { .. } = self.state else { return std::future::ready(()).boxed() };
        let InstanceState::Up { chromium, process, .. } =
            std::mem::replace(&mut self.state, InstanceState::Idle)
        else {
            return std::future::ready(()).boxed();
        };
        self.memory_mb = None;
        let Some(process) = process else { return std::future::ready(()).boxed() };
        self.dying.send_modify(|count| *count += 1);
        let dying = self.dying.clone();
        async move {
            if chromium.profile_folder.is_some() {
                chromium.connection.browser().post(browser::CloseParams::default());
            }
            process.end().await;
            dying.send_modify(|count| *count -= 1);
        }
        .boxed()
    }

    /// Waits until no Chromium process of this instance is ending.
    pub(in crate::browser) fn wait_for_ends(&self) -> impl Future<Output = ()> + use<> {
        let mut dying = self.dying.subscribe();
        async move {
            // Fails only if the supervisor is gone.
            let _ = dying.wait_for(|count| *count == 0).await;
        }
    }
}
