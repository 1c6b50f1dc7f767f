//! State for all requests, passed as app data by the composition root, and the trait through which HTTP uses
//! the browsers.

use crate::agent_spec::files::library::Library;
use crate::browser::pool::inventory::{BrowserInventory, CloseError};
use crate::config::{SandboxMeans, Settings};
use crate::engine::error::RunRequestError;
use crate::engine::registry::feed::Feed;
use crate::engine::registry::state::Registry;
use crate::engine::services::RunServices;
use crate::files::FileStore;
use crate::gate::actor::PolicyGate;
use crate::http::problem::Problem;
use crate::ids::RunId;
use crate::model::connection::{ConnectionState, ModelConnection};
use crate::protocol::Locale;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::rows::RunRow;
use actix::prelude::*;
use actix_web::web;
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// State shared by the whole service.
pub struct Service {
    pub services: Arc<RunServices>,
    pub registry: Addr<Registry>,
    pub feed: Addr<Feed>,
    pub gate: Addr<PolicyGate>,
    pub library: Arc<Library>,
    pub browsers: Arc<dyn Browsers>,
    pub files: FileStore,
    pub model: ModelConnection,
    pub about: About,
}

/// The browsers, as far as HTTP needs them.
pub trait Browsers: Send + Sync + 'static {
    /// Checks that a browser can be started. The error says what to do.
    fn ready(&self) -> BoxFuture<'static, Result<(), String>>;
    /// Lists the browsers; measures their memory on request, as in [`ListBrowsers`](crate::browser::pool::inventory::ListBrowsers).
    fn list(&self, memory: bool) -> BoxFuture<'static, BrowserInventory>;
    /// Closes a browser by its id, unless a run is using it.
    fn close(&self, id: String) -> BoxFuture<'static, Result<(), CloseError>>;
}

/// Information for the first-use screen.
#[derive(Clone, Debug, serde::Serialize, utoipa::ToSchema)]
pub struct About {
    pub version: &'static str,
    /// `commands` or `model`.
    pub planner: &'static str,
    /// Name of the model that plans.
    pub model: Option<String>,
    pub demo_url: &'static str,
    #[schema(value_type = String)]
    pub locale_default: Locale,
    pub token_required: bool,
    /// The agent that runs if none is named.
    pub default_agent: String,
    /// Currency of all costs.
    pub currency: String,
    /// True if agents' code runs in a sandbox.
    #[serde(skip)]
    pub isolates: bool,
}

impl About {
    pub fn new(settings: &Settings, token_required: bool) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            planner: "commands",
            model: None,
            demo_url: "/demo/",
            locale_default: Locale::default(),
            token_required,
            default_agent: settings.chat.default_agent.clone(),
            currency: settings.model.prices.currency.clone(),
            isolates: settings.sandbox.means != SandboxMeans::None,
        }
    }

    /// Returns a copy with the current planner.
    pub fn planned_by(&self, connected: &ConnectionState) -> Self {
        let (planner, model) = (connected.planner.name(), connected.planner.model().map(str::to_owned));
        Self { planner, model, ..self.clone() }
    }
}

/// Runs blocking file access on a thread for blocking work.
pub async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    web::block(work).await.map_err(|fault| Problem::internal(&fault))
}

impl Service {
    pub fn store(&self) -> &dyn Store {
        self.services.store.as_ref()
    }

    /// Returns the run, or a problem if there is none.
    pub async fn run(&self, run: &RunId) -> Result<RunRow, Problem> {
        let row = self.store().run(run.clone()).await?;
        row.ok_or_else(|| RunRequestError::UnknownRun(run.clone()).into())
    }

    /// Sends a message to the registry and returns its reply.
    pub async fn ask_registry<M, T>(&self, message: M) -> Result<T, Problem>
    where
        M: Message<Result = Result<T, RunRequestError>> + Send + 'static,
        T: Send + 'static,
        Registry: Handler<M>,
    {
        let answer = self.registry.send(message).await.map_err(|fault| Problem::internal(&fault))?;
        Ok(answer?)
    }

    /// Sends a message to the gate and returns its reply.
    pub async fn ask_gate<M, T>(&self, message: M) -> Result<T, Problem>
    where
        M: Message<Result = Result<T, StoreError>> + Send + 'static,
        T: Send + 'static,
        PolicyGate: Handler<M>,
    {
        let reply = self.gate.send(message).await.map_err(|fault| Problem::internal(&fault))?;
        Ok(reply?)
    }
}
