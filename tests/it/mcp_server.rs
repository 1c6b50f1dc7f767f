//! The service as a server of the Model Context Protocol, spoken to by the official SDK's client.

use crate::support::agents::{ended, get, with_agents, with_settings};
use crate::support::app::{PATIENCE, Process, TestApp};
use crate::support::mcp::{McpClient, program, text};
use reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value, json};

const SUM: &str = "
kind: atomic
title_en: Sum
description_en: Adds numbers up.
inputs: [{name: numbers, type: list, description: What to add}, {name: unit, type: string, default: UAH}]
outputs: [{name: total, type: number}]
python: {code: 'total = sum(numbers)'}
";

const WRITES: &str = "
kind: atomic
inputs: [{name: word, type: string}]
outputs: [{name: said}]
python: {files: true, code: 'said = word.upper()'}
";

const BREAKS: &str = "
kind: atomic
outputs: [{name: x}]
python: {code: 'x = 1 / 0'}
";

/// Reports its start, and then takes its time.
const SLOW: &str = "
kind: composite
inputs: []
outputs: []
graph:
  lanes:
    - {items: [{id: quick, agent: breaks, on_error: continue}]}
    - {items: [{id: long, agent: sleeps}]}
";

const SLEEPS: &str = "
kind: atomic
outputs: [{name: x}]
python: {timeout_s: 50, code: 'import time; time.sleep(45); x = 1'}
";

const TOKEN: &str = "the-owner-knows-this";

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

// The client speaks both versions of the protocol: with a session, and (2026-07-28) without.
#[actix_web::test]
#[ignore = "needs packages from PyPI; make test runs it"]
async fn a_real_client_lists_the_agents_as_tools_and_runs_one() {
    let app = with_agents(&[("sum", SUM), ("breaks", BREAKS)], None).await;
    for mode in ["legacy", "2026-07-28"] {
        let target = json!({"url": format!("{}/mcp", app.base), "mode": mode});
        let mut client = McpClient::start(target).await;
        assert_eq!(client.version == "2026-07-28", mode != "legacy", "{}", client.version);
        let tools = client.tools().await;
        let all = names(&tools);
        for name in ["sum", "browser", "runs-list", "runs-read", "questions-list", "questions-answer"] {
            assert!(all.contains(&name), "{name} is missing in {all:?}");
        }
        let sum = tools.iter().find(|tool| tool["name"] == "sum").unwrap();
        assert_eq!((&sum["title"], &sum["description"]), (&json!("Sum"), &json!("Adds numbers up.")));
        let schema = &sum["inputSchema"];
        assert_eq!(schema["required"], json!(["numbers"]));
        assert_eq!(schema["properties"]["numbers"], json!({"type": "array", "description": "What to add"}));

        let done = client.call("sum", json!({"numbers": [1, 2.5]})).await;
        assert_eq!(
            (&done["isError"], &done["structuredContent"]),
            (&json!(false), &json!({"total": 3.5})),
            "{done}"
        );
        assert!(text(&done).contains("3.5"), "{done}");
        // The call was an ordinary run.
        let run = done["_meta"]["askfirst/run_id"].as_str().unwrap();
        let whole = get(&app, &format!("/api/runs/{run}")).await;
        assert_eq!((&whole["agent"], &whole["status"]), (&json!("sum"), &json!("succeeded")));

        let failed = client.call("breaks", json!({"locale": "en"})).await;
        assert_eq!(failed["isError"], json!(true), "{failed}");
        assert!(text(&failed).contains("ZeroDivisionError"), "{failed}");
        let refused = client.call("sum", json!({})).await;
        assert!(refused["isError"] == true && text(&refused).contains("`numbers` is missing"), "{refused}");
        assert_eq!(client.refused("nobody", json!({})).await, "Unknown tool: nobody");

        let listed = client.call("runs-list", json!({"agent": "sum", "limit": 1})).await;
        assert_eq!(listed["structuredContent"]["items"][0]["run_id"], json!(run));
        let read = client.call("runs-read", json!({"run_id": run})).await;
        assert_eq!(read["structuredContent"]["vars"], json!({"total": 3.5}));
        client.end().await;
    }
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs packages from PyPI; make test runs it"]
async fn a_tool_call_that_asks_returns_the_question_and_only_the_owner_answers_it() {
    let app = with_agents(&[("writes", WRITES)], None).await;
    let mut client = McpClient::over_http(&app.base).await;
    let waiting = client.call("writes", json!({"word": "x", "locale": "en"})).await;
    let content = &waiting["structuredContent"];
    let run = content["run_id"].as_str().unwrap().to_owned();
    assert_eq!((&content["status"], &waiting["isError"]), (&json!("waiting"), &json!(false)), "{waiting}");
    let link = format!("{}/#/runs/{run}", app.base);
    assert_eq!((&content["link"], &content["questions"][0]["link"]), (&json!(link), &json!(link)));
    assert!(
        text(&waiting).contains("Run the program of the agent “writes”") && text(&waiting).contains(&link)
    );
    let reference = content["questions"][0]["reference"].clone();
    let open = client.call("questions-list", json!({})).await;
    assert_eq!(open["structuredContent"]["items"][0]["reference"], reference);
    let refused = client.call("questions-answer", json!({"reference": reference, "confirmed": true})).await;
    assert_eq!(refused["structuredContent"]["code"], json!("no_answers"), "{refused}");
    assert!(text(&refused).contains("server.token"));
    assert_eq!(get(&app, &format!("/api/runs/{run}")).await["status"], "waiting");
    client.end().await;
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs packages from PyPI; make test runs it"]
async fn an_mcp_client_needs_the_owners_token_to_answer() {
    let settings = [("ASKFIRST_SERVER__TOKEN", TOKEN)];
    let app = with_settings(&[("writes", WRITES)], None, &settings).await;
    let bearer = format!("Bearer {TOKEN}");
    let target = |more: Value| {
        let mut headers = json!({"authorization": bearer});
        headers.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"url": format!("{}/mcp", app.base), "headers": headers})
    };
    let stranger = reqwest::Client::new().post(format!("{}/mcp", app.base)).body("{}").send().await.unwrap();
    assert_eq!(stranger.status(), 401);
    // A client that acts for a model declares it.
    let mut lent = McpClient::start(target(json!({"askfirst-no-answers": "1"}))).await;
    let waiting = lent.call("writes", json!({"word": "x"})).await;
    let reference = waiting["structuredContent"]["questions"][0]["reference"].clone();
    let answer = json!({"reference": reference, "confirmed": true});
    let refused = lent.call("questions-answer", answer.clone()).await;
    assert_eq!(refused["structuredContent"]["code"], json!("no_answers"), "{refused}");
    lent.end().await;

    let mut owner = McpClient::start(target(json!({}))).await;
    let answered = owner.call("questions-answer", answer).await;
    let run = answered["structuredContent"]["run_id"].as_str().unwrap().to_owned();
    let read = loop {
        let read = owner.call("runs-read", json!({"run_id": run})).await;
        if !read["structuredContent"]["ended_at"].is_null() {
            break read;
        }
    };
    assert_eq!(read["structuredContent"]["vars"], json!({"said": "X"}));
    owner.end().await;
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs packages from PyPI; make test runs it"]
async fn a_long_tool_call_reports_progress_and_a_cancelled_one_stops_its_run() {
    let app = with_agents(&[("breaks", BREAKS), ("sleeps", SLEEPS), ("slow", SLOW)], None).await;
    for mode in ["legacy", "2026-07-28"] {
        let target = json!({"url": format!("{}/mcp", app.base), "mode": mode});
        let mut client = McpClient::start(target).await;
        let call = client.begin("slow", json!({"locale": "en"})).await;
        // Progress is sent once for a burst: from this value on the second lane has begun.
        while client.until("progress").await["progress"].as_f64().unwrap() < 20.0 {}
        let runs = get(&app, "/api/runs?roots=true&agent=slow").await;
        let run = runs["items"][0]["run_id"].as_str().unwrap().to_owned();
        assert_eq!(runs["items"][0]["status"], "running");
        client.order(json!({"do": "cancel", "id": call})).await;
        let whole = ended(&app, &run).await;
        assert_eq!(whole["status"], "cancelled", "{mode}: {whole}");
        client.end().await;
    }
    app.finish().await;
}

#[actix_web::test]
#[ignore = "needs packages from PyPI; make test runs it"]
async fn changed_agent_files_are_announced_as_changed_tools() {
    let app = with_agents(&[], None).await;
    for mode in ["legacy", "2026-07-28"] {
        let target = json!({"url": format!("{}/mcp", app.base), "mode": mode});
        let mut client = McpClient::start(target).await;
        let name = format!("new_{}", &mode[..4].replace("2026", "latest"));
        if mode != "legacy" {
            client.order(json!({"do": "listen"})).await;
            client.until("listening").await;
        }
        assert!(!names(&client.tools().await).contains(&name.as_str()));
        let file = app.folder.path().join("agents").join(format!("{name}.yaml"));
        std::fs::write(&file, format!("name: {name}\n{SUM}")).unwrap();
        client.until("changed").await;
        assert!(names(&client.tools().await).contains(&name.as_str()));
        client.end().await;
    }
    app.finish().await;
}

/// `askfirst mcp` on the data folder of this one, as a program begins it that speaks to it.
fn lent(folder: &std::path::Path, more: &[&str]) -> Value {
    let (data, agents) = (folder.join("data"), folder.join("agents"));
    let mut command = vec![env!("CARGO_BIN_EXE_askfirst"), "mcp", "--data-dir", data.to_str().unwrap()];
    command.extend(more);
    let path = std::env::var("PATH").unwrap();
    json!({"command": command, "env": {"ASKFIRST_AGENTS_DIR": agents, "PATH": path, "ASKFIRST_SERVER__TOKEN": TOKEN}})
}

#[actix_web::test]
#[ignore = "needs packages from PyPI; make test runs it"]
async fn over_standard_input_the_agents_of_the_folder_are_tools_with_or_without_a_service() {
    let folder = tempfile::tempdir().unwrap();
    let agents = folder.path().join("agents");
    std::fs::create_dir_all(&agents).unwrap();
    for (name, text) in
        [("sum", SUM), ("writes", WRITES), ("breaks", BREAKS), ("sleeps", SLEEPS), ("slow", SLOW)]
    {
        std::fs::write(agents.join(format!("{name}.yaml")), format!("name: {name}\n{text}")).unwrap();
    }
    // The client starts a service of its own for its lifetime.
    let mut client = McpClient::start(lent(folder.path(), &[])).await;
    assert!(names(&client.tools().await).contains(&"sum"));
    let done = client.call("sum", json!({"numbers": [1, 2]})).await;
    assert_eq!(done["structuredContent"], json!({"total": 3}), "{done}");
    client.end().await;

    let service = Process::start(folder.path(), &[("ASKFIRST_SERVER__TOKEN", TOKEN)]).await;
    let mut client = McpClient::start(lent(folder.path(), &[])).await;
    let waiting = client.call("writes", json!({"word": "x", "locale": "en"})).await;
    assert!(text(&waiting).contains(&service.base), "{waiting}");
    let answer =
        json!({"reference": waiting["structuredContent"]["questions"][0]["reference"], "confirmed": true});
    let refused = client.call("questions-answer", answer.clone()).await;
    assert_eq!(refused["structuredContent"]["code"], json!("no_answers"), "{refused}");
    // Progress comes down, cancelling goes up, and so do changes.
    let call = client.begin("slow", json!({"locale": "en"})).await;
    while client.until("progress").await["progress"].as_f64().unwrap() < 20.0 {}
    client.order(json!({"do": "cancel", "id": call})).await;
    let slow = loop {
        let listed = client.call("runs-list", json!({"agent": "slow"})).await;
        let run = listed["structuredContent"]["items"][0].clone();
        if !run["ended_at"].is_null() {
            break run;
        }
    };
    assert_eq!(slow["status"], "cancelled");
    client.end().await;

    let mut client = McpClient::start(lent(folder.path(), &["--may-answer"])).await;
    let answered = client.call("questions-answer", answer).await;
    assert_eq!(answered["isError"], json!(false), "{answered}");
    client.end().await;
    assert!(service.terminate().await.success());
}

/// Begins a session as clients of older versions do; what it is called.
async fn session(client: &Client, url: &str) -> String {
    let about = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "many", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about});
    let begun = send_mcp(client.post(url).json(&body)).await;
    assert_eq!(begun.status(), 200);
    let name = begun.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    begun.bytes().await.unwrap();
    name
}

async fn send_mcp(request: RequestBuilder) -> Response {
    request.header("accept", "application/json, text/event-stream").send().await.unwrap()
}

/// Number of sessions that get notices of changed agents.
async fn listeners(app: &TestApp) -> usize {
    let numbers = reqwest::get(format!("{}/metrics", app.base)).await.unwrap().text().await.unwrap();
    let line = numbers.lines().find_map(|line| line.strip_prefix("askfirst_mcp_listeners ")).unwrap();
    line.parse().unwrap()
}

// However often a client says that it is ready, its session has one who tells it of changes, and no longer than it
// lasts.
#[actix_web::test]
async fn ended_mcp_sessions_get_no_announcements() {
    let app = with_agents(&[], None).await;
    let (client, url) = (Client::new(), format!("{}/mcp", app.base));
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    for _ in 0..3 {
        let (one, other) = (session(&client, &url).await, session(&client, &url).await);
        for name in [&one, &other] {
            for _ in 0..5 {
                let response = send_mcp(client.post(&url).header("mcp-session-id", name).json(&ready)).await;
                assert_eq!(response.status(), 202);
            }
            // The session has read all earlier messages by then.
            assert_eq!(status(&client, &url, name).await, 200);
        }
        while listeners(&app).await < 2 {}
        assert_eq!(listeners(&app).await, 2);
        for name in [&one, &other] {
            let ended = client.delete(&url).header("mcp-session-id", name).send().await.unwrap();
            // The SDKs complain of any other word than 200 or 204 (and 405, where sessions cannot be ended).
            assert_eq!(ended.status(), 204);
            assert_eq!(ended.bytes().await.unwrap().len(), 0);
        }
        while listeners(&app).await > 0 {}
    }
    app.finish().await;
}

/// HTTP status of a call in this session.
async fn status(client: &Client, url: &str, session: &str) -> u16 {
    let body = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    let response = send_mcp(client.post(url).header("mcp-session-id", session).json(&body)).await;
    let status = response.status().as_u16();
    response.bytes().await.unwrap();
    status
}

// Clients that are gone without a word take nobody's place: the session that was idle the longest makes room.
#[actix_web::test]
async fn abandoned_mcp_sessions_make_room_for_new_ones() {
    let app = with_agents(&[], None).await;
    let (client, url) = (Client::new(), format!("{}/mcp", app.base));
    let listening = session(&client, &url).await;
    let stream = send_mcp(client.get(&url).header("mcp-session-id", &listening)).await;
    assert_eq!(stream.status(), 200);
    let (left, used) = (session(&client, &url).await, session(&client, &url).await);
    for _ in 3..500 {
        session(&client, &url).await;
    }
    assert_eq!(status(&client, &url, &used).await, 200);
    for _ in 0..3 {
        session(&client, &url).await;
    }
    assert_eq!(status(&client, &url, &left).await, 404);
    assert_eq!(status(&client, &url, &used).await, 200);
    assert_eq!(status(&client, &url, &listening).await, 200, "one that listens is not idle");
    drop(stream);
    app.finish().await;
}

// The other registry's client, too: it speaks by the command line.
#[actix_web::test]
#[ignore = "needs packages from npm; make test runs it"]
async fn the_inspector_lists_the_tools_and_calls_one() {
    let inspector = program("node_modules/.bin/mcp-inspector");
    let app = with_agents(&[("sum", SUM)], None).await;
    let asked = async |more: &[&str]| {
        let mut command = tokio::process::Command::new("node");
        command
            .arg(&inspector)
            .args(["--cli", &format!("{}/mcp", app.base), "--transport", "http"])
            .args(more);
        let output = tokio::time::timeout(PATIENCE, command.output()).await.expect("in time").unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        serde_json::from_str::<Value>(&stdout)
            .unwrap_or_else(|_| panic!("{stdout} {}", String::from_utf8_lossy(&output.stderr)))
    };
    let listed = asked(&["--method", "tools/list"]).await;
    assert!(names(listed["tools"].as_array().unwrap()).contains(&"sum"), "{listed}");
    let done = asked(&["--method", "tools/call", "--tool-name", "sum", "--tool-arg", "numbers=[1,2]"]).await;
    assert_eq!(done["structuredContent"], json!({"total": 3}), "{done}");
    app.finish().await;
}

/// The message that an answer bears, as JSON or as the one event of a stream.
async fn message(answer: Response) -> Value {
    let text = answer.text().await.unwrap();
    let data = text.lines().filter_map(|line| line.strip_prefix("data: ")).find(|data| data.starts_with('{'));
    serde_json::from_str(data.unwrap_or(&text)).unwrap_or_else(|_| panic!("{text}"))
}

// Errors follow the protocol, for versions with a session and for the one without: 400 with no `id` where none could
// be read, and errors of a call in its own answer.
#[actix_web::test]
async fn invalid_messages_and_parameters_are_json_rpc_errors() {
    let app = with_agents(&[("sum", SUM)], None).await;
    let (client, url) = (Client::new(), format!("{}/mcp", app.base));
    let session = session(&client, &url).await;
    let version = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "odd", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}});
    for newest in [false, true] {
        let send = async |body: String, named: (&str, &str)| {
            let request = client.post(&url).header("content-type", "application/json").body(body);
            send_mcp(match newest {
                false => request.header("mcp-session-id", &session),
                true => request
                    .header("mcp-protocol-version", "2026-07-28")
                    .header("mcp-method", named.0)
                    .header("mcp-name", named.1),
            })
            .await
        };
        for (body, code, id) in [
            ("", -32700, None),
            ("{", -32700, None),
            ("\u{0}", -32700, None),
            ("[]", -32600, None),
            ("7", -32600, None),
            (r#"{"jsonrpc":"2.0"}"#, -32600, None),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, None),
            (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, -32600, Some("a")),
        ] {
            let answer = send(body.to_owned(), ("ping", "")).await;
            assert_eq!(
                (answer.status().as_u16(), &answer.headers()["content-type"]),
                (400, &"application/json".parse().unwrap()),
                "{body}"
            );
            let error = message(answer).await;
            assert_eq!((&error["jsonrpc"], &error["error"]["code"]), (&json!("2.0"), &json!(code)), "{body}");
            assert_eq!(error.get("id"), id.map(|id| json!(id)).as_ref(), "{body}");
        }
        for (params, words) in [
            (json!({"name": "sum", "arguments": "x"}), "`arguments`, an object"),
            (json!({"name": "sum", "arguments": [1]}), "`arguments`, an object"),
            (json!({"name": "nobody", "arguments": {}}), "Unknown tool: nobody"),
        ] {
            let mut params = params;
            params["_meta"] = if newest { version.clone() } else { json!({}) };
            let name = params["name"].as_str().unwrap().to_owned();
            let body = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params});
            let error = message(send(body.to_string(), ("tools/call", &name)).await).await;
            assert_eq!((&error["id"], &error["error"]["code"]), (&json!(5), &json!(-32602)), "{error}");
            assert!(error["error"]["message"].as_str().unwrap().contains(words), "{error}");
        }
        let params = if newest { json!({"_meta": version}) } else { json!({}) };
        let body = json!({"jsonrpc": "2.0", "id": 6, "method": "evil/x", "params": params});
        let error = message(send(body.to_string(), ("evil/x", "")).await).await;
        assert_eq!((&error["id"], &error["error"]["code"]), (&json!(6), &json!(-32601)), "{error}");
        let plain = client.post(&url).header("content-type", "text/plain").body("{}");
        assert_eq!(send_mcp(plain).await.status(), 415, "another type of content is no fault of a message");
    }
    app.finish().await;
}
