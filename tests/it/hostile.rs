//! Pages that mean ill: each is opened, looked at, pressed, scrolled and left by a run of its own.
//! Every step ends in bounded time and says clearly what happened, what is sent to the model stays
//! small, the service lives, and a run beside them on a still page goes on.

mod site;

use crate::planner::Solved;
use crate::planner::driver::Driver;
use crate::planner::harness::Harness;
use crate::planner::view::is_done;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// No step takes longer, on a machine that is busy with three such pages at once.
const STEP: Duration = Duration::from_secs(45);
/// Time for a whole visit, in which two steps may take as long.
const VISIT: Duration = Duration::from_secs(180);
/// Time for a click and an observation on a still page beside the hostile ones.
const BESIDE: Duration = Duration::from_secs(10);
/// The same beside pages that take all processors for themselves, or keep Chromium itself busy.
const BESIDE_GIANTS: Duration = Duration::from_secs(40);
/// Time within which open pages are listed, whatever they do.
const LISTED: Duration = Duration::from_secs(2);
/// Characters of the longest last message: the page's text within its budget, and what is around it.
const MESSAGE: usize = 40_000;

struct Hostile {
    /// A page of `tests/pages/hostile`, or an address of the site.
    page: &'static str,
    /// Words that the planner must be told at some moment; where a machine's speed decides, one of several.
    expected: &'static [&'static str],
    /// Words that it must never be shown.
    never: &'static [&'static str],
}

const fn page(page: &'static str, expected: &'static [&'static str]) -> Hostile {
    Hostile { page, expected, never: &[] }
}

/// Pages that ask, redirect, cover, hide or give orders.
const LIARS: &[Hostile] = &[
    page("alerts", &["dialog"]),
    page("popups", &["a new tab opened and is in front now"]),
    page("stay", &["Stay", "- dialog \"Leave this page? What was typed here"]),
    page("refresh", &["Refresh|from document to document|does not answer"]),
    Hostile {
        page: "redirect",
        expected: &[
            "did not answer within|title=\"Redirect\"|does not answer",
            "from document to document|title=\"Redirect\"|does not answer",
        ],
        never: &["Cannot find context"],
    },
    page("/loop", &["redirect"]),
    page("/never", &["did not answer within"]),
    page("/drip", &["Drip"]),
    Hostile { page: "hidden", expected: &["Went on"], never: &["- button \"No ", "must pay"] },
    Hostile { page: "covered", expected: &["Cookies"], never: &["title=\"Wrong\""] },
    page("moving", &["Moving", "does not stop moving"]),
    Hostile {
        page: "imitation",
        expected: &["Went on", "Pay all"],
        never: &["\n- button \"Pay all\"", "\nSYSTEM", "\nresult a1 ok\n<"],
    },
    page("push", &["Push"]),
    page("worker", &["Worker"]),
    page("prompts", &["Prompts"]),
    page("chooser", &["Went on"]),
    page("downloads", &["Downloads"]),
    page("getters", &["A link", "Went on"]),
    page("thief", &["Thief"]),
];

/// Pages that are large, never rest, or never yield.
const GIANTS: &[Hostile] = &[
    page("nodes", &["Button 0", "below"]),
    page("text", &["five megabytes of words", "below"]),
    page("growth", &["Line 0"]),
    page("busy", &["does not answer"]),
    page("long", &["Long"]),
    page("attributes", &["attribute attribute", "Choice 0"]),
    page("frames", &["title=\"Frames\"|does not answer"]),
    page("recursion", &["title=\"Recursion\"|does not answer"]),
    page("write", &["Write"]),
    page("restless", &["Went on"]),
    page("deep", &["title=\"Deep\"|crashed"]),
    page("churn", &["Go on"]),
];

/// Record of the texts that a planner read during its visit.
#[derive(Default)]
struct Visit {
    texts: String,
    longest: Duration,
    largest: usize,
}

impl Visit {
    async fn step(&mut self, driver: &mut Driver, action: &str, params: Value) -> Solved {
        let watch = Instant::now();
        driver.turn(&[(action, params)]).await?;
        self.longest = self.longest.max(watch.elapsed());
        self.largest = self.largest.max(driver.view.message.len());
        let part: String = driver.view.message.chars().take(2 * MESSAGE).collect();
        self.texts.push_str(&part);
        Ok(())
    }
}

/// Opens it, does there what a person would try, and leaves.
async fn visit(driver: &mut Driver, url: &str, left: &str) -> Solved<Visit> {
    let mut visit = Visit::default();
    visit.step(driver, "navigate", json!({"url": url})).await?;
    if let Ok(eid) = driver.view.find("button", "Go on").and_then(|line| line.eid()) {
        visit.step(driver, "click", json!({"eid": eid})).await?;
    }
    visit.step(driver, "wait", json!({"seconds": 0.5})).await?;
    visit.step(driver, "scroll", json!({"direction": "down"})).await?;
    // Repeats a navigation that failed, as a person would.
    for _ in 0..3 {
        visit.step(driver, "navigate", json!({"url": left})).await?;
        let ok = driver.view.results.iter().all(|line| is_done(line));
        if ok && driver.view.fence("title") == "Left" && driver.view.shows("A quiet place") {
            return Ok(visit);
        }
        let dialog_open = driver.view.results.iter().any(|line| line.contains("dialog"));
        if dialog_open {
            visit.step(driver, "dialog", json!({"accept": false})).await?;
        }
    }
    Err(format!("could not be left: {:?}\n{}", driver.view.results, driver.view.text()))
}

fn faults(hostile: &Hostile, visit: &Visit) -> Vec<String> {
    let mut faults = Vec::new();
    let was_read = |words: &str| words.split('|').any(|words| visit.texts.contains(words));
    let missing = hostile.expected.iter().filter(|words| !was_read(words));
    faults.extend(missing.map(|words| format!("nothing told of {words:?}")));
    let shown = hostile.never.iter().filter(|words| visit.texts.contains(**words));
    faults.extend(shown.map(|words| format!("showed {words:?}")));
    if visit.longest > STEP {
        faults.push(format!("a step took {:?}", visit.longest));
    }
    if visit.largest > MESSAGE {
        faults.push(format!("a message had {} characters", visit.largest));
    }
    if !faults.is_empty() {
        let texts: String = visit.texts.chars().take(6_000).collect();
        faults.push(format!("it was told:\n{texts}"));
    }
    faults
}

/// Presses the button of a still page until the others are done, and says how often; every press counted.
async fn press_until_done(driver: &mut Driver, url: &str, done: &Cell<bool>) -> Solved<(usize, Duration)> {
    driver.open(url).await?;
    let (mut pressed, mut longest) = (0, Duration::ZERO);
    while !done.get() {
        let watch = Instant::now();
        pressed += 1;
        press(driver, pressed).await?;
        longest = longest.max(watch.elapsed());
        driver.turn(&[("wait", json!({"seconds": 0.5}))]).await?;
        look_until_answered(driver, watch).await?;
    }
    Ok((pressed, longest))
}

/// Presses the button for the nth time. A page of hundreds of frames keeps Chromium itself busy, so that no page answers
/// for some seconds: then it looks again, and presses again unless the press has arrived.
async fn press(driver: &mut Driver, nth: usize) -> Solved {
    let (watch, counted) = (Instant::now(), format!("Pressed {nth}"));
    loop {
        let eid = driver.view.find("button", "Go on")?.eid()?;
        driver.turn(&[("click", json!({"eid": eid}))]).await?;
        let is_unanswered = driver.view.results.iter().any(|line| line.contains("does not answer"));
        look_until_answered(driver, watch).await?;
        if driver.view.shows(&counted) {
            return Ok(());
        }
        if !is_unanswered || watch.elapsed() > STEP {
            return Err(format!("no {counted:?}, but\n{:?}\n{}", driver.view.results, driver.view.message));
        }
    }
}

/// Looks again while the page could not be read.
async fn look_until_answered(driver: &mut Driver, watch: Instant) -> Solved {
    while !driver.view.shows("Go on") {
        if watch.elapsed() > STEP {
            return Err(format!("the page was not read in {STEP:?}:\n{}", driver.view.message));
        }
        driver.turn(&[("wait", json!({"seconds": 0.5}))]).await?;
    }
    Ok(())
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn pages_that_ask_lead_on_or_lie_end_in_bounded_time_and_harm_nobody() {
    visit_all(LIARS, BESIDE).await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn pages_that_are_too_much_end_in_bounded_time_and_harm_nobody() {
    visit_all(GIANTS, BESIDE_GIANTS).await;
}

// Clients that list the browsers do not wait for a page.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn browsers_are_listed_while_a_page_hangs() {
    let host = site::open();
    let harness = Harness::open(&[("ASKFIRST_BROWSER__LOAD_TIMEOUT_S", "6")], &[&host]).await;
    let url = format!("http://{host}/pages/hostile/busy.html");
    let errand = harness
        .run("press on", async |driver: &mut Driver| {
            driver.act("navigate", json!({"url": url})).await?;
            let eid = driver.view.find("button", "Go on")?.eid()?;
            let over = Cell::new(false);
            let press = async {
                let pressed = driver.turn(&[("click", json!({"eid": eid}))]).await;
                over.set(true);
                pressed
            };
            let listing = async {
                let (mut asked, mut longest) = (0, Duration::ZERO);
                while !over.get() {
                    let watch = Instant::now();
                    let listed = harness.get("/api/browsers").await;
                    longest = longest.max(watch.elapsed());
                    asked += usize::from(listed.to_string().contains("/busy.html"));
                }
                (asked, longest)
            };
            let (pressed, listed) = futures_util::future::join(press, listing).await;
            pressed?;
            Ok((driver.view.results.join("; "), listed))
        })
        .await;
    let (failure, (asked, longest)) = errand.solved.unwrap();
    println!("listed {asked} times, the longest took {longest:?}");
    assert!(failure.contains("does not answer"), "the page hangs: {failure}");
    assert!(asked > 5 && longest < LISTED, "listed {asked} times, the longest took {longest:?}");
    harness.finish().await;
}

async fn visit_all(pages: &[Hostile], bound: Duration) {
    let host = site::open();
    let settings = [
        ("ASKFIRST_BROWSER__LOAD_TIMEOUT_S", "6"),
        ("ASKFIRST_LIMITS__TOOL_STEPS", "2000"),
        ("ASKFIRST_LIMITS__ITERATIONS", "2000"),
    ];
    let harness = Harness::open(&settings, &[&host]).await;
    let wanted = std::env::var("HOSTILE").unwrap_or_default();
    let asked = |hostile: &&Hostile| wanted.is_empty() || wanted.split(',').any(|page| page == hostile.page);
    let queue: RefCell<VecDeque<&Hostile>> = RefCell::new(pages.iter().filter(asked).collect());
    let met = queue.borrow().len();
    let (done, failed) = (Cell::new(false), RefCell::new(Vec::new()));
    let left = format!("{}/html?<title>Left</title><h1>A+quiet+place</h1>", harness.site);
    let worker = async || {
        loop {
            let next = queue.borrow_mut().pop_front();
            let Some(hostile) = next else { return };
            let fault = visit_page(&harness, &host, hostile, &left).await;
            failed.borrow_mut().extend(fault);
        }
    };
    let visitors = async {
        futures_util::future::join(worker(), worker()).await;
        done.set(true);
    };
    let still = format!("{}/pages/hostile/still.html", harness.site);
    let companion = harness.patient(Duration::from_secs(280), "press on", async |driver: &mut Driver| {
        press_until_done(driver, &still, &done).await
    });
    let (companion, ()) = futures_util::future::join(companion, visitors).await;
    let (pressed, longest) = companion.solved.expect("the run beside them goes on");
    println!("beside them: {pressed} presses, the longest took {longest:?}");
    harness.finish().await;
    let failed = failed.into_inner();
    assert!(failed.is_empty(), "{} pages:\n\n{}", failed.len(), failed.join("\n\n"));
    assert!(pressed >= met / 2 && longest < bound, "beside them {pressed} presses, the longest {longest:?}");
}

/// Visits one page; returns the fault that it found.
async fn visit_page(harness: &Harness, host: &str, hostile: &Hostile, left: &str) -> Option<String> {
    let url = match hostile.page.starts_with('/') {
        true => format!("http://{host}{}", hostile.page),
        false => format!("http://{host}/pages/hostile/{}.html", hostile.page),
    };
    let errand = harness
        .patient(VISIT, &format!("look at {url}"), async |driver: &mut Driver| {
            visit(driver, &url, left).await
        })
        .await;
    let health = harness.get("/healthz").await;
    let mut faults = match &errand.solved {
        Ok(visit) => faults(hostile, visit),
        Err(fault) => vec![fault.clone()],
    };
    if health["status"] != "ok" {
        faults.push(format!("the service is not well: {health}"));
    }
    if errand.outcome != "succeeded" {
        faults.push(format!("the run ended as {}", errand.outcome));
    }
    let longest = errand.solved.as_ref().map(|visit| visit.longest.as_millis()).unwrap_or_default();
    let largest = errand.solved.as_ref().map(|visit| visit.largest).unwrap_or_default();
    let first = faults.first().map_or("bounded", |fault| fault.lines().next().unwrap_or_default());
    println!(
        "{:<12} {:>6} ms, longest {longest:>6} ms, {largest:>6} chars  {first}",
        hostile.page,
        errand.took.as_millis()
    );
    (!faults.is_empty()).then(|| format!("{}: {}", hostile.page, faults.join("\n")))
}
