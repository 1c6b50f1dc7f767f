//! Scripts played by the whole service in a real Chromium, without a model: through the same gate, over
//! a restart, and on pages that have changed.

use crate::support::app::{Http, PATIENCE, Process, TestApp, chromium_of, free_port, spawn_in, until};
use crate::support::model::{Reply, ScriptedModel};
use crate::support::script_shop::Shop;
use crate::support::talk::slot;
use crate::support::ws::Ws;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Orders a lamp: one of several of one name, a field in a frame that is called as one outside of it.
const ORDER: &str = r#"
name: order_lamp
title_ua: "Замовити лампу"
title_en: "Order a lamp"
kind: atomic
inputs: [{name: lamp, default: Blue lamp}, {name: city}]
outputs: [{name: order}]
browser:
  start_url: "http://HOST/?for={{ city }}"
  language: en
  script:
    - {action: click, target: {role: button, name: Choose, near: "{{ lamp }}"}, check: {url: /checkout}}
    - {action: type, target: {role: textbox, name: City}, params: {text: "{{ city }}"}}
    - {action: type, target: {role: textbox, name: Name, frame: Gift card}, params: {text: Olena}}
    - {action: click, target: {role: checkbox, name: Wrap it}, makes: checked}
    - {action: click, target: {role: button, name: Place order}, check: {text: Thank you}}
    - {action: extract, as: order, take: "Order no. *"}
"#;

/// Writes on two cards that look the same, each in a frame without a name.
const CARDS: &str = r#"
name: cards
title_ua: "Листівки"
kind: atomic
browser:
  start_url: "http://HOST/framed"
  script:
    - {action: type, target: {role: textbox, name: Name, frame: localhost}, params: {text: Olena}}
    - {action: type, target: {role: textbox, name: Name, frame: "http://HOST"}, params: {text: Ivan}}
    - {action: press, params: {key: Tab}}
"#;

/// No script: a model works from where it begins.
const BUYER: &str = r#"
name: buyer
title_ua: "Покупець"
kind: atomic
inputs: [{name: text}, {name: lamp, default: Red lamp}]
browser:
  goal: "You buy a {{ lamp }} and nothing else."
  start_url: "http://HOST/?lamp={{ lamp }}"
"#;

fn write_agents(folder: &Path, shop: &Shop) {
    std::fs::create_dir_all(folder.join("agents")).unwrap();
    for (name, text) in [("order_lamp", ORDER), ("cards", CARDS), ("buyer", BUYER)] {
        std::fs::write(folder.join(format!("agents/{name}.yaml")), text.replace("HOST", &shop.host)).unwrap();
    }
}

async fn app(shop: &Shop, more: &[(&str, &str)]) -> TestApp {
    let folder = tempfile::tempdir().unwrap();
    write_agents(folder.path(), shop);
    let hosts = json!([shop.host]).to_string();
    let mut settings = vec![("ASKFIRST_GATE__PRIVATE_HOSTS", hosts.as_str())];
    settings.extend(more);
    spawn_in(folder, &settings).await
}

/// Starts the agent and watches it.
async fn play(base: &str, input: Value) -> (String, Ws) {
    start(base, "order_lamp", input).await
}

async fn start(base: &str, agent: &str, input: Value) -> (String, Ws) {
    let body = json!({"agent": agent, "input": input});
    let (status, started) = Http::new().post(&format!("{base}/api/runs"), &body).await;
    assert_eq!(status, 201, "{started}");
    let run = started["run_id"].as_str().unwrap().to_owned();
    let (ws, _) = Ws::hello(base, json!({"run_id": run, "after_seq": 0, "locale": "en"})).await;
    (run, ws)
}

async fn approve(ws: &mut Ws) -> Value {
    let question = ws.until("agent_question").await;
    ws.send(json!({"type": "answer", "reference": question["reference"], "confirmed": true})).await;
    ws.until("question_resolved").await;
    question
}

async fn wait_for_run_ended(ws: &mut Ws) -> Value {
    ws.until_that("run_ended", |frame| frame["type"] == "run_ended").await
}

/// Finished actions, as `id ok`.
fn done(ws: &Ws) -> Vec<String> {
    let finished = ws.events.iter().filter(|event| event["event"] == "action_finished");
    let format_result = |event: &Value| {
        let ok = if event["data"]["ok"] == true { "ok" } else { "failed" };
        format!("{} {ok}", event["data"]["action_id"].as_str().unwrap())
    };
    finished.map(format_result).collect()
}

const ALL: [&str; 7] = ["start ok", "s1 ok", "s2 ok", "s3 ok", "s4 ok", "s5 ok", "s6 ok"];

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_script_is_played_without_a_model_and_asks_as_ever() {
    let _slot = slot().await;
    let shop = Shop::open();
    let app = app(&shop, &[]).await;
    let (_, mut ws) = play(&app.base, json!({"city": "Kyiv", "locale": "en"})).await;
    let question = approve(&mut ws).await;
    assert_eq!(question["payload"]["target"]["name"], "Place order");
    assert_eq!(question["payload"]["values"]["City"], "Kyiv", "{question}");
    let first = wait_for_run_ended(&mut ws).await;
    assert_eq!(first["outcome"], "succeeded", "{first}");
    assert_eq!(first["vars"], json!({"order": "1"}));
    assert_eq!(done(&ws), ALL);

    // The same with another input; the box is ticked already, so it stays as it is.
    shop.ticked(true);
    let (run, mut ws) = play(&app.base, json!({"city": "Lviv", "lamp": "Red lamp", "locale": "en"})).await;
    let question = ws.until("agent_question").await;
    // Words on the way change nothing, and whoever says them is told.
    ws.send(json!({"type": "user_message", "text": "take two", "run_id": run})).await;
    ws.until("accepted").await;
    ws.send(json!({"type": "answer", "reference": question["reference"], "confirmed": true})).await;
    let refuses_commands =
        |frame: &Value| frame["text"].as_str().is_some_and(|text| text.contains("takes no commands"));
    ws.until_that("what it says to that", refuses_commands).await;
    let second = wait_for_run_ended(&mut ws).await;
    assert_eq!(second["vars"], json!({"order": "2"}), "{second}");
    assert!(!done(&ws).contains(&String::from("s4 ok")), "{:?}", done(&ws));
    assert_eq!(
        shop.orders(),
        ["lamp=Blue+lamp&city=Kyiv&wrap=yes gift=Olena", "lamp=Red+lamp&city=Lviv&wrap=yes gift=Olena"]
    );
    // Declined, nothing is ordered.
    let (_, mut ws) = play(&app.base, json!({"city": "Lviv"})).await;
    let question = ws.until("agent_question").await;
    ws.send(json!({"type": "answer", "reference": question["reference"], "confirmed": false})).await;
    assert_eq!(wait_for_run_ended(&mut ws).await["outcome"], "cancelled");
    assert_eq!(shop.orders().len(), 2);
    app.finish().await;
}

#[actix_web::test]
async fn missing_inputs_of_a_script_are_reported_before_it_starts() {
    let shop = Shop::open();
    let app = app(&shop, &[]).await;
    let body = json!({"agent": "order_lamp", "input": {"lamp": "Red lamp"}});
    let (status, reply) = Http::new().post(&format!("{}/api/runs", app.base), &body).await;
    assert_eq!((status, &reply["code"]), (422, &json!("bad_input")), "{reply}");
    assert!(reply["detail"].as_str().unwrap().contains("city"), "{reply}");
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_renamed_button_is_reported_with_its_step_and_the_page_seen() {
    let _slot = slot().await;
    let shop = Shop::open();
    shop.renames("Complete purchase");
    let app = app(&shop, &[]).await;
    let (run, mut ws) = play(&app.base, json!({"city": "Kyiv", "locale": "en"})).await;
    let end = wait_for_run_ended(&mut ws).await;
    assert_eq!(end["outcome"], "blocked", "{end}");
    let response = end["final_response"].as_str().unwrap();
    for part in [
        "Stopped at step 5 of 6",
        "there is no button “Place order”",
        "button “Complete purchase”",
        "/checkout",
    ] {
        assert!(response.contains(part), "{part} is not in {response}");
    }
    assert!(shop.orders().is_empty());
    // Spoken to, it tries that step again, and none before it.
    shop.renames("Place order");
    ws.send(json!({"type": "user_message", "text": "again", "run_id": run})).await;
    approve(&mut ws).await;
    assert_eq!(wait_for_run_ended(&mut ws).await["outcome"], "succeeded");
    assert_eq!(done(&ws).iter().filter(|done| *done == "s2 ok").count(), 1);
    assert_eq!(shop.orders().len(), 1);
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_model_mends_the_one_step_and_the_changed_file_is_offered() {
    let _slot = slot().await;
    let shop = Shop::open();
    shop.renames("Complete purchase");
    let model = ScriptedModel::start(vec![Reply::click("button", "Complete purchase")]);
    let model_settings =
        [("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()), ("ASKFIRST_MODEL__PLANNER", "scripted")];
    let app = app(&shop, &model_settings).await;
    let (run, mut ws) = play(&app.base, json!({"city": "Kyiv", "locale": "en"})).await;
    let question = approve(&mut ws).await;
    assert_eq!(question["payload"]["target"]["name"], "Complete purchase");
    let end = wait_for_run_ended(&mut ws).await;
    assert_eq!((&end["outcome"], &end["vars"]), (&json!("succeeded"), &json!({"order": "1"})), "{end}");
    assert!(end["final_response"].as_str().unwrap().contains("Step 5 of 6"), "{end}");
    assert_eq!(shop.orders().len(), 1);
    let asked = model.requests()[0].last_text();
    assert!(asked.contains("its step 5 of 6") && asked.contains("button “Place order”"), "{asked}");

    let http = Http::new();
    let offer = http.get(&format!("{}/api/runs/{run}/agent", app.base)).await;
    let change = &offer["mended"][0];
    assert_eq!(
        (&change["step"], &change["was"]["target"]["name"]),
        (&json!(5), &json!("Place order")),
        "{offer}"
    );
    assert_eq!(change["now"][0]["target"], json!({"role": "button", "name": "Complete purchase"}));
    assert_eq!(change["now"][0]["check"], json!({"text": "Thank you"}));
    let save = |body: Value| {
        let (http, url) = (&http, format!("{}/api/runs/{run}/agent", app.base));
        async move { http.post(&url, &body).await }
    };
    let (status, refused) = save(json!({"name": "order_lamp"})).await;
    assert_eq!((status, &refused["code"]), (409, &json!("agent_exists")), "{refused}");
    let (status, saved) = save(json!({"name": "order_lamp", "overwrite": true})).await;
    assert_eq!(status, 200, "{saved}");
    // The rest of the file is as it was, and no model is needed any more.
    assert_eq!(saved["spec"]["browser"]["script"][1]["params"], json!({"text": "{{ city }}"}));
    let (_, mut ws) = play(&app.base, json!({"city": "Lviv"})).await;
    approve(&mut ws).await;
    assert_eq!(wait_for_run_ended(&mut ws).await["outcome"], "succeeded");
    app.finish().await;
    model.finish();
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_failed_repair_ends_the_script_with_both_reasons() {
    let _slot = slot().await;
    let shop = Shop::open();
    shop.renames("Call us");
    let model = ScriptedModel::start(vec![Reply::stop("Orders are only taken by telephone now.")]);
    let model_settings =
        [("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()), ("ASKFIRST_MODEL__PLANNER", "scripted")];
    let app = app(&shop, &model_settings).await;
    let (_, mut ws) = play(&app.base, json!({"city": "Kyiv", "locale": "en"})).await;
    let end = wait_for_run_ended(&mut ws).await;
    assert_eq!(end["outcome"], "blocked", "{end}");
    let response = end["final_response"].as_str().unwrap();
    assert!(
        response.contains("Stopped at step 5 of 6") && response.contains("only taken by telephone"),
        "{response}"
    );
    app.finish().await;
    model.finish();
}

// The failed step is reported, too, when the model offers no repair or is absent.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_model_without_a_repair_does_not_hide_the_failed_step() {
    let _slot = slot().await;
    let shop = Shop::open();
    shop.renames("Call us");
    let model = ScriptedModel::start((0..6).map(|_| Reply::Text(String::from("Hm."))).collect());
    for base in [model.base_url.as_str(), "http://127.0.0.1:9/v1"] {
        let settings = [("ASKFIRST_MODEL__BASE_URL", base), ("ASKFIRST_MODEL__PLANNER", "scripted")];
        let app = app(&shop, &settings).await;
        let (_, mut ws) = play(&app.base, json!({"city": "Kyiv", "locale": "en"})).await;
        let end = wait_for_run_ended(&mut ws).await;
        let response = end["final_response"].as_str().unwrap();
        assert_eq!(
            (&end["outcome"], response.contains("Stopped at step 5 of 6")),
            (&json!("blocked"), true),
            "{end}"
        );
        app.finish().await;
    }
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn frames_without_a_name_are_found_by_their_origin() {
    let _slot = slot().await;
    let shop = Shop::open();
    let hosts = json!([shop.host, shop.host.replace("127.0.0.1", "localhost")]).to_string();
    let app = app(&shop, &[("ASKFIRST_GATE__PRIVATE_HOSTS", hosts.as_str())]).await;
    let (_, mut ws) = start(&app.base, "cards", json!({"locale": "en"})).await;
    let end = wait_for_run_ended(&mut ws).await;
    assert_eq!(end["outcome"], "succeeded", "{end}");
    assert_eq!(shop.gifts(), ["localhost Olena", "127.0.0.1 Ivan"]);
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_browser_agent_begins_at_its_address_and_its_goal_knows_its_inputs() {
    let _slot = slot().await;
    let shop = Shop::open();
    let model = ScriptedModel::start(vec![Reply::stop("Here it is.")]);
    let model_settings =
        [("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()), ("ASKFIRST_MODEL__PLANNER", "scripted")];
    let app = app(&shop, &model_settings).await;
    let (_, mut ws) = start(&app.base, "buyer", json!({"text": "go on", "locale": "en"})).await;
    let end = wait_for_run_ended(&mut ws).await;
    assert_eq!(end["outcome"], "succeeded", "{end}");
    let asked = model.requests()[0].clone();
    assert!(asked.system().contains("You buy a Red lamp and nothing else."), "{}", asked.system());
    assert!(asked.page().contains("/?lamp=Red%20lamp") && asked.page().contains("heading \"Lamps\""));
    app.finish().await;
    model.finish();
}

// C3, C11: killed while it asks, it goes on where it stood and does no step twice.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_killed_script_continues_and_does_nothing_twice() {
    let _slot = slot().await;
    let shop = Shop::open();
    let folder = tempfile::tempdir().unwrap();
    write_agents(folder.path(), &shop);
    let port = free_port();
    let hosts = json!([shop.host]).to_string();
    let more = [("ASKFIRST_GATE__PRIVATE_HOSTS", hosts.as_str())];
    let first = Process::start_on(port, folder.path(), &more).await;
    let base = first.base.clone();
    let (run, mut ws) = play(&base, json!({"city": "Kyiv", "locale": "en"})).await;
    // In the middle of filling in the form.
    ws.until_that("the second field", |frame| {
        frame["event"] == "action_finished" && frame["data"]["action_id"] == "s2"
    })
    .await;
    first.kill().await;
    until("Chromium is gone", Duration::from_secs(2), || chromium_of(folder.path()).is_empty()).await;

    let second = Process::start_on(port, folder.path(), &more).await;
    let (mut ws, _) = Ws::hello(&base, json!({"run_id": run, "after_seq": 0})).await;
    let question = tokio::time::timeout(PATIENCE, ws.until("agent_question")).await.expect("it asks");
    assert_eq!(question["payload"]["values"]["City"], "Kyiv", "{question}");
    second.kill().await;
    until("Chromium is gone", Duration::from_secs(2), || chromium_of(folder.path()).is_empty()).await;

    let third = Process::start_on(port, folder.path(), &more).await;
    let (mut ws, _) = Ws::hello(&base, json!({"run_id": run, "after_seq": 0})).await;
    let again = ws.until("agent_question").await;
    assert_eq!(again["reference"], question["reference"]);
    ws.send(json!({"type": "answer", "reference": question["reference"], "confirmed": true})).await;
    let end = wait_for_run_ended(&mut ws).await;
    assert_eq!((&end["outcome"], &end["vars"]), (&json!("succeeded"), &json!({"order": "1"})), "{end}");
    assert_eq!(shop.orders().len(), 1, "ordered once");
    for step in ["start ok", "s1 ok", "s2 ok", "s5 ok"] {
        assert_eq!(done(&ws).iter().filter(|done| *done == step).count(), 1, "{step}: {:?}", done(&ws));
    }
    assert!(third.terminate().await.success());
}
