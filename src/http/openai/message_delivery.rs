//! Delivers the message of a chat exactly once: to the run of the chat, or to a new one.

use crate::engine::registry::answers::{AnswerQuestion, SendMessage};
use crate::engine::registry::starting::StartRun;
use crate::http::language::reader::ReaderLocale;
use crate::http::openai::completion_stream::{CompletionStart, RunPosition};
use crate::http::openai::continued_run::ContinuedRun;
use crate::http::openai::repeated_requests::{PendingDelivery, RequestIdentity};
use crate::http::openai::request::ChatRequest;
use crate::http::openai::{continued_run, models, notices};
use crate::http::problem::Problem;
use crate::http::rest::runs::start_run;
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
    chat: ChatRequest,
    identity: RequestIdentity,
    delivery: PendingDelivery,
    client: Caller,
) -> Result<CompletionStart, Problem> {
    let work = async move {
        delivery.get_or_try_init(|| deliver(&service, &chat, &identity, client)).await.cloned()
    };
    actix_web::rt::spawn(work).await.map_err(|fault| Problem::internal(&fault))?
}

/// Delivers the message to the run that continues the chat, or starts one.
async fn deliver(
    service: &Service,
    chat: &ChatRequest,
    identity: &RequestIdentity,
    client: Caller,
) -> Result<CompletionStart, Problem> {
    if let Some(start) = identity.find_earlier(service).await? {
        return Ok(start);
    }
    let continued = continued_run::find(service, chat).await?;
    let Some(ContinuedRun { row, seen }) = continued else {
        return begin_run(service, chat, identity, client).await;
    };
    let run = row.id.clone();
    let before = service.store().tree_usage(run.clone()).await?;
    let last = service.store().last_seq(run.clone()).await?;
    let open = service.store().open_questions(Some(run.clone())).await?;
    let position = RunPosition { after: seen, receives_after: Some(last), before };
    let start = CompletionStart { run: run.clone(), position };
    let idempotency_record = Some(identity.record(position));

    if let Some(question) = open.first() {
        // Approvals are never given by chat messages: the question is asked again.
        if !notices::takes_text(read_kind(question)) {
            let position = RunPosition { receives_after: None, ..position };
            // Nor does a retry of this request answer a later question.
            service.store().add_idempotency_record(run.clone(), identity.record(position)).await?;
            return Ok(CompletionStart { run, position });
        }
        let answer = Answer { text: Some(chat.text.clone()), ..Answer::default() };
        let reference = question.reference.clone();
        service
            .ask_registry(AnswerQuestion { reference, answer, by: None, client, idempotency_record })
            .await?;
        return Ok(start);
    }
    if !service.services.programs.accepts_messages(&row.program) {
        return begin_run(service, chat, identity, client).await;
    }
    service.ask_registry(SendMessage { run, text: chat.text.clone(), client, idempotency_record }).await?;
    Ok(start)
}

async fn begin_run(
    service: &Service,
    chat: &ChatRequest,
    identity: &RequestIdentity,
    client: Caller,
) -> Result<CompletionStart, Problem> {
    let mut input = models::input_from_chat(service, chat).await?;
    ReaderLocale(chat.accepted).speaks(&mut input);
    let order = StartRun::new(chat.model.clone(), input);
    let (idempotency_key, position) = (identity.client_key.clone(), RunPosition::default());
    let idempotency_record = Some(identity.record(position));
    let run =
        start_run(service, StartRun { idempotency_key, idempotency_record, client: Some(client), ..order })
            .await?;
    Ok(CompletionStart { run, position })
}

fn read_kind(question: &QuestionRow) -> QuestionKind {
    serde_json::from_value(json!(question.kind)).unwrap_or(QuestionKind::Confirm)
}
