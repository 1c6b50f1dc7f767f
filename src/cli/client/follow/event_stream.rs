//! The events of a run tree, each once and in order, from a stream of server-sent events that is reopened
//! when it breaks.

use crate::cli::client::api::Api;
use crate::cli::client::error::ClientError;
use crate::ids::RunId;
use crate::protocol::server::Fact;
use reqwest::Response;
use serde_json::Value;
use std::time::Duration;

/// Maximum silence of a live stream; the service sends keep-alive comments more often.
const SILENCE: Duration = Duration::from_secs(60);
/// Number of attempts to reach a lost service, each after a longer pause.
const TRIES: u32 = 8;
const PAUSE: Duration = Duration::from_millis(100);

/// An event with its position in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    pub run: RunId,
    pub seq: u64,
    /// The JSON as it was received.
    pub whole: Value,
    /// `None` if this version does not know the type of the event.
    pub fact: Option<Fact>,
}

pub struct Facts<'a> {
    api: &'a Api,
    run: RunId,
    after: u64,
    open: Option<Response>,
    buffer: Buffer,
    tried: u32,
}

impl<'a> Facts<'a> {
    /// Starts at the first event.
    pub fn from_start(api: &'a Api, run: RunId) -> Self {
        Self { api, run, after: 0, open: None, buffer: Buffer::default(), tried: 0 }
    }

    /// Returns the next event. Cancel safe: it may be dropped at any await and called again.
    pub async fn next(&mut self) -> Result<Frame, ClientError> {
        loop {
            while let Some(data) = self.buffer.next() {
                let frame = read(&data)?;
                if frame.seq > self.after {
                    self.after = frame.seq;
                    self.tried = 0;
                    return Ok(frame);
                }
            }
            match &mut self.open {
                Some(stream) => match tokio::time::timeout(SILENCE, stream.chunk()).await {
                    Ok(Ok(Some(bytes))) => self.buffer.push(&bytes),
                    Ok(Ok(None) | Err(_)) | Err(_) => self.close_broken().await,
                },
                None => self.open().await?,
            }
        }
    }

    /// Closes a broken stream and pauses, so that it is not reopened at once.
    async fn close_broken(&mut self) {
        self.open = None;
        self.buffer = Buffer::default();
        tokio::time::sleep(PAUSE).await;
    }

    async fn open(&mut self) -> Result<(), ClientError> {
        let path = format!("/api/runs/{}/events?after_seq={}", self.run, self.after);
        match self.api.stream(&path).await {
            Ok(stream) => self.open = Some(stream),
            Err(fault) if fault.passes() => {
                self.tried += 1;
                if self.tried >= TRIES {
                    return Err(fault);
                }
                tokio::time::sleep(PAUSE * self.tried).await;
            }
            Err(fault) => return Err(fault),
        }
        Ok(())
    }
}

fn read(data: &str) -> Result<Frame, ClientError> {
    let unreadable = |what: &str| ClientError::Unreadable(what.to_owned());
    let whole: Value = serde_json::from_str(data).map_err(|fault| unreadable(&fault.to_string()))?;
    let run = whole["run_id"].as_str().ok_or_else(|| unreadable("a fact without its run"))?;
    let seq = whole["seq"].as_u64().ok_or_else(|| unreadable("a fact without its number"))?;
    let fact = serde_json::from_value(whole.clone()).ok();
    Ok(Frame { run: RunId::from(run), seq, whole, fact })
}

/// Received bytes of a stream that are not yet parsed.
#[derive(Debug, Default)]
struct Buffer(Vec<u8>);

impl Buffer {
    fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Returns the data of the next complete server-sent event that has any.
    fn next(&mut self) -> Option<String> {
        loop {
            let end = self.0.windows(2).position(|two| two == b"\n\n")?;
            let event: Vec<u8> = self.0.drain(..end + 2).collect();
            let event = String::from_utf8_lossy(&event);
            let data: Vec<&str> = event.lines().filter_map(|line| line.strip_prefix("data:")).collect();
            if !data.is_empty() {
                return Some(
                    data.iter()
                        .map(|line| line.strip_prefix(' ').unwrap_or(line))
                        .collect::<Vec<_>>()
                        .join("\n"),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_assembled_from_any_chunks() {
        let sent =
            "retry: 1000\n\nid: 1\ndata: {\"a\":\ndata: \"ї\"}\n\n: alive\n\nid: 2\ndata:{}\n\nid: 3\nda";
        for size in 1..sent.len() {
            let mut buffer = Buffer::default();
            let mut found = Vec::new();
            for part in sent.as_bytes().chunks(size) {
                buffer.push(part);
                while let Some(data) = buffer.next() {
                    found.push(data);
                }
            }
            assert_eq!(found, ["{\"a\":\n\"ї\"}", "{}"], "in parts of {size}");
        }
    }

    #[test]
    fn a_fact_of_a_later_version_keeps_its_place() {
        let frame = read(r#"{"type": "fireworks", "run_id": "r", "seq": 7}"#).unwrap();
        assert_eq!((frame.seq, frame.fact), (7, None));
        let frame = read(r#"{"type": "status", "status": "paused", "run_id": "r", "seq": 8}"#).unwrap();
        assert!(matches!(frame.fact, Some(Fact::Status { .. })));
        assert!(read(r#"{"type": "status"}"#).is_err());
    }
}
