//! The model planner: requests turns from an OpenAI-compatible endpoint and, in its other roles, plans,
//! judgements, summaries and thoughts. The settings may name a model for each role.

use super::endpoint::{Endpoint, SetupError};
use super::reply::Completion;
use super::structured_output::StructuredRequest;
use super::{ModelPreference, PlanError, PlanRequest, PlannedTurn, prompt};
use crate::config::{self, Prices, Structured};
use crate::turn::schema::turn_schema;
use std::sync::atomic::AtomicBool;

/// Planning model if the settings name none.
pub(super) const DEFAULT_MODEL: &str = "gpt-5-mini";

/// A planner shared by all runs of a service, so that all of them use what one has learned of the endpoint.
#[derive(Debug)]
pub struct ModelPlanner {
    pub(super) endpoint: Endpoint,
    model: String,
    summarizer: Option<String>,
    judge: Option<String>,
    vision: Option<String>,
    fallback: Option<String>,
    pub(super) structured: Structured,
    pub(super) prices: Prices,
    /// Set once the endpoint has refused `json_schema`.
    pub(super) no_schema: AtomicBool,
    /// Set once a model has refused a temperature.
    pub(super) no_temperature: AtomicBool,
}

impl ModelPlanner {
    pub fn new(settings: &config::Model) -> Result<Self, SetupError> {
        Ok(Self {
            endpoint: Endpoint::new(settings)?,
            model: settings.planner.clone().unwrap_or_else(|| DEFAULT_MODEL.to_owned()),
            summarizer: settings.summarizer.clone(),
            judge: settings.judge.clone(),
            vision: settings.vision.clone(),
            fallback: settings.fallback.clone(),
            structured: settings.structured,
            prices: settings.prices.clone(),
            no_schema: AtomicBool::new(false),
            no_temperature: AtomicBool::new(false),
        })
    }

    /// Returns the model that plans without pictures.
    pub fn model(&self) -> &str {
        &self.model
    }

    pub(super) fn fallback(&self) -> Option<&str> {
        self.fallback.as_deref()
    }

    pub(super) fn summarizer(&self) -> &str {
        self.summarizer.as_deref().unwrap_or(&self.model)
    }

    /// Returns the judge's model: the configured judge, else the vision model if there is a picture, else the
    /// planner.
    pub(super) fn judge_model(&self, pictured: bool) -> &str {
        let sees = self.vision.as_deref().filter(|_| pictured);
        self.judge.as_deref().or(sees).unwrap_or(&self.model)
    }

    /// Returns the planning model; the agent's file takes precedence over the settings.
    pub(super) fn model_for<'a>(&'a self, prefers: Option<&'a ModelPreference>) -> &'a str {
        prefers.and_then(|prefers| prefers.model.as_deref()).unwrap_or(&self.model)
    }

    /// Returns role and model of a planning request: the vision model if there is a picture and the agent's
    /// file names no model.
    pub(super) fn role_and_model<'a>(&'a self, request: &PlanRequest<'a>) -> (&'static str, &'a str) {
        let named = request.prefers.is_some_and(|prefers| prefers.model.is_some());
        match (&self.vision, request.picture) {
            (Some(model), Some(_)) if !named => ("vision", model),
            _ => ("planner", self.model_for(request.prefers)),
        }
    }

    pub async fn plan(&self, request: &PlanRequest<'_>) -> Result<PlannedTurn, PlanError> {
        let (role, model) = self.role_and_model(request);
        let query = StructuredRequest {
            role,
            model,
            locale: request.locale,
            name: "turn",
            schema: &turn_schema(request.actions, request.tools),
            temperature: request.prefers.and_then(|prefers| prefers.temperature),
            messages: &|mend| prompt::messages(request, mend),
        };
        let (turn, usage) = self.answer(query, Completion::turn).await?;
        Ok(PlannedTurn { turn, usage })
    }
}
