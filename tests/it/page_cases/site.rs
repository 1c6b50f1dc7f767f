//! Site of the cases: pages of `tests/pages`, bundles of libraries, and what pages report as effects.

use super::cases::{Hit, libraries};
use actix_web::{App, HttpResponse, HttpServer, web};
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::watch;

/// Longest wait for the effect of an action.
const PATIENCE: Duration = Duration::from_secs(3);

/// Script of the function `hit(name, value)`, with which a page reports an effect.
const HIT_SCRIPT: &str = r#"window.hit = (name, value = null) => {
  const effect = document.getElementById("effect");
  if (effect !== null) effect.textContent = `${name} ${JSON.stringify(value)}`;
  const at = performance.timeOrigin + performance.now();
  navigator.sendBeacon("/hit", JSON.stringify({ at, name, value }));
};"#;

/// An effect, with the time at which the page had it.
#[derive(Clone, Debug, Deserialize)]
struct Report {
    at: f64,
    name: String,
    #[serde(default)]
    value: Value,
}

pub struct CaseSite {
    pub port: u16,
    reports: watch::Sender<Vec<Report>>,
}

impl CaseSite {
    /// Starts on a free port; `localhost` and `127.0.0.1` are two sites of it.
    pub fn start() -> Self {
        let reports = watch::Sender::new(Vec::new());
        let shared = reports.clone();
        let routes = move || {
            App::new()
                .app_data(web::Data::new(shared.clone()))
                .route("/hit.js", web::get().to(send_hit_script))
                .route("/hit", web::post().to(receive_hit))
                .route("/lib/{file:.*}", web::get().to(send_bundle))
                .route("/slow/{millis}", web::get().to(answer_late))
                .route("/{file:.*}", web::get().to(send_page))
                .route("/{file:.*}", web::post().to(|| async { HttpResponse::Ok().json(true) }))
        };
        let server = HttpServer::new(routes).workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
        let port = server.addrs()[0].port();
        actix::spawn(server.run());
        Self { port, reports }
    }

    pub fn address(&self, page: &str) -> String {
        format!("http://127.0.0.1:{}/{page}", self.port)
    }

    pub fn forget_hits(&self) {
        self.reports.send_modify(Vec::clear);
    }

    /// Waits until the effects fit; returns those that arrived if they do not.
    pub async fn await_hits(&self, fits: impl Fn(&[Hit]) -> bool) -> Result<(), Vec<Hit>> {
        let mut receiver = self.reports.subscribe();
        let arrived = receiver.wait_for(|reports| fits(&in_order(reports)));
        match tokio::time::timeout(PATIENCE, arrived).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(in_order(&self.reports.borrow())),
        }
    }
}

fn in_order(reports: &[Report]) -> Vec<Hit> {
    let mut sorted = reports.to_vec();
    sorted.sort_by(|one, other| one.at.total_cmp(&other.at));
    sorted.into_iter().map(|report| (report.name, report.value)).collect()
}

async fn send_hit_script() -> HttpResponse {
    HttpResponse::Ok().content_type("text/javascript").body(HIT_SCRIPT)
}

async fn receive_hit(body: String, reports: web::Data<watch::Sender<Vec<Report>>>) -> HttpResponse {
    match serde_json::from_str(&body) {
        Ok(report) => reports.send_modify(|reports| reports.push(report)),
        Err(fault) => return HttpResponse::BadRequest().body(fault.to_string()),
    }
    HttpResponse::NoContent().finish()
}

/// Answers after a time, as a slow server does.
async fn answer_late(millis: web::Path<u64>) -> HttpResponse {
    let _ = tokio::time::timeout(Duration::from_millis(*millis), std::future::pending::<()>()).await;
    HttpResponse::Ok().json(true)
}

async fn send_bundle(file: web::Path<String>) -> HttpResponse {
    send(&libraries(), &file)
}

async fn send_page(file: web::Path<String>) -> HttpResponse {
    send(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages"), &file)
}

fn send(folder: &Path, file: &str) -> HttpResponse {
    if file.split('/').any(|part| part == "..") {
        return HttpResponse::BadRequest().body("no such page");
    }
    let path: PathBuf = folder.join(file);
    let kind = match path.extension().and_then(|end| end.to_str()) {
        Some("css") => "text/css",
        Some("js" | "mjs") => "text/javascript",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("json") => "application/json",
        Some("woff2") => "font/woff2",
        Some("pdf") => "application/pdf",
        Some(_) | None => "text/html; charset=utf-8",
    };
    match std::fs::read(path) {
        Ok(body) => HttpResponse::Ok().content_type(kind).body(body),
        Err(_) => HttpResponse::NotFound().body("no such page"),
    }
}
