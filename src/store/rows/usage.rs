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

/// A limit on what model calls may take that is reached: `tokens` or `money`, of one run tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overspent {
    pub limit: String,
    pub used: f64,
    pub most: f64,
}

impl Usage {
    /// The first of these limits that it has come to.
    pub fn overspent(&self, tokens: Option<u64>, money: Option<f64>) -> Option<Overspent> {
        // Exact far beyond what any run uses.
        let tokens = tokens.map(|most| ("tokens", (self.input + self.output) as f64, most as f64));
        let limits = [tokens, money.map(|most| ("money", self.cost, most))];
        let up = limits.into_iter().flatten().find(|(_, used, most)| used >= most);
        up.map(|(limit, used, most)| Overspent { limit: limit.to_owned(), used, most })
    }
}

/// Limits of a run that a person has raised; those of the rest of its tree stay.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Raised {
    pub tokens: Option<u64>,
    pub money: Option<f64>,
}
