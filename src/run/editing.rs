//! A person's edit of a plan, or the end of a task that has not begun: put among the run's messages, where the run
//! takes it in whatever it does. What comes of it the run tells as a fact.

use super::Order;
use super::error::RegistryError;
use super::lifecycle::Refusal;
use super::registry::{Registry, Work, unknown};
use super::view;
use crate::ids::RunId;
use crate::plan::edit::{self, Edit};
use crate::plan::{Item, MAX_ATTEMPTS};
use crate::store::Store;
use crate::store::rows::{InboxItem, Message, RunRow};
use actix::prelude::*;
use futures_util::FutureExt;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

/// The plan of a run with what a person has changed of it, also what the run will take in when its step is over: a
/// further change is one of that. None if there is no plan.
pub fn standing(run: &RunRow, unread: &[Message]) -> Option<Vec<Item>> {
    let plan = view::plan(run)?;
    let items: Vec<Item> = serde_json::from_value(plan["items"].clone()).unwrap_or_default();
    let edits = unread.iter().filter_map(|unread| match &unread.item {
        InboxItem::PlanEdit(edit) => Edit::deserialize(edit).ok(),
        InboxItem::Words(_) | InboxItem::TaskCancel(_) | InboxItem::HandBack(_) => None,
    });
    // One that is not taken changes nothing, and the run tells so.
    Some(edits.fold(items, |items, edit| edit.applied(&items, MAX_ATTEMPTS).unwrap_or(items)))
}

fn version(run: &RunRow, unread: &[Message]) -> Option<String> {
    standing(run, unread).map(|items| edit::version(&items))
}

/// The plan of a run as a person wants it.
#[derive(actix::Message)]
#[rtype(result = "Result<(), RegistryError>")]
pub struct ChangePlan {
    pub run: RunId,
    pub edit: Edit,
    /// Only if the plan still has this version.
    pub version: Option<String>,
}

impl Handler<ChangePlan> for Registry {
    type Result = ResponseActFuture<Self, Result<(), RegistryError>>;

    fn handle(&mut self, change: ChangePlan, _: &mut Self::Context) -> Self::Result {
        let ChangePlan { run, mut edit, version: expected } = change;
        let engine = Arc::clone(&self.engine);
        let work: Work = async move {
            let row = engine.store.run(run.clone()).await?.ok_or_else(|| unknown(&run))?;
            if row.ended_at.is_some() {
                return Err(Refusal::Ended.into());
            }
            for text in
                edit.items.iter_mut().flat_map(|item| [&mut item.description, &mut item.acceptance_criteria])
            {
                *text = engine.programs.conceal(&row.root, text, None);
            }
            let item = InboxItem::PlanEdit(json!(edit));
            let sent = match expected {
                Some(expected) => held(&*engine.store, &run, item, expected).await?,
                None => engine.store.deliver(run.clone(), item, None).await?.ok_or_else(|| unknown(&run))?,
            };
            Ok(vec![(run, Order::Read(sent))])
        }
        .boxed_local();
        self.aside(work)
    }
}

/// Compared where it is written, so that of two changes of one version only the first is taken.
async fn held(
    store: &dyn Store,
    run: &RunId,
    item: InboxItem,
    expected: String,
) -> Result<Message, RegistryError> {
    let holds = Box::new(move |row: &RunRow, unread: &[Message]| {
        version(row, unread).is_some_and(|found| found == expected)
    });
    if let Some(sent) = store.deliver_if(run.clone(), item, holds).await? {
        return Ok(sent);
    }
    let row = store.run(run.clone()).await?.ok_or_else(|| unknown(run))?;
    let unread = store.inbox(run.clone()).await?;
    Err(RegistryError::PlanChanged(version(&row, &unread).unwrap_or_default()))
}

/// The end of a task that no run does yet: it waits for others.
#[derive(actix::Message)]
#[rtype(result = "Result<(), RegistryError>")]
pub struct EndTask {
    /// The run that began it.
    pub run: RunId,
    pub task: String,
}

impl Handler<EndTask> for Registry {
    type Result = ResponseActFuture<Self, Result<(), RegistryError>>;

    fn handle(&mut self, EndTask { run, task }: EndTask, _: &mut Self::Context) -> Self::Result {
        let engine = Arc::clone(&self.engine);
        let work: Work = async move {
            let item = InboxItem::TaskCancel(task);
            let sent = engine.store.deliver(run.clone(), item, None).await?.ok_or_else(|| unknown(&run))?;
            Ok(vec![(run, Order::Read(sent))])
        }
        .boxed_local();
        self.aside(work)
    }
}
