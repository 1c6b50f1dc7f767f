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
use crate::http::openai::completion_stream::{CompletionStream, StreamPart, WaitLimit};
use crate::http::openai::http_result::OpenAiResult;
use crate::http::openai::repeated_requests::RequestIdentity;
use crate::http::openai::repeated_requests::Retries;
use crate::http::openai::reply::{ALIVE, CompletionHead, DONE};
use crate::http::openai::request::ChatRequest;
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
const DEFAULT_WAIT: Duration = Duration::from_secs(9 * 60);
/// Headers in which client libraries send their timeout in seconds.
const TIMEOUT_HEADERS: [&str; 2] = ["x-stainless-read-timeout", "x-stainless-timeout"];
/// Share of the client's timeout that is used.
const TIMEOUT_SHARE: f64 = 0.9;

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
) -> OpenAiResult {
    let mut chat = ChatRequest::read(&body)?;
    let run_header =
        request.headers().get(RUN).and_then(|run| run.to_str().ok()).filter(|run| !run.is_empty());
    chat.run = run_header.map(RunId::from).or(chat.run);
    chat.accepted = ReaderLocale::from_headers(request.headers()).0;
    let identity = RequestIdentity::from_request(&service, request.headers(), &chat).await?;
    let delivery = retries.pending_delivery(&identity)?;
    let client = caller_header::default_caller(
        CallerKind::Openai,
        request.headers(),
        caller_header::client_address(&request),
    );
    let (model, stream, include_usage) = (chat.model.clone(), chat.stream, chat.include_usage);
    let start = message_delivery::deliver_once(service.clone(), chat, identity, delivery, client).await?;
    let head = CompletionHead::new(start.run.as_str(), start.position.after, model, include_usage);
    let run = start.run.to_string();
    let wait_limit = wait_limit(request.headers(), stream);
    let completion =
        CompletionStream::begin(service.into_inner(), start, base_address(&request), wait_limit).await?;
    if stream {
        Ok(respond_stream(head, run, completion))
    } else {
        respond_complete(head, run, completion).await
    }
}

async fn respond_complete(
    head: CompletionHead,
    run: String,
    mut completion: CompletionStream,
) -> OpenAiResult {
    let mut content = String::new();
    loop {
        match completion.next().await? {
            StreamPart::Text(text) => content.push_str(&text),
            StreamPart::KeepAlive => {}
            StreamPart::End(last, ending) => {
                content.push_str(&last.unwrap_or_default());
                let body = head.completion_body(&content, &ending);
                return Ok(HttpResponse::Ok().insert_header((RUN, run)).json(body));
            }
        }
    }
}

fn respond_stream(head: CompletionHead, run: String, completion: CompletionStream) -> HttpResponse {
    let opening = stream::iter([Ok::<_, Problem>(head.opening())]);
    let parts = stream::unfold(Some((head, completion)), |under_way| async {
        let (head, mut completion) = under_way?;
        Some(match completion.next().await {
            Ok(StreamPart::Text(text)) => (Ok(head.delta(&text)), Some((head, completion))),
            Ok(StreamPart::KeepAlive) => (Ok(ALIVE), Some((head, completion))),
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
fn wait_limit(headers: &HeaderMap, stream: bool) -> WaitLimit {
    if stream {
        return WaitLimit::Idle(DEFAULT_WAIT);
    }
    let seconds =
        TIMEOUT_HEADERS.iter().find_map(|name| headers.get(*name)?.to_str().ok()?.trim().parse::<f64>().ok());
    let client_limit = seconds.filter(|seconds| *seconds > 0.0);
    let client_limit =
        client_limit.and_then(|seconds| Duration::try_from_secs_f64(seconds * TIMEOUT_SHARE).ok());
    WaitLimit::Total(client_limit.map_or(DEFAULT_WAIT, |client_limit| client_limit.min(DEFAULT_WAIT)))
}

/// Returns the address by which the client reached the service; the guard has checked the name.
fn base_address(request: &HttpRequest) -> String {
    request.extensions().get::<Arrival>().map(Arrival::address).unwrap_or_default()
}
