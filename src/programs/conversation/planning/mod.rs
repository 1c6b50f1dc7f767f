//! Sources of the planner: plan, history, knowledge, premoves, thinking, actions; and the plan's place in the graph.

pub(crate) mod available_actions;
pub mod knowledge_recall;
pub(crate) mod premove_runs;
pub(crate) mod open_items;
pub(crate) mod stop_deferral;
pub(crate) mod thinking_policy;
pub mod compaction;
pub(crate) mod evidence;
pub(crate) mod page_picture;
pub(crate) mod plan_steps;
pub(crate) mod plan_edit_effects;
