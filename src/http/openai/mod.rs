//! The OpenAI-compatible surface: chat clients talk to agents. `model` is an agent's name; what is said in one
//! chat goes on in one run, known by its name or its words; a question is text with the link where it is answered.

mod asked;
mod continuing;
mod course;
pub mod models;
mod reply;
mod retries;
mod transcript;
mod words;

use retries::Once;
pub use retries::Retries;

use super::problem::{OpenAi, Problem};
use super::service::Service;
use super::shapes;
use crate::http::runs::begin;
use crate::ids::RunId;
use crate::protocol::QuestionKind;
use crate::protocol::client::Answer;
use crate::run::answers::{Reply, Say};
use crate::store::rows::{QuestionRow, Usage};
use actix_web::http::header;
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, web};
use asked::Asked;
use continuing::Known;
use course::{Course, Part, Place};
use futures_util::{StreamExt, stream};
use reply::{ALIVE, DONE, Head};
use serde_json::json;
use std::sync::Arc;

/// The header in which answers bear their run, and in which a request may name the run of its chat.
const RUN: &str = "x-askfirst-run";

type Answered = Result<HttpResponse, OpenAi>;

/// Say something to an agent, as chat clients do.
#[utoipa::path(post, path = "/v1/chat/completions", tag = "openai", request_body = Object, responses(
    (status = 200, description = "What the agent says until it has ended, asks something, or rests: a \
        `chat.completion`, or with `stream` its chunks as server-sent events.", content(
        (Object = "application/json"), (String = "text/event-stream"),
    )),
    (status = 400, description = "The request does not fit; errors are as OpenAI's: `error.message`, `error.code`.",
        body = shapes::Fault),
    (status = 404, description = "There is no such agent.", body = shapes::Fault),
))]
pub async fn complete(service: web::Data<Service>, request: HttpRequest, body: Bytes) -> Answered {
    let mut asked = Asked::read(&body)?;
    let named = request.headers().get(RUN).and_then(|run| run.to_str().ok()).filter(|run| !run.is_empty());
    asked.run = named.map(RunId::from).or(asked.run);
    let once = service.retries.once(request.headers(), &body);
    let key =
        request.headers().get("idempotency-key").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let asked = Arc::new(asked);
    let place = said(service.clone(), Arc::clone(&asked), key, once).await?;
    let head = Head::new(place.run.as_str(), place.after, asked.model.clone(), asked.include_usage);
    let run = place.run.to_string();
    let course = Course::begin(service, place, base(&request)).await?;
    if asked.stream { Ok(streamed(head, run, course)) } else { whole(head, run, course).await }
}

/// Has it said once, however often it is asked at the same time. That goes on when the client is gone: its next try
/// finds it said.
async fn said(
    service: web::Data<Service>,
    asked: Arc<Asked>,
    key: Option<String>,
    once: Once,
) -> Result<Place, Problem> {
    let work = async move { once.get_or_try_init(|| placed(&service, &asked, key)).await.cloned() };
    actix_web::rt::spawn(work).await.map_err(|fault| Problem::internal(&fault))?
}

/// Where what is asked goes on, after it has been said there.
async fn placed(service: &Service, asked: &Asked, key: Option<String>) -> Result<Place, Problem> {
    let known = continuing::find(service, asked).await?;
    let Some(Known { row, seen }) = known else { return anew(service, asked, key).await };
    let run = row.id.clone();
    let before = service.store().spent(run.clone()).await?;
    let last = service.store().last_seq(run.clone()).await?;
    let open = service.store().open_questions(Some(run.clone())).await?;
    let place = |hears_after| Place { run: run.clone(), after: seen, hears_after, before };
    if let Some(question) = open.first() {
        // What allows something is never answered by words of a chat: it is asked again.
        if !words::takes_text(kind_of(question)) {
            return Ok(place(None));
        }
        let answer = Answer { text: Some(asked.text.clone()), ..Answer::default() };
        service.order(Reply { reference: question.reference.clone(), answer, by: None }).await?;
        return Ok(place(Some(last)));
    }
    if !service.engine.programs.hears(&row.program) {
        return anew(service, asked, key).await;
    }
    service.order(Say { run: run.clone(), text: asked.text.clone() }).await?;
    Ok(place(Some(last)))
}

async fn anew(service: &Service, asked: &Asked, key: Option<String>) -> Result<Place, Problem> {
    let input = models::input(service, asked).await?;
    let run: RunId = begin(service, asked.model.clone(), input, key).await?;
    Ok(Place { run, after: 0, hears_after: None, before: Usage::default() })
}

fn kind_of(question: &QuestionRow) -> QuestionKind {
    serde_json::from_value(json!(question.kind)).unwrap_or(QuestionKind::Confirm)
}

async fn whole(head: Head, run: String, mut course: Course) -> Answered {
    let mut content = String::new();
    loop {
        match course.next().await? {
            Part::Text(text) => content.push_str(&text),
            Part::Alive => {}
            Part::End(last, ending) => {
                content.push_str(&last.unwrap_or_default());
                let body = head.whole(&content, &ending);
                return Ok(HttpResponse::Ok().insert_header((RUN, run)).json(body));
            }
        }
    }
}

fn streamed(head: Head, run: String, course: Course) -> HttpResponse {
    let opening = stream::iter([Ok::<_, Problem>(head.opening())]);
    let parts = stream::unfold(Some((head, course)), |under_way| async {
        let (head, mut course) = under_way?;
        Some(match course.next().await {
            Ok(Part::Text(text)) => (Ok(head.delta(&text)), Some((head, course))),
            Ok(Part::Alive) => (Ok(ALIVE), Some((head, course))),
            Ok(Part::End(last, ending)) => {
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

/// Where the client reached us: the guard has judged the name.
fn base(request: &HttpRequest) -> String {
    let reached = request.connection_info();
    let named = request.headers().get(header::HOST).and_then(|value| value.to_str().ok());
    format!("{}://{}", reached.scheme(), named.unwrap_or_else(|| reached.host()))
}
