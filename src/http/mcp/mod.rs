//! The service as a server of the Model Context Protocol, at `/mcp`: each agent is a tool. The protocol itself
//! (sessions, versions, streams) is rmcp's; here is what stands between it and actix, and what its calls do.

mod agents;
mod calls;
mod carried;
mod changes;
mod handler;
mod own;
mod told;

use super::problem::Problem;
use super::service::Service;
use crate::config::Secret;
use actix_web::http::StatusCode;
use actix_web::web::{self, Bytes, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use changes::Changes;
use handler::Handler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;
use std::time::Duration;

pub const PATH: &str = "/mcp";

/// Clients of older protocol versions keep a session; who would be one more is sent away.
const SESSIONS: usize = 500;
/// One that says nothing for so long is forgotten. Its longest call is far shorter.
const IDLE: Duration = Duration::from_secs(60 * 60);
/// So often a silent stream shows that it is alive, and finds out that its client is gone: in newer versions of the
/// protocol that is how a call is cancelled.
const ALIVE: Duration = Duration::from_secs(2);

/// One for the whole service.
pub struct Mcp {
    protocol: StreamableHttpService<Handler, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
}

impl Mcp {
    /// `base` is where the service is reached; `token` that of the settings: who has it may answer questions.
    pub fn new(service: Data<Service>, base: String, token: Option<Secret>) -> Self {
        let changes = Changes::new(Arc::clone(&service.catalogue));
        let handler = Handler { service, base, token, changes };
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(IDLE);
        let sessions = Arc::new(sessions);
        // Names, origins and sizes are the guard's to judge, for all routes alike.
        let config = StreamableHttpServerConfig::default().disable_allowed_hosts();
        let config = config.with_sse_keep_alive(Some(ALIVE));
        let protocol = StreamableHttpService::new(move || Ok(handler.clone()), Arc::clone(&sessions), config);
        Self { protocol, sessions }
    }

    async fn is_full(&self, request: &HttpRequest) -> bool {
        !request.headers().contains_key("mcp-session-id")
            && self.sessions.sessions.read().await.len() >= SESSIONS
    }
}

/// Puts the path into an app; needs `web::Data<Mcp>` in its data.
pub fn configure(app: &mut ServiceConfig) {
    app.service(web::resource(PATH).to(speak));
}

async fn speak(request: HttpRequest, body: Bytes, mcp: Data<Mcp>) -> Result<HttpResponse, Problem> {
    if mcp.is_full(&request).await {
        let detail = format!("{SESSIONS} clients have a session here; try again when one of them has ended");
        let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_sessions", detail);
        return Err(problem.retry_after(60));
    }
    let asked = carried::in_request(&request, body)?;
    Ok(carried::out_response(mcp.protocol.handle(asked).await))
}
