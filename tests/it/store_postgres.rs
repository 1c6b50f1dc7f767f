//! The store on PostgreSQL beside the contract: lost connections, poolers, servers that cannot hold a store.

use crate::store_contract::fixtures::{
    Observed, add_root, ask, commit, event, ignore, question, resolution, run_with,
};
use crate::support::lossy_proxy::LossyProxy;
use crate::support::postgres::{TestServer, connect};
use askfirst::ids::RunId;
use askfirst::store::error::StoreError;
use askfirst::store::idempotency::IdempotencyRecords;
use askfirst::store::inbox::Inbox;
use askfirst::store::postgres::connection::store::PostgresStore;
use askfirst::store::postgres::upkeep::node::{ClusterNode, NodeSettings};
use askfirst::store::rows::idempotency::IdempotencyRecord;
use askfirst::store::rows::inbox::InboxItem;
use askfirst::store::rows::user_command::UserCommand;
use askfirst::store::rows::{AuditRow, NewRun, Resolution, RunCommit};
use askfirst::store::tree_leases::{LeaseNotice, RunTask, TreeLeases};
use askfirst::store::{PageRows, RunTransactions, Store, StoreObserver, TaskRows};
use futures_util::future::join_all;
use serde_json::json;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// A lease that no test outlives.
const LONG: Duration = Duration::from_secs(9);

fn open(url: &str, folder: &Path, observer: StoreObserver) -> Arc<dyn Store> {
    Arc::new(PostgresStore::open(url, folder, observer).unwrap())
}

fn refusal(url: &str) -> StoreError {
    let folder = tempfile::tempdir().unwrap();
    match PostgresStore::open(url, folder.path(), ignore()) {
        Ok(_) => panic!("it was opened"),
        Err(fault) => fault,
    }
}

// A write whose reply is lost is stored once, and its result is the one that was stored.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn a_write_whose_reply_is_lost_is_stored_once() {
    let database = TestServer::shared().database().await;
    let proxy = LossyProxy::start(&database.url);
    let folder = tempfile::tempdir().unwrap();
    let observed = Observed::default();
    let store = open(&proxy.url, folder.path(), observed.observer());
    proxy.lose_next_reply();
    let keyed = NewRun { idempotency_key: Some(String::from("k")), ..run_with(&RunId::fresh(), "a run") };
    let run = store.create(keyed.clone(), vec![event(1)]).await.unwrap();
    assert_eq!(run, keyed.id);
    proxy.lose_next_reply();
    store.commit(RunCommit { events: vec![event(2), event(3)], ..commit(&run) }).await.unwrap();
    proxy.lose_next_reply();
    let message =
        store.deliver(run.clone(), InboxItem::Words(String::from("x")), None).await.unwrap().unwrap();
    assert_eq!(store.inbox(run.clone()).await.unwrap(), [message]);
    let asked = question(&run, 1, None);
    proxy.lose_next_reply();
    store.commit(ask(&run, &asked)).await.unwrap();
    proxy.lose_next_reply();
    let resolved = store.resolve(asked.reference, resolution("person")).await.unwrap();
    assert!(matches!(resolved, Resolution::Resolved { .. }), "{resolved:?}");
    proxy.lose_next_reply();
    assert_eq!(store.add_picture(run.clone(), b"jpeg".to_vec()).await.unwrap(), 1);
    proxy.lose_next_reply();
    assert_eq!(store.reserve_task_ids(run.clone(), vec!["job".into()]).await.unwrap(), ["job"]);
    proxy.lose_next_reply();
    let entry = AuditRow { run: run.clone(), root: run.clone(), entry: json!({"n": 1}) };
    store.add_audit(entry).await.unwrap();
    assert_eq!(store.audit(None, None, 9).await.unwrap().len(), 2, "that of the resolution and this one");
    proxy.lose_next_reply();
    let command = store.add_user_command(run.clone(), UserCommand::Pause, true).await.unwrap().unwrap();
    assert_eq!(store.pending_user_commands().await.unwrap(), [(run.clone(), command.row)]);
    assert_eq!(proxy.lost(), 9, "a reply was not lost");
    let stored = store.events(run.clone(), 0, 99).await.unwrap();
    assert_eq!(stored.iter().map(|row| row.seq).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(observed.events(), stored, "the observer sees what was stored, in order");
    proxy.lose_next_reply();
    assert_eq!(store.delete_tree(run.clone()).await.unwrap(), [run]);
}

// Connections are lost at random moments while several runs commit; nothing is lost or stored twice.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn commits_survive_lost_connections() {
    let database = TestServer::shared().database().await;
    let proxy = LossyProxy::start(&database.url);
    let folder = tempfile::tempdir().unwrap();
    let observed = Observed::default();
    let store = open(&proxy.url, folder.path(), observed.observer());
    let mut roots = Vec::new();
    for _ in 0..4 {
        roots.push(add_root(&*store, "root").await);
    }
    const COMMITS: usize = 60;
    let writing = roots.iter().map(async |root| {
        for n in 0..COMMITS {
            let step = crate::store_contract::fixtures::checkpoint(n as u64 + 1, None);
            let events = vec![event(n), event(format!("{n} too"))];
            store.commit(RunCommit { checkpoint: step, events, ..commit(root) }).await.unwrap();
        }
    });
    let cutting = async {
        for bytes in (0..80_u64).map(|n| 300 + n * 7_919 % 9_000) {
            proxy.cut_after(bytes).await;
        }
    };
    futures_util::join!(join_all(writing), cutting);
    for root in roots {
        let stored = store.events(root.clone(), 0, 9_999).await.unwrap();
        assert_eq!(
            stored.iter().map(|row| row.seq).collect::<Vec<_>>(),
            (1..=2 * COMMITS as u64).collect::<Vec<_>>()
        );
        let seen: Vec<_> = observed.events().into_iter().filter(|row| row.root == root).collect();
        assert!(seen == stored, "the observer saw other events");
        assert_eq!(store.steps(root).await.unwrap().len(), COMMITS);
    }
    println!("{} connections were cut", proxy.lost());
    assert!(proxy.lost() > 10);
}

// A crash of the server loses no commit that was confirmed, and calls wait for its return.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn calls_wait_for_a_server_that_restarts() {
    let server = TestServer::start();
    let database = server.database().await;
    let folder = tempfile::tempdir().unwrap();
    let store = open(&database.url, folder.path(), ignore());
    let run = add_root(&*store, "a run").await;
    for n in 0..60 {
        if n % 20 == 10 {
            server.restart();
        }
        store.commit(RunCommit { events: vec![event(n)], ..commit(&run) }).await.unwrap();
    }
    assert_eq!(store.last_seq(run).await.unwrap(), 60);
}

// A pooler gives each transaction another connection of the server.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn a_pooler_in_transaction_mode_serves_the_store() {
    let server = TestServer::shared();
    let database = server.database().await;
    let pooler = crate::support::postgres::Pooler::start(server, &database);
    let folder = tempfile::tempdir().unwrap();
    let observed = Observed::default();
    let stores = [
        open(&pooler.url, folder.path(), observed.observer()),
        open(&pooler.url, folder.path(), observed.observer()),
    ];
    let root = add_root(&*stores[0], "root").await;
    let writing = (0..8_usize).map(async |writer| {
        for n in 0..20 {
            let store = &stores[(writer + n) % 2];
            store.commit(RunCommit { events: vec![event(n)], ..commit(&root) }).await.unwrap();
            store.events(root.clone(), 0, 5).await.unwrap();
            store.restore(root.clone()).await.unwrap().unwrap();
        }
    });
    join_all(writing).await;
    assert_eq!(stores[1].last_seq(root).await.unwrap(), 160);
    assert_eq!(observed.events().len(), 160);
}

async fn join(store: &PostgresStore, folder: &str, ttl: Duration) -> ClusterNode {
    let (folder, machine) = (folder.to_owned(), String::from("shore"));
    let role = "all";
    store
        .join(NodeSettings { folder, machine, address: String::new(), role, works: true, capacity: 4, ttl })
        .await
        .unwrap()
}

fn is_lost<T>(result: Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::LeaseLost))
}

/// Roots of the trees that a node claims now.
async fn claimed(store: &PostgresStore) -> Vec<RunId> {
    store.claim_trees(0).await.unwrap().roots
}

// A pooler in transaction mode gives sessions to many clients, so leases hold without one.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn a_tree_has_one_owner_and_others_store_nothing_of_it() {
    let server = TestServer::shared();
    let database = server.database().await;
    let pooler = crate::support::postgres::Pooler::start(server, &database);
    let folder = tempfile::tempdir().unwrap();
    let open = || PostgresStore::open(&pooler.url, folder.path(), ignore()).unwrap();
    let (one, two) = (open(), open());
    let (_first, second) = (join(&one, "one", LONG).await, join(&two, "two", LONG).await);
    let mut notices = one.lease_notices().unwrap();
    let run = add_root(&one, "a run").await;
    one.commit(commit(&run)).await.unwrap();
    assert!(one.owns(&run) && !two.owns(&run) && is_lost(two.commit(commit(&run)).await));
    assert_eq!(claimed(&two).await, []);

    // A message for it is stored by any node, and its owner hears of it.
    let words = || InboxItem::Words(String::from("x"));
    assert_eq!(one.take_woken_runs().await.unwrap(), []);
    two.deliver(run.clone(), words(), None).await.unwrap().unwrap();
    assert_eq!(two.take_woken_runs().await.unwrap(), []);
    assert_eq!(one.take_woken_runs().await.unwrap(), std::slice::from_ref(&run));
    one.deliver(run.clone(), words(), None).await.unwrap().unwrap();
    assert_eq!(one.take_woken_runs().await.unwrap(), [], "its own messages need no hint");

    // The time of the first node passes.
    let client = connect(&database.url).await;
    let late = "update nodes set until = now() - interval '1 second' where folder = 'one'";
    client.batch_execute(late).await.unwrap();
    let taken = two.claim_trees(0).await.unwrap();
    assert_eq!(taken.roots, std::slice::from_ref(&run));
    assert_eq!(taken.runs, [(run.clone(), RunTask::GoOn)]);
    assert!(is_lost(one.commit(commit(&run)).await) && !one.owns(&run));
    assert!(is_lost(one.add_picture(run.clone(), b"jpeg".to_vec()).await));
    assert!(is_lost(one.reserve_task_ids(run.clone(), vec![String::from("job")]).await));
    two.commit(commit(&run)).await.unwrap();

    // It begins anew as another node when it finds its row gone and its work has ended.
    let Some(LeaseNotice::Lost(dropped)) = notices.recv().await else { panic!("it has lost its trees") };
    assert!(!one.lease_deadline().allows_commands());
    assert_eq!(claimed(&one).await, []);
    dropped.send(()).unwrap();
    let deadline = one.lease_deadline();
    deadline.wait_until_extended().await;
    second.release().await;
    assert!(is_lost(two.commit(commit(&run)).await) && !two.lease_deadline().allows_commands());
    assert_eq!(claimed(&one).await, std::slice::from_ref(&run));
    one.commit(commit(&run)).await.unwrap();
    let epoch: i64 = client.query_one("select epoch from trees", &[]).await.unwrap().get(0);
    assert_eq!(epoch, 3);
}

// A service that starts again with its data folder does not wait for the end of its own lease.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn a_node_that_starts_again_takes_its_trees_at_once_and_at_most_as_many_as_it_has_room_for() {
    let database = TestServer::shared().database().await;
    let folder = tempfile::tempdir().unwrap();
    let open = || PostgresStore::open(&database.url, folder.path(), ignore()).unwrap();
    let one = open();
    let _first = join(&one, "folder", LONG).await;
    let mut roots = Vec::new();
    for _ in 0..6 {
        roots.push(add_root(&one, "a run").await);
    }
    let again = open();
    let _second = join(&again, "folder", LONG).await;
    let mut taken = claimed(&again).await;
    assert_eq!(taken.len(), 4);
    assert_eq!(again.claim_trees(4).await.unwrap().roots, []);
    assert_eq!(again.claim_trees(3).await.unwrap().roots.len(), 1);
    taken.extend(claimed(&again).await);
    assert!(is_lost(one.commit(commit(&roots[0])).await));
    for root in &roots {
        again.commit(commit(root)).await.unwrap();
    }
}

// Tokens of writes are kept for an hour. More are there than one statement removes.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn old_tokens_of_writes_are_removed() {
    let database = TestServer::shared().database().await;
    let folder = tempfile::tempdir().unwrap();
    let store = PostgresStore::open(&database.url, folder.path(), ignore()).unwrap();
    let client = connect(&database.url).await;
    let insert = "insert into applied_writes (token) select (lpad(to_hex(
                      (extract(epoch from now()) * 1000)::bigint - 1000 * n), 12, '0') || '70008000000000000000')::uuid
                  from unnest(array[60, 3500, 3700] || array(select generate_series(4000, 24999))) n";
    client.batch_execute(insert).await.unwrap();
    let run = add_root(&store, "a run").await;
    let old = IdempotencyRecord { key: "old".into(), request_hash: "x".into(), position: json!(1) };
    store.add_idempotency_record(run.clone(), old.clone()).await.unwrap();
    client.batch_execute("update idempotency_records set created_at = 0").await.unwrap();
    store.add_idempotency_record(run, IdempotencyRecord { key: "new".into(), ..old }).await.unwrap();
    let _node = join(&store, "one", LONG).await;
    let count = "select (select count(*) from applied_writes), (select count(*) from idempotency_records)";
    let watch = std::time::Instant::now();
    loop {
        let row = client.query_one(count, &[]).await.unwrap();
        // Two of the inserted ones, and those of the run and the records.
        match (row.get::<_, i64>(0), row.get::<_, i64>(1)) {
            (5, 1) => break,
            left => assert!(watch.elapsed().as_secs() < 20, "{left:?}"),
        }
    }
}

// Several processes of a new cluster start at once.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn a_new_store_is_migrated_once_by_many() {
    let database = TestServer::shared().database().await;
    let folder = tempfile::tempdir().unwrap();
    let opening = (0..6).map(|_| {
        let (url, folder) = (database.url.clone(), folder.path().to_owned());
        std::thread::spawn(move || PostgresStore::open(&url, &folder, ignore()).map(drop))
    });
    for thread in opening.collect::<Vec<_>>() {
        thread.join().unwrap().unwrap();
    }
    let client = connect(&database.url).await;
    let rows = client.query("select version from askfirst_schema", &[]).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.get::<_, i32>(0)).collect::<Vec<_>>(), [3]);
    let tables = "select count(*) from pg_tables where tablename in ('runs', 'relay_tickets')";
    assert_eq!(client.query_one(tables, &[]).await.unwrap().get::<_, i64>(0), 2);
}

#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn a_server_that_cannot_hold_the_store_is_refused_with_the_reason() {
    let server = TestServer::shared();
    let missing = refusal(&server.url("nothing_here"));
    assert!(matches!(missing, StoreError::NoAccess(_)), "{missing}");
    let away = refusal("postgres://me:secret@127.0.0.1:9/askfirst");
    assert!(matches!(away, StoreError::Unreachable(_)), "{away}");
    assert!(
        away.to_string().contains("127.0.0.1:9/askfirst") && !away.to_string().contains("secret"),
        "{away}"
    );
    let wanted = refusal(&format!("{}&sslmode=verify-full", server.url("postgres")));
    assert!(matches!(wanted, StoreError::Unreachable(_)), "{wanted}");

    let database = server.database().await;
    let client = connect(&database.url).await;
    let latin = "create database latin encoding 'LATIN1' locale 'C' template template0";
    client.batch_execute(latin).await.unwrap();
    let encoded = refusal(&server.url("latin"));
    assert!(matches!(&encoded, StoreError::Encoding { found, .. } if found == "LATIN1"), "{encoded}");
    client.batch_execute("create table runs (id text)").await.unwrap();
    let foreign = refusal(&database.url);
    assert!(matches!(foreign, StoreError::ForeignDatabase { .. }), "{foreign}");
    client.batch_execute("drop table runs; create table askfirst_schema (version int); insert into askfirst_schema values (99)").await.unwrap();
    let newer = refusal(&database.url);
    assert!(matches!(newer, StoreError::Newer { found: 99, .. }), "{newer}");

    let database = server.database().await;
    let folder = tempfile::tempdir().unwrap();
    let store = open(&database.url, folder.path(), ignore());
    let run = add_root(&*store, "a run").await;
    let name = database.url.split(['/', '?']).nth(3).unwrap().to_owned();
    let client = server.connect("postgres").await;
    let halt = format!(
        "alter database {name} set default_transaction_read_only = on;
         select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'"
    );
    client.batch_execute(&halt).await.unwrap();
    let refused = store.commit(commit(&run)).await;
    assert!(matches!(refused, Err(StoreError::ReadOnly(_))), "{refused:?}");
    assert!(matches!(refusal(&database.url), StoreError::ReadOnly(_)));
    assert!(store.check_writable().await.is_err());
    client.batch_execute(&format!("alter database {name} reset default_transaction_read_only; select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'")).await.unwrap();
    store.commit(commit(&run)).await.unwrap();
}

// A refused password is told apart from a server that is away.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn a_wrong_password_is_refused() {
    let server = TestServer::start();
    let client = server.connect("postgres").await;
    client.batch_execute("create role guarded login password 'right'").await.unwrap();
    server.require_password("guarded");
    client.batch_execute("select pg_reload_conf()").await.unwrap();
    let url = |password: &str| {
        let url = server.url("postgres").replace("user=askfirst", "user=guarded");
        format!("{url}&password={password}")
    };
    let refused = refusal(&url("wrong"));
    assert!(
        matches!(refused, StoreError::NoAccess(_)) && !refused.to_string().contains("wrong"),
        "{refused}"
    );
    let unprivileged = refusal(&url("right"));
    assert!(matches!(unprivileged, StoreError::NoAccess(_)), "{unprivileged}");
}

/// Returns whether a program is installed.
fn is_installed(name: &str) -> bool {
    Command::new(name).arg("version").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn certificates_are_checked_as_the_address_says() {
    assert!(is_installed("openssl"), "openssl is missing; scripts/need.sh nginx installs it");
    let server = TestServer::start();
    let authority = server.serve_tls("db.test");
    let url = |rest: &str| format!("postgres://askfirst@127.0.0.1:{}/postgres?{rest}", server.port());
    let folder = tempfile::tempdir().unwrap();
    let root = authority.display();
    for good in [
        String::from("sslmode=require"),
        format!("sslmode=verify-ca&sslrootcert={root}"),
        format!("sslmode=verify-full&sslrootcert={root}&hostaddr=127.0.0.1"),
    ] {
        let url = url(&good)
            .replace("@127.0.0.1:", if good.contains("full") { "@db.test:" } else { "@127.0.0.1:" });
        drop(open(&url, folder.path(), ignore()));
    }
    for bad in [format!("sslmode=verify-full&sslrootcert={root}"), String::from("sslmode=verify-ca")] {
        let refused = refusal(&url(&bad)).to_string();
        assert!(refused.contains("certificate"), "{bad}: {refused}");
    }
}
