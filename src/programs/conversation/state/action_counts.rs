//! Numbers of the actions that a run did since the person's last message, by kind. Pure.

use crate::planning::{ActionResult, ActionStatus};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ActionCounts {
    pub clicks: u32,
    pub fields: u32,
    pub pages: u32,
    pub reads: u32,
    pub others: u32,
    pub failed: u32,
}

impl ActionCounts {
    /// Counts an action that ended. One that was dropped did not happen.
    pub fn add(&mut self, result: &ActionResult) {
        *match (&result.outcome, result.action.as_str()) {
            (ActionStatus::Dropped { .. }, _) => return,
            (ActionStatus::Failed { .. }, _) => &mut self.failed,
            (_, "click" | "press" | "hover" | "drag" | "dialog") => &mut self.clicks,
            (_, "type" | "fill" | "select" | "upload") => &mut self.fields,
            (_, "navigate" | "back" | "forward" | "reload" | "tab") => &mut self.pages,
            (_, "find" | "extract" | "scroll" | "wait" | "read_file") => &mut self.reads,
            _ => &mut self.others,
        } += 1;
    }
}
