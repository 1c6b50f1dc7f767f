//! The policy gate: every action with an effect is assessed here before it happens. This file holds
//! the question and the verdict, the pure `assess`, and `Gate`, a thin shell that keeps the rules of
//! a file that may change. What an action would do is found in `classify`, from what the page is and
//! never from what a model says; which rule that meets in `rules`; what may be remembered in
//! `grants`; the words and values that a person reads in `payload`.

mod classify;
pub mod closed;
pub mod effect;
mod element;
pub mod fold;
mod form;
pub mod grants;
pub mod hosts;
mod intent;
mod keys;
mod lexicon;
pub mod money;
mod named;
mod paths;
pub mod payload;
pub mod rules;
pub mod shell;
pub mod words;

use crate::config::mcp::Leave;
use crate::files::Kept;
use crate::page::Observation;
use crate::page::target::Target;
use crate::protocol::server::PolicyReason;
use crate::protocol::{Locale, Remember};
use crate::turn::action::Action;
use effect::{EffectClass, Facts};
use rules::Rules;
use serde::{Deserialize, Serialize};

/// What is to be assessed. For `press` the target is the focused element, if any.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    pub action: &'a Action,
    pub target: Option<&'a Target>,
    pub page: &'a PageRef,
    pub context: &'a Context,
}

/// The page as it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageRef {
    pub url: String,
    pub title: String,
    /// A password, code or card field is in sight.
    pub secrets: bool,
    /// Something has been typed into a field: there is something that could be sent.
    pub filled: bool,
}

impl PageRef {
    pub fn of(look: &Observation) -> Self {
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

/// What the run may do without asking, as far as hosts go.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// `allowed_hosts` of the agent; empty = every public one.
    pub allowed_hosts: Vec<String>,
    /// Named by the person (`hosts::named_in` of their messages).
    pub named_hosts: Vec<String>,
    /// `gate.private_hosts`.
    pub private_hosts: Vec<String>,
    /// Where this service is reached: `http://127.0.0.1:8787`.
    pub own_origin: String,
    /// What may be given to pages.
    pub files: Vec<Kept>,
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

/// One text in both languages.
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

/// What the gate says, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub decision: Decision,
    /// Id of the rule that decided.
    pub rule: String,
    pub risk: Risk,
    pub effect: EffectClass,
    pub reason: Texts,
    /// What an approval may be remembered for; always contains `Once`.
    pub remember: Vec<Remember>,
    /// What a remembered approval is bound to: where the effect takes place.
    pub origin: String,
    /// What is about to be sent, in the form's order, secrets as `••••`.
    pub values: Vec<(String, String)>,
    /// The host that it would lead to, where that is none that the run was given.
    pub new_host: Option<String>,
    sentence: Texts,
}

impl Verdict {
    /// What will happen, for the person who decides: made from the page's facts alone.
    pub fn sentence(&self, locale: Locale) -> &str {
        self.sentence.pick(locale)
    }

    pub fn reason(&self, locale: Locale) -> &str {
        self.reason.pick(locale)
    }

    /// The reason in both languages, if the verdict is a denial.
    pub fn refusal(&self) -> Option<PolicyReason> {
        let Texts { uk, en } = self.reason.clone();
        (self.decision == Decision::Deny).then_some(PolicyReason { uk, en })
    }

    /// With what the owner says in the settings of one tool: nothing there lifts what the rules deny.
    pub fn settled(&mut self, leave: Leave) {
        if self.decision == Decision::Deny {
            return;
        }
        let (decision, uk, en) = match leave {
            Leave::Allow => {
                (Decision::Allow, "Налаштування дозволяють цей інструмент.", "The settings allow this tool.")
            }
            Leave::Confirm => (
                Decision::RequiresConfirmation,
                "Налаштування вимагають питати про цей інструмент.",
                "The settings require asking about this tool.",
            ),
            Leave::Deny => {
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

/// Assesses one action: pure, and in microseconds.
pub fn assess(rules: &Rules, ask: &Ask<'_>) -> Verdict {
    decide(rules, &classify::classify(ask), Some(ask))
}

/// The verdict on facts that are already known; for effects that no page is about (shell, python,
/// calls of agents) there is no `ask`.
pub fn decide(rules: &Rules, facts: &Facts, ask: Option<&Ask<'_>>) -> Verdict {
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
