//! Names and types of all settings. `tests/it/config.rs` checks that this list matches `config/default.toml`.

use super::mcp;
use super::proxies::{BasePath, Network};
use config::{Value, ValueKind};

/// Type of a setting's value.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
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
    /// The path below which the service is served.
    BasePath,
    /// Width and height, both whole numbers.
    Size,
    OneOf(&'static [&'static str]),
    /// A URL with one of these schemes.
    Address(&'static [&'static str]),
    Hidden,
}

/// Name and type of a setting.
pub struct Key {
    pub name: &'static str,
    pub kind: Kind,
}

const fn key(name: &'static str, kind: Kind) -> Key {
    Key { name, kind }
}

const MANY: i64 = 1_000_000_000;
const WEB: &[&str] = &["http", "https"];

/// All settings except `secrets`, the models in `prices` and `mcp.servers`, whose names the owner chooses.
pub const KEYS: &[Key] = &[
    key("data_dir", Kind::Path),
    key("agents_dir", Kind::Path),
    key("server.host", Kind::Text),
    key("server.port", Kind::Whole(0, 65_535)),
    key("server.allowed_hosts", Kind::Texts),
    key("server.token", Kind::Hidden),
    key("server.trusted_proxies", Kind::Networks),
    key("server.base_path", Kind::BasePath),
    key("chat.default_agent", Kind::Text),
    key("model.base_url", Kind::Address(WEB)),
    key("model.api_key", Kind::Hidden),
    key("model.planner", Kind::Text),
    key("model.summarizer", Kind::Text),
    key("model.judge", Kind::Text),
    key("model.vision", Kind::Text),
    key("model.fallback", Kind::Text),
    key("model.structured", Kind::OneOf(&["json_schema", "json_object", "prompt"])),
    key("model.timeout_s", Kind::Whole(1, 86_400)),
    key("model.retries", Kind::Whole(0, 20)),
    key("prices.currency", Kind::Text),
    key("browser.executable", Kind::Path),
    key("browser.headless", Kind::Switch),
    key("browser.cdp_url", Kind::Address(&["http", "https", "ws", "wss"])),
    key("browser.max", Kind::Whole(1, 1_000)),
    key("browser.viewport", Kind::Size),
    key("browser.linger_s", Kind::Whole(0, 86_400)),
    key("browser.load_timeout_s", Kind::Whole(1, 3_600)),
    key("browser.idle_s", Kind::Whole(0, MANY)),
    key("browser.max_memory_mb", Kind::Whole(0, MANY)),
    key("browser.max_age_s", Kind::Whole(0, MANY)),
    key("gate.policy", Kind::Path),
    key("gate.private_hosts", Kind::Texts),
    key("gate.confirm_timeout_s", Kind::Whole(0, MANY)),
    key("limits.total_steps", Kind::Whole(1, MANY)),
    key("limits.depth", Kind::Whole(0, 10_000)),
    key("limits.tool_steps", Kind::Whole(1, 1_000_000)),
    key("limits.invalid_actions", Kind::Whole(1, 1_000)),
    key("limits.iterations", Kind::Whole(1, 1_000_000)),
    key("limits.attempts", Kind::Whole(1, 1_000)),
    key("limits.tries", Kind::Whole(1, 100)),
    key("limits.try_timeout_s", Kind::Whole(1, 86_400)),
    key("limits.history", Kind::Whole(4, 100_000)),
    key("limits.orchestration_depth", Kind::Whole(0, 1_000)),
    key("limits.orchestration_steps", Kind::Whole(1, 100_000)),
    key("limits.orchestration_width", Kind::Whole(1, 1_000)),
    key("limits.tokens", Kind::Whole(1, i64::MAX)),
    key("limits.money", Kind::Amount),
    key("limits.wall_s", Kind::Whole(1, MANY)),
    key("orchestration.enabled", Kind::Switch),
    key("orchestration.planner_agent", Kind::Text),
    key("orchestration.planner_model", Kind::Text),
    key("observe.full_every", Kind::Whole(1, 1_000)),
    key("observe.budget_tokens", Kind::Whole(200, 1_000_000)),
    key("files.max_mb", Kind::Whole(1, 100_000)),
    key("files.total_mb", Kind::Whole(1, 1_000_000)),
    key("sandbox.means", Kind::OneOf(&["auto", "bubblewrap", "landlock", "none"])),
    key("sandbox.parallel", Kind::Whole(1, 1_000)),
    key("sandbox.memory_mb", Kind::Whole(64, 1_000_000)),
    key("sandbox.cpu_s", Kind::Whole(1, 86_400)),
    key("sandbox.timeout_s", Kind::Whole(1, 86_400)),
    key("sandbox.processes", Kind::Whole(1, 10_000)),
    key("sandbox.output_kb", Kind::Whole(1, 100_000)),
    key("sandbox.scratch_mb", Kind::Whole(1, 100_000)),
    key("sandbox.python", Kind::Path),
    key("build.pip_index", Kind::Address(WEB)),
    key("build.engine", Kind::Path),
    key("build.image_network", Kind::Switch),
    key("build.timeout_s", Kind::Whole(1, 86_400)),
    key("build.max_mb", Kind::Whole(1, 1_000_000)),
    key("build.keep_days", Kind::Whole(0, 100_000)),
    key("telemetry.log", Kind::OneOf(&["human", "json"])),
    key("telemetry.level", Kind::Text),
    key("telemetry.otlp_endpoint", Kind::Address(WEB)),
    key("telemetry.otlp_headers", Kind::Hidden),
    key("telemetry.otlp_content", Kind::Switch),
    key("telemetry.record_model", Kind::OneOf(&["all", "answers", "off"])),
];

/// Fields of each entry in `secrets`.
const SECRET_KEYS: &[(&str, Kind)] =
    &[("value", Kind::Hidden), ("env", Kind::Text), ("origins", Kind::Texts), ("totp", Kind::Switch)];

/// Fields of each entry in `mcp.servers`, besides the tables `headers` and `tools`.
const MCP_KEYS: &[(&str, Kind)] = &[
    ("command", Kind::Texts),
    ("env", Kind::Texts),
    ("url", Kind::Address(WEB)),
    ("timeout_s", Kind::Whole(1, 86_400)),
];

/// Fields of each model in `prices`.
const PRICE_KEYS: [&str; 3] = ["input", "cached", "output"];

/// True for `prices.<model>`, where the model's name may contain dots, and for a prefix of such a name.
pub fn is_priced(name: &str) -> bool {
    name.strip_prefix("prices.").is_some_and(|model| !model.is_empty())
}

/// Returns the type of a setting, or `None` if there is no setting of that name.
pub fn kind_of(name: &str) -> Option<Kind> {
    if let Some(rest) = name.strip_prefix("secrets.") {
        let (_, field) = rest.split_once('.')?;
        return SECRET_KEYS.iter().find(|(known, _)| *known == field).map(|(_, kind)| *kind);
    }
    if let Some((_, field)) = name.strip_prefix("mcp.servers.").and_then(|rest| rest.split_once('.')) {
        return match field.split_once('.') {
            Some(("headers", header)) if !header.is_empty() => Some(Kind::Hidden),
            Some(("tools", tool)) if !tool.is_empty() => Some(Kind::OneOf(mcp::LEAVES)),
            Some(_) => None,
            None => MCP_KEYS.iter().find(|(known, _)| *known == field).map(|(_, kind)| *kind),
        };
    }
    if let Some((_, field)) = name.strip_prefix("prices.").and_then(|rest| rest.rsplit_once('.')) {
        return PRICE_KEYS.contains(&field).then_some(Kind::Amount);
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
    let nearest = KEYS.iter().min_by_key(|key| distance(key.name, name));
    nearest.map_or_else(String::new, |key| format!("did you mean `{}`?", key.name))
}

/// Returns the Levenshtein distance between two names.
pub fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, r) in right.iter().enumerate() {
            let changed = diagonal + usize::from(l != *r);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

impl Kind {
    /// Describes the values of this type, for error messages.
    pub fn expected(self) -> String {
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
            Self::BasePath => "a path of letters, digits and hyphens, such as \"/askfirst\"".to_owned(),
            Self::Size => "width and height, such as [1280, 720]".to_owned(),
            Self::OneOf(words) => format!("one of {}", words.join(", ")),
            Self::Address(schemes) => format!("an address that begins with {}://", schemes.join(":// or ")),
        }
    }

    /// Parses the text of an environment variable. Text that cannot be parsed is returned as text, which
    /// `accepts` then refuses.
    pub fn read(self, text: &str) -> ValueKind {
        let text = text.trim();
        match self {
            Self::Text | Self::Path | Self::BasePath | Self::OneOf(_) | Self::Address(_) | Self::Hidden => {
                text.into()
            }
            Self::Whole(..) => text.parse::<i64>().map_or_else(|_| text.into(), ValueKind::I64),
            Self::Amount => text.parse::<f64>().map_or_else(|_| text.into(), ValueKind::Float),
            Self::Switch => match text.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => true.into(),
                "false" | "0" | "no" | "off" => false.into(),
                _ => text.into(),
            },
            Self::Texts | Self::Networks => {
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
            (Self::BasePath, ValueKind::String(text)) => BasePath::read(text).is_some(),
            (Self::Size, ValueKind::Array(items)) => items.len() == 2 && items.iter().all(is_side),
            (Self::OneOf(words), ValueKind::String(text)) => words.contains(&text.as_str()),
            (Self::Address(schemes), ValueKind::String(text)) => is_address(schemes, text),
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

fn is_side(value: &Value) -> bool {
    matches!(value.kind, ValueKind::I64(pixels) if (100..=8_192).contains(&pixels))
}

fn is_address(schemes: &[&str], text: &str) -> bool {
    url::Url::parse(text).is_ok_and(|url| schemes.contains(&url.scheme()) && url.has_host())
}
