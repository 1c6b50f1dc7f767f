//! A model that does not keep to what it is asked for: each way ends the run with a word and a reason that is told,
//! and the next message goes on from there (C2, C7).

use crate::support::agents::with_settings;
use crate::support::app::TestApp;
use crate::support::model::{Reply, Request, ScriptedModel, turn};
use crate::support::model_checks::Rules;
use crate::support::tasks::{events, get, post, wait_for_run};
use serde_json::{Value, json};

const TALKS: &str = "kind: atomic\nllm: {prompt: '{{ text }}', plan: auto}\n";
const SHORT: &str =
    "kind: atomic\nllm: {prompt: '{{ text }}', plan: auto, uses: [talks]}\nlimits: {iterations: 4}\n";
const STEADY: &str = "kind: atomic\nllm: {prompt: '{{ text }}', plan: true}\n";
const NAMED: &str =
    "kind: atomic\nllm: {prompt: '{{ text }}', plan: true, model: own-model, temperature: 0.25}\n";

fn rules() -> Rules {
    Rules { several_runs: true, ..Rules::default() }
}

fn text(text: &str) -> Reply {
    Reply::Text(text.to_owned())
}

async fn service(model: &ScriptedModel, settings: &[(&str, &str)]) -> TestApp {
    let agents = [("talks", TALKS), ("short", SHORT), ("steady", STEADY), ("named", NAMED)];
    let settings = [&[("ASKFIRST_MODEL__RETRIES", "0")][..], settings].concat();
    with_settings(&agents, Some(model), &settings).await
}

async fn started(app: &TestApp, agent: &str) -> Value {
    let body = json!({"agent": agent, "input": {"text": "do it", "locale": "en"}, "wait": true});
    post(&app.base, "/api/runs", body).await.1
}

/// Six replies: three turns, each asked for once more.
fn six(reply: impl Fn() -> Reply) -> Vec<Reply> {
    (0..6).map(|_| reply()).collect()
}

/// Case: name, replies of the model, agent, status, and words of the reason.
type Row = (&'static str, Vec<Reply>, &'static str, &'static str, &'static str);

fn rows() -> Vec<Row> {
    let prose = || text("Sure! I would stop now.");
    let named = || Reply::act("fly_to_the_moon", json!({}));
    let same = || Reply::act("task_manager", json!({"operation": "list"}));
    let mut rows: Vec<Row> = vec![
        ("prose, then a turn", vec![prose(), Reply::stop("Mended.")], "talks", "succeeded", "Mended."),
        ("prose without JSON", six(prose), "talks", "blocked", "not one JSON object"),
        (
            "few fields",
            vec![text("{\"stop\": true, \"response\": \"Short.\"}")],
            "talks",
            "succeeded",
            "Short.",
        ),
        ("no fields", six(|| text("{}")), "talks", "blocked", "no action"),
        ("another list", six(|| text("[1, 2]")), "talks", "blocked", "not of actions"),
        ("wrong names", vec![named(), named(), named()], "talks", "blocked", "fly_to_the_moon"),
        (
            "wrong types",
            six(|| text("{\"actions\": \"click\", \"stop\": \"yes\"}")),
            "talks",
            "blocked",
            "not a turn",
        ),
        (
            "wrong parameters",
            (0..3).map(|_| Reply::act("ask_user", json!({"question": {"a": 7}}))).collect(),
            "talks",
            "blocked",
            "ask_user",
        ),
        ("nothing", six(|| text("")), "talks", "blocked", "empty"),
        ("a cut stream", vec![Reply::CutOff], "talks", "failed", "connection"),
        ("429", vec![Reply::status(429, "slow down")], "talks", "failed", "too many requests"),
        ("500", vec![Reply::status(500, "oops")], "talks", "failed", "server is down"),
    ];
    let ponders = || {
        let mut turn = turn("", json!({}));
        turn["actions"] = json!([]);
        Reply::Turn(turn)
    };
    rows.push(("thoughts alone", (0..12).map(|_| ponders()).collect(), "talks", "blocked", "no action"));
    rows.push(("the same again and again", (0..4).map(|_| same()).collect(), "short", "exhausted", "limit"));
    rows
}

/// The next message is worked at as any.
async fn assert_next_message_works(app: &TestApp, model: &ScriptedModel, run: &str, way: &str) {
    model.push(Reply::stop("Here again."));
    let path = format!("/api/runs/{run}/messages");
    assert!(post(&app.base, &path, json!({"text": "and now?"})).await.0 < 300, "{way}");
    let here = |whole: &Value| whole["final_response"] == "Here again." && !whole["ended_at"].is_null();
    let done = wait_for_run(&app.base, run, way, here).await;
    assert_eq!(done["status"], "succeeded", "{way}: {done}");
}

fn join_reply_and_error(done: &Value) -> String {
    format!(
        "{} {}",
        done["final_response"].as_str().unwrap_or_default(),
        done["error"].as_str().unwrap_or_default()
    )
}

#[actix_web::test]
async fn each_model_failure_ends_with_status_and_reason_and_can_be_continued() {
    let model = ScriptedModel::with_rules(rules(), Vec::new());
    let app = service(&model, &[]).await;
    let mut wrong = Vec::new();
    for (way, replies, agent, status, words) in rows() {
        replies.into_iter().for_each(|reply| model.push(reply));
        let done = started(&app, agent).await;
        let message = join_reply_and_error(&done);
        if done["status"] != status || message.trim().is_empty() || !message.contains(words) {
            wrong.push(format!("{way}: {} {message}", done["status"]));
            continue;
        }
        assert_next_message_works(&app, &model, done["run_id"].as_str().unwrap(), way).await;
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    model.finish();
    app.finish().await;
}

#[actix_web::test]
async fn a_model_timeout_is_reported() {
    let (late, release) = Reply::stop("Too late.").stalled();
    let model = ScriptedModel::with_rules(rules(), vec![late]);
    let app = service(&model, &[("ASKFIRST_MODEL__TIMEOUT_S", "1")]).await;
    let done = started(&app, "talks").await;
    assert_eq!(done["status"], "failed", "{done}");
    assert!(join_reply_and_error(&done).contains("did not answer in time"), "{done}");
    assert_next_message_works(&app, &model, done["run_id"].as_str().unwrap(), "time-out").await;
    drop(release);
    model.finish();
    app.finish().await;
}

// Temporary failures are retried, and the run does not notice.
#[actix_web::test]
async fn passing_model_failures_are_retried_unnoticed() {
    let busy = || Reply::status(429, "slow down").with_header("retry-after", "0");
    let fails = vec![busy(), Reply::status(500, "oops"), Reply::CutOff, Reply::stop("Here.")];
    let model = ScriptedModel::with_rules(rules(), fails);
    let app = service(&model, &[("ASKFIRST_MODEL__RETRIES", "3")]).await;
    let done = started(&app, "talks").await;
    assert_eq!((&done["status"], &done["final_response"]), (&json!("succeeded"), &json!("Here.")), "{done}");
    model.finish();
    app.finish().await;
}

fn plan() -> String {
    let item = json!({"position": 1, "description": "the goal", "dependencies": [],
                      "acceptance_criteria": "it is seen", "predicates": []});
    json!({"items": [item], "open_questions": [], "notes": null}).to_string()
}

fn claim_reply() -> Reply {
    let mut reply = turn("", json!({}));
    (reply["status"], reply["step_ref"], reply["actions"]) = (json!("SUCCESS"), json!(1), json!([]));
    Reply::Turn(reply)
}

// C2: what is no turn may stand in prose; of two verdicts neither counts.
#[actix_web::test]
async fn plans_and_verdicts_are_read_out_of_prose() {
    let judged = text("I looked at it.\n```json\n{\"why\": \"it is seen\", \"met\": true}\n```\nSo it is.");
    let both = text("The page says {\"met\": true}, yet {\"met\": false, \"why\": \"no\"}");
    let script = vec![text(&format!("Here is the plan: {} Good luck!", plan())), claim_reply(), both, judged];
    let model = ScriptedModel::with_rules(rules(), script);
    let app = service(&model, &[]).await;
    model.push(Reply::stop("Done."));
    let done = started(&app, "steady").await;
    assert_eq!((&done["status"], &done["final_response"]), (&json!("succeeded"), &json!("Done.")), "{done}");
    assert_eq!(done["plan"]["items"][0]["evidence"]["why"], "it is seen", "{done}");
    model.finish();
    app.finish().await;
}

// C12: a verdict that cannot be read is no fault of the work: it is not done again, the person is asked.
#[actix_web::test]
async fn a_verdict_that_cannot_be_read_costs_no_attempt_and_is_asked_about() {
    let vague = ["Looks fine to me.", "{\"met\": \"perhaps\"}", "{\"met\": tru", "Yes!"];
    let script = [text(&plan()), claim_reply()].into_iter().chain(vague.map(text)).collect();
    let model = ScriptedModel::with_rules(rules(), script);
    let app = service(&model, &[]).await;
    let run = started(&app, "steady").await;
    assert_eq!(run["status"], "waiting", "{run}");
    let question = &run["questions"][0];
    assert_eq!(question["payload"]["for_step"], 1, "{question}");
    assert!(question.to_string().contains("could not say whether it is done"), "{question}");
    let id = run["run_id"].as_str().unwrap();
    let plans = events(&app.base, id, "plan").await;
    let item = &plans.last().unwrap()["items"][0];
    assert_eq!((&item["status"], &item["attempts"]), (&json!("running"), &json!(0)), "{item}");
    assert_eq!(
        get(&app.base, &format!("/api/runs/{id}")).await["usage"]["model_calls"],
        6,
        "all are paid for"
    );

    model.push(Reply::stop("It was left out."));
    let path = format!("/api/questions/{}", question["reference"].as_str().unwrap());
    assert_eq!(post(&app.base, &path, json!({"text": "Skip it"})).await.0, 200);
    let done = wait_for_run(&app.base, id, "its end", |whole| !whole["ended_at"].is_null()).await;
    assert_eq!(done["final_response"], "It was left out.", "{done}");
    model.finish();
    app.finish().await;
}

// docs/agents.md: `llm.model` and `llm.temperature` hold for a conversation's plans and turns, not for its judge.
#[actix_web::test]
async fn an_agent_of_a_model_of_its_own_plans_and_acts_with_that() {
    let judged = json!({"why": "it is seen", "met": true}).to_string();
    let script = vec![text(&plan()), claim_reply(), text(&judged), Reply::stop("Done.")];
    let model = ScriptedModel::with_rules(rules(), script);
    let app = service(&model, &[("ASKFIRST_MODEL__JUDGE", "judge")]).await;
    assert_eq!(started(&app, "named").await["status"], "succeeded");
    let asked = |request: &Request| {
        (request.schema_name().to_owned(), request.body["model"].clone(), request.body["temperature"].clone())
    };
    let own = |schema: &str| (schema.to_owned(), json!("own-model"), json!(0.25));
    let expected =
        [own("plan"), own("turn"), (String::from("judgement"), json!("judge"), Value::Null), own("turn")];
    assert_eq!(model.requests().iter().map(asked).collect::<Vec<_>>(), expected);
    model.finish();
    app.finish().await;
}
