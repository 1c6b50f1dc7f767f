//! Executes `python` and `shell` agents and tools of MCP servers, and collects their outputs by name.

use crate::agent_spec::secret_inputs;
use crate::agent_spec::types::spec::AgentSpec;
use crate::agent_spec::types::tool_ref::ToolRef;
use crate::clock::Stopwatch;
use crate::engine::program::ProgramError;
use crate::engine::program::ended_child::FailureCause;
use crate::gate::flow::tree_texts::list_texts;
use crate::programs::single::action_description::{Executable, arguments};
use crate::programs::single::graph::execute::Outcome;
use crate::programs::single::visit_context::SingleVisit;
use crate::programs::single::{action_description, build_wait, code_failure, text_sources};
use crate::protocol::Locale;
use crate::protocol::event::{ActionEnd, Event, Failure};
use crate::protocol::server::Fact;
use crate::record;
use crate::sandbox::build::BuildResult;
use crate::sandbox::calls::{PythonCall, ShellCall, ShellResult};
use crate::sandbox::error::SandboxError;
use crate::secrets::scrub::Replacement;
use crate::store::rows::Intent;
use crate::texts::endings;
use crate::turn::{agent_tools, named_secret};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub async fn execute(cx: &mut SingleVisit) -> Result<Outcome, ProgramError> {
    let spec = Arc::clone(&cx.deps.spec);
    let code = action_description::executable_of(&spec)?;
    record::record_value(record::CODE, || code.hash());
    let action = match code.action(&spec, &cx.state.context).await {
        Ok(action) => action,
        Err(fault) => return Ok(cx.fail(fault)),
    };
    let files = match files_folder(cx, code).await {
        Ok(files) => files,
        Err(fault) => return Ok(cx.fail(format!("the run's files cannot be reached: {fault}"))),
    };
    let built = match build_wait::wait_for_build(cx).await? {
        Ok(built) => built,
        Err(fault) => return Ok(cx.fail(fault)),
    };
    if cx.state.effect {
        let intent = Intent { action_id: action_description::ID.to_owned(), action: action.clone() };
        cx.input.journal.store_intent(intent, vec![started_event(code, &action)]).await?;
    }
    let watch = Stopwatch::start();
    let done = call_with_sources(cx, code, files, built.as_deref()).await;
    let finished = finished_event(cx, code, done.as_ref().err(), watch);
    cx.record.facts.push(finished);
    if cx.state.effect {
        cx.record.receipt = Some(json!({"ok": done.is_ok()}));
    }
    Ok(match done.and_then(|found| check_outputs(&spec, found)) {
        Ok(found) => cx.succeed(found),
        Err(fault) => cx.fail_with_cause(fault.words, fault.cause),
    })
}

struct CallError {
    /// Error code for programs.
    code: String,
    /// Message for people.
    words: String,
    cause: FailureCause,
}

impl CallError {
    fn new(code: &str, words: String) -> Self {
        let cause = FailureCause { error: words.clone(), error_type: code.to_owned(), traceback: None };
        Self { code: code.to_owned(), words, cause }
    }

    fn from_sandbox_error(spec: &AgentSpec, fault: &SandboxError, locale: Locale) -> Self {
        let (code, words) = (fault.code().to_owned(), code_failure::failure_text(spec, fault, locale));
        Self { code, words, cause: code_failure::cause(fault) }
    }
}

/// Calls the code, and records what it reads and writes.
async fn call_with_sources(
    cx: &SingleVisit,
    code: Executable<'_>,
    files: Option<PathBuf>,
    built: Option<&BuildResult>,
) -> Result<Map<String, Value>, CallError> {
    let access = code.files_access();
    let before = if access.is_none() { Vec::new() } else { text_sources::list_files(cx) };
    if !access.is_none() {
        text_sources::add_files_read(cx);
    }
    let done = call(cx, code, files, built).await;
    if access.may_write() {
        text_sources::add_files_written(cx, &before);
    }
    done
}

async fn call(
    cx: &SingleVisit,
    code: Executable<'_>,
    files: Option<PathBuf>,
    built: Option<&BuildResult>,
) -> Result<Map<String, Value>, CallError> {
    let (spec, sandbox) = (&cx.deps.spec, &cx.deps.sandbox);
    let to_call_error = |fault: SandboxError| CallError::from_sandbox_error(spec, &fault, cx.state.locale);
    let inputs = code_inputs(cx)?;
    let files_read_only = !code.files_access().may_write();
    let packages = built.and_then(BuildResult::packages).cloned();
    let image = built.and_then(BuildResult::image).cloned();
    match code {
        Executable::Python(python) => {
            let outputs = spec.outputs.iter().map(|output| output.name.clone()).collect();
            let timeout = python.timeout_s.map(Duration::from_secs);
            let code = python.code.clone();
            let call = PythonCall { code, inputs, outputs, files, files_read_only, timeout, packages, image };
            Ok(sandbox.python(call).await.map_err(to_call_error)?.vars)
        }
        Executable::Shell(shell) => {
            let args = arguments(shell, &cx.state.context).await;
            let call = ShellCall {
                command: shell.command.clone(),
                args: args.map_err(|fault| CallError::new("template", fault))?,
                cwd: shell.cwd.clone(),
                env: shell.env.clone(),
                inputs,
                files,
                files_read_only,
                timeout: shell.timeout_s.map(Duration::from_secs),
                allow_failure: shell.allow_failure,
                image,
            };
            Ok(command_outputs(spec, sandbox.shell(call).await.map_err(to_call_error)?))
        }
        Executable::Tool(tool) => call_tool(cx, tool).await,
    }
}

/// Calls a tool of an MCP server. Secrets are not passed to it.
async fn call_tool(cx: &SingleVisit, tool: &ToolRef) -> Result<Map<String, Value>, CallError> {
    let done = cx
        .deps
        .servers
        .call(tool, action_description::tool_arguments(&cx.deps.spec, &cx.state.context))
        .await;
    text_sources::record_sent(cx, &tool.server);
    let done = done.map_err(|fault| CallError::new(fault.code, fault.words))?;
    let parts = std::iter::once(done.text.clone()).chain(done.result.iter().flat_map(list_texts));
    text_sources::add_tool_text(cx, &tool.server, &parts.collect::<Vec<_>>().join("\n"));
    Ok(Map::from_iter([("text".into(), json!(done.text)), ("result".into(), json!(done.result))]))
}

/// Collects the outputs of a command: members of the JSON object that it printed, and `stdout`, `stderr` and
/// `status`. If it printed no JSON object and exactly one other output is declared, that output gets the
/// printed text.
fn command_outputs(spec: &AgentSpec, result: ShellResult) -> Map<String, Value> {
    let ShellResult { status, stdout, stderr } = result;
    let printed: Option<Map<String, Value>> = serde_json::from_str(stdout.trim()).ok();
    let is_json = printed.is_some();
    let mut found = printed.unwrap_or_default();
    for (name, value) in [("stdout", json!(stdout)), ("stderr", json!(stderr)), ("status", json!(status))] {
        found.entry(name).or_insert(value);
    }
    let mut lacking = spec.outputs.iter().filter(|output| !found.contains_key(&output.name));
    if let (Some(only), None, false) = (lacking.next(), lacking.next(), is_json) {
        found.insert(only.name.clone(), json!(stdout.trim_end_matches('\n')));
    }
    found
}

/// Checks that every required output is present and has its type.
fn check_outputs(spec: &AgentSpec, found: Map<String, Value>) -> Result<Map<String, Value>, CallError> {
    for output in &spec.outputs {
        let fault = match found.get(&output.name) {
            None if output.required == Some(false) => continue,
            None => format!("the output `{}` is missing", output.name),
            Some(value) => match output.of.as_deref() {
                Some(of) if !agent_tools::fits(of, value) => {
                    format!(
                        "the output `{}` must be of type {of}, not {}",
                        output.name,
                        agent_tools::name_type(value)
                    )
                }
                Some(_) | None => continue,
            },
        };
        return Err(CallError::new("bad_output", fault));
    }
    Ok(found)
}

/// Returns the declared inputs and locals for the code. Secrets are read from the vault here and passed only
/// to the code.
fn code_inputs(cx: &SingleVisit) -> Result<Map<String, Value>, CallError> {
    let spec = &cx.deps.spec;
    let names =
        spec.inputs.iter().map(|input| &input.name).chain(spec.locals.iter().map(|local| &local.name));
    let values = names.filter_map(|name| Some((name.clone(), cx.state.context.get(name)?.clone())));
    let mut inputs: Map<String, Value> = values.collect();
    for name in secret_inputs::declared_secrets(spec) {
        if let Some(Value::String(text)) = inputs.get_mut(name) {
            let locale = cx.state.locale;
            if named_secret::name_in(text).is_some() {
                return Err(CallError::new("secret_of_pages", endings::secret_only_for_sites(name, locale)));
            }
            let secret_gone = || CallError::new("secret_gone", endings::secret_lost(name, locale));
            *text = cx.deps.vault.fill_text(text).ok_or_else(secret_gone)?;
        }
    }
    Ok(inputs)
}

/// Returns the folder of the run tree's files if the agent may use it.
async fn files_folder(cx: &SingleVisit, code: Executable<'_>) -> std::io::Result<Option<PathBuf>> {
    if code.files_access().is_none() {
        return Ok(None);
    }
    let folder = cx.deps.files.run_files(cx.root());
    let created = tokio::task::spawn_blocking(move || folder.ensure_folder()).await;
    created.map_err(std::io::Error::other)?.map(Some)
}

fn finished_event(
    cx: &SingleVisit,
    code: Executable<'_>,
    fault: Option<&CallError>,
    watch: Stopwatch,
) -> Fact {
    let mask = |words: &str| cx.deps.vault.scrub_text(words, Replacement::Mask);
    let failure = fault.map(|fault| Failure { code: fault.code.clone(), message: mask(&fault.words) });
    Fact::Event(Event::from(ActionEnd {
        action_id: action_description::ID.to_owned(),
        action: code.name().to_owned(),
        ok: failure.is_none(),
        error: failure,
        took_ms: watch.millis(),
        ..ActionEnd::default()
    }))
}

fn started_event(code: Executable<'_>, action: &Value) -> Fact {
    let params = action["params"].as_object().cloned().unwrap_or_default();
    Fact::Event(Event::ActionStarted {
        action_id: action_description::ID.to_owned(),
        action: code.name().to_owned(),
        params,
        target: None,
    })
}
