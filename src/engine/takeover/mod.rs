//! Take-overs of pages: the messages, and the leases of all run trees. `lease::transition` decides; `effects`
//! applies the effects.

pub(crate) mod effects;
pub mod lease;
pub mod leases;
pub mod pages;

use crate::engine::lifecycle::LifecycleRefusal;
use crate::engine::registry::error::RegistryError;
use crate::engine::registry::state::Registry;
use crate::engine::run::signals::RunSignal;
use crate::engine::services::RunServices;
use crate::engine::takeover::lease::{Lease, LeaseEffect, LeaseEvent, LeaseRefusal};
use crate::engine::takeover::leases::{PageAccess, TakeOverRequest};
use crate::ids::{RunId, SessionId};
use crate::protocol::caller::Caller;
use crate::store::rows::RunRow;
use actix::prelude::*;
use futures_util::FutureExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// Longest wait for a page to be taken or returned.
pub(crate) const TAKE_OVER_TIMEOUT: Duration = Duration::from_secs(10);

/// Gives the page of a run's tree to a person and pauses the run.
#[derive(Message)]
#[rtype(result = "Result<PageAccess, RegistryError>")]
pub struct TakeOver {
    pub run: RunId,
    pub by: SessionId,
}

/// Returns the page to the run, which goes on.
#[derive(Message)]
#[rtype(result = "Result<(), RegistryError>")]
pub struct HandBack {
    pub run: RunId,
    pub by: SessionId,
    /// The client of that socket.
    pub client: Caller,
}

/// Ends the take-over and requests of a socket that is gone.
#[derive(Message)]
#[rtype(result = "()")]
pub struct SocketLost {
    pub by: SessionId,
}

impl Handler<TakeOver> for Registry {
    type Result = ResponseFuture<Result<PageAccess, RegistryError>>;

    fn handle(&mut self, TakeOver { run, by }: TakeOver, ctx: &mut Self::Context) -> Self::Result {
        if self.leases.requests.contains_key(&by) {
            return std::future::ready(Err(LeaseRefusal::Yours.into())).boxed_local();
        }
        let (answer, answered) = oneshot::channel();
        // Registered from here on, so that the loss of the socket is noticed.
        self.leases.requests.insert(by.clone(), TakeOverRequest { root: None, answer });
        let row = run_to_pause(Arc::clone(&self.engine), run);
        ctx.spawn(row.into_actor(self).map(move |row, registry, ctx| {
            if let Err(refusal) = row.and_then(|row| registry.request_page(row, &by, ctx)) {
                registry.refuse_request(&by, refusal);
            }
        }));
        // Dropped without a reply: the run ended, or the socket was lost, before the page was taken.
        let no_page = || RegistryError::NoPage(String::from("the page is not to be had any more"));
        async move { answered.await.unwrap_or_else(|_| Err(no_page())) }.boxed_local()
    }
}

impl Handler<HandBack> for Registry {
    type Result = Result<(), RegistryError>;

    fn handle(&mut self, HandBack { run, by, client }: HandBack, ctx: &mut Self::Context) -> Self::Result {
        let root = self.leases.requests.get(&by).and_then(|request| request.root.clone());
        let root = root.filter(|root| *root == run || self.leases.tree_held_by(&run).as_ref() == Some(root));
        let root = root.ok_or(LeaseRefusal::NotYours)?;
        self.leases.returned_by.insert(root.clone(), client);
        self.apply_lease_event(&root, LeaseEvent::HandBack(by), ctx)
    }
}

impl Handler<SocketLost> for Registry {
    type Result = ();

    fn handle(&mut self, SocketLost { by }: SocketLost, ctx: &mut Self::Context) {
        let root = self.leases.requests.get(&by).and_then(|request| request.root.clone());
        match root {
            // The loss of a socket is never refused.
            Some(root) => drop(self.apply_lease_event(&root, LeaseEvent::Lost(by), ctx)),
            None => drop(self.leases.requests.remove(&by)),
        }
    }
}

/// Returns the run to pause for a take-over: `run` itself, or its descendant that works in the tree's
/// browser.
async fn run_to_pause(engine: Arc<RunServices>, run: RunId) -> Result<RunRow, RegistryError> {
    let row = engine.store.run(run.clone()).await?.ok_or(RegistryError::UnknownRun(run))?;
    if engine.programs.uses_browser(&row.program) || row.ended_at.is_some() {
        return Ok(row);
    }
    for descendant in engine.store.living_descendants(row.id).await? {
        let row = engine.store.run(descendant).await?;
        if let Some(row) = row.filter(|row| engine.programs.uses_browser(&row.program)) {
            return Ok(row);
        }
    }
    Err(RegistryError::NoPage(String::from("no agent of this run is in the browser now")))
}

impl Registry {
    /// Requests the page of a run that has been looked up, if the person is still there.
    fn request_page(
        &mut self,
        row: RunRow,
        by: &SessionId,
        ctx: &mut Context<Self>,
    ) -> Result<(), RegistryError> {
        let Some(request) = self.leases.requests.get_mut(by) else { return Ok(()) };
        if row.ended_at.is_some() {
            return Err(LifecycleRefusal::Ended.into());
        }
        request.root = Some(row.root.clone());
        let entry = self.leases.by_tree.entry(row.root.clone()).or_insert((row.id.clone(), Lease::Free));
        if !entry.1.is_taken_over() {
            entry.0 = row.id;
        }
        self.apply_lease_event(&row.root, LeaseEvent::Take(by.clone()), ctx)
    }

    pub(crate) fn refuse_request(&mut self, by: &SessionId, why: RegistryError) {
        if let Some(request) = self.leases.requests.remove(by) {
            let _ = request.answer.send(Err(why));
        }
    }

    /// Applies an event to the lease of a tree and carries out the effects.
    pub(crate) fn apply_lease_event(
        &mut self,
        root: &RunId,
        event: LeaseEvent,
        ctx: &mut Context<Self>,
    ) -> Result<(), RegistryError> {
        let Some((run, lease)) = self.leases.by_tree.get(root).cloned() else { return Ok(()) };
        let (lease, effects) = lease::transition(lease, event)?;
        tracing::debug!(run_id = %root, ?lease, "lease");
        self.leases.by_tree.insert(root.clone(), (run.clone(), lease.clone()));
        for effect in effects {
            match effect {
                LeaseEffect::Take(by) => self.take(root, &run, by, ctx),
                LeaseEffect::GiveBack(by) => self.give_back(root, by, ctx),
                LeaseEffect::Tell(holder) => self.publish_holder(root, &run, holder, &lease, ctx),
                LeaseEffect::GoOn { paused } => self.resume_after_hand_back(root, run.clone(), paused, ctx),
                LeaseEffect::Undo => self.signal(run.clone(), RunSignal::Resume, ctx),
            }
        }
        if lease == Lease::Free {
            self.leases.by_tree.remove(root);
        }
        if !lease.is_taken_over() && self.leases.missed_wakes.remove(&run) {
            self.signal(run, RunSignal::Wake, ctx);
        }
        let by = lease.holder_or_applicant();
        self.leases.requests.retain(|who, request| request.root.as_ref() != Some(root) || Some(who) == by);
        Ok(())
    }
}
