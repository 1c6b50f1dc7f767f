//! What tests share.

pub mod absent;
pub mod agents;
pub mod app;
pub mod built;
pub mod cli;
pub mod clients;
pub mod described;
pub mod devtools;
pub mod lanes;
pub mod mcp;
pub mod model;
pub mod model_checks;
pub mod numbers;
pub mod orchestration;
pub mod pages;
pub mod program;
pub mod reader;
pub mod sandboxes;
pub mod script_shop;
pub mod service;
pub mod site;
pub mod talk;
pub mod tasks;
pub mod trace;
pub mod ui;
pub mod ws;
