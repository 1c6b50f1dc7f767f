//! The nodes of the conversation graph, a file each: what can come of a visit, and the visit. No
//! node knows another or what follows it; `graph::route` does.

pub mod approve_plan;
pub mod budget;
pub mod check_acceptance;
pub mod await_calls;
pub mod confirm;
pub mod execute_action;
pub mod finalize;
pub mod ingest_user_input;
pub mod make_plan;
pub mod manual;
pub mod maybe_observe;
pub mod maybe_stop_or_continue;
pub mod plan_action;
pub mod policy_gate;
pub mod question;
pub mod run_premoves;
pub mod resting;
pub mod validate_action;
