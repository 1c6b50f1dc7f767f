//! A viewer: a client of the service's socket that measures when frames arrive.

use askfirst::clock::Stopwatch;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::time::Duration;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

const PATIENCE: Duration = Duration::from_secs(60);

pub struct Viewer {
    socket: WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>,
}

/// A received message.
pub enum Received {
    Frame(Value),
    Picture(Vec<u8>),
}

impl Viewer {
    pub async fn hello(base: &str) -> Self {
        let url = format!("{}/ws", base.replacen("http", "ws", 1));
        let (socket, _) = connect_async_with_config(url, None, true).await.unwrap();
        let mut viewer = Self { socket };
        viewer.send(json!({"type": "hello", "protocol": 1, "locale": "en"})).await;
        viewer.until("welcome").await;
        viewer
    }

    pub async fn send(&mut self, frame: Value) {
        self.socket.send(Message::text(frame.to_string())).await.unwrap();
    }

    /// Starts a conversation, or continues one, and returns the run id.
    pub async fn say(&mut self, text: &str, run: Option<&str>) -> String {
        self.send(json!({"type": "user_message", "text": text, "run_id": run})).await;
        let kind = if run.is_some() { "accepted" } else { "run_started" };
        let frame = self.until(kind).await;
        frame["run_id"].as_str().unwrap().to_owned()
    }

    /// Waits for the next frame of this type, or the next event of this name.
    pub async fn until(&mut self, kind: &str) -> Value {
        loop {
            let Received::Frame(frame) = self.next().await else { continue };
            if frame["type"] == kind || frame["event"] == kind {
                return frame;
            }
            let over = frame["type"] == "run_ended" || frame["type"] == "error";
            assert!(!over, "{kind} was waited for: {frame}");
        }
    }

    pub async fn next(&mut self) -> Received {
        loop {
            let message = tokio::time::timeout(PATIENCE, self.socket.next()).await;
            match message.expect("something comes").expect("the socket is open").unwrap() {
                Message::Text(text) => return Received::Frame(serde_json::from_str(&text).unwrap()),
                Message::Binary(bytes) => return Received::Picture(bytes.to_vec()),
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
                Message::Close(reason) => panic!("the service closed the socket: {reason:?}"),
            }
        }
    }

    /// Returns the next message within the rest of `seconds` since the start.
    pub async fn within(&mut self, since: Stopwatch, seconds: f64) -> Option<Received> {
        let left = seconds - since.seconds();
        let left = Duration::try_from_secs_f64(left).ok()?;
        tokio::time::timeout(left, self.next()).await.ok()
    }
}
