//! Premoves before a plan is requested, and thinking before acting (S4.31 to S4.34), with the whole service.

use crate::support::agents::{get, run, with_settings};
use crate::support::app::TestApp;
use crate::support::model::{Reply, Request, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::ws::Ws;
use serde_json::{Value, json};

const CLERK: &str = "
kind: atomic
inputs: [{name: text, type: string}]
outputs: [{name: answer, type: string}]
llm: {prompt: '{{ text }}', SECTION}
";
const CLOCK: &str = "
kind: atomic
inputs: [{name: zone, type: string, default: here}]
outputs: [{name: now, type: string}]
python: {code: \"now = 'noon in ' + zone\"}
";
const BROKEN: &str = "
kind: atomic
outputs: [{name: now, type: string}]
python: {code: \"raise ValueError('no clock')\"}
";

async fn service(section: &str, model: &ScriptedModel) -> TestApp {
    let clerk = CLERK.replace("SECTION", section);
    let files = [("clerk", clerk.as_str()), ("clock", CLOCK), ("broken", BROKEN)];
    with_settings(&files, Some(model), &[]).await
}

async fn succeeds(app: &TestApp) -> Value {
    let done = run(app, "clerk", json!({"text": "What time is it?", "locale": "en"})).await;
    assert_eq!(done["ok"], json!(true), "{done}");
    done
}

/// Every visit of the run as `node:Outcome`.
async fn path(app: &TestApp, done: &Value) -> Vec<String> {
    let trace = get(app, &format!("/api/runs/{}/trace", done["run_id"].as_str().unwrap())).await;
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let steps = trace["steps"].as_array().unwrap().iter();
    steps.map(|step| format!("{}:{}", word(&step["node"]), word(&step["outcome"]))).collect()
}

fn premove(params: Value) -> Reply {
    let mut whole = json!({"operation": "list", "name": null, "agent": null, "params": null});
    whole.as_object_mut().unwrap().extend(params.as_object().unwrap().clone());
    Reply::act("premove", whole)
}

fn actions(request: &Request) -> String {
    request.body["response_format"]["json_schema"]["schema"]["properties"]["actions"].to_string()
}

// S4.31: what is found is in front of the planner, once; what fails is told in a line and stops nothing.
#[actix_web::test]
async fn premove_results_are_shown_to_the_planner_when_they_change() {
    let first = Reply::seen(|request| {
        let prompt = request.last_text();
        let (before, fenced) =
            prompt.split_once("premove time:\n<returned nonce=").expect("it was looked up");
        assert!(fenced.contains("noon in Kyiv") && !before.contains("noon"), "{prompt}");
        assert!(prompt.contains("note: premove lost: failed"), "{prompt}");
        premove(
            json!({"operation": "set", "name": "there", "agent": "clock", "params": "{\"zone\": \"Lviv\"}"}),
        )
    });
    let second = Reply::seen(|request| {
        let prompt = request.last_text();
        assert!(prompt.contains("noon in Lviv") && !prompt.contains("premove time:"), "{prompt}");
        assert!(!prompt.contains("premove lost"), "{prompt}");
        premove(json!({"operation": "set", "agent": "broken"}))
    });
    let third = Reply::seen(|request| {
        let prompt = request.last_text();
        assert!(prompt.contains("only agents of its own may be run before its plans: clock"), "{prompt}");
        premove(json!({"operation": "clear", "name": "there"}))
    });
    let fourth = Reply::seen(|_| premove(json!({"operation": "list"})));
    let fifth = Reply::seen(|request| {
        let prompt = request.last_text();
        assert!(prompt.contains("time: clock") && !prompt.contains("there: clock"), "{prompt}");
        Reply::stop("noon")
    });
    let model = ScriptedModel::with_rules(Rules::default(), vec![first, second, third, fourth, fifth]);
    let section = "uses: [clock], premoves: [{name: time, agent: clock, params: {zone: Kyiv}, ttl_s: 0}, \
                   {name: lost, agent: broken, ttl_s: 600}]";
    let app = service(section, &model).await;
    let done = succeeds(&app).await;
    let children = get(&app, &format!("/api/runs?parent={}", done["run_id"].as_str().unwrap())).await;
    let agents: Vec<&str> =
        children["items"].as_array().unwrap().iter().map(|run| run["agent"].as_str().unwrap()).collect();
    // Before each of the five plans; the one that failed not again.
    assert_eq!(agents.iter().filter(|agent| **agent == "broken").count(), 1, "{agents:?}");
    assert_eq!(agents.iter().filter(|agent| **agent == "clock").count(), 6, "{agents:?}");
    model.finish();
    app.finish().await;
}

// S4.31: all of them are waited for, and the plan is asked for once.
#[actix_web::test]
async fn planning_waits_for_the_slowest_premove() {
    let (slow, release) = Reply::stop("a storm").stalled();
    let ends = Reply::seen(|request| {
        let prompt = request.last_text();
        assert!(prompt.contains("a storm") && prompt.contains("noon in Kyiv"), "{prompt}");
        Reply::stop("noon")
    });
    let rules = Rules { several_runs: true, ..Rules::default() };
    let model = ScriptedModel::with_rules(rules, vec![slow, ends]);
    let section = "premoves: [{name: time, agent: clock, params: {zone: Kyiv}}, \
                   {name: weather, agent: weather, params: {text: weather}}]";
    let clerk = CLERK.replace("SECTION", section);
    let weather = CLERK.replace("SECTION", "thinking: auto");
    let files = [("clerk", clerk.as_str()), ("clock", CLOCK), ("weather", weather.as_str())];
    let app = with_settings(&files, Some(&model), &[("ASKFIRST_CHAT__DEFAULT_AGENT", "clerk")]).await;
    let (mut ws, _) = Ws::hello(&app.base, json!({"locale": "en"})).await;
    ws.send(json!({"type": "user_message", "text": "What time is it?"})).await;
    let run = ws.until("run_started").await["run_id"].as_str().unwrap().to_owned();
    let mut visits = 0;
    while visits < 2 {
        let frame = ws.next().await;
        let ours = frame["run_id"] == *run && frame["event"] == "node";
        visits += u32::from(ours && frame["data"]["node"] == "run_premoves");
    }
    drop(release);
    while ws.next().await["final_response"] != "noon" {}
    let way =
        ["plan_action:NeedsPremoves", "run_premoves:Begun", "run_premoves:AtWork", "run_premoves:Looked"];
    let path = path(&app, &json!({"run_id": run})).await;
    assert!(path.windows(way.len()).any(|part| part == way), "{path:?}");
    ws.close().await;
    model.finish();
    app.finish().await;
}

// S4.33
#[actix_web::test]
async fn disabled_premoves_are_not_run() {
    let refused = Reply::seen(|request| {
        assert!(!actions(request).contains("premove"), "{}", request.body);
        premove(json!({"operation": "set", "agent": "clock"}))
    });
    let ends = Reply::seen(|request| {
        assert!(request.last_text().contains("failed"), "{}", request.last_text());
        Reply::stop("-")
    });
    let model = ScriptedModel::with_rules(Rules::default(), vec![refused, ends]);
    let app = service("uses: [clock], premoves: off", &model).await;
    let done = succeeds(&app).await;
    let children = get(&app, &format!("/api/runs?parent={}", done["run_id"].as_str().unwrap())).await;
    assert_eq!(children["items"], json!([]), "{children}");
    model.finish();
    app.finish().await;
}

/// A turn of thoughts alone.
fn thought(text: &str) -> Reply {
    let Reply::Turn(mut turn) = Reply::stop("") else { panic!("no turn") };
    turn["status"] = json!("EXECUTING");
    turn["thoughts"] = json!([{"type": "PLAN", "content": text}]);
    (turn["actions"], turn["stop"], turn["response"]) = (json!([]), json!(false), Value::Null);
    Reply::Turn(turn)
}

async fn thoughts(app: &TestApp, done: &Value) -> Vec<String> {
    let run = done["run_id"].as_str().unwrap();
    let state = get(app, &format!("/api/runs/{run}/state")).await;
    let entries = state["state_data"]["messages"].as_array().unwrap().clone();
    let texts = entries.iter().filter_map(|entry| entry["turn"]["thoughts"][0]["content"].as_str());
    texts.map(str::to_owned).collect()
}

// S4.32, S4.34: the model chooses how much it thinks, up to three turns in a row.
#[actix_web::test]
async fn a_model_may_think_again_before_it_acts() {
    let acts = Reply::seen(|request| {
        let request_text = request.body.to_string();
        assert!(request_text.contains("one") && request_text.contains("two"), "{request_text}");
        Reply::stop("done")
    });
    let model = ScriptedModel::with_rules(Rules::default(), vec![thought("one"), thought("two"), acts]);
    let app = service("thinking: auto", &model).await;
    let done = succeeds(&app).await;
    assert_eq!(thoughts(&app, &done).await[..2], ["one", "two"]);
    let path = path(&app, &done).await;
    assert_eq!(path.iter().filter(|step| *step == "plan_action:Thought").count(), 2, "{path:?}");
    model.finish();
    app.finish().await;
}

// S4.33: off, a turn that does nothing is no turn; and beyond the budget neither.
#[actix_web::test]
async fn a_thought_alone_is_invalid_where_thinking_is_off_or_used_up() {
    for section in ["plan: auto, thinking: off", "thinking: {mode: auto, budget_tokens: 0}"] {
        let model = ScriptedModel::with_rules(
            Rules { several_runs: true, ..Rules::default() },
            vec![
                thought("one"),
                Reply::seen(|request| {
                    let prompt = request.last_text();
                    assert!(prompt.contains("has no action and does not stop"), "{prompt}");
                    Reply::stop("done")
                }),
            ],
        );
        let app = service(section, &model).await;
        let done = succeeds(&app).await;
        assert!(!path(&app, &done).await.contains(&String::from("plan_action:Thought")));
        model.finish();
        app.finish().await;
    }
}

// S4.33: thoughts come first, with a request of their own; then it acts.
#[actix_web::test]
async fn thoughts_come_first_where_thinking_is_always() {
    let thinks = Reply::seen(|request| {
        assert_eq!(request.schema_name(), "thoughts");
        let thoughts = json!({"thoughts": [{"type": "ASSUMPTION", "content": "it is noon"}]});
        Reply::Text(thoughts.to_string())
    });
    let acts = Reply::seen(|request| {
        assert_eq!(request.schema_name(), "turn");
        assert!(request.body.to_string().contains("it is noon"), "{}", request.body);
        Reply::stop("noon")
    });
    let model = ScriptedModel::with_rules(Rules::default(), vec![thinks, acts]);
    let app = service("thinking: always", &model).await;
    let done = succeeds(&app).await;
    assert_eq!(thoughts(&app, &done).await[0], "it is noon");
    let events = get(&app, &format!("/api/runs/{}/events", done["run_id"].as_str().unwrap())).await;
    assert!(events.to_string().contains("ASSUMPTION"), "{events}");
    model.finish();
    app.finish().await;
}
