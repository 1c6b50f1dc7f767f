//! The spans of runs, as a collector gets them: read with OpenTelemetry's own messages.

use crate::support::agents::{run, with_settings};
use crate::support::app::{Http, PATIENCE, Process};
use crate::support::clients;
use crate::support::lanes::{LEAF, SAY, composite, item, rules, say_item};
use crate::support::model::{Reply, ScriptedModel};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

/// A collector that tells what it is sent.
struct Collector {
    endpoint: String,
    lines: Lines<BufReader<ChildStdout>>,
    _child: Child,
}

impl Collector {
    /// Starts the collector.
    async fn start(words: &[&str]) -> Self {
        let mut child = clients::start("collector.py", words);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut started = Self { endpoint: String::new(), lines, _child: child };
        let port = started.next().await["port"].as_u64().unwrap();
        started.endpoint = format!("http://127.0.0.1:{port}");
        started
    }

    async fn next(&mut self) -> Value {
        let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await.expect("a span in time");
        serde_json::from_str(&line.unwrap().expect("it goes on")).unwrap()
    }

    /// Spans up to that of this run itself, which is the last of its tree to end.
    async fn until_run(&mut self, run: &str) -> Vec<Value> {
        let mut spans: Vec<Value> = Vec::new();
        loop {
            let span = self.next().await;
            let whole = span["attributes"]["askfirst.run.id"] == run
                && span["attributes"]["gen_ai.operation.name"] == "invoke_agent";
            spans.push(span);
            if whole {
                return spans;
            }
        }
    }

    /// Reads this many further spans.
    async fn more(&mut self, spans: &mut Vec<Value>, count: usize) {
        for _ in 0..count {
            spans.push(self.next().await);
        }
    }
}

fn named<'s>(spans: &'s [Value], name: &str) -> Vec<&'s Value> {
    spans.iter().filter(|span| span["name"] == name).collect()
}

// S3.32: the spans of one run tree are one tree: of one trace, below one root, each within its parent's time.
#[actix_web::test]
#[ignore = "needs packages from PyPI; make test runs it"]
async fn a_collector_sees_one_run_tree_as_one_tree() {
    let mut collector = Collector::start(&["--away", "1"]).await;
    let model = ScriptedModel::answering(rules(), |_| Reply::Text(String::from("a secret answer")));
    let lanes = composite(&["one", "two"], &["said"], "", &[say_item("one", "") + &say_item("two", "")]);
    let settings = [
        ("ASKFIRST_MODEL__STRUCTURED", "prompt"),
        ("ASKFIRST_TELEMETRY__OTLP_ENDPOINT", collector.endpoint.as_str()),
        ("ASKFIRST_TELEMETRY__OTLP_HEADERS", "x-key=k1"),
    ];
    let app = with_settings(&[("say", SAY), ("lanes", &lanes)], Some(&model), &settings).await;
    let done = run(&app, "lanes", json!({})).await;
    let root = done["run_id"].as_str().unwrap();
    let mut spans = collector.until_run(root).await;
    // The run's own span is the first of its request: its steps come after it.
    let steps = reqwest::get(format!("{}/api/runs/{root}/trace", app.base)).await.unwrap();
    let steps: Value = steps.json().await.unwrap();
    collector.more(&mut spans, steps["steps"].as_array().unwrap().len()).await;

    let trace = root.replace('-', "");
    let ids: BTreeMap<&str, &Value> = spans.iter().map(|span| (span["id"].as_str().unwrap(), span)).collect();
    assert_eq!(ids.len(), spans.len(), "each once");
    let mut roots = BTreeSet::new();
    for span in &spans {
        assert_eq!((&span["trace"], &span["key"]), (&json!(trace), &json!("k1")), "{span}");
        assert_eq!(span["resource"]["service.name"], "askfirst");
        assert_eq!(span["schema"], "https://opentelemetry.io/schemas/1.37.0");
        assert!(span["begin"].as_u64() <= span["end"].as_u64());
        match span["parent"].as_str() {
            None => drop(roots.insert(span["name"].as_str().unwrap())),
            Some(parent) => {
                let parent = ids.get(parent).unwrap_or_else(|| panic!("{span} hangs in the air: {spans:#?}"));
                let within = parent["begin"].as_u64() <= span["begin"].as_u64()
                    && span["end"].as_u64() <= parent["end"].as_u64();
                assert!(within, "{span} is not within {parent}");
            }
        }
    }
    assert_eq!(roots, BTreeSet::from(["invoke_agent lanes"]));
    let whole = named(&spans, "invoke_agent lanes")[0];
    let agent_spans = named(&spans, "invoke_agent say");
    assert_eq!(agent_spans.len(), 2);
    for span in agent_spans {
        assert_eq!((&span["parent"], &span["status"]), (&whole["id"], &json!(1)));
        assert_eq!(span["attributes"]["gen_ai.conversation.id"], root);
    }
    let chats: Vec<&Value> =
        spans.iter().filter(|span| span["attributes"]["gen_ai.operation.name"] == "chat").collect();
    assert_eq!(chats.len(), 2);
    for chat in chats {
        let step = ids[chat["parent"].as_str().unwrap()];
        assert_eq!((&step["name"], &chat["kind"]), (&json!("execute"), &json!(3)));
        assert_eq!(chat["attributes"]["gen_ai.provider.name"], "openai");
        assert!(chat["attributes"]["gen_ai.usage.input_tokens"].as_u64().unwrap() > 0);
    }
    // Contents of messages are exported only if the settings ask for it.
    assert!(!json!(spans).to_string().contains("a secret answer"));
    model.finish();
    app.finish().await;
}

// Spans that ended while no collector was there are exported by the next service.
#[actix_web::test]
#[ignore = "needs packages from PyPI; make test runs it"]
async fn a_restart_loses_no_span() {
    let mut collector = Collector::start(&[]).await;
    let folder = tempfile::tempdir().unwrap();
    let agents = folder.path().join("agents");
    std::fs::create_dir_all(&agents).unwrap();
    std::fs::write(agents.join("leaf.yaml"), format!("name: leaf\n{LEAF}")).unwrap();
    let twice = composite(&[], &[], "", &[item("a", "leaf", "") + &item("b", "leaf", "")]);
    std::fs::write(agents.join("twice.yaml"), format!("name: twice\n{twice}")).unwrap();

    let gone = format!("http://127.0.0.1:{}", crate::support::app::free_port());
    let first = Process::start(folder.path(), &[("OTEL_EXPORTER_OTLP_ENDPOINT", &gone)]).await;
    let url = format!("{}/api/run/twice", first.base);
    let done = reqwest::Client::new().post(url).json(&json!({"input": {}})).send().await.unwrap();
    let done: Value = done.json().await.unwrap();
    assert_eq!(done["status"], "succeeded", "{done}");
    assert!(first.terminate().await.success());

    let content = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint.as_str()),
        ("ASKFIRST_TELEMETRY__OTLP_CONTENT", "true"),
    ];
    let second = Process::start(folder.path(), &content).await;
    let spans = collector.until_run(done["run_id"].as_str().unwrap()).await;
    assert_eq!(named(&spans, "invoke_agent leaf").len(), 2);
    let whole = named(&spans, "invoke_agent twice")[0];
    assert_eq!(whole["parent"], Value::Null);
    assert!(whole["attributes"]["gen_ai.output.messages"].as_str().unwrap().contains("assistant"));

    // The span was sent once: the next one is of the next run.
    let next = Http::new().get(&format!("{}/api/runs?limit=1", second.base)).await;
    assert_eq!(next["items"].as_array().unwrap().len(), 1);
    assert!(second.terminate().await.success());
}

// A chat that was opened again before a collector was there hangs below its first time, which is sent with it.
#[actix_web::test]
#[ignore = "needs packages from PyPI; make test runs it"]
async fn a_chat_that_went_on_while_the_collector_was_away_is_sent_whole() {
    let mut collector = Collector::start(&[]).await;
    let folder = tempfile::tempdir().unwrap();
    let gone = format!("http://127.0.0.1:{}", crate::support::app::free_port());
    let first = Process::start(folder.path(), &[("OTEL_EXPORTER_OTLP_ENDPOINT", &gone)]).await;
    let http = Http::new();
    let order = json!({"input": {"text": "sing"}});
    let (_, done) = http.post(&format!("{}/api/run/browser", first.base), &order).await;
    let run = done["run_id"].as_str().unwrap();
    let reply =
        http.post(&format!("{}/api/runs/{run}/messages", first.base), &json!({"text": "louder"})).await;
    assert_eq!((reply.0, &reply.1["status"]), (202, &json!("running")), "opened again");
    assert!(first.terminate().await.success());

    let second = Process::start(folder.path(), &[("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.endpoint)]).await;
    let mut spans = collector.until_run(run).await;
    while named(&spans, "invoke_agent browser").len() < 2 {
        collector.more(&mut spans, 1).await;
    }
    let [before, after] = named(&spans, "invoke_agent browser")[..] else { panic!("{spans:#?}") };
    assert_eq!((&before["parent"], &after["parent"]), (&Value::Null, &before["id"]));
    assert!(before["end"].as_u64() <= after["begin"].as_u64());
    assert!(second.terminate().await.success());
}
