//! Setup of the browser measurements: the demo shop on a port of its own, a browser of the service, and the
//! bare client with another Chromium.

use super::app::Process;
use super::bare::BareClient;
use super::socket::Viewer;
use super::sweep;
use actix::{Actor, Addr, Context, Handler};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use askfirst::browser::actor::Browser;
use askfirst::browser::config::{BrowserConfig, PoolLimits};
use askfirst::browser::input::outcome::ActionOutcome;
use askfirst::browser::messages::{BrowserEvent, JudgeRequests, Observe, ObservedPage, Perform, PictureTime};
use askfirst::browser::network::request_judge::RequestJudge;
use askfirst::browser::network::url_policy::UrlPolicy;
use askfirst::browser::pool::messages::{OpenBrowser, Shutdown};
use askfirst::browser::pool::supervisor::Supervisor;
use askfirst::demo::{self, Shop};
use askfirst::ids::RunId;
use askfirst::turn::action::{Action, BrowserAction, PageAction};
use askfirst::turn::page_input::mouse::ClickInput;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub struct Stage {
    pub site: String,
    pub bare: BareClient,
    browser: Addr<Browser>,
    supervisor: Addr<Supervisor>,
    _folder: tempfile::TempDir,
}

pub const FILES: usize = 40;
/// Requests of the pages with many.
pub const REQUESTS: usize = 200;
const SMALL: usize = 10_000;
pub const LARGE: usize = 20_000_000;

/// A constantly changing page with two secret fields.
const SIGN_IN: &str = "<title>Sign in</title><h1>Sign in</h1><p id=o></p><form><label>Name <input name=n></label>\
    <label>Password <input type=password name=p></label>\
    <label>Code <input autocomplete=one-time-code name=c></label><button>Sign in</button></form>\
    <div style='height:300px;background:repeating-linear-gradient(45deg,#08f,#0a5 40px,#fa0 80px)'></div>\
    <script>let n=0;(function f(){o.textContent=n++;requestAnimationFrame(f)})()</script>";

/// A page that tells when it was pressed.
const PRESSED: &str = "<title>Pressed</title><button onmousedown='o.textContent = `pressed at ${Date.now()}`'>Press</button>\
    <p id=o></p>";

/// A page whose button has its effect 150 ms later.
const TIMER: &str = "<title>Timer</title><button onclick='setTimeout(() => { o.textContent = `Done ${++n}` }, 150)'>Start</button>\
    <p id=o role=status></p><script>let n = 0</script>";

/// A page with a link to itself.
const THERE: &str = "<title>There</title><h1>There</h1><a href='there'>Go on</a><p>Some text</p>";

/// A page that measures its own requests by POST.
const POSTS: &str = "<title>Posts</title><button onclick='post(30)'>Post</button><p id=o></p><p id=list></p><script>\
    let done; function post(n) { done = (async () => { const took = []; for (let i = 0; i < n; i++) {\
    const start = performance.now();\
    await fetch('search', {method: 'POST', headers: {'content-type': 'application/json'}, body: '{\"q\":\"lamp\"}'});\
    took.push(Math.round((performance.now() - start) * 100) / 100); }\
    list.textContent = JSON.stringify(took); o.textContent = 'all posted'; return took; })(); o.textContent = ''; }</script>";

/// Ignores the events of the browser.
struct IgnoreEvents;

impl Actor for IgnoreEvents {
    type Context = Context<Self>;
}

impl Handler<BrowserEvent> for IgnoreEvents {
    type Result = ();

    fn handle(&mut self, _: BrowserEvent, _: &mut Self::Context) {}
}

pub fn config(folder: &Path) -> BrowserConfig {
    BrowserConfig {
        lease: askfirst::store::tree_leases::deadline::LeaseDeadline::default(),
        executable: None,
        headless: true,
        cdp_url: None,
        viewport: (1280, 720),
        linger: Duration::ZERO,
        load_timeout: Duration::from_secs(60),
        page_tokens: 2000,
        languages: None,
        limits: PoolLimits::default(),
        files: askfirst::files::FileStore::new(folder.join("runs"), 100, 1000),
        url_policy: UrlPolicy::new(|_| None),
        keys: Default::default(),
        data_dir: folder.to_owned(),
    }
}

/// Starts the service as a process that may visit the site, with a viewer, and the bare client beside it.
pub async fn start_service(folder: &Path, site: &str) -> (Process, Viewer, BareClient) {
    start_service_with(folder, site, &[]).await
}

/// Starts the same with further settings.
pub async fn start_service_with(
    folder: &Path,
    site: &str,
    settings: &[(&str, &str)],
) -> (Process, Viewer, BareClient) {
    let host = serde_json::json!([site.trim_start_matches("http://").split('/').next()]).to_string();
    let mut more =
        vec![("ASKFIRST_BROWSER__LINGER_S", "60"), ("ASKFIRST_GATE__PRIVATE_HOSTS", host.as_str())];
    more.extend(settings);
    let service = Process::start(folder, &more).await;
    let viewer = Viewer::hello(&service.base).await;
    (service, viewer, BareClient::open(&config(folder)).await)
}

/// The demo shop with its lab, and further pages for the measurements.
pub fn site() -> String {
    let shop = Shop::default();
    let app = move || {
        App::new()
            .route("/demo/foreign-frames", web::get().to(foreign_frames))
            .route("/demo/foreign-frame/{n}", web::get().to(foreign_frame))
            .route("/demo/sign-in", web::get().to(|| page(SIGN_IN)))
            .route("/demo/files", web::get().to(|| page(&files())))
            .route("/demo/requests", web::get().to(|| page(&requests())))
            .route("/demo/fetches", web::get().to(|| page(&fetches())))
            .route("/demo/posts", web::get().to(|| page(POSTS)))
            .route("/demo/sweep", web::get().to(|| page(sweep::PAGE)))
            .route("/demo/pressed", web::get().to(|| page(PRESSED)))
            .route("/demo/timer", web::get().to(|| page(TIMER)))
            .route("/demo/there", web::get().to(|| page(THERE)))
            .route("/demo/clicked", web::get().to(sweep::record_click))
            .route("/demo/search", web::post().to(async || HttpResponse::Ok().body("[]")))
            .route("/demo/files/{n}.js", web::get().to(|| script(SMALL)))
            .route(
                "/demo/large",
                web::get().to(|| page("<title>Large</title><script src=large.js></script>")),
            )
            .route("/demo/large.js", web::get().to(|| script(LARGE)))
            // All other paths under /demo belong to the shop.
            .configure(|app| demo::configure(app, &shop))
    };
    let server = HttpServer::new(app).workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
    let port = server.addrs()[0].port();
    actix::spawn(server.run());
    format!("http://127.0.0.1:{port}/demo")
}

/// A frame page, because those of the lab can only be embedded by the lab.
async fn foreign_frame(number: web::Path<u32>) -> HttpResponse {
    page(&format!("<h2>Frame {number}</h2><p>Text {number}</p><button>Button {number}</button>")).await
}

fn page(body: &str) -> impl Future<Output = HttpResponse> + use<> {
    let html = format!("<!doctype html><html lang=en>{body}");
    std::future::ready(HttpResponse::Ok().content_type("text/html; charset=utf-8").body(html))
}

fn files() -> String {
    let tags = (0..FILES).map(|n| format!("<script src=\"files/{n}.js\"></script>"));
    format!("<title>Files</title>{}", tags.collect::<String>())
}

/// Many scripts of the page itself.
fn requests() -> String {
    let tags = (0..REQUESTS).map(|n| format!("<script src=\"files/{n}.js\" async></script>"));
    format!("<title>Requests</title>{}", tags.collect::<String>())
}

/// Many requests by script at once. The page measures how long they take.
fn fetches() -> String {
    format!(
        "<title>Fetches</title><p id=o></p><p id=list></p><script>\
         const done = (async () => {{ const start = performance.now();\
         await Promise.all(Array.from({{length: {REQUESTS}}}, (_, n) => fetch(`files/${{n}}.js`).then(r => r.text())));\
         const took = [Math.round(performance.now() - start)];\
         list.textContent = JSON.stringify(took); o.textContent = 'all fetched'; return took; }})();\
         </script>"
    )
}

/// A script of this many bytes without effect, never cached.
async fn script(bytes: usize) -> HttpResponse {
    let body = format!("/*{}*/", " ".repeat(bytes));
    HttpResponse::Ok().insert_header(("cache-control", "no-store")).content_type("text/javascript").body(body)
}

/// Eight frames of another site, each in its own process if Chromium isolates them.
async fn foreign_frames(request: HttpRequest) -> HttpResponse {
    let host = request.connection_info().host().replace("127.0.0.1", "localhost");
    let frames = (1..=8).map(|n| {
        format!("<iframe title=\"Frame {n}\" src=\"http://{host}/demo/foreign-frame/{n}\"></iframe>")
    });
    let html = format!(
        "<!doctype html><html lang=en><title>Frames</title><h1>Frames</h1>{}",
        frames.collect::<String>()
    );
    HttpResponse::Ok().content_type("text/html; charset=utf-8").body(html)
}

impl Stage {
    pub async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let supervisor = Supervisor::new(config(folder.path())).start();
        let open = OpenBrowser {
            owner: RunId::fresh(),
            snapshot: None,
            events: IgnoreEvents.start().recipient(),
            languages: None,
            observations: 0,
        };
        let browser = supervisor.send(open).await.unwrap().unwrap();
        let bare = BareClient::open(&config(folder.path())).await;
        Self { site: site(), bare, browser, supervisor, _folder: folder }
    }

    pub async fn close(self) {
        self.bare.close().await;
        self.supervisor.send(Shutdown).await.unwrap();
    }

    /// Has the requests of our browser judged, as those after an action on the page in front.
    pub async fn judge_by(&self, judge: Arc<dyn RequestJudge>) {
        self.browser
            .send(JudgeRequests { judge, acts_on_page: true, may_repeat: true, is_new_request: false })
            .await
            .unwrap();
    }

    /// Opens the same page in both browsers.
    pub async fn go(&mut self, path: &str) {
        let url = format!("{}{path}", self.site);
        self.bare.go(&url).await;
        self.perform(Action::Browser(BrowserAction::Navigate { url })).await;
    }

    pub async fn perform(&self, action: Action) -> ActionOutcome {
        self.browser.send(Perform::new(action)).await.unwrap().unwrap()
    }

    pub async fn observe(&self) -> ObservedPage {
        self.browser.send(Observe { picture: PictureTime::Now }).await.unwrap().unwrap()
    }

    pub async fn observe_text(&self) -> ObservedPage {
        self.browser.send(Observe { picture: PictureTime::After }).await.unwrap().unwrap()
    }

    pub async fn click(&self, eid: u32) -> ActionOutcome {
        self.perform(Action::Page(PageAction::Click { eid, click: ClickInput::once() })).await
    }
}
