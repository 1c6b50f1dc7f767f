//! Limits of an orchestration (S3.17, S3.26, S3.27, S3.28, S3.33): nesting, steps, time, stopping.

use crate::support::agents::{get, run, with_agents, with_settings};
use crate::support::app::TestApp;
use crate::support::lanes::{ASKS, HeldModel, LEAF, SAY, Tree};
use crate::support::metrics_samples::counted;
use crate::support::model::{Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::orchestration::{agent, orchestrate, parallel, say_step, status_of, with};
use crate::support::tasks::events;
use serde_json::{Value, json};

/// Orchestrations nested to this depth; the innermost calls `leaf`.
fn nested(levels: usize) -> Value {
    let step = match levels {
        0 => agent("leaf", "leaf", json!({})),
        _ => agent("inner", "agent_orchestrate", json!({"plan": nested(levels - 1)})),
    };
    json!({"steps": [step]})
}

async fn rejected(app: &TestApp) -> f64 {
    counted(&app.base, "askfirst_recursion_rejected_total").await
}

// S3.5, S3.26, S3.33, C16: below the root 3 are allowed, and the fourth is denied and counted.
#[actix_web::test]
async fn orchestrations_are_nested_three_deep_and_no_deeper() {
    let app = with_agents(&[("leaf", LEAF)], None).await;
    let before = rejected(&app).await;
    let done = orchestrate(&app, json!({"plan": nested(3)})).await;
    assert_eq!((&done["status"], &done["vars"]["success"]), (&json!("succeeded"), &json!(true)), "{done}");
    assert_eq!(rejected(&app).await, before);
    let done = orchestrate(&app, json!({"plan": nested(4)})).await;
    assert_eq!(done["status"], "failed", "{done}");
    let tree = get(&app, &format!("/api/runs?limit=100&root={}", done["run_id"].as_str().unwrap())).await;
    let mut statuses: Vec<(u64, &str)> = tree["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| (run["depth"].as_u64().unwrap(), run["status"].as_str().unwrap()))
        .collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [(0, "failed"), (1, "failed"), (2, "failed"), (3, "failed"), (4, "denied")]);
    assert!(rejected(&app).await >= before + 1.0);
    let deepest = tree["items"].as_array().unwrap().iter().find(|run| run["depth"] == 4).unwrap();
    let record = get(&app, &format!("/executions/agents/{}", deepest["run_id"].as_str().unwrap())).await;
    assert!(record["error"]["message"].as_str().unwrap().contains("orchestration_depth"), "{record}");
    app.finish().await;
}

// S3.27: twelve agent steps are allowed, those side by side counted and their block not; thirteen are not.
#[actix_web::test]
async fn twelve_steps_are_allowed_and_thirteen_are_not() {
    let app = with_agents(&[("leaf", LEAF)], None).await;
    let leaf = |id: String| agent(&id, "leaf", json!({}));
    let plan = |alone: usize| {
        let block = parallel("block", (0..8).map(|n| leaf(format!("c{n}"))).collect());
        let steps: Vec<Value> = (0..alone).map(|n| leaf(format!("s{n}"))).chain([block]).collect();
        json!({ "steps": steps })
    };
    let done = orchestrate(&app, json!({"plan": plan(4)})).await;
    assert_eq!(done["status"], "succeeded", "{done}");
    let done = orchestrate(&app, json!({"plan": plan(5)})).await;
    assert_eq!((&done["status"], &done["vars"]["steps"]), (&json!("failed"), &json!([])), "{done}");
    let error = &done["vars"]["errors"][0];
    assert_eq!(error["path"], "plan.steps");
    assert!(error["message"].as_str().unwrap().contains("13 agent steps"), "{error}");
    app.finish().await;
}

// S3.17: a step has the least of its own time and what the orchestration has left.
#[actix_web::test]
async fn a_step_that_takes_too_long_fails() {
    let held = HeldModel::back(&["slow"]);
    let app = with_agents(&[("say", SAY)], Some(&held.model)).await;
    let slow = with(say_step("slow", "slow"), json!({"timeout_ms": 300}));
    let done = orchestrate(&app, json!({"plan": {"steps": [slow, say_step("after", "x")]}})).await;
    assert_eq!((&done["status"], status_of(&done)), (&json!("failed"), vec!["failed", "skipped"]), "{done}");
    let error = &done["vars"]["steps"][0]["error"];
    assert_eq!(error["code"], "timeout", "{error}");
    app.finish().await;
}

// S3.17, S3.23: when the time of the whole is up it ends with what it has.
#[actix_web::test]
async fn an_orchestration_out_of_time_returns_its_results() {
    let held = HeldModel::back(&["slow"]);
    let app = with_agents(&[("say", SAY)], Some(&held.model)).await;
    let block = parallel("block", vec![say_step("quick", "b"), say_step("slow", "slow")]);
    let plan = json!({"steps": [say_step("first", "a"), block, say_step("after", "c")]});
    let done = orchestrate(&app, json!({"plan": plan, "timeout_ms": 1500})).await;
    assert_eq!(
        (&done["status"], status_of(&done)),
        (&json!("exhausted"), vec!["success", "failed", "skipped"]),
        "{done}"
    );
    let vars = &done["vars"];
    assert_eq!(vars["success"], false);
    let children = vars["steps"][1]["children"].as_array().unwrap();
    assert_eq!(
        (&children[0]["status"], &children[1]["error"]["code"]),
        (&json!("success"), &json!("timeout"))
    );
    assert_eq!(vars["errors"][0]["code"], "timeout", "{vars}");
    assert_eq!(vars["bindings"]["result"]["quick"]["said"], "b!");
    let trace = get(&app, &format!("/api/runs/{}/trace", done["run_id"].as_str().unwrap())).await;
    let last = trace["steps"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["node"], &last["outcome"]), (&json!("awaiting_results"), &json!("timeout")));
    app.finish().await;
}

// S3.9, S3.17: one whose caller waits no longer has given what it has by then.
#[actix_web::test]
async fn an_orchestration_keeps_its_results_when_its_caller_stops_waiting() {
    let held = HeldModel::back(&["slow"]);
    let app = with_agents(&[("say", SAY)], Some(&held.model)).await;
    let plan = json!({"steps": [say_step("quick", "a"), say_step("slow", "slow"), say_step("after", "c")]});
    let inner = agent("inner", "agent_orchestrate", json!({ "plan": plan }));
    let inner = with(inner, json!({"timeout_ms": 1500}));
    let done = orchestrate(&app, json!({"plan": {"steps": [inner]}})).await;
    assert_eq!((&done["status"], status_of(&done)), (&json!("failed"), vec!["failed"]), "{done}");
    let step = &done["vars"]["steps"][0];
    assert_eq!(step["error"]["code"], "timeout", "{step}");
    let outputs = &step["outputs"];
    let statuses: Vec<&Value> =
        outputs["steps"].as_array().unwrap().iter().map(|step| &step["status"]).collect();
    assert_eq!(
        (&outputs["success"], statuses),
        (&json!(false), vec![&json!("success"), &json!("failed"), &json!("skipped")]),
        "{step}"
    );
    assert_eq!(outputs["bindings"]["result"]["quick"]["said"], "a!");
    app.finish().await;
}

// S3.28: who stops an orchestration stops all that it has begun.
#[actix_web::test]
async fn stopping_reaches_every_child() {
    let held = HeldModel::back(&["a", "b"]);
    let app = with_agents(&[("say", SAY)], Some(&held.model)).await;
    let inner = json!({"plan": {"steps": [parallel("p", vec![say_step("a", "a"), say_step("b", "b")])]}});
    let plan = json!({"steps": [agent("inner", "agent_orchestrate", inner)]});
    let mut tree = Tree::start_with(&app, "agent_orchestrate", json!({ "plan": plan })).await;
    held.wait_for_request("a", 1).await;
    held.wait_for_request("b", 1).await;
    let root = tree.root.clone();
    let (status, _) = tree.post_action(&root, "stop", json!({})).await;
    assert_eq!(status, 200);
    assert_eq!(tree.end().await["outcome"], "cancelled");
    for run in tree.all().await {
        tree.ended(run["run_id"].as_str().unwrap()).await;
    }
    let all = tree.all().await;
    assert_eq!(all.len(), 4);
    assert!(all.iter().all(|run| run["status"] == "cancelled"), "{all:?}");
    // Outputs given so far are kept, on every level.
    let vars = tree.whole(&root).await["vars"].clone();
    let step = &vars["steps"][0];
    assert_eq!((&vars["success"], &step["error"]["code"]), (&json!(false), &json!("stopped")), "{vars}");
    assert_eq!(vars["errors"][0]["exec_id"], step["exec_id"], "{vars}");
    let below = tree.whole(step["exec_id"].as_str().unwrap()).await["vars"].clone();
    assert_eq!(
        (&below["success"], &below["steps"][0]["status"]),
        (&json!(false), &json!("failed")),
        "{below}"
    );
    drop(tree);
    app.finish().await;
}

// S3.34: an execution below can be asked for while it is at work, and after.
#[actix_web::test]
async fn child_executions_can_be_read_while_the_orchestration_runs() {
    let held = HeldModel::back(&["slow"]);
    let app = with_agents(&[("say", SAY)], Some(&held.model)).await;
    let input = json!({"plan": {"steps": [say_step("one", "slow")]}});
    let mut tree = Tree::start_with(&app, "agent_orchestrate", input).await;
    held.wait_for_request("slow", 1).await;
    // S3.40: how far it is, as facts.
    let exec = tree.run_of("one", 1).await;
    let record = get(&app, &format!("/executions/agents/{exec}")).await;
    assert_eq!((&record["status"], &record["success"]), (&json!("running"), &json!(false)), "{record}");
    assert_eq!(record["parent_exec_id"], json!(tree.root));
    held.release("slow");
    assert_eq!(tree.end().await["outcome"], "succeeded");
    let record = get(&app, &format!("/executions/agents/{exec}")).await;
    assert_eq!((&record["status"], &record["outputs"]), (&json!("succeeded"), &json!({"said": "slow!"})));
    drop(tree);
    app.finish().await;
}

// S3.35: agents of a plan are held as everywhere: what asks a person asks, for its own run, and a no is a no.
#[actix_web::test]
async fn agents_of_a_plan_ask_the_person_as_usual() {
    let app = with_agents(&[("asks", ASKS)], None).await;
    for (confirmed, outcome) in [(true, "succeeded"), (false, "failed")] {
        let input = json!({"plan": {"steps": [agent("a", "asks", json!({}))]}});
        let mut tree = Tree::start_with(&app, "agent_orchestrate", input).await;
        let exec = tree.run_of("a", 1).await;
        let question = tree.question(&exec).await;
        let (status, _) = tree.answer(&question, json!({"confirmed": confirmed})).await;
        assert_eq!((status, &tree.end().await["outcome"]), (200, &json!(outcome)));
        let done = tree.whole(&tree.root.clone()).await;
        let step = &done["vars"]["steps"][0];
        assert_eq!((&step["exec_id"], &step["status"] == "success"), (&json!(exec), confirmed), "{step}");
        if !confirmed {
            assert_eq!(step["error"]["code"], "cancelled");
        }
    }
    app.finish().await;
}

const TEXT: &str = "kind: atomic\noutputs: [{name: poem}]\nllm: {prompt: p}\n";
/// Composite that reaches its own limit with its second item.
const POOR: &str = "
kind: composite
limits: {tokens: 5}
graph:
  lanes:
    - items: [{id: a, agent: text}]
    - items: [{id: b, agent: text}]
";

/// A service with these limits, and a model that is asked so often.
async fn limited(limits: &[(&str, &str)], calls: usize) -> (TestApp, ScriptedModel) {
    let rules = Rules { format: None, llm: true, several_runs: true, ..Rules::default() };
    let model =
        ScriptedModel::with_rules(rules, (0..calls).map(|_| Reply::Text(String::from("Roses"))).collect());
    let settings = [&[("ASKFIRST_MODEL__STRUCTURED", "prompt")], limits].concat();
    let app = with_settings(&[("text", TEXT), ("poor", POOR)], Some(&model), &settings).await;
    (app, model)
}

// C5: when its agents have used up what the whole may spend, it ends as everybody does who comes to that limit.
#[actix_web::test]
async fn an_orchestration_that_may_spend_no_more_ends_exhausted_and_says_by_what() {
    let text = |id: &str| agent(id, "text", json!({}));
    let in_turn = json!({"steps": [text("one"), text("two"), text("three"), text("four")]});
    let beside = json!({"steps": [text("one"), text("two"), parallel("p", vec![text("three")])]});
    let within = json!({"steps": [text("one"), text("two"), agent("in", "agent_orchestrate", json!({"plan": {"steps": [text("x")]}}))]});
    // Every answer takes 1,280 tokens: the third agent finds nothing left.
    for (plan, failed) in [(in_turn, "three"), (beside, "three"), (within, "in")] {
        let (app, model) = limited(&[("ASKFIRST_LIMITS__TOKENS", "2000")], 2).await;
        let done = orchestrate(&app, json!({ "plan": plan })).await;
        assert_eq!(
            (&done["status"], &done["vars"]["success"]),
            (&json!("exhausted"), &json!(false)),
            "{done}"
        );
        assert_eq!(done["vars"]["errors"][0]["step_id"], failed, "{done}");
        assert_eq!(done["vars"]["errors"][0]["code"], "exhausted", "{done}");
        let root = done["run_id"].as_str().unwrap();
        let why = get(&app, &format!("/api/runs/{root}/why?locale=en")).await;
        assert_eq!(why["reason"], "out_of_tokens", "{why}");
        assert!(done["error"].as_str().unwrap().contains("The token limit was reached."), "{done}");
        // The page names the limit that was used up.
        let budget_events = events(&app.base, root, "budget").await;
        assert_eq!(
            (budget_events.len(), &budget_events[0]["limit"], &budget_events[0]["used"]),
            (1, &json!("tokens"), &json!(2560.0))
        );
        model.finish();
        app.finish().await;
    }
}

// A limit of an agent's own is that agent's failure, and not the end of what the whole may spend.
#[actix_web::test]
async fn an_agent_that_comes_to_a_limit_of_its_own_fails_its_step() {
    let (app, model) = limited(&[("ASKFIRST_LIMITS__TOKENS", "200000")], 1).await;
    let done = orchestrate(&app, json!({"plan": {"steps": [agent("a", "poor", json!({}))]}})).await;
    assert_eq!((&done["status"], status_of(&done)), (&json!("failed"), vec!["failed"]), "{done}");
    // The limit is neither that of the agent that found nothing left nor that of the whole tree, but that of the
    // composite between.
    let tree = get(&app, &format!("/api/runs?limit=100&root={}", done["run_id"].as_str().unwrap())).await;
    let out: Vec<&Value> =
        tree["items"].as_array().unwrap().iter().filter(|run| run["status"] == "exhausted").collect();
    assert_eq!(out.len(), 2, "{tree}");
    for run in out {
        let why = get(&app, &format!("/api/runs/{}/why", run["run_id"].as_str().unwrap())).await;
        assert_eq!(why["reason"], "out_of_tokens", "{why}");
    }
    model.finish();
    app.finish().await;
}

// S3.27: an agent's file lowers what a plan that it calls may have: agents at once, and plans within plans.
#[actix_web::test]
async fn an_agent_file_can_lower_width_and_depth_of_its_calls() {
    let block = parallel("block", ["a", "b", "c"].map(|word| say_step(word, word)).to_vec());
    let composite = |limits: &str, plan: &Value| {
        format!(
            "kind: composite\nlimits: {{{limits}}}\nlocals: [{{name: plan, value: {plan}}}]\ngraph:\n  lanes:\n    \
             - items:\n        - id: o\n          agent: agent_orchestrate\n          \
             bindings: [{{from_agent_item_id: __CTX__, from_var: plan, to_agent_item_id: o, to_var: plan}}]\n"
        )
    };
    let narrow = composite("orchestration_width: 2", &json!({"steps": [block]}));
    // `nested(1)` is one in the other.
    let shallow = composite("orchestration_depth: 1", &nested(1));
    let held = HeldModel::back(&["a", "b"]);
    let agents = [("say", SAY), ("leaf", LEAF), ("narrow", &narrow), ("shallow", &shallow)];
    let app = with_agents(&agents, Some(&held.model)).await;

    let mut tree = Tree::start_with(&app, "narrow", json!({})).await;
    held.wait_for_request("a", 1).await;
    held.wait_for_request("b", 1).await;
    held.release("a");
    held.release("b");
    assert_eq!(tree.end().await["outcome"], "succeeded");
    let items = events(&app.base, &tree.root.clone(), "item").await;
    let statuses: Vec<(&str, &str)> = items
        .iter()
        .filter(|item| item["agent"] == "say")
        .map(|item| (item["item_id"].as_str().unwrap(), item["status"].as_str().unwrap()))
        .collect();
    let begun = statuses.iter().position(|found| *found == ("c", "running")).unwrap();
    assert!(statuses[..begun].iter().any(|(_, status)| *status == "succeeded"), "{statuses:?}");
    assert!(statuses[..2].iter().all(|(_, status)| *status == "running"), "{statuses:?}");
    drop(tree);

    let done = run(&app, "shallow", json!({"locale": "en"})).await;
    assert_eq!(done["status"], "failed", "{done}");
    let below = get(&app, &format!("/api/runs?limit=100&root={}", done["run_id"].as_str().unwrap())).await;
    let denied: Vec<&Value> =
        below["items"].as_array().unwrap().iter().filter(|run| run["status"] == "denied").collect();
    assert_eq!(
        (denied.len(), &denied[0]["depth"], &denied[0]["agent"]),
        (1, &json!(2), &json!("agent_orchestrate"))
    );
    let record = get(&app, &format!("/executions/agents/{}", denied[0]["run_id"].as_str().unwrap())).await;
    assert!(record["error"]["message"].as_str().unwrap().contains("nested 1 deep"), "{record}");
    app.finish().await;
}
