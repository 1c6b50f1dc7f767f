//! Roles of services that share one database, the list of them, and the drain of one that goes on serving people.

use crate::postgres_cluster::{Node, owner};
use crate::postgres_service::{count_events, reply_and_run, stalling_model, talk};
use crate::support::app::{Http, Process, until};
use crate::support::model::ScriptedModel;
use crate::support::postgres::TestServer;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

async fn node(url: &str, model: &ScriptedModel, role: &str) -> Node {
    let vars = [
        ("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()),
        ("ASKFIRST_BROWSER__EXECUTABLE", "/nowhere/chromium"),
        ("ASKFIRST_CLUSTER__ROLE", role),
        ("ASKFIRST_CLUSTER__TTL_S", "60"),
        ("ASKFIRST_CLUSTER__ADDRESS", "127.0.0.1:9"),
    ];
    Node::start(url, &vars).await
}

/// Returns the nodes with their roles, states and trees, as this one lists them; itself first.
async fn listed(http: &Http, node: &Node) -> Vec<(String, String, u64)> {
    let list = http.get(&format!("{}/api/nodes", node.base())).await;
    let mut items = list["items"].as_array().unwrap().clone();
    assert_eq!(items.iter().filter(|item| item["you"] == true).count(), 1, "{list}");
    items.sort_by_key(|item| item["you"] != true);
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    items
        .iter()
        .map(|item| {
            assert_eq!(item["address"], "http://127.0.0.1:9");
            assert_eq!(item["version"], env!("CARGO_PKG_VERSION"));
            (word(&item["role"]), word(&item["state"]), item["trees"].as_u64().unwrap())
        })
        .collect()
}

fn row(role: &str, state: &str, trees: u64) -> (String, String, u64) {
    (role.to_owned(), state.to_owned(), trees)
}

// A run that is started at a node of the role `web` is of a node that works, and is followed and answered at either.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn runs_that_are_started_at_a_web_node_are_of_a_node_that_works() {
    let database = TestServer::shared().database().await;
    let (model, stalled) = stalling_model();
    let (web, work) = (node(&database.url, &model, "web").await, node(&database.url, &model, "work").await);
    let http = Http::new();
    assert_eq!(listed(&http, &web).await, [row("web", "up", 0), row("work", "up", 0)]);
    let base = web.base().to_owned();
    let first = actix_web::rt::spawn(async move { talk(&base, &["hello"], 0).await });
    model.arrived(1).await;
    until("the reply is held", Duration::from_secs(5), || stalled.lock().unwrap().take().is_some()).await;
    let first = first.await.unwrap().unwrap();
    let (words, run) = reply_and_run(&first);
    assert_eq!(words, "Lost.");
    assert_eq!(listed(&http, &work).await, [row("work", "up", 1), row("web", "up", 0)]);
    assert_eq!(owner(&database.url, run).await.1, 1 + 1, "claimed once");
    count_events(&http, web.base(), run).await;
    for node in [web, work] {
        assert!(node.process.terminate().await.success());
    }
    model.finish();
}

// The service that is drained by an order goes on serving people, starts runs for others, and may take runs again.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn a_drained_node_gives_its_runs_back_at_once_and_goes_on_serving() {
    let database = TestServer::shared().database().await;
    let (model, _stalled) = stalling_model();
    let http = Http::new();
    let one = node(&database.url, &model, "all").await;
    let drain = format!("{}/api/nodes/drain", one.base());
    let (status, refusal) = http.post(&drain, &json!({})).await;
    assert_eq!((status, &refusal["code"]), (409, &json!("no_other_node")), "{refusal}");
    assert_eq!(listed(&http, &one).await, [row("all", "up", 0)]);

    let two = node(&database.url, &model, "all").await;
    let base = one.base().to_owned();
    let first = actix_web::rt::spawn(async move { talk(&base, &["hello"], 0).await });
    model.arrived(1).await;
    let watch = Instant::now();
    let (status, drained) = http.post(&drain, &json!({})).await;
    println!("drained after {:?}", watch.elapsed());
    assert_eq!((status, &drained), (200, &json!({"trees": 1, "takers": 1})));
    assert!(watch.elapsed() < Duration::from_secs(1), "{:?}", watch.elapsed());
    model.arrived(2).await;
    println!("goes on after {:?}", watch.elapsed());
    assert!(watch.elapsed() < Duration::from_millis(1_700), "{:?}", watch.elapsed());
    // The person's connection stays, and gets the answer.
    let first = first.await.unwrap().unwrap();
    let (words, run) = reply_and_run(&first);
    assert_eq!(words, "First.");
    assert_eq!(listed(&http, &one).await, [row("all", "draining", 0), row("all", "up", 1)]);
    let other = talk(one.base(), &["something else"], 0).await.unwrap();
    assert_ne!(reply_and_run(&other).1, run);
    assert_eq!(listed(&http, &one).await, [row("all", "draining", 0), row("all", "up", 2)]);

    let (status, _) = http.post(&drain, &json!({"undo": true})).await;
    assert_eq!(status, 200);
    let third = talk(one.base(), &["a third chat"], 0).await.unwrap();
    assert_eq!(listed(&http, &one).await, [row("all", "up", 1), row("all", "up", 2)]);
    count_events(&http, two.base(), reply_and_run(&third).1).await;
    for node in [one, two] {
        assert!(node.process.terminate().await.success());
    }
    model.finish();
}

// One of two drains at once is refused: otherwise no node would work.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn of_two_drains_at_once_one_is_refused() {
    let database = TestServer::shared().database().await;
    let (model, _stalled) = stalling_model();
    let (one, two) = (node(&database.url, &model, "all").await, node(&database.url, &model, "work").await);
    let http = Http::new();
    let order = |node: &Node, undo: bool| (format!("{}/api/nodes/drain", node.base()), json!({"undo": undo}));
    for _ in 0..5 {
        let ((first, body), (second, _)) = (order(&one, false), order(&two, false));
        let ((first, _), (second, _)) =
            futures_util::join!(http.post(&first, &body), http.post(&second, &body));
        let mut statuses = [first, second];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409]);
        for node in [&one, &two] {
            let (url, body) = order(node, true);
            assert_eq!(http.post(&url, &body).await.0, 200);
        }
    }
    for node in [one, two] {
        assert!(node.process.terminate().await.success());
    }
}

// A person is told that no service works on a task, and can stop and delete it all the same.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn a_task_that_no_node_works_on_says_so_and_can_be_stopped_and_deleted() {
    let database = TestServer::shared().database().await;
    let (model, _stalled) = stalling_model();
    let model_url = [("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str())];
    let role = |role| [model_url[0], ("ASKFIRST_CLUSTER__ROLE", role)];
    let (web, work) =
        (Node::start(&database.url, &role("web")).await, Node::start(&database.url, &role("work")).await);
    let http = Http::new();
    let runs = format!("{}/api/runs", web.base());
    let start = async |text: &str| {
        let (status, run) = http.post(&runs, &json!({"input": {"text": text}})).await;
        assert_eq!(status, 201, "{run}");
        format!("{runs}/{}", run["run_id"].as_str().unwrap())
    };
    let running = start("hello").await;
    model.arrived(1).await;
    assert_eq!(http.get(&format!("{running}/why")).await["reason"], "model", "at another node");
    work.process.kill().await;
    let queued = start("something else").await;
    for run in [&running, &queued] {
        let why = http.get_until(&format!("{run}/why"), "/reason", &json!("no_service")).await;
        assert_eq!(why["moves"][0]["who"], "person", "{why}");
    }

    let (status, stopped) = http.post(&format!("{running}/stop"), &json!({})).await;
    assert!(matches!(status, 200 | 202), "{stopped}");
    http.get_until(&running, "/status", &json!("cancelled")).await;
    assert_eq!(http.delete(&queued).await, 200);
    http.get_until(&running, "/status", &json!("cancelled")).await;
    let nodes = format!("{}/api/nodes", web.base());
    // The stopped tree is given back.
    http.get_until(&nodes, "/items/0/trees", &json!(0)).await;

    // The next run goes on at a new node, and the stopped ones do not.
    let later = start("a third chat").await;
    let work = Node::start(&database.url, &role("work")).await;
    http.get_until(&later, "/status", &json!("succeeded")).await;
    model.arrived(2).await;
    for node in [web, work] {
        assert!(node.process.terminate().await.success());
    }
    model.finish();
}

#[actix_web::test]
async fn a_service_alone_is_its_only_node_and_drains_to_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let service = Process::start(folder.path(), &[("ASKFIRST_STORE__URL", "sqlite:")]).await;
    let http = Http::new();
    let list = http.get(&format!("{}/api/nodes", service.base)).await;
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    assert_eq!((&list["items"][0]["role"], &list["items"][0]["you"]), (&json!("all"), &json!(true)));
    let (status, refusal) = http.post(&format!("{}/api/nodes/drain", service.base), &json!({})).await;
    assert_eq!((status, &refusal["code"]), (409, &json!("no_other_node")));
    assert!(service.terminate().await.success());
}
