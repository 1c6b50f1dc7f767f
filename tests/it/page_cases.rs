//! Pages that others wrote, or that were made after public reports of what such programs fail at: what a look shows of
//! them, what actions do, and what arrives at the page. The cases are data: `tests/page_cases/README.md`.
//!
//! `PAGES` chooses cases by a part of `file / page / name`; `PAGES_SHOW=1` prints each look.

pub(crate) mod cases;
mod lines;
pub(crate) mod site;
pub(crate) mod steps;

use crate::browser_stage::Stage;
use cases::{PageCase, read_cases};
use futures_util::FutureExt;
use site::CaseSite;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use steps::play;

/// Browsers at once.
const AT_ONCE: usize = 2;

/// Least share of the widgets of component libraries that work, in percent: 57 of 60.
const LEAST_WIDGETS: usize = 95;

/// Outcome of a case.
enum Outcome {
    Good,
    /// A library that the page loads is not installed.
    LeftOut,
    Failed(String),
}

struct Played {
    case: PageCase,
    outcome: Outcome,
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn reports_of_others_hold() {
    play_files(|file| file.starts_with("reports_")).await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn pages_drawn_anew_and_late_content_hold() {
    play_files(|file| matches!(file, "redraw" | "late")).await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn widgets_of_libraries_are_seen_and_operated() {
    let played = play_files(|file| file.starts_with("widgets_")).await;
    assert!(
        !print_widgets(&played),
        "less than {LEAST_WIDGETS} % of the widgets of component libraries work"
    );
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn other_kinds_of_pages_hold() {
    let is_other = |file: &str| {
        !file.starts_with("reports_") && !file.starts_with("widgets_") && !matches!(file, "redraw" | "late")
    };
    play_files(is_other).await;
}

/// Plays the cases of some files, those that `PAGES` chooses. Fails if one is not as it says.
async fn play_files(is_wanted: impl Fn(&str) -> bool) -> Vec<Played> {
    let wanted = std::env::var("PAGES").unwrap_or_default();
    let is_chosen = |case: &PageCase| is_wanted(case.file()) && case.title().contains(&wanted);
    let mut cases: Vec<PageCase> = read_cases().into_iter().filter(is_chosen).collect();
    cases.reverse();
    let (waiting, played) = (Arc::new(Mutex::new(cases)), Arc::new(Mutex::new(Vec::new())));
    let workers = (0..AT_ONCE).map(|_| play_all(Arc::clone(&waiting), Arc::clone(&played)));
    futures_util::future::join_all(workers).await;
    let mut played = std::mem::take(&mut *played.lock().unwrap());
    played.sort_by_key(|one| one.case.title());
    let faults = report(&played);
    assert!(faults.is_empty(), "{} cases are not as they say:\n\n{}", faults.len(), faults.join("\n\n"));
    played
}

/// Opens a browser that gives the bundles of component libraries time to load on a busy machine.
async fn open_stage() -> Stage {
    Stage::open_with(|config| config.load_timeout = Duration::from_secs(20)).await
}

/// Plays cases until none is left. A case that fails is played once more, because a busy machine may delay what it waits
/// for. One that breaks the browser gets the others a new one.
async fn play_all(waiting: Arc<Mutex<Vec<PageCase>>>, played: Arc<Mutex<Vec<Played>>>) {
    let site = CaseSite::start();
    let mut stage = open_stage().await;
    loop {
        let Some(case) = waiting.lock().unwrap().pop() else { break };
        if !case.is_playable() {
            played.lock().unwrap().push(Played { case, outcome: Outcome::LeftOut });
            continue;
        }
        let mut outcome = play_once(&mut stage, &site, &case).await;
        if matches!(outcome, Outcome::Failed(_)) && case.open.is_none() {
            outcome = play_once(&mut stage, &site, &case).await;
        }
        played.lock().unwrap().push(Played { case, outcome });
    }
}

async fn play_once(stage: &mut Stage, site: &CaseSite, case: &PageCase) -> Outcome {
    match AssertUnwindSafe(play(stage, site, case)).catch_unwind().await {
        Ok(Ok(())) => Outcome::Good,
        Ok(Err(fault)) => Outcome::Failed(fault),
        Err(_) => {
            *stage = open_stage().await;
            Outcome::Failed(String::from("the test stopped in the middle; its message stands above"))
        }
    }
}

/// Prints the table and returns what is not as expected.
fn report(played: &[Played]) -> Vec<String> {
    let mut faults = Vec::new();
    let (mut good, mut open, mut left_out) = (0, 0, 0);
    for Played { case, outcome } in played {
        let title = case.title();
        match (outcome, &case.open) {
            (Outcome::LeftOut, _) => left_out += 1,
            (Outcome::Good, None) => good += 1,
            (Outcome::Good, Some(_)) => faults.push(format!("{title}\nworks now: delete its `open`")),
            (Outcome::Failed(_), Some(why)) => {
                open += 1;
                println!("open: {title}: {why}");
            }
            (Outcome::Failed(fault), None) => faults.push(format!("{}\n{fault}", case.title_with_report())),
        }
    }
    println!(
        "Pages of others: {good} good, {} failed, {open} known as open, {left_out} left out (library not installed)",
        faults.len()
    );
    faults
}

/// Prints a row for each component library, and reports whether too few of its widgets work.
fn print_widgets(played: &[Played]) -> bool {
    let mut rows: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for Played { case, outcome } in played {
        let Some(library) = case.library().filter(|_| !matches!(outcome, Outcome::LeftOut)) else { continue };
        let row = rows.entry(library).or_default();
        row.0 += usize::from(matches!(outcome, Outcome::Good));
        row.1 += 1;
    }
    if rows.is_empty() {
        return false;
    }
    rows.iter().for_each(|(library, (good, all))| println!("{library:12} {good:3} of {all:3}"));
    let (good, all) = rows.values().fold((0, 0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
    println!("Widgets of {} component libraries: {good} of {all}", rows.len());
    good * 100 < all * LEAST_WIDGETS
}
