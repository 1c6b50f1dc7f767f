//! State of one MCP session: the service, and who calls.

use crate::config::secret::Secret;
use crate::http::mcp::agent_changes::ChangeNotifier;
use crate::http::service::Service;
use actix_web::web::Data;
use rmcp::service::{RequestContext, RoleServer};

/// Handler for one session, or for one request without a session.
pub struct Handler {
    pub service: Data<Service>,
    /// The address of the service on this machine, such as `http://127.0.0.1:8787`.
    pub own_base: String,
    /// `server.token` of the settings.
    pub token: Option<Secret>,
    pub change_notifier: ChangeNotifier,
}

/// The address by which the client reaches the service, such as `https://askfirst.example/askfirst`; set on
/// each request.
#[derive(Clone, Debug)]
pub struct ServiceAddress(pub String);

impl Handler {
    /// Returns the start of links to the UI: the address that this client uses.
    pub fn base(&self, context: &RequestContext<RoleServer>) -> String {
        let parts = context.extensions.get::<http::request::Parts>();
        let reached = parts.and_then(|parts| parts.extensions.get::<ServiceAddress>());
        reached.map_or_else(|| self.own_base.clone(), |ServiceAddress(base)| base.clone())
    }
}
