//! Writes that fail, that nobody waits for, and stores that are opened again.

use super::Engine;
use super::fixtures::{
    Observed, add_root, ask, checkpoint, child_of, commit, event, ignore, question, run_with, status, task,
};
use askfirst::ids::RunId;
use askfirst::store::error::StoreError;
use askfirst::store::rows::inbox::InboxItem;
use askfirst::store::rows::{
    ChildChanges, EffectChange, Intent, ListSettingsChange, PermissionChanges, RunCommit, RunReport,
};
use serde_json::json;

/// Tables in which a failed commit must leave nothing.
const TABLES: [&str; 9] = [
    "runs",
    "steps",
    "events",
    "questions",
    "tasks",
    "audit_log",
    "search_texts",
    "state_snapshots",
    "inbox",
];

async fn counts(engine: &impl Engine) -> Vec<i64> {
    let mut found = Vec::new();
    for table in TABLES {
        found.push(engine.count(table).await);
    }
    found
}

pub async fn a_failed_commit_leaves_nothing_behind(engine: &impl Engine) {
    let observed = Observed::default();
    let store = engine.open(observed.observer());
    let run = add_root(&*store, "a run").await;
    let asked = question(&run, 1, None);
    store.commit(ask(&run, &asked)).await.unwrap();
    let (before, seen) = (counts(engine).await, observed.events().len());
    // Its last part fails: the question has been asked already.
    let children = ChildChanges {
        begin: vec![(child_of(&run, &run, 1), vec![event("child")])],
        tasks: vec![task("build", &run)],
        ..ChildChanges::default()
    };
    let permissions = PermissionChanges { audit: vec![json!({})], ..PermissionChanges::default() };
    let report = RunReport { title: Some(String::from("another title")), ..RunReport::default() };
    let failing = RunCommit {
        checkpoint: checkpoint(1, Some(json!({}))),
        children,
        permissions,
        report,
        ..ask(&run, &asked)
    };
    let failed = store.commit(failing).await;
    assert!(matches!(failed, Err(StoreError::Refused(_))), "{failed:?}");
    assert_eq!((counts(engine).await, observed.events().len()), (before, seen));
    let row = store.run(run.clone()).await.unwrap().unwrap();
    assert_eq!((row.title.as_str(), row.last_step), ("a run", 0));
    // The next commit has the next number, and other commits at the same time are not affected.
    let (good, bad, other) = (
        RunCommit { events: vec![event("good")], ..commit(&run) },
        RunCommit { status: ask(&run, &asked).status, events: vec![event("bad")], ..commit(&run) },
        RunCommit { events: vec![event("other")], ..commit(&run) },
    );
    let (good, bad, other) = futures_util::join!(store.commit(good), store.commit(bad), store.commit(other));
    assert!(good.is_ok() && bad.is_err() && other.is_ok());
    let events = store.events(run, 0, 99).await.unwrap();
    assert_eq!(events.iter().map(|row| row.seq).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(events, observed.events());
}

pub async fn a_commit_to_a_deleted_run_is_refused(engine: &impl Engine) {
    let observed = Observed::default();
    let store = engine.open(observed.observer());
    let run = add_root(&*store, "a run").await;
    let child = store.create(child_of(&run, &run, 1), vec![]).await.unwrap();
    store.delete_tree(run.clone()).await.unwrap();
    for late in [&run, &child] {
        let events = vec![event("late")];
        let commit = RunCommit {
            events,
            checkpoint: checkpoint(1, None),
            ..RunCommit::new(late.clone(), run.clone())
        };
        let refused = store.commit(commit).await;
        assert!(matches!(refused, Err(StoreError::NoRun)), "{refused:?}");
    }
    // A tree whose root is there refuses a run that is not.
    let root = add_root(&*store, "another").await;
    let nobody =
        RunCommit { events: vec![event("x")], ..RunCommit::new(RunId::from("nobody"), root.clone()) };
    assert!(matches!(store.commit(nobody).await, Err(StoreError::NoRun)));
    assert_eq!((store.last_seq(run).await.unwrap(), store.last_seq(root).await.unwrap()), (0, 0));
    assert!(observed.events().is_empty() && engine.count("steps").await == 0);
}

// A run takes its next step while a step is being stored. An effect of it must not happen if the step is lost.
pub async fn what_follows_a_failed_step_is_refused(engine: &impl Engine) {
    let store = engine.open(ignore());
    let run = add_root(&*store, "a run").await;
    let asked = question(&run, 1, None);
    store.commit(ask(&run, &asked)).await.unwrap();
    let step = |n: u64| RunCommit { checkpoint: checkpoint(n, None), after_step: n - 1, ..commit(&run) };
    store.commit(step(1)).await.unwrap();
    let failing = RunCommit { status: ask(&run, &asked).status, ..step(2) };
    let intent = Intent { action_id: String::from("a1"), action: json!({}) };
    let intent = EffectChange { intent: Some(intent), receipt: None };
    let intent = RunCommit { effect: intent, after_step: 2, ..commit(&run) };
    let begun = [store.commit(failing), store.commit(step(3)), store.commit(intent.clone())];
    let [failed, step_after, intent_after] = futures_util::future::join_all(begun).await.try_into().unwrap();
    assert!(matches!(failed, Err(StoreError::Refused(_))), "{failed:?}");
    for refused in [step_after, intent_after] {
        assert!(matches!(refused, Err(StoreError::NoRun)), "{refused:?}");
    }
    let restored = store.restore(run.clone()).await.unwrap().unwrap();
    assert_eq!((restored.row.last_step, restored.changes.len()), (1, 1));
    assert!(restored.open_effect.is_none());
    store.commit(step(2)).await.unwrap();
    store.commit(intent).await.unwrap();
    assert!(store.restore(run).await.unwrap().unwrap().open_effect.is_some());
}

pub async fn a_step_is_stored_once(engine: &impl Engine) {
    let store = engine.open(ignore());
    let run = add_root(&*store, "a run").await;
    let step = || RunCommit { checkpoint: checkpoint(1, None), events: vec![event(1)], ..commit(&run) };
    store.commit(step()).await.unwrap();
    let again = store.commit(step()).await;
    assert!(matches!(again, Err(StoreError::Refused(_))), "{again:?}");
    assert_eq!(store.last_seq(run.clone()).await.unwrap(), 1);
    let taken = store.create(run_with(&run, "the same id"), vec![event(2)]).await;
    assert!(matches!(taken, Err(StoreError::Refused(_))), "{taken:?}");
    assert_eq!((engine.count("runs").await, engine.count("events").await), (1, 1));
}

pub async fn a_dropped_call_is_carried_out(engine: &impl Engine) {
    let store = engine.open(ignore());
    let run = add_root(&*store, "a run").await;
    drop(store.commit(RunCommit { events: vec![event(1)], ..commit(&run) }));
    drop(store.deliver(run.clone(), InboxItem::Words(String::from("x")), None));
    // Later calls of one tree come after the earlier ones.
    store.commit(RunCommit { events: vec![event(2)], ..commit(&run) }).await.unwrap();
    let events = store.events(run.clone(), 0, 9).await.unwrap();
    assert_eq!(events.iter().map(|row| row.body.clone()).collect::<Vec<_>>(), [event(1), event(2)]);
    drop(store);
    // A handle that is dropped ends with its last call.
    let store = engine.open(ignore());
    let patience = std::time::Instant::now();
    while store.inbox(run.clone()).await.unwrap().is_empty() {
        assert!(patience.elapsed().as_secs() < 20, "the message was lost");
    }
}

pub async fn texts_of_any_kind_are_stored(engine: &impl Engine) {
    let store = engine.open(ignore());
    let long = "ї".repeat(300_000);
    for text in ["", "'; drop table runs; --", "ґанок 🦔 \u{202e}", "a\\b\"c\n\t\r", long.as_str()] {
        let run = RunId::fresh();
        let mut new = run_with(&run, text);
        new.state = json!({"text": text, "nothing": "\u{0}", "n": 1.5e300, "m": u64::MAX});
        store.create(new, vec![event(text)]).await.unwrap();
        let item = InboxItem::Words(text.to_owned());
        store.deliver(run.clone(), item.clone(), None).await.unwrap();
        let changes = json!({"control": "\u{0}\u{1}", "text": text});
        let mut row = checkpoint(1, None).unwrap();
        row.step.changes = changes.clone();
        let step = RunCommit { checkpoint: Some(row), status: status("running"), ..commit(&run) };
        store.commit(step).await.unwrap();
        let restored = store.restore(run.clone()).await.unwrap().unwrap();
        assert_eq!((restored.row.title.as_str(), &restored.inbox[0].item), (text, &item));
        assert_eq!(restored.state, json!({"text": text, "nothing": "\u{0}", "n": 1.5e300, "m": u64::MAX}));
        assert_eq!(restored.changes, [changes]);
        assert_eq!(store.events(run.clone(), 0, 1).await.unwrap()[0].body, event(text));
    }
    // A text with NUL is stored, though an engine may replace that character.
    let run = add_root(&*store, "a\u{0}b").await;
    let title = store.run(run).await.unwrap().unwrap().title;
    assert!(title.starts_with('a') && title.ends_with('b') && title.chars().count() == 3, "{title:?}");
}

pub async fn the_store_accepts_writes(engine: &impl Engine) {
    let store = engine.open(ignore());
    store.check_writable().await.unwrap();
    store.check_writable().await.unwrap();
    assert_eq!(engine.count("write_checks").await, 0);
}

pub async fn a_store_is_opened_again(engine: &impl Engine) {
    let store = engine.open(ignore());
    let run = add_root(&*store, "a run").await;
    store.commit(RunCommit { events: vec![event(1)], ..commit(&run) }).await.unwrap();
    drop(store);
    let observed = Observed::default();
    let store = engine.open(observed.observer());
    assert_eq!(store.run(run.clone()).await.unwrap().unwrap().title, "a run");
    store.commit(RunCommit { events: vec![event(2)], ..commit(&run) }).await.unwrap();
    assert_eq!(observed.events().iter().map(|row| row.seq).collect::<Vec<_>>(), [2]);
    let pin = ListSettingsChange { pinned: Some(true), ..ListSettingsChange::default() };
    assert!(store.change_run(run, pin).await.unwrap().unwrap().list_settings.pinned);
}
