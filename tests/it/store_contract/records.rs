//! Recordings, the timeline, grants, the audit log and sign-ins.

use super::Engine;
use super::fixtures::{
    add_child, add_root, ask, checkpoint, commit, event, ignore, question, resolution, task,
};
use askfirst::clock::Moment;
use askfirst::ids::{GrantId, RunId};
use askfirst::store::Store;
use askfirst::store::rows::recordings::{CallRow, CallText, NewCall, StepRecording};
use askfirst::store::rows::trace::TraceBounds;
use askfirst::store::rows::{
    AuditRow, ChildChanges, EffectChange, GrantRow, Intent, PermissionChanges, RunCommit,
};
use askfirst::store::sign_ins::SignInRow;
use futures_util::future::join_all;
use serde_json::{Value, json};

fn call(n: u64) -> CallRow {
    CallRow {
        n,
        step: 1,
        role: String::from("planner"),
        model: String::from("m"),
        at: Moment::from_millis(9),
        took_ms: 3,
        input: 10,
        cached: 1,
        output: 2,
        cost: Some(0.5),
        currency: Some(String::from("EUR")),
        error: None,
        dropped: false,
    }
}

/// A recording of a call with these messages.
pub fn recording(messages: &[&str]) -> StepRecording {
    let messages = messages.iter().map(|text| json!({"role": "user", "content": text})).collect();
    let text = CallText {
        messages,
        request: json!({"model": "m"}),
        answer: Some(json!({"text": "yes"})),
        fault: None,
    };
    StepRecording { step: 1, calls: vec![NewCall { row: call(0), text }], body: Some(json!({"said": 1})) }
}

async fn record(store: &dyn Store, run: &RunId, recording: StepRecording) {
    store.commit(RunCommit { recording: Some(recording), ..commit(run) }).await.unwrap();
}

pub async fn calls_are_recorded_with_their_texts(engine: &impl Engine) {
    let store = engine.open(ignore());
    let run = add_root(&*store, "a run").await;
    record(&*store, &run, recording(&["one", "two"])).await;
    record(&*store, &run, recording(&["one", "two", "three", "two"])).await;
    let failed = NewCall {
        row: CallRow {
            cost: None,
            currency: None,
            error: Some(String::from("down")),
            dropped: true,
            ..call(0)
        },
        text: CallText { fault: Some(json!({"kind": "down"})), ..CallText::default() },
    };
    record(&*store, &run, StepRecording { step: 2, calls: vec![failed.clone()], body: None }).await;
    let calls = store.calls(run.clone()).await.unwrap();
    assert_eq!(calls, [call(1), call(2), CallRow { n: 3, ..failed.row.clone() }]);
    let (row, text) = store.call(run.clone(), 2).await.unwrap().unwrap();
    assert_eq!((row, text), (call(2), recording(&["one", "two", "three", "two"]).calls[0].text.clone()));
    let (row, text) = store.call(run.clone(), 3).await.unwrap().unwrap();
    assert_eq!((row.n, text), (3, failed.text));
    assert!(store.call(run, 4).await.unwrap().is_none());
    assert_eq!(engine.count("request_messages").await, 4, "a request shares what it begins with");
    assert_eq!(engine.count("request_texts").await, 4, "equal texts are stored once");
}

pub async fn requests_with_equal_texts_are_recorded_at_once(engine: &impl Engine) {
    let stores = [engine.open(ignore()), engine.open(ignore())];
    let mut runs = Vec::new();
    for _ in 0..6 {
        runs.push(add_root(&*stores[0], "a run").await);
    }
    let orders = [["a", "b", "c"], ["c", "b", "a"], ["b", "a", "c"]];
    let recording_all = runs.iter().enumerate().map(async |(n, run)| {
        for round in 0..8 {
            record(&*stores[n % 2], run, recording(&orders[(n + round) % 3])).await;
        }
    });
    join_all(recording_all).await;
    for (n, run) in runs.iter().enumerate() {
        for round in 0..8_usize {
            let number = u64::try_from(round).unwrap() + 1;
            let (_, text) = stores[0].call(run.clone(), number).await.unwrap().unwrap();
            assert_eq!(text, recording(&orders[(n + round) % 3]).calls[0].text);
        }
    }
    assert_eq!(engine.count("request_texts").await, 4);
}

pub async fn inputs_and_exported_steps_are_kept(engine: &impl Engine) {
    let store = engine.open(ignore());
    let run = add_root(&*store, "a run").await;
    for (step, said) in [(2, "b"), (1, "a"), (2, "c")] {
        let recording = StepRecording { step, calls: vec![], body: Some(json!(said)) };
        record(&*store, &run, recording).await;
    }
    assert_eq!(store.step_inputs(run.clone()).await.unwrap(), [(1, json!("a")), (2, json!("c"))]);
    assert_eq!(store.last_exported_step(run.clone()).await.unwrap(), 0);
    for step in [3, 2] {
        store.set_last_exported_step(run.clone(), step).await.unwrap();
    }
    assert_eq!(store.last_exported_step(run).await.unwrap(), 3);
    assert_eq!(store.last_exported_step(RunId::from("nobody")).await.unwrap(), 0);
}

pub async fn the_timeline_has_the_parts_of_a_tree(engine: &impl Engine) {
    let store = engine.open(ignore());
    let root = add_root(&*store, "root").await;
    let child = add_child(&*store, &root, &root).await;
    let other = add_root(&*store, "other").await;
    let action = |name: &str, data: Value| json!({"type": "event", "event": name, "data": data}).to_string();
    let events = vec![
        action(
            "action_started",
            json!({"action_id": "a", "action": "click", "params": {"url": "u", "text": "long"}, "target": {"role": "link", "name": "N"}}),
        ),
        action(
            "action_finished",
            json!({"action_id": "a", "action": "click", "ok": true, "took_ms": 5, "page": "long"}),
        ),
        action(
            "action_finished",
            json!({"action_id": "b", "action": "click", "ok": false, "error": {"code": "gone"}}),
        ),
        action("usage", json!({"tokens": 3})),
        event("not shown"),
    ];
    let asked = question(&root, 100, None);
    store.commit(RunCommit { events, ..commit(&root) }).await.unwrap();
    store.commit(ask(&root, &asked)).await.unwrap();
    store.resolve(asked.reference.clone(), resolution("person")).await.unwrap();
    let intent = Some(Intent { action_id: String::from("a"), action: json!({"click": 1}) });
    let children = ChildChanges { tasks: vec![task("build", &root)], ..ChildChanges::default() };
    for n in 1..=3 {
        let effect = EffectChange { intent: intent.clone().filter(|_| n == 1), receipt: None };
        let step = RunCommit {
            checkpoint: checkpoint(n, None),
            effect,
            ..RunCommit::new(child.clone(), root.clone())
        };
        store.commit(step).await.unwrap();
    }
    let call = recording(&["one"]);
    store.commit(RunCommit { recording: Some(call), children, ..commit(&root) }).await.unwrap();
    store.commit(RunCommit { checkpoint: checkpoint(1, None), ..commit(&other) }).await.unwrap();

    let whole = store.timeline_data(root.clone(), TraceBounds { runs: 9, steps: 9 }).await.unwrap();
    assert_eq!(whole.runs.iter().map(|row| &row.id).collect::<Vec<_>>(), [&root, &child]);
    assert_eq!(
        whole.steps.iter().map(|step| (&step.run, step.n)).collect::<Vec<_>>(),
        [(&child, 1), (&child, 2), (&child, 3)]
    );
    assert_eq!((whole.effects.len(), whole.calls.len(), whole.tasks.len(), whole.left_out), (1, 1, 1, 0));
    assert_eq!((&whole.calls[0].0, whole.calls[0].1.n), (&root, 1));
    let shown = &whole.questions[0];
    assert_eq!((&shown.reference, shown.resolved_by.as_deref()), (&asked.reference, Some("person")));
    assert_eq!(
        (shown.resolved_at, shown.client.as_ref()),
        (Some(Moment::from_millis(5_000)), Some(&json!({"id": "person"})))
    );
    assert_eq!(
        (shown.answer.as_ref(), &shown.frame["text"]),
        (Some(&json!({"text": "yes"})), &json!("May I?"))
    );
    let names: Vec<(u64, &str)> = whole.events.iter().map(|event| (event.seq, event.name.as_str())).collect();
    assert_eq!(names, [(1, "action_started"), (2, "action_finished"), (3, "action_finished"), (4, "usage")]);
    assert_eq!(
        whole.events[0].data,
        json!({"action_id": "a", "action": "click", "role": "link", "name": "N", "url": "u", "key": null, "direction": null})
    );
    assert_eq!(
        whole.events[1].data,
        json!({"action_id": "a", "action": "click", "ok": true, "took_ms": 5, "code": null})
    );
    assert_eq!(
        whole.events[2].data,
        json!({"action_id": "b", "action": "click", "ok": false, "took_ms": null, "code": "gone"})
    );
    assert_eq!(whole.events[3].data, json!({"tokens": 3}));

    let bounded = store.timeline_data(root, TraceBounds { runs: 1, steps: 2 }).await.unwrap();
    assert_eq!((bounded.runs.len(), bounded.left_out), (1, 2));
    assert_eq!(bounded.steps.iter().map(|step| step.n).collect::<Vec<_>>(), [2, 3], "the newest");
    let below = store.timeline_data(child, TraceBounds { runs: 9, steps: 9 }).await.unwrap();
    assert_eq!((below.runs.len(), below.calls.len(), below.events.len(), below.tasks.len()), (1, 0, 0, 0));
    let nobody = store.timeline_data(RunId::from("x"), TraceBounds { runs: 9, steps: 9 }).await.unwrap();
    assert!(nobody.runs.is_empty() && nobody.steps.is_empty());
}

pub async fn grants_hold_until_they_end(engine: &impl Engine) {
    let store = engine.open(ignore());
    let run = add_root(&*store, "a run").await;
    let grant = |scope: &str, created: i64, expires: i64| GrantRow {
        id: GrantId::fresh(),
        scope: scope.to_owned(),
        run: Some(run.clone()),
        origin: Some(String::from("https://shop.test")),
        rule: String::from("submit"),
        covers: Some(json!({"method": "post"})),
        created_at: Moment::from_millis(created),
        expires_at: Moment::from_millis(expires),
    };
    let (late, early) = (grant("site", 2, 100), grant("run", 1, 50));
    for row in [&late, &early] {
        let permissions = PermissionChanges { grant: Some(row.clone()), ..PermissionChanges::default() };
        store.commit(RunCommit { permissions, ..commit(&run) }).await.unwrap();
    }
    let at = |millis| store.grants(Moment::from_millis(millis));
    assert_eq!(at(10).await.unwrap(), [early.clone(), late.clone()]);
    assert_eq!(at(50).await.unwrap(), std::slice::from_ref(&late));
    assert!(store.revoke(late.id.clone()).await.unwrap());
    assert!(!store.revoke(late.id).await.unwrap());
    assert!(!store.revoke(GrantId::fresh()).await.unwrap());
    assert_eq!(at(10).await.unwrap(), [early]);
}

pub async fn the_audit_is_read_newest_first(engine: &impl Engine) {
    let store = engine.open(ignore());
    let (run, other) = (add_root(&*store, "one").await, add_root(&*store, "other").await);
    for (n, owner) in [&run, &other, &run].into_iter().enumerate() {
        let entry = json!({"n": n, "rule": "r"});
        store.add_audit(AuditRow { run: owner.clone(), root: owner.clone(), entry }).await.unwrap();
    }
    let rows = store.audit(None, None, 9).await.unwrap();
    assert_eq!(rows.iter().map(|row| row["n"].as_u64().unwrap()).collect::<Vec<_>>(), [2, 1, 0]);
    assert_eq!((&rows[1]["run_id"], &rows[1]["title"]), (&json!(other), &json!("other")));
    assert!(Moment::from_rfc3339(rows[0]["at"].as_str().unwrap()).is_some());
    let before = rows[0]["id"].as_i64();
    let rows = store.audit(Some(run.clone()), before, 9).await.unwrap();
    assert_eq!(rows.iter().map(|row| &row["n"]).collect::<Vec<_>>(), [&json!(0)]);
    assert_eq!(store.audit(Some(run), None, 1).await.unwrap().len(), 1);
    let gone = AuditRow { run: RunId::from("x"), root: RunId::from("x"), entry: json!({"n": 9}) };
    store.add_audit(gone).await.unwrap();
    assert_eq!(store.audit(None, None, 1).await.unwrap()[0]["title"], Value::Null);
}

pub async fn sign_ins_end(engine: &impl Engine) {
    let store = engine.open(ignore());
    let later = Moment::now().plus_seconds(60);
    let sign_in = |cookie: &str, token: &str| SignInRow {
        cookie_hash: cookie.to_owned(),
        token_hash: token.to_owned(),
        expires_at: later,
    };
    let past = SignInRow { expires_at: Moment::from_millis(1), ..sign_in("old", "t") };
    for row in [past, sign_in("a", "t"), sign_in("b", "t"), sign_in("a", "new")] {
        store.add_sign_in(row).await.unwrap();
    }
    let mut rows = store.sign_ins(Moment::now()).await.unwrap();
    rows.sort_by(|one, other| one.cookie_hash.cmp(&other.cookie_hash));
    assert_eq!(rows, [sign_in("a", "new"), sign_in("b", "t")]);
    store.end_sign_in(String::from("a")).await.unwrap();
    store.end_sign_in(String::from("nobody")).await.unwrap();
    assert_eq!(store.sign_ins(Moment::now()).await.unwrap(), [sign_in("b", "t")]);
    assert!(store.sign_ins(later).await.unwrap().is_empty());
    assert_eq!(engine.count("sign_ins").await, 1, "those that have ended are removed");
}
