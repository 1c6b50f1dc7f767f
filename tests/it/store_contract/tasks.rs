//! ASYNC actions.

use super::Engine;
use super::fixtures::{Observed, add_child, add_root, commit, end, event, ignore, task};
use askfirst::clock::Moment;
use askfirst::ids::RunId;
use askfirst::store::Store;
use askfirst::store::rows::{ChildChanges, RunCommit, TaskRow};
use futures_util::future::join_all;
use serde_json::json;
use std::collections::BTreeSet;

async fn put(store: &dyn Store, run: &RunId, row: TaskRow) {
    let children = ChildChanges { tasks: vec![row], ..ChildChanges::default() };
    store.commit(RunCommit { children, ..commit(run) }).await.unwrap();
}

pub async fn a_task_belongs_to_the_run_that_began_it(engine: &impl Engine) {
    let store = engine.open(ignore());
    let (run, other) = (add_root(&*store, "one").await, add_root(&*store, "other").await);
    let child = add_child(&*store, &run, &run).await;
    let begun = TaskRow { child: Some(child.clone()), progress: Some(0.25), ..task("build", &run) };
    put(&*store, &run, begun.clone()).await;
    assert_eq!(store.task(String::from("build")).await.unwrap(), Some(begun.clone()));
    let done = TaskRow {
        status: String::from("failed"),
        result: Some(json!({"n": 1})),
        error: Some(String::from("no")),
        started_at: Some(Moment::from_millis(11)),
        ended_at: Some(Moment::from_millis(12)),
        ..task("build", &run)
    };
    put(&*store, &run, done.clone()).await;
    let kept = TaskRow { child: Some(child), progress: Some(0.25), ..done };
    assert_eq!(store.task(String::from("build")).await.unwrap(), Some(kept.clone()), "absent parts stay");
    put(&*store, &other, task("build", &other)).await;
    assert_eq!(store.task(String::from("build")).await.unwrap(), Some(kept.clone()), "it is not the other's");
    let later = TaskRow { created_at: Moment::from_millis(5), ..task("deploy", &run) };
    put(&*store, &run, later.clone()).await;
    assert_eq!(store.tasks(run.clone()).await.unwrap(), [later.clone(), kept]);
    assert!(store.tasks(other).await.unwrap().is_empty());
    assert_eq!(store.living_tasks().await.unwrap(), [later]);
    assert_eq!(store.task(String::from("none")).await.unwrap(), None);
}

pub async fn progress_ends_with_the_task(engine: &impl Engine) {
    let observed = Observed::default();
    let store = engine.open(observed.observer());
    let run = add_root(&*store, "a run").await;
    put(&*store, &run, task("build", &run)).await;
    let progress = TaskRow { progress: Some(0.5), ..task("build", &run) };
    assert!(store.add_progress(progress.clone(), event("half")).await.unwrap());
    assert_eq!(store.task(String::from("build")).await.unwrap().unwrap().progress, Some(0.5));
    assert_eq!(observed.events()[0].body, event("half"));
    store.commit(end(&run, &run)).await.unwrap();
    assert!(!store.add_progress(progress, event("late")).await.unwrap());
    assert_eq!(store.last_seq(run.clone()).await.unwrap(), 1);
    assert!(!store.add_progress(task("none", &run), event("late")).await.unwrap());
    assert_eq!((engine.count("events").await, observed.events().len()), (1, 1));
}

// S4.17: an id is given once, also to runs that ask before either has begun; one that came to nothing is free again.
pub async fn the_id_of_a_task_is_reserved_for_one_run(engine: &impl Engine) {
    let store = engine.open(ignore());
    let (one, other) = (add_root(&*store, "one").await, add_root(&*store, "other").await);
    let wanted = || vec![String::from("job"), String::from("job")];
    assert_eq!(store.reserve_task_ids(one.clone(), wanted()).await.unwrap(), ["job", "job-2"]);
    assert_eq!(store.reserve_task_ids(other.clone(), wanted()).await.unwrap(), ["job-3", "job-4"]);
    assert_eq!(store.reserve_task_ids(one.clone(), wanted()).await.unwrap(), ["job", "job-2"]);
    put(&*store, &one, task("job", &one)).await;
    assert_eq!(store.reserve_task_ids(one, wanted()).await.unwrap()[0], "job-2", "`job-2` came to nothing");
    let like = vec![String::from("job-2"), String::from("jo"), String::from("%")];
    let ids = store.reserve_task_ids(other, like).await.unwrap();
    assert_eq!((ids[0].as_str(), ids[1].as_str(), ids[2].as_str()), ("job-2-2", "jo", "%"));
}

pub async fn ids_are_reserved_by_many_runs_at_once(engine: &impl Engine) {
    let store = engine.open(ignore());
    let mut runs = Vec::new();
    for _ in 0..6 {
        runs.push(add_root(&*store, "a run").await);
    }
    for n in 2..50 {
        put(&*store, &runs[0], task(&format!("job-{n}"), &runs[0])).await;
    }
    put(&*store, &runs[0], task("job", &runs[0])).await;
    let wanted = || vec![String::from("job"); 3];
    let reserving = runs.iter().map(|run| store.reserve_task_ids(run.clone(), wanted()));
    let ids: BTreeSet<String> = join_all(reserving).await.into_iter().flat_map(Result::unwrap).collect();
    assert_eq!(ids.len(), 18, "{ids:?}");
    assert!(ids.iter().all(|id| id.strip_prefix("job-").is_some_and(|n| n.parse::<u32>().unwrap() >= 50)));
}
