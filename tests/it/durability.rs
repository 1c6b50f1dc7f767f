//! Durability of runs over lost sockets, pauses, stops and the death of the service at any moment; ended runs leave
//! nothing behind.

use crate::support::app::{Http, PATIENCE, Process, chromium_of, free_port, spawn, until};
use crate::support::ws::{Ws, without_own_marks};
use actix_web::{App, HttpResponse, HttpServer, web};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// The way to the last button of the demo shop; `yes` to every question before that for the order.
pub fn order(base: &str, visitor: &str) -> String {
    format!(
        "відкрий {base}/demo/login?visitor={visitor}\nвпиши olena в Логін\nвпиши demo-pass-1 в Пароль\n\
         натисни Увійти\nнатисни «Додати в кошик: Лампа Зоря»\nнатисни Кошик\nнатисни Оформити замовлення\n\
         познач Погоджуюся з умовами\nнатисни Підтвердити замовлення"
    )
}

pub async fn say(ws: &mut Ws, text: &str) -> String {
    ws.send(json!({"type": "user_message", "text": text})).await;
    ws.until("run_started").await["run_id"].as_str().unwrap().to_owned()
}

/// Approves what is asked until the question is about the order itself.
async fn approve_up_to_the_order(ws: &mut Ws) -> Value {
    loop {
        let question = ws.until("agent_question").await;
        if question["payload"]["target"]["name"] == "Підтвердити замовлення" {
            return question;
        }
        approve(ws, &question).await;
    }
}

pub async fn approve(ws: &mut Ws, question: &Value) {
    ws.send(json!({"type": "answer", "reference": question["reference"], "confirmed": true})).await;
    let reference = question["reference"].clone();
    ws.until_that("question_resolved", |frame| {
        frame["type"] == "question_resolved" && frame["reference"] == reference
    })
    .await;
}

pub async fn orders(http: &Http, base: &str, visitor: &str) -> usize {
    let list = http.get(&format!("{base}/demo/api/orders?visitor={visitor}")).await;
    list["items"].as_array().map_or(0, Vec::len)
}

fn observation_numbers(ws: &Ws) -> Vec<u64> {
    let events = ws.events.iter().filter(|event| event["event"] == "observation");
    events.map(|event| event["data"]["look"].as_u64().unwrap()).collect()
}

// C3, and S1.5 overruled by it: the same card is there after a kill -9, and the order is made once.
#[actix_web::test]
async fn a_question_waits_over_kill_9_and_its_effect_happens_once() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let first = Process::start_on(port, folder.path(), &[]).await;
    let base = first.base.clone();
    let (mut ws, _) = Ws::hello(&base, json!({"locale": "uk"})).await;
    let run = say(&mut ws, &order(&base, "kill9")).await;
    let question = approve_up_to_the_order(&mut ws).await;
    let seen = ws.events.last().unwrap()["seq"].as_u64().unwrap();
    let mut observed = observation_numbers(&ws);
    first.kill().await;
    until("Chromium is gone", Duration::from_secs(2), || chromium_of(folder.path()).is_empty()).await;

    let second = Process::start_on(port, folder.path(), &[]).await;
    let http = Http::new();
    let waiting = http.get(&format!("{base}/api/questions")).await;
    assert_eq!(waiting["items"][0]["reference"], question["reference"]);
    assert_eq!(waiting["items"][0]["payload"], question["payload"]);
    let (mut ws, welcome) = Ws::hello(&base, json!({"run_id": run, "after_seq": seen})).await;
    assert_eq!(welcome["run"]["status"], "waiting");
    approve(&mut ws, &question).await;
    let ended = ws.until_that("run_ended", |frame| frame["type"] == "run_ended").await;
    assert_eq!(ended["outcome"], "succeeded", "{ended}");
    assert_eq!(orders(&http, &base, "kill9").await, 1);
    observed.extend(observation_numbers(&ws));
    assert!(observed.is_sorted_by(|one, next| one < next), "looks are counted on: {observed:?}");
    // S1.9, docs/protocol.md, `question_resolved`: a second answer changes nothing.
    ws.send(json!({"type": "answer", "reference": question["reference"], "confirmed": true})).await;
    assert_eq!(ws.until("error").await["code"], "already_resolved");
    assert_eq!(orders(&http, &base, "kill9").await, 1);
    // S0.50
    for file in ["state.json", "trace.json"] {
        let path = folder.path().join("data/runs").join(&run).join(file);
        until(file, PATIENCE, || path.is_file()).await;
    }
    assert!(second.terminate().await.success());
}

/// A site whose one button is a message: it counts what arrives and answers late.
async fn slow_site(count: Arc<AtomicUsize>, arrived: Arc<Notify>) -> (String, actix_web::dev::ServerHandle) {
    let page = "<!doctype html><title>Post</title><form method=post action=/send>\
        <label>Text <input name=text value=hello></label><button>Send message</button></form>";
    let server = HttpServer::new(move || {
        let (count, arrived) = (Arc::clone(&count), Arc::clone(&arrived));
        App::new()
            .route(
                "/",
                web::get().to(move || async move { HttpResponse::Ok().content_type("text/html").body(page) }),
            )
            .route(
                "/send",
                web::post().to(move || {
                    count.fetch_add(1, Ordering::SeqCst);
                    arrived.notify_one();
                    // The answer never comes: whoever waits for it is in the middle of the effect.
                    std::future::pending::<HttpResponse>()
                }),
            )
    })
    .workers(1)
    .disable_signals()
    .bind(("127.0.0.1", 0))
    .unwrap();
    let address = server.addrs()[0].to_string();
    let server = server.run();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    (address, handle)
}

// C11: between intent and receipt the process dies; the effect is never repeated by itself.
#[actix_web::test]
async fn an_effect_without_receipt_is_not_repeated_after_kill_9() {
    let (count, arrived) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    let (site, handle) = slow_site(Arc::clone(&count), Arc::clone(&arrived)).await;
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let private = json!([site]).to_string();
    let more = [("ASKFIRST_GATE__PRIVATE_HOSTS", private.as_str())];
    let first = Process::start_on(port, folder.path(), &more).await;
    let base = first.base.clone();
    let (mut ws, _) = Ws::hello(&base, json!({"locale": "en"})).await;
    let run = say(&mut ws, &format!("open http://{site}/ then click Send message")).await;
    let question = ws.until("agent_question").await;
    assert_eq!(question["payload"]["values"], json!({"Text": "hello"}), "{question}");
    approve(&mut ws, &question).await;
    tokio::time::timeout(PATIENCE, arrived.notified()).await.expect("the message is sent");
    let seen = ws.events.last().unwrap()["seq"].as_u64().unwrap();
    first.kill().await;

    let second = Process::start_on(port, folder.path(), &more).await;
    let (mut ws, _) = Ws::hello(&base, json!({"run_id": run, "after_seq": seen})).await;
    // The run comes to rest by itself: it ends, or asks.
    ws.until_that("rest", |frame| frame["type"] == "run_ended" || frame["type"] == "agent_question").await;
    assert_eq!(count.load(Ordering::SeqCst), 1, "sent twice");
    let state = Http::new().get(&format!("{base}/api/runs/{run}/state")).await;
    assert!(state.to_string().contains("outcome_unknown"), "{state}");
    assert!(second.terminate().await.success());
    handle.stop(false).await;
}

// A socket is a viewer; S1.6, S1.33, S1.37.
#[actix_web::test]
async fn two_viewers_see_every_event_and_a_lost_socket_changes_nothing() {
    let app = spawn(&[]).await;
    let (mut one, _) = Ws::hello(&app.base, json!({"locale": "uk"})).await;
    let run = say(&mut one, &order(&app.base, "viewers")).await;
    let (mut two, _) = Ws::hello(&app.base, json!({"run_id": run})).await;
    let question = one.until("agent_question").await;
    one.close().await;
    // The other viewer answers; nobody else is there.
    let same = two.until("agent_question").await;
    assert_eq!(same["reference"], question["reference"]);
    approve(&mut two, &same).await;
    let last = approve_up_to_the_order(&mut two).await;
    let (mut late, welcome) = Ws::hello(&app.base, json!({"run_id": run, "after_seq": 0})).await;
    assert_eq!(welcome["run"]["questions"][0]["reference"], last["reference"]);
    two.send(json!({"type": "answer", "reference": last["reference"], "confirmed": false})).await;
    let is_end = |frame: &Value| frame["type"] == "run_ended";
    assert_eq!(two.until_that("the end", is_end).await["outcome"], "cancelled");
    late.until_that("the end", is_end).await;
    assert_eq!(without_own_marks(&two.events), without_own_marks(&late.events));
    assert_eq!(orders(&Http::new(), &app.base, "viewers").await, 0);
    app.finish().await;
}

// S1.36: a stop takes effect in the middle of a page that never loads.
#[actix_web::test]
async fn stop_ends_a_run_within_a_second_while_a_page_loads() {
    let app = spawn(&[]).await;
    let (mut ws, _) = Ws::hello(&app.base, json!({"locale": "en"})).await;
    let run = say(&mut ws, &format!("open {}/demo/lab/never", app.base)).await;
    ws.until("action_started").await;
    let watch = Instant::now();
    ws.send(json!({"type": "control", "run_id": run, "command": "stop"})).await;
    let ended = ws.until_that("run_ended", |frame| frame["type"] == "run_ended").await;
    assert_eq!(ended["outcome"], "cancelled");
    assert!(watch.elapsed() < Duration::from_secs(1), "{:?}", watch.elapsed());
    until("Chromium is gone", Duration::from_secs(3), || chromium_of(app.folder.path()).is_empty()).await;
    app.finish().await;
}

#[actix_web::test]
async fn stop_resolves_the_question_that_waits() {
    let app = spawn(&[]).await;
    let (mut ws, _) = Ws::hello(&app.base, json!({"locale": "uk"})).await;
    let run = say(&mut ws, &order(&app.base, "stopped")).await;
    let question = ws.until("agent_question").await;
    ws.send(json!({"type": "control", "run_id": run, "command": "stop"})).await;
    let resolved = ws.until("question_resolved").await;
    assert_eq!((&resolved["by"], &resolved["reference"]), (&json!("stopped"), &question["reference"]));
    let ended = ws.until_that("run_ended", |frame| frame["type"] == "run_ended").await;
    assert_eq!(ended["outcome"], "cancelled");
    ws.send(json!({"type": "answer", "reference": question["reference"], "confirmed": true})).await;
    assert_eq!(ws.until("error").await["code"], "already_resolved");
    app.finish().await;
}

#[actix_web::test]
async fn a_paused_run_does_nothing_until_it_is_resumed() {
    let app = spawn(&[]).await;
    let (mut ws, _) = Ws::hello(&app.base, json!({"locale": "en"})).await;
    let text = format!("open {}/demo/?lang=en\nwait 3 seconds\nscroll down\nscroll up", app.base);
    let run = say(&mut ws, &text).await;
    ws.until_that("the wait", |frame| {
        frame["event"] == "action_started" && frame["data"]["action"] == "wait"
    })
    .await;
    ws.send(json!({"type": "control", "run_id": run, "command": "pause"})).await;
    ws.until_that("paused", |frame| frame["status"] == "paused").await;
    ws.send(json!({"type": "control", "run_id": run, "command": "pause"})).await;
    assert_eq!(ws.until("error").await["code"], "busy");
    ws.send(json!({"type": "control", "run_id": run, "command": "resume"})).await;
    ws.until_that("running", |frame| frame["status"] == "running").await;
    let ended = ws.until_that("run_ended", |frame| frame["type"] == "run_ended").await;
    assert_eq!(ended["outcome"], "succeeded", "{ended}");
    app.finish().await;
}

// Twenty runs at once share the browser slots, all end, and no process, file or task remains.
#[actix_web::test]
async fn twenty_runs_at_once_all_end_and_leave_nothing() {
    let app = spawn(&[]).await;
    let http = Http::new();
    let start = |n: usize| {
        let text = format!("open {}/demo/?lang=en&visitor=many{n} then click Cart", app.base);
        let body = json!({"agent": "browser", "input": {"text": text}, "wait": true, "timeout_ms": 300_000});
        let url = format!("{}/api/runs", app.base);
        let http = &http;
        async move { http.post(&url, &body).await }
    };
    let answers = futures_util::future::join_all((0..20).map(start)).await;
    for (status, run) in answers {
        assert_eq!((status, &run["status"]), (200, &json!("succeeded")), "{run}");
    }
    until("Chromium is gone", Duration::from_secs(5), || chromium_of(app.folder.path()).is_empty()).await;
    app.finish().await;
}

// SIGTERM ends the service cleanly.
#[actix_web::test]
async fn sigterm_ends_the_service_and_its_chromium() {
    let folder = tempfile::tempdir().unwrap();
    let service = Process::start(folder.path(), &[]).await;
    let (mut ws, _) = Ws::hello(&service.base, json!({"locale": "uk"})).await;
    say(&mut ws, &order(&service.base, "term")).await;
    ws.until("agent_question").await;
    let watch = Instant::now();
    assert!(service.terminate().await.success());
    assert!(watch.elapsed() < Duration::from_secs(5), "{:?}", watch.elapsed());
    assert!(chromium_of(folder.path()).is_empty());
}

// C3: an update in the middle of an action; the run continues and succeeds.
#[actix_web::test]
async fn a_run_goes_on_after_sigterm_in_the_middle_of_an_action() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let first = Process::start_on(port, folder.path(), &[]).await;
    let base = first.base.clone();
    let (mut ws, _) = Ws::hello(&base, json!({"locale": "en"})).await;
    let run = say(&mut ws, &format!("open {base}/demo/?lang=en\nwait 2 seconds\nscroll down")).await;
    let waits = |frame: &Value| frame["event"] == "action_started" && frame["data"]["action"] == "wait";
    ws.until_that("the wait", waits).await;
    let seen = ws.events.last().unwrap()["seq"].as_u64().unwrap();
    assert!(first.terminate().await.success());

    let second = Process::start_on(port, folder.path(), &[]).await;
    let (mut ws, _) = Ws::hello(&base, json!({"run_id": run, "after_seq": seen})).await;
    let ended = ws.until_that("run_ended", |frame| frame["type"] == "run_ended").await;
    assert_eq!(ended["outcome"], "succeeded", "{ended}");
    assert!(ws.events.iter().any(|event| event["data"]["action"] == "scroll"), "the last order was done");
    assert!(second.terminate().await.success());
}

#[actix_web::test]
async fn a_second_service_on_the_same_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let first = Process::start(folder.path(), &[]).await;
    let second = tokio::process::Command::new(env!("CARGO_BIN_EXE_askfirst"))
        .args(["serve", "--port", "0", "--data-dir"])
        .arg(folder.path().join("data"))
        .env("ASKFIRST_AGENTS_DIR", folder.path().join("agents"))
        .output();
    let ended = tokio::time::timeout(PATIENCE, second).await.expect("it ends").unwrap();
    assert_eq!(ended.status.code(), Some(3));
    let words = String::from_utf8_lossy(&ended.stderr);
    assert!(words.contains("another askfirst serves the data folder"), "{words}");
    assert!(first.terminate().await.success());
}

// A person takes the page over in the middle of an order; the remaining orders follow.
#[actix_web::test]
async fn a_page_is_taken_over_in_the_middle_and_the_other_orders_follow() {
    let app = spawn(&[]).await;
    let (mut ws, welcome) = Ws::hello(&app.base, json!({"locale": "en"})).await;
    let text = format!("open {}/demo/?lang=en\nwait 3 seconds\nscroll down\nscroll up", app.base);
    let run = say(&mut ws, &text).await;
    let waits = |frame: &Value| frame["event"] == "action_started" && frame["data"]["action"] == "wait";
    ws.until_that("the wait", waits).await;
    let watch = Instant::now();
    ws.send(json!({"type": "control", "run_id": run, "command": "take_over"})).await;
    assert_eq!(ws.until("lease").await["data"]["holder"], welcome["session_id"]);
    assert!(watch.elapsed() < Duration::from_millis(2_500), "not the whole wait: {:?}", watch.elapsed());
    let input = json!({"type": "input", "run_id": run, "kind": "mouse", "event": "move", "x": 0.5, "y": 0.5, "button": "none"});
    ws.send(input).await;
    ws.send(json!({"type": "control", "run_id": run, "command": "hand_back"})).await;
    assert_eq!(ws.until("lease").await["data"]["holder"], Value::Null);
    let ended = ws.until_that("run_ended", |frame| frame["type"] == "run_ended").await;
    assert_eq!(ended["outcome"], "succeeded", "{ended}");
    let scrolls = |event: &&Value| event["event"] == "action_finished" && event["data"]["action"] == "scroll";
    assert_eq!(ws.events.iter().filter(scrolls).count(), 2);
    app.finish().await;
}

// A page can be taken over after a restart, before its run is at work again.
#[actix_web::test]
async fn a_page_is_taken_over_after_kill_9() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let first = Process::start_on(port, folder.path(), &[]).await;
    let base = first.base.clone();
    let (mut ws, _) = Ws::hello(&base, json!({"locale": "en"})).await;
    let run =
        say(&mut ws, &format!("open {base}/demo/login?visitor=hands\ntype olena into Login\nclick Sign in"))
            .await;
    let question = ws.until("agent_question").await;
    ws.until_that("waiting", |frame| frame["status"] == "waiting").await;
    first.kill().await;

    let second = Process::start_on(port, folder.path(), &[]).await;
    let (mut ws, welcome) = Ws::hello(&base, json!({"run_id": run})).await;
    ws.send(json!({"type": "control", "run_id": run, "command": "take_over"})).await;
    let holder = |frame: &Value| frame["event"] == "lease";
    let lease =
        ws.until_that("the page, or why not", |frame| holder(frame) || frame["type"] == "error").await;
    assert_eq!(lease["data"]["holder"], welcome["session_id"], "{lease}");
    ws.send(json!({"type": "control", "run_id": run, "command": "hand_back"})).await;
    assert_eq!(ws.until_that("the page is back", holder).await["data"]["holder"], Value::Null);
    ws.send(json!({"type": "answer", "reference": question["reference"], "confirmed": false})).await;
    let ended = ws.until_that("run_ended", |frame| frame["type"] == "run_ended").await;
    assert_eq!(ended["outcome"], "cancelled", "{ended}");
    assert!(second.terminate().await.success());
}
