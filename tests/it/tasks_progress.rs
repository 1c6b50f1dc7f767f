//! Progress of a task, from the reports of its children: the items of lanes, the plan of a conversation.

use crate::support::lanes::{composite, item};
use crate::support::model::{Reply, ScriptedModel, turn};
use crate::support::model_checks::Rules;
use crate::support::tasks::{
    HELD, calls, events, master, post, release_held_task, run_master, service, task, wait_for_run,
};
use serde_json::{Value, json};

fn rules() -> Rules {
    Rules { several_runs: true, format: None, ..Rules::default() }
}

/// Begins it in the background, and rests.
fn start_task_reply(agent: &str, params: Value) -> Reply {
    let mut reply = calls(&[("job", agent, params, "ASYNC")]);
    // The expected duration is unknown.
    reply["actions"][0]["display"] = json!({"type": "progress_bar", "label": "Working"});
    (reply["stop"], reply["response"]) = (json!(true), json!("It has begun."));
    Reply::Turn(reply)
}

fn half(whole: &Value) -> bool {
    task(whole, "job")["progress"].as_f64().is_some_and(|progress| (progress - 0.5).abs() < 1e-9)
}

/// Told as it went on, never beyond what was done, and whole at the end.
async fn assert_progress_events(base: &str, run: &str) {
    let task_events = events(base, run, "task").await;
    let shown: Vec<f64> = task_events.iter().filter_map(|event| event["progress"].as_f64()).collect();
    assert!(shown.contains(&0.5) && shown.is_sorted() && shown.last() == Some(&1.0), "{shown:?}");
    assert!(task_events.iter().all(|event| event["display"]["label"] == "Working"), "{task_events:?}");
}

// S4.12, S4.25: items that are over, of all that the lanes have.
#[actix_web::test]
async fn the_progress_of_lanes_counts_their_items() {
    let lanes = [
        item("first", "word", ""),
        item("second", "word", ""),
        item(
            "third",
            "held",
            ", bindings: [{from_agent_item_id: __CTX__, from_var: target, to_agent_item_id: third, to_var: target}]",
        ),
        item("last", "word", ""),
    ];
    let works = composite(&["target"], &[], "", &lanes);
    let word = "kind: atomic\noutputs: [{name: said}]\npython: {code: 'said = 1'}\n";
    let model =
        ScriptedModel::with_rules(rules(), vec![start_task_reply("works", json!({})), Reply::stop("Done.")]);
    let agents = [("master", &*master(&["works"])), ("works", &*works), ("word", word), ("held", HELD)];
    let app = service(&agents, &model, &[]).await;
    let whole = run_master(&app.base, "Work.").await;
    let run = whole["run_id"].as_str().unwrap().to_owned();
    // Two of four are over, and the third waits for a person.
    wait_for_run(&app.base, &run, "half of it", half).await;
    release_held_task(&app.base, &run).await;
    let whole = wait_for_run(&app.base, &run, "the end", |whole| !whole["ended_at"].is_null()).await;
    assert_eq!(task(&whole, "job")["progress"], 1.0, "{whole}");
    assert_progress_events(&app.base, &run).await;
    model.finish();
    app.finish().await;
}

/// A conversation that plans and asks after the first of its two items.
fn planner() -> Vec<Reply> {
    let item = |n: u32| {
        json!({"position": n, "description": format!("goal {n}"), "acceptance_criteria": "seen",
               "dependencies": [], "predicates": []})
    };
    let claim = |n: u32| {
        let mut reply = turn("", json!({}));
        (reply["status"], reply["step_ref"], reply["actions"]) = (json!("SUCCESS"), json!(n), json!([]));
        Reply::Turn(reply)
    };
    let judged = || Reply::Text(json!({"met": true, "why": "it is there"}).to_string());
    let plan = json!({"items": [item(1), item(2)], "open_questions": [], "notes": null});
    vec![
        Reply::Text(plan.to_string()),
        claim(1),
        judged(),
        Reply::act("ask_user", json!({"question": "Which?", "answer_key": "which", "options": []})),
        claim(2),
        judged(),
        Reply::stop("Both."),
        Reply::stop("Done."),
    ]
}

// S4.12, S4.25: items of the plan that are reached.
#[actix_web::test]
async fn the_progress_of_conversations_follows_their_plan() {
    let works = "kind: atomic\ninputs: [{name: text, type: string}]\noutputs: [{name: answer, type: string}]\n\
                 llm: {prompt: '{{ text }}', plan: true, thinking: 'off'}\n";
    let (held, release) = start_task_reply("works", json!({"text": "Two things."})).stalled();
    let model = ScriptedModel::with_rules(rules(), vec![held]);
    planner().into_iter().for_each(|reply| model.push(reply));
    let app = service(&[("master", &master(&["works"])), ("works", works)], &model, &[]).await;
    drop(release);
    let whole = run_master(&app.base, "Work.").await;
    let run = whole["run_id"].as_str().unwrap().to_owned();
    let whole = wait_for_run(&app.base, &run, "half of it", half).await;
    let has_question = |whole: &Value| whole["questions"].as_array().is_some_and(|all| all.len() == 1);
    let whole = if has_question(&whole) {
        whole
    } else {
        wait_for_run(&app.base, &run, "its question", has_question).await
    };
    let path = format!("/api/questions/{}", whole["questions"][0]["reference"].as_str().unwrap());
    assert_eq!(post(&app.base, &path, json!({"text": "any"})).await.0, 200);
    wait_for_run(&app.base, &run, "the end", |whole| !whole["ended_at"].is_null()).await;
    assert_progress_events(&app.base, &run).await;
    model.finish();
    app.finish().await;
}
