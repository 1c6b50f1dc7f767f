//! Collection of values within limits.

use crate::page::request_body::body_value::{BodyValue, BodyValues, ValueKind};
use crate::text::truncate::truncate;

/// Longest name, in characters.
const NAME: usize = 300;

/// Limits of reading a body.
#[derive(Clone, Copy, Debug)]
pub struct ReadLimits {
    /// Most values.
    pub values: usize,
    /// Longest value in characters, without the ellipsis that follows a shortened one.
    pub value: usize,
}

/// Values of a body while it is read.
pub struct ValueList {
    limits: ReadLimits,
    pub read: BodyValues,
}

impl ValueList {
    pub fn new(limits: ReadLimits) -> Self {
        Self { limits, read: BodyValues::default() }
    }

    /// Returns false once the limit is reached, so that a reader can stop.
    pub fn has_room(&self) -> bool {
        self.read.values.len() < self.limits.values
    }

    pub fn push(&mut self, name: &str, value: &str, kind: ValueKind) {
        if !self.has_room() {
            self.read.is_truncated = true;
            return;
        }
        let value = self.shorten(value, self.limits.value);
        let name = self.shorten(name, NAME);
        self.read.values.push(BodyValue { name, value, kind });
    }

    pub fn push_text(&mut self, name: &str, value: &str) {
        self.push(name, value, ValueKind::Text);
    }

    fn shorten(&mut self, text: &str, most: usize) -> String {
        // Bytes are at least as many as characters, and counting characters of every value is slow.
        let short = if text.len() <= most { text.to_owned() } else { truncate(text, most) };
        self.read.is_truncated |= short.len() != text.len();
        short
    }
}
