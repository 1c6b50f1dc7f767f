//! A client of the socket, as an outside program would write it. It checks that no event is missing or
//! duplicated.

use super::app::PATIENCE;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

pub struct Ws {
    socket: WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>,
    /// Last sequence number of each run tree.
    seqs: HashMap<String, u64>,
    /// All events in their order of arrival.
    pub events: Vec<Value>,
    /// Pictures that arrived while something else was read.
    pictures: VecDeque<Vec<u8>>,
}

impl Ws {
    /// Connects and sends `hello`, for a run or for none.
    pub async fn hello(base: &str, hello: Value) -> (Self, Value) {
        let mut ws = Self::connect(base).await;
        if let Some(run) = hello.get("run_id").and_then(Value::as_str) {
            ws.seqs.insert(run.to_owned(), hello.get("after_seq").and_then(Value::as_u64).unwrap_or(0));
        }
        let mut frame = json!({"type": "hello", "protocol": 1});
        frame.as_object_mut().unwrap().extend(hello.as_object().unwrap().clone());
        ws.send(frame).await;
        let welcome = ws.until("welcome").await;
        (ws, welcome)
    }

    pub async fn connect(base: &str) -> Self {
        let url = format!("{}/ws", base.replacen("http", "ws", 1));
        let (socket, _) = connect_async(url).await.unwrap();
        Self { socket, seqs: HashMap::new(), events: Vec::new(), pictures: VecDeque::new() }
    }

    /// Expects the events of this run after this sequence number.
    pub fn after(&mut self, run: &str, seq: u64) {
        self.seqs.insert(run.to_owned(), seq);
    }

    pub async fn send(&mut self, frame: Value) {
        self.socket.send(Message::text(frame.to_string())).await.unwrap();
    }

    /// Returns the next text frame. The sequence numbers of events are checked.
    pub async fn next(&mut self) -> Value {
        let last = self.events.last().cloned();
        let frame = tokio::time::timeout(PATIENCE, self.read()).await;
        frame.unwrap_or_else(|_| panic!("no frame came after {last:?}"))
    }

    /// Returns the next picture of the live view with its header, and acknowledges it.
    pub async fn picture(&mut self) -> Vec<u8> {
        let unread = self.pictures.pop_front();
        let came = tokio::time::timeout(PATIENCE, async {
            if let Some(unread) = unread {
                return unread;
            }
            loop {
                match self.socket.next().await.expect("the socket is open").unwrap() {
                    Message::Binary(bytes) => return bytes.to_vec(),
                    Message::Text(text) => self.check(&serde_json::from_str(&text).unwrap()),
                    _ => {}
                }
            }
        });
        let bytes = came.await.expect("no picture came");
        let number = u32::from_le_bytes(bytes[4..8].try_into().unwrap());
        self.send(json!({"type": "frame_ack", "frame": number})).await;
        bytes
    }

    async fn read(&mut self) -> Value {
        loop {
            match self.socket.next().await.expect("the socket is open").unwrap() {
                Message::Text(text) => {
                    let frame: Value = serde_json::from_str(&text).unwrap();
                    self.check(&frame);
                    return frame;
                }
                Message::Binary(bytes) => self.pictures.push_back(bytes.to_vec()),
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
                Message::Close(reason) => panic!("the service closed the socket: {reason:?}"),
            }
        }
    }

    /// Reads until a frame of this type, or an event of this name.
    pub async fn until(&mut self, kind: &str) -> Value {
        self.until_that(kind, |frame| frame["type"] == kind || frame["event"] == kind).await
    }

    pub async fn until_that(&mut self, what: &str, mut wanted: impl FnMut(&Value) -> bool) -> Value {
        loop {
            let frame = self.next().await;
            if wanted(&frame) {
                return frame;
            }
            let ended = frame["type"] == "run_ended";
            assert!(!ended, "the run ended ({}) before {what}: {frame}", frame["outcome"]);
        }
    }

    pub async fn close(mut self) {
        let _ = self.socket.close(None).await;
    }

    fn check(&mut self, frame: &Value) {
        let (Some(seq), Some(root)) = (frame["seq"].as_u64(), frame["root_run_id"].as_str()) else { return };
        let last = self.seqs.entry(root.to_owned()).or_default();
        assert_eq!(seq, *last + 1, "a fact is missing or double: {frame}");
        *last = seq;
        self.events.push(frame.clone());
    }
}

/// Returns the events without the flag that marks a viewer's own answers.
pub fn without_own_marks(events: &[Value]) -> Vec<Value> {
    let unmarked = |event: &Value| {
        let mut event = event.clone();
        if let Some(client) = event.get_mut("client").and_then(Value::as_object_mut) {
            client.remove("you");
        }
        event
    };
    events.iter().map(unmarked).collect()
}
