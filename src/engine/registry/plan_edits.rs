//! Edits of a plan by a person, and cancellation of tasks that have not begun. Both are put into the run's
//! inbox, which the run reads between two steps; the run reports the result as an event.

use crate::engine::error::RunRequestError;
use crate::engine::lifecycle::LifecycleRefusal;
use crate::engine::registry::state::{Registry, SignalsFuture, unknown_run};
use crate::engine::registry::view;
use crate::engine::run::messages::RunSignal;
use crate::ids::RunId;
use crate::plan::edit::{self, Edit};
use crate::plan::{Item, MAX_ATTEMPTS};
use crate::store::Store;
use crate::store::rows::RunRow;
use crate::store::rows::inbox::{InboxItem, InboxRow};
use actix::prelude::*;
use futures_util::FutureExt;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

/// Returns the plan of a run with the pending edits from its inbox applied, so that a further edit builds on
/// them. Returns `None` if the run has no plan.
pub fn plan_with_edits(run: &RunRow, unread: &[InboxRow]) -> Option<Vec<Item>> {
    let plan = view::plan(run)?;
    let items: Vec<Item> = serde_json::from_value(plan["items"].clone()).unwrap_or_default();
    let edits = unread.iter().filter_map(|unread| match &unread.item {
        InboxItem::PlanEdit(edit) => Edit::deserialize(edit).ok(),
        InboxItem::Words(_) | InboxItem::TaskCancel(_) | InboxItem::HandBack(_) => None,
    });
    // The run will reject an edit that does not apply, and report it.
    Some(edits.fold(items, |items, edit| edit.apply_to(&items, MAX_ATTEMPTS).unwrap_or(items)))
}

fn version(run: &RunRow, unread: &[InboxRow]) -> Option<String> {
    plan_with_edits(run, unread).map(|items| edit::hash_editable(&items))
}

/// Edits the plan of a run.
#[derive(actix::Message)]
#[rtype(result = "Result<(), RunRequestError>")]
pub struct ChangePlan {
    pub run: RunId,
    pub edit: Edit,
    /// Expected version of the plan. The edit is refused if the plan has another.
    pub version: Option<String>,
}

impl Handler<ChangePlan> for Registry {
    type Result = ResponseActFuture<Self, Result<(), RunRequestError>>;

    fn handle(&mut self, change: ChangePlan, _: &mut Self::Context) -> Self::Result {
        let ChangePlan { run, mut edit, version: expected } = change;
        let services = Arc::clone(&self.services);
        let work: SignalsFuture = async move {
            let row = services.store.run(run.clone()).await?.ok_or_else(|| unknown_run(&run))?;
            if row.ended_at.is_some() {
                return Err(LifecycleRefusal::Ended.into());
            }
            for text in
                edit.items.iter_mut().flat_map(|item| [&mut item.description, &mut item.acceptance_criteria])
            {
                *text = services.programs.conceal(&row.root, text, None);
            }
            let item = InboxItem::PlanEdit(json!(edit));
            let sent = match expected {
                Some(expected) => deliver_for_version(&*services.store, &run, item, expected).await?,
                None => {
                    services.store.deliver(run.clone(), item, None).await?.ok_or_else(|| unknown_run(&run))?
                }
            };
            Ok(vec![(run, RunSignal::Read(sent))])
        }
        .boxed_local();
        self.signal_after(work)
    }
}

/// Delivers an edit if the plan still has the expected version. The store compares under its write lock, so
/// that only the first of two edits of one version is accepted.
async fn deliver_for_version(
    store: &dyn Store,
    run: &RunId,
    item: InboxItem,
    expected: String,
) -> Result<InboxRow, RunRequestError> {
    let is_current = Box::new(move |row: &RunRow, unread: &[InboxRow]| {
        version(row, unread).is_some_and(|found| found == expected)
    });
    if let Some(sent) = store.deliver_if(run.clone(), item, is_current).await? {
        return Ok(sent);
    }
    let row = store.run(run.clone()).await?.ok_or_else(|| unknown_run(run))?;
    let unread = store.inbox(run.clone()).await?;
    Err(RunRequestError::PlanChanged(version(&row, &unread).unwrap_or_default()))
}

/// Cancels a task that waits for others and has no run yet.
#[derive(actix::Message)]
#[rtype(result = "Result<(), RunRequestError>")]
pub struct CancelTask {
    /// The run that started the task.
    pub run: RunId,
    /// Id of the task, see `TaskRow`.
    pub task: String,
}

impl Handler<CancelTask> for Registry {
    type Result = ResponseActFuture<Self, Result<(), RunRequestError>>;

    fn handle(&mut self, CancelTask { run, task }: CancelTask, _: &mut Self::Context) -> Self::Result {
        let services = Arc::clone(&self.services);
        let work: SignalsFuture = async move {
            let item = InboxItem::TaskCancel(task);
            let sent =
                services.store.deliver(run.clone(), item, None).await?.ok_or_else(|| unknown_run(&run))?;
            Ok(vec![(run, RunSignal::Read(sent))])
        }
        .boxed_local();
        self.signal_after(work)
    }
}
