//! The policy gate: assesses every action with an effect before it is carried out.
//!
//! [`actor::PolicyGate`] owns the rules and answers [`actor::Assess`]; the judgement is the pure [`assess`].
//! `effect` determines the effect of an action from the page, never from a model's words, and prepares the
//! texts and values that a person reads. `rules` selects the rule, `grants` decides which approvals may be
//! remembered and which later effects they permit, `flow` finds texts that would go from one site to another,
//! and `assessment` makes the audit row of each decision, which the run stores in the commit of its step.

pub mod meaning;
pub mod flow;
pub mod host_kinds;
pub mod host_scope;
pub mod url_refusals;
pub mod request;
pub mod verdict;
pub mod policy_file;
pub mod actor;
pub mod action_judge;
pub mod assessment;
pub mod wording;
pub mod effect;
pub mod grants;
pub mod harmless_rules;
pub mod rules;
pub mod wire_layer;
pub mod held_effects;

use crate::gate::effect::{classify, known_before, question_texts};
use crate::gate::meaning::effect_class::ActionProperties;
use crate::gate::request::AssessmentRequest;
use crate::gate::rules::Rules;
use crate::gate::verdict::{Decision, Verdict};
use crate::gate::wire_layer::harmless::form_request;

/// Assesses one action. Pure; takes microseconds.
pub fn assess(rules: &Rules, request: &AssessmentRequest<'_>) -> Verdict {
    decide_by_rules(rules, &classify::classify(request), Some(request))
}

/// Returns the verdict on known properties. `request` is `None` for effects without a page (shell, python,
/// calls of agents).
pub fn decide_by_rules(
    rules: &Rules,
    facts: &ActionProperties,
    request: Option<&AssessmentRequest<'_>>,
) -> Verdict {
    let rule = rules.first_match(facts);
    let asks = match rule.decision {
        Decision::Allow => None,
        Decision::RequiresConfirmation | Decision::Deny => request,
    };
    Verdict {
        decision: rule.decision,
        rule: rule.id.clone(),
        risk: rule.risk,
        effect: facts.effect,
        reason: rule.reason.clone(),
        remember: grants::choices(rule, facts),
        origin: facts.origin.clone(),
        new_host: facts.url.as_ref().filter(|_| facts.new_host).map(host_kinds::display_host),
        values: asks.map(question_texts::values).unwrap_or_default(),
        is_known_before: request.is_none_or(|request| {
            let is_harmless_form = || form_request::is_harmless_form(rules, request);
            rule.decision != Decision::RequiresConfirmation
                || known_before::is_effect_known(facts, request, is_harmless_form)
        }),
        sentence: asks.map(|request| question_texts::sentence(facts, request)).unwrap_or_default(),
    }
}
