//! How far a limit is used, and what a person has let a conversation use beyond it (C5). Pure.

use crate::store::rows::Overspent;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// So much of a limit is most of it.
const MOST: f64 = 0.8;

/// What the person has let it use beyond its limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Extended {
    pub tokens: u64,
    pub money: f64,
    /// They were told that most of it is used.
    pub warned: bool,
}

impl Extended {
    pub fn by(&mut self, tokens: u64, money: f64) {
        self.tokens += tokens;
        self.money += money;
        self.warned = false;
    }
}

/// How far one limit is used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Used {
    /// `tokens`, `money` or `wall_s`.
    pub limit: &'static str,
    pub used: f64,
    pub most: f64,
}

impl Used {
    /// Of somebody above.
    pub fn of(above: &Overspent) -> Self {
        let limit = if above.limit == "money" { "money" } else { "tokens" };
        Self { limit, used: above.used, most: above.most }
    }

    pub fn share(&self) -> f64 {
        if self.most > 0.0 { self.used / self.most } else { 1.0 }
    }

    pub fn is_up(&self) -> bool {
        self.used >= self.most
    }

    pub fn is_most(&self) -> bool {
        self.share() >= MOST
    }

    pub fn payload(&self) -> serde_json::Value {
        json!({"limit": self.limit, "used": self.used, "most": self.most})
    }
}
