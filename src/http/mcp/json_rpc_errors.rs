//! JSON-RPC errors for requests that are not valid messages of the protocol.

use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpMessage, HttpRequest, HttpResponse};
use http::StatusCode;
use rmcp::model::{CustomRequest, ErrorCode, ErrorData};
use serde_json::{Value, json};

/// Methods with parameters that this server implements.
const METHODS: [&str; 5] =
    ["initialize", "server/discover", "tools/list", "tools/call", "subscriptions/listen"];

/// Returns the error for a body that rmcp could not parse; rmcp itself would answer as to a wrong content
/// type.
pub fn unparsed_body_error<B>(
    request: &HttpRequest,
    body: &[u8],
    answer: &http::Response<B>,
) -> Option<HttpResponse> {
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
    let mut body = json!({"jsonrpc": "2.0", "error": fault});
    // JSON-RPC omits the id if it could not be read.
    if let (Some(id), Some(members)) = (id, body.as_object_mut()) {
        members.insert(String::from("id"), id);
    }
    Some(HttpResponse::BadRequest().insert_header((CONTENT_TYPE, "application/json")).body(body.to_string()))
}

fn id(message: &Value) -> Option<Value> {
    let id = message.get("id").filter(|_| message["method"].is_string())?;
    (id.is_string() || id.is_i64()).then(|| id.clone())
}

/// Returns the error for a request that rmcp did not recognize. For a known method, its parameters are
/// invalid.
pub fn invalid_request_error(request: &CustomRequest) -> ErrorData {
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

/// Returns the error for an unknown tool.
pub fn unknown(tool: &str) -> ErrorData {
    ErrorData::invalid_params(format!("Unknown tool: {tool}"), None)
}
