//! The whole service on PostgreSQL: runs over the death of the service and crashes of the server. `postgres_cluster` has several services.

use crate::durability::{approve, order, orders, say};
use crate::support::app::{Http, Process, free_port};
use crate::support::cli::askfirst;
use crate::support::model::{Release, Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::postgres::{TestServer, connect};
use crate::support::ws::Ws;
use askfirst::cli::doctor;
use askfirst::cli::doctor::finding::{Finding, Grade};
use askfirst::config::Settings;
use askfirst::config::layers::Flags;
use askfirst::protocol::Locale;
use reqwest::Client;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Answers each message by what it says. Nobody hears the first answer until it is released.
pub fn stalling_model() -> (ScriptedModel, Arc<Mutex<Option<Release>>>) {
    let stalled = Arc::new(Mutex::new(None));
    let (held, asked) = (Arc::clone(&stalled), std::sync::atomic::AtomicBool::new(false));
    let rules = Rules { several_runs: true, ..Rules::default() };
    let model = ScriptedModel::answering(rules, move |request| {
        if !asked.swap(true, std::sync::atomic::Ordering::SeqCst) {
            let (reply, release) = Reply::stop("Lost.").stalled();
            *held.lock().unwrap() = Some(release);
            return reply;
        }
        let goes_on = request.body["messages"].to_string().contains("and then?");
        Reply::stop(if goes_on { "Second." } else { "First." })
    });
    (model, stalled)
}

async fn begin(port: u16, folder: &Path, model: &ScriptedModel, url: &str) -> Process {
    let vars = [
        ("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()),
        ("ASKFIRST_STORE__URL", url),
        ("ASKFIRST_BROWSER__EXECUTABLE", "/nowhere/chromium"),
    ];
    Process::start_on(port, folder, &vars).await
}

pub async fn talk(base: &str, texts: &[&str], retry: u32) -> reqwest::Result<Value> {
    let role = |at: usize| if at.is_multiple_of(2) { "user" } else { "assistant" };
    let messages: Value =
        texts.iter().enumerate().map(|(at, text)| json!({"role": role(at), "content": text})).collect();
    let body = json!({"model": "assistant", "messages": messages});
    let request = Client::new().post(format!("{base}/v1/chat/completions")).json(&body);
    request.header("x-stainless-retry-count", retry.to_string()).send().await?.json().await
}

pub fn reply_and_run(reply: &Value) -> (&str, &str) {
    let words = reply["choices"][0]["message"]["content"].as_str();
    (words.unwrap_or_else(|| panic!("{reply}")), reply["askfirst"]["run_id"].as_str().unwrap())
}

/// Counts rows past the service.
pub async fn count(url: &str, rows: &str) -> i64 {
    let client = connect(url).await;
    client.query_one(&format!("select count(*) from {rows}"), &[]).await.unwrap().get(0)
}

/// Returns the number of events of a run, all of which are there.
pub async fn count_events(http: &Http, base: &str, run: &str) -> i64 {
    let events = http.get(&format!("{base}/api/runs/{run}/events?limit=500")).await;
    let seqs: Vec<i64> =
        events["items"].as_array().unwrap().iter().map(|event| event["seq"].as_i64().unwrap()).collect();
    assert_eq!(seqs, (1..=seqs.len() as i64).collect::<Vec<_>>());
    seqs.len() as i64
}

#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn a_conversation_goes_on_after_kill_9_of_the_service_and_a_crash_of_the_server() {
    let server = TestServer::start();
    let database = server.database().await;
    let (model, _stalled) = stalling_model();
    let (folder, port, http) = (tempfile::tempdir().unwrap(), free_port(), Http::new());
    let service = begin(port, folder.path(), &model, &database.url).await;
    let base = service.base.clone();
    let of_lost = base.clone();
    let lost = actix_web::rt::spawn(async move { talk(&of_lost, &["hello"], 0).await });
    model.arrived(1).await;
    service.kill().await;
    assert!(lost.await.unwrap().is_err());

    let service = begin(port, folder.path(), &model, &database.url).await;
    let first = talk(&base, &["hello"], 1).await.unwrap();
    let (words, run) = reply_and_run(&first);
    assert_eq!(words, "First.");
    server.restart();
    let second = talk(&base, &["hello", "First.", "and then?"], 0).await.unwrap();
    assert_eq!(reply_and_run(&second), ("Second.", run));
    assert_eq!(http.get(&format!("{base}/api/runs")).await["items"].as_array().unwrap().len(), 1);
    let events = count_events(&http, &base, run).await;
    assert!(service.terminate().await.success());
    assert!(!folder.path().join("data/askfirst.db").exists(), "nothing is in SQLite");
    assert_eq!(count(&database.url, "events").await, events);
    assert_eq!(count(&database.url, "nodes").await, 0, "the node has left");
    model.finish();
}

// An order of the demo shop, whose last question is there again, and which is made once.
#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn an_approved_order_is_made_once_over_crashes_of_service_and_server() {
    let server = TestServer::start();
    let database = server.database().await;
    let (folder, port, http) = (tempfile::tempdir().unwrap(), free_port(), Http::new());
    let settings = [("ASKFIRST_STORE__URL", database.url.as_str())];
    let service = Process::start_on(port, folder.path(), &settings).await;
    let base = service.base.clone();
    let (mut ws, _) = Ws::hello(&base, json!({"locale": "uk"})).await;
    let run = say(&mut ws, &order(&base, "postgres")).await;
    let question = loop {
        let question = ws.until("agent_question").await;
        if question["payload"]["target"]["name"] == "Підтвердити замовлення" {
            break question;
        }
        // The answer, and the steps that follow from it, are stored by a server that has just come back.
        server.restart();
        approve(&mut ws, &question).await;
    };
    let seen = ws.events.last().unwrap()["seq"].as_u64().unwrap();
    service.kill().await;

    let service = Process::start_on(port, folder.path(), &settings).await;
    let waiting = http.get(&format!("{base}/api/questions")).await;
    assert_eq!(waiting["items"][0]["reference"], question["reference"]);
    assert_eq!(waiting["items"][0]["payload"], question["payload"]);
    let (mut ws, welcome) = Ws::hello(&base, json!({"run_id": run, "after_seq": seen})).await;
    assert_eq!(welcome["run"]["status"], "waiting");
    approve(&mut ws, &question).await;
    server.restart();
    let ended = ws.until_that("run_ended", |frame| frame["type"] == "run_ended").await;
    assert_eq!(ended["outcome"], "succeeded", "{ended}");
    assert_eq!(orders(&http, &base, "postgres").await, 1);
    count_events(&http, &base, &run).await;
    assert_eq!(count(&database.url, "effects where receipt_at is null").await, 0);
    assert!(service.terminate().await.success());
}

async fn findings(url: &str, locale: Locale) -> Vec<Finding> {
    let folder = tempfile::tempdir().unwrap();
    let flags = Flags { data_dir: Some(folder.path().join("data")), port: Some(0), ..Flags::default() };
    let vars = [("ASKFIRST_STORE__URL", url), ("ASKFIRST_BROWSER__EXECUTABLE", "/nowhere/chromium")];
    let vars = vars.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let found = doctor::run_checks(&Settings::load(&flags, vars).unwrap(), locale).await;
    found.into_iter().filter(|finding| ["database", "tls", "commits"].contains(&finding.subject)).collect()
}

#[actix_web::test]
#[ignore = "needs PostgreSQL; make test runs it"]
async fn the_doctor_tells_of_the_database() {
    let server = TestServer::shared();
    let database = server.database().await;
    let [works, tls, commits] = &findings(&database.url, Locale::En).await[..] else { panic!() };
    assert!(works.grade == Grade::Good && works.text.contains("PostgreSQL 1"), "{works:?}");
    assert!(tls.grade == Grade::Good && tls.text.contains("this machine"), "{tls:?}");
    // The server of the tests trades safety for speed.
    assert!(
        commits.grade == Grade::Note && commits.advice.as_ref().unwrap().contains("fsync"),
        "{commits:?}"
    );
    let [works, ..] = &findings(&database.url, Locale::Uk).await[..] else { panic!() };
    assert!(works.text.contains("приймає записи"), "{works:?}");

    let client = connect(&database.url).await;
    client.batch_execute("create role guest login").await.unwrap();
    let guest = findings(&database.url.replace("user=askfirst", "user=guest"), Locale::En).await;
    assert!(guest[0].grade == Grade::Missing && guest[0].text.contains("create tables"), "{guest:?}");
    let missing = findings(&server.url("nothing_here"), Locale::En).await;
    assert!(missing[0].grade == Grade::Missing && missing[0].text.contains("nothing_here"), "{missing:?}");
    for wrong in ["postgres://me:secret@127.0.0.1:9/a", "postgres://me:secret@127.0.0.1:port/a", "me:secret"]
    {
        let found = findings(wrong, Locale::En).await;
        assert!(found[0].grade == Grade::Missing && !format!("{found:?}").contains("secret"), "{found:?}");
    }
}

#[actix_web::test]
async fn a_wrong_address_keeps_the_service_from_starting_and_shows_no_password() {
    let folder = tempfile::tempdir().unwrap();
    for (url, words) in [
        ("postgres://me:secret@127.0.0.1:9/a", "cannot be reached: 127.0.0.1:9/a"),
        ("postgres://me:se@cret@db.test/a", "%40"),
        ("mysql://me:secret@db.test/a", "postgres://"),
    ] {
        let vars = [("ASKFIRST_STORE__URL", url)];
        let refused = askfirst(folder.path(), &["serve", "--port", "0"], &vars).await;
        assert!(refused.code != 0 && refused.err.contains(words), "{refused:?}");
        assert!(!format!("{refused:?}").contains("cret"), "{refused:?}");
    }
}
