//! Askfirst: chat with an agent, watch it drive a real Chromium, approve anything risky.
//!
//! The modules in reading order, from the ground floor up; each imports only from floors below
//! (`tests/it/tidy.rs` holds that).

/// The settings, from their file, the environment and the command line.
pub mod config;
/// Times and durations: the only reader of clocks.
pub mod clock;
/// Ids as newtypes: the only maker of random ids.
pub mod ids;
/// Logs.
pub mod telemetry;
/// What is counted and measured.
pub mod metrics;
/// What can be typed after `askfirst`.
pub mod cli;
/// The model's turn and its typed actions.
pub mod turn;
/// What was seen of a page.
pub mod page;
/// The wire: what clients send and are sent.
pub mod protocol;
/// The browser of a run: Chromium, its pages, looking, acting, the live view.
pub mod browser;
/// Agent files: types, checks, the folder.
pub mod spec;
/// What plans: a model, or plain orders.
pub mod model;
/// What is kept.
pub mod store;
/// The policy gate: what an action would do, and whether a person must be asked first.
pub mod gate;
/// What the engine steps.
pub mod program;
/// The demo shop at `/demo/`; knows nothing of the rest.
pub mod demo;
/// Runs: the actor, its life, the registry, the feed.
pub mod run;
/// HTTP: routes, guard, errors.
pub mod http;
/// What this machine lacks.
pub mod doctor;
