//! The ways in which a conversation waits for the agents that it has called, as its trace tells them.

use crate::support::app::Process;
use crate::support::model::{Reply, ScriptedModel, turn};
use crate::support::tasks::{
    BROKEN, ECHO, HELD, calls, master, post, release_held_task, rules, run_master, service, task,
    wait_for_run,
};
use crate::support::trace::assert_visited;
use serde_json::{Value, json};

fn depends(mut turn: Value, action: usize, on: &str) -> Value {
    turn["actions"][action]["depends_on"] = json!(on);
    turn
}

fn stops(turn: Value, response: &str) -> Reply {
    let mut turn = turn;
    (turn["stop"], turn["response"]) = (json!(true), json!(response));
    Reply::Turn(turn)
}

// S4.11, S4.18, S4.20: what depends on a task waits for it, whatever else ends meanwhile; what depends on one that
// failed is never begun.
#[actix_web::test]
async fn actions_that_depend_on_a_task_wait_for_it() {
    // Variables are filled in when the task that they refer to has ended.
    let filled = "${{ 'quick' if results.job.log == 'app built' else 'none' }}";
    let waits = depends(
        calls(&[
            ("job", "held", json!({"target": "app"}), "ASYNC"),
            ("quick", "echo", json!({"n": 1}), "ASYNC"),
            ("late", "task_manager", json!({"operation": "get_status", "task_id": filled}), "SYNC"),
        ]),
        2,
        "job",
    );
    let never = depends(
        calls(&[
            ("bad", "broken", json!({}), "ASYNC"),
            ("later", "task_manager", json!({"operation": "list"}), "SYNC"),
        ]),
        1,
        "bad",
    );
    let script = vec![
        Reply::Turn(waits),
        Reply::seen(move |request| {
            let prompt = request.last_text();
            // The query ran after its turn came: it names one task, which is not the one that it waited for.
            assert!(
                prompt.contains("result late ok") && prompt.contains("\"task_id\":\"quick\""),
                "{prompt}"
            );
            Reply::Turn(never)
        }),
        Reply::seen(|request| {
            let prompt = request.last_text();
            assert!(prompt.contains("`bad` did not succeed, and this depends on it"), "{prompt}");
            Reply::Turn(calls(&[("now", "echo", json!({"n": 2}), "SYNC")]))
        }),
        Reply::stop("Enough."),
    ];
    let model = ScriptedModel::with_rules(rules(), script);
    let agents = [
        ("master", &*master(&["held", "echo", "broken"])),
        ("held", HELD),
        ("echo", ECHO),
        ("broken", BROKEN),
    ];
    let app = service(&agents, &model, &[]).await;
    let begun = run_master(&app.base, "One after the other.").await;
    let run = begun["run_id"].as_str().unwrap().to_owned();
    let quick = |whole: &Value| task(whole, "quick")["status"] == "succeeded";
    let whole = wait_for_run(&app.base, &run, "the quick one's end", quick).await;
    assert_eq!(task(&whole, "job")["status"], "running", "{whole}");
    release_held_task(&app.base, &run).await;
    let whole = wait_for_run(&app.base, &run, "the end", |whole| !whole["ended_at"].is_null()).await;
    assert_eq!(whole["status"], "succeeded", "{whole}");
    assert_visited(
        &app.base,
        &run,
        &[
            "validate_action:NotYet",
            "await_calls:Due",
            "execute_action:Called",
            "await_calls:Ended",
            "validate_action:Never",
        ],
    )
    .await;
    model.finish();
    app.finish().await;
}

// S4.16, S4.21: a conversation whose tasks go on rests: the person may speak with it, and the death of the service
// wakes nobody.
#[actix_web::test]
async fn a_conversation_rests_while_its_tasks_go_on() {
    let script = vec![
        stops(calls(&[("job", "held", json!({"target": "app"}), "ASYNC")]), "It has begun."),
        Reply::seen(|request| {
            assert!(request.last_text().contains("Are you there?"), "{}", request.last_text());
            Reply::stop("I am.")
        }),
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
    let begun = run_master(&service.base, "Build.").await;
    let run = begun["run_id"].as_str().unwrap().to_owned();
    service.kill().await;
    let service = Process::start(folder.path(), &settings).await;
    let reply =
        post(&service.base, &format!("/api/runs/{run}/messages"), json!({"text": "Are you there?"})).await;
    assert!(reply.0 < 300, "{reply:?}");
    // The next request comes after its answer.
    model.arrived(2).await;
    release_held_task(&service.base, &run).await;
    let whole = wait_for_run(&service.base, &run, "the end", |whole| !whole["ended_at"].is_null()).await;
    assert_eq!(whole["status"], "succeeded", "{whole}");
    assert_visited(&service.base, &run, &["maybe_stop_or_continue:TasksGoOn", "resting:Spoken"]).await;
    model.finish();
    service.terminate().await;
}

// S4.18, C3: what a turn has kept and what the person has answered is there after a death of the service.
#[actix_web::test]
async fn variables_and_answers_outlive_the_service() {
    let mut question =
        turn("ask_user", json!({"question": "How many?", "answer_key": "many", "options": []}));
    question["context"] = json!({"variables": {"count": 7}});
    let sum = "${{ variables.count + (answers.many | int) }}";
    let script = vec![
        Reply::Turn(question),
        stops(calls(&[("job", "held", json!({"target": "app"}), "ASYNC")]), "It has begun."),
        Reply::Turn(calls(&[("sum", "echo", json!({"n": sum}), "SYNC")])),
        Reply::seen(|request| {
            assert!(request.last_text().contains("\"n\":11"), "{}", request.last_text());
            Reply::stop("Eleven.")
        }),
        Reply::stop("Built."),
    ];
    let model = ScriptedModel::with_rules(rules(), script);
    let folder = tempfile::tempdir().unwrap();
    let agents_folder = folder.path().join("agents");
    std::fs::create_dir_all(&agents_folder).unwrap();
    let agents =
        [("master", master(&["held", "echo"])), ("held", String::from(HELD)), ("echo", String::from(ECHO))];
    for (name, text) in agents {
        std::fs::write(agents_folder.join(format!("{name}.yaml")), format!("name: {name}\n{text}")).unwrap();
    }
    let settings =
        [("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()), ("ASKFIRST_MODEL__STRUCTURED", "prompt")];
    let service = Process::start(folder.path(), &settings).await;
    let asked = run_master(&service.base, "Count.").await;
    let run = asked["run_id"].as_str().unwrap().to_owned();
    let path = format!("/api/questions/{}", asked["questions"][0]["reference"].as_str().unwrap());
    assert_eq!(post(&service.base, &path, json!({"text": "4"})).await.0, 200);
    let rests = |whole: &Value| task(whole, "job")["status"] == "running" && whole["question"].is_null();
    wait_for_run(&service.base, &run, "its rest", |whole| rests(whole) && whole["status"] == "waiting").await;
    service.kill().await;
    let service = Process::start(folder.path(), &settings).await;
    let reply = post(&service.base, &format!("/api/runs/{run}/messages"), json!({"text": "And now?"})).await;
    assert!(reply.0 < 300, "{reply:?}");
    model.arrived(4).await;
    release_held_task(&service.base, &run).await;
    let whole = wait_for_run(&service.base, &run, "the end", |whole| !whole["ended_at"].is_null()).await;
    assert_eq!(whole["status"], "succeeded", "{whole}");
    model.finish();
    service.terminate().await;
}

// C5, S1.28: a called run cannot ask for more actions, so it ends at its limit, and its caller goes on.
#[actix_web::test]
async fn a_called_agent_ends_at_its_action_limit_without_asking() {
    let script = vec![
        stops(calls(&[("job", "worker", json!({"text": "count"}), "ASYNC")]), "It has begun."),
        Reply::Turn(calls(&[("one", "echo", json!({"n": 1}), "SYNC")])),
        Reply::seen(|request| {
            let prompt = request.last_text();
            assert!(prompt.contains("The task job (worker) has ended"), "{prompt}");
            Reply::stop("It did not get far.")
        }),
    ];
    let model = ScriptedModel::with_rules(rules(), script);
    let worker = format!("{}limits: {{tool_steps: 1}}\n", master(&["echo"]));
    let agents = [("master", &*master(&["worker"])), ("worker", &*worker), ("echo", ECHO)];
    let app = service(&agents, &model, &[]).await;
    let begun = run_master(&app.base, "Have it counted.").await;
    let run = begun["run_id"].as_str().unwrap().to_owned();
    let whole = wait_for_run(&app.base, &run, "the end", |whole| !whole["ended_at"].is_null()).await;
    assert_eq!(
        (&whole["status"], task(&whole, "job")["status"].as_str()),
        (&json!("succeeded"), Some("exhausted"))
    );
    let child = task(&whole, "job")["child_run_id"].as_str().unwrap();
    assert_visited(&app.base, child, &["maybe_stop_or_continue:Limit", "finalize_limit:Limit"]).await;
    model.finish();
    app.finish().await;
}

// S1.28, C3: the question about more actions waits over a death of the service, and its yes goes on from there.
#[actix_web::test]
async fn the_question_about_more_actions_outlives_the_service() {
    let script = vec![
        Reply::Turn(calls(&[("one", "echo", json!({"n": 1}), "SYNC")])),
        Reply::seen(|request| {
            assert!(request.last_text().contains("result one ok"), "{}", request.last_text());
            Reply::stop("Counted.")
        }),
    ];
    let model = ScriptedModel::with_rules(rules(), script);
    let folder = tempfile::tempdir().unwrap();
    let agents_folder = folder.path().join("agents");
    std::fs::create_dir_all(&agents_folder).unwrap();
    let agents = [
        ("master", format!("{}limits: {{tool_steps: 1}}\n", master(&["echo"]))),
        ("echo", String::from(ECHO)),
    ];
    for (name, text) in agents {
        std::fs::write(agents_folder.join(format!("{name}.yaml")), format!("name: {name}\n{text}")).unwrap();
    }
    let settings =
        [("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()), ("ASKFIRST_MODEL__STRUCTURED", "prompt")];
    let service = Process::start(folder.path(), &settings).await;
    let asked = run_master(&service.base, "Count.").await;
    let run = asked["run_id"].as_str().unwrap().to_owned();
    let question = asked["questions"][0].clone();
    assert_eq!(question["text"], "1 of 1 actions are done (other: 1). Allow 1 more?", "{asked}");
    service.kill().await;
    let service = Process::start(folder.path(), &settings).await;
    let is_asked = |whole: &Value| whole["questions"][0]["reference"] == question["reference"];
    wait_for_run(&service.base, &run, "the same question", is_asked).await;
    let path = format!("/api/questions/{}", question["reference"].as_str().unwrap());
    assert_eq!(post(&service.base, &path, json!({"confirmed": true})).await.0, 200);
    let whole = wait_for_run(&service.base, &run, "the end", |whole| !whole["ended_at"].is_null()).await;
    assert_eq!((&whole["status"], &whole["final_response"]), (&json!("succeeded"), &json!("Counted.")));
    assert_visited(&service.base, &run, &["maybe_stop_or_continue:OutOfSteps", "budget:MoreSteps"]).await;
    model.finish();
    service.terminate().await;
}

// C5, C16: an agent that calls itself ends where `limits.depth` says.
#[actix_web::test]
async fn an_agent_that_calls_itself_is_nested_no_deeper_than_allowed() {
    let model = ScriptedModel::answering(rules(), |request| {
        let prompt = request.last_text();
        match prompt.contains("result again") {
            true => Reply::stop(if prompt.contains("`limits.depth` allows no more") {
                "At the bottom."
            } else {
                "Up."
            }),
            false => Reply::Turn(calls(&[("again", "master", json!({"text": "deeper"}), "SYNC")])),
        }
    });
    let app = service(&[("master", &master(&["master"]))], &model, &[("ASKFIRST_LIMITS__DEPTH", "3")]).await;
    let whole = run_master(&app.base, "Go down.").await;
    assert_eq!(whole["status"], "succeeded", "{whole}");
    // The root, three below it, and one that was refused.
    let refusals =
        model.requests().iter().filter(|request| request.last_text().contains("allows no more")).count();
    assert_eq!(refusals, 1);
    assert_eq!(model.requests().len(), 2 * 4);
    model.finish();
    app.finish().await;
}
