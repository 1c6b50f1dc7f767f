//! Requests a plan of other agents from a model (S3.13), with a strict schema and without tools; only JSON is
//! accepted (C2). The caller checks that the plan can be executed; the model gets one corrective retry.

use crate::model::endpoint::reply::ReplyFault;
use crate::model::endpoint::structured_output::StructuredRequest;
use crate::model::role_requests::{OrchestrationRequest, closed_object_schema, model_required};
use crate::model::{Planner, prompt};
use crate::planning::{ModelUsage, PlanError};
use serde_json::{Value, json};

/// Above this number of agents, the schema does not enumerate their names.
const NAMED: usize = 100;

/// A plan of an orchestration, not yet checked, and the cost of its calls.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedSteps {
    /// The plan as JSON: `{steps: [...]}`.
    pub plan: Value,
    pub usage: Vec<ModelUsage>,
}

impl Planner {
    /// Requests a plan. Fails without a model.
    pub async fn orchestrate(&self, request: &OrchestrationRequest<'_>) -> Result<PlannedSteps, PlanError> {
        let Self::Model(planner) = self else { return Err(model_required(request.locale)) };
        let names: Vec<&str> = request.agents.iter().map(|agent| agent.tool.name.as_str()).collect();
        let query = StructuredRequest {
            role: "planner",
            model: planner.model_for(Some(request.prefers)),
            locale: request.locale,
            name: "orchestration_plan",
            schema: &schema(&names),
            temperature: request.prefers.temperature,
            messages: &|previous_fault| prompt::role_prompts::orchestration(request, previous_fault),
        };
        let (plan, usage) = planner
            .answer(query, |reply| {
                let plan = reply.object()?;
                (request.fits)(&plan).map_err(ReplyFault::NotAsked)?;
                Ok(plan)
            })
            .await?;
        Ok(PlannedSteps { plan, usage })
    }
}

/// Returns the schema of a plan, following the rules of strict mode. `agents` are the names that a step may
/// use.
pub fn schema(agents: &[&str]) -> Value {
    let text = || json!({"type": "string"});
    let text_or_null = || json!({"type": ["string", "null"]});
    let whole_or_null = || json!({"type": ["integer", "null"]});
    let word = |words: &[&str]| json!({"type": "string", "enum": words});
    let name = if (1..=NAMED).contains(&agents.len()) { word(agents) } else { text() };
    let pair = closed_object_schema(&[("name", text()), ("value", text())]);
    let agent = closed_object_schema(&[
        ("id", text()),
        ("type", word(&["agent"])),
        ("agent_id", name),
        ("action_id", text_or_null()),
        ("prompt", text_or_null()),
        ("with", json!({"type": "array", "items": pair})),
        ("result_key", text()),
    ]);
    let strategies = ["collect", "first_success", "race", "quorum", "best_effort"];
    let parallel = closed_object_schema(&[
        ("id", text()),
        ("type", word(&["parallel"])),
        ("children", json!({"type": "array", "items": agent})),
        ("max_concurrency", whole_or_null()),
        ("merge_strategy", word(&strategies)),
        ("quorum", whole_or_null()),
        ("result_key", text()),
    ]);
    let step = json!({"anyOf": [agent, parallel]});
    closed_object_schema(&[("steps", json!({"type": "array", "items": step}))])
}
