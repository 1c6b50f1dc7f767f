//! Runs: creation, lists of ids, usage and limits.

use super::Engine;
use super::fixtures::{add_child, add_root, child_of, commit, end, event, ignore, run_with, status};
use askfirst::clock::Moment;
use askfirst::ids::RunId;
use askfirst::store::rows::inbox::InboxItem;
use askfirst::store::rows::usage::{AgentUsage, RaisedRunLimits, Usage};
use askfirst::store::rows::user_command::UserCommand;
use askfirst::store::rows::{NewRun, PermissionChanges, RunCommit, RunReport};
use serde_json::json;

pub async fn a_created_run_is_read_back(engine: &impl Engine) {
    let store = engine.open(ignore());
    let id = RunId::fresh();
    let run = NewRun {
        metadata: Some(json!({"client": "cli"})),
        version: Some(String::from("v1")),
        model: Some(String::from("large")),
        bounds: json!({"tokens": 5, "z": [1], "a": null}),
        descendant_limit: Some(3),
        deadline: Some(Moment::from_millis(77)),
        ..run_with(&id, "find a lamp")
    };
    let earliest = Moment::now();
    store.create(run, vec![event(1), event(2)]).await.unwrap();
    let row = store.run(id.clone()).await.unwrap().unwrap();
    assert_eq!((&row.id, &row.root, &row.parent, row.depth, row.ordinal), (&id, &id, &None, 0, 0));
    assert_eq!((row.agent.as_str(), row.program.as_str()), ("browser", "conversation"));
    assert_eq!((row.title.as_str(), row.status.as_str()), ("find a lamp", "queued"));
    assert_eq!((row.node.as_str(), row.input["text"].as_str()), ("Begin", Some("find a lamp")));
    assert_eq!((row.metadata, row.version.as_deref()), (Some(json!({"client": "cli"})), Some("v1")));
    assert_eq!(
        (row.model.as_deref(), row.bounds),
        (Some("large"), json!({"tokens": 5, "z": [1], "a": null}))
    );
    assert_eq!((row.deadline, row.exceeded_limit), (Some(Moment::from_millis(77)), None));
    assert!(row.created_at >= earliest && row.updated_at >= row.created_at && row.ended_at.is_none());
    assert_eq!((row.question, row.response, row.vars.len()), (None, None, 0));
    assert_eq!((row.tool_steps, row.last_step, row.usage), (0, 0, Usage::default()));
    assert_eq!((row.url, row.plan, row.progress, row.cause), (None, None, None, None));
    let settings = row.list_settings;
    assert_eq!((settings.pinned, settings.archived, settings.own_title), (false, false, false));
    assert_eq!(settings.visibility, "private");
    assert_eq!(store.last_seq(id).await.unwrap(), 2);
    assert!(store.run(RunId::from("nobody")).await.unwrap().is_none());
}

pub async fn a_key_names_one_run_of_an_agent(engine: &impl Engine) {
    let store = engine.open(ignore());
    let keyed = |agent: &str| NewRun {
        idempotency_key: Some(String::from("k")),
        agent: agent.to_owned(),
        ..run_with(&RunId::fresh(), "keyed")
    };
    let first = store.create(keyed("a"), vec![event(1)]).await.unwrap();
    assert_eq!(store.create(keyed("a"), vec![event(1)]).await.unwrap(), first);
    assert_ne!(store.create(keyed("b"), vec![event(1)]).await.unwrap(), first);
    assert_eq!(engine.count("runs").await, 2);
    assert_eq!(engine.count("events").await, 2);
}

pub async fn children_are_counted_and_numbered(engine: &impl Engine) {
    let store = engine.open(ignore());
    let root = RunId::fresh();
    let limited = NewRun { descendant_limit: Some(3), ..run_with(&root, "root") };
    store.create(limited, vec![]).await.unwrap();
    let lower = NewRun { descendant_limit: Some(1), ..child_of(&root, &root, 1) };
    let parent = store.create(lower, vec![]).await.unwrap();
    let mut found = Vec::new();
    for _ in 0..3 {
        let child = store.create(child_of(&root, &parent, 2), vec![]).await.unwrap();
        let row = store.run(child).await.unwrap().unwrap();
        found.push((row.ordinal, row.exceeded_limit));
    }
    assert_eq!(found, [(2, None), (3, Some(1)), (4, Some(1))]);
    assert_eq!(store.tree_ids(root).await.unwrap().len(), 5);
}

pub async fn a_child_takes_the_model_and_the_command_of_its_parent(engine: &impl Engine) {
    let store = engine.open(ignore());
    let root = RunId::fresh();
    let run = NewRun { model: Some(String::from("small")), ..run_with(&root, "root") };
    store.create(run, vec![]).await.unwrap();
    let command = store.add_user_command(root.clone(), UserCommand::Pause, true).await.unwrap().unwrap();
    let child = store.create(child_of(&root, &root, 1), vec![]).await.unwrap();
    let own = NewRun { model: Some(String::from("own")), ..child_of(&root, &root, 1) };
    let other = store.create(own, vec![]).await.unwrap();
    assert_eq!(store.run(child.clone()).await.unwrap().unwrap().model.as_deref(), Some("small"));
    assert_eq!(store.run(other).await.unwrap().unwrap().model.as_deref(), Some("own"));
    let restored = store.restore(child).await.unwrap().unwrap();
    assert_eq!(restored.user_command, Some(command.row));
}

pub async fn lists_of_ids_follow_the_rows(engine: &impl Engine) {
    let store = engine.open(ignore());
    let root = add_root(&*store, "root").await;
    let (one, two) = (add_child(&*store, &root, &root).await, add_child(&*store, &root, &root).await);
    let below = store.create(child_of(&root, &one, 2), vec![]).await.unwrap();
    let of_root = |run: &RunId| RunCommit::new(run.clone(), root.clone());
    assert_eq!(store.living_descendants(root.clone()).await.unwrap(), [&one, &two, &below].map(Clone::clone));
    assert_eq!(store.living_descendants(one.clone()).await.unwrap(), std::slice::from_ref(&below));
    assert_eq!(store.runs_with_status(vec!["queued"]).await.unwrap().len(), 4);
    assert!(store.runs_with_missed_signals().await.unwrap().is_empty());

    let waiting = RunCommit { status: status("waiting"), ..of_root(&root) };
    store.commit(waiting).await.unwrap();
    assert_eq!(
        store.runs_with_missed_signals().await.unwrap(),
        std::slice::from_ref(&root),
        "it waits for nothing"
    );
    let paused = RunCommit { status: status("paused"), ..of_root(&two) };
    store.commit(paused).await.unwrap();
    assert_eq!(store.runs_with_status(vec!["paused", "waiting"]).await.unwrap(), [two.clone(), root.clone()]);
    store.deliver(two.clone(), InboxItem::Words(String::from("hello")), None).await.unwrap();
    assert_eq!(store.runs_with_missed_signals().await.unwrap(), [root.clone(), two.clone()]);

    store.commit(end(&root, &one)).await.unwrap();
    assert_eq!(store.orphaned_runs().await.unwrap(), std::slice::from_ref(&below), "its parent has ended");
    assert_eq!(store.living_descendants(root.clone()).await.unwrap(), [two.clone(), below.clone()]);
    let ended = store.ended_runs(vec![one.clone(), two.clone(), RunId::from("nobody")]).await.unwrap();
    assert_eq!(ended.iter().map(|row| &row.id).collect::<Vec<_>>(), [&one]);
    store.commit(end(&root, &below)).await.unwrap();
    let latest = store.latest_ended_runs(0, 9).await.unwrap();
    assert_eq!(latest.iter().map(|(run, _)| run).collect::<Vec<_>>(), [&below, &one]);
    assert_eq!(store.latest_ended_runs(1, 9).await.unwrap()[0].0, one);

    let brief = NewRun {
        bounds: json!({"ephemeral": true}),
        deadline: Some(Moment::from_millis(50)),
        ..run_with(&RunId::fresh(), "brief")
    };
    let brief = store.create(brief, vec![]).await.unwrap();
    assert_eq!(store.ephemeral_runs().await.unwrap(), std::slice::from_ref(&brief));
    assert!(store.overdue_runs(Moment::from_millis(49)).await.unwrap().is_empty());
    assert_eq!(store.overdue_runs(Moment::from_millis(50)).await.unwrap(), [brief]);
}

fn spent(run: &RunId, root: &RunId, usage: Usage) -> RunCommit {
    let report = RunReport { usage: Some(usage), ..RunReport::default() };
    RunCommit { report, ..RunCommit::new(run.clone(), root.clone()) }
}

pub async fn usage_adds_up_over_the_tree(engine: &impl Engine) {
    let store = engine.open(ignore());
    let root = add_root(&*store, "root").await;
    let child = add_child(&*store, &root, &root).await;
    let usage = Usage { calls: 1, unpriced: 1, input: 10, cached: 4, output: 2, cost: 0.25 };
    for run in [&root, &child, &child] {
        store.commit(spent(run, &root, usage)).await.unwrap();
    }
    let three = usage.plus(&usage).plus(&usage);
    assert_eq!(store.tree_usage(root.clone()).await.unwrap(), three);
    assert_eq!(store.tree_usage(child.clone()).await.unwrap(), usage.plus(&usage));
    assert_eq!(store.run(root).await.unwrap().unwrap().usage, usage);
    let other = NewRun { agent: String::from("another"), ..run_with(&RunId::fresh(), "x") };
    store.create(other, vec![]).await.unwrap();
    let agents = store.usage_by_agent(None).await.unwrap();
    let another = AgentUsage { agent: String::from("another"), runs: 1, usage: Usage::default() };
    assert_eq!(agents, [another, AgentUsage { agent: String::from("browser"), runs: 2, usage: three }]);
    let later = Moment::now().plus_seconds(60);
    assert!(store.usage_by_agent(Some(later)).await.unwrap().is_empty());
    assert_eq!(store.tree_usage(RunId::from("nobody")).await.unwrap(), Usage::default());
}

pub async fn limits_of_ancestors_are_found_and_raised(engine: &impl Engine) {
    let store = engine.open(ignore());
    let root = RunId::fresh();
    let bounds = json!({"tokens": 20, "money": 9.5, "other": "kept"});
    store.create(NewRun { bounds, ..run_with(&root, "root") }, vec![]).await.unwrap();
    let child = add_child(&*store, &root, &root).await;
    let usage = Usage { input: 12, output: 8, cost: 1.0, ..Usage::default() };
    assert_eq!(store.used_up_limit(child.clone()).await.unwrap(), None);
    store.commit(spent(&child, &root, usage)).await.unwrap();
    let limit = store.used_up_limit(child.clone()).await.unwrap().unwrap();
    assert_eq!((limit.limit.as_str(), limit.used, limit.most), ("tokens", 20.0, 20.0));
    let raise = |raised| RunCommit {
        permissions: PermissionChanges { raised: Some(raised), ..PermissionChanges::default() },
        ..commit(&root)
    };
    store.commit(raise(RaisedRunLimits { tokens: Some(50), money: None })).await.unwrap();
    assert_eq!(store.used_up_limit(child.clone()).await.unwrap(), None);
    store.commit(raise(RaisedRunLimits { tokens: None, money: Some(0.5) })).await.unwrap();
    let limit = store.used_up_limit(child).await.unwrap().unwrap();
    assert_eq!((limit.limit.as_str(), limit.used, limit.most), ("money", 1.0, 0.5));
    let bounds = store.run(root).await.unwrap().unwrap().bounds;
    assert_eq!(bounds, json!({"tokens": 50, "money": 0.5, "other": "kept"}));
}
