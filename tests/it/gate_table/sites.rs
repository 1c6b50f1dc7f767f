//! Test sites: one server plays all of them, and records what arrives for each case.

use super::arrivals::{Arrival, list_fields};
use super::cases::{Case, PageResponse, PageSource, libraries, number_sites};
use super::sockets;
use actix_web::http::StatusCode;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock};

const PIXEL: &[u8] =
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\
    \x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;";

/// Sites of one case.
#[derive(Default)]
pub struct CaseSites {
    number: usize,
    pages: BTreeMap<String, PageSource>,
    arrivals: Mutex<Vec<Arrival>>,
}

/// All sites.
pub struct Sites {
    pub port: u16,
    pub service: OnceLock<String>,
    cases: Mutex<HashMap<usize, Arc<CaseSites>>>,
    /// The case that uses `localhost` now.
    holder: Mutex<usize>,
    defaults: BTreeMap<String, PageSource>,
}

impl CaseSites {
    pub fn add(&self, arrival: Arrival) {
        self.arrivals.lock().unwrap().push(arrival);
    }

    pub fn arrivals(&self) -> Vec<Arrival> {
        self.arrivals.lock().unwrap().clone()
    }
}

impl Sites {
    /// Starts the server.
    pub fn start(defaults: BTreeMap<String, PageSource>) -> web::Data<Self> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (cases, holder, service) = Default::default();
        let sites = web::Data::new(Self { port, service, cases, holder, defaults });
        let shared = sites.clone();
        let app = move || {
            let limit = web::PayloadConfig::new(64 << 20);
            App::new().app_data(shared.clone()).app_data(limit).default_service(web::to(serve))
        };
        let server = HttpServer::new(app).workers(1).disable_signals().shutdown_timeout(0);
        actix_web::rt::spawn(server.listen(listener).unwrap().run());
        sites
    }

    /// Opens the sites of a case.
    pub fn open(&self, case: &Case) -> Arc<CaseSites> {
        let pages = case.pages.iter().map(|(address, page)| {
            (address.strip_prefix("http://").unwrap_or(address).to_owned(), page.clone())
        });
        let sites = CaseSites { number: case.number, pages: pages.collect(), ..CaseSites::default() };
        let sites = Arc::new(sites);
        self.cases.lock().unwrap().insert(case.number, Arc::clone(&sites));
        if case.shares_hosts() {
            *self.holder.lock().unwrap() = case.number;
        }
        sites
    }

    /// Finds the case that a host belongs to.
    fn find_case(&self, host: &str) -> Option<Arc<CaseSites>> {
        let mut labels = host.rsplit('.');
        let name = labels.nth(1).unwrap_or_default();
        let digits = name.trim_start_matches(|letter: char| !letter.is_ascii_digit());
        let is_shared = host == "localhost" || host == "127.0.0.1";
        let number = if is_shared { Some(*self.holder.lock().unwrap()) } else { digits.parse().ok() };
        self.cases.lock().unwrap().get(&number?).cloned()
    }

    /// Fills in addresses of this machine.
    pub fn fill_in(&self, text: &str) -> String {
        let service = self.service.get().map_or("", String::as_str);
        let port = self.port;
        text.replace("{{loopback}}", &format!("127.0.0.1:{port}"))
            .replace("{{localhost}}", &format!("localhost:{port}"))
            .replace("{{service}}", service)
    }

    fn respond(&self, case: &CaseSites, host: &str, request: &HttpRequest) -> HttpResponse {
        let path = request.path();
        let whole = request.uri().path_and_query().map_or(path, |whole| whole.as_str());
        let own = [format!("{host}{whole}"), format!("{host}{path}"), path.to_owned()];
        let own = own.iter().find_map(|address| case.pages.get(address));
        let Some(page) = own.or_else(|| self.defaults.get(path)) else { return answer_unknown(request) };
        match page {
            PageSource::Html(html) => {
                self.page(case, &PageResponse { html: Some(html.clone()), ..PageResponse::default() })
            }
            PageSource::Response(page) => self.page(case, page),
        }
    }

    fn page(&self, case: &CaseSites, page: &PageResponse) -> HttpResponse {
        let status =
            page.status.and_then(|status| StatusCode::from_u16(status).ok()).unwrap_or(StatusCode::OK);
        let mut response = HttpResponse::build(status);
        if page.html.is_some() {
            response.content_type("text/html; charset=utf-8");
        }
        for (name, value) in &page.headers {
            response.insert_header((name.as_str(), number_sites(value, case.number)));
        }
        let text = page.html.as_deref().map(complete_html).or_else(|| page.body.clone()).unwrap_or_default();
        response.body(self.fill_in(&number_sites(&text, case.number)))
    }
}

/// Adds what every document has.
fn complete_html(html: &str) -> String {
    if html.trim_start().to_lowercase().starts_with("<!doctype") {
        return html.to_owned();
    }
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>Page</title></head><body>{html}</body></html>"
    )
}

async fn serve(request: HttpRequest, payload: web::Payload, sites: web::Data<Sites>) -> HttpResponse {
    let host = request.connection_info().host().split(':').next().unwrap_or_default().to_owned();
    let Some(case) = sites.find_case(&host) else { return HttpResponse::NotFound().finish() };
    if let Some(path) = request.path().strip_prefix("/lib/") {
        return send_library(path);
    }
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    let content_type = header("content-type").unwrap_or_default().to_owned();
    let mut arrival = Arrival {
        method: request.method().to_string(),
        host: host.clone(),
        path: request.uri().path_and_query().map_or_else(String::new, |whole| whole.to_string()),
        body: String::new(),
        cookie: ["cookie", "authorization"].map(|name| header(name).unwrap_or_default()).join(" "),
        is_message: false,
    };
    if header("upgrade").is_some_and(|protocol| protocol.eq_ignore_ascii_case("websocket")) {
        // Opening a socket is no effect by its path: pages do so when they load.
        arrival.method = String::from("SOCKET");
        case.add(arrival.clone());
        return sockets::accept(&request, payload, arrival, case);
    }
    let body = payload.to_bytes().await.unwrap_or_default();
    let text = String::from_utf8_lossy(&body).into_owned();
    arrival.body = format!("{text} {}", list_fields(&content_type, &text)).trim().to_owned();
    if request.method() != "OPTIONS" {
        case.add(arrival);
    }
    let mut response = sites.respond(&case, &host, &request);
    allow_origin(&request, &mut response);
    response
}

/// Lets scripts of other origins send and read everything, so that no effect fails by itself.
fn allow_origin(request: &HttpRequest, response: &mut HttpResponse) {
    use actix_web::http::header::{HeaderName, HeaderValue};
    let origin = request.headers().get("origin").cloned().unwrap_or(HeaderValue::from_static("*"));
    let asked = request.headers().get("access-control-request-headers").cloned();
    let headers = response.headers_mut();
    let fixed = |name: &'static str| HeaderName::from_static(name);
    headers.insert(fixed("access-control-allow-origin"), origin);
    headers.insert(fixed("access-control-allow-credentials"), HeaderValue::from_static("true"));
    let methods = HeaderValue::from_static("GET, POST, PUT, PATCH, DELETE");
    headers.insert(fixed("access-control-allow-methods"), methods);
    asked.into_iter().for_each(|asked| {
        headers.insert(fixed("access-control-allow-headers"), asked);
    });
}

/// Answers what no page stands for: redirects, downloads, or something small of the kind that is accepted.
fn answer_unknown(request: &HttpRequest) -> HttpResponse {
    let path = request.path();
    if path == "/go" {
        let pairs = url::form_urlencoded::parse(request.query_string().as_bytes());
        let to = pairs.into_iter().find(|(name, _)| name == "to").map(|(_, to)| to.into_owned());
        return HttpResponse::Found().insert_header(("location", to.unwrap_or_default())).finish();
    }
    if let Some(name) = path.strip_prefix("/d/") {
        return send_download(name.strip_prefix("as/").unwrap_or(name));
    }
    let accept = request.headers().get("accept").and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accept.contains("text/html") {
        return HttpResponse::Ok()
            .content_type("text/html; charset=utf-8")
            .body(complete_html("<h1>Done</h1>"));
    }
    match accept {
        accept if accept.contains("event-stream") => {
            HttpResponse::Ok().content_type("text/event-stream").body("")
        }
        accept if accept.starts_with("image/") => HttpResponse::Ok().content_type("image/gif").body(PIXEL),
        _ => HttpResponse::Ok().json(serde_json::json!({"ok": true, "items": []})),
    }
}

/// Sends a file of a component library.
fn send_library(path: &str) -> HttpResponse {
    let kind = match path.rsplit('.').next().unwrap_or_default() {
        "js" | "mjs" => "text/javascript",
        "css" => "text/css",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        _ => "application/octet-stream",
    };
    let is_inside = !path.split('/').any(|part| part == "..");
    let file = std::fs::read(libraries().join(path)).ok().filter(|_| is_inside);
    let Some(bytes) = file else { return HttpResponse::NotFound().finish() };
    HttpResponse::Ok()
        .content_type(kind)
        .insert_header(("cache-control", "max-age=3600"))
        .insert_header(("access-control-allow-origin", "*"))
        .body(bytes)
}

fn send_download(name: &str) -> HttpResponse {
    let start: &[u8] = match name.rsplit('.').next().unwrap_or_default() {
        "exe" | "dll" | "pif" | "msix" => b"MZ\x90\x00",
        "so" => b"\x7fELF",
        "pdf" => b"%PDF-1.4\n",
        "png" => b"\x89PNG\r\n\x1a\n",
        "zip" | "docx" | "docm" => b"PK\x03\x04",
        _ => b"text\n",
    };
    HttpResponse::Ok()
        .content_type("application/octet-stream")
        .insert_header(("content-disposition", format!("attachment; filename=\"{name}\"")))
        .body(start.to_vec())
}
