//! Everything that waits for a person, and the person's answer. No program reaches this: only people
//! (and their own tools) speak HTTP here.

use super::object::Object;
use super::runs::Answer;
use super::service::Service;
use super::shapes;
use crate::ids::{QuestionId, RunId};
use crate::protocol::client;
use crate::run::answers::Reply;
use crate::run::view;
use actix_web::{HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

#[derive(Deserialize, IntoParams)]
pub struct Of {
    /// Only those of this run's tree.
    run_id: Option<String>,
}

/// Open questions, oldest first.
#[utoipa::path(get, path = "/api/questions", tag = "questions", params(Of), responses(
    (status = 200, body = shapes::Page<shapes::Question>),
    (status = 404, description = "There is no such run.", body = shapes::Fault),
))]
pub async fn list(service: web::Data<Service>, of: web::Query<Of>) -> Answer {
    let root = match of.into_inner().run_id {
        Some(run) => Some(service.run(&RunId::from(run)).await?.root),
        None => None,
    };
    let rows = service.store().open_questions(root).await?;
    let items: Vec<Value> = rows.iter().map(view::question).collect();
    Ok(HttpResponse::Ok().json(json!({"items": items, "cursor": null})))
}

/// Answer a question; the first answer counts.
#[utoipa::path(post, path = "/api/questions/{reference}", tag = "questions",
    params(("reference" = String, Path)),
    request_body = shapes::Answer,
    responses(
        (status = 200, description = "The run continues with it.", body = shapes::Resolved),
        (status = 404, description = "There is no such question.", body = shapes::Fault),
        (status = 409, description = "It has already been answered or has expired.", body = shapes::Fault),
        (status = 422, description = "The answer does not fit the question.", body = shapes::Fault),
))]
pub async fn answer(
    service: web::Data<Service>,
    reference: web::Path<String>,
    body: web::Json<Object<client::Answer>>,
) -> Answer {
    let (reference, answer) = (QuestionId::from(reference.into_inner()), body.into_inner().0);
    service.order(Reply::plain(reference.clone(), answer, None)).await?;
    let (run, answer) =
        service.store().question(reference.clone()).await?.map(|row| (row.run, row.answer)).unzip();
    Ok(HttpResponse::Ok()
        .json(json!({"reference": reference, "run_id": run, "by": "user", "answer": answer.flatten()})))
}
