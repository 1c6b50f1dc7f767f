//! `askfirst mcp`: the service as an MCP server on standard input and output, for clients that start their
//! servers themselves. Requests are passed on to `/mcp` of the service of the data folder.

pub(crate) mod proxy;
pub(crate) mod stdio;

use crate::cli::args::Mcp;
use crate::cli::client::api::Api;
use crate::cli::client::error::{ClientError, Exit};
use crate::cli::client::follow::interrupt::InterruptSignal;
use crate::cli::client::mcp::proxy::{ServiceProxy, Upstream};
use http::{HeaderName, HeaderValue};
use reqwest::header::AUTHORIZATION;
use rmcp::service::{serve_client, serve_server};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use std::collections::HashMap;

/// Header that forbids answering questions: the client mostly acts for a model, which must not answer for the
/// person.
const NO_ANSWERS: HeaderName = HeaderName::from_static("askfirst-no-answers");

/// Serves until standard input ends.
pub async fn serve(api: &Api, args: &Mcp, mut interrupted: InterruptSignal) -> Result<Exit, ClientError> {
    let config = config(api, args.may_answer)?;
    let client = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build();
    let client = client.map_err(|fault| ClientError::Client(fault.to_string()))?;
    let transport = StreamableHttpClientTransport::with_client(client, config);
    let upstream = Upstream::default();
    let lost = |cause: String| ClientError::Gone {
        address: api.access.base.clone(),
        cause,
        advice: String::from("check that it is running, or start it with `askfirst serve`"),
    };
    let service = serve_client(upstream.clone(), transport).await.map_err(|fault| lost(fault.to_string()))?;
    let (hear, say) = stdio::streams();
    let proxy = ServiceProxy::new(service.peer().clone(), upstream);
    let served = async {
        match serve_server(proxy, (hear, say)).await {
            Ok(running) => drop(running.waiting().await),
            // The client left before it sent anything.
            Err(fault) => tracing::debug!(%fault, "no client"),
        }
    };
    let exit = tokio::select! {
        () = served => Exit::Succeeded,
        () = interrupted.once() => Exit::Cancelled,
    };
    let _ = service.cancel().await;
    Ok(exit)
}

fn config(api: &Api, may_answer: bool) -> Result<StreamableHttpClientTransportConfig, ClientError> {
    let mut headers = HashMap::new();
    if let Some(token) = &api.access.token {
        let bearer = HeaderValue::from_str(&format!("Bearer {}", token.expose()));
        let mut bearer = bearer.map_err(|fault| ClientError::Client(fault.to_string()))?;
        bearer.set_sensitive(true);
        headers.insert(AUTHORIZATION, bearer);
    }
    if !may_answer {
        headers.insert(NO_ANSWERS, HeaderValue::from_static("1"));
    }
    let address = format!("{}/mcp", api.access.base);
    Ok(StreamableHttpClientTransportConfig::with_uri(address).custom_headers(headers))
}
