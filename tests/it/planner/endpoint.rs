//! An OpenAI-compatible endpoint that passes each request to the planner whose errand it is, and
//! holds every request to the protocol.

use crate::support::model::{Request, completion};
use crate::support::model_checks::{Rules, violations};
use actix_web::dev::ServerHandle;
use actix_web::{App, HttpResponse, HttpServer, web};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Mutex;
use tokio::sync::{mpsc, oneshot};

/// A request, and where its turn is waited for.
pub type Asked = (Request, oneshot::Sender<Value>);

/// Reply to a request for a summary: the planner remembers earlier turns itself.
const SUMMARY: &str = r#"{"summary": "Much was done."}"#;

#[derive(Default)]
pub struct Hub {
    planners: Mutex<HashMap<u32, mpsc::UnboundedSender<Asked>>>,
    /// The last request of each errand: the next is held to it.
    last: Mutex<HashMap<u32, Request>>,
    faults: Mutex<Vec<String>>,
}

pub struct Endpoint {
    pub base_url: String,
    pub hub: web::Data<Hub>,
    handle: ServerHandle,
}

/// The words of an errand begin so; it is how its requests are known.
pub fn heading(errand: u32) -> String {
    format!("Errand {errand}:")
}

impl Endpoint {
    pub fn start() -> Self {
        let hub = web::Data::new(Hub::default());
        let shared = hub.clone();
        let app = move || {
            let limit = web::PayloadConfig::new(32 << 20);
            App::new()
                .app_data(shared.clone())
                .app_data(limit)
                .route("/v1/chat/completions", web::post().to(answer))
        };
        let server = HttpServer::new(app).workers(1).disable_signals().shutdown_timeout(0);
        let server = server.bind(("127.0.0.1", 0)).unwrap();
        let base_url = format!("http://{}/v1", server.addrs()[0]);
        let running = server.run();
        let handle = running.handle();
        actix::spawn(running);
        Self { base_url, hub, handle }
    }

    /// Ends it, and fails if a request broke the protocol.
    pub async fn finish(self) {
        self.handle.stop(false).await;
        let faults = self.hub.faults.lock().unwrap().clone();
        assert!(faults.is_empty(), "requests broke the protocol:\n{}", faults.join("\n"));
    }
}

impl Hub {
    pub fn listen(&self, errand: u32) -> mpsc::UnboundedReceiver<Asked> {
        let (to, asked) = mpsc::unbounded_channel();
        self.planners.lock().unwrap().insert(errand, to);
        asked
    }

    /// Sends no further requests to the planner of this errand.
    pub fn forget(&self, errand: u32) {
        self.planners.lock().unwrap().remove(&errand);
    }

    fn pass(&self, request: Request) -> Option<oneshot::Receiver<Value>> {
        let errand = errand_of(&request)?;
        let before: Vec<Request> = self.last.lock().unwrap().get(&errand).cloned().into_iter().collect();
        let rules = Rules::default();
        let faults = violations(&request, &before, &rules);
        self.faults
            .lock()
            .unwrap()
            .extend(faults.into_iter().map(|fault| format!("errand {errand}: {fault}")));
        self.last.lock().unwrap().insert(errand, request.clone());
        let (reply, turn) = oneshot::channel();
        self.planners.lock().unwrap().get(&errand)?.send((request, reply)).ok()?;
        Some(turn)
    }
}

fn errand_of(request: &Request) -> Option<u32> {
    let user_messages = request.messages().iter().filter(|message| message["role"] == "user");
    let texts = user_messages.filter_map(|message| match &message["content"] {
        Value::String(text) => Some(text.as_str()),
        Value::Array(parts) => parts.iter().find_map(|part| part["text"].as_str()),
        _ => None,
    });
    let mut found = texts.filter_map(|text| text.split("Errand ").nth(1)?.split(':').next()?.parse().ok());
    found.next()
}

async fn answer(body: web::Bytes, hub: web::Data<Hub>) -> HttpResponse {
    let Ok(body) = serde_json::from_slice::<Value>(&body) else { return HttpResponse::BadRequest().finish() };
    let request = Request { body, authorization: None };
    if request.schema_name() == "summary" {
        return HttpResponse::Ok().json(completion(SUMMARY));
    }
    let Some(turn) = hub.pass(request) else {
        return HttpResponse::BadRequest().body("nobody plans this errand");
    };
    match turn.await {
        Ok(turn) => HttpResponse::Ok().json(completion(&turn.to_string())),
        Err(_) => HttpResponse::BadRequest().body("its planner has gone"),
    }
}
