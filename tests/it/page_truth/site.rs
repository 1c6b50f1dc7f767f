//! Site of the pages of others, with the page script in their own world to compare what it sees.

use super::sources_folder;
use crate::browser_stage::Stage;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use askfirst::browser::injected::INSTALL;
use serde::Deserialize;
use serde_json::json;
use std::fmt;
use std::time::Duration;
use tokio::sync::watch;

const PATIENCE: Duration = Duration::from_secs(30);

/// Replacement of the test harnesses that pages of web-platform-tests load.
const NO_HARNESS: &str = "window.promise_test = window.test = window.setup = () => {};
window.AriaUtils = window.HTMLAAMUtils = new Proxy({}, { get: () => () => {} });";

/// Role or name of an element, as stated and as seen.
#[derive(Clone, Debug, Deserialize)]
pub struct Finding {
    kind: String,
    what: String,
    wanted: String,
    got: String,
    role: String,
    listed: bool,
}

impl Finding {
    pub fn agrees(&self) -> bool {
        self.wanted == self.got
    }

    /// Returns the rule by which a look differs on purpose.
    pub fn exemption(&self) -> Option<&'static str> {
        const TEXT_ROLES: &[&str] = &[
            "paragraph",
            "strong",
            "emphasis",
            "code",
            "deletion",
            "insertion",
            "subscript",
            "superscript",
            "time",
            "mark",
            "term",
            "definition",
            "caption",
            "blockquote",
            "generic",
            "presentation",
            "separator",
            "suggestion",
            "note",
            "document",
            "legend",
            "LabelText",
            "Abbr",
            "figcaption",
            "address",
        ];
        if self.kind == "role" && TEXT_ROLES.contains(&self.wanted.as_str()) && !self.listed {
            return Some("text and wrappers have no role in a look; their text stands there");
        }
        if self.kind == "role"
            && matches!(self.got.as_str(), "clickable" | "file" | "canvas" | "audio" | "video" | "iframe")
        {
            return Some("a look says more than ARIA: clickable, file, canvas, audio, video, iframe");
        }
        if self.kind == "name" && !self.listed && self.wanted.is_empty() {
            return Some("a hidden element has no line");
        }
        None
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, what, wanted, got, role, listed } = self;
        let unlisted = if *listed { "" } else { ", without a line" };
        write!(to, "{kind} of {what} ({role}{unlisted}): wanted {wanted:?}, got {got:?}")
    }
}

pub struct TruthSite {
    port: u16,
    results: watch::Sender<Option<Vec<Finding>>>,
}

impl TruthSite {
    pub fn start() -> Self {
        let results = watch::Sender::new(None);
        let shared = results.clone();
        let routes = move || {
            App::new()
                .app_data(web::Data::new(shared.clone()))
                .app_data(web::JsonConfig::default().limit(1 << 24))
                .route("/truth.js", web::get().to(|| async { script(comparing_script()) }))
                .route("/resources/{file:.*}", web::get().to(|| async { script(NO_HARNESS.to_owned()) }))
                .route(
                    "/wai-aria/scripts/{file:.*}",
                    web::get().to(|| async { script(NO_HARNESS.to_owned()) }),
                )
                .route("/findings", web::post().to(receive_findings))
                .route("/{file:.*}", web::get().to(send_page))
        };
        let server = HttpServer::new(routes).workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
        let port = server.addrs()[0].port();
        actix::spawn(server.run());
        Self { port, results }
    }

    pub fn address(&self, page: &str) -> String {
        format!("http://127.0.0.1:{}/{page}", self.port)
    }

    /// Opens a page and returns what it has found.
    pub async fn compare(&self, stage: &Stage, page: &str, how: &str) -> Result<Vec<Finding>, String> {
        self.results.send_replace(None);
        let mut receiver = self.results.subscribe();
        let url = format!("{}?compare={how}", self.address(page));
        stage.act("navigate", json!({"url": url})).await.map_err(|fault| format!("{fault:?}"))?;
        let arrived = tokio::time::timeout(PATIENCE, receiver.wait_for(Option::is_some)).await;
        let findings =
            arrived.map_err(|_| String::from("no findings arrived"))?.map_err(|fault| fault.to_string())?;
        Ok(findings.clone().unwrap_or_default())
    }
}

fn script(text: String) -> HttpResponse {
    HttpResponse::Ok().content_type("text/javascript").body(text)
}

/// Joins the comparison to the page script, within its function.
fn comparing_script() -> String {
    let compare = include_str!("../../truth/compare.js");
    let end = INSTALL.rfind("\n})()").unwrap();
    format!("{}\n{compare}\n}})()", &INSTALL[..end])
}

async fn receive_findings(
    findings: web::Json<Vec<Finding>>,
    results: web::Data<watch::Sender<Option<Vec<Finding>>>>,
) -> HttpResponse {
    results.send_replace(Some(findings.into_inner()));
    HttpResponse::NoContent().finish()
}

async fn send_page(request: HttpRequest, file: web::Path<String>) -> HttpResponse {
    if file.split('/').any(|part| part == "..") {
        return HttpResponse::BadRequest().body("no such page");
    }
    let Ok(mut body) = std::fs::read(sources_folder().join(file.as_str())) else {
        return HttpResponse::NotFound().body("no such page");
    };
    let kind = match file.rsplit('.').next() {
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("jpg") => "image/jpeg",
        _ => "text/html; charset=utf-8",
    };
    if let Some(how) = request.query_string().strip_prefix("compare=") {
        body.extend_from_slice(comparing_tail(how).as_bytes());
    }
    HttpResponse::Ok().content_type(kind).body(body)
}

/// Scripts at the end of a page that compare once it has loaded and drawn.
fn comparing_tail(how: &str) -> String {
    format!(
        "<script src=/truth.js></script><script>addEventListener('load', () => requestAnimationFrame(() => setTimeout(() => \
         fetch('/findings', {{method: 'POST', headers: {{'content-type': 'application/json'}}, \
         body: JSON.stringify(compareWithTruth({how:?}))}}))))</script>"
    )
}
