//! Planners of the next step: a model behind an OpenAI-compatible endpoint or, without one, the command
//! planner, which reads plain commands. Both answer with the same `Turn`, and later code does not distinguish
//! them. Planning has no side effects: dropping its future only aborts the HTTP request.

pub(crate) mod answer_json;
pub(crate) mod code_fences;
pub mod json_in_text;
pub mod orchestration_plan;
pub(crate) mod plan_items;
pub mod role_requests;
pub mod connection;
pub mod endpoint;
pub(crate) mod prompt;
pub mod roles;
pub mod writer;

use crate::model::endpoint::error::SetupError;
use crate::model::endpoint::structured_output::ModelPlanner;
use crate::planning::{PlanError, PlanRequest, PlannedTurn};
use crate::{command_planner, config};
use std::sync::Arc;

/// The planner of a run, chosen when the run starts or is resumed. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Planner {
    Commands,
    Model(Arc<ModelPlanner>),
}

impl Planner {
    /// Creates a model planner if a model is configured, otherwise the command planner.
    pub fn new(settings: &config::Model) -> Result<Self, SetupError> {
        if settings.configured() {
            Ok(Self::Model(Arc::new(ModelPlanner::new(settings)?)))
        } else {
            Ok(Self::Commands)
        }
    }

    /// Returns the planner's name in `GET /api/settings`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Commands => "commands",
            Self::Model(_) => "model",
        }
    }

    /// Returns the name of the planning model.
    pub fn model(&self) -> Option<&str> {
        match self {
            Self::Commands => None,
            Self::Model(planner) => Some(planner.model()),
        }
    }

    /// Plans the next turn, by a model or by plain commands.
    pub async fn plan(&self, request: &PlanRequest<'_>) -> Result<PlannedTurn, PlanError> {
        match self {
            Self::Commands => Ok(PlannedTurn { turn: command_planner::plan(request), usage: Vec::new() }),
            Self::Model(planner) => planner.plan(request).await,
        }
    }
}
