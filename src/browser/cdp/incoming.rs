//! Messages of Chromium, read in one pass: chromiumoxide's type tries each kind of message in turn, and copies the whole
//! text for it, which counts for pictures and looks at large pages.

use crate::browser::cdp::message::CdpEvent;
use crate::browser::error::{ErrorCode, PageError};
use chromiumoxide::types::CallId;
use serde::Deserialize;
use serde_json::Value;

/// Beginnings of events that nobody reads. A page with hundreds of files sends several of them for each file. Chromium
/// writes the method first; if it did not, the event would be read and dropped later.
const UNREAD_EVENTS: [&str; 4] = [
    r#"{"method":"Network.dataReceived""#,
    r#"{"method":"Network.requestWillBeSentExtraInfo""#,
    r#"{"method":"Network.resourceChangedPriority""#,
    r#"{"method":"Network.responseReceivedExtraInfo""#,
];

pub(crate) enum IncomingMessage {
    Reply { id: CallId, result: Result<Value, PageError> },
    Event(CdpEvent),
}

/// All fields that messages have.
#[derive(Deserialize)]
struct AnyMessage {
    id: Option<CallId>,
    result: Option<Value>,
    error: Option<chromiumoxide::types::Error>,
    method: Option<String>,
    #[serde(rename = "sessionId")]
    session: Option<String>,
    #[serde(default)]
    params: Value,
}

/// Parses a message. Returns `None` for an event that nobody reads, and for a message that is neither a reply nor an
/// event.
pub(crate) fn parse_message(text: &str) -> serde_json::Result<Option<IncomingMessage>> {
    if UNREAD_EVENTS.iter().any(|beginning| text.starts_with(beginning)) {
        return Ok(None);
    }
    let message: AnyMessage = serde_json::from_str(text)?;
    Ok(match (message.id, message.method) {
        (Some(id), _) => {
            let result = match message.error {
                Some(fault) => Err(PageError::new(ErrorCode::Protocol, fault.message)),
                None => Ok(message.result.unwrap_or_default()),
            };
            Some(IncomingMessage::Reply { id, result })
        }
        (None, Some(method)) => Some(IncomingMessage::Event(CdpEvent {
            method,
            session: message.session,
            params: message.params,
        })),
        (None, None) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_of_chromium_are_read() {
        let describe = |text: &str| match parse_message(text) {
            Ok(Some(IncomingMessage::Reply { id, result: Ok(value) })) => format!("{id} {value}"),
            Ok(Some(IncomingMessage::Reply { id, result: Err(fault) })) => format!("{id} {}", fault.message),
            Ok(Some(IncomingMessage::Event(event))) => {
                format!("{} {:?} {}", event.method, event.session, event.params)
            }
            Ok(None) => String::from("nothing"),
            Err(_) => String::from("no message"),
        };
        let picture = json!({"id": 7, "result": {"data": "é"}, "sessionId": "A"}).to_string();
        for (text, expected) in [
            (picture.as_str(), r#"CallId(7) {"data":"é"}"#),
            (r#"{"id":8}"#, "CallId(8) null"),
            (r#"{"id":9,"error":{"code":-32000,"message":"No node"}}"#, "CallId(9) No node"),
            (r#"{"method":"Page.a","params":{"b":1},"sessionId":"A"}"#, r#"Page.a Some("A") {"b":1}"#),
            (r#"{"params":{"b":1},"method":"Page.a"}"#, r#"Page.a None {"b":1}"#),
            (r#"{"method":"Page.a"}"#, "Page.a None null"),
            (r#"{"method":"Network.dataReceived","params":{}}"#, "nothing"),
            (r#"{"error":{"code":-32700,"message":"Not JSON"}}"#, "nothing"),
            (r#"{"id":"#, "no message"),
        ] {
            assert_eq!(describe(text), expected, "{text}");
        }
    }
}
