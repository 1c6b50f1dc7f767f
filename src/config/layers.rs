//! Layers of the settings. Each layer is checked by itself, so that an error can name its source, and then
//! overrides the layer below.

use crate::config::error::ConfigError;
use crate::config::folders::{agents_beside, platform_data_dir};
use crate::config::keys::ValueType;
use crate::config::mcp::McpServer;
use crate::config::prices::Prices;
use crate::config::{keys, mcp};
use config::{Config, File, FileFormat, Map, Source, Value, ValueKind};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const PREFIX: &str = "ASKFIRST_";

/// Result of merging all layers.
pub struct Merged {
    pub values: Config,
    pub prices: Prices,
    pub mcp: BTreeMap<String, McpServer>,
    pub strangers: Vec<String>,
}

/// Values of one source, by full name.
#[derive(Clone, Debug)]
struct Layer(Map<String, Value>);

impl Source for Layer {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, config::ConfigError> {
        Ok(self.0.clone())
    }
}

/// Merges defaults, file, environment variables and flags, in this order. The folders come last, because the
/// default of `agents_dir` depends on `data_dir`.
pub fn merge(flags: &Flags, vars: &BTreeMap<String, String>) -> Result<Merged, ConfigError> {
    let mut all = toml_layer("config/default.toml", DEFAULT)?;
    if let Some(path) = &flags.config {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ConfigError::Unreadable { path: path.clone(), source })?;
        all.extend(toml_layer(&path.display().to_string(), &text)?);
    }
    let (from_vars, strangers) = variables(vars)?;
    all.extend(from_vars);
    all.extend(flag_values(flags));
    add_folders(&mut all, vars)?;
    let prices = Prices::take_from(&mut all)?;
    let mcp = mcp::take_servers(&mut all, vars)?;
    let values = Config::builder()
        .add_source(Layer(all))
        .build()
        .map_err(|error| ConfigError::Misfit(error.to_string()))?;
    Ok(Merged { values, prices, mcp, strangers })
}

/// Parses a TOML text into checked values by full name.
fn toml_layer(source_name: &str, text: &str) -> Result<Map<String, Value>, ConfigError> {
    let tree = Config::builder()
        .add_source(File::from_str(text, FileFormat::Toml))
        .build()
        .map_err(|error| not_toml(source_name, &error.to_string()))?
        .cache;
    let mut found = Map::new();
    flatten(source_name, String::new(), tree, &mut found)?;
    Ok(found)
}

/// Drops the quoted line of the file from the parser's message, because it may contain a key.
fn not_toml(source_name: &str, words: &str) -> ConfigError {
    let quoted = |line: &&str| !line.trim_start().starts_with(|c: char| c == '|' || c.is_ascii_digit());
    let reason: Vec<&str> = words.lines().map(str::trim).filter(quoted).filter(|l| !l.is_empty()).collect();
    ConfigError::NotToml { source_name: source_name.to_owned(), reason: reason.join(", ") }
}

fn flatten(
    source_name: &str,
    name: String,
    value: Value,
    found: &mut Map<String, Value>,
) -> Result<(), ConfigError> {
    // Environment variables cannot express upper case in a model's name, so all names are lower case.
    let name = if keys::is_priced(&name) { name.to_lowercase() } else { name };
    if let Some(kind) = keys::find_type(&name) {
        if let Some(value) = check_value(source_name, &name, kind, value.kind)? {
            found.insert(name, value);
        }
        return Ok(());
    }
    let inside =
        name.is_empty() || keys::is_section(&name) || is_secret_name(&name) || keys::is_priced(&name);
    let inside = inside || mcp::is_table(&name);
    match value.kind {
        ValueKind::Table(table) if inside => {
            for (key, value) in table {
                let full = if name.is_empty() { key } else { format!("{name}.{key}") };
                flatten(source_name, full, value, found)?;
            }
            Ok(())
        }
        _ => Err(unknown(source_name, &name)),
    }
}

/// True for `secrets.<name>`, where the owner chooses the name.
fn is_secret_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    name.strip_prefix("secrets.").is_some_and(|word| !word.is_empty() && word.chars().all(plain))
}

/// The value if it is of its kind; `None` for an empty text, which counts as absent.
fn check_value(
    source_name: &str,
    key: &str,
    kind: ValueType,
    value: ValueKind,
) -> Result<Option<Value>, ConfigError> {
    if matches!(&value, ValueKind::String(text) if text.trim().is_empty()) {
        return Ok(None);
    }
    if kind.accepts(&value) {
        return Ok(Some(Value::new(Some(&source_name.to_owned()), value)));
    }
    let found = match kind {
        ValueType::Hidden => "something else".to_owned(),
        _ => describe_value(&value),
    };
    Err(ConfigError::BadValue {
        source_name: source_name.to_owned(),
        key: key.to_owned(),
        expected: kind.describe(),
        found,
    })
}

fn describe_value(value: &ValueKind) -> String {
    match value {
        ValueKind::String(text) => format!("\"{text}\""),
        ValueKind::Table(_) => "a table".to_owned(),
        ValueKind::Array(_) => "this list".to_owned(),
        other => other.to_string(),
    }
}

fn unknown(source_name: &str, key: &str) -> ConfigError {
    ConfigError::UnknownKey {
        source_name: source_name.to_owned(),
        key: key.to_owned(),
        hint: keys::hint(key),
    }
}

/// Reads the environment variables. Returns the settings, and a message for each variable that has the prefix
/// but is no setting.
fn variables(vars: &BTreeMap<String, String>) -> Result<(Map<String, Value>, Vec<String>), ConfigError> {
    let mut found = Map::new();
    let mut strangers = Vec::new();
    let standard = [
        ("OPENAI_API_KEY", "model.api_key"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "telemetry.otlp_endpoint"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "telemetry.otlp_headers"),
    ];
    for (variable, key) in standard {
        if let Some(text) = vars.get(variable) {
            read_variable(variable, key, text, &mut found)?;
        }
    }
    for (variable, text) in vars {
        let Some(rest) = variable.strip_prefix(PREFIX) else { continue };
        let key = rest.to_ascii_lowercase().replace("__", ".");
        let section = key.split('.').next().unwrap_or_default();
        if keys::is_section(section) {
            read_variable(variable, &key, text, &mut found)?;
        } else {
            strangers.push(format!("{variable} is not a setting; {}", keys::hint(&key)));
        }
    }
    Ok((found, strangers))
}

fn read_variable(
    variable: &str,
    key: &str,
    text: &str,
    found: &mut Map<String, Value>,
) -> Result<(), ConfigError> {
    let kind = keys::find_type(key).ok_or_else(|| unknown(variable, key))?;
    if let Some(value) = check_value(variable, key, kind, kind.read(text))? {
        found.insert(key.to_owned(), value);
    }
    Ok(())
}

fn flag_values(flags: &Flags) -> Map<String, Value> {
    let source = "the command line".to_owned();
    let mut found = Map::new();
    let mut put =
        |key: &str, value: ValueKind| found.insert(key.to_owned(), Value::new(Some(&source), value));
    if let Some(path) = &flags.data_dir {
        put("data_dir", path_text(path).into());
    }
    if let Some(host) = &flags.host {
        put("server.host", host.clone().into());
    }
    if let Some(port) = flags.port {
        put("server.port", ValueKind::I64(port.into()));
    }
    found
}

fn add_folders(all: &mut Map<String, Value>, vars: &BTreeMap<String, String>) -> Result<(), ConfigError> {
    let set =
        |all: &Map<String, Value>, key: &str| all.get(key).and_then(|value| value.clone().into_string().ok());
    let data_dir = match set(all, "data_dir") {
        Some(path) => path,
        None => path_text(&platform_data_dir(vars).ok_or(ConfigError::NoDataFolder)?),
    };
    let agents_dir =
        set(all, "agents_dir").unwrap_or_else(|| path_text(&agents_beside(Path::new(&data_dir))));
    all.insert("data_dir".to_owned(), data_dir.into());
    all.insert("agents_dir".to_owned(), agents_dir.into());
    Ok(())
}

fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// `config/default.toml`, compiled into the binary.
pub const DEFAULT: &str = include_str!("../../config/default.toml");

/// Command line flags; they override all other layers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    pub config: Option<PathBuf>,
    pub data_dir: Option<PathBuf>,
    pub host: Option<String>,
    pub port: Option<u16>,
}
