//! A service with custom agents, and helpers to run them over HTTP.

use super::app::{self, TestApp};
use super::model::ScriptedModel;
use futures_util::StreamExt;
use serde_json::{Value, json};

/// Starts a service with these agents besides the built-in ones. Its model is asked for plain text.
pub async fn with_agents(agents: &[(&str, &str)], model: Option<&ScriptedModel>) -> TestApp {
    with_settings(agents, model, &[("ASKFIRST_MODEL__STRUCTURED", "prompt")]).await
}

/// Like [`with_agents`], with custom settings.
pub async fn with_settings(
    agents: &[(&str, &str)],
    model: Option<&ScriptedModel>,
    settings: &[(&str, &str)],
) -> TestApp {
    let folder = tempfile::tempdir().unwrap();
    let agents_folder = folder.path().join("agents");
    std::fs::create_dir_all(&agents_folder).unwrap();
    for (name, text) in agents {
        if name.ends_with(".md") {
            // A knowledge note beside the agent files.
            std::fs::create_dir_all(agents_folder.join(name).parent().unwrap()).unwrap();
            std::fs::write(agents_folder.join(name), text).unwrap();
            continue;
        }
        std::fs::write(agents_folder.join(format!("{name}.yaml")), format!("name: {name}\n{text}")).unwrap();
    }
    let base = model.map(|model| ("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()));
    let settings: Vec<(&str, &str)> = settings.iter().copied().chain(base).collect();
    app::spawn_in(folder, &settings).await
}

/// Runs an agent by `POST /api/run/{name}` and returns the response.
pub async fn run(app: &TestApp, agent: &str, input: Value) -> Value {
    let url = format!("{}/api/run/{agent}", app.base);
    reqwest::Client::new()
        .post(url)
        .json(&json!({ "input": input }))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap()
}

pub async fn get(app: &TestApp, path: &str) -> Value {
    reqwest::get(format!("{}{path}", app.base)).await.unwrap().json().await.unwrap()
}

/// Waits until a run has ended, and returns its whole representation.
pub async fn ended(app: &TestApp, run: &str) -> Value {
    let url = format!("{}/api/runs/{run}/events", app.base);
    let stream = reqwest::Client::new().get(url).header("accept", "text/event-stream").send().await.unwrap();
    let mut stream = stream.bytes_stream();
    loop {
        let whole = get(app, &format!("/api/runs/{run}")).await;
        if !whole["ended_at"].is_null() {
            return whole;
        }
        // Any event in its run tree.
        let news = tokio::time::timeout(app::PATIENCE, stream.next()).await.expect("news in time");
        news.expect("the stream goes on").unwrap();
    }
}
