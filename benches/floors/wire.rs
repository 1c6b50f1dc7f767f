//! Requests at the wire: a POST that is held, judged by the gate and released, beside a bare pause of Chromium's Fetch
//! domain; and a page of many requests.

use super::memory_store::MemoryStore;
use super::page_open::measure_page;
use super::stage::{REQUESTS, Stage};
use super::table::{Goal, Row, Sample};
use actix::Actor;
use askfirst::gate::action_judge::{ActionJudge, JudgedAction};
use askfirst::gate::actor::PolicyGate;
use askfirst::gate::host_kinds::HostContext;
use askfirst::gate::request::{PageRef, ProposedAction};
use askfirst::gate::wire_layer::proposed_request::RequestCause;
use askfirst::ids::RunId;
use askfirst::turn::action::{Action, BrowserAction, Direction, PageAction};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const ROUNDS: usize = 5;
const FETCH_ROUNDS: usize = 8;
const POSTS: usize = 30;

pub async fn measure() -> Vec<Row> {
    let mut stage = Stage::open().await;
    let unjudged = fetch_many(&mut stage, "without a judge").await;
    let unjudged_posts = post(&mut stage, "a POST, paused and released without a judge").await;
    stage.judge_by(judge()).await;
    let rows = vec![
        measure_page(&mut stage, "/requests", format!("open a page of {REQUESTS} files"), Goal::Ratio(1.3))
            .await
            .missed_because(
                "Chromium itself is slower while it reports and intercepts requests; see the row below",
            ),
        open_page_beside_domains(&mut stage).await,
        fetch_many(&mut stage, "judged").await,
        unjudged,
        unjudged_posts,
        post(&mut stage, "a POST, judged and released").await,
    ];
    stage.close().await;
    rows
}

/// The judge of an action that has no approval.
fn judge() -> Arc<ActionJudge> {
    let gate =
        PolicyGate::open(Path::new("absent"), Duration::from_secs(60), Arc::new(MemoryStore::default()))
            .unwrap()
            .start();
    let action = Action::Page(PageAction::Scroll { direction: Direction::Down, amount: 1.0, eid: None });
    let context = HostContext::default();
    let proposed =
        ProposedAction { action, target: None, page: PageRef::default(), context: context.clone() };
    let judged = JudgedAction {
        root: RunId::fresh(),
        uses_grants: true,
        cause: RequestCause { action_id: String::from("a1"), proposed },
        typed: Vec::new(),
        context,
        approved: Arc::default(),
        find_flow: Arc::new(|_| None),
    };
    Arc::new(ActionJudge::new(gate, judged, Arc::new(|_| Box::pin(async {}))))
}

/// Measures a page of many files beside a bare client whose Chromium reports and intercepts requests, too. It pauses
/// none of these, as the service does not.
async fn open_page_beside_domains(stage: &mut Stage) -> Row {
    let pattern = json!({"patterns": [{"urlPattern": "*", "resourceType": "Image"}]});
    stage.bare.call("Network.enable", json!({})).await;
    stage.bare.call("Fetch.enable", pattern).await;
    let what = format!("open a page of {REQUESTS} files (floor: bare, requests reported and intercepted)");
    let row = measure_page(stage, "/requests", what, Goal::Ratio(1.15)).await;
    stage.bare.call("Fetch.disable", json!({})).await;
    stage.bare.call("Network.disable", json!({})).await;
    row
}

/// The page itself measures how long its requests take, all at once.
async fn fetch_many(stage: &mut Stage, judged: &str) -> Row {
    let pattern = json!({"patterns": [{"urlPattern": "*"}]});
    let (mut floor, mut ours) = (Sample::default(), Sample::default());
    for _ in 0..FETCH_ROUNDS {
        stage.bare.call("Fetch.enable", pattern.clone()).await;
        bare_fetches(stage).await.into_iter().for_each(|took| floor.add(took));
        stage.bare.call("Fetch.disable", json!({})).await;
        our_fetches(stage).await.into_iter().for_each(|took| ours.add(took));
    }
    let what = format!("{REQUESTS} requests by fetch, {judged} (floor: bare pauses)");
    Row::new(what, "ms", ours, Goal::Ratio(1.2)).with_floor(floor).missed_because(
        "Chromium also reports every request and its answer, which the service waits by; the baseline only pauses them",
    )
}

async fn bare_fetches(stage: &mut Stage) -> Vec<f64> {
    let url = format!("{}/fetches", stage.site);
    let bare = &mut stage.bare;
    bare.events.clear();
    bare.send("Page.navigate", json!({"url": url})).await;
    // The page itself is paused, too.
    for _ in 0..=REQUESTS {
        let paused = bare.event("Fetch.requestPaused").await;
        bare.send("Fetch.continueRequest", json!({"requestId": paused["params"]["requestId"]})).await;
    }
    took(&bare.run("done").await)
}

async fn our_fetches(stage: &Stage) -> Vec<f64> {
    let url = format!("{}/fetches", stage.site);
    stage.perform(Action::Browser(BrowserAction::Navigate { url })).await;
    listed(stage, "all fetched").await
}

/// Waits until the page says that it is done, and reads its list of times.
async fn listed(stage: &Stage, done: &str) -> Vec<f64> {
    let wait = Action::Page(PageAction::Wait { seconds: 10.0, text: Some(String::from(done)), gone: None });
    stage.perform(wait).await;
    let seen = stage.observe().await;
    let line = seen.observation.lines.iter().find(|line| line.name.starts_with('[')).unwrap();
    took(&serde_json::from_str(&line.name).unwrap())
}

/// The page itself measures each POST, one after the other.
async fn post(stage: &mut Stage, what: &str) -> Row {
    stage.go("/posts").await;
    let pattern = json!({"patterns": [{"urlPattern": "*"}]});
    let (mut floor, mut ours) = (Sample::default(), Sample::default());
    for _ in 0..ROUNDS {
        stage.bare.call("Fetch.enable", pattern.clone()).await;
        bare_posts(stage).await.into_iter().for_each(|took| floor.add(took));
        stage.bare.call("Fetch.disable", json!({})).await;
        our_posts(stage).await.into_iter().for_each(|took| ours.add(took));
    }
    Row::new(format!("{what} (floor: a bare pause)"), "ms", ours, Goal::Ratio(1.3)).with_floor(floor)
}

async fn bare_posts(stage: &mut Stage) -> Vec<f64> {
    let bare = &mut stage.bare;
    bare.events.clear();
    bare.call("Runtime.evaluate", json!({"expression": format!("post({POSTS})")})).await;
    for _ in 0..POSTS {
        let paused = bare.event("Fetch.requestPaused").await;
        bare.send("Fetch.continueRequest", json!({"requestId": paused["params"]["requestId"]})).await;
    }
    took(&bare.run("done").await)
}

async fn our_posts(stage: &mut Stage) -> Vec<f64> {
    let seen = stage.observe().await;
    let button = seen.observation.lines.iter().find(|line| line.role == "button").unwrap().eid.unwrap();
    stage.click(button).await;
    listed(stage, "all posted").await
}

fn took(listed: &Value) -> Vec<f64> {
    listed.as_array().unwrap().iter().filter_map(Value::as_f64).collect()
}
