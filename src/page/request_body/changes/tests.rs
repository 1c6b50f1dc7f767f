//! Changes between bodies that carry a whole state, as applications send them.

use crate::page::request_body::changes::opaque_tokens::is_opaque_token;
use crate::page::request_body::changes::view_state::is_view_state;
use crate::page::request_body::changes::{ValueChange, difference};
use crate::page::request_body::{BodyValue, RequestBody, read_whole_body};
use proptest::prelude::*;
use serde_json::{Value, json};

fn read(body: &str) -> Vec<BodyValue> {
    match read_whole_body("", Some(body.as_bytes()), None) {
        RequestBody::Values(values) => values.values,
        other => panic!("{other:?}"),
    }
}

/// Changes as `name: before -> now`.
fn changes(before: &Value, now: &Value) -> Vec<String> {
    describe(difference(&read(&before.to_string()), &read(&now.to_string())))
}

fn describe(changes: Vec<ValueChange>) -> Vec<String> {
    let text = |value: Option<String>| value.unwrap_or_else(|| String::from("none"));
    changes
        .into_iter()
        .map(|one| format!("{}: {} -> {}", one.name, text(one.before), text(one.now)))
        .collect()
}

#[track_caller]
fn assert_changes(before: Value, now: Value, expected: &[&str]) {
    assert_eq!(changes(&before, &now), expected, "{before} -> {now}");
}

// A question about a body with a whole state shows what changed (wire).
#[test]
fn items_with_ids_are_compared_by_them() {
    let task = |id: u64, title: &str, done: bool| json!({"id": id, "title": title, "done": done});
    let list = |tasks: &[Value]| json!({"tasks": tasks});
    let (a, b, c) = (task(1, "Buy", false), task(2, "Sell", false), task(3, "Rest", false));
    let all = list(&[a.clone(), b.clone(), c.clone()]);
    assert_changes(all.clone(), all.clone(), &[]);
    assert_changes(
        all.clone(),
        list(&[a.clone(), task(2, "Sell", true), c.clone()]),
        &["tasks[1].done: false -> true"],
    );
    assert_changes(
        all.clone(),
        list(&[b.clone(), c.clone()]),
        &["tasks[0].id: 1 -> none", "tasks[0].title: Buy -> none", "tasks[0].done: false -> none"],
    );
    assert_changes(
        list(&[b.clone(), c.clone()]),
        all.clone(),
        &["tasks[0].id: none -> 1", "tasks[0].title: none -> Buy", "tasks[0].done: none -> false"],
    );
    assert_changes(
        all.clone(),
        list(&[c.clone(), a.clone(), b.clone()]),
        &["tasks (order): Buy, Sell, Rest -> Rest, Buy, Sell"],
    );
    assert_changes(json!([a]), json!([task(1, "Buy!", false)]), &["[0].title: Buy -> Buy!"]);
}

#[test]
fn items_without_ids_are_compared_by_likeness() {
    let list = |texts: &[&str]| json!({"a": texts});
    assert_changes(list(&["x", "y", "z"]), list(&["x", "new", "y", "z"]), &["a[1]: none -> new"]);
    assert_changes(list(&["x", "y", "z"]), list(&["x", "z"]), &["a[1]: y -> none"]);
    assert_changes(list(&["x", "y", "z"]), list(&["x", "Y", "z"]), &["a[1]: y -> Y"]);
    assert_changes(list(&["x", "y"]), list(&["y", "x"]), &["a (order): x, y -> y, x"]);
    assert_changes(list(&["x", "x"]), list(&["x"]), &["a[1]: x -> none"]);
    assert_changes(list(&[]), list(&["x"]), &["a[0]: none -> x"]);
    assert_changes(list(&["x"]), list(&[]), &["a[0]: x -> none"]);
    assert_changes(list(&[]), json!({}), &["a: [] -> none"]);
    let rows = |rows: &[(&str, u64)]| {
        Value::from(
            rows.iter()
                .map(|(name, sum)| json!({"name": name, "sum": sum, "unit": "EUR"}))
                .collect::<Vec<_>>(),
        )
    };
    assert_changes(
        rows(&[("lamp", 1), ("sofa", 2), ("bed", 3)]),
        rows(&[("rug", 9), ("lamp", 1), ("sofa", 5), ("bed", 3)]),
        &["[2].sum: 2 -> 5", "[0].name: none -> rug", "[0].sum: none -> 9", "[0].unit: none -> EUR"],
    );
}

#[test]
fn long_lists_are_compared_in_time() {
    let items: Vec<u32> = (0..20_000).collect();
    let mut other = items.clone();
    other.remove(10_000);
    assert_changes(json!(items), json!(other), &["[10000]: 10000 -> none"]);
    other.reverse();
    let found = changes(&json!(items), &json!(other));
    assert_eq!((found.len(), &found[0][..7]), (2, "[10000]"), "the removed item and the order");
}

#[test]
fn saves_of_applications_show_their_change_alone() {
    // Excalidraw: an element moves; each change counts versions and draws a nonce
    let scene = |x: u64, version: u64, nonce: u64, scroll: f64| {
        json!({"type": "excalidraw", "version": 2, "elements": [
            {"id": "a1", "type": "rectangle", "x": x, "y": 0, "width": 5, "seed": 9, "version": version, "versionNonce": nonce, "updated": 1_700_000_000_000_u64 + version, "isDeleted": false, "boundElements": null, "text": "Hi", "angle": 0},
        ], "appState": {"scrollX": scroll, "zoom": {"value": 1.5}, "viewBackgroundColor": "#fff"}})
    };
    assert_changes(scene(1, 5, 111_111, 0.5), scene(1, 6, 222_222, 0.5), &[]);
    assert_changes(
        scene(1, 5, 111_111, 0.5),
        scene(7, 9, 222_222, 8.5),
        &["elements[0].x: 1 -> 7", "appState.scrollX: 0.5 -> 8.5"],
    );
    // Grafana: a dashboard's title; the version goes on
    let board = |title: &str, version: u64| json!({"dashboard": {"id": 3, "uid": "Zx9", "title": title, "tags": [], "timezone": "", "schemaVersion": 39, "version": version, "panels": []}, "overwrite": false, "message": ""});
    assert_changes(board("Load", 4), board("Load", 5), &[]);
    assert_changes(board("Load", 4), board("Money", 5), &["dashboard.title: Load -> Money"]);
    // a version that somebody chose
    assert_changes(
        json!({"app": "shop", "env": "production", "version": 12}),
        json!({"app": "shop", "env": "production", "version": 13}),
        &["version: 12 -> 13"],
    );
    assert_changes(board("Load", 5), board("Load", 4), &["dashboard.version: 5 -> 4"]);
    // JupyterLab: a cell is added in the middle
    let cell = |id: &str, source: &str| json!({"cell_type": "code", "id": id, "source": source, "outputs": [], "execution_count": null, "metadata": {"trusted": true}});
    let book = |cells: &[Value]| json!({"type": "notebook", "format": "json", "content": {"cells": cells, "nbformat": 4}});
    assert_changes(
        book(&[cell("c1", "x=1"), cell("c2", "x")]),
        book(&[cell("c1", "x=1"), cell("c9", ""), cell("c2", "x+1")]),
        &[
            "content.cells[2].source: x -> x+1",
            "content.cells[1].cell_type: none -> code",
            "content.cells[1].id: none -> c9",
            "content.cells[1].source: none -> ",
            "content.cells[1].outputs: none -> []",
            "content.cells[1].execution_count: none -> null",
            "content.cells[1].metadata.trusted: none -> true",
        ],
    );
    // Vikunja: a task gets a label and is done
    assert_changes(
        json!({"id": 7, "title": "A", "done": false, "labels": null, "updated": "2026-01-05T10:00:00Z", "due_date": "2026-01-05T10:00:00Z"}),
        json!({"id": 7, "title": "A", "done": true, "labels": [{"id": 1, "title": "x"}], "updated": "2026-01-05T10:00:09Z", "due_date": "2026-02-05T10:00:00Z"}),
        &[
            "done: false -> true",
            "labels: null -> none",
            "labels[0].id: none -> 1",
            "labels[0].title: none -> x",
            "due_date: 2026-01-05T10:00:00Z -> 2026-02-05T10:00:00Z",
        ],
    );
    // a revision that somebody chose
    for body in [("4", "5"), ("a1b2c3d", "e4f5a6b")] {
        assert_eq!(
            changes(&json!({"app": "shop", "revision": body.0}), &json!({"app": "shop", "revision": body.1}))
                .len(),
            1
        );
    }
    // CouchDB: a document with its revision
    assert_changes(
        json!({"_id": "n1", "_rev": "1-967a00dff5e02add41819138abb3284d", "text": "a"}),
        json!({"_id": "n1", "_rev": "2-7051cbe5c8faecd085a3fa619e6e6337", "text": "b"}),
        &["text: a -> b"],
    );
    // WeKan: a call of a method, whose whole state is its parameters
    assert_changes(
        json!({"msg": "method", "method": "/cards/update", "params": [{"_id": "k"}, {"$set": {"listId": "todo"}}]}),
        json!({"msg": "method", "method": "/cards/update", "params": [{"_id": "k"}, {"$set": {"listId": "done"}}]}),
        &["params[1].$set.listId: todo -> done"],
    );
}

#[test]
fn forms_are_compared_by_names() {
    let form = |before: &str, now: &str| describe(difference(&read(before), &read(now)));
    assert_eq!(form("csrf_token=abcdef123&name=a", "csrf_token=zyxwvu987&name=b"), ["name: a -> b"]);
    assert_eq!(form("role=1&role=2", "role=1&role=2&role=3"), ["role: none -> 3"]);
    assert_eq!(form("role=1&x=1", "role=1&role=2&x=1"), ["role: none -> 2"]);
    assert_eq!(form("id[]=1&id[]=2", "id[]=2"), ["id[]: 1 -> none"]);
    assert_eq!(form("q[17][a]=x&q[42][a]=y", "q[42][a]=y"), ["q[17][a]: x -> none"]);
    assert_eq!(form("a=1&a[b]=2", "a=1&a[b]=3"), ["a[b]: 2 -> 3"]);
    // JSON inside of a field, as Jenkins and WordPress send it
    assert_eq!(
        form("json=%7B%22on%22%3Atrue%2C%22n%22%3A1%7D", "json=%7B%22on%22%3Afalse%2C%22n%22%3A1%7D"),
        ["json.on: true -> false"]
    );
    assert_eq!(form("a=1", "b=1"), ["b: none -> 1", "a: 1 -> none"]);
}

#[test]
fn opaque_tokens_are_known_by_name_and_form() {
    for (name, value) in [
        ("csrfmiddlewaretoken", "kQ3fVJ9p2mXr8sLw"),
        ("authenticity_token", "pWn+0Yk/ab=="),
        ("_token", "x8Gh2kLm9"),
        ("__VIEWSTATE", "/wEPDwUKLTI2Nj"),
        ("_wpnonce", "3f9a2b1c4d"),
        ("form_build_id", "form-Zx8kq2LmNp"),
        ("sesskey", "aB3dE6gH9k"),
        ("requesttoken", "b64/token+x1=="),
        ("clientMutationId", "9b2d7c1e-1"),
        ("meta.requestId", "6f1c2d3e-aaaa-bbbb-cccc-0123456789ab"),
        ("pending_post_id", "b4pfxi8sn78y8yq7phzxxfor7h:1640000000000"),
        ("_", "1700000000000"),
        ("sentAt", "2026-01-05T10:00:00.000Z"),
        ("ts", "1700000000"),
        ("utf8", "✓"),
        ("g-recaptcha-response", "03AGdBq27abcdefghijklmnop"),
        ("traceId", "4bf92f3577b34da6"),
    ] {
        assert!(is_opaque_token(name, value), "{name}={value}");
    }
    for (name, value) in [
        ("friendRequestId", "6f1c2d3e-aaaa-bbbb-cccc-0123456789ab"),
        ("requestId", "12345678"),
        ("eventId", "abc123def456"),
        ("recipientId", "6f1c2d3e-aaaa-bbbb-cccc-0123456789ab"),
        ("amount", "1700000000"),
        ("token", "send it to bob"),
        ("csrf", ""),
        ("nonce", "ann@post.example"),
        ("order_id", "9b2d7c1e-1"),
        ("account", "UA213223130000026007233566001"),
        ("redirect_url", "https://evil.example/x1"),
        ("dueDate", "2026-01-05T10:00:00Z"),
        ("t", "delete"),
        ("timestamp", "pay bob"),
    ] {
        assert!(!is_opaque_token(name, value), "{name}={value}");
    }
}

fn change(name: &str, before: &str, now: &str) -> ValueChange {
    ValueChange { name: name.to_owned(), before: Some(before.to_owned()), now: Some(now.to_owned()) }
}

// View settings and marks of reading pass without a question (wire).
#[test]
fn changes_of_the_view_are_known() {
    for (name, before, now) in [
        ("appState.scrollX", "1", "2"),
        ("appState.zoom.value", "1", "2"),
        ("appState.selectedElementIds.a1", "true", "false"),
        ("appState.openSidebar.name", "a", "b"),
        ("appState.currentItemStrokeColor", "#000", "#fff"),
        ("appState.activeTool.type", "hand", "text"),
        ("appState.previousSelectedElementIds.x", "true", "false"),
        ("appState.cursorButton", "up", "down"),
        ("appState.zenModeEnabled", "true", "false"),
        ("content.cells[3].metadata.collapsed", "true", "false"),
        ("content.cells[3].metadata.scrolled", "true", "false"),
        ("data.layout-restorer:data.main.current", "a", "b"),
        ("data.layout-restorer:data.left.collapsed", "true", "false"),
        ("panels[2].collapsed", "true", "false"),
        ("ui.activeTab", "a", "b"),
        ("is_expanded", "0", "1"),
        ("isRead", "false", "true"),
        ("mails[0].seen", "false", "true"),
        ("lastViewedAt", "1", "2"),
        ("last_seen", "1", "2"),
        ("unread_count", "3", "0"),
        ("theme", "dark", "light"),
        ("darkMode", "false", "true"),
        ("sidebar.width", "1", "2"),
        ("columnWidths[2]", "1", "2"),
        ("sortBy", "name", "date"),
        ("sort_order", "asc", "desc"),
        ("windowState.x", "1", "2"),
        ("view_mode", "list", "grid"),
        ("user.lastActiveAt", "1", "2"),
        ("fields.columnWidths.__title", "280", "300"),
        ("scrollTop", "0", "9"),
        ("expandedRows (order)", "a, b", "b, a"),
    ] {
        assert!(is_view_state(&change(name, before, now)), "{name}");
    }
    for (name, before, now) in [
        ("status", "draft", "published"),
        ("visibility", "private", "public"),
        ("visible_to", "me", "all"),
        ("public", "false", "true"),
        ("role", "a", "b"),
        ("enabled", "false", "true"),
        ("selectedPlan", "free", "pro"),
        ("selected_payment_method", "card", "cash"),
        ("selectedOption", "a", "b"),
        ("open", "true", "false"),
        ("isOpen", "true", "false"),
        ("permissions.read", "false", "true"),
        ("title", "a", "b"),
        ("theme", "shop-2", "shop-3"),
        ("elements[0].x", "1", "2"),
        ("tasks (order)", "a, b", "b, a"),
        ("done", "false", "true"),
        ("order", "1", "2"),
        ("active", "true", "false"),
        ("selected", "free", "pro"),
        ("read", "no", "everybody"),
        ("users[0].is_admin", "false", "true"),
        ("scopes.expanded", "false", "true"),
        ("priority", "1", "2"),
        ("sharedView.access", "a", "b"),
        ("viewBackgroundColor", "#fff", "#000"),
        ("page", "1", "2"),
        ("archived", "false", "true"),
        ("", "a", "b"),
    ] {
        assert!(!is_view_state(&change(name, before, now)), "{name}");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0_i64..20).prop_map(Value::from),
        "[a-z.\\[\\]\" ]{0,4}".prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("(id|a|b|a\\.b|\\[0\\]|)", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    // No change of a body stays unseen, and none is invented.
    #[test]
    fn bodies_differ_exactly_if_changes_are_found(before in any_json(), now in any_json()) {
        prop_assert_eq!(changes(&before, &before), Vec::<String>::new());
        let (before, now) = (json!({"state": before}), json!({"state": now}));
        let found = difference(&read(&before.to_string()), &read(&now.to_string()));
        // JSON in a text counts as the same JSON outside of it.
        let is_inside_text = |value: &Value| value.to_string().contains("\"[") || value.to_string().contains("\"{");
        if before != now && !is_inside_text(&before) && !is_inside_text(&now) {
            prop_assert!(!found.is_empty(), "{} and {}", before, now);
        }
        prop_assert!(found.iter().all(|change| change.before.is_some() || change.now.is_some()));
    }
}
