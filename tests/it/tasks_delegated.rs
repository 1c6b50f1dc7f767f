//! Whom a conversation gives work to: of several agents the one that fits, and one that thinks beside it.

use crate::support::agents::with_settings;
use crate::support::model::{Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::tasks::{ECHO, calls, events, get, master, run_master, task, wait_for_run};
use serde_json::{Value, json};

const THINKER: &str = "
kind: atomic
inputs: [{name: text, type: string, required: true}]
outputs: [{name: answer, type: string}]
llm: {system: 'You ponder.', prompt: '{{ text }}', thinking: always}
";
const SHOUT: &str = "
kind: atomic
description: Says a word aloud.
inputs: [{name: word, type: string}]
outputs: [{name: loud, type: string}]
python: {code: 'loud = word.upper()'}
";

fn rules() -> Rules {
    Rules { several_runs: true, ..Rules::default() }
}

// S4.34: thinking goes on beside a conversation as any task does: it is an ASYNC call of an agent that thinks.
#[actix_web::test]
async fn a_conversation_runs_another_in_the_background() {
    let mut begins = calls(&[("muse", "thinker", json!({"text": "Why is it noon?"}), "ASYNC")]);
    (begins["stop"], begins["response"]) = (json!(true), json!("I let it be thought about."));
    let thoughts = json!({"thoughts": [{"type": "ASSUMPTION", "content": "the sun is high"}]});
    let (thinks, release) = Reply::Text(thoughts.to_string()).stalled();
    let concludes = Reply::seen(|request| {
        assert!(request.body.to_string().contains("the sun is high"), "{}", request.body);
        Reply::stop("The sun is at its highest.")
    });
    let reads_end = Reply::seen(|request| {
        let prompt = request.last_text();
        assert!(prompt.contains("The task muse (thinker) has ended"), "{prompt}");
        assert!(prompt.contains("The sun is at its highest."), "{prompt}");
        Reply::stop("It is noon.")
    });
    let model = ScriptedModel::with_rules(rules(), vec![Reply::Turn(begins), thinks, concludes, reads_end]);
    let agents = [("master", &*master(&["thinker"])), ("thinker", THINKER)];
    let app = with_settings(&agents, Some(&model), &[]).await;
    let rests = run_master(&app.base, "Why?").await;
    let run = rests["run_id"].as_str().unwrap().to_owned();
    model.arrived(2).await;
    let whole = get(&app.base, &format!("/api/runs/{run}")).await;
    assert_eq!((&whole["status"], &task(&whole, "muse")["status"]), (&json!("waiting"), &json!("running")));
    drop(release);
    let whole = wait_for_run(&app.base, &run, "the end", |whole| !whole["ended_at"].is_null()).await;
    assert_eq!((&whole["status"], &whole["final_response"]), (&json!("succeeded"), &json!("It is noon.")));
    assert_eq!(task(&whole, "muse")["result"]["answer"], "The sun is at its highest.", "{whole}");
    let thought = events(&app.base, &run, "thought").await;
    assert!(thought.iter().any(|data| data["content"] == "the sun is high"), "{thought:?}");
    model.finish();
    app.finish().await;
}

// S4.32: the model is shown whom it may give work to, and chooses.
#[actix_web::test]
async fn the_model_chooses_the_agent_to_delegate_to() {
    let chooses = Reply::seen(|request| {
        let shown = request.body.to_string();
        assert!(shown.contains("echo") && shown.contains("Says a word aloud."), "{shown}");
        Reply::Turn(calls(&[("x", "shout", json!({"word": "noon"}), "SYNC")]))
    });
    let ends = Reply::seen(|request| {
        assert!(request.last_text().contains("NOON"), "{}", request.last_text());
        Reply::stop("NOON")
    });
    let model = ScriptedModel::with_rules(rules(), vec![chooses, ends]);
    let agents = [("master", &*master(&["echo", "shout"])), ("echo", ECHO), ("shout", SHOUT)];
    let app = with_settings(&agents, Some(&model), &[]).await;
    let whole = run_master(&app.base, "Shout noon.").await;
    assert_eq!(whole["status"], "succeeded", "{whole}");
    let rows = get(&app.base, &format!("/api/runs?parent={}", whole["run_id"].as_str().unwrap())).await;
    let agents: Vec<&Value> = rows["items"].as_array().unwrap().iter().map(|row| &row["agent"]).collect();
    assert_eq!(agents, ["shout"]);
    model.finish();
    app.finish().await;
}
