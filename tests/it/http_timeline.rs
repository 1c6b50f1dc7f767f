//! Timelines over HTTP: a tree with children, questions and effects, while it is at work and after.

use crate::support::service::{TestService, word};
use serde_json::{Value, json};

async fn spans(app: &TestService, run: &str, query: &str) -> (Value, Vec<Value>) {
    let (status, reply) = app.get(&format!("/api/runs/{run}/timeline{query}")).await;
    assert_eq!(status, 200, "{reply}");
    let spans = reply["spans"].as_array().unwrap().clone();
    (reply, spans)
}

fn kind<'a>(spans: &'a [Value], kind: &str) -> Vec<&'a Value> {
    spans.iter().filter(|span| span["kind"] == kind).collect()
}

// The timeline of a run tree is served live while the tree runs.
#[actix_web::test]
async fn a_timeline_shows_children_steps_questions_and_effects() {
    let app = TestService::start();
    let script = json!({"script": ["go", "ask:confirm", "call:three", "effect", "go"]});
    let run = app.begin(json!({"agent": "script", "input": script})).await;
    app.until(&run, "waiting").await;
    let (_, whole) = app.get(&format!("/api/runs/{run}")).await;
    let Some(reference) = whole["question"].as_str() else { panic!("{whole}") };

    let (timeline, live) = spans(&app, &run, "").await;
    assert_eq!(
        (&timeline["run_id"], &timeline["root_run_id"], &timeline["left_out"]),
        (&json!(run), &json!(run), &json!(0))
    );
    let runs = kind(&live, "run");
    assert_eq!((runs[0]["id"].as_str(), &runs[0]["parent"]), (Some(run.as_str()), &Value::Null));
    let open = kind(&live, "question");
    assert_eq!((&open[0]["status"], &open[0]["end"]), (&json!("open"), &Value::Null));
    assert_eq!(open[0]["id"], reference);
    // Begins do not go back.
    let begins: Vec<String> = live.iter().map(|span| word(span, "begin")).collect();
    assert!(begins.is_sorted(), "{begins:?}");

    app.post(&format!("/api/questions/{reference}"), json!({"confirmed": true})).await;
    app.programs.release();
    // The child has succeeded before.
    app.programs.ended(&run).await;
    let (_, after) = spans(&app, &run, &format!("?cursor={}", word(&timeline, "cursor"))).await;
    assert_eq!(kind(&after, "question")[0]["status"], "user");
    let (_, all) = spans(&app, &run, "").await;
    assert!(all.iter().all(|span| span["end"].is_string()), "{all:?}");
    let runs = kind(&all, "run");
    let child = word(runs[1], "id");
    assert_eq!((&runs[1]["parent"], &runs[1]["name"]), (&json!(run), &json!("three")));
    assert!(kind(&all, "step").iter().any(|step| step["parent"] == json!(child)));
    let effect = kind(&all, "action").into_iter().find(|action| action["effect"] == 1).unwrap();
    assert_eq!(effect["status"], "ok");
    let (status, effect) = app.get(&format!("/api/runs/{run}/effects/1")).await;
    assert_eq!((status, &effect["receipt"]["ok"]), (200, &json!(true)));
    let (status, step) = app.get(&format!("/api/runs/{run}/steps/1")).await;
    assert_eq!((status, &step["n"]), (200, &json!(1)));
    assert!(step["changes"].is_object(), "{step}");

    // A child by itself is the top of what is told.
    let (timeline, own) = spans(&app, &child, "").await;
    assert_eq!((&timeline["root_run_id"], &own[0]["parent"]), (&json!(run), &Value::Null));
    assert!(own.iter().all(|span| span["run_id"] == json!(child)));
    app.finish().await;
}

// No row has a number that SQLite cannot count to; it is not there, and that is no fault of the service.
#[actix_web::test]
async fn numbers_beyond_all_rows_are_not_found() {
    let app = TestService::start();
    let run = app.begin(json!({"agent": "script", "input": {"script": ["go"]}})).await;
    app.programs.ended(&run).await;
    for n in ["0", "999", "9223372036854775807", "9223372036854775808", "18446744073709551615"] {
        for part in ["steps", "effects", "calls", "pictures"] {
            let (status, reply) = app.get(&format!("/api/runs/{run}/{part}/{n}")).await;
            assert_eq!((status, &reply["code"]), (404, &json!("not_found")), "{part} {n}: {reply}");
            assert!(word(&reply, "detail").contains(n), "{reply}");
        }
        let (status, reply) = app.get(&format!("/api/runs/{run}/events?after_seq={n}&limit={n}")).await;
        assert_eq!(status, 200, "{n}: {reply}");
        let (status, reply) = app.get(&format!("/api/runs/{run}/timeline?limit={n}")).await;
        assert_eq!(status, 200, "{n}: {reply}");
    }
    // No number at all.
    for n in ["18446744073709551616", "-1", "x"] {
        let (status, reply) = app.get(&format!("/api/runs/{run}/calls/{n}")).await;
        assert!([400, 404].contains(&status) && !word(&reply, "detail").is_empty(), "{n}: {reply}");
    }
    app.finish().await;
}

// Two runs are aligned step by step, and their differences returned.
#[actix_web::test]
async fn two_runs_are_compared_step_by_step() {
    let app = TestService::start();
    let mut made = Vec::new();
    for script in [json!(["go", "call:three", "go"]), json!(["go", "call:three", "say:more", "go"])] {
        let run = app.begin(json!({"agent": "script", "input": {"script": script}})).await;
        app.programs.ended(&run).await;
        made.push(run);
    }
    let (status, found) = app.get(&format!("/api/runs/{}/compare/{}", made[0], made[1])).await;
    assert_eq!(
        (status, &found["a"]["run_id"], &found["b"]["run_id"]),
        (200, &json!(made[0]), &json!(made[1]))
    );
    let steps = found["steps"].as_array().unwrap();
    let first = found["first_difference"].as_u64().unwrap();
    assert!(steps.iter().take(usize::try_from(first).unwrap()).all(|pair| pair["same"] == true));
    let added = steps.iter().filter(|pair| pair["same"] == false).count();
    assert!(added >= 1 && added < steps.len(), "{found}");
    assert_eq!(found["children"][0]["same"], true);
    assert_eq!(found["inputs"][0]["name"], "script");
    assert_eq!(found["a"]["runs"], 2);
    // A run is the same as itself.
    let (_, itself) = app.get(&format!("/api/runs/{0}/compare/{0}", made[0])).await;
    assert_eq!((&itself["first_difference"], &itself["outputs"]), (&Value::Null, &json!([])));
    assert_eq!(app.get(&format!("/api/runs/{}/compare/nobody", made[0])).await.0, 404);
    app.finish().await;
}

#[actix_web::test]
async fn a_timeline_is_bounded_and_reports_what_it_leaves_out() {
    let app = TestService::start();
    let run = app.begin(json!({"agent": "script", "input": {"script": vec!["go"; 40]}})).await;
    app.until(&run, "succeeded").await;
    let (_, all) = spans(&app, &run, "").await;
    let steps = kind(&all, "step").len();
    let (timeline, some) = spans(&app, &run, "?limit=7").await;
    let newest: Vec<u64> = kind(&some, "step").iter().map(|step| step["n"].as_u64().unwrap()).collect();
    assert_eq!((newest.len(), timeline["left_out"].as_u64()), (7, Some(steps as u64 - 7)));
    assert_eq!(newest.last(), Some(&(steps as u64)));
    for (path, status) in [
        ("/api/runs/nobody/timeline".to_owned(), 404),
        (format!("/api/runs/{run}/timeline?cursor=zzz"), 400),
        (format!("/api/runs/{run}/steps/999"), 404),
        (format!("/api/runs/{run}/effects/1"), 404),
    ] {
        assert_eq!(app.get(&path).await.0, status, "{path}");
    }
    app.finish().await;
}
