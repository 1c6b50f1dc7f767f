//! Effects of take-overs: pauses and resumes the run, takes and returns the page, and publishes the holder.
//! `takeover` decides when.

use crate::browser::takeover::comparison::TakeoverChanges;
use crate::browser::takeover::input_state::HolderInput;
use crate::engine::lifecycle::LifecycleRefusal;
use crate::engine::questions;
use crate::engine::questions::QuestionEnd;
use crate::engine::registry::error::RegistryError;
use crate::engine::registry::state::{Registry, SignalWork};
use crate::engine::run::signals::RunSignal;
use crate::engine::takeover::lease::{Lease, LeaseEvent};
use crate::engine::takeover::leases::{PageAccess, TakeOverRequest};
use crate::engine::takeover::{TAKE_OVER_TIMEOUT, pages};
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
use std::sync::Arc;
use tokio::sync::oneshot;

impl Registry {
    /// Pauses the run, then takes the page from it.
    pub(crate) fn take(&mut self, root: &RunId, run: &RunId, by: SessionId, ctx: &mut Context<Self>) {
        let is_at_work = self.is_at_work(run);
        let (notify_rest, at_rest) = oneshot::channel();
        if is_at_work {
            self.leases.at_rest.entry(run.clone()).or_default().push(notify_rest);
            self.signal(run.clone(), RunSignal::GiveWay, ctx);
        }
        let (engine, root, run, holder) = (Arc::clone(&self.engine), root.clone(), run.clone(), by.clone());
        let tree = root.clone();
        let taken = async move {
            if is_at_work && at_rest.await.is_err() {
                return (false, Err(String::from("the service is stopping")));
            }
            let row = match engine.store.run(run).await {
                Ok(Some(row)) if row.ended_at.is_none() => row,
                Ok(_) => return (false, Err(LifecycleRefusal::Ended.to_string())),
                Err(fault) => return (is_at_work, Err(fault.to_string())),
            };
            // The run may have asked a question instead of pausing.
            let paused = is_at_work && row.status == Status::Paused.word();
            (paused, engine.pages.take(&tree, &holder).await)
        };
        let taken = tokio::time::timeout(TAKE_OVER_TIMEOUT, taken).into_actor(self);
        ctx.spawn(taken.map(move |taken, registry, ctx| {
            let timed_out = || (is_at_work, Err(String::from("the page cannot be had now; try again")));
            let (paused, taken) = taken.unwrap_or_else(|_| timed_out());
            registry.finish_take(&root, by, paused, taken, ctx);
        }));
    }

    /// Completes or undoes a take-over. `paused` is true if the run was paused for it.
    fn finish_take(
        &mut self,
        root: &RunId,
        by: SessionId,
        paused: bool,
        taken: Result<Recipient<HolderInput>, String>,
        ctx: &mut Context<Self>,
    ) {
        match taken {
            Ok(input) => {
                // Neither event is refused in any state.
                let _ = self.apply_lease_event(root, LeaseEvent::Taken { paused }, ctx);
                let run = self.leases.by_tree.get(root).map_or_else(|| root.clone(), |(run, _)| run.clone());
                if let Some(request) = self.leases.requests.remove(&by) {
                    let _ = request.answer.send(Ok(PageAccess { run, root: root.clone(), input }));
                    let (answer, _) = oneshot::channel();
                    self.leases.requests.insert(by, TakeOverRequest { root: request.root, answer });
                }
            }
            Err(why) => {
                self.refuse_request(&by, RegistryError::NoPage(why));
                // The page may have been given after the timeout.
                let returning = self.engine.pages.give_back(root, &by);
                let (root, returning) = (root.clone(), tokio::time::timeout(TAKE_OVER_TIMEOUT, returning));
                ctx.spawn(returning.into_actor(self).map(move |_, registry, ctx| {
                    let _ = registry.apply_lease_event(&root, LeaseEvent::Failed { paused }, ctx);
                }));
            }
        }
    }

    pub(crate) fn give_back(&mut self, root: &RunId, by: SessionId, ctx: &mut Context<Self>) {
        let returning = self.engine.pages.give_back(root, &by);
        let (root, returning) = (root.clone(), tokio::time::timeout(TAKE_OVER_TIMEOUT, returning));
        ctx.spawn(returning.into_actor(self).map(move |changes, registry, ctx| {
            // Without a report the changes are unknown; the page returns to the run all the same.
            let changes = changes.unwrap_or_else(|_| TakeoverChanges::unknown());
            registry.leases.changes.insert(root.clone(), changes);
            let _ = registry.apply_lease_event(&root, LeaseEvent::Returned, ctx);
            registry.leases.changes.remove(&root);
        }));
    }

    /// Publishes the holder as an event and stores the lease row for a restart.
    pub(crate) fn publish_holder(
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
        ctx.spawn(self.engine.store.commit(commit).into_actor(self).map(move |stored, _, _| {
            if let Err(fault) = stored {
                tracing::warn!(run_id = %run, %fault, "lease not told");
            }
        }));
    }

    pub(crate) fn resume_after_hand_back(
        &mut self,
        root: &RunId,
        run: RunId,
        paused: bool,
        ctx: &mut Context<Self>,
    ) {
        let store = Arc::clone(&self.engine.store);
        let changes = self.leases.changes.remove(root).unwrap_or_else(TakeoverChanges::unknown);
        let client = self.leases.returned_by.remove(root);
        // Sent to the store before the commit that publishes that nobody holds the page.
        let resume = paused.then(|| store.add_user_command(run.clone(), UserCommand::Resume, false));
        // Send the pending wake-up only after the answer below is stored.
        let missed_wake = self.leases.missed_wakes.remove(&run);
        let work: SignalWork = async move {
            let mut signals = Vec::new();
            let row = store.run(run.clone()).await?;
            let open = row.filter(|row| row.ended_at.is_none());
            if let Some(row) = open {
                let report = pages::changes_report(&changes, Locale::of_input(&row.input));
                let changed = changes != TakeoverChanges::default();
                signals.extend(report_changes(&*store, &row, report, changed, client.as_ref()).await?);
            }
            if missed_wake {
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
                tracing::warn!(%fault, "a run does not go on after its page was handed back");
            }
        }));
    }

    /// Sends a signal to all living descendants of a run.
    pub(crate) fn signal_descendants(&self, run: RunId, signal: RunSignal, ctx: &mut Context<Self>) {
        let descendants = self.engine.store.living_descendants(run);
        let work: SignalWork =
            async move { Ok(descendants.await?.into_iter().map(|run| (run, signal.clone())).collect()) }
                .boxed_local();
        ctx.spawn(self.signal_after(work).map(|result, _, _| {
            if let Err(fault) = result {
                tracing::warn!(%fault, "children of a run not told what became of it");
            }
        }));
    }

    /// Parks the leases that were held when the process ended: after a restart nobody holds a page.
    pub(crate) fn park_stored_leases(&mut self, ctx: &mut Context<Self>) {
        let store = Arc::clone(&self.engine.store);
        let leases =
            async move { Ok::<_, StoreError>((store.leases().await?, store.pending_user_commands().await?)) };
        ctx.spawn(leases.into_actor(self).map(|read, registry, ctx| {
            let (leases, commands) = match read {
                Ok(read) => read,
                Err(fault) => return tracing::error!(%fault, "pages that people held are not parked"),
            };
            for LeaseRow { root, run, holder, paused } in leases {
                let resumes = commands
                    .iter()
                    .any(|(commanded, row)| *commanded == run && row.command == UserCommand::Resume);
                let paused = paused && !resumes;
                let lease = if paused { Lease::Parked } else { Lease::Free };
                if holder.is_some() || !paused {
                    registry.publish_holder(&root, &run, None, &lease, ctx);
                }
                if paused {
                    registry.leases.by_tree.entry(root).or_insert((run, lease));
                }
            }
        }));
    }
}

/// Reports the changes to the run: as the answer of an open manual question, otherwise as a message if
/// anything changed.
async fn report_changes(
    store: &dyn Store,
    row: &RunRow,
    report: String,
    changed: bool,
    client: Option<&Caller>,
) -> Result<Option<(RunId, RunSignal)>, RegistryError> {
    let question = match &row.question {
        Some(reference) => store.question(reference.clone()).await?,
        None => None,
    };
    if let Some(question) = question.filter(|question| question.kind == QuestionKind::Manual.word()) {
        let answered = QuestionEnd::handed_back(report, client);
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
