//! What is no message of the protocol, answered as JSON-RPC has it.

use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpMessage, HttpRequest, HttpResponse};
use http::StatusCode;
use rmcp::model::{CustomRequest, ErrorCode, ErrorData};
use serde_json::{Value, json};

/// The methods that are answered here, of those with parameters.
const METHODS: [&str; 5] =
    ["initialize", "server/discover", "tools/list", "tools/call", "subscriptions/listen"];

/// The answer to a body that rmcp could not read, which it answers as it would another type of content.
pub fn unread<B>(request: &HttpRequest, body: &[u8], answer: &http::Response<B>) -> Option<HttpResponse> {
    let json = request.content_type().eq_ignore_ascii_case("application/json");
    if answer.status() != StatusCode::UNSUPPORTED_MEDIA_TYPE || !json {
        return None;
    }
    let (id, fault) = match serde_json::from_slice::<Value>(body) {
        Err(fault) => (None, ErrorData::parse_error(format!("Parse error: {fault}"), None)),
        Ok(value) => {
            let words =
                "Invalid request: send one message of JSON-RPC 2.0, with an id that is a text or an integer";
            (id(&value), ErrorData::invalid_request(words, None))
        }
    };
    let mut told = json!({"jsonrpc": "2.0", "error": fault});
    // Where it could not be read it is left out.
    if let (Some(id), Some(told)) = (id, told.as_object_mut()) {
        told.insert(String::from("id"), id);
    }
    Some(HttpResponse::BadRequest().insert_header((CONTENT_TYPE, "application/json")).body(told.to_string()))
}

fn id(message: &Value) -> Option<Value> {
    let id = message.get("id").filter(|_| message["method"].is_string())?;
    (id.is_string() || id.is_i64()).then(|| id.clone())
}

/// A method that is known comes here only if its parameters do not fit.
pub fn misfit(request: &CustomRequest) -> ErrorData {
    let method = request.method.as_str();
    if !METHODS.contains(&method) {
        return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None);
    }
    let words = match method {
        "tools/call" => "`params` must have `name`, a text, and may have `arguments`, an object",
        _ => "`params` does not fit",
    };
    ErrorData::invalid_params(format!("Invalid params of {method}: {words}"), None)
}

/// A tool that is not there.
pub fn unknown(tool: &str) -> ErrorData {
    ErrorData::invalid_params(format!("Unknown tool: {tool}"), None)
}
