//! The workflow of `lanes` with agents that do work, through the whole service and its HTTP API: four calls
//! of a model that answers at once (baseline: the four requests), and four computations in Python in the
//! sandbox (baseline: four plain interpreters).

use super::app::{Http, Process};
use super::lanes::flow;
use super::table::{Goal, Row, Sample};
use actix_web::{App, HttpResponse, HttpServer, web};
use askfirst::clock::Stopwatch;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use tokio::process::Command;

const ROUNDS: usize = 40;

const WRITES: &str = "name: pure
kind: atomic
inputs: [{name: word}]
outputs: [{name: said}]
llm: {prompt: 'say {{ word }}'}
";

const COMPUTES: &str = "name: pure
kind: atomic
inputs: [{name: word}]
outputs: [{name: said}]
python: {code: 'said = word.upper()'}
";

/// The model's answer to every request.
const REPLY_TEXT: &str = "WORD";

pub async fn measure() -> Vec<Row> {
    let app = || App::new().route("/chat/completions", web::post().to(answer));
    let server =
        HttpServer::new(app).tcp_nodelay(true).workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
    let model = format!("http://{}", server.addrs()[0]);
    let server = server.run();
    let handle = server.handle();
    actix::spawn(server);
    let bare = Http::new();
    let url = format!("{model}/chat/completions");
    let post_empty = || async { drop(bare.post(&url, &json!({"messages": []})).await) };
    let writes = measure_with_floor(WRITES, &model, post_empty).await;
    let computes = measure_with_floor(COMPUTES, &model, interpreter).await;
    handle.stop(false).await;
    vec![
        row("  one of agents that ask a model, over HTTP", writes),
        row("  one of agents in Python, over HTTP", computes),
    ]
}

fn row(what: &str, (ours, bare): (Sample, Sample)) -> Row {
    Row::new(what, "ms", ours, Goal::None).with_floor(bare)
}

async fn answer() -> HttpResponse {
    let message = json!({"role": "assistant", "content": REPLY_TEXT});
    HttpResponse::Ok().json(json!({
        "id": "1", "object": "chat.completion", "created": 1, "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11},
    }))
}

/// Returns the milliseconds of runs with this agent, and of the four operations alone, two at a time.
async fn measure_with_floor<F: Future<Output = ()>>(
    agent: &str,
    model: &str,
    floor: impl Fn() -> F,
) -> (Sample, Sample) {
    let folder = tempfile::tempdir().unwrap();
    let service = service(folder.path(), agent, model).await;
    let (http, url) = (Http::new(), format!("{}/api/run/flow", service.base));
    let (mut ours, mut bare) = (Sample::default(), Sample::default());
    for _ in 0..ROUNDS {
        let watch = Stopwatch::start();
        let (_, done): (u16, Value) = http.post(&url, &json!({"input": {"word": "word"}})).await;
        assert_eq!(done["vars"]["said"], REPLY_TEXT, "{done}");
        ours.add(watch.seconds() * 1000.0);
        let watch = Stopwatch::start();
        for _ in 0..2 {
            join_all((0..2).map(|_| floor())).await;
        }
        bare.add(watch.seconds() * 1000.0);
    }
    service.terminate().await;
    (ours, bare)
}

async fn service(folder: &Path, agent: &str, model: &str) -> Process {
    let agents_folder = folder.join("agents");
    std::fs::create_dir_all(&agents_folder).unwrap();
    std::fs::write(agents_folder.join("pure.yaml"), agent).unwrap();
    std::fs::write(agents_folder.join("flow.yaml"), serde_json::to_string(&flow()).unwrap()).unwrap();
    let settings = [("ASKFIRST_MODEL__BASE_URL", model), ("ASKFIRST_MODEL__STRUCTURED", "prompt")];
    Process::start(folder, &settings).await
}

async fn interpreter() {
    let mut python = Command::new("python3");
    python.args(["-I", "-c", "import json; print(json.dumps({'said': 'word'.upper()}))"]);
    assert!(python.stdout(Stdio::null()).status().await.unwrap().success());
}
