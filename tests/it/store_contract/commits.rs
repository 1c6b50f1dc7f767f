//! Commits of steps, and the restoring of runs.

use super::Engine;
use super::fixtures::{
    Observed, add_child, add_root, checkpoint, child_of, commit, end, event, ignore, status, task,
};
use askfirst::ids::{RunId, SessionId};
use askfirst::store::rows::inbox::InboxItem;
use askfirst::store::rows::{
    ChildChanges, ConsumedInput, EffectChange, Intent, LeaseRow, PageChange, PermissionChanges, RunCommit,
    RunReport, StatusChange,
};
use serde_json::json;

pub async fn a_commit_stores_all_its_parts(engine: &impl Engine) {
    let observed = Observed::default();
    let store = engine.open(observed.observer());
    let run = add_root(&*store, "a run").await;
    let message =
        store.deliver(run.clone(), InboxItem::Words(String::from("hi")), None).await.unwrap().unwrap();
    let report = RunReport {
        usage: None,
        tool_steps: Some(4),
        url: Some(String::from("https://shop.test/")),
        title: Some(String::from("A lamp")),
        plan: Some(json!([{"text": "look"}])),
        progress: Some(0.5),
        cause: Some(json!({"error": "none"})),
    };
    let permissions =
        PermissionChanges { audit: vec![json!({"rule": "submit"})], ..PermissionChanges::default() };
    let whole = RunCommit {
        events: vec![event(1), event(2)],
        checkpoint: checkpoint(1, None),
        status: status("running"),
        consumed: ConsumedInput { inbox: Some(message.n), ..ConsumedInput::default() },
        report,
        permissions,
        ..commit(&run)
    };
    store.commit(whole).await.unwrap();
    let row = store.run(run.clone()).await.unwrap().unwrap();
    assert_eq!((row.status.as_str(), row.node.as_str(), row.last_step), ("running", "Next", 1));
    assert_eq!((row.title.as_str(), row.tool_steps), ("A lamp", 4));
    assert_eq!((row.url.as_deref(), row.progress), (Some("https://shop.test/"), Some(0.5)));
    assert_eq!((row.plan, row.cause), (Some(json!([{"text": "look"}])), Some(json!({"error": "none"}))));
    let steps = store.steps(run.clone()).await.unwrap();
    assert_eq!((steps.len(), &steps[0].changes, steps[0].took_ms), (1, &json!({"n": 1}), 7));
    assert_eq!((steps[0].node.as_str(), steps[0].outcome.as_str()), ("Act", "done"));
    assert_eq!(store.step(run.clone(), 1).await.unwrap().unwrap().at.millis(), 1_001);
    assert!(store.step(run.clone(), 2).await.unwrap().is_none());
    assert!(store.inbox(run.clone()).await.unwrap().is_empty());
    assert_eq!(store.audit(Some(run.clone()), None, 9).await.unwrap()[0]["rule"], "submit");
    let stored = store.events(run.clone(), 0, 9).await.unwrap();
    assert_eq!(stored, observed.events());
    assert_eq!(stored.iter().map(|row| row.seq).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(stored[1].body, event(2));

    // A commit without a part leaves it as it is; a plan of null removes the plan.
    let report = RunReport { plan: Some(json!(null)), ..RunReport::default() };
    store.commit(RunCommit { report, ..commit(&run) }).await.unwrap();
    let row = store.run(run).await.unwrap().unwrap();
    assert_eq!((row.plan, row.tool_steps, row.node.as_str()), (None, 4, "Next"));
    assert_eq!((row.status.as_str(), row.title.as_str(), row.progress), ("running", "A lamp", Some(0.5)));
}

pub async fn a_run_ends_and_reopens(engine: &impl Engine) {
    let observed = Observed::default();
    let store = engine.open(observed.observer());
    let run = add_root(&*store, "a run").await;
    let children = ChildChanges { tasks: vec![task("build", &run)], ..ChildChanges::default() };
    store.commit(RunCommit { children, ..commit(&run) }).await.unwrap();
    store.commit(end(&run, &run)).await.unwrap();
    let row = store.run(run.clone()).await.unwrap().unwrap();
    assert!(row.ended_at.is_some() && observed.ended() == [run.clone()]);
    assert_eq!((row.status.as_str(), row.response.as_deref()), ("succeeded", Some("done")));
    assert_eq!(row.vars["price"], 3);
    let task = store.task(String::from("build")).await.unwrap().unwrap();
    assert!(task.status == "cancelled" && task.ended_at.is_some());
    let reopened = StatusChange { reopened: true, ..status("running") };
    store.commit(RunCommit { status: reopened, ..commit(&run) }).await.unwrap();
    let row = store.run(run.clone()).await.unwrap().unwrap();
    assert_eq!((row.ended_at, row.response, row.status.as_str()), (None, None, "running"));
    assert_eq!(row.vars["price"], 3, "variables of the last end stay");
}

pub async fn a_run_is_restored_from_its_newest_snapshot(engine: &impl Engine) {
    let store = engine.open(ignore());
    let run = add_root(&*store, "a run").await;
    assert!(store.restore(RunId::from("nobody")).await.unwrap().is_none());
    let restored = store.restore(run.clone()).await.unwrap().unwrap();
    assert_eq!((restored.state, restored.state_at, restored.changes.len()), (json!({"n": 0}), 0, 0));
    for n in 1..=3 {
        let snapshot = (n == 2).then(|| json!({"whole": "state"}));
        store.commit(RunCommit { checkpoint: checkpoint(n, snapshot), ..commit(&run) }).await.unwrap();
    }
    store.deliver(run.clone(), InboxItem::TaskCancel(String::from("build")), None).await.unwrap();
    let restored = store.restore(run.clone()).await.unwrap().unwrap();
    assert_eq!((restored.state, restored.state_at), (json!({"whole": "state"}), 2));
    assert_eq!((restored.changes, restored.row.last_step), (vec![json!({"n": 3})], 3));
    assert_eq!(restored.inbox[0].item, InboxItem::TaskCancel(String::from("build")));
    assert!(restored.open_effect.is_none() && restored.question.is_none());
    assert_eq!(store.initial_state(run.clone()).await.unwrap(), Some(json!({"n": 0})));
    store.commit(RunCommit { checkpoint: checkpoint(4, Some(json!(4))), ..commit(&run) }).await.unwrap();
    assert_eq!(store.initial_state(run).await.unwrap(), Some(json!({"n": 0})));
    assert_eq!(store.initial_state(RunId::from("nobody")).await.unwrap(), None);
}

pub async fn an_effect_has_an_intent_and_then_a_receipt(engine: &impl Engine) {
    let store = engine.open(ignore());
    let run = add_root(&*store, "a run").await;
    let intent = |id: &str| Some(Intent { action_id: id.to_owned(), action: json!({"click": id}) });
    let change = |effect| store.commit(RunCommit { effect, ..commit(&run) });
    change(EffectChange { intent: intent("a"), receipt: None }).await.unwrap();
    let open = store.restore(run.clone()).await.unwrap().unwrap().open_effect.unwrap();
    assert_eq!((open.action_id.as_str(), open.action), ("a", json!({"click": "a"})));
    change(EffectChange { intent: intent("b"), receipt: Some(json!({"ok": true})) }).await.unwrap();
    let first = store.effect(run.clone(), 1).await.unwrap().unwrap();
    assert_eq!((first.action_id.as_str(), first.receipt), ("a", Some(json!({"ok": true}))));
    assert!(first.receipt_at.is_some_and(|at| at >= first.intent_at));
    let second = store.effect(run.clone(), 2).await.unwrap().unwrap();
    assert_eq!((second.n, second.receipt, second.receipt_at), (2, None, None));
    change(EffectChange { intent: None, receipt: Some(json!(null)) }).await.unwrap();
    assert!(store.restore(run.clone()).await.unwrap().unwrap().open_effect.is_none());
    assert!(store.effect(run, 3).await.unwrap().is_none());
}

pub async fn a_commit_begins_and_stops_children(engine: &impl Engine) {
    let observed = Observed::default();
    let store = engine.open(observed.observer());
    let root = add_root(&*store, "root").await;
    let old = add_child(&*store, &root, &root).await;
    let (one, two) = (child_of(&root, &root, 1), child_of(&root, &root, 1));
    let ids = [one.id.clone(), two.id.clone()];
    let children = ChildChanges {
        begin: vec![(one, vec![event("one")]), (two, vec![event("two"), event("three")])],
        stop: vec![old.clone()],
        tasks: vec![],
    };
    store.commit(RunCommit { children, events: vec![event("own")], ..commit(&root) }).await.unwrap();
    let events = store.events(root.clone(), 0, 99).await.unwrap();
    let bodies: Vec<&str> = events.iter().map(|row| row.body.as_str()).collect();
    assert_eq!(bodies, [event("own"), event("one"), event("two"), event("three")]);
    let runs: Vec<&RunId> = events.iter().map(|row| &row.run).collect();
    assert_eq!(runs, [&root, &ids[0], &ids[1], &ids[1]]);
    assert_eq!(events.iter().map(|row| row.seq).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(events, observed.events());
    assert_eq!(store.orphaned_runs().await.unwrap(), [old], "it is to be stopped");
    for (id, ordinal) in ids.iter().zip([2, 3]) {
        let row = store.run(id.clone()).await.unwrap().unwrap();
        assert_eq!((row.ordinal, row.parent.as_ref()), (ordinal, Some(&root)));
        assert_eq!(store.restore(id.clone()).await.unwrap().unwrap().state, json!({"n": 0}));
    }
}

pub async fn a_lease_and_a_snapshot_of_a_page_are_replaced(engine: &impl Engine) {
    let store = engine.open(ignore());
    let root = add_root(&*store, "root").await;
    let change = |page| store.commit(RunCommit { page, ..commit(&root) });
    assert_eq!(store.browser(root.clone()).await.unwrap(), None);
    let mut lease =
        LeaseRow { root: root.clone(), run: root.clone(), holder: Some(SessionId::from("me")), paused: true };
    for n in [1, 2] {
        lease.paused = n == 1;
        change(PageChange { snapshot: Some(json!({"n": n})), lease: Some(Some(lease.clone())) })
            .await
            .unwrap();
        assert_eq!(store.browser(root.clone()).await.unwrap(), Some(json!({"n": n})));
        assert_eq!(store.lease(root.clone()).await.unwrap(), Some(lease.clone()));
    }
    assert_eq!(store.leases().await.unwrap(), [lease]);
    change(PageChange { snapshot: None, lease: Some(None) }).await.unwrap();
    assert_eq!(store.lease(root.clone()).await.unwrap(), None);
    assert!(store.leases().await.unwrap().is_empty());
    assert!(store.browser(root.clone()).await.unwrap().is_some());
}
