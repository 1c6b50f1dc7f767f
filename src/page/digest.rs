//! Digest of an observation: a short text over the page's content and the state of its elements. It leaves
//! out properties of the single observation: scroll position, focus, and marks of new elements.

use crate::page::observation::Observation;
use sha2::{Digest, Sha256};

impl Observation {
    /// Returns a hash of roles, names, values and states of all lines, in order: 16 hexadecimal digits.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for line in &self.lines {
            let of = &line.attributes;
            let words = [Some(&line.role), Some(&line.name), of.value.as_ref()];
            for text in words.into_iter().flatten() {
                hash.update(text.as_bytes());
                hash.update([0]);
            }
            let flags =
                [of.checked, of.mixed, of.selected, of.pressed, of.expanded, of.collapsed, of.disabled];
            hash.update(flags.map(u8::from));
        }
        hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}
