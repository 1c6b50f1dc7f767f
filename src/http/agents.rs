//! The agents that can be run, as the library has them.

use super::problem::Problem;
use super::runs::Answer;
use super::service::Service;
use super::shapes;
use crate::program::ProgramError;
use crate::run::error::RegistryError;
use crate::spec::{AgentSpec, Tongue};
use actix_web::{HttpResponse, web};
use serde_json::{Value, json};

/// All agents, as a bare list.
// S0.34, S0.38
#[utoipa::path(get, path = "/api/agents", tag = "agents", responses((status = 200, body = [shapes::Agent])))]
pub async fn list(service: web::Data<Service>) -> Answer {
    let rows: Vec<Value> = service.catalogue.list().iter().map(|agent| row(&agent.spec)).collect();
    Ok(HttpResponse::Ok().json(rows))
}

/// One agent, as its file says.
// S0.35
#[utoipa::path(get, path = "/api/agents/{name}", tag = "agents", params(("name" = String, Path)), responses(
    (status = 200, description = "The whole file as JSON.", body = Object),
    (status = 404, description = "There is no such agent.", body = shapes::Fault),
    (status = 422, description = "Its file is faulty; `faults` says where.", body = shapes::Fault),
))]
pub async fn one(service: web::Data<Service>, name: web::Path<String>) -> Answer {
    find(&service, &name)
}

/// The same under the name of document 000.
#[utoipa::path(get, path = "/api/agent/{name}", tag = "agents", params(("name" = String, Path)), responses(
    (status = 200, description = "The whole file as JSON.", body = Object),
    (status = 404, description = "There is no such agent.", body = shapes::Fault),
    (status = 422, description = "Its file is faulty; `faults` says where.", body = shapes::Fault),
))]
pub async fn alias(service: web::Data<Service>, name: web::Path<String>) -> Answer {
    find(&service, &name)
}

fn find(service: &Service, name: &str) -> Answer {
    if let Some(agent) = service.catalogue.get(name) {
        return Ok(HttpResponse::Ok().json(agent.as_ref()));
    }
    let faults = service.catalogue.faults_of(name);
    if faults.is_empty() {
        return Err(RegistryError::from(ProgramError::UnknownAgent(name.to_owned())).into());
    }
    let detail = format!("the file of agent {name} is faulty; mend it");
    Err(Problem::invalid("bad_agent", detail).with("faults", json!(faults)))
}

fn row(agent: &AgentSpec) -> Value {
    json!({
        "name": agent.name,
        "title_ua": agent.title(Tongue::Uk),
        "title_en": agent.title(Tongue::En),
        "description_ua": agent.description_ua.as_deref().unwrap_or_default(),
        "kind": agent.kind,
        "executor": agent.executor(),
        "inputs": agent.inputs,
        "outputs": agent.outputs,
        "locals": agent.locals,
    })
}
