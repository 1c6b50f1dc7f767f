//! `/api/runs`: starting runs, listing them, and all that one run leaves behind.

use super::following::Over;
use super::object::Object;
use super::problem::Problem;
use super::reader::Reader;
use super::service::Service;
use super::shapes;
use super::watching;
use crate::ids::RunId;
use crate::protocol::Status;
use crate::run::starting::Start;
use crate::run::view;
use crate::store::rows::{RunFilter, RunRow};
use actix_web::http::StatusCode;
use actix_web::http::header;
use actix_web::{HttpResponse, web};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::{IntoParams, ToSchema};

pub type Answer = Result<HttpResponse, Problem>;

#[derive(Deserialize, ToSchema)]
pub struct NewRun {
    /// Who is to do it; without one, `chat.default_agent`.
    agent: Option<String>,
    /// The agent's inputs by name; every conversation has `text`, and `locale` ("uk" or "en"; if absent,
    /// the language of the text, else that of `Accept-Language`).
    #[serde(default)]
    input: Map<String, Value>,
    /// Answer when the run has ended, asks something, is paused, or `timeout_ms` is up.
    #[serde(default)]
    wait: bool,
    /// 600000 if absent.
    timeout_ms: Option<u64>,
    /// The same key (of the same agent) gives the run that was started with it first.
    idempotency_key: Option<String>,
    /// An object that is kept with the run; 16 kB at most.
    #[schema(value_type = Option<Object>)]
    metadata: Option<Value>,
    /// A model of the connected endpoint for this run and all below it; absent, the default.
    model: Option<String>,
    /// Ids of files that were given before (`POST /api/files/{file}`); they are the run's when it begins.
    #[serde(default)]
    files: Vec<String>,
}

/// What is kept with a run has at most so many bytes.
const METADATA: usize = 16 * 1024;

/// Start a run.
#[utoipa::path(post, path = "/api/runs", tag = "runs", request_body = NewRun, responses(
    (status = 201, description = "It has been started.", body = shapes::Started),
    (status = 200, description = "With `wait`: it has ended.", body = shapes::Run),
    (status = 202, description = "With `wait`: it asks something, is paused, or the time is up.", body = shapes::Run),
    (status = 404, description = "There is no such agent.", body = shapes::Fault),
    (status = 409, description = "The key was used for another input.", body = shapes::Fault),
    (status = 422, description = "The input does not fit the agent.", body = shapes::Fault),
    (status = 507, description = "The disk is full.", body = shapes::Fault),
))]
pub async fn start(service: web::Data<Service>, reader: Reader, body: web::Json<Object<NewRun>>) -> Answer {
    let NewRun { agent, mut input, wait, timeout_ms, idempotency_key, metadata, model, files } =
        body.into_inner().0;
    let agent = agent.unwrap_or_else(|| service.about.default_agent.clone());
    reader.speaks(&mut input);
    let (metadata, model) = (bounded(metadata)?, named_model(model)?);
    let start = Start { idempotency_key, metadata, model, files, ..Start::plain(agent, input) };
    let run = started(&service, start).await?;
    let place = (header::LOCATION, format!("/api/runs/{run}"));
    if !wait {
        let row = service.run(&run).await?;
        return Ok(HttpResponse::Created().insert_header(place).json(brief(&row.id, &row.status)));
    }
    let status = match watching::settled(&service, &run, timeout_ms).await? {
        Some(Over::Ended) => StatusCode::OK,
        Some(Over::Asks | Over::Paused | Over::Rests) | None => StatusCode::ACCEPTED,
    };
    Ok(HttpResponse::build(status).insert_header(place).json(whole(&service, &run).await?))
}

/// Starts a run; with a key that is known, gives the run that has it.
pub async fn begin(
    service: &Service,
    agent: String,
    input: Map<String, Value>,
    idempotency_key: Option<String>,
) -> Result<RunId, Problem> {
    begin_with(service, agent, input, idempotency_key, None).await
}

/// The same, with what is kept with the run (S3.15).
pub async fn begin_with(
    service: &Service,
    agent: String,
    input: Map<String, Value>,
    idempotency_key: Option<String>,
    metadata: Option<Value>,
) -> Result<RunId, Problem> {
    let metadata = bounded(metadata)?;
    started(service, Start { idempotency_key, metadata, ..Start::plain(agent, input) }).await
}

/// Starts it, if its key is not that of another.
pub async fn started(service: &Service, start: Start) -> Result<RunId, Problem> {
    // Two secrets look alike here: neither is stored, so neither can be compared.
    let shown = match start.idempotency_key.is_some() {
        true => Some(service.engine.shown_inputs(start.agent.clone(), start.input.clone()).await),
        false => None,
    };
    let run = service.order(start).await?;
    if let Some(shown) = shown
        && service.run(&run).await?.input != shown.map_err(|fault| Problem::internal(&fault))?
    {
        let detail = format!("this idempotency_key started run {run} with another input; use a new key");
        return Err(Problem::conflict("key_reused", detail).with("run_id", run.as_str()));
    }
    Ok(run)
}

/// The model's name, if it can be one.
pub fn named_model(model: Option<String>) -> Result<Option<String>, Problem> {
    let model = model.map(|model| model.trim().to_owned()).filter(|model| !model.is_empty());
    match model {
        Some(model) if model.chars().count() > 200 || model.chars().any(char::is_control) => {
            Err(Problem::invalid("bad_input", "`model` is not the name of a model"))
        }
        model => Ok(model),
    }
}

fn bounded(metadata: Option<Value>) -> Result<Option<Map<String, Value>>, Problem> {
    match metadata {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(map)) if json!(map).to_string().len() <= METADATA => Ok(Some(map)),
        Some(Value::Object(_)) => {
            let detail = format!("`metadata` has more than {} kB", METADATA / 1024);
            Err(Problem::invalid("bad_input", detail))
        }
        Some(_) => Err(Problem::invalid("bad_input", "`metadata` must be an object")),
    }
}

#[derive(Deserialize, IntoParams)]
pub struct Filter {
    /// A status word, or several with commas between them: `waiting`, `failed,denied`, …
    status: Option<String>,
    agent: Option<String>,
    /// Words of titles, messages, answers and sites; each is found by its beginning.
    query: Option<String>,
    /// The same by its older name.
    q: Option<String>,
    /// Owner of the runs; refused, as this service has one person.
    person: Option<String>,
    /// `true`: only archived ones, `all`: those too; absent or `false`: those that are not.
    archived: Option<String>,
    /// Only runs that no other run has called.
    #[serde(default)]
    roots: bool,
    /// Only runs of this run's tree.
    root: Option<String>,
    /// Only runs that this one has called.
    parent: Option<String>,
    /// From 1 to 200; 50 if absent.
    limit: Option<usize>,
    /// The `cursor` of the answer before.
    cursor: Option<String>,
}

/// Runs: pinned ones first, then the newest.
#[utoipa::path(get, path = "/api/runs", tag = "runs", params(Filter), responses(
    (status = 200, body = shapes::Page<shapes::RunRow>),
    (status = 400, description = "The query is not valid.", body = shapes::Fault),
))]
pub async fn list(service: web::Data<Service>, filter: web::Query<Filter>) -> Answer {
    let limit = filter.limit.unwrap_or(50).clamp(1, 200);
    // One more than asked for tells whether there are more.
    let filter = RunFilter { limit: limit + 1, ..wanted(filter.into_inner())? };
    let mut rows = service.store().runs(filter).await?;
    let more = rows.len() > limit;
    rows.truncate(limit);
    let cursor = rows.last().filter(|_| more).map(cursor_at);
    let items: Vec<Value> = rows.iter().map(view::row).collect();
    Ok(HttpResponse::Ok().json(json!({"items": items, "cursor": cursor})))
}

/// Filter of the query, without its limit.
fn wanted(filter: Filter) -> Result<RunFilter, Problem> {
    let Filter { status, agent, query, q, person, archived, roots, root, parent, cursor, limit: _ } = filter;
    // A form sends what was left empty as empty.
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
        before: cursor.as_deref().map(place_of).transpose()?,
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
        let known = Status::ALL.map(Status::word).join(", ");
        return Err(Problem::bad_request("bad_query", format!("there is no status \"{word}\"; use {known}")));
    }
    Ok(words)
}

/// Before the id in cursors of pinned runs.
const PINNED: &str = "pinned-";

fn cursor_at(row: &RunRow) -> String {
    if row.kept.pinned { format!("{PINNED}{}", row.id) } else { row.id.to_string() }
}

fn place_of(cursor: &str) -> Result<(bool, RunId), Problem> {
    let (pinned, id) = match cursor.strip_prefix(PINNED) {
        Some(id) => (true, id),
        None => (false, cursor),
    };
    if !RunId::is_one(id) {
        let message = format!("\"{cursor}\" is no cursor; take the `cursor` of the answer before, or none");
        return Err(Problem::bad_request("bad_query", message));
    }
    Ok((pinned, RunId::from(id)))
}

/// One run, whole: the same object as `welcome.run` of a socket.
#[utoipa::path(get, path = "/api/runs/{id}", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, body = shapes::Run),
    (status = 404, description = "There is no such run.", body = shapes::Fault),
))]
pub async fn one(service: web::Data<Service>, id: web::Path<String>) -> Answer {
    Ok(HttpResponse::Ok().json(whole(&service, &RunId::from(id.into_inner())).await?))
}

/// A stored picture of the page; it never changes.
#[utoipa::path(get, path = "/api/runs/{id}/pictures/{n}", tag = "runs",
    params(("id" = String, Path), ("n" = u64, Path, description = "Counts from 1.")),
    responses(
        (status = 200, content_type = "image/jpeg", body = [u8]),
        (status = 404, description = "There is no such picture.", body = shapes::Fault),
))]
pub async fn picture(service: web::Data<Service>, path: web::Path<(String, u64)>) -> Answer {
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

/// The same object as `welcome.run` of a socket.
pub async fn whole(service: &Service, run: &RunId) -> Result<Value, Problem> {
    match view::whole(&service.engine, run).await? {
        Some(whole) => Ok(whole),
        None => Err(crate::run::error::RegistryError::UnknownRun(run.clone()).into()),
    }
}
