//! Protocols whose messages are JSON: GraphQL over sockets, SignalR, Action Cable, Phoenix channels, SockJS, Firebase.

use crate::page::socket_message::socket_io::insert_arguments;
use serde_json::{Map, Value, json};

/// Separator of SignalR's messages.
const RECORD_END: char = '\u{1e}';
/// Most layers of SockJS and the like.
const MOST_LAYERS: usize = 3;

/// Reads a message; `None` if it is no JSON that has parts.
pub fn read_text(url: &str, text: &str) -> Option<Value> {
    read_layer(url, text, 0)
}

fn read_layer(url: &str, text: &str, layers: usize) -> Option<Value> {
    if text.ends_with(RECORD_END) {
        return read_records(text);
    }
    match serde_json::from_str(text).ok()? {
        Value::Object(object) => Some(read_object(object)),
        Value::Array(parts) => Some(read_array(url, parts, layers)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Reads SignalR's messages of one frame. Pings beside others say nothing.
fn read_records(text: &str) -> Option<Value> {
    let records = text.split(RECORD_END).filter(|record| !record.is_empty());
    let read: Option<Vec<Value>> = records.map(read_record).collect();
    let mut read = read?;
    let is_ping = |record: &Value| record["type"] == "ping";
    if read.len() > 1 {
        read.retain(|record| !is_ping(record));
    }
    match read.len() {
        0 => Some(json!({"type": "ping"})),
        1 => read.pop(),
        _ => Some(Value::Array(read)),
    }
}

fn read_record(record: &str) -> Option<Value> {
    let Value::Object(mut object) = serde_json::from_str(record).ok()? else { return None };
    if object.contains_key("protocol") && !object.contains_key("type") {
        object.insert(String::from("type"), json!("handshake"));
        return Some(Value::Object(object));
    }
    let kind = object.get("type").and_then(Value::as_u64)?;
    let kind = match kind {
        1 | 4 => return Some(read_invocation(object)),
        2 => "item",
        3 => "completion",
        5 => "cancel",
        6 => "ping",
        7 => "close",
        8 | 9 => "ack",
        _ => "message",
    };
    object.insert(String::from("type"), json!(kind));
    Some(Value::Object(object))
}

fn read_invocation(mut object: Map<String, Value>) -> Value {
    let mut read = Map::new();
    read.insert(String::from("method"), object.remove("target").unwrap_or_default());
    if let Some(Value::Array(arguments)) = object.remove("arguments") {
        insert_arguments(&mut read, arguments);
    }
    Value::Object(read)
}

fn read_object(mut object: Map<String, Value>) -> Value {
    if let Some(operation) = graphql_operation(&object) {
        return operation;
    }
    // Action Cable sends what the channel is to do as text.
    if object.contains_key("command") && object.contains_key("identifier") {
        for name in ["identifier", "data"] {
            if let Some(inner) = object.get(name).and_then(parse_text) {
                object.insert(name.to_owned(), inner);
            }
        }
        return Value::Object(object);
    }
    if let Some(request) = firebase_request(&object) {
        return request;
    }
    Value::Object(object)
}

fn parse_text(value: &Value) -> Option<Value> {
    serde_json::from_str(value.as_str()?).ok()
}

/// Returns the GraphQL operation that a message starts (`graphql-ws`, `subscriptions-transport-ws`, AppSync).
fn graphql_operation(object: &Map<String, Value>) -> Option<Value> {
    if !matches!(object.get("type")?.as_str()?, "subscribe" | "start") {
        return None;
    }
    let payload = object.get("payload")?;
    let data = payload.get("data").and_then(parse_text);
    let operation = data.unwrap_or_else(|| payload.clone());
    let names_query = operation.get("query").is_some_and(Value::is_string)
        || operation.pointer("/extensions/persistedQuery").is_some();
    names_query.then_some(operation)
}

/// Reads a request of Firebase's database: `{"t":"d","d":{"r":1,"a":"p","b":{...}}}`.
fn firebase_request(object: &Map<String, Value>) -> Option<Value> {
    let request = object.get("d").filter(|_| object.get("t").is_some_and(|kind| kind == "d"))?;
    let action = match request.get("a")?.as_str()? {
        "q" => "listen",
        "n" => "unlisten",
        "g" => "get",
        "s" => "stats",
        "p" => "put",
        "m" => "merge",
        other => other,
    };
    Some(json!({"action": action, "data": request.get("b").cloned().unwrap_or_default()}))
}

fn read_array(url: &str, mut parts: Vec<Value>, layers: usize) -> Value {
    // SockJS wraps each message in a list of texts.
    if let ([Value::String(inner)], true) = (parts.as_slice(), layers < MOST_LAYERS)
        && let Some(read) = read_layer(url, inner, layers + 1)
    {
        return read;
    }
    if let [_, _, Value::String(topic), Value::String(event), _] = parts.as_slice()
        && url.contains("vsn=2")
    {
        let event = match event.as_str() {
            "phx_join" => "subscribe",
            "phx_leave" => "unsubscribe",
            other => other,
        };
        let (event, topic) = (event.to_owned(), topic.clone());
        return json!({"event": event, "topic": topic, "data": parts.pop().unwrap_or_default()});
    }
    Value::Array(parts)
}
