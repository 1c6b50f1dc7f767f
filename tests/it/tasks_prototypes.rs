//! The six prototypes of turns (S4 of docs/requirements.md), executed by real agents of those names.

use crate::support::model::{Reply, ScriptedModel};
use crate::support::tasks::{
    HELD, events, master, post, prototype, release_held_task, rules, run_master, service, task, wait_for_run,
};
use serde_json::{Value, json};

/// An agent of these inputs that takes a moment and gives what it was given.
fn gives(inputs: &str, code: &str) -> String {
    format!(
        "kind: atomic\ninputs: [{inputs}]\noutputs: [{{name: found, type: string}}]\npython: {{code: '{code}'}}\n"
    )
}

const TOOLS: [&str; 7] = [
    "build_tool",
    "git_tool",
    "search_tool",
    "deploy_tool",
    "static_analyzer",
    "github_tool",
    "summarizer_tool",
];

fn agents() -> Vec<(&'static str, String)> {
    // A build and a deployment take seconds; the build asks first, so that the test says when they begin.
    let slow = "import threading; threading.Event().wait(1.2); found = target + \" of \" + service";
    vec![
        ("master", master(&TOOLS)),
        ("build_tool", String::from(HELD)),
        ("git_tool", gives("{name: operation}, {name: repo}", "found = repo + \" pulled\"")),
        ("search_tool", gives("{name: query}, {name: path}", "found = query + \" in \" + path")),
        ("deploy_tool", gives("{name: target}, {name: service}", slow)),
        (
            "static_analyzer",
            gives("{name: source_task_id}, {name: ruleset}", "found = source_task_id + \" \" + ruleset"),
        ),
        (
            "github_tool",
            gives("{name: operation}, {name: pr_number, type: integer}", "found = \"PR \" + str(pr_number)"),
        ),
        (
            "summarizer_tool",
            gives(
                "{name: source_task_id}, {name: context_task_id}",
                "found = source_task_id + \" after \" + context_task_id",
            ),
        ),
    ]
}

/// A prototype as the answer to a request that has been told this.
fn after(words: &'static [&'static str], reply: Reply) -> Reply {
    Reply::seen(move |request| {
        for word in words {
            assert!(request.last_text().contains(word), "no {word} in: {}", request.last_text());
        }
        reply
    })
}

// S4.1, S4.2, S4.3, S4.4, S4.5, S4.6, S4.7, S4.8, S4.9, S4.10, S4.11, S4.12, S4.13, S4.14, S4.15, C9, C21: each is
// carried out as its own text says.
#[actix_web::test]
async fn the_six_prototypes_are_executed_unchanged() {
    let script = vec![
        prototype(1),
        prototype(2),
        after(
            &["result a1 ok", "build-main-app-123", "\"status\":\"running\""],
            Reply::stop("It is still being built."),
        ),
        after(&["The task build-main-app-123 (build_tool) has ended", "//main:app built"], prototype(5)),
        after(&["result a1 ok", "build-main-app-123 strict"], prototype(3)),
        after(
            &["result doc_update_task ok", "result search_docs_task ok", "logging service? in ./local_docs"],
            prototype(6),
        ),
        after(&["result pr_report_main ok", "run_unit_tests after fetch_pr", "PR 123"], prototype(4)),
        after(&["The task deploy-prod-gateway-456 (deploy_tool) has ended"], Reply::stop("All is done.")),
    ];
    let model = ScriptedModel::with_rules(rules(), script);
    let agents = agents();
    let agents: Vec<(&str, &str)> = agents.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let app = service(&agents, &model, &[]).await;

    // S4.16, S4.21, S4.22: the task has its id at once, and the turn is over while it runs.
    let whole = run_master(&app.base, "Compile //main:app.").await;
    assert_eq!((&whole["status"], &whole["question"]), (&json!("waiting"), &Value::Null), "{whole}");
    let run = whole["run_id"].as_str().unwrap().to_owned();
    let build = task(&whole, "build-main-app-123");
    assert_eq!((&build["status"], &build["agent"]), (&json!("running"), &json!("build_tool")), "{whole}");

    // S4.17, S4.23: the person is not blocked, and its status is asked for.
    assert_eq!(
        post(&app.base, &format!("/api/runs/{run}/messages"), json!({"text": "How is it?"})).await.0,
        202
    );
    model.arrived(3).await;

    // S4.18, S4.19, S4.24, S4.26: its end wakes the conversation; what it is called is handed on.
    release_held_task(&app.base, &run).await;
    // S4.20, S4.27: the build that is a part of the report is another one.
    model.arrived(6).await;
    release_held_task(&app.base, &run).await;

    // S4.12, S4.25
    let deploys = |whole: &Value| !task(whole, "deploy-prod-gateway-456").is_null();
    let whole = wait_for_run(&app.base, &run, "the deployment runs", deploys).await;
    let display = &task(&whole, "deploy-prod-gateway-456")["display"];
    assert_eq!(
        (&display["type"], &display["estimated_duration_seconds"]),
        (&json!("progress_bar"), &json!(120.0))
    );

    let whole = wait_for_run(&app.base, &run, "the end", |whole| !whole["ended_at"].is_null()).await;
    assert_eq!(
        (&whole["status"], &whole["vars"]["answer"]),
        (&json!("succeeded"), &json!("All is done.")),
        "{whole}"
    );
    for id in
        ["build-main-app-123", "doc_update_task", "fetch_pr", "run_unit_tests", "deploy-prod-gateway-456"]
    {
        assert_eq!(task(&whole, id)["status"], "succeeded", "{id}: {whole}");
    }
    let finished = events(&app.base, &run, "action_finished").await;
    let order: Vec<&str> = finished.iter().filter_map(|event| event["action_id"].as_str()).collect();
    let position_of =
        |id: &str| order.iter().position(|found| *found == id).unwrap_or_else(|| panic!("{id}: {order:?}"));
    let expected = [
        "doc_update_task",
        "search_docs_task",
        "fetch_pr",
        "run_unit_tests",
        "generate_summary",
        "pr_report_main",
    ];
    assert!(expected.map(position_of).is_sorted(), "{order:?}");
    model.finish();
    app.finish().await;
}
