//! Events and log lines of a planned task: each thought with its item, questions, results, changes of the state and
//! the end; a log line for each turning point.

use crate::support::app::Process;
use crate::support::cli::askfirst;
use crate::support::model::{Reply, ScriptedModel, turn};
use crate::support::model_checks::Rules;
use crate::support::tasks::{calls, get, post, run_master, wait_for_run};
use serde_json::{Value, json};
use std::path::Path;

const STEADY: &str = "
kind: atomic
inputs: [{name: text, type: string, required: true}]
outputs: [{name: answer, type: string}]
llm: {prompt: '{{ text }}', plan: true, uses: [echo], thinking: 'off'}
";

fn with_step_ref(mut turn: Value) -> Value {
    turn["step_ref"] = json!(1);
    turn
}

fn claim() -> Reply {
    let mut reply = with_step_ref(turn("", json!({})));
    (reply["status"], reply["actions"]) = (json!("SUCCESS"), json!([]));
    Reply::Turn(reply)
}

fn judgement_reply(met: bool, why: &str) -> Reply {
    Reply::Text(json!({"met": met, "why": why}).to_string())
}

fn planned(descriptions: &[&str]) -> Reply {
    let items = descriptions.iter().zip(1_u32..).map(|(description, position)| {
        let before: Vec<u32> = (1..position).collect();
        json!({"position": position, "description": description, "acceptance_criteria": "it is seen",
               "dependencies": before, "predicates": []})
    });
    let items: Vec<Value> = items.collect();
    Reply::Text(json!({"items": items, "open_questions": [], "notes": null}).to_string())
}

/// Script of a task with one item: asked about, worked at, refused once and then reached.
fn script() -> Vec<Reply> {
    let item = json!({
        "position": 1, "description": "the word is heard", "acceptance_criteria": "it comes back",
        "dependencies": [], "predicates": [],
    });
    let plan = json!({"items": [item], "open_questions": [], "notes": null});
    let question = turn("ask_user", json!({"question": "Which?", "answer_key": "word", "options": []}));
    let echo = calls(&[("e", "echo", json!({"text": "${{ answers.word }}"}), "SYNC")]);
    vec![
        Reply::Text(plan.to_string()),
        Reply::Turn(with_step_ref(question)),
        Reply::Turn(with_step_ref(echo)),
        claim(),
        judgement_reply(false, "nobody heard it"),
        claim(),
        judgement_reply(true, "it came back"),
        Reply::stop("Heard."),
    ]
}

/// The run when it has ended, after its question was answered.
async fn worked_through(base: &str) -> Value {
    let whole = run_master(base, "Say a word.").await;
    let run = whole["run_id"].as_str().unwrap().to_owned();
    let path = format!("/api/questions/{}", whole["questions"][0]["reference"].as_str().unwrap());
    assert_eq!(post(base, &path, json!({"text": "lamp"})).await.0, 200);
    wait_for_run(base, &run, "the end", |whole| !whole["ended_at"].is_null()).await
}

/// Name of an event in docs/plans.md.
fn word(event: &Value) -> Option<&'static str> {
    match (event["type"].as_str()?, event["event"].as_str().unwrap_or_default()) {
        ("agent_question", _) => Some("ASK_USER"),
        ("run_ended", _) => Some("COMPLETE"),
        (_, "thought") => Some("THOUGHT"),
        (_, "action_finished") => Some("TOOL_RESULT"),
        (_, "state_updated") => Some("STATE_UPDATED"),
        _ => None,
    }
}

// S2.3, S2.8, S2.10, S2.11, S2.12, S2.17, S2.19 (overruled by C12), S2.36, C19.
#[actix_web::test]
async fn each_change_of_a_plan_is_sent_and_logged() {
    let model = ScriptedModel::with_rules(Rules { several_runs: true, ..Rules::default() }, script());
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("agents")).unwrap();
    std::fs::write(folder.path().join("agents/master.yaml"), format!("name: master\n{STEADY}")).unwrap();
    let log = folder.path().join("log");
    let settings = [
        ("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()),
        ("ASKFIRST_TELEMETRY__LEVEL", "info,askfirst=debug"),
        ("ASKFIRST_TELEMETRY__LOG", "json"),
    ];
    let service = Process::logged(folder.path(), &settings, &log).await;
    let whole = worked_through(&service.base).await;
    assert_eq!(whole["status"], "succeeded", "{whole}");
    let run = whole["run_id"].as_str().unwrap();

    let events = get(&service.base, &format!("/api/runs/{run}/events")).await;
    let events: Vec<&Value> =
        events["items"].as_array().unwrap().iter().filter(|event| event["run_id"] == run).collect();
    let words: Vec<&str> = events.iter().filter_map(|event| word(event)).collect();
    let mut rest = words.iter();
    for wanted in ["THOUGHT", "ASK_USER", "STATE_UPDATED", "THOUGHT", "TOOL_RESULT", "COMPLETE"] {
        assert!(rest.any(|word| *word == wanted), "{wanted} in {words:?}");
    }
    // S2.10: the step is told with the thought.
    let thought = events.iter().find(|event| event["event"] == "thought").unwrap();
    let data = &thought["data"];
    assert_eq!((&data["step_ref"], &data["content"]), (&json!(1), &json!("ask_user is next")), "{thought}");
    let confidence = data["confidence"].as_f64().unwrap();
    assert!((confidence - 0.9).abs() < 1e-6, "{thought}");
    assert_eq!(events.last().unwrap()["plan"], "- [x] 1. the word is heard (succeeded) — it came back");
    // S2.19: a call that succeeded accepts nothing by itself.
    let of = |event: &&&Value, name: &str| event["event"] == name;
    let called = events.iter().position(|event| of(&event, "action_finished") && event["data"]["ok"] == true);
    let after = events[called.unwrap()..].iter().find(|event| of(event, "plan")).unwrap();
    let item = &after["data"]["items"][0];
    assert_eq!((&item["status"], &item["attempts"]), (&json!("running"), &json!(1)), "{item}");
    assert_eq!((&item["chosen_tool"], &item["execution_result"]["success"]), (&json!("echo"), &json!(true)));

    assert!(service.terminate().await.success());
    let words =
        [("step_start", true), ("acceptance_failed", true), ("retry_step", true), ("state_saved", false)];
    assert_lines(&std::fs::read_to_string(&log).unwrap(), run, &words);
    model.finish();
}

/// S2.8, S2.12, S2.16, S2.30, S2.36: each with its run, and with its step where it is of one.
fn assert_lines(log: &str, run: &str, words: &[(&str, bool)]) {
    let lines: Vec<Value> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    for (word, step) in words {
        let found = lines.iter().find(|line| line["message"] == *word && line["run_id"] == run);
        let line = found.unwrap_or_else(|| panic!("{word} in {log}"));
        assert!(!*step || line["step"] == 1, "{line}");
        assert!(line["level"].is_string() && line["timestamp"].is_string(), "{line}");
    }
}

// S2.7, S2.16, S2.30, S2.36: what cannot be done, or not be kept, is a line of the log too.
#[actix_web::test]
async fn failures_of_a_plan_are_logged() {
    let goals = || planned(&["first goal", "second goal"]);
    let once = || [goals(), claim(), judgement_reply(false, "no")];
    let script: Vec<Reply> = once().into_iter().chain(once()).collect();
    let model = ScriptedModel::with_rules(Rules { several_runs: true, ..Rules::default() }, script);
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("agents")).unwrap();
    let agent = "kind: atomic\ninputs: [{name: text, type: string, required: true}]\nlimits: {attempts: 1}\n\
                 llm: {prompt: '{{ text }}', plan: true, thinking: 'off'}\n";
    std::fs::write(folder.path().join("agents/master.yaml"), format!("name: master\n{agent}")).unwrap();
    // No file of a run can be written where this stands in the place of its folder.
    std::fs::create_dir_all(folder.path().join("data")).unwrap();
    std::fs::write(folder.path().join("data/runs"), "a file in its place").unwrap();
    let log = folder.path().join("log");
    let settings = [
        ("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()),
        ("ASKFIRST_TELEMETRY__LEVEL", "info"),
        ("ASKFIRST_TELEMETRY__LOG", "json"),
    ];
    let service = Process::logged(folder.path(), &settings, &log).await;
    let asked = run_master(&service.base, "Two things.").await;
    let run = asked["run_id"].as_str().unwrap();
    let path = format!("/api/questions/{}", asked["questions"][0]["reference"].as_str().unwrap());
    assert_eq!(post(&service.base, &path, json!({"text": "Skip it"})).await.0, 200);
    let whole = wait_for_run(&service.base, run, "the end", |whole| !whole["ended_at"].is_null()).await;
    assert_eq!(whole["status"], "blocked", "{whole}");
    let whole = get(&service.base, &format!("/api/runs/{run}/export")).await;
    assert!(service.terminate().await.success());
    replays_without_a_line(folder.path(), &model, &whole).await;
    assert_lines(
        &std::fs::read_to_string(&log).unwrap(),
        run,
        &[("step_exhausted", true), ("no_actionable_steps", false), ("state_save_failed", false)],
    );
    model.finish();
}

/// A replay writes no log line of the recorded run again.
async fn replays_without_a_line(folder: &Path, model: &ScriptedModel, whole: &Value) {
    let file = folder.join("run.json");
    std::fs::write(&file, whole.to_string()).unwrap();
    let settings =
        [("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()), ("ASKFIRST_TELEMETRY__LEVEL", "info")];
    let typed = askfirst(folder, &["replay", file.to_str().unwrap()], &settings).await;
    assert!(typed.out.starts_with("the same\n") && typed.err.is_empty(), "{typed:?}");
}
