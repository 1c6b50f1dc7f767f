//! The facts of a run tree as they come, each once and in order: a stream of server-sent events that is opened
//! again where it breaks off.

use super::ClientError;
use super::api::Api;
use crate::ids::RunId;
use crate::protocol::server::Fact;
use reqwest::Response;
use serde_json::Value;
use std::time::Duration;

/// A stream that lives says so more often than this.
const SILENCE: Duration = Duration::from_secs(60);
/// So often a lost service is looked for again, each time a little later.
const TRIES: u32 = 8;
const PAUSE: Duration = Duration::from_millis(100);

/// A fact with its place in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    pub run: RunId,
    pub seq: u64,
    /// As it was sent.
    pub whole: Value,
    /// None if this version does not know such facts.
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
    /// From the first one on.
    pub fn of(api: &'a Api, run: RunId) -> Self {
        Self { api, run, after: 0, open: None, buffer: Buffer::default(), tried: 0 }
    }

    /// The next fact. May be dropped at any await and asked again.
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
                    Ok(Ok(None) | Err(_)) | Err(_) => self.broken().await,
                },
                None => self.open().await?,
            }
        }
    }

    /// A line that breaks without a fact is not asked for again at once.
    async fn broken(&mut self) {
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

/// What has come of a stream and is not yet read.
#[derive(Debug, Default)]
struct Buffer(Vec<u8>);

impl Buffer {
    fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// The data of the next whole event that has any.
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
    fn events_come_whole_however_they_are_cut() {
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
