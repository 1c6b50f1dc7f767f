//! Features that an agent file disables leave no trace: no request to a model, no run of another agent, no word in a
//! prompt.

use crate::support::agents::{get, run, with_settings};
use crate::support::model::{Reply, Request, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::tasks::calls;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

const CLERK: &str = "
kind: atomic
inputs: [{name: text, type: string}]
outputs: [{name: answer, type: string}]
limits: {history: 4}
llm: {prompt: '{{ text }}', uses: [clock], SECTION}
";
const CLOCK: &str = "
kind: atomic
outputs: [{name: now, type: string}]
python: {code: \"now = 'noon'\"}
";
/// Number of calls of the clock before the task ends.
const CALLS: u32 = 7;

fn answers(turns: &AtomicU32, request: &Request) -> Reply {
    match request.schema_name() {
        "plan" => Reply::Text(json!({"items": [], "open_questions": [], "notes": null}).to_string()),
        "thoughts" => Reply::Text(json!({"thoughts": [{"type": "PLAN", "content": "so"}]}).to_string()),
        "summary" => Reply::Text(json!({"summary": "it was noon"}).to_string()),
        _ if turns.fetch_add(1, Ordering::Relaxed) < CALLS => {
            Reply::Turn(calls(&[("c", "clock", json!({}), "SYNC")]))
        }
        _ => Reply::stop("noon"),
    }
}

/// Requests to the model by kind, runs by agent, and the text of all prompts of turns.
async fn with(section: &str) -> (BTreeMap<String, u32>, BTreeMap<String, u32>, String) {
    let turns = AtomicU32::new(0);
    let model = ScriptedModel::answering(Rules { several_runs: true, ..Rules::default() }, move |request| {
        answers(&turns, request)
    });
    let clerk = CLERK.replace("SECTION", section);
    let files = [
        ("clerk", clerk.as_str()),
        ("clock", CLOCK),
        ("clerk/knowledge/hours.md", "# hours\nnoon is at 12\n"),
    ];
    let app = with_settings(&files, Some(&model), &[]).await;
    let done = run(&app, "clerk", json!({"text": "What time is it?", "locale": "en"})).await;
    assert_eq!(done["ok"], json!(true), "{done}");
    let children = get(&app, &format!("/api/runs?parent={}", done["run_id"].as_str().unwrap())).await;
    let mut agents = BTreeMap::new();
    for child in children["items"].as_array().unwrap() {
        *agents.entry(child["agent"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    let (mut asked, mut prompts) = (BTreeMap::new(), String::new());
    for request in model.requests() {
        *asked.entry(request.schema_name().to_owned()).or_default() += 1;
        if request.schema_name() == "turn" {
            prompts.push_str(&request.body.to_string());
        }
    }
    app.finish().await;
    model.finish();
    (asked, agents, prompts)
}

// S2.32, S4.30, S4.31, S4.33: off, each of them costs nothing and shows nowhere.
#[actix_web::test]
async fn disabled_features_are_absent() {
    let section = "plan: off, thinking: off, premoves: off, knowledge: off, compaction: off";
    let (asked, agents, prompts) = with(section).await;
    assert_eq!(asked, BTreeMap::from([(String::from("turn"), CALLS + 1)]));
    assert_eq!(agents, BTreeMap::from([(String::from("clock"), CALLS)]));
    for word in ["recall", "premove", "knowledge of", "hours", "Previous context summary", "replan"] {
        assert!(!prompts.contains(word), "{word} in {prompts}");
    }
}

// S4.33: work in the background, too: no word of it, and what is asked for all the same is refused, and waited for
// when it is asked for once more.
#[actix_web::test]
async fn work_in_the_background_can_be_switched_off() {
    let call_clock = |execution: &str| Reply::Turn(calls(&[("c", "clock", json!({}), execution)]));
    let manages = json!({"operation": "list"});
    let manager = Reply::Turn(calls(&[("m", "task_manager", manages, "SYNC")]));
    let script = vec![call_clock("ASYNC"), manager, call_clock("SYNC"), Reply::stop("noon")];
    let model = ScriptedModel::with_rules(Rules { several_runs: true, ..Rules::default() }, script);
    let clerk = CLERK.replace("SECTION", "tasks: off");
    let app = with_settings(&[("clerk", clerk.as_str()), ("clock", CLOCK)], Some(&model), &[]).await;
    let done = run(&app, "clerk", json!({"text": "What time is it?", "locale": "en"})).await;
    assert_eq!(done["ok"], json!(true), "{done}");
    let requests = model.requests();
    for word in ["task_manager", "ASYNC", "in the background", "TASK_STARTED and"] {
        assert!(!requests[0].body.to_string().contains(word), "{word} in {}", requests[0].body);
    }
    assert!(
        requests[1].last_text().contains("does nothing in the background"),
        "{}",
        requests[1].last_text()
    );
    assert!(
        requests[2].last_text().contains("there is no action `task_manager`"),
        "{}",
        requests[2].last_text()
    );
    let id = done["run_id"].as_str().unwrap();
    let children = get(&app, &format!("/api/runs?parent={id}")).await;
    assert_eq!(children["items"].as_array().unwrap().len(), 1, "{children}");
    model.finish();
    app.finish().await;
}

// The same with all of it on, so that the words and numbers above are those that count.
#[actix_web::test]
async fn enabled_features_are_present() {
    let section = "plan: true, thinking: always, premoves: [{name: time, agent: clock, ttl_s: 600}], knowledge: on, compaction: on, tasks: on";
    let (asked, agents, prompts) = with(section).await;
    assert_eq!((asked["plan"], asked["thoughts"], asked["turn"]), (1, 1, CALLS + 1), "{asked:?}");
    assert_eq!(agents["clock"], CALLS + 1, "{agents:?}");
    assert!(agents.contains_key("__summary"), "{agents:?}");
    for word in ["recall", "premove", "hours", "replan", "task_manager", "ASYNC", "in the background"] {
        assert!(prompts.contains(word), "{word} in {prompts}");
    }
}
