//! Names of values that say which operation a request calls.

/// Names whose value is the called operation, in lower case.
const OPERATIONS: [&str; 9] =
    ["operationname", "method", "action", "op", "operation", "cmd", "command", "_action", "_method"];
/// Further names whose values tell calls to one address apart, in lower case.
const KINDS: [&str; 19] = [
    "event",
    "type",
    "kind",
    "do",
    "task",
    "mutation",
    "func",
    "function",
    "msg",
    "packet",
    "call",
    "verb",
    "intent",
    "doc_id",
    "documentid",
    "queryid",
    "sha256hash",
    "transition",
    "step",
];

/// True if the value with this name is the called operation.
pub fn names_operation(name: &str) -> bool {
    OPERATIONS.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// True if a value orders that one of several things is deleted as they are saved: `form-0-DELETE`, `items[0][_destroy]`.
pub fn orders_deletion(name: &str, value: &str) -> bool {
    let thing = name.strip_suffix("-DELETE").or_else(|| name.strip_suffix("[_destroy]"));
    let is_of_one = thing.is_some_and(|thing| !thing.is_empty());
    is_of_one && matches!(value.to_ascii_lowercase().as_str(), "on" | "true" | "1" | "yes")
}

/// True if requests to one address with different values of this name are calls of different kinds.
pub fn tells_calls_apart(name: &str) -> bool {
    names_operation(name) || KINDS.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// True if values of this name tell calls in JSON apart. Messages of sockets shorten `type` to `t`, which is a time in
/// addresses.
pub fn tells_json_calls_apart(name: &str) -> bool {
    tells_calls_apart(name) || name == "t"
}
