//! A tool call: starts a run of the agent through the same registry as any other run, reports its progress,
//! and stops it when the client cancels the call.

use crate::engine::registry::Control;
use crate::engine::registry::starting::StartRun;
use crate::http::language::reader::ReaderLocale;
use crate::http::mcp::context::Handler;
use crate::http::mcp::{json_rpc_errors, service_tools, tool_results};
use crate::http::problem::Problem;
use crate::http::rest::runs;
use crate::http::rest::runs::follow_run::{HaltReason, RunFollower};
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
    match run_agent(handler, agent.clone(), input, context).await {
        Ok(done) => Ok(done),
        Err(problem) if problem.code == "unknown_agent" => Err(json_rpc_errors::unknown(&agent)),
        Err(problem) => Ok(tool_results::problem_result(&problem)),
    }
}

async fn run_agent(
    handler: &Handler,
    agent: String,
    mut input: Map<String, Value>,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, Problem> {
    let service: &Service = &handler.service;
    let head = context.extensions.get::<http::request::Parts>().map(|parts| &parts.headers);
    let accepted = head.and_then(|headers| headers.get(http::header::ACCEPT_LANGUAGE)?.to_str().ok());
    ReaderLocale(accepted.and_then(Locale::from_accept_language)).speaks(&mut input);
    let client = service_tools::starting_client(context);
    let run = runs::start_run(service, StartRun { client, ..StartRun::new(agent, input) }).await?;
    let row = service.run(&run).await?;
    let mut progress = Progress::begin(service, &row, context).await?;
    let halt_reason = tokio::select! {
        halt_reason = wait_for_run::wait_until_halted(service, &run, None) => halt_reason?,
        fault = progress.report_until_error() => return Err(fault),
        () = context.ct.cancelled() => {
            service.ask_registry(Control { run: run.clone(), command: UserCommand::Stop }).await?;
            Some(HaltReason::Ended)
        }
    };
    progress.rest().await?;
    let row = service.run(&run).await?;
    Ok(match halt_reason {
        Some(HaltReason::Ended) => tool_results::ended_result(&row),
        Some(HaltReason::AwaitsAnswer | HaltReason::AwaitsMessage) => {
            tool_results::waiting_result(service, &handler.base(context), &row).await?
        }
        Some(HaltReason::Paused) => tool_results::paused_result(&handler.base(context), &row),
        None => tool_results::running_result(&handler.base(context), &row),
    })
}

/// Reports the events of the run's tree to a client that asked for progress.
struct Progress<'s> {
    row: &'s RunRow,
    to: Option<(Peer<RoleServer>, ProgressToken)>,
    follower: RunFollower<&'s Service>,
}

impl<'s> Progress<'s> {
    async fn begin(
        service: &'s Service,
        row: &'s RunRow,
        context: &RequestContext<RoleServer>,
    ) -> Result<Self, Problem> {
        let to = context.meta.get_progress_token().map(|token| (context.peer.clone(), token));
        Ok(Self { row, to, follower: RunFollower::begin(service, &row.id, 0).await? })
    }

    /// Reports events until an error occurs.
    async fn report_until_error(&mut self) -> Problem {
        loop {
            if let Err(fault) = self.rest().await {
                return fault;
            }
            if let Err(fault) = self.follower.wait_for_event().await {
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
            let facts = self.follower.next_events().await?;
            if facts.is_empty() {
                break;
            }
            last = facts.iter().rev().find_map(|fact| event_lines::line(fact, locale)).or(last);
        }
        if let Some(line) = last {
            let count = self.follower.last_read() as f64;
            let params = ProgressNotificationParam::new(token.clone(), count).with_message(line);
            // Errors are ignored, since the client may be gone.
            let _ = peer.notify_progress(params).await;
        }
        Ok(())
    }
}
