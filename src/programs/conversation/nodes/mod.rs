//! The nodes of the conversation graph, one file per node: its outcomes and its visit. Nodes do not know each
//! other; `graph::route` connects them.

pub mod questions;
pub mod waits;
pub mod check_acceptance;
pub mod execute_action;
pub mod finalize;
pub mod ingest_user_input;
pub mod make_plan;
pub mod maybe_observe;
pub mod maybe_stop_or_continue;
pub mod plan_action;
pub mod policy_gate;
pub mod validate_action;
