//! Requests whose own words say that they only read: GraphQL queries, SQL, batches of GET requests, and called
//! methods that begin with a verb of reading. Pure.

use crate::gate::wire_layer::harmless::stated_effects;
use crate::gate::wire_layer::reading::{self, RequestReading};
use crate::gate::wording::address_effects;
use crate::page::outgoing_request::OutgoingRequest;
use crate::page::request_body::{BodyValue, GraphqlOperation, OperationKind};

/// Names of values that hold SQL.
const SQL_NAMES: [&str; 7] = ["sql", "rawsql", "query", "statement", "stmt", "querytext", "q"];
/// Words that SQL begins with if it reads.
const SQL_READS: [&str; 7] = ["select", "with", "explain", "show", "describe", "values", "table"];
/// Words of SQL that changes something, wherever they stand.
const SQL_WRITES: [&str; 24] = [
    "insert", "update", "delete", "drop", "alter", "create", "truncate", "grant", "revoke", "merge",
    "replace", "into", "call", "exec", "execute", "attach", "detach", "copy", "vacuum", "reindex", "load",
    "set", "pragma", "outfile",
];

/// True if the body names what it asks of the server, and all of it only reads.
pub fn only_reads(request: &OutgoingRequest, reading: &RequestReading) -> bool {
    if !reading.graphql.is_empty() {
        return reading.graphql.iter().all(reads);
    }
    has_sql_alone(reading.body_values()) || is_batch_of_gets(request, reading)
}

/// An operation that only the server knows reads if its name does not say otherwise.
fn reads(operation: &GraphqlOperation) -> bool {
    operation.foreign_fields.is_empty()
        && matches!(
            operation.kind,
            OperationKind::Query | OperationKind::Subscription | OperationKind::PersistedQuery
        )
}

/// True if the values have SQL, all of which reads, and no other text of their own.
fn has_sql_alone(values: &[BodyValue]) -> bool {
    let is_sql = |value: &&BodyValue| {
        let last = value.name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        SQL_NAMES.contains(&last.as_str()) && begins_sql(&value.value)
    };
    let mut texts = values.iter().filter(is_sql).peekable();
    texts.peek().is_some() && texts.all(|value| reads_by_sql(&value.value))
}

fn sql_words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
}

fn begins_sql(text: &str) -> bool {
    let mut words = sql_words(text);
    let first = words.next().unwrap_or_default();
    let known = SQL_READS.contains(&first.as_str()) || SQL_WRITES.contains(&first.as_str());
    known && words.next().is_some()
}

fn reads_by_sql(text: &str) -> bool {
    sql_words(text).next().is_some_and(|first| SQL_READS.contains(&first.as_str()))
        && !sql_words(text).any(|word| SQL_WRITES.contains(&word.as_str()))
        && !calls_deed(text)
}

/// True if SQL calls a function whose name begins with a deed: `delete_user(7)`.
fn calls_deed(text: &str) -> bool {
    let names = text
        .split('(')
        .filter_map(|part| part.trim_end().rsplit(|c: char| !c.is_alphanumeric() && c != '_').next());
    // "replace(", "insert(" and "set_" functions of texts are no deeds of their own.
    names.filter(|name| name.contains('_')).any(|name| stated_effects::deed_of_name(name).is_some())
}

/// True if the request says itself that it changes something: a GraphQL mutation, or SQL that writes.
pub fn asks_for_change(reading: &RequestReading) -> bool {
    !reading.graphql.iter().all(reads) || reading.values.iter().any(|value| writes_by_sql(&value.value))
}

/// True for the beginnings of statements that write. Searches for "update" and the like are none.
fn writes_by_sql(text: &str) -> bool {
    const OBJECTS: [&str; 8] = ["table", "database", "index", "view", "user", "schema", "role", "function"];
    let words: Vec<String> = sql_words(text).take(12).collect();
    words.windows(2).any(|pair| match (pair[0].as_str(), pair[1].as_str()) {
        ("delete", "from") | ("insert" | "merge" | "replace", "into") => true,
        ("drop" | "alter" | "create" | "truncate", object) => OBJECTS.contains(&object),
        ("update", _) => words.iter().any(|word| word == "set"),
        _ => false,
    })
}

/// True for a batch (OData, Microsoft Graph) all of whose requests are by GET to addresses that only show.
fn is_batch_of_gets(request: &OutgoingRequest, reading: &RequestReading) -> bool {
    let by_values = || {
        let values = reading.body_values();
        let of_request =
            |value: &&BodyValue| value.name.starts_with("requests[") || value.name.starts_with('[');
        let parts =
            |name: &str| values.iter().filter(of_request).filter(|value| value.name.ends_with(name)).count();
        let methods = values.iter().filter(|value| value.name.ends_with("].method"));
        let (mut count, mut all_get) = (0, true);
        for method in methods {
            count += 1;
            all_get &= method.value.eq_ignore_ascii_case("get");
        }
        let has_body = values.iter().any(|value| value.name.contains("].body"));
        let is_alone = values.iter().all(|value| of_request(&value));
        count > 0 && all_get && is_alone && !has_body && parts("].url") == count && shows_all(values)
    };
    by_values() || is_mixed_batch_of_gets(request)
}

fn shows_all(values: &[BodyValue]) -> bool {
    values.iter().filter(|value| value.name.ends_with("].url")).all(|value| shows(&value.value))
}

fn shows(address: &str) -> bool {
    let whole = format!("https://batch.example/{}", address.trim_start_matches('/'));
    let address = if address.contains("://") { address } else { &whole };
    !address_effects::is_effectful_address(address)
}

/// True for a multipart batch whose parts are all requests by GET.
fn is_mixed_batch_of_gets(request: &OutgoingRequest) -> bool {
    if !request.content_type.starts_with("multipart/mixed") {
        return false;
    }
    let text = request.body.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
    let request_line = |line: &str| {
        let mut words = line.split(' ');
        let (method, address, version) = (words.next()?, words.next()?, words.next()?);
        version.starts_with("HTTP/").then(|| method == "GET" && shows(address))
    };
    let lines: Vec<bool> = text.lines().filter_map(request_line).collect();
    !lines.is_empty() && lines.iter().all(|gets| *gets)
}

/// True if all called methods, or else the last part of the path, begin with one of the verbs.
pub fn calls_begin_with(reading: &RequestReading, verbs: &[String]) -> bool {
    if !reading.calls.is_empty() {
        return !reading.are_calls_chosen && reading.calls.iter().all(|call| begins_with(call, verbs));
    }
    let last = reading.url.as_ref().and_then(|url| url.path_segments()?.rfind(|part| !part.is_empty()));
    last.is_some_and(|last| last.split([',', ';']).all(|part| is_method(part) && begins_with(part, verbs)))
}

fn method_words(method: &str) -> Vec<String> {
    let mut words = Vec::new();
    reading::push_words(&mut words, method.rsplit(['.', '/']).next().unwrap_or_default());
    words
}

fn begins_with(method: &str, verbs: &[String]) -> bool {
    // "BatchGetDocuments"
    let first = method_words(method).into_iter().find(|word| word != "batch");
    first.is_some_and(|first| verbs.contains(&first))
}

/// True for parts of a path that are named like methods: "ListOrders", "posts.get". A slug such as `get-premium` and a
/// plain word are none.
fn is_method(part: &str) -> bool {
    !part.contains('-') && (part.contains('.') || method_words(part).len() > 1)
}
