//! Observers of an orchestration (S3.24): notified before each event, on entering a node, and after the
//! event, once the step is stored.

use crate::agent_name::ORCHESTRATE;
use crate::ids::RunId;
use crate::metrics;
use crate::programs::orchestration::graph::{OrchestrationEvent, OrchestrationNode};
use crate::programs::orchestration::step_run::FinishedAgent;

pub trait Observer: Send + Sync {
    fn before_event(&self, run: &RunId, node: OrchestrationNode, event: OrchestrationEvent);
    fn enter_state(&self, run: &RunId, node: OrchestrationNode);
    fn after_event(&self, run: &RunId, event: OrchestrationEvent, node: OrchestrationNode);
    /// Called when an agent of the plan has ended.
    fn record_finished(&self, run: &RunId, step: &FinishedAgent);
}

/// Observer that logs and counts events.
pub struct LogObserver;

impl Observer for LogObserver {
    fn before_event(&self, run: &RunId, node: OrchestrationNode, event: OrchestrationEvent) {
        tracing::debug!(tool = ORCHESTRATE, run_id = %run, state = node.word(), event = event.word(), "before_event");
    }

    fn enter_state(&self, run: &RunId, node: OrchestrationNode) {
        tracing::debug!(tool = ORCHESTRATE, run_id = %run, state = node.word(), "enter_state");
    }

    fn after_event(&self, run: &RunId, event: OrchestrationEvent, node: OrchestrationNode) {
        metrics::TRANSITIONS.increment([event.word(), node.word()]);
        tracing::debug!(tool = ORCHESTRATE, run_id = %run, state = node.word(), event = event.word(), "after_event");
    }

    fn record_finished(&self, run: &RunId, step: &FinishedAgent) {
        tracing::info!(
            tool = ORCHESTRATE,
            run_id = %run,
            step_id = step.step_id,
            agent_id = step.agent_id,
            // As with items of lanes, a step without an action id goes by its own id.
            action_id = step.action_id.as_deref().unwrap_or(&step.step_id),
            exec_id = step.exec_id.as_ref().map(tracing::field::display),
            latency_ms = step.latency_ms,
            status = step.status,
            "step of an orchestration"
        );
    }
}
