//! The OpenAPI document, generated from the handlers. A test compares it with the table of routes.

use crate::http::guard::forwarded_headers::Arrival;
use crate::http::rest::agents::{authoring, export, from_run, json_schemas};
use crate::http::rest::operations::{browsers, health, nodes};
use crate::http::rest::runs::{archive_documents, control, events, run_bodies, run_changes, usage};
use crate::http::rest::{
    agents, files, model_calls, model_connection, permissions, plans, questions, runs, tasks, timeline, why,
};
use crate::http::ui::{about, sign_in};
use crate::http::{document_paths, mcp, openai, problem};
use actix_web::{HttpResponse, web};
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder, Server};
use utoipa::{Modify, OpenApi};

#[derive(OpenApi)]
#[openapi(
    info(title = "Askfirst", description = "Chat with an agent, watch it drive a real Chromium, approve anything risky."),
    paths(
        health::alive, health::ready, health::get_metrics,
        agents::list, agents::faults, agents::get_agent, agents::alias, agents::versions,
        authoring::validate, authoring::import, authoring::save, authoring::save_alias, authoring::remove,
        runs::start, runs::list, runs::get_run, run_changes::change, run_changes::delete, run_changes::delete_several,
        archive_documents::state, archive_documents::trace, runs::picture, events::list, why::get_explanation,
        timeline::get_timeline, timeline::compare, timeline::step, timeline::effect,
        model_calls::list, model_calls::get_call, export::export_run, from_run::offer, from_run::check_offer, from_run::save,
        files::list, files::get_file, files::give, files::stage, files::unstage,
        model_connection::state, model_connection::connect, model_connection::disconnect, model_connection::list, model_connection::list_for_settings, model_connection::test,
        plans::get_plan, plans::change,
        control::stop, control::pause, control::resume, control::message,
        questions::list, questions::answer, tasks::list, tasks::get_task, tasks::cancel,
        document_paths::run, document_paths::run_agent, document_paths::execute, document_paths::executed,
        permissions::grants, permissions::revoke, permissions::audit,
        about::about, sign_in::me, usage::by_agent, browsers::list, browsers::close,
        nodes::list, nodes::drain,
        mcp::handle_request,
        openai::complete, openai::models::list, openai::models::get_model,
        json_schemas::list, json_schemas::get_schema, document,
    ),
    components(schemas(run_bodies::Fault)),
    modifiers(&CallNames, &Faults),
    tags(
        (name = "runs", description = "Start, steer and read runs."),
        (name = "questions", description = "What waits for a person."),
        (name = "agents", description = "Who can be asked to do something."),
        (name = "permissions", description = "What was allowed, and every decision."),
        (name = "documents", description = "Further paths that run an agent and wait for its result."),
        (name = "openai", description = "Agents as models, for chat clients of the OpenAI kind."),
        (name = "mcp", description = "Agents for clients of the Model Context Protocol, which is spoken at one path."),
        (name = "service", description = "How the service is."),
    ),
)]
pub struct Api;

/// Derives each operation id from the path, so that ids are unique: `post_runs_id_stop`.
struct CallNames;

impl Modify for CallNames {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        for (path, item) in &mut document.paths.paths {
            let words: Vec<&str> =
                path.split(['/', '{', '}', '.']).filter(|word| !word.is_empty() && *word != "api").collect();
            for (method, operation) in operations(item) {
                operation.operation_id = Some(format!("{method}_{}", words.join("_")));
            }
        }
    }
}

/// Declares every error as a problem document, including errors that any call may return.
struct Faults;

impl Modify for Faults {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        for (_, operation) in document.paths.paths.values_mut().flat_map(operations) {
            let responses = &mut operation.responses.responses;
            for (status, response) in responses.iter_mut() {
                if let (b'4' | b'5', RefOr::T(response)) = (status.as_bytes()[0], response) {
                    let plain = response.content.shift_remove("application/json");
                    response
                        .content
                        .extend(plain.map(|content| (String::from(problem::MEDIA_TYPE), content)));
                }
            }
            responses.insert(String::from("default"), RefOr::T(any_fault()));
        }
    }
}

fn any_fault() -> Response {
    let fault = Content::new(Some(Ref::from_schema_name("Fault")));
    ResponseBuilder::new()
        .description("Refused or failed: 400, 401, 403, 404, 405, 412, 413, 415, 429, 500, 503, 507.")
        .content(problem::MEDIA_TYPE, fault)
        .build()
}

/// Returns the operations for all methods that the table of routes supports.
fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    let PathItem { get, post, put, patch, delete, .. } = item;
    let all = [("get", get), ("post", post), ("put", put), ("patch", patch), ("delete", delete)];
    all.into_iter().filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

/// Get this document.
#[utoipa::path(get, path = "/api/openapi.json", tag = "service", responses((status = 200, body = Object)))]
pub async fn document(arrival: Option<web::ReqData<Arrival>>) -> HttpResponse {
    let mut document = Api::openapi();
    if let Some(base) = arrival.map(|arrival| arrival.base.clone()).filter(|base| !base.is_root()) {
        document.servers = Some(vec![Server::new(base.as_str())]);
    }
    HttpResponse::Ok().json(document)
}
