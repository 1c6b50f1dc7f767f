//! Client of an OpenAI-compatible endpoint: one call with its retries. Transient errors (429, 5xx, a lost
//! connection) are retried with growing pauses, or after the pause that the endpoint requests; other errors
//! are returned at once. Dropping a call aborts its request.

use super::bounded;
use super::estimate::UsageWarning;
use super::ordered::InSchemaOrder;
use super::recorded_call::{CallContext, recorded_result};
use super::reply::Completion;
use crate::clock::Moment;
use crate::config::{self, Secret};
use crate::record::{self, CallRecorder};
use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use reqwest::header::{AUTHORIZATION, HeaderMap, RETRY_AFTER};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

/// Default base URL, if only a key is set.
pub(super) const OPENAI: &str = "https://api.openai.com/v1";
/// Longest pause that an endpoint may request.
const PATIENCE: Duration = Duration::from_secs(60);
const FIRST_PAUSE: Duration = Duration::from_millis(400);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Error in the settings of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    #[error("`model.base_url` is not an http or https address; set it to one, as http://127.0.0.1:11434/v1")]
    BaseUrl,
    #[error(
        "`model.api_key` contains characters that no key has; set it again, without spaces or line breaks"
    )]
    ApiKey,
    #[error("the HTTP client could not be created for the model: {0}")]
    Client(String),
}

/// Error of a model call.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallError {
    #[error("status {status}: {message}")]
    Rejected { status: u16, code: String, message: String, retry_after: Option<Duration> },
    #[error("no connection: {0}")]
    Unreachable(String),
    #[error("no answer in time")]
    TimedOut,
    #[error("the answer was cut off: {0}")]
    BrokeOff(String),
    #[error("the answer is not a chat completion: {0}")]
    Unreadable(String),
}

#[derive(Clone, Debug)]
pub struct Endpoint {
    client: Client<OpenAIConfig>,
    retries: u32,
    key: Option<Secret>,
    untold: UsageWarning,
}

impl Endpoint {
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
        let sent = key.clone();
        let service = tower::service_fn(move |factory| send(http.clone(), sent.clone(), factory));
        let client = Client::with_config(config).with_http_service(service);
        Ok(Self { client, retries: settings.retries, key, untold: UsageWarning::default() })
    }

    /// Sends a request, with retries as the settings allow, and records the answer with the step that sends
    /// it. A replayed step returns its recorded answer.
    pub async fn complete(&self, asks: CallContext<'_>, request: &Value) -> Result<Completion, CallError> {
        if let Some(answer) = record::answered(asks.role, request).await {
            return recorded_result(answer);
        }
        let listening = CallRecorder::begin(asks.role, request);
        let answer = self.send_with_retries(request).await;
        listening.ended(|call| asks.record(call, &answer));
        answer
    }

    /// Sends a request with retries and without recording.
    pub(super) async fn send_with_retries(&self, request: &Value) -> Result<Completion, CallError> {
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
        let completion: Completion =
            self.client.chat().create_byot(InSchemaOrder(request)).await.map_err(call_error)?;
        match completion.error {
            None | Some(Value::Null) => Ok(self.untold.counted(completion, request)),
            Some(error) => Err(rejected(200, None, &json!({ "error": error }).to_string())),
        }
    }
}

pub(super) fn http_client(url: &url::Url, timeout: Duration) -> Result<reqwest::Client, SetupError> {
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
        return bounded::read_response(response, key.as_ref()).await.map_err(OpenAIError::Reqwest);
    }
    let retry_after = retry_after(response.headers());
    let body = bounded::read_error_text(response, key.as_ref()).await.map_err(OpenAIError::Reqwest)?;
    Err(OpenAIError::Boxed(Box::new(rejected(status.as_u16(), retry_after, &body))))
}

pub(super) fn rejected(status: u16, retry_after: Option<Duration>, body: &str) -> CallError {
    let said: Value = serde_json::from_str(body).unwrap_or_default();
    let error = said.get("error").unwrap_or(&said);
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
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(500).collect();
    CallError::Rejected { status, code, message, retry_after }
}

/// Reads the requested pause: seconds or a date (RFC 9110), or milliseconds as OpenAI sends them.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(millis) = text("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(Duration::from_millis(millis));
    }
    let after = text(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = after.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(after).ok()?.timestamp().as_millisecond();
    Some(Duration::from_millis(u64::try_from(date - Moment::now().millis()).unwrap_or(0)))
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
pub(super) fn sending_error(fault: &reqwest::Error) -> CallError {
    match fault {
        fault if fault.is_timeout() => CallError::TimedOut,
        fault if fault.is_body() || fault.is_decode() => CallError::BrokeOff(root_of(fault)),
        fault => CallError::Unreachable(root_of(fault)),
    }
}

/// Returns the innermost cause: `connection refused` instead of `error sending request`.
fn root_of(fault: &dyn std::error::Error) -> String {
    let mut root = fault;
    while let Some(source) = root.source() {
        root = source;
    }
    root.to_string()
}

impl CallError {
    /// Masks the key in the error. Endpoints repeat a key that they refuse, and errors are logged, stored and
    /// shown.
    pub(super) fn mask_key(mut self, key: Option<&Secret>) -> Self {
        if let (Self::Rejected { message, code, .. }, Some(key)) = (&mut self, key) {
            for text in [message, code] {
                *text = text.replace(key.expose().trim(), "••••");
            }
        }
        self
    }

    /// Returns the pause before the next attempt; `None` if a retry cannot help.
    fn pause(&self, tried: u32) -> Option<Duration> {
        let backed_off = backoff_pause(tried);
        match self {
            Self::Rejected { code, .. } if code.contains("insufficient_quota") => None,
            Self::Rejected { status: 408 | 409 | 425 | 429 | 500..=599, retry_after, .. } => {
                match retry_after {
                    Some(asked) => (*asked <= PATIENCE).then_some(*asked),
                    None => Some(backed_off),
                }
            }
            Self::Rejected { .. } | Self::Unreadable(_) => None,
            // The call was long already; one retry is as much as a person would wait for.
            Self::TimedOut => (tried < 1).then_some(backed_off),
            Self::Unreachable(_) | Self::BrokeOff(_) => Some(backed_off),
        }
    }

    /// True if the endpoint does not support the requested `response_format`.
    pub fn refuses_format(&self) -> bool {
        const WORDS: [&str; 7] = [
            "response_format",
            "json_schema",
            "json schema",
            "json_object",
            "structured output",
            "guided",
            "grammar",
        ];
        match self {
            Self::Rejected { status: 400 | 404 | 422 | 500 | 501, code, message, .. } => {
                let said = format!("{code} {message}").to_lowercase();
                WORDS.iter().any(|word| said.contains(word))
            }
            Self::Rejected { .. }
            | Self::Unreachable(_)
            | Self::TimedOut
            | Self::BrokeOff(_)
            | Self::Unreadable(_) => false,
        }
    }

    /// True if the model does not accept a temperature.
    pub fn refuses_temperature(&self) -> bool {
        matches!(self, Self::Rejected { status: 400 | 422, code, message, .. }
            if format!("{code} {message}").to_lowercase().contains("temperature"))
    }

    /// True if another model at the same endpoint may succeed.
    pub fn may_succeed_with_another_model(&self) -> bool {
        match self {
            Self::Rejected { status, .. } => !matches!(status, 401 | 403),
            Self::TimedOut | Self::BrokeOff(_) | Self::Unreadable(_) => true,
            Self::Unreachable(_) => false,
        }
    }
}

/// Doubles the pause with each attempt, with a random factor from one half to one, so that many runs do not
/// retry at the same moment.
fn backoff_pause(tried: u32) -> Duration {
    let whole = FIRST_PAUSE.saturating_mul(2u32.saturating_pow(tried)).min(LONGEST_PAUSE);
    let random = crate::ids::token();
    let spread = u32::from_str_radix(&random[random.len() - 4..], 16).unwrap_or(0);
    whole / 2 + whole.mul_f64(f64::from(spread) / f64::from(0xffff_u32) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(name: &'static str, value: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().expect("a header"));
        retry_after(&headers)
    }

    #[test]
    fn a_pause_is_asked_for_in_three_ways() {
        assert_eq!(asked("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(asked("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        assert_eq!(asked("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        let later = asked("retry-after", "Thu, 01 Jan 2099 00:00:00 GMT").expect("a pause");
        assert!(later > Duration::from_secs(3600));
        assert_eq!(asked("retry-after", "soon"), None);
    }

    #[test]
    fn an_api_key_repeated_by_an_endpoint_is_masked() {
        let said = rejected(401, None, r#"{"error":{"message":"wrong key sk-abc","code":"sk-abc"}}"#);
        let told = format!("{:?}", said.mask_key(Some(&Secret::new("sk-abc "))));
        assert!(told.contains("wrong key ••••") && !told.contains("sk-abc"), "{told}");
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
