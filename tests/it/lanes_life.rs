//! Life of lanes, through the whole service: parallel items, barriers, questions, the version of the file that a run
//! started with, and the files that it leaves.

use crate::support::agents::{get, with_agents};
use crate::support::app::{PATIENCE, until};
use crate::support::lanes::{ASKS, HeldModel, LEAF, SAY, Tree, composite, item, many, say_item, sorted};
use serde_json::{Value, json};

// S0.23, C6, C13: two at once; whichever ends first, the later in the file wins, and each is there by its id.
#[actix_web::test]
async fn items_of_a_lane_run_side_by_side_and_merge_in_their_order() {
    for first in ["a", "b"] {
        let model = HeldModel::back(&["a", "b"]);
        let lanes = composite(&["a", "b"], &["said"], "", &[say_item("a", "") + &say_item("b", "")]);
        let app = with_agents(&[("say", SAY), ("lanes", &lanes)], Some(&model.model)).await;
        let mut tree = Tree::start(&app, "lanes").await;
        // Both requests are under way, and neither has an answer.
        model.wait_for_request("a", 1).await;
        model.wait_for_request("b", 1).await;
        let second = if first == "a" { "b" } else { "a" };
        model.release(first);
        tree.item(first, "succeeded").await;
        model.release(second);
        let ended = tree.end().await;
        assert_eq!((&ended["outcome"], &ended["vars"]), (&json!("succeeded"), &json!({"said": "b!"})));
        let state = get(&app, &format!("/api/runs/{}/state", tree.root)).await;
        let context = &state["state_data"]["context"];
        assert_eq!((&context["a.said"], &context["b.said"]), (&json!("a!"), &json!("b!")));
        model.model.finish();
        app.finish().await;
    }
}

// S0.18, S0.23, C6: with one at a time the second begins when the first has ended.
#[actix_web::test]
async fn with_max_parallel_1_items_run_one_after_the_other() {
    let model = HeldModel::back(&["a"]);
    let lanes = composite(
        &["a", "b", "c"],
        &["said"],
        "  max_parallel: 1\n",
        &[say_item("a", "") + &say_item("b", "") + &say_item("c", "")],
    );
    let app = with_agents(&[("say", SAY), ("lanes", &lanes)], Some(&model.model)).await;
    let mut tree = Tree::start(&app, "lanes").await;
    model.wait_for_request("a", 1).await;
    assert_eq!(tree.all().await.len(), 1 + 1, "nobody else has begun");
    model.release("a");
    assert_eq!(tree.end().await["outcome"], "succeeded");
    assert_eq!(model.all(), ["a", "b", "c"]);
    let all = tree.all().await;
    for pair in all[1..].windows(2) {
        assert!(pair[0]["ended_at"].as_str() <= pair[1]["created_at"].as_str(), "{pair:?}");
    }
    model.model.finish();
    app.finish().await;
}

// S0.22: the next lane waits for the slowest.
#[actix_web::test]
async fn the_next_lane_begins_when_all_of_the_last_have_ended() {
    let model = HeldModel::back(&["slow"]);
    let lanes = composite(
        &["slow", "fast", "next"],
        &["said"],
        "",
        &[say_item("slow", "") + &say_item("fast", ""), say_item("next", "")],
    );
    let app = with_agents(&[("say", SAY), ("lanes", &lanes)], Some(&model.model)).await;
    let mut tree = Tree::start(&app, "lanes").await;
    model.wait_for_request("slow", 1).await;
    tree.item("fast", "succeeded").await;
    assert_eq!(sorted(model.all()), ["fast", "slow"]);
    model.release("slow");
    assert_eq!(tree.end().await["vars"], json!({"said": "next!"}));
    let all = tree.all().await;
    let next = &all[3];
    assert!(all[1..3].iter().all(|run| run["ended_at"].as_str() <= next["created_at"].as_str()), "{all:?}");
    model.model.finish();
    app.finish().await;
}

// C4: a child's question is its own; the tree's run shows it, and the answer lets the lanes go on.
#[actix_web::test]
async fn a_child_asks_its_own_question_and_its_answer_lets_the_lanes_go_on() {
    let model = HeldModel::back(&[]);
    let lanes = composite(
        &["after"],
        &["said"],
        "",
        &[item("asks", "asks", "") + &item("too", "asks", ""), say_item("after", "")],
    );
    let app = with_agents(&[("say", SAY), ("asks", ASKS), ("lanes", &lanes)], Some(&model.model)).await;
    let mut tree = Tree::start(&app, "lanes").await;
    let (one, two) = (tree.run_of("asks", 1).await, tree.run_of("too", 1).await);
    let (first, second) = (tree.question(&one).await, tree.question(&two).await);
    tree.wait_for_status(&one, "waiting").await;
    let root = tree.whole(&tree.root).await;
    let shown: Vec<&Value> =
        root["questions"].as_array().unwrap().iter().map(|asked| &asked["run_id"]).collect();
    assert_eq!(shown.len(), 2, "{root}");
    assert!(shown.contains(&&json!(one)) && shown.contains(&&json!(two)));
    assert_eq!((&root["status"], &root["question"]), (&json!("running"), &Value::Null));
    assert_eq!(tree.whole(&one).await["status"], "waiting");
    let all = get(&app, "/api/questions").await;
    assert_eq!(all["items"].as_array().unwrap().len(), 2);
    for question in [&first, &second] {
        assert_eq!(tree.answer(question, json!({"confirmed": true})).await.0, 200);
    }
    assert_eq!(tree.answer(&first, json!({"confirmed": true})).await.1["code"], "already_resolved");
    let ended = tree.end().await;
    assert_eq!(
        (&ended["outcome"], &ended["vars"]),
        (&json!("succeeded"), &json!({"said": "after!"})),
        "{ended}"
    );
    model.model.finish();
    app.finish().await;
}

// An agent that is gone when its turn comes is the failure of its item, told by name.
#[actix_web::test]
async fn an_agent_that_is_deleted_before_its_turn_fails_its_item() {
    let model = HeldModel::back(&["a"]);
    let lanes = composite(&["a"], &["said"], "", &[say_item("a", ""), item("late", "late", "")]);
    let app = with_agents(&[("say", SAY), ("late", SAY), ("lanes", &lanes)], Some(&model.model)).await;
    let mut tree = Tree::start(&app, "lanes").await;
    model.wait_for_request("a", 1).await;
    let deleted =
        reqwest::Client::new().delete(format!("{}/api/agents/late", app.base)).send().await.unwrap();
    assert!(deleted.status().is_success(), "{}", deleted.status());
    model.release("a");
    let ended = tree.end().await;
    assert_eq!((&ended["outcome"], &ended["vars"]), (&json!("failed"), &json!({"said": "a!"})), "{ended}");
    assert!(ended["final_response"].as_str().unwrap().contains("there is no agent late"), "{ended}");
    model.model.finish();
    app.finish().await;
}

// A run keeps the version of its file; the next run uses the new one.
#[actix_web::test]
async fn a_run_keeps_the_version_of_its_file_that_it_started_with() {
    let model = HeldModel::back(&["a"]);
    let words = ["a", "old", "new"];
    let lanes = |last: &str| composite(&words, &["said"], "", &[say_item("a", ""), say_item(last, "")]);
    let app = with_agents(&[("say", SAY), ("lanes", &lanes("old"))], Some(&model.model)).await;
    let mut tree = Tree::start(&app, "lanes").await;
    model.wait_for_request("a", 1).await;
    let before = tree.whole(&tree.root).await["version"].clone();
    let file = app.folder.path().join("agents/lanes.yaml");
    std::fs::write(&file, format!("name: lanes\n{}", lanes("new"))).unwrap();
    model.release("a");
    assert_eq!(tree.end().await["vars"], json!({"said": "old!"}));
    assert_eq!(tree.whole(&tree.root).await["version"], before);
    let mut next = Tree::start(&app, "lanes").await;
    assert_eq!(next.end().await["vars"], json!({"said": "new!"}));
    let after = next.whole(&next.root).await["version"].clone();
    assert!(before.is_string() && after.is_string() && before != after, "{before} {after}");
    model.model.finish();
    app.finish().await;
}

// S0.50: whoever reads the folder finds both files of every run of the tree.
#[actix_web::test]
async fn every_run_of_a_tree_leaves_its_state_and_trace() {
    let inner = composite(&[], &[], "", &[many("leaf", 2)]);
    let lanes = composite(
        &[],
        &[],
        "",
        &[item("inner", "inner", ""), item("nobody", "leaf", ", when: {var: x, exists: true}")],
    );
    let app = with_agents(&[("leaf", LEAF), ("inner", &inner), ("lanes", &lanes)], None).await;
    let mut tree = Tree::start(&app, "lanes").await;
    assert_eq!(tree.end().await["outcome"], "succeeded");
    let skipped = tree.item("nobody", "skipped").await;
    assert_eq!((&skipped["attempt"], skipped.get("run_id")), (&json!(0), None));
    for run in tree.all().await {
        for file in ["state.json", "trace.json"] {
            let path = app.data().join("runs").join(run["run_id"].as_str().unwrap()).join(file);
            until(file, PATIENCE, || path.is_file()).await;
        }
    }
    app.finish().await;
}
