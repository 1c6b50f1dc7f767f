//! Use of a limit, and the raises of a limit by a person (C5). Pure.

use crate::programs::conversation::state::changes::StepGrant;
use crate::store::rows::usage::UsedUpLimit;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The share of a limit from which on it counts as mostly used.
const WARNING_SHARE: f64 = 0.8;

/// The amounts by which the person has raised the limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RaisedLimits {
    pub tokens: u64,
    pub money: f64,
    /// Further actions and plans for the person's last message.
    #[serde(default)]
    pub steps: u32,
    #[serde(default)]
    pub iterations: u32,
    /// True if the person was warned that most of a limit is used.
    pub warned: bool,
}

impl RaisedLimits {
    pub fn raise(&mut self, tokens: u64, money: f64) {
        self.tokens += tokens;
        self.money += money;
        self.warned = false;
    }

    /// Grants as many actions again, with as many plans as belong to them.
    pub fn grant_steps(&mut self, grant: StepGrant) {
        self.steps = self.steps.saturating_add(grant.steps);
        self.iterations = self.iterations.saturating_add(grant.iterations);
    }

    /// Forgets the further actions: the next message of the person has the whole limit again.
    pub fn begin_message(&mut self) {
        (self.warned, self.steps, self.iterations) = (false, 0, 0);
    }
}

/// The use of one limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitUse {
    /// `tokens`, `money`, `wall_s` or `tool_steps`.
    pub limit: &'static str,
    pub used: f64,
    pub most: f64,
}

impl LimitUse {
    /// Converts the used-up limit of a run above.
    pub fn from_used_up_limit(exceeded: &UsedUpLimit) -> Self {
        let limit = if exceeded.limit == "money" { "money" } else { "tokens" };
        Self { limit, used: exceeded.used, most: exceeded.most }
    }

    pub fn share(&self) -> f64 {
        if self.most > 0.0 { self.used / self.most } else { 1.0 }
    }

    pub fn is_used_up(&self) -> bool {
        self.used >= self.most
    }

    pub fn is_nearly_used_up(&self) -> bool {
        self.share() >= WARNING_SHARE
    }

    pub fn payload(&self) -> serde_json::Value {
        json!({"limit": self.limit, "used": self.used, "most": self.most})
    }
}
