//! Site of the pages of others, with the page script in their own world to compare what it sees.

use super::sources_folder;
use crate::browser_stage::Stage;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use askfirst::browser::injected::INSTALL;
use serde::Deserialize;
use serde_json::json;
use std::fmt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::watch;

const PATIENCE: Duration = Duration::from_secs(10);

/// Roles of text and of wrappers.
const TEXT_ROLES: &str = "paragraph strong emphasis code deletion insertion subscript superscript time mark term definition \
                          caption blockquote generic presentation separator suggestion note document";

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
    pub fn new(kind: &str, what: &str, wanted: &str, got: &str, role: &str, listed: bool) -> Self {
        let [kind, what, wanted, got, role] = [kind, what, wanted, got, role].map(str::to_owned);
        Self { kind, what, wanted, got, role, listed }
    }

    /// Returns what was compared, by which a known finding is named.
    pub fn subject(&self) -> String {
        format!("{} of {}", self.kind, self.what)
    }

    pub fn agrees(&self) -> bool {
        self.wanted == self.got
    }

    /// Returns the rule by which a look differs on purpose.
    pub fn exemption(&self) -> Option<&'static str> {
        match self.kind.as_str() {
            "role" => self.role_exemption(),
            "name" => self.name_exemption(),
            _ if self.role == "file" => {
                Some("a look says more than ARIA: clickable, file, canvas, audio, video, iframe")
            }
            _ => None,
        }
    }

    fn role_exemption(&self) -> Option<&'static str> {
        match (self.wanted.as_str(), self.got.as_str()) {
            ("", _) => Some("the source states no role that ARIA has (summary, iframe, dl)"),
            (_, "clickable" | "file" | "canvas" | "audio" | "video" | "iframe") => {
                Some("a look says more than ARIA: clickable, file, canvas, audio, video, iframe")
            }
            ("group", _) if !self.listed => Some("a group without a name has no line"),
            ("option", _) if !self.listed => Some("options of a closed list stand in options="),
            (wanted, _) if !self.listed && TEXT_ROLES.split(' ').any(|role| role == wanted) => {
                Some("text and wrappers have no role in a look; their text stands there")
            }
            _ => None,
        }
    }

    fn name_exemption(&self) -> Option<&'static str> {
        match self.wanted.as_str() {
            "" if !self.listed => Some("a hidden element has no line"),
            "" => Some("an element without a name gets one from the text beside it, or a guess"),
            _ if self.role == "clickable" => Some("what reacts without a role is named by its content"),
            _ => None,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wanted, got, role, listed, .. } = self;
        let unlisted = if *listed { "" } else { ", without a line" };
        write!(to, "({role}{unlisted}) wanted {wanted:?}, got {got:?}")
    }
}

pub struct TruthSite {
    port: u16,
    results: watch::Sender<Option<Vec<Finding>>>,
    shown: web::Data<Shown>,
}

/// Page that is shown at `/shown/NUMBER`.
#[derive(Default)]
struct Shown {
    html: Mutex<String>,
    number: AtomicUsize,
}

impl TruthSite {
    pub fn start() -> Self {
        let results = watch::Sender::new(None);
        let shared = results.clone();
        let shown = web::Data::new(Shown::default());
        let page = shown.clone();
        let routes = move || {
            App::new()
                .app_data(web::Data::new(shared.clone()))
                .app_data(page.clone())
                .route("/shown/{number}", web::get().to(send_shown))
                .app_data(web::JsonConfig::default().limit(1 << 24))
                .route("/truth.js", web::get().to(|| async { script(comparing_script()) }))
                .route("/resources/{file:.*}", web::get().to(|| async { script(read_script("harness.js")) }))
                .route(
                    "/wai-aria/scripts/{file:.*}",
                    web::get().to(|| async { script(read_script("harness.js")) }),
                )
                // The guide's own bar over its examples, which slides in and out.
                .route("/{folder:.*}/skipto.js", web::get().to(|| async { script(String::new()) }))
                .route("/findings", web::post().to(receive_findings))
                .route("/{file:.*}", web::get().to(send_page))
        };
        let server = HttpServer::new(routes).workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
        let port = server.addrs()[0].port();
        actix::spawn(server.run());
        Self { port, results, shown }
    }

    /// Makes a page of a text, and returns its address.
    pub fn show(&self, html: &str) -> String {
        html.clone_into(&mut self.shown.html.lock().unwrap());
        let number = self.shown.number.fetch_add(1, Ordering::Relaxed);
        self.address(&format!("shown/{number}"))
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

async fn send_shown(shown: web::Data<Shown>) -> HttpResponse {
    let html = shown.html.lock().unwrap().clone();
    HttpResponse::Ok().content_type("text/html; charset=utf-8").body(html)
}

fn script(text: String) -> HttpResponse {
    HttpResponse::Ok().content_type("text/javascript").body(text)
}

/// Reads a script from `tests/truth`, so that a change of it needs no build.
fn read_script(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/truth").join(name);
    std::fs::read_to_string(file).unwrap()
}

/// Joins the comparison to the page script, within its function.
fn comparing_script() -> String {
    let compare = read_script("compare.js");
    let end = INSTALL.rfind("\n})(").unwrap();
    format!("{}\n{compare}{}", &INSTALL[..end], &INSTALL[end..])
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
