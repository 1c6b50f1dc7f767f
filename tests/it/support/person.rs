//! A person's own Chromium, separate from those of the service. It accepts self-signed certificates and
//! resolves names of its own.

use super::app::{PATIENCE, until};
use super::devtools::Page;
use askfirst::browser::process::launch;
use serde_json::json;

pub struct Person {
    chromium: tokio::process::Child,
    folder: tempfile::TempDir,
}

impl Person {
    /// Starts the browser. It resolves names ending in `.test` to this machine.
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let profile = folder.path().join("browser").join("person");
        std::fs::create_dir_all(&profile).unwrap();
        let chromium = tokio::process::Command::new(launch::executable(None).unwrap())
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--lang=en-US"])
            .args(["--ignore-certificate-errors", "--host-resolver-rules=MAP *.test 127.0.0.1"])
            .args(["--remote-debugging-port=0", "--window-size=1440,900", "about:blank#person"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let port = profile.join("DevToolsActivePort");
        until("Chromium listens", PATIENCE, || {
            std::fs::read_to_string(&port).is_ok_and(|text| text.lines().count() == 2)
        })
        .await;
        Self { chromium, folder }
    }

    /// Returns its only window.
    pub async fn window(&self) -> Page {
        Page::find(self.folder.path(), "").await
    }

    pub async fn finish(mut self) {
        self.window().await.close_browser().await;
        tokio::time::timeout(PATIENCE, self.chromium.wait()).await.expect("Chromium ends").unwrap();
    }
}

impl Page {
    /// Opens a URL, and waits until the condition holds there.
    pub async fn opens(&mut self, url: &str, condition: &str) {
        self.call("Page.navigate", json!({"url": url})).await;
        self.shows(condition).await;
    }

    /// Clicks an element as soon as it exists.
    pub async fn presses(&mut self, selector: &str) {
        self.shows(&format!("document.querySelector({}) !== null", json!(selector))).await;
        self.run(&format!("document.querySelector({}).click()", json!(selector))).await;
    }

    /// Fetches a path from the page's scripts. Returns status and text.
    pub async fn fetches(&mut self, path: &str, options: &serde_json::Value) -> (u64, String) {
        let script =
            format!("fetch({}, {options}).then(async (a) => [a.status, await a.text()])", json!(path));
        let answer = self.run(&script).await;
        (answer[0].as_u64().unwrap(), answer[1].as_str().unwrap().to_owned())
    }
}
