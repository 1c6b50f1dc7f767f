//! Whether the same failure comes again and again: same page, same action, same words. Pure.

use super::planned::{Planned, Seen};
use crate::model::{ActionResult, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// So many times, and the person is asked instead of going on.
const MOST: u32 = 3;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Repeats {
    /// The page, the action and the failure.
    same: String,
    times: u32,
    /// What it was, and why it failed.
    pub what: String,
    pub why: String,
}

impl Repeats {
    /// An action has come to an end on this page.
    pub fn saw(&mut self, page: Option<&Seen>, planned: &Planned, result: &ActionResult) {
        let Outcome::Failed { code, message } = &result.outcome else {
            if result.outcome == Outcome::Ok {
                *self = Self::default();
            }
            return;
        };
        let place = page.map(|page| (&page.url, &page.digest));
        let same = json!([place, result.action, planned.params(), code]).to_string();
        let times = if same == self.same { self.times + 1 } else { 1 };
        *self = Self { same, times, what: result.action.clone(), why: message.clone() };
    }

    pub fn is_stuck(&self) -> bool {
        self.times >= MOST
    }
}
