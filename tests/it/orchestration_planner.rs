//! Plans that are made of a prompt (S3.13): by the service's own planner, strictly, or by an agent of the
//! settings; and what becomes of answers that are no plan.

use crate::support::agents::{get, with_settings};
use crate::support::model::{Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::orchestration::{orchestrate, started_below};
use serde_json::{Value, json};

/// Says its word aloud, in the sandbox.
const SHOUT: &str = "
kind: atomic
description_en: Says a word aloud.
inputs: [{name: word, type: string}, {name: times, type: integer, default: 1}]
outputs: [{name: said, type: string}]
python: {code: 'result = {\"said\": (word + \"!\") * times}'}
";

/// Makes plans itself.
const PLANNER: &str = "
kind: atomic
inputs: [{name: prompt, type: string}, {name: agents, type: list}, {name: schema, type: object}]
outputs: [{name: plan}]
llm: {prompt: 'plan {{ prompt }} with {{ agents | length }} agents'}
";

fn step(id: &str, with: Value) -> Value {
    json!({"id": id, "type": "agent", "agent_id": "shout", "action_id": null, "prompt": null, "with": with,
           "result_key": id})
}

fn plan() -> Value {
    let word = |word: &str| json!([{"name": "word", "value": word}]);
    let twice =
        json!([{"name": "word", "value": "${{ result.first.said }}"}, {"name": "times", "value": "2"}]);
    json!({"steps": [
        step("first", word("${{ name }}")),
        {"id": "both", "type": "parallel", "children": [step("a", twice), step("b", word("b"))],
         "max_concurrency": null, "merge_strategy": "collect", "quorum": null, "result_key": "both"},
    ]})
}

fn rules() -> Rules {
    Rules { several_runs: true, ..Rules::default() }
}

// S3.13, S3.14: one question to the model, without tools, for a strict schema that names the agents there are.
#[actix_web::test]
async fn a_prompt_becomes_a_plan_that_is_carried_out() {
    let asked = Reply::seen(|request| {
        let body = &request.body;
        assert_eq!(body["response_format"]["json_schema"]["name"], "orchestration_plan");
        assert_eq!(
            (body.get("tools"), body.get("tool_choice"), &body["temperature"]),
            (None, None, &json!(0.0))
        );
        assert_eq!(body["model"], "a-planner", "S3.37: the model of the settings");
        let schema = body["response_format"]["json_schema"]["schema"].to_string();
        assert!(schema.contains("\"shout\"") && !schema.contains("agent_orchestrate"), "S3.29: {schema}");
        let prompt = request.messages().last().unwrap()["content"].as_str().unwrap().to_owned();
        assert!(
            prompt.contains("- shout {word: string, times?: integer} -> {said}: Says a word aloud."),
            "{prompt}"
        );
        assert!(prompt.contains("greet everybody") && prompt.contains("Bindings: name"), "{prompt}");
        assert!(!prompt.contains("agent_orchestrate") && !prompt.contains("Olena"), "{prompt}");
        Reply::Text(plan().to_string())
    });
    let model = ScriptedModel::with_rules(rules(), vec![asked]);
    let settings = [("ASKFIRST_ORCHESTRATION__PLANNER_MODEL", "a-planner")];
    let app = with_settings(&[("shout", SHOUT)], Some(&model), &settings).await;
    let done = orchestrate(&app, json!({"prompt": "greet everybody", "bindings": {"name": "Olena"}})).await;
    assert_eq!((&done["status"], &done["vars"]["success"]), (&json!("succeeded"), &json!(true)), "{done}");
    let both = json!({"a": {"said": "Olena!!Olena!!"}, "b": {"said": "b!"}});
    assert_eq!(done["vars"]["steps"][1]["outputs"], both);
    let usage = get(&app, &format!("/api/runs/{}", done["run_id"].as_str().unwrap())).await;
    assert!(usage["tokens"].as_u64().unwrap() > 0, "the planner's call is the orchestration's: {usage}");
    model.finish();
    app.finish().await;
}

// S3.13, S3.29, C2: prose, unknown agents and the orchestrator itself are told once, then rejected.
#[actix_web::test]
async fn an_answer_that_is_no_plan_is_rejected() {
    let named = |agent: &str| {
        let mut plan = plan();
        plan["steps"][0]["agent_id"] = json!(agent);
        plan.to_string()
    };
    for (answer, expected) in [
        (String::from("Sure! Here comes the plan."), "not one JSON object"),
        (String::from("{\"steps\": []}"), "there is no step in it"),
        (named("nobody"), "there is no agent `nobody`"),
        (named("agent_orchestrate"), "may not call the orchestrator again"),
        (named("cp__agent_orchestrate"), "may not call the orchestrator again"),
    ] {
        let again = {
            let answer = answer.clone();
            Reply::seen(move |request| {
                let prompt = request.messages().last().unwrap()["content"].as_str().unwrap().to_owned();
                assert!(
                    prompt.contains("could not be used") && prompt.contains(expected),
                    "{expected}: {prompt}"
                );
                Reply::Text(answer)
            })
        };
        let model = ScriptedModel::with_rules(rules(), vec![Reply::Text(answer), again]);
        let app = with_settings(&[("shout", SHOUT)], Some(&model), &[]).await;
        let done = orchestrate(&app, json!({"prompt": "greet everybody"})).await;
        let vars = &done["vars"];
        assert_eq!((&done["status"], &vars["success"]), (&json!("failed"), &json!(false)), "{done}");
        assert!(vars["errors"][0]["message"].as_str().unwrap().contains(expected), "{vars}");
        assert_eq!((&vars["errors"][0]["path"], started_below(&app, &done).await), (&json!("prompt"), 0));
        model.finish();
        app.finish().await;
    }
}

// S3.13: told what was wrong, the model may mend it.
#[actix_web::test]
async fn a_plan_may_be_mended_once() {
    let model =
        ScriptedModel::with_rules(rules(), vec![Reply::Text("{}".into()), Reply::Text(plan().to_string())]);
    let app = with_settings(&[("shout", SHOUT)], Some(&model), &[]).await;
    let done = orchestrate(&app, json!({"prompt": "greet everybody", "bindings": {"name": "Olena"}})).await;
    assert_eq!(done["status"], "succeeded", "{done}");
    model.finish();
    app.finish().await;
}

// S3.13: without a model there is nobody to make a plan.
#[actix_web::test]
async fn without_a_model_a_prompt_fails_with_what_to_do() {
    let app = with_settings(&[("shout", SHOUT)], None, &[]).await;
    let done = orchestrate(&app, json!({"prompt": "greet everybody"})).await;
    assert_eq!(done["status"], "failed");
    assert!(done["vars"]["errors"][0]["message"].as_str().unwrap().contains("model.base_url"), "{done}");
    app.finish().await;
}

// S3.40: an agent of one's own makes the plan, as a run below; its answer is held to the same rules.
#[actix_web::test]
async fn an_agent_of_the_settings_makes_the_plan() {
    for (answer, status) in [(plan().to_string(), "succeeded"), (format!("Here: {}", plan()), "failed")] {
        let asked = Reply::seen(move |request| {
            let prompt = request.messages().last().unwrap()["content"].as_str().unwrap().to_owned();
            assert!(prompt.starts_with("plan greet everybody with"), "{prompt}");
            Reply::Text(answer)
        });
        let rules = Rules { llm: true, several_runs: true, format: None, ..Rules::default() };
        let model = ScriptedModel::with_rules(rules, vec![asked]);
        let settings = [("ASKFIRST_ORCHESTRATION__PLANNER_AGENT", "my_planner")];
        let app = with_settings(&[("shout", SHOUT), ("my_planner", PLANNER)], Some(&model), &settings).await;
        let done =
            orchestrate(&app, json!({"prompt": "greet everybody", "bindings": {"name": "Olena"}})).await;
        assert_eq!(done["status"], status, "{done}");
        let below =
            get(&app, &format!("/api/runs?agent=my_planner&parent={}", done["run_id"].as_str().unwrap()))
                .await;
        assert_eq!(below["items"].as_array().unwrap().len(), 1);
        model.finish();
        app.finish().await;
    }
    // An agent that calls others cannot be a planner.
    let settings = [("ASKFIRST_ORCHESTRATION__PLANNER_AGENT", "assistant")];
    let app = with_settings(&[("shout", SHOUT)], None, &settings).await;
    let done = orchestrate(&app, json!({"prompt": "greet everybody"})).await;
    assert_eq!(done["vars"]["errors"][0]["path"], "orchestration.planner_agent", "{done}");
    app.finish().await;
}
