//! Roles and names that others state for pages of theirs, compared with ours: cases of web-platform-tests (accname and
//! html-aam), which say what they expect, and examples of the ARIA Authoring Practices Guide, compared with Chromium's
//! own accessibility tree and operated. `scripts/truth-sources.sh` fetches them; `make truth` prints the rates.

mod operate;
mod site;

use crate::browser_stage::Stage;
use site::{Finding, TruthSite};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Least share of the findings that apply, in percent.
const LEAST: f64 = 95.0;

/// Source of pages: title, folder below `target/truth`, how its pages are compared, part of their paths.
struct Source {
    title: &'static str,
    folders: &'static [&'static str],
    how: &'static str,
}

const SOURCES: &[Source] = &[
    Source {
        title: "WPT accname",
        folders: &[
            "wpt/accname/name",
            "wpt/accname/name/shadowdom",
            "playwright/tests/assets/wpt/accname/name",
            "playwright/tests/assets/wpt/accname/name/shadowdom",
        ],
        how: "expected",
    },
    Source { title: "WPT html-aam", folders: &["wpt/html-aam"], how: "expected" },
    Source { title: "APG", folders: &["apg/content/patterns/*/examples"], how: "computed" },
];

/// Findings of one source.
#[derive(Default)]
struct Tally {
    good: usize,
    /// Findings that do not apply, by the rule.
    exempt: BTreeMap<&'static str, usize>,
    wrong: Vec<String>,
}

impl Tally {
    fn add(&mut self, page: &str, finding: &Finding) {
        if finding.agrees() {
            self.good += 1;
        } else if let Some(rule) = finding.exemption() {
            *self.exempt.entry(rule).or_default() += 1;
        } else {
            self.wrong.push(format!("{page}: {finding}"));
        }
    }

    fn share(&self) -> f64 {
        100.0 * self.good as f64 / (self.good + self.wrong.len()).max(1) as f64
    }

    fn print(&self, title: &str) {
        println!("{title}: {} of {} ({:.1} %)", self.good, self.good + self.wrong.len(), self.share());
        self.exempt.iter().for_each(|(rule, count)| println!("  does not apply: {count}: {rule}"));
        self.wrong.iter().for_each(|fault| println!("  {fault}"));
    }
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn roles_and_names() {
    let Some(browser) = browser_with_computed_roles() else { return };
    let (site, stage) =
        (TruthSite::start(), Stage::open_with(|config| config.executable = Some(browser.path)).await);
    let mut too_low = Vec::new();
    for source in SOURCES {
        let pages = pages_of(source);
        if pages.is_empty() {
            println!("{}: left out; scripts/truth-sources.sh has not fetched it", source.title);
            continue;
        }
        let mut tally = Tally::default();
        for page in pages {
            match site.compare(&stage, &page, source.how).await {
                Ok(findings) => findings.iter().for_each(|finding| tally.add(&page, finding)),
                Err(fault) => tally.wrong.push(format!("{page}: {fault}")),
            }
        }
        tally.print(source.title);
        if tally.share() < LEAST {
            too_low.push(source.title);
        }
    }
    assert!(too_low.is_empty(), "less than {LEAST} % of what applies: {too_low:?}");
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn widgets_of_the_guide() {
    let pages = pages_of(&SOURCES[2]);
    if pages.is_empty() {
        println!("APG: left out; scripts/truth-sources.sh has not fetched it");
        return;
    }
    let (site, stage) = (TruthSite::start(), Stage::open().await);
    let (mut good, mut faults) = (0, Vec::new());
    for page in pages {
        for (widget, outcome) in operate::widgets_of_page(&stage, &site, &page).await {
            match outcome {
                Ok(()) => good += 1,
                Err(fault) => faults.push(format!("{page}: {widget}: {fault}")),
            }
        }
    }
    let all = good + faults.len();
    let share = 100.0 * good as f64 / all.max(1) as f64;
    println!("APG, operated: {good} of {all} ({share:.1} %)");
    faults.iter().for_each(|fault| println!("  {fault}"));
    assert!(share >= LEAST, "less than {LEAST} % of the widgets changed their state");
}

/// Program that starts Chromium with `computedRole` and `computedName` of elements.
struct Wrapper {
    path: PathBuf,
    _folder: tempfile::TempDir,
}

fn browser_with_computed_roles() -> Option<Wrapper> {
    use std::os::unix::fs::PermissionsExt;
    let real = askfirst::browser::process::launch::executable(None).ok()?;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chromium");
    let flag = "--enable-blink-features=ComputedAccessibilityInfo";
    let script =
        format!("#!/bin/sh\nexec '{}' {flag} --force-renderer-accessibility \"$@\"\n", real.display());
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    Some(Wrapper { path, _folder: folder })
}

/// Returns the folder that `scripts/truth-sources.sh` fetches into.
fn sources_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/truth")
}

/// Returns the pages of a source, without those that another folder of it has too. `TRUTH` chooses by a part of the path.
fn pages_of(source: &Source) -> Vec<String> {
    let wanted = std::env::var("TRUTH").unwrap_or_default();
    let mut pages: BTreeMap<String, String> = BTreeMap::new();
    for folder in source.folders.iter().flat_map(|folder| expand(folder)) {
        for entry in std::fs::read_dir(sources_folder().join(&folder)).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let page = format!("{folder}/{name}");
            let is_case = name.ends_with(".html") && !name.contains("manual") && !name.contains("tentative");
            if is_case && page.contains(&wanted) {
                let own = if source.how == "expected" { name } else { page.clone() };
                pages.entry(own).or_insert(page);
            }
        }
    }
    pages.into_values().collect()
}

/// Replaces `*` by each folder that stands there.
fn expand(folder: &str) -> Vec<String> {
    let Some((before, after)) = folder.split_once("/*/") else { return vec![folder.to_owned()] };
    let entries = std::fs::read_dir(sources_folder().join(before)).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names.into_iter().map(|name| format!("{before}/{name}/{after}")).collect()
}
