//! The policy gate: assesses every action with an effect before it is carried out.
//!
//! This file holds the request, the verdict and the pure function [`assess`]; [`shell::Gate`] holds the rules
//! of a file that may change. `classify` determines the effect of an action from the page, never from a
//! model's words. `rules` selects the rule, `grants` decides what may be remembered, and `payload` prepares
//! the texts and values that a person reads.

mod classify;
pub mod url_policy;
pub mod effect;
mod element;
pub mod normalize;
mod form;
pub mod grants;
pub mod hosts;
mod intent;
mod keys;
mod lexicon;
pub mod money;
mod name_effects;
mod paths;
pub mod payload;
pub mod rules;
pub mod shell;
pub mod words;

use crate::config::mcp::ToolPermission;
use crate::files::StoredFile;
use crate::page::Observation;
use crate::page::target::Target;
use crate::protocol::server::PolicyReason;
use crate::protocol::{Locale, Remember};
use crate::turn::action::Action;
use effect::{ActionProperties, EffectClass};
use rules::Rules;
use serde::{Deserialize, Serialize};

/// Request to assess an action. The target of `press` is the focused element, if there is one.
#[derive(Clone, Copy, Debug)]
pub struct AssessmentRequest<'a> {
    pub action: &'a Action,
    pub target: Option<&'a Target>,
    pub page: &'a PageRef,
    pub context: &'a HostContext,
}

/// Relevant state of the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageRef {
    pub url: String,
    pub title: String,
    /// True if a password, code or card field is visible.
    pub secrets: bool,
    /// True if a field has been typed into, so that there is something to send.
    pub filled: bool,
}

impl PageRef {
    pub fn from_observation(look: &Observation) -> Self {
        let attributes = || look.lines.iter().map(|line| &line.attributes);
        Self {
            url: look.url.clone(),
            title: look.title.clone(),
            secrets: attributes().any(|a| a.secret),
            filled: attributes()
                .any(|a| a.editable && a.value.as_deref().is_some_and(|value| !value.is_empty())),
        }
    }
}

/// Hosts and files that the run may use without asking.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostContext {
    /// `allowed_hosts` of the agent; empty allows every public host.
    pub allowed_hosts: Vec<String>,
    /// Hosts named by the person (`hosts::named_in` of their messages).
    pub named_hosts: Vec<String>,
    /// `gate.private_hosts`.
    pub private_hosts: Vec<String>,
    /// Origin of this service, such as `http://127.0.0.1:8787`.
    pub own_origin: String,
    /// Files that may be uploaded to pages.
    pub files: Vec<StoredFile>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    Allow,
    RequiresConfirmation,
    Deny,
}

impl Decision {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::RequiresConfirmation => "requires_confirmation",
            Self::Deny => "deny",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    Low,
    Medium,
    High,
}

impl Risk {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// A text in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Texts {
    pub uk: String,
    pub en: String,
}

impl Texts {
    pub fn pick(&self, locale: Locale) -> &str {
        locale.pick(&self.uk, &self.en)
    }
}

/// Decision of the gate, with its reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub decision: Decision,
    /// Id of the deciding rule.
    pub rule: String,
    pub risk: Risk,
    pub effect: EffectClass,
    pub reason: Texts,
    /// Scopes for which an approval may be remembered; always contains `Once`.
    pub remember: Vec<Remember>,
    /// Origin of the effect, to which a remembered approval is bound.
    pub origin: String,
    /// Names and values of the fields to be sent, in the form's order; secrets are shown as `••••`.
    pub values: Vec<(String, String)>,
    /// Destination host, if it is not among the run's hosts.
    pub new_host: Option<String>,
    sentence: Texts,
}

impl Verdict {
    /// Returns the description of the effect for the person who decides. It is made from the page alone.
    pub fn sentence(&self, locale: Locale) -> &str {
        self.sentence.pick(locale)
    }

    pub fn reason(&self, locale: Locale) -> &str {
        self.reason.pick(locale)
    }

    /// Returns the reason in both languages, if the verdict is a denial.
    pub fn refusal(&self) -> Option<PolicyReason> {
        let Texts { uk, en } = self.reason.clone();
        (self.decision == Decision::Deny).then_some(PolicyReason { uk, en })
    }

    /// Applies the owner's setting for one tool. A denial by the rules stays.
    pub fn apply_setting(&mut self, leave: ToolPermission) {
        if self.decision == Decision::Deny {
            return;
        }
        let (decision, uk, en) = match leave {
            ToolPermission::Allow => {
                (Decision::Allow, "Налаштування дозволяють цей інструмент.", "The settings allow this tool.")
            }
            ToolPermission::Confirm => (
                Decision::RequiresConfirmation,
                "Налаштування вимагають питати про цей інструмент.",
                "The settings require asking about this tool.",
            ),
            ToolPermission::Deny => {
                (Decision::Deny, "Налаштування забороняють цей інструмент.", "The settings forbid this tool.")
            }
        };
        self.decision = decision;
        self.rule = String::from("mcp-settings");
        self.reason = Texts { uk: uk.to_owned(), en: en.to_owned() };
    }

    pub fn may_remember(&self, remember: Remember) -> bool {
        self.remember.contains(&remember)
    }
}

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
