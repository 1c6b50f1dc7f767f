//! Composite agents through the whole service (docs/agents.md): barriers, skips, bindings, loops, limits.
//! The agents that they call are models whose answers are scripted, or lanes themselves.

use crate::support::agents::{get, run, with_agents};
use crate::support::app::TestApp;
use crate::support::lanes::{SAY, bind, item, prompt, rules};
use crate::support::model::{Reply, ScriptedModel};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The next line of the script: this prompt, answered so.
fn expect_prompt(expected: &'static str, answer: &'static str) -> Reply {
    Reply::seen(move |request| {
        assert_eq!(prompt(request), expected);
        Reply::Text(answer.to_owned())
    })
}

// S0.9, S0.11, S0.17, S0.18, S0.22, S0.23, S0.41
#[actix_web::test]
async fn composite_lane_barrier_and_skip() {
    let model = ScriptedModel::answering(rules(), |request| {
        let answer = match prompt(request).as_str() {
            "say first" => "1",
            "say second" => "2",
            "say after" => "3",
            other => panic!("{other}"),
        };
        Reply::Text(answer.to_owned())
    });
    let lanes = format!(
        "kind: composite
inputs: [{{name: word}}]
locals: [{{name: two, value: second}}, {{name: three, value: after}}]
outputs: [{{name: said}}]
graph:
  max_parallel: 2
  lanes:
    - items:
{}{}{}    - items:
{}",
        item("a", "say", &format!(", bindings: [{}]", bind("__CTX__", "word", "a", "word"))),
        item("skipped", "say", ", when: {var: word, equals: other}"),
        item("b", "say", &format!(", bindings: [{}]", bind("__CTX__", "two", "b", "word"))),
        item("c", "say", &format!(", bindings: [{}]", bind("__CTX__", "three", "c", "word"))),
    );
    let app = with_agents(&[("say", SAY), ("lanes", &lanes)], Some(&model)).await;
    let done = run(&app, "lanes", json!({"word": "first"})).await;
    assert_eq!((&done["ok"], &done["vars"]), (&json!(true), &json!({"said": "3"})), "{done}");
    let state = std::fs::read_to_string(
        app.data().join("runs").join(done["run_id"].as_str().unwrap()).join("state.json"),
    );
    let state: Value = serde_json::from_str(&state.unwrap()).unwrap();
    let context = &state["state_data"]["context"];
    assert_eq!(
        (&context["a.said"], &context["b.said"], &context["c.said"]),
        (&json!("1"), &json!("2"), &json!("3"))
    );
    assert_eq!(context.get("skipped.said"), None);
    let root = done["run_id"].as_str().unwrap();
    let events = get(&app, &format!("/api/runs/{root}/events?limit=1000")).await;
    let at = |id: &str, status: &str| {
        let is = |event: &&Value| event["data"]["item_id"] == id && event["data"]["status"] == status;
        events["items"].as_array().unwrap().iter().find(is).and_then(|event| event["seq"].as_u64()).unwrap()
    };
    let first = at("a", "succeeded").max(at("b", "succeeded")).max(at("skipped", "skipped"));
    assert!(first < at("c", "running"), "the barrier stands between lanes");
    let children = get(&app, &format!("/api/runs?parent={root}")).await;
    let children = children["items"].as_array().unwrap();
    assert_eq!(children.len(), 3, "a skipped item is no run");
    assert!(children.iter().all(|child| child["root_run_id"] == root && child["depth"] == 1));
    let roots = get(&app, "/api/runs?roots=true").await;
    assert_eq!(roots["items"].as_array().unwrap().len(), 1);
    model.finish();
    app.finish().await;
}

// S0.13, S0.17, S0.19, S0.20, S0.21, S0.43, C13: started as `run_to_completion` is, whole lanes and single calls alike.
#[actix_web::test]
async fn bindings_ctx_to_input_and_output_to_ctx() {
    let model = ScriptedModel::with_rules(
        rules(),
        vec![
            expect_prompt("say hello", "one"),
            expect_prompt("say one", "two"),
            expect_prompt("say two", "three"),
            expect_prompt("say nothing", "four"),
        ],
    );
    let lanes = format!(
        "kind: composite
inputs: [{{name: task}}]
outputs: [{{name: said}}]
graph:
  lanes:
    - items:
{}{}    - items:
{}    - items:
{}",
        item("a", "say", &format!(", bindings: [{}]", bind("__CTX__", "task", "a", "word"))),
        // In the same lane, so that it waits for the one that it takes from (C6).
        item("b", "say", &format!(", bindings: [{}]", bind("a", "said", "b", "word"))),
        item("c", "say", &format!(", bindings: [{}]", bind("__CTX__", "said", "c", "word"))),
        item("d", "say", ""),
    );
    let app = with_agents(&[("say", SAY), ("lanes", &lanes)], Some(&model)).await;
    let done = run(&app, "lanes", json!({"task": "hello"})).await;
    assert_eq!((&done["status"], &done["vars"]), (&json!("succeeded"), &json!({"said": "four"})), "{done}");
    model.finish();
    app.finish().await;
}

// S0.4, S0.24, S0.25, S0.42
#[actix_web::test]
async fn self_call_stops_on_max_steps() {
    let lanes = format!("kind: composite\ngraph:\n  lanes:\n    - items:\n{}", item("again", "lanes", ""));
    let few = format!("{lanes}limits: {{total_steps: 7}}\n");
    let app = with_agents(&[("lanes", &few)], None).await;
    let done = run(&app, "lanes", json!({})).await;
    assert_eq!((&done["ok"], &done["status"]), (&json!(false), &json!("exhausted")), "{done}");
    assert!(done["error"].as_str().unwrap().contains("limits.total_steps"), "{done}");
    let tree = get(&app, &format!("/api/runs?limit=100&root={}", done["run_id"].as_str().unwrap())).await;
    let tree = tree["items"].as_array().unwrap();
    assert_eq!(tree.len(), 1 + 8, "seven that ran, and the one that was refused");
    assert!(tree.iter().all(|run| run["status"] == "exhausted"));
    check_document_of_a_middle_run(&app, tree).await;
    app.finish().await;
}

// S0.26, C16: limit 3 allows 3 and refuses 4.
#[actix_web::test]
async fn composites_nest_as_deep_as_allowed_and_no_deeper() {
    let lanes = format!(
        "kind: composite\nlimits: {{depth: 3}}\ngraph:\n  lanes:\n    - items:\n{}",
        item("again", "lanes", "")
    );
    let app = with_agents(&[("lanes", &lanes)], None).await;
    let done = run(&app, "lanes", json!({})).await;
    assert_eq!(done["status"], "exhausted");
    assert!(done["error"].as_str().unwrap().contains("limits.depth"), "{done}");
    let tree = get(&app, &format!("/api/runs?limit=100&root={}", done["run_id"].as_str().unwrap())).await;
    let mut depths: Vec<u64> =
        tree["items"].as_array().unwrap().iter().map(|run| run["depth"].as_u64().unwrap()).collect();
    depths.sort_unstable();
    assert_eq!(depths, [0, 1, 2, 3, 4]);
    app.finish().await;
}

// S3.34: with their facts, and with none of those above it.
async fn check_document_of_a_middle_run(app: &TestApp, chain: &[Value]) {
    let depth = |run: &&Value| run["depth"].as_u64().unwrap();
    let middle = chain.iter().find(|run| depth(run) == 4).unwrap()["run_id"].as_str().unwrap();
    let below: BTreeSet<&str> =
        chain.iter().filter(|run| depth(run) >= 4).filter_map(|run| run["run_id"].as_str()).collect();
    let document = get(app, &format!("/api/runs/{middle}/export")).await;
    let listed_runs: BTreeSet<&str> =
        document["facts"].as_array().unwrap().iter().filter_map(|event| event["run_id"].as_str()).collect();
    assert_eq!(listed_runs, below);
}
