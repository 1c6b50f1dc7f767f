//! Independent access to a page that the service controls, through Chromium's debugging port. Tests use it to
//! check what a page shows without relying on the service, and to change a page behind the service's back. A
//! change is complete when the call returns.

use super::app::PATIENCE;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::path::Path;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

pub struct Page {
    socket: WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>,
    sent: u64,
    session: Option<String>,
}

impl Page {
    /// Finds the page, or the frame of another site, whose URL contains `url_part`, in the Chromium whose
    /// profiles are under `data_dir`.
    pub async fn find(data_dir: &Path, url_part: &str) -> Self {
        let (socket, _) = connect_async(address(data_dir)).await.unwrap();
        let mut page = Self { socket, sent: 0, session: None };
        let found = tokio::time::timeout(PATIENCE, page.target(url_part)).await;
        let target = found.unwrap_or_else(|_| panic!("no page at {url_part}"));
        let attached = page.call("Target.attachToTarget", json!({"targetId": target, "flatten": true})).await;
        page.session = attached["sessionId"].as_str().map(str::to_owned);
        page
    }

    /// Returns the id of the target. Waits until it has this URL.
    async fn target(&mut self, url_part: &str) -> Value {
        let there = |target: &&Value| {
            let shows = target["type"] == "page" || target["type"] == "iframe";
            shows && target["url"].as_str().is_some_and(|url| url.contains(url_part))
        };
        loop {
            let targets = self.call("Target.getTargets", json!({})).await;
            if let Some(target) = targets["targetInfos"].as_array().unwrap().iter().find(there) {
                return target["targetId"].clone();
            }
        }
    }

    /// Evaluates an expression in the page's main world, and awaits promises.
    pub async fn run(&mut self, expression: &str) -> Value {
        let order = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", order).await;
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Waits until the condition holds, even across navigations.
    pub async fn shows(&mut self, condition: &str) {
        let mut ticks = tokio::time::interval(std::time::Duration::from_millis(20));
        let shown = async {
            loop {
                ticks.tick().await;
                let order = json!({"expression": condition, "returnByValue": true});
                // During a navigation there is no page to ask.
                let answer = self.send_command("Runtime.evaluate", order).await;
                if answer["result"]["result"]["value"] == true {
                    return;
                }
            }
        };
        if tokio::time::timeout(PATIENCE, shown).await.is_err() {
            let text = self.run("location.href + '\\n' + document.body.innerText").await;
            panic!("{condition} does not hold in {}", text.as_str().unwrap_or_default());
        }
    }

    /// Closes the whole browser.
    pub async fn close_browser(&mut self) {
        self.session = None;
        self.send_command("Browser.close", json!({})).await;
    }

    /// Waits until the condition holds in the current page.
    pub async fn until(&mut self, condition: &str) {
        let promise = format!(
            "new Promise((done) => {{ const look = () => (({condition}) ? done(true) : setTimeout(look, 10)); look(); }})"
        );
        self.run(&promise).await;
    }

    /// Sends any command of the protocol to this page, and fails on an error.
    pub async fn call(&mut self, method: &str, params: Value) -> Value {
        let answer = self.send_command(method, params).await;
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Sends a command and returns the whole response, which may be an error.
    pub async fn send_command(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        let mut order = json!({"id": self.sent, "method": method, "params": params});
        if let Some(session) = &self.session {
            order["sessionId"] = json!(session);
        }
        self.socket.send(Message::text(order.to_string())).await.unwrap();
        let answer = tokio::time::timeout(PATIENCE, self.answer(self.sent)).await;
        answer.unwrap_or_else(|_| panic!("{order} is not answered"))
    }

    /// Returns the number of browser contexts.
    pub async fn contexts(&mut self) -> usize {
        let session = self.session.take();
        let known = self.call("Target.getBrowserContexts", json!({})).await;
        self.session = session;
        known["browserContextIds"].as_array().unwrap().len()
    }

    async fn answer(&mut self, id: u64) -> Value {
        loop {
            let Message::Text(text) = self.socket.next().await.unwrap().unwrap() else { continue };
            let frame: Value = serde_json::from_str(&text).unwrap();
            if frame["id"] == id {
                return frame;
            }
        }
    }
}

/// Reads the address of the debugging port, which Chromium writes into its profile.
fn address(data_dir: &Path) -> String {
    let profiles = std::fs::read_dir(data_dir.join("browser")).unwrap().flatten();
    let mut ports =
        profiles.filter_map(|entry| std::fs::read_to_string(entry.path().join("DevToolsActivePort")).ok());
    let port = ports.next().expect("a Chromium runs there");
    let (port, path) = port.split_once('\n').unwrap();
    format!("ws://127.0.0.1:{port}{}", path.trim())
}
