//! `askfirst replay`: a recorded run is taken again from its record, comes to the same, and to something else
//! where an agent was changed. Nothing is executed and nobody is asked.

use crate::support::agents::{get, run, with_agents, with_settings};
use crate::support::app::{TestApp, until};
use crate::support::cli::{CommandResult, askfirst};
use crate::support::lanes::{LEAF, SAY, composite, rules, say_item};
use crate::support::model::{Reply, ScriptedModel};
use crate::support::orchestration::orchestrate;
use crate::support::talk::Talk;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

const TALKS: &str = "
kind: atomic
outputs: [{name: answer, type: string}]
llm: {system: 'You do chores.', prompt: '{{ text }}', plan: true, uses: [code]}
";
const CODE: &str = "
kind: atomic
inputs: [{name: word}]
outputs: [{name: said}]
python: {code: 'said = word.upper()'}
";

/// The run as one file, away from the service that has it.
async fn exported(app: &TestApp, run: &str, folder: &Path) -> PathBuf {
    let whole = get(app, &format!("/api/runs/{run}/export")).await;
    let file = folder.join("run.json");
    std::fs::write(&file, whole.to_string()).unwrap();
    file
}

/// In a folder that no service has ever been in, with these agents and a model that would be asked.
async fn replayed(file: &Path, agents: &Path, model: &ScriptedModel, more: &[&str]) -> CommandResult {
    replayed_with(file, agents, model, (more, "[]")).await
}

async fn replayed_with(
    file: &Path,
    agents: &Path,
    model: &ScriptedModel,
    (more, hosts): (&[&str], &str),
) -> CommandResult {
    let folder = tempfile::tempdir().unwrap();
    let vars = [
        ("ASKFIRST_AGENTS_DIR", agents.to_str().unwrap()),
        ("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()),
        ("ASKFIRST_GATE__PRIVATE_HOSTS", hosts),
        ("ASKFIRST_BROWSER__EXECUTABLE", "/nowhere/chromium"),
    ];
    let words: Vec<&str> =
        ["replay", file.to_str().unwrap()].into_iter().chain(more.iter().copied()).collect();
    let before = model.requests().len();
    let typed = askfirst(folder.path(), &words, &vars).await;
    assert_eq!(model.requests().len(), before, "no model is asked");
    assert!(!folder.path().join("data/askfirst.db").exists(), "nothing is stored: {typed:?}");
    typed
}

fn assert_replay_same(typed: &CommandResult) {
    assert_eq!(typed.code, 0, "{}\n{}", typed.out, typed.err);
    assert!(typed.out.starts_with("the same\n"), "{}", typed.out);
    assert!(!typed.err.contains("panicked"), "{}", typed.err);
}

fn assert_replay_differs(typed: &CommandResult, words: &[&str]) {
    assert_eq!(typed.code, 1, "{}\n{}", typed.out, typed.err);
    for word in words {
        assert!(typed.out.contains(word), "{word}: {}", typed.out);
    }
}

#[actix_web::test]
async fn lanes_and_models_answers_replay_as_the_same_and_a_changed_prompt_shows() {
    let lanes = [say_item("red", ""), say_item("blue", "") + &say_item("green", "")];
    let pair = composite(&["red", "blue", "green"], &["said"], "", &lanes);
    let code = "kind: atomic\noutputs: [{name: twice}]\npython: {code: 'twice = 2 * 21'}\n";
    let lanes = [String::from("        - {id: pair, agent: pair}\n        - {id: code, agent: code}\n")];
    let whole = composite(&[], &["twice"], "", &lanes);
    let agents = [("say", SAY), ("pair", &pair), ("code", code), ("whole", &whole)];
    let model = ScriptedModel::answering(rules(), |_| Reply::Text(String::from("said")));
    let app = with_agents(&agents, Some(&model)).await;
    let done = run(&app, "whole", json!({})).await;
    assert_eq!(done["status"], "succeeded", "{done}");
    let id = done["run_id"].as_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (file, agents_folder) = (exported(&app, id, folder.path()).await, app.folder.path().join("agents"));

    assert_replay_same(&replayed(&file, &agents_folder, &model, &[]).await);
    let output = replayed(&file, &agents_folder, &model, &["--json"]).await.json();
    assert_eq!(
        (&output["same"], &output["runs"], &output["answers"]),
        (&json!(true), &json!(6), &json!(3)),
        "{output}"
    );
    // Results of code are taken from the recording; all else was computed anew.
    let steps = output["steps"].as_u64().unwrap();
    assert_eq!(
        (&output["taken"], output["recomputed"].as_u64().unwrap()),
        (&json!(1), steps - 1),
        "{output}"
    );
    // The same by its id, from the service that has it.
    let by_id = askfirst(app.folder.path(), &["replay", id], &[]).await;
    assert_replay_same(&by_id);

    std::fs::write(
        agents_folder.join("say.yaml"),
        format!("name: say\n{}", SAY.replace("say {{", "shout {{")),
    )
    .unwrap();
    let changed = replayed(&file, &agents_folder, &model, &[]).await;
    assert_replay_differs(&changed, &["(say)", "execute: prompt", "- say red", "+ shout red", "and 2 more"]);
    assert_replay_same(&replayed(&file, &agents_folder, &model, &["--as-recorded"]).await);
    let changed = askfirst(app.folder.path(), &["replay", id], &[]).await;
    assert_replay_differs(&changed, &["+ shout red"]);

    // Code is not run again, but that it is other code is told.
    std::fs::write(agents_folder.join("say.yaml"), format!("name: say\n{SAY}")).unwrap();
    assert_replay_same(&replayed(&file, &agents_folder, &model, &[]).await);
    let other = code.replace("2 * 21", "3 * 21");
    std::fs::write(agents_folder.join("code.yaml"), format!("name: code\n{other}")).unwrap();
    assert_replay_differs(
        &replayed(&file, &agents_folder, &model, &[]).await,
        &["(code)", "execute: code", "- code ", "+ code "],
    );
    model.finish();
    app.finish().await;
}

#[actix_web::test]
async fn a_file_that_cannot_be_replayed_is_a_usage_error() {
    let folder = tempfile::tempdir().unwrap();
    let odd = folder.path().join("odd.json");
    std::fs::write(&odd, "{\"_version\": 1}").unwrap();
    let nobody = "0198f3a0-1234-7abc-8def-0123456789ab";
    for (word, expected) in [
        ("missing.json", "missing.json"),
        (odd.to_str().unwrap(), "not an exported run"),
        // A file without an end.
        ("/dev/zero", "is not a file"),
        (folder.path().to_str().unwrap(), "is not a file"),
        (nobody, "there is no run"),
    ] {
        let typed = askfirst(folder.path(), &["replay", word], &[]).await;
        assert_eq!(typed.code, 2, "{typed:?}");
        assert!(typed.err.contains(expected), "{typed:?}");
    }
}

/// Export of a run of one agent, and a folder for the files made of it.
async fn leaf() -> (Value, tempfile::TempDir) {
    let app = with_agents(&[("leaf", LEAF)], None).await;
    let done = run(&app, "leaf", json!({})).await;
    let whole = get(&app, &format!("/api/runs/{}/export", done["run_id"].as_str().unwrap())).await;
    app.finish().await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("agents")).unwrap();
    std::fs::write(folder.path().join("agents/leaf.yaml"), format!("name: leaf\n{LEAF}")).unwrap();
    (whole, folder)
}

async fn replayed_in(folder: &Path, document: &Value) -> CommandResult {
    let file = folder.join("odd.json");
    std::fs::write(&file, document.to_string()).unwrap();
    askfirst(folder, &["replay", file.to_str().unwrap()], &[]).await
}

// A file comes from anywhere: what it names moves no cursor, sets no title, and fakes no line of the report.
#[actix_web::test]
async fn names_in_a_replayed_file_cannot_control_the_terminal() {
    let (mut whole, folder) = leaf().await;
    let recorded = &mut whole["replay"]["runs"][0];
    recorded["row"]["agent"] = json!("evil\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}1A\r\nthe same");
    recorded["steps"][0]["node"] = json!("n\u{1b}[31m\nthe same");
    let typed = replayed_in(folder.path(), &whole).await;
    assert_eq!(typed.code, 1, "{typed:?}");
    assert!(typed.out.contains("evil\u{fffd}]0;owned"), "{typed:?}");
    let both = typed.out + &typed.err;
    assert!(both.chars().all(|c| c == '\n' || !c.is_control()), "{both:?}");
    assert!(both.lines().all(|line| line != "the same"), "{both:?}");
}

#[actix_web::test]
async fn an_implausible_replay_file_is_refused_before_it_starts() {
    let (whole, folder) = leaf().await;
    let steps = whole["replay"]["runs"][0]["steps"].as_array().unwrap().clone();
    let mut many = Vec::new();
    for n in 1..=20_001 {
        many.push(steps[0].clone());
        many.last_mut().unwrap()["n"] = json!(n);
    }
    let with = |steps: Vec<Value>| {
        let mut odd = whole.clone();
        odd["replay"]["runs"][0]["steps"] = json!(steps);
        odd
    };
    let mut twice = whole.clone();
    let again = twice["replay"]["runs"][0].clone();
    twice["replay"]["runs"].as_array_mut().unwrap().push(again);
    for (odd, expected) in [
        (with([steps.clone(), steps.clone()].concat()), "follows on step"),
        (with(many), "there are 20001 steps in it; 20000 at most are replayed"),
        (twice, "is in it more than once"),
    ] {
        let typed = replayed_in(folder.path(), &odd).await;
        assert_eq!((typed.code, typed.err.contains(expected)), (2, true), "{typed:?}");
    }
    let large = folder.path().join("large.json");
    std::fs::File::create(&large).unwrap().set_len(257 * 1024 * 1024).unwrap();
    let typed = askfirst(folder.path(), &["replay", large.to_str().unwrap()], &[]).await;
    assert_eq!((typed.code, typed.err.contains("is larger than 256 MB")), (2, true), "{typed:?}");
}

// A replay stops at a limit of differences; each of them would be reported as the first is.
#[actix_web::test]
async fn a_replay_that_differs_everywhere_is_given_up() {
    let (mut whole, folder) = leaf().await;
    let recorded = &mut whole["replay"]["runs"][0];
    let (step, received) = (recorded["steps"][0].clone(), recorded["heard"][0].clone());
    let with = |of: &Value, name: &str, n: u32| {
        let mut one = of.clone();
        one[name] = json!(n);
        one
    };
    recorded["steps"] = (1..=3_000).map(|n| with(&step, "n", n)).collect();
    for step in recorded["steps"].as_array_mut().unwrap() {
        step["outcome"] = json!("another");
    }
    recorded["heard"] = (1..=3_000).map(|n| with(&received, "step", n)).collect();
    let typed = replayed_in(folder.path(), &whole).await;
    assert_eq!(typed.code, 1, "{typed:?}");
    assert!(typed.out.contains("and 999 more, and there it was given up"), "{typed:?}");
    assert!(typed.out.contains("steps: 1000:"), "{typed:?}");
}

// A process that is killed cannot clear up after itself: the next one does.
#[actix_web::test]
async fn files_of_a_killed_replay_are_removed_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let left = folder.path().join("askfirst-replay-killed");
    std::fs::create_dir_all(left.join("data")).unwrap();
    std::fs::write(left.join("lock"), "").unwrap();
    let run = folder.path().join("run.json");
    std::fs::write(&run, json!({"replay": {"runs": [], "texts": []}}).to_string()).unwrap();
    let vars = [("TMPDIR", folder.path().to_str().unwrap())];
    assert_replay_same(&askfirst(folder.path(), &["replay", run.to_str().unwrap()], &vars).await);
    let entries = std::fs::read_dir(folder.path()).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    assert_eq!(names.filter(|name| name.starts_with("askfirst-replay")).count(), 0);
}

fn item(position: u32, description: &str) -> Value {
    json!({
        "position": position, "description": description, "dependencies": [],
        "acceptance_criteria": format!("{description} is seen"), "predicates": [],
    })
}

// A conversation with a plan, a judge and an agent that it calls.
#[actix_web::test]
async fn a_conversation_with_a_plan_and_calls_replays_as_the_same() {
    let answer = |request: &crate::support::model::Request| match request.schema_name() {
        "plan" => Reply::Text(
            json!({"items": [item(1, "a word")], "open_questions": [], "notes": null}).to_string(),
        ),
        "judgement" => Reply::Text(json!({"met": true, "why": "it was said"}).to_string()),
        "turn" if request.last_text().contains("result a1") => Reply::stop("Said."),
        _ => Reply::act("code", json!({"word": "red"})),
    };
    let rules = crate::support::model_checks::Rules { several_runs: true, ..Default::default() };
    let model = ScriptedModel::answering(rules, answer);
    let app = with_settings(&[("code", CODE), ("chores", TALKS)], Some(&model), &[]).await;
    let done = run(&app, "chores", json!({"text": "say a word", "locale": "en"})).await;
    assert_eq!(done["status"], "succeeded", "{done}");
    let id = done["run_id"].as_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (file, agents_folder) = (exported(&app, id, folder.path()).await, app.folder.path().join("agents"));
    assert_replay_same(&replayed(&file, &agents_folder, &model, &[]).await);
    let changed = TALKS.replace("You do chores.", "You do as little as you can.");
    std::fs::write(agents_folder.join("chores.yaml"), format!("name: chores\n{changed}")).unwrap();
    let typed = replayed(&file, &agents_folder, &model, &[]).await;
    assert_replay_differs(&typed, &["(chores)", "prompt", "You do chores.", "You do as little as you can."]);
    model.finish();
    app.finish().await;
}

// A page, an effect that a person approved, and a plan; the browser and the page are gone by then.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_conversation_on_a_page_with_an_approved_effect_replays_as_the_same() {
    let mut talk = Talk::start(&[]).await;
    let goal = item(1, "the letter is sent");
    let plan = Reply::Text(json!({"items": [goal], "open_questions": [], "notes": null}).to_string());
    let met = Reply::Text(json!({"met": true, "why": "it was sent"}).to_string());
    talk.script([Reply::act("replan", json!({"reason": "steps"})), plan, talk.room()]);
    talk.script([Reply::fill("Message", "hello"), Reply::click("button", "Send message")]);
    talk.say("write them a letter").await;
    let question = talk.wait_for_question().await;
    talk.script([Reply::stop("Sent."), met]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    let folder = tempfile::tempdir().unwrap();
    let (file, run) = (exported(&talk.app, &talk.run, folder.path()).await, talk.run.clone());
    let agents_folder = talk.app.folder.path().join("agents");
    let sent = talk.site.sent().len();

    let hosts = json!([talk.site.host, talk.site.host.replace("127.0.0.1", "localhost")]).to_string();
    let typed = replayed_with(&file, &agents_folder, &talk.model, (&["--json"], &hosts)).await;
    let output = typed.json();
    assert_eq!((typed.code, &output["taken"]), (0, &json!(0)), "{output:#}");
    assert!(output["heard"].as_u64().unwrap() > 10 && output["answers"].as_u64().unwrap() >= 6, "{output}");
    assert_eq!(talk.site.sent().len(), sent, "nothing is sent again");

    // A changed goal of the agent is reported by run, step and node.
    let browser = std::fs::read_to_string(agents_folder.join("browser.yaml")).unwrap();
    let other = browser.replacen("You drive a real browser", "You are a parrot", 1);
    std::fs::write(agents_folder.join("browser.yaml"), other).unwrap();
    let typed = replayed_with(&file, &agents_folder, &talk.model, (&[], &hosts)).await;
    assert_replay_differs(&typed, &[run.as_str(), "plan_action: prompt", "You are a parrot for"]);
    until("nothing is left of the replay", Duration::from_secs(10), || {
        crate::support::app::chromium_of(folder.path()).is_empty()
    })
    .await;
    talk.finish().await;
}

// A plan that a model made, a block with the first of two that succeeds, results handed on.
#[actix_web::test]
async fn an_orchestration_replays_as_the_same_and_a_changed_prompt_shows() {
    let shout = "kind: atomic\ndescription_en: Says a word aloud.\ninputs: [{name: word}]\noutputs: [{name: said}]\n\
                 python: {code: 'said = word.upper()'}\n";
    let broken = "kind: atomic\ndescription_en: Breaks.\noutputs: [{name: said}]\npython: {code: '1 / 0'}\n";
    let step = |id: &str, agent: &str, word: &str| {
        json!({"id": id, "type": "agent", "agent_id": agent, "action_id": null, "prompt": null, "result_key": id,
               "with": [{"name": "word", "value": word}]})
    };
    let handed_on = "${{ result.a.said }}";
    let plan = json!({"steps": [
        step("a", "shout", "${{ name }}"),
        {"id": "both", "type": "parallel", "children": [step("b", "broken", "b"), step("c", "shout", handed_on)],
         "max_concurrency": null, "merge_strategy": "first_success", "quorum": null, "result_key": "both"},
    ]});
    let rules = crate::support::model_checks::Rules { several_runs: true, ..Default::default() };
    let model = ScriptedModel::answering(rules, move |_| Reply::Text(plan.to_string()));
    let app = with_settings(&[("shout", shout), ("broken", broken)], Some(&model), &[]).await;
    let done = orchestrate(&app, json!({"prompt": "greet", "bindings": {"name": "olena"}})).await;
    assert_eq!(done["vars"]["success"], true, "{done}");
    let folder = tempfile::tempdir().unwrap();
    let file = exported(&app, done["run_id"].as_str().unwrap(), folder.path()).await;
    let agents_folder = app.folder.path().join("agents");
    assert_replay_same(&replayed(&file, &agents_folder, &model, &[]).await);

    let other = shout.replace("Says a word aloud", "Whispers a word");
    std::fs::write(agents_folder.join("shout.yaml"), format!("name: shout\n{other}")).unwrap();
    let typed = replayed(&file, &agents_folder, &model, &[]).await;
    assert_replay_differs(
        &typed,
        &["(agent_orchestrate)", "prompt", "Says a word aloud.", "Whispers a word."],
    );
    model.finish();
    app.finish().await;
}
