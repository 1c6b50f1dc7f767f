//! Bodies of requests as named values, so that a person can read what would leave, and the changes between two of
//! them. Pure: no input makes a reader panic, and every reader has limits.

pub mod body_value;
pub mod value_list;
pub mod media_type;
pub mod json_tree;
pub mod form_fields;
pub mod multipart;
pub mod xml_text;
pub mod graphql;
pub mod name_words;
pub mod call_names;
pub mod changes;
pub mod masking;

#[cfg(test)]
mod tests;

pub use crate::page::request_body::body_value::{
    BodyValue, BodyValues, GraphqlOperation, OperationKind, RequestBody, ValueKind,
};
pub use crate::page::request_body::call_names::{names_operation, tells_calls_apart, tells_json_calls_apart};
pub use crate::page::request_body::changes::opaque_tokens::{is_opaque_token, names_stamp};
pub use crate::page::request_body::changes::view_state::is_view_state;
pub use crate::page::request_body::changes::{ValueChange, difference};
pub use crate::page::request_body::masking::mask_secrets;
pub use crate::page::request_body::masking::secret_names::is_secret_name;
pub use crate::page::request_body::masking::secret_patterns::is_card_number;

use crate::page::request_body::json_tree::{JsonTree, push_tree};
use crate::page::request_body::media_type::{BodySyntax, find_syntax, is_binary};
use crate::page::request_body::value_list::{ReadLimits, ValueList};
use url::Url;

/// Limits for bodies that are shown.
const SHOWN: ReadLimits = ReadLimits { values: 500, value: 20_000 };
/// Limits for bodies that are compared with each other.
const COMPARED: ReadLimits = ReadLimits { values: 50_000, value: 4_000_000 };
/// Name of the value of a body that has no fields.
const WHOLE: &str = "body";

/// Reads a body for showing it: at most 500 values of at most 20,000 characters.
pub fn read_body(content_type: &str, body: Option<&[u8]>, size: Option<u64>) -> RequestBody {
    read_within(content_type, body, size, SHOWN)
}

/// Reads a body for [`difference`], within far wider limits: a change after the 500th value counts too. If even
/// this is truncated, the two bodies cannot be compared.
pub fn read_whole_body(content_type: &str, body: Option<&[u8]>, size: Option<u64>) -> RequestBody {
    read_within(content_type, body, size, COMPARED)
}

/// Returns the values of a URL's query.
pub fn read_query(url: &Url) -> Vec<BodyValue> {
    let mut values = read_query_body(url).values;
    values.retain(|value| !is_cache_buster(value));
    values
}

/// True for a query that is one bare number by which a page has an address fetched anew: a time, or a random fraction.
fn is_cache_buster(value: &BodyValue) -> bool {
    let is_fraction = || {
        value
            .name
            .strip_prefix("0.")
            .is_some_and(|rest| rest.len() >= 8 && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    value.value.is_empty() && (changes::opaque_tokens::is_count_of_time(&value.name) || is_fraction())
}

/// Returns the GraphQL operations of a URL's query.
pub fn read_query_graphql(url: &Url) -> Vec<GraphqlOperation> {
    read_query_body(url).graphql
}

fn read_query_body(url: &Url) -> BodyValues {
    let mut list = ValueList::new(SHOWN);
    push_form(&mut list, url.query().unwrap_or_default().as_bytes());
    list.read
}

fn read_within(
    content_type: &str,
    body: Option<&[u8]>,
    size: Option<u64>,
    limits: ReadLimits,
) -> RequestBody {
    let opaque = || RequestBody::Opaque { content_type: content_type.to_owned(), size };
    let Some(body) = body.filter(|body| !body.is_empty()) else {
        return if size.unwrap_or(0) == 0 { RequestBody::Empty } else { opaque() };
    };
    let opaque = || RequestBody::Opaque {
        content_type: content_type.to_owned(),
        size: Some(size.unwrap_or(body.len() as u64).max(body.len() as u64)),
    };
    let mut list = ValueList::new(limits);
    let syntax = find_syntax(content_type);
    let is_read = match &syntax {
        BodySyntax::Multipart(boundary) => push_multipart(&mut list, body, boundary.as_deref(), size),
        BodySyntax::Binary => push_unnamed_json(&mut list, content_type, body),
        _ if is_binary(body) => false,
        BodySyntax::Form => {
            if !push_json_container(&mut list, &String::from_utf8_lossy(body)) {
                push_form(&mut list, body);
            }
            true
        }
        other => {
            push_textual(&mut list, other, content_type, &String::from_utf8_lossy(body));
            true
        }
    };
    if !is_read {
        return opaque();
    }
    if !matches!(syntax, BodySyntax::Multipart(_)) {
        list.read.is_truncated |= size.is_some_and(|size| size > body.len() as u64);
    }
    RequestBody::Values(list.read)
}

fn push_form(list: &mut ValueList, body: &[u8]) {
    let fields = form_fields::split_fields(body);
    if !graphql::push_form(list, &fields) {
        form_fields::push_fields(list, &fields);
    }
}

fn push_multipart(list: &mut ValueList, body: &[u8], boundary: Option<&str>, size: Option<u64>) -> bool {
    let found = multipart::split_parts(body, boundary, size);
    if found.parts.is_empty() {
        return false;
    }
    list.read.is_truncated |= !found.is_complete;
    if !graphql::push_upload(list, &found.parts) {
        for part in &found.parts {
            multipart::push_part(list, part);
        }
    }
    true
}

/// Reads JSON that was sent as a blob of no certain type.
fn push_unnamed_json(list: &mut ValueList, content_type: &str, body: &[u8]) -> bool {
    let is_general = content_type.to_ascii_lowercase().contains("octet-stream");
    is_general && !is_binary(body) && push_json_container(list, &String::from_utf8_lossy(body))
}

fn push_textual(list: &mut ValueList, syntax: &BodySyntax, content_type: &str, text: &str) {
    let text = text.trim_start_matches('\u{feff}');
    match syntax {
        BodySyntax::Graphql => graphql::push_document(list, text),
        BodySyntax::Xml => xml_text::push_xml(list, text),
        BodySyntax::Json => match JsonTree::parse(text.trim()) {
            Some(tree) if graphql::is_graphql(&tree) => graphql::push_graphql(list, &tree),
            Some(tree) if matches!(tree, JsonTree::Object(_) | JsonTree::List(_)) => {
                push_tree(list, "", &tree)
            }
            Some(tree) => push_tree(list, WHOLE, &tree),
            None if push_json_container(list, text) => {}
            None => list.push_text(WHOLE, text),
        },
        _ if push_json_container(list, text) => {}
        _ if content_type.is_empty() && form_fields::is_encoded_form(text) => {
            push_form(list, text.as_bytes())
        }
        _ => match form_fields::split_plain_lines(text) {
            Some(fields) => form_fields::push_fields(list, &fields),
            None if text.trim_start().starts_with("<?xml") => xml_text::push_xml(list, text),
            None => list.push_text(WHOLE, text),
        },
    }
}

/// Pushes a text that is a JSON object, list, or JSON lines; returns false for any other text.
fn push_json_container(list: &mut ValueList, text: &str) -> bool {
    let tree = JsonTree::parse_container(text).or_else(|| JsonTree::parse_lines(text).map(JsonTree::List));
    match &tree {
        Some(tree) if graphql::is_graphql(tree) => graphql::push_graphql(list, tree),
        Some(tree) => push_tree(list, "", tree),
        None => return false,
    }
    true
}
