//! The gate before code and commands: what is a function of its inputs alone is let through, whatever
//! touches files or variables of this machine is asked about (SPEC section 3).

use super::graph::Outcome;
use super::state::Change;
use super::{Cx, code, words};
use crate::clock::Moment;
use crate::gate::effect::{EffectClass, Facts};
use crate::gate::{self, Decision, Verdict};
use crate::program::{Ask, ProgramError};
use crate::protocol::server::{Event, Fact, ResolvedBy};
use crate::protocol::{QuestionKind, Status};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// What it is called where an action has an id.
pub const ACTION_ID: &str = "a1";

pub fn assess(cx: &mut Cx) -> Result<Outcome, ProgramError> {
    let effect = effect(cx);
    let verdict = gate::decide(&cx.deps.gate.rules(Moment::now()), &Facts::bare(effect), None);
    tell(cx, &verdict);
    if verdict.effect.reaches_outside() {
        cx.changes.push(Change::Effect);
    }
    Ok(match verdict.decision {
        Decision::Allow => Outcome::Allowed,
        Decision::RequiresConfirmation => {
            let ask = question(cx, &verdict)?;
            cx.ask = Some(ask);
            Outcome::NeedsConfirmation
        }
        Decision::Deny => {
            let text = verdict.reason(cx.state.locale).to_owned();
            cx.changes.push(Change::Responded { text });
            Outcome::Denied
        }
    })
}

pub fn confirm(cx: &mut Cx) -> Result<Outcome, ProgramError> {
    let answer = cx.given.answer.clone();
    let answer =
        answer.ok_or_else(|| ProgramError::Failed(String::from("there is no answer to go on with")))?;
    let approved = answer.by == ResolvedBy::User && answer.answer.confirmed == Some(true);
    if !approved {
        let said = answer.answer.comment.filter(|words| !words.trim().is_empty());
        let text = words::declined(said.as_deref(), cx.state.locale);
        cx.changes.push(Change::Responded { text });
        return Ok(Outcome::Declined);
    }
    Ok(Outcome::Approved)
}

/// What it touches besides its inputs.
fn effect(cx: &Cx) -> EffectClass {
    let spec = &cx.deps.spec;
    let open = !cx.deps.sandbox.isolates();
    match (&spec.python, &spec.shell) {
        (Some(python), _) if open || python.files => EffectClass::Python,
        (_, Some(shell)) if open || shell.files || !shell.env.is_empty() => EffectClass::Shell,
        _ => EffectClass::Compute,
    }
}

fn question(cx: &Cx, verdict: &Verdict) -> Result<Ask, ProgramError> {
    let (spec, locale) = (&cx.deps.spec, cx.state.locale);
    let action = code::action(cx).map_err(ProgramError::Failed)?;
    let isolated = cx.deps.sandbox.isolates();
    let sentence = words::sentence(spec, &action, isolated, locale);
    let timeout = cx.deps.confirm_timeout_s;
    let fingerprint = format!("{:x}", Sha256::digest(action.to_string()));
    Ok(Ask {
        kind: QuestionKind::Confirm,
        reason: verdict.reason(locale).to_owned(),
        text: sentence.clone(),
        payload: json!({
            "action": action,
            "effect": sentence,
            "effect_class": verdict.effect.as_str(),
            "risk": verdict.risk.as_str(),
            "rule": verdict.rule,
            "page": null,
            "target": null,
            "values": values(cx),
            "screenshot": null,
            "fingerprint": fingerprint,
        }),
        remember: verdict.remember.clone(),
        expires_at: (timeout > 0).then(|| Moment::now().plus_seconds(timeout)),
        on_expire: Status::Cancelled,
    })
}

/// The declared inputs as a person reads them.
fn values(cx: &Cx) -> Value {
    let named = cx.deps.spec.inputs.iter().filter_map(|input| {
        let value = cx.state.context.get(&input.name)?;
        Some((input.name.clone(), json!(words::shown(value))))
    });
    Value::Object(named.collect())
}

/// The decision, for those who watch and for the audit log.
fn tell(cx: &mut Cx, verdict: &Verdict) {
    let name = code::name(&cx.deps.spec);
    cx.record.facts.push(Fact::Event(Event::Policy {
        decision: verdict.decision.as_str().to_owned(),
        rule: verdict.rule.clone(),
        risk: verdict.risk.as_str().to_owned(),
        effect: verdict.effect.as_str().to_owned(),
        action_id: ACTION_ID.to_owned(),
    }));
    cx.record.audit.push(json!({
        "action_id": ACTION_ID,
        "action": name,
        "agent": cx.deps.spec.name,
        "decision": verdict.decision.as_str(),
        "rule": verdict.rule,
        "risk": verdict.risk.as_str(),
        "effect": verdict.effect.as_str(),
        "by": "policy",
    }));
}
