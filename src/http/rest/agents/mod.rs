//! Reading agents from the library: all agents, one agent, and earlier versions.

pub(crate) mod agent_bodies;
pub(crate) mod json_schemas;
pub(crate) mod authoring;
pub(crate) mod export;
pub(crate) mod from_run;

use crate::agent_spec::check;
use crate::agent_spec::comments;
use crate::agent_spec::files::library::Library;
use crate::agent_spec::files::version::{FaultyAgentFile, Version};
use crate::agent_spec::types::spec::{AgentSpec, Kind, TitleLanguage};
use crate::engine::error::RunRequestError;
use crate::engine::program::ProgramError;
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::agents::agent_bodies::AgentFile;
use crate::http::rest::agents::agent_bodies::FaultyFile;
use crate::http::rest::agents::agent_bodies::KeptVersion;
use crate::http::rest::runs::run_bodies;
use crate::http::service::{Service, run_blocking};
use crate::http::version_preconditions::version_tag;
use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, web};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use utoipa::IntoParams;

/// Media type of agent files.
pub const YAML: &str = "application/yaml";
/// Header that says whether the file has comments that a rewrite may lose.
const HAS_COMMENTS: &str = "Askfirst-Has-Comments";

#[derive(Deserialize, IntoParams)]
pub struct AgentListQuery {
    /// Include files that are not valid agents, each with its `faults`.
    #[serde(default)]
    faulty: bool,
}

/// List all agents, as a bare array.
// A bare array, as specified (S0.34, S0.38).
#[utoipa::path(get, path = "/api/agents", tag = "agents", params(AgentListQuery), responses(
    (status = 200, body = [run_bodies::Agent]),
))]
pub async fn list(service: web::Data<Service>, query: web::Query<AgentListQuery>) -> HttpResult {
    let library = Arc::clone(&service.catalogue);
    let rows = run_blocking(move || {
        let mut rows: Vec<Value> = library.list().iter().map(|agent| row(&agent.spec)).collect();
        if query.faulty {
            rows.extend(library.faults().iter().map(|(name, broken)| faulty_row(name, broken)));
        }
        rows
    });
    Ok(HttpResponse::Ok().json(rows.await?))
}

/// List the files in the agents folder that are not valid agents, with their errors.
#[utoipa::path(get, path = "/api/agents/faults", tag = "agents", responses(
    (status = 200, body = run_bodies::Page<FaultyFile>),
))]
pub async fn faults(service: web::Data<Service>) -> HttpResult {
    let library = Arc::clone(&service.catalogue);
    let found = run_blocking(move || library.faults()).await?;
    let items: Vec<Value> =
        found.iter().map(|(name, broken)| json!({"name": name, "faults": broken.faults})).collect();
    Ok(HttpResponse::Ok().json(json!({"items": items, "cursor": null})))
}

#[derive(Deserialize, IntoParams)]
pub struct VersionQuery {
    /// Hash of an earlier version; if absent, the current file.
    version: Option<String>,
}

/// Get an agent as JSON, or with `Accept: application/yaml` the text of its file, even if that has errors.
// JSON and YAML, as specified (S0.35).
#[utoipa::path(get, path = "/api/agents/{name}", tag = "agents", params(("name" = String, Path), VersionQuery), responses(
    (status = 200, description = "The whole file; `ETag` is its version.", content(
        (AgentFile = "application/json"), (String = "application/yaml"),
    )),
    (status = 404, description = "There is no such agent, or no such version.", body = run_bodies::Fault),
    (status = 422, description = "Its file has errors; `faults` says where.", body = run_bodies::Fault),
))]
pub async fn get_agent(
    service: web::Data<Service>,
    request: HttpRequest,
    name: web::Path<String>,
    query: web::Query<VersionQuery>,
) -> HttpResult {
    find(&service, &request, name.into_inner(), query.into_inner().version).await
}

/// Get an agent. Alias of `/api/agents/{name}`.
#[utoipa::path(get, path = "/api/agent/{name}", tag = "agents", params(("name" = String, Path), VersionQuery), responses(
    (status = 200, description = "The whole file; `ETag` is its version.", content(
        (AgentFile = "application/json"), (String = "application/yaml"),
    )),
    (status = 404, description = "There is no such agent, or no such version.", body = run_bodies::Fault),
    (status = 422, description = "Its file has errors; `faults` says where.", body = run_bodies::Fault),
))]
pub async fn alias(
    service: web::Data<Service>,
    request: HttpRequest,
    name: web::Path<String>,
    query: web::Query<VersionQuery>,
) -> HttpResult {
    find(&service, &request, name.into_inner(), query.into_inner().version).await
}

/// List every version of an agent that was saved or run, newest first.
#[utoipa::path(get, path = "/api/agents/{name}/versions", tag = "agents", params(("name" = String, Path)), responses(
    (status = 200, body = run_bodies::Page<KeptVersion>),
    (status = 404, description = "There is no such agent, and never was.", body = run_bodies::Fault),
))]
pub async fn versions(service: web::Data<Service>, name: web::Path<String>) -> HttpResult {
    let library = Arc::clone(&service.catalogue);
    let wanted = name.clone();
    let versions = run_blocking(move || library.versions(&wanted)).await?;
    if versions.is_empty() {
        return Err(unknown(&name));
    }
    let items: Vec<Value> = versions
        .iter()
        .map(|version| json!({"hash": version.hash, "kept_at": version.kept_at.map(|at| at.rfc3339()), "current": version.current}))
        .collect();
    Ok(HttpResponse::Ok().json(json!({"items": items, "cursor": null})))
}

async fn find(service: &Service, request: &HttpRequest, name: String, version: Option<String>) -> HttpResult {
    let (library, as_text) = (Arc::clone(&service.catalogue), wants_yaml(request));
    run_blocking(move || find_version(&library, &name, version.as_deref(), as_text)).await??.answer(as_text)
}

/// A file found in the library.
enum Found {
    Agent(Version),
    /// The file is not a valid agent, and its text was requested.
    Broken {
        hash: String,
        text: Arc<str>,
    },
}

impl Found {
    fn answer(self, as_text: bool) -> HttpResult {
        Ok(match self {
            Self::Agent(Version { hash, text, spec }) => {
                agent_response(HttpResponse::Ok(), &hash, &text, &spec, as_text)
            }
            Self::Broken { hash, text } => {
                HttpResponse::Ok().insert_header(version_tag(&hash)).content_type(YAML).body(text.to_string())
            }
        })
    }
}

fn find_version(
    library: &Library,
    name: &str,
    version: Option<&str>,
    as_text: bool,
) -> Result<Found, Problem> {
    if let Some(hash) = version {
        let Some(text) = library.text_at(name, hash) else {
            let detail =
                format!("agent {name} has no version {hash}; GET /api/agents/{name}/versions has all");
            return Err(Problem::not_found("unknown_version", detail));
        };
        let spec = check::parse(&text).map_err(|faults| faulty(name, json!(faults)))?;
        return Ok(Found::Agent(Version { hash: hash.to_owned(), text, spec: Arc::new(spec) }));
    }
    if let Some(version) = library.version(name) {
        return Ok(Found::Agent(version));
    }
    let Some(broken) = library.broken(name) else { return Err(unknown(name)) };
    match broken.text.as_ref().filter(|_| as_text) {
        Some(text) => Ok(Found::Broken { hash: broken.hash.clone(), text: Arc::clone(text) }),
        None => Err(faulty(name, json!(broken.faults))),
    }
}

/// Builds the response for an agent with its version. A file of an older format is converted to the current
/// one (S0.16).
pub fn agent_response(
    mut answer: HttpResponseBuilder,
    hash: &str,
    text: &str,
    spec: &AgentSpec,
    as_text: bool,
) -> HttpResponse {
    answer
        .insert_header(version_tag(hash))
        .insert_header((HAS_COMMENTS, comments::has_comments(text).to_string()));
    if !as_text {
        return answer.json(spec_document(spec));
    }
    answer.content_type(YAML).body(check::convert_legacy(text).unwrap_or_else(|| text.to_owned()))
}

/// Returns the spec with the keys that a file may omit: the executor, and empty lists (S0.6, S0.35).
fn spec_document(spec: &AgentSpec) -> Value {
    let mut document = json!(spec);
    let Some(members) = document.as_object_mut() else { return document };
    for list in ["inputs", "locals", "outputs"] {
        members.entry(list).or_insert_with(|| json!([]));
    }
    if spec.kind == Kind::Atomic || spec.executor().is_some() {
        members.insert(String::from("executor"), json!(spec.executor()));
    }
    document
}

/// True if the `Accept` header names YAML before JSON.
pub fn wants_yaml(request: &HttpRequest) -> bool {
    let accepted =
        request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut kinds = accepted.split(',').filter_map(|kind| {
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if is_yaml(kind) { Some(true) } else { (kind == "application/json").then_some(false) }
    });
    kinds.next().unwrap_or(false)
}

pub fn is_yaml(kind: &str) -> bool {
    ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"].contains(&kind)
}

pub fn unknown(name: &str) -> Problem {
    RunRequestError::from(ProgramError::UnknownAgent(name.to_owned())).into()
}

pub fn faulty(name: &str, faults: Value) -> Problem {
    let detail = format!("the file of agent {name} has errors; `faults` says what to fix");
    Problem::invalid("bad_agent", detail).with_member("faults", faults)
}

fn row(agent: &AgentSpec) -> Value {
    json!({
        "name": agent.name,
        "title_ua": agent.title(TitleLanguage::Uk),
        "title_en": agent.title(TitleLanguage::En),
        "description_ua": agent.description_ua.as_deref().unwrap_or_default(),
        "description_en": agent.description_en.as_deref().unwrap_or_default(),
        "kind": agent.kind,
        "executor": agent.executor(),
        "converses": agent.converses(),
        "inputs": agent.inputs,
        "outputs": agent.outputs,
        "locals": agent.locals,
    })
}

/// Returns a row for a file that is not a valid agent.
fn faulty_row(name: &str, broken: &FaultyAgentFile) -> Value {
    json!({
        "name": name, "title_ua": name, "title_en": name, "description_ua": "", "description_en": "",
        "kind": "atomic", "executor": null, "converses": false, "inputs": [], "outputs": [], "locals": [], "faults": broken.faults,
    })
}
