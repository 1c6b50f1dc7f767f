//! `GET /v1/models`: the agents as models. Also builds an agent's input from a chat.

use crate::agent_spec::types::spec::{AgentSpec, TitleLanguage};
use crate::engine::error::RunRequestError;
use crate::engine::program::ProgramError;
use crate::http::openai::http_result::OpenAiResult;
use crate::http::openai::request;
use crate::http::openai::request::ChatRequest;
use crate::http::problem::Problem;
use crate::http::rest::runs::run_bodies;
use crate::http::service::{Service, run_blocking};
use actix_web::{HttpResponse, web};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// List the agents as models.
#[utoipa::path(get, path = "/v1/models", tag = "openai", responses(
    (status = 200, description = "`object` is `list`; `data` has a `model` for each agent.", body = Object),
))]
pub async fn list(service: web::Data<Service>) -> OpenAiResult {
    let library = Arc::clone(&service.library);
    let found =
        run_blocking(move || library.list().iter().map(|agent| model(&agent.spec)).collect::<Vec<_>>())
            .await?;
    Ok(HttpResponse::Ok().json(json!({"object": "list", "data": found})))
}

/// Get one agent as a model.
#[utoipa::path(get, path = "/v1/models/{model}", tag = "openai", params(("model" = String, Path)), responses(
    (status = 200, body = Object),
    (status = 404, description = "There is no such agent.", body = run_bodies::Fault),
))]
pub async fn get_model(service: web::Data<Service>, name: web::Path<String>) -> OpenAiResult {
    let (library, name) = (Arc::clone(&service.library), name.into_inner());
    let wanted = name.clone();
    match run_blocking(move || library.get(&wanted)).await? {
        Some(spec) => Ok(HttpResponse::Ok().json(model(&spec))),
        None => Err(Problem::from(RunRequestError::from(ProgramError::UnknownAgent(name))).into()),
    }
}

fn model(spec: &AgentSpec) -> Value {
    json!({
        "id": spec.name,
        "object": "model",
        // Agents have no date of creation, but clients require a number.
        "created": 0,
        "owned_by": "askfirst",
        "name": spec.title(TitleLanguage::En),
    })
}

/// Builds the input of a new run for this chat.
pub async fn input_from_chat(service: &Service, chat: &ChatRequest) -> Result<Map<String, Value>, Problem> {
    let (library, name) = (Arc::clone(&service.library), chat.model.clone());
    let spec = run_blocking(move || library.get(&name)).await?;
    // Inputs are unknown for an agent without a file.
    let Some(spec) = spec else {
        return Ok(parse_input_object(chat).unwrap_or_else(|| input_with_text("text", chat)));
    };
    let declared = |name: &str| spec.inputs.iter().any(|variable| variable.name == name);
    if spec.converses() || declared("text") {
        let mut input = input_with_text("text", chat);
        if spec.converses() && !declared("history") {
            let history = request::history_input(&chat.history);
            input.extend((!history.is_empty()).then(|| (String::from("history"), Value::from(history))));
        }
        return Ok(input);
    }
    if let Some(input) = parse_input_object(chat) {
        return Ok(input);
    }
    match spec.inputs.as_slice() {
        [only] => Ok(input_with_text(&only.name, chat)),
        [] => Ok(Map::new()),
        several => {
            let names: Vec<&str> = several.iter().map(|variable| variable.name.as_str()).collect();
            let words = format!(
                "{} takes several inputs ({}); write them as a JSON object",
                spec.name,
                names.join(", ")
            );
            Err(Problem::bad_request("bad_input", words))
        }
    }
}

/// Parses the message as a JSON object of inputs.
fn parse_input_object(chat: &ChatRequest) -> Option<Map<String, Value>> {
    serde_json::from_str(&chat.text).ok()
}

fn input_with_text(name: &str, chat: &ChatRequest) -> Map<String, Value> {
    Map::from_iter([(name.to_owned(), Value::from(chat.text.clone()))])
}
