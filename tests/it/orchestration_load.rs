//! Many orchestrations at once, and all of them stopped.

use crate::support::agents::{get, with_agents};
use crate::support::app::{Http, TestApp};
use crate::support::lanes::{HeldModel, SAY};
use crate::support::orchestration::{parallel, say_step};
use serde_json::{Value, json};

/// Orchestrations with three parallel steps.
const MANY: usize = 40;

async fn counted(app: &TestApp, status: &str) -> usize {
    let list = get(app, &format!("/api/runs?limit=200&status={status}")).await;
    list["items"].as_array().unwrap().len()
}

// S3.28, S3.38: under load, too, who is stopped has nothing left at work, and begins nothing any more.
#[actix_web::test]
async fn many_that_are_stopped_at_once_leave_nothing_at_work() {
    let held = HeldModel::back(&["slow"]);
    let app = with_agents(&[("say", SAY)], Some(&held.model)).await;
    let http = Http::new();
    let block = parallel("block", (0..3).map(|n| say_step(&format!("s{n}"), "slow")).collect());
    let order = json!({
        "agent": "agent_orchestrate", "input": {"plan": {"steps": [block, say_step("after", "never")]}},
    });
    let begun: Vec<String> = futures_util::future::join_all((0..MANY).map(|_| async {
        let (status, run) = http.post(&format!("{}/api/runs", app.base), &order).await;
        assert_eq!(status, 201, "{run}");
        run["run_id"].as_str().unwrap().to_owned()
    }))
    .await;
    held.wait_for_request("slow", MANY * 3).await;
    let stop =
        async |run: &String| http.post(&format!("{}/api/runs/{run}/stop", app.base), &json!({})).await.0;
    let stopped = futures_util::future::join_all(begun.iter().map(stop)).await;
    assert!(stopped.iter().all(|status| *status == 200), "{stopped:?}");
    for run in &begun {
        let ended = crate::support::agents::ended(&app, run).await;
        let step = &ended["vars"]["steps"];
        assert_eq!(
            (&ended["status"], &step[1]["status"]),
            (&json!("cancelled"), &json!("skipped")),
            "{ended}"
        );
        let below = get(&app, &format!("/api/runs?parent={run}")).await;
        let below: Vec<&Value> = below["items"].as_array().unwrap().iter().collect();
        assert_eq!(below.len(), 3, "{below:?}");
    }
    // Children end after their parents.
    for status in ["running", "queued", "waiting"] {
        while counted(&app, status).await > 0 {
            tokio::task::yield_now().await;
        }
    }
    let mut cancelled = Vec::new();
    for run in &begun {
        let below = get(&app, &format!("/api/runs?parent={run}&status=cancelled")).await;
        cancelled.push(below["items"].as_array().unwrap().len());
    }
    assert!(cancelled.iter().all(|count| *count == 3), "{cancelled:?}");
    assert_eq!((held.times("slow"), held.times("never")), (MANY * 3, 0), "nothing is asked any more");
    app.finish().await;
}
