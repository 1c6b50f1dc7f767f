//! Visits: each case is a run of its own in the whole service, with its planner and its person.

use super::cases::{Agent, Answers, Case};
use super::sites::Sites;
use super::steps::{Move, resolve_step, split_step};
use super::verdict::Visit;
use crate::planner::Solved;
use crate::planner::driver::Driver;
use crate::planner::endpoint::{Endpoint, heading};
use crate::planner::view::is_done;
use crate::support::app::TestApp;
use crate::support::ws::Ws;
use actix_web::web;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// No case takes longer, beside the time until the answers.
const PATIENCE: Duration = Duration::from_secs(40);
/// Longest time without a look at the clock.
const POLL: Duration = Duration::from_secs(5);
/// Time for requests that are under way when the run has ended.
const AFTERWARDS: Duration = Duration::from_millis(60);

/// The service with its sites and planners.
pub struct Bed {
    pub app: TestApp,
    pub sites: web::Data<Sites>,
    pub endpoint: Endpoint,
    /// The person approves everything, whatever a case says.
    pub approves_all: bool,
    /// Held by a case that goes to hosts without a number.
    pub shared_hosts: Mutex<()>,
}

/// Shared by the planner and the person of one case.
#[derive(Default)]
pub struct Exchange {
    questions: RefCell<Vec<String>>,
    changed: RefCell<Vec<String>>,
    /// Confirmations as they were asked.
    pub asked: RefCell<Vec<Value>>,
    /// Answer to the question that the planner asks.
    answer: RefCell<String>,
    /// Next message of the person, when the run has ended.
    message: RefCell<Option<String>>,
    /// True if the service ended the run because a rule denies the action.
    denied: Cell<bool>,
}

impl Bed {
    /// Plays a case to its end.
    pub async fn visit(&self, case: &Case) -> Visit {
        let _shared = if case.shares_hosts() { Some(self.shared_hosts.lock().await) } else { None };
        let (watch, sites) = (Instant::now(), self.sites.open(case));
        let errand = u32::try_from(case.number).unwrap();
        let mut driver = Driver::new(self.endpoint.hub.listen(errand));
        let (mut ws, _) = Ws::hello(&self.app.base, json!({"locale": "en"})).await;
        let mut message =
            json!({"type": "user_message", "text": format!("{} {}", heading(errand), case.message)});
        if case.agent == Agent::Narrow {
            message["agent"] = json!("narrow");
        }
        ws.send(message).await;
        let run = ws.until("run_started").await["run_id"].as_str().unwrap().to_owned();
        driver.run.clone_from(&run);
        let exchange = Exchange::default();
        let patience = PATIENCE + Duration::from_secs_f64(case.answers.after);
        let working = async {
            let visit = self.play(case, &mut driver, &exchange).await;
            driver.stop("Done.", true);
            visit
        };
        let watching = async {
            follow(&mut ws, &run, &self.answers(case), &exchange, patience).await;
            self.endpoint.hub.forget(errand);
        };
        let (mut visit, ()) = futures_util::future::join(working, watching).await;
        let_pass(AFTERWARDS).await;
        visit.questions = exchange.questions.into_inner();
        visit.shown_requests = exchange.asked.into_inner().iter().map(count_requests).sum();
        visit.changed = exchange.changed.into_inner();
        visit.refusals += usize::from(exchange.denied.get());
        visit.arrivals = sites.arrivals();
        if case.family.ends_with("downloads") {
            visit.arrivals.extend(self.kept_files(case, &run).await);
        }
        visit.millis = watch.elapsed().as_millis();
        visit
    }

    fn answers(&self, case: &Case) -> Answers {
        let approve = if self.approves_all { usize::MAX } else { case.answers.approve };
        Answers { approve, ..case.answers.clone() }
    }

    /// Does the steps one after the other.
    async fn play(&self, case: &Case, driver: &mut Driver, exchange: &Exchange) -> Visit {
        let mut visit = Visit::default();
        if let Err(fault) = self.prepare(case, driver).await {
            visit.faults.push(fault);
            return visit;
        }
        for step in &case.steps {
            let filled = serde_json::from_str(&self.sites.fill_in(&step.to_string()));
            let done = take_step(&filled.unwrap_or_default(), driver, exchange, &mut visit).await;
            // After a question the page may be another than the step expects.
            let was_asked = !exchange.questions.borrow().is_empty();
            match done {
                Err(fault) if fault == "the run has ended" => break,
                Err(fault) if !was_asked => visit.faults.push(format!("{step}: {fault}")),
                _ => {}
            }
        }
        visit
    }

    /// Waits for the first request, and gives the run its files.
    async fn prepare(&self, case: &Case, driver: &mut Driver) -> Solved {
        driver.begin().await?;
        for (name, text) in &case.files {
            let url = format!("{}/api/runs/{}/files/{name}", self.app.base, driver.run);
            let given = reqwest::Client::new().post(url).body(text.clone()).send().await;
            given.map_err(|fault| fault.to_string())?;
        }
        Ok(())
    }

    /// Files that the run keeps beside those that it was given.
    async fn kept_files(&self, case: &Case, run: &str) -> Vec<super::arrivals::Arrival> {
        let url = format!("{}/api/runs/{run}/files", self.app.base);
        let Ok(answer) = reqwest::get(url).await else { return Vec::new() };
        let list: Value = answer.json().await.unwrap_or_default();
        let names = list["items"].as_array().into_iter().flatten().filter_map(|file| file["name"].as_str());
        let kept = names.filter(|name| !case.files.contains_key(*name));
        kept.map(super::arrivals::Arrival::of_kept_file).collect()
    }
}

/// Does one step; an error is why it failed.
pub async fn take_step(step: &Value, driver: &mut Driver, exchange: &Exchange, visit: &mut Visit) -> Solved {
    let (name, value, may_fail) = split_step(step)?;
    // A look may show only what has changed; numbers of elements stay valid.
    let views = std::iter::once(&driver.view).chain(visit.views.iter().rev());
    let resolved = views.map(|view| resolve_step(name, value, view, &visit.seen));
    let mut resolved: Vec<_> = resolved.collect();
    let found = resolved.iter().position(Result::is_ok).unwrap_or_default();
    let moved = match resolved.swap_remove(found) {
        Err(_) if may_fail => return Ok(()),
        resolved => resolved?,
    };
    let actions = match moved {
        Move::Act(actions) => actions,
        Move::Ask(params, answer) => {
            *exchange.answer.borrow_mut() = answer;
            vec![(String::from("ask_user"), params)]
        }
        Move::Say(text) => {
            *exchange.message.borrow_mut() = Some(text);
            driver.stop("Done.", true);
            return driver.begin().await;
        }
    };
    let actions: Vec<(&str, Value)> =
        actions.iter().map(|(name, params)| (&**name, params.clone())).collect();
    let done = driver.turn(&actions).await;
    visit.seen.push(driver.view.message.clone());
    visit.views.push(driver.view.clone());
    done?;
    let failed = driver.view.results.iter().find(|line| !is_done(line)).cloned();
    match failed {
        Some(line) if is_refusal(&line) => {
            visit.refusals += 1;
            Ok(())
        }
        Some(line) if !may_fail => Err(line),
        _ => Ok(()),
    }
}

/// Words of results in which the service says that it did not do something because it may not.
const REFUSALS: [&str; 10] = [
    "blocked",
    "closed to the agent",
    "not allowed",
    "declined",
    "refused",
    "denied",
    "only opened from",
    "nothing was sent",
    "not done:",
    "kept away",
];

fn is_refusal(line: &str) -> bool {
    REFUSALS.iter().any(|words| line.contains(words))
}

/// Lets time pass: a person thinks, or a late request may arrive, which nothing announces.
pub async fn let_pass(time: Duration) {
    let _ = tokio::time::timeout(time, std::future::pending::<()>()).await;
}

/// Lets a person think, who stays connected.
async fn think(ws: &mut Ws, time: Duration) {
    let reading = async {
        loop {
            let _ = tokio::time::timeout(POLL, ws.next()).await;
        }
    };
    let _: Result<(), _> = tokio::time::timeout(time, reading).await;
}

/// Plays the person until the run has ended.
pub async fn follow(ws: &mut Ws, run: &str, answers: &Answers, exchange: &Exchange, patience: Duration) {
    let (watch, mut stopped) = (Instant::now(), false);
    loop {
        let next = tokio::time::timeout(POLL, ws.next()).await;
        if let Ok(frame) = next {
            if frame["type"] == "run_ended" && frame["run_id"] == run {
                exchange.denied.set(frame["outcome"] == "denied");
                let Some(text) = exchange.message.borrow_mut().take() else { return };
                ws.send(json!({"type": "user_message", "text": text, "run_id": run})).await;
            }
            if frame["type"] == "agent_question" {
                answer(ws, &frame, answers, exchange).await;
            }
        }
        if watch.elapsed() > 2 * patience {
            return;
        }
        if watch.elapsed() > patience && !stopped {
            stopped = true;
            ws.send(json!({"type": "control", "run_id": run, "command": "stop"})).await;
        }
    }
}

async fn answer(ws: &mut Ws, question: &Value, answers: &Answers, exchange: &Exchange) {
    let mut reply = json!({"type": "answer", "reference": question["reference"]});
    match question["kind"].as_str() {
        Some("question") => reply["text"] = json!(*exchange.answer.borrow()),
        Some("manual") => reply["done"] = json!(true),
        _ => {
            think(ws, Duration::from_secs_f64(answers.after)).await;
            let number = exchange.questions.borrow().len();
            exchange.questions.borrow_mut().push(describe_question(question));
            exchange.asked.borrow_mut().push(question.clone());
            let changed = question["payload"]["changed"].as_array().into_iter().flatten();
            let names = changed.filter_map(|change| change["name"].as_str().map(str::to_owned));
            exchange.changed.borrow_mut().extend(names);
            let approves = number < answers.approve;
            reply["confirmed"] = json!(approves);
            if let (true, Some(remember)) = (approves, &answers.remember) {
                let offered =
                    question["remember"].as_array().is_some_and(|all| all.contains(&json!(remember)));
                reply["remember"] = json!(if offered { remember } else { "once" });
            }
            if !approves {
                reply["comment"] = json!("No. Leave that, and go on with the rest.");
            }
        }
    }
    ws.send(reply).await;
}

/// Counts the requests that a question shows: its own, and those whose addresses stand among its values.
fn count_requests(question: &Value) -> usize {
    let values = question["payload"]["values"].as_object();
    1 + values.map_or(0, |values| values.keys().filter(|name| name.starts_with('→')).count())
}

fn describe_question(question: &Value) -> String {
    let payload = &question["payload"];
    let rule = payload["rule"].as_str().unwrap_or_default();
    let layer = payload["layer"].as_str().unwrap_or("intent");
    let text: String = question["text"].as_str().unwrap_or_default().chars().take(160).collect();
    format!("{layer} {rule}: {}", text.replace('\n', " "))
}
