//! Usage of models.

use serde::{Deserialize, Serialize};

/// Usage of model calls: numbers of calls and tokens, and cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    pub calls: u64,
    /// Calls of unknown price.
    pub unpriced: u64,
    /// Tokens of the requests, those in the endpoint's cache included.
    pub input: u64,
    /// Tokens of the requests that the endpoint had in its cache.
    pub cached: u64,
    /// Tokens of the replies.
    pub output: u64,
    /// Cost of the calls of known price.
    pub cost: f64,
}

impl Usage {
    /// Returns the cost, or `None` if there were calls and none has a known price.
    pub fn money(&self) -> Option<f64> {
        (self.calls == 0 || self.unpriced < self.calls).then_some(self.cost)
    }

    /// Returns the sum of both.
    pub fn plus(self, other: &Self) -> Self {
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

/// Model usage of an agent's own runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentUsage {
    pub agent: String,
    /// Number of the runs.
    pub runs: u64,
    pub usage: Usage,
}

/// A used-up limit of one run tree: `tokens` or `money`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UsedUpLimit {
    pub limit: String,
    /// Tokens, or an amount in the configured currency.
    pub used: f64,
    /// The limit in the same unit.
    pub most: f64,
}

impl Usage {
    /// Returns the first of these limits that is used up.
    pub fn used_up_limit(&self, tokens: Option<u64>, money: Option<f64>) -> Option<UsedUpLimit> {
        // `f64` is exact far beyond the tokens of any run.
        let tokens = tokens.map(|most| ("tokens", (self.input + self.output) as f64, most as f64));
        let limits = [tokens, money.map(|most| ("money", self.cost, most))];
        let up = limits.into_iter().flatten().find(|(_, used, most)| used >= most);
        up.map(|(limit, used, most)| UsedUpLimit { limit: limit.to_owned(), used, most })
    }
}

/// Limits of a run raised by a person. Limits of other runs of the tree stay unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RaisedRunLimits {
    /// New limit; `None` leaves it unchanged.
    pub tokens: Option<u64>,
    /// New limit in the configured currency; `None` leaves it unchanged.
    pub money: Option<f64>,
}
