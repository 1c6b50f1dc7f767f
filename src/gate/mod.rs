//! The policy gate: assesses every action with an effect before it is carried out.
//!
//! This file holds the request, the verdict and the pure function [`assess`]; [`shell::Gate`] holds the rules
//! of a file that may change. `classify` determines the effect of an action from the page, never from a
//! model's words. `rules` selects the rule, `grants` decides what may be remembered, and `payload` prepares
//! the texts and values that a person reads.

pub mod request;
pub mod verdict;
pub mod reload;
pub mod wording;
pub mod url_policy;
pub mod effect;
pub mod grants;
pub mod hosts;
pub mod rules;

use crate::gate::effect::class::ActionProperties;
use crate::gate::effect::{classify, payload};
use crate::gate::request::AssessmentRequest;
use crate::gate::rules::Rules;
use crate::gate::verdict::{Decision, Verdict};

/// Assesses one action. Pure; takes microseconds.
pub fn assess(rules: &Rules, ask: &AssessmentRequest<'_>) -> Verdict {
    decide_by_rules(rules, &classify::classify(ask), Some(ask))
}

/// Returns the verdict on known properties. `ask` is `None` for effects without a page (shell, python, calls
/// of agents).
pub fn decide_by_rules(
    rules: &Rules,
    facts: &ActionProperties,
    ask: Option<&AssessmentRequest<'_>>,
) -> Verdict {
    let rule = rules.first_match(facts);
    let asks = match rule.decision {
        Decision::Allow => None,
        Decision::RequiresConfirmation | Decision::Deny => ask,
    };
    Verdict {
        decision: rule.decision,
        rule: rule.id.clone(),
        risk: rule.risk,
        effect: facts.effect,
        reason: rule.reason.clone(),
        remember: grants::choices(rule, facts),
        origin: facts.origin.clone(),
        new_host: facts.place.as_ref().filter(|_| facts.new_host).map(hosts::shown),
        values: asks.map(payload::values).unwrap_or_default(),
        sentence: asks.map(|ask| payload::sentence(facts, ask)).unwrap_or_default(),
    }
}
