//! The log of a run tree: numbers, order and the observer, with one handle and with two.

use super::Engine;
use super::fixtures::{
    Observed, add_child, add_root, ask, commit, event, ignore, question, resolution, run_with,
};
use askfirst::ids::RunId;
use askfirst::store::Store;
use askfirst::store::rows::{EventRow, NewRun, RunCommit};
use futures_util::future::join_all;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Commits of each writer in the cases with several writers.
const COMMITS: usize = 40;

fn seqs(events: &[EventRow]) -> Vec<u64> {
    events.iter().map(|row| row.seq).collect()
}

fn numbers_to(last: usize) -> Vec<u64> {
    (1..=last as u64).collect()
}

pub async fn numbers_have_no_gaps_and_no_repeats(engine: &impl Engine) {
    let store = engine.open(ignore());
    let root = add_root(&*store, "root").await;
    let child = add_child(&*store, &root, &root).await;
    let other = add_root(&*store, "other").await;
    for n in 0..4 {
        let run = if n % 2 == 0 { &root } else { &child };
        let events = (0..n).map(event).collect();
        store.commit(RunCommit { events, ..RunCommit::new(run.clone(), root.clone()) }).await.unwrap();
    }
    let asked = question(&root, 1, None);
    store.commit(ask(&root, &asked)).await.unwrap();
    store.resolve(asked.reference, resolution("person")).await.unwrap();
    store.commit(RunCommit { events: vec![event(1)], ..commit(&other) }).await.unwrap();
    let events = store.events(root.clone(), 0, 99).await.unwrap();
    assert_eq!(seqs(&events), numbers_to(6 + 2 + 1));
    assert_eq!(store.last_seq(root).await.unwrap(), 9);
    assert_eq!(store.last_seq(other).await.unwrap(), 1);
    assert_eq!(store.last_seq(RunId::from("nobody")).await.unwrap(), 0);
}

// Commits that are begun one after the other are stored in that order, whoever waits for which first.
pub async fn commits_keep_the_order_in_which_they_begin(engine: &impl Engine) {
    let observed = Observed::default();
    let store = engine.open(observed.observer());
    let root = add_root(&*store, "root").await;
    let child = add_child(&*store, &root, &root).await;
    let begin = |n: usize| {
        let run = if n.is_multiple_of(3) { &child } else { &root };
        let events = vec![event(n)];
        store.commit(RunCommit { events, ..RunCommit::new(run.clone(), root.clone()) })
    };
    let mut begun: Vec<_> = (0..COMMITS).map(begin).collect();
    begun.reverse();
    assert!(join_all(begun).await.iter().all(Result::is_ok));
    let events = store.events(root, 0, 99).await.unwrap();
    let bodies: Vec<String> = events.iter().map(|row| row.body.clone()).collect();
    assert_eq!(bodies, (0..COMMITS).map(event).collect::<Vec<_>>());
    assert_eq!(observed.events(), events);
}

/// Commits events of several runs at once through a handle.
async fn write(store: &dyn Store, root: &RunId, runs: &[RunId], who: &str) {
    let writers = runs.iter().enumerate().map(async |(at, run)| {
        for n in 0..COMMITS {
            let body = |part: usize| event(format!("{who}-{at}-{n}-{part}"));
            let events = (0..=n % 3).map(body).collect();
            store.commit(RunCommit { events, ..RunCommit::new(run.clone(), root.clone()) }).await.unwrap();
        }
    });
    join_all(writers).await;
}

/// Number of events that `write` stores for each run.
fn events_of_one() -> usize {
    (0..COMMITS).map(|n| n % 3 + 1).sum()
}

pub async fn the_observer_sees_events_in_the_order_of_storing(engine: &impl Engine) {
    let observed = Observed::default();
    let store = engine.open(observed.observer());
    let roots = [add_root(&*store, "one").await, add_root(&*store, "two").await];
    let mut runs = Vec::new();
    for root in &roots {
        let below = [add_child(&*store, root, root).await, add_child(&*store, root, root).await];
        runs.push([root.clone(), below[0].clone(), below[1].clone()]);
    }
    let both = roots.iter().zip(&runs).map(|(root, runs)| write(&*store, root, runs, "w"));
    join_all(both).await;
    let mut by_root: BTreeMap<RunId, Vec<EventRow>> = BTreeMap::new();
    for row in observed.events() {
        by_root.entry(row.root.clone()).or_default().push(row);
    }
    for root in roots {
        let stored = store.events(root.clone(), 0, 9_999).await.unwrap();
        assert_eq!(seqs(&stored), numbers_to(3 * events_of_one()));
        assert!(by_root[&root] == stored, "the observer saw another order: {:?}", seqs(&by_root[&root]));
    }
}

pub async fn two_handles_write_one_tree_at_once(engine: &impl Engine) {
    let observed = [Observed::default(), Observed::default()];
    let stores: Vec<Arc<dyn Store>> = observed.iter().map(|seen| engine.open(seen.observer())).collect();
    let root = add_root(&*stores[0], "root").await;
    let mut runs = vec![root.clone()];
    for _ in 0..3 {
        runs.push(add_child(&*stores[0], &root, &root).await);
    }
    let halves = [&runs[..2], &runs[2..]];
    let writing = stores.iter().zip(halves).zip(["a", "b"]);
    join_all(writing.map(|((store, runs), who)| write(&**store, &root, runs, who))).await;
    let stored = stores[1].events(root.clone(), 0, 9_999).await.unwrap();
    assert_eq!(seqs(&stored), numbers_to(4 * events_of_one()));
    let mut seen = 0;
    for observed in &observed {
        let events = observed.events();
        assert!(events.is_sorted_by_key(|row| row.seq), "{:?}", seqs(&events));
        assert!(events.iter().all(|row| stored[row.seq as usize - 1] == *row));
        seen += events.len();
    }
    assert_eq!(seen, stored.len(), "each event is seen by the handle that stored it");
    for run in &runs {
        let own = stored.iter().filter(|row| row.run == *run).count();
        assert_eq!(own, events_of_one(), "nothing is lost");
    }
}

pub async fn two_handles_create_a_run_with_one_key_at_once(engine: &impl Engine) {
    let stores = [engine.open(ignore()), engine.open(ignore())];
    for round in 0..10 {
        let created = stores.iter().cycle().take(8).map(|store| {
            let run = NewRun {
                idempotency_key: Some(format!("key {round}")),
                ..run_with(&RunId::fresh(), "keyed")
            };
            store.create(run, vec![event(1)])
        });
        let mut ids: Vec<RunId> = join_all(created).await.into_iter().map(Result::unwrap).collect();
        ids.dedup();
        assert_eq!(ids.len(), 1, "one run for one key");
        assert_eq!(stores[0].last_seq(ids[0].clone()).await.unwrap(), 1);
    }
    assert_eq!(engine.count("runs").await, 10);
    assert_eq!(engine.count("events").await, 10);
}

pub async fn events_are_read_in_pages(engine: &impl Engine) {
    let store = engine.open(ignore());
    let root = add_root(&*store, "root").await;
    let events = (1..=10).map(event).collect();
    store.commit(RunCommit { events, ..commit(&root) }).await.unwrap();
    assert_eq!(seqs(&store.events(root.clone(), 0, 4).await.unwrap()), [1, 2, 3, 4]);
    assert_eq!(seqs(&store.events(root.clone(), 8, 4).await.unwrap()), [9, 10]);
    assert!(store.events(root.clone(), 10, 4).await.unwrap().is_empty());
    assert!(store.events(root, u64::MAX, 4).await.unwrap().is_empty());
}
