//! Breadth: many small tasks as people meet them on real pages, each solved through the whole
//! service by a planner that knows only the page text. The goal stands on the page, its data come
//! from a seed, and the page itself judges by what has really happened in it.

mod apps;
mod choose;
mod fill;
mod frames;
mod press;
mod tables;
mod widgets;

use crate::planner::desk::Desk;
use crate::planner::hand::Hand;
use crate::planner::{Planner, Solved};
use std::cell::RefCell;
use std::collections::VecDeque;

/// As many runs at once as may work in a browser.
const AT_ONCE: usize = 4;

/// All tasks with their pages.
fn all() -> Vec<(&'static str, String, Planner)> {
    let families: [(&'static str, &[(&str, Planner)]); 7] = [
        ("press", press::TASKS),
        ("fill", fill::TASKS),
        ("choose", choose::TASKS),
        ("widgets", widgets::TASKS),
        ("tables", tables::TASKS),
        ("apps", apps::TASKS),
        ("frames", frames::TASKS),
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

/// Solves it and says what the page judged: its own value, not what it shows.
async fn solve(desk: &Desk, page: &str, name: &str, planner: Planner, seed: &str) -> Row {
    let place = format!("task={name}&seed={seed}&");
    let url = format!("{}/pages/tasks/{page}.html?{place}other={}", desk.site, desk.other);
    let words = format!("do the task of the page {url}");
    let errand = desk
        .run(&words, async |hand: &mut Hand| {
            hand.open(&url).await?;
            let planned = planner(hand).await;
            let verdict = desk.read(&place, "window.verdict").await?;
            match (verdict["good"].as_bool(), planned) {
                (Some(true), Ok(())) => Ok(()),
                (None, Ok(())) => Err(format!("the page has not judged\n{}", hand.view.text())),
                (Some(false), _) => Err(format!("failed: {}", verdict["why"].as_str().unwrap_or_default())),
                (_, Err(fault)) => Err(fault),
            }
        })
        .await;
    let outcome = match errand.solved {
        Ok(()) if errand.outcome != "succeeded" => Err(format!("the run ended as {}", errand.outcome)),
        other => other,
    };
    let name = name.to_owned();
    Row { name, turns: errand.turns, approvals: errand.approvals, millis: errand.took.as_millis(), outcome }
}

/// What to run: all, or those whose names begin as `TASKS` says, with the seed of `TASKS_SEED`.
fn asked_for() -> (VecDeque<(&'static str, String, Planner)>, String) {
    let wanted = std::env::var("TASKS").unwrap_or_default();
    let seed = std::env::var("TASKS_SEED").unwrap_or_else(|_| String::from("7"));
    (all().into_iter().filter(|(_, name, _)| name.starts_with(&wanted)).collect(), seed)
}

#[actix_web::test]
async fn small_tasks_of_every_kind_are_solved() {
    let Some(desk) = Desk::open(&[], &[]).await else { return };
    let (queue, seed) = asked_for();
    let (queue, rows) = (RefCell::new(queue), RefCell::new(Vec::new()));
    let worker = async || {
        loop {
            let next = queue.borrow_mut().pop_front();
            let Some((page, name, planner)) = next else { return };
            let row = solve(&desk, page, &name, planner, &seed).await;
            rows.borrow_mut().push(row);
        }
    };
    futures_util::future::join_all((0..AT_ONCE).map(|_| worker())).await;
    report(&rows.borrow());
    desk.finish().await;
    let failed: Vec<String> = rows.borrow().iter().filter_map(failure).collect();
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
