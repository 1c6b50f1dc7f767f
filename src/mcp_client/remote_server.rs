//! A server at a URL, over Streamable HTTP. It receives only the headers from the settings, and redirects are
//! not followed, so that the headers go nowhere else.

use crate::config::mcp::McpServer;
use crate::mcp_client::line_limit::MESSAGE;
use http::{HeaderName, HeaderValue};
use reqwest::Client;
use reqwest::redirect::Policy;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use std::time::Duration;

const CONNECT: Duration = Duration::from_secs(10);
/// Maximum number of bytes read of an error response.
const ERROR: usize = 4 * 1024;

/// Creates the transport to an address, with the headers of the settings. Redirects are not followed.
pub fn transport(settings: &McpServer) -> Result<StreamableHttpClientTransport<Client>, String> {
    let client =
        Client::builder().connect_timeout(CONNECT).redirect(Policy::none()).pool_max_idle_per_host(0);
    let client = client.build().map_err(|fault| fault.to_string())?;
    let mut headers = std::collections::HashMap::new();
    for (name, value) in &settings.headers {
        let wrong = || format!("its header `{name}` cannot be sent");
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
        let mut value = HeaderValue::from_str(value.expose()).map_err(|_| wrong())?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    let url = settings.url.clone().unwrap_or_default();
    let config = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(headers)
        .max_sse_event_size(MESSAGE)
        .max_json_response_size(MESSAGE)
        .max_error_response_size(ERROR);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}
