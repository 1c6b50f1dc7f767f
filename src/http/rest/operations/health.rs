//! Liveness, readiness and metrics.

use crate::http::mcp::Mcp;
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::run_bodies;
use crate::http::service::Service;
use crate::ids::RunId;
use crate::metrics::{self, Gauge};
use crate::protocol::Status;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use prometheus_client::collector::Collector;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Statuses of runs that have not ended.
const OPEN: [Status; 4] = [Status::Queued, Status::Running, Status::Waiting, Status::Paused];

/// Report that the process is alive.
#[utoipa::path(get, path = "/healthz", tag = "service", responses((status = 200, body = Alive)))]
pub async fn alive() -> HttpResponse {
    HttpResponse::Ok().json(json!({"status": "ok"}))
}

/// Report whether the service can work: the store accepts writes, and a browser can be started.
#[utoipa::path(get, path = "/readyz", tag = "service", responses(
    (status = 200, body = Ready),
    (status = 503, description = "`checks` says what is missing.", body = run_bodies::Fault),
))]
pub async fn ready(service: web::Data<Service>) -> HttpResult {
    // Reading is not enough: every step of a run is written before it is shown. A read alone waits long for a server.
    let store = match service.store().check_writable().await {
        Ok(()) => service.store().last_seq(RunId::from("")).await.map(drop),
        Err(fault) => Err(fault),
    };
    let store = store.map_err(|fault| fault.to_string());
    let browser = service.browsers.ready().await;
    let word =
        |check: &Result<(), String>| check.as_ref().err().cloned().unwrap_or_else(|| String::from("ok"));
    let checks = json!({"store": word(&store), "browser": word(&browser)});
    match (store, browser) {
        (Ok(()), Ok(())) => Ok(HttpResponse::Ok().json(json!({"status": "ready", "checks": checks}))),
        (Err(why), _) | (Ok(()), Err(why)) => {
            Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "not_ready", why).with_member("checks", checks))
        }
    }
}

/// Get the metrics in the Prometheus text format.
#[utoipa::path(get, path = "/metrics", tag = "service", responses(
    (status = 200, content_type = "text/plain", body = String),
))]
pub async fn get_metrics(service: web::Data<Service>, mcp: Option<web::Data<Mcp>>) -> HttpResult {
    let runs = Gauge::new("askfirst_runs", "Runs that have not ended.", ["status"]);
    for status in OPEN {
        let ids = service.store().runs_with_status(vec![status.word()]).await?;
        runs.set([status.word()], ids.len() as u64);
    }
    let browsers = service.browsers.list(false).await.browsers;
    let contexts: usize = browsers.iter().map(|browser| browser.contexts.len()).sum();
    let browsers = Gauge::new("askfirst_browsers", "Browsers at work.", []);
    browsers.set([], contexts as u64);
    let mut gauges: Vec<Box<dyn Collector>> = vec![Box::new(runs), Box::new(browsers)];
    if let Some(mcp) = mcp {
        let help = "MCP clients that are told when the agents change.";
        let listeners = Gauge::new("askfirst_mcp_listeners", help, []);
        listeners.set([], mcp.listeners() as u64);
        gauges.push(Box::new(listeners));
    }
    Ok(HttpResponse::Ok().content_type(metrics::CONTENT_TYPE).body(metrics::text(gauges)))
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a shape for the API's description")]
pub struct Alive {
    status: String,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "a shape for the API's description")]
pub struct Ready {
    status: String,
    checks: BTreeMap<String, Value>,
}
