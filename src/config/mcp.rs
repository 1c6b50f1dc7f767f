//! MCP servers whose tools agents may use: `[mcp.servers.<name>]`, read and checked once at the start.

use crate::config::error::ConfigError;
use crate::config::secret::Secret;
use config::{Map, Value, ValueKind};
use std::collections::BTreeMap;

const SECTION: &str = "mcp.servers.";
/// Default timeout of a call, in seconds.
const TIMEOUT_S: u64 = 60;
/// Environment variables passed to every program. No others are passed, because they may hold secrets.
const ALWAYS: [&str; 8] = ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TMPDIR", "USER"];

/// An MCP server: a local program or a URL.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct McpServer {
    /// The program and its arguments; empty if `url` is set.
    pub command: Vec<String>,
    /// The whole environment of the program.
    pub env: BTreeMap<String, Secret>,
    pub url: Option<String>,
    pub headers: BTreeMap<String, Secret>,
    pub timeout_s: u64,
    /// Permissions of single tools, by name.
    pub tools: BTreeMap<String, ToolPermission>,
}

/// Permission to call a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolPermission {
    Allow,
    /// The person is asked each time.
    Confirm,
    Deny,
}

/// Values of a permission in the settings.
pub const LEAVES: &[&str] = &["allow", "confirm", "deny"];

impl ToolPermission {
    fn from_word(word: &str) -> Self {
        match word {
            "allow" => Self::Allow,
            "deny" => Self::Deny,
            _ => Self::Confirm,
        }
    }
}

/// True for `mcp`, `mcp.servers`, `mcp.servers.<name>` and the two tables within: names that may hold further
/// settings.
pub fn is_table(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(SECTION) else { return name == "mcp" || name == "mcp.servers" };
    let (server, table) = rest.split_once('.').unwrap_or((rest, "tools"));
    is_server(server) && ["headers", "tools"].contains(&table)
}

/// True for a valid server name, as agent files use it.
pub fn is_server(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    !name.is_empty() && name.len() <= 64 && name.chars().all(plain)
}

/// Removes the servers from the settings and returns them. The names of tools have dots and capitals, which
/// the code that reads the other settings would change.
pub fn take_servers(
    all: &mut Map<String, Value>,
    vars: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, McpServer>, ConfigError> {
    let names: Vec<String> = all.keys().filter(|name| name.starts_with(SECTION)).cloned().collect();
    let mut found: BTreeMap<String, McpServer> = BTreeMap::new();
    for name in names {
        let Some(value) = all.remove(&name) else { continue };
        let Some((server, field)) = name[SECTION.len()..].split_once('.') else { continue };
        let blank = || McpServer { timeout_s: TIMEOUT_S, ..McpServer::default() };
        let set = found.entry(server.to_owned()).or_insert_with(blank).set(field, value, vars);
        set.map_err(|reason| wrong(server, &reason))?;
    }
    for (name, server) in &mut found {
        server.complete(vars).map_err(|reason| wrong(name, &reason))?;
    }
    Ok(found)
}

fn wrong(server: &str, reason: &str) -> ConfigError {
    ConfigError::Misfit(format!("mcp.servers.{server} {reason}"))
}

impl McpServer {
    fn set(&mut self, field: &str, value: Value, vars: &BTreeMap<String, String>) -> Result<(), String> {
        let text = |value: Value| value.into_string().map_err(|fault| fault.to_string());
        match field.split_once('.') {
            Some(("headers", header)) => {
                let filled = fill_variables(&text(value)?, vars)?;
                self.headers.insert(header.to_ascii_lowercase(), Secret::new(filled));
            }
            Some((_, tool)) => {
                self.tools.insert(tool.to_owned(), ToolPermission::from_word(&text(value)?));
            }
            None if field == "url" => self.url = Some(text(value)?),
            None if field == "timeout_s" => {
                self.timeout_s = value.into_uint().map_err(|fault| fault.to_string())?;
            }
            None => {
                let words = texts(value);
                match field {
                    "command" => self.command = words,
                    _ => {
                        self.env =
                            words.iter().map(|name| passed_variable(name, vars)).collect::<Result<_, _>>()?
                    }
                }
            }
        }
        Ok(())
    }

    fn complete(&mut self, vars: &BTreeMap<String, String>) -> Result<(), String> {
        let wrong = |words: &str| Err(words.to_owned());
        match (self.command.is_empty(), &self.url) {
            (true, None) => {
                return wrong("needs `command`, such as [\"uvx\", \"mcp-server-time\"], or `url`");
            }
            (false, Some(_)) => return wrong("has both `command` and `url`; keep one"),
            (true, Some(_)) if !self.env.is_empty() => return wrong("has `env`, which only a `command` has"),
            (false, None) if !self.headers.is_empty() => {
                return wrong("has `headers`, which only a `url` has");
            }
            (true, Some(_)) | (false, None) => {}
        }
        if !self.command.is_empty() {
            for name in ALWAYS {
                if let Some(value) = vars.get(name) {
                    self.env.entry(name.to_owned()).or_insert_with(|| Secret::new(value.clone()));
                }
            }
        }
        Ok(())
    }
}

fn texts(value: Value) -> Vec<String> {
    let ValueKind::Array(items) = value.kind else { return Vec::new() };
    items.into_iter().filter_map(|item| item.into_string().ok()).collect()
}

/// Reads an environment variable that is passed to the server. The error names one that is not set.
fn passed_variable(name: &str, vars: &BTreeMap<String, String>) -> Result<(String, Secret), String> {
    let missing = || format!("passes the variable {name}, which is not set; set it before the start");
    let value = vars.get(name).ok_or_else(missing)?;
    Ok((name.to_owned(), Secret::new(value.clone())))
}

/// Replaces each `${NAME}` by the value of that variable, so that no key needs to be in a file.
fn fill_variables(text: &str, vars: &BTreeMap<String, String>) -> Result<String, String> {
    let Some((before, rest)) = text.split_once("${") else { return Ok(text.to_owned()) };
    let Some((name, after)) = rest.split_once('}') else { return Ok(text.to_owned()) };
    let (_, value) = passed_variable(name, vars)?;
    Ok(format!("{before}{}{}", value.expose(), fill_variables(after, vars)?))
}
