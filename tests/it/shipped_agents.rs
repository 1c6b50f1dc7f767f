//! The agents that ship, run as whoever has just installed the service would (S0.44 to S0.50).

use crate::support::agents::{get, run, with_agents};
use crate::support::model::{Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::{app::TestApp, talk};
use crate::tidy::source::files;
use serde_json::{Value, json};

fn answers(texts: &[&str]) -> ScriptedModel {
    let rules = Rules { llm: true, several_runs: true, format: None, ..Rules::default() };
    ScriptedModel::with_rules(rules, texts.iter().map(|text| Reply::Text((*text).to_owned())).collect())
}

fn read_run_file(app: &TestApp, run: &Value, file: &str) -> Value {
    let path = app.data().join("runs").join(run["run_id"].as_str().unwrap()).join(file);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

// S0.38, S0.44, C18: every one can be read, and has both its titles.
#[actix_web::test]
async fn every_agent_that_ships_is_there_with_both_titles() {
    let app = with_agents(&[], None).await;
    let agents = get(&app, "/api/agents").await;
    let agents = agents.as_array().unwrap();
    let mut names: Vec<&str> = agents.iter().map(|agent| agent["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    // Every file of the folder, the service's own, and nothing else.
    let mut files: Vec<String> = files(&["agents", "src/agent_spec/files/native"], "yaml")
        .iter()
        .map(|file| file.stem().to_owned())
        .collect();
    files.sort();
    assert_eq!(names, files);
    for agent in agents {
        let cyrillic = |c: char| ('\u{400}'..='\u{4ff}').contains(&c);
        assert!(agent["title_ua"].as_str().unwrap().contains(cyrillic), "{agent}");
        assert!(!agent["title_en"].as_str().unwrap().contains(cyrillic), "{agent}");
        assert!(agent["description_ua"].as_str().unwrap().contains(cyrillic), "{agent}");
        let en = agent["description_en"].as_str().unwrap();
        assert!(!en.is_empty() && !en.contains(cyrillic), "{agent}");
        for variable in ["inputs", "outputs"].iter().flat_map(|group| agent[*group].as_array().unwrap()) {
            let is_cyrillic = |key: &str| variable[key].as_str().map(|text| text.contains(cyrillic));
            let both = (is_cyrillic("description"), is_cyrillic("description_ua"));
            assert!(matches!(both, (None, None) | (Some(false), Some(true))), "{variable}");
        }
    }
    app.finish().await;
}

// S0.44, S0.45, S0.50: both branches, and the files that every run leaves.
#[actix_web::test]
async fn workflow_demo_answers_in_short_or_with_a_plan() {
    let model = answers(&["{\"is_complex\": false}", "```json\n{\"is_complex\": true}\n```"]);
    let app = with_agents(&[], Some(&model)).await;
    let simple = run(&app, "workflow_demo", json!({"task": "buy milk"})).await;
    assert_eq!((&simple["ok"], &simple["error"]), (&json!(true), &Value::Null), "{simple}");
    assert_eq!(simple["vars"], json!({"text": "One step: buy milk", "is_complex": false}));
    let complex = run(&app, "workflow_demo", json!({"task": "plan a trip"})).await;
    assert_eq!((&complex["ok"], &complex["vars"]["is_complex"]), (&json!(true), &json!(true)), "{complex}");
    assert!(complex["vars"]["text"].as_str().unwrap().contains("2. Do it: plan a trip"), "{complex}");
    assert!(!complex["log"].as_array().unwrap().is_empty());
    for done in [&simple, &complex] {
        assert!(read_run_file(&app, done, "state.json")["state_data"]["context"]["task"].is_string());
        let trace = read_run_file(&app, done, "trace.json");
        assert_eq!(trace["steps"].as_array().unwrap().last().unwrap()["node"], "finalize_done", "{trace}");
    }
    let events =
        get(&app, &format!("/api/runs/{}/events?limit=500", simple["run_id"].as_str().unwrap())).await;
    let items: Vec<(&str, &str)> = events["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["event"] == "item")
        .map(|event| (event["data"]["agent"].as_str().unwrap(), event["data"]["status"].as_str().unwrap()))
        .collect();
    let expected = [
        ("classify_task", "running"),
        ("classify_task", "succeeded"),
        ("echo_plan", "skipped"),
        ("echo_simple", "running"),
        ("echo_simple", "succeeded"),
    ];
    assert_eq!(items, expected);
    model.finish();
    app.finish().await;
}

// S0.49
#[actix_web::test]
async fn task_classifier_gives_the_task_back_and_a_boolean() {
    let model = answers(&["It is: {\"is_complex\": true}"]);
    let app = with_agents(&[], Some(&model)).await;
    let url = format!("{}/api/agents/task_classifier/run", app.base);
    let body = json!({"input": {"task": "напиши «звіт»\nі надішли"}});
    let done: Value =
        reqwest::Client::new().post(url).json(&body).send().await.unwrap().json().await.unwrap();
    assert_eq!(
        done["vars"],
        json!({"original_task": "напиши «звіт»\nі надішли", "is_complex": true}),
        "{done}"
    );
    assert!(
        read_run_file(&app, &done, "state.json").is_object()
            && read_run_file(&app, &done, "trace.json").is_object()
    );
    model.finish();
    app.finish().await;
}

// S0.4, S0.24: the loop ends by its condition, on either side of its limits.
#[actix_web::test]
async fn countdown_calls_itself_until_its_condition_is_false() {
    let app = with_agents(&[], None).await;
    let done = run(&app, "countdown", json!({"n": 4})).await;
    assert_eq!((&done["ok"], &done["vars"]), (&json!(true), &json!({"n": 0, "rounds": 4})), "{done}");
    let echoed = run(&app, "echo", json!({"text": "so"})).await;
    assert_eq!(echoed["vars"], json!({"text": "so"}), "{echoed}");
    app.finish().await;
}

// S0.2: browser, code and model in one workflow.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn price_report_joins_browser_code_and_model() {
    let _slot = talk::slot().await;
    let model = answers(&["From ₴240 to ₴2,000."]);
    let app = with_agents(&[], Some(&model)).await;
    let done = run(&app, "price_report", json!({"language": "English"})).await;
    assert_eq!(
        (&done["ok"], &done["vars"]["text"]),
        (&json!(true), &json!("From ₴240 to ₴2,000.")),
        "{done}"
    );
    let vars = &done["vars"];
    let (count, lowest, highest) =
        (vars["count"].as_u64(), vars["lowest"].as_f64(), vars["highest"].as_f64());
    assert!(count > Some(3) && lowest > Some(0.0) && highest > lowest, "{vars}");
    let prompt = model.requests()[0].body["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(prompt.contains(&format!("{} prices", count.unwrap())), "{prompt}");
    model.finish();
    app.finish().await;
}
