//! A second pair of eyes and hands on a page that the service drives, through Chromium's own
//! debugging port: what a page shows is not taken from the service, and what happens to a page
//! behind the service's back is made to happen, and has happened, when a call returns.

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
    /// The page, or the frame of another site, whose address contains `place`, in the Chromium whose profiles lie under `data_dir`.
    pub async fn find(data_dir: &Path, place: &str) -> Self {
        let (socket, _) = connect_async(address(data_dir)).await.unwrap();
        let mut page = Self { socket, sent: 0, session: None };
        let found = tokio::time::timeout(PATIENCE, page.target(place)).await;
        let target = found.unwrap_or_else(|_| panic!("no page at {place}"));
        let attached = page.call("Target.attachToTarget", json!({"targetId": target, "flatten": true})).await;
        page.session = attached["sessionId"].as_str().map(str::to_owned);
        page
    }

    /// A page that is on its way there is waited for.
    async fn target(&mut self, place: &str) -> Value {
        let there = |target: &&Value| {
            let shows = target["type"] == "page" || target["type"] == "iframe";
            shows && target["url"].as_str().is_some_and(|url| url.contains(place))
        };
        loop {
            let targets = self.call("Target.getTargets", json!({})).await;
            if let Some(target) = targets["targetInfos"].as_array().unwrap().iter().find(there) {
                return target["targetId"].clone();
            }
        }
    }

    /// The value of an expression in the page's own world, promises awaited.
    pub async fn run(&mut self, expression: &str) -> Value {
        let order = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", order).await;
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Returns when the condition holds, whatever page is there by then.
    pub async fn shows(&mut self, condition: &str) {
        let mut ticks = tokio::time::interval(std::time::Duration::from_millis(20));
        let shown = async {
            loop {
                ticks.tick().await;
                let order = json!({"expression": condition, "returnByValue": true});
                // Between two pages there is none to ask.
                let answer = self.order("Runtime.evaluate", order).await;
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

    /// Ends the whole browser.
    pub async fn close_browser(&mut self) {
        self.session = None;
        self.order("Browser.close", json!({})).await;
    }

    /// Returns when the condition holds in the page.
    pub async fn until(&mut self, condition: &str) {
        let promise = format!(
            "new Promise((done) => {{ const look = () => (({condition}) ? done(true) : setTimeout(look, 10)); look(); }})"
        );
        self.run(&promise).await;
    }

    /// Any order of the debugging protocol, to this page.
    pub async fn call(&mut self, method: &str, params: Value) -> Value {
        let answer = self.order(method, params).await;
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The same with its whole answer, a fault too.
    async fn order(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        let mut order = json!({"id": self.sent, "method": method, "params": params});
        if let Some(session) = &self.session {
            order["sessionId"] = json!(session);
        }
        self.socket.send(Message::text(order.to_string())).await.unwrap();
        let answer = tokio::time::timeout(PATIENCE, self.answer(self.sent)).await;
        answer.unwrap_or_else(|_| panic!("{order} is not answered"))
    }

    /// How many isolated contexts that Chromium has.
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

/// Chromium writes it into its profile.
fn address(data_dir: &Path) -> String {
    let profiles = std::fs::read_dir(data_dir.join("browser")).unwrap().flatten();
    let mut ports =
        profiles.filter_map(|entry| std::fs::read_to_string(entry.path().join("DevToolsActivePort")).ok());
    let port = ports.next().expect("a Chromium runs there");
    let (port, path) = port.split_once('\n').unwrap();
    format!("ws://127.0.0.1:{port}{}", path.trim())
}
