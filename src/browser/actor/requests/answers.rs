//! Answers that pages got from their servers: the state that a page stores is compared with what it got.

use crate::browser::cdp::connection::Session;
use crate::browser::cdp::message::{CdpEvent, RawCommand};
use crate::browser::network::history::sent_bodies::AnswerPlace;
use crate::browser::network::request_judge::EarlierBody;
use crate::browser::page::context::PageContext;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Remembers where Chromium keeps an answer that scripts of a page have asked for. Only JSON is compared.
pub(in crate::browser::actor) fn record_answer(context: &PageContext, event: &CdpEvent) {
    let is_data = matches!(event.text("/type"), "XHR" | "Fetch");
    let is_json = event.text("/response/mimeType").ends_with("json");
    let is_good = event.params.pointer("/response/status").and_then(Value::as_u64) == Some(200);
    if let Some(session) = event.session.clone().filter(|_| is_data && is_json && is_good) {
        let place = AnswerPlace { session, network_id: event.text("/requestId").to_owned() };
        context.history.borrow_mut().bodies.record_answer(event.text("/response/url"), place);
    }
}

/// Reads the answer; `None` if Chromium keeps it no more.
pub(super) async fn read_answer(session: Session, network_id: String) -> Option<EarlierBody> {
    let command = RawCommand::new("Network.getResponseBody", json!({"requestId": network_id}));
    let reply = session.call(command).await.ok()?;
    let text = reply["body"].as_str()?;
    let is_encoded = reply["base64Encoded"].as_bool().unwrap_or_default();
    let body = if is_encoded { STANDARD.decode(text).ok()? } else { text.as_bytes().to_vec() };
    Some(EarlierBody { content_type: String::from("application/json"), body })
}
