//! The service as an MCP server at `/mcp`: each agent is a tool. The crate rmcp implements the protocol
//! (sessions, versions, streams); this module connects it to actix and implements the calls.

pub(crate) mod agent_changes;
pub(crate) mod agent_tools;
pub(crate) mod http_conversion;
pub(crate) mod json_rpc_errors;
pub(crate) mod service_tools;
pub(crate) mod tool_calls;
pub(crate) mod tool_results;
pub mod context;
pub mod handler;
pub(crate) mod sessions;

use crate::config::secret::Secret;
use crate::http::mcp::agent_changes::{ChangeNotifier, Changes};
use crate::http::mcp::context::Handler;
use crate::http::mcp::sessions::Sessions;
use crate::http::problem::Problem;
use crate::http::rest::runs::run_bodies;
use crate::http::service::Service;
use actix_web::http::Method;
use actix_web::web::{self, Bytes, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;

pub const PATH: &str = "/mcp";

/// Interval of keep-alive comments, which also detect that the client is gone. In newer versions of the
/// protocol, closing the stream cancels a call.
const ALIVE: Duration = Duration::from_secs(2);

/// State shared by the whole service.
pub struct Mcp {
    protocol: StreamableHttpService<Handler, LocalSessionManager>,
    sessions: Sessions,
    changes: Changes,
}

impl Mcp {
    /// Creates the server. `base` is the address of the service; `token` is the token of the settings, whose
    /// holders may answer questions.
    pub fn new(service: Data<Service>, base: String, token: Option<Secret>) -> Self {
        let changes = Changes::new(Arc::clone(&service.library));
        let followed = changes.clone();
        let handler = move || {
            let (service, own_base, token) = (service.clone(), base.clone(), token.clone());
            Ok(Handler { service, own_base, token, change_notifier: ChangeNotifier::for_changes(&followed) })
        };
        let sessions = Sessions::new();
        // The guard checks names, origins and sizes for all routes.
        let config = StreamableHttpServerConfig::default().disable_allowed_hosts();
        let config = config.with_sse_keep_alive(Some(ALIVE));
        let protocol = StreamableHttpService::new(handler, sessions.manager(), config);
        Self { protocol, sessions, changes }
    }

    /// Returns the number of clients subscribed to changes of the agents.
    pub fn listeners(&self) -> usize {
        self.changes.followers()
    }
}

/// Adds the path to an app, which needs `web::Data<Mcp>`.
pub fn configure(app: &mut ServiceConfig) {
    app.service(web::resource(PATH).to(handle_request));
}

/// Use the Model Context Protocol (Streamable HTTP), to list agents and run them.
#[utoipa::path(method(post, get, delete), path = "/mcp", tag = "mcp", request_body = Option<Object>, responses(
    (status = 200, description = "Messages of the protocol, as JSON-RPC: an answer, or a stream of them; with 400 an error, of what is none.", content(
        (Object = "application/json"), (String = "text/event-stream"),
    )),
    (status = 202, description = "A notification was taken."),
    (status = 204, description = "A session has ended."),
    (status = 503, description = "`too_many_sessions`: all sessions are in use.", body = run_bodies::Fault),
))]
pub async fn handle_request(
    request: HttpRequest,
    body: Bytes,
    mcp: Data<Mcp>,
) -> Result<HttpResponse, Problem> {
    let named = sessions::requested_id(request.headers());
    if named.is_none() && begins(&body) {
        mcp.sessions.make_room().await?;
    }
    let in_use = mcp.sessions.mark_in_use(named).await;
    let answer = mcp.protocol.handle(http_conversion::in_request(&request, body.clone())?).await;
    if request.method() == Method::DELETE && answer.status().is_success() {
        // rmcp answers 202; the SDKs in Python and TypeScript expect 200, 204 or 405 at the end of a session.
        return Ok(HttpResponse::NoContent().finish());
    }
    if let Some(fault) = json_rpc_errors::unparsed_body_error(&request, &body, &answer) {
        return Ok(fault);
    }
    let in_use = match in_use {
        Some(in_use) => Some(in_use),
        None => mcp.sessions.mark_in_use(sessions::opened_id(&answer)).await,
    };
    Ok(http_conversion::out_response(answer, in_use))
}

/// True if the body starts a session. Newer versions of the protocol have no sessions.
fn begins(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Message {
        method: String,
    }
    serde_json::from_slice(body).is_ok_and(|Message { method }| method == "initialize")
}
