//! The service as a server of the Model Context Protocol, at `/mcp`: each agent is a tool. The protocol itself
//! (sessions, versions, streams) is rmcp's; here is what stands between it and actix, and what its calls do.

mod agents;
mod calls;
mod carried;
mod changes;
mod faults;
mod handler;
mod own;
mod sessions;
mod told;

use super::problem::Problem;
use super::service::Service;
use super::shapes;
use crate::config::Secret;
use actix_web::http::Method;
use actix_web::web::{self, Bytes, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use changes::{Changes, Teller};
use handler::Handler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use sessions::Sessions;
use std::sync::Arc;
use std::time::Duration;

pub const PATH: &str = "/mcp";

/// So often a silent stream shows that it is alive, and finds out that its client is gone: in newer versions of the
/// protocol that is how a call is cancelled.
const ALIVE: Duration = Duration::from_secs(2);

/// One for the whole service.
pub struct Mcp {
    protocol: StreamableHttpService<Handler, LocalSessionManager>,
    sessions: Sessions,
    changes: Changes,
}

impl Mcp {
    /// `base` is where the service is reached; `token` that of the settings: who has it may answer questions.
    pub fn new(service: Data<Service>, base: String, token: Option<Secret>) -> Self {
        let changes = Changes::new(Arc::clone(&service.catalogue));
        let followed = changes.clone();
        let handler = move || {
            let (service, own_base, token) = (service.clone(), base.clone(), token.clone());
            Ok(Handler { service, own_base, token, teller: Teller::of(&followed) })
        };
        let sessions = Sessions::new();
        // Names, origins and sizes are the guard's to judge, for all routes alike.
        let config = StreamableHttpServerConfig::default().disable_allowed_hosts();
        let config = config.with_sse_keep_alive(Some(ALIVE));
        let protocol = StreamableHttpService::new(handler, sessions.kept(), config);
        Self { protocol, sessions, changes }
    }

    /// How many clients are told when the agents change.
    pub fn listeners(&self) -> usize {
        self.changes.followers()
    }
}

/// Puts the path into an app; needs `web::Data<Mcp>` in its data.
pub fn configure(app: &mut ServiceConfig) {
    app.service(web::resource(PATH).to(speak));
}

/// Speak the Model Context Protocol (Streamable HTTP): its clients find agents there, and run them.
#[utoipa::path(method(post, get, delete), path = "/mcp", tag = "mcp", request_body = Option<Object>, responses(
    (status = 200, description = "Messages of the protocol, as JSON-RPC: an answer, or a stream of them; with 400 an error, of what is none.", content(
        (Object = "application/json"), (String = "text/event-stream"),
    )),
    (status = 202, description = "A notification was taken."),
    (status = 204, description = "A session has ended."),
    (status = 503, description = "`too_many_sessions`: all sessions are in use.", body = shapes::Fault),
))]
pub async fn speak(request: HttpRequest, body: Bytes, mcp: Data<Mcp>) -> Result<HttpResponse, Problem> {
    let named = sessions::named(request.headers());
    if named.is_none() && begins(&body) {
        mcp.sessions.make_room().await?;
    }
    let in_use = mcp.sessions.used(named).await;
    let answer = mcp.protocol.handle(carried::in_request(&request, body.clone())?).await;
    if request.method() == Method::DELETE && answer.status().is_success() {
        // rmcp says 202; the SDKs in Python and TypeScript take 200, 204 and 405 for the end of a session.
        return Ok(HttpResponse::NoContent().finish());
    }
    if let Some(fault) = faults::unread(&request, &body, &answer) {
        return Ok(fault);
    }
    let in_use = match in_use {
        Some(in_use) => Some(in_use),
        None => mcp.sessions.used(sessions::begun(&answer)).await,
    };
    Ok(carried::out_response(answer, in_use))
}

/// Whether this is how a client begins a session; newer versions of the protocol have none.
fn begins(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Message {
        method: String,
    }
    serde_json::from_slice(body).is_ok_and(|Message { method }| method == "initialize")
}
