//! OpenAI-compatible API, with which chat clients use agents. `model` is the name of an agent. One chat
//! continues in one run, found by its id or its messages. A question is returned as text with a link to
//! answer it.

pub(crate) mod continued_run;
pub mod http_result;
pub(crate) mod message_delivery;
pub mod repeated_requests;
pub(crate) mod request;
pub(crate) mod completion_stream;
pub mod models;
pub(crate) mod reply;
pub(crate) mod transcript;
pub(crate) mod notices;

use crate::http::caller_header;
use crate::http::guard::forwarded_headers::Arrival;
use crate::http::language::reader::ReaderLocale;
use crate::http::openai::completion_stream::{CompletionStream, Patience, StreamPart};
use crate::http::openai::http_result::Answered;
use crate::http::openai::repeated_requests::RequestIdentity;
use crate::http::openai::repeated_requests::Retries;
use crate::http::openai::reply::{ALIVE, CompletionHead, DONE};
use crate::http::openai::request::Asked;
use crate::http::problem::{OpenAi, Problem};
use crate::http::rest::runs::run_bodies;
use crate::http::service::Service;
use crate::ids::RunId;
use crate::protocol::caller::CallerKind;
use actix_web::http::header::{self, HeaderMap};
use actix_web::web::Bytes;
use actix_web::{HttpMessage, HttpRequest, HttpResponse, web};
use futures_util::{StreamExt, stream};
use std::time::Duration;

/// Header with the run's id: set on responses, and accepted on requests to name the run of a chat.
const RUN: &str = "x-askfirst-run";

/// Default time to wait, below the default timeout of client libraries, which is ten minutes.
const PATIENCE: Duration = Duration::from_secs(9 * 60);
/// Headers in which client libraries send their timeout in seconds.
const TIMEOUTS: [&str; 2] = ["x-stainless-read-timeout", "x-stainless-timeout"];
/// Share of the client's timeout that is used.
const SHARE: f64 = 0.9;

/// Send a message to an agent, as chat clients do.
#[utoipa::path(post, path = "/v1/chat/completions", tag = "openai", request_body = Object, responses(
    (status = 200, description = "What the agent says until it has ended, asks something, is paused, or rests: a \
        `chat.completion`, or with `stream` its chunks as server-sent events.", content(
        (Object = "application/json"), (String = "text/event-stream"),
    )),
    (status = 400, description = "The request does not fit; errors are as OpenAI's: `error.message`, `error.code`.",
        body = run_bodies::Fault),
    (status = 404, description = "There is no such agent.", body = run_bodies::Fault),
    (status = 409, description = "`key_reused`: the `Idempotency-Key` was sent with another request.",
        body = run_bodies::Fault),
))]
pub async fn complete(
    service: web::Data<Service>,
    retries: web::Data<Retries>,
    request: HttpRequest,
    body: Bytes,
) -> Answered {
    let mut asked = Asked::read(&body)?;
    let named = request.headers().get(RUN).and_then(|run| run.to_str().ok()).filter(|run| !run.is_empty());
    asked.run = named.map(RunId::from).or(asked.run);
    asked.accepted = ReaderLocale::from_headers(request.headers()).0;
    let sent = RequestIdentity::from_request(&service, request.headers(), &asked).await?;
    let once = retries.once(&sent)?;
    let client = caller_header::unnamed(
        CallerKind::Openai,
        request.headers(),
        caller_header::client_address(&request),
    );
    let (model, stream, include_usage) = (asked.model.clone(), asked.stream, asked.include_usage);
    let place = message_delivery::deliver_once(service.clone(), asked, sent, once, client).await?;
    let head = CompletionHead::new(place.run.as_str(), place.spot.after, model, include_usage);
    let run = place.run.to_string();
    let patience = patience(request.headers(), stream);
    let course = CompletionStream::begin(service.into_inner(), place, base(&request), patience).await?;
    if stream { Ok(streamed(head, run, course)) } else { whole(head, run, course).await }
}

async fn whole(head: CompletionHead, run: String, mut course: CompletionStream) -> Answered {
    let mut content = String::new();
    loop {
        match course.next().await? {
            StreamPart::Text(text) => content.push_str(&text),
            StreamPart::Alive => {}
            StreamPart::End(last, ending) => {
                content.push_str(&last.unwrap_or_default());
                let body = head.whole(&content, &ending);
                return Ok(HttpResponse::Ok().insert_header((RUN, run)).json(body));
            }
        }
    }
}

fn streamed(head: CompletionHead, run: String, course: CompletionStream) -> HttpResponse {
    let opening = stream::iter([Ok::<_, Problem>(head.opening())]);
    let parts = stream::unfold(Some((head, course)), |under_way| async {
        let (head, mut course) = under_way?;
        Some(match course.next().await {
            Ok(StreamPart::Text(text)) => (Ok(head.delta(&text)), Some((head, course))),
            Ok(StreamPart::Alive) => (Ok(ALIVE), Some((head, course))),
            Ok(StreamPart::End(last, ending)) => {
                let mut end = last.map(|text| head.delta(&text).to_vec()).unwrap_or_default();
                end.extend_from_slice(&head.closing(&ending));
                end.extend_from_slice(&DONE);
                (Ok(Bytes::from(end)), None)
            }
            Err(problem) => (Ok(reply::event(&OpenAi(problem).body())), None),
        })
    });
    HttpResponse::Ok()
        .content_type("text/event-stream")
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::CONTENT_ENCODING, "identity"))
        .insert_header(("x-accel-buffering", "no"))
        .insert_header((RUN, run))
        .streaming(opening.chain(parts))
}

/// Returns the time to wait. A client without a stream gets an answer before it gives up; one with a stream
/// receives keep-alive comments.
fn patience(headers: &HeaderMap, stream: bool) -> Patience {
    if stream {
        return Patience::Silence(PATIENCE);
    }
    let seconds =
        TIMEOUTS.iter().find_map(|name| headers.get(*name)?.to_str().ok()?.trim().parse::<f64>().ok());
    let told = seconds.filter(|seconds| *seconds > 0.0);
    let told = told.and_then(|seconds| Duration::try_from_secs_f64(seconds * SHARE).ok());
    Patience::Whole(told.map_or(PATIENCE, |told| told.min(PATIENCE)))
}

/// Returns the address by which the client reached the service; the guard has checked the name.
fn base(request: &HttpRequest) -> String {
    request.extensions().get::<Arrival>().map(Arrival::address).unwrap_or_default()
}
