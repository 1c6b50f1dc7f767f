//! Messages, records of requests and commands of people.

use super::Engine;
use super::fixtures::{add_child, add_root, child_of, commit, end, ignore, status};
use askfirst::ids::RunId;
use askfirst::store::rows::idempotency::IdempotencyRecord;
use askfirst::store::rows::inbox::InboxItem;
use askfirst::store::rows::user_command::{StoredUserCommand, UserCommand};
use askfirst::store::rows::{ConsumedInput, RunCommit};
use futures_util::future::join_all;
use serde_json::json;

fn words(text: &str) -> InboxItem {
    InboxItem::Words(text.to_owned())
}

fn read_to(run: &RunId, n: u64) -> RunCommit {
    let consumed = ConsumedInput { inbox: Some(n), ..ConsumedInput::default() };
    RunCommit { consumed, ..commit(run) }
}

pub async fn messages_are_kept_until_they_are_read(engine: &impl Engine) {
    let store = engine.open(ignore());
    let run = add_root(&*store, "a run").await;
    let items = [
        words("\u{1}plan_edit {}"),
        InboxItem::PlanEdit(json!({"items": []})),
        InboxItem::TaskCancel(String::from("build")),
        InboxItem::HandBack(String::from("handed back")),
    ];
    let mut rows = Vec::new();
    for item in items {
        rows.push(store.deliver(run.clone(), item, None).await.unwrap().unwrap());
    }
    assert!(rows.is_sorted_by(|one, next| one.n < next.n));
    assert_eq!(store.inbox(run.clone()).await.unwrap(), rows);
    store.commit(read_to(&run, rows[1].n)).await.unwrap();
    assert_eq!(store.inbox(run).await.unwrap(), rows[2..]);
    assert_eq!(store.deliver(RunId::from("nobody"), words("x"), None).await.unwrap(), None);
}

pub async fn numbers_of_messages_never_come_again(engine: &impl Engine) {
    let stores = [engine.open(ignore()), engine.open(ignore())];
    let run = add_root(&*stores[0], "a run").await;
    let mut last = 0;
    for _ in 0..5 {
        let sending = (0..6).map(|n: usize| stores[n % 2].deliver(run.clone(), words("x"), None));
        let mut rows: Vec<u64> =
            join_all(sending).await.into_iter().map(|row| row.unwrap().unwrap().n).collect();
        rows.sort_unstable();
        assert!(rows[0] > last && rows.is_sorted_by(|one, next| one < next), "{last} {rows:?}");
        last = rows[5];
        stores[0].commit(read_to(&run, last)).await.unwrap();
        assert!(stores[1].inbox(run.clone()).await.unwrap().is_empty());
    }
}

pub async fn a_message_is_delivered_on_a_condition(engine: &impl Engine) {
    let store = engine.open(ignore());
    let run = add_root(&*store, "a run").await;
    store.deliver(run.clone(), words("first"), None).await.unwrap();
    let refused = store.deliver_if(run.clone(), words("no"), Box::new(|_, _| false)).await.unwrap();
    assert_eq!(refused, None);
    let fitting = |run: &RunId| {
        let run = run.clone();
        Box::new(
            move |row: &askfirst::store::rows::RunRow, unread: &[askfirst::store::rows::inbox::InboxRow]| {
                row.id == run && unread.len() == 1
            },
        )
    };
    let kept = store.deliver_if(run.clone(), words("second"), fitting(&run)).await.unwrap().unwrap();
    assert_eq!(kept.item, words("second"));
    assert_eq!(store.deliver_if(run.clone(), words("third"), fitting(&run)).await.unwrap(), None);
    let nobody = RunId::from("nobody");
    assert_eq!(store.deliver_if(nobody, words("x"), Box::new(|_, _| true)).await.unwrap(), None);
    assert_eq!(store.inbox(run).await.unwrap().len(), 2);
}

pub async fn a_repeated_request_finds_its_record(engine: &impl Engine) {
    let store = engine.open(ignore());
    let run = add_root(&*store, "a run").await;
    let record = |hash: &str| IdempotencyRecord {
        key: String::from("key"),
        request_hash: hash.to_owned(),
        position: json!({"after": 3}),
    };
    assert_eq!(store.idempotency_record(String::from("key")).await.unwrap(), None);
    store.deliver(run.clone(), words("x"), Some(record("one"))).await.unwrap();
    let found = store.idempotency_record(String::from("key")).await.unwrap();
    assert_eq!(found, Some((run.clone(), record("one"))));
    let other = add_root(&*store, "another").await;
    store.add_idempotency_record(other.clone(), record("two")).await.unwrap();
    let found = store.idempotency_record(String::from("key")).await.unwrap();
    assert_eq!(found, Some((other, record("two"))), "a later record takes the place of the earlier one");
    store.deliver(RunId::from("nobody"), words("x"), Some(record("three"))).await.unwrap();
    let found = store.idempotency_record(String::from("key")).await.unwrap().unwrap();
    assert_eq!(found.1.request_hash, "two", "a message to nobody records nothing");
}

pub async fn the_last_command_counts_and_a_stop_is_final(engine: &impl Engine) {
    let store = engine.open(ignore());
    let root = add_root(&*store, "root").await;
    let one = add_child(&*store, &root, &root).await;
    let below = store.create(child_of(&root, &one, 2), vec![]).await.unwrap();
    let gone = add_child(&*store, &root, &root).await;
    store.commit(end(&root, &gone)).await.unwrap();
    let command = async |run: &RunId, command, below| {
        store.add_user_command(run.clone(), command, below).await.unwrap()
    };
    let StoredUserCommand { row: pause, runs } = command(&root, UserCommand::Pause, true).await.unwrap();
    assert_eq!(runs, [&root, &one, &below].map(Clone::clone), "callers first, and none that has ended");
    let StoredUserCommand { row: resume, runs } = command(&one, UserCommand::Resume, true).await.unwrap();
    assert!(resume.n > pause.n && runs == [one.clone(), below.clone()], "{runs:?}");
    assert_eq!(
        store.pending_user_commands().await.unwrap(),
        [(root.clone(), pause), (one.clone(), resume), (below.clone(), resume)]
    );
    let StoredUserCommand { row: stop, .. } = command(&below, UserCommand::Stop, true).await.unwrap();
    let later = command(&one, UserCommand::Pause, true).await.unwrap();
    assert_eq!(later.runs, std::slice::from_ref(&one), "a run that is to stop is asked nothing else");
    store.withdraw_user_command(later.row.n).await.unwrap();
    assert_eq!(store.pending_user_commands().await.unwrap(), [(root.clone(), pause), (below, stop)]);
    assert_eq!(command(&gone, UserCommand::Stop, true).await, None, "it has ended");
    assert_eq!(command(&RunId::from("nobody"), UserCommand::Stop, true).await, None);
    let last = command(&root, UserCommand::Pause, false).await.unwrap();
    assert_eq!((last.runs, last.row.n > later.row.n), (vec![root], true), "numbers never come again");
}

pub async fn a_command_is_carried_out_once(engine: &impl Engine) {
    let store = engine.open(ignore());
    let root = add_root(&*store, "root").await;
    let (still, runs) = (add_child(&*store, &root, &root).await, add_child(&*store, &root, &root).await);
    let paused = RunCommit { status: status("paused"), ..RunCommit::new(still.clone(), root.clone()) };
    store.commit(paused).await.unwrap();
    let pause = store.add_user_command(root.clone(), UserCommand::Pause, false).await.unwrap().unwrap().row;
    let consumed = ConsumedInput { command: Some(pause.n - 1), ..ConsumedInput::default() };
    store.commit(RunCommit { consumed, ..commit(&root) }).await.unwrap();
    assert_eq!(store.pending_user_commands().await.unwrap().len(), 1, "an older one was carried out");
    let consumed =
        ConsumedInput { command: Some(pause.n), command_below: Some(pause), ..ConsumedInput::default() };
    store.commit(RunCommit { consumed, ..commit(&root) }).await.unwrap();
    let pending = store.pending_user_commands().await.unwrap();
    assert_eq!(pending, [(runs.clone(), pause)], "the child that is paused already needs no command");
    store.commit(end(&root, &runs)).await.unwrap();
    assert!(store.pending_user_commands().await.unwrap().is_empty());
    assert!(store.restore(still).await.unwrap().unwrap().user_command.is_none());
}

pub async fn commands_to_one_run_at_once_are_numbered(engine: &impl Engine) {
    let stores = [engine.open(ignore()), engine.open(ignore())];
    let root = add_root(&*stores[0], "root").await;
    let child = add_child(&*stores[0], &root, &root).await;
    let commands = (0..12).map(|n: usize| {
        let command = if n.is_multiple_of(3) { UserCommand::Resume } else { UserCommand::Pause };
        stores[n % 2].add_user_command(root.clone(), command, true)
    });
    let rows: Vec<_> =
        join_all(commands).await.into_iter().map(|stored| stored.unwrap().unwrap().row).collect();
    let last = *rows.iter().max_by_key(|row| row.n).unwrap();
    assert_eq!(stores[1].pending_user_commands().await.unwrap(), [(root, last), (child, last)]);
}
