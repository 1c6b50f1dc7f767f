//! `askfirst run`: starts a run, follows it to its end, and prints the result.

use crate::agent_name::ORCHESTRATE;
use crate::cli::args::follow::FollowArgs;
use crate::cli::args::orchestrate::Orchestrate;
use crate::cli::args::run::RunArgs;
use crate::cli::client::api::Api;
use crate::cli::client::error::{ClientError, Exit};
use crate::cli::client::follow::interrupt::InterruptSignal;
use crate::cli::client::follow::outcome::Outcome;
use crate::cli::client::follow::watch::{Finish, Watch};
use crate::cli::client::follow::{outcome, terminal_output};
use crate::cli::client::input_arguments::{DeclaredInputs, StdinOnce, Words};
use crate::cli::client::terminal_language::terminal;
use crate::cli::client::{input_arguments, orchestrate, terminal_language};
use crate::clock::Stopwatch;
use crate::ids::RunId;
use crate::texts;
use serde_json::{Map, Value, json};
use std::future::Future;

pub async fn run(api: &Api, order: &RunArgs, interrupted: InterruptSignal) -> Exit {
    let prepared = async {
        let agent = api.agent(&order.name).await?;
        let input = build_input(&DeclaredInputs::from_agent(&agent), order).await?;
        Ok((converses(&agent), input))
    };
    let order = FollowRequest { agent: &order.name, how: &order.how, timeout: order.timeout };
    follow_run(api, order, prepared, interrupted).await
}

pub async fn orchestrate(api: &Api, order: &Orchestrate, interrupted: InterruptSignal) -> Exit {
    let prepared = async { Ok((false, orchestrate::build_input(order).await?)) };
    // The orchestrator limits its time itself.
    let order = FollowRequest { agent: ORCHESTRATE, how: &order.how, timeout: None };
    follow_run(api, order, prepared, interrupted).await
}

/// A run to start and follow.
#[derive(Clone, Copy)]
struct FollowRequest<'a> {
    agent: &'a str,
    how: &'a FollowArgs,
    timeout: Option<u64>,
}

/// True if the response is the result, and the input of the run.
type Prepared = Result<(bool, Map<String, Value>), ClientError>;

async fn follow_run(
    api: &Api,
    order: FollowRequest<'_>,
    prepared: impl Future<Output = Prepared>,
    interrupted: InterruptSignal,
) -> Exit {
    match carried_out(api, order, prepared, interrupted).await {
        Ok(outcome) => {
            terminal_output::print(&if order.how.json {
                format!("{}\n", outcome.json())
            } else {
                outcome.text()
            });
            outcome.exit()
        }
        Err(fault) => {
            if order.how.json {
                terminal_output::print(&format!("{}\n", outcome::without_run(&fault.to_string())));
            }
            terminal_output::complain(&fault);
            fault.exit()
        }
    }
}

async fn carried_out(
    api: &Api,
    order: FollowRequest<'_>,
    prepared: impl Future<Output = Prepared>,
    mut interrupted: InterruptSignal,
) -> Result<Outcome, ClientError> {
    let (speaks, input) = tokio::select! {
        prepared = prepared => prepared?,
        () = interrupted.once() => return Err(ClientError::Interrupted),
    };
    // From here on a run may exist, so an interrupt has to stop it.
    let how = order.how;
    let metadata =
        how.metadata.as_ref().map(|text| input_arguments::object(text, "--metadata")).transpose()?;
    let started = json!({
        "agent": order.agent, "input": input, "idempotency_key": how.idempotency_key, "metadata": metadata,
    });
    let started = api.post("/api/runs", &started).await?;
    let Some(run) = started["run_id"].as_str().map(RunId::from) else {
        return Err(ClientError::Unreadable(String::from("a run without an id")));
    };
    let time = Stopwatch::start();
    let mut watch = Watch::new(api, (how, order.timeout), run.clone(), interrupted);
    let finish = watch.follow().await.map_err(|fault| with_run_note(&run, fault))?;
    let (unanswered, counted) = (watch.take_unanswered(), watch.usage_summary());
    drop(watch);
    let whole = api.get(&format!("/api/runs/{run}")).await?;
    let outcome = Outcome::from_run(whole, speaks, unanswered)
        .ok_or_else(|| ClientError::Unreadable(String::from("a run without a status")))?;
    match finish {
        Finish::Ended => conclude(&outcome, &counted, time),
        Finish::LeftWaiting => left_waiting(&run, &api.access.format_page_address(run.as_str())),
    }
    Ok(outcome)
}

fn left_waiting(run: &RunId, page: &str) {
    terminal_output::note(&texts::terminal::run_waits_for_answer(run.as_str(), page, terminal()));
}

/// True if the response is the result: for browser agents, and for agents that plan, think or call others.
fn converses(agent: &Value) -> bool {
    let parts = ["uses", "plan", "thinking", "knowledge", "premoves"];
    let has = |part: &&str| !matches!(&agent["llm"][part], Value::Null) && agent["llm"][part] != json!([]);
    agent["browser"].is_object() || parts.iter().any(has)
}

/// Adds advice to the error if the service is gone while the run is saved.
fn with_run_note(run: &RunId, fault: ClientError) -> ClientError {
    match fault {
        ClientError::Gone { address, cause, .. } => {
            let advice = texts::terminal::run_is_saved(run.as_str(), terminal());
            ClientError::Gone { address, cause, advice }
        }
        fault => fault,
    }
}

fn conclude(outcome: &Outcome, counted: &str, time: Stopwatch) {
    let (locale, seconds) = (terminal(), time.seconds());
    let status = terminal_language::status(outcome.status, locale);
    let words = texts::terminal::run_concluded(status, seconds, counted, locale);
    let paint = terminal_output::Paint::for_progress();
    let mark = if outcome.exit() == Exit::Succeeded { paint.green("■") } else { paint.red("■") };
    let mut line = format!("{mark} {words}");
    if let Some(why) = outcome.why() {
        line = format!("{line}: {why}");
    }
    terminal_output::line(&line);
}

/// Collects all inputs from the arguments, files and standard input.
async fn build_input(agent: &DeclaredInputs, order: &RunArgs) -> Result<Map<String, Value>, ClientError> {
    let mut stdin = StdinOnce { free: !order.how.ask };
    let mut input = match &order.input_json {
        Some(path) => input_arguments::object(&stdin.read(&path.to_string_lossy()).await?, "--input-json")?,
        None => Map::new(),
    };
    for name in input.keys() {
        agent.find_kind(name)?;
    }
    let mut typed = Map::new();
    if let Some(text) = &order.text {
        let name = agent.spoken_to()?;
        typed.insert(name.to_owned(), agent.read(name, text)?);
    }
    for argument in &order.inputs {
        let argument = input_arguments::split_argument(argument)?;
        let value = match argument.value {
            Words::Typed(text) => agent.read(argument.name, text)?,
            Words::File(path) => agent.read(argument.name, &stdin.read(path).await?)?,
            Words::Json(text) => {
                agent.find_kind(argument.name)?;
                input_arguments::json(argument.name, text)?
            }
        };
        if typed.insert(argument.name.to_owned(), value).is_some() {
            return Err(ClientError::Usage(format!("the input {} was given twice", argument.name)));
        }
    }
    input.extend(typed);
    Ok(input)
}
