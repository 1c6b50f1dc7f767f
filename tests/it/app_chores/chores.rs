//! Applications and their chores, as `tests/real_apps/*.yaml` lists them.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Application with its chores.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RealApp {
    /// Name of the file, and of the folder that it is installed in.
    #[serde(skip)]
    pub name: String,
    pub title: String,
    /// Packages that `scripts/real-apps.sh` installs.
    #[serde(default)]
    pub pip: String,
    #[serde(default)]
    pub npm: String,
    /// Name of the site that stands for its address.
    pub site: String,
    /// Files of its data folder.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Commands that prepare its data, the one that starts it, and those that fill it while it runs.
    #[serde(default)]
    pub prepare: String,
    pub start: String,
    #[serde(default)]
    pub fill: String,
    /// Path that answers when it is ready.
    pub ready: String,
    /// Requests that have no effect although their method could: they may leave unasked.
    #[serde(default)]
    pub harmless: Vec<String>,
    pub chores: Vec<Chore>,
}

/// Chore: a thing that a person asks for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chore {
    #[serde(skip)]
    pub app: String,
    #[serde(skip)]
    pub number: u32,
    pub name: String,
    pub message: String,
    pub steps: Vec<Value>,
    /// Patterns of the requests that must be asked about and then arrive; `|` lists alternatives.
    #[serde(default)]
    pub effects: Vec<String>,
    /// Words that the planner must have been shown at the end.
    pub must_show: String,
    /// Files that the person gives to the run.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// True for what is no chore of the table but needed by those (signing in); its questions are not counted.
    #[serde(default, rename = "setup")]
    pub is_setup: bool,
}

impl Chore {
    pub fn title(&self) -> String {
        format!("{} / {}", self.app, self.name)
    }
}

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/real_apps"))
}

/// Returns all applications, with their chores numbered from 1.
pub fn read_apps() -> Vec<RealApp> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "yaml"));
    files.sort();
    let (mut apps, mut number) = (Vec::new(), 0);
    for path in files {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let options = serde_saphyr::options! { strict_booleans: true };
        let read: Result<RealApp, _> = serde_saphyr::from_str_with_options(&text, options);
        let mut app = read.unwrap_or_else(|fault| panic!("{name}: {fault}"));
        for chore in &mut app.chores {
            number += 1;
            (chore.number, chore.app) = (number, name.clone());
        }
        apps.push(RealApp { name, ..app });
    }
    apps
}
