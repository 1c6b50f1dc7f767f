//! The nodes that share the store, and the drain of this one.

use crate::http::json_object::JsonObject;
use crate::http::problem::HttpResult;
use crate::http::rest::runs::run_bodies;
use crate::http::service::Service;
use crate::store::tree_leases::{Drained, NodeRow};
use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Services that share the store.
#[derive(Debug, Serialize, ToSchema)]
pub struct ServiceList {
    items: Vec<ClusterService>,
    cursor: Option<String>,
}

/// A service that works on the store.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClusterService {
    /// Null for a service that shares its store with no other.
    id: Option<String>,
    /// Name of its machine.
    machine: Option<String>,
    /// Address at which the others reach it (`cluster.address`).
    address: Option<String>,
    /// Version of the program.
    version: String,
    /// `all`, `web` or `work` (`cluster.role`).
    role: String,
    /// `up`, or `draining` if it gives its runs to others and takes none.
    state: &'static str,
    /// Runs at work up to which it takes over those of others (`cluster.capacity`).
    capacity: Option<u64>,
    /// Run trees that it owns; null for a service that shares its store with no other.
    trees: Option<u64>,
    /// Runs of them that have not ended.
    runs: Option<u64>,
    /// RFC 3339.
    started_at: Option<String>,
    /// Seconds until its runs go on elsewhere unless it gives a sign of life.
    lease_s: Option<f64>,
    /// True for the one that answers.
    you: bool,
}

impl From<NodeRow> for ClusterService {
    fn from(row: NodeRow) -> Self {
        Self {
            id: Some(row.id),
            machine: Some(row.machine),
            address: Some(row.address).filter(|address| !address.is_empty()),
            version: row.version,
            role: row.role,
            state: if row.is_draining { "draining" } else { "up" },
            capacity: Some(row.capacity),
            trees: Some(row.trees),
            runs: Some(row.runs),
            started_at: Some(row.started_at.rfc3339()),
            lease_s: Some(row.time_left.as_secs_f64()),
            you: row.is_self,
        }
    }
}

/// A service that shares its store with no other.
fn only_service() -> ClusterService {
    ClusterService {
        id: None,
        machine: None,
        address: None,
        version: String::from(env!("CARGO_PKG_VERSION")),
        role: String::from("all"),
        state: "up",
        capacity: None,
        trees: None,
        runs: None,
        started_at: None,
        lease_s: None,
        you: true,
    }
}

/// List the services that share the store, the oldest first.
#[utoipa::path(get, path = "/api/nodes", tag = "service", responses((status = 200, body = ServiceList)))]
pub async fn list(service: web::Data<Service>) -> HttpResult {
    let store = service.store();
    let items = match store.is_shared() {
        true => store.nodes().await?.into_iter().map(ClusterService::from).collect(),
        false => vec![only_service()],
    };
    Ok(HttpResponse::Ok().json(ServiceList { items, cursor: None }))
}

/// Order to drain, or to end a drain.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DrainOrder {
    /// True to end a drain: the service takes runs again.
    #[serde(default)]
    undo: bool,
}

/// Result of a drain.
#[derive(Debug, Serialize, ToSchema)]
pub struct DrainReport {
    /// Run trees that were given back; 0 at the end of a drain.
    trees: u64,
    /// Other services that may take them; null at the end of a drain.
    takers: Option<u64>,
}

/// Give the runs of this service to the others. It goes on serving people, and takes no runs until it starts anew or the drain
/// is ended.
#[utoipa::path(post, path = "/api/nodes/drain", tag = "service", request_body = DrainOrder, responses(
    (status = 200, body = DrainReport),
    (status = 409, description = "No other service would take the runs.", body = run_bodies::Fault),
))]
pub async fn drain(service: web::Data<Service>, body: web::Json<JsonObject<DrainOrder>>) -> HttpResult {
    let report = if body.into_inner().0.undo {
        service.store().end_drain().await?;
        DrainReport { trees: 0, takers: None }
    } else {
        let Drained { trees, takers } = service.store().drain().await?;
        DrainReport { trees, takers: Some(takers) }
    };
    Ok(HttpResponse::Ok().json(report))
}
