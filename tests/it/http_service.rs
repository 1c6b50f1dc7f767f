//! Endpoints about the service: health, metrics, settings, its page and its own description.

use crate::support::service::{TestService, word};
use askfirst::http::routes;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[actix_web::test]
async fn health_and_readiness_are_reported() {
    let app = TestService::start();
    assert_eq!(app.get("/healthz").await, (200, json!({"status": "ok"})));
    let checks = json!({"store": "ok", "browser": "ok"});
    assert_eq!(app.get("/readyz").await, (200, json!({"status": "ready", "checks": checks})));
    app.finish().await;
    let app = TestService::start_with(Err(String::from("no Chromium was found; install it")));
    assert_eq!(app.get("/healthz").await.0, 200);
    let (status, problem) = app.get("/readyz").await;
    assert_eq!((status, &problem["code"]), (503, &json!("not_ready")));
    assert_eq!(problem["detail"], "no Chromium was found; install it");
    app.finish().await;
}

#[actix_web::test]
async fn metrics_have_the_documented_names() {
    let app = TestService::start();
    let run = app.begin(json!({"agent": "asks"})).await;
    app.until(&run, "waiting").await;
    let answer = app.request(Method::GET, "/metrics").send().await.unwrap();
    assert!(answer.headers()["content-type"].to_str().unwrap().starts_with("text/plain; version=0.0.4"));
    let text = answer.text().await.unwrap();
    for line in
        ["askfirst_runs{status=\"waiting\"} 1", "askfirst_runs{status=\"paused\"} 0", "askfirst_browsers 1"]
    {
        assert!(text.lines().any(|seen| seen == line), "{line} is missing in {text}");
    }
    for family in [
        "runs_total counter",
        "runs gauge",
        "steps_total counter",
        "step_seconds histogram",
        "model_calls_total counter",
        "tokens_total counter",
        "cost_total counter",
        "questions_total counter",
        "question_wait_seconds histogram",
        "browsers gauge",
        "live_frames_total counter",
        "live_frame_age_seconds histogram",
        "recursion_rejected_total counter",
        "store_seconds histogram",
    ] {
        assert!(text.contains(&format!("# TYPE askfirst_{family}\n")), "{family}");
    }
    app.finish().await;
}

#[actix_web::test]
async fn settings_and_browsers_are_reported() {
    let app = TestService::start();
    let (_, settings) = app.get("/api/settings").await;
    let expected = json!({
        "version": env!("CARGO_PKG_VERSION"), "planner": "commands", "model": null, "demo_url": "/demo/",
        "locale_default": "en", "token_required": false, "default_agent": "browser",
        "currency": "USD",
    });
    assert_eq!(settings, expected);
    let (_, browsers) = app.get("/api/browsers").await;
    let shared = &browsers["items"][0];
    assert_eq!((&shared["pid"], &shared["memory_mb"]), (&json!(7), &json!(300)));
    assert_eq!(
        (&shared["contexts"][0]["viewers"], &shared["contexts"][0]["state"]),
        (&json!(2), &json!("working"))
    );
    assert_eq!((&browsers["max"], &browsers["waiting"]), (&json!(4), &json!([])));
    for (id, status, code) in [("shared", 409, "busy"), ("nothing", 404, "unknown_browser")] {
        let refused = app.request(Method::DELETE, &format!("/api/browsers/{id}")).send().await.unwrap();
        assert_eq!(refused.status().as_u16(), status);
        assert_eq!(refused.json::<Value>().await.unwrap()["code"], code);
    }
    app.finish().await;
}

#[actix_web::test]
async fn the_page_and_its_files_are_asked_for_again_each_time() {
    let app = TestService::start();
    for (path, kind, part) in [
        ("/", "text/html; charset=utf-8", "<title>Askfirst</title>"),
        ("/static/app.js", "text/javascript; charset=utf-8", "import"),
        ("/static/shared/ui/tokens.css", "text/css; charset=utf-8", ":root"),
        ("/static/locales/uk.json", "application/json", "{"),
        ("/static/icon.svg", "image/svg+xml", "<svg"),
        ("/api/docs", "text/html; charset=utf-8", "/static/docs/docs.js"),
        ("/static/docs/docs.js", "text/javascript; charset=utf-8", "openapi.json"),
    ] {
        let first = app.request(Method::GET, path).send().await.unwrap();
        assert_eq!(
            (first.status().as_u16(), &first.headers()["content-type"]),
            (200, &kind.parse().unwrap()),
            "{path}"
        );
        assert_eq!(first.headers()["cache-control"], "no-cache", "{path}");
        assert!(!first.headers()["content-security-policy"].to_str().unwrap().contains("unsafe"));
        let tag = first.headers()["etag"].clone();
        assert!(first.text().await.unwrap().contains(part), "{path}");
        let second = app.request(Method::GET, path).header("if-none-match", tag).send().await.unwrap();
        assert_eq!((second.status().as_u16(), second.text().await.unwrap().len()), (304, 0), "{path}");
        let head = app.request(Method::HEAD, path).send().await.unwrap();
        assert_eq!(head.status(), 200, "{path}");
    }
    app.finish().await;
}

/// Routes that are no calls: the socket, pages for people, and the targets of their forms and menus.
const PAGES: [&str; 6] = ["/ws", "/api/docs", "/static/{path:.*}", "/", "/sign-in", "/sign-out"];

/// Routes that the composition root adds to the table.
const BESIDE: [&str; 3] = ["DELETE /mcp", "GET /mcp", "POST /mcp"];

#[actix_web::test]
async fn openapi_names_every_route_and_no_other() {
    let app = TestService::start();
    let (_, document) = app.get("/api/openapi.json").await;
    assert!(word(&document, "openapi").starts_with("3."));
    let (mut named, mut ids) = (BTreeSet::new(), BTreeSet::new());
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            assert!(!word(operation, "summary").is_empty(), "{method} {path}");
            for (status, response) in operation["responses"].as_object().unwrap() {
                let fault = status == "default" || status.starts_with(['4', '5']);
                let documented = !response["content"]["application/problem+json"].is_null();
                assert_eq!(documented, fault, "{method} {path} {status}");
            }
            assert!(!operation["responses"]["default"].is_null(), "{method} {path}");
            assert!(
                ids.insert(word(operation, "operationId")),
                "{method} {path} has the name of another call"
            );
            named.insert(format!("{} {path}", method.to_uppercase()));
        }
    }
    let table = routes::table();
    let routed = table.iter().filter(|line| !PAGES.contains(&line.path));
    let routed: BTreeSet<_> = routed
        .flat_map(|line| line.methods.iter().map(move |method| format!("{method} {}", line.path)))
        .chain(BESIDE.map(str::to_owned))
        .collect();
    assert_eq!(named, routed);
    for reference in references(&document) {
        let path = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(path).is_some(), "{reference} leads nowhere");
    }
    app.finish().await;
}

// Responses match the documented schemas.
#[actix_web::test]
async fn answers_have_the_shapes_that_openapi_names() {
    let app = TestService::start();
    let (_, document) = app.get("/api/openapi.json").await;
    let run = app.begin(json!({"agent": "asks", "input": {"text": "x"}})).await;
    app.until(&run, "waiting").await;
    let paths = ["", "/state", "/trace", "/timeline", "/events", "/files"]
        .map(|tail| format!("/api/runs/{{id}}{tail}"));
    let others = [
        "/healthz",
        "/readyz",
        "/api/runs",
        "/api/questions",
        "/api/agents",
        "/api/grants",
        "/api/audit",
        "/api/settings",
        "/api/usage",
        "/api/browsers",
        "/executions/agents/{exec_id}",
    ];
    for path in paths.into_iter().chain(others.map(str::to_owned)) {
        let (status, body) = app.get(&path.replace("{id}", &run).replace("{exec_id}", &run)).await;
        assert_eq!(status, 200, "{path}");
        let schema =
            &document["paths"][&path]["get"]["responses"]["200"]["content"]["application/json"]["schema"];
        fits(&document, schema, &body, &path);
    }
    for (path, request, expected, template) in [
        ("/api/runs", json!({"agent": "three"}), "201", "/api/runs"),
        ("/api/runs", json!({"agent": "three", "wait": true}), "200", "/api/runs"),
        ("/api/run/three", json!({}), "200", "/api/run/{name}"),
        ("/agents/three/executions", json!({}), "200", "/agents/{id}/executions"),
        ("/api/run/nobody", json!({}), "404", "/api/run/{name}"),
    ] {
        let (status, body) = app.post(path, request).await;
        assert_eq!(status.to_string(), expected);
        let media = if status < 400 { "application/json" } else { "application/problem+json" };
        let schema = &document["paths"][template]["post"]["responses"][expected]["content"][media]["schema"];
        fits(&document, schema, &body, path);
    }
    app.finish().await;
}

#[actix_web::test]
async fn the_schemas_of_the_wire_name_every_frame() {
    let app = TestService::start();
    for (name, words) in [
        (
            "client",
            ["hello", "user_message", "answer", "control", "view", "frame_ack", "input", "ping"].as_slice(),
        ),
        (
            "server",
            &["welcome", "run_started", "status", "agent_message", "agent_question", "run_ended", "error"],
        ),
        ("turn", &["navigate", "click", "need_user", "ask_user"]),
        ("agent", &["lanes", "bindings", "when", "prompt", "outputs"]),
    ] {
        let (status, schema) = app.get(&format!("/api/schema/{name}")).await;
        assert_eq!(status, 200);
        let text = schema.to_string();
        for word in words {
            assert!(text.contains(&format!("\"{word}\"")), "{word} is missing in {name}");
        }
    }
    assert_eq!(app.get("/api/schema/nothing").await.0, 404);
    app.finish().await;
}

/// Holds a value against the parts of a schema that these documents use.
fn fits(document: &Value, schema: &Value, value: &Value, path: &str) {
    assert!(schema.is_object(), "{path} has no schema");
    if let Some(reference) = schema["$ref"].as_str() {
        return fits(document, document.pointer(&reference[1..]).unwrap(), value, path);
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        fits(document, part, value, path);
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        match value.get(name) {
            Some(Value::Null) if inner.to_string().contains("null") => {}
            Some(found) => fits(document, inner, found, &format!("{path}.{name}")),
            None => {
                let required = schema["required"].as_array().into_iter().flatten().any(|one| one == name);
                assert!(!required, "{path} lacks {name}: {value}");
            }
        }
    }
    for (index, found) in value.as_array().into_iter().flatten().enumerate() {
        if schema["items"].is_object() {
            fits(document, &schema["items"], found, &format!("{path}[{index}]"));
        }
    }
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.clone(),
        Value::Null => return,
        kind => vec![kind.clone()],
    };
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let named = |one: &Value| one == kind || (one == "integer" && kind == "number");
    assert!(kinds.iter().any(named), "{path} is {kind}, not {kinds:?}");
}

fn references(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            let own = fields.get("$ref").and_then(Value::as_str).map(str::to_owned);
            own.into_iter().chain(fields.values().flat_map(references)).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}
