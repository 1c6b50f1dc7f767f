//! Table of all routes. The composition root adds `/ws` and `/demo/`.

use crate::http::guard::size_limits;
use crate::http::problem::{Problem, no_such_page};
use crate::http::rest::agents::{authoring, export, from_run, json_schemas};
use crate::http::rest::operations::{browsers, health, nodes};
use crate::http::rest::runs::{archive_documents, control, events, run_changes, usage};
use crate::http::rest::{
    agents, files, model_calls, model_connection, permissions, plans, questions, runs, tasks, timeline, why,
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
        route_at("/healthz")                        .get(health::alive),
        route_at("/readyz")                         .get(health::ready),
        route_at("/metrics")                        .get(health::get_metrics),

        route_at("/api/runs")                       .get(runs::list).post(runs::start),
        route_at("/api/runs/delete")                .post(run_changes::delete_several),
        route_at("/api/runs/{id}")                  .get(runs::get_run).patch(run_changes::change).delete(run_changes::delete),
        route_at("/api/runs/{id}/state")            .get(archive_documents::state),
        route_at("/api/runs/{id}/trace")            .get(archive_documents::trace),
        route_at("/api/runs/{id}/timeline")         .get(timeline::get_timeline),
        route_at("/api/runs/{id}/compare/{other}")  .get(timeline::compare),
        route_at("/api/runs/{id}/steps/{n}")        .get(timeline::step),
        route_at("/api/runs/{id}/effects/{n}")      .get(timeline::effect),
        route_at("/api/runs/{id}/events")           .get(events::list),
        route_at("/api/runs/{id}/why")              .get(why::get_explanation),
        route_at("/api/runs/{id}/export")           .get(export::export_run),
        route_at("/api/runs/{id}/calls")            .get(model_calls::list),
        route_at("/api/runs/{id}/calls/{n}")        .get(model_calls::get_call),
        route_at("/api/runs/{id}/agent")            .get(from_run::offer).post(from_run::save),
        route_at("/api/runs/{id}/agent/check")      .get(from_run::check_offer),
        route_at("/api/runs/{id}/pictures/{n}")     .get(runs::picture),
        route_at("/api/runs/{id}/files")            .get(files::list),
        route_at("/api/runs/{id}/files/{name}")     .get(files::get_file).post(files::give),
        route_at("/api/runs/{id}/plan")             .get(plans::get_plan).put(plans::change),
        route_at("/api/runs/{id}/stop")             .post(control::stop),
        route_at("/api/runs/{id}/pause")            .post(control::pause),
        route_at("/api/runs/{id}/resume")           .post(control::resume),
        route_at("/api/runs/{id}/messages")         .post(control::message),

        route_at("/api/questions")                  .get(questions::list),
        route_at("/api/questions/{reference}")      .post(questions::answer),

        route_at("/api/tasks")                      .get(tasks::list),
        route_at("/api/tasks/{task_id}")            .get(tasks::get_task),
        route_at("/api/tasks/{task_id}/cancel")     .post(tasks::cancel),

        route_at("/api/agents")                     .get(agents::list),
        route_at("/api/agents/validate")            .post(authoring::validate),
        route_at("/api/agents/import")              .post(authoring::import),
        route_at("/api/agents/faults")              .get(agents::faults),
        route_at("/api/agents/{name}")              .get(agents::get_agent).put(authoring::save).delete(authoring::remove),
        route_at("/api/agents/{name}/versions")     .get(agents::versions),
        route_at("/api/agent/{name}")               .get(agents::alias).post(authoring::save_alias),
        route_at("/api/agents/{name}/run")          .post(document_paths::run_agent),
        route_at("/api/run/{name}")                 .post(document_paths::run),
        route_at("/agents/{id}/executions")         .post(document_paths::execute),
        route_at("/executions/agents/{exec_id}")    .get(document_paths::executed),

        route_at("/v1/chat/completions")            .post(openai::complete),
        route_at("/v1/models")                      .get(openai::models::list),
        route_at("/v1/models/{model}")              .get(openai::models::get_model),

        route_at("/sign-in")                        .get(sign_in::show).post(sign_in::sign_in),
        route_at("/sign-out")                       .post(sign_in::leave),
        route_at("/api/me")                         .get(sign_in::me),

        route_at("/api/grants")                     .get(permissions::grants),
        route_at("/api/grants/{id}")                .delete(permissions::revoke),
        route_at("/api/audit")                      .get(permissions::audit),
        route_at("/api/files/{file}")              .post(files::stage).delete(files::unstage),

        route_at("/api/model")                      .get(model_connection::state).put(model_connection::connect).delete(model_connection::disconnect),
        route_at("/api/model/models")               .get(model_connection::list).post(model_connection::list_for_settings),
        route_at("/api/model/test")                 .post(model_connection::test),
        route_at("/api/settings")                   .get(about::about),
        route_at("/api/usage")                      .get(usage::by_agent),
        route_at("/api/browsers")                   .get(browsers::list),
        route_at("/api/browsers/{id}")              .delete(browsers::close),
        route_at("/api/nodes")                      .get(nodes::list),
        route_at("/api/nodes/drain")                .post(nodes::drain),

        route_at("/api/schema/")                    .get(json_schemas::list),
        route_at("/api/schema/{name}")              .get(json_schemas::get_schema),
        route_at("/api/openapi.json")               .get(openapi::document),
        route_at("/api/docs")                       .get(ui::docs),
        route_at("/static/{path:.*}")               .get(ui::file),
        route_at("/")                               .get(ui::page),
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

/// A path, its methods, and who may call them.
pub struct RouteEntry {
    pub path: &'static str,
    pub methods: Vec<Method>,
    resource: Resource,
}

fn route_at(path: &'static str) -> RouteEntry {
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
