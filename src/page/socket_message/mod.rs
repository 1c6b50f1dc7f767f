//! Messages of sockets, read out of the frames of the protocols that pages use over them, so that they are judged and
//! shown like the bodies of requests. Pure: no input makes a reader panic.

pub mod json_protocols;
pub mod mqtt;
pub mod socket_io;
pub mod stomp;

#[cfg(test)]
mod tests;

use crate::page::request_body::media_type::is_binary;
use serde_json::{Value, json};

/// A message as it is judged: a body with its content type.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadMessage {
    pub content_type: String,
    pub body: Vec<u8>,
}

impl ReadMessage {
    fn json(value: &Value) -> Self {
        Self { content_type: String::from("application/json"), body: value.to_string().into_bytes() }
    }
}

/// Reads a message of a socket. `protocol` is the subprotocol that the socket uses.
pub fn read_message(url: &str, protocol: &str, is_text: bool, content: &[u8]) -> ReadMessage {
    if !is_text && protocol.starts_with("mqtt") {
        return mqtt::read_packet(content).map_or_else(|| opaque(content), |value| ReadMessage::json(&value));
    }
    let text = std::str::from_utf8(content).ok().filter(|_| is_text || !is_binary(content));
    match text {
        Some(text) => read_text(url, protocol, text),
        None => opaque(content),
    }
}

fn opaque(content: &[u8]) -> ReadMessage {
    ReadMessage { content_type: String::from("application/octet-stream"), body: content.to_vec() }
}

fn read_text(url: &str, protocol: &str, text: &str) -> ReadMessage {
    let found = if has_query_field(url, "EIO") {
        socket_io::read_packet(text)
    } else {
        read_sign_of_life(text)
            .or_else(|| stomp::read_frame(protocol, text))
            .or_else(|| json_protocols::read_text(url, text))
    };
    found.map_or_else(
        || ReadMessage { content_type: String::from("text/plain"), body: text.as_bytes().to_vec() },
        |value| ReadMessage::json(&value),
    )
}

/// Reads the texts by which a client says no more than that it is there.
fn read_sign_of_life(text: &str) -> Option<Value> {
    let word = text.trim().to_ascii_lowercase();
    let is_sign = matches!(word.as_str(), "" | "ping" | "pong" | "heartbeat" | "keepalive" | "keep-alive");
    is_sign.then(|| json!({"type": if word.is_empty() { "heartbeat" } else { &word }}))
}

fn has_query_field(url: &str, name: &str) -> bool {
    let query = url.split_once('?').map(|(_, query)| query).unwrap_or_default();
    query.split('&').any(|field| field.split('=').next() == Some(name))
}
