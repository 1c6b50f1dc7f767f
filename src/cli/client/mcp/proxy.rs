//! Proxy between an MCP client on standard input and output and the service. Each side uses its own version
//! of the protocol. Calls are passed to the service, results and progress back; a call cancelled by the
//! client is cancelled at the service.

use rmcp::ErrorData;
use rmcp::handler::client::ClientHandler;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResponse, CancelledNotificationParam, ClientCapabilities,
    ClientConfig, Implementation, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ProgressToken, ResultType, ServerCapabilities, ServerConfig, ServerResult, SubscriptionFilter,
};
use rmcp::service::{
    NotificationContext, Peer, PeerRequestOptions, RequestContext, RoleClient, RoleServer, ServiceError,
    SubscriptionContext,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Client and token for the progress of each call, by the service's token.
type Calls = HashMap<ProgressToken, (Peer<RoleServer>, ProgressToken)>;

/// Receives notifications from the service.
#[derive(Clone)]
pub struct Upstream {
    calls: Arc<Mutex<Calls>>,
    changes: watch::Sender<u64>,
}

impl Default for Upstream {
    fn default() -> Self {
        Self { calls: Arc::default(), changes: watch::channel(0).0 }
    }
}

impl Upstream {
    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientHandler for Upstream {
    fn get_info(&self) -> ClientConfig {
        let me = Implementation::new("askfirst-mcp", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), me)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changes.send_modify(|count| *count += 1);
    }

    async fn on_progress(
        &self,
        mut notification: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let to = self.calls().get(&notification.progress_token).cloned();
        if let Some((peer, token)) = to {
            notification.progress_token = token;
            let _ = peer.notify_progress(notification).await;
        }
    }
}

#[derive(Clone)]
pub struct ServiceProxy {
    service: Peer<RoleClient>,
    upstream: Upstream,
}

impl ServiceProxy {
    pub fn new(service: Peer<RoleClient>, upstream: Upstream) -> Self {
        Self { service, upstream }
    }

    async fn call(
        &self,
        params: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ServiceError> {
        let request = CallToolRequest::new(params).into();
        let request_handle =
            self.service.send_cancellable_request(request, PeerRequestOptions::no_options()).await?;
        let (id, token) = (request_handle.id.clone(), request_handle.progress_token.clone());
        if let Some(wanted) = context.meta.get_progress_token() {
            self.upstream.calls().insert(token.clone(), (context.peer.clone(), wanted));
        }
        let done = tokio::select! {
            done = request_handle.await_response() => done,
            () = context.ct.cancelled() => {
                let words = Some(String::from("cancelled by the client"));
                self.service.notify_cancelled(CancelledNotificationParam::new(Some(id), words)).await?;
                Err(ServiceError::Cancelled { reason: None })
            }
        };
        self.upstream.calls().remove(&token);
        match done? {
            ServerResult::CallToolResult(mut result) => {
                // Older versions of the protocol omit it; newer ones require it.
                result.result_type = Some(ResultType::COMPLETE);
                Ok(result.into())
            }
            _ => Err(ServiceError::UnexpectedResponse),
        }
    }
}

impl ServerHandler for ServiceProxy {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        let me = Implementation::new("askfirst", env!("CARGO_PKG_VERSION"));
        let config = ServerConfig::new(capabilities).with_server_info(me);
        let words = self.service.peer_info().and_then(|info| info.instructions.clone());
        words.into_iter().fold(config, |config, words| config.with_instructions(words))
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let page = page.map(|page| PaginatedRequestParams::default().with_cursor(page.cursor));
        let mut tools = self.service.list_tools(page).await.map_err(protocol_error)?;
        tools.result_type = Some(ResultType::COMPLETE);
        Ok(tools)
    }

    async fn call_tool(
        &self,
        mut params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // Protocol metadata concerns only the connection to the client.
        params.meta = None;
        self.call(params, &context).await.map_err(protocol_error)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "it ends with the streams, when nobody can be told any more"
    )]
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let mut changes = self.upstream.changes.subscribe();
        tokio::spawn(async move {
            while changes.changed().await.is_ok() {
                if context.peer.notify_tool_list_changed().await.is_err() {
                    return;
                }
            }
        });
    }

    fn accepted_subscription_filter(&self, wanted: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::new();
        accepted.tools_list_changed = wanted.tools_list_changed;
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.upstream.changes.subscribe();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                news = changes.changed() => {
                    if news.is_err() || context.sink().notify_tool_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
}

fn protocol_error(fault: ServiceError) -> ErrorData {
    match fault {
        ServiceError::McpError(error) => error,
        other => ErrorData::internal_error(format!("the service: {other}"), None),
    }
}
