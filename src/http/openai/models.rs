//! `GET /v1/models`: the agents as models. Also builds an agent's input from a chat.

use crate::agent_spec::types::spec::{AgentSpec, TitleLanguage};
use crate::engine::program::ProgramError;
use crate::engine::registry::error::RegistryError;
use crate::http::openai::http_result::Answered;
use crate::http::openai::request;
use crate::http::openai::request::Asked;
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
pub async fn list(service: web::Data<Service>) -> Answered {
    let library = Arc::clone(&service.catalogue);
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
pub async fn get_model(service: web::Data<Service>, name: web::Path<String>) -> Answered {
    let (library, wanted) = (Arc::clone(&service.catalogue), name.into_inner());
    let asked = wanted.clone();
    match run_blocking(move || library.get(&asked)).await? {
        Some(spec) => Ok(HttpResponse::Ok().json(model(&spec))),
        None => Err(Problem::from(RegistryError::from(ProgramError::UnknownAgent(wanted))).into()),
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
pub async fn input(service: &Service, asked: &Asked) -> Result<Map<String, Value>, Problem> {
    let (library, name) = (Arc::clone(&service.catalogue), asked.model.clone());
    let spec = run_blocking(move || library.get(&name)).await?;
    // Inputs are unknown for an agent without a file.
    let Some(spec) = spec else { return Ok(object(asked).unwrap_or_else(|| spoken("text", asked))) };
    let declared = |name: &str| spec.inputs.iter().any(|variable| variable.name == name);
    if spec.converses() || declared("text") {
        let mut input = spoken("text", asked);
        if spec.converses() && !declared("history") {
            let told = request::history_input(&asked.history);
            input.extend((!told.is_empty()).then(|| (String::from("history"), Value::from(told))));
        }
        return Ok(input);
    }
    if let Some(input) = object(asked) {
        return Ok(input);
    }
    match spec.inputs.as_slice() {
        [only] => Ok(spoken(&only.name, asked)),
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
fn object(asked: &Asked) -> Option<Map<String, Value>> {
    serde_json::from_str(&asked.text).ok()
}

fn spoken(name: &str, asked: &Asked) -> Map<String, Value> {
    Map::from_iter([(name.to_owned(), Value::from(asked.text.clone()))])
}
