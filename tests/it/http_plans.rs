//! The plan of a run over HTTP: read, changed by a person, and what is refused.

use crate::support::agents::with_settings;
use crate::support::app::{PATIENCE, TestApp};
use crate::support::model::{Release, Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::service::{TestService, word};
use askfirst::plan::edit::Edit;
use futures_util::StreamExt;
use reqwest::Method;
use serde_json::{Value, json};

/// A run that has told its plan and waits until it is let go.
async fn planned(app: &TestService) -> String {
    let run = app.begin(json!({"agent": "script", "input": {"script": ["plan", "hold", "go"]}})).await;
    let mut live = app.follow(&run, 0).await;
    while live.next().await.unwrap()["event"] != "plan" {}
    run
}

async fn put(app: &TestService, run: &str, version: Option<&str>, items: Value) -> (u16, Value) {
    let mut request =
        app.request(Method::PUT, &format!("/api/runs/{run}/plan")).json(&json!({"items": items}));
    if let Some(version) = version {
        request = request.header("if-match", format!("\"{version}\""));
    }
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

fn item_edit(plan: &Value, position: u64) -> Value {
    let item = plan["items"].as_array().unwrap().iter().find(|item| item["position"] == position).unwrap();
    json!({
        "position": position, "description": item["description"],
        "acceptance_criteria": item["acceptance_criteria"], "dependencies": item["dependencies"],
    })
}

// S2.1: positions, criteria, dependencies; a person's change comes to the run as an edit, not as words.
#[actix_web::test]
async fn a_plan_is_read_and_changed_and_the_run_gets_the_change() {
    let app = TestService::start();
    let run = planned(&app).await;
    let (status, plan) = app.get(&format!("/api/runs/{run}/plan")).await;
    assert_eq!((status, plan["items"][1]["status"].clone()), (200, json!("running")), "{plan}");
    let (_, whole) = app.get(&format!("/api/runs/{run}")).await;
    assert_eq!(whole["plan"], plan, "the snapshot has the same");
    let version = word(&plan, "version");
    let new = json!({"description": "compare prices", "dependencies": [1]});
    let mut order = item_edit(&plan, 3);
    order["dependencies"] = json!([1, 2]);
    let (status, changed) = put(&app, &run, Some(&version), json!([item_edit(&plan, 1), new, order])).await;
    assert_eq!(status, 202, "{changed}");
    let descriptions: Vec<&Value> =
        changed["items"].as_array().unwrap().iter().map(|item| &item["description"]).collect();
    assert_eq!(descriptions, [&json!("open the shop"), &json!("compare prices"), &json!("order it")]);
    app.programs.release();
    app.until(&run, "succeeded").await;
    let (_, whole) = app.get(&format!("/api/runs/{run}")).await;
    let received = whole["vars"]["heard"][0].as_str().unwrap();
    let Edit { items, .. } = serde_json::from_str(received).expect(received);
    assert_eq!((items.len(), items[1].position, items[2].position), (3, None, Some(3)));
    app.finish().await;
}

#[actix_web::test]
async fn invalid_and_late_changes_of_a_plan_are_refused() {
    let app = TestService::start();
    let run = planned(&app).await;
    let (_, plan) = app.get(&format!("/api/runs/{run}/plan")).await;
    let all = || json!([item_edit(&plan, 1), item_edit(&plan, 2), item_edit(&plan, 3)]);
    let (status, problem) = put(&app, &run, Some("0123"), all()).await;
    assert_eq!((status, &problem["code"]), (412, &json!("changed")));
    assert_eq!(problem["version"], plan["version"]);
    let mut circle = all();
    circle[1]["dependencies"] = json!([3]);
    let mut undone = all();
    undone[0]["description"] = json!("open another");
    for (items, expected) in [
        (json!([]), "item 1 is done and cannot be changed"),
        (circle, "item 2 waits for itself through the items it depends on"),
        (undone, "item 1 is done and cannot be changed"),
        (
            json!([item_edit(&plan, 1), {"position": 9, "description": "x"}]),
            "the plan no longer has item 9; read it again",
        ),
    ] {
        let (status, problem) = put(&app, &run, None, items).await;
        assert_eq!((status, &problem["code"]), (422, &json!("bad_plan")), "{problem}");
        assert_eq!(problem["detail"], expected);
    }
    app.programs.release();
    app.until(&run, "succeeded").await;
    for items in [all(), json!([])] {
        let (status, problem) = put(&app, &run, None, items).await;
        assert_eq!((status, &problem["code"]), (409, &json!("busy")), "{problem}");
    }
    let without = app.begin(json!({"agent": "three"})).await;
    app.until(&without, "succeeded").await;
    let (status, problem) = put(&app, &without, None, all()).await;
    assert_eq!((status, &problem["code"]), (409, &json!("no_plan")));
    let (status, problem) = app.get(&format!("/api/runs/{without}/plan")).await;
    assert_eq!((status, &problem["code"]), (404, &json!("no_plan")));
    app.finish().await;
}

const ASKS: &str = "kind: atomic\nllm: {prompt: '{{ text }}', plan: {approve: ask}}\n";

/// The plan of a run once it says this.
async fn wait_for_plan_with(base: &str, run: &str, words: &str) -> Value {
    let url = format!("{base}/api/runs/{run}/events");
    let stream = reqwest::Client::new().get(url).header("accept", "text/event-stream").send().await.unwrap();
    let mut stream = stream.bytes_stream();
    loop {
        let whole: Value =
            reqwest::get(format!("{base}/api/runs/{run}")).await.unwrap().json().await.unwrap();
        if whole["plan"].to_string().contains(words) {
            return whole;
        }
        let news = tokio::time::timeout(PATIENCE, stream.next()).await;
        news.expect("news in time").expect("the stream goes on").unwrap();
    }
}

// A change of the plan applies at once in any state of the run, also while a question waits, and the question still
// waits.
#[actix_web::test]
async fn a_change_of_the_plan_is_applied_while_a_question_waits() {
    let items = json!([{
        "position": 1, "description": "first goal", "acceptance_criteria": "it is seen", "dependencies": [],
        "predicates": [],
    }]);
    let plan = Reply::Text(json!({"items": items, "open_questions": [], "notes": null}).to_string());
    let rules = Rules { several_runs: true, ..Rules::default() };
    let model = ScriptedModel::with_rules(rules, vec![plan]);
    let app = with_settings(&[("asks", ASKS)], Some(&model), &[]).await;
    let http = reqwest::Client::new();
    let body = json!({"agent": "asks", "input": {"text": "x", "locale": "en"}, "wait": true});
    let asked: Value =
        http.post(format!("{}/api/runs", app.base)).json(&body).send().await.unwrap().json().await.unwrap();
    let run = word(&asked, "run_id");
    let url = format!("{}/api/runs/{run}/plan", app.base);
    let edited = json!({"items": [
        {"position": 1, "description": "first of all", "acceptance_criteria": "it is seen"},
        {"description": "then this", "dependencies": [1]},
    ]});
    assert_eq!(http.put(&url).json(&edited).send().await.unwrap().status(), 202);
    let whole = wait_for_plan_with(&app.base, &run, "then this").await;
    assert_eq!(whole["plan"]["items"][0]["description"], "first of all");
    assert_eq!(
        (&whole["status"], &whole["questions"][0]["kind"]),
        (&json!("waiting"), &json!("approve_plan"))
    );
    let stop = http.post(format!("{}/api/runs/{run}/stop", app.base)).send().await.unwrap();
    assert!(stop.status().is_success());
    let events: Value =
        reqwest::get(format!("{}/api/runs/{run}/events", app.base)).await.unwrap().json().await.unwrap();
    assert!(!events.to_string().contains("plan_edit"), "an edit is nobody's words: {events}");
    app.finish().await;
    model.finish();
}

/// A run with a plan of three goals, in the middle of a step.
async fn under_way() -> (TestApp, ScriptedModel, String, Release) {
    let item = |position: u32, goal: &str| {
        json!({"position": position, "description": goal, "acceptance_criteria": "it is seen", "dependencies": [],
               "predicates": []})
    };
    let items = [item(1, "first"), item(2, "second"), item(3, "third")];
    let plan = Reply::Text(json!({"items": items, "open_questions": [], "notes": null}).to_string());
    let (held, release) = Reply::stop("Done.").stalled();
    let rules = Rules { several_runs: true, ..Rules::default() };
    let model = ScriptedModel::with_rules(rules, vec![plan, held]);
    let plans = "kind: atomic\nllm: {prompt: '{{ text }}', plan: true}\n";
    let app = with_settings(&[("plans", plans)], Some(&model), &[]).await;
    let http = reqwest::Client::new();
    let body = json!({"agent": "plans", "input": {"text": "x", "locale": "en"}});
    let begun: Value =
        http.post(format!("{}/api/runs", app.base)).json(&body).send().await.unwrap().json().await.unwrap();
    let run = word(&begun, "run_id");
    model.arrived(2).await;
    (app, model, run, release)
}

// The second of two changes is refused, also while the run has applied neither.
#[actix_web::test]
async fn of_concurrent_changes_of_one_version_one_is_accepted() {
    let (app, model, run, release) = under_way().await;
    let (http, url) = (reqwest::Client::new(), format!("{}/api/runs/{run}/plan", app.base));
    for round in 0..3 {
        let plan: Value = http.get(&url).send().await.unwrap().json().await.unwrap();
        let edits = (0..8).map(|n| {
            let items = json!({"items": [{"description": format!("goal {n} of {round}")}]});
            let sent =
                http.put(&url).header("if-match", format!("\"{}\"", word(&plan, "version"))).json(&items);
            async move {
                let answer = sent.send().await.unwrap();
                (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
            }
        });
        let answers = futures_util::future::join_all(edits).await;
        let (taken, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|(status, _)| *status == 202);
        assert_eq!((taken.len(), refused.len()), (1, 7), "{taken:?}");
        for (status, problem) in refused {
            assert_eq!((status, &problem["code"]), (412, &json!("changed")), "{problem}");
            assert_eq!(problem["version"], taken[0].1["version"]);
        }
    }
    let stop = http.post(format!("{}/api/runs/{run}/stop", app.base)).send().await.unwrap();
    assert!(stop.status().is_success());
    drop(release);
    app.finish().await;
    model.finish();
}

// While a step is under way a change waits for its end; a further one is a change of that, not of what it replaces.
#[actix_web::test]
async fn a_change_builds_on_an_earlier_one_that_is_not_applied_yet() {
    let (app, model, run, release) = under_way().await;
    let http = reqwest::Client::new();
    let url = format!("{}/api/runs/{run}/plan", app.base);
    let put = async |items: Value| {
        let read = http.get(&url).send().await.unwrap();
        let version = read.headers()["etag"].clone();
        let sent = http.put(&url).header("if-match", version).json(&json!({"items": items}));
        assert_eq!(sent.send().await.unwrap().status(), 202);
        let now: Value = http.get(&url).send().await.unwrap().json().await.unwrap();
        let goals = now["items"].as_array().unwrap().iter().map(|item| item["description"].clone());
        Value::from(goals.collect::<Vec<_>>())
    };
    let edit = |position: u32, goal: &str| json!({"position": position, "description": goal, "acceptance_criteria": "it is seen"});
    let first = json!([edit(3, "third"), edit(1, "first"), edit(2, "second")]);
    assert_eq!(put(first).await, json!(["third", "first", "second"]));
    let second = json!([edit(1, "third"), edit(3, "second"), {"description": "fourth"}]);
    assert_eq!(put(second).await, json!(["third", "second", "fourth"]));
    let stop = http.post(format!("{}/api/runs/{run}/stop", app.base)).send().await.unwrap();
    assert!(stop.status().is_success());
    drop(release);
    app.finish().await;
    model.finish();
}
