//! A real small model behind llama.cpp's server: its grammar takes the schemas, turns come back, answers stream, and
//! a stop frees the server. `make small-model` installs both and runs these tests; without them they are skipped.

use crate::support::agents::with_settings;
use crate::support::app::{PATIENCE, free_port};
use crate::support::ws::Ws;
use askfirst::config;
use askfirst::config::Structured;
use askfirst::model::Planner;
use askfirst::page::observation::Observation;
use askfirst::planning::{HistoryEntry, ModelPreference, PlanError, PlanRequest, Speaker};
use askfirst::protocol::Locale;
use askfirst::turn::action::NAMES;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Tokens of the server's context window.
const CONTEXT: u64 = 8_192;

const TALK: &str = "
kind: atomic
inputs: [{name: text, type: string, required: true}]
llm: {prompt: '{{ text }}', uses: [echo]}
";

/// A running server, which ends with the test.
struct SmallModel {
    server: Child,
    base: String,
}

impl SmallModel {
    /// Starts the server; `None` where it is not installed.
    async fn start() -> Option<Self> {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/small-model");
        let installed =
            |name: &str| -> Option<PathBuf> { Some(place.join(name)).filter(|path| path.exists()) };
        let (Some(server), Some(model)) = (installed("llama-server"), installed("model.gguf")) else {
            assert!(std::env::var_os("SMALL_MODEL").is_none(), "run scripts/small-model.sh");
            println!("skipped: there is no small model; `make small-model` installs one");
            return None;
        };
        let port = free_port();
        let server = Command::new(server)
            .arg("--model")
            .arg(model)
            .args(["--host", "127.0.0.1", "--port", &port.to_string()])
            .args([
                "--ctx-size",
                &CONTEXT.to_string(),
                "--parallel",
                "1",
                "--batch-size",
                "32",
                "--ubatch-size",
                "32",
                "--threads",
                "1",
                "--slots",
            ])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a server");
        let model = Self { server, base: format!("http://127.0.0.1:{port}") };
        let deadline = Instant::now() + 4 * PATIENCE;
        while !reqwest::get(format!("{}/health", model.base))
            .await
            .is_ok_and(|answer| answer.status().is_success())
        {
            assert!(Instant::now() < deadline, "the server does not become ready");
            tokio::task::yield_now().await;
        }
        Some(model)
    }

    fn settings(&self) -> config::Model {
        config::Model {
            base_url: Some(format!("{}/v1", self.base)),
            api_key: None,
            planner: Some(String::from("small")),
            summarizer: None,
            judge: None,
            vision: None,
            fallback: None,
            structured: Structured::JsonSchema,
            timeout_s: 300,
            retries: 0,
            max_output_tokens: 600,
            context_tokens: CONTEXT,
            stream: true,
            key_from_env: false,
            prices: config::Prices::default(),
        }
    }

    async fn is_busy(&self) -> bool {
        let slots: Value = reqwest::get(format!("{}/slots", self.base)).await.unwrap().json().await.unwrap();
        slots.as_array().unwrap().iter().any(|slot| slot["is_processing"] == true)
    }
}

impl Drop for SmallModel {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A page that is far longer than the window.
fn long_page() -> Observation {
    let lines: Vec<Value> = (1..3_000)
        .map(|eid| json!({"depth": 0, "role": "link", "name": format!("Product number {eid}"), "eid": eid}))
        .collect();
    serde_json::from_value(json!({"look": 1, "url": "http://shop.test/", "title": "Shop", "lines": lines}))
        .unwrap()
}

// The grammar of the whole turn compiles, and the longest page fits: the answer keeps to the schema, or is cut at its
// limit by a model that rambles.
#[actix_web::test]
#[ignore = "needs a small model; make test runs it"]
async fn a_small_model_plans_with_the_schema_of_all_actions() {
    let Some(model) = SmallModel::start().await else { return };
    let planner = Planner::new(&model.settings()).unwrap();
    let page = long_page();
    let text = String::from("Open product number 7.");
    let history = [HistoryEntry::Message { by: Speaker::Person, text }];
    let prefers = ModelPreference { model: None, temperature: Some(0.0) };
    let request = PlanRequest {
        locale: Locale::En,
        prefers: Some(&prefers),
        history: &history,
        page: Some(&page),
        actions: &NAMES,
        ..PlanRequest::default()
    };
    match planner.plan(&request).await {
        Ok(planned) => {
            let input = planned.usage[0].input_tokens;
            println!("turn: {:?} after {input} tokens", planned.turn.actions);
            assert!((1..CONTEXT).contains(&input), "{input}");
        }
        Err(PlanError::Invalid { message, usage }) => {
            println!("no turn: {message}");
            assert!(message.contains("cut off at the limit") || message.contains("no action"), "{message}");
            assert!(
                usage.iter().all(|one| one.input_tokens < CONTEXT && one.output_tokens <= 600),
                "{usage:?}"
            );
        }
        Err(fault) => panic!("{fault:?}"),
    }
}

// The test of a connection, as the page "Model" makes it: the endpoint answers, gives a turn by the schema, streams.
#[actix_web::test]
#[ignore = "needs a small model; make test runs it"]
async fn a_small_model_passes_the_test_of_its_connection() {
    let Some(model) = SmallModel::start().await else { return };
    let base = format!("{}/v1", model.base);
    let settings =
        [("ASKFIRST_MODEL__BASE_URL", base.as_str()), ("ASKFIRST_MODEL__MAX_OUTPUT_TOKENS", "400")];
    let app = with_settings(&[("talk", TALK)], None, &settings).await;
    let sent = reqwest::Client::new().post(format!("{}/api/model/test", app.base)).send().await.unwrap();
    let report: Value = sent.json().await.unwrap();
    println!("{report:#}");
    let passed = |name: &str| {
        let checks = report["checks"].as_array().unwrap();
        checks.iter().any(|check| check["name"] == name && check["ok"] == true)
    };
    // A model without training for orders may ramble within the schema until its answer is cut.
    let keeps_to_schema = passed("schema") || report.to_string().contains("cut off at the limit");
    assert!(passed("reachable") && keeps_to_schema && passed("streaming"), "{report:#}");
    app.finish().await;
}

// A stop closes the request, and the server's slot is free within a second.
#[actix_web::test]
#[ignore = "needs a small model; make test runs it"]
async fn a_stop_frees_the_server() {
    let Some(model) = SmallModel::start().await else { return };
    let base = format!("{}/v1", model.base);
    let app = with_settings(&[("talk", TALK)], None, &[("ASKFIRST_MODEL__BASE_URL", base.as_str())]).await;
    let (mut ws, _) = Ws::hello(&app.base, json!({"writing": true})).await;
    ws.send(json!({"type": "user_message", "agent": "talk", "text": "Tell a very long story."})).await;
    let run = ws.until("run_started").await["run_id"].clone();
    while !model.is_busy().await {
        tokio::task::yield_now().await;
    }
    let stopped = Instant::now();
    ws.send(json!({"type": "control", "run_id": run, "command": "stop"})).await;
    while model.is_busy().await {
        assert!(stopped.elapsed() < PATIENCE, "the server goes on");
        tokio::task::yield_now().await;
    }
    let took = stopped.elapsed();
    println!("free after {} ms", took.as_millis());
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert_eq!(ws.until("run_ended").await["outcome"], "cancelled");
    app.finish().await;
}
