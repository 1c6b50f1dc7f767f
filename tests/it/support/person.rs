//! A person's own Chromium, apart from those that the service drives: it takes a certificate that nobody signed, and
//! finds names that only it knows.

use super::app::{PATIENCE, until};
use super::devtools::Page;
use askfirst::browser::chromium;
use serde_json::json;
use std::path::Path;

pub struct Person {
    chromium: tokio::process::Child,
    folder: tempfile::TempDir,
}

impl Person {
    /// Names ending in `.test` lead to this machine, for this browser alone.
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let profile = folder.path().join("browser").join("person");
        std::fs::create_dir_all(&profile).unwrap();
        let chromium = tokio::process::Command::new(chromium::executable(None).unwrap())
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

    /// The one window.
    pub async fn window(&self) -> Page {
        Page::find(self.folder.path(), "").await
    }

    pub async fn finish(mut self) {
        self.window().await.close_browser().await;
        tokio::time::timeout(PATIENCE, self.chromium.wait()).await.expect("Chromium ends").unwrap();
    }
}

impl Page {
    /// Opens an address, and returns when the condition holds there.
    pub async fn opens(&mut self, url: &str, condition: &str) {
        self.call("Page.navigate", json!({"url": url})).await;
        self.shows(condition).await;
    }

    /// Presses an element, as soon as it is there.
    pub async fn presses(&mut self, selector: &str) {
        self.shows(&format!("document.querySelector({}) !== null", json!(selector))).await;
        self.run(&format!("document.querySelector({}).click()", json!(selector))).await;
    }

    /// Status, path and text of what the page's own scripts are answered.
    pub async fn fetches(&mut self, path: &str, options: &serde_json::Value) -> (u64, String) {
        let script =
            format!("fetch({}, {options}).then(async (a) => [a.status, await a.text()])", json!(path));
        let answer = self.run(&script).await;
        (answer[0].as_u64().unwrap(), answer[1].as_str().unwrap().to_owned())
    }
}

/// Tells whether a program is there; without it, the test that asks says that it does nothing.
pub fn has_program(name: &str) -> bool {
    let folders = std::env::var("PATH").unwrap_or_default();
    let there = folders
        .split(':')
        .chain(["/usr/sbin", "/usr/local/sbin"])
        .any(|folder| Path::new(folder).join(name).exists());
    if !there {
        super::absent::tell(&format!("{name} is not installed; scripts/need.sh {name} does that"));
    }
    there
}
