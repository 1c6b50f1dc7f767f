//! An MCP client: the official Python SDK, driven by a line-based protocol. `scripts/test-packages.sh`
//! installs the packages.

use super::app::PATIENCE;
use super::installed::installed_program;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

/// Returns a program of the packages.
pub fn program(name: &str) -> PathBuf {
    installed_program(&format!("mcp/{name}"), "scripts/test-packages.sh")
}

pub struct McpClient {
    child: Child,
    orders: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    /// Warnings of the SDK.
    complaints: JoinHandle<String>,
    /// Negotiated protocol version.
    pub version: String,
    calls: u64,
}

impl McpClient {
    /// Connects to the service at this URL, with the newest protocol version that both support.
    pub async fn over_http(base: &str) -> Self {
        Self::start(json!({"url": format!("{base}/mcp")})).await
    }

    pub async fn start(target: Value) -> Self {
        let python = program("bin/python");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/mcp/driver.py");
        let mut child = Command::new(python)
            .arg(script)
            .arg(target.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut errors = child.stderr.take().unwrap();
        let complaints = tokio::spawn(async move {
            let mut text = Vec::new();
            errors.read_to_end(&mut text).await.unwrap();
            String::from_utf8_lossy(&text).into_owned()
        });
        let orders = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut client = Self { child, orders, lines, complaints, version: String::new(), calls: 0 };
        let ready = client.until("ready").await;
        client.version = ready["version"].as_str().unwrap().to_owned();
        client
    }

    pub async fn order(&mut self, order: Value) {
        self.orders.write_all(format!("{order}\n").as_bytes()).await.unwrap();
        self.orders.flush().await.unwrap();
    }

    /// Returns the next event of any kind.
    pub async fn next(&mut self) -> Value {
        let line =
            tokio::time::timeout(PATIENCE, self.lines.next_line()).await.expect("news in time").unwrap();
        serde_json::from_str(&line.expect("the client goes on")).unwrap()
    }

    pub async fn until(&mut self, event: &str) -> Value {
        loop {
            let event_value = self.next().await;
            if event_value["event"] == event {
                return event_value;
            }
            assert_ne!(event_value["event"], "fault", "{event_value}");
        }
    }

    pub async fn tools(&mut self) -> Vec<Value> {
        self.order(json!({"do": "list"})).await;
        self.until("tools").await["tools"].as_array().unwrap().clone()
    }

    /// Starts a call and returns its number.
    pub async fn begin(&mut self, name: &str, arguments: Value) -> u64 {
        self.calls += 1;
        self.order(json!({"do": "call", "id": self.calls, "name": name, "arguments": arguments})).await;
        self.calls
    }

    pub async fn call(&mut self, name: &str, arguments: Value) -> Value {
        let id = self.begin(name, arguments).await;
        let done = self.until("done").await;
        assert_eq!(done["id"], json!(id));
        done["result"].clone()
    }

    /// Makes a call that the protocol refuses, and returns the error message.
    pub async fn refused(&mut self, name: &str, arguments: Value) -> String {
        self.begin(name, arguments).await;
        loop {
            let event = self.next().await;
            assert_ne!(event["event"], "done", "{event}");
            if event["event"] == "fault" {
                return event["words"].as_str().unwrap().to_owned();
            }
        }
    }

    pub async fn end(mut self) {
        self.order(json!({"do": "end"})).await;
        self.until("ended").await;
        let status = tokio::time::timeout(PATIENCE, self.child.wait()).await.expect("it ends").unwrap();
        let complaints = self.complaints.await.unwrap();
        assert!(status.success(), "{complaints}");
        assert!(!complaints.contains("Session termination failed"), "{complaints}");
    }
}

/// Returns the text of a result.
pub fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}
