//! Askfirst: chat with an agent, watch it drive a real Chromium, approve anything risky.
//!
//! The modules are listed in reading order, from the lowest layer up; each imports only from modules of lower
//! layers, which `tests/it/tidy.rs` enforces.

/// jemalloc returns the memory of a burst of runs to the system when they are idle. The system allocator
/// keeps most of it, because the arenas of its threads are fragmented.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static MEMORY: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Wall-clock times and stopwatches; no other module reads a clock.
pub mod clock;
/// Identifiers as newtypes; no other module creates random ids.
pub mod ids;
/// Names of built-in agents.
pub mod agent_name;
/// Invisible and control characters in text.
pub mod invisible_chars;
/// Word stems for full-text indexes.
pub mod word_forms;
/// Settings from the file, the environment and the command line.
pub mod config;
/// Metrics and their Prometheus text.
pub mod metrics;
/// Agent calls that a conversation makes: their states, the next ones to start, and their results (pure).
pub mod tasks;
/// Logs.
pub mod telemetry;
/// The folder of files of a run: safe names and size limits.
pub mod files;
/// Templates of agent files.
pub mod template;

/// Records the inputs of a step from outside, so that the step can be replayed.
pub mod record;
/// The model's turn and its typed actions.
pub mod turn;
/// Plans: goals, and the evidence that each is reached.
pub mod plan;
/// Observations of pages.
pub mod page;
/// The wire protocol: messages to and from clients.
pub mod protocol;

/// Agent files: types, checks and the folder.
pub mod spec;
/// Persistent storage.
pub mod store;
/// Chromium: one browser for each run tree.
pub mod browser;
/// Clients of Model Context Protocol servers, whose tools agents use.
pub mod mcp;
/// Notes beside the agent files, with full-text search.
pub mod knowledge;
/// Runs Python code and commands of agents in sandboxed processes.
pub mod sandbox;
/// Planners of the next turn: a model, or the command planner.
pub mod model;
/// Builds the packages and images that agents need before they run.
pub mod build;
/// Policy: actions that are allowed, confirmed by a person, or denied.
pub mod gate;
/// Secrets of run trees, in memory only.
pub mod vault;

/// Scripts: playback, variable lookup, and generation from a run.
pub mod script;

/// Timelines of run trees.
pub mod timeline;

/// The interface between the engine and the programs that it steps.
pub mod program;
/// The conversation program: plan, ask, act on a page.
pub mod conversation;
/// The program of composite agents.
pub mod lanes;
/// The program of orchestrations: plans of agent calls, sequential and parallel.
pub mod orchestration;
/// The program of agents that make a single call: code, a command or a model.
pub mod single;
/// Explains the status of a run, and what would change it (pure).
pub mod why;
/// Runs: the actor, its lifecycle, the registry and the feed.
pub mod run;
/// Selects the program of each agent, with its inputs and dependencies.
pub mod agents;
/// Exports spans of runs to an OpenTelemetry collector.
pub mod otlp;
/// Replays the steps of recorded runs.
pub mod replay;
/// Sessions: one socket of one viewer each.
pub mod session;

/// HTTP: routes, guard, errors.
pub mod http;
/// The demo shop at `/demo/`, independent of the other modules.
pub mod demo;
/// Client side of the commands, which send HTTP requests to the service of their data folder.
pub mod client;
/// The composition root.
pub mod app;
/// Checks the machine for missing requirements.
pub mod doctor;
/// Command-line arguments.
pub mod cli;
