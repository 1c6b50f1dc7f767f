//! Plans of agents through the whole service (docs/orchestration.md): steps one after the other and side by side, what
//! they hand on, how blocks are merged, and what is refused before anything starts.

use crate::support::agents::{get, run, with_agents, with_settings};
use crate::support::lanes::{HeldModel, LEAF, SAY, rules};
use crate::support::model::{Reply, ScriptedModel};
use crate::support::orchestration::{
    agent, orchestrate, parallel, posted, say_step, started_below, status_of, with,
};
use crate::support::tasks::BROKEN;
use serde_json::{Value, json};

// S3.1, S3.2, S3.4, S3.8, S3.9, S3.10, S3.11, S3.12, S3.14, S3.17, S3.19, S3.21: a plan from end to end, data handed
// on from step to step and out of a block.
#[actix_web::test]
async fn a_plan_of_steps_and_a_block_returns_the_outputs_of_its_agents() {
    let held = HeldModel::back(&[]);
    let app = with_agents(&[("say", SAY)], Some(&held.model)).await;
    let plan = json!({"steps": [
        say_step("first", "${{ greeting }}"),
        parallel("both", vec![
            say_step("left", "{{ result.first.said }} left"),
            say_step("right", "{{ result.first.said }} right"),
        ]),
        say_step("last", "{{ result.both.left.said }} {{ result.right.said }}"),
    ]});
    let done = orchestrate(&app, json!({"plan": plan, "bindings": {"greeting": "hello"}})).await;
    assert_eq!((&done["ok"], &done["status"]), (&json!(true), &json!("succeeded")), "{done}");
    let vars = &done["vars"];
    assert_eq!(vars["success"], true);
    assert_eq!(vars.get("errors"), None, "{vars}");
    let steps = vars["steps"].as_array().unwrap();
    let ids: Vec<&Value> = steps.iter().map(|step| &step["id"]).collect();
    assert_eq!(ids, ["first", "both", "last"]);
    let types: Vec<&Value> = steps.iter().map(|step| &step["type"]).collect();
    assert_eq!(types, ["agent", "parallel", "agent"]);
    assert!(steps.iter().all(|step| step["status"] == "success"), "{steps:?}");
    assert_eq!(
        steps[1]["outputs"],
        json!({"left": {"said": "hello! left!"}, "right": {"said": "hello! right!"}})
    );
    assert_eq!(steps[2]["outputs"]["said"], "hello! left! hello! right!!");
    let bindings = &vars["bindings"];
    assert_eq!(bindings["greeting"], "hello");
    assert_eq!(bindings["result"]["first"]["said"], "hello!");
    assert_eq!(bindings["result"]["both"]["right"]["said"], "hello! right!");
    assert_eq!(bindings["result"]["last"], steps[2]["outputs"]);
    // The running plan is stored apart from the input, also while it is at work.
    let row = get(&app, &format!("/api/runs/{}", done["run_id"].as_str().unwrap())).await;
    let one = |id: &str| json!({"id": id, "type": "agent", "agent_id": "say"});
    let block = parallel("both", vec![one("left"), one("right")]);
    let block = with(block, json!({"merge_strategy": "collect", "quorum": null}));
    assert_eq!(row["planned"], json!([one("first"), block, one("last")]), "{row}");
    // S3.34: each of them is an execution of its own.
    let exec = steps[1]["children"][0]["exec_id"].as_str().unwrap();
    let record = get(&app, &format!("/executions/agents/{exec}")).await;
    assert_eq!((&record["agent_id"], &record["success"]), (&json!("say"), &json!(true)), "{record}");
    assert_eq!(
        (&record["outputs"], &record["parent_exec_id"]),
        (&json!({"said": "hello! left!"}), &done["run_id"])
    );
    held.model.finish();
    app.finish().await;
}

// A plan as the documentation writes it: in YAML, as a text.
#[actix_web::test]
async fn a_plan_may_be_a_text_of_yaml() {
    let held = HeldModel::back(&[]);
    let app = with_agents(&[("say", SAY)], Some(&held.model)).await;
    let plan = "steps:\n  - id: first\n    agent_id: say\n    with: {word: hello}\n";
    let done = orchestrate(&app, json!({"plan": plan})).await;
    assert_eq!(
        (&done["status"], &done["vars"]["steps"][0]["id"]),
        (&json!("succeeded"), &json!("first")),
        "{done}"
    );
    // The whole file that the command line reads.
    let file = "bindings: {greeting: hi}\nplan:\n  steps: [{id: first, agent_id: say, with: {word: '{{ greeting }}'}}]";
    let done = orchestrate(&app, json!({"plan": file})).await;
    assert_eq!(done["vars"]["steps"][0]["outputs"], json!({"said": "hi!"}), "{done}");
    for text in ["steps: [", "say it", "- first"] {
        let (status, refused) = posted(&app, &json!({"plan": text})).await;
        assert_eq!((status, &refused["code"]), (422, &json!("bad_input")), "{refused}");
        assert!(refused["detail"].as_str().unwrap().contains("`plan` must be of type object"), "{refused}");
    }
    app.finish().await;
}

// The error of a step's code is for programs; people read the sentence above it.
#[actix_web::test]
async fn a_step_with_failing_code_is_reported_in_plain_words() {
    let app =
        with_agents(&[("breaks", "kind: atomic\ntitle_en: Counter\npython: {code: 'x = 1 // 0'}\n")], None)
            .await;
    let done = orchestrate(&app, json!({"plan": {"steps": [agent("count", "breaks", json!({}))]}})).await;
    let expected =
        "Step `count` (agent `breaks`) failed: The program of the agent “Counter” stopped with an error.";
    let row = get(&app, &format!("/api/runs/{}", done["run_id"].as_str().unwrap())).await;
    assert_eq!(row["final_response"], expected, "{row}");
    let error = &done["vars"]["steps"][0]["error"];
    assert_eq!(error, &json!({"code": "ZeroDivisionError", "message": done["vars"]["errors"][0]["message"]}));
    assert!(error["message"].as_str().unwrap().starts_with("ZeroDivisionError: "), "{error}");
    app.finish().await;
}

// S3.7: what no caller can have meant is refused before there is a run.
#[actix_web::test]
async fn an_orchestration_with_invalid_input_is_refused() {
    let app = with_agents(&[("leaf", LEAF)], None).await;
    let plan = json!({"steps": [agent("a", "leaf", json!({}))]});
    for input in [
        json!({}),
        json!({"prompt": "x", "plan": plan}),
        json!({"plan": "not a plan"}),
        json!({"plan": plan, "timeout_ms": 0}),
        json!({"plan": plan, "max_parallel": 0}),
        json!({"plan": plan, "bindings": [1]}),
        json!({"prompt": 7}),
    ] {
        let (status, answer) = posted(&app, &input).await;
        assert_eq!((status, &answer["code"]), (422, &json!("bad_input")), "{input}: {answer}");
    }
    assert_eq!(get(&app, "/api/runs").await["items"], json!([]));
    app.finish().await;
}

// S3.9, S3.12, S3.14, S3.27: every fault of a plan is found at once, with its place, and nothing has begun.
#[actix_web::test]
async fn a_plan_that_cannot_be_carried_out_ends_before_anything_begins() {
    let app = with_agents(&[("leaf", LEAF)], None).await;
    let leaf = |id: &str| agent(id, "leaf", json!({}));
    let with = |text: &str| json!({"steps": [agent("a", "leaf", json!({"x": text})), leaf("b")]});
    for (plan, path, words) in [
        (json!({}), "plan.steps", "missing"),
        (json!({"steps": []}), "plan.steps", "no step"),
        (json!({"steps": [1]}), "plan.steps[0]", "must be an object"),
        (json!({"steps": [{"type": "loop"}]}), "plan.steps[0].type", "\"agent\" or \"parallel\""),
        (json!({"steps": [{"id": "a", "agent": "leaf"}]}), "plan.steps[0].agent", "is not allowed here"),
        (json!({"steps": [agent("a", "nobody", json!({}))]}), "plan.steps[0].agent_id", "no agent `nobody`"),
        (json!({"steps": [leaf("a"), leaf("a")]}), "plan.steps[1].id", "used twice"),
        (json!({"steps": [parallel("p", vec![])]}), "plan.steps[0].children", "missing"),
        (
            json!({"steps": [parallel("p", vec![parallel("q", vec![leaf("a")])])]}),
            "plan.steps[0].children[0].type",
            "only agent steps",
        ),
        (with("{{ result.b.x }}"), "plan.steps[0].with.x", "comes later"),
        (with("{{ result.c.x }}"), "plan.steps[0].with.x", "which no step returns"),
        (with("{{ "), "plan.steps[0].with.x", "cannot be read"),
        (
            json!({"steps": (0..13).map(|n| leaf(&format!("s{n}"))).collect::<Vec<_>>()}),
            "plan.steps",
            "13 agent steps",
        ),
    ] {
        let done = orchestrate(&app, json!({"plan": plan})).await;
        assert_eq!((&done["ok"], &done["status"]), (&json!(false), &json!("failed")), "{plan}: {done}");
        let vars = &done["vars"];
        assert_eq!((&vars["success"], &vars["steps"]), (&json!(false), &json!([])), "{vars}");
        let errors = vars["errors"].as_array().unwrap();
        let reported = errors
            .iter()
            .any(|error| error["path"] == path && error["message"].as_str().unwrap().contains(words));
        assert!(reported, "{path}, {words}: {errors:?}");
        assert_eq!(started_below(&app, &done).await, 0);
    }
    app.finish().await;
}

// S3.9, S3.17, S3.19: the first step that fails ends the plan, and the rest is skipped.
#[actix_web::test]
async fn the_first_step_that_fails_ends_the_plan() {
    let held = HeldModel::back(&[]);
    let app = with_agents(&[("say", SAY), ("fails", BROKEN)], Some(&held.model)).await;
    let plan =
        json!({"steps": [say_step("a", "one"), agent("b", "fails", json!({})), say_step("c", "never")]});
    let done = orchestrate(&app, json!({"plan": plan})).await;
    assert_eq!(
        (&done["status"], status_of(&done)),
        (&json!("failed"), vec!["success", "failed", "skipped"]),
        "{done}"
    );
    let vars = &done["vars"];
    assert_eq!(vars["errors"][0]["step_id"], "b");
    assert_eq!(vars["bindings"]["result"], json!({"a": {"said": "one!"}}));
    assert_eq!(vars["steps"][2]["error"]["code"], "not_reached");
    assert_eq!(held.all(), ["one"]);
    held.model.finish();
    app.finish().await;
}

// S3.16, S3.37: switched off it is not there, and a call says so.
#[actix_web::test]
async fn a_disabled_orchestrator_is_not_offered() {
    let app = with_settings(&[("leaf", LEAF)], None, &[("ASKFIRST_ORCHESTRATION__ENABLED", "false")]).await;
    let listed = get(&app, "/api/agents").await;
    assert!(listed.as_array().unwrap().iter().all(|agent| agent["name"] != "agent_orchestrate"));
    let done = run(&app, "agent_orchestrate", json!({"plan": {"steps": []}})).await;
    assert_eq!((&done["status"], &done["code"]), (&json!(500), &json!("internal")), "{done}");
    let detail = done["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("unsupported environment") && detail.contains("orchestration.enabled"),
        "{done}"
    );
    app.finish().await;
}

// S3.1: an agent like others in lists, and nobody's to change.
#[actix_web::test]
async fn the_orchestrator_is_listed_and_cannot_be_changed() {
    let app = with_agents(&[("leaf", LEAF)], None).await;
    let listed = get(&app, "/api/agents").await;
    let own = listed.as_array().unwrap().iter().find(|agent| agent["name"] == "agent_orchestrate").unwrap();
    assert_eq!((&own["kind"], &own["executor"]), (&json!("composite"), &json!("orchestration")));
    let one = get(&app, "/api/agents/cp__agent_orchestrate").await;
    assert_eq!(one["name"], "agent_orchestrate");
    let http = reqwest::Client::new();
    for name in ["agent_orchestrate", "cp__agent_orchestrate"] {
        let url = format!("{}/api/agents/{name}", app.base);
        let spec = json!({"name": name, "kind": "composite", "graph": {"lanes": []}});
        let saved = http.put(&url).json(&spec).send().await.unwrap();
        assert!(saved.status() == 409 || saved.status() == 422, "{}", saved.status());
        let removed = http.delete(&url).send().await.unwrap();
        let (status, body) = (removed.status(), removed.json::<Value>().await.unwrap());
        assert_eq!((status.as_u16(), &body["code"]), (409, &json!("own_agent")), "{body}");
    }
    let plan = json!({"steps": [agent("a", "leaf", json!({}))]});
    let done = run(&app, "cp__agent_orchestrate", json!({"plan": plan})).await;
    assert_eq!(done["status"], "succeeded", "{done}");
    let row = get(&app, &format!("/api/runs/{}", done["run_id"].as_str().unwrap())).await;
    assert_eq!(row["agent"], "agent_orchestrate");
    app.finish().await;
}

// S3.36: the sample of the documentation is carried out as it stands there.
#[actix_web::test]
async fn the_sample_of_the_documentation_runs() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/orchestration.md")).unwrap();
    let sample = page.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    let input: Value = serde_saphyr::from_str(sample).unwrap();
    let app = with_agents(&[], None).await;
    let done = orchestrate(&app, input).await;
    assert_eq!((&done["status"], &done["vars"]["success"]), (&json!("succeeded"), &json!(true)), "{done}");
    let left = "One step: left of One step: hello";
    assert_eq!(
        done["vars"]["bindings"]["result"]["last"]["text"],
        format!("One step: {left}, One step: right of hello")
    );
    app.finish().await;
}

/// Tells what it was given.
const RECEIVER: &str = "
kind: atomic
inputs: [{name: text, type: string, default: ''}, {name: action_id, type: string, default: none}, {name: n, default: null}]
outputs: [{name: heard, type: string}, {name: of, type: string}]
python: {code: 'result = {\"heard\": text + \" / \" + action_id, \"of\": type(n).__name__}'}
";

// S3.10, S3.11, C9: words, the action, and values that keep their types.
#[actix_web::test]
async fn an_agent_of_a_plan_gets_prompt_action_and_typed_values() {
    let app = with_agents(&[("hears", RECEIVER)], None).await;
    let step = |id: &str, more: Value| with(json!({"id": id, "agent_id": "hears"}), more);
    let plan = json!({"steps": [
        step("a", json!({"prompt": "Hello, {{ name }}", "action_id": "greet", "with": {"n": "${{ list }}"}})),
        step("b", json!({"prompt": "unheard", "with": {"text": "wins", "n": "{{ list[0] }}"}})),
        step("c", json!({"with": [{"name": "n", "value": "{{ list[0] }} and {{ list[1] }}"}]})),
    ]});
    let done = orchestrate(&app, json!({"plan": plan, "bindings": {"name": "Olena", "list": [1, 2]}})).await;
    let given: Vec<&Value> =
        done["vars"]["steps"].as_array().unwrap().iter().map(|step| &step["outputs"]).collect();
    let expected = [("Hello, Olena / greet", "list"), ("wins / none", "int"), (" / none", "str")];
    assert_eq!(
        json!(given),
        json!(expected.map(|(received, of)| json!({"heard": received, "of": of}))),
        "{done}"
    );
    assert_eq!(done["vars"]["steps"][0]["action_id"], "greet");
    app.finish().await;
}

// S3.40, C11: tried again where nothing is done twice, and refused where something might be.
#[actix_web::test]
async fn a_step_is_tried_again_where_nothing_is_done_twice() {
    let script = vec![Reply::status(400, "not now"), Reply::Text(String::from("hello!"))];
    let model = ScriptedModel::with_rules(rules(), script);
    let app = with_agents(&[("say", SAY), ("leaf", LEAF)], Some(&model)).await;
    let step = with(say_step("a", "hello"), json!({"retry": {"max": 2}}));
    let done = orchestrate(&app, json!({"plan": {"steps": [step]}})).await;
    let step = &done["vars"]["steps"][0];
    assert_eq!((&step["status"], &step["attempt"]), (&json!("success"), &json!(2)), "{done}");
    assert_eq!(started_below(&app, &done).await, 2);
    let step = with(agent("a", "leaf", json!({})), json!({"retry": {"max": 1}}));
    let done = orchestrate(&app, json!({"plan": {"steps": [step]}})).await;
    let error = &done["vars"]["errors"][0];
    assert_eq!(error["path"], "plan.steps[0].retry");
    assert!(error["message"].as_str().unwrap().contains("idempotent"), "{error}");
    model.finish();
    app.finish().await;
}
