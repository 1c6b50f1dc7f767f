//! Export of a run with all its child runs as one document, for archiving, inspection and replay.

use crate::agent_spec::files::library::Library;
use crate::engine::archive::documents::steps;
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs;
use crate::http::rest::runs::{archive_documents, run_bodies};
use crate::http::service::{Service, run_blocking};
use crate::ids::RunId;
use crate::observability::replay::recorded_run;
use crate::programs::orchestration::Orchestration;
use crate::store::rows::{EventRow, RunRow};
use actix_web::http::header;
use actix_web::{HttpResponse, web};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use utoipa::ToSchema;

/// Version of the document's format.
const VERSION: u32 = 2;
/// Maximum number of events read from the store at once.
const PAGE: usize = 256;

/// A run with all its records.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
struct Exported {
    _version: u32,
    run: run_bodies::Run,
    /// The agent as it was when the run started.
    #[schema(required, value_type = Option<Object>)]
    agent: Option<Value>,
    input: BTreeMap<String, Value>,
    state: Value,
    trace: Vec<run_bodies::TraceStep>,
    facts: Vec<run_bodies::Fact>,
    /// Paths on this service.
    pictures: Vec<String>,
    /// Questions of the run and of all runs below it, with their answers.
    questions: Vec<Value>,
    /// Files of all agents that take part, as the runs keep them, and of those that they may call.
    agents: Vec<AgentFile>,
    /// `commands` or `model`. `isolates` is true if agents' code runs in a sandbox.
    planner: String,
    isolates: bool,
    /// Data for `askfirst replay`: the run and all runs below it, with the inputs of each step and all model
    /// calls.
    #[schema(value_type = Object)]
    replay: Value,
}

#[derive(ToSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
struct AgentFile {
    name: String,
    version: String,
    text: String,
}

/// Export a run with its agent, state, trace and events, and the data to replay it and the runs below it.
/// Pictures are given by their paths.
#[utoipa::path(get, path = "/api/runs/{id}/export", tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, body = Exported),
    (status = 404, description = "There is no such run.", body = run_bodies::Fault),
))]
pub async fn export_run(service: web::Data<Service>, id: web::Path<String>) -> HttpResult {
    let run = service.run(&RunId::from(id.into_inner())).await?;
    let tree = recorded_run::tree(service.store(), &run).await?;
    let facts = facts(&service, &run, &tree).await?;
    let (pictures, questions) = (pictures(&facts), questions(&facts));
    let replay = recorded_run::export(service.store(), &tree).await?;
    let library = Arc::clone(&service.library);
    let agents = run_blocking(move || agents(&library, &tree)).await?;
    let (library, name, version) = (Arc::clone(&service.library), run.agent.clone(), run.version.clone());
    let agent = run_blocking(move || library.version_or_current(&name, version.as_deref())).await?;
    let document = json!({
        "_version": VERSION,
        "run": runs::full_run(&service, &run.id).await?,
        "agent": agent,
        "input": run.input,
        "state": archive_documents::whole_state(&service, &run.id).await?,
        "trace": steps(service.store(), &run.id).await?,
        "facts": facts,
        "pictures": pictures,
        "questions": questions,
        "agents": agents,
        "planner": service.model.current().planner.name(),
        "isolates": service.about.isolates,
        "replay": replay,
    });
    let name = format!("attachment; filename=\"run-{}.json\"", run.id);
    Ok(HttpResponse::Ok().insert_header((header::CONTENT_DISPOSITION, name)).json(document))
}

/// Returns the events of the run and of the runs below it. For a root, these are all events of the tree,
/// including those of runs that are not in `tree`.
async fn facts(service: &Service, run: &RunRow, tree: &[RunRow]) -> Result<Vec<Value>, Problem> {
    let (mut found, mut after) = (Vec::new(), 0);
    let below: BTreeSet<&RunId> = tree.iter().map(|row| &row.id).collect();
    let ours = |fact: &EventRow| run.root == run.id || below.contains(&fact.run);
    loop {
        let page = service.store().events(run.root.clone(), after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(found) };
        after = last.seq;
        let frames = page.iter().filter(|fact| ours(fact)).map(|fact| serde_json::from_str(&fact.frame()));
        let frames: Result<Vec<Value>, _> = frames.collect();
        found.extend(frames.map_err(|fault| Problem::internal(&fault))?);
    }
}

/// Returns each question with its answer.
fn questions(facts: &[Value]) -> Vec<Value> {
    let answers = facts.iter().filter(|fact| fact["type"] == "question_resolved");
    let answers: HashMap<&str, &Value> =
        answers.filter_map(|fact| Some((fact["reference"].as_str()?, fact))).collect();
    let asked_questions = facts.iter().filter(|fact| fact["type"] == "agent_question");
    let with_answer = |fact: &Value| {
        let answer = fact["reference"].as_str().and_then(|reference| answers.get(reference));
        let mut question = fact.clone();
        question["resolved"] = json!(answer.map(|fact| json!({
            "by": fact["by"], "client": fact["client"], "answer": fact["answer"], "at": fact["at"],
        })));
        question
    };
    asked_questions.map(with_answer).collect()
}

/// Returns the files of the agents of these runs, and of all agents that they may call.
fn agents(library: &Library, tree: &[RunRow]) -> Vec<Value> {
    let (mut found, mut names) = (Vec::new(), VecDeque::new());
    let mut known: BTreeSet<String> = BTreeSet::new();
    for row in tree {
        let text = row.version.as_ref().and_then(|version| library.text_at(&row.agent, version));
        if let (Some(text), Some(version), true) = (text, &row.version, known.insert(row.agent.clone())) {
            names.extend(
                library.version_spec(&row.agent, version).iter().flat_map(|spec| spec.callable_agents()),
            );
            found.push(json!({"name": row.agent, "version": version, "text": text.as_ref()}));
        }
    }
    // The planner of an orchestration may call any agent.
    if tree.iter().any(|row| row.program == Orchestration::NAME) {
        names.extend(library.list().iter().map(|version| version.spec.name.clone()));
    }
    while let Some(name) = names.pop_front() {
        if let Some((text, version)) = library.read_text(&name).filter(|_| known.insert(name.clone())) {
            names.extend(library.get(&name).iter().flat_map(|spec| spec.callable_agents()));
            found.push(json!({"name": name, "version": version, "text": text.as_ref()}));
        }
    }
    found
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
