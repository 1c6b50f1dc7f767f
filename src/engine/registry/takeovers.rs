//! Take-overs of pages: the requests of people, and the effects of a lease: pauses and resumes the run, gives its page
//! to the person and returns it, and publishes the holder. `takeover::lease` decides when.

use crate::engine::error::RunRequestError;
use crate::engine::lifecycle::LifecycleRefusal;
use crate::engine::program::ProgramError;
use crate::engine::questions;
use crate::engine::questions::QuestionEnd;
use crate::engine::registry::state::{Registry, SignalsFuture};
use crate::engine::run::messages::RunSignal;
use crate::engine::services::RunServices;
use crate::engine::takeover::lease::{Lease, LeaseEffect, LeaseEvent};
use crate::engine::takeover::leases::{LeaseChange, PageHandBack};
use crate::engine::takeover::pages::{PageAccess, PageInput};
use crate::ids::{RunId, SessionId};
use crate::protocol::caller::Caller;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::protocol::{Locale, QuestionKind, Status};
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::rows::inbox::InboxItem;
use crate::store::rows::user_command::{StoredUserCommand, UserCommand};
use crate::store::rows::{LeaseRow, PageChange, Resolution, RunCommit, RunRow};
use actix::prelude::*;
use futures_util::FutureExt;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// Longest wait for a page to be given to a person or returned to its run.
const TAKE_OVER_TIMEOUT: Duration = Duration::from_secs(10);

/// Gives the page of a run's tree to a person and pauses the run.
#[derive(Message)]
#[rtype(result = "Result<PageAccess, RunRequestError>")]
pub struct TakeOver {
    pub run: RunId,
    pub by: SessionId,
}

/// Returns the page to the run, which goes on.
#[derive(Message)]
#[rtype(result = "Result<(), RunRequestError>")]
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
    type Result = ResponseFuture<Result<PageAccess, RunRequestError>>;

    fn handle(&mut self, TakeOver { run, by }: TakeOver, ctx: &mut Self::Context) -> Self::Result {
        if let Err(refusal) = self.leases.add_request(&by) {
            return std::future::ready(Err(refusal.into())).boxed_local();
        }
        let (reply, replied) = oneshot::channel();
        self.page_replies.insert(by.clone(), reply);
        let row = run_to_pause(Arc::clone(&self.services), run);
        ctx.spawn(row.into_actor(self).map(move |row, registry, ctx| {
            if let Err(refusal) = row.and_then(|row| registry.request_page(row, &by, ctx)) {
                registry.refuse_request(&by, refusal);
            }
        }));
        // Dropped without a reply: the run ended, or the socket was lost, before the page was taken.
        let no_page = || RunRequestError::NoPage(String::from("the page is no longer available"));
        async move { replied.await.unwrap_or_else(|_| Err(no_page())) }.boxed_local()
    }
}

impl Handler<HandBack> for Registry {
    type Result = Result<(), RunRequestError>;

    fn handle(&mut self, HandBack { run, by, client }: HandBack, ctx: &mut Self::Context) -> Self::Result {
        let root = self.leases.tree_of_holder(&by, &run)?;
        self.apply_lease_event(&root, LeaseEvent::HandBack(by), ctx)?;
        self.leases.set_returning_client(root, client);
        Ok(())
    }
}

impl Handler<SocketLost> for Registry {
    type Result = ();

    fn handle(&mut self, SocketLost { by }: SocketLost, ctx: &mut Self::Context) {
        match self.leases.requested_tree(&by).cloned() {
            // The loss of a socket is never refused.
            Some(root) => drop(self.apply_lease_event(&root, LeaseEvent::Lost(by), ctx)),
            None => {
                self.leases.remove_request(&by);
                self.page_replies.remove(&by);
            }
        }
    }
}

/// Returns the run to pause for a take-over: `run` itself, or its descendant that works in the tree's
/// browser.
async fn run_to_pause(services: Arc<RunServices>, run: RunId) -> Result<RunRow, RunRequestError> {
    let row = services.store.run(run.clone()).await?.ok_or(RunRequestError::UnknownRun(run))?;
    if !services.store.owns(&row.root) && row.ended_at.is_none() {
        let moved = "the run has just gone over to another service of the cluster; try again in a moment";
        return Err(RunRequestError::NoPage(String::from(moved)));
    }
    if services.programs.uses_browser(&row.program) || row.ended_at.is_some() {
        return Ok(row);
    }
    for descendant in services.store.living_descendants(row.id).await? {
        let row = services.store.run(descendant).await?;
        if let Some(row) = row.filter(|row| services.programs.uses_browser(&row.program)) {
            return Ok(row);
        }
    }
    Err(RunRequestError::NoPage(String::from("no agent of this run is working in the browser now")))
}

impl Registry {
    /// Requests the page of a run that has been looked up, if the person is still there.
    fn request_page(
        &mut self,
        row: RunRow,
        by: &SessionId,
        ctx: &mut Context<Self>,
    ) -> Result<(), RunRequestError> {
        if !self.leases.has_request(by) {
            return Ok(());
        }
        if row.ended_at.is_some() {
            return Err(LifecycleRefusal::Ended.into());
        }
        self.leases.set_requested_tree(by, &row.root, row.id);
        self.apply_lease_event(&row.root, LeaseEvent::Take(by.clone()), ctx)
    }

    fn refuse_request(&mut self, by: &SessionId, why: RunRequestError) {
        self.leases.remove_request(by);
        if let Some(reply) = self.page_replies.remove(by) {
            let _ = reply.send(Err(why));
        }
    }

    /// Applies an event to the lease of a tree and carries out the effects.
    pub(crate) fn apply_lease_event(
        &mut self,
        root: &RunId,
        event: LeaseEvent,
        ctx: &mut Context<Self>,
    ) -> Result<(), RunRequestError> {
        let Some(change) = self.leases.apply(root, event)? else { return Ok(()) };
        let LeaseChange { run, lease, effects, mut delayed_wake, mut hand_back } = change;
        // A dropped reply means that there is no page (`TakeOver`).
        self.page_replies.retain(|by, _| self.leases.has_request(by));
        for effect in effects {
            match effect {
                LeaseEffect::GiveToPerson(by) => self.give_to_person(root, &run, by, ctx),
                LeaseEffect::ReturnToRun(by) => self.return_to_run(root, by, ctx),
                LeaseEffect::Publish(holder) => self.publish_holder(root, &run, holder, &lease, ctx),
                LeaseEffect::Continue { paused } => {
                    let (delayed, hand_back) =
                        (std::mem::take(&mut delayed_wake), std::mem::take(&mut hand_back));
                    self.resume_after_hand_back(run.clone(), (paused, delayed), hand_back, ctx);
                }
                LeaseEffect::ResumeUntouched => self.signal(run.clone(), RunSignal::Resume, ctx),
            }
        }
        if delayed_wake {
            self.signal(run, RunSignal::Wake, ctx);
        }
        Ok(())
    }

    /// Pauses the run, then gives its page to the person.
    fn give_to_person(&mut self, root: &RunId, run: &RunId, by: SessionId, ctx: &mut Context<Self>) {
        let at_rest = self.is_at_work(run).then(|| {
            let at_rest = self.subscribe_rest(run);
            self.signal(run.clone(), RunSignal::PauseForTakeover, ctx);
            at_rest
        });
        let is_at_work = at_rest.is_some();
        let (services, root, run, holder) =
            (Arc::clone(&self.services), root.clone(), run.clone(), by.clone());
        let tree = root.clone();
        let taken = async move {
            if let Some(at_rest) = at_rest
                && at_rest.await.is_err()
            {
                return (false, Err(ProgramError::service_stopping().to_string()));
            }
            let row = match services.store.run(run).await {
                Ok(Some(row)) if row.ended_at.is_none() => row,
                Ok(_) => return (false, Err(LifecycleRefusal::Ended.to_string())),
                Err(fault) => return (is_at_work, Err(fault.to_string())),
            };
            // The run may have asked a question instead of pausing.
            let paused = is_at_work && row.status == Status::Paused.word();
            (paused, services.pages.give_to_person(&tree, &holder).await)
        };
        let taken = tokio::time::timeout(TAKE_OVER_TIMEOUT, taken).into_actor(self);
        ctx.spawn(taken.map(move |taken, registry, ctx| {
            let timed_out = || (is_at_work, Err(String::from("the page is not available now; try again")));
            let (paused, taken) = taken.unwrap_or_else(|_| timed_out());
            registry.finish_giving(&root, by, paused, taken, ctx);
        }));
    }

    /// Completes or undoes a take-over. `paused` is true if the run was paused for it.
    fn finish_giving(
        &mut self,
        root: &RunId,
        by: SessionId,
        paused: bool,
        taken: Result<PageInput, String>,
        ctx: &mut Context<Self>,
    ) {
        match taken {
            Ok(input) => {
                // `Taken` is refused in no state.
                let _ = self.apply_lease_event(root, LeaseEvent::Taken { paused }, ctx);
                if let Some(run) = self.leases.run_paused_for(root, &by)
                    && let Some(reply) = self.page_replies.remove(&by)
                {
                    let _ = reply.send(Ok(PageAccess { run, root: root.clone(), input }));
                }
            }
            Err(why) => {
                self.refuse_request(&by, RunRequestError::NoPage(why));
                // The page may have been given after the timeout.
                let returning = self.services.pages.return_to_run(root, &by);
                let (root, returning) = (root.clone(), tokio::time::timeout(TAKE_OVER_TIMEOUT, returning));
                ctx.spawn(returning.into_actor(self).map(move |_, registry, ctx| {
                    let _ = registry.apply_lease_event(&root, LeaseEvent::Failed { paused }, ctx);
                }));
            }
        }
    }

    fn return_to_run(&mut self, root: &RunId, by: SessionId, ctx: &mut Context<Self>) {
        let returning = self.services.pages.return_to_run(root, &by);
        let (root, returning) = (root.clone(), tokio::time::timeout(TAKE_OVER_TIMEOUT, returning));
        ctx.spawn(returning.into_actor(self).map(move |changes, registry, ctx| {
            // Without a report the changes are unknown; the page returns to the run all the same.
            registry.leases.set_page_changes(root.clone(), changes.ok());
            let _ = registry.apply_lease_event(&root, LeaseEvent::Returned, ctx);
        }));
    }

    /// Publishes the holder as an event and stores the lease row for a restart.
    fn publish_holder(
        &self,
        root: &RunId,
        run: &RunId,
        holder: Option<SessionId>,
        lease: &Lease,
        ctx: &mut Context<Self>,
    ) {
        let fact = Fact::Event(Event::Lease { holder: holder.clone() });
        let (root, run) = (root.clone(), run.clone());
        let row =
            lease.is_paused().map(|paused| LeaseRow { root: root.clone(), run: run.clone(), holder, paused });
        let page = PageChange { snapshot: None, lease: Some(row) };
        let commit = RunCommit { events: vec![fact.body()], page, ..RunCommit::new(run.clone(), root) };
        ctx.spawn(self.services.store.commit(commit).into_actor(self).map(move |stored, _, _| {
            if let Err(fault) = stored {
                tracing::warn!(run_id = %run, %fault, "lease not published");
            }
        }));
    }

    /// Lets a run go on whose page was handed back. A wake-up held back meanwhile is sent only after the report of the
    /// changes is stored.
    fn resume_after_hand_back(
        &mut self,
        run: RunId,
        (paused, delayed_wake): (bool, bool),
        hand_back: PageHandBack,
        ctx: &mut Context<Self>,
    ) {
        let store = Arc::clone(&self.services.store);
        // Sent to the store before the commit that publishes that nobody holds the page.
        let resume = paused.then(|| store.add_user_command(run.clone(), UserCommand::Resume, false));
        let work: SignalsFuture = async move {
            let mut signals = Vec::new();
            let row = store.run(run.clone()).await?;
            let open = row.filter(|row| row.ended_at.is_none());
            if let Some(row) = open {
                signals.extend(report_changes(&*store, &row, &hand_back).await?);
            }
            if delayed_wake {
                signals.push((run.clone(), RunSignal::Wake));
            }
            if let Some(resume) = resume {
                signals.extend(
                    resume.await?.map(|StoredUserCommand { row, .. }| (run, RunSignal::Command(row))),
                );
            }
            Ok(signals)
        }
        .boxed_local();
        ctx.spawn(self.signal_after(work).map(|result, _, _| {
            if let Err(fault) = result {
                tracing::warn!(%fault, "run not resumed after its page was handed back");
            }
        }));
    }

    /// Parks the leases that were held when the process ended, those of some trees or all: after a restart nobody holds a
    /// page.
    pub(crate) fn park_stored_leases(&mut self, trees: Option<HashSet<RunId>>, ctx: &mut Context<Self>) {
        let store = Arc::clone(&self.services.store);
        let leases =
            async move { Ok::<_, StoreError>((store.leases().await?, store.pending_user_commands().await?)) };
        ctx.spawn(leases.into_actor(self).map(move |read, registry, ctx| {
            let (leases, commands) = match read {
                Ok(read) => read,
                Err(fault) => return tracing::error!(%fault, "stored leases not parked"),
            };
            let is_wanted = |row: &LeaseRow| trees.as_ref().is_none_or(|trees| trees.contains(&row.root));
            for LeaseRow { root, run, holder, paused } in leases.into_iter().filter(is_wanted) {
                let resumes = commands
                    .iter()
                    .any(|(commanded, row)| *commanded == run && row.command == UserCommand::Resume);
                let paused = paused && !resumes;
                if holder.is_some() || !paused {
                    let lease = if paused { Lease::Parked } else { Lease::Free };
                    registry.publish_holder(&root, &run, None, &lease, ctx);
                }
                if paused {
                    registry.leases.park(root, run);
                }
            }
        }));
    }
}

/// True if a person has the page of a tree of another node.
pub(crate) async fn is_held_elsewhere(store: &dyn Store, root: &RunId) -> Result<bool, StoreError> {
    Ok(!store.owns(root) && store.lease(root.clone()).await?.is_some_and(|lease| lease.holder.is_some()))
}

/// Reports the changes to the run: as the answer of an open manual question, otherwise as a message if
/// anything changed.
async fn report_changes(
    store: &dyn Store,
    row: &RunRow,
    hand_back: &PageHandBack,
) -> Result<Option<(RunId, RunSignal)>, RunRequestError> {
    let (report, changed) = hand_back.report(Locale::from_input_or_english(&row.input));
    let question = match &row.question {
        Some(reference) => store.question(reference.clone()).await?,
        None => None,
    };
    if let Some(question) = question.filter(|question| question.kind == QuestionKind::Manual.word()) {
        let answered = QuestionEnd::handed_back(report, hand_back.client.as_ref());
        let resolution = questions::resolve_question(store, &question, answered).await?;
        return Ok(match resolution {
            Resolution::Resolved { run, .. } => Some((run, RunSignal::Wake)),
            Resolution::AlreadyResolved | Resolution::Expired | Resolution::Unknown => None,
        });
    }
    if !changed {
        return Ok(None);
    }
    let message = store.deliver(row.id.clone(), InboxItem::HandBack(report), None).await?;
    Ok(message.map(|message| (row.id.clone(), RunSignal::Read(message))))
}
