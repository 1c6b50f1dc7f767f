//! `askfirst orchestrate`: runs the orchestrator with a plan from a file, or with a prompt.

use crate::cli::args::orchestrate::Orchestrate;
use crate::cli::client::error::ClientError;
use crate::cli::client::follow::terminal_output;
use crate::cli::client::input_arguments;
use crate::cli::client::input_arguments::{InputSource, StdinOnce};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Builds the input of the run from the arguments.
pub async fn build_input(args: &Orchestrate) -> Result<Map<String, Value>, ClientError> {
    let mut stdin = StdinOnce { free: !args.follow.ask };
    let mut input = match &args.plan {
        Some(path) => parse_plan_file(path, &stdin.read(&path.to_string_lossy()).await?)?,
        None => Map::new(),
    };
    let mut bindings = match input.get("bindings") {
        Some(Value::Object(argument)) => argument.clone(),
        Some(_) | None => Map::new(),
    };
    for argument in &args.bindings {
        let argument = input_arguments::split_argument(argument)?;
        let value = match argument.value {
            InputSource::Typed(text) => json!(text),
            InputSource::File(path) => json!(stdin.read(path).await?),
            InputSource::Json(text) => input_arguments::json(argument.name, text)?,
        };
        bindings.insert(argument.name.to_owned(), value);
    }
    let typed = [
        ("prompt", args.prompt.as_ref().map(|prompt| json!(prompt))),
        ("bindings", (!bindings.is_empty()).then(|| Value::Object(bindings))),
        ("timeout_ms", args.timeout.map(|seconds| json!(seconds.saturating_mul(1_000)))),
        ("max_parallel", args.max_parallel.map(|most| json!(most))),
    ];
    input.extend(typed.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    Ok(input)
}

/// Parses a file with a plan alone, or with the whole input.
fn parse_plan_file(path: &Path, text: &str) -> Result<Map<String, Value>, ClientError> {
    let read: Result<Value, String> = if path.extension().is_some_and(|ending| ending == "json") {
        serde_json::from_str(text).map_err(|fault| fault.to_string())
    } else {
        serde_saphyr::from_str(text).map_err(|fault| fault.to_string())
    };
    let fault = |why: &str| {
        ClientError::Usage(format!("{} is no plan: {}", path.display(), terminal_output::brief(why)))
    };
    let read = read.map_err(|why| fault(&why))?;
    let Value::Object(members) = read else { return Err(fault("it is no map")) };
    let whole = members.contains_key("plan") || members.contains_key("prompt");
    Ok(if whole { members } else { Map::from_iter([(String::from("plan"), Value::Object(members))]) })
}
