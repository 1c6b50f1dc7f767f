//! Sources of a plan: the caller, or a planner that makes it from a prompt, which is a model without tools or
//! an agent (S3.12, S3.13). Every plan is read and checked in the same way before anything starts.

use crate::clock::Moment;
use crate::engine::program::ended_child::EndedChild;
use crate::engine::program::model_usage::{budget_event, find_used_up_limit};
use crate::engine::program::result_text::limit_text;
use crate::engine::program::{ChildCall, ProgramError, StepInput};
use crate::ids::RunId;
use crate::model::orchestration_plan::schema;
use crate::model::role_requests::{OfferedAgent, OrchestrationRequest};
use crate::planning::{ModelPreference, PlanError};
use crate::programs::orchestration::dependencies::{Deps, PlanningDeps};
use crate::programs::orchestration::graph::OrchestrationEvent;
use crate::programs::orchestration::plan::check::{AgentLookupResult, CheckContext};
use crate::programs::orchestration::plan::parse::PlanFault;
use crate::programs::orchestration::plan::{OrchestrationPlan, check, parse};
use crate::programs::orchestration::responses;
use crate::programs::orchestration::state::{OrchestrationEnd, OrchestrationState, StateChange};
use crate::programs::orchestration::step_run::OrchestrationStepOutput;
use crate::protocol::Status;
use crate::store::rows::usage::UsedUpLimit;
use crate::texts::endings;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Most faults reported for one plan.
const MAX_FAULTS: usize = 50;

/// Starts the orchestration's clock.
pub fn begin(state: &OrchestrationState) -> OrchestrationStepOutput {
    let timeout = state.request.timeout_ms.map(Duration::from_millis);
    let until = timeout.map(|timeout| Moment::now().after(timeout).millis());
    OrchestrationStepOutput::new(OrchestrationEvent::StartPlan, vec![StateChange::Began { until }])
}

pub async fn plan(
    state: &OrchestrationState,
    deps: &Deps,
    input: &StepInput,
) -> Result<OrchestrationStepOutput, ProgramError> {
    let planned = make_plan(state, deps, input);
    match state.millis_left(Moment::now().millis()) {
        None => planned.await,
        Some(left) => match tokio::time::timeout(Duration::from_millis(left), planned).await {
            Ok(output) => output,
            Err(_) => Ok(end_plan(
                OrchestrationEvent::Timeout,
                Status::Exhausted,
                endings::orchestration_out_of_time(state.locale).to_owned(),
            )),
        },
    }
}

async fn make_plan(
    state: &OrchestrationState,
    deps: &Deps,
    input: &StepInput,
) -> Result<OrchestrationStepOutput, ProgramError> {
    let PlanSource { plan, by_planner } = match find_plan(state, deps, input).await? {
        Ok(found) => found,
        Err(output) => return Ok(output),
    };
    let steps = match parse::steps(&plan) {
        Ok(steps) => steps,
        Err(faults) => return Ok(fail_with_faults(faults, state)),
    };
    // Checked first, to avoid reading too many agents and templates.
    if let Some(fault) = check::check_step_count(&steps, deps.planning.steps) {
        return Ok(fail_with_faults(vec![fault], state));
    }
    let agents = deps.planning.look_up_agents(check::agent_names(&steps)).await?;
    let context = CheckContext {
        bindings: &state.request.bindings,
        agents: &agents,
        most: deps.planning.steps,
        by_planner,
    };
    Ok(match check::check_plan(steps, context) {
        Ok(plan) => OrchestrationStepOutput::new(
            OrchestrationEvent::PlannerFinished,
            vec![StateChange::Planned { plan }],
        ),
        Err(faults) => fail_with_faults(faults, state),
    })
}

/// Returns the plan of the caller or of the planner, or the step's output if there is none yet.
async fn find_plan(
    state: &OrchestrationState,
    deps: &Deps,
    input: &StepInput,
) -> Result<Result<PlanSource, OrchestrationStepOutput>, ProgramError> {
    let found = match (&state.request.plan, &state.request.prompt, &state.planner) {
        (Some(plan), _, _) => PlanSource { plan: plan.clone(), by_planner: false },
        (None, Some(prompt), None) => {
            let offered = deps.planning.load_offered_agents().await?;
            match &deps.planning.agent {
                Some(agent) => {
                    return call_planner(state, &deps.planning, agent, prompt, &offered).await.map(Err);
                }
                None => match ask_model(state, deps, input, prompt, &offered).await? {
                    Ok(plan) => PlanSource { plan, by_planner: true },
                    Err(output) => return Ok(Err(output)),
                },
            }
        }
        (None, Some(_), Some(run)) => {
            let Some(child) = input.ended.iter().find(|child| child.run == *run) else {
                return Ok(Err(OrchestrationStepOutput::new(OrchestrationEvent::PlannerStarted, Vec::new())));
            };
            match plan_from_child(child) {
                Ok(plan) => PlanSource { plan, by_planner: true },
                Err(why) => return Ok(Err(fail_with_faults(vec![prompt_fault(why)], state))),
            }
        }
        (None, None, _) => {
            return Ok(Err(fail_with_faults(vec![prompt_fault(String::from("is missing"))], state)));
        }
    };
    Ok(Ok(found))
}

/// A plan as written, and whether a planner wrote it.
struct PlanSource {
    plan: Value,
    by_planner: bool,
}

/// Asks the model for a plan. Faults are returned to the model once.
async fn ask_model(
    state: &OrchestrationState,
    deps: &Deps,
    input: &StepInput,
    prompt: &str,
    offered: &[OfferedAgent],
) -> Result<Result<Value, OrchestrationStepOutput>, ProgramError> {
    if let Some(used_up) = find_used_up_limit(&deps.store, &input.run).await? {
        return Ok(Err(end_exhausted(used_up, state)));
    }
    let names = offered.iter().map(|offered| offered.tool.name.clone()).collect();
    let agents = deps.planning.look_up_agents(names).await?;
    let fits = |proposal: &Value| {
        let bindings = &state.request.bindings;
        check_proposal(
            proposal,
            CheckContext { bindings, agents: &agents, most: deps.planning.steps, by_planner: true },
        )
    };
    let prefers = ModelPreference { model: deps.planning.model.clone(), temperature: Some(0.0) };
    let bindings: Vec<String> = state.request.bindings.keys().cloned().collect();
    let request = OrchestrationRequest {
        locale: state.locale,
        prefers: &prefers,
        prompt,
        agents: offered,
        bindings: &bindings,
        most: deps.planning.steps,
        fits: &fits,
    };
    let proposed = deps.planning.planner.orchestrate(&request).await;
    let usage = proposed.as_ref().map_or_else(PlanError::usage, |planned| &planned.usage);
    for usage in usage {
        input.journal.store_usage(usage).await?;
    }
    Ok(proposed
        .map(|planned| planned.plan)
        .map_err(|fault| fail_with_faults(vec![prompt_fault(fault.to_string())], state)))
}

/// Checks the planner's answer; the faults are words for the planner.
fn check_proposal(proposal: &Value, context: CheckContext<'_>) -> Result<(), String> {
    let read: Result<OrchestrationPlan, _> =
        parse::steps(proposal).and_then(|steps| check::check_plan(steps, context));
    read.map(drop).map_err(|faults| join_faults(&faults))
}

fn end_exhausted(used_up: UsedUpLimit, state: &OrchestrationState) -> OrchestrationStepOutput {
    let why = limit_text(&used_up.limit, state.locale).to_owned();
    let output = end_plan(OrchestrationEvent::ValidationFailed, Status::Exhausted, why);
    OrchestrationStepOutput { events: vec![budget_event(used_up)], ..output }
}

/// Calls an agent to make the plan. It gets the available agents and cannot call any.
async fn call_planner(
    state: &OrchestrationState,
    planning: &PlanningDeps,
    agent: &str,
    prompt: &str,
    offered: &[OfferedAgent],
) -> Result<OrchestrationStepOutput, ProgramError> {
    if let Err(why) = planning.may_plan(agent.to_owned()).await? {
        let path = String::from("orchestration.planner_agent");
        return Ok(fail_with_faults(vec![PlanFault { path, message: why }], state));
    }
    let run = RunId::fresh();
    let agents: Vec<Value> = offered.iter().map(OfferedAgent::describe).collect();
    let names: Vec<&str> = offered.iter().map(|offered| offered.tool.name.as_str()).collect();
    let mut input = Map::new();
    input.insert("prompt".into(), json!(prompt));
    input.insert("agents".into(), json!(agents));
    input.insert("schema".into(), schema(&names));
    input.insert("locale".into(), json!(state.locale.tag()));
    let timeout = state.millis_left(Moment::now().millis()).map(Duration::from_millis);
    let call = ChildCall { run: run.clone(), agent: agent.to_owned(), input, timeout, after: None };
    Ok(OrchestrationStepOutput {
        calls: vec![call],
        ..OrchestrationStepOutput::new(
            OrchestrationEvent::PlannerStarted,
            vec![StateChange::Planning { run }],
        )
    })
}

/// Returns the plan from an agent's outputs or from its response, which must be a single JSON object.
fn plan_from_child(child: &EndedChild) -> Result<Value, String> {
    let response = child.response.clone().unwrap_or_default();
    if child.outcome != Status::Succeeded {
        return Err(format!("the planner ended as {}: {response}", child.outcome.word()));
    }
    if let Some(steps) = child.vars.get("steps").filter(|steps| steps.is_array()) {
        return Ok(json!({ "steps": steps }));
    }
    let plan_value = child.vars.get("plan").or_else(|| child.vars.values().next());
    let text = match plan_value {
        Some(Value::Object(_)) => return Ok(plan_value.cloned().unwrap_or_default()),
        Some(Value::String(text)) => text.clone(),
        Some(_) | None => response,
    };
    let plan = serde_json::from_str::<Value>(text.trim()).ok().filter(Value::is_object);
    plan.ok_or_else(|| String::from("the planner's answer is not one JSON object"))
}

fn prompt_fault(message: String) -> PlanFault {
    PlanFault { path: String::from("prompt"), message }
}

fn join_faults(faults: &[PlanFault]) -> String {
    let lines = faults.iter().map(|fault| format!("{}: {}", fault.path, fault.message));
    lines.collect::<Vec<_>>().join("; ")
}

fn fail_with_faults(mut faults: Vec<PlanFault>, state: &OrchestrationState) -> OrchestrationStepOutput {
    let more = faults.len().saturating_sub(MAX_FAULTS);
    if more > 0 {
        faults.truncate(MAX_FAULTS);
        faults.push(PlanFault { path: String::from("plan"), message: format!("and {more} more faults") });
    }
    let mut output = end_plan(
        OrchestrationEvent::ValidationFailed,
        Status::Failed,
        responses::no_plan(&faults, state.locale),
    );
    output.changes.insert(0, StateChange::Faulty { faults });
    output
}

fn end_plan(event: OrchestrationEvent, outcome: Status, why: String) -> OrchestrationStepOutput {
    OrchestrationStepOutput::new(
        event,
        vec![StateChange::End { end: OrchestrationEnd { event, outcome, why } }],
    )
}

impl PlanningDeps {
    /// Looks up agents on the blocking thread pool.
    async fn look_up_agents(
        &self,
        names: BTreeSet<String>,
    ) -> Result<BTreeMap<String, AgentLookupResult>, ProgramError> {
        let offers = Arc::clone(&self.offers);
        offers.await_offers(&names).await;
        run_blocking(move || {
            let each = names.into_iter();
            each.map(|name| (name.clone(), offers.look_up_agent(&name))).collect()
        })
        .await
    }

    async fn load_offered_agents(&self) -> Result<Vec<OfferedAgent>, ProgramError> {
        let offers = Arc::clone(&self.offers);
        run_blocking(move || offers.list_offered()).await
    }

    async fn may_plan(&self, agent: String) -> Result<Result<(), String>, ProgramError> {
        let offers = Arc::clone(&self.offers);
        run_blocking(move || offers.may_plan(&agent)).await
    }
}

async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ProgramError> {
    tokio::task::spawn_blocking(work).await.map_err(|fault| match fault.try_into_panic() {
        // Propagate the panic to the caller.
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(fault) => ProgramError::Failed(format!("the agents could not be read: {fault}")),
    })
}
