//! The gate's answer to a program, with its event for viewers and its row of the audit log.

use crate::gate::grants::covers::Covers;
use crate::gate::verdict::{Decision, Verdict};
use crate::ids::GrantId;
use crate::protocol::event::Event;
use serde_json::{Value, json};

/// Rule of an action that is allowed because its requests are asked about when they leave.
const ASKED_AT_THE_WIRE: &str = "asked-at-the-wire";

/// Verdict on an effect, and whether an earlier approval of a person answers its question.
#[derive(Clone, Debug, PartialEq)]
pub struct Assessment {
    pub verdict: Verdict,
    /// Scope of a remembered approval.
    pub covers: Covers,
    /// Grant that permits what the verdict would ask about.
    pub granted: Option<GrantId>,
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
    /// Returns the decision after the grant. An action whose effect is not known before is allowed: its requests
    /// are judged when they leave.
    pub fn decision(&self) -> Decision {
        if self.granted.is_some() || self.is_asked_at_the_wire() {
            Decision::Allow
        } else {
            self.verdict.decision
        }
    }

    /// True if the question waits until the page sends something: the effect of the action is not known before.
    fn is_asked_at_the_wire(&self) -> bool {
        self.verdict.decision == Decision::RequiresConfirmation && !self.verdict.is_known_before
    }

    /// Returns the rule that the decision comes from.
    fn rule(&self) -> &str {
        if self.is_asked_at_the_wire() { ASKED_AT_THE_WIRE } else { &self.verdict.rule }
    }

    /// Returns the event that viewers receive.
    pub fn event(&self, action_id: &str) -> Event {
        let Verdict { risk, effect, .. } = &self.verdict;
        Event::Policy {
            decision: self.decision().as_str().to_owned(),
            rule: self.rule().to_owned(),
            risk: risk.as_str().to_owned(),
            effect: effect.as_str().to_owned(),
            action_id: action_id.to_owned(),
            reason: self.verdict.refusal(),
        }
    }

    /// Returns the row of the audit log. An effect without a page has no origin.
    pub fn audit_row(&self, audited: AuditedAction<'_>) -> Value {
        let Verdict { risk, effect, origin, .. } = &self.verdict;
        let mut row = json!({
            "action_id": audited.action_id,
            "action": audited.action,
            "decision": self.decision().as_str(),
            "rule": self.rule(),
            "risk": risk.as_str(),
            "effect": effect.as_str(),
            "origin": Some(origin).filter(|origin| !origin.is_empty()),
            "values": audited.values,
            "by": if self.granted.is_some() { "grant" } else { "policy" },
        });
        if let (Some(row), Value::Object(details)) = (row.as_object_mut(), audited.details) {
            row.extend(details);
        }
        row
    }
}
