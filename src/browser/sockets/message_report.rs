//! Report of the wrapper about a message that it holds.

use crate::page::outgoing_request::{MESSAGE, OutgoingRequest, RequestKind};
use crate::page::socket_message::read_message;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

/// Kind of the channel that a message leaves by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum ChannelKind {
    #[serde(rename = "socket")]
    Socket,
    #[serde(rename = "data channel")]
    DataChannel,
    #[serde(rename = "transport")]
    Transport,
}

/// Report about a held message.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct MessageReport {
    /// Number of the message in its document or worker.
    pub number: u64,
    pub channel: ChannelKind,
    /// Address of the socket or transport; label of a data channel.
    url: String,
    protocol: String,
    /// Address of the document; empty in a worker.
    document: String,
    pub is_text: bool,
    /// Size of the content in bytes; of long ones, `body` is only the beginning.
    pub size: u64,
    /// Text, or bytes as base64.
    body: String,
}

impl MessageReport {
    /// Reads a report; `None` if it has another form.
    pub fn parse(payload: &str) -> Option<Self> {
        serde_json::from_str(payload).ok()
    }

    /// Returns the content, or its beginning.
    pub fn content(&self) -> Vec<u8> {
        if self.is_text {
            return self.body.as_bytes().to_vec();
        }
        STANDARD.decode(&self.body).unwrap_or_default()
    }

    /// Returns the message as a request. `sender` is the address of a worker, `page` that of the top page.
    pub fn request(&self, sender: &str, page: String) -> OutgoingRequest {
        let url = match self.channel {
            ChannelKind::Socket | ChannelKind::Transport => self.url.clone(),
            ChannelKind::DataChannel => peer_address(&self.url),
        };
        let document = if self.document.is_empty() { sender } else { &self.document };
        outgoing_message(&url, &self.protocol, document, page, (self.is_text, self.content(), self.size))
    }
}

/// Returns the address by which the other end of a data channel is shown; it has none of its own.
fn peer_address(label: &str) -> String {
    let mut address = String::from("webrtc://peer/");
    address.extend(url::form_urlencoded::byte_serialize(label.as_bytes()));
    address
}

/// Makes the request for a message. `content` is the kind of the frame, its content or the beginning of it, and its
/// whole size.
pub fn outgoing_message(
    url: &str,
    protocol: &str,
    document: &str,
    page: String,
    (is_text, content, size): (bool, Vec<u8>, u64),
) -> OutgoingRequest {
    let is_complete = content.len() as u64 >= size;
    let (content_type, body) = if is_complete {
        let message = read_message(url, protocol, is_text, &content);
        (message.content_type, message.body)
    } else {
        (String::from("application/octet-stream"), content)
    };
    OutgoingRequest {
        method: String::from(MESSAGE),
        url: url.to_owned(),
        document: document.to_owned(),
        page,
        kind: RequestKind::Socket,
        content_type,
        size: Some(size),
        body: Some(body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_report_becomes_a_request() {
        let report = |channel: &str, url: &str, is_text: bool, body: &str, size: u64| {
            let report = json!({"number": 7, "channel": channel, "url": url, "protocol": "", "document": "",
                "is_text": is_text, "body": body, "size": size});
            MessageReport::parse(&report.to_string()).unwrap().request("http://a.test/w.js", String::new())
        };
        let text = report("socket", "ws://a.test/x", true, r#"{"type":"vote"}"#, 15);
        assert_eq!((text.method.as_str(), text.content_type.as_str()), ("MESSAGE", "application/json"));
        assert_eq!(text.document, "http://a.test/w.js");
        let bytes = report("transport", "https://a.test/x", false, "AAEC", 3);
        assert_eq!(bytes.body.as_deref(), Some(&[0, 1, 2][..]));
        let peer = report("data channel", "game chat", true, "hi", 2);
        assert_eq!(peer.url, "webrtc://peer/game+chat");
        let long = report("socket", "ws://a.test/x", true, r#"{"type":"ping"}"#, 900_000);
        assert_eq!(long.content_type, "application/octet-stream", "its beginning says nothing of the rest");
        assert_eq!(MessageReport::parse("no JSON"), None);
    }
}
