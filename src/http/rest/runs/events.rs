//! The events of a run tree, as a JSON list or as a live stream of server-sent events.

use crate::http::caller_header;
use crate::http::guard::Guard;
use crate::http::guard::credential::Credential;
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::follow_run::RunFollower;
use crate::http::rest::runs::run_bodies;
use crate::http::service::Service;
use crate::ids::RunId;
use crate::protocol::caller;
use crate::store::error::StoreError;
use crate::store::rows::EventRow;
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderMap};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::{StreamExt, stream};
use serde::Deserialize;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;
use utoipa::IntoParams;

/// Maximum number of events read from the store at once.
const PAGE: usize = 256;
/// Interval of keep-alive comments, which also detect that the client is gone.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

#[derive(Deserialize, IntoParams)]
pub struct After {
    /// Only events after this number; all if absent. `Last-Event-ID` has the same meaning and takes
    /// precedence.
    after_seq: Option<u64>,
    /// Maximum number of events in the JSON list; no limit if absent.
    limit: Option<usize>,
}

/// Get the events of the run's tree in order: as JSON, or with `Accept: text/event-stream` as a live stream.
#[utoipa::path(get, path = "/api/runs/{id}/events", tag = "runs", params(("id" = String, Path), After),
    responses(
        (status = 200, description = "The facts; each is a frame as sockets send it.", content(
            (run_bodies::Page<run_bodies::Fact> = "application/json"),
            (String = "text/event-stream"),
        )),
        (status = 404, description = "There is no such run.", body = run_bodies::Fault),
))]
pub async fn list(
    service: web::Data<Service>,
    id: web::Path<String>,
    query: web::Query<After>,
    guard: web::Data<Guard>,
    caller: Credential,
    request: HttpRequest,
) -> HttpResult {
    let root = service.run(&RunId::from(id.into_inner())).await?.root;
    let after = match last_event(request.headers())? {
        Some(seen) => seen,
        None => query.after_seq.unwrap_or(0),
    };
    if request.method() == Method::GET && wants_stream(request.headers()) {
        let signed_out = async move { guard.wait_until_signed_out(&caller).await };
        stream_events(service, root, after, caller_header::read_caller_id(&request), signed_out).await
    } else {
        list_events(&service, root, after, query.limit, &caller_header::read_caller_id(&request)).await
    }
}

async fn list_events(
    service: &Service,
    root: RunId,
    after: u64,
    limit: Option<usize>,
    receiver: &str,
) -> HttpResult {
    let mut left = limit.unwrap_or(usize::MAX).max(1);
    let (mut body, mut at, mut cursor) = (String::from(r#"{"items":["#), after, None);
    loop {
        let facts = service.store().events(root.clone(), at, PAGE.min(left)).await?;
        for fact in &facts {
            if at != after {
                body.push(',');
            }
            body.push_str(&caller::mark_own(fact.frame(), receiver));
            at = fact.seq;
        }
        left -= facts.len();
        if facts.len() < PAGE.min(left + facts.len()) {
            break;
        }
        if left == 0 {
            cursor = (service.store().last_seq(root).await? > at).then_some(at);
            break;
        }
    }
    let cursor = cursor.map_or(String::from("null"), |seq| format!(r#""{seq}""#));
    // Writing to a String cannot fail.
    let _ = write!(body, r#"],"cursor":{cursor}}}"#);
    Ok(HttpResponse::Ok().content_type("application/json").body(body))
}

/// Streams events until the connection is closed or the client's sign-in ends.
async fn stream_events(
    service: web::Data<Service>,
    root: RunId,
    after: u64,
    receiver: String,
    signed_out: impl Future<Output = ()> + 'static,
) -> HttpResult {
    let follower = RunFollower::begin(service.into_inner(), &root, after).await?;
    let opening = stream::iter([Ok(Bytes::from_static(b"retry: 1000\n\n"))]);
    let facts = stream::unfold((follower, receiver), |(mut follower, receiver)| async {
        let part = next(&mut follower, &receiver).await;
        Some((part, (follower, receiver)))
    });
    Ok(HttpResponse::Ok()
        .content_type("text/event-stream")
        .insert_header((header::CACHE_CONTROL, "no-store"))
        // Neither this server nor a proxy may buffer events to compress or collect them.
        .insert_header((header::CONTENT_ENCODING, "identity"))
        .insert_header(("x-accel-buffering", "no"))
        .streaming(opening.chain(facts).take_until(Box::pin(signed_out))))
}

/// Returns the next events, or a keep-alive comment.
async fn next(follower: &mut RunFollower<Arc<Service>>, receiver: &str) -> Result<Bytes, StoreError> {
    loop {
        let facts = follower.next_events().await?;
        if !facts.is_empty() {
            return Ok(Bytes::from(facts.iter().map(|fact| event(fact, receiver)).collect::<String>()));
        }
        if !follower.wait_for_event_within(KEEP_ALIVE).await? {
            return Ok(Bytes::from_static(b": alive\n\n"));
        }
    }
}

fn event(fact: &EventRow, receiver: &str) -> String {
    format!("id: {}\ndata: {}\n\n", fact.seq, caller::mark_own(fact.frame(), receiver))
}

fn wants_stream(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).filter_map(|value| value.to_str().ok());
    accepted.into_iter().any(|value| value.contains("text/event-stream"))
}

fn last_event(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    match value.to_str().ok().and_then(|digits| digits.trim().parse().ok()) {
        Some(seq) => Ok(Some(seq)),
        None => Err(Problem::bad_request("bad_query", "Last-Event-ID must be the number of an event")),
    }
}
