//! `askfirst run` of a conversation that plans, works in the background and has a budget, as a person at a terminal
//! has it: the checklist, the bars, and what is asked about all of it.
// S2.1, S2.13, S4.12, S4.25, C5

use crate::support::cli::Terminal;
use crate::support::model::{Reply, ScriptedModel, turn};
use crate::support::model_checks::Rules;
use serde_json::{Value, json};
use std::path::Path;

const CHORES: &str = "
name: chores
kind: atomic
inputs: [{name: text, type: string, required: true}]
llm: {prompt: '{{ text }}', plan: {approve: ask}}
limits: {tokens: 4500}
";
const MASTER: &str = "
name: master
kind: atomic
inputs: [{name: text, type: string, required: true}]
llm: {prompt: '{{ text }}', uses: [slow], plan: 'off', thinking: 'off'}
";
const SLOW: &str = "
name: slow
kind: atomic
inputs: [{name: what, type: string, required: true}]
outputs: [{name: answer, type: string}]
llm: {prompt: 'Do {{ what }}.'}
";

fn model(llm: bool, script: Vec<Reply>) -> ScriptedModel {
    ScriptedModel::with_rules(Rules { llm, several_runs: true, format: None, ..Rules::default() }, script)
}

fn agents(folder: &Path, all: &[(&str, &str)]) {
    std::fs::create_dir_all(folder.join("agents")).unwrap();
    for (name, text) in all {
        std::fs::write(folder.join(format!("agents/{name}.yaml")), text.trim_start()).unwrap();
    }
}

fn settings(model: &ScriptedModel) -> [(&str, &str); 2] {
    [("ASKFIRST_MODEL__BASE_URL", &model.base_url), ("ASKFIRST_MODEL__STRUCTURED", "prompt")]
}

fn plan() -> Reply {
    let item = |position: u32, description: &str| {
        json!({"position": position, "description": description, "dependencies": [], "predicates": [],
               "acceptance_criteria": format!("{description} is seen")})
    };
    let items = [item(1, "first goal"), item(2, "second goal")];
    Reply::Text(json!({"items": items, "open_questions": [], "notes": null}).to_string())
}

fn claim_reply(step: u32) -> Reply {
    let mut reply = turn("", json!({}));
    (reply["status"], reply["step_ref"], reply["actions"]) = (json!("SUCCESS"), json!(step), json!([]));
    Reply::Turn(reply)
}

fn judgement_reply(met: bool, why: &str) -> Reply {
    Reply::Text(json!({"met": met, "why": why}).to_string())
}

/// Begins its agent in the background, and says so.
fn start_task_reply(display: Value) -> Reply {
    let mut reply = turn("slow", json!({"what": "the report"}));
    let action = &mut reply["actions"][0];
    (action["action_id"], action["execution"], action["display"]) = (json!("b1"), json!("ASYNC"), display);
    (reply["status"], reply["stop"], reply["response"]) =
        (json!("TASK_STARTED"), json!(true), json!("It has begun."));
    Reply::Turn(reply)
}

#[actix_web::test]
async fn a_plan_is_approved_printed_by_item_and_its_budget_asked_about() {
    // Each answer of the scripted model takes 1,280 tokens.
    let script = vec![
        plan(),
        claim_reply(1),
        judgement_reply(true, "the first is there"),
        claim_reply(2),
        judgement_reply(false, "not yet"),
        claim_reply(2),
        judgement_reply(true, "the second is there"),
        Reply::stop("Both are done."),
    ];
    let (folder, model) = (tempfile::tempdir().unwrap(), model(false, script));
    agents(folder.path(), &[("chores", CHORES)]);
    let words = ["run", "chores", "do two things", "--ask"];
    let mut terminal = Terminal::start(folder.path(), &words, &settings(&model));
    for line in ["    1. first goal\n       done when: first goal is seen\n", "[y] yes, use this plan"] {
        terminal.shows(line).await;
    }
    terminal.types("y\n").await;
    for line in [
        "  · plan with 2 items\n    [ ] 1. first goal\n    [ ] 2. second goal\n",
        "  ▸ 1. first goal\n",
        "  ✓ 1. first goal: the first is there\n",
        "  ✗ 2. second goal (attempt 1 of 3): not yet\n",
        "  · 85% of tokens used: 3840 of 4500\n",
        "    tokens: 6400 of 4500 used\n",
        "[y] yes, as much again  [n] no, end here",
    ] {
        terminal.shows(line).await;
    }
    terminal.types("y\n").await;
    let typed = terminal.ends().await;
    assert_eq!((typed.code, typed.out.trim()), (0, "Both are done."), "{typed:?}");
    assert!(typed.err.contains("  ✓ 2. second goal: the second is there\n"), "{}", typed.err);
    model.finish();
}

#[actix_web::test]
async fn background_work_has_a_bar_below_the_lines_while_it_runs() {
    let bar =
        json!({"type": "progress_bar", "label": "Building the report", "estimated_duration_seconds": 2});
    let (built, release) = Reply::Text(String::from("forty pages")).stalled();
    let reads_end = Reply::seen(|request| {
        assert!(request.last_text().contains("forty pages"), "{}", request.last_text());
        Reply::stop("The report is there.")
    });
    let (folder, model) =
        (tempfile::tempdir().unwrap(), model(true, vec![start_task_reply(bar), built, reads_end]));
    agents(folder.path(), &[("master", MASTER), ("slow", SLOW)]);
    let words = ["run", "master", "build the report"];
    let mut terminal = Terminal::open(folder.path(), &words, &settings(&model));
    terminal.shows("▸\u{1b}[0m Building the report (b1, in the background)").await;
    terminal.shows("It has begun.").await;
    // The meter is never full before the end.
    terminal.shows(" 99% Building the report").await;
    drop(release);
    terminal.shows("Building the report (b1) succeeded").await;
    let typed = terminal.ends().await;
    assert_eq!((typed.code, typed.out.trim()), (0, "The report is there."), "{typed:?}");
    assert!(!typed.err.contains("100% Building"), "{}", typed.err);
    let last = typed.err.rfind("░").or(typed.err.rfind("█")).unwrap();
    assert!(typed.err[last..].contains("(b1) succeeded"), "the bar goes with its end: {}", typed.err);
    model.finish();
}
