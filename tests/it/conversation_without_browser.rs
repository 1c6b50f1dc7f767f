//! Conversations without a page: an `llm` agent that plans, asks or calls others (docs/agents.md).

use crate::support::agents::{ended, get, run, with_agents, with_settings};
use crate::support::model::{Reply, ScriptedModel, turn};
use crate::support::model_checks::Rules;
use crate::support::tasks::calls;
use serde_json::{Value, json};

const HELPER: &str = "
kind: atomic
inputs: [{name: topic, type: string, required: true}]
outputs: [{name: answer, type: string}]
llm: {system: 'You know {{ topic }}.', prompt: 'Tell me about {{ topic }}.', thinking: auto}
";

fn rules() -> Rules {
    Rules { several_runs: true, ..Rules::default() }
}

// S1.26, S2.5, S2.11: the same turns and questions, and no page anywhere.
#[actix_web::test]
async fn an_agent_without_a_page_asks_and_ends_as_any() {
    let sees_no_page = Reply::seen(|request| {
        assert!(request.system().starts_with("You know bees."), "{}", request.system());
        assert!(request.last_text().contains("Tell me about bees."), "{}", request.last_text());
        let actions =
            request.body["response_format"]["json_schema"]["schema"]["properties"]["actions"].to_string();
        assert!(actions.contains("ask_user") && !actions.contains("navigate"), "{actions}");
        Reply::act("ask_user", json!({"question": "Which?", "answer_key": "kind", "options": []}))
    });
    let page = Reply::act("navigate", json!({"url": "http://example.com"}));
    let sees_failure = Reply::seen(|request| {
        let prompt = request.last_text();
        assert!(prompt.contains("failed") && prompt.contains("navigate"), "{prompt}");
        Reply::stop("Bees fly.")
    });
    let model = ScriptedModel::with_rules(rules(), vec![sees_no_page, page, sees_failure]);
    let app = with_settings(&[("helper", HELPER)], Some(&model), &[]).await;
    let http = reqwest::Client::new();
    let body = json!({"agent": "helper", "input": {"topic": "bees"}, "wait": true});
    let asked: Value =
        http.post(format!("{}/api/runs", app.base)).json(&body).send().await.unwrap().json().await.unwrap();
    assert_eq!(asked["status"], "waiting", "{asked}");
    let reference = asked["questions"][0]["reference"].as_str().unwrap();
    let url = format!("{}/api/questions/{reference}", app.base);
    let answered = http.post(url).json(&json!({"text": "honey bees"})).send().await.unwrap();
    assert!(answered.status().is_success());
    let run = asked["run_id"].as_str().unwrap();
    let whole = ended(&app, run).await;
    assert_eq!(
        (&whole["status"], &whole["vars"]["answer"]),
        (&json!("succeeded"), &json!("Bees fly.")),
        "{whole}"
    );
    let browsers = get(&app, "/api/browsers").await;
    assert!(!browsers.to_string().contains(run), "{browsers}");
    model.finish();
    app.finish().await;
}

#[actix_web::test]
async fn a_talk_agent_without_a_model_says_what_is_missing() {
    let app = with_agents(&[("helper", HELPER)], None).await;
    let done = crate::support::agents::run(&app, "helper", json!({"topic": "x", "locale": "en"})).await;
    assert_eq!(done["status"], "failed", "{done}");
    assert!(done["error"].as_str().unwrap().contains("OPENAI_API_KEY"), "{done}");
    app.finish().await;
}

// S4.15, S4.21: what a turn says that goes on is told when it is said, and once; what one says that ends, at the end.
#[actix_web::test]
async fn intermediate_responses_are_sent_at_once_and_are_not_final() {
    let respond_and = |text: &str, action: Value| {
        let mut turn_value = action;
        turn_value["response"] = json!(text);
        Reply::Turn(turn_value)
    };
    let read_clock = || calls(&[("c", "clock", json!({}), "SYNC")]);
    let mut wrong = turn("nothing_like_that", json!({}));
    wrong["response"] = json!(" ");
    let model = ScriptedModel::with_rules(
        rules(),
        vec![
            respond_and("I look at the **clock**.", read_clock()),
            respond_and("I look at the **clock**.", read_clock()),
            Reply::Turn(wrong),
            respond_and("Once more.", read_clock()),
            respond_and("never told", turn("stop", json!({"response": "It is noon."}))),
        ],
    );
    let clerk = "kind: atomic\nllm: {prompt: '{{ text }}', uses: [clock]}\n";
    let clock = "kind: atomic\noutputs: [{name: now}]\npython: {code: \"now = 'noon'\"}\n";
    let app = with_settings(&[("clerk", clerk), ("clock", clock)], Some(&model), &[]).await;
    let done = run(&app, "clerk", json!({"text": "What time is it?", "locale": "en"})).await;
    assert_eq!(done["ok"], json!(true), "{done}");
    let id = done["run_id"].as_str().unwrap();
    let events = get(&app, &format!("/api/runs/{id}/events")).await;
    let events = events["items"].as_array().unwrap();
    let kinds =
        events.iter().filter(|event| event["run_id"] == id).filter_map(|event| match &event["type"] {
            kind if kind == "agent_message" => Some((event["text"].as_str()?, event["final"].as_bool()?)),
            kind if kind == "event" && event["event"] == "action_started" => Some(("begins", false)),
            _ => None,
        });
    let messages: Vec<(&str, bool)> = kinds.collect();
    let expected = [
        ("I look at the **clock**.", false),
        ("begins", false),
        ("begins", false),
        ("Once more.", false),
        ("begins", false),
        ("It is noon.", true),
    ];
    assert_eq!(messages, expected, "{events:?}");
    model.finish();
    app.finish().await;
}
