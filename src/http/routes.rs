//! Table of all routes. The composition root adds `/ws` and `/demo/`.

use crate::http::guard::size_limits;
use crate::http::problem::{Problem, no_such_page};
use crate::http::rest::agents::{authoring, export, from_run, json_schemas};
use crate::http::rest::runs::{archive_documents, control, events, run_changes, usage};
use crate::http::rest::{
    agents, browsers, files, health, model_calls, model_connection, permissions, plans, questions, runs,
    tasks, timeline, why,
};
use crate::http::ui::{about, sign_in};
use crate::http::{document_paths, openai, openapi, ui};
use actix_web::guard::{self, Guard};
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderValue};
use actix_web::web::{self, ServiceConfig};
use actix_web::{FromRequest, Handler, HttpRequest, HttpResponse, Resource, Responder, Route};

#[rustfmt::skip]
pub fn table() -> Vec<RouteEntry> {
    vec![
        at("/healthz")                        .get(health::alive),
        at("/readyz")                         .get(health::ready),
        at("/metrics")                        .get(health::numbers),

        at("/api/runs")                       .get(runs::list).post(runs::start),
        at("/api/runs/delete")                .post(run_changes::delete_several),
        at("/api/runs/{id}")                  .get(runs::get_run).patch(run_changes::change).delete(run_changes::delete),
        at("/api/runs/{id}/state")            .get(archive_documents::state),
        at("/api/runs/{id}/trace")            .get(archive_documents::trace),
        at("/api/runs/{id}/timeline")         .get(timeline::whole),
        at("/api/runs/{id}/compare/{other}")  .get(timeline::compare),
        at("/api/runs/{id}/steps/{n}")        .get(timeline::step),
        at("/api/runs/{id}/effects/{n}")      .get(timeline::effect),
        at("/api/runs/{id}/events")           .get(events::list),
        at("/api/runs/{id}/why")              .get(why::get_explanation),
        at("/api/runs/{id}/export")           .get(export::whole),
        at("/api/runs/{id}/calls")            .get(model_calls::list),
        at("/api/runs/{id}/calls/{n}")        .get(model_calls::get_call),
        at("/api/runs/{id}/agent")            .get(from_run::offer).post(from_run::save),
        at("/api/runs/{id}/agent/check")      .get(from_run::check_offer),
        at("/api/runs/{id}/pictures/{n}")     .get(runs::picture),
        at("/api/runs/{id}/files")            .get(files::list),
        at("/api/runs/{id}/files/{name}")     .get(files::get_file).post(files::give),
        at("/api/runs/{id}/plan")             .get(plans::get_plan).put(plans::change),
        at("/api/runs/{id}/stop")             .post(control::stop),
        at("/api/runs/{id}/pause")            .post(control::pause),
        at("/api/runs/{id}/resume")           .post(control::resume),
        at("/api/runs/{id}/messages")         .post(control::message),

        at("/api/questions")                  .get(questions::list),
        at("/api/questions/{reference}")      .post(questions::answer),

        at("/api/tasks")                      .get(tasks::list),
        at("/api/tasks/{task_id}")            .get(tasks::get_task),
        at("/api/tasks/{task_id}/cancel")     .post(tasks::cancel),

        at("/api/agents")                     .get(agents::list),
        at("/api/agents/validate")            .post(authoring::validate),
        at("/api/agents/import")              .post(authoring::import),
        at("/api/agents/faults")              .get(agents::faults),
        at("/api/agents/{name}")              .get(agents::get_agent).put(authoring::save).delete(authoring::remove),
        at("/api/agents/{name}/versions")     .get(agents::versions),
        at("/api/agent/{name}")               .get(agents::alias).post(authoring::save_alias),
        at("/api/agents/{name}/run")          .post(document_paths::run_agent),
        at("/api/run/{name}")                 .post(document_paths::run),
        at("/agents/{id}/executions")         .post(document_paths::execute),
        at("/executions/agents/{exec_id}")    .get(document_paths::executed),

        at("/v1/chat/completions")            .post(openai::complete),
        at("/v1/models")                      .get(openai::models::list),
        at("/v1/models/{model}")              .get(openai::models::get_model),

        at("/sign-in")                        .get(sign_in::show).post(sign_in::sign_in),
        at("/sign-out")                       .post(sign_in::leave),
        at("/api/me")                         .get(sign_in::me),

        at("/api/grants")                     .get(permissions::grants),
        at("/api/grants/{id}")                .delete(permissions::revoke),
        at("/api/audit")                      .get(permissions::audit),
        at("/api/files/{file}")              .post(files::stage).delete(files::unstage),

        at("/api/model")                      .get(model_connection::state).put(model_connection::connect).delete(model_connection::disconnect),
        at("/api/model/models")               .get(model_connection::list).post(model_connection::list_of),
        at("/api/model/test")                 .post(model_connection::test),
        at("/api/settings")                   .get(about::about),
        at("/api/usage")                      .get(usage::by_agent),
        at("/api/browsers")                   .get(browsers::list),
        at("/api/browsers/{id}")              .delete(browsers::close),

        at("/api/schema/")                    .get(json_schemas::list),
        at("/api/schema/{name}")              .get(json_schemas::get_schema),
        at("/api/openapi.json")               .get(openapi::document),
        at("/api/docs")                       .get(ui::docs),
        at("/static/{path:.*}")               .get(ui::file),
        at("/")                               .get(ui::page),
    ]
}

/// Adds the table to an app, which needs `web::Data<Service>`.
pub fn configure(app: &mut ServiceConfig) {
    app.configure(size_limits::limits);
    for RouteEntry { path, methods, resource } in table() {
        let allowed = methods.iter().map(Method::as_str).collect::<Vec<_>>().join(", ");
        let refuse = move |request: HttpRequest| {
            let refusal = not_allowed(&request, path, &allowed);
            async { refusal }
        };
        app.service(resource.default_service(web::to(refuse)));
    }
    app.default_service(web::to(no_such_page));
}

/// One path and what may be done with it.
pub struct RouteEntry {
    pub path: &'static str,
    pub methods: Vec<Method>,
    resource: Resource,
}

fn at(path: &'static str) -> RouteEntry {
    RouteEntry { path, methods: Vec::new(), resource: web::resource(path) }
}

impl RouteEntry {
    /// GET, and HEAD with it.
    fn get<H: Handler<A>, A: FromRequest + 'static>(self, handler: H) -> Self
    where
        H::Output: Responder + 'static,
    {
        self.on(Method::GET, guard::Any(guard::Get()).or(guard::Head()), handler)
    }

    fn post<H: Handler<A>, A: FromRequest + 'static>(self, handler: H) -> Self
    where
        H::Output: Responder + 'static,
    {
        self.on(Method::POST, guard::Post(), handler)
    }

    fn put<H: Handler<A>, A: FromRequest + 'static>(self, handler: H) -> Self
    where
        H::Output: Responder + 'static,
    {
        self.on(Method::PUT, guard::Put(), handler)
    }

    fn patch<H: Handler<A>, A: FromRequest + 'static>(self, handler: H) -> Self
    where
        H::Output: Responder + 'static,
    {
        self.on(Method::PATCH, guard::Patch(), handler)
    }

    fn delete<H: Handler<A>, A: FromRequest + 'static>(self, handler: H) -> Self
    where
        H::Output: Responder + 'static,
    {
        self.on(Method::DELETE, guard::Delete(), handler)
    }

    fn on<H: Handler<A>, A: FromRequest + 'static>(
        mut self,
        method: Method,
        fits: impl Guard + 'static,
        handler: H,
    ) -> Self
    where
        H::Output: Responder + 'static,
    {
        self.methods.push(method);
        self.resource = self.resource.route(Route::new().guard(fits).to(handler));
        self
    }
}

fn not_allowed(request: &HttpRequest, path: &str, allowed: &str) -> HttpResponse {
    let status = actix_web::http::StatusCode::METHOD_NOT_ALLOWED;
    let detail = format!("{path} takes {allowed}, not {}", request.method());
    let mut answer = Problem::new(status, "method_not_allowed", detail).answer_at(path);
    if let Ok(allow) = HeaderValue::from_str(allowed) {
        answer.headers_mut().insert(header::ALLOW, allow);
    }
    answer
}
