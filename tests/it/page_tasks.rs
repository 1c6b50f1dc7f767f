//! Breadth: many small tasks as people meet them on real pages, each solved through the whole
//! service by a planner that knows only the page text. The goal stands on the page, its data come
//! from a seed, and the page itself judges by what has really happened in it.

mod apps;
mod choose;
mod fill;
mod files;
mod frames;
mod moving;
mod press;
mod tables;
mod widgets;
mod windows;

use crate::planner::driver::Driver;
use crate::planner::harness::Harness;
use crate::planner::{Planner, Solved};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::Instant;

/// Runs at once: the number of browser slots.
const AT_ONCE: usize = 4;

/// Page of a task, its name, and its planner.
type Task = (&'static str, String, Planner);

/// All tasks with their pages.
fn all() -> Vec<Task> {
    let families: [(&'static str, &[(&str, Planner)]); 10] = [
        ("press", press::TASKS),
        ("fill", fill::TASKS),
        ("choose", choose::TASKS),
        ("widgets", widgets::TASKS),
        ("tables", tables::TASKS),
        ("apps", apps::TASKS),
        ("frames", frames::TASKS),
        ("moving", moving::TASKS),
        ("windows", windows::TASKS),
        ("files", files::TASKS),
    ];
    let tasks = families.into_iter().flat_map(|(page, tasks)| {
        tasks.iter().map(move |(name, planner)| (page, name.replace('_', "-"), *planner))
    });
    tasks.collect()
}

struct Row {
    name: String,
    turns: usize,
    approvals: usize,
    millis: u128,
    outcome: Solved,
}

/// A run takes up no further task after so many turns: what it has to tell grows with every one.
const LONG: usize = 14;

/// Tasks that are still to be done, and how those went that are.
struct Work {
    queue: RefCell<VecDeque<Task>>,
    rows: RefCell<Vec<Row>>,
    seed: String,
}

/// Does tasks one after the other in one run, as a person gives an agent several: until it has become
/// long, or one failed.
async fn shift(harness: &Harness, work: &Work) {
    let errand = harness
        .run("do what the pages ask", async |driver: &mut Driver| {
            let mut solved = Ok(());
            while driver.turns < LONG && solved.is_ok() {
                let Some(task) = work.queue.borrow_mut().pop_front() else { break };
                let (watch, turns, approvals) = (Instant::now(), driver.turns, driver.approvals.get());
                solved = solve(harness, driver, &task, &work.seed).await;
                work.rows.borrow_mut().push(Row {
                    name: task.1,
                    turns: driver.turns - turns,
                    approvals: driver.approvals.get() - approvals,
                    millis: watch.elapsed().as_millis(),
                    outcome: solved.clone(),
                });
            }
            solved
        })
        .await;
    if errand.solved.is_ok() && errand.outcome != "succeeded" {
        let (name, outcome) = (String::from("a run"), Err(format!("it ended as {}", errand.outcome)));
        work.rows.borrow_mut().push(Row { name, turns: 0, approvals: 0, millis: 0, outcome });
    }
}

/// Solves it and says what the page judged: its own value, not what it shows.
async fn solve(harness: &Harness, driver: &mut Driver, (page, name, planner): &Task, seed: &str) -> Solved {
    let url_part = format!("task={name}&seed={seed}&");
    let url = format!("{}/pages/tasks/{page}.html?{url_part}other={}", harness.site, harness.other);
    for (file, text) in files::given(name, seed) {
        harness.give(&driver.run, file, &text).await?;
    }
    driver.alone().await?;
    driver.open(&url).await?;
    let planned = planner(driver).await;
    let verdict = harness.read(&url_part, "window.verdict").await?;
    match (verdict["good"].as_bool(), planned) {
        (Some(true), Ok(())) => Ok(()),
        (None, Ok(())) => Err(format!("the page has not judged\n{}", driver.view.text())),
        (Some(false), _) => Err(format!("failed: {}", verdict["why"].as_str().unwrap_or_default())),
        (_, Err(fault)) => Err(fault),
    }
}

/// Tasks to run: all, or those whose names begin as `TASKS` says, with the seed of `TASKS_SEED`.
fn asked_for() -> Work {
    let wanted = std::env::var("TASKS").unwrap_or_default();
    let seed = std::env::var("TASKS_SEED").unwrap_or_else(|_| String::from("7"));
    let queue: VecDeque<Task> = all().into_iter().filter(|(_, name, _)| name.starts_with(&wanted)).collect();
    Work { queue: RefCell::new(queue), rows: RefCell::default(), seed }
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn small_tasks_of_every_kind_are_solved() {
    let harness = Harness::open(&[], &[]).await;
    let work = asked_for();
    let asked = work.queue.borrow().len();
    let worker = async || {
        while !work.queue.borrow().is_empty() {
            shift(&harness, &work).await;
        }
    };
    futures_util::future::join_all((0..AT_ONCE).map(|_| worker())).await;
    let rows = work.rows.into_inner();
    report(&rows);
    println!("{}", harness.phases().await);
    harness.finish().await;
    let failed: Vec<String> = rows.iter().filter_map(failure).collect();
    assert!(rows.len() >= asked, "{} of {asked} tasks were done", rows.len());
    assert!(failed.is_empty(), "{} tasks failed:\n\n{}", failed.len(), failed.join("\n\n"));
}

fn failure(row: &Row) -> Option<String> {
    row.outcome.as_ref().err().map(|fault| format!("{}: {fault}", row.name))
}

fn report(rows: &[Row]) {
    println!("{:<26} {:>5} {:>9} {:>7}  outcome", "task", "turns", "approvals", "ms");
    for row in rows {
        let outcome =
            row.outcome.as_ref().err().map_or("done", |fault| fault.lines().next().unwrap_or_default());
        println!("{:<26} {:>5} {:>9} {:>7}  {outcome}", row.name, row.turns, row.approvals, row.millis);
    }
    let (turns, millis) =
        (rows.iter().map(|row| row.turns).sum::<usize>(), rows.iter().map(|row| row.millis).sum::<u128>());
    println!("{:<26} {turns:>5} {:>9} {millis:>7}", format!("{} tasks", rows.len()), "");
}

#[test]
fn there_are_sixty_tasks_with_pages_of_their_own() {
    let all = all();
    assert!(all.len() >= 60, "only {}", all.len());
    for (page, name, _) in all {
        let path = format!("{}/tests/pages/tasks/{page}.html", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains(&format!("\n  \"{name}\"() {{")), "{page}.html has no {name}");
    }
}
