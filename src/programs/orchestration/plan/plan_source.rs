//! Sources of a plan: the caller, or a planner that makes it from a prompt, which is a model without tools or
//! an agent (S3.12, S3.13). Every plan is read and checked in the same way before anything starts.

use crate::clock::Moment;
use crate::engine::program::ended_child::EndedChild;
use crate::engine::program::format::limit_text;
use crate::engine::program::model_usage::{budget_event, find_used_up_limit};
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
use crate::programs::orchestration::step::step_run::OrchestrationStepOutput;
use crate::protocol::Status;
use crate::store::rows::usage::UsedUpLimit;
use crate::texts::endings;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Most faults reported for one plan.
const FAULTS: usize = 50;

/// Starts the orchestration's clock.
pub fn begin(state: &OrchestrationState) -> OrchestrationStepOutput {
    let within = state.order.timeout_ms.map(Duration::from_millis);
    let until = within.map(|within| Moment::now().after(within).millis());
    OrchestrationStepOutput::new(OrchestrationEvent::StartPlan, vec![StateChange::Began { until }])
}

pub async fn plan(
    state: &OrchestrationState,
    deps: &Deps,
    given: &StepInput,
) -> Result<OrchestrationStepOutput, ProgramError> {
    let planned = make_plan(state, deps, given);
    match state.millis_left(Moment::now().millis()) {
        None => planned.await,
        Some(left) => match tokio::time::timeout(Duration::from_millis(left), planned).await {
            Ok(taken) => taken,
            Err(_) => Ok(failed(
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
    given: &StepInput,
) -> Result<OrchestrationStepOutput, ProgramError> {
    let PlanSource { plan, by_planner } = match find_plan(state, deps, given).await? {
        Ok(found) => found,
        Err(taken) => return Ok(taken),
    };
    let steps = match parse::steps(&plan) {
        Ok(steps) => steps,
        Err(faults) => return Ok(faulty(faults, state)),
    };
    // Checked first, to avoid reading too many agents and templates.
    if let Some(fault) = check::too_many(&steps, deps.planning.steps) {
        return Ok(faulty(vec![fault], state));
    }
    let agents = deps.planning.look_up_agents(check::named_agents(&steps)).await?;
    let against = CheckContext {
        bindings: &state.order.bindings,
        agents: &agents,
        most: deps.planning.steps,
        by_planner,
    };
    Ok(match check::check_plan(steps, against) {
        Ok(plan) => OrchestrationStepOutput::new(
            OrchestrationEvent::PlannerFinished,
            vec![StateChange::Planned { plan }],
        ),
        Err(faults) => faulty(faults, state),
    })
}

/// Returns the plan of the caller or of the planner, or the step's output if there is none yet.
async fn find_plan(
    state: &OrchestrationState,
    deps: &Deps,
    given: &StepInput,
) -> Result<Result<PlanSource, OrchestrationStepOutput>, ProgramError> {
    let found = match (&state.order.plan, &state.order.prompt, &state.planner) {
        (Some(plan), _, _) => PlanSource { plan: plan.clone(), by_planner: false },
        (None, Some(prompt), None) => {
            let offered = deps.planning.offered().await?;
            match &deps.planning.agent {
                Some(agent) => {
                    return call_planner(state, &deps.planning, agent, prompt, &offered).await.map(Err);
                }
                None => match ask_model(state, deps, given, prompt, &offered).await? {
                    Ok(plan) => PlanSource { plan, by_planner: true },
                    Err(taken) => return Ok(Err(taken)),
                },
            }
        }
        (None, Some(_), Some(run)) => {
            let Some(child) = given.ended.iter().find(|child| child.run == *run) else {
                return Ok(Err(OrchestrationStepOutput::new(OrchestrationEvent::PlannerStarted, Vec::new())));
            };
            match plan_from_child(child) {
                Ok(plan) => PlanSource { plan, by_planner: true },
                Err(why) => return Ok(Err(faulty(vec![prompt_fault(why)], state))),
            }
        }
        (None, None, _) => return Ok(Err(faulty(vec![prompt_fault(String::from("is missing"))], state))),
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
    given: &StepInput,
    prompt: &str,
    offered: &[OfferedAgent],
) -> Result<Result<Value, OrchestrationStepOutput>, ProgramError> {
    if let Some(spent) = find_used_up_limit(&deps.store, &given.run).await? {
        return Ok(Err(end_exhausted(spent, state)));
    }
    let names = offered.iter().map(|offered| offered.tool.name.clone()).collect();
    let agents = deps.planning.look_up_agents(names).await?;
    let fits = |said: &Value| {
        let bindings = &state.order.bindings;
        check_proposal(
            said,
            CheckContext { bindings, agents: &agents, most: deps.planning.steps, by_planner: true },
        )
    };
    let prefers = ModelPreference { model: deps.planning.model.clone(), temperature: Some(0.0) };
    let bindings: Vec<String> = state.order.bindings.keys().cloned().collect();
    let request = OrchestrationRequest {
        locale: state.locale,
        prefers: &prefers,
        prompt,
        agents: offered,
        bindings: &bindings,
        most: deps.planning.steps,
        fits: &fits,
    };
    let asked = deps.planning.planner.orchestrate(&request).await;
    let usage = asked.as_ref().map_or_else(PlanError::usage, |planned| &planned.usage);
    for usage in usage {
        given.journal.store_usage(usage).await?;
    }
    Ok(asked
        .map(|planned| planned.plan)
        .map_err(|fault| faulty(vec![prompt_fault(fault.to_string())], state)))
}

/// Checks the planner's answer; the faults are words for the planner.
fn check_proposal(said: &Value, against: CheckContext<'_>) -> Result<(), String> {
    let read: Result<OrchestrationPlan, _> =
        parse::steps(said).and_then(|steps| check::check_plan(steps, against));
    read.map(drop).map_err(|faults| in_words(&faults))
}

fn end_exhausted(spent: UsedUpLimit, state: &OrchestrationState) -> OrchestrationStepOutput {
    let why = limit_text(&spent.limit, state.locale).to_owned();
    let taken = failed(OrchestrationEvent::ValidationFailed, Status::Exhausted, why);
    OrchestrationStepOutput { told: vec![budget_event(spent)], ..taken }
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
        return Ok(faulty(vec![PlanFault { path, message: why }], state));
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
    let said = child.response.clone().unwrap_or_default();
    if child.outcome != Status::Succeeded {
        return Err(format!("the planner ended as {}: {said}", child.outcome.word()));
    }
    if let Some(steps) = child.vars.get("steps").filter(|steps| steps.is_array()) {
        return Ok(json!({ "steps": steps }));
    }
    let given = child.vars.get("plan").or_else(|| child.vars.values().next());
    let text = match given {
        Some(Value::Object(_)) => return Ok(given.cloned().unwrap_or_default()),
        Some(Value::String(text)) => text.clone(),
        Some(_) | None => said,
    };
    let plan = serde_json::from_str::<Value>(text.trim()).ok().filter(Value::is_object);
    plan.ok_or_else(|| String::from("the planner's answer is not one JSON object"))
}

fn prompt_fault(message: String) -> PlanFault {
    PlanFault { path: String::from("prompt"), message }
}

fn in_words(faults: &[PlanFault]) -> String {
    let lines = faults.iter().map(|fault| format!("{}: {}", fault.path, fault.message));
    lines.collect::<Vec<_>>().join("; ")
}

fn faulty(mut faults: Vec<PlanFault>, state: &OrchestrationState) -> OrchestrationStepOutput {
    let more = faults.len().saturating_sub(FAULTS);
    if more > 0 {
        faults.truncate(FAULTS);
        faults.push(PlanFault { path: String::from("plan"), message: format!("and {more} more faults") });
    }
    let mut taken = failed(
        OrchestrationEvent::ValidationFailed,
        Status::Failed,
        responses::no_plan(&faults, state.locale),
    );
    taken.changes.insert(0, StateChange::Faulty { faults });
    taken
}

fn failed(event: OrchestrationEvent, outcome: Status, why: String) -> OrchestrationStepOutput {
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

    async fn offered(&self) -> Result<Vec<OfferedAgent>, ProgramError> {
        let offers = Arc::clone(&self.offers);
        run_blocking(move || offers.offered()).await
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
