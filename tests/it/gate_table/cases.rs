//! Cases of `tests/gate/*.yaml`, each with sites of its own.

use regex::Regex;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

/// Names of sites, which are numbered for each case.
static SITES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(alpha|beta|gamma|delta|notes|readme)\.(example|zip|txt|md)\b").unwrap()
});

/// Addresses of component libraries in pages.
static LIBRARY: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[='\x22 (]/lib/([\w@./-]+)").unwrap());

/// Folder of the component libraries that pages load from `/lib/`.
pub fn libraries() -> PathBuf {
    let installed = concat!(env!("CARGO_MANIFEST_DIR"), "/target/gate-lib/node_modules");
    std::env::var_os("GATE_LIB").map_or_else(|| PathBuf::from(installed), PathBuf::from)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expect {
    Ask,
    Deny,
    Allow,
    Either,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Agent {
    #[default]
    Default,
    Narrow,
}

/// Answers to the first questions; the others are refused.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answers {
    #[serde(default)]
    pub approve: usize,
    #[serde(default)]
    pub remember: Option<String>,
    /// Seconds before each answer.
    #[serde(default)]
    pub after: f64,
}

/// Content of a page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum PageSource {
    Html(String),
    Response(PageResponse),
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PageResponse {
    pub html: Option<String>,
    pub body: Option<String>,
    pub status: Option<u16>,
    pub headers: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    #[serde(skip)]
    pub family: String,
    #[serde(skip)]
    pub number: usize,
    pub name: String,
    #[serde(default = "default_message")]
    pub message: String,
    #[serde(default)]
    pub agent: Agent,
    #[serde(default)]
    pub pages: BTreeMap<String, PageSource>,
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    pub steps: Vec<Value>,
    pub expect: Expect,
    #[serde(default)]
    pub effects: Vec<String>,
    #[serde(default, deserialize_with = "read_answers")]
    pub answers: Answers,
    #[serde(default)]
    pub approved: Vec<String>,
    #[serde(default)]
    pub once: bool,
    /// Most questions that a whole case may ask.
    #[serde(default)]
    pub questions: Option<usize>,
    /// Names that a question must show as changed since the approval.
    #[serde(default)]
    pub changed: Vec<String>,
    #[serde(default)]
    pub must_show: String,
    #[serde(default)]
    pub must_send: Vec<String>,
    #[serde(default)]
    pub transport: String,
}

fn default_message() -> String {
    String::from("Have a look at this page, please.")
}

/// Reads a map, or the word `deny`.
fn read_answers<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Answers, D::Error> {
    let value = Value::deserialize(from)?;
    if value == "deny" {
        return Ok(Answers::default());
    }
    serde_json::from_value(value).map_err(serde::de::Error::custom)
}

impl Case {
    /// True if it goes to the listed private host or to loopback addresses, whose requests have no number.
    pub fn shares_hosts(&self) -> bool {
        let text = format!("{:?}{:?}", self.pages, self.steps);
        ["localhost", "127.0.0.1", "{{loopback}}"].iter().any(|host| text.contains(host))
    }

    /// True if it needs a library that is not installed.
    pub fn lacks_library(&self) -> bool {
        let text = format!("{:?}", self.pages);
        let mut used = LIBRARY.captures_iter(&text).map(|found| found[1].to_owned());
        used.any(|path| !libraries().join(path).exists())
    }

    pub fn title(&self) -> String {
        format!("{} / {}", self.family, self.name)
    }
}

/// Gives the sites in a text the number of a case.
pub fn number_sites(text: &str, number: usize) -> String {
    SITES.replace_all(text, format!("${{1}}{number}.${{2}}")).into_owned()
}

fn number_all(value: Value, number: usize) -> Value {
    match value {
        Value::String(text) => Value::String(number_sites(&text, number)),
        Value::Array(items) => items.into_iter().map(|item| number_all(item, number)).collect(),
        Value::Object(fields) => {
            let numbered = fields.into_iter().map(|(name, value)| match name.as_str() {
                "name" => (name, value),
                _ => (number_sites(&name, number), number_all(value, number)),
            });
            Value::Object(numbered.collect())
        }
        other => other,
    }
}

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gate"))
}

fn read_yaml<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options).map_err(|fault| fault.to_string())
}

/// Returns all cases, numbered from 1.
pub fn read_cases() -> Vec<Case> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "yaml") && !path.ends_with("pages.yaml"));
    files.sort();
    let mut cases = Vec::new();
    for path in files {
        let family = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let rows: Vec<Value> = read_yaml(&text).unwrap_or_else(|fault| panic!("{family}: {fault}"));
        for row in rows {
            let (number, name) = (cases.len() + 1, row["name"].clone());
            let read = serde_json::from_value(number_all(row, number));
            let case: Case = read.unwrap_or_else(|fault| panic!("{family} / {name}: {fault}"));
            cases.push(Case { family: family.clone(), number, ..case });
        }
    }
    cases
}

/// Returns the pages that every site has, by their paths.
pub fn read_default_pages() -> BTreeMap<String, PageSource> {
    read_yaml(&std::fs::read_to_string(folder().join("pages.yaml")).unwrap()).unwrap()
}
