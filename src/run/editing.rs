//! A person's edit of a plan, or the end of a task that has not begun: put among the run's messages, where the run
//! takes it in whatever it does. What comes of it the run tells as a fact.

use super::Order;
use super::error::RegistryError;
use super::lifecycle::Refusal;
use super::registry::{Registry, Work, unknown};
use crate::ids::RunId;
use crate::plan::edit::Edit;
use crate::protocol::edit as message;
use actix::prelude::*;
use futures_util::FutureExt;
use std::sync::Arc;

/// The plan of a run as a person wants it.
#[derive(Message)]
#[rtype(result = "Result<(), RegistryError>")]
pub struct ChangePlan {
    pub run: RunId,
    pub edit: Edit,
}

impl Handler<ChangePlan> for Registry {
    type Result = ResponseActFuture<Self, Result<(), RegistryError>>;

    fn handle(&mut self, ChangePlan { run, mut edit }: ChangePlan, _: &mut Self::Context) -> Self::Result {
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
            let text = message::write(&edit);
            let sent = engine.store.deliver(run.clone(), text, None).await?.ok_or_else(|| unknown(&run))?;
            Ok(vec![(run, Order::Read(sent))])
        }
        .boxed_local();
        self.aside(work)
    }
}

/// The end of a task that no run does yet: it waits for others.
#[derive(Message)]
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
            let text = message::cancel(&task);
            let sent = engine.store.deliver(run.clone(), text, None).await?.ok_or_else(|| unknown(&run))?;
            Ok(vec![(run, Order::Read(sent))])
        }
        .boxed_local();
        self.aside(work)
    }
}
