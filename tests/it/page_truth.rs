//! Roles, names and states that others state for pages of theirs, compared with ours: cases of web-platform-tests
//! (accname, html-aam, wai-aria), which say what they expect; examples of the ARIA Authoring Practices Guide and pages of
//! component libraries, compared with Chromium's own accessibility tree, and the former operated; Playwright's cases of
//! its page text. `scripts/truth-sources.sh` fetches them; `make truth` prints the rates.

mod ax_tree;
mod operate;
mod site;
mod snapshot_cases;
mod snapshots;
mod tally;

use crate::browser_stage::Stage;
use crate::page_cases::cases::libraries;
use crate::page_cases::site::CaseSite;
use serde_json::json;
use site::TruthSite;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tally::{LEAST, Tally};

/// Source of pages: title, folders below `target/truth`, how its pages are compared.
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
    Source {
        title: "WPT accname, older cases",
        folders: &["wpt/accname/manual", "playwright/tests/assets/wpt/accname/manual"],
        how: "expected",
    },
    Source {
        title: "WPT html-aam",
        folders: &[
            "wpt/html-aam",
            "wpt/html-aam/fragile",
            "wpt/html-aam/accname-computation-by-element",
            "wpt-copies/html-aam",
        ],
        how: "expected",
    },
    Source {
        title: "WPT wai-aria roles",
        folders: &["wpt/wai-aria/role", "wpt-copies/wai-aria/role"],
        how: "expected",
    },
    Source { title: "APG roles and names", folders: &["apg/content/patterns/*/examples"], how: "computed" },
];

/// Examples of the guide.
const GUIDE: &Source = &SOURCES[4];

/// Test files of Playwright.
const SNAPSHOTS: &[&str] = &["page-aria-snapshot.spec.ts", "to-match-aria-snapshot.spec.ts"];

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
            leave_out(source.title);
            continue;
        }
        let mut tally = Tally::new(source.title);
        for page in pages {
            match site.compare(&stage, &page, source.how).await {
                Ok(findings) => findings.iter().for_each(|finding| tally.add(short(&page), finding)),
                Err(fault) => tally.add_outcome(page, Err(fault)),
            }
        }
        if !tally.close() {
            too_low.push(source.title);
        }
    }
    assert!(too_low.is_empty(), "less than {LEAST} % of what applies: {too_low:?}");
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn widgets_of_the_guide() {
    let wanted = std::env::var("TRUTH").unwrap_or_default();
    let interactions: Vec<_> = operate::read_interactions()
        .into_iter()
        .filter(|one| one.is_there() && one.title().contains(&wanted))
        .collect();
    if interactions.is_empty() {
        return leave_out("APG operated");
    }
    let (site, stage) = (TruthSite::start(), open_stage().await);
    let (mut operated, mut states) = (Tally::new("APG operated"), Tally::new("APG states"));
    for page in pages_of(GUIDE) {
        let url = site.address(&page);
        if stage.act("navigate", json!({"url": url})).await.is_ok() {
            let seen = stage.observe().await;
            let findings = ax_tree::compare(&stage, &site.address(""), &seen).await;
            findings.iter().for_each(|finding| states.add(short(&page), finding));
        }
    }
    for interaction in &interactions {
        let mut findings = Vec::new();
        let outcome = operate::play(&stage, &site, interaction, &mut findings).await;
        operated.add_outcome(interaction.title(), outcome);
        findings.iter().for_each(|finding| states.add(&interaction.title(), finding));
    }
    let enough = [states.close(), operated.close()];
    assert_eq!(enough, [true; 2], "less than {LEAST} % of what applies");
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn snapshots_of_playwright() {
    let folder = sources_folder().join("playwright/tests/page");
    let files: Vec<String> =
        SNAPSHOTS.iter().filter_map(|file| std::fs::read_to_string(folder.join(file)).ok()).collect();
    if files.is_empty() {
        return leave_out("Playwright aria-snapshot");
    }
    let (site, stage) = (TruthSite::start(), open_stage().await);
    let wanted = std::env::var("TRUTH").unwrap_or_default();
    let mut tally = Tally::new("Playwright aria-snapshot");
    for file in files {
        let (cases, left_out) = snapshot_cases::read_cases(&file);
        left_out.into_iter().for_each(|rule| tally.leave_out(rule));
        for case in cases.iter().filter(|case| case.title.contains(&wanted)) {
            match snapshots::compare(&stage, &site, case).await {
                Ok(findings) => findings.iter().for_each(|finding| tally.add(&case.title, finding)),
                Err(fault) => tally.add_outcome(case.title.clone(), Err(fault)),
            }
        }
    }
    assert!(tally.close(), "less than {LEAST} % of what applies");
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn elements_of_component_libraries() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages/libraries");
    let wanted = std::env::var("TRUTH").unwrap_or_default();
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".html") && name.contains(&wanted))
        .filter(|name| libraries().join(format!("lib_{}", name.replace(".html", ".js"))).exists())
        .collect();
    names.sort();
    if names.is_empty() {
        return leave_out("component libraries");
    }
    let (site, stage) = (CaseSite::start(), open_stage().await);
    let mut tally = Tally::new("component libraries");
    for name in names {
        let url = site.address(&format!("libraries/{name}"));
        match stage.act("navigate", json!({"url": url})).await {
            Ok(_) => {
                let seen = stage.observe().await;
                let findings = ax_tree::compare(&stage, &site.address(""), &seen).await;
                findings.iter().for_each(|finding| tally.add(&name, finding));
            }
            Err(fault) => tally.add_outcome(name, Err(format!("{fault:?}"))),
        }
    }
    assert!(tally.close(), "less than {LEAST} % of what applies");
}

/// Opens a browser whose looks have room for a whole page.
async fn open_stage() -> Stage {
    Stage::open_with(|config| {
        config.page_tokens = 100_000;
        config.load_timeout = Duration::from_secs(20);
    })
    .await
}

/// Prints the row of a source that is not there.
fn leave_out(title: &str) {
    println!("| {title} | left out: not fetched | | | |");
}

/// Shortens a path to the part by which known findings name the page.
fn short(page: &str) -> &str {
    page.rsplit('/').next().unwrap_or(page)
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
            let is_case =
                name.ends_with(".html") && !name.contains("tentative") && !name.starts_with("description");
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
