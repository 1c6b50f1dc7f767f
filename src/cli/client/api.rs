//! HTTP client of the service. The service is on this machine, so no proxy is used; the token is sent if
//! there is one.

use crate::cli::client::error::{ApiError, ClientError};
use crate::cli::client::terminal_language;
use crate::cli::client::terminal_language::terminal;
use crate::config::secret::Secret;
use crate::ids::SessionId;
use crate::protocol::caller::HEADER;
use crate::text::error_cause::describe_root_cause;
use crate::texts;
use reqwest::header::{
    ACCEPT, ACCEPT_LANGUAGE, AUTHORIZATION, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue,
    RETRY_AFTER,
};
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::Value;
use std::time::Duration;

pub const JSON: &str = "application/json";
pub const YAML: &str = "application/yaml";

/// Timeout of a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);
const CONNECT: Duration = Duration::from_secs(5);
/// Maximum number of attempts while the service answers 429.
const TRIES: u32 = 5;

/// Address and token of a service.
#[derive(Clone, Debug)]
pub struct Access {
    /// For example `http://127.0.0.1:8787`.
    pub base: String,
    pub token: Option<Secret>,
    /// True if the token may be shown to the person; a token of the settings is never printed.
    pub printable: bool,
    /// Process id of the service.
    pub pid: u32,
}

impl Access {
    /// Returns the address of the run's page, for a browser.
    pub fn format_page_address(&self, run: &str) -> String {
        match self.token.as_ref().filter(|_| self.printable) {
            Some(token) => {
                let token: String = url::form_urlencoded::byte_serialize(token.expose().as_bytes()).collect();
                format!("{}/?token={token}#/runs/{run}", self.base)
            }
            None => format!("{}/#/runs/{run}", self.base),
        }
    }
}

/// A successful response.
#[derive(Clone, Debug)]
pub struct ApiResponse {
    pub status: u16,
    pub etag: Option<String>,
    pub text: String,
}

pub struct Api {
    http: Client,
    pub access: Access,
}

impl Api {
    pub fn new(access: Access) -> Result<Self, ClientError> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static(terminal_language::terminal().tag()));
        if let Some(token) = &access.token {
            let bearer = HeaderValue::from_str(&format!("Bearer {}", token.expose()));
            let mut bearer = bearer.map_err(|fault| ClientError::Client(fault.to_string()))?;
            bearer.set_sensitive(true);
            headers.insert(AUTHORIZATION, bearer);
        }
        // Viewers see who answered a question.
        let name = format!("cli/{} askfirst {}", SessionId::fresh(), env!("CARGO_PKG_VERSION"));
        headers.extend(HeaderValue::from_str(&name).ok().map(|name| (HeaderName::from_static(HEADER), name)));
        let client = Client::builder().no_proxy().connect_timeout(CONNECT).default_headers(headers);
        let http = client.build().map_err(|fault| ClientError::Client(fault.to_string()))?;
        Ok(Self { http, access })
    }

    /// True if the service answers and accepts the token.
    pub async fn answers(&self) -> bool {
        self.get("/api/settings").await.is_ok()
    }

    /// Returns one agent as JSON.
    pub async fn agent(&self, name: &str) -> Result<Value, ClientError> {
        self.get(&format!("/api/agents/{}", segment(name))).await.map_err(|fault| unknown(name, fault))
    }

    pub async fn get(&self, path: &str) -> Result<Value, ClientError> {
        read(&self.send(self.request(Method::GET, path).header(ACCEPT, JSON)).await?.text)
    }

    /// Fetches the path as the media type `kind`.
    pub async fn text(&self, path: &str, kind: &str) -> Result<ApiResponse, ClientError> {
        self.send(self.request(Method::GET, path).header(ACCEPT, kind)).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, ClientError> {
        let request = self.request(Method::POST, path).header(CONTENT_TYPE, JSON).body(body.to_string());
        read(&self.send(request).await?.text)
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.access.base))
    }

    /// Sends a request, and repeats it while the service answers 429. An error response becomes
    /// `ClientError::Refused`.
    pub async fn send(&self, request: RequestBuilder) -> Result<ApiResponse, ClientError> {
        let mut tried = 0;
        loop {
            tried += 1;
            let Some(again) = request.try_clone() else { return Err(self.service_gone("the body was sent")) };
            let answer =
                again.timeout(REQUEST_TIMEOUT).send().await.map_err(|fault| self.connection_error(&fault))?;
            let busy = answer.status().as_u16() == 429 && tried < TRIES;
            if !busy {
                return self.read_response(answer).await;
            }
            let seconds =
                answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
            tokio::time::sleep(Duration::from_secs(seconds.unwrap_or(1).min(10))).await;
        }
    }

    async fn read_response(&self, answer: Response) -> Result<ApiResponse, ClientError> {
        let status = answer.status();
        let etag = answer.headers().get(ETAG).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let text = answer.text().await.map_err(|fault| self.connection_error(&fault))?;
        if status.is_success() {
            return Ok(ApiResponse { status: status.as_u16(), etag, text });
        }
        Err(ClientError::Refused(refusal(status.as_u16(), &text)))
    }

    /// Opens a stream of server-sent events.
    pub async fn stream(&self, path: &str) -> Result<Response, ClientError> {
        let request = self.request(Method::GET, path).header(ACCEPT, "text/event-stream");
        let answer = request.send().await.map_err(|fault| self.connection_error(&fault))?;
        if answer.status().is_success() {
            Ok(answer)
        } else {
            Err(self.read_response(answer).await.err().unwrap_or_else(|| self.service_gone("no stream")))
        }
    }

    fn connection_error(&self, fault: &reqwest::Error) -> ClientError {
        self.service_gone(&describe_root_cause(fault))
    }

    fn service_gone(&self, cause: &str) -> ClientError {
        ClientError::Gone {
            address: self.access.base.clone(),
            cause: cause.to_owned(),
            advice: texts::terminal::check_service(terminal()).to_owned(),
        }
    }
}

/// Encodes a name as one segment of a path.
pub fn segment(name: &str) -> String {
    url::form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>().replace('+', "%20")
}

/// Turns a 404 about an agent into a usage error.
pub fn unknown(name: &str, fault: ClientError) -> ClientError {
    match fault {
        ClientError::Refused(refusal) if refusal.status == 404 => {
            ClientError::Usage(format!("there is no agent {name}; `askfirst agents list` has them all"))
        }
        fault => fault,
    }
}

fn read(text: &str) -> Result<Value, ClientError> {
    serde_json::from_str(text).map_err(|fault| ClientError::Unreadable(fault.to_string()))
}

fn refusal(status: u16, body: &str) -> ApiError {
    let body_json: Value = serde_json::from_str(body).unwrap_or_default();
    let word = |name: &str| body_json[name].as_str().map(str::to_owned);
    ApiError {
        status,
        code: word("code").unwrap_or_default(),
        detail: word("detail").unwrap_or_else(|| format!("the service answered with status {status}")),
        faults: body_json["faults"].as_array().cloned().unwrap_or_default(),
        names: body_json["names"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_a_run_lets_its_person_in() {
        let mut access =
            Access { base: String::from("http://127.0.0.1:1"), token: None, printable: true, pid: 1 };
        assert_eq!(access.format_page_address("r"), "http://127.0.0.1:1/#/runs/r");
        access.token = Some(Secret::new("a b&c"));
        assert_eq!(access.format_page_address("r"), "http://127.0.0.1:1/?token=a+b%26c#/runs/r");
        access.printable = false;
        assert_eq!(
            access.format_page_address("r"),
            "http://127.0.0.1:1/#/runs/r",
            "one of the settings is not printed"
        );
    }

    #[test]
    fn a_refusal_is_reported_in_the_words_of_the_service() {
        let refused = refusal(404, r#"{"code": "unknown_agent", "detail": "there is no agent x"}"#);
        assert_eq!(
            (refused.code.as_str(), refused.to_string().as_str()),
            ("unknown_agent", "there is no agent x")
        );
        assert_eq!(refusal(502, "<html>").to_string(), "the service answered with status 502");
    }
}
