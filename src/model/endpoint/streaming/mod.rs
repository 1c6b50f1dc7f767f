//! Answers that a person reads while the model writes them. The caller sets where drafts go (`with_drafts`); the
//! endpoint then streams, and the assembled answer is the same as without a stream.

pub(crate) mod event_stream;
pub(crate) mod response_draft;

use crate::clock::Stopwatch;
use crate::model::endpoint::error::{CallError, retry_after};
use crate::model::endpoint::property_order::InSchemaOrder;
use crate::model::endpoint::reply::Completion;
use crate::model::endpoint::{Endpoint, limited_response, rejection, sending_error};
use crate::turn::typed_secret::MASK;
use reqwest::header::CONTENT_TYPE;
use response_draft::response_so_far;
use serde_json::{Value, json};
use std::sync::Arc;

/// Shortest time between two drafts in milliseconds.
const PAUSE_MS: u64 = 80;

/// Receives the message to the person as far as the model has written it, each time from its begin.
#[derive(Clone)]
pub struct DraftSink(Arc<dyn Fn(&str) + Send + Sync>);

impl DraftSink {
    pub fn new(send: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(send))
    }
}

tokio::task_local! {
    static DRAFTS: DraftSink;
}

/// Runs a call whose answer is shown as it is written.
pub async fn with_drafts<F: Future>(drafts: DraftSink, call: F) -> F::Output {
    DRAFTS.scope(drafts, call).await
}

pub(crate) fn current_drafts() -> Option<DraftSink> {
    DRAFTS.try_with(Clone::clone).ok()
}

/// Sends a request, and reads its answer as a stream if the endpoint streams.
pub(crate) async fn send_streamed(
    endpoint: &Endpoint,
    request: &Value,
    drafts: &DraftSink,
) -> Result<Completion, CallError> {
    let unreadable = |fault: &dyn std::fmt::Display| CallError::Unreadable(fault.to_string());
    let mut body = request.clone();
    body["stream"] = json!(true);
    body["stream_options"] = json!({ "include_usage": true });
    let body = serde_json::to_string(&InSchemaOrder(&body)).map_err(|fault| unreadable(&fault))?;
    let url = format!("{}/chat/completions", endpoint.base);
    let mut sent = endpoint.http.post(url).header(CONTENT_TYPE, "application/json").body(body);
    let key = endpoint.key.as_ref();
    if let Some(key) = key {
        sent = sent.bearer_auth(key.expose().trim());
    }
    let response = sent.send().await.map_err(|fault| sending_error(&fault))?;
    if !response.status().is_success() {
        let (status, pause) = (response.status().as_u16(), retry_after(response.headers()));
        let text = limited_response::read_error_text(response, key).await;
        return Err(rejection(status, pause, &text.map_err(|fault| sending_error(&fault))?));
    }
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.starts_with("text/event-stream") {
        let whole =
            limited_response::read_response(response, key).await.map_err(|fault| sending_error(&fault))?;
        let bytes = whole.bytes().await.map_err(|fault| sending_error(&fault))?;
        return serde_json::from_slice(&bytes).map_err(|fault| unreadable(&fault));
    }
    let mut shown = Draft::new(drafts, key.map(|key| key.expose().trim()));
    event_stream::read_stream(response, key, |content| shown.update(content)).await
}

/// The draft of one answer.
struct Draft<'a> {
    drafts: &'a DraftSink,
    key: Option<&'a str>,
    sent: usize,
    since: Option<Stopwatch>,
}

impl<'a> Draft<'a> {
    fn new(drafts: &'a DraftSink, key: Option<&'a str>) -> Self {
        Self { drafts, key, sent: 0, since: None }
    }

    /// Sends what can be read of the message so far, if it has grown and the last draft was not just now.
    fn update(&mut self, content: &str) {
        if self.since.as_ref().is_some_and(|since| since.millis() < PAUSE_MS) {
            return;
        }
        let Some(mut text) = response_so_far(content).filter(|text| text.len() > self.sent) else { return };
        self.sent = text.len();
        if let Some(key) = self.key.filter(|key| !key.is_empty() && text.contains(key)) {
            text = text.replace(key, MASK);
        }
        (self.drafts.0)(&text);
        self.since = Some(Stopwatch::start());
    }
}
