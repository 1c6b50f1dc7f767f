//! Packets of Engine.IO and Socket.IO.

use serde_json::{Value, json};

/// Packets of Engine.IO by number.
const ENGINE_PACKETS: [&str; 7] = ["open", "close", "ping", "pong", "message", "upgrade", "noop"];
/// Packets of Socket.IO by number.
const SOCKET_PACKETS: [&str; 7] = ["connect", "disconnect", "event", "ack", "connect_error", "event", "ack"];

/// Reads a packet; `None` if it is none.
pub fn read_packet(text: &str) -> Option<Value> {
    let (number, rest) = split_digit(text)?;
    match *ENGINE_PACKETS.get(number)? {
        "message" => read_socket_packet(rest),
        // The word that a probe sends along is fixed.
        packet if rest.is_empty() || rest == "probe" => Some(json!({"packet": packet})),
        packet => Some(json!({"packet": packet, "data": rest})),
    }
}

fn split_digit(text: &str) -> Option<(usize, &str)> {
    let digit = text.chars().next()?.to_digit(10)?;
    Some((usize::try_from(digit).ok()?, text.get(1..)?))
}

fn read_socket_packet(text: &str) -> Option<Value> {
    let (number, mut rest) = split_digit(text)?;
    let packet = *SOCKET_PACKETS.get(number)?;
    // Number of binary parts, which follow as messages of their own.
    if let Some((count, after)) = rest.split_once('-').filter(|_| number >= 5)
        && count.bytes().all(|byte| byte.is_ascii_digit())
    {
        rest = after;
    }
    let mut read = serde_json::Map::new();
    if rest.starts_with('/') {
        let (namespace, after) = rest.split_once(',').unwrap_or((rest, ""));
        read.insert(String::from("namespace"), json!(namespace));
        rest = after;
    }
    // Number of the acknowledgement.
    let data = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let data = if data.is_empty() { None } else { Some(serde_json::from_str::<Value>(data).ok()?) };
    match (packet, data) {
        ("event", Some(Value::Array(mut arguments))) if !arguments.is_empty() => {
            read.insert(String::from("event"), arguments.remove(0));
            insert_arguments(&mut read, arguments);
        }
        (packet, data) => {
            read.insert(String::from("packet"), json!(packet));
            if let Some(data) = data.filter(|data| *data != json!([])) {
                read.insert(String::from("data"), data);
            }
        }
    }
    Some(Value::Object(read))
}

/// Adds the arguments of a call: one by itself, several as a list.
pub(super) fn insert_arguments(read: &mut serde_json::Map<String, Value>, mut arguments: Vec<Value>) {
    match arguments.len() {
        0 => {}
        1 => drop(read.insert(String::from("data"), arguments.remove(0))),
        _ => drop(read.insert(String::from("data"), Value::Array(arguments))),
    }
}
