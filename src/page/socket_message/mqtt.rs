//! Packets of MQTT over sockets (versions 3.1.1 and 5).

use serde_json::{Value, json};

/// Types of packets by their number.
const TYPES: [&str; 16] = [
    "reserved",
    "connect",
    "connack",
    "publish",
    "puback",
    "pubrec",
    "pubrel",
    "pubcomp",
    "subscribe",
    "suback",
    "unsubscribe",
    "unsuback",
    "ping",
    "pong",
    "disconnect",
    "auth",
];

/// Reads a packet; `None` if it is none, or if several share a frame.
pub fn read_packet(bytes: &[u8]) -> Option<Value> {
    let (first, rest) = bytes.split_first()?;
    let kind = *TYPES.get(usize::from(first >> 4))?;
    let (length, body) = read_length(rest)?;
    if body.len() != length {
        return None;
    }
    if kind != "publish" {
        return Some(json!({"command": kind, "size": length}));
    }
    let (topic, rest) = read_text(body)?;
    let has_number = first & 0b110 != 0;
    let payload = if has_number { rest.get(2..)? } else { rest };
    let data = serde_json::from_slice(payload).unwrap_or_else(|_| json!(String::from_utf8_lossy(payload)));
    Some(json!({"command": kind, "topic": topic, "data": data}))
}

/// Reads a length of up to four bytes with seven bits each.
fn read_length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut length = 0;
    for (at, byte) in bytes.iter().take(4).enumerate() {
        length |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((length, bytes.get(at + 1..)?));
        }
    }
    None
}

/// Reads a text after its length in two bytes.
fn read_text(bytes: &[u8]) -> Option<(String, &[u8])> {
    let length = usize::from(u16::from_be_bytes([*bytes.first()?, *bytes.get(1)?]));
    let text = bytes.get(2..2 + length)?;
    Some((String::from_utf8_lossy(text).into_owned(), bytes.get(2 + length..)?))
}
