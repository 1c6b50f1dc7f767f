//! Tests against the whole crate from outside; one file a feature.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "tests start programs and read clocks themselves")]

mod archive;
mod browser_act;
mod browser_closed;
mod browser_hung;
mod browser_live;
mod browser_page;
mod browser_process;
mod browser_stage;
mod commands_orders;
mod commands_page;
mod commands_talk;
mod config;
mod conversation_approval;
mod conversation_nodes;
mod conversation_secrets;
mod conversation_talk;
mod doctor;
mod demo_shop;
mod durability;
mod gate_answers;
mod gate_hosts;
mod gate_page;
mod gate_rules;
mod gate_speed;
mod gate_scenarios;
mod graph;
mod guard;
mod http_compat;
mod http_control;
mod http_events;
mod http_questions;
mod http_runs;
mod http_service;
mod model_planner;
mod page_target;
mod page_text;
mod spec;
mod run_lease;
mod run_life;
mod session_wire;
mod store_disk;
mod support;
mod tidy;
mod ui_demo;
