//! Rules that name why a kind of requests is harmless, as the policy file has them under `wire:`. Pure data.

use crate::gate::verdict::Texts;
use serde::Deserialize;

/// Reason why a kind of requests is harmless.
#[derive(Clone, Debug, PartialEq)]
pub struct HarmlessRule {
    pub id: String,
    pub when: HarmlessConditions,
    pub reason: Texts,
}

/// Conditions on a request; all that are given must hold. A request whose address or operation states a grave
/// effect never matches, nor does one with a password or a payment card.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HarmlessConditions {
    /// Words of which one is in the path, the GraphQL operation or the called method.
    pub words: Vec<String>,
    /// The last of the words is one of these.
    pub last_word: Vec<String>,
    /// All words of the operation are among these, and there is one at least.
    pub called: Vec<String>,
    /// All values have names among these.
    pub names: Vec<String>,
    /// All GraphQL operations only read.
    pub reads: Option<bool>,
    pub telemetry: Option<bool>,
    /// It goes to the page's own site.
    pub own_site: Option<bool>,
    /// It carries text that the agent typed.
    pub typed: Option<bool>,
    /// In lower case. A rule covers messages of sockets only if it names `message`.
    pub method: Vec<String>,
    /// Most values that it may carry, and fewest.
    pub most_values: Option<usize>,
    pub least_values: Option<usize>,
    /// The body cannot be read as values.
    pub unreadable: Option<bool>,
    /// No value is true: everything optional is refused.
    pub all_refused: Option<bool>,
}
