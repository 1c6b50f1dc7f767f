//! The program factory: everything that a program of an agent is made from.

use crate::agent_spec::files::library::Library;
use crate::browser::pool::supervisor::Supervisor;
use crate::config;
use crate::config::{Limits, Settings};
use crate::engine::registry::feed::DraftWritten;
use crate::files::FileStore;
use crate::gate::actor::PolicyGate;
use crate::gate::flow::tree_texts::TextsOfTrees;
use crate::knowledge::Knowledge;
use crate::mcp_client::Servers;
use crate::model::connection::ModelConnection;
use crate::pdf::process::PdfReader;
use crate::programs::conversation::shown_pages::ShownPages;
use crate::sandbox::Sandbox;
use crate::sandbox::build::Builds;
use crate::secrets::vault::Vaults;
use crate::store::Store;
use actix::{Addr, Recipient};
use std::sync::Arc;

/// Factory of the programs that run agents, with the services that they need.
pub struct AgentPrograms {
    pub library: Arc<Library>,
    pub settings: ProgramSettings,
    pub model: ModelConnection,
    pub sandbox: Sandbox,
    pub builds: Builds,
    pub servers: Servers,
    pub gate: Addr<PolicyGate>,
    pub supervisor: Addr<Supervisor>,
    pub store: Arc<dyn Store>,
    pub files: FileStore,
    pub pdfs: Arc<PdfReader>,
    pub vaults: Vaults,
    /// Texts that run trees have read, for the flow layer of the gate.
    pub texts: TextsOfTrees,
    /// The full observations that planners were last shown.
    pub shown_pages: Arc<ShownPages>,
    pub knowledge: Arc<Knowledge>,
    /// Receives messages to people while models write them.
    pub drafts: Option<Recipient<DraftWritten>>,
}

/// Settings of the service that its programs follow.
pub struct ProgramSettings {
    pub limits: Limits,
    pub orchestration: config::Orchestration,
    /// Width and height in CSS pixels.
    pub viewport: (u32, u32),
    pub private_hosts: Vec<String>,
    pub own_origin: String,
    /// The setting `observe.full_every`.
    pub full_every: u64,
    pub confirm_timeout_s: u64,
}

impl ProgramSettings {
    /// Creates the settings of programs. `own_origin` is known once the service listens.
    pub fn new(settings: &Settings, own_origin: String) -> Self {
        Self {
            limits: settings.limits.clone(),
            orchestration: settings.orchestration.clone(),
            viewport: settings.browser.viewport,
            private_hosts: settings.gate.private_hosts.clone(),
            own_origin,
            full_every: full_every(settings),
            confirm_timeout_s: settings.gate.confirm_timeout_s,
        }
    }
}

/// Returns after how many observations the full page is sent. A list of changes needs the full page before it, for
/// which a small context window has no room.
fn full_every(settings: &Settings) -> u64 {
    /// Smallest context window, in tokens, in which changes are sent.
    const ROOMY: u64 = 24_000;
    let window = settings.model.context_tokens;
    if window > 0 && window < ROOMY { 1 } else { settings.observe.full_every }
}
