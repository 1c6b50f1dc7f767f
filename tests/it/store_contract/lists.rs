//! The list of tasks: search, order, filters, and the deletion of trees.

use super::Engine;
use super::fixtures::{add_root, ask, child_of, commit, end, ignore, question, run_with, status, task};
use super::pages::files_below;
use super::records::recording;
use askfirst::ids::RunId;
use askfirst::store::Store;
use askfirst::store::rows::inbox::InboxItem;
use askfirst::store::rows::user_command::UserCommand;
use askfirst::store::rows::{
    AuditRow, ChildChanges, EffectChange, Intent, LeaseRow, ListSettingsChange, NewRun, PageChange,
    RunCommit, RunFilter, RunReport,
};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn query(words: &str) -> RunFilter {
    RunFilter {
        query: Some(words.to_owned()),
        roots: true,
        archived: Some(false),
        limit: 5_000,
        ..RunFilter::default()
    }
}

async fn titles(store: &dyn Store, filter: RunFilter) -> Vec<String> {
    store.runs(filter).await.unwrap().into_iter().map(|row| row.title).collect()
}

fn message_event(text: &str) -> String {
    json!({"type": "event", "event": "user_message", "data": {"text": text}}).to_string()
}

fn seen(url: &str, title: &str) -> String {
    json!({"type": "event", "event": "observation", "data": {"url": url, "title": title}}).to_string()
}

/// A run whose title, message and observation are searched.
async fn add_words(store: &dyn Store, parent: Option<&RunId>, text: &str) -> RunId {
    let id = RunId::fresh();
    let mut run = run_with(&id, text);
    if let Some(root) = parent {
        (run.root, run.parent, run.depth) = (root.clone(), Some(root.clone()), 1);
    }
    store.create(run, vec![message_event(text)]).await.unwrap()
}

pub async fn messages_are_found_by_full_text_search(engine: &impl Engine) {
    let store = engine.open(ignore());
    let root = add_words(&*store, None, "замов м’яку ґудзикову подушку").await;
    add_words(&*store, Some(&root), "compare prices of pillows, à la Café").await;
    for words in
        ["подушка", "мяку", "м'яка", "гудзикова", "pillow", "подушка pillows", "CAFE", "café", "cafe\u{301}"]
    {
        assert_eq!(titles(&*store, query(words)).await.len(), 1, "{words}");
    }
    assert!(titles(&*store, query("подушка chair")).await.is_empty(), "every word must be there");
    let all = RunFilter { roots: false, ..query("pillows") };
    assert_eq!(titles(&*store, all).await, ["compare prices of pillows, à la Café"]);
    // A person's own title takes the place of the other in the index; words that were said stay.
    let title = |title: Option<&str>| ListSettingsChange {
        title: Some(title.map(str::to_owned)),
        ..ListSettingsChange::default()
    };
    let row = store.change_run(root.clone(), title(Some("Birthday"))).await.unwrap().unwrap();
    assert!(row.list_settings.own_title && row.title == "Birthday");
    assert_eq!(titles(&*store, query("birth")).await, ["Birthday"]);
    let report = RunReport { title: Some(String::from("Pillow · Shop")), ..RunReport::default() };
    store.commit(RunCommit { report, ..commit(&root) }).await.unwrap();
    assert_eq!(titles(&*store, query("birthday")).await, ["Birthday"], "a person's own title stays");
    store.change_run(root, title(None)).await.unwrap();
    assert_eq!(titles(&*store, query("birthday")).await, Vec::<String>::new());
    assert_eq!(titles(&*store, query("shop")).await, ["Pillow · Shop"]);
    assert!(store.change_run(RunId::from("nobody"), title(None)).await.unwrap().is_none());
}

pub async fn queries_are_words_and_nothing_else(engine: &impl Engine) {
    let store = engine.open(ignore());
    add_words(&*store, None, "it's a \\ lamp: 5% off | for & of <3> at shop7.test").await;
    for words in ["lamp", "it's", "5%", "shop7.test", "shop7", "off | for", "'lamp':*", "lamp & !nothing"] {
        let hits = titles(&*store, query(words)).await.len();
        assert_eq!(hits, usize::from(words != "lamp & !nothing"), "{words}");
    }
    for nothing in ["", "'", "\\", "!&|", "lamp' or 'x", "chair"] {
        assert!(titles(&*store, query(nothing)).await.is_empty(), "{nothing:?}");
    }
    let long = "w".repeat(5_000);
    add_words(&*store, None, &long).await;
    assert_eq!(titles(&*store, query(&long)).await.len(), 1);
    let many = (0..40_000).map(|n| format!("n{n}")).collect::<Vec<_>>().join(" ");
    add_words(&*store, None, &many).await;
    assert_eq!(titles(&*store, query("n7 n8")).await.len(), 1);
}

/// Words for titles. The seventh of every ten tasks has a Ukrainian one.
const THINGS: [&str; 10] =
    ["lamp", "chair", "ticket", "invoice", "flight", "kettle", "лампу", "parcel", "window", "garden"];

fn title(n: usize) -> String {
    format!("find {} number {n}", THINGS[n % THINGS.len()])
}

/// Adds this many tasks that have ended, and returns their ids, oldest first.
async fn fill(store: &dyn Store, count: usize) -> Vec<RunId> {
    let ids: Vec<RunId> = (0..count).map(|_| RunId::fresh()).collect();
    let add = async |n: usize, id: &RunId| {
        store.create(run_with(id, &title(n)), vec![message_event(&title(n))]).await.unwrap();
        let shop = n % 50;
        let url = format!("https://shop{shop}.test/thing?token=hidden{n}");
        let answer = format!("Number {n} costs {} hryvnias", n * 3);
        let answer = json!({"type": "agent_message", "text": answer}).to_string();
        store.commit(RunCommit { events: vec![seen(&url, "Thing"), answer], ..end(id, id) }).await.unwrap();
    };
    for part in ids.iter().enumerate().collect::<Vec<_>>().chunks(256) {
        join_all(part.iter().map(|(n, id)| add(*n, id))).await;
    }
    ids
}

// Among 2,000 tasks a search answers within 100 ms in a release build; here a lenient time is checked.
pub async fn two_thousand_tasks_are_searched_by_an_index(engine: &impl Engine) {
    let store = engine.open(ignore());
    fill(&*store, 2_000).await;
    let mut slowest = Duration::ZERO;
    for (words, hits) in [
        ("lamp", 200),
        ("лампа", 200),
        ("ЛАМПУ", 200),
        ("number 1234", 1),
        ("shop7.test", 40),
        ("costs hryvnias", 2_000),
        ("hidden", 0),
        ("nothing like it", 0),
    ] {
        let watch = Instant::now();
        let rows = store.runs(RunFilter { limit: 31, ..query(words) }).await.unwrap();
        slowest = slowest.max(watch.elapsed());
        assert_eq!(rows.len(), hits.min(31), "{words}");
        assert_eq!(titles(&*store, query(words)).await.len(), hits, "{words}");
    }
    println!("slowest search of 2,000 tasks: {slowest:?}");
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
}

pub async fn pinned_tasks_come_first_on_the_first_page_of_a_list(engine: &impl Engine) {
    let store = engine.open(ignore());
    let ids = fill(&*store, 6).await;
    let change = |n: usize, change: ListSettingsChange| store.change_run(ids[n].clone(), change);
    let pin = || ListSettingsChange { pinned: Some(true), ..ListSettingsChange::default() };
    change(1, pin()).await.unwrap();
    change(2, pin()).await.unwrap();
    let archive = ListSettingsChange {
        archived: Some(true),
        visibility: Some(String::from("team")),
        ..ListSettingsChange::default()
    };
    let row = change(4, archive).await.unwrap().unwrap();
    assert!(row.list_settings.archived && row.list_settings.visibility == "team");
    let listed = async |before: Option<(bool, RunId)>, archived, limit| {
        titles(&*store, RunFilter { roots: true, archived, before, limit, ..RunFilter::default() }).await
    };
    let order = |order: &[usize]| order.iter().map(|n| title(*n)).collect::<Vec<_>>();
    assert_eq!(listed(None, Some(false), 9).await, order(&[2, 1, 5, 3, 0]));
    assert_eq!(listed(Some((true, ids[2].clone())), Some(false), 2).await, order(&[1, 5]));
    assert_eq!(listed(Some((false, ids[5].clone())), Some(false), 9).await, order(&[3, 0]));
    assert_eq!(listed(None, Some(true), 9).await, order(&[4]));
    assert_eq!(listed(None, None, 9).await, order(&[2, 1, 5, 4, 3, 0]));
}

pub async fn lists_are_filtered(engine: &impl Engine) {
    let store = engine.open(ignore());
    let root = add_root(&*store, "root").await;
    let other = store
        .create(NewRun { agent: String::from("another"), ..run_with(&RunId::fresh(), "other") }, vec![])
        .await
        .unwrap();
    let asking = store.create(NewRun { title: String::from("asks"), ..child_of(&root, &root, 1) }, vec![]);
    let asking = asking.await.unwrap();
    let mut asked = question(&asking, 1, None);
    asked.root = root.clone();
    let mut commit_of_child = ask(&asking, &asked);
    commit_of_child.root = root.clone();
    store.commit(commit_of_child).await.unwrap();
    store.commit(RunCommit { status: status("running"), ..commit(&root) }).await.unwrap();
    let found = |filter: RunFilter| titles(&*store, RunFilter { limit: 9, ..filter });
    let statuses = |name: &str| RunFilter { statuses: vec![name.to_owned()], ..RunFilter::default() };
    assert_eq!(found(statuses("running")).await, ["root"]);
    assert_eq!(found(statuses("waiting")).await, ["asks"]);
    let waiting_roots = RunFilter { roots: true, ..statuses("waiting") };
    assert_eq!(found(waiting_roots).await, ["root"], "a task waits if one below it asks");
    assert_eq!(
        found(RunFilter { agent: Some(String::from("another")), ..RunFilter::default() }).await,
        ["other"]
    );
    let of_tree = RunFilter { root: Some(root.clone()), ..RunFilter::default() };
    assert_eq!(found(of_tree).await, ["asks", "root"]);
    assert_eq!(found(RunFilter { parent: Some(root.clone()), ..RunFilter::default() }).await, ["asks"]);
    let archive = ListSettingsChange { archived: Some(true), ..ListSettingsChange::default() };
    store.change_run(root, archive).await.unwrap();
    let archived = |archived| RunFilter { archived: Some(archived), ..RunFilter::default() };
    assert_eq!(found(archived(true)).await, ["asks", "root"], "a run is archived with its root");
    assert_eq!(found(archived(false)).await, ["other"]);
    let two = RunFilter { statuses: vec!["running".into(), "queued".into()], ..RunFilter::default() };
    assert_eq!(found(two).await, ["other", "root"]);
    assert!(store.run(other).await.unwrap().is_some());
}

/// A run with a row in each table.
async fn add_everything(store: &dyn Store, parent: Option<&RunId>, text: &str) -> RunId {
    let id = add_words(store, parent, text).await;
    let root = parent.unwrap_or(&id).clone();
    let asked = {
        let mut asked = question(&id, 1, None);
        asked.root = root.clone();
        asked
    };
    let mut whole = ask(&id, &asked);
    whole.root = root.clone();
    whole.recording = Some(recording(&["shared by all", text]));
    whole.checkpoint = super::fixtures::checkpoint(1, Some(json!({})));
    let intent = Intent { action_id: String::from("a"), action: json!({}) };
    whole.effect = EffectChange { intent: Some(intent), receipt: None };
    let mut begun = task(&format!("task of {text}"), &id);
    begun.root = root.clone();
    whole.children = ChildChanges { tasks: vec![begun], ..ChildChanges::default() };
    let lease = LeaseRow { root: root.clone(), run: id.clone(), holder: None, paused: false };
    whole.page = PageChange { snapshot: Some(json!({})), lease: Some(Some(lease)) };
    store.commit(whole).await.unwrap();
    let record = askfirst::store::rows::idempotency::IdempotencyRecord {
        key: text.to_owned(),
        request_hash: String::new(),
        position: Value::Null,
    };
    store.deliver(id.clone(), InboxItem::Words(text.to_owned()), Some(record)).await.unwrap();
    store.add_user_command(id.clone(), UserCommand::Pause, false).await.unwrap();
    id
}

const TABLES: [&str; 18] = [
    "runs",
    "steps",
    "state_snapshots",
    "initial_states",
    "events",
    "inbox",
    "user_commands",
    "questions",
    "effects",
    "pictures",
    "page_snapshots",
    "leases",
    "tasks",
    "model_calls",
    "step_inputs",
    "idempotency_records",
    "search_texts",
    "request_texts",
];

// A deleted tree leaves rows in the audit alone; data shared with other trees stays.
pub async fn a_deleted_tree_leaves_nothing_but_the_audit(engine: &impl Engine) {
    let store = engine.open(ignore());
    let remaining = add_everything(&*store, None, "the one that stays").await;
    let mut of_one = Vec::new();
    for table in TABLES {
        of_one.push(engine.count(table).await);
    }
    let root = add_everything(&*store, None, "the one that goes").await;
    let child = add_everything(&*store, Some(&root), "its child").await;
    store.add_picture(remaining.clone(), b"shared".to_vec()).await.unwrap();
    for (run, jpeg) in [(&root, "shared"), (&root, "of the root"), (&child, "of the child")] {
        store.add_picture(run.clone(), jpeg.into()).await.unwrap();
    }
    let entry = AuditRow { run: child.clone(), root: root.clone(), entry: json!({"rule": "r"}) };
    store.add_audit(entry).await.unwrap();
    let mut gone = store.delete_tree(root.clone()).await.unwrap();
    gone.sort();
    assert_eq!(gone, [root.clone(), child.clone()]);
    for (table, before) in TABLES.iter().zip(of_one) {
        let kept = before + i64::from(*table == "pictures");
        assert_eq!(engine.count(table).await, kept, "{table}");
    }
    assert_eq!(engine.count("request_messages").await, 2);
    let (_, text) = store.call(remaining.clone(), 1).await.unwrap().unwrap();
    assert_eq!(text.messages[0]["content"], "shared by all");
    assert_eq!(text.messages[1]["content"], "the one that stays");
    assert!(titles(&*store, query("goes")).await.is_empty());
    assert_eq!(store.audit(Some(child), None, 9).await.unwrap().len(), 1);
    let pictures = || files_below(&engine.folder().join("pictures"));
    assert_eq!((pictures(), store.leftover_folders().await.unwrap().len()), (3, 2));
    store.remove_leftover_pictures().await.unwrap();
    assert_eq!(pictures(), 1, "a picture that another run has stays");
    assert_eq!(store.picture(remaining, 1).await.unwrap().unwrap(), b"shared");
    store.forget_folders(gone).await.unwrap();
    assert!(store.leftover_folders().await.unwrap().is_empty());
    assert!(store.delete_tree(root).await.unwrap().is_empty(), "it is gone");
    assert!(store.release_space().await.unwrap());
}
