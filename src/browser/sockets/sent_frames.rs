//! Comparison of the frames that Chromium reports as sent with the messages that were released. Pure.

use sha2::{Digest, Sha256};
use std::collections::{HashMap, VecDeque};

/// Most messages that are remembered until Chromium reports their frames, and most sockets with their addresses.
const MOST: usize = 10_000;
/// Bytes of a content by which a frame is recognized, beside its size.
const COMPARED: usize = 16 * 1024;

/// A message or frame as it is recognized.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameKey {
    session: String,
    is_text: bool,
    size: u64,
    beginning: [u8; 32],
}

impl FrameKey {
    /// Returns the key of a frame of this session. `content` may be only its beginning.
    pub fn new(session: &str, is_text: bool, content: &[u8], size: u64) -> Self {
        let beginning = Sha256::digest(content.get(..COMPARED).unwrap_or(content)).into();
        Self { session: session.to_owned(), is_text, size, beginning }
    }
}

/// Released messages whose frames are not reported yet, and the addresses of sockets.
#[derive(Debug, Default)]
pub struct SentFrames {
    released: VecDeque<FrameKey>,
    /// Addresses by session and Chromium's id of the socket.
    addresses: HashMap<(String, String), String>,
}

impl SentFrames {
    /// Records that a message is about to leave.
    pub fn expect(&mut self, key: FrameKey) {
        if self.released.len() == MOST {
            self.released.pop_front();
        }
        self.released.push_back(key);
    }

    /// Takes a frame that has left. Returns true if it was released.
    pub fn take(&mut self, key: &FrameKey) -> bool {
        let found = self.released.iter().position(|released| released == key);
        found.and_then(|at| self.released.remove(at)).is_some()
    }

    /// Records the address of a socket.
    pub fn add_socket(&mut self, session: &str, id: &str, url: &str) {
        if self.addresses.len() < MOST {
            self.addresses.insert((session.to_owned(), id.to_owned()), url.to_owned());
        }
    }

    /// Forgets a socket that is closed.
    pub fn forget_socket(&mut self, session: &str, id: &str) {
        self.addresses.remove(&(session.to_owned(), id.to_owned()));
    }

    /// Forgets a session that has ended.
    pub fn forget_session(&mut self, session: &str) {
        self.released.retain(|released| released.session != session);
        self.addresses.retain(|(of, _), _| of != session);
    }

    /// Returns the address of a socket; empty if unknown.
    pub fn address(&self, session: &str, id: &str) -> &str {
        let key = (session.to_owned(), id.to_owned());
        self.addresses.get(&key).map(String::as_str).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_released_message_explains_one_frame() {
        let mut frames = SentFrames::default();
        let key =
            |session: &str, text: &str| FrameKey::new(session, true, text.as_bytes(), text.len() as u64);
        frames.expect(key("S", "hello"));
        assert!(!frames.take(&key("T", "hello")), "another document sent it");
        assert!(!frames.take(&key("S", "hullo")));
        assert!(frames.take(&key("S", "hello")));
        assert!(!frames.take(&key("S", "hello")), "only once");
        frames.expect(key("S", "hello"));
        frames.add_socket("S", "1", "ws://a.test/x");
        assert_eq!(frames.address("S", "1"), "ws://a.test/x");
        frames.forget_session("S");
        assert!(!frames.take(&key("S", "hello")));
        assert_eq!(frames.address("S", "1"), "");
    }

    #[test]
    fn a_long_message_is_recognized_by_its_beginning_and_size() {
        let mut frames = SentFrames::default();
        let long = vec![7; 3 * COMPARED];
        frames.expect(FrameKey::new("S", false, &long[..2 * COMPARED], long.len() as u64));
        assert!(frames.take(&FrameKey::new("S", false, &long, long.len() as u64)));
    }
}
