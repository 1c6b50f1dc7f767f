//! Limits of lanes, through the whole service: tries and time of an item, time and number of the runs of a whole tree,
//! depth of nesting.

use crate::support::agents::{run, with_agents};
use crate::support::lanes::{ASKS, HeldModel, LEAF, SAY, Tree};
use crate::support::lanes::{bind, composite, item, many, rules, say_item, sorted, statuses};
use crate::support::model::{Reply, ScriptedModel};
use serde_json::{Value, json};

// `timeout_s` of an item, whatever it is doing; `on_error` says what that means.
#[actix_web::test]
async fn an_item_that_takes_too_long_is_exhausted_and_on_error_applies() {
    let model = HeldModel::back(&["a", "b"]);
    let items = say_item("a", ", timeout_s: 1, on_error: continue")
        + &item("asks", "asks", ", timeout_s: 1, on_error: continue")
        + &say_item("b", ", timeout_s: 1, on_error: {retry: {max: 1}}");
    let lanes = composite(&["a", "b", "next"], &["said"], "", &[items, say_item("next", "")]);
    let app = with_agents(&[("say", SAY), ("asks", ASKS), ("lanes", &lanes)], Some(&model.model)).await;
    let mut tree = Tree::start(&app, "lanes").await;
    model.wait_for_request("b", 2).await;
    model.release("b");
    tree.item("a", "exhausted").await;
    tree.item("asks", "exhausted").await;
    tree.item("b", "exhausted").await;
    tree.item("b", "succeeded").await;
    // The question of a run out of time expires.
    let asking = tree.run_of("asks", 1).await;
    let question = tree.question(&asking).await;
    let resolved = tree.event(|event| event["type"] == "question_resolved").await;
    assert_eq!((&resolved["by"], &resolved["run_id"]), (&json!("expired"), &json!(asking)));
    let (_, late) = tree.answer(&question, json!({"confirmed": true})).await;
    assert_eq!((&late["code"], &late["by"]), (&json!("already_resolved"), &json!("expired")));
    let ended = tree.end().await;
    assert_eq!(
        (&ended["outcome"], &ended["vars"]),
        (&json!("partial"), &json!({"said": "next!"})),
        "{ended}"
    );
    assert_eq!(ended["final_response"], "Partly done; cards that failed: a, asks.\nnext!");
    model.model.finish();
    app.finish().await;
}

/// The model refuses, and says so.
fn refuses() -> Reply {
    Reply::status(400, "no such model")
}

// `on_error: {retry: {max}}`: so often again and no more; then it ends as its last try did.
#[actix_web::test]
async fn an_item_is_tried_again_as_often_as_its_file_says() {
    let answers =
        vec![refuses(), refuses(), Reply::Text(String::from("at last")), refuses(), refuses(), refuses()];
    let model = ScriptedModel::with_rules(rules(), answers);
    let lanes = composite(&["a"], &["said"], "", &[say_item("a", ", on_error: {retry: {max: 2}}")]);
    let app = with_agents(&[("say", SAY), ("lanes", &lanes)], Some(&model)).await;
    let mut tree = Tree::start(&app, "lanes").await;
    assert_eq!(tree.end().await["vars"], json!({"said": "at last"}));
    let runs = tree.all().await;
    assert_eq!(statuses(&runs), ["succeeded", "failed", "failed", "succeeded"]);
    for attempt in 1..=3 {
        assert_eq!(tree.run_of("a", attempt).await, runs[attempt as usize]["run_id"].as_str().unwrap());
    }
    let mut again = Tree::start(&app, "lanes").await;
    let ended = again.end().await;
    assert_eq!(ended["outcome"], "failed");
    let words = ended["final_response"].as_str().unwrap();
    assert!(words.contains("`say` (card a) failed") && words.contains("no such model"), "{words}");
    assert_eq!(again.all().await.len(), 1 + 3);
    model.finish();
    app.finish().await;
}

// `on_error: continue`: what it would have given is not there, and the whole is partial at best (C22).
#[actix_web::test]
async fn outputs_of_an_ignored_failed_item_are_absent() {
    let model = ScriptedModel::with_rules(rules(), vec![refuses(), Reply::Text(String::from("yes"))]);
    let after = item(
        "b",
        "say",
        &format!(", when: {{var: a.said, exists: false}}, bindings: [{}]", bind("a", "said", "b", "word")),
    );
    let lanes = composite(&["a"], &["said"], "", &[say_item("a", ", on_error: continue"), after]);
    let app = with_agents(&[("say", SAY), ("lanes", &lanes)], Some(&model)).await;
    let done = run(&app, "lanes", json!({"locale": "en"})).await;
    assert_eq!((&done["ok"], &done["status"]), (&json!(false), &json!("partial")), "{done}");
    assert_eq!(done["vars"], json!({"said": "yes"}));
    assert_eq!(done["error"], "Partly done; cards that failed: a.\nyes");
    model.finish();
    app.finish().await;
}

// C5: the whole tree has the root's time and no more, also where its items would be let be.
#[actix_web::test]
async fn a_tree_ends_when_the_time_of_its_root_is_up() {
    let model = HeldModel::back(&["a", "b"]);
    let inner = composite(&["b"], &[], "", &[say_item("b", ", on_error: continue")]);
    let items = say_item("a", ", on_error: continue") + &item("inner", "inner", ", on_error: continue");
    let late = item("late", "say", "");
    let lanes = composite(&["a"], &[], "", &[items, late]) + "limits: {wall_s: 1}\n";
    let app = with_agents(&[("say", SAY), ("inner", &inner), ("lanes", &lanes)], Some(&model.model)).await;
    let mut tree = Tree::start(&app, "lanes").await;
    model.wait_for_request("a", 1).await;
    model.wait_for_request("b", 1).await;
    assert_eq!(tree.end().await["outcome"], "exhausted");
    for run in tree.all().await {
        let ended = tree.ended(run["run_id"].as_str().unwrap()).await;
        assert!(["exhausted", "cancelled"].contains(&ended["outcome"].as_str().unwrap()), "{ended}");
    }
    assert_eq!(sorted(model.all()), ["a", "b"], "nothing begins when the time is up");
    model.model.finish();
    app.finish().await;
}

// S0.25, C5: every run of the tree counts, whoever called it and however many at once.
#[actix_web::test]
async fn total_steps_are_counted_over_the_whole_tree() {
    let middle = composite(&[], &[], "", &[many("leaf", 4)]);
    let lanes = composite(&[], &[], "", &[many("middle", 3)]) + "limits: {total_steps: 10}\n";
    let app = with_agents(&[("leaf", LEAF), ("middle", &middle), ("lanes", &lanes)], None).await;
    let mut tree = Tree::start(&app, "lanes").await;
    assert_eq!(tree.end().await["outcome"], "partial");
    let runs = tree.all().await;
    assert_eq!(runs.len(), 1 + 3 + 12);
    let ran = statuses(&runs[1..]).into_iter().filter(|status| *status != "exhausted").count();
    assert_eq!(ran, 10, "{:?}", statuses(&runs));
    app.finish().await;
}

// C5: a composite's own limit counts what is below itself, not what goes on beside it.
#[actix_web::test]
async fn the_limit_of_a_composite_counts_only_its_own_tree() {
    let middle = composite(&[], &[], "", &[many("leaf", 4)]) + "limits: {total_steps: 4}\n";
    let lanes = composite(&[], &[], "", &[many("middle", 3)]);
    let app = with_agents(&[("leaf", LEAF), ("middle", &middle), ("lanes", &lanes)], None).await;
    let mut tree = Tree::start(&app, "lanes").await;
    assert_eq!(tree.end().await["outcome"], "succeeded");
    assert_eq!(statuses(&tree.all().await), ["succeeded"; 1 + 3 + 12]);
    app.finish().await;
}

// S0.24, S0.26, C16: limit 3 allows 3 in each branch; what is beyond is the failure of its item alone.
#[actix_web::test]
async fn branches_nest_each_as_deep_as_the_root_allows() {
    let down = composite(&[], &[], "", &[item("down", "down", ", on_error: continue")]);
    let both = item("left", "down", "") + &item("right", "down", "");
    let lanes = composite(&[], &[], "", &[both, item("next", "leaf", "")]) + "limits: {depth: 3}\n";
    let app = with_agents(&[("leaf", LEAF), ("down", &down), ("lanes", &lanes)], None).await;
    let mut tree = Tree::start(&app, "lanes").await;
    assert_eq!(tree.end().await["outcome"], "partial");
    let mut ends: Vec<(u64, String)> = tree.all().await.iter().map(end_at).collect();
    ends.sort();
    let two = |depth: u64, outcome: &str| [(depth, outcome.to_owned()), (depth, outcome.to_owned())];
    let mut expected = vec![(0, String::from("partial"))];
    for (depth, outcome) in [(1, "partial"), (2, "partial"), (3, "partial"), (4, "exhausted")] {
        expected.extend(two(depth, outcome));
    }
    // The lane after them.
    expected.insert(3, (1, String::from("succeeded")));
    assert_eq!(ends, expected);
    app.finish().await;
}

fn end_at(run: &Value) -> (u64, String) {
    (run["depth"].as_u64().unwrap(), run["status"].as_str().unwrap().to_owned())
}
