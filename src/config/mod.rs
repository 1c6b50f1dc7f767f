//! The settings: `config/default.toml`, overridden by a file, by `ASKFIRST_…` variables and by flags, read
//! once at the start into plain structs. No other code reads the environment.

pub mod error;
pub(crate) mod folders;
pub mod host_routes;
pub(crate) mod keys;
pub mod layers;
pub mod mcp;
pub mod secrets;
pub mod prices;
pub mod proxies;
pub mod recording;
pub mod secret;

use crate::config::error::ConfigError;
use crate::config::folders::absolute;
use crate::config::host_routes::HostRoute;
use crate::config::layers::Flags;
pub use crate::config::prices::Prices;
use crate::config::proxies::{BasePath, Network};
use crate::config::recording::Recording;
use crate::config::secret::Secret;
use crate::config::secrets::PageSecret;

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// All settings of the service.
#[derive(Clone, Debug, Deserialize)]
pub struct Settings {
    pub data_dir: PathBuf,
    pub agents_dir: PathBuf,
    #[serde(default)]
    pub store: StoreSection,
    #[serde(default)]
    pub blobs: BlobsSection,
    pub cluster: Cluster,
    pub server: Server,
    pub chat: Chat,
    pub model: Model,
    pub browser: BrowserSection,
    pub gate: Gate,
    pub limits: Limits,
    pub orchestration: Orchestration,
    pub observe: Observe,
    pub files: Files,
    pub sandbox: Sandbox,
    pub build: Build,
    pub telemetry: Telemetry,
    #[serde(default)]
    pub secrets: BTreeMap<String, PageSecret>,
    /// From the section `mcp.servers`.
    #[serde(skip)]
    pub mcp: BTreeMap<String, mcp::McpServer>,
    /// Messages about variables with the prefix that are no settings; logged at the start.
    #[serde(skip)]
    pub strangers: Vec<String>,
}

/// Database of the runs.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct StoreSection {
    /// URL of a PostgreSQL database, which may contain a password; `None` or `sqlite:` for SQLite in the data folder.
    pub url: Option<Secret>,
}

/// Pictures and files of runs.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct BlobsSection {
    /// URL of a folder or bucket that all nodes reach; `None` or `file:` for the data folder. It may contain keys.
    pub url: Option<Secret>,
}

/// Services that share a database.
#[derive(Clone, Debug, Deserialize)]
pub struct Cluster {
    /// URL at which the other services reach this one; `None` if they cannot.
    pub address: Option<String>,
    /// Runs at work up to which this service takes further ones from others.
    pub capacity: u64,
    /// Part of the cluster's work that this service does.
    pub role: NodeRole,
    /// Seconds after which the runs of a service that gives no sign of life go on elsewhere.
    pub ttl_s: u64,
}

/// Part of a cluster's work that a service does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeRole {
    /// Serves people, works on the runs that are started there, and takes over those of others.
    All,
    /// Serves people. Runs that are started there go to other services.
    Web,
    /// Does all that `All` does; a label for balancers.
    Work,
}

impl NodeRole {
    /// Returns the role as the settings name it.
    pub fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Web => "web",
            Self::Work => "work",
        }
    }
}

/// Network address of the service, and who may use it.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Server {
    pub host: String,
    pub port: u16,
    pub allowed_hosts: Vec<String>,
    pub token: Option<Secret>,
    /// Proxies whose `X-Forwarded-…` headers are trusted.
    pub trusted_proxies: Vec<Network>,
    #[serde(default)]
    pub base_path: BasePath,
}

/// The chat.
#[derive(Clone, Debug, Deserialize)]
pub struct Chat {
    pub default_agent: String,
}

/// The model and its endpoint.
#[derive(Clone, Debug, Deserialize)]
pub struct Model {
    pub base_url: Option<String>,
    pub api_key: Option<Secret>,
    pub planner: Option<String>,
    pub summarizer: Option<String>,
    pub judge: Option<String>,
    pub vision: Option<String>,
    pub fallback: Option<String>,
    pub structured: Structured,
    pub timeout_s: u64,
    pub retries: u32,
    /// Most tokens of an answer; 0 for no limit.
    pub max_output_tokens: u64,
    /// Tokens of the model's context window; 0 if requests need not fit one.
    pub context_tokens: u64,
    /// True if answers are shown as the model writes them.
    pub stream: bool,
    /// True if the key comes from an environment variable.
    #[serde(skip)]
    pub key_from_env: bool,
    /// From the section `prices`.
    #[serde(skip)]
    pub prices: Prices,
}

/// The way in which a model is asked for structured output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Structured {
    JsonSchema,
    JsonObject,
    Prompt,
}

/// Chromium and its pages.
#[derive(Clone, Debug, Deserialize)]
pub struct BrowserSection {
    pub executable: Option<PathBuf>,
    pub headless: bool,
    pub cdp_url: Option<String>,
    /// Number of slots.
    pub max: usize,
    /// Width and height in CSS pixels.
    pub viewport: (u32, u32),
    /// Seconds for which a page stays open after the end of its run; 0 closes it at once.
    pub linger_s: u64,
    pub load_timeout_s: u64,
    /// Idle time in seconds after which a browser is closed; 0 means never.
    pub idle_s: u64,
    /// 0 means no limit.
    pub max_memory_mb: u64,
    /// 0 means no limit.
    pub max_age_s: u64,
    /// Hosts whose connections go elsewhere.
    pub connect_to: Vec<HostRoute>,
}

/// The gate and its rules.
#[derive(Clone, Debug, Deserialize)]
pub struct Gate {
    pub policy: PathBuf,
    pub private_hosts: Vec<String>,
    /// 0 means that a question never expires.
    pub confirm_timeout_s: u64,
    /// True if a program may answer questions of runs that it started.
    pub client_answers: bool,
}

/// Limits of a run tree.
#[derive(Clone, Debug, PartialEq, Deserialize, serde::Serialize)]
pub struct Limits {
    pub total_steps: u64,
    pub depth: u32,
    pub tool_steps: u32,
    pub invalid_actions: u32,
    pub iterations: u32,
    pub attempts: u32,
    pub tries: u32,
    pub try_timeout_s: u64,
    pub history: usize,
    pub orchestration_depth: u32,
    pub orchestration_steps: u32,
    pub orchestration_width: u32,
    pub tokens: Option<u64>,
    pub money: Option<f64>,
    pub wall_s: Option<u64>,
}

/// Plans that combine several agents.
#[derive(Clone, Debug, Deserialize)]
pub struct Orchestration {
    pub enabled: bool,
    pub planner_agent: Option<String>,
    pub planner_model: Option<String>,
}

/// Observations of pages.
#[derive(Clone, Debug, Deserialize)]
pub struct Observe {
    /// Observations after which the full page is sent again; 1 is always.
    pub full_every: u64,
    pub budget_tokens: usize,
}

/// Files of runs.
#[derive(Clone, Debug, Deserialize)]
pub struct Files {
    pub max_mb: u64,
    pub total_mb: u64,
}

/// Sandbox for the code and the commands of agents, with its limits.
#[derive(Clone, Debug, Deserialize)]
pub struct Sandbox {
    pub means: SandboxMeans,
    pub parallel: u64,
    pub memory_mb: u64,
    pub cpu_s: u64,
    pub timeout_s: u64,
    pub processes: u64,
    pub output_kb: u64,
    pub scratch_mb: u64,
    pub python: Option<PathBuf>,
}

/// Builds of agents' environments before they run.
#[derive(Clone, Debug, Deserialize)]
pub struct Build {
    pub pip_index: Option<String>,
    pub engine: Option<PathBuf>,
    pub image_network: bool,
    pub timeout_s: u64,
    pub max_mb: u64,
    pub keep_days: u64,
}

/// Backend of the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxMeans {
    /// The first backend that works.
    Auto,
    Bubblewrap,
    Landlock,
    /// No sandbox: the owner lets code and commands do whatever the service may do.
    None,
}

/// Logs, spans and recordings.
#[derive(Clone, Debug, Deserialize)]
pub struct Telemetry {
    pub log: LogFormat,
    pub level: String,
    pub otlp_endpoint: Option<String>,
    pub otlp_headers: Option<Secret>,
    pub otlp_content: bool,
    #[serde(default)]
    pub record_model: Recording,
}

/// Format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    Human,
    Json,
}

impl Settings {
    /// Loads all layers. `vars` are the environment variables, passed in so that tests need not change the
    /// real ones.
    pub fn load(
        flags: &Flags,
        vars: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let vars: BTreeMap<String, String> = vars.into_iter().collect();
        let merged = layers::merge(flags, &vars)?;
        let mut settings: Self =
            merged.values.try_deserialize().map_err(|e| ConfigError::Misfit(e.to_string()))?;
        secrets::complete(&mut settings.secrets, &vars)?;
        settings.store.url = settings.store.url.filter(|url| !is_sqlite(url));
        settings.cluster.address = settings.cluster.address.as_deref().and_then(keys::node_url);
        settings.strangers = merged.strangers;
        settings.model.prices = merged.prices;
        let named = |name: &str| vars.get(name).is_some_and(|value| !value.trim().is_empty());
        settings.model.key_from_env = named("OPENAI_API_KEY") || named("ASKFIRST_MODEL__API_KEY");
        settings.mcp = merged.mcp;
        settings.data_dir = absolute(settings.data_dir);
        settings.agents_dir = absolute(settings.agents_dir);
        Ok(settings)
    }
}

/// True for the URL of the store in the data folder.
fn is_sqlite(url: &Secret) -> bool {
    ["sqlite:", "sqlite://"].contains(&url.expose().trim())
}

impl Telemetry {
    /// Lowers the log level to `level` unless the settings name one. Commands use this, because their own
    /// output goes to the same place and says the same.
    pub fn quieten(&mut self, level: &str) {
        if self.level == "info" {
            self.level = level.to_owned();
        }
    }
}

impl Model {
    /// True if a model plans; otherwise the command planner does.
    pub fn configured(&self) -> bool {
        self.base_url.is_some() || self.api_key.is_some()
    }
}

/// Returns the names of all settings except those of `secrets`, `prices` and `mcp.servers`.
pub fn names() -> impl Iterator<Item = &'static str> {
    keys::KEYS.iter().map(|key| key.name)
}
