//! Client of an OpenAI-compatible endpoint: one call with its retries. Transient errors (429, 5xx, a lost
//! connection) are retried with growing pauses, or after the pause that the endpoint requests; other errors
//! are returned at once. Dropping a call aborts its request.

pub(crate) mod context_fit;
pub(crate) mod dialect;
pub(crate) mod limited_response;
pub(crate) mod property_order;
pub(crate) mod token_estimate;
pub mod error;
pub(crate) mod advice;
pub(crate) mod recorded_call;
pub(crate) mod reply;
pub mod streaming;
pub(crate) mod structured_output;

use crate::config::secret::Secret;
use crate::model::endpoint::dialect::Dialect;
use crate::model::endpoint::error::{CallError, SetupError, retry_after};
use crate::model::endpoint::property_order::InSchemaOrder;
use crate::model::endpoint::recorded_call::{CallContext, recorded_result};
use crate::model::endpoint::reply::Completion;
use crate::model::endpoint::token_estimate::UsageWarning;
use crate::record::CallRecorder;
use crate::text::error_cause::describe_root_cause;
use crate::text::truncate::{one_line, truncate_unmarked};
use crate::{config, record};
use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use reqwest::header::AUTHORIZATION;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Default base URL, if only a key is set.
pub(crate) const OPENAI: &str = "https://api.openai.com/v1";
/// An OpenAI-compatible endpoint, with its key and its retries.
#[derive(Clone, Debug)]
pub struct Endpoint {
    client: Client<OpenAIConfig>,
    /// The same for streamed answers.
    http: reqwest::Client,
    base: String,
    dialect: Arc<Dialect>,
    retries: u32,
    key: Option<Secret>,
    usage_warning: UsageWarning,
}

impl Endpoint {
    /// Creates an endpoint from the settings. Fails if the address or the key cannot be used; nothing is sent.
    pub fn new(settings: &config::Model) -> Result<Self, SetupError> {
        let base = settings.base_url.as_deref().unwrap_or(OPENAI).trim_end_matches('/');
        let url = url::Url::parse(base).map_err(|_| SetupError::BaseUrl)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(SetupError::BaseUrl);
        }
        let key = settings.api_key.as_ref().map_or("", |key| key.expose().trim());
        if !key.chars().all(|c| c.is_ascii_graphic()) {
            return Err(SetupError::ApiKey);
        }
        let http = http_client(&url, Duration::from_secs(settings.timeout_s))?;
        let config = OpenAIConfig::new().with_api_base(base).with_api_key(key).with_org_id("");
        let key = settings.api_key.clone().filter(|_| !key.is_empty());
        let (sent, plain) = (key.clone(), http.clone());
        let service = tower::service_fn(move |factory| send(plain.clone(), sent.clone(), factory));
        let client = Client::with_config(config).with_http_service(service);
        let (base, dialect) = (base.to_owned(), Arc::new(Dialect::new(settings, base == OPENAI)));
        let retries = settings.retries;
        Ok(Self { client, http, base, dialect, retries, key, usage_warning: UsageWarning::default() })
    }

    /// Sends a request, with retries as the settings allow, and records the answer with the step that sends
    /// it. A replayed step returns its recorded answer.
    pub async fn complete(&self, asks: CallContext<'_>, request: &Value) -> Result<Completion, CallError> {
        if let Some(answer) = record::recorded_answer(asks.role, request).await {
            return recorded_result(answer);
        }
        let listening = CallRecorder::begin(asks.role, request);
        let answer = self.send_with_retries(request).await;
        listening.finish(|call| asks.record(call, &answer));
        answer
    }

    /// Sends a request without recording, in the form that the endpoint takes, with retries.
    pub(crate) async fn send_with_retries(&self, request: &Value) -> Result<Completion, CallError> {
        /// Most forms of one request that are tried.
        const FORMS: usize = 8;
        let mut body = self.dialect.adapt(request)?;
        let mut tried = 0;
        loop {
            let was_streamed = self.dialect.streams();
            let fault = match self.send_form(&body).await {
                Ok(completion) => {
                    self.dialect.note_usage(&body, &completion);
                    return Ok(completion);
                }
                Err(fault) => fault,
            };
            tried += 1;
            if tried >= FORMS || !self.dialect.learn(&fault, &body) {
                return Err(fault);
            }
            let next = self.dialect.adapt(request)?;
            if next == body && was_streamed == self.dialect.streams() {
                return Err(fault);
            }
            body = next;
        }
    }

    /// Sends a request with retries.
    async fn send_form(&self, request: &Value) -> Result<Completion, CallError> {
        let mut tried = 0;
        loop {
            let fault = match self.send_once(request).await {
                Ok(completion) => return Ok(completion),
                Err(fault) => fault.mask_key(self.key.as_ref()),
            };
            let pause = fault.pause(tried).filter(|_| tried < self.retries);
            tracing::warn!(%fault, tried, retry = pause.is_some(), "model call failed");
            match pause {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return Err(fault),
            }
            tried += 1;
        }
    }

    async fn send_once(&self, request: &Value) -> Result<Completion, CallError> {
        let drafts = streaming::current_drafts().filter(|_| self.dialect.streams());
        let completion: Completion = match drafts {
            Some(drafts) => streaming::send_streamed(self, request, &drafts).await?,
            None => self.client.chat().create_byot(InSchemaOrder(request)).await.map_err(call_error)?,
        };
        match completion.error {
            None | Some(Value::Null) => Ok(self.usage_warning.with_estimates(completion, request)),
            Some(error) => Err(rejection(200, None, &json!({ "error": error }).to_string())),
        }
    }
}

pub(crate) fn http_client(url: &url::Url, timeout: Duration) -> Result<reqwest::Client, SetupError> {
    let host = url.host_str().filter(|host| !host.is_empty()).ok_or(SetupError::BaseUrl)?;
    let mut client =
        reqwest::Client::builder().timeout(timeout).connect_timeout(timeout.min(Duration::from_secs(10)));
    // Neither the key nor what the model is asked goes to another address than the one that was set.
    client = client.redirect(reqwest::redirect::Policy::none());
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    if bare.eq_ignore_ascii_case("localhost")
        || bare.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
    {
        // A proxy cannot reach a server that listens only on this machine.
        client = client.no_proxy();
    }
    client.build().map_err(|fault| SetupError::Client(fault.to_string()))
}

/// Sends one request. The client of async-openai would retry by its own rules and drop the headers of error
/// responses, so both are handled here.
async fn send(
    http: reqwest::Client,
    key: Option<Secret>,
    factory: HttpRequestFactory,
) -> Result<reqwest::Response, OpenAIError> {
    let mut request = factory.build().await?;
    if key.is_none() {
        request.headers_mut().remove(AUTHORIZATION);
    }
    let response = http.execute(request).await.map_err(OpenAIError::Reqwest)?;
    let status = response.status();
    if status.is_success() {
        return limited_response::read_response(response, key.as_ref()).await.map_err(OpenAIError::Reqwest);
    }
    let retry_after = retry_after(response.headers());
    let body =
        limited_response::read_error_text(response, key.as_ref()).await.map_err(OpenAIError::Reqwest)?;
    Err(OpenAIError::Boxed(Box::new(rejection(status.as_u16(), retry_after, &body))))
}

pub(crate) fn rejection(status: u16, retry_after: Option<Duration>, body: &str) -> CallError {
    let body_json: Value = serde_json::from_str(body).unwrap_or_default();
    let error = body_json.get("error").unwrap_or(&body_json);
    let word = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let message = [word("message"), error.as_str().unwrap_or_default(), word("detail"), body];
    let message = message.into_iter().find(|text| !text.is_empty()).unwrap_or("no reason given");
    let code = [word("code"), word("type"), word("param")].join(" ").trim().to_owned();
    // Some gateways wrap another server's error status into a 200 response.
    let status = match error.get("code").and_then(Value::as_u64) {
        Some(inner) if status == 200 => u16::try_from(inner).unwrap_or(502),
        _ if status == 200 => 502,
        _ => status,
    };
    let message = truncate_unmarked(&one_line(message), 500);
    CallError::Rejected { status, code, message, retry_after }
}

fn call_error(fault: OpenAIError) -> CallError {
    match fault {
        OpenAIError::Boxed(inner) => match inner.downcast::<CallError>() {
            Ok(rejected) => *rejected,
            Err(other) => CallError::Unreadable(other.to_string()),
        },
        OpenAIError::Reqwest(fault) => sending_error(&fault),
        OpenAIError::JSONDeserialize(fault, _) => CallError::Unreadable(fault.to_string()),
        other => CallError::Unreadable(other.to_string()),
    }
}

/// Converts an error of sending a request or reading its response.
pub(crate) fn sending_error(fault: &reqwest::Error) -> CallError {
    match fault {
        fault if fault.is_timeout() => CallError::TimedOut,
        fault if fault.is_body() || fault.is_decode() => CallError::BrokeOff(describe_root_cause(fault)),
        fault => CallError::Unreachable(describe_root_cause(fault)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::endpoint::error::backoff_pause;
    use reqwest::header::HeaderMap;

    fn parsed_retry_after(name: &'static str, value: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().expect("a header"));
        retry_after(&headers)
    }

    #[test]
    fn a_pause_is_asked_for_in_three_ways() {
        assert_eq!(parsed_retry_after("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(parsed_retry_after("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        assert_eq!(parsed_retry_after("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        let later = parsed_retry_after("retry-after", "Thu, 01 Jan 2099 00:00:00 GMT").expect("a pause");
        assert!(later > Duration::from_secs(3600));
        assert_eq!(parsed_retry_after("retry-after", "soon"), None);
    }

    #[test]
    fn an_api_key_repeated_by_an_endpoint_is_masked() {
        let error = rejection(401, None, r#"{"error":{"message":"wrong key sk-abc","code":"sk-abc"}}"#);
        let shown = format!("{:?}", error.mask_key(Some(&Secret::new("sk-abc "))));
        assert!(shown.contains("wrong key ••••") && !shown.contains("sk-abc"), "{shown}");
    }

    #[test]
    fn pauses_grow_and_are_bounded() {
        for (tried, whole) in [(0, 400), (1, 800), (2, 1600), (10, 10_000), (40, 10_000)] {
            let pause = backoff_pause(tried);
            let whole = Duration::from_millis(whole);
            assert!(pause >= whole / 2 && pause <= whole, "{tried}: {pause:?}");
        }
    }
}
