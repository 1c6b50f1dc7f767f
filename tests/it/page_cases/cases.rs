//! Cases as they stand in `tests/page_cases/*.yaml`.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageCase {
    /// File that the case stands in; set when it is read.
    #[serde(skip)]
    file: String,
    /// Page below `tests/pages`, with a query or fragment if it wants one.
    pub page: String,
    pub name: String,
    /// Public report that the page was made after.
    #[serde(default)]
    report: String,
    /// Files below `target/page-lib` that the page loads.
    #[serde(default)]
    needs: Vec<String>,
    /// Reason why the case fails as yet. A case that works although it has one fails the test.
    pub open: Option<String>,
    #[serde(default)]
    pub steps: Vec<Step>,
    /// All effects, in order.
    pub hits: Option<Vec<Hit>>,
    /// Last effect.
    pub last: Option<Hit>,
    /// Effects among others.
    #[serde(default)]
    pub has: Vec<Hit>,
}

/// Name and value of an effect that a page reported.
pub type Hit = (String, Value);

/// An action and what is to be seen after it. Without `do`, only a look.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Step {
    /// Action as planners write it; the other fields are its parameters.
    #[serde(rename = "do")]
    pub action: Option<String>,
    pub on: Option<Target>,
    /// Second element: where a drag ends.
    pub to: Option<Target>,
    /// Code of the error with which the action fails.
    pub fails: Option<String>,
    /// Words of the error, or of the action's result.
    #[serde(default)]
    pub says: Vec<String>,
    /// Patterns of lines that the look afterwards has (`lines.rs`).
    #[serde(default)]
    pub sees: Vec<String>,
    /// Patterns of lines that it does not have.
    #[serde(default)]
    pub lacks: Vec<String>,
    /// Elements that have the same numbers in the look afterwards as in the look before.
    #[serde(default)]
    pub keeps: Vec<Target>,
    /// Elements that have the same numbers in the look afterwards as in the one two looks before, although the look between
    /// lacked them.
    #[serde(default)]
    pub returns: Vec<Target>,
    /// Elements that have other numbers in the look afterwards than in the one two looks before.
    #[serde(default)]
    pub differs: Vec<Target>,
    /// True if nothing is looked at after the action, so that the next one is planned by the same look.
    #[serde(default)]
    pub blind: bool,
    /// Form in which the look afterwards is sent to a model.
    pub sent: Option<Sent>,
    #[serde(flatten)]
    pub params: Map<String, Value>,
}

/// Form in which a look is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sent {
    Changes,
    Whole,
}

/// Element of the look: by its name, or by more.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Target {
    Name(String),
    Exact {
        #[serde(default)]
        name: Option<String>,
        #[serde(default)]
        role: Option<String>,
        /// The first has 1.
        #[serde(default)]
        nth: Option<usize>,
        /// Text of a line before it: the first element after that line is meant.
        #[serde(default)]
        after: Option<String>,
    },
}

impl PageCase {
    /// Returns the name of the file that the case stands in, without its ending.
    pub fn file(&self) -> &str {
        &self.file
    }

    pub fn title(&self) -> String {
        format!("{} / {} / {}", self.file, self.page, self.name)
    }

    /// Returns the title, with the public report that the page was made after.
    pub fn title_with_report(&self) -> String {
        if self.report.is_empty() { self.title() } else { format!("{}\n({})", self.title(), self.report) }
    }

    /// Returns the component library whose widget the case tries, if it is such a case.
    pub fn library(&self) -> Option<&str> {
        self.file.strip_prefix("widgets_")
    }

    /// Reports whether the libraries that the page loads are installed.
    pub fn is_playable(&self) -> bool {
        self.needs.iter().all(|file| libraries().join(file).exists())
    }
}

/// Folder of the bundles that `scripts/page-libraries.sh` builds.
pub fn libraries() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/page-lib")
}

pub fn read_cases() -> Vec<PageCase> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page_cases");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|kind| kind == "yaml"));
    files.sort();
    files.iter().flat_map(|file| read_file(file)).collect()
}

fn read_file(file: &Path) -> Vec<PageCase> {
    let text = std::fs::read_to_string(file).unwrap();
    let mut cases: Vec<PageCase> =
        serde_saphyr::from_str_with_options(&text, serde_saphyr::options! { strict_booleans: true })
            .unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
    let name = file.file_stem().unwrap().to_string_lossy();
    cases.iter_mut().for_each(|case| case.file = name.clone().into_owned());
    cases
}
