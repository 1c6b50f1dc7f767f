//! Verdict of the gate: allow, ask with a question, or deny.

use crate::config::mcp::ToolPermission;
use crate::gate::meaning::effect_class::EffectClass;
use crate::protocol::event::PolicyReason;
use crate::protocol::{Locale, Remember};
use crate::texts;
use serde::{Deserialize, Serialize};

/// Decision on an action: do it, ask a person first, or refuse it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    Allow,
    RequiresConfirmation,
    Deny,
}

impl Decision {
    /// Returns the decision as policy files and events name it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::RequiresConfirmation => "requires_confirmation",
            Self::Deny => "deny",
        }
    }
}

/// Risk of an action, which sets the emphasis of its question. Ordered from low to high.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    Low,
    Medium,
    High,
}

impl Risk {
    /// Returns the risk as policy files and events name it.
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
    /// Writes the text in both languages.
    pub fn write<T: Into<String>>(say: impl Fn(Locale) -> T) -> Self {
        Self { uk: say(Locale::Uk).into(), en: say(Locale::En).into() }
    }

    /// Returns the text in this language.
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
    /// True if the effect is known before the action: a native form with its address, an upload, a download, code.
    /// What else the page may send is judged when it leaves.
    pub is_known_before: bool,
    pub(crate) sentence: Texts,
}

impl Verdict {
    /// Returns the description of the effect for the person who decides. It is made from the page alone.
    pub fn sentence(&self, locale: Locale) -> &str {
        self.sentence.pick(locale)
    }

    /// Returns the reason of the decision, as the rule gives it.
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
        let (decision, reason): (_, fn(Locale) -> &'static str) = match leave {
            ToolPermission::Allow => (Decision::Allow, texts::gate::settings_allow),
            ToolPermission::Confirm => (Decision::RequiresConfirmation, texts::gate::settings_confirm),
            ToolPermission::Deny => (Decision::Deny, texts::gate::settings_forbid),
        };
        self.decision = decision;
        self.rule = String::from("mcp-settings");
        self.reason = Texts::write(reason);
    }

    /// True if the rule offers this scope for an approval.
    pub fn may_remember(&self, remember: Remember) -> bool {
        self.remember.contains(&remember)
    }
}
