//! Sockets of the test sites: each message is recorded, and answered as the client's protocol expects.

use super::arrivals::Arrival;
use super::sites::CaseSites;
use actix::{Actor, StreamHandler};
use actix_web::{HttpRequest, HttpResponse, web};
use actix_web_actors::ws;
use serde_json::{Value, json};
use std::sync::Arc;

/// Subprotocols that clients ask for.
const PROTOCOLS: [&str; 4] = ["graphql-transport-ws", "actioncable-v1-json", "v12.stomp", "mqtt"];

struct Socket {
    opened: Arrival,
    protocol: Option<String>,
    case: Arc<CaseSites>,
}

impl Actor for Socket {
    type Context = ws::WebsocketContext<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        // The client then says that it connects, which a socket for effects would count.
        if self.opened.path.contains("EIO=") && !self.opened.path.starts_with("/fx/") {
            let welcome = json!({"sid": "a", "upgrades": [], "pingInterval": 25000, "pingTimeout": 20000,
                "maxPayload": 1_000_000});
            context.text(format!("0{welcome}"));
        }
        if self.protocol.as_deref() == Some("actioncable-v1-json") {
            context.text(json!({"type": "welcome"}).to_string());
        }
    }
}

impl StreamHandler<Result<ws::Message, ws::ProtocolError>> for Socket {
    fn handle(&mut self, message: Result<ws::Message, ws::ProtocolError>, context: &mut Self::Context) {
        let body = match message {
            Ok(ws::Message::Text(text)) => text.to_string(),
            Ok(ws::Message::Binary(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
            Ok(ws::Message::Close(reason)) => return context.close(reason),
            _ => return,
        };
        context.text(answer(&body));
        let method = String::from("MESSAGE");
        self.case.add(Arrival { method, body, is_message: true, ..self.opened.clone() });
    }
}

/// Returns what a server says to the message.
fn answer(message: &str) -> String {
    if message.starts_with("40") {
        return String::from("40{\"sid\":\"b\"}");
    }
    if message.ends_with('\u{1e}') && message.contains("protocol") {
        return String::from("{}\u{1e}");
    }
    if message.ends_with('\u{1e}') {
        return String::from("{\"type\":6}\u{1e}");
    }
    if message.starts_with("42") {
        return String::from("6");
    }
    match serde_json::from_str(message) {
        Ok(Value::Array(parts)) if parts.len() == 5 => {
            let ok = json!({"status": "ok", "response": {}});
            json!([parts[0], parts[1], parts[2], "phx_reply", ok]).to_string()
        }
        Ok(Value::Object(said)) if said.get("type") == Some(&json!("connection_init")) => {
            json!({"type": "connection_ack"}).to_string()
        }
        Ok(Value::Object(said)) if said.get("command") == Some(&json!("subscribe")) => {
            json!({"type": "confirm_subscription", "identifier": said["identifier"]}).to_string()
        }
        _ => json!({"ok": true}).to_string(),
    }
}

/// Opens the socket.
pub fn accept(
    request: &HttpRequest,
    payload: web::Payload,
    opened: Arrival,
    case: Arc<CaseSites>,
) -> HttpResponse {
    let asked = request.headers().get("sec-websocket-protocol").and_then(|asked| asked.to_str().ok());
    let is_asked =
        |known: &&str| asked.is_some_and(|asked| asked.split(',').any(|name| name.trim() == *known));
    let protocol = PROTOCOLS.into_iter().find(is_asked).map(str::to_owned);
    ws::WsResponseBuilder::new(Socket { opened, protocol, case }, request, payload)
        .protocols(&PROTOCOLS)
        .start()
        .unwrap_or_else(|_| HttpResponse::BadRequest().finish())
}
