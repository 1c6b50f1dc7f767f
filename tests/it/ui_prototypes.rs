//! Two prototypes of turns (S4 of docs/requirements.md) on the page, in a real Chromium: work in the background that takes as long as it
//! takes, shown while it goes on, and told of when it is over.
// S4.1, S4.4, S4.12, S4.16, S4.18, C9, C17

use crate::support::agents::{get, with_agents};
use crate::support::model::{Reply, ScriptedModel};
use crate::support::talk::slot;
use crate::support::tasks::{HELD, master, prototype, rules, run_master};
use crate::support::ui::{Ui, lines};
use serde_json::{Value, json};

/// A Python agent of these inputs that takes about three seconds, and asks nobody.
fn slow(inputs: [&str; 2]) -> String {
    let [first, second] = inputs;
    format!(
        "kind: atomic\ninputs: [{{name: {first}}}, {{name: {second}}}]\noutputs: [{{name: found, type: string}}]\n\
         python: {{code: 'import threading; threading.Event().wait(3); found = {first} + \" as \" + {second}'}}\n"
    )
}

/// From here on the page notes how far each bar is drawn.
const NOTES: &str = "window.drawn = [];
    (function note() {
        for (const bar of document.querySelectorAll('[role=progressbar]')) {
            const part = bar.querySelector('i');
            const percent = parseFloat(part.style.inlineSize);
            if (isNaN(percent) || window.drawn.at(-1)?.[1] === percent) continue;
            window.drawn.push([bar.getAttribute('aria-label'), percent, part.getBoundingClientRect().width]);
        }
        requestAnimationFrame(note);
    })()";

/// The answer to a request that is told that this task has ended.
fn after(task: &'static str, result: &'static str, reply: Reply) -> Reply {
    Reply::seen(move |request| {
        let prompt = request.last_text();
        assert!(prompt.contains(&format!("The task {task} ")) && prompt.contains(result), "{prompt}");
        reply
    })
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_prototypes_of_work_in_the_background_run_on_the_page() {
    let _slot = slot().await;
    let script =
        vec![prototype(1), after("build-main-app-123", "//main:app as release", Reply::stop("It is built."))];
    let model = ScriptedModel::with_rules(rules(), script);
    let (build, deploy) = (slow(["target", "config"]), slow(["target", "service"]));
    let agents =
        [("master", master(&["build_tool", "deploy_tool"])), ("build_tool", build), ("deploy_tool", deploy)];
    let agents: Vec<(&str, &str)> = agents.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let app = with_agents(&agents, Some(&model)).await;
    let ui = Ui::open(&format!("{}/#/agents/master/run", app.base)).await;
    ui.types("text", "Compile //main:app.").await;
    ui.click("button", "Run").await;
    let run = ui.run().await;
    // The end of the task wakes the conversation: nobody writes anything.
    ui.reads("It is built.").await;
    let whole = get(&app, &format!("/api/runs/{run}")).await;
    assert_eq!(
        (&whole["tasks"][0]["status"], &whole["questions"]),
        (&json!("succeeded"), &json!([])),
        "{whole}"
    );
    let trace = get(&app, &format!("/api/runs/{run}/trace")).await.to_string();
    for fragment in ["relic_id_project_docs_v4", "\"security_level\":\"user\""] {
        assert!(trace.contains(fragment), "no {fragment} in {trace}");
    }

    let mut inside = ui.page().await;
    inside.run(NOTES).await;
    model.push(prototype(4));
    model.push(after("deploy-prod-gateway-456", "production as api_gateway", Reply::stop("It is deployed.")));
    ui.types("Task or message", "Deploy it.").await;
    ui.click("button", "Send").await;
    ui.reads("It is deployed.").await;
    let drawn = inside.run("JSON.stringify(window.drawn)").await;
    let drawn: Vec<(String, f64, f64)> = serde_json::from_str(drawn.as_str().unwrap()).unwrap();
    let label = "Deploying api_gateway to production...";
    assert!(drawn.iter().all(|(named, ..)| named == label), "{drawn:?}");
    assert!(
        drawn.len() > 1 && drawn.is_sorted_by(|before, after| before.1 < after.1),
        "it moves on: {drawn:?}"
    );
    assert!(drawn[drawn.len() - 1].2 > drawn[0].2, "and is drawn so: {drawn:?}");
    ui.is_gone("Cancel Deploying api_gateway to production...").await;
    let over = "Finished in the background: Deploying api_gateway to production...";
    assert!(lines(&*ui.observe().await).contains(over));
    ui.finish().await;
    app.finish().await;
    model.finish();
}

// C17: whatever level a model gives itself, who is to be asked is asked.
#[actix_web::test]
async fn a_security_level_spares_no_question() {
    let path = format!("{}/tests/golden/prototypes/1.json", env!("CARGO_MANIFEST_DIR"));
    let mut turn: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    turn["context"]["security_level"] = json!("admin");
    turn["actions"][0]["execution"] = json!("SYNC");
    let model = ScriptedModel::with_rules(rules(), vec![Reply::Turn(turn)]);
    let master = master(&["build_tool"]);
    let app = with_agents(&[("master", &master), ("build_tool", HELD)], Some(&model)).await;
    let whole = run_master(&app.base, "Compile //main:app.").await;
    assert_eq!(whole["questions"][0]["kind"], "confirm", "{whole}");
    let trace = get(&app, &format!("/api/runs/{}/trace", whole["run_id"].as_str().unwrap())).await;
    assert!(trace.to_string().contains("\"security_level\":\"admin\""), "{trace}");
    app.finish().await;
    model.finish();
}
