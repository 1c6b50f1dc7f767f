//! What every request works with, given by the composition root as app data, and the small traits at
//! the edge for what lives elsewhere.

use super::problem::Problem;
use crate::browser::listed::{Listing, NotClosed};
use crate::config::{SandboxMeans, Settings};
use crate::files::Shelf;
use crate::ids::RunId;
use crate::model::connection::{Connected, Connection};
use crate::protocol::Locale;
use crate::run::Engine;
use crate::run::error::RegistryError;
use crate::run::feed::Feed;
use crate::run::registry::Registry;
use crate::spec::library::Library;
use crate::store::Store;
use crate::store::rows::RunRow;
use actix::prelude::*;
use actix_web::web;
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// One for the whole service.
pub struct Service {
    pub engine: Arc<Engine>,
    pub registry: Addr<Registry>,
    pub feed: Addr<Feed>,
    pub catalogue: Arc<Library>,
    pub browsers: Arc<dyn Browsers>,
    pub files: Shelf,
    pub model: Connection,
    pub about: About,
}

/// The browsers at work, as far as HTTP tells of them.
pub trait Browsers: Send + Sync + 'static {
    /// Whether one can be started; if not, what to do about it.
    fn ready(&self) -> BoxFuture<'static, Result<(), String>>;
    fn list(&self) -> BoxFuture<'static, Listing>;
    /// Closes one by its id, if no run is at work in it.
    fn close(&self, id: String) -> BoxFuture<'static, Result<(), NotClosed>>;
}

/// What the first-use screen needs to know.
#[derive(Clone, Debug, serde::Serialize, utoipa::ToSchema)]
pub struct About {
    pub version: &'static str,
    /// `commands` or `model`.
    pub planner: &'static str,
    /// The name of the model that plans.
    pub model: Option<String>,
    pub demo_url: &'static str,
    #[schema(value_type = String)]
    pub locale_default: Locale,
    pub token_required: bool,
    /// Who answers where no agent is named.
    pub default_agent: String,
    /// What all money is in.
    pub currency: String,
    /// Whether code of agents is held by the kernel.
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

    /// With who plans at this moment.
    pub fn planned_by(&self, connected: &Connected) -> Self {
        let (planner, model) = (connected.planner.name(), connected.planner.model().map(str::to_owned));
        Self { planner, model, ..self.clone() }
    }
}

/// Reads or writes files where nobody waits for it but who asked.
pub async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    web::block(work).await.map_err(|fault| Problem::internal(&fault))
}

impl Service {
    pub fn store(&self) -> &dyn Store {
        self.engine.store.as_ref()
    }

    /// The run, or the problem that there is none.
    pub async fn run(&self, run: &RunId) -> Result<RunRow, Problem> {
        let row = self.store().run(run.clone()).await?;
        row.ok_or_else(|| RegistryError::UnknownRun(run.clone()).into())
    }

    /// Sends the registry what a person wants, and gives its answer.
    pub async fn order<M, T>(&self, message: M) -> Result<T, Problem>
    where
        M: Message<Result = Result<T, RegistryError>> + Send + 'static,
        T: Send + 'static,
        Registry: Handler<M>,
    {
        let answer = self.registry.send(message).await.map_err(|fault| Problem::internal(&fault))?;
        Ok(answer?)
    }
}
