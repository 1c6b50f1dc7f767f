//! Secrets in the first message to an agent that a model reads: removed before anything is stored or sent, as in all
//! later messages, by every way of starting a run.

use crate::conversation_secrets::holders;
use crate::support::agents::{get, run, with_settings};
use crate::support::model::{Reply, Request, ScriptedModel};
use crate::support::model_checks::Rules;
use serde_json::{Value, json};

const TALK: &str = "
kind: atomic
inputs: [{name: text, type: string, required: true}]
outputs: [{name: answer, type: string}]
llm: {prompt: 'Please: {{ text }}', uses: [echo]}
";

fn secret(number: usize) -> String {
    format!("S3cretFirst{number}")
}

/// Words with a secret in them.
fn words(number: usize) -> String {
    format!("log in at the shop: type {} into Password", secret(number))
}

fn answered(request: &Request) -> Reply {
    match request.schema_name() {
        "orchestration_plan" => Reply::Text(String::from("{}")),
        _ => Reply::stop("ok"),
    }
}

#[actix_web::test]
async fn secrets_in_the_first_message_are_neither_sent_nor_stored() {
    let model = ScriptedModel::answering(Rules { several_runs: true, ..Rules::default() }, answered);
    let app = with_settings(&[("talk", TALK)], Some(&model), &[]).await;
    for (number, agent) in ["assistant", "talk", "browser"].into_iter().enumerate() {
        let done = run(&app, agent, json!({"text": words(number)})).await;
        assert_eq!(done["ok"], true, "{agent}: {done}");
    }
    let messages = [("user", words(3)), ("assistant", String::from("ok")), ("user", words(4))];
    let messages: Vec<Value> =
        messages.iter().map(|(role, text)| json!({"role": role, "content": text})).collect();
    let url = format!("{}/v1/chat/completions", app.base);
    let body = json!({"model": "assistant", "messages": messages});
    let response = reqwest::Client::new().post(url).json(&body).send().await.unwrap();
    assert_eq!(response.status(), 200);

    // An orchestration's own model makes the plan; a given plan contains text for models.
    run(&app, "agent_orchestrate", json!({"prompt": words(5)})).await;
    let step = |id: &str, text: String| json!({"id": id, "type": "agent", "agent_id": "talk", "with": {"text": text}});
    let steps = json!({"steps": [step("a", words(6)), step("b", String::from("{{ order }}"))]});
    let done = run(&app, "agent_orchestrate", json!({"plan": steps, "bindings": {"order": words(7)}})).await;
    assert_eq!(done["ok"], true, "{done}");

    let seen = model.requests();
    let seen: Vec<String> = seen.iter().map(|request| request.body.to_string()).collect();
    assert_eq!(seen.iter().filter(|body| body.contains("log in at the shop")).count(), seen.len());
    let listed = get(&app, "/api/runs").await;
    let mut stored = vec![listed.to_string()];
    for one in listed["items"].as_array().unwrap() {
        let run = one["run_id"].as_str().unwrap();
        stored.push(get(&app, &format!("/api/runs/{run}/export")).await.to_string());
    }
    for secret in (0..8).map(secret) {
        let has = |texts: &[String]| texts.iter().filter(|text| text.contains(&secret)).count();
        assert_eq!((has(&seen), has(&stored)), (0, 0), "{secret}");
        assert_eq!(holders(&app.data(), &[&secret]), Vec::<String>::new());
    }
    model.finish();
    app.finish().await;
}
