//! Inputs that are secrets: known in memory only, filled in where they are used, and stored nowhere; while
//! agents that take none are given their texts as they are.

use crate::conversation_secrets::holders;
use crate::support::agents::{ended, get, run, with_agents, with_settings};
use crate::support::app::TestApp;
use serde_json::{Value, json};

const VALUE: &str = "opensesame-Zx7";

/// Says how long a secret is, and what it is.
const OPENS: &str = "
kind: atomic
inputs: [{name: password, type: string, secret: true}]
outputs: [{name: length, type: integer}, {name: said}]
python:
  code: |
    length = len(password)
    said = 'it is ' + password
";

const SHELL: &str = "
kind: atomic
inputs: [{name: password, secret: true}]
outputs: [{name: stdout}]
shell: {command: cat}
";

fn calling(agent: &str, secret: &str) -> String {
    format!(
        "kind: composite
inputs: [{{name: key{secret}}}]
outputs: [{{name: said}}]
graph:
  lanes:
    - items:
        - id: a
          agent: {agent}
          bindings: [{{from_agent_item_id: __CTX__, from_var: key, to_agent_item_id: a, to_var: password}}]
"
    )
}

/// Checks that the value is neither on the disk nor in any answer about the run and its children.
async fn assert_stored_nowhere(app: &TestApp, root: &str) {
    assert_eq!(holders(&app.data(), &[VALUE]), Vec::<String>::new());
    let below = get(app, &format!("/api/runs?parent={root}")).await;
    let children = below["items"].as_array().unwrap().iter().map(|child| child["run_id"].as_str().unwrap());
    for run in children.chain([root]) {
        for path in ["", "/state", "/trace", "/export"] {
            let text = get(app, &format!("/api/runs/{run}{path}")).await.to_string();
            assert!(!text.contains(VALUE), "{path} of {run}: {text}");
        }
    }
}

// Inputs that are not declared secret reach the agent unchanged.
#[actix_web::test]
async fn inputs_not_declared_secret_are_passed_unchanged() {
    let echo =
        "kind: atomic\ninputs: [{name: text}]\noutputs: [{name: text}]\npython: {code: 'text = text'}\n";
    let lanes = "
kind: composite
inputs: [{name: text}]
outputs: [{name: text}]
graph: {lanes: [{items: [{id: a, agent: say, bindings: [{from_agent_item_id: __CTX__, from_var: text, to_agent_item_id: a, to_var: text}]}]}]}
";
    let app = with_agents(&[("say", echo), ("lanes", lanes)], None).await;
    for agent in ["say", "lanes"] {
        for text in ["password: opensesame", "card 4242 4242 4242 4242", "<typed:x1>"] {
            let done = run(&app, agent, json!({ "text": text })).await;
            assert_eq!(done["vars"]["text"], text, "{done}");
        }
    }
    app.finish().await;
}

#[actix_web::test]
async fn a_secret_input_reaches_the_code_and_is_stored_nowhere() {
    let app = with_agents(&[("opens", OPENS), ("shell", SHELL)], None).await;
    let done = run(&app, "opens", json!({"password": VALUE})).await;
    assert_eq!(done["vars"], json!({"length": VALUE.len(), "said": "it is ••••"}), "{done}");
    assert_stored_nowhere(&app, done["run_id"].as_str().unwrap()).await;
    let row = get(&app, &format!("/api/runs/{}", done["run_id"].as_str().unwrap())).await;
    assert_eq!(row["input"]["password"], "••••");
    let done = run(&app, "shell", json!({"password": VALUE})).await;
    assert!(done["vars"]["stdout"].as_str().unwrap().contains("\"••••\""), "it was on its stdin: {done}");
    assert_stored_nowhere(&app, done["run_id"].as_str().unwrap()).await;
    // Errors of code do not contain the value.
    let failed = run(&app, "opens", json!({"password": [VALUE]})).await;
    assert_eq!(failed["ok"], true, "whatever a secret is, it is given as a text: {failed}");
    assert_stored_nowhere(&app, failed["run_id"].as_str().unwrap()).await;
    // A name of the settings is for pages: code is not given its value.
    let named = run(&app, "opens", json!({"password": "<secret:shop>", "locale": "en"})).await;
    assert!(named["error"].as_str().unwrap().contains("only be typed into their own sites"), "{named}");
    app.finish().await;
}

#[actix_web::test]
async fn a_secret_input_stays_secret_in_all_child_runs() {
    let agents = [
        ("opens", OPENS.to_owned()),
        ("own", calling("opens", ", secret: true")),
        ("plain", calling("opens", "")),
        ("over", calling("mid", "")),
        ("mid", calling("opens", "").replace("key", "password")),
    ];
    let agents: Vec<(&str, &str)> = agents.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let app = with_agents(&agents, None).await;
    for agent in ["own", "plain", "over"] {
        let done = run(&app, agent, json!({"key": VALUE})).await;
        assert_eq!(done["vars"], json!({"said": "it is ••••"}), "{agent}: {done}");
        assert_stored_nowhere(&app, done["run_id"].as_str().unwrap()).await;
    }
    // A local is the file's own; what it is handed to is no less a secret.
    let made = "
kind: composite
outputs: [{name: length}]
graph:
  lanes:
    - items: [{id: a, agent: makes}]
    - items:
        - id: b
          agent: opens
          bindings: [{from_agent_item_id: a, from_var: key, to_agent_item_id: b, to_var: password}]
";
    let makes = "kind: atomic\noutputs: [{name: key}]\npython: {code: 'key = \"made-\" + \"up\"'}\n";
    for (name, text) in [("made", made), ("makes", makes)] {
        std::fs::write(
            app.folder.path().join(format!("agents/{name}.yaml")),
            format!("name: {name}\n{text}"),
        )
        .unwrap();
    }
    let done = run(&app, "made", json!({})).await;
    assert_eq!(done["vars"]["length"], 7, "{done}");
    let root = done["run_id"].as_str().unwrap();
    let below = get(&app, &format!("/api/runs?parent={root}&agent=opens")).await;
    let child = below["items"][0]["run_id"].as_str().unwrap();
    for path in ["", "/state", "/trace"] {
        let response_text = get(&app, &format!("/api/runs/{child}{path}")).await.to_string();
        assert!(!response_text.contains("made-up"), "{path}: {response_text}");
    }
    app.finish().await;
}

// A value that the settings have a name for is typed into pages by that name; from any caller, at any place of
// an input, the name alone is kept and handed on, to children too.
#[actix_web::test]
async fn a_named_secret_in_an_input_is_replaced_by_its_placeholder() {
    let say = "
kind: atomic
inputs: [{name: text}, {name: more, default: none}]
outputs: [{name: said}]
python: {code: 'said = [text, len(str(text)), more]'}
";
    let lanes = "
kind: composite
inputs: [{name: text}]
outputs: [{name: said}]
graph: {lanes: [{items: [{id: a, agent: say, bindings: [{from_agent_item_id: __CTX__, from_var: text, to_agent_item_id: a, to_var: text}]}]}]}
";
    let secrets = [
        ("ASKFIRST_SECRETS__SHOP__VALUE", VALUE),
        ("ASKFIRST_SECRETS__SHOP__ORIGINS", "[\"https://shop.example\"]"),
    ];
    let app = with_settings(&[("say", say), ("lanes", lanes)], None, &secrets).await;
    let text = format!("it is {VALUE}.");
    let step = json!({"type": "agent", "agent_id": "say", "result_key": "a", "with": {"text": text}});
    let bound =
        json!({"type": "agent", "agent_id": "say", "result_key": "b", "with": {"text": "${{ key }}"}});
    let orders = [
        ("say", json!({"text": text, "more": {"deep": [VALUE], "type": VALUE}})),
        ("lanes", json!({"text": text})),
        ("agent_orchestrate", json!({"plan": {"steps": [step, bound]}, "bindings": {"key": VALUE}})),
    ];
    let http = reqwest::Client::new();
    for (agent, input) in orders {
        let order = json!({"agent": agent, "input": input, "wait": true, "metadata": {"type": VALUE},
            "idempotency_key": "k1"});
        let send = async || {
            let sent = http.post(format!("{}/api/runs", app.base)).json(&order).send().await.unwrap();
            sent.json::<Value>().await.unwrap()
        };
        let done = send().await;
        assert_eq!(done["status"], "succeeded", "{done}");
        assert_eq!(send().await["run_id"], done["run_id"], "the same order has the same key");
        assert!(done["vars"].to_string().contains("it is <secret:shop>."), "{done}");
        assert_stored_nowhere(&app, done["run_id"].as_str().unwrap()).await;
    }
    app.finish().await;
}

// docs/protocol.md, "Repeated requests": the same order with the same key is the same run, also with a secret in it.
#[actix_web::test]
async fn a_key_gives_the_same_run_whose_input_is_concealed() {
    let app = with_agents(&[("opens", OPENS)], None).await;
    let http = reqwest::Client::new();
    let mut runs: Vec<Value> = Vec::new();
    for input in [json!({"password": VALUE}), json!({"password": VALUE}), json!({})] {
        let order = json!({"agent": "opens", "input": input, "idempotency_key": "k1"});
        let answer = http.post(format!("{}/api/runs", app.base)).json(&order).send().await.unwrap();
        runs.push(json!([answer.status().as_u16(), answer.json::<Value>().await.unwrap()]));
    }
    assert_eq!((&runs[0][0], &runs[1][0]), (&json!(201), &json!(201)), "{runs:?}");
    assert_eq!(runs[0][1]["run_id"], runs[1][1]["run_id"]);
    assert_eq!(runs[2][1]["code"], "bad_input", "{runs:?}");
    ended(&app, runs[0][1]["run_id"].as_str().unwrap()).await;
    app.finish().await;
}
