//! Text that would go from one site to another, as a person is asked about it.

use crate::gate::flow::read_texts::TextSource;
use serde::{Deserialize, Serialize};

/// Text that an action would take from one site to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// Names of the sources: sites, files, tools, agents.
    pub from: Vec<String>,
    /// Name of the site or tool that the text would go to.
    pub to: String,
    pub text: String,
}

impl Flow {
    /// Returns the pairs of source and destination, as consents name them.
    pub fn pairs(&self) -> impl Iterator<Item = String> {
        self.from.iter().map(|from| name_pair(from, &self.to))
    }
}

/// Text with its sources, before consents are looked up.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundFlow {
    pub from: Vec<TextSource>,
    pub to: TextSource,
    pub text: String,
}

/// Names a pair of source and destination.
pub fn name_pair(from: &impl std::fmt::Display, to: &impl std::fmt::Display) -> String {
    format!("{from} → {to}")
}
