//! Delivers the message of a chat exactly once: to the run of the chat, or to a new one.

use crate::engine::registry::answers::{AnswerQuestion, SendMessage};
use crate::engine::registry::starting::StartRun;
use crate::http::language::reader::ReaderLocale;
use crate::http::openai::completion_stream::{Place, Spot};
use crate::http::openai::continued_run::Known;
use crate::http::openai::repeated_requests::{Once, RequestIdentity};
use crate::http::openai::request::Asked;
use crate::http::openai::{continued_run, models, notices};
use crate::http::problem::Problem;
use crate::http::rest::runs::started;
use crate::http::service::Service;
use crate::protocol::QuestionKind;
use crate::protocol::caller::Caller;
use crate::protocol::client::Answer;
use crate::store::rows::QuestionRow;
use actix_web::web;
use serde_json::json;

/// Delivers the message once, even if identical requests arrive at the same time. Delivery continues if the
/// client disconnects; a retry then finds it done.
pub async fn deliver_once(
    service: web::Data<Service>,
    asked: Asked,
    sent: RequestIdentity,
    once: Once,
    client: Caller,
) -> Result<Place, Problem> {
    let work = async move { once.get_or_try_init(|| placed(&service, &asked, &sent, client)).await.cloned() };
    actix_web::rt::spawn(work).await.map_err(|fault| Problem::internal(&fault))?
}

/// Delivers the message to the run that continues the chat, or starts one.
async fn placed(
    service: &Service,
    asked: &Asked,
    sent: &RequestIdentity,
    client: Caller,
) -> Result<Place, Problem> {
    if let Some(place) = sent.led_to(service).await? {
        return Ok(place);
    }
    let known = continued_run::find(service, asked).await?;
    let Some(Known { row, seen }) = known else { return anew(service, asked, sent).await };
    let run = row.id.clone();
    let before = service.store().tree_usage(run.clone()).await?;
    let last = service.store().last_seq(run.clone()).await?;
    let open = service.store().open_questions(Some(run.clone())).await?;
    let spot = Spot { after: seen, hears_after: Some(last), before };
    let (place, tried) = (Place { run: run.clone(), spot }, Some(sent.leading_to(spot)));

    if let Some(question) = open.first() {
        // Approvals are never given by chat messages: the question is asked again.
        if !notices::takes_text(kind_of(question)) {
            let spot = Spot { hears_after: None, ..spot };
            // Nor does a retry of this request answer a later question.
            service.store().add_idempotency_record(run.clone(), sent.leading_to(spot)).await?;
            return Ok(Place { run, spot });
        }
        let answer = Answer { text: Some(asked.text.clone()), ..Answer::default() };
        service
            .order(AnswerQuestion { reference: question.reference.clone(), answer, by: None, client, tried })
            .await?;
        return Ok(place);
    }
    if !service.engine.programs.accepts_messages(&row.program) {
        return anew(service, asked, sent).await;
    }
    service.order(SendMessage { run, text: asked.text.clone(), client, tried }).await?;
    Ok(place)
}

async fn anew(service: &Service, asked: &Asked, sent: &RequestIdentity) -> Result<Place, Problem> {
    let mut input = models::input(service, asked).await?;
    ReaderLocale(asked.accepted).speaks(&mut input);
    let start = StartRun::new(asked.model.clone(), input);
    let (idempotency_key, spot) = (sent.named.clone(), Spot::default());
    let tried = Some(sent.leading_to(spot));
    let run = started(service, StartRun { idempotency_key, tried, ..start }).await?;
    Ok(Place { run, spot })
}

fn kind_of(question: &QuestionRow) -> QuestionKind {
    serde_json::from_value(json!(question.kind)).unwrap_or(QuestionKind::Confirm)
}
