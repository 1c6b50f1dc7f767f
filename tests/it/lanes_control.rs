//! Control of lanes by people, through the whole service: stop all runs or one, pause, decline a question, send a
//! message.

use crate::support::agents::with_agents;
use crate::support::lanes::{ASKS, HeldModel, SAY, Tree, composite, item, say_item, statuses};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// S1.36, and C3 for whole trees: so soon a stop has ended everything.
const STOP: Duration = Duration::from_secs(1);

// S1.36, C4: one stop ends children, their children and what they ask.
#[actix_web::test]
async fn stopping_the_root_stops_all_children_and_resolves_their_questions() {
    let model = HeldModel::back(&["a", "b"]);
    let inner = composite(&["b"], &[], "", &[say_item("b", "")]);
    let lanes = composite(
        &["a"],
        &[],
        "",
        &[say_item("a", "") + &item("asks", "asks", "") + &item("inner", "inner", "")],
    );
    let agents = [("say", SAY), ("asks", ASKS), ("inner", &inner), ("lanes", &lanes)];
    let app = with_agents(&agents, Some(&model.model)).await;
    let mut tree = Tree::start(&app, "lanes").await;
    model.wait_for_request("a", 1).await;
    model.wait_for_request("b", 1).await;
    let asking = tree.run_of("asks", 1).await;
    let question = tree.question(&asking).await;
    let watch = Instant::now();
    assert_eq!(tree.post_action(&tree.root, "stop", Value::Null).await.1["status"], "cancelled");
    let runs = tree.all().await;
    assert_eq!(runs.len(), 1 + 3 + 1);
    for run in &runs {
        let ended = tree.ended(run["run_id"].as_str().unwrap()).await;
        assert_eq!(ended["outcome"], "cancelled", "{run}");
    }
    model.model.aborted(2).await;
    assert!(watch.elapsed() < STOP, "{:?}", watch.elapsed());
    let resolved = tree.event(|event| event["type"] == "question_resolved").await;
    assert_eq!((&resolved["by"], &resolved["reference"]), (&json!("stopped"), &question["reference"]));
    assert_eq!(tree.answer(&question, json!({"confirmed": true})).await.1["code"], "already_resolved");
    model.model.finish();
    app.finish().await;
}

// C8: the child that a person stops is the failure of its item: by `on_error` the whole ends, or goes on.
#[actix_web::test]
async fn stopping_a_child_ends_the_lanes_unless_its_item_ignores_failures() {
    for (on_error, outcome) in [
        ("", "cancelled"),
        (", on_error: {retry: {max: 5}}", "cancelled"),
        (", on_error: continue", "partial"),
    ] {
        let model = HeldModel::back(&["a", "b"]);
        let lanes = composite(&["a", "b"], &["said"], "", &[say_item("a", on_error) + &say_item("b", "")]);
        let app = with_agents(&[("say", SAY), ("lanes", &lanes)], Some(&model.model)).await;
        let mut tree = Tree::start(&app, "lanes").await;
        model.wait_for_request("a", 1).await;
        model.wait_for_request("b", 1).await;
        let (one, two) = (tree.run_of("a", 1).await, tree.run_of("b", 1).await);
        assert_eq!(tree.post_action(&one, "stop", Value::Null).await.1["status"], "cancelled");
        if outcome == "partial" {
            tree.item("a", "cancelled").await;
            model.release("b");
        } else {
            assert_eq!(tree.ended(&two).await["outcome"], "cancelled", "its sibling");
        }
        let ended = tree.end().await;
        assert_eq!(ended["outcome"], outcome, "{ended}");
        assert_eq!(model.all().len(), 2, "nobody tries again what a person stopped");
        model.model.finish();
        app.finish().await;
    }
}

// Children are runs that can be stopped; a pause holds the whole tree, and an answer given meanwhile is kept.
#[actix_web::test]
async fn a_run_tree_is_paused_and_resumed_as_a_whole() {
    let model = HeldModel::back(&["a"]);
    let lanes = composite(
        &["a", "next"],
        &["said"],
        "",
        &[say_item("a", "") + &item("asks", "asks", ""), say_item("next", "")],
    );
    let app = with_agents(&[("say", SAY), ("asks", ASKS), ("lanes", &lanes)], Some(&model.model)).await;
    let mut tree = Tree::start(&app, "lanes").await;
    model.wait_for_request("a", 1).await;
    let (say, asking) = (tree.run_of("a", 1).await, tree.run_of("asks", 1).await);
    let question = tree.question(&asking).await;
    tree.wait_for_status(&asking, "waiting").await;
    assert_eq!(tree.post_action(&tree.root, "pause", Value::Null).await.1["status"], "paused");
    tree.wait_for_status(&asking, "paused").await;
    // A reply that a model was asked for is paid for: it is used, and not requested again.
    model.release("a");
    tree.wait_for_status(&say, "paused").await;
    assert_eq!(tree.answer(&question, json!({"confirmed": true})).await.0, 200);
    assert_eq!(statuses(&tree.all().await), ["paused"; 3]);
    assert_eq!(tree.post_action(&tree.root, "pause", Value::Null).await.1["code"], "busy");
    assert_eq!(tree.post_action(&tree.root, "resume", Value::Null).await.0, 200);
    let ended = tree.end().await;
    assert_eq!(
        (&ended["outcome"], &ended["vars"]),
        (&json!("succeeded"), &json!({"said": "next!"})),
        "{ended}"
    );
    assert_eq!(model.times("a"), 1);
    model.model.finish();
    app.finish().await;
}

// C24: what a person declines ends the whole as they would expect.
#[actix_web::test]
async fn a_child_that_is_declined_ends_the_whole_as_cancelled() {
    let lanes = composite(&[], &[], "", &[item("asks", "asks", ", on_error: {retry: {max: 3}}")]);
    let app = with_agents(&[("asks", ASKS), ("lanes", &lanes)], None).await;
    let mut tree = Tree::start(&app, "lanes").await;
    let child = tree.run_of("asks", 1).await;
    let question = tree.question(&child).await;
    tree.answer(&question, json!({"confirmed": false})).await;
    assert_eq!(tree.end().await["outcome"], "cancelled");
    assert_eq!(tree.all().await.len(), 1 + 1, "nobody asks again what was declined");
    app.finish().await;
}

// C14: a composite has nobody to talk to, and says so.
#[actix_web::test]
async fn a_composite_takes_no_messages() {
    let model = HeldModel::back(&["a"]);
    let lanes = composite(&["a"], &[], "", &[say_item("a", "")]);
    let app = with_agents(&[("say", SAY), ("lanes", &lanes)], Some(&model.model)).await;
    let mut tree = Tree::start(&app, "lanes").await;
    model.wait_for_request("a", 1).await;
    let child = tree.run_of("a", 1).await;
    for (run, agent) in [(&tree.root, "lanes"), (&child, "say")] {
        let (status, problem) = tree.post_action(run, "messages", json!({"text": "faster"})).await;
        assert_eq!(status, 409, "{problem}");
        let words = problem["detail"].as_str().unwrap();
        assert!(words.contains(&format!("runs of {agent} do not take messages")), "{words}");
    }
    model.release("a");
    assert_eq!(tree.end().await["outcome"], "succeeded");
    model.model.finish();
    app.finish().await;
}
