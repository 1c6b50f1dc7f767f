//! Checking, saving and removing agents. JSON is written over the file and keeps the comments that can be
//! kept. YAML is stored unchanged, or converted if it has an older format.

use crate::agent_spec::check::Examined;
use crate::agent_spec::files::library::Library;
use crate::agent_spec::files::library::import::{CheckedText, ImportError, ImportText};
use crate::agent_spec::files::version::{LostComments, Version};
use crate::agent_spec::mcp_tools::Patience;
use crate::agent_spec::{check, mcp_tools};
use crate::http::guard::size_limits::BODY_BYTES;
use crate::http::json_object::JsonObject;
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::agents::{agent_bodies, agent_response, faulty, is_yaml, wants_yaml};
use crate::http::rest::runs::run_bodies;
use crate::http::service::{Service, run_blocking};
use crate::http::version_preconditions::Preconditions;
use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

#[derive(Deserialize, IntoParams)]
pub struct SaveQuery {
    /// `drop`: remove comments of the file that cannot be kept.
    comments: Option<String>,
    /// Same as `comments=drop`.
    #[serde(default)]
    drop_comments: bool,
}

/// An agent as it was received.
enum AgentBody {
    Yaml(String),
    Json(Value),
}

/// Several agents in one request.
#[derive(Deserialize, ToSchema)]
pub struct Documents {
    documents: Vec<Document>,
    /// Replace existing agents, for an import; their earlier versions are kept.
    #[serde(default)]
    overwrite: bool,
}

#[derive(Deserialize, ToSchema)]
struct Document {
    /// The text of an agent's file.
    yaml: String,
    /// The name that the file must have, if it exists already.
    name: Option<String>,
}

impl Documents {
    fn servers(&self) -> BTreeSet<String> {
        self.documents.iter().flat_map(|document| mcp_tools::servers_in(&document.yaml)).collect()
    }

    fn into_texts(self) -> Vec<ImportText> {
        let documents = self.documents.into_iter();
        documents.map(|Document { yaml, name }| ImportText { text: yaml, name }).collect()
    }
}

impl AgentBody {
    /// Returns the MCP servers whose tools the agent may name.
    fn servers(&self) -> BTreeSet<String> {
        match self {
            Self::Yaml(text) => mcp_tools::servers_in(text),
            Self::Json(value) => mcp_tools::servers_in(&value.to_string()),
        }
    }
}

/// Save an agent: as JSON, or with `Content-Type: application/yaml` as the text of its file. With `If-Match`,
/// save only over the version that was read; with `If-None-Match: *`, only as a new agent.
// Both formats, as specified (S0.36).
#[utoipa::path(put, path = "/api/agents/{name}", tag = "agents", params(("name" = String, Path), SaveQuery),
    request_body(content((agent_bodies::AgentFile = "application/json"), (String = "application/yaml"))),
    responses(
        (status = 200, description = "It is saved; `ETag` is its version.", body = agent_bodies::AgentFile),
        (status = 201, description = "It has been created.", body = agent_bodies::AgentFile),
        (status = 409, description = "`has_comments`: comments of the file would be lost; `lines` says which.", body = run_bodies::Fault),
        (status = 412, description = "The file has changed in the meantime.", body = run_bodies::Fault),
        (status = 422, description = "It has errors; `faults` says where. The file is unchanged.", body = run_bodies::Fault),
        (status = 507, description = "The file cannot be written.", body = run_bodies::Fault),
))]
pub async fn save(
    service: web::Data<Service>,
    request: HttpRequest,
    name: web::Path<String>,
    query: web::Query<SaveQuery>,
    body: web::Payload,
) -> HttpResult {
    save_agent(&service, &request, name.into_inner(), &query, body).await
}

/// Save an agent. Alias of `PUT /api/agents/{name}`.
// The path of the specification (S0.36).
#[utoipa::path(post, path = "/api/agent/{name}", tag = "agents", params(("name" = String, Path), SaveQuery),
    request_body(content((agent_bodies::AgentFile = "application/json"), (String = "application/yaml"))),
    responses(
        (status = 200, description = "It is saved; `ETag` is its version.", body = agent_bodies::AgentFile),
        (status = 201, description = "It has been created.", body = agent_bodies::AgentFile),
        (status = 409, description = "`has_comments`: comments of the file would be lost; `lines` says which.", body = run_bodies::Fault),
        (status = 412, description = "The file has changed in the meantime.", body = run_bodies::Fault),
        (status = 422, description = "It has errors; `faults` says where. The file is unchanged.", body = run_bodies::Fault),
        (status = 507, description = "The file cannot be written.", body = run_bodies::Fault),
))]
pub async fn save_alias(
    service: web::Data<Service>,
    request: HttpRequest,
    name: web::Path<String>,
    query: web::Query<SaveQuery>,
    body: web::Payload,
) -> HttpResult {
    save_agent(&service, &request, name.into_inner(), &query, body).await
}

async fn save_agent(
    service: &Service,
    request: &HttpRequest,
    name: String,
    query: &SaveQuery,
    body: web::Payload,
) -> HttpResult {
    let sent = read(request, body).await?;
    let preconditions = Preconditions::from_headers(request.headers());
    let drops_comments = query.drop_comments || query.comments.as_deref() == Some("drop");
    let library = Arc::clone(&service.library);
    library.wait_for_servers(sent.servers(), Patience::Long).await;
    let saved = run_blocking(move || {
        let is_new = library.read_text(&name).is_none();
        write(&library, &name, &sent, &preconditions, drops_comments).map(|saved| (is_new, saved))
    });
    let (is_new, Version { hash, text, spec }) = saved.await??;
    let answer = if is_new { HttpResponse::Created() } else { HttpResponse::Ok() };
    Ok(agent_response(answer, &hash, &text, &spec, wants_yaml(request)))
}

fn write(
    library: &Library,
    name: &str,
    sent: &AgentBody,
    preconditions: &Preconditions,
    drops_comments: bool,
) -> Result<Version, Problem> {
    let value = match sent {
        AgentBody::Yaml(text) => {
            let renewed = check::convert_legacy(text);
            return Ok(library.save(
                name,
                renewed.as_deref().unwrap_or(text),
                preconditions.expected_state(),
            )?);
        }
        AgentBody::Json(value) => value,
    };
    let plain = check::write_json(value).map_err(|fault| Problem::internal(&fault))?;
    let Examined { spec, faults } = check::examine(&plain, Some(name), Some(library));
    let Some(spec) = spec else { return Err(faulty(name, json!(faults)).with_member("yaml", plain)) };
    let comments = if drops_comments { LostComments::Drop } else { LostComments::Keep };
    Ok(library.save_over(name, &spec, comments, preconditions.expected_state())?)
}

/// Remove an agent's file. Its versions are kept; a built-in agent is restored at the next start.
#[utoipa::path(delete, path = "/api/agents/{name}", tag = "agents", params(("name" = String, Path)), responses(
    (status = 204, description = "It is gone."),
    (status = 404, description = "There is no such agent.", body = run_bodies::Fault),
    (status = 412, description = "The file has changed in the meantime.", body = run_bodies::Fault),
    (status = 422, description = "No agent can have this name.", body = run_bodies::Fault),
    (status = 507, description = "The folder cannot be written.", body = run_bodies::Fault),
))]
pub async fn remove(
    service: web::Data<Service>,
    request: HttpRequest,
    name: web::Path<String>,
) -> HttpResult {
    let preconditions = Preconditions::from_headers(request.headers());
    let library = Arc::clone(&service.library);
    run_blocking(move || library.remove(&name, preconditions.expected_state())).await??;
    Ok(HttpResponse::NoContent().finish())
}

/// Check an agent without saving it: as JSON, as `{"spec": …}`, as `{"yaml": "…"}`, or as YAML. To check
/// several agents together, send `{"documents": [{"yaml": "…"}, …]}`; the answer has `documents` in the same
/// order.
#[utoipa::path(post, path = "/api/agents/validate", tag = "agents",
    request_body(content((agent_bodies::AgentFile = "application/json"), (String = "application/yaml"))),
    responses(
        (status = 200, description = "What was found.", body = agent_bodies::Checked),
        (status = 400, description = "It is not JSON.", body = run_bodies::Fault),
))]
pub async fn validate(service: web::Data<Service>, request: HttpRequest, body: web::Payload) -> HttpResult {
    let sent = read(&request, body).await?;
    if let AgentBody::Json(value) = &sent
        && value.get("documents").is_some()
    {
        let documents = Documents::deserialize(value);
        let documents = documents.map_err(|fault| Problem::bad_request("bad_json", fault.to_string()))?;
        return validate_together(&service, documents).await;
    }
    let library = Arc::clone(&service.library);
    library.wait_for_servers(sent.servers(), Patience::Long).await;
    Ok(HttpResponse::Ok().json(run_blocking(move || validate_body(&library, sent)).await??))
}

/// Save several agents, all or none. They are checked as if all were saved already.
#[utoipa::path(post, path = "/api/agents/import", tag = "agents", request_body = Documents, responses(
    (status = 200, description = "All are saved; `agents` says of each what was done: saved, replaced, unchanged.", body = agent_bodies::ImportedAgents),
    (status = 409, description = "`agent_exists`: some are there already; `names` says which.", body = run_bodies::Fault),
    (status = 422, description = "Some are faulty; `documents` says where. Nothing was saved.", body = run_bodies::Fault),
    (status = 507, description = "A file cannot be written. Nothing was saved.", body = run_bodies::Fault),
))]
pub async fn import(service: web::Data<Service>, body: web::Json<JsonObject<Documents>>) -> HttpResult {
    let documents = body.into_inner().0;
    let library = Arc::clone(&service.library);
    library.wait_for_servers(documents.servers(), Patience::Long).await;
    let overwrite = documents.overwrite;
    let done = run_blocking(move || library.import(&documents.into_texts(), overwrite)).await?;
    match done {
        Ok(imported) => Ok(HttpResponse::Ok().json(json!({"agents": imported}))),
        Err(ImportError::Library(fault)) => Err(fault.into()),
        Err(ImportError::Taken(names)) => {
            let detail =
                format!("there already: {}; send `overwrite`: true to replace them", names.join(", "));
            Err(Problem::conflict("agent_exists", detail).with_member("names", json!(names)))
        }
        Err(fault @ ImportError::Faulty(_)) => {
            let problem = Problem::invalid("bad_agent", fault.to_string());
            let ImportError::Faulty(checked) = fault else { return Err(problem) };
            Err(problem.with_member("documents", json!(checked.iter().map(check_report).collect::<Vec<_>>())))
        }
    }
}

/// Checks agents together, as an import does, without saving them.
async fn validate_together(service: &Service, documents: Documents) -> HttpResult {
    let library = Arc::clone(&service.library);
    library.wait_for_servers(documents.servers(), Patience::Long).await;
    let checked = run_blocking(move || library.check_together(&documents.into_texts())).await?;
    let ok = checked.iter().all(CheckedText::is_sound);
    let documents: Vec<Value> = checked.iter().map(check_report).collect();
    Ok(HttpResponse::Ok().json(json!({"ok": ok, "documents": documents})))
}

fn check_report(checked: &CheckedText) -> Value {
    json!({"ok": checked.is_sound(), "name": checked.spec.as_ref().map(|spec| &spec.name), "faults": checked.faults, "spec": checked.spec})
}

fn validate_body(library: &Library, sent: AgentBody) -> Result<Value, Problem> {
    let text = match sent {
        AgentBody::Yaml(text) => text,
        AgentBody::Json(value) => {
            let plain = check::write_json(&value).map_err(|fault| Problem::internal(&fault))?;
            // Convert to the text that would be saved, so that the line numbers match the file.
            match check::parse(&plain) {
                Err(_) => plain,
                Ok(spec) => library.merge_over(&spec.name, &spec)?.text,
            }
        }
    };
    let import = ImportText { text, name: None };
    let checked = library.check_together(std::slice::from_ref(&import)).into_iter().next();
    let ok = checked.as_ref().is_some_and(CheckedText::is_sound);
    let (faults, spec) = checked.map(|checked| (checked.faults, checked.spec)).unwrap_or_default();
    Ok(json!({"ok": ok, "faults": faults, "spec": spec, "yaml": import.text}))
}

async fn read(request: &HttpRequest, body: web::Payload) -> Result<AgentBody, Problem> {
    let body = body.to_bytes_limited(BODY_BYTES).await.map_err(|_| {
        let detail = format!("a request may carry at most {BODY_BYTES} bytes");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail)
    })?;
    let body =
        body.map_err(|fault| Problem::bad_request("bad_body", format!("the body was cut off: {fault}")))?;
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or("application/json").trim();
    if is_yaml(kind) {
        let text = String::from_utf8(body.to_vec());
        return text
            .map(AgentBody::Yaml)
            .map_err(|_| Problem::bad_request("bad_yaml", "the body is not UTF-8 text"));
    }
    if kind != "application/json" {
        let detail = "send JSON with `Content-Type: application/json`, or YAML with `application/yaml`";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "bad_media_type", detail));
    }
    let value: Value = serde_json::from_slice(&body)
        .map_err(|fault| Problem::bad_request("bad_json", format!("the body is not JSON: {fault}")))?;
    // `spec` and `yaml` are no keys of an agent.
    match value {
        Value::Object(mut members) if members.contains_key("spec") => {
            Ok(AgentBody::Json(members.shift_remove("spec").unwrap_or_default()))
        }
        Value::Object(mut members) if members.len() == 1 && members.contains_key("yaml") => {
            match members.shift_remove("yaml") {
                Some(Value::String(text)) => Ok(AgentBody::Yaml(text)),
                _ => Err(Problem::bad_request("bad_json", "`yaml` must be the text of an agent's file")),
            }
        }
        value => Ok(AgentBody::Json(value)),
    }
}
