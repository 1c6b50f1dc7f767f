//! Askfirst: chat with an agent, watch it drive a real Chromium, approve anything risky.
//!
//! The rooms are listed in reading order, from the lowest layer up; each imports only from rooms of lower
//! layers, which `tests/it/tidy/rooms.rs` enforces.

/// jemalloc returns the memory of a burst of runs to the system when they are idle. The system allocator
/// keeps most of it, because the arenas of its threads are fragmented.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static MEMORY: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Settings from the file, the environment and the command line.
pub mod config;
/// Wall-clock times and stopwatches; no other module reads a clock.
pub mod clock;
/// Identifiers as newtypes; no other module creates random ids.
pub mod ids;
/// Names of built-in agents.
pub mod agent_name;
/// Text in any language: invisible characters, word stems, likeness of words.
pub mod text;
/// Metrics and their Prometheus text.
pub mod metrics;
/// Blobs: pictures and files of runs where all nodes of a cluster reach them.
pub mod blobs;
/// The folder of files of a run: safe names and size limits.
pub mod files;
/// Records the inputs of a step from outside, so that the step can be replayed.
pub mod record;

/// Plans: goals, and the evidence that each is reached.
pub mod plan;
/// The model's turn and its typed actions.
pub mod turn;
/// Observations of pages.
pub mod page;
/// The wire protocol: messages to and from clients.
pub mod protocol;
/// Texts for people in Ukrainian and English: each message once, with typed parameters.
pub mod texts;

/// A planner's request and its answer: history, page, the planned turn.
pub mod planning;
/// Plain commands in two languages, planned without a model.
pub mod command_planner;
/// Secrets: the vault, their detection in text, their removal from text.
pub mod secrets;
/// Agent files: types, templates, checks and the folder.
pub mod agent_spec;
/// Persistent storage.
pub mod store;
/// Chromium: one browser for each run tree.
pub mod browser;
/// Planners of the next turn: a model, or the command planner.
pub mod model;
/// Policy: actions that are allowed, confirmed by a person, or denied.
pub mod gate;
/// Runs Python code and commands of agents in sandboxed processes, and builds the packages they need.
pub mod sandbox;
/// PDF files of a run: their text, and their pages as pictures.
pub mod pdf;
/// Notes beside the agent files, with full-text search.
pub mod knowledge;
/// Clients of Model Context Protocol servers, whose tools agents use.
pub mod mcp_client;
/// Scripts: playback, variable lookup, and generation from a run.
pub mod script;

/// Runs: the actor that steps a program, its lifecycle, the registry, the archive, the take-over.
pub mod engine;
/// The programs that a run can step: conversation, lanes, orchestration, single calls, tasks.
pub mod programs;
/// Selects the program of each agent, with its inputs and dependencies.
pub mod catalog;
/// Timelines, explanations of a run's status, exported spans, replays, logs.
pub mod observability;
/// Sessions: one socket of one viewer each.
pub mod session;

/// The demo shop at `/demo/`, independent of the other rooms.
pub mod demo;
/// HTTP: routes, guard, errors.
pub mod http;
/// The command line: arguments, the commands' HTTP client, and `doctor`.
pub mod cli;
/// The composition root.
pub mod app;
