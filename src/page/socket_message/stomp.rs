//! Frames of STOMP.

use serde_json::{Map, Value, json};

/// Commands of clients.
const COMMANDS: [&str; 11] = [
    "CONNECT",
    "STOMP",
    "SEND",
    "SUBSCRIBE",
    "UNSUBSCRIBE",
    "ACK",
    "NACK",
    "BEGIN",
    "COMMIT",
    "ABORT",
    "DISCONNECT",
];

/// Reads a frame; `None` if it is none. Frames are recognized by their end, whatever the subprotocol.
pub fn read_frame(protocol: &str, text: &str) -> Option<Value> {
    let frame = text.trim_end_matches(['\n', '\r']).strip_suffix('\0');
    let frame = frame.or_else(|| protocol.contains("stomp").then_some(text))?;
    let (head, body) = frame.split_once("\n\n").or_else(|| frame.split_once("\r\n\r\n"))?;
    let mut lines = head.lines();
    let command = lines.next().filter(|command| COMMANDS.contains(command))?;
    let mut read = Map::new();
    read.insert(String::from("command"), json!(command.to_ascii_lowercase()));
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        read.insert(name.to_owned(), json!(value));
    }
    if !body.is_empty() {
        let body = serde_json::from_str(body).unwrap_or_else(|_| json!(body));
        read.insert(String::from("data"), body);
    }
    Some(Value::Object(read))
}
