//! Several services that share one database: failover, suspension, orders and viewers at any of them, drain.

use crate::durability::{approve, order, orders, say};
use crate::postgres_service::{count, count_events, reply_and_run, stalling_model, talk};
use crate::support::app::{Http, Process, chromium_of, free_port, random, until};
use crate::support::model::ScriptedModel;
use crate::support::postgres::{Pooler, TestServer, connect};
use crate::support::ws::{Ws, without_own_marks};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Duration of leases in these tests.
const LEASE: Duration = Duration::from_secs(2);

/// The demo shop, as a service of its own, which counts orders.
struct Shop {
    process: Process,
    _folder: TempDir,
}

impl Shop {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { process: Process::start(folder.path(), &[]).await, _folder: folder }
    }

    fn base(&self) -> &str {
        &self.process.base
    }
}

/// A service of the cluster, with a data folder of its own.
pub struct Node {
    pub process: Process,
    pub folder: TempDir,
}

impl Node {
    pub async fn start(url: &str, more: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut vars = vec![("ASKFIRST_STORE__URL", url), ("ASKFIRST_CLUSTER__TTL_S", "2")];
        vars.extend(more);
        Self { process: Process::start(folder.path(), &vars).await, folder }
    }

    /// Starts at a port of its own, with its address told to the others. Its lease is long enough for a busy machine, on which
    /// it opens pages.
    pub async fn reachable(url: &str, more: &[(&str, &str)]) -> Self {
        let (folder, port) = (tempfile::tempdir().unwrap(), free_port());
        let address = format!("http://127.0.0.1:{port}");
        let mut vars = vec![
            ("ASKFIRST_STORE__URL", url),
            ("ASKFIRST_CLUSTER__TTL_S", "8"),
            ("ASKFIRST_CLUSTER__ADDRESS", address.as_str()),
        ];
        vars.extend(more);
        Self { process: Process::start_on(port, folder.path(), &vars).await, folder }
    }

    async fn with_model(url: &str, model: &ScriptedModel) -> Self {
        let vars = [
            ("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()),
            ("ASKFIRST_BROWSER__EXECUTABLE", "/nowhere/chromium"),
        ];
        Self::start(url, &vars).await
    }

    async fn for_shop(url: &str, shop: &Shop) -> Self {
        let hosts = json!([shop.base().strip_prefix("http://").unwrap()]).to_string();
        Self::start(url, &[("ASKFIRST_GATE__PRIVATE_HOSTS", &hosts)]).await
    }

    pub fn base(&self) -> &str {
        &self.process.base
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(i32::try_from(self.process.pid).unwrap()), signal).unwrap();
    }
}

fn is_end(frame: &Value) -> bool {
    frame["type"] == "run_ended"
}

/// Returns the node that owns the tree, and its epoch.
pub async fn owner(url: &str, root: &str) -> (Option<String>, i64) {
    let client = connect(url).await;
    let sql = "select owner::text, epoch from trees where root_id = $1";
    let row = client.query_one(sql, &[&root]).await.unwrap();
    (row.get(0), row.get(1))
}

/// Waits until the database has this many nodes.
async fn until_nodes(url: &str, number: i64) {
    let mut ticks = tokio::time::interval(Duration::from_millis(50));
    let watch = Instant::now();
    while count(url, "nodes").await != number {
        assert!(watch.elapsed() < 3 * LEASE, "there are not {number} nodes");
        ticks.tick().await;
    }
}

/// Reads what a socket receives for a while.
async fn quiet(ws: &mut Ws, time: Duration) {
    let reading = async {
        loop {
            ws.next().await;
        }
    };
    let _: Result<(), _> = tokio::time::timeout(time, reading).await;
}

// The model is asked again by the other node, which has waited for the end of the lease.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn a_run_goes_on_elsewhere_after_kill_9_of_its_node() {
    let database = TestServer::shared().database().await;
    let (model, _stalled) = stalling_model();
    let (one, two, http) = (
        Node::with_model(&database.url, &model).await,
        Node::with_model(&database.url, &model).await,
        Http::new(),
    );
    assert_eq!(count(&database.url, "nodes").await, 2);
    let base = one.base().to_owned();
    let lost = actix_web::rt::spawn(async move { talk(&base, &["hello"], 0).await });
    model.arrived(1).await;
    let runs = http.get(&format!("{}/api/runs", two.base())).await;
    let run = runs["items"][0]["run_id"].as_str().unwrap().to_owned();
    let before = owner(&database.url, &run).await;
    one.process.kill().await;
    let watch = Instant::now();
    model.arrived(2).await;
    let took = watch.elapsed();
    println!("failover after {took:?}");
    assert!(took < LEASE + Duration::from_secs(1), "{took:?}");
    assert!(lost.await.unwrap().is_err());
    let ended = talk(two.base(), &["hello"], 1).await.unwrap();
    assert_eq!(reply_and_run(&ended), ("First.", run.as_str()));
    let after = owner(&database.url, &run).await;
    assert!(after.0 != before.0 && after.1 == before.1 + 1, "{before:?} {after:?}");
    assert_eq!(count(&database.url, "nodes").await, 1);
    count_events(&http, two.base(), &run).await;
    assert!(two.process.terminate().await.success());
    assert_eq!(count(&database.url, "nodes").await, 0);
    model.finish();
}

// A node that was suspended for longer than its lease stores nothing when it goes on, and works again as a new node.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn a_node_that_was_suspended_stores_nothing_of_runs_that_went_on_elsewhere() {
    let database = TestServer::shared().database().await;
    let (model, stalled) = stalling_model();
    let http = Http::new();
    let one = Node::with_model(&database.url, &model).await;
    let two = Node::with_model(&database.url, &model).await;
    let base = one.base().to_owned();
    let lost = actix_web::rt::spawn(async move { talk(&base, &["hello"], 0).await });
    model.arrived(1).await;
    one.signal(Signal::SIGSTOP);
    model.arrived(2).await;
    let ended = talk(two.base(), &["hello"], 1).await.unwrap();
    let (words, run) = reply_and_run(&ended);
    assert_eq!(words, "First.");
    let events = count_events(&http, two.base(), run).await;
    let (owner_of_run, epoch) = owner(&database.url, run).await;

    // It gets the reply that it waited for.
    drop(stalled.lock().unwrap().take());
    one.signal(Signal::SIGCONT);
    // Both work: the one that was suspended is a new node.
    until_nodes(&database.url, 2).await;
    assert_eq!(count_events(&http, two.base(), run).await, events);
    assert_eq!(owner(&database.url, run).await, (owner_of_run, epoch));
    lost.abort();
    let second = talk(one.base(), &["hello", "First.", "and then?"], 0).await.unwrap();
    assert_eq!(reply_and_run(&second), ("Second.", run));
    for node in [one, two] {
        assert!(node.process.terminate().await.success());
    }
    model.finish();
}

#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn runs_of_a_node_that_is_drained_go_on_elsewhere_at_once() {
    let database = TestServer::shared().database().await;
    let (model, _stalled) = stalling_model();
    let vars = [
        ("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()),
        ("ASKFIRST_BROWSER__EXECUTABLE", "/nowhere/chromium"),
        ("ASKFIRST_CLUSTER__TTL_S", "60"),
    ];
    let one = Node::start(&database.url, &vars).await;
    let two = Node::start(&database.url, &vars).await;
    let base = one.base().to_owned();
    let lost = actix_web::rt::spawn(async move { talk(&base, &["hello"], 0).await });
    model.arrived(1).await;
    let watch = Instant::now();
    one.signal(Signal::SIGTERM);
    model.arrived(2).await;
    println!("drained after {:?}", watch.elapsed());
    assert!(watch.elapsed() < Duration::from_millis(1_700), "{:?}", watch.elapsed());
    let ended = talk(two.base(), &["hello"], 1).await.unwrap();
    let (words, run) = reply_and_run(&ended);
    assert_eq!(words, "First.");
    count_events(&Http::new(), two.base(), run).await;
    lost.abort();
    assert!(one.process.exits().await.success());
    assert!(two.process.terminate().await.success());
    model.finish();
}

#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn a_run_is_stopped_from_another_node_within_a_second() {
    let database = TestServer::shared().database().await;
    let shop = Shop::open().await;
    let (one, two) = (Node::for_shop(&database.url, &shop).await, Node::for_shop(&database.url, &shop).await);
    let (mut ws, _) = Ws::hello(one.base(), json!({"locale": "en"})).await;
    let run = say(&mut ws, &format!("open {}/demo/lab/never", shop.base())).await;
    ws.until("action_started").await;
    let (mut other, welcome) = Ws::hello(two.base(), json!({"run_id": run, "after_seq": 0})).await;
    assert_eq!(welcome["run"]["status"], "running");
    let watch = Instant::now();
    other.send(json!({"type": "control", "run_id": run, "command": "stop"})).await;
    let ended = other.until_that("the end", is_end).await;
    let took = watch.elapsed();
    println!("stopped after {took:?}");
    assert_eq!(ended["outcome"], "cancelled");
    assert!(took < Duration::from_secs(1), "{took:?}");
    ws.until_that("the end", is_end).await;
    assert_eq!(without_own_marks(&ws.events), without_own_marks(&other.events));
    for node in [one, two] {
        assert!(node.process.terminate().await.success());
    }
}

// Behind a pooler no hint arrives; the looks at rows replace them.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn orders_and_events_reach_other_nodes_without_hints_too() {
    let server = TestServer::shared();
    let database = server.database().await;
    let pooler = Pooler::start(server, &database);
    let (model, _stalled) = stalling_model();
    let one = Node::with_model(&pooler.url, &model).await;
    let two = Node::with_model(&pooler.url, &model).await;
    let (base, http) = (one.base().to_owned(), Http::new());
    let lost = actix_web::rt::spawn(async move { talk(&base, &["hello"], 0).await });
    model.arrived(1).await;
    let runs = http.get(&format!("{}/api/runs", two.base())).await;
    let run = runs["items"][0]["run_id"].as_str().unwrap();
    let (mut far, _) = Ws::hello(two.base(), json!({"run_id": run, "after_seq": 0})).await;
    let watch = Instant::now();
    let (status, _) = http.post(&format!("{}/api/runs/{run}/stop", two.base()), &Value::Null).await;
    assert!(status < 300, "{status}");
    let seen = async { far.until_that("the end", is_end).await };
    let ended = async {
        let mut ticks = tokio::time::interval(Duration::from_millis(20));
        while http.get(&format!("{}/api/runs/{run}", two.base())).await["ended_at"].is_null() {
            ticks.tick().await;
        }
        watch.elapsed()
    };
    let (_, took) = futures_util::join!(seen, ended);
    println!("stopped without hints after {took:?}, seen after {:?}", watch.elapsed());
    // Nodes poll each second; two polls would take longer.
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert!(watch.elapsed() < Duration::from_millis(2_200), "{:?}", watch.elapsed());
    count_events(&http, two.base(), run).await;
    lost.abort();
    for node in [one, two] {
        assert!(node.process.terminate().await.success());
    }
}

// The run is of the first node, and the answers are given at the second one.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn viewers_at_two_nodes_see_the_same_events_and_answer_the_same_questions() {
    let database = TestServer::shared().database().await;
    let shop = Shop::open().await;
    let (one, two) = (Node::for_shop(&database.url, &shop).await, Node::for_shop(&database.url, &shop).await);
    let (mut near, _) = Ws::hello(one.base(), json!({"locale": "uk"})).await;
    let run = say(&mut near, &order(shop.base(), "two-nodes")).await;
    let (mut far, _) = Ws::hello(two.base(), json!({"run_id": run, "after_seq": 0})).await;
    loop {
        let is_next = |frame: &Value| is_end(frame) || frame["type"] == "agent_question";
        let frame = far.until_that("a question or the end", is_next).await;
        if is_end(&frame) {
            assert_eq!(frame["outcome"], "succeeded", "{frame}");
            break;
        }
        approve(&mut far, &frame).await;
    }
    near.until_that("the end", is_end).await;
    let (near_events, far_events) = (without_own_marks(&near.events), without_own_marks(&far.events));
    assert_eq!(near_events, far_events);
    let http = Http::new();
    assert_eq!(orders(&http, shop.base(), "two-nodes").await, 1);
    count_events(&http, two.base(), &run).await;
    for node in [one, two] {
        assert!(node.process.terminate().await.success());
    }
}

// The node is suspended at a random moment around the press that orders. Whatever it had done until then, the other node
// finds out, and presses again only if a person says so, which this one does if there is no order.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn an_order_is_made_once_although_its_node_is_suspended_and_goes_on() {
    let database = TestServer::shared().database().await;
    let (shop, http) = (Shop::open().await, Http::new());
    let one = Node::for_shop(&database.url, &shop).await;
    let (mut near, _) = Ws::hello(one.base(), json!({"locale": "uk"})).await;
    let run = say(&mut near, &order(shop.base(), "suspended")).await;
    let two = Node::for_shop(&database.url, &shop).await;
    loop {
        let question = near.until("agent_question").await;
        approve(&mut near, &question).await;
        if question["payload"]["target"]["name"] == "Підтвердити замовлення" {
            break;
        }
    }
    let delay = random(0..=400);
    println!("suspended after {delay} ms");
    quiet(&mut near, Duration::from_millis(delay)).await;
    one.signal(Signal::SIGSTOP);
    // Its Chromium would go on alone; the guard ends it at the deadline.
    let folder = one.folder.path();
    let is_browser = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains("--user-data-dir")
    };
    until("Chromium is gone", LEASE, || !chromium_of(folder).iter().any(is_browser)).await;
    let (mut far, _) = Ws::hello(two.base(), json!({"run_id": run, "after_seq": 0})).await;
    let stopped = Instant::now();
    let mut approved_without_order = 0;
    let mut resolved = std::collections::HashSet::new();
    let mut ticks = tokio::time::interval(Duration::from_millis(100));
    while stopped.elapsed() < Duration::from_secs(60) {
        ticks.tick().await;
        let body = http.get(&format!("{}/api/runs/{run}", two.base())).await;
        if !body["ended_at"].is_null() {
            break;
        }
        let made = orders(&http, shop.base(), "suspended").await;
        if let Some(question) = body["questions"].as_array().and_then(|questions| questions.first())
            && resolved.insert(question["reference"].to_string())
        {
            approved_without_order += usize::from(made == 0);
            let answer = json!({
                "type": "answer", "reference": question["reference"], "confirmed": made == 0,
            });
            far.send(answer).await;
        }
    }
    let made = orders(&http, shop.base(), "suspended").await;
    println!("{made} orders, approved again {approved_without_order} times");
    assert!(made <= 1, "ordered {made} times");
    let events = count_events(&http, two.base(), &run).await;
    one.signal(Signal::SIGCONT);
    until_nodes(&database.url, 2).await;
    quiet(&mut far, Duration::from_secs(1)).await;
    assert_eq!(orders(&http, shop.base(), "suspended").await, made, "a late press");
    assert_eq!(count_events(&http, two.base(), &run).await, events, "a late event");
    for node in [one, two] {
        assert!(node.process.terminate().await.success());
    }
}

// A message at a node that does not own the chat is read by its owner, also after the run has ended and was given up.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn a_chat_goes_on_at_any_node() {
    let database = TestServer::shared().database().await;
    let (model, stalled) = stalling_model();
    let one = Node::with_model(&database.url, &model).await;
    let two = Node::with_model(&database.url, &model).await;
    let base = one.base().to_owned();
    let first = actix_web::rt::spawn(async move { talk(&base, &["hello"], 0).await });
    model.arrived(1).await;
    until("the reply is held", LEASE, || stalled.lock().unwrap().take().is_some()).await;
    let first = first.await.unwrap().unwrap();
    let (words, run) = reply_and_run(&first);
    assert_eq!(words, "Lost.");
    let owned = owner(&database.url, run).await;
    let watch = Instant::now();
    let second = talk(two.base(), &["hello", "Lost.", "and then?"], 0).await.unwrap();
    println!("answered at the other node after {:?}", watch.elapsed());
    assert_eq!(reply_and_run(&second), ("Second.", run));
    assert_eq!(owner(&database.url, run).await, owned, "its owner has answered");
    // As after ten minutes.
    let client = connect(&database.url).await;
    client.batch_execute("update trees set owner = null, wanted = false").await.unwrap();
    let third = talk(two.base(), &["hello", "Lost.", "and then?", "Second.", "and then?"], 0).await.unwrap();
    assert_eq!(reply_and_run(&third), ("Second.", run));
    assert_eq!(owner(&database.url, run).await.1, owned.1 + 1);
    let http = Http::new();
    count_events(&http, one.base(), run).await;
    assert_eq!(http.delete(&format!("{}/api/runs/{run}", one.base())).await, 200);
    assert_eq!(count(&database.url, "runs").await, 0);
    for node in [one, two] {
        assert!(node.process.terminate().await.success());
    }
    model.finish();
}
