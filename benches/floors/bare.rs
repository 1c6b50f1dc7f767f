//! The baseline browser client: one socket, raw JSON, no actors, no types. Chromium is launched in the same
//! way as by the service.

use askfirst::browser::config::BrowserConfig;
use askfirst::browser::process::launch::Chromium;
use base64::Engine;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::collections::VecDeque;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

/// Reads a page with a minimal walker: every non-empty text, and every interactive element with its name and
/// rectangle. Includes open shadow roots and same-origin frames.
pub const WALKER: &str = r#"(() => {
  const lines = [];
  const acts = "a[href],button,input,select,textarea,[role],[tabindex],summary";
  const walk = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.nodeType === 3) {
        const text = node.data.trim();
        if (text && node.parentElement?.checkVisibility()) lines.push(["text", text]);
        continue;
      }
      if (node.shadowRoot) walk(node.shadowRoot);
      if (node.localName === "iframe" && node.contentDocument) walk(node.contentDocument);
      if (!node.matches(acts) || !node.checkVisibility()) continue;
      const {x, y, width, height} = node.getBoundingClientRect();
      const name = node.getAttribute("aria-label") ?? node.labels?.[0]?.textContent ?? node.textContent;
      lines.push([node.localName, name.trim(), x, y, width, height]);
    }
  };
  walk(document);
  return {url: location.href, title: document.title, lines};
})()"#;

pub struct BareClient {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    session: String,
    next: u64,
    /// Events received while waiting for a response.
    pub events: VecDeque<Value>,
    /// Events of attached targets, in their order.
    seen: Vec<Value>,
    chromium: Chromium,
}

impl BareClient {
    pub async fn open(config: &BrowserConfig) -> Self {
        let chromium = Chromium::launch(config, None, None).await.unwrap();
        let (socket, _) = connect_async_with_config(&chromium.ws_url, None, true).await.unwrap();
        let mut bare = Self {
            socket,
            session: String::new(),
            next: 1,
            events: VecDeque::new(),
            seen: Vec::new(),
            chromium,
        };
        let (width, height) = config.viewport;
        let target = bare.call("Target.createTarget", json!({"url": "about:blank"})).await;
        let order = json!({"targetId": target["targetId"], "flatten": true});
        bare.session =
            bare.call("Target.attachToTarget", order).await["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page.enable", "Network.enable", "Inspector.enable"] {
            bare.call(domain, json!({})).await;
        }
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        bare.call("Emulation.setDeviceMetricsOverride", metrics).await;
        bare.call("Emulation.setFocusEmulationEnabled", json!({"enabled": true})).await;
        bare
    }

    pub async fn close(self) {
        self.chromium.end().await;
    }

    pub async fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.answers(&[id]).await.remove(0)
    }

    /// Sends a command without waiting. Returns its id.
    pub async fn send(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        let mut order = json!({"id": id, "method": method, "params": params});
        if !self.session.is_empty() {
            order["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(order.to_string())).await.unwrap();
        id
    }

    /// Waits for the responses to these commands, and returns them in the given order.
    pub async fn answers(&mut self, ids: &[u64]) -> Vec<Value> {
        let mut found: Vec<Option<Value>> = vec![None; ids.len()];
        while found.iter().any(Option::is_none) {
            let mut message = self.read().await;
            match ids.iter().position(|id| message["id"] == *id) {
                Some(index) => {
                    assert!(message["error"].is_null(), "{message}");
                    assert!(message["result"]["exceptionDetails"].is_null(), "{message}");
                    found[index] = Some(message["result"].take());
                }
                None => self.events.push_back(message),
            }
        }
        found.into_iter().flatten().collect()
    }

    pub async fn event(&mut self, method: &str) -> Value {
        loop {
            while let Some(event) = self.events.pop_front() {
                if event["method"] == method {
                    return event;
                }
            }
            let message = self.read().await;
            self.events.push_back(message);
        }
    }

    async fn read(&mut self) -> Value {
        loop {
            match self.socket.next().await.expect("chromium is there").unwrap() {
                Message::Text(text) => {
                    let message: Value = serde_json::from_str(&text).unwrap();
                    if message["method"] == "Target.attachedToTarget" {
                        self.seen.push(message.clone());
                    }
                    return message;
                }
                Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
                Message::Close(reason) => panic!("chromium closed: {reason:?}"),
            }
        }
    }

    pub async fn go(&mut self, url: &str) {
        self.call("Page.navigate", json!({"url": url})).await;
        self.event("Page.loadEventFired").await;
        self.run("new Promise(r => setTimeout(r, 300))").await;
        self.events.clear();
    }

    pub async fn run(&mut self, expression: &str) -> Value {
        let id = self.begin(expression).await;
        self.answers(&[id]).await.remove(0)["result"]["value"].take()
    }

    async fn begin(&mut self, expression: &str) -> u64 {
        let order = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        self.send("Runtime.evaluate", order).await
    }

    /// Returns the result of the walker and a screenshot, taken concurrently.
    pub async fn observe(&mut self, walker: &str) -> (Value, Vec<u8>) {
        let walk = self.begin(walker).await;
        let shot = self.send("Page.captureScreenshot", json!({"format": "jpeg", "quality": 60})).await;
        let mut both = self.answers(&[walk, shot]).await;
        let jpeg = both[1]["data"].as_str().unwrap();
        let jpeg = base64::engine::general_purpose::STANDARD.decode(jpeg).unwrap();
        (both[0]["result"]["value"].take(), jpeg)
    }

    /// Like [`observe`](Self::observe), in every out-of-process frame as well. Returns the result of each frame.
    pub async fn observe_everywhere(&mut self, frames: &[String]) -> (Vec<Value>, Vec<u8>) {
        let order = json!({"expression": WALKER, "returnByValue": true});
        let mut ids =
            vec![self.send("Page.captureScreenshot", json!({"format": "jpeg", "quality": 60})).await];
        ids.push(self.send("Runtime.evaluate", order.clone()).await);
        let page = std::mem::take(&mut self.session);
        for frame in frames {
            self.session = frame.clone();
            ids.push(self.send("Runtime.evaluate", order.clone()).await);
        }
        self.session = page;
        let mut all = self.answers(&ids).await;
        let jpeg =
            base64::engine::general_purpose::STANDARD.decode(all[0]["data"].as_str().unwrap()).unwrap();
        (all.drain(1..).map(|mut answer| answer["result"]["value"].take()).collect(), jpeg)
    }

    /// Opens the page and attaches to its out-of-process frames. Returns their session ids, empty if there
    /// are no such frames.
    pub async fn go_with_frames(&mut self, url: &str) -> Vec<String> {
        let order = json!({"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true});
        self.call("Target.setAutoAttach", order).await;
        self.call("Page.navigate", json!({"url": url})).await;
        self.event("Page.loadEventFired").await;
        self.run("new Promise(r => setTimeout(r, 500))").await;
        let attached = self.seen.drain(..).filter(|event| event["params"]["targetInfo"]["type"] == "iframe");
        attached.filter_map(|event| event["params"]["sessionId"].as_str().map(str::to_owned)).collect()
    }

    /// Moves the mouse there, presses and releases it.
    pub async fn click(&mut self, x: f64, y: f64) {
        let mut ids = Vec::new();
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let button = if kind == "mouseMoved" { "none" } else { "left" };
            let order = json!({"type": kind, "x": x, "y": y, "button": button, "clickCount": 1});
            ids.push(self.send("Input.dispatchMouseEvent", order).await);
        }
        self.answers(&ids).await;
    }

    pub async fn frames(&mut self, count: u32) {
        let script = format!(
            "new Promise((done) => {{ const f = (n) => n ? requestAnimationFrame(() => f(n - 1)) : done(); f({count}); }})"
        );
        self.run(&script).await;
    }
}
