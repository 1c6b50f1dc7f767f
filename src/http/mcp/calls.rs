//! A call of a tool: a run of its agent through the same registry as every other. It is told of as it goes on,
//! and stopped when the client no longer wants it.

use super::handler::Handler;
use super::told;
use crate::http::lines;
use crate::http::problem::Problem;
use crate::http::runs;
use crate::http::service::Service;
use crate::http::watching::{self, Over, Watch};
use crate::run::registry::{Control, Steer};
use crate::store::rows::RunRow;
use rmcp::model::{CallToolResult, ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::{Map, Value};

/// Facts read from the store at once.
const FACTS: usize = 256;

/// What came of the call; a fault is told as the tool's own, for whoever called it to read.
pub async fn call(
    handler: &Handler,
    agent: String,
    input: Map<String, Value>,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    match carried_out(handler, agent, input, context).await {
        Ok(done) => done,
        Err(problem) => told::refused(&problem),
    }
}

async fn carried_out(
    handler: &Handler,
    agent: String,
    input: Map<String, Value>,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, Problem> {
    let service: &Service = &handler.service;
    let run = runs::begin(service, agent, input, None).await?;
    let row = service.run(&run).await?;
    let mut progress = Progress::begin(service, &row, context).await?;
    let over = tokio::select! {
        over = watching::settled(service, &run, None) => over?,
        fault = progress.told() => return Err(fault),
        () = context.ct.cancelled() => {
            service.order(Control { run: run.clone(), command: Steer::Stop }).await?;
            Over::Ended
        }
    };
    progress.rest().await?;
    let row = service.run(&run).await?;
    Ok(match over {
        Over::Ended => told::ended(&row),
        Over::Asks => told::asks(service, &handler.base, &row).await?,
        Over::TimeUp => told::goes_on(&handler.base, &row),
    })
}

/// The facts of the run's tree, as they come, for a client that asked to be told.
struct Progress<'s> {
    service: &'s Service,
    row: &'s RunRow,
    to: Option<(Peer<RoleServer>, ProgressToken)>,
    watch: Watch,
    seen: u64,
}

impl<'s> Progress<'s> {
    async fn begin(
        service: &'s Service,
        row: &'s RunRow,
        context: &RequestContext<RoleServer>,
    ) -> Result<Self, Problem> {
        let to = context.meta.get_progress_token().map(|token| (context.peer.clone(), token));
        let watch = Watch::begin(&service.feed, &row.root).await?;
        Ok(Self { service, row, to, watch, seen: 0 })
    }

    /// Goes on until something is wrong.
    async fn told(&mut self) -> Problem {
        loop {
            if let Err(fault) = self.rest().await {
                return fault;
            }
            if let Err(fault) = self.watch.rung().await {
                return fault.into();
            }
        }
    }

    /// What has happened since: of a burst, its last line.
    async fn rest(&mut self) -> Result<(), Problem> {
        let Some((peer, token)) = &self.to else { return Ok(()) };
        let locale = told::locale(self.row);
        let mut last = None;
        loop {
            let facts = self.service.store().facts(self.row.root.clone(), self.seen, FACTS).await?;
            let Some(newest) = facts.last() else { break };
            self.seen = newest.seq;
            last = facts.iter().rev().find_map(|fact| lines::line(fact, locale)).or(last);
        }
        if let Some(line) = last {
            let count = self.seen as f64;
            let params = ProgressNotificationParam::new(token.clone(), count).with_message(line);
            // A client that is gone is not told.
            let _ = peer.notify_progress(params).await;
        }
        Ok(())
    }
}
