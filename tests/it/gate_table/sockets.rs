//! Sockets of the test sites: each message is recorded, and answered.

use super::arrivals::Arrival;
use super::sites::CaseSites;
use actix::{Actor, StreamHandler};
use actix_web::{HttpRequest, HttpResponse, web};
use actix_web_actors::ws;
use std::sync::Arc;

struct Socket {
    opened: Arrival,
    case: Arc<CaseSites>,
}

impl Actor for Socket {
    type Context = ws::WebsocketContext<Self>;
}

impl StreamHandler<Result<ws::Message, ws::ProtocolError>> for Socket {
    fn handle(&mut self, message: Result<ws::Message, ws::ProtocolError>, context: &mut Self::Context) {
        let body = match message {
            Ok(ws::Message::Text(text)) => text.to_string(),
            Ok(ws::Message::Binary(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
            Ok(ws::Message::Close(reason)) => return context.close(reason),
            _ => return,
        };
        let method = String::from("MESSAGE");
        self.case.add(Arrival { method, body, is_message: true, ..self.opened.clone() });
        context.text("{\"ok\":true}");
    }
}

/// Opens the socket.
pub fn accept(
    request: &HttpRequest,
    payload: web::Payload,
    opened: Arrival,
    case: Arc<CaseSites>,
) -> HttpResponse {
    ws::start(Socket { opened, case }, request, payload)
        .unwrap_or_else(|_| HttpResponse::BadRequest().finish())
}
