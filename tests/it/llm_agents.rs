//! Agents that are a model's answer (S0.27 to S0.29): prompt, text, values by name, one corrective retry.

use crate::support::agents::{ended, get, run, with_agents, with_settings};
use crate::support::model::{Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use serde_json::{Value, json};

const CLASSIFY: &str = "
kind: atomic
inputs: [{name: task, type: string}]
locals: [{name: tone, value: polite}]
outputs: [{name: is_complex, type: boolean, description: more than one step}]
llm: {system: 'Be {{ tone }}.', prompt: 'Judge: {{ task }}', parse_json: true, temperature: 0.5, model: small-1}
";

fn rules() -> Rules {
    Rules { llm: true, several_runs: true, ..Rules::default() }
}

fn system(body: &Value) -> String {
    body["messages"][0]["content"].as_str().unwrap().to_owned()
}

// S0.27, S0.28, S0.31, C2: the first rung, a schema made of the outputs.
#[actix_web::test]
async fn typed_outputs_are_requested_by_schema() {
    let answer = Reply::seen(|request| {
        let body = &request.body;
        assert_eq!((&body["model"], &body["temperature"]), (&json!("small-1"), &json!(0.5)));
        assert!(
            system(body).starts_with("Be polite.") && system(body).contains("more than one step"),
            "{body}"
        );
        assert_eq!(body["messages"][1]["content"], "Judge: book a flight");
        let properties = &body["response_format"]["json_schema"]["schema"]["properties"];
        assert_eq!(properties, &json!({"is_complex": {"type": "boolean"}}));
        Reply::Text(String::from(r#"{"is_complex": true, "more": 1}"#))
    });
    let model = ScriptedModel::with_rules(rules(), vec![answer]);
    let app = with_settings(&[("classify", CLASSIFY)], Some(&model), &[]).await;
    let done = run(&app, "classify", json!({"task": "book a flight"})).await;
    assert_eq!((&done["ok"], &done["vars"]), (&json!(true), &json!({"is_complex": true})), "{done}");
    let whole = get(&app, &format!("/api/runs/{}", done["run_id"].as_str().unwrap())).await;
    assert_eq!(whole["usage"]["model_calls"], 1);
    assert!(whole["usage"]["output_tokens"].as_u64().unwrap() > 0, "{whole}");
    model.finish();
    app.finish().await;
}

// S0.29, C2: out of the text, after one corrective retry that names the fault.
#[actix_web::test]
async fn an_answer_that_lacks_a_value_is_asked_for_once_more() {
    let mended = Reply::seen(|request| {
        let messages = request.messages();
        assert_eq!(messages[2]["content"], r#"{"is_complex": "perhaps"}"#);
        let fault = messages[3]["content"].as_str().unwrap();
        assert!(fault.contains("\"is_complex\" must be of type boolean, not string"), "{fault}");
        Reply::Text(String::from("Sorry.\n```json\n{\"is_complex\": false}\n```"))
    });
    let script = vec![Reply::Text(String::from(r#"{"is_complex": "perhaps"}"#)), mended];
    let model = ScriptedModel::with_rules(rules(), script);
    let app = with_settings(&[("classify", CLASSIFY)], Some(&model), &[]).await;
    let done = run(&app, "classify", json!({"task": "x"})).await;
    assert_eq!((&done["ok"], &done["vars"]), (&json!(true), &json!({"is_complex": false})), "{done}");

    model.push(Reply::Text(String::from("no")));
    model.push(Reply::Text(String::from("still no")));
    let failed = run(&app, "classify", json!({"task": "y", "locale": "en"})).await;
    assert_eq!((&failed["ok"], &failed["status"]), (&json!(false), &json!("failed")));
    let error = failed["error"].as_str().unwrap();
    assert!(error.contains("twice") && error.contains("there is no JSON object or list"), "{error}");
    model.finish();
    app.finish().await;
}

// S0.28: the whole text and the JSON in it by the two names of the document; a text alone by any name.
#[actix_web::test]
async fn llm_text_is_output_under_the_documented_or_a_single_own_name() {
    let both = "
kind: atomic
outputs: [{name: output_text}, {name: output_json}, {name: list, type: list}]
llm: {prompt: p, parse_json: true}
";
    let text = "kind: atomic\noutputs: [{name: poem}]\nllm: {prompt: p}\n";
    let script = vec![Reply::Text(String::from("Here: [1, 2]")), Reply::Text(String::from("Roses {red}"))];
    let model = ScriptedModel::with_rules(Rules { format: None, ..rules() }, script);
    let app = with_agents(&[("both", both), ("text", text)], Some(&model)).await;
    let done = run(&app, "both", json!({})).await;
    let expected = json!({"list": [1, 2], "output_text": "Here: [1, 2]", "output_json": [1, 2]});
    assert_eq!(done["vars"], expected, "{done}");
    let done = run(&app, "text", json!({})).await;
    assert_eq!(done["vars"], json!({"poem": "Roses {red}"}), "{done}");
    model.finish();
    app.finish().await;
}

// C5, C8: what is missing or used up is said, and no model is asked.
#[actix_web::test]
async fn without_input_model_or_budget_no_model_is_asked() {
    let poor = format!("{CLASSIFY}limits: {{tokens: 1}}\n");
    let pair = "
kind: composite
inputs: [{name: task}]
limits: {tokens: 5}
graph:
  lanes:
    - items: [{id: a, agent: text}]
    - items: [{id: b, agent: text}]
";
    let text = "kind: atomic\noutputs: [{name: poem}]\nllm: {prompt: p}\n";
    let model =
        ScriptedModel::with_rules(Rules { format: None, ..rules() }, vec![Reply::Text(String::from("a"))]);
    let app = with_agents(&[("poor", &poor), ("pair", pair), ("text", text)], Some(&model)).await;
    let http = reqwest::Client::new();
    let refused =
        http.post(format!("{}/api/run/poor", app.base)).json(&json!({"input": {}})).send().await.unwrap();
    assert_eq!(refused.status(), 422);
    let problem: Value = refused.json().await.unwrap();
    assert!(problem["detail"].as_str().unwrap().contains("`task` is missing"), "{problem}");
    // The first of two uses up what the tree may use.
    let done = run(&app, "pair", json!({"task": "x"})).await;
    assert_eq!(done["status"], "exhausted", "{done}");
    model.finish();
    app.finish().await;

    let app = with_agents(&[("text", text)], None).await;
    let done = run(&app, "text", json!({"locale": "en"})).await;
    assert_eq!(done["status"], "failed");
    assert!(done["error"].as_str().unwrap().contains("OPENAI_API_KEY"), "{done}");
    app.finish().await;
}

/// Orders something of a run.
async fn order(app: &crate::support::app::TestApp, run: &str, what: &str) {
    let url = format!("{}/api/runs/{run}/{what}", app.base);
    let answer = reqwest::Client::new().post(url).send().await.unwrap();
    assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
}

async fn start_run(app: &crate::support::app::TestApp, agent: &str, input: Value) -> String {
    let body = json!({"agent": agent, "input": input});
    let started = reqwest::Client::new().post(format!("{}/api/runs", app.base)).json(&body).send().await;
    let started: Value = started.unwrap().json().await.unwrap();
    started["run_id"].as_str().unwrap().to_owned()
}

// C5: what was asked is paid for, so a pause waits for the answer, which counts, and asks no second time.
#[actix_web::test]
async fn a_pause_does_not_drop_an_answer_that_is_paid_for() {
    let text = "kind: atomic\noutputs: [{name: poem}]\nllm: {prompt: p}\n";
    let (reply, release) = Reply::Text(String::from("a rose")).stalled();
    let model = ScriptedModel::with_rules(Rules { format: None, ..rules() }, vec![reply]);
    let app = with_agents(&[("text", text)], Some(&model)).await;
    let run = start_run(&app, "text", json!({})).await;
    model.arrived(1).await;
    order(&app, &run, "pause").await;
    assert_eq!(get(&app, &format!("/api/runs/{run}")).await["status"], "running");
    drop(release);
    let mut ws = crate::support::ws::Ws::hello(&app.base, json!({"run_id": run, "after_seq": 0})).await.0;
    ws.until_that("the pause", |frame| frame["type"] == "status" && frame["status"] == "paused").await;
    let whole = get(&app, &format!("/api/runs/{run}")).await;
    assert_eq!((&whole["status"], &whole["usage"]["model_calls"]), (&json!("paused"), &json!(1)), "{whole}");
    order(&app, &run, "resume").await;
    let done = ended(&app, &run).await;
    assert_eq!((&done["vars"], &done["usage"]["model_calls"]), (&json!({"poem": "a rose"}), &json!(1)));
    model.finish();
    app.finish().await;
}

// C5: of two answers the first counts, though the run is stopped before the second has come.
#[actix_web::test]
async fn an_answer_counts_though_the_run_is_stopped_before_the_next() {
    let (second, _release) = Reply::Text(String::from("{}")).stalled();
    let model = ScriptedModel::with_rules(rules(), vec![Reply::Text(String::from("no")), second]);
    let app = with_settings(&[("classify", CLASSIFY)], Some(&model), &[]).await;
    let run = start_run(&app, "classify", json!({"task": "x"})).await;
    model.arrived(2).await;
    order(&app, &run, "stop").await;
    let done = ended(&app, &run).await;
    assert_eq!((&done["status"], &done["usage"]["model_calls"]), (&json!("cancelled"), &json!(1)), "{done}");
    model.finish();
    app.finish().await;
}

// C5: what may be spent together holds for items that browse, too; a limit of an agent's own counts what it
// spends itself, not those beside it.
#[actix_web::test]
async fn each_limit_counts_what_its_own_tree_has_spent() {
    let text = "kind: atomic\noutputs: [{name: poem}]\nllm: {prompt: p}\nlimits: {tokens: 2000}\n";
    let thrice = "
kind: composite
outputs: [{name: poem}]
graph:
  lanes:
    - items: [{id: a, agent: text}]
    - items: [{id: b, agent: text}]
    - items: [{id: c, agent: text}]
";
    let browses = "
kind: composite
inputs: [{name: task}]
limits: {tokens: 1000}
graph:
  lanes:
    - items: [{id: a, agent: text}]
    - items:
        - id: b
          agent: browser
          bindings: [{from_agent_item_id: __CTX__, from_var: task, to_agent_item_id: b, to_var: text}]
";
    let reply = || Reply::Text(String::from("Roses"));
    let model = ScriptedModel::with_rules(
        Rules { format: None, ..rules() },
        vec![reply(), reply(), reply(), reply()],
    );
    let agents = [("text", text), ("thrice", thrice), ("browses", browses)];
    let app = with_agents(&agents, Some(&model)).await;
    let done = run(&app, "thrice", json!({})).await;
    assert_eq!((&done["status"], &done["vars"]), (&json!("succeeded"), &json!({"poem": "Roses"})), "{done}");
    let done = run(&app, "browses", json!({"task": "find a lamp"})).await;
    assert_eq!(done["status"], "exhausted", "{done}");
    model.finish();
    app.finish().await;
}
