//! Agent calls of a conversation: start, follow, results.

pub mod agent_calls;
pub(crate) mod background_events;
pub(crate) mod call_effects;
pub(crate) mod results_for_planner;
pub(crate) mod task_operations;
