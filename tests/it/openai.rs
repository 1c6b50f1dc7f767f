//! Agents as models: chat clients of the OpenAI kind talk to them.

use crate::support::agents::with_settings;
use crate::support::clients;
use crate::support::model::{Reply, Request, ScriptedModel, turn};
use crate::support::model_checks::Rules;
use crate::support::service::{TestService, word};
use reqwest::Method;
use serde_json::{Value, json};

const PATH: &str = "/v1/chat/completions";

/// Messages of a chat, by turns of person and assistant, beginning with the person.
fn messages(texts: &[&str]) -> Value {
    let role = |at: usize| if at.is_multiple_of(2) { "user" } else { "assistant" };
    texts.iter().enumerate().map(|(at, text)| json!({"role": role(at), "content": text})).collect()
}

async fn say(app: &TestService, model: &str, texts: &[&str]) -> (String, Value) {
    let body = json!({"model": model, "messages": messages(texts), "temperature": 0.2, "user": "x"});
    let (status, reply) = app.post(PATH, body).await;
    assert_eq!((status, &reply["object"]), (200, &json!("chat.completion")), "{reply}");
    (word(&reply["choices"][0]["message"], "content"), reply)
}

#[actix_web::test]
async fn a_completion_returns_the_response_of_a_run_and_the_chat_continues_it() {
    let app = TestService::start();
    let (content, reply) = say(&app, "three", &["a lamp"]).await;
    assert_eq!(content, "half way\n\n**succeeded**");
    assert_eq!((&reply["model"], &reply["choices"][0]["finish_reason"]), (&json!("three"), &json!("stop")));
    assert_eq!(reply["usage"]["total_tokens"], 24);
    let run = word(&reply["askfirst"], "run_id");
    assert_eq!(app.get(&format!("/api/runs/{run}")).await.1["input"], json!({"text": "a lamp"}));

    // Clients set words differently.
    let (content, reply) = say(&app, "three", &["a lamp", "half way **succeeded**", "once more"]).await;
    assert_eq!(content, "half way\n\n**succeeded**");
    assert_eq!(
        (word(&reply["askfirst"], "run_id"), &reply["usage"]["total_tokens"]),
        (run.clone(), &json!(24))
    );

    // Said anew, or of another chat: another run.
    for texts in [
        &["a lamp", "half way **succeeded**", "something else"][..],
        &["a lamp", "never said", "once more"],
        &["a lamp"],
    ] {
        assert_ne!(word(&say(&app, "three", texts).await.1["askfirst"], "run_id"), run, "{texts:?}");
    }
    app.finish().await;
}

// Two chats of the same words are two: neither goes on in the other's run.
#[actix_web::test]
async fn chats_with_equal_texts_continue_the_run_that_they_name() {
    let app = TestService::start();
    let begun = |reply: &Value| word(&reply["askfirst"], "run_id");
    let one = begun(&say(&app, "three", &["a lamp"]).await.1);
    let other = begun(&say(&app, "three", &["a lamp"]).await.1);
    assert_ne!(one, other);

    let texts = ["a lamp", "half way **succeeded**", "once more"];
    let new = begun(&say(&app, "three", &texts).await.1);
    assert!(new != one && new != other, "without a name it is nobody's");

    // A name in the header counts more than one in the body.
    assert_eq!(say_in(&app, &texts, Some(&one), Some(&other)).await, one);
    assert_eq!(say_in(&app, &texts, None, Some(&other)).await, other);
    // The same words again are not what was said in it; and no other is taken for what is named.
    for named in [one.as_str(), "nobody"] {
        let again = say_in(&app, &texts, Some(named), None).await;
        assert!(![&one, &other, &new].contains(&&again), "{named}");
    }
    let further = ["a lamp", "half way **succeeded**", "once more", "half way **succeeded**", "and now?"];
    assert_eq!(say_in(&app, &further, Some(&one), None).await, one);
    app.finish().await;
}

/// Says it in the run that the header or the body names, and gives the run in which it was said.
async fn say_in(app: &TestService, texts: &[&str], header: Option<&str>, body: Option<&str>) -> String {
    let mut asked = json!({"model": "three", "messages": messages(texts)});
    if let Some(run) = body {
        asked["metadata"] = json!({"askfirst_run_id": run});
    }
    let mut request = app.request(Method::POST, PATH).json(&asked);
    if let Some(run) = header {
        request = request.header("x-askfirst-run", run);
    }
    let response = request.send().await.unwrap();
    assert_eq!(response.status().as_u16(), 200);
    let run = response.headers()["x-askfirst-run"].to_str().unwrap().to_owned();
    let reply: Value = response.json().await.unwrap();
    assert_eq!(reply["askfirst"]["run_id"], json!(run));
    run
}

#[actix_web::test]
async fn a_chat_message_never_answers_a_question_that_allows_something() {
    let app = TestService::start();
    let (question, reply) = say(&app, "asks", &["a lamp"]).await;
    let run = word(&reply["askfirst"], "run_id");
    let link = format!("http://127.0.0.1:{}/#/runs/{run}", app.port);
    assert_eq!(question, format!("May I?\n\nApprove or decline here: {link}"));
    let (again, reply) = say(&app, "asks", &["a lamp", &question, "yes"]).await;
    assert_eq!((&again, word(&reply["askfirst"], "run_id")), (&question, run.clone()));
    let (_, whole) = app.get(&format!("/api/runs/{run}")).await;
    assert_eq!(whole["status"], "waiting");

    let path = format!("/api/questions/{}", word(&whole, "question"));
    app.post(&path, json!({"confirmed": true})).await;
    app.until(&run, "succeeded").await;
    let (more, reply) = say(&app, "asks", &["a lamp", &question, "yes", &again, "and?"]).await;
    assert_eq!(word(&reply["askfirst"], "run_id"), run);
    // Messages sent meanwhile come first; then it asks again.
    assert_eq!(more, format!("**succeeded**\n\n{question}"));
    app.finish().await;
}

#[actix_web::test]
async fn a_question_for_words_takes_the_next_message() {
    let app = TestService::start();
    let script = json!({"script": ["ask:question", "go"]}).to_string();
    let (question, reply) = say(&app, "script", &[&script]).await;
    assert!(question.starts_with("May I?\n\nAnswer with a message, or here: http://"), "{question}");
    let run = word(&reply["askfirst"], "run_id");
    let (done, reply) = say(&app, "script", &[&script, &question, "the blue one"]).await;
    assert_eq!((done.as_str(), word(&reply["askfirst"], "run_id")), ("**succeeded**", run.clone()));
    let (_, whole) = app.get(&format!("/api/runs/{run}")).await;
    assert_eq!(whole["vars"]["answers"][0]["text"], "the blue one", "{whole}");
    app.finish().await;
}

#[actix_web::test]
async fn a_stream_has_the_chunks_that_clients_know() {
    let app = TestService::start();
    let body = json!({"model": "three", "messages": messages(&["a lamp"]), "stream": true,
        "stream_options": {"include_usage": true}});
    let answer = app.request(Method::POST, PATH).json(&body).send().await.unwrap();
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    let run = answer.headers()["x-askfirst-run"].to_str().unwrap().to_owned();
    let text = answer.text().await.unwrap();
    let events: Vec<&str> = text.split("\n\n").filter_map(|event| event.strip_prefix("data: ")).collect();
    assert_eq!(events.last(), Some(&"[DONE]"));
    let chunks: Vec<Value> =
        events[..events.len() - 1].iter().map(|event| serde_json::from_str(event).unwrap()).collect();
    assert!(
        chunks
            .iter()
            .all(|chunk| chunk["object"] == "chat.completion.chunk" && chunk["id"] == chunks[0]["id"])
    );
    assert_eq!(chunks[0]["choices"][0]["delta"], json!({"role": "assistant", "content": ""}));
    let content: String =
        chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(content, "half way\n\n**succeeded**");
    let [.., end, usage] = chunks.as_slice() else { panic!("{text}") };
    assert_eq!(
        (&end["choices"][0]["finish_reason"], &end["askfirst"]["run_id"]),
        (&json!("stop"), &json!(run))
    );
    assert_eq!((&usage["choices"], &usage["usage"]["prompt_tokens"]), (&json!([]), &json!(20)));

    // A library that lost the connection asks the same again, and nothing is done twice.
    let retried = app.request(Method::POST, PATH).header("x-stainless-retry-count", "1").json(&body);
    let again = retried.send().await.unwrap();
    assert_eq!(again.headers()["x-askfirst-run"].to_str().unwrap(), run);
    assert!(again.text().await.unwrap().contains("half way"));
    app.finish().await;
}

// A chat that goes on is asked several times at once with one key: it is heard once, and all get that answer.
#[actix_web::test]
async fn concurrent_requests_with_one_idempotency_key_are_handled_once() {
    let app = TestService::start();
    let (content, reply) = say(&app, "three", &["a lamp"]).await;
    let run = word(&reply["askfirst"], "run_id");
    let body = json!({"model": "three", "messages": messages(&["a lamp", &content, "once more"])});
    let ask = async || {
        let request = app.request(Method::POST, PATH).header("idempotency-key", "k-1").json(&body);
        let reply: Value = request.send().await.unwrap().json().await.unwrap();
        (word(&reply["askfirst"], "run_id"), word(&reply["choices"][0]["message"], "content"))
    };
    let all = futures_util::future::join_all((0..8).map(|_| ask())).await;
    let (_, events) = app.get(&format!("/api/runs/{run}/events?limit=1000")).await;
    let read =
        events["items"].as_array().unwrap().iter().filter(|event| event["event"] == "user_message").count();
    assert_eq!(read, 2, "the first and this one: {events}");
    assert!(all.iter().all(|one| *one == (run.clone(), content.clone())), "{all:?}");
    assert_eq!(ask().await, all[0], "so is one that comes later");
    let (_, runs) = app.get("/api/runs").await;
    assert_eq!(runs["items"].as_array().unwrap().len(), 1, "{runs}");
    app.finish().await;
}

/// Says it, as a client that waits for so many seconds.
async fn say_within(app: &TestService, seconds: &str, texts: &[&str]) -> (String, Value) {
    let body = json!({"model": "script", "messages": messages(texts)});
    let request = app.request(Method::POST, PATH).header("x-stainless-read-timeout", seconds).json(&body);
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status().as_u16(), 200);
    let reply: Value = answer.json().await.unwrap();
    (word(&reply["choices"][0]["message"], "content"), reply["askfirst"].clone())
}

// No request hangs without a word: a paused run says so, to whoever waits for it and to whoever comes, and what is
// said to it then is heard once when it goes on.
#[actix_web::test]
async fn a_chat_with_a_paused_run_says_so_and_delivers_the_message_later() {
    let app = TestService::start();
    let script = json!({"script": ["hold", "say:there"]}).to_string();
    let body = json!({"model": "script", "messages": messages(&[&script]), "stream": true});
    let stream = app.request(Method::POST, PATH).json(&body).send().await.unwrap();
    let run = stream.headers()["x-askfirst-run"].to_str().unwrap().to_owned();
    let notice = format!("Paused. Resume it here: http://127.0.0.1:{}/#/runs/{run}", app.port);
    app.until(&run, "running").await;
    assert!(app.post(&format!("/api/runs/{run}/pause"), json!({})).await.0 < 300);
    let streamed = stream.text().await.unwrap();
    assert!(streamed.contains(&notice) && streamed.contains(r#""status":"paused""#), "{streamed}");

    for texts in [&[&script, &notice, "one"][..], &[&script, &notice, "one", &notice, "two"]] {
        let (content, reply) = say(&app, "script", texts).await;
        assert_eq!((&content, &reply["askfirst"]["run_id"]), (&notice, &json!(run)));
        assert_eq!(reply["askfirst"]["status"], "paused");
    }
    (0..2).for_each(|_| app.programs.release());
    assert!(app.post(&format!("/api/runs/{run}/resume"), json!({})).await.0 < 300);
    app.until(&run, "succeeded").await;
    let (content, reply) =
        say(&app, "script", &[&script, &notice, "one", &notice, "two", &notice, "and?"]).await;
    assert_eq!(reply["askfirst"]["run_id"], json!(run));
    assert!(content.starts_with("there"), "{content}");
    let (_, whole) = app.get(&format!("/api/runs/{run}")).await;
    assert_eq!(whole["vars"]["heard"], json!(["one", "two", "and?"]), "{whole}");
    app.finish().await;
}

// A client is answered before it gives up, and goes on in the run later.
#[actix_web::test]
async fn a_chat_is_answered_before_the_client_gives_up_and_continues_later() {
    let app = TestService::start();
    let script = json!({"script": ["say:half way", "hold", "say:done"]}).to_string();
    let (content, reply) = say_within(&app, "0.5", &[&script]).await;
    let run = word(&reply, "run_id");
    let link = format!("http://127.0.0.1:{}/#/runs/{run}", app.port);
    let notice = format!("Still running. See the result here: {link}");
    assert!(content.ends_with(&notice), "{content}");
    assert_eq!(reply["status"], "running");
    // A message sent meanwhile is not read yet.
    let (again, reply) = say_within(&app, "0.5", &[&script, &content, "and?"]).await;
    assert_eq!((again.ends_with(&notice), word(&reply, "run_id")), (true, run.clone()), "{again}");
    (0..2).for_each(|_| app.programs.release());
    app.until(&run, "succeeded").await;
    let (last, reply) = say_within(&app, "60", &[&script, &content, "and?", &again, "so?"]).await;
    assert!(last.contains("done") && !last.contains(&link), "{last}");
    assert_eq!(word(&reply, "run_id"), run);
    app.finish().await;
}

#[actix_web::test]
async fn errors_have_the_shape_that_clients_read() {
    let app = TestService::start();
    let chat = messages(&["x"]);
    for (method, path, body, status, code) in [
        (Method::POST, PATH, json!({"model": "nobody", "messages": chat}), 404, "model_not_found"),
        (Method::POST, PATH, json!({"messages": chat}), 400, "missing_model"),
        (Method::POST, PATH, json!({"model": "three", "messages": []}), 400, "bad_messages"),
        (Method::POST, PATH, json!([]), 400, "bad_json"),
        (Method::PUT, PATH, json!({}), 405, "method_not_allowed"),
        (Method::POST, "/v1/embeddings", json!({}), 404, "not_found"),
        (Method::GET, "/v1/models/nobody", json!({}), 404, "model_not_found"),
    ] {
        let answer = app.request(method, path).json(&body).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), status, "{path} {body}");
        let reply: Value = answer.json().await.unwrap();
        assert_eq!(reply["error"]["code"], code, "{reply}");
        assert!(!word(&reply["error"], "message").is_empty() && reply["error"]["type"].is_string());
    }
    app.finish().await;
}

const ORDER: &str = "Create hello.txt with 'Hello World'";

fn assists(request: &Request) -> Reply {
    let prompt = request.last_text();
    if prompt.contains("say bye") {
        // Messages sent elsewhere are repeated as they were.
        let whole = request.body["messages"].to_string();
        let known =
            if whole.contains("Kyiv is nice") && whole.contains("It is.") { "Kyiv, bye." } else { "Bye." };
        return Reply::stop(known);
    }
    if prompt.contains("result w ok") {
        return Reply::stop("The file hello.txt is there.");
    }
    let mut reply = turn("write_file", json!({"name": "hello.txt", "content": "Hello World"}));
    reply["actions"][0]["action_id"] = json!("w");
    assert!(prompt.contains(ORDER), "{prompt}");
    Reply::Turn(reply)
}

// OpenAI's own library chats with an agent, streaming; questions come as text with the link to answer.
#[actix_web::test]
#[ignore = "needs packages from PyPI; make test runs it"]
async fn openais_own_library_chats_with_an_agent() {
    let model = ScriptedModel::answering(Rules { several_runs: true, ..Rules::default() }, assists);
    let app = with_settings(&[], Some(&model), &[]).await;
    let output = clients::run_client("chat.py", &[&app.base, "assistant"], "").await;
    assert!(output["models"].as_array().unwrap().contains(&json!("browser")), "{output}");
    assert_eq!(output["model"], "assistant");
    let (asked, run) = (&output["asked"], word(&output["asked"], "run_id"));
    let streamed = asked["pieces"].as_array().unwrap().iter().map(|piece| piece.as_str().unwrap());
    let streamed: String = streamed.collect();
    assert!(
        streamed.contains("“Write a file”") && streamed.contains(&format!("{}/#/runs/{run}/", app.base)),
        "{output}"
    );
    // The run waits for a child that asks.
    assert_eq!((&asked["status"], &asked["finish"]), (&json!("running"), &json!("stop")));
    assert_eq!(output["repeated"]["run_id"], json!(run));
    assert_eq!(output["repeated"]["questions"], asked["questions"], "it is not answered by words");
    let after = &output["after"];
    assert_eq!((&after["run_id"], &after["status"]), (&json!(run), &json!("succeeded")));
    assert_eq!(after["pieces"].as_array().unwrap().len(), 2, "{after}");
    assert_eq!(after["pieces"][1], "\n\nBye.");
    assert!(after["total"].as_u64().unwrap() > 0);
    assert_eq!((&output["whole"]["run_id"], &output["whole"]["content"]), (&json!(run), &json!("Bye.")));
    assert_ne!(output["elsewhere"]["run_id"], run);
    assert_eq!(output["elsewhere"]["content"], "Kyiv, bye.");
    assert_eq!(output["fault"]["code"], "model_not_found");
    assert_metrics(&app.base).await;
    model.finish();
    app.finish().await;
}

/// Checks the metrics of such a chat.
async fn assert_metrics(base: &str) {
    let text = reqwest::get(format!("{base}/metrics")).await.unwrap().text().await.unwrap();
    for sample in [
        r#"askfirst_model_calls_total{role="planner",outcome="ok"}"#,
        r#"askfirst_tokens_total{role="planner",kind="input"}"#,
        r#"askfirst_step_seconds_count{phase="plan"}"#,
        r#"askfirst_step_seconds_count{phase="gate"}"#,
        r#"askfirst_step_seconds_count{phase="execute"}"#,
        r#"askfirst_questions_total{kind="confirm",outcome="asked"}"#,
        r#"askfirst_questions_total{kind="confirm",outcome="user"}"#,
        r#"askfirst_runs_total{agent="assistant",outcome="succeeded"}"#,
        r#"askfirst_invocation_seconds_count{tool="write_file",status="succeeded"}"#,
    ] {
        assert!(text.contains(sample), "{sample} is missing in {text}");
    }
}
