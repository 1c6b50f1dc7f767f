//! The gate's answer to a program, with its event for viewers and its row of the audit log.

use crate::gate::verdict::{Decision, Verdict};
use crate::protocol::event::Event;
use serde_json::{Value, json};

/// Verdict on an effect, and whether an earlier approval of a person answers its question.
#[derive(Clone, Debug, PartialEq)]
pub struct Assessment {
    pub verdict: Verdict,
    /// True if the verdict would ask, and a grant permits the effect.
    pub granted: bool,
}

/// The action that was assessed, as its audit row names it.
#[derive(Clone, Debug)]
pub struct AuditedAction<'a> {
    pub action_id: &'a str,
    /// Name of the action; `None` if it could not be read.
    pub action: Option<&'a str>,
    /// Values that would be sent; secrets are masked.
    pub values: Value,
    /// Further fields of the row, such as `agent` or `picture`.
    pub details: Value,
}

impl Assessment {
    /// Returns the decision after the grant.
    pub fn decision(&self) -> Decision {
        if self.granted { Decision::Allow } else { self.verdict.decision }
    }

    /// Returns the event that viewers receive.
    pub fn event(&self, action_id: &str) -> Event {
        let Verdict { rule, risk, effect, .. } = &self.verdict;
        Event::Policy {
            decision: self.decision().as_str().to_owned(),
            rule: rule.clone(),
            risk: risk.as_str().to_owned(),
            effect: effect.as_str().to_owned(),
            action_id: action_id.to_owned(),
            reason: self.verdict.refusal(),
        }
    }

    /// Returns the row of the audit log. An effect without a page has no origin.
    pub fn audit_row(&self, audited: AuditedAction<'_>) -> Value {
        let Verdict { rule, risk, effect, origin, .. } = &self.verdict;
        let mut row = json!({
            "action_id": audited.action_id,
            "action": audited.action,
            "decision": self.decision().as_str(),
            "rule": rule,
            "risk": risk.as_str(),
            "effect": effect.as_str(),
            "origin": Some(origin).filter(|origin| !origin.is_empty()),
            "values": audited.values,
            "by": if self.granted { "grant" } else { "policy" },
        });
        if let (Some(row), Value::Object(details)) = (row.as_object_mut(), audited.details) {
            row.extend(details);
        }
        row
    }
}
