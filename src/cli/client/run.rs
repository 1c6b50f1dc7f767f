//! `askfirst run`: starts a run, follows it to its end, and prints the result.

use crate::agent_name::ORCHESTRATE;
use crate::cli::args::follow::FollowArgs;
use crate::cli::args::orchestrate::Orchestrate;
use crate::cli::args::run::RunArgs;
use crate::cli::client::api::Api;
use crate::cli::client::error::{ClientError, Exit};
use crate::cli::client::follow::interrupt::InterruptSignal;
use crate::cli::client::follow::outcome::Outcome;
use crate::cli::client::follow::watch::{Finish, RunWatcher};
use crate::cli::client::follow::{outcome, terminal_output};
use crate::cli::client::input_arguments::{DeclaredInputs, InputSource, StdinOnce};
use crate::cli::client::terminal_language::terminal;
use crate::cli::client::{input_arguments, orchestrate, terminal_language};
use crate::clock::Stopwatch;
use crate::ids::RunId;
use crate::texts;
use serde_json::{Map, Value, json};
use std::future::Future;

pub async fn run(api: &Api, args: &RunArgs, interrupted: InterruptSignal) -> Exit {
    let prepared = async {
        let agent = api.agent(&args.name).await?;
        let input = build_input(&DeclaredInputs::from_agent(&agent), args).await?;
        Ok((response_is_result(&agent), input))
    };
    let request = FollowRequest { agent: &args.name, args: &args.follow, timeout: args.timeout };
    follow_run(api, request, prepared, interrupted).await
}

pub async fn orchestrate(api: &Api, args: &Orchestrate, interrupted: InterruptSignal) -> Exit {
    let prepared = async { Ok((false, orchestrate::build_input(args).await?)) };
    // The orchestrator limits its time itself.
    let request = FollowRequest { agent: ORCHESTRATE, args: &args.follow, timeout: None };
    follow_run(api, request, prepared, interrupted).await
}

/// A run to start and follow.
#[derive(Clone, Copy)]
struct FollowRequest<'a> {
    agent: &'a str,
    args: &'a FollowArgs,
    timeout: Option<u64>,
}

/// True if the response of the run is its result, and its input.
type Prepared = Result<(bool, Map<String, Value>), ClientError>;

async fn follow_run(
    api: &Api,
    request: FollowRequest<'_>,
    prepared: impl Future<Output = Prepared>,
    interrupted: InterruptSignal,
) -> Exit {
    match carried_out(api, request, prepared, interrupted).await {
        Ok(outcome) => {
            terminal_output::print(&if request.args.json {
                format!("{}\n", outcome.json())
            } else {
                outcome.text()
            });
            outcome.exit()
        }
        Err(fault) => {
            if request.args.json {
                terminal_output::print(&format!("{}\n", outcome::without_run(&fault.to_string())));
            }
            terminal_output::print_error(&fault);
            fault.exit()
        }
    }
}

async fn carried_out(
    api: &Api,
    request: FollowRequest<'_>,
    prepared: impl Future<Output = Prepared>,
    mut interrupted: InterruptSignal,
) -> Result<Outcome, ClientError> {
    let (response_is_result, input) = tokio::select! {
        prepared = prepared => prepared?,
        () = interrupted.once() => return Err(ClientError::Interrupted),
    };
    // From here on a run may exist, so an interrupt has to stop it.
    let args = request.args;
    let metadata =
        args.metadata.as_ref().map(|text| input_arguments::object(text, "--metadata")).transpose()?;
    let started = json!({
        "agent": request.agent, "input": input, "idempotency_key": args.idempotency_key, "metadata": metadata,
    });
    let started = api.post("/api/runs", &started).await?;
    let Some(run) = started["run_id"].as_str().map(RunId::from) else {
        return Err(ClientError::Unreadable(String::from("a run without an id")));
    };
    let time = Stopwatch::start();
    let mut watch = RunWatcher::new(api, (args, request.timeout), run.clone(), interrupted);
    let finish = watch.follow().await.map_err(|fault| with_run_note(&run, fault))?;
    let (unanswered, counted) = (watch.take_unanswered(), watch.usage_summary());
    drop(watch);
    let whole = api.get(&format!("/api/runs/{run}")).await?;
    let outcome = Outcome::from_run(whole, response_is_result, unanswered)
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

/// True if the response is the result of a run: for browser agents, and for agents that plan, think or call others.
fn response_is_result(agent: &Value) -> bool {
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
async fn build_input(agent: &DeclaredInputs, args: &RunArgs) -> Result<Map<String, Value>, ClientError> {
    let mut stdin = StdinOnce { free: !args.follow.ask };
    let mut input = match &args.input_json {
        Some(path) => input_arguments::object(&stdin.read(&path.to_string_lossy()).await?, "--input-json")?,
        None => Map::new(),
    };
    for name in input.keys() {
        agent.find_kind(name)?;
    }
    let mut typed = Map::new();
    if let Some(text) = &args.text {
        let name = agent.unnamed_input()?;
        typed.insert(name.to_owned(), agent.read(name, text)?);
    }
    for argument in &args.inputs {
        let argument = input_arguments::split_argument(argument)?;
        let value = match argument.value {
            InputSource::Typed(text) => agent.read(argument.name, text)?,
            InputSource::File(path) => agent.read(argument.name, &stdin.read(path).await?)?,
            InputSource::Json(text) => {
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
