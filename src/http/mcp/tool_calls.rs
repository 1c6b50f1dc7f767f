//! A tool call: starts a run of the agent through the same registry as any other run, reports its progress,
//! and stops it when the client cancels the call.

use crate::engine::registry::Control;
use crate::http::language::reader::ReaderLocale;
use crate::http::mcp::context::Handler;
use crate::http::mcp::{json_rpc_errors, tool_results};
use crate::http::problem::Problem;
use crate::http::rest::runs;
use crate::http::rest::runs::follow_run::{Following, Over};
use crate::http::rest::runs::{event_lines, wait_for_run};
use crate::http::service::Service;
use crate::protocol::Locale;
use crate::store::rows::RunRow;
use crate::store::rows::user_command::UserCommand;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::{Map, Value};

/// Runs an agent and returns the result. Errors are returned as results of the tool, so that the model reads
/// them; only an unknown tool is a protocol error.
pub async fn call(
    handler: &Handler,
    agent: String,
    input: Map<String, Value>,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    match carried_out(handler, agent.clone(), input, context).await {
        Ok(done) => Ok(done),
        Err(problem) if problem.code == "unknown_agent" => Err(json_rpc_errors::unknown(&agent)),
        Err(problem) => Ok(tool_results::refused(&problem)),
    }
}

async fn carried_out(
    handler: &Handler,
    agent: String,
    mut input: Map<String, Value>,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, Problem> {
    let service: &Service = &handler.service;
    let head = context.extensions.get::<http::request::Parts>().map(|parts| &parts.headers);
    let accepted = head.and_then(|headers| headers.get(http::header::ACCEPT_LANGUAGE)?.to_str().ok());
    ReaderLocale(accepted.and_then(Locale::accepted)).speaks(&mut input);
    let run = runs::begin(service, agent, input, None).await?;
    let row = service.run(&run).await?;
    let mut progress = Progress::begin(service, &row, context).await?;
    let over = tokio::select! {
        over = wait_for_run::settled(service, &run, None) => over?,
        fault = progress.report_until_error() => return Err(fault),
        () = context.ct.cancelled() => {
            service.order(Control { run: run.clone(), command: UserCommand::Stop }).await?;
            Some(Over::Ended)
        }
    };
    progress.rest().await?;
    let row = service.run(&run).await?;
    Ok(match over {
        Some(Over::Ended) => tool_results::ended(&row),
        Some(Over::Asks | Over::Rests) => tool_results::asks(service, &handler.base(context), &row).await?,
        Some(Over::Paused) => tool_results::paused(&handler.base(context), &row),
        None => tool_results::goes_on(&handler.base(context), &row),
    })
}

/// Reports the events of the run's tree to a client that asked for progress.
struct Progress<'s> {
    row: &'s RunRow,
    to: Option<(Peer<RoleServer>, ProgressToken)>,
    following: Following<&'s Service>,
}

impl<'s> Progress<'s> {
    async fn begin(
        service: &'s Service,
        row: &'s RunRow,
        context: &RequestContext<RoleServer>,
    ) -> Result<Self, Problem> {
        let to = context.meta.get_progress_token().map(|token| (context.peer.clone(), token));
        Ok(Self { row, to, following: Following::begin(service, &row.id, 0).await? })
    }

    /// Reports events until an error occurs.
    async fn report_until_error(&mut self) -> Problem {
        loop {
            if let Err(fault) = self.rest().await {
                return fault;
            }
            if let Err(fault) = self.following.rung().await {
                return fault.into();
            }
        }
    }

    /// Reports the events since the last report; of several, only the last line.
    async fn rest(&mut self) -> Result<(), Problem> {
        let Some((peer, token)) = &self.to else { return Ok(()) };
        let locale = tool_results::locale(self.row);
        let mut last = None;
        loop {
            let facts = self.following.facts().await?;
            if facts.is_empty() {
                break;
            }
            last = facts.iter().rev().find_map(|fact| event_lines::line(fact, locale)).or(last);
        }
        if let Some(line) = last {
            let count = self.following.seen() as f64;
            let params = ProgressNotificationParam::new(token.clone(), count).with_message(line);
            // Errors are ignored, since the client may be gone.
            let _ = peer.notify_progress(params).await;
        }
        Ok(())
    }
}
