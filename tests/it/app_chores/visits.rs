//! Visits: each chore is a run of its own, with its planner and a person who approves everything.

use super::chores::{Chore, RealApp};
use super::recording_proxy::RecordingProxy;
use super::verdict::Verdict;
use crate::gate_table::arrivals::Arrival;
use crate::gate_table::cases::Answers;
use crate::gate_table::verdict::Visit;
use crate::gate_table::visits::{Exchange, follow, let_pass, take_step};
use crate::planner::driver::Driver;
use crate::planner::endpoint::{Endpoint, heading};
use crate::support::app::TestApp;
use crate::support::ws::Ws;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// No chore takes longer: applications start slowly on a busy machine.
const PATIENCE: Duration = Duration::from_secs(150);
/// Time for requests that the last step may cause late.
const AFTERWARDS: Duration = Duration::from_secs(1);

/// The service with its applications and planners.
pub struct Bed {
    pub app: TestApp,
    pub proxy: RecordingProxy,
    pub endpoint: Endpoint,
}

/// Effects and questions of a step.
#[derive(Debug, Default)]
pub struct StepResult {
    pub step: String,
    pub questions: Vec<Value>,
    pub arrivals: Vec<Arrival>,
    /// Text that the planner was shown then.
    pub shown: String,
}

/// Observations of one chore.
#[derive(Debug, Default)]
pub struct ChoreVisit {
    pub steps: Vec<StepResult>,
    pub seen: Visit,
}

impl Bed {
    /// Does a chore to its end.
    pub async fn visit(&self, app: &RealApp, chore: &Chore) -> ChoreVisit {
        let watch = Instant::now();
        let mut driver = Driver::new(self.endpoint.hub.listen(chore.number));
        let (mut ws, _) = Ws::hello(&self.app.base, json!({"locale": "en"})).await;
        let text = format!("{} {}", heading(chore.number), chore.message);
        ws.send(json!({"type": "user_message", "text": text, "agent": app.name})).await;
        let run = ws.until("run_started").await["run_id"].as_str().unwrap().to_owned();
        driver.run.clone_from(&run);
        let exchange = Exchange::default();
        let working = async {
            let visit = self.play(app, chore, &mut driver, &exchange).await;
            driver.stop("Done.", true);
            visit
        };
        let watching = async {
            let answers = Answers { approve: usize::MAX, ..Answers::default() };
            follow(&mut ws, &run, &answers, &exchange, PATIENCE).await;
            self.endpoint.hub.forget(chore.number);
        };
        let (mut visit, ()) = futures_util::future::join(working, watching).await;
        visit.seen.millis = watch.elapsed().as_millis();
        visit
    }

    async fn play(
        &self,
        app: &RealApp,
        chore: &Chore,
        driver: &mut Driver,
        exchange: &Exchange,
    ) -> ChoreVisit {
        let mut visit = ChoreVisit::default();
        if let Err(fault) = self.prepare(chore, driver).await {
            visit.seen.faults.push(fault);
            return visit;
        }
        let mut arrived = self.proxy.arrivals(&app.site).len();
        let (mut asked, mut shown) = (0, 0);
        let close = json!({"wait": AFTERWARDS.as_secs_f64()});
        for step in chore.steps.iter().chain([&close]) {
            let done = take_step(step, driver, exchange, &mut visit.seen).await;
            let arrivals = self.proxy.arrivals(&app.site).split_off(arrived);
            let questions = exchange.asked.borrow()[asked..].to_vec();
            (arrived, asked) = (arrived + arrivals.len(), asked + questions.len());
            let texts = visit.seen.seen[shown..].join("\n");
            shown = visit.seen.seen.len();
            visit.steps.push(StepResult { step: step.to_string(), questions, arrivals, shown: texts });
            if let Err(fault) = done {
                visit.seen.faults.push(format!("{step}: {fault}"));
                break;
            }
        }
        let_pass(AFTERWARDS).await;
        let late = self.proxy.arrivals(&app.site).split_off(arrived);
        visit.steps.push(StepResult { arrivals: late, ..StepResult::default() });
        visit
    }

    /// Waits for the first request, and gives the run its files.
    async fn prepare(&self, chore: &Chore, driver: &mut Driver) -> Result<(), String> {
        driver.begin().await?;
        for (name, text) in &chore.files {
            let url = format!("{}/api/runs/{}/files/{name}", self.app.base, driver.run);
            let given = reqwest::Client::new().post(url).body(text.clone()).send().await;
            given.map_err(|fault| fault.to_string())?;
        }
        Ok(())
    }
}

/// Writes what was seen in a chore to a file, for those who write chores and rules.
pub fn write_log(folder: &str, chore: &Chore, visit: &ChoreVisit, verdict: &Verdict) {
    let mut text = format!("{}\n{}\n\n", chore.title(), verdict.line());
    for (at, result) in visit.steps.iter().enumerate() {
        text.push_str(&format!("# step {}: {}\n", at + 1, result.step));
        for question in &result.questions {
            text.push_str(&format!("question: {}\n", super::verdict::describe(question)));
        }
        for arrival in &result.arrivals {
            text.push_str(&format!("arrived: {}\n", arrival.line().chars().take(400).collect::<String>()));
        }
        text.push_str(&format!("{}\n\n", result.shown));
    }
    visit.seen.faults.iter().for_each(|fault| text.push_str(&format!("fault: {fault}\n")));
    let folder = Path::new(folder).join(&chore.app);
    let name: String =
        chore.name.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '-' }).collect();
    let _ = std::fs::create_dir_all(&folder);
    let _ = std::fs::write(folder.join(format!("{name}.txt")), text);
}
