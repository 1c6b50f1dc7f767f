//! GraphQL requests of clients in use, and documents that hide what they do.

use crate::page::request_body::body_value::OperationKind::{Mutation, PersistedQuery, Query, Subscription};
use crate::page::request_body::{BodyValues, OperationKind, RequestBody, ValueKind, read_body};
use serde_json::json;

fn read(content_type: &str, body: &str) -> BodyValues {
    match read_body(content_type, Some(body.as_bytes()), None) {
        RequestBody::Values(values) => values,
        other => panic!("{other:?}"),
    }
}

fn read_json(body: &serde_json::Value) -> BodyValues {
    read("application/json", &body.to_string())
}

fn lines(values: &BodyValues) -> Vec<String> {
    values.values.iter().map(|value| format!("{}={}", value.name, value.value)).collect()
}

#[track_caller]
fn assert_query(query: &str, operation: Option<&str>, kind: OperationKind, name: &str, fields: &[&str]) {
    let values = read_json(&json!({"query": query, "operationName": operation, "variables": {}}));
    let [found] = values.graphql.as_slice() else { panic!("{values:?} for {query}") };
    assert_eq!((found.kind, found.name.as_str()), (kind, name), "{query}");
    assert_eq!(found.fields, fields, "{query}");
}

#[test]
fn operations_are_classified() {
    for (query, operation, kind, name, fields) in [
        ("{ me { id } cart }", None, Query, "", vec!["me", "cart"]),
        ("query Cart($id: ID!) { cart(id: $id) { lines { id } } }", None, Query, "Cart", vec!["cart"]),
        // Saleor: the order is placed
        (
            "mutation checkoutComplete($id: ID!) { checkoutComplete(id: $id) { order { id } errors { code } } }",
            Some("checkoutComplete"),
            Mutation,
            "checkoutComplete",
            vec!["checkoutComplete"],
        ),
        ("subscription { messages }", None, Subscription, "", vec!["messages"]),
        ("mutation { a: deletePost(id: 5) { ok } b: pay }", None, Mutation, "", vec!["deletePost", "pay"]),
        // several operations
        ("query A { a } mutation B { b }", Some("A"), Query, "A", vec!["a"]),
        ("query A { a } mutation B { b }", Some("B"), Mutation, "B", vec!["b"]),
        ("query A { a } mutation B { b }", None, Mutation, "B", vec!["a", "b"]),
        ("query A { a } mutation B { b }", Some("C"), Mutation, "C", vec!["a", "b"]),
        // fragments
        (
            "mutation M { ...F } fragment F on Mutation { pay ...G } fragment G on Mutation { ship ...F }",
            None,
            Mutation,
            "M",
            vec!["pay", "ship"],
        ),
        (
            "query { ... on Query @include(if: true) { a } ... @skip(if: false) { b } ... { c } }",
            None,
            Query,
            "",
            vec!["a", "b", "c"],
        ),
        // words that only look like an operation
        (
            "# mutation { a }\n{ search(text: \"mutation { b } \\\" mutation\") { id } }",
            None,
            Query,
            "",
            vec!["search"],
        ),
        (
            "{ note(text: \"\"\"mutation { b } \\\"\"\" \"\"\") mutation }",
            None,
            Query,
            "",
            vec!["note", "mutation"],
        ),
        ("query mutation { query }", None, Query, "mutation", vec!["query"]),
        // an operation behind a string, a comment, or commas
        ("\u{feff},,{ a(x: \"#\") }, mutation\r{ b }", None, Mutation, "", vec!["a", "b"]),
        (
            "query A($q: Q = {x: \"{\"}) @dir(a: \"}\") { a } mutation B { b }",
            None,
            Mutation,
            "B",
            vec!["a", "b"],
        ),
    ] {
        assert_query(query, operation, kind, name, &fields);
    }
}

// Fragments within each other must not multiply the work.
#[test]
fn many_fragments_are_followed_in_time() {
    let fragments: String = (0..300)
        .map(|at| format!("fragment F{at} on Mutation {{ ...F{0} ...F{0} x{at} }} ", at + 1))
        .collect();
    let values = read_json(&json!({"query": format!("mutation {{ ...F0 }} {fragments}")}));
    assert_eq!(values.graphql[0].fields.len(), 300);
    let deep = format!("mutation {}{}", "{ ... ".repeat(50_000), "}".repeat(50_000));
    assert_eq!(read_json(&json!({"query": deep})).graphql[0].kind, Mutation);
}

// A document that cannot be read as a whole may do more than is seen.
#[test]
fn an_unreadable_document_is_no_query() {
    for query in ["{ a } ; drop", "{ a(x: \"open", "{ a", "query A { a } extend { b }"] {
        let values = read_json(&json!({"query": query, "variables": {}}));
        assert_eq!(values.graphql.len(), 1, "{query}");
        assert_eq!(values.graphql[0].kind, PersistedQuery, "{query}");
    }
}

#[test]
fn persisted_queries_are_known_by_their_ids() {
    let apollo = json!({"operationName": "Cart", "variables": {"id": 5}, "extensions": {"persistedQuery": {"version": 1, "sha256Hash": "ecf4edb4"}}});
    let github = json!({"query": "0123456789abcdef0123456789abcdef", "variables": {"id": 5}});
    let relay = json!({"doc_id": "7711610262190099", "variables": {"id": 5}});
    let urql = json!({"documentId": "sha256:ab", "variables": {"id": 5}});
    for (body, name) in [(apollo, "Cart"), (github, ""), (relay, ""), (urql, "")] {
        let values = read_json(&body);
        let found: Vec<(OperationKind, &str)> =
            values.graphql.iter().map(|one| (one.kind, one.name.as_str())).collect();
        assert_eq!(found, [(PersistedQuery, name)], "{body}");
        assert_eq!(lines(&values), ["id=5"], "{body}");
    }
    // Facebook: a form
    let form = "av=1&fb_api_req_friendly_name=ComposerStoryCreateMutation&doc_id=771&variables=%7B%22input%22%3A%7B%22message%22%3A%22hi%22%7D%7D";
    let values = read("application/x-www-form-urlencoded", form);
    assert_eq!(
        (values.graphql[0].kind, values.graphql[0].name.as_str()),
        (PersistedQuery, "ComposerStoryCreateMutation")
    );
    assert_eq!(
        lines(&values),
        ["av=1", "fb_api_req_friendly_name=ComposerStoryCreateMutation", "input.message=hi"]
    );
}

#[test]
fn variables_arguments_and_defaults_are_values() {
    let values = read_json(&json!({
        "query": "mutation P($to: ID!, $sum: Int = 9, $note: N = {text: \"x\"}) { pay(to: $to, tags: [A, \"b\"], deep: {on: true, by: $to}, n: -1.5) { id(x: 1) } }",
        "variables": {"to": "bob", "note": {"text": "mine"}},
        "extensions": {"clientLibrary": {"name": "apollo"}},
    }));
    assert_eq!(
        lines(&values),
        [
            "to=bob",
            "note.text=mine",
            "extensions.clientLibrary.name=apollo",
            "sum=9",
            "pay.tags[0]=A",
            "pay.tags[1]=b",
            "pay.deep.on=true",
            "pay.n=-1.5",
        ]
    );
    assert_eq!(lines(&read_json(&json!({"query": "{a}", "variables": "{\"x\":1}"}))), ["x=1"]);
    assert_eq!(lines(&read_json(&json!({"query": "{a}", "variables": [1]}))), ["variables[0]=1"]);
    let graphql = read("application/graphql", "mutation { pay(sum: 5) }");
    assert_eq!((graphql.graphql[0].kind, lines(&graphql)), (Mutation, vec![String::from("pay.sum=5")]));
}

#[test]
fn batches_have_an_operation_each() {
    let values = read_json(&json!([
        {"query": "{ a }", "variables": {"x": 1}},
        {"query": "mutation ($x: Int = 3) { b }"},
    ]));
    assert_eq!(values.graphql.iter().map(|one| one.kind).collect::<Vec<_>>(), [Query, Mutation]);
    assert_eq!(lines(&values), ["[0].x=1", "[1].x=3"]);
    assert_eq!(lines(&read_json(&json!([{"query": "{ a }", "variables": {"x": 1}}]))), ["x=1"]);
}

// A body may look like a harmless query and mean something else to its server.
#[test]
fn foreign_fields_are_told() {
    let values = read_json(&json!({"query": "{ a }", "amount": 100, "id": 5}));
    assert_eq!(values.graphql[0].foreign_fields, ["amount", "id"]);
    assert_eq!(lines(&values), ["amount=100", "id=5"]);
    let twice = read("application/json", r#"{"query": "mutation { b }", "query": "{ a }"}"#);
    assert_eq!(twice.graphql[0].kind, Mutation, "servers differ in the one that they take");
    for body in [
        json!({"query": "red lamp"}),
        json!({"query": {"match": {}}}),
        json!({"query": "SELECT 1"}),
        json!({"variables": {"a": 1}}),
    ] {
        assert!(read_json(&body).graphql.is_empty(), "{body}");
    }
}

#[test]
fn uploads_have_files_in_place_of_variables() {
    let operations = json!({"query": "mutation ($file: Upload!, $t: String) { upload(file: $file) { id } }", "variables": {"file": null, "t": "x"}});
    let body = format!(
        "--B\r\nContent-Disposition: form-data; name=\"operations\"\r\n\r\n{operations}\r\n--B\r\n\
        Content-Disposition: form-data; name=\"map\"\r\n\r\n{{\"0\":[\"variables.file\"]}}\r\n--B\r\n\
        Content-Disposition: form-data; name=\"0\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nabc\r\n--B--\r\n"
    );
    let values = read("multipart/form-data; boundary=B", &body);
    assert_eq!(values.graphql[0].kind, Mutation);
    assert_eq!(lines(&values), ["t=x", "file=a.txt"]);
    assert!(matches!(&values.values[1].kind, ValueKind::File { size: Some(3), .. }), "{values:?}");
}
