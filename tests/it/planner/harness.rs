//! The whole service with its planners: each errand is a run of its own, followed through a socket
//! of its own, where a person approves whatever is asked.

use super::Solved;
use super::driver::Driver;
use super::endpoint::{Endpoint, heading};
use crate::browser_stage;
use crate::support::app::{Http, TestApp, spawn};
use crate::support::devtools::Page;
use crate::support::talk::slot;
use crate::support::ws::Ws;
use serde_json::{Value, json};
use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::sync::OwnedSemaphorePermit;

/// No errand takes longer.
const PATIENCE: Duration = Duration::from_secs(90);

pub struct Harness {
    pub app: TestApp,
    /// `http://127.0.0.1:port`, and the same server as another site.
    pub site: String,
    pub other: String,
    endpoint: Endpoint,
    errands: Cell<u32>,
    _slot: OwnedSemaphorePermit,
}

/// Result of an errand.
#[derive(Debug)]
pub struct Errand<T> {
    pub solved: Solved<T>,
    /// The run's own end.
    pub outcome: String,
    pub turns: usize,
    pub approvals: usize,
    pub took: Duration,
}

impl Harness {
    pub async fn open(settings: &[(&str, &str)], hosts: &[&str]) -> Self {
        let slot = slot().await;
        let (endpoint, site) = (Endpoint::start(), browser_stage::site());
        let port = site.rsplit(':').next().unwrap();
        let other = format!("http://localhost:{port}");
        let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        let listed: Vec<&str> = own.iter().map(String::as_str).chain(hosts.iter().copied()).collect();
        let hosts = json!(listed).to_string();
        let mut all = vec![
            ("ASKFIRST_MODEL__BASE_URL", endpoint.base_url.as_str()),
            ("ASKFIRST_MODEL__PLANNER", "scripted"),
            ("ASKFIRST_GATE__PRIVATE_HOSTS", hosts.as_str()),
            ("ASKFIRST_LIMITS__TOOL_STEPS", "80"),
            ("ASKFIRST_LIMITS__ITERATIONS", "90"),
        ];
        all.extend(settings);
        let app = spawn(&all).await;
        Self { app, site, other, endpoint, errands: Cell::new(0), _slot: slot }
    }

    /// Runs the planner in a run of its own until both have ended.
    pub async fn run<T>(
        &self,
        words: &str,
        planner: impl AsyncFnOnce(&mut Driver) -> Solved<T>,
    ) -> Errand<T> {
        self.patient(PATIENCE, words, planner).await
    }

    /// The same, for one that may take so long.
    pub async fn patient<T>(
        &self,
        patience: Duration,
        words: &str,
        planner: impl AsyncFnOnce(&mut Driver) -> Solved<T>,
    ) -> Errand<T> {
        let errand = self.errands.replace(self.errands.get() + 1);
        let watch = Instant::now();
        let mut driver = Driver::new(self.endpoint.hub.listen(errand));
        let (mut ws, _) = Ws::hello(&self.app.base, json!({"locale": "en"})).await;
        let text = format!("{} {words}", heading(errand));
        ws.send(json!({"type": "user_message", "text": text})).await;
        let run = ws.until("run_started").await["run_id"].as_str().unwrap().to_owned();
        driver.run.clone_from(&run);
        let asked = Rc::clone(&driver.approvals);
        let working = async {
            let solved = match driver.begin().await {
                Ok(()) => planner(&mut driver).await,
                Err(fault) => Err(fault),
            };
            let response = solved.as_ref().err().map_or("Done.", |fault| fault.as_str());
            driver.stop(response, solved.is_ok());
            solved
        };
        let watching = async {
            let ended = follow(&mut ws, &run, patience, &asked).await;
            self.endpoint.hub.forget(errand);
            ended
        };
        let (solved, outcome) = futures_util::future::join(working, watching).await;
        let approvals = driver.approvals.get();
        Errand { solved, outcome, turns: driver.turns, approvals, took: watch.elapsed() }
    }

    /// The value of an expression in the agent's page at this place, behind the service's back.
    pub async fn read(&self, url_part: &str, expression: &str) -> Solved<Value> {
        let data = self.app.data();
        let read = async {
            let mut page = Page::find(&data, url_part).await;
            page.run(expression).await
        };
        tokio::time::timeout(Duration::from_secs(10), read)
            .await
            .map_err(|_| format!("no page at {url_part}"))
    }

    /// Gives the run a file, as a person does.
    pub async fn give(&self, run: &str, name: &str, text: &str) -> Solved {
        let url = format!("{}/api/runs/{run}/files/{name}", self.app.base);
        let given = reqwest::Client::new().post(url).body(text.to_owned()).send().await;
        match given.map(|answer| answer.status().as_u16()) {
            Ok(201) => Ok(()),
            other => Err(format!("{name} was not taken: {other:?}")),
        }
    }

    pub async fn get(&self, path: &str) -> Value {
        Http::new().get(&format!("{}{path}", self.app.base)).await
    }

    /// Time of the runs by phase: the sums of the service's own measures.
    pub async fn phases(&self) -> String {
        let text = reqwest::get(format!("{}/metrics", self.app.base)).await.unwrap().text().await.unwrap();
        let sums =
            text.lines().filter(|line| line.contains("_seconds_sum") || line.contains("_seconds_count"));
        sums.collect::<Vec<_>>().join("\n")
    }

    pub async fn finish(self) {
        self.app.finish().await;
        self.endpoint.finish().await;
    }
}

/// The end of the run; how often it asked is counted, whatever it asks is approved, and what takes too long is stopped.
async fn follow(ws: &mut Ws, run: &str, patience: Duration, approvals: &Cell<usize>) -> String {
    let (watch, mut stopped) = (Instant::now(), false);
    loop {
        let frame = ws.next().await;
        if frame["type"] == "run_ended" && frame["run_id"] == run {
            return frame["outcome"].as_str().unwrap_or_default().to_owned();
        }
        if frame["type"] == "agent_question" {
            approvals.set(approvals.get() + 1);
            ws.send(json!({"type": "answer", "reference": frame["reference"], "confirmed": true})).await;
        }
        if watch.elapsed() > patience && !stopped {
            stopped = true;
            ws.send(json!({"type": "control", "run_id": run, "command": "stop"})).await;
        }
    }
}
