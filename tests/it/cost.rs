//! Cost of model calls by the price table: of a call, of a run with all below it, and of an agent; without a price
//! there is no cost (C5).

use crate::support::agents::{run, with_agents, with_settings};
use crate::support::cli::askfirst;
use crate::support::metrics_samples::counted;
use crate::support::model::{Reply, ScriptedModel, turn};
use crate::support::model_checks::Rules;
use crate::support::tasks::{events, get, post, wait_for_run};
use serde_json::{Value, json};

const TEXT: &str = "kind: atomic\noutputs: [{name: poem}]\nllm: {prompt: p}\n";
const PAIR: &str = "
kind: composite
graph:
  lanes:
    - items: [{id: a, agent: text}]
    - items: [{id: b, agent: text}]
";
/// 200 new tokens, 1,000 known ones and 80 of the answer: 1.1 each time.
const PRICES: [(&str, &str); 4] = [
    ("ASKFIRST_PRICES__SCRIPTED__INPUT", "1000"),
    ("ASKFIRST_PRICES__SCRIPTED__CACHED", "100"),
    ("ASKFIRST_PRICES__SCRIPTED__OUTPUT", "10000"),
    ("ASKFIRST_PRICES__CURRENCY", "EUR"),
];

fn plain() -> Rules {
    Rules { format: None, llm: true, several_runs: true, ..Rules::default() }
}

fn text() -> Reply {
    Reply::Text(String::from("Roses"))
}

fn is(found: &Value, expected: f64) {
    assert!(found.as_f64().is_some_and(|found| (found - expected).abs() < 1e-9), "{found} is not {expected}");
}

#[actix_web::test]
async fn money_is_counted_of_a_call_a_run_tree_and_an_agent() {
    let model = ScriptedModel::with_rules(plain(), vec![text(), text()]);
    let settings = [&PRICES[..], &[("ASKFIRST_MODEL__STRUCTURED", "prompt")]].concat();
    let app = with_settings(&[("text", TEXT), ("pair", PAIR)], Some(&model), &settings).await;
    let scraped = async || {
        let samples = ["askfirst_cost_total", "askfirst_model_calls_total", "askfirst_tokens_total"];
        futures_util::future::join_all(samples.map(|sample| counted(&app.base, sample))).await
    };
    let before = scraped().await;
    let done = run(&app, "pair", json!({})).await;
    assert_eq!(done["status"], "succeeded", "{done}");
    let root = done["run_id"].as_str().unwrap();

    let whole = get(&app.base, &format!("/api/runs/{root}")).await;
    assert_eq!((&whole["usage"]["model_calls"], &whole["tree_usage"]["model_calls"]), (&json!(0), &json!(2)));
    is(&whole["usage"]["cost"], 0.0);
    is(&whole["tree_usage"]["cost"], 2.2);
    assert_eq!(whole["tree_usage"]["input_tokens"], 2400);
    let children = get(&app.base, &format!("/api/runs?parent={root}")).await;
    let child = children["items"][0]["run_id"].as_str().unwrap();
    is(&get(&app.base, &format!("/api/runs/{child}")).await["usage"]["cost"], 1.1);

    let usage_events = events(&app.base, root, "usage").await;
    assert_eq!((usage_events.len(), &usage_events[0]["currency"]), (2, &json!("EUR")), "{usage_events:?}");
    usage_events.iter().for_each(|call| is(&call["cost"], 1.1));

    let spent = get(&app.base, "/api/usage").await;
    let agents: Vec<_> = spent["items"].as_array().unwrap().iter().map(|row| &row["agent"]).collect();
    assert_eq!((&spent["currency"], json!(agents)), (&json!("EUR"), json!(["pair", "text"])), "{spent}");
    assert_eq!(spent["items"][1]["runs"], 2);
    is(&spent["items"][1]["usage"]["cost"], 2.2);
    is(&spent["total"]["cost"], 2.2);
    let later = get(&app.base, "/api/usage?since=2999-01-01T00:00:00Z").await;
    assert_eq!((&later["items"], &later["total"]["model_calls"]), (&json!([]), &json!(0)), "{later}");
    assert_eq!(get(&app.base, "/api/usage?since=soon").await["code"], "bad_query");
    // The same as numbers to scrape, to which other tests of this process add.
    for ((after, before), grown) in scraped().await.iter().zip(before).zip([2.2, 2.0, 4560.0]) {
        assert!(after - before >= grown - 1e-9, "{} is less than {grown}", after - before);
    }
    model.finish();
    app.finish().await;
}

#[actix_web::test]
async fn a_model_without_a_price_shows_no_money_rather_than_none_spent() {
    let model = ScriptedModel::with_rules(plain(), vec![text()]);
    let app = with_agents(&[("text", TEXT)], Some(&model)).await;
    let done = run(&app, "text", json!({})).await;
    let id = done["run_id"].as_str().unwrap();
    let whole = get(&app.base, &format!("/api/runs/{id}")).await;
    for usage in [&whole["usage"], &whole["tree_usage"]] {
        assert_eq!((&usage["cost"], &usage["unpriced_calls"]), (&Value::Null, &json!(1)), "{whole}");
    }
    let usage_events = events(&app.base, id, "usage").await;
    assert_eq!((&usage_events[0]["cost"], &usage_events[0]["currency"]), (&Value::Null, &Value::Null));
    assert_eq!(get(&app.base, "/api/usage").await["total"]["cost"], Value::Null);
    model.finish();
    app.finish().await;
}

// C5: what the price table says counts against `limits.money`, as what an endpoint tells does.
#[actix_web::test]
async fn money_has_a_limit_with_a_warning_and_a_question() {
    let talks = "kind: atomic\nllm: {prompt: '{{ text }}', plan: auto}\nlimits: {money: 2.5}\n";
    let wrong = || Reply::Turn(turn("nothing_like_that", json!({})));
    let rules = Rules { several_runs: true, ..Rules::default() };
    let model = ScriptedModel::with_rules(rules, vec![wrong(), wrong(), Reply::stop("Enough.")]);
    // The third invalid action would block it, and that is another limit.
    let app = with_settings(&[("talks", talks)], Some(&model), &PRICES).await;
    let body = json!({"agent": "talks", "input": {"text": "go", "locale": "en"}, "wait": true});
    let done = post(&app.base, "/api/runs", body).await.1;
    assert_eq!(done["status"], "succeeded", "{done}");
    let id = done["run_id"].as_str().unwrap();
    let warned = events(&app.base, id, "budget").await;
    assert_eq!((warned.len(), &warned[0]["limit"], &warned[0]["most"]), (1, &json!("money"), &json!(2.5)));
    is(&warned[0]["used"], 2.2);

    // The next message finds the budget used up: 3.3 of 2.5.
    let reply = post(&app.base, &format!("/api/runs/{id}/messages"), json!({"text": "go on"})).await;
    assert!(reply.0 < 300, "{reply:?}");
    let is_budget_question = |whole: &Value| whole["questions"][0]["kind"] == "budget";
    let asked = wait_for_run(&app.base, id, "it asks for money", is_budget_question).await;
    assert_eq!(asked["questions"][0]["payload"]["limit"], "money", "{asked}");
    model.push(Reply::stop("More."));
    let path = format!("/api/questions/{}", asked["questions"][0]["reference"].as_str().unwrap());
    assert_eq!(post(&app.base, &path, json!({"confirmed": true})).await.0, 200);
    let done = wait_for_run(&app.base, id, "its end", |whole| !whole["ended_at"].is_null()).await;
    assert_eq!((&done["status"], &done["final_response"]), (&json!("succeeded"), &json!("More.")), "{done}");
    model.finish();
    app.finish().await;
}

#[actix_web::test]
async fn the_command_line_prints_the_cost_at_the_end() {
    let model = ScriptedModel::with_rules(plain(), vec![text(), text()]);
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("agents")).unwrap();
    std::fs::write(folder.path().join("agents/text.yaml"), format!("name: text\n{TEXT}")).unwrap();
    let base =
        [("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()), ("ASKFIRST_MODEL__STRUCTURED", "prompt")];
    let priced = askfirst(folder.path(), &["run", "text"], &[&PRICES[..], &base].concat()).await;
    assert!(priced.code == 0 && priced.err.contains("1280 tokens, 1.1000 EUR"), "{priced:?}");
    let unpriced = askfirst(folder.path(), &["run", "text"], &base).await;
    assert!(unpriced.err.contains("1280 tokens") && !unpriced.err.contains("EUR"), "{unpriced:?}");
    assert!(!unpriced.err.contains("cost"), "{unpriced:?}");
    model.finish();
}
