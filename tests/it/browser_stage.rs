//! The stage of the browser's tests: a small local site and a browser on it.

use actix::{Actor, Addr, Context, Handler};
use actix_web::web::Bytes;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use askfirst::browser::actor::Browser;
use askfirst::browser::config::{BrowserConfig, PoolLimits};
use askfirst::browser::error::PageError;
use askfirst::browser::input::outcome::ActionOutcome;
use askfirst::browser::messages::{BrowserEvent, Examine, Observe, Perform, PictureTime};
use askfirst::browser::network::url_policy::UrlPolicy;
use askfirst::browser::pool::messages::{OpenBrowser, ProcessGroup, ReleaseBrowser, Shutdown};
use askfirst::browser::pool::supervisor::Supervisor;
use askfirst::browser::screencast::viewer::ScreencastFrame;
use askfirst::browser::snapshot::Snapshot;
use askfirst::browser::takeover::holder_dialogs::DialogChanged;
use askfirst::browser::takeover::holder_view::HolderViewChanged;
use askfirst::files::{FileStore, RunFiles};
use askfirst::ids::RunId;
use askfirst::page::observation::{Line, Observation};
use askfirst::page::target::Target;
use askfirst::turn::Call;
use askfirst::turn::action::Action;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, mpsc};

/// Longest wait of a test.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Two Chromium at a time: the machine has few cores.
static SLOTS: std::sync::LazyLock<Arc<Semaphore>> = std::sync::LazyLock::new(|| Arc::new(Semaphore::new(2)));

pub struct Stage {
    pub supervisor: Addr<Supervisor>,
    pub browser: Addr<Browser>,
    pub owner: RunId,
    pub site: String,
    pub data_dir: tempfile::TempDir,
    events: Mutex<mpsc::UnboundedReceiver<BrowserEvent>>,
    recorder: Addr<Recorder<BrowserEvent>>,
    _slot: OwnedSemaphorePermit,
}

impl Stage {
    pub async fn open() -> Self {
        Self::open_with(|_| ()).await
    }

    pub async fn open_with(change: impl FnOnce(&mut BrowserConfig)) -> Self {
        Self::open_at(|config, _| change(config)).await
    }

    /// With settings that know the address of the site.
    pub async fn open_at(change: impl FnOnce(&mut BrowserConfig, &str)) -> Self {
        let slot = Arc::clone(&SLOTS).acquire_owned().await.unwrap();
        let data_dir = tempfile::tempdir().unwrap();
        let mut config = config(data_dir.path());
        let site = site();
        change(&mut config, &site);
        let supervisor = Supervisor::new(config).start();
        let (recorder, events) = Recorder::start_new();
        let owner = RunId::fresh();
        let open = OpenBrowser {
            owner: owner.clone(),
            snapshot: None,
            events: recorder.clone().recipient(),
            languages: None,
            observations: 0,
        };
        let browser = supervisor.send(open).await.unwrap().unwrap();
        let events = Mutex::new(events);
        Self { supervisor, browser, owner, site, data_dir, events, recorder, _slot: slot }
    }

    pub async fn reopen(&self, snapshot: Option<Snapshot>) -> Addr<Browser> {
        let events = self.recorder.clone().recipient();
        let open =
            OpenBrowser { owner: self.owner.clone(), snapshot, events, languages: None, observations: 0 };
        self.supervisor.send(open).await.unwrap().unwrap()
    }

    /// Observation of this page by a browser of another owner.
    pub async fn observe_fresh(&self, path: &str) -> Arc<Observation> {
        self.observe_as(None, path).await
    }

    /// The same, of a reader of these languages.
    pub async fn observe_as(&self, languages: Option<&'static str>, path: &str) -> Arc<Observation> {
        let (owner, events) = (RunId::fresh(), self.recorder.clone().recipient());
        let open = OpenBrowser { owner: owner.clone(), snapshot: None, events, languages, observations: 0 };
        let browser = self.supervisor.send(open).await.unwrap().unwrap();
        let action = action("navigate", json!({"url": format!("{}{path}", self.site)}));
        bounded(browser.send(Perform::new(action))).await.unwrap().unwrap();
        let seen =
            bounded(browser.send(Observe { picture: PictureTime::Now })).await.unwrap().unwrap().observation;
        self.supervisor.send(ReleaseBrowser { owner, linger: Some(Duration::ZERO) }).await.unwrap();
        seen
    }

    pub async fn observe(&self) -> Arc<Observation> {
        bounded(self.browser.send(Observe { picture: PictureTime::Now })).await.unwrap().unwrap().observation
    }

    /// Observes the page with its picture, both of the same moment.
    pub async fn observe_with_picture(&self) -> (Arc<Observation>, Bytes) {
        let seen = bounded(self.browser.send(Observe { picture: PictureTime::Now })).await.unwrap().unwrap();
        (seen.observation, seen.picture.wait().await.unwrap())
    }

    /// Opens a page of this text, at an address of its own.
    pub async fn show(&self, html: &str) -> ActionOutcome {
        let body = url::form_urlencoded::byte_serialize(html.as_bytes()).collect::<String>();
        self.act("navigate", json!({"url": format!("{}/html?{body}", self.site)})).await.unwrap()
    }

    pub async fn go(&self, path: &str) -> Result<ActionOutcome, PageError> {
        self.act("navigate", json!({"url": format!("{}{path}", self.site)})).await
    }

    pub async fn act(&self, name: &str, params: Value) -> Result<ActionOutcome, PageError> {
        bounded(self.browser.send(Perform::new(action(name, params)))).await.unwrap()
    }

    /// The element of that name in a fresh look.
    pub async fn eid(&self, name: &str) -> u32 {
        let seen = self.observe().await;
        find(&seen, name).eid.unwrap()
    }

    /// Facts about the element of that name, as the gate and an approval use them.
    pub async fn target(&self, name: &str) -> Target {
        let eid = self.eid(name).await;
        bounded(self.browser.send(Examine { eid })).await.unwrap().unwrap()
    }

    pub async fn click(&self, name: &str) -> Result<ActionOutcome, PageError> {
        let eid = self.eid(name).await;
        self.act("click", json!({"eid": eid})).await
    }

    /// The next fact that fits.
    pub async fn event(&self, fits: impl Fn(&BrowserEvent) -> bool) -> BrowserEvent {
        let mut events = self.events.lock().await;
        bounded(async {
            loop {
                let event = events.recv().await.unwrap();
                if fits(&event) {
                    return event;
                }
            }
        })
        .await
    }

    /// Files that the run was given or has downloaded.
    pub fn files(&self) -> RunFiles {
        config(self.data_dir.path()).files.run_files(&self.owner)
    }

    /// Gives it a file.
    pub fn give(&self, name: &str, text: &str) {
        let from = self.files().incoming().unwrap().join("given");
        std::fs::write(&from, text).unwrap();
        self.files().move_in(&from, name).unwrap();
    }

    pub async fn group(&self) -> u32 {
        self.supervisor.send(ProcessGroup).await.unwrap().unwrap()
    }

    /// Ends everything and looks whether anything is left.
    pub async fn finish(self) {
        let group = self.supervisor.send(ProcessGroup).await.unwrap();
        bounded(self.supervisor.send(Shutdown)).await.unwrap();
        if let Some(group) = group {
            assert_eq!(members(group), Vec::<u32>::new(), "processes are left");
        }
        assert_eq!(leftovers(self.data_dir.path()), Vec::<PathBuf>::new(), "folders are left");
    }
}

pub fn config(data_dir: &Path) -> BrowserConfig {
    BrowserConfig {
        lease: askfirst::store::tree_leases::deadline::LeaseDeadline::default(),
        executable: None,
        headless: true,
        cdp_url: None,
        viewport: (1280, 720),
        linger: Duration::from_secs(120),
        load_timeout: Duration::from_secs(5),
        page_tokens: 2000,
        languages: None,
        limits: PoolLimits::default(),
        url_policy: UrlPolicy::new(|_| None),
        keys: Default::default(),
        files: FileStore::new(data_dir.join("runs"), 1, 3),
        data_dir: data_dir.to_owned(),
    }
}

pub fn action(name: &str, params: Value) -> Action {
    let params = params.as_object().unwrap().clone();
    Action::parse(&Call { action: name.to_owned(), params, ..Call::default() }).unwrap()
}

pub async fn bounded<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("it took too long")
}

pub fn find<'a>(seen: &'a Observation, name: &str) -> &'a Line {
    let named = seen.lines.iter().find(|line| line.name == name && line.eid.is_some());
    named.unwrap_or_else(|| panic!("no element {name:?} in {}", text(seen)))
}

/// Names of all lines, one a line.
pub fn text(seen: &Observation) -> String {
    seen.lines.iter().map(|line| format!("{} {}\n", line.role, line.name)).collect()
}

/// Living processes of a group.
pub fn members(group: u32) -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers
        .filter(|number| {
            let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
            // After the name in brackets: state, parent, group.
            let rest: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
            rest.get(2) == Some(&group.to_string().as_str()) && rest.first() != Some(&"Z")
        })
        .collect()
}

pub fn leftovers(data_dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(data_dir.join("browser")) else { return Vec::new() };
    entries.flatten().map(|entry| entry.path()).collect()
}

/// Waits for something outside that tells nobody, as the end of a process.
pub async fn until(what: &str, limit: Duration, holds: impl Fn() -> bool) {
    let checked = async {
        let mut tick = tokio::time::interval(Duration::from_millis(20));
        while !holds() {
            tick.tick().await;
        }
    };
    tokio::time::timeout(limit, checked).await.unwrap_or_else(|_| panic!("{what} not within {limit:?}"));
}

/// An actor that passes on what it is told.
pub struct Recorder<M>(mpsc::UnboundedSender<M>);

impl<M: Send + Unpin + 'static> Recorder<M> {
    pub fn start_new() -> (Addr<Self>, mpsc::UnboundedReceiver<M>) {
        let (to, receiver) = mpsc::unbounded_channel();
        (Self(to).start(), receiver)
    }
}

impl<M: Unpin + 'static> Actor for Recorder<M> {
    type Context = Context<Self>;
}

impl Handler<BrowserEvent> for Recorder<BrowserEvent> {
    type Result = ();

    fn handle(&mut self, event: BrowserEvent, _: &mut Context<Self>) {
        let _ = self.0.send(event);
    }
}

impl Handler<DialogChanged> for Recorder<DialogChanged> {
    type Result = ();

    fn handle(&mut self, asked: DialogChanged, _: &mut Context<Self>) {
        let _ = self.0.send(asked);
    }
}

impl Handler<HolderViewChanged> for Recorder<HolderViewChanged> {
    type Result = ();

    fn handle(&mut self, change: HolderViewChanged, _: &mut Context<Self>) {
        let _ = self.0.send(change);
    }
}

impl Handler<ScreencastFrame> for Recorder<ScreencastFrame> {
    type Result = ();

    fn handle(&mut self, picture: ScreencastFrame, _: &mut Context<Self>) {
        let _ = self.0.send(picture);
    }
}

/// The demo shop on a free port.
pub fn shop() -> String {
    let shop = askfirst::demo::Shop::default();
    let app = move || App::new().configure(|app| askfirst::demo::configure(app, &shop));
    let server = HttpServer::new(app).workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
    let port = server.addrs()[0].port();
    actix::spawn(server.run());
    format!("http://127.0.0.1:{port}/demo")
}

/// A site on a free port, for as long as the test runs.
pub fn site() -> String {
    let routes = || {
        App::new()
            .route("/html", web::get().to(html))
            .route("/to", web::get().to(led))
            .route("/slow/{millis}", web::get().to(slow))
            .route("/never", web::get().to(never))
            .route("/nothing", web::get().to(|| async { HttpResponse::NoContent().finish() }))
            .route("/cookie", web::get().to(cookie))
            .route("/file/{name}", web::get().to(saved))
            .route("/broken/{name}", web::get().to(broken))
            .route("/paper/{name}", web::get().to(paper))
            .route("/log-in", web::get().to(log_in))
            .route("/pages/{file:.*}", web::get().to(page))
    };
    let server = HttpServer::new(routes).workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
    let port = server.addrs()[0].port();
    actix::spawn(server.run());
    format!("http://127.0.0.1:{port}")
}

pub async fn html(request: HttpRequest) -> HttpResponse {
    let query = request.query_string().replace('+', " ");
    let body = url::form_urlencoded::parse(format!("b={}", query.replace('&', "%26")).as_bytes())
        .map(|(_, value)| value.into_owned())
        .collect::<String>();
    HttpResponse::Ok().content_type("text/html; charset=utf-8").body(body)
}

async fn led(request: HttpRequest) -> HttpResponse {
    HttpResponse::Found().insert_header(("location", request.query_string())).finish()
}

async fn slow(millis: web::Path<u64>) -> HttpResponse {
    let _ = tokio::time::timeout(Duration::from_millis(*millis), std::future::pending::<()>()).await;
    HttpResponse::Ok().content_type("text/html").body("<title>slow</title><h1>came late</h1>")
}

async fn never() -> HttpResponse {
    std::future::pending().await
}

/// `/file/{name}?{text}`, to be saved under another name if the query says `as=`.
pub async fn saved(name: web::Path<String>, request: HttpRequest) -> HttpResponse {
    let query = request.query_string();
    let (name, text) = query.split_once("as=").map_or((name.as_str(), query), |(text, name)| (name, text));
    let size: usize = text.strip_prefix("zeros=").and_then(|size| size.parse().ok()).unwrap_or_default();
    let body = if size > 0 { vec![b'0'; size] } else { text.as_bytes().to_vec() };
    HttpResponse::Ok()
        .content_type("application/octet-stream")
        .insert_header(("content-disposition", format!("attachment; filename=\"{name}\"")))
        .body(body)
}

/// The server goes away in the middle of the file.
async fn broken(name: web::Path<String>) -> HttpResponse {
    let half = futures_util::stream::unfold(0, |sent| async move {
        if sent == 0 {
            return Some((Ok(web::Bytes::from_static(b"half of it")), 1));
        }
        // The first half has been sent by then.
        let _ = tokio::time::timeout(Duration::from_millis(300), std::future::pending::<()>()).await;
        Some((Err(std::io::Error::other("broken off")), 2))
    });
    HttpResponse::Ok()
        .content_type("application/octet-stream")
        .insert_header(("content-disposition", format!("attachment; filename=\"{name}\"")))
        .no_chunking(20)
        .streaming(half)
}

/// A document that Chromium has a viewer of its own for.
async fn paper() -> HttpResponse {
    let body = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF";
    HttpResponse::Ok().content_type("application/pdf").body(body)
}

/// Asks for a name and a password as HTTP does.
async fn log_in() -> HttpResponse {
    let challenge = ("www-authenticate", "Basic realm=\"Members\"");
    HttpResponse::Unauthorized()
        .insert_header(challenge)
        .content_type("text/html")
        .body("<h1>Members only</h1>")
}

async fn cookie(request: HttpRequest) -> HttpResponse {
    let known =
        request.headers().get("cookie").and_then(|value| value.to_str().ok()).unwrap_or("none").to_owned();
    HttpResponse::Ok()
        .insert_header(("set-cookie", "who=olena; HttpOnly; Path=/"))
        .content_type("text/html")
        .body(format!(
            "<h1>cookie: {known}</h1><input aria-label=Note><input type=password aria-label=Secret>"
        ))
}

async fn page(file: web::Path<String>) -> HttpResponse {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages").join(file.as_str());
    let kind = match path.extension().and_then(|e| e.to_str()) {
        Some("css") => "text/css",
        Some("js" | "mjs") => "text/javascript",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        _ => "text/html; charset=utf-8",
    };
    match std::fs::read(path) {
        Ok(body) => HttpResponse::Ok().content_type(kind).body(body),
        Err(_) => HttpResponse::NotFound().body("no such page"),
    }
}
