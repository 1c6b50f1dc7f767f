//! Agents side by side in a plan (S3.18, S3.20): what each strategy waits for and gives, how many are at work at
//! once, and that what is not needed any more is really stopped.

use crate::support::agents::{get, with_agents, with_settings};
use crate::support::lanes::{HeldModel, SAY, Tree, composite, item};
use crate::support::orchestration::{agent, orchestrate, parallel, say_step, status_of, with};
use crate::support::tasks::BROKEN;
use serde_json::{Value, json};
use std::time::Duration;

/// Sleeps, in a process of its own.
const SLEEPS: &str = "
kind: atomic
outputs: [{name: said}]
shell: {command: sleep, args: ['86437']}
";

fn block(strategy: &str, children: Vec<Value>) -> Value {
    with(parallel("block", children), json!({"merge_strategy": strategy}))
}

fn fails(id: &str) -> Value {
    agent(id, "fails", json!({}))
}

fn children(done: &Value) -> Vec<(String, String)> {
    let children = done["vars"]["steps"][0]["children"].as_array().unwrap();
    let word = |child: &Value, name: &str| child[name].as_str().unwrap().to_owned();
    children.iter().map(|child| (word(child, "id"), word(child, "status"))).collect()
}

// S3.8, S3.9, S3.20: what fails ends a plan, or does not, by the block's strategy.
#[actix_web::test]
async fn each_strategy_sets_the_status_of_its_block_and_whether_the_plan_continues() {
    let held = HeldModel::back(&[]);
    let app = with_agents(&[("say", SAY), ("fails", BROKEN)], Some(&held.model)).await;
    let quorum = |k: usize, children| with(block("quorum", children), json!({"quorum": k}));
    for (step, run, statuses) in [
        (block("collect", vec![say_step("a", "1"), say_step("b", "2")]), "succeeded", ["success", "success"]),
        (block("collect", vec![say_step("a", "1"), fails("b")]), "failed", ["partial", "skipped"]),
        (block("collect", vec![fails("a"), fails("b")]), "failed", ["failed", "skipped"]),
        (block("best_effort", vec![say_step("a", "1"), fails("b")]), "partial", ["partial", "success"]),
        (block("best_effort", vec![fails("a")]), "partial", ["partial", "success"]),
        (block("first_success", vec![fails("a"), say_step("b", "2")]), "succeeded", ["success", "success"]),
        (block("first_success", vec![fails("a"), fails("b")]), "failed", ["failed", "skipped"]),
        (quorum(1, vec![fails("a"), say_step("b", "2")]), "succeeded", ["success", "success"]),
        (quorum(2, vec![fails("a"), say_step("b", "2")]), "failed", ["failed", "skipped"]),
        (block("race", vec![say_step("a", "1")]), "succeeded", ["success", "success"]),
        (block("race", vec![fails("a")]), "failed", ["failed", "skipped"]),
    ] {
        let plan = json!({"steps": [step, say_step("after", "done")]});
        let done = orchestrate(&app, json!({"plan": plan})).await;
        assert_eq!((&done["status"], status_of(&done)), (&json!(run), statuses.to_vec()), "{plan}: {done}");
        assert_eq!(done["vars"]["success"], run == "succeeded");
        // A summary of failure goes with failure only; whoever failed says so itself, whatever the block made of it.
        assert_eq!(done["vars"]["errors"].is_array(), run != "succeeded", "{done}");
        let below = done["vars"]["steps"][0]["children"].as_array().unwrap();
        assert!(
            below.iter().all(|child| child["error"].is_object() == (child["status"] != "success")),
            "{done}"
        );
    }
    held.model.finish();
    app.finish().await;
}

// S3.9, S3.20: who did a part of its work has not failed, alone or in a block: the plan goes on, and is partial itself.
#[actix_web::test]
async fn an_agent_that_did_a_part_is_no_failure() {
    let held = HeldModel::back(&[]);
    let half = composite(&[], &[], "", &[item("x", "fails", ", on_error: continue")]);
    let agents = [("say", SAY), ("fails", BROKEN), ("half", &half)];
    let app = with_agents(&agents, Some(&held.model)).await;
    let half = |id: &str| agent(id, "half", json!({}));
    let plan = json!({"steps": [
        half("lone"), block("collect", vec![say_step("a", "1"), half("b")]), say_step("after", "done"),
    ]});
    let done = orchestrate(&app, json!({ "plan": plan })).await;
    let statuses = vec!["partial", "partial", "success"];
    assert_eq!((&done["status"], status_of(&done)), (&json!("partial"), statuses), "{done}");
    let vars = &done["vars"];
    assert_eq!((&vars["success"], vars.get("errors")), (&json!(false), None), "nothing failed: {done}");
    held.model.finish();
    app.finish().await;
}

// S3.20, S3.28: the first that succeeds is enough; the process of a sibling ends.
#[actix_web::test]
async fn the_first_success_stops_its_siblings() {
    let held = HeldModel::back(&["quick"]);
    let app = with_agents(&[("say", SAY), ("sleeps", SLEEPS)], Some(&held.model)).await;
    let children_of = vec![
        agent("slow", "sleeps", json!({})),
        say_step("fast", "quick"),
        agent("later", "sleeps", json!({})),
    ];
    let step = with(block("first_success", children_of), json!({"max_concurrency": 2}));
    let input = json!({"plan": {"steps": [step, say_step("after", "{{ result.block.fast.said }}")]}});
    let mut tree = Tree::start_with(&app, "agent_orchestrate", input).await;
    held.wait_for_request("quick", 1).await;
    until_there_are(1).await;
    held.release("quick");
    let end = tree.end().await;
    assert_eq!(end["outcome"], "succeeded", "{end}");
    // The sibling's process is gone.
    until_there_are(0).await;
    let done = tree.whole(&tree.root.clone()).await;
    let statuses = [("slow", "skipped"), ("fast", "success"), ("later", "skipped")];
    assert_eq!(children(&done), statuses.map(|(id, word)| (id.to_owned(), word.to_owned())));
    let block = &done["vars"]["steps"][0];
    assert_eq!(block["outputs"], json!({"fast": {"said": "quick!"}}));
    for index in [0, 2] {
        assert_eq!(block["children"][index]["error"]["code"], "cancelled");
    }
    assert_eq!(block["children"][2].get("exec_id"), None, "it never began");
    let slow = tree.whole(block["children"][0]["exec_id"].as_str().unwrap()).await;
    assert_eq!(slow["status"], "cancelled");
    held.model.finish();
    drop(tree);
    app.finish().await;
}

/// Processes of `SLEEPS`.
fn sleeping() -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let sleeps = |line: &Vec<u8>| line.starts_with(b"sleep\0") && line.ends_with(b"86437\0");
    entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok()).filter(sleeps).count()
}

async fn until_there_are(count: usize) {
    let mut ticks = tokio::time::interval(Duration::from_millis(20));
    while sleeping() != count {
        ticks.tick().await;
    }
}

// S3.20: who ends first decides a race, also by failing; a quorum needs no more than its number.
#[actix_web::test]
async fn a_race_and_a_quorum_stop_unneeded_agents() {
    let held = HeldModel::back(&["slow"]);
    let app = with_agents(&[("say", SAY), ("fails", BROKEN)], Some(&held.model)).await;
    let race = block("race", vec![say_step("a", "slow"), fails("b")]);
    let done = orchestrate(&app, json!({"plan": {"steps": [race]}})).await;
    assert_eq!(done["status"], "failed", "{done}");
    assert_eq!(children(&done), [("a".into(), "skipped".into()), ("b".into(), "failed".into())]);
    let quorum = with(
        block("quorum", vec![say_step("a", "1"), say_step("b", "slow"), say_step("c", "3")]),
        json!({"quorum": 2}),
    );
    let done = orchestrate(&app, json!({"plan": {"steps": [quorum]}})).await;
    assert_eq!(done["status"], "succeeded", "{done}");
    let statuses = [("a", "success"), ("b", "skipped"), ("c", "success")];
    assert_eq!(children(&done), statuses.map(|(id, word)| (id.to_owned(), word.to_owned())));
    assert_eq!(done["vars"]["steps"][0]["outputs"], json!({"a": {"said": "1!"}, "c": {"said": "3!"}}));
    // A quorum that cannot be reached any more ends the wait.
    let quorum = with(block("quorum", vec![say_step("a", "slow"), fails("b")]), json!({"quorum": 2}));
    let done = orchestrate(&app, json!({"plan": {"steps": [quorum]}})).await;
    assert_eq!(done["status"], "failed", "{done}");
    app.finish().await;
}

// S3.18, S3.27: at most so many at once, whoever asks for more; with several orchestrations at work.
#[actix_web::test]
async fn the_number_of_agents_at_work_is_limited() {
    let held = HeldModel::back(&[]);
    let settings = [("ASKFIRST_MODEL__STRUCTURED", "prompt"), ("ASKFIRST_LIMITS__ORCHESTRATION_WIDTH", "4")];
    let app = with_settings(&[("say", SAY)], Some(&held.model), &settings).await;
    let plan = |own: Value| {
        let children = (0..12).map(|n| say_step(&format!("c{n}"), "x")).collect();
        json!({"steps": [with(parallel("block", children), json!({"max_concurrency": own}))]})
    };
    let orders = [
        (json!({"plan": plan(json!(null))}), 4),
        (json!({"plan": plan(json!(3))}), 3),
        (json!({"plan": plan(json!(9)), "max_parallel": 2}), 2),
        (json!({"plan": plan(json!(9)), "max_parallel": 50}), 4),
        (json!({"plan": plan(json!(null)), "max_parallel": 1}), 1),
    ];
    let all = orders.iter().map(|(order, _)| orchestrate(&app, order.clone()));
    let all = futures_util::future::join_all(all).await;
    for (done, (order, most)) in all.iter().zip(&orders) {
        assert_eq!(done["status"], "succeeded", "{order}: {done}");
        assert_eq!(most_children_at_once(&app, done).await, *most, "{order}");
    }
    held.model.finish();
    app.finish().await;
}

/// The most children that were begun and had not ended, by the order of the facts.
async fn most_children_at_once(app: &crate::support::app::TestApp, done: &Value) -> usize {
    let root = done["run_id"].as_str().unwrap();
    let events = get(app, &format!("/api/runs/{root}/events?limit=1000")).await;
    let (mut now, mut most) = (0usize, 0);
    for event in events["items"].as_array().unwrap().iter().filter(|event| event["run_id"] != root) {
        match event["type"].as_str() {
            Some("run_started") => now += 1,
            Some("run_ended") => now -= 1,
            _ => {}
        }
        most = most.max(now);
    }
    most
}
