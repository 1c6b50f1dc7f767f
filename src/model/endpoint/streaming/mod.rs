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
use response_draft::{hold_back, response_so_far};
use serde_json::{Value, json};
use std::sync::Arc;

/// Shortest time between two drafts in milliseconds.
const PAUSE_MS: u64 = 80;

/// Receives the message to the person as far as the model has written it, each time from its begin.
#[derive(Clone)]
pub struct DraftSink(Arc<dyn DraftReceiver>);

/// Receiver of drafts, which knows the secrets that no draft may show.
pub trait DraftReceiver: Send + Sync {
    /// Masks the secrets that are complete.
    fn mask(&self, text: &str) -> String;

    /// Returns the most words of a secret: a draft ends so many words before its text does.
    fn secret_words(&self) -> usize;

    fn send(&self, text: &str);
}

impl DraftSink {
    pub fn new(receiver: impl DraftReceiver + 'static) -> Self {
        Self(Arc::new(receiver))
    }

    /// Returns what may be shown of a text that is not complete.
    fn shown_part(&self, text: &str, is_complete: bool) -> Option<String> {
        let masked = self.0.mask(text);
        if is_complete {
            return Some(masked);
        }
        hold_back(&masked, self.0.secret_words()).map(str::to_owned)
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
        let Some((mut text, is_complete)) = response_so_far(content) else { return };
        if let Some(key) = self.key.filter(|key| !key.is_empty() && text.contains(key)) {
            text = text.replace(key, MASK);
        }
        let shown = self.drafts.shown_part(&text, is_complete);
        let Some(shown) = shown.filter(|shown| shown.len() > self.sent) else { return };
        self.sent = shown.len();
        self.drafts.0.send(&shown);
        self.since = Some(Stopwatch::start());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Knows one secret of three words.
    struct Receiver;

    impl DraftReceiver for Receiver {
        fn mask(&self, text: &str) -> String {
            text.replace("blue door seven", MASK)
        }

        fn secret_words(&self) -> usize {
            3
        }

        fn send(&self, _: &str) {}
    }

    // Wherever a message is cut, no word of a secret is shown, and what is shown only grows.
    #[test]
    fn no_first_words_of_a_secret_are_shown() {
        let message = "Say blue door seven twice: blue door seven, then blue paint dries.";
        let sink = DraftSink::new(Receiver);
        let mut longest = String::new();
        for (end, _) in message.char_indices() {
            let Some(shown) = sink.shown_part(&message[..end], false) else { continue };
            assert!(!shown.contains("door") && !shown.contains("seven"), "{shown}");
            assert!(!shown.contains("blue") || shown.ends_with("then blue"), "{shown}");
            // A secret that has just become complete is one word: the shorter draft is not sent.
            if shown.len() > longest.len() {
                assert!(shown.starts_with(&longest), "{shown} after {longest}");
                longest = shown;
            }
        }
        let whole = sink.shown_part(message, true).unwrap();
        assert_eq!(whole, format!("Say {MASK} twice: {MASK}, then blue paint dries."));
        assert!(whole.starts_with(&longest) && longest.contains("twice:"), "{longest}");
    }
}
