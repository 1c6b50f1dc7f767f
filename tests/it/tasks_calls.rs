//! Agents that a conversation calls: what it hears of them, whatever comes when; also over the death of the
//! service.

use crate::support::app::Process;
use crate::support::model::{Reply, ScriptedModel};
use crate::support::tasks::{
    BROKEN, ECHO, HELD, calls, events, get, master, post, release_held_task, rules, run_master, service,
    task, wait_for_run,
};
use askfirst::ids::RunId;
use askfirst::store::TaskRows;
use askfirst::store::sqlite::connection::store::SqliteStore;
use serde_json::{Value, json};

fn held(id: &str) -> Value {
    calls(&[(id, "held", json!({"target": "app"}), "ASYNC")])
}

fn stops(mut turn: Value) -> Reply {
    (turn["stop"], turn["response"]) = (json!(true), json!("It has begun."));
    Reply::Turn(turn)
}

// S4.6, S4.17: a task whose id is taken gets one of its own; tasks are listed, awaited and cancelled by theirs.
#[actix_web::test]
async fn tasks_are_listed_and_cancelled_by_ids_of_their_own() {
    let manage = |params: Value| Reply::Turn(calls(&[("m", "task_manager", params, "SYNC")]));
    let script = vec![
        Reply::Turn(held("job")),
        Reply::Turn(held("job")),
        manage(json!({"operation": "list"})),
        Reply::seen(|request| {
            let prompt = request.last_text();
            assert!(
                prompt.contains("\"task_id\":\"job\"") && prompt.contains("\"task_id\":\"job-2\""),
                "{prompt}"
            );
            Reply::Turn(calls(&[(
                "m",
                "task_manager",
                json!({"operation": "cancel", "task_id": "job"}),
                "SYNC",
            )]))
        }),
        manage(json!({"operation": "cancel", "task_id": "nobody"})),
        Reply::seen(|request| {
            assert!(request.last_text().contains("there is no task `nobody`"), "{}", request.last_text());
            Reply::Turn(calls(&[(
                "m",
                "task_manager",
                json!({"operation": "wait", "task_id": "job-2"}),
                "SYNC",
            )]))
        }),
        Reply::seen(|request| {
            assert!(request.last_text().contains("app built"), "{}", request.last_text());
            Reply::stop("Done.")
        }),
    ];
    let model = ScriptedModel::with_rules(rules(), script);
    let app = service(&[("master", &master(&["held"])), ("held", HELD)], &model, &[]).await;
    let whole = run_master(&app.base, "Build it twice.").await;
    let run = whole["run_id"].as_str().unwrap().to_owned();
    let cancelled = |whole: &Value| task(whole, "job")["status"] == "cancelled";
    let whole = wait_for_run(&app.base, &run, "one is cancelled", cancelled).await;
    // S4.17: its run is stopped, and its question with it.
    let child = task(&whole, "job")["run_id"].as_str().unwrap().to_owned();
    assert_eq!(child, run);
    wait_for_run(&app.base, &run, "one question is left", |whole| {
        whole["questions"].as_array().unwrap().len() == 1
    })
    .await;
    release_held_task(&app.base, &run).await;
    let whole = wait_for_run(&app.base, &run, "the end", |whole| !whole["ended_at"].is_null()).await;
    assert_eq!(whole["status"], "succeeded", "{whole}");
    assert_eq!(task(&whole, "job-2")["result"]["success"], true);
    model.finish();
    app.finish().await;
}

// S2.20, S2.21, S2.22, S2.23, S2.24, S2.28: a result always says how it went; what does not fit is not tried, what fails is tried again.
#[actix_web::test]
async fn results_of_calls_have_a_status() {
    let expecting = |words: &'static [&'static str], next: Reply| {
        Reply::seen(move |request| {
            words.iter().for_each(|word| {
                assert!(request.last_text().contains(word), "{word}: {}", request.last_text())
            });
            next
        })
    };
    let one = |agent: &str, params: Value| Reply::Turn(calls(&[("x", agent, params, "SYNC")]));
    let script = vec![
        one("echo", json!({"n": 4})),
        expecting(
            &["result x ok", "\"success\":true", "\"tool\":\"echo\"", "\"attempt\":1", "\"n\":4"],
            one("echo", json!({"n": "four"})),
        ),
        expecting(&["result x failed", "must be of type integer"], one("broken", json!({"m": 1}))),
        expecting(&["result x failed", "there is no `m`"], one("broken", json!({}))),
        expecting(
            &[
                "result x failed",
                "\"attempt\":2",
                "\"retries\":1",
                "\"error_type\":\"ZeroDivisionError\"",
                "\"traceback\":\"line 1: n = 1 // 0\"",
                "\"error\":\"ZeroDivisionError: integer division or modulo by zero\"",
            ],
            one("nobody", json!({})),
        ),
        expecting(&["nobody", "echo"], Reply::stop("Enough.")),
    ];
    let model = ScriptedModel::with_rules(rules(), script);
    let agents = [("master", &*master(&["echo", "broken"])), ("echo", ECHO), ("broken", BROKEN)];
    let app = service(&agents, &model, &[("ASKFIRST_LIMITS__TRIES", "2")]).await;
    let whole = run_master(&app.base, "Try.").await;
    assert_eq!(whole["status"], "succeeded", "{whole}");
    let run = whole["run_id"].as_str().unwrap();
    let rows = get(&app.base, &format!("/api/runs?parent={run}")).await;
    // Three runs: one agent took one try, the other two.
    assert_eq!(rows["items"].as_array().unwrap().len(), 3, "{rows}");
    model.finish();
    app.finish().await;
}

// S4.11, S4.16: a task that ends while a question is open is told of then, and the planner hears of it after.
#[actix_web::test]
async fn a_task_that_ends_while_a_question_waits_is_reported() {
    let ask = json!({"question": "Which?", "answer_key": "which", "options": []});
    let script = vec![
        Reply::Turn(held("job")),
        Reply::act("ask_user", ask),
        Reply::seen(|request| {
            let prompt = request.last_text();
            assert!(
                prompt.contains("The task job (held) has ended") && prompt.contains("app built"),
                "{prompt}"
            );
            Reply::Turn({
                let mut next = calls(&[("late", "echo", json!({"n": 1}), "SYNC")]);
                next["actions"][0]["depends_on"] = json!("job");
                next
            })
        }),
        Reply::stop("Done."),
    ];
    let model = ScriptedModel::with_rules(rules(), script);
    let app =
        service(&[("master", &master(&["held", "echo"])), ("held", HELD), ("echo", ECHO)], &model, &[]).await;
    let whole = run_master(&app.base, "Build, then ask me.").await;
    let run = whole["run_id"].as_str().unwrap().to_owned();
    let asked = |whole: &Value| whole["status"] == "waiting" && !whole["question"].is_null();
    let question = wait_for_run(&app.base, &run, "its question", asked).await["question"].clone();
    release_held_task(&app.base, &run).await;
    let ended = |whole: &Value| task(whole, "job")["status"] == "succeeded";
    let whole = wait_for_run(&app.base, &run, "the task's end", ended).await;
    assert_eq!((&whole["status"], &whole["question"]), (&json!("waiting"), &question), "{whole}");
    let path = format!("/api/questions/{}", question.as_str().unwrap());
    assert_eq!(post(&app.base, &path, json!({"text": "the first"})).await.0, 200);
    let whole = wait_for_run(&app.base, &run, "the end", |whole| !whole["ended_at"].is_null()).await;
    assert_eq!(whole["status"], "succeeded", "{whole}");
    let statuses: Vec<Value> =
        events(&app.base, &run, "task").await.into_iter().map(|task| task["status"].clone()).collect();
    assert_eq!(statuses, ["running", "succeeded"]);
    model.finish();
    app.finish().await;
}

// S4.16, C11: a task goes on over the death of the service; its work is done once, its end is heard of once.
#[actix_web::test]
async fn a_task_outlives_the_service() {
    let script = vec![
        stops(held("job")),
        Reply::seen(|request| {
            assert!(request.last_text().contains("The task job (held) has ended"), "{}", request.last_text());
            Reply::stop("Built.")
        }),
    ];
    let model = ScriptedModel::with_rules(rules(), script);
    let folder = tempfile::tempdir().unwrap();
    let agents_folder = folder.path().join("agents");
    std::fs::create_dir_all(&agents_folder).unwrap();
    for (name, text) in [("master", master(&["held"])), ("held", String::from(HELD))] {
        std::fs::write(agents_folder.join(format!("{name}.yaml")), format!("name: {name}\n{text}")).unwrap();
    }
    let settings =
        [("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()), ("ASKFIRST_MODEL__STRUCTURED", "prompt")];
    let service = Process::start(folder.path(), &settings).await;
    let whole = run_master(&service.base, "Build.").await;
    assert_eq!(
        (&whole["status"], &task(&whole, "job")["status"]),
        (&json!("waiting"), &json!("running")),
        "{whole}"
    );
    let run = whole["run_id"].as_str().unwrap().to_owned();
    service.kill().await;
    let service = Process::start(folder.path(), &settings).await;
    release_held_task(&service.base, &run).await;
    let whole = wait_for_run(&service.base, &run, "the end", |whole| !whole["ended_at"].is_null()).await;
    assert_eq!(
        (&whole["status"], &task(&whole, "job")["status"]),
        (&json!("succeeded"), &json!("succeeded")),
        "{whole}"
    );
    let rows = get(&service.base, &format!("/api/runs?parent={run}")).await;
    assert_eq!(rows["items"].as_array().unwrap().len(), 1, "{rows}");
    model.finish();
    service.terminate().await;
}

// S4.12, S4.25: without facts of its own a task tells how far it has come by the time that it was thought to take,
// and never that it is done before it is.
#[actix_web::test]
async fn a_task_reports_its_progress() {
    let mut begins = held("job");
    let display = json!({"type": "progress_bar", "label": "Building", "estimated_duration_seconds": 1});
    begins["actions"][0]["display"] = display;
    let model = ScriptedModel::with_rules(rules(), vec![stops(begins), Reply::stop("Built.")]);
    let app = service(&[("master", &master(&["held"])), ("held", HELD)], &model, &[]).await;
    let whole = run_master(&app.base, "Build.").await;
    let run = whole["run_id"].as_str().unwrap().to_owned();
    let come_far =
        |whole: &Value| task(whole, "job")["progress"].as_f64().is_some_and(|progress| progress > 0.9);
    let whole = wait_for_run(&app.base, &run, "how far it has come", come_far).await;
    let progress = task(&whole, "job")["progress"].as_f64().unwrap();
    assert!(task(&whole, "job")["status"] == "running" && progress <= 0.99, "{whole}");
    release_held_task(&app.base, &run).await;
    let whole = wait_for_run(&app.base, &run, "the end", |whole| !whole["ended_at"].is_null()).await;
    assert_eq!(task(&whole, "job")["progress"], 1.0, "{whole}");
    let task_events = events(&app.base, &run, "task").await;
    let shown: Vec<&Value> = task_events.iter().filter(|event| event["progress"].is_number()).collect();
    assert!(
        (2..=21).contains(&shown.len()) && shown.iter().all(|event| event["display"]["label"] == "Building")
    );
    model.finish();
    app.finish().await;
}

// S4.18, S4.19: what is not known is told, and nothing is begun; what is filled in keeps its type.
#[actix_web::test]
async fn variables_are_filled_in_when_an_action_begins() {
    let one = |params: Value| calls(&[("x", "echo", params, "SYNC")]);
    let mut with_variables = one(json!({"n": "${{ variables.count }}"}));
    with_variables["context"] = json!({"variables": {"count": 7}});
    let script = vec![
        Reply::Turn(one(json!({"n": "${{ variables.nothing }}"}))),
        Reply::seen(move |request| {
            assert!(request.last_text().contains("result x failed"), "{}", request.last_text());
            Reply::Turn(with_variables)
        }),
        Reply::Turn(one(json!({"n": "${{ result.n + 1 }}"}))),
        Reply::seen(|request| {
            assert!(request.last_text().contains("\"n\":8"), "{}", request.last_text());
            Reply::stop("Eight.")
        }),
    ];
    let model = ScriptedModel::with_rules(rules(), script);
    let app = service(&[("master", &master(&["echo"])), ("echo", ECHO)], &model, &[]).await;
    let whole = run_master(&app.base, "Count.").await;
    assert_eq!(whole["status"], "succeeded", "{whole}");
    let rows = get(&app.base, &format!("/api/runs?parent={}", whole["run_id"].as_str().unwrap())).await;
    assert_eq!(rows["items"].as_array().unwrap().len(), 2, "{rows}");
    model.finish();
    app.finish().await;
}

// S4.7, S4.8, C16: agents that call others are called as any, and what they say is their result.
#[actix_web::test]
async fn a_conversation_calls_a_conversation() {
    let script = vec![
        Reply::Turn(calls(&[("ask", "expert", json!({"text": "How many?"}), "SYNC")])),
        Reply::Turn(calls(&[("count", "echo", json!({"n": 3}), "SYNC")])),
        Reply::stop("Three."),
        Reply::seen(|request| {
            assert!(request.last_text().contains("Three."), "{}", request.last_text());
            Reply::stop("It says three.")
        }),
    ];
    let model = ScriptedModel::with_rules(rules(), script);
    let agents = [("master", &*master(&["expert"])), ("expert", &*master(&["echo"])), ("echo", ECHO)];
    let app = service(&agents, &model, &[]).await;
    let whole = run_master(&app.base, "Ask the expert.").await;
    assert_eq!(
        (&whole["status"], &whole["vars"]["answer"]),
        (&json!("succeeded"), &json!("It says three.")),
        "{whole}"
    );
    model.finish();
    app.finish().await;
}

// S4.11, S4.17: what waits for others is ended by its id as well, and so is a group with all of its parts.
#[actix_web::test]
async fn a_task_that_has_not_begun_is_ended_by_its_id() {
    let later = |id: &str| {
        let mut call = held(id)["actions"][0].take();
        call["depends_on"] = json!("job");
        call
    };
    let mut both = held("job");
    let group = json!({"action_id": "all", "action": "all_of_them", "params": {}, "execution": "ASYNC",
                       "sub_actions": [later("part")]});
    both["actions"].as_array_mut().unwrap().extend([later("next"), group]);
    let after_end = |words: &'static str, reply: Reply| {
        Reply::seen(move |request| {
            assert!(request.last_text().contains(words), "{}", request.last_text());
            reply
        })
    };
    let again = |text: &str| {
        let mut first_reply = calls(&[]);
        (first_reply["stop"], first_reply["response"]) = (json!(true), json!(text));
        Reply::Turn(first_reply)
    };
    let script = vec![
        stops(both),
        after_end("The task next (held) has ended", again("One less.")),
        after_end("The task all (all_of_them) has ended", again("All of them.")),
        after_end("The task job (held) has ended", Reply::stop("Done.")),
    ];
    let model = ScriptedModel::with_rules(rules(), script);
    let app = service(&[("master", &master(&["held"])), ("held", HELD)], &model, &[]).await;
    let whole = run_master(&app.base, "Build it, then more.").await;
    let run = whole["run_id"].as_str().unwrap().to_owned();
    for id in ["next", "all"] {
        assert_eq!(task(&whole, id)["child_run_id"], Value::Null, "{whole}");
        let (status, _) = post(&app.base, &format!("/api/tasks/{id}/cancel"), json!({})).await;
        assert_eq!(status, 202);
        let cancelled =
            |whole: &Value| task(whole, id)["status"] == "cancelled" && whole["status"] == "waiting";
        wait_for_run(&app.base, &run, "its end", cancelled).await;
        let (status, problem) = post(&app.base, &format!("/api/tasks/{id}/cancel"), json!({})).await;
        assert_eq!((status, &problem["code"]), (409, &json!("busy")), "{problem}");
    }
    release_held_task(&app.base, &run).await;
    let whole = wait_for_run(&app.base, &run, "the end", |whole| !whole["ended_at"].is_null()).await;
    assert_eq!(
        (&whole["status"], &task(&whole, "job")["status"]),
        (&json!("succeeded"), &json!("succeeded"))
    );
    model.finish();
    app.finish().await;
}

// S4.6, S4.17: two runs that begin a task of the same id at once have one each, and one's end is not the other's.
#[actix_web::test]
async fn tasks_of_two_runs_that_begin_at_once_are_two() {
    let script = vec![stops(held("job")), stops(held("job")), Reply::stop("Gone."), Reply::stop("Built.")];
    let model = ScriptedModel::with_rules(rules(), script);
    let app = service(&[("master", &master(&["held"])), ("held", HELD)], &model, &[]).await;
    futures_util::join!(run_master(&app.base, "Build here."), run_master(&app.base, "Build there."));
    let tasks = get(&app.base, "/api/tasks").await;
    let mut tasks = tasks["items"].as_array().unwrap().clone();
    tasks.sort_by_key(|task| task["task_id"].as_str().unwrap().to_owned());
    let ids: Vec<&Value> = tasks.iter().map(|task| &task["task_id"]).collect();
    assert_eq!(ids, ["job", "job-2"], "{tasks:?}");
    let [ended, goes_on] = [0, 1].map(|at: usize| tasks[at]["run_id"].as_str().unwrap());
    assert_ne!(ended, goes_on);
    assert!(post(&app.base, "/api/tasks/job/cancel", json!({})).await.0 < 300);
    let whole = wait_for_run(&app.base, ended, "its end", |whole| !whole["ended_at"].is_null()).await;
    assert_eq!(task(&whole, "job")["status"], "cancelled", "{whole}");
    let other = get(&app.base, &format!("/api/runs/{goes_on}")).await;
    assert_eq!(task(&other, "job-2")["status"], "running", "{other}");
    release_held_task(&app.base, goes_on).await;
    let whole = wait_for_run(&app.base, goes_on, "the end", |whole| !whole["ended_at"].is_null()).await;
    assert_eq!(task(&whole, "job-2")["status"], "succeeded", "{whole}");
    model.finish();
    app.finish().await;
}

// S4.17: an id is given once, also to runs that ask before either has begun; one that came to nothing is free again.
#[actix_web::test]
async fn the_id_of_a_task_is_reserved_for_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path(), Box::new(|_| ())).unwrap();
    let (one, other) = (RunId::fresh(), RunId::fresh());
    let wanted = || vec![String::from("job"), String::from("job")];
    assert_eq!(store.reserve_task_ids(one.clone(), wanted()).await.unwrap(), ["job", "job-2"]);
    assert_eq!(store.reserve_task_ids(other, wanted()).await.unwrap(), ["job-3", "job-4"]);
    assert_eq!(store.reserve_task_ids(one, wanted()).await.unwrap(), ["job", "job-2"]);
}
