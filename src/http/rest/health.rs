//! Liveness, readiness and metrics.

use crate::http::mcp::Mcp;
use crate::http::problem::{Answer, Problem};
use crate::http::rest::runs::shapes;
use crate::http::service::Service;
use crate::ids::RunId;
use crate::metrics;
use crate::protocol::Status;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
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
    (status = 503, description = "`checks` says what is missing.", body = shapes::Fault),
))]
pub async fn ready(service: web::Data<Service>) -> Answer {
    // Reading is not enough: every step of a run is written before it is shown.
    let (read, written) =
        (service.store().last_seq(RunId::from("")).await, service.store().check_writable().await);
    let store = read.and(written).map_err(|fault| fault.to_string());
    let browser = service.browsers.ready().await;
    let word =
        |check: &Result<(), String>| check.as_ref().err().cloned().unwrap_or_else(|| String::from("ok"));
    let checks = json!({"store": word(&store), "browser": word(&browser)});
    match (store, browser) {
        (Ok(()), Ok(())) => Ok(HttpResponse::Ok().json(json!({"status": "ready", "checks": checks}))),
        (Err(why), _) | (Ok(()), Err(why)) => {
            Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "not_ready", why).with("checks", checks))
        }
    }
}

/// Get the metrics in the Prometheus text format.
#[utoipa::path(get, path = "/metrics", tag = "service", responses(
    (status = 200, content_type = "text/plain", body = String),
))]
pub async fn numbers(service: web::Data<Service>, mcp: Option<web::Data<Mcp>>) -> Answer {
    let mut text = metrics::text();
    let mut standing = Vec::new();
    for status in OPEN {
        let count = service.store().runs_with_status(vec![status.word()]).await?.len();
        standing.push((status.word(), count as f64));
    }
    metrics::gauge(&mut text, "askfirst_runs", "Runs that have not ended.", "status", &standing);
    let listed = service.browsers.list().await.browsers;
    let browsers = listed.iter().map(|browser| browser.contexts.len()).sum::<usize>() as f64;
    metrics::gauge(&mut text, "askfirst_browsers", "Browsers at work.", "", &[("", browsers)]);
    if let Some(mcp) = mcp {
        let (help, count) = ("MCP clients that are told when the agents change.", mcp.listeners() as f64);
        metrics::gauge(&mut text, "askfirst_mcp_listeners", help, "", &[("", count)]);
    }
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text))
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
