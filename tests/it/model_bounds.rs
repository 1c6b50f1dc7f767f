//! What an endpoint says is held to bounds when it is read: a run is neither wedged nor ruined by it.

use crate::support::agents::{get, run, with_settings};
use crate::support::model::{Reply, ScriptedModel, completion, turn};
use crate::support::model_checks::Rules;
use serde_json::json;

const TALK: &str = "
kind: atomic
inputs: [{name: text, type: string, required: true}]
llm: {prompt: '{{ text }}', uses: [echo]}
";

// What is kept of a turn is wrapped deeper and read again: of the export, of the state, at the next message.
#[actix_web::test]
async fn actions_that_are_nested_too_deep_are_told_to_the_model_and_not_kept() {
    let mut nested = turn("echo", json!({"text": "x"}));
    for _ in 0..59 {
        let inner = nested["actions"][0].take();
        nested["actions"][0] = json!({"action": "group", "params": {}, "sub_actions": [inner]});
    }
    let mended = Reply::seen(|request| {
        let told = request.last_text();
        assert!(told.contains("`sub_actions` are nested deeper than 8 levels"), "{told}");
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
async fn numbers_that_no_call_can_have_taken_are_not_believed() {
    let said = turn("stop", json!({"response": "Done."}));
    let mut body = completion(&said.to_string());
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
