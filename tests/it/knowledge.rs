//! Knowledge of agents: notes beside their files, recalled with the whole service (S4.2, S4.30, S4.33).

use crate::support::agents::{get, run, with_settings};
use crate::support::app::TestApp;
use crate::support::model::{Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use serde_json::{Value, json};

const CLERK: &str = "
kind: atomic
inputs: [{name: text, type: string}]
outputs: [{name: answer, type: string}]
llm: {prompt: '{{ text }}', thinking: auto, knowledge: KNOWLEDGE}
";
const RETURNS: &str = "# Повернення\n\n## Строк\nПовернути товар можна за 14 днів.\n";
const POST: &str = "# Post\n\n## Prices\nA parcel costs 70.\n";

async fn service(knowledge: &str, model: &ScriptedModel) -> TestApp {
    let clerk = CLERK.replace("KNOWLEDGE", knowledge);
    let files =
        [("clerk", clerk.as_str()), ("clerk/knowledge/returns.md", RETURNS), ("knowledge/post.md", POST)];
    with_settings(&files, Some(model), &[]).await
}

fn read_actions_schema(request: &crate::support::model::Request) -> String {
    request.body["response_format"]["json_schema"]["schema"]["properties"]["actions"].to_string()
}

fn naming(relics: &[&str], mut turn: Value) -> Value {
    turn["context"]["knowledge_relics"] = json!(relics);
    turn
}

fn turn(reply: Reply) -> Value {
    let Reply::Turn(turn) = reply else { panic!("no turn") };
    turn
}

// S4.2, S4.30
#[actix_web::test]
async fn an_agent_recalls_notes_beside_its_file_and_names_those_it_uses() {
    let recalls = Reply::seen(|request| {
        assert!(read_actions_schema(request).contains("recall"), "{}", request.body);
        let prompt = request.last_text();
        assert!(prompt.contains("post") && prompt.contains("returns"), "{prompt}");
        Reply::act("recall", json!({"query": "скільки днів на повернення товару", "relics": null}))
    });
    let builds_on = Reply::seen(|request| {
        let prompt = request.last_text();
        let (before, fenced) = prompt.split_once("<returned nonce=").expect("it is fenced");
        assert!(
            fenced.contains("[returns] Повернення › Строк\nПовернути товар можна за 14 днів."),
            "{prompt}"
        );
        assert!(!before.contains("14 днів"), "{prompt}");
        let turn = turn(Reply::act("recall", json!({"query": "parcel price", "relics": ["post", "ghost"]})));
        Reply::Turn(naming(&["returns", "ghost"], turn))
    });
    let ends = Reply::seen(|request| {
        let prompt = request.last_text();
        assert!(
            prompt.contains("A parcel costs 70.") && prompt.contains("There is no relic ghost"),
            "{prompt}"
        );
        assert!(prompt.contains("there is no knowledge named ghost"), "{prompt}");
        Reply::stop("14 днів")
    });
    let model = ScriptedModel::with_rules(Rules::default(), vec![recalls, builds_on, ends]);
    let app = service("on", &model).await;
    let done = run(&app, "clerk", json!({"text": "Скільки днів?"})).await;
    assert_eq!(done["vars"], json!({"answer": "14 днів"}), "{done}");
    let id = done["run_id"].as_str().unwrap();
    let state = get(&app, &format!("/api/runs/{id}/state")).await;
    assert_eq!(state["state_data"]["memory"]["relics"], json!(["returns"]), "{state}");
    let trace = get(&app, &format!("/api/runs/{id}/trace")).await.to_string();
    assert!(trace.contains(r#"{"relics":["returns"]}"#) && trace.contains("14 днів"), "{trace}");
    let events = get(&app, &format!("/api/runs/{id}/events")).await.to_string();
    assert!(events.contains("KNOWLEDGE"), "{events}");
    // Folders of notes are no agents.
    let agents = get(&app, "/api/agents").await;
    assert!(!agents.to_string().contains("\"knowledge\""), "{agents}");
    model.finish();
    app.finish().await;
}

// S4.33
#[actix_web::test]
async fn disabled_knowledge_is_not_recalled() {
    let recalls = Reply::seen(|request| {
        assert!(!read_actions_schema(request).contains("recall"), "{}", request.body);
        assert!(!request.last_text().contains("returns"), "{}", request.last_text());
        Reply::act("recall", json!({"query": "повернення", "relics": null}))
    });
    let ends = Reply::seen(|request| {
        let prompt = request.last_text();
        assert!(prompt.contains("failed") && !prompt.contains("14 днів"), "{prompt}");
        Reply::stop("-")
    });
    let model = ScriptedModel::with_rules(Rules::default(), vec![recalls, ends]);
    let app = service("off", &model).await;
    let done = run(&app, "clerk", json!({"text": "Скільки днів?"})).await;
    assert_eq!(done["ok"], json!(true), "{done}");
    model.finish();
    app.finish().await;
}

// S4.30: of its own notes alone, and of those that its file names.
#[actix_web::test]
async fn an_agents_file_says_which_notes_count() {
    let recalls = Reply::seen(|request| {
        let prompt = request.last_text();
        assert!(prompt.contains("returns") && !prompt.contains("post"), "{prompt}");
        Reply::act("recall", json!({"query": "parcel повернення", "relics": null}))
    });
    let ends = Reply::seen(|request| {
        let prompt = request.last_text();
        assert!(prompt.contains("14 днів") && !prompt.contains("costs 70"), "{prompt}");
        Reply::stop("-")
    });
    let model = ScriptedModel::with_rules(Rules::default(), vec![recalls, ends]);
    let app = service("{shared: false}", &model).await;
    let done = run(&app, "clerk", json!({"text": "Скільки днів?"})).await;
    assert_eq!(done["ok"], json!(true), "{done}");
    model.finish();
    app.finish().await;
}
