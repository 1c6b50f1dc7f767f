//! Dependencies of an orchestration.

use crate::model::Planner;
use crate::model::role_requests::OfferedAgent;
use crate::programs::orchestration::observers::Observer;
use crate::programs::orchestration::plan::check::AgentLookupResult;
use crate::store::Store;
use futures_util::future::BoxFuture;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The agents that a plan may name. Every method without a future may block on the disk.
pub trait AgentOffers: Send + Sync {
    fn look_up_agent(&self, name: &str) -> AgentLookupResult;
    /// Waits for the offers of other servers before these agents are looked up, without blocking.
    fn await_offers(&self, names: &BTreeSet<String>) -> BoxFuture<'static, ()>;
    /// Returns the agents offered to a planner: all but the orchestrator.
    fn list_offered(&self) -> Vec<OfferedAgent>;
    /// Checks that an agent may be the planner: it must be a model alone. Returns the reason if it may not.
    fn may_plan(&self, name: &str) -> Result<(), String>;
}

/// Services of an orchestration.
pub struct Deps {
    pub planning: PlanningDeps,
    pub store: Arc<dyn Store>,
    /// Most agents at work at a time.
    pub width: usize,
    pub observers: Vec<Arc<dyn Observer>>,
}

/// The makers of plans, and the agents that plans may name.
pub struct PlanningDeps {
    pub offers: Arc<dyn AgentOffers>,
    pub planner: Planner,
    /// The agent that makes plans in place of the model.
    pub agent: Option<String>,
    pub model: Option<String>,
    /// Most agent steps of one plan.
    pub steps: u32,
}
