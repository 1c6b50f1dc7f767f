//! Askfirst: chat with an agent, watch it drive a real Chromium, approve anything risky.
//!
//! The modules in reading order, from the ground floor up; each imports only from floors below
//! (`tests/it/tidy.rs` holds that).

/// What a burst of runs took goes back to the system when they rest; the system's own allocator keeps
/// most of it, as each of its threads' arenas has holes.
#[global_allocator]
static MEMORY: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Times and durations: the only reader of clocks.
pub mod clock;
/// Ids as newtypes: the only maker of random ids.
pub mod ids;
/// Names of agents that mean something to the service itself.
pub mod agent_name;
/// What of a text can be seen.
pub mod letters;
/// Forms of words, for full-text indexes.
pub mod word_forms;
/// The settings, from their file, the environment and the command line.
pub mod config;
/// What is counted and measured.
pub mod metrics;
/// Calls of agents that a conversation makes: what stands, what starts next, what came of it (pure).
pub mod tasks;
/// Logs.
pub mod telemetry;
/// A run's folder of files: safe names, sizes.
pub mod files;
/// Templates of agent files.
pub mod template;

/// What a step hears while it is taken, kept and played back.
pub mod record;
/// The model's turn and its typed actions.
pub mod turn;
/// A plan: goals, and what shows that each is reached.
pub mod plan;
/// What was seen of a page.
pub mod page;
/// The wire: what clients send and are sent.
pub mod protocol;

/// Agent files: types, checks, the folder.
pub mod spec;
/// What is kept.
pub mod store;
/// Chromium: one browser for each run tree.
pub mod browser;
/// Servers of the Model Context Protocol, whose tools agents use.
pub mod mcp;
/// Notes beside the agents' files, found by their words.
pub mod knowledge;
/// Python and commands of agents, in processes that the kernel holds.
pub mod sandbox;
/// What plans the next turn: a model, or plain orders.
pub mod model;
/// What agents are built of before they run.
pub mod build;
/// What may be done, what is asked, what is denied.
pub mod gate;
/// Secrets of run trees, in memory only.
pub mod vault;

/// Scripts: playing them, finding what they name, making one from a run.
pub mod script;

/// What of a run tree happened when.
pub mod timeline;

/// What the engine steps.
pub mod program;
/// The program of document 001: plan, ask, act on a page.
pub mod conversation;
/// The program of composite agents.
pub mod lanes;
/// The program of plans of agents: step by step and side by side.
pub mod orchestration;
/// The program of agents that are one call: code, a command, a model's answer.
pub mod single;
/// Why a run stands as it does, and what would move it (pure).
pub mod why;
/// Runs: the actor, its life, the registry, the feed.
pub mod run;
/// What each agent's run steps, and what it is given.
pub mod agents;
/// Spans of runs for a collector of OpenTelemetry.
pub mod otlp;
/// Steps of recorded runs, taken again.
pub mod replay;
/// One socket of one viewer.
pub mod session;

/// HTTP: routes, guard, errors.
pub mod http;
/// The demo shop at `/demo/`; knows nothing of the rest.
pub mod demo;
/// What commands do: they speak HTTP to the service of their data folder.
pub mod client;
/// The composition root.
pub mod app;
/// What this machine lacks.
pub mod doctor;
/// What can be typed after `askfirst`.
pub mod cli;
