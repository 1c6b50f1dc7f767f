//! The service with scripted programs, on its own port and folder: everything except the browser, whose pages
//! are replaced.

use super::openapi_check::describes;
use super::pages::FakePages;
use super::scripted_program::Scripted;
use super::ws::Ws;
use actix::{Actor, Addr};
use actix_web::dev::ServerHandle;
use actix_web::middleware::from_fn;
use actix_web::{App, HttpServer, web};
use askfirst::agent_spec::files::library::Library;
use askfirst::browser::config::{BrowserConfig, PoolLimits};
use askfirst::browser::network::url_policy::UrlPolicy;
use askfirst::browser::pool::inventory::{
    BrowserInventory, CloseError, ContextInfo, ContextState, InstanceInfo,
};
use askfirst::browser::pool::supervisor::Supervisor;
use askfirst::config::Settings;
use askfirst::config::layers::Flags;
use askfirst::config::recording::Recording;
use askfirst::engine::archive::{Archive, FlushArchive};
use askfirst::engine::registry::feed::{EventsStored, Feed};
use askfirst::engine::registry::state::Registry;
use askfirst::engine::services::RunServices;
use askfirst::files::FileStore;
use askfirst::gate::actor::{CHECK_INTERVAL, PolicyGate};
use askfirst::http::guard::{self, Guard};
use askfirst::http::language::translate;
use askfirst::http::openai::repeated_requests::Retries;
use askfirst::http::routes;
use askfirst::http::service::{About, Browsers, Service};
use askfirst::ids::RunId;
use askfirst::model::connection::ModelConnection;
use askfirst::session::state::SessionDeps;
use askfirst::store::Store;
use askfirst::store::sqlite::connection::store::SqliteStore;
use futures_util::future::BoxFuture;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

pub struct TestService {
    pub port: u16,
    pub programs: Arc<Scripted>,
    pub pages: Arc<FakePages>,
    pub engine: Arc<RunServices>,
    pub registry: Addr<Registry>,
    pub store: Arc<dyn Store>,
    pub folder: TempDir,
    archive: Addr<Archive>,
    client: Client,
    handle: ServerHandle,
}

/// Browsers that are available, or fail with this message.
struct FakeBrowsers(Result<(), String>);

impl Browsers for FakeBrowsers {
    fn ready(&self) -> BoxFuture<'static, Result<(), String>> {
        Box::pin(std::future::ready(self.0.clone()))
    }

    fn list(&self, _: bool) -> BoxFuture<'static, BrowserInventory> {
        let context = ContextInfo {
            owner: RunId::from("r1"),
            url: String::from("http://shop.test/"),
            title: String::from("Shop"),
            since: String::from("2026-01-31T12:00:00.000Z"),
            viewers: 2,
            holder: None,
            state: ContextState::Works,
        };
        let shared = InstanceInfo {
            id: String::from("shared"),
            profile: None,
            endpoint: None,
            pid: Some(7),
            memory_mb: Some(300),
            since: String::from("2026-01-31T12:00:00.000Z"),
            contexts: vec![context],
        };
        let inventory =
            BrowserInventory { browsers: vec![shared], slots: 4, working: 1, ..BrowserInventory::default() };
        Box::pin(std::future::ready(inventory))
    }

    fn close(&self, id: String) -> BoxFuture<'static, Result<(), CloseError>> {
        let why = if id == "shared" { CloseError::Busy } else { CloseError::Unknown };
        Box::pin(std::future::ready(Err(why)))
    }
}

impl TestService {
    pub fn start() -> Self {
        Self::start_with(Ok(()))
    }

    pub fn start_with(browser: Result<(), String>) -> Self {
        Self::start_as(browser, None)
    }

    /// Starts on a simulated disk with space for this many pages of the store.
    pub fn start_within(pages: u32) -> Self {
        Self::start_as(Ok(()), Some(pages))
    }

    fn start_as(browser: Result<(), String>, pages: Option<u32>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let feed = Feed::default().start();
        let recipient = feed.clone();
        let send_events = Box::new(move |events| recipient.do_send(EventsStored(events)));
        let store = SqliteStore::open_within(folder.path(), pages, send_events).unwrap();
        let store: Arc<dyn Store> = Arc::new(store);
        let programs = Arc::new(Scripted::default());
        let archive = Archive::new(folder.path().join("runs"), Arc::clone(&store)).start();
        let pages = Arc::new(FakePages::default());
        let engine = Arc::new(RunServices {
            store: Arc::clone(&store),
            pages: pages.clone(),
            programs: programs.clone(),
            archive: archive.clone(),
            files: FileStore::new(folder.path().join("runs"), 1, 2),
            recording: Recording::All,
            client_answers: false,
        });
        let registry = Registry::new(Arc::clone(&engine)).start();
        let flags = Flags { data_dir: Some(folder.path().to_owned()), ..Flags::default() };
        let settings = Settings::load(&flags, []).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let guard = web::Data::new(Guard::new(&settings.server, port));
        let lines = web::Data::new(SessionDeps {
            services: Arc::clone(&engine),
            registry: registry.clone(),
            feed: feed.clone(),
            browsers: no_browsers(folder.path()),
            default_agent: String::from("endless"),
            relay: None,
        });
        let service = web::Data::new(Service {
            services: Arc::clone(&engine),
            registry: registry.clone(),
            feed,
            gate: PolicyGate::open(&settings.gate.policy, CHECK_INTERVAL, Arc::clone(&store))
                .unwrap()
                .start(),
            library: Arc::new(Library::open(&folder.path().join("agents")).unwrap()),
            browsers: Arc::new(FakeBrowsers(browser)),
            files: FileStore::new(folder.path().join("runs"), 1, 2),
            model: ModelConnection::open(&settings.model, folder.path()).unwrap(),
            about: About::new(&settings, false),
        });
        let retries = web::Data::new(Retries::default());
        let app = move || {
            App::new()
                .app_data(retries.clone())
                .app_data(guard.clone())
                .app_data(service.clone())
                .app_data(lines.clone())
                .wrap(from_fn(guard::enforce))
                .wrap(from_fn(translate::problems))
                .route("/ws", web::get().to(askfirst::http::ui::ws::open))
                .configure(routes::configure)
        };
        let server = HttpServer::new(app).workers(1).disable_signals().listen(listener).unwrap().run();
        let handle = server.handle();
        actix_web::rt::spawn(server);
        Self {
            port,
            programs,
            pages,
            engine,
            registry,
            store,
            folder,
            archive,
            client: Client::new(),
            handle,
        }
    }

    /// Opens a socket that follows this run from its first event.
    pub async fn socket(&self, run: &str) -> (Ws, Value) {
        Ws::hello(&format!("http://127.0.0.1:{}", self.port), serde_json::json!({"run_id": run})).await
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("http://127.0.0.1:{}{path}", self.port))
    }

    pub async fn get(&self, path: &str) -> (u16, Value) {
        answer(self.request(Method::GET, path)).await
    }

    pub async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        answer(self.request(Method::POST, path).json(&body)).await
    }

    pub async fn delete(&self, path: &str) -> (u16, Value) {
        answer(self.request(Method::DELETE, path)).await
    }

    /// Starts a run and returns its id.
    pub async fn begin(&self, body: Value) -> String {
        let (status, started) = self.post("/api/runs", body).await;
        assert_eq!(status, 201, "{started}");
        word(&started, "run_id")
    }

    /// Follows the events of the run until it has this status.
    pub async fn until(&self, run: &str, status: &str) {
        let mut stream = self.follow(run, 0).await;
        while let Some(event) = stream.next().await {
            let ended = event["type"] == "run_ended" && event["outcome"] == status;
            if ended || (event["type"] == "status" && event["status"] == status) {
                return;
            }
        }
        panic!("run {run} never stood as {status}");
    }

    /// Opens the event stream of a run.
    pub async fn follow(&self, run: &str, after: u64) -> Events {
        let path = format!("/api/runs/{run}/events?after_seq={after}");
        let answer =
            self.request(Method::GET, &path).header("accept", "text/event-stream").send().await.unwrap();
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        Events { answer, buffer: Vec::new() }
    }

    /// Waits until the files of all runs at rest are written.
    pub async fn written(&self) {
        self.archive.send(FlushArchive).await.unwrap();
    }

    pub async fn finish(self) {
        self.handle.stop(false).await;
    }
}

/// A supervisor that never starts a browser.
fn no_browsers(folder: &Path) -> Addr<Supervisor> {
    Supervisor::new(BrowserConfig {
        lease: askfirst::store::tree_leases::deadline::LeaseDeadline::default(),
        executable: None,
        headless: true,
        cdp_url: None,
        viewport: (1280, 720),
        linger: Duration::ZERO,
        load_timeout: Duration::from_secs(1),
        data_dir: folder.to_owned(),
        page_tokens: 2000,
        languages: None,
        limits: PoolLimits::default(),
        url_policy: UrlPolicy::new(|_| None),
        keys: Default::default(),
        files: FileStore::new(folder.join("runs"), 1, 2),
    })
    .start()
}

/// Sends a request and returns its status and body, null if there is no JSON. Checks the format of problems,
/// and the response against the OpenAPI document.
pub async fn answer(request: RequestBuilder) -> (u16, Value) {
    let (client, request) = request.build_split();
    let request = request.unwrap();
    let asked = request.try_clone();
    let answer = client.execute(request).await.unwrap();
    let status = answer.status().as_u16();
    asked.iter().for_each(|asked| describes(asked, status));
    let kind = answer.headers().get("content-type").map(|kind| kind.to_str().unwrap().to_owned());
    let body: Value = answer.json().await.unwrap_or_default();
    if status >= 400 {
        assert_eq!(kind.as_deref(), Some("application/problem+json"), "{body}");
        assert_eq!(body["status"], status);
        assert!(
            !word(&body, "title").is_empty() && !word(&body, "detail").is_empty() && body["code"].is_string()
        );
    }
    (status, body)
}

pub fn word(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_else(|| panic!("no {name} in {value}")).to_owned()
}

/// A stream of server-sent events.
pub struct Events {
    answer: reqwest::Response,
    buffer: Vec<u8>,
}

impl Events {
    /// Returns the next event, or `None` if the stream has ended.
    pub async fn next(&mut self) -> Option<Value> {
        loop {
            while let Some(end) = self.buffer.windows(2).position(|two| two == b"\n\n") {
                let frame: Vec<u8> = self.buffer.drain(..end + 2).collect();
                let frame = String::from_utf8(frame).unwrap();
                let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
                let Some(data) = field("data: ") else { continue };
                let event: Value = serde_json::from_str(data).unwrap();
                assert_eq!(field("id: "), Some(event["seq"].to_string().as_str()));
                return Some(event);
            }
            self.buffer.extend(self.answer.chunk().await.ok()??);
        }
    }
}
