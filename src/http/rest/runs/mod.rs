//! `/api/runs`: starts and lists runs, and returns one run.

pub(crate) mod archive_documents;
pub(crate) mod follow_run;
pub(crate) mod run_bodies;
pub(crate) mod wait_for_run;
pub(crate) mod control;
pub(crate) mod event_lines;
pub(crate) mod events;
pub mod run_changes;
pub(crate) mod usage;

use crate::engine::error::RunRequestError;
use crate::engine::registry::starting::StartRun;
use crate::engine::registry::view;
use crate::http::caller_header;
use crate::http::json_object::JsonObject;
use crate::http::language::reader::ReaderLocale;
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::follow_run::HaltReason;
use crate::http::rest::runs::run_bodies::Fault;
use crate::http::rest::runs::run_bodies::Page;
use crate::http::rest::runs::run_bodies::Run;
use crate::http::rest::runs::run_bodies::Started;
use crate::http::service::Service;
use crate::ids::RunId;
use crate::protocol::Status;
use crate::store::rows::{RunFilter, RunRow};
use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::{IntoParams, ToSchema};

#[derive(Deserialize, ToSchema)]
pub struct NewRun {
    /// Name of the agent; if absent, `chat.default_agent`.
    agent: Option<String>,
    /// Inputs of the agent by name. Every conversation takes `text` and `locale` ("uk" or "en"; if absent,
    /// the language of the text, else that of `Accept-Language`).
    #[serde(default)]
    input: Map<String, Value>,
    /// Answer when the run has ended, asks a question, is paused, or `timeout_ms` is over.
    #[serde(default)]
    wait: bool,
    /// Time limit in milliseconds; 600000 if absent.
    timeout_ms: Option<u64>,
    /// A repeated key for the same agent returns the run that was started with it first.
    idempotency_key: Option<String>,
    /// An object stored with the run, at most 16 kB.
    #[schema(value_type = Option<Object>)]
    metadata: Option<Value>,
    /// A model of the connected endpoint, for this run and all runs below it; if absent, the default.
    model: Option<String>,
    /// Ids of uploaded files (`POST /api/files/{file}`), which become files of the run.
    #[serde(default)]
    files: Vec<String>,
}

/// Maximum size of `metadata`, in bytes.
const MAX_METADATA: usize = 16 * 1024;

/// Start a run.
#[utoipa::path(post, path = "/api/runs", tag = "runs", request_body = NewRun, responses(
    (status = 201, description = "It has been started.", body = Started),
    (status = 200, description = "With `wait`: it has ended.", body = Run),
    (status = 202, description = "With `wait`: it asks something, is paused, or the time is up.", body = Run),
    (status = 404, description = "There is no such agent.", body = Fault),
    (status = 409, description = "The key was used for another input.", body = Fault),
    (status = 422, description = "The input does not fit the agent.", body = Fault),
    (status = 507, description = "The disk is full.", body = Fault),
))]
pub async fn start(
    service: web::Data<Service>,
    reader: ReaderLocale,
    body: web::Json<JsonObject<NewRun>>,
    request: HttpRequest,
) -> HttpResult {
    let NewRun { agent, mut input, wait, timeout_ms, idempotency_key, metadata, model, files } =
        body.into_inner().0;
    let agent = agent.unwrap_or_else(|| service.about.default_agent.clone());
    reader.speaks(&mut input);
    let (metadata, model) = (check_metadata(metadata)?, named_model(model)?);
    let client = Some(caller_header::read_caller(&request));
    let start = StartRun { idempotency_key, metadata, model, files, client, ..StartRun::new(agent, input) };
    let run = start_run(&service, start).await?;
    let location = (header::LOCATION, format!("/api/runs/{run}"));
    if !wait {
        let row = service.run(&run).await?;
        return Ok(HttpResponse::Created().insert_header(location).json(brief(&row.id, &row.status)));
    }
    let status = match wait_for_run::wait_until_halted(&service, &run, timeout_ms).await? {
        Some(HaltReason::Ended) => StatusCode::OK,
        Some(HaltReason::AwaitsAnswer | HaltReason::Paused | HaltReason::AwaitsMessage) | None => {
            StatusCode::ACCEPTED
        }
    };
    Ok(HttpResponse::build(status).insert_header(location).json(full_run(&service, &run).await?))
}

/// Starts a run with metadata (S3.15).
pub async fn start_with_metadata(
    service: &Service,
    start: StartRun,
    metadata: Option<Value>,
) -> Result<RunId, Problem> {
    start_run(service, StartRun { metadata: check_metadata(metadata)?, ..start }).await
}

/// Starts a run. Fails if the key belongs to a run with another input.
pub async fn start_run(service: &Service, start: StartRun) -> Result<RunId, Problem> {
    // Different secrets look alike in this comparison: they are not stored, so they cannot be compared.
    let masked_input = match start.idempotency_key.is_some() {
        true => Some(service.services.shown_inputs(start.agent.clone(), start.input.clone()).await),
        false => None,
    };
    let run = service.ask_registry(start).await?;
    if let Some(masked_input) = masked_input
        && service.run(&run).await?.input != masked_input.map_err(|fault| Problem::internal(&fault))?
    {
        let detail = format!("this idempotency_key started run {run} with another input; use a new key");
        return Err(Problem::conflict("key_reused", detail).with_member("run_id", run.as_str()));
    }
    Ok(run)
}

/// Trims and checks the name of a model.
fn named_model(model: Option<String>) -> Result<Option<String>, Problem> {
    let model = model.map(|model| model.trim().to_owned()).filter(|model| !model.is_empty());
    match model {
        Some(model) if model.chars().count() > 200 || model.chars().any(char::is_control) => {
            Err(Problem::invalid("bad_input", "`model` is not the name of a model"))
        }
        model => Ok(model),
    }
}

fn check_metadata(metadata: Option<Value>) -> Result<Option<Map<String, Value>>, Problem> {
    match metadata {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(map)) if json!(map).to_string().len() <= MAX_METADATA => Ok(Some(map)),
        Some(Value::Object(_)) => {
            let detail = format!("`metadata` has more than {} kB", MAX_METADATA / 1024);
            Err(Problem::invalid("bad_input", detail))
        }
        Some(_) => Err(Problem::invalid("bad_input", "`metadata` must be an object")),
    }
}

#[derive(Deserialize, IntoParams)]
pub struct Filter {
    /// A status, or several separated by commas: `waiting`, `failed,denied`, …
    status: Option<String>,
    agent: Option<String>,
    /// Words in titles, messages, answers and sites; a word matches by its beginning.
    query: Option<String>,
    /// Older name of `query`.
    q: Option<String>,
    /// Owner of the runs; refused, because this service has one person.
    person: Option<String>,
    /// `true`: only archived runs, `all`: archived runs too; absent or `false`: no archived runs.
    archived: Option<String>,
    /// Only runs that no other run has called.
    #[serde(default)]
    roots: bool,
    /// Only runs of this run's tree.
    root: Option<String>,
    /// Only runs that this run has called.
    parent: Option<String>,
    /// Maximum number of runs, 1 to 200; 50 if absent.
    limit: Option<usize>,
    /// The `cursor` of the previous answer.
    cursor: Option<String>,
}

/// List runs: pinned ones first, then the newest.
#[utoipa::path(get, path = "/api/runs", tag = "runs", params(Filter), responses(
    (status = 200, body = Page<crate::http::rest::runs::run_bodies::RunRow>),
    (status = 400, description = "The query is not valid.", body = Fault),
))]
pub async fn list(service: web::Data<Service>, filter: web::Query<Filter>) -> HttpResult {
    let limit = filter.limit.unwrap_or(50).clamp(1, 200);
    // A row more than requested shows whether there are more.
    let filter = RunFilter { limit: limit + 1, ..run_filter(filter.into_inner())? };
    let mut rows = service.store().runs(filter).await?;
    let more = rows.len() > limit;
    rows.truncate(limit);
    let cursor = rows.last().filter(|_| more).map(cursor_at);
    let items: Vec<Value> = rows.iter().map(view::list_row).collect();
    Ok(HttpResponse::Ok().json(json!({"items": items, "cursor": cursor})))
}

/// Converts the query to a filter without a limit.
fn run_filter(filter: Filter) -> Result<RunFilter, Problem> {
    let Filter { status, agent, query, q, person, archived, roots, root, parent, cursor, limit: _ } = filter;
    // A form sends empty fields as empty texts.
    let [status, agent, query, q, person, archived, root, parent, cursor] =
        [status, agent, query, q, person, archived, root, parent, cursor]
            .map(|field| field.filter(|text| !text.is_empty()));
    if person.is_some() {
        let message = "this service has one person; leave `person` out";
        return Err(Problem::bad_request("bad_query", message));
    }
    let within_tree = root.is_some() || parent.is_some();
    let archived = match archived.as_deref() {
        Some("true") => Some(true),
        Some("all") => None,
        // A query for the runs of one task includes archived ones.
        None if within_tree => None,
        None | Some("false") => Some(false),
        Some(word) => {
            let message = format!("`archived` is true, false or all, not \"{word}\"");
            return Err(Problem::bad_request("bad_query", message));
        }
    };
    Ok(RunFilter {
        statuses: statuses(status)?,
        agent,
        query: query.or(q),
        before: cursor.as_deref().map(parse_cursor).transpose()?,
        roots,
        root: root.map(RunId::from),
        parent: parent.map(RunId::from),
        archived,
        limit: 0,
    })
}

fn statuses(words: Option<String>) -> Result<Vec<String>, Problem> {
    let words: Vec<String> = words.iter().flat_map(|words| words.split(',')).map(str::to_owned).collect();
    if let Some(word) = words.iter().find(|word| Status::from_word(word).is_none()) {
        let known = Status::names().join(", ");
        return Err(Problem::bad_request("bad_query", format!("there is no status \"{word}\"; use {known}")));
    }
    Ok(words)
}

/// Prefix in cursors of pinned runs.
const PINNED: &str = "pinned-";

fn cursor_at(row: &RunRow) -> String {
    if row.list_settings.pinned { format!("{PINNED}{}", row.id) } else { row.id.to_string() }
}

fn parse_cursor(cursor: &str) -> Result<(bool, RunId), Problem> {
    let (pinned, id) = match cursor.strip_prefix(PINNED) {
        Some(id) => (true, id),
        None => (false, cursor),
    };
    if !RunId::is_one(id) {
        return Err(Problem::bad_cursor(cursor));
    }
    Ok((pinned, RunId::from(id)))
}

/// Get a run, as the same object as `welcome.run` of the WebSocket.
#[utoipa::path(get, path = "/api/runs/{id}", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, body = Run),
    (status = 404, description = "There is no such run.", body = Fault),
))]
pub async fn get_run(service: web::Data<Service>, id: web::Path<String>) -> HttpResult {
    Ok(HttpResponse::Ok().json(full_run(&service, &RunId::from(id.into_inner())).await?))
}

/// Get a stored picture of the page, which never changes.
#[utoipa::path(get, path = "/api/runs/{id}/pictures/{n}", tag = "runs",
    params(("id" = String, Path), ("n" = u64, Path, description = "Counts from 1.")),
    responses(
        (status = 200, content_type = "image/jpeg", body = [u8]),
        (status = 404, description = "There is no such picture.", body = Fault),
))]
pub async fn picture(service: web::Data<Service>, path: web::Path<(String, u64)>) -> HttpResult {
    let (id, n) = path.into_inner();
    let run = RunId::from(id);
    let Some(jpeg) = service.store().picture(run.clone(), n).await? else {
        return Err(Problem::not_found("not_found", format!("there is no picture {n} of run {run}")));
    };
    Ok(HttpResponse::Ok()
        .content_type("image/jpeg")
        .insert_header((header::CACHE_CONTROL, "private, max-age=31536000, immutable"))
        .body(jpeg))
}

/// `{run_id, status}`.
pub fn brief(run: &RunId, status: &str) -> Value {
    json!({"run_id": run, "status": status})
}

/// Returns the same object as `welcome.run` of the WebSocket.
pub async fn full_run(service: &Service, run: &RunId) -> Result<Value, Problem> {
    match view::full_run(&service.services, run).await? {
        Some(run) => Ok(run),
        None => Err(RunRequestError::UnknownRun(run.clone()).into()),
    }
}
