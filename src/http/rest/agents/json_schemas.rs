//! JSON Schemas of agent files and of the wire protocol, generated from the types.

use crate::agent_spec;
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::run_bodies;
use crate::ids::RunId;
use crate::protocol::client::ClientFrame;
use crate::protocol::server::{Fact, Reply};
use crate::turn::action::NAMES;
use crate::turn::agent_tools::Tool;
use crate::turn::internal_action::INTERNAL;
use crate::turn::schema::{TurnForm, turn_schema};
use actix_web::{HttpResponse, web};
use schemars::{JsonSchema, schema_for};
use serde_json::json;

/// An event with its envelope, as it is sent.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its derive reads it")]
struct FactFrame {
    #[serde(flatten)]
    fact: Fact,
    run_id: RunId,
    root_run_id: RunId,
    seq: u64,
    at: String,
}

/// A text frame from the server.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "only its derive reads it")]
enum ServerFrame {
    Fact(FactFrame),
    Reply(Reply),
}

const NAMES_OF_ALL: [&str; 4] = ["agent", "client", "server", "turn"];

/// List the schemas.
#[utoipa::path(get, path = "/api/schema/", tag = "service", responses(
    (status = 200, body = run_bodies::Page<run_bodies::SchemaRow>),
))]
pub async fn list() -> HttpResponse {
    let items = NAMES_OF_ALL.map(|name| json!({"name": name, "url": format!("/api/schema/{name}")}));
    HttpResponse::Ok().json(json!({"items": items, "cursor": null}))
}

/// Get a schema: of an `agent` file, of `client` frames, of `server` frames, or of a model's `turn`.
#[utoipa::path(get, path = "/api/schema/{name}", tag = "service",
    params(("name" = String, Path, description = "agent, client, server, turn")),
    responses(
        (status = 200, body = Object),
        (status = 404, description = "There is no such schema.", body = run_bodies::Fault),
))]
pub async fn get_schema(name: web::Path<String>) -> HttpResult {
    let schema = match name.as_str() {
        "agent" => agent_spec::schema::editor_schema(),
        "client" => json!(schema_for!(ClientFrame)),
        "server" => json!(schema_for!(ServerFrame)),
        "turn" => {
            let agent = Tool { name: String::from("name_of_an_agent"), ..Tool::default() };
            turn_schema(&TurnForm::full(&[&NAMES[..], &INTERNAL[..]].concat(), &[agent]))
        }
        other => {
            let detail = format!("there is no schema \"{other}\"; there are {}", NAMES_OF_ALL.join(", "));
            return Err(Problem::not_found("not_found", detail));
        }
    };
    Ok(HttpResponse::Ok().json(schema))
}
