//! Chat clients over the death of the service: what they send again is the same request, and nothing is done twice.

use crate::support::app::{Http, Process, free_port};
use crate::support::model::{Release, Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Mutex;

/// The first time that it is asked for something nobody hears its answer.
fn model() -> ScriptedModel {
    let asked = Mutex::new(Vec::<Release>::new());
    let rules = Rules { several_runs: true, ..Rules::default() };
    ScriptedModel::answering(rules, move |request| {
        let all = request.body["messages"].to_string();
        let words = if all.contains("and then?") { "Second." } else { "First." };
        let mut stalled = asked.lock().unwrap();
        let first = stalled.len() == usize::from(words == "Second.");
        match first {
            true => {
                let (reply, release) = Reply::stop(words).stalled();
                stalled.push(release);
                reply
            }
            false => Reply::stop(words),
        }
    })
}

async fn begin(port: u16, folder: &Path, model: &ScriptedModel) -> Process {
    Process::start_on(port, folder, &[("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str())]).await
}

fn build_request(base: &str, texts: &[&str]) -> RequestBuilder {
    let role = |at: usize| if at.is_multiple_of(2) { "user" } else { "assistant" };
    let messages: Value =
        texts.iter().enumerate().map(|(at, text)| json!({"role": role(at), "content": text})).collect();
    let body = json!({"model": "assistant", "messages": messages});
    Client::new().post(format!("{base}/v1/chat/completions")).json(&body)
}

/// Sends a request; returns the reply and the id of its run.
async fn send_request(request: RequestBuilder) -> (String, String) {
    let reply: Value = request.send().await.unwrap().json().await.unwrap();
    let word = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{reply}")).to_owned();
    (word(&reply["choices"][0]["message"]["content"]), word(&reply["askfirst"]["run_id"]))
}

// A new chat and one that goes on; by the library's own count, and by a key.
#[actix_web::test]
async fn a_request_repeated_after_kill_9_is_not_done_again() {
    let (model, folder, port, http) = (model(), tempfile::tempdir().unwrap(), free_port(), Http::new());
    let service = begin(port, folder.path(), &model).await;
    let base = service.base.clone();
    let lost = actix_web::rt::spawn(build_request(&base, &["hello"]).send());
    model.arrived(1).await;
    service.kill().await;
    assert!(lost.await.unwrap().is_err());
    let service = begin(port, folder.path(), &model).await;
    let again = build_request(&base, &["hello"]).header("x-stainless-retry-count", "1");
    let (first, run) = send_request(again).await;
    assert_eq!(first, "First.");
    let runs = async || http.get(&format!("{base}/api/runs")).await["items"].as_array().unwrap().len();
    assert_eq!(runs().await, 1);

    let further = || build_request(&base, &["hello", "First.", "and then?"]).header("idempotency-key", "k-1");
    let lost = actix_web::rt::spawn(further().send());
    model.arrived(3).await;
    service.kill().await;
    assert!(lost.await.unwrap().is_err());
    let service = begin(port, folder.path(), &model).await;
    assert_eq!(send_request(further()).await, (String::from("Second."), run.clone()));
    assert_eq!(
        send_request(further()).await,
        (String::from("Second."), run.clone()),
        "so is one that comes later"
    );

    let other = build_request(&base, &["hello", "First.", "something else"]).header("idempotency-key", "k-1");
    assert_eq!(other.send().await.unwrap().status().as_u16(), 409, "the key is that of another request");
    assert_eq!(runs().await, 1);
    let events = http.get(&format!("{base}/api/runs/{run}/events")).await;
    let is_second_message =
        |event: &&Value| event["event"] == "user_message" && event["data"]["text"] == "and then?";
    assert_eq!(events["items"].as_array().unwrap().iter().filter(is_second_message).count(), 1, "{events}");
    service.terminate().await;
    model.finish();
}

// A key belongs to one request, as in /api/runs.
#[actix_web::test]
async fn a_key_that_comes_with_another_request_is_refused() {
    let (model, folder, port) = (model(), tempfile::tempdir().unwrap(), free_port());
    let service = begin(port, folder.path(), &model).await;
    let base = service.base.clone();
    let keyed = |text: &str| build_request(&base, &[text]).header("idempotency-key", "k-1");
    let waits = actix_web::rt::spawn(keyed("hello").send());
    model.arrived(1).await;
    let refused = keyed("something else").send().await.unwrap();
    let retry = refused.headers()["x-should-retry"].to_str().unwrap();
    assert_eq!((refused.status().as_u16(), retry), (409, "false"), "its library does not try again");
    let error = refused.json::<Value>().await.unwrap()["error"].take();
    assert_eq!((&error["code"], &error["type"]), (&json!("key_reused"), &json!("invalid_request_error")));
    service.kill().await;
    assert!(waits.await.unwrap().is_err());
    let service = begin(port, folder.path(), &model).await;
    assert_eq!(keyed("something else").send().await.unwrap().status().as_u16(), 409);
    assert_eq!(send_request(keyed("hello")).await.0, "First.");
    service.terminate().await;
    model.finish();
}
