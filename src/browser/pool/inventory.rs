//! Inventory: the Chromium instances with their memory, the contexts in each and what they show, and the runs
//! that wait for a slot.

use crate::browser::messages::{BrowserStatus, LeaveChromium};
use crate::browser::pool::profile_key::ProfileKey;
use crate::browser::pool::supervisor::{PoolUser, Supervisor};
use crate::browser::process::process_table;
use crate::clock::Moment;
use crate::ids::{RunId, SessionId};
use actix::{ActorFutureExt, AsyncContext, Context, Handler, Message, ResponseActFuture, WrapFuture};

/// Lists all instances: the shared one, then the profiles' by name, then those that have been replaced.
#[derive(Debug, Message)]
#[rtype(result = "BrowserInventory")]
pub struct ListBrowsers {
    /// Measures the memory of the instances. The kernel takes some milliseconds for each process.
    pub memory: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct BrowserInventory {
    pub browsers: Vec<InstanceInfo>,
    /// In order of arrival.
    pub waiting: Vec<QueuedRun>,
    /// Number of runs that may work at once.
    pub slots: usize,
    pub working: usize,
}

/// A Chromium instance.
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceInfo {
    /// `shared` or `profile-NAME`; followed by a colon and a number for an instance that was replaced and is
    /// still in use.
    pub id: String,
    pub profile: Option<String>,
    /// Address of the instance, if it runs elsewhere.
    pub endpoint: Option<String>,
    /// Process group id; `None` if it runs elsewhere.
    pub pid: Option<u32>,
    /// `None` if it was not measured, or runs elsewhere.
    pub memory_mb: Option<u64>,
    /// Start time, RFC 3339.
    pub since: String,
    /// Contexts in it, oldest first.
    pub contexts: Vec<ContextInfo>,
}

/// Context of one run tree.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextInfo {
    pub owner: RunId,
    pub url: String,
    pub title: String,
    /// Time of creation, RFC 3339.
    pub since: String,
    pub viewers: usize,
    pub holder: Option<SessionId>,
    pub state: ContextState,
}

/// Activity for which a context is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextState {
    /// A run is working in it.
    Works,
    /// A person holds it (take-over).
    Held,
    /// Its run is waiting or paused.
    Waits,
    /// Its run has ended; the context is kept for a further message.
    Lingers,
}

impl ContextState {
    pub fn word(self) -> &'static str {
        match self {
            Self::Works => "working",
            Self::Held => "held",
            Self::Waits => "waiting",
            Self::Lingers => "lingering",
        }
    }
}

/// A run that waits for a slot.
#[derive(Clone, Debug, PartialEq)]
pub struct QueuedRun {
    pub owner: RunId,
    pub profile: Option<String>,
    /// Start of the wait, RFC 3339.
    pub since: String,
}

/// Closes an instance in which no run works and that no person holds. The state of its pages is kept.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), CloseError>")]
pub struct CloseInstance {
    pub id: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CloseError {
    #[error("there is no such browser")]
    Unknown,
    #[error("a run is using this browser, or a person is in control of its page; stop the run first")]
    Busy,
}

impl Handler<ListBrowsers> for Supervisor {
    type Result = ResponseActFuture<Self, BrowserInventory>;

    fn handle(&mut self, ListBrowsers { memory }: ListBrowsers, _: &mut Context<Self>) -> Self::Result {
        let mut inventory = self.inventory();
        let measured = async move {
            if !memory {
                return inventory;
            }
            let groups: Vec<_> = inventory.browsers.iter().map(|browser| browser.pid).collect();
            let measure =
                move || groups.into_iter().map(|group| group.and_then(process_table::memory_mb)).collect();
            let memory: Vec<_> = tokio::task::spawn_blocking(measure).await.unwrap_or_default();
            for (browser, memory_mb) in inventory.browsers.iter_mut().zip(memory) {
                browser.memory_mb = memory_mb;
            }
            inventory
        };
        Box::pin(measured.into_actor(self))
    }
}

impl Supervisor {
    fn inventory(&self) -> BrowserInventory {
        let up = self
            .instances
            .iter()
            .filter_map(|(profile_key, instance)| Some((profile_key, instance, instance.since()?)));
        let mut up: Vec<_> = up.collect();
        up.sort_by_key(|(profile_key, _, _)| *profile_key);
        let now = up.into_iter().map(|(profile_key, instance, since)| {
            let contexts = self.context_infos(self.list_current_users(profile_key));
            self.instance_info(profile_key, profile_key.id(), (instance.group(), since), contexts)
        });
        let mut old: Vec<_> = self
            .instances
            .iter()
            .flat_map(|(profile_key, instance)| instance.replaced.iter().map(move |old| (profile_key, old)))
            .collect();
        old.sort_by_key(|(profile_key, old)| (*profile_key, old.generation));
        let old = old.into_iter().map(|(profile_key, old)| {
            let contexts = self.context_infos(old.owners.iter());
            self.instance_info(
                profile_key,
                old_id(profile_key, old.generation),
                (old.group, old.since),
                contexts,
            )
        });
        let waiting = self.slots.queue().map(|waiting| QueuedRun {
            owner: waiting.owner.clone(),
            profile: waiting.profile_key.profile().map(str::to_owned),
            since: waiting.since.rfc3339(),
        });
        BrowserInventory {
            browsers: now.chain(old).collect(),
            waiting: waiting.collect(),
            slots: self.config.limits.slots,
            working: self.slots.workers(),
        }
    }

    fn instance_info(
        &self,
        profile_key: &ProfileKey,
        id: String,
        (pid, since): (Option<u32>, Moment),
        contexts: Vec<ContextInfo>,
    ) -> InstanceInfo {
        InstanceInfo {
            id,
            profile: profile_key.profile().map(str::to_owned),
            endpoint: self.config.cdp_url.as_deref().map(without_secrets),
            pid,
            memory_mb: None,
            since: since.rfc3339(),
            contexts,
        }
    }

    fn context_infos<'a>(&self, owners: impl Iterator<Item = &'a RunId>) -> Vec<ContextInfo> {
        let mut users: Vec<_> = owners.filter_map(|owner| Some((owner, self.users.get(owner)?))).collect();
        users.sort_by_key(|(_, user)| user.since);
        let context_info = |(owner, user): (&RunId, &PoolUser)| ContextInfo {
            owner: owner.clone(),
            url: user.shown.0.clone(),
            title: user.shown.1.clone(),
            since: user.since.rfc3339(),
            viewers: user.viewers,
            holder: user.holder.clone(),
            state: self.context_state(owner),
        };
        users.into_iter().map(context_info).collect()
    }

    fn context_state(&self, owner: &RunId) -> ContextState {
        if self.users.get(owner).is_some_and(|user| user.holder.is_some()) {
            ContextState::Held
        } else if self.slots.is_working(owner) {
            ContextState::Works
        } else if self.is_lingering(owner) {
            ContextState::Lingers
        } else {
            ContextState::Waits
        }
    }
}

/// Returns the id of a replaced instance that is still in use; profile names contain no colon.
fn old_id(profile_key: &ProfileKey, generation: u64) -> String {
    format!("{}:{generation}", profile_key.id())
}

/// Returns the address without a token after its path or a password before its host.
fn without_secrets(url: &str) -> String {
    match url::Url::parse(url) {
        Ok(url) => {
            format!("{}://{}", url.scheme(), &url[url::Position::BeforeHost..url::Position::AfterPort])
        }
        Err(_) => String::from("elsewhere"),
    }
}

impl Handler<CloseInstance> for Supervisor {
    type Result = Result<(), CloseError>;

    fn handle(&mut self, CloseInstance { id }: CloseInstance, ctx: &mut Context<Self>) -> Self::Result {
        let mut old = self
            .instances
            .iter()
            .flat_map(|(profile_key, instance)| instance.replaced.iter().map(move |old| (profile_key, old)));
        if old.any(|(profile_key, old)| old_id(profile_key, old.generation) == id) {
            // A replaced instance ends when its last user has left.
            return Err(CloseError::Busy);
        }
        let up = self
            .instances
            .iter()
            .find(|(profile_key, instance)| profile_key.id() == id && instance.since().is_some());
        let profile_key = up.map(|(profile_key, _)| profile_key.clone()).ok_or(CloseError::Unknown)?;
        let owners: Vec<RunId> = self.list_current_users(&profile_key).cloned().collect();
        let busy =
            |owner: &RunId| matches!(self.context_state(owner), ContextState::Works | ContextState::Held);
        if owners.iter().any(busy) {
            return Err(CloseError::Busy);
        }
        let leaving = owners.iter().filter_map(|owner| self.users.get(owner));
        let leaving: Vec<_> = leaving.map(|user| user.browser.send(LeaveChromium)).collect();
        let left = futures_util::future::join_all(leaving).into_actor(self);
        ctx.spawn(left.map(move |_, this, ctx| {
            for owner in owners {
                if !matches!(this.context_state(&owner), ContextState::Works | ContextState::Held) {
                    this.close(&owner, ctx);
                }
            }
            this.end_if_unused(&profile_key, ctx);
        }));
        Ok(())
    }
}

impl Handler<BrowserStatus> for Supervisor {
    type Result = ();

    fn handle(&mut self, shown: BrowserStatus, _: &mut Context<Self>) {
        if let Some(user) = self.users.get_mut(&shown.owner) {
            user.shown = (shown.url, shown.title);
            user.viewers = shown.viewers;
            user.holder = shown.holder;
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_address_of_a_remote_chromium_is_shown_without_secrets() {
        let redacted = super::without_secrets;
        assert_eq!(redacted("wss://user:pass@grid.test:4444/devtools?token=abc"), "wss://grid.test:4444");
        assert_eq!(redacted("http://127.0.0.1:9222"), "http://127.0.0.1:9222");
        assert_eq!(redacted("nonsense"), "elsewhere");
    }
}
