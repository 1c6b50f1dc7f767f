//! GraphQL over HTTP: single requests, batches, persisted queries, form fields, and multipart uploads.

pub mod document;
pub mod lexer;

#[cfg(test)]
mod tests;

use crate::page::request_body::body_value::{BodyValue, GraphqlOperation, OperationKind, ValueKind};
use crate::page::request_body::graphql::document::{WrittenOperation, read_document};
use crate::page::request_body::json_tree::{JsonTree, push_tree};
use crate::page::request_body::multipart::{BodyPart, push_part};
use crate::page::request_body::value_list::ValueList;

/// Fields of a request that GraphQL over HTTP defines.
const PROTOCOL_FIELDS: &[&str] = &["query", "operationName", "variables", "extensions"];
/// Fields in which widespread clients send the id or hash of a document that the server knows, instead of `query`.
const ID_FIELDS: &[&str] = &["documentId", "doc_id", "queryId", "id", "hash"];
/// Id fields by which alone a request is recognised.
const CERTAIN_ID_FIELDS: &[&str] = &["documentId", "doc_id", "queryId"];

/// Reports whether a tree is a GraphQL request, or a list of such requests.
pub fn is_graphql(tree: &JsonTree) -> bool {
    match tree {
        JsonTree::List(items) => !items.is_empty() && items.iter().all(is_request),
        other => is_request(other),
    }
}

fn is_request(tree: &JsonTree) -> bool {
    let has = |key: &str| tree.get(key).is_some();
    if !matches!(tree, JsonTree::Object(_)) {
        return false;
    }
    let query = tree.get("query").and_then(JsonTree::as_text);
    let persisted =
        tree.get("extensions").is_some_and(|extensions| extensions.get("persistedQuery").is_some());
    let is_named = has("operationName") && (has("variables") || has("id") || has("hash"));
    query.is_some_and(|text| read_document(text).is_some() || is_hash(text) && has("variables"))
        || persisted
        || query.is_none() && (is_named || has("variables") && CERTAIN_ID_FIELDS.iter().any(|key| has(key)))
}

fn is_hash(text: &str) -> bool {
    (32..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Pushes the operations and variables of requests.
pub fn push_graphql(list: &mut ValueList, tree: &JsonTree) {
    match tree {
        JsonTree::List(items) if items.len() == 1 => push_request(list, "", &items[0]),
        JsonTree::List(items) => {
            for (index, item) in items.iter().enumerate() {
                push_request(list, &format!("[{index}]"), item);
            }
        }
        single => push_request(list, "", single),
    }
}

fn push_request(list: &mut ValueList, path: &str, tree: &JsonTree) {
    let JsonTree::Object(entries) = tree else { return };
    let named = ["operationName", "fb_api_req_friendly_name"].iter().find_map(|key| tree.get(key)?.as_text());
    let name = named.unwrap_or_default();
    let foreign: Vec<String> =
        entries.iter().map(|(key, _)| key.clone()).filter(|key| !is_protocol_field(tree, key)).collect();
    // Repeated keys: one server takes the first query, another the last.
    let queries = entries.iter().filter(|(key, _)| key == "query").filter_map(|(_, text)| text.as_text());
    let mut written: Vec<WrittenOperation> = Vec::new();
    let mut is_known = true;
    for text in queries {
        match read_document(text) {
            Some(document) => {
                is_known &= document.is_whole;
                written.extend(document.operations);
            }
            None => is_known = false,
        }
    }
    let chosen = choose_operations(written, name);
    list.read.graphql.push(summarize(&chosen, is_known, name, foreign));
    push_values(list, path, tree, &chosen);
}

/// Reports whether a field belongs to GraphQL. Beside a query text, an id has no meaning to a GraphQL server.
fn is_protocol_field(tree: &JsonTree, key: &str) -> bool {
    PROTOCOL_FIELDS.contains(&key) || tree.get("query").is_none() && ID_FIELDS.contains(&key)
}

/// Returns the operation of this name, or all if there is none or several.
fn choose_operations(written: Vec<WrittenOperation>, name: &str) -> Vec<WrittenOperation> {
    let named: Vec<WrittenOperation> =
        written.iter().filter(|operation| !name.is_empty() && operation.name == name).cloned().collect();
    if named.is_empty() { written } else { named }
}

fn summarize(
    chosen: &[WrittenOperation],
    is_known: bool,
    name: &str,
    foreign_fields: Vec<String>,
) -> GraphqlOperation {
    let has = |kind: OperationKind| chosen.iter().any(|operation| operation.kind == kind);
    let kind = match chosen.first() {
        _ if has(OperationKind::Mutation) => OperationKind::Mutation,
        _ if has(OperationKind::Subscription) => OperationKind::Subscription,
        Some(_) if is_known => OperationKind::Query,
        _ => OperationKind::PersistedQuery,
    };
    let written_name =
        chosen.iter().find(|operation| operation.kind == kind).map(|operation| &operation.name);
    let name = if name.is_empty() { written_name.cloned().unwrap_or_default() } else { name.to_owned() };
    let fields = chosen.iter().flat_map(|operation| operation.fields.iter().cloned()).collect();
    GraphqlOperation { kind, name, fields, foreign_fields }
}

/// Pushes the variables, the values written in the document, and the fields beside those of GraphQL.
fn push_values(list: &mut ValueList, path: &str, tree: &JsonTree, chosen: &[WrittenOperation]) {
    let JsonTree::Object(entries) = tree else { return };
    let start = list.read.values.len();
    for (key, value) in entries {
        match (key.as_str(), value) {
            ("variables", JsonTree::Null) => {}
            ("variables", JsonTree::Object(variables)) if variables.is_empty() => {}
            ("variables", JsonTree::Object(_)) => push_tree(list, path, value),
            // Some clients send the variables as text.
            ("variables", JsonTree::Text(text)) if JsonTree::parse_container(text).is_some() => {
                push_tree(list, path, &JsonTree::parse_container(text).unwrap_or(JsonTree::Null));
            }
            ("extensions", JsonTree::Object(extensions)) => {
                for (name, extension) in extensions.iter().filter(|(name, _)| name != "persistedQuery") {
                    push_tree(list, &join(path, &format!("extensions.{name}")), extension);
                }
            }
            (name, _) if name != "variables" && is_protocol_field(tree, name) => {}
            _ => push_tree(list, &join(path, key), value),
        }
    }
    push_written_values(list, path, chosen, start);
}

/// Pushes the values of the document: defaults of variables that the request does not give, and arguments.
fn push_written_values(list: &mut ValueList, path: &str, chosen: &[WrittenOperation], start: usize) {
    let given: Vec<String> = list.read.values[start..].iter().map(|value| value.name.clone()).collect();
    let is_given = |variable: &str| {
        given
            .iter()
            .filter_map(|name| name.strip_prefix(variable))
            .any(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    for BodyValue { name, value, kind } in chosen.iter().flat_map(|operation| &operation.defaults) {
        let variable = name.split(['.', '[']).next().unwrap_or_default();
        if !is_given(&join(path, variable)) {
            list.push(&join(path, name), value, kind.clone());
        }
    }
    for BodyValue { name, value, kind } in chosen.iter().flat_map(|operation| &operation.arguments) {
        list.push(&join(path, name), value, kind.clone());
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Pushes a document that is the whole body.
pub fn push_document(list: &mut ValueList, text: &str) {
    push_request(list, "", &JsonTree::Object(vec![(String::from("query"), JsonTree::Text(text.to_owned()))]));
}

/// Pushes form fields that are a GraphQL request; returns false if they are none.
pub fn push_form(list: &mut ValueList, fields: &[(String, String)]) -> bool {
    let entries = fields.iter().map(|(name, value)| {
        let is_json = matches!(name.as_str(), "variables" | "extensions");
        let tree = is_json.then(|| JsonTree::parse_container(value)).flatten();
        (name.clone(), tree.unwrap_or_else(|| JsonTree::Text(value.clone())))
    });
    let tree = JsonTree::Object(entries.collect());
    let is_request = is_graphql(&tree);
    if is_request {
        push_request(list, "", &tree);
    }
    is_request
}

/// Pushes the parts of a GraphQL upload; returns false if they are none. The files replace the `null` values that
/// the part `map` names.
pub fn push_upload(list: &mut ValueList, parts: &[BodyPart]) -> bool {
    let find_json = |name: &str| {
        let part = parts.iter().find(|part| part.name == name)?;
        JsonTree::parse_container(std::str::from_utf8(&part.content).ok()?)
    };
    let Some(operations) = find_json("operations").filter(is_graphql) else { return false };
    push_graphql(list, &operations);
    let map = find_json("map").unwrap_or(JsonTree::Null);
    for part in parts.iter().filter(|part| part.name != "operations" && part.name != "map") {
        let paths = match map.get(&part.name) {
            Some(JsonTree::List(paths)) => {
                paths.iter().filter_map(JsonTree::as_text).map(upload_path).collect()
            }
            _ => vec![part.name.clone()],
        };
        for path in paths {
            list.read.values.retain(|value| value.name != path || value.kind != ValueKind::Null);
            push_part(list, &BodyPart { name: path, ..part.clone() });
        }
    }
    true
}

/// Returns the name of a value for a path such as `0.variables.files.1`.
fn upload_path(path: &str) -> String {
    let mut name = String::new();
    for part in path.split('.').filter(|part| *part != "variables") {
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            name.push_str(&format!("[{part}]"));
        } else if name.is_empty() {
            name.push_str(part);
        } else {
            name.push_str(&format!(".{part}"));
        }
    }
    name
}
