//! One run as one document: all that it leaves behind, for keeping elsewhere and for looking into.

use super::problem::Problem;
use super::runs::{self, Answer};
use super::service::{Service, aside};
use super::shapes;
use crate::ids::RunId;
use crate::run::archive;
use crate::store::rows::{FactRow, RunRow};
use actix_web::http::header;
use actix_web::{HttpResponse, web};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::ToSchema;

/// Version of the document's shape.
const VERSION: u32 = 1;
/// Facts read from the store at once.
const PAGE: usize = 256;

/// All that a run leaves behind.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
struct Exported {
    _version: u32,
    run: shapes::Run,
    /// The agent as it was then.
    #[schema(required, value_type = Option<Object>)]
    agent: Option<Value>,
    input: BTreeMap<String, Value>,
    state: Value,
    trace: Vec<shapes::TraceStep>,
    facts: Vec<shapes::Fact>,
    /// Paths of this service.
    pictures: Vec<String>,
}

/// The whole run: its row, agent, state, trace and facts; pictures by their paths.
#[utoipa::path(get, path = "/api/runs/{id}/export", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, body = Exported),
    (status = 404, description = "There is no such run.", body = shapes::Fault),
))]
pub async fn whole(service: web::Data<Service>, id: web::Path<String>) -> Answer {
    let run = service.run(&RunId::from(id.into_inner())).await?;
    let facts = facts(&service, &run).await?;
    let pictures = pictures(&facts);
    let (library, name, version) = (Arc::clone(&service.catalogue), run.agent.clone(), run.version.clone());
    let agent = aside(move || library.as_of(&name, version.as_deref())).await?;
    let document = json!({
        "_version": VERSION,
        "run": runs::whole(&service, &run.id).await?,
        "agent": agent,
        "input": run.input,
        "state": runs::whole_state(&service, &run.id).await?,
        "trace": archive::trace(service.store(), &run.id).await?["steps"],
        "facts": facts,
        "pictures": pictures,
    });
    let name = format!("attachment; filename=\"run-{}.json\"", run.id);
    Ok(HttpResponse::Ok().insert_header((header::CONTENT_DISPOSITION, name)).json(document))
}

/// Those of the run and of all below it; of a root that is all of its tree.
async fn facts(service: &Service, run: &RunRow) -> Result<Vec<Value>, Problem> {
    let (mut found, mut after) = (Vec::new(), 0);
    let ours = |fact: &FactRow| run.root == run.id || fact.run == run.id;
    loop {
        let page = service.store().facts(run.root.clone(), after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(found) };
        after = last.seq;
        let frames = page.iter().filter(|fact| ours(fact)).map(|fact| serde_json::from_str(&fact.frame()));
        let frames: Result<Vec<Value>, _> = frames.collect();
        found.extend(frames.map_err(|fault| Problem::internal(&fault))?);
    }
}

fn pictures(facts: &[Value]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for fact in facts {
        for path in [&fact["data"]["picture"], &fact["payload"]["screenshot"]] {
            if let Some(path) = path.as_str().filter(|path| !found.iter().any(|known| known == path)) {
                found.push(path.to_owned());
            }
        }
    }
    found
}
