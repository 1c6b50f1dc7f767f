//! The running browsers, from their supervisor, with the agents and titles of their runs.

use crate::browser::pool::inventory::{
    BrowserInventory, CloseError, CloseInstance, InstanceInfo, ListBrowsers, QueuedRun,
};
use crate::browser::pool::supervisor::Supervisor;
use crate::browser::process::launch;
use crate::config;
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::run_bodies;
use crate::http::service::{Browsers, Service};
use crate::ids::RunId;
use crate::page::masked_address::mask_address;
use actix::Addr;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::Serialize;
use utoipa::ToSchema;

pub struct Chromiums {
    supervisor: Addr<Supervisor>,
    settings: config::BrowserSection,
}

impl Chromiums {
    pub fn new(supervisor: Addr<Supervisor>, settings: config::BrowserSection) -> Self {
        Self { supervisor, settings }
    }
}

impl Browsers for Chromiums {
    fn ready(&self) -> BoxFuture<'static, Result<(), String>> {
        let findable = match &self.settings.cdp_url {
            // A remote browser is checked when it is needed.
            Some(_) => Ok(()),
            None => match launch::executable(self.settings.executable.as_deref()) {
                Ok(path) if path.is_file() => Ok(()),
                Ok(_) => Err(String::from("browser.executable names no file")),
                Err(fault) => Err(fault.to_string()),
            },
        };
        std::future::ready(findable).boxed()
    }

    fn list(&self, memory: bool) -> BoxFuture<'static, BrowserInventory> {
        let inventory = self.supervisor.send(ListBrowsers { memory });
        // A supervisor that has stopped has no browsers.
        async move { inventory.await.unwrap_or_default() }.boxed()
    }

    fn close(&self, id: String) -> BoxFuture<'static, Result<(), CloseError>> {
        let closed = self.supervisor.send(CloseInstance { id });
        async move { closed.await.unwrap_or(Err(CloseError::Unknown)) }.boxed()
    }
}

/// Answer of `GET /api/browsers`.
#[derive(Debug, Serialize, ToSchema)]
pub struct BrowserList {
    items: Vec<BrowserRow>,
    /// Runs that wait for a slot, in order of arrival.
    waiting: Vec<WaitingRow>,
    /// Maximum number of runs that may work in browsers at once (`browser.max`), and the number that do.
    max: usize,
    working: usize,
    cursor: Option<String>,
}

/// A Chromium process.
#[derive(Debug, Serialize, ToSchema)]
pub struct BrowserRow {
    /// `shared`, or `profile-NAME`; with `:` and a number, one that has been replaced and ends as soon as no
    /// run uses it.
    id: String,
    /// Name of its persistent profile, if any.
    profile: Option<String>,
    /// Address of a remote browser (`browser.cdp_url`).
    endpoint: Option<String>,
    /// Its process group; null for a remote browser.
    pid: Option<u32>,
    /// Memory of all its processes, in megabytes.
    memory_mb: Option<u64>,
    /// RFC 3339.
    since: String,
    contexts: Vec<ContextRow>,
}

/// Pages of one run tree.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContextRow {
    run_id: String,
    agent: Option<String>,
    /// Title of the run.
    run_title: Option<String>,
    url: String,
    title: String,
    /// RFC 3339.
    since: String,
    viewers: usize,
    /// `working`, `held` (by a person), `waiting` or `lingering` (its run has ended).
    state: &'static str,
    /// Session of the person who holds the page.
    holder: Option<String>,
}

/// A run that waits for a slot.
#[derive(Debug, Serialize, ToSchema)]
pub struct WaitingRow {
    run_id: String,
    agent: Option<String>,
    run_title: Option<String>,
    profile: Option<String>,
    /// RFC 3339.
    since: String,
}

/// List the running browsers, the runs that use them, and the runs that wait for a slot.
#[utoipa::path(get, path = "/api/browsers", tag = "service", responses((status = 200, body = BrowserList)))]
pub async fn list(service: web::Data<Service>) -> HttpResult {
    let BrowserInventory { browsers, waiting, slots, working } = service.browsers.list(true).await;
    let mut items = Vec::new();
    for browser in browsers {
        items.push(row(&service, browser).await?);
    }
    let mut line = Vec::new();
    for QueuedRun { owner, profile, since } in waiting {
        let (agent, run_title) = read_run_names(&service, &owner).await?;
        line.push(WaitingRow { run_id: owner.to_string(), agent, run_title, profile, since });
    }
    let list = BrowserList { items, waiting: line, max: slots, working, cursor: None };
    Ok(HttpResponse::Ok().json(list))
}

/// Close a browser that no run and no person is using. Its pages are reopened when they are needed.
#[utoipa::path(delete, path = "/api/browsers/{id}", tag = "service", params(("id" = String, Path)), responses(
    (status = 204, description = "It is closing."),
    (status = 404, description = "There is no such browser.", body = run_bodies::Fault),
    (status = 409, description = "A run is using it, or a person is in control of its page.", body = run_bodies::Fault),
))]
pub async fn close(service: web::Data<Service>, id: web::Path<String>) -> HttpResult {
    match service.browsers.close(id.into_inner()).await {
        Ok(()) => Ok(HttpResponse::NoContent().finish()),
        Err(fault @ CloseError::Unknown) => {
            Err(Problem::new(StatusCode::NOT_FOUND, "unknown_browser", fault.to_string()))
        }
        Err(fault @ CloseError::Busy) => Err(Problem::new(StatusCode::CONFLICT, "busy", fault.to_string())),
    }
}

async fn row(service: &Service, instance: InstanceInfo) -> Result<BrowserRow, Problem> {
    let InstanceInfo { id, profile, endpoint, pid, memory_mb, since, contexts: owners } = instance;
    let mut contexts = Vec::new();
    for context in owners {
        let (agent, run_title) = read_run_names(service, &context.owner).await?;
        contexts.push(ContextRow {
            run_id: context.owner.to_string(),
            agent,
            run_title,
            url: mask_address(&context.url).into_owned(),
            title: context.title,
            since: context.since,
            viewers: context.viewers,
            state: context.state.word(),
            holder: context.holder.map(|holder| holder.to_string()),
        });
    }
    Ok(BrowserRow { id, profile, endpoint, pid, memory_mb, since, contexts })
}

/// Returns the agent and the title of a run.
async fn read_run_names(service: &Service, run: &RunId) -> Result<(Option<String>, Option<String>), Problem> {
    let row = service.store().run(run.clone()).await?;
    Ok(row.map(|row| (row.agent, row.title)).unzip())
}
