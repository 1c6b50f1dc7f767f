//! Names and types of all settings. `tests/it/config.rs` checks that this list matches `config/default.toml`.

use crate::config::host_routes::HostRoute;
use crate::config::mcp;
use crate::config::proxies::{BasePath, Network};
use config::{Value, ValueKind};

/// Type of a setting's value.
#[derive(Clone, Copy, Debug)]
pub enum ValueType {
    Text,
    Path,
    /// A whole number within inclusive bounds.
    Whole(i64, i64),
    /// A number that is not negative.
    Amount,
    Switch,
    Texts,
    /// A list of IP addresses and networks.
    Networks,
    /// A list of routes of host names.
    HostRoutes,
    /// The path below which the service is served.
    BasePath,
    /// Width and height, both whole numbers.
    Size,
    OneOf(&'static [&'static str]),
    /// A URL with one of these schemes.
    Address(&'static [&'static str]),
    /// The address of a node: `host:port`, or a URL.
    NodeAddress,
    Hidden,
}

/// Name and type of a setting.
pub struct Key {
    pub name: &'static str,
    pub kind: ValueType,
}

const fn key(name: &'static str, kind: ValueType) -> Key {
    Key { name, kind }
}

const MANY: i64 = 1_000_000_000;
const WEB: &[&str] = &["http", "https"];

/// All settings except `secrets`, the models in `prices` and `mcp.servers`, whose names the owner chooses.
pub const KEYS: &[Key] = &[
    key("data_dir", ValueType::Path),
    key("agents_dir", ValueType::Path),
    key("store.url", ValueType::Hidden),
    key("blobs.url", ValueType::Hidden),
    key("cluster.address", ValueType::NodeAddress),
    key("cluster.capacity", ValueType::Whole(0, 1_000_000)),
    key("cluster.role", ValueType::OneOf(&["all", "web", "work"])),
    key("cluster.ttl_s", ValueType::Whole(1, 3_600)),
    key("server.host", ValueType::Text),
    key("server.port", ValueType::Whole(0, 65_535)),
    key("server.allowed_hosts", ValueType::Texts),
    key("server.token", ValueType::Hidden),
    key("server.trusted_proxies", ValueType::Networks),
    key("server.base_path", ValueType::BasePath),
    key("chat.default_agent", ValueType::Text),
    key("model.base_url", ValueType::Address(WEB)),
    key("model.api_key", ValueType::Hidden),
    key("model.planner", ValueType::Text),
    key("model.summarizer", ValueType::Text),
    key("model.judge", ValueType::Text),
    key("model.vision", ValueType::Text),
    key("model.fallback", ValueType::Text),
    key("model.structured", ValueType::OneOf(&["json_schema", "json_object", "prompt"])),
    key("model.timeout_s", ValueType::Whole(1, 86_400)),
    key("model.retries", ValueType::Whole(0, 20)),
    key("model.max_output_tokens", ValueType::Whole(0, 1_000_000)),
    key("model.context_tokens", ValueType::Whole(0, 100_000_000)),
    key("model.stream", ValueType::Switch),
    key("prices.currency", ValueType::Text),
    key("browser.executable", ValueType::Path),
    key("browser.headless", ValueType::Switch),
    key("browser.cdp_url", ValueType::Address(&["http", "https", "ws", "wss"])),
    key("browser.max", ValueType::Whole(1, 1_000)),
    key("browser.viewport", ValueType::Size),
    key("browser.linger_s", ValueType::Whole(0, 86_400)),
    key("browser.load_timeout_s", ValueType::Whole(1, 3_600)),
    key("browser.idle_s", ValueType::Whole(0, MANY)),
    key("browser.max_memory_mb", ValueType::Whole(0, MANY)),
    key("browser.max_age_s", ValueType::Whole(0, MANY)),
    key("browser.connect_to", ValueType::HostRoutes),
    key("gate.policy", ValueType::Path),
    key("gate.private_hosts", ValueType::Texts),
    key("gate.client_answers", ValueType::Switch),
    key("gate.confirm_timeout_s", ValueType::Whole(0, MANY)),
    key("limits.total_steps", ValueType::Whole(1, MANY)),
    key("limits.depth", ValueType::Whole(0, 10_000)),
    key("limits.tool_steps", ValueType::Whole(1, 1_000_000)),
    key("limits.invalid_actions", ValueType::Whole(1, 1_000)),
    key("limits.iterations", ValueType::Whole(1, 1_000_000)),
    key("limits.attempts", ValueType::Whole(1, 1_000)),
    key("limits.tries", ValueType::Whole(1, 100)),
    key("limits.try_timeout_s", ValueType::Whole(1, 86_400)),
    key("limits.history", ValueType::Whole(4, 100_000)),
    key("limits.orchestration_depth", ValueType::Whole(0, 1_000)),
    key("limits.orchestration_steps", ValueType::Whole(1, 100_000)),
    key("limits.orchestration_width", ValueType::Whole(1, 1_000)),
    key("limits.tokens", ValueType::Whole(1, i64::MAX)),
    key("limits.money", ValueType::Amount),
    key("limits.wall_s", ValueType::Whole(1, MANY)),
    key("orchestration.enabled", ValueType::Switch),
    key("orchestration.planner_agent", ValueType::Text),
    key("orchestration.planner_model", ValueType::Text),
    key("observe.full_every", ValueType::Whole(1, 1_000)),
    key("observe.budget_tokens", ValueType::Whole(200, 100_000)),
    key("files.max_mb", ValueType::Whole(1, 100_000)),
    key("files.total_mb", ValueType::Whole(1, 1_000_000)),
    key("sandbox.means", ValueType::OneOf(&["auto", "bubblewrap", "landlock", "none"])),
    key("sandbox.parallel", ValueType::Whole(1, 1_000)),
    key("sandbox.memory_mb", ValueType::Whole(64, 1_000_000)),
    key("sandbox.cpu_s", ValueType::Whole(1, 86_400)),
    key("sandbox.timeout_s", ValueType::Whole(1, 86_400)),
    key("sandbox.processes", ValueType::Whole(1, 10_000)),
    key("sandbox.output_kb", ValueType::Whole(1, 100_000)),
    key("sandbox.scratch_mb", ValueType::Whole(1, 100_000)),
    key("sandbox.python", ValueType::Path),
    key("build.pip_index", ValueType::Address(WEB)),
    key("build.engine", ValueType::Path),
    key("build.image_network", ValueType::Switch),
    key("build.timeout_s", ValueType::Whole(1, 86_400)),
    key("build.max_mb", ValueType::Whole(1, 1_000_000)),
    key("build.keep_days", ValueType::Whole(0, 100_000)),
    key("telemetry.log", ValueType::OneOf(&["human", "json"])),
    key("telemetry.level", ValueType::Text),
    key("telemetry.otlp_endpoint", ValueType::Address(WEB)),
    key("telemetry.otlp_headers", ValueType::Hidden),
    key("telemetry.otlp_content", ValueType::Switch),
    key("telemetry.record_model", ValueType::OneOf(&["all", "answers", "off"])),
];

/// Keys under each name in `secrets`.
const SECRET_KEYS: &[(&str, ValueType)] = &[
    ("value", ValueType::Hidden),
    ("env", ValueType::Text),
    ("origins", ValueType::Texts),
    ("totp", ValueType::Switch),
];

/// Keys under each name in `mcp.servers`, beside its tables `headers` and `tools`.
const MCP_KEYS: &[(&str, ValueType)] = &[
    ("command", ValueType::Texts),
    ("env", ValueType::Texts),
    ("url", ValueType::Address(WEB)),
    ("timeout_s", ValueType::Whole(1, 86_400)),
];

/// Fields of each model in `prices`.
const PRICE_KEYS: [&str; 3] = ["input", "cached", "output"];

/// True for `prices.<model>`, where the model's name may contain dots, and for a prefix of such a name.
pub fn is_priced(name: &str) -> bool {
    name.strip_prefix("prices.").is_some_and(|model| !model.is_empty())
}

/// The kind of a setting, if there is one of that name.
pub fn find_type(name: &str) -> Option<ValueType> {
    if let Some(rest) = name.strip_prefix("secrets.") {
        let (_, field) = rest.split_once('.')?;
        return SECRET_KEYS.iter().find(|(known, _)| *known == field).map(|(_, kind)| *kind);
    }
    if let Some((_, field)) = name.strip_prefix("mcp.servers.").and_then(|rest| rest.split_once('.')) {
        return match field.split_once('.') {
            Some(("headers", header)) if !header.is_empty() => Some(ValueType::Hidden),
            Some(("tools", tool)) if !tool.is_empty() => Some(ValueType::OneOf(mcp::LEAVES)),
            Some(_) => None,
            None => MCP_KEYS.iter().find(|(known, _)| *known == field).map(|(_, kind)| *kind),
        };
    }
    if let Some((_, field)) = name.strip_prefix("prices.").and_then(|rest| rest.rsplit_once('.')) {
        return PRICE_KEYS.contains(&field).then_some(ValueType::Amount);
    }
    KEYS.iter().find(|key| key.name == name).map(|key| key.kind)
}

/// True if `word` is the first part of a setting's name.
pub fn is_section(word: &str) -> bool {
    word == "secrets" || word == "mcp" || KEYS.iter().any(|key| key.name.split('.').next() == Some(word))
}

/// Returns a hint for an unknown setting: the fields that are allowed there, or the most similar name.
pub fn hint(name: &str) -> String {
    if name.starts_with("secrets.") {
        return "a secret has `value` or `env`, `origins` and `totp`".to_owned();
    }
    if name == "mcp" || name.starts_with("mcp.") {
        return "a server stands in `mcp.servers.NAME` and has `command` and `env`, or `url` and `headers`, and \
            `timeout_s` and `tools`"
            .to_owned();
    }
    if name.starts_with("prices.") {
        return "the price of a model has `input`, `cached` and `output`".to_owned();
    }
    let nearest = KEYS.iter().min_by_key(|key| strsim::levenshtein(key.name, name));
    nearest.map_or_else(String::new, |key| format!("did you mean `{}`?", key.name))
}

impl ValueType {
    /// Names the kind of value in an error message.
    pub fn describe(self) -> String {
        match self {
            Self::Text | Self::Hidden => "text".to_owned(),
            Self::Path => "a path".to_owned(),
            Self::Whole(low, high) if high >= MANY => format!("a whole number from {low} on"),
            Self::Whole(low, high) => format!("a whole number from {low} to {high}"),
            Self::Amount => "a number that is not negative".to_owned(),
            Self::Switch => "true or false".to_owned(),
            Self::Texts => "a list of texts, such as [\"one\", \"two\"]".to_owned(),
            Self::Networks => {
                "a list of addresses or networks, such as [\"127.0.0.1\", \"10.0.0.0/8\"]".to_owned()
            }
            Self::HostRoutes => "a list of routes, such as [\"shop.test:80:127.0.0.1:9000\"]".to_owned(),
            Self::BasePath => "a path of letters, digits and hyphens, such as \"/askfirst\"".to_owned(),
            Self::Size => "width and height, such as [1280, 720]".to_owned(),
            Self::OneOf(words) => format!("one of {}", words.join(", ")),
            Self::Address(schemes) => format!("an address that begins with {}://", schemes.join(":// or ")),
            Self::NodeAddress => {
                "an address such as \"10.0.0.1:8787\" or \"https://node1.example\"".to_owned()
            }
        }
    }

    /// Parses the text of an environment variable. Text that cannot be parsed is returned as text, which
    /// `accepts` then refuses.
    pub fn read(self, text: &str) -> ValueKind {
        let text = text.trim();
        match self {
            Self::Text
            | Self::Path
            | Self::BasePath
            | Self::OneOf(_)
            | Self::Address(_)
            | Self::NodeAddress
            | Self::Hidden => text.into(),
            Self::Whole(..) => text.parse::<i64>().map_or_else(|_| text.into(), ValueKind::I64),
            Self::Amount => text.parse::<f64>().map_or_else(|_| text.into(), ValueKind::Float),
            Self::Switch => match text.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => true.into(),
                "false" | "0" | "no" | "off" => false.into(),
                _ => text.into(),
            },
            Self::Texts | Self::Networks | Self::HostRoutes => {
                serde_json::from_str::<Vec<String>>(text).map_or_else(|_| text.into(), Into::into)
            }
            Self::Size => serde_json::from_str::<Vec<i64>>(text).map_or_else(|_| text.into(), Into::into),
        }
    }

    /// True if a value has this type and is within its bounds.
    pub fn accepts(self, value: &ValueKind) -> bool {
        match (self, value) {
            (Self::Text | Self::Path | Self::Hidden, ValueKind::String(_)) => true,
            (Self::Whole(low, high), ValueKind::I64(number)) => (low..=high).contains(number),
            (Self::Amount, ValueKind::Float(number)) => *number >= 0.0 && number.is_finite(),
            (Self::Amount, ValueKind::I64(number)) => *number >= 0,
            (Self::Switch, ValueKind::Boolean(_)) => true,
            (Self::Texts, ValueKind::Array(items)) => items.iter().all(is_text),
            (Self::Networks, ValueKind::Array(items)) => items.iter().all(is_network),
            (Self::HostRoutes, ValueKind::Array(items)) => items.iter().all(is_host_route),
            (Self::BasePath, ValueKind::String(text)) => BasePath::read(text).is_some(),
            (Self::Size, ValueKind::Array(items)) => items.len() == 2 && items.iter().all(is_side),
            (Self::OneOf(words), ValueKind::String(text)) => words.contains(&text.as_str()),
            (Self::Address(schemes), ValueKind::String(text)) => is_address(schemes, text),
            (Self::NodeAddress, ValueKind::String(text)) => node_url(text).is_some(),
            _ => false,
        }
    }
}

fn is_text(value: &Value) -> bool {
    matches!(value.kind, ValueKind::String(_))
}

fn is_network(value: &Value) -> bool {
    matches!(&value.kind, ValueKind::String(text) if Network::read(text).is_some())
}

fn is_host_route(value: &Value) -> bool {
    matches!(&value.kind, ValueKind::String(text) if HostRoute::read(text).is_some())
}

fn is_side(value: &Value) -> bool {
    matches!(value.kind, ValueKind::I64(pixels) if (100..=8_192).contains(&pixels))
}

/// Reads the address of a node: a URL, or `host:port`, which is short for `http://host:port`.
pub fn node_url(text: &str) -> Option<String> {
    let url = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let parsed = url::Url::parse(&url).ok()?;
    let is_plain = parsed.username().is_empty()
        && parsed.password().is_none()
        && parsed.query().is_none()
        && parsed.fragment().is_none();
    (is_plain && is_address(WEB, &url)).then_some(url)
}

fn is_address(schemes: &[&str], text: &str) -> bool {
    url::Url::parse(text).is_ok_and(|url| schemes.contains(&url.scheme()) && url.has_host())
}
