//! The orchestrator where agents are called (S3.1, S3.3): by function calling of a conversation, as an item of
//! lanes, as a task beside the conversation, and by the document's own path.

use crate::support::agents::{ended, get, run, with_agents, with_settings};
use crate::support::lanes::{LEAF, item};
use crate::support::model::{Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::orchestration::{agent, parallel};
use crate::support::tasks::{ECHO, calls, master, post, run_master};
use serde_json::{Value, json};

fn plan() -> Value {
    let numbers = |id: &str, n: Value| agent(id, "echo", json!({"n": n}));
    json!({"steps": [
        numbers("one", json!("${{ begin }}")),
        parallel("both", vec![numbers("two", json!("${{ result.one.n + 1 }}")), numbers("three", json!(3))]),
    ]})
}

// S3.1, S3.38: the strict schema offers it, its plan is JSON in a text, and its own templates reach it.
#[actix_web::test]
async fn a_conversation_calls_the_orchestrator() {
    for name in ["agent_orchestrate", "cp__agent_orchestrate"] {
        let begins = Reply::seen(move |request| {
            let schema = request.body["response_format"]["json_schema"]["schema"].to_string();
            assert!(
                schema.contains("\"agent_orchestrate\"") && schema.contains("\"max_parallel\""),
                "{schema}"
            );
            assert!(request.system().contains("agent_orchestrate"), "{}", request.system());
            let params = json!({
                "prompt": null, "plan": plan().to_string(), "bindings": "{\"begin\": 1}", "timeout_ms": null,
                "max_parallel": 2,
            });
            Reply::Turn(calls(&[("o", name, params, "SYNC")]))
        });
        let reads_result = Reply::seen(|request| {
            let prompt = request.last_text();
            for word in ["result o ok", "\"success\":true", "\"both\"", "\"n\":2", "\"exec_id\""] {
                assert!(prompt.contains(word), "{word}: {prompt}");
            }
            Reply::stop("Done.")
        });
        let rules = Rules { several_runs: true, ..Rules::default() };
        let model = ScriptedModel::with_rules(rules, vec![begins, reads_result]);
        let app = with_settings(&[("master", &master(&[name])), ("echo", ECHO)], Some(&model), &[]).await;
        let whole = run_master(&app.base, "Count.").await;
        assert_eq!(whole["status"], "succeeded", "{whole}");
        let root = whole["run_id"].as_str().unwrap();
        let tree = get(&app, &format!("/api/runs?limit=100&root={root}")).await;
        let depth = |agent: &str| {
            let all = tree["items"].as_array().unwrap().iter().filter(|run| run["agent"] == agent);
            all.map(|run| run["depth"].as_u64().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!((depth("agent_orchestrate"), depth("echo")), (vec![1], vec![2, 2, 2]));
        model.finish();
        app.finish().await;
    }
}

// S3.6, C7: synchronous to its caller, and dispatched as a task by who calls it so.
#[actix_web::test]
async fn an_orchestration_may_run_as_a_background_task() {
    let params = json!({"plan": plan(), "bindings": {"begin": 1}});
    let script = vec![
        Reply::Turn(calls(&[("o", "agent_orchestrate", params, "ASYNC")])),
        Reply::Turn(calls(&[("w", "task_manager", json!({"operation": "wait", "task_id": "o"}), "SYNC")])),
        Reply::seen(|request| {
            assert!(request.last_text().contains("\"success\":true"), "{}", request.last_text());
            Reply::stop("Done.")
        }),
    ];
    let rules = Rules { several_runs: true, ..Rules::default() };
    let model = ScriptedModel::with_rules(rules, script);
    let agents = [("master", &*master(&["agent_orchestrate"])), ("echo", ECHO)];
    let app = with_settings(&agents, Some(&model), &[]).await;
    let whole = run_master(&app.base, "Count.").await;
    assert_eq!(whole["status"], "succeeded", "{whole}");
    let tasks = &whole["tasks"];
    assert_eq!((&tasks[0]["task_id"], &tasks[0]["status"]), (&json!("o"), &json!("succeeded")), "{tasks}");
    model.finish();
    app.finish().await;
}

// S3.3: an item of lanes like any other.
#[actix_web::test]
async fn a_lane_item_calls_the_orchestrator() {
    let bind = |var: &str| {
        format!("{{from_agent_item_id: __CTX__, from_var: {var}, to_agent_item_id: o, to_var: {var}}}")
    };
    let bindings = format!(", bindings: [{}]", ["plan", "bindings"].map(bind).join(", "));
    let lanes = format!(
        "kind: composite\ninputs: [{{name: plan, type: object}}, {{name: bindings, type: object}}]\n\
         outputs: [{{name: success, type: boolean}}]\ngraph:\n  lanes:\n    - items:\n{}",
        item("o", "agent_orchestrate", &bindings)
    );
    let app = with_agents(&[("lanes", &lanes), ("echo", ECHO)], None).await;
    let checked = get(&app, "/api/agents/faults").await;
    assert_eq!(checked["items"], json!([]));
    let done = run(&app, "lanes", json!({"plan": plan(), "bindings": {"begin": 1}})).await;
    assert_eq!((&done["status"], &done["vars"]), (&json!("succeeded"), &json!({"success": true})), "{done}");
    app.finish().await;
}

// S3.3, S3.15, S3.39: the document's path, and the same key for the same run.
#[actix_web::test]
async fn post_executions_starts_an_orchestration() {
    let app = with_agents(&[("leaf", LEAF), ("echo", ECHO)], None).await;
    let order = json!({"with": {"plan": plan(), "bindings": {"begin": 1}}, "idempotency_key": "once", "metadata": {"ticket": 7}});
    let (status, first) = post(&app.base, "/agents/agent_orchestrate/executions", order.clone()).await;
    assert_eq!((status, &first["success"]), (200, &json!(true)), "{first}");
    assert_eq!(first["outputs"]["bindings"]["result"]["both"], json!({"two": {"n": 2}, "three": {"n": 3}}));
    let (status, again) = post(&app.base, "/agents/agent_orchestrate/executions", order).await;
    assert_eq!((status, &again["exec_id"]), (200, &first["exec_id"]));
    let other = json!({"with": {"plan": plan()}, "idempotency_key": "once"});
    let (status, refused) = post(&app.base, "/agents/agent_orchestrate/executions", other).await;
    assert_eq!((status, &refused["code"]), (409, &json!("key_reused")));
    let run = first["run_id"].as_str().unwrap();
    assert_eq!(get(&app, &format!("/api/runs/{run}")).await["metadata"], json!({"ticket": 7}));
    // The same of any agent, without waiting.
    let order = json!({"agent": "leaf", "metadata": {"a": [1]}, "idempotency_key": "k"});
    let (status, started) = post(&app.base, "/api/runs", order).await;
    assert_eq!(status, 201);
    let whole = ended(&app, started["run_id"].as_str().unwrap()).await;
    assert_eq!(whole["metadata"], json!({"a": [1]}));
    for (metadata, words) in [(json!([1]), "object"), (json!({"a": "x".repeat(20_000)}), "16")] {
        let (status, refused) =
            post(&app.base, "/api/runs", json!({"agent": "leaf", "metadata": metadata})).await;
        assert!((400..=422).contains(&status), "{status}");
        assert!(refused["detail"].as_str().unwrap().contains(words), "{refused}");
    }
    app.finish().await;
}

// S3.15, S3.37: whichever way an agent is called, the same comes of it; the shadow of each call by HTTP is one by
// a plan.
#[actix_web::test]
async fn a_step_of_a_plan_comes_to_the_same_as_a_call_by_http() {
    let fails = "kind: atomic\noutputs: [{name: never}]\npython: {code: '1 / 0'}\n";
    let counts = "kind: atomic\ninputs: [{name: word}, {name: times, type: integer, default: 2}]\n\
                  outputs: [{name: all, type: list}]\npython: {code: 'all = [word] * times'}\n";
    let app =
        with_agents(&[("leaf", LEAF), ("echo", ECHO), ("counts", counts), ("fails", fails)], None).await;
    for (name, given) in [
        ("leaf", json!({})),
        ("echo", json!({"n": 7})),
        ("counts", json!({"word": "ї"})),
        ("counts", json!({"word": "a", "times": 3})),
        ("fails", json!({})),
    ] {
        let path = format!("/agents/{name}/executions");
        let (status, alone) = post(&app.base, &path, json!({ "with": given })).await;
        assert_eq!(status, 200, "{alone}");
        let planned = json!({"plan": {"steps": [agent("one", name, given)]}});
        let order = json!({ "with": planned });
        let (_, whole) = post(&app.base, "/agents/agent_orchestrate/executions", order).await;
        let mut step = whole["outputs"]["steps"][0].clone();
        // A step hands the agent's words on as well.
        step["outputs"].as_object_mut().unwrap().remove("response");
        assert_eq!(
            (&step["outputs"], step["status"] == "success"),
            (&alone["outputs"], alone["success"] == true)
        );
        let run = get(&app, &format!("/executions/agents/{}", step["exec_id"].as_str().unwrap())).await;
        for key in ["status", "success", "outputs", "error"] {
            assert_eq!(run[key], alone[key], "{name}: {key}");
        }
    }
    app.finish().await;
}
