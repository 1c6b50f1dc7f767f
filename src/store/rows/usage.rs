//! What model calls took.

use serde::{Deserialize, Serialize};

/// What model calls took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    pub calls: u64,
    /// Those of which nobody knows what they cost.
    pub unpriced: u64,
    pub input: u64,
    pub cached: u64,
    pub output: u64,
    /// Of the others.
    pub cost: f64,
}

impl Usage {
    /// None where there were calls, and what they cost is known of none.
    pub fn money(&self) -> Option<f64> {
        (self.calls == 0 || self.unpriced < self.calls).then_some(self.cost)
    }

    /// Both together.
    pub fn with(self, other: &Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            unpriced: self.unpriced + other.unpriced,
            input: self.input + other.input,
            cached: self.cached + other.cached,
            output: self.output + other.output,
            cost: self.cost + other.cost,
        }
    }
}

/// What the model calls of an agent's own runs took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentUsage {
    pub agent: String,
    pub runs: u64,
    pub usage: Usage,
}

/// Limits of a run that a person has raised; those of the rest of its tree stay.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Raised {
    pub tokens: Option<u64>,
    pub money: Option<f64>,
}
