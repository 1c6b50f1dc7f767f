//! The composition root: the only code that builds the parts and connects them.

pub mod copying;
pub(crate) mod data_folder;
pub mod error;
pub mod service_handle;
pub(crate) mod listening;
pub(crate) mod mapped_code;
pub(crate) mod opened_store;
pub mod replaying;
pub(crate) mod scratch;
pub mod serve;

use crate::agent_spec::files::library::Library;
use crate::app::data_folder::Folder;
use crate::app::error::AppError;
use crate::app::opened_store::OpenedStore;
use crate::blobs::BlobStore;
use crate::browser::config::{BrowserConfig, PoolLimits};
use crate::browser::network::url_policy::UrlPolicy;
use crate::browser::pool::messages::Shutdown;
use crate::browser::pool::supervisor::Supervisor;
use crate::catalog::agent_programs::{AgentPrograms, ProgramSettings};
use crate::config;
use crate::config::Settings;
use crate::engine::archive::{Archive, FlushArchive};
use crate::engine::registry::StopService;
use crate::engine::registry::feed::{EventsStored, Feed, FollowElsewhere};
use crate::engine::registry::state::Registry;
use crate::engine::services::RunServices;
use crate::engine::takeover::pages::BrowserPages;
use crate::files::FileStore;
use crate::gate::actor::{CHECK_INTERVAL, PolicyGate};
use crate::gate::flow::tree_texts::TextsOfTrees;
use crate::gate::host_kinds::HostContext;
use crate::gate::url_refusals;
use crate::gate::wording::address_effects;
use crate::http::guard::Guard;
use crate::http::rest::operations::browsers::Chromiums;
use crate::http::service::{About, Service};
use crate::knowledge::Knowledge;
use crate::mcp_client::Servers;
use crate::model::connection::ModelConnection;
use crate::observability::otlp;
use crate::observability::otlp::exporter::Exporter;
use crate::sandbox::Sandbox;
use crate::sandbox::build::Builds;
use crate::secrets::named_secrets::NamedSecrets;
use crate::secrets::vault::Vaults;
use crate::session::relay::RelayParts;
use crate::session::state::SessionDeps;
use crate::store::Store;
use crate::store::postgres::upkeep::node::ClusterNode;
use crate::store::rows::LogAdditions;
use crate::store::tree_leases::deadline::LeaseDeadline;
use actix::prelude::*;
use actix_web::dev::{Server, ServerHandle};
use actix_web::web;
use std::sync::Arc;
use std::time::Duration;

/// A service that listens; it serves while `server` is awaited.
pub struct Running {
    pub server: Server,
    pub handle: ServerHandle,
    pub port: u16,
    /// The address to open in a browser, with the token if one was generated.
    pub address: String,
    ends: ShutdownParts,
    /// Locked as long as the service lives.
    folder: Folder,
}

/// Parts that are shut down after the server.
struct ShutdownParts {
    supervisor: Addr<Supervisor>,
    archive: Addr<Archive>,
    servers: Servers,
    registry: Addr<Registry>,
    exporter: Option<Addr<Exporter>>,
    node: Option<ClusterNode>,
}

/// Gives the runs of this service to the others that share its store.
#[derive(Clone)]
pub struct Drain {
    registry: Addr<Registry>,
    node: Option<ClusterNode>,
}

impl Drain {
    /// Ends the work on all runs, which stay at their last checkpoints, and gives them back.
    pub async fn run(&self) {
        if let Some(node) = &self.node {
            let _ = self.registry.send(StopService).await;
            node.release().await;
        }
    }
}

impl Running {
    /// Returns the way to give the runs to other services, which is done before the server is told to stop.
    pub fn drain(&self) -> Drain {
        Drain { registry: self.ends.registry.clone(), node: self.ends.node.clone() }
    }

    /// Serves until the handle is told to stop; then ends everything that was started.
    pub async fn serve(mut self) -> Result<(), AppError> {
        let served = self.server.await;
        let drain = Drain { registry: self.ends.registry.clone(), node: self.ends.node };
        self.folder.withdraw();
        // Runs end before Chromium, whose end they would take for a failure.
        let _ = self.ends.registry.send(StopService).await;
        // Replies when no Chromium process and no temporary folder is left.
        let _ = self.ends.supervisor.send(Shutdown).await;
        self.ends.servers.end().await;
        let _ = self.ends.archive.send(FlushArchive).await;
        otlp::flush(self.ends.exporter).await;
        drain.run().await;
        Ok(served?)
    }
}

/// Reason why the service is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Serves all clients until it is stopped. Runs that were interrupted by the last shutdown continue.
    Serve,
    /// Serves one command for as long as it takes. Runs that it did not start are left alone.
    Command,
}

/// Builds all parts and begins to listen. Must be called within an actix system.
pub async fn start(settings: Settings) -> Result<Running, AppError> {
    start_with_purpose(settings, Purpose::Serve).await
}

/// Starts the service like [`start`], for this purpose.
pub async fn start_with_purpose(settings: Settings, purpose: Purpose) -> Result<Running, AppError> {
    let mut folder = Folder::take(&settings)?;
    FileStore::from_settings(&settings).sweep();
    let listener = listening::listen(&settings)?;
    let port = listener.local_addr()?.port();
    let feed = Feed::default().start();
    let blobs = opened_store::open_blobs(&settings)?;
    let files = FileStore::from_settings(&settings).share(blobs.clone());
    let OpenedStore { store, node } = open_store(&settings, blobs, feed.clone(), purpose).await?;
    let library = library(&settings)?;
    let mut guard = Guard::new(&settings.server, port);
    guard.keep_sign_ins(Arc::clone(&store)).await?;
    let guard = web::Data::new(guard);
    let keys = NamedSecrets::from_config(&settings.secrets);
    let supervisor = start_supervisor(&settings, &store, guard.own_origin(), keys.clone());
    let model = connection(&settings)?;
    let mut programs =
        programs(&settings, &store, &library, &supervisor, guard.own_origin(), keys, model.clone())?;
    programs.drafts = Some(feed.clone().recipient());
    let exporter = otlp::start(&settings, &store, &feed);
    let (servers, gate) = (programs.servers.clone(), programs.gate.clone());
    let archive = Archive::new(settings.data_dir.join("runs"), Arc::clone(&store)).start();
    let pages = pages(&supervisor, &store, &library);
    let services = run_services(&settings, files.clone(), store, pages, programs, archive.clone());
    let registry = registry(&services, purpose).start();
    let session_deps = session_deps(&settings, &services, &registry, &feed, &supervisor)?;
    let (address, required) = (guard.address(), guard.token_required());
    folder.announce(&guard)?;
    let browsers = Arc::new(Chromiums::new(supervisor.clone(), settings.browser.clone()));
    let about = About::new(&settings, required);
    let service =
        Service { services, registry: registry.clone(), feed, gate, browsers, library, files, model, about };
    let server = listening::serve(listener, guard, session_deps, service, &settings)?;
    let shutdown_parts = ShutdownParts { supervisor, archive, servers, registry, exporter, node };
    Ok(Running { handle: server.handle(), server, port, address, ends: shutdown_parts, folder })
}

fn start_supervisor(
    settings: &Settings,
    store: &Arc<dyn Store>,
    own_origin: String,
    keys: NamedSecrets,
) -> Addr<Supervisor> {
    Supervisor::new(browser_config(settings, own_origin, keys, store.lease_deadline())).start()
}

fn run_services(
    settings: &Settings,
    files: FileStore,
    store: Arc<dyn Store>,
    pages: Arc<BrowserPages>,
    programs: AgentPrograms,
    archive: Addr<Archive>,
) -> Arc<RunServices> {
    let recording = settings.telemetry.record_model;
    let (programs, client_answers) = (Arc::new(programs), settings.gate.client_answers);
    Arc::new(RunServices { store, pages, programs, archive, files, recording, client_answers })
}

fn session_deps(
    settings: &Settings,
    services: &Arc<RunServices>,
    registry: &Addr<Registry>,
    feed: &Addr<Feed>,
    browsers: &Addr<Supervisor>,
) -> Result<SessionDeps, AppError> {
    let relay = services.store.is_shared().then(RelayParts::new).transpose();
    Ok(SessionDeps {
        services: Arc::clone(services),
        registry: registry.clone(),
        feed: feed.clone(),
        browsers: browsers.clone(),
        default_agent: settings.chat.default_agent.clone(),
        relay: relay.map_err(|fault| AppError::Relay(fault.to_string()))?,
    })
}

fn library(settings: &Settings) -> Result<Arc<Library>, AppError> {
    Ok(Arc::new(Library::open(&settings.agents_dir)?.with_service_agents(settings.orchestration.enabled)))
}

/// Opens the model connection: the one made in the UI, or that of the settings.
fn connection(settings: &Settings) -> Result<ModelConnection, AppError> {
    let opened = ModelConnection::open(&settings.model, &settings.data_dir);
    opened.map_err(|fault| AppError::Model(fault.to_string()))
}

fn registry(services: &Arc<RunServices>, purpose: Purpose) -> Registry {
    let registry = Registry::new(Arc::clone(services));
    match purpose {
        Purpose::Serve => registry,
        Purpose::Command => registry.ignore_earlier_runs(),
    }
}

/// Builds the source from which runs get their pages back for a person.
fn pages(supervisor: &Addr<Supervisor>, store: &Arc<dyn Store>, library: &Arc<Library>) -> Arc<BrowserPages> {
    let profiles = Arc::clone(library);
    Arc::new(BrowserPages {
        supervisor: supervisor.clone(),
        store: Arc::clone(store),
        profile: Arc::new(move |agent| profiles.get(agent)?.browser.as_ref()?.profile.clone()),
    })
}

/// Builds the programs and all that the service lends to every run.
fn programs(
    settings: &Settings,
    store: &Arc<dyn Store>,
    library: &Arc<Library>,
    supervisor: &Addr<Supervisor>,
    own_origin: String,
    keys: NamedSecrets,
    model: ModelConnection,
) -> Result<AgentPrograms, AppError> {
    let gate = PolicyGate::open(&settings.gate.policy, CHECK_INTERVAL, Arc::clone(store))
        .map_err(|fault| AppError::Policy(fault.to_string()))?
        .start();
    let sandbox = Sandbox::open(&settings.sandbox, settings.data_dir.join("scratch"));
    let folder = settings.data_dir.join("builds");
    let builds = Builds::open(&settings.build, sandbox.clone(), Arc::clone(library), folder);
    let servers = Servers::new(settings.mcp.clone());
    library.set_tools(Arc::new(servers.clone()));
    Ok(AgentPrograms {
        library: Arc::clone(library),
        settings: ProgramSettings::new(settings, own_origin),
        model,
        sandbox,
        builds,
        servers,
        gate,
        supervisor: supervisor.clone(),
        store: Arc::clone(store),
        files: FileStore::from_settings(settings),
        pdfs: Arc::default(),
        vaults: Vaults::with(keys),
        texts: TextsOfTrees::default(),
        shown_pages: Arc::default(),
        knowledge: Arc::new(Knowledge::open(&settings.agents_dir, &settings.data_dir)),
        drafts: None,
    })
}

async fn open_store(
    settings: &Settings,
    blobs: Option<BlobStore>,
    feed: Addr<Feed>,
    purpose: Purpose,
) -> Result<OpenedStore, AppError> {
    let stored = feed.clone();
    let observer = Box::new(move |written: LogAdditions| stored.do_send(EventsStored(written)));
    let opened = opened_store::open(settings, blobs, observer, purpose == Purpose::Serve).await?;
    feed.do_send(FollowElsewhere(Arc::clone(&opened.store)));
    Ok(opened)
}

fn browser_config(
    settings: &Settings,
    own_origin: String,
    keys: NamedSecrets,
    lease: LeaseDeadline,
) -> BrowserConfig {
    let browser = &settings.browser;
    let private_hosts = settings.gate.private_hosts.clone();
    let context = HostContext { private_hosts, own_origin, ..HostContext::default() };
    let at = context.clone();
    let judged = UrlPolicy::new(move |url| url_refusals::refusal(url, &context))
        .with_address_check(move |url, address| url_refusals::address_refusal(url, address, &at))
        .with_effect_check(address_effects::is_effectful_address)
        .with_host_routes(&browser.connect_to);
    BrowserConfig {
        executable: browser.executable.clone(),
        headless: browser.headless,
        cdp_url: browser.cdp_url.clone(),
        viewport: browser.viewport,
        linger: Duration::from_secs(browser.linger_s),
        load_timeout: Duration::from_secs(browser.load_timeout_s),
        page_tokens: page_tokens(settings),
        languages: None,
        limits: browser_limits(browser),
        keys,
        url_policy: judged,
        files: FileStore::from_settings(settings),
        data_dir: settings.data_dir.clone(),
        lease,
    }
}

/// Returns the length of observations: at most a third of the model's context window.
fn page_tokens(settings: &Settings) -> usize {
    let window = usize::try_from(settings.model.context_tokens).unwrap_or(usize::MAX);
    let most = if window > 0 { (window / 3).max(200) } else { usize::MAX };
    settings.observe.budget_tokens.min(most)
}

/// Converts the limits; 0 in the settings means none.
fn browser_limits(browser: &config::BrowserSection) -> PoolLimits {
    let some = |number: u64| Some(number).filter(|number| *number > 0);
    PoolLimits {
        slots: browser.max.max(1),
        memory_mb: some(browser.max_memory_mb),
        age: some(browser.max_age_s).map(Duration::from_secs),
        idle: some(browser.idle_s).map(Duration::from_secs),
        ..PoolLimits::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::layers::Flags;

    #[test]
    fn pages_may_ask_for_the_demo_and_for_listed_hosts_but_not_for_the_service() {
        let folder = tempfile::tempdir().unwrap();
        let flags = Flags { data_dir: Some(folder.path().to_owned()), ..Flags::default() };
        let mut settings = Settings::load(&flags, []).unwrap();
        settings.gate.private_hosts = vec![String::from("127.0.0.1:9000")];
        let (own, keys) = (String::from("http://127.0.0.1:8787"), NamedSecrets::default());
        let closed = browser_config(&settings, own, keys, LeaseDeadline::default()).url_policy;
        for open in ["http://127.0.0.1:8787/demo/cart", "http://127.0.0.1:9000/x", "https://shop.test/"] {
            assert_eq!(closed.block_message(open), None);
        }
        for shut in ["http://localhost:8787/api/runs", "http://127.0.0.1:9001/", "http://169.254.169.254/"] {
            assert!(closed.block_message(shut).is_some(), "{shut}");
        }
    }
}
