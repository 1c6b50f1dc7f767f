//! A person's changes of a plan while the work at it goes on: none is lost without a word, and none is applied to
//! another plan than it was made from.

use crate::support::agents::{get, with_settings};
use crate::support::app::TestApp;
use crate::support::model::{Reply, Request, ScriptedModel, turn};
use crate::support::model_checks::Rules;
use crate::support::tasks::{events, post, wait_for_run};
use serde_json::{Value, json};

const STEADY: &str = "kind: atomic\nllm: {prompt: '{{ text }}', plan: true}\n";
const ASKS: &str = "kind: atomic\nllm: {prompt: '{{ text }}', plan: {approve: ask}}\n";
const ONCE: &str = "kind: atomic\nllm: {prompt: '{{ text }}', plan: true}\nlimits: {attempts: 1}\n";

fn model(script: Vec<Reply>) -> ScriptedModel {
    ScriptedModel::with_rules(Rules { several_runs: true, ..Rules::default() }, script)
}

fn plan(goals: &[&str]) -> Reply {
    let item = |(goal, position): (&&str, u32)| {
        json!({"position": position, "description": goal, "acceptance_criteria": "it is seen", "dependencies": [],
               "predicates": []})
    };
    let items: Vec<Value> = goals.iter().zip(1..).map(item).collect();
    expect_request(
        "plan",
        &[],
        Reply::Text(json!({"items": items, "open_questions": [], "notes": null}).to_string()),
    )
}

/// The answer to a request of this kind, which has been told this.
fn expect_request(what: &'static str, expected: &'static [&'static str], reply: Reply) -> Reply {
    Reply::seen(move |request: &Request| {
        let text = request.last_text();
        assert_eq!(request.schema_name(), what, "{text}");
        expected.iter().for_each(|words| assert!(text.contains(words), "no {words:?} in {text}"));
        reply
    })
}

fn claim(step: u32, expected: &'static [&'static str]) -> Reply {
    let mut reply = turn("", json!({}));
    (reply["status"], reply["step_ref"], reply["actions"]) = (json!("SUCCESS"), json!(step), json!([]));
    expect_request("turn", expected, Reply::Turn(reply))
}

fn judgement_reply(met: bool) -> Reply {
    expect_request("judgement", &[], Reply::Text(json!({"met": met, "why": "as it is seen"}).to_string()))
}

fn replan() -> Reply {
    Reply::act("replan", json!({"reason": "it is otherwise"}))
}

fn plan_item(position: u32, goal: &str) -> Value {
    json!({"position": position, "description": goal, "acceptance_criteria": "it is seen"})
}

async fn start_run(app: &TestApp, agent: &str, wait: bool) -> String {
    let body = json!({"agent": agent, "input": {"text": "two things", "locale": "en"}, "wait": wait});
    let (_, run) = post(&app.base, "/api/runs", body).await;
    run["run_id"].as_str().unwrap_or_else(|| panic!("{run}")).to_owned()
}

/// Changes the plan as it is read.
async fn put(app: &TestApp, run: &str, items: Value) -> u16 {
    let http = reqwest::Client::new();
    let url = format!("{}/api/runs/{run}/plan", app.base);
    let version = http.get(&url).send().await.unwrap().headers()["etag"].clone();
    let sent =
        http.put(&url).header("if-match", version).json(&json!({"items": items})).send().await.unwrap();
    sent.status().as_u16()
}

async fn wait_for_end(app: &TestApp, run: &str) -> Value {
    wait_for_run(&app.base, run, "the end", |whole| !whole["ended_at"].is_null()).await
}

fn goals(whole: &Value) -> Vec<&str> {
    let items = whole["plan"]["items"].as_array().unwrap_or_else(|| panic!("{whole}"));
    items.iter().map(|item| item["description"].as_str().unwrap()).collect()
}

async fn answer_open_question(app: &TestApp, run: &str, text: &str) {
    let has_question = |whole: &Value| whole["questions"][0]["reference"].is_string();
    let whole = wait_for_run(&app.base, run, "a question", has_question).await;
    let path = format!("/api/questions/{}", whole["questions"][0]["reference"].as_str().unwrap());
    assert_eq!(post(&app.base, &path, json!({"text": text})).await.0, 200);
}

// S2.1, S2.13: what was written for the plan before is not applied to the new one; the person is told, and sees it.
#[actix_web::test]
async fn a_change_does_not_wipe_the_plan_that_is_made_meanwhile() {
    let (new_plan, release) = plan(&["another way"]).stalled();
    let model = model(vec![plan(&["first", "second"]), replan(), new_plan]);
    let app = with_settings(&[("steady", STEADY)], Some(&model), &[]).await;
    let run = start_run(&app, "steady", false).await;
    model.arrived(3).await;
    assert_eq!(put(&app, &run, json!([plan_item(1, "first of all")])).await, 202);
    [claim(1, &["another way"]), judgement_reply(true), Reply::stop("Done.")]
        .into_iter()
        .for_each(|reply| model.push(reply));
    drop(release);
    let whole = wait_for_end(&app, &run).await;
    assert_eq!((goals(&whole), &whole["status"]), (vec!["another way"], &json!("succeeded")), "{whole}");
    let events = get(&app, &format!("/api/runs/{run}/events")).await.to_string();
    assert!(events.contains("The plan was not changed: the plan has changed in the meantime"), "{events}");
    app.finish().await;
    model.finish();
}

// S2.1, S2.13: what the person has written is no less than what the planner wanted before it knew of that.
#[actix_web::test]
async fn a_change_is_not_replaced_by_a_plan_that_was_wanted_before() {
    let (wants, release) = replan().stalled();
    let model = model(vec![plan(&["first", "second"]), wants]);
    let app = with_settings(&[("steady", STEADY)], Some(&model), &[]).await;
    let run = start_run(&app, "steady", false).await;
    model.arrived(2).await;
    assert_eq!(put(&app, &run, json!([plan_item(1, "first of all")])).await, 202);
    let expected = &["the person changed the plan", "first of all"];
    [claim(1, expected), judgement_reply(true), Reply::stop("Done.")]
        .into_iter()
        .for_each(|reply| model.push(reply));
    drop(release);
    let whole = wait_for_end(&app, &run).await;
    assert_eq!((goals(&whole), &whole["status"]), (vec!["first of all"], &json!("succeeded")), "{whole}");

    // A new plan that is already requested is not replaced either, while the turn goes on with a question.
    let mut both = turn("replan", json!({"reason": "it is otherwise"}));
    let question = turn("ask_user", json!({"question": "Which?", "answer_key": "k", "options": []}));
    let mut question = question["actions"][0].clone();
    question["action_id"] = json!("a2");
    both["actions"].as_array_mut().unwrap().push(question);
    [plan(&["first", "second"]), expect_request("turn", &[], Reply::Turn(both))]
        .into_iter()
        .for_each(|reply| model.push(reply));
    let run = start_run(&app, "steady", true).await;
    assert_eq!(put(&app, &run, json!([plan_item(1, "first of all")])).await, 202);
    [claim(1, expected), judgement_reply(true), Reply::stop("Done.")]
        .into_iter()
        .for_each(|reply| model.push(reply));
    answer_open_question(&app, &run, "the red one").await;
    let whole = wait_for_end(&app, &run).await;
    assert_eq!((goals(&whole), &whole["status"]), (vec!["first of all"], &json!("succeeded")), "{whole}");
    app.finish().await;
    model.finish();
}

// S2.11, S2.16: the question about an item is still about it when the plan was changed before it is answered.
#[actix_web::test]
async fn an_item_under_question_may_move_before_the_answer() {
    let fails = || [plan(&["hard"]), claim(1, &[]), judgement_reply(false)];
    let model = model(fails().into_iter().chain(fails()).collect());
    let app = with_settings(&[("once", ONCE)], Some(&model), &[]).await;
    let run = start_run(&app, "once", true).await;
    assert_eq!(put(&app, &run, json!([{"description": "before it"}, plan_item(1, "less hard")])).await, 202);
    answer_open_question(&app, &run, "End here").await;
    let whole = wait_for_end(&app, &run).await;
    assert_eq!(
        (&whole["status"], goals(&whole)),
        (&json!("partial"), vec!["before it", "less hard"]),
        "{whole}"
    );

    fails().into_iter().chain(fails()).for_each(|reply| model.push(reply));
    let run = start_run(&app, "once", true).await;
    assert_eq!(put(&app, &run, json!([{"description": "before it"}, plan_item(1, "hard")])).await, 202);
    [claim(1, &["before it"]), judgement_reply(true), Reply::stop("Done.")]
        .into_iter()
        .for_each(|reply| model.push(reply));
    answer_open_question(&app, &run, "Skip it").await;
    let whole = wait_for_end(&app, &run).await;
    let stands: Vec<&Value> =
        whole["plan"]["items"].as_array().unwrap().iter().map(|item| &item["status"]).collect();
    assert_eq!(stands, ["succeeded", "skipped"], "{whole}");
    app.finish().await;
    model.finish();
}

// C22: no plan for what is left is no word that it is done.
#[actix_web::test]
async fn an_empty_new_plan_leaves_what_is_open() {
    let script = vec![
        plan(&["first", "second"]),
        replan(),
        plan(&[]),
        expect_request("turn", &["the new plan was empty", "first", "second"], Reply::stop("All done.")),
        judgement_reply(false),
        Reply::stop("I mean it."),
        judgement_reply(false),
    ];
    let model = model(script);
    let app = with_settings(&[("steady", STEADY), ("asks", ASKS)], Some(&model), &[]).await;
    let run = start_run(&app, "steady", true).await;
    let whole = wait_for_end(&app, &run).await;
    assert_eq!((&whole["status"], goals(&whole)), (&json!("partial"), vec!["first", "second"]), "{whole}");

    // Plans that wait for approval wait again after a change by the person.
    [plan(&["first"]), plan(&[])].into_iter().for_each(|reply| model.push(reply));
    let run = start_run(&app, "asks", true).await;
    let before = get(&app, &format!("/api/runs/{run}")).await["questions"][0]["reference"].clone();
    let path = format!("/api/questions/{}", before.as_str().unwrap());
    let otherwise = json!({"confirmed": false, "comment": "shorter"});
    assert_eq!(post(&app.base, &path, otherwise).await.0, 200);
    let again = |whole: &Value| {
        let question = &whole["questions"][0];
        question["kind"] == "approve_plan" && question["reference"] != before
    };
    let whole = wait_for_run(&app.base, &run, "it is asked again", again).await;
    assert_eq!(goals(&whole), ["first"]);
    post(&app.base, &format!("/api/runs/{run}/stop"), json!({})).await;
    app.finish().await;
    model.finish();
}

// S2.1: a model may write as much as it likes; what it wrote can be changed.
#[actix_web::test]
async fn a_plan_of_long_words_can_be_changed() {
    let long = "a goal of many words, ".repeat(100);
    let model = model(vec![plan(&[&long, "second"])]);
    let app = with_settings(&[("asks", ASKS)], Some(&model), &[]).await;
    let run = start_run(&app, "asks", true).await;
    let whole = get(&app, &format!("/api/runs/{run}")).await;
    let first = goals(&whole)[0];
    assert!(first.chars().count() <= 1_000 && first.ends_with('…'), "{first}");
    assert_eq!(put(&app, &run, json!([plan_item(1, first), plan_item(2, "second, and well")])).await, 202);
    let changed = |whole: &Value| goals(whole)[1] == "second, and well";
    wait_for_run(&app.base, &run, "the change", changed).await;
    assert!(events(&app.base, &run, "plan").await.len() > 1);
    post(&app.base, &format!("/api/runs/{run}/stop"), json!({})).await;
    app.finish().await;
    model.finish();
}
