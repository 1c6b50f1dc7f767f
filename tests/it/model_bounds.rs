//! Bounds on replies of an endpoint, applied on reading: no reply blocks or breaks a run.

use crate::support::agents::{get, run, with_settings};
use crate::support::model::{Reply, ScriptedModel, completion, turn};
use crate::support::model_checks::Rules;
use crate::support::tasks::{events, post, wait_for_run};
use serde_json::{Value, json};

const TALK: &str = "
kind: atomic
inputs: [{name: text, type: string, required: true}]
llm: {prompt: '{{ text }}', uses: [echo]}
";

// Stored parts of a turn are nested deeper in the export and the state, and are read again with the next message.
#[actix_web::test]
async fn too_deeply_nested_actions_are_reported_to_the_model_and_not_stored() {
    let mut nested = turn("echo", json!({"text": "x"}));
    for _ in 0..59 {
        let inner = nested["actions"][0].take();
        nested["actions"][0] = json!({"action": "group", "params": {}, "sub_actions": [inner]});
    }
    let mended = Reply::seen(|request| {
        let prompt = request.last_text();
        assert!(prompt.contains("`sub_actions` are nested deeper than 8 levels"), "{prompt}");
        Reply::stop("Done.")
    });
    let model = ScriptedModel::with_rules(Rules::default(), vec![Reply::Turn(nested), mended]);
    let app = with_settings(&[("talk", TALK)], Some(&model), &[]).await;
    let done = run(&app, "talk", json!({"text": "go", "locale": "en"})).await;
    assert_eq!((&done["ok"], &done["status"]), (&json!(true), &json!("succeeded")), "{done}");
    let id = done["run_id"].as_str().unwrap();
    assert_eq!(get(&app, &format!("/api/runs/{id}/state")).await["code"], json!(null));
    model.finish();
    app.finish().await;
}

#[actix_web::test]
async fn implausible_usage_of_an_endpoint_is_clamped() {
    let reply = turn("stop", json!({"response": "Done."}));
    let mut body = completion(&reply.to_string());
    body["usage"] = json!({"prompt_tokens": 1u64 << 63, "completion_tokens": u64::MAX, "cost": 1e308});
    let model = ScriptedModel::with_rules(Rules::default(), vec![Reply::Body(body)]);
    let app = with_settings(&[("talk", TALK)], Some(&model), &[]).await;
    let done = run(&app, "talk", json!({"text": "go", "locale": "en"})).await;
    assert_eq!(done["status"], "succeeded", "{done}");
    let whole = get(&app, &format!("/api/runs/{}", done["run_id"].as_str().unwrap())).await;
    assert_eq!(whole["usage"]["input_tokens"], 1_000_000_000, "{whole}");
    assert_eq!(whole["usage"]["cost"], json!(1e6), "{whole}");
    model.finish();
    app.finish().await;
}

// C5: a limit on tokens, and one on money, holds with an endpoint that does not tell what a call takes.
#[actix_web::test]
async fn limits_hold_with_an_endpoint_that_reports_no_usage() {
    let without_usage = |turn_value: Value| {
        let mut body = completion(&turn_value.to_string());
        body.as_object_mut().unwrap().remove("usage");
        Reply::Body(body)
    };
    let prices =
        [("ASKFIRST_PRICES__SCRIPTED__INPUT", "1000"), ("ASKFIRST_PRICES__SCRIPTED__OUTPUT", "1000")];
    for (limits, limit) in [("tokens: 500", "tokens"), ("money: 0.5", "money")] {
        let wrong = without_usage(turn("nothing_like_that", json!({})));
        let model = ScriptedModel::with_rules(Rules::default(), vec![wrong]);
        let talk = format!("{TALK}limits: {{{limits}}}\n");
        let app = with_settings(&[("talk", &talk)], Some(&model), &prices).await;
        let body = json!({"agent": "talk", "input": {"text": "go", "locale": "en"}});
        let started = post(&app.base, "/api/runs", body).await.1;
        let id = started["run_id"].as_str().unwrap();
        let is_over_or_asks =
            |whole: &Value| whole["questions"][0]["kind"] == "budget" || !whole["ended_at"].is_null();
        let asked = wait_for_run(&app.base, id, "it asks whether it may use more", is_over_or_asks).await;
        assert_eq!(asked["questions"][0]["payload"]["limit"], limit, "{asked}");
        let used = events(&app.base, id, "usage").await;
        assert_eq!((used.len(), &used[0]["estimated"]), (1, &json!(true)), "{used:?}");
        // The endpoint reports no input tokens, so they are estimated.
        let sent = model.requests()[0].body.to_string().len() as u64;
        let counted = used[0]["input_tokens"].as_u64().unwrap();
        assert!((sent / 5..sent / 3).contains(&counted), "{counted} tokens for {sent} bytes");
        assert!(used[0]["output_tokens"].as_u64().unwrap() > 50, "{used:?}");
        assert_eq!(asked["usage"]["input_tokens"], counted, "{asked}");
        model.finish();
        app.finish().await;
    }
}

// S1.11: a schema beyond what strict mode takes is not asked for; the answer is read all the same.
#[actix_web::test]
async fn agents_with_more_inputs_than_strict_mode_takes_are_asked_for_as_plain_json() {
    let many = |agent: usize, inputs: usize| {
        let inputs: Vec<String> =
            (0..inputs).map(|n| format!("{{name: in_{agent}_{n}, type: string}}")).collect();
        (
            format!("a{agent}"),
            format!("kind: composite\ninputs: [{}]\ngraph: {{lanes: []}}\n", inputs.join(", ")),
        )
    };
    for (inputs, format) in [(100, "json_schema"), (300, "json_object")] {
        let agents: Vec<(String, String)> = (0..10).map(|agent| many(agent, inputs)).collect();
        let names: Vec<&str> = agents.iter().map(|(name, _)| name.as_str()).collect();
        let talk = TALK.replace("echo", &names.join(", "));
        let mut files: Vec<(&str, &str)> =
            agents.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        files.push(("talk", &talk));
        let rules = Rules { format: Some(format), ..Rules::default() };
        let model = ScriptedModel::with_rules(rules, vec![Reply::stop("Done.")]);
        let app = with_settings(&files, Some(&model), &[]).await;
        let done = run(&app, "talk", json!({"text": "go", "locale": "en"})).await;
        assert_eq!((&done["ok"], &done["status"]), (&json!(true), &json!("succeeded")), "{done}");
        assert_eq!(model.requests()[0].body["response_format"]["type"], format, "{inputs} inputs of each");
        model.finish();
        app.finish().await;
    }
}
