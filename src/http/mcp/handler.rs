//! The MCP server: its description, its list of tools, and calls to them.

use crate::http::mcp::context::Handler;
use crate::http::mcp::service_tools::ServiceTool;
use crate::http::mcp::{agent_tools, json_rpc_errors, service_tools, tool_calls};
use crate::http::service::run_blocking;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use std::sync::Arc;

/// Number of tools in one page of the list.
const PAGE: usize = 200;

const INSTRUCTIONS: &str = "Each tool is an agent of an Askfirst service on the person's own machine. A call runs \
    it and answers when it has ended. What is risky is asked of the person first: then the answer has the \
    question and a link for them, and the run waits; read how it went on with runs-read. Do not answer for them.";

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("askfirst", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let library = Arc::clone(&self.service.library);
        let offered = run_blocking(move || agent_tools::tools(&library)).await;
        let mut tools: Vec<Tool> = service_tools::tools();
        tools.extend(offered.map_err(|fault| ErrorData::internal_error(fault.detail, None))?);
        let after = request.and_then(|request| request.cursor);
        let begin = after.map_or(0, |after| {
            tools.iter().position(|tool| *tool.name == *after).map_or(tools.len(), |position| position + 1)
        });
        let more = tools.len() > begin + PAGE;
        let page: Vec<Tool> = tools.into_iter().skip(begin).take(PAGE).collect();
        let cursor = page.last().filter(|_| more).map(|tool| tool.name.to_string());
        let mut result = ListToolsResult::with_all_items(page);
        result.next_cursor = cursor;
        Ok(result)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let done = match ServiceTool::from_name(&request.name) {
            Some(own) => service_tools::call(self, own, arguments, &context).await,
            None => tool_calls::call(self, request.name.into_owned(), arguments, &context).await?,
        };
        Ok(done.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(json_rpc_errors::invalid_request_error(&request))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let peer = context.peer;
        self.change_notifier.begin(move || {
            let peer = peer.clone();
            async move { peer.notify_tool_list_changed().await.is_ok() }
        });
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::new();
        accepted.tools_list_changed = requested.tools_list_changed;
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changed = self.change_notifier.changes().follow();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                news = changed.changed() => {
                    let accepts_list_changes = context.accepted().tools_list_changed == Some(true);
                    if news.is_err() || (accepts_list_changes && context.sink().notify_tool_list_changed().await.is_err()) {
                        return Ok(());
                    }
                }
            }
        }
    }
}
