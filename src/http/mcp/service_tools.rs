//! Tools of the service itself. Their names contain hyphens, which agents' names cannot.

use crate::engine::registry::answers::AnswerQuestion;
use crate::engine::registry::view;
use crate::http::guard;
use crate::http::mcp::context::Handler;
use crate::http::mcp::{sessions, tool_results};
use crate::http::problem::Problem;
use crate::http::rest::runs;
use crate::http::service::Service;
use crate::ids::{QuestionId, RunId};
use crate::protocol::caller::{Caller, CallerKind};
use crate::protocol::server::ResolvedBy;
use crate::protocol::{Status, client};
use crate::store::rows::RunFilter;
use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use rmcp::service::{RequestContext, RoleServer};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Default and maximum number of listed runs.
const RUNS: usize = 20;
const MOST_RUNS: usize = 200;

/// Header of a client that acts for a model: it cannot answer for the person.
pub const NO_ANSWERS: &str = "askfirst-no-answers";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceTool {
    RunsList,
    RunsRead,
    QuestionsList,
    QuestionsAnswer,
}

impl ServiceTool {
    const ALL: [Self; 4] = [Self::RunsList, Self::RunsRead, Self::QuestionsList, Self::QuestionsAnswer];

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|service_tool| service_tool.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Self::RunsList => "runs-list",
            Self::RunsRead => "runs-read",
            Self::QuestionsList => "questions-list",
            Self::QuestionsAnswer => "questions-answer",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::RunsList => "Runs of agents, newest first.",
            Self::RunsRead => "One run, whole: how it stands, its outputs, what it asks.",
            Self::QuestionsList => "What waits for the person, with links where they answer.",
            Self::QuestionsAnswer => {
                "Gives the person's own answer to a question; only for clients with the token of the service's \
                 settings, and not for runs that this client started."
            }
        }
    }

    fn schema(self) -> JsonObject {
        let text = |words: &str| json!({"type": "string", "description": words});
        let (properties, required) = match self {
            Self::RunsList => (
                json!({
                    "status": {"type": "string", "enum": Status::names()},
                    "agent": text("Only runs of this agent."),
                    "text": text("Words of titles, messages, answers and sites, each by its beginning."),
                    "limit": {"type": "integer", "minimum": 1, "maximum": MOST_RUNS, "default": RUNS},
                }),
                json!([]),
            ),
            Self::RunsRead => (json!({"run_id": text("As runs-list has it.")}), json!(["run_id"])),
            Self::QuestionsList => (json!({"run_id": text("Only those of this run's tree.")}), json!([])),
            Self::QuestionsAnswer => (
                json!({
                    "reference": text("As questions-list has it."),
                    "confirmed": {"type": "boolean", "description": "To a question for approval."},
                    "comment": text("With a refusal: what to do instead."),
                    "text": text("To a question for words."),
                    "done": {"type": "boolean", "description": "To a request for the person's hands."},
                }),
                json!(["reference"]),
            ),
        };
        let mut schema = Map::new();
        schema.insert("type".into(), json!("object"));
        schema.insert("properties".into(), properties);
        schema.insert("required".into(), required);
        schema
    }
}

pub fn tools() -> Vec<Tool> {
    let tool = |service_tool: ServiceTool| {
        let reads = ToolAnnotations::new().read_only(service_tool != ServiceTool::QuestionsAnswer);
        Tool::new(service_tool.name(), service_tool.words(), service_tool.schema()).with_annotations(reads)
    };
    ServiceTool::ALL.into_iter().map(tool).collect()
}

pub async fn call(
    handler: &Handler,
    service_tool: ServiceTool,
    arguments: Map<String, Value>,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    let service = &handler.service;
    let done = match service_tool {
        ServiceTool::RunsList => list(service, arguments).await,
        ServiceTool::RunsRead => read(handler, &handler.base(context), arguments).await,
        ServiceTool::QuestionsList => questions(handler, &handler.base(context), arguments).await,
        ServiceTool::QuestionsAnswer => answer(handler, arguments, context).await,
    };
    match done {
        Ok(value) => tool_results::json_result(value),
        Err(problem) => tool_results::problem_result(&problem),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    status: Option<String>,
    agent: Option<String>,
    text: Option<String>,
    limit: Option<usize>,
}

async fn list(service: &Service, arguments: Map<String, Value>) -> Result<Value, Problem> {
    let Listed { status, agent, text, limit } = parse_arguments(arguments)?;
    if let Some(word) = status.as_deref().filter(|word| Status::from_word(word).is_none()) {
        let known = Status::names().join(", ");
        return Err(Problem::invalid("bad_input", format!("there is no status \"{word}\"; use {known}")));
    }
    let limit = limit.unwrap_or(RUNS).clamp(1, MOST_RUNS);
    let (statuses, archived) = (status.into_iter().collect(), Some(false));
    let filter =
        RunFilter { statuses, agent, query: text, roots: true, archived, limit, ..RunFilter::default() };
    let rows = service.store().runs(filter).await?;
    Ok(json!({"items": rows.iter().map(view::list_row).collect::<Vec<_>>()}))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfRun {
    run_id: Option<RunId>,
}

async fn read(handler: &Handler, base: &str, arguments: Map<String, Value>) -> Result<Value, Problem> {
    let service: &Service = &handler.service;
    let OfRun { run_id } = parse_arguments(arguments)?;
    let run = run_id.ok_or_else(|| Problem::invalid("bad_input", "`run_id` is missing"))?;
    let mut whole = runs::full_run(service, &run).await?;
    let link = tool_results::link(base, &service.run(&run).await?);
    if let Value::Object(whole) = &mut whole {
        let questions = whole.remove("questions").unwrap_or_default();
        let brief =
            questions.as_array().into_iter().flatten().map(|question| tool_results::brief(question, &link));
        whole.insert(String::from("questions"), brief.collect());
        whole.insert(String::from("link"), json!(link));
    }
    Ok(whole)
}

async fn questions(handler: &Handler, base: &str, arguments: Map<String, Value>) -> Result<Value, Problem> {
    let service: &Service = &handler.service;
    let OfRun { run_id } = parse_arguments(arguments)?;
    let root = match run_id {
        Some(run) => Some(service.run(&run).await?.root),
        None => None,
    };
    let mut items = Vec::new();
    for row in service.store().open_questions(root).await? {
        let link = tool_results::link(base, &service.run(&row.run).await?);
        items.push(tool_results::brief(&view::question(&row), &link));
    }
    Ok(json!({"items": items}))
}

#[derive(Deserialize)]
struct Answered {
    reference: QuestionId,
    #[serde(flatten)]
    answer: client::Answer,
}

async fn answer(
    handler: &Handler,
    arguments: Map<String, Value>,
    context: &RequestContext<RoleServer>,
) -> Result<Value, Problem> {
    let Some(token) = &handler.token else {
        let detail = "answers are the person's: set `server.token` to let a client give them that has it, or \
            answer at the question's link";
        return Err(Problem::forbidden("no_answers", detail));
    };
    let head = context.extensions.get::<http::request::Parts>().map(|parts| &parts.headers);
    let shown = head.and_then(|headers| headers.get(http::header::AUTHORIZATION)?.to_str().ok());
    let answers_forbidden = head.is_some_and(|headers| headers.contains_key(NO_ANSWERS));
    if answers_forbidden || !shown.is_some_and(|shown| guard::is_bearer_of(shown, token)) {
        let detail = "this client may not answer for the person; they answer at the question's link";
        return Err(Problem::forbidden("no_answers", detail));
    }
    let Answered { reference, answer } = parse_arguments(arguments)?;
    let service = &handler.service;
    let client = caller(context);
    let by = ResolvedBy::from_client(Some(&client));
    service.ask_registry(AnswerQuestion::new(reference.clone(), answer, None, client)).await?;
    let run = service.store().question(reference.clone()).await?.map(|row| row.run);
    Ok(json!({"reference": reference, "run_id": run, "by": by}))
}

/// Returns the client that starts a run with a tool call; `None` if it cannot answer questions anyway, so that
/// the owner's client with the same name and token may.
pub fn starting_client(context: &RequestContext<RoleServer>) -> Option<Caller> {
    let head = context.extensions.get::<http::request::Parts>().map(|parts| &parts.headers);
    let answers_forbidden = head.is_some_and(|headers| headers.contains_key(NO_ANSWERS));
    (!answers_forbidden).then(|| caller(context))
}

/// Identifies the client by a hash of its session, if it has one, and by the name that it gave at
/// initialization.
fn caller(context: &RequestContext<RoleServer>) -> Caller {
    let head = context.extensions.get::<http::request::Parts>().map(|parts| &parts.headers);
    let session =
        head.and_then(|headers| headers.get(sessions::NAME)).map(|id| Sha256::digest(id.as_bytes()));
    let id = session.map_or_else(|| String::from("token"), |digest| format!("{digest:x}"));
    let name = context.peer.peer_info().map(|info| info.client_info.name.clone());
    Caller::new(CallerKind::Mcp, id.get(..16).unwrap_or(&id), name.as_deref())
}

fn parse_arguments<'a, T: Deserialize<'a>>(arguments: Map<String, Value>) -> Result<T, Problem> {
    T::deserialize(Value::Object(arguments)).map_err(|fault| Problem::invalid("bad_input", fault.to_string()))
}
