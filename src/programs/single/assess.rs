//! Asks the gate before code and commands run. Code that depends on its inputs and reads the files of its run is
//! allowed; code that changes files or uses environment variables of the machine needs confirmation.

use crate::agent_spec::types::spec::AgentSpec;
use crate::clock::Moment;
use crate::engine::program::result_text::format_for_approval;
use crate::engine::program::{ProgramError, QuestionDraft};
use crate::gate::actor::{Assess, ProposedEffect};
use crate::gate::assessment::{Assessment, AuditedAction};
use crate::gate::flow::crossing::Flow;
use crate::gate::meaning::effect_class::EffectClass;
use crate::gate::verdict::{Decision, Risk, Verdict};
use crate::programs::single::action_description::Executable;
use crate::programs::single::graph::{confirm, policy_gate};
use crate::programs::single::state::SingleChange;
use crate::programs::single::visit_context::SingleVisit;
use crate::programs::single::{action_description, approval_text, text_sources};
use crate::protocol::server::Fact;
use crate::protocol::{Locale, QuestionKind, Remember, Status};
use crate::record;
use crate::text::value_text::format_value_text;
use crate::texts::{endings, gate, in_both_languages, questions};
use crate::turn::typed_secret::MASK;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub(crate) async fn assess(cx: &mut SingleVisit) -> Result<policy_gate::Outcome, ProgramError> {
    let spec = std::sync::Arc::clone(&cx.deps.spec);
    let code = action_description::executable_of(&spec)?;
    let effect = effect(code, isolates(cx));
    let setting = match code {
        Executable::Tool(tool) => cx.deps.servers.permission(tool),
        Executable::Python(_) | Executable::Shell(_) => None,
    };
    let proposed = ProposedEffect::Execution { effect, setting };
    let reply = cx.deps.gate.send(Assess { proposed, root: cx.root().clone() }).await;
    let assessment = reply.map_err(|_| ProgramError::service_stopping())??;
    record_decision(cx, code, &assessment);
    let flow = text_sources::find_flow(cx, code);
    let (decision, verdict) = (assessment.decision(), assessment.verdict);
    if verdict.effect.reaches_outside() {
        cx.changes.push(SingleChange::Effect);
    }
    Ok(match decision {
        Decision::Allow if flow.is_none() => policy_gate::Allowed,
        Decision::Allow | Decision::RequiresConfirmation => {
            let mut ask = question(cx, code, &verdict).await?;
            if let Some(flow) = flow {
                cx.changes.push(SingleChange::FlowAsked { pairs: flow.pairs().collect() });
                add_flow(&mut ask, &flow, decision, cx.state.locale);
            }
            cx.ask = Some(ask);
            policy_gate::NeedsConfirmation
        }
        Decision::Deny => {
            let text = verdict.reason(cx.state.locale).to_owned();
            cx.changes.push(SingleChange::Responded { text });
            policy_gate::Denied
        }
    })
}

/// Adds the text that the call takes elsewhere to its question. If only that is asked about, the question says so.
fn add_flow(ask: &mut QuestionDraft, flow: &Flow, decision: Decision, locale: Locale) {
    ask.payload["flow"] = json!(flow);
    if decision == Decision::RequiresConfirmation {
        return;
    }
    let sentence = |locale| gate::take_text(&flow.from.join(", "), &flow.to, locale);
    ask.text = sentence(locale);
    ask.reason = gate::flow_reason(locale).to_owned();
    ask.remember = vec![Remember::Once];
    ask.payload["layer"] = json!("flow");
    ask.payload["rule"] = json!("flow");
    ask.payload["risk"] = json!(Risk::High.as_str());
    ask.payload["effect"] = json!(sentence(locale));
    for reader in [Locale::Uk, Locale::En] {
        ask.payload["texts"][reader.tag()]["text"] = json!(sentence(reader));
        ask.payload["texts"][reader.tag()]["reason"] = json!(gate::flow_reason(reader));
    }
}

pub(crate) fn confirm(cx: &mut SingleVisit) -> Result<confirm::Outcome, ProgramError> {
    let answer = cx.input.answer.clone();
    let answer = answer.ok_or_else(|| ProgramError::Failed(String::from("the answer is missing")))?;
    let approved = answer.by.is_answer() && answer.answer.confirmed == Some(true);
    if !approved {
        let comment = answer.answer.comment.filter(|words| !words.trim().is_empty());
        let declined = endings::call_declined(cx.state.locale);
        let text = comment.map_or_else(|| declined.to_owned(), |comment| format!("{declined} {comment}"));
        cx.changes.push(SingleChange::Responded { text });
        return Ok(confirm::Declined);
    }
    cx.deps.texts.add_consents(cx.state.asked_flow.iter().cloned());
    Ok(confirm::Approved)
}

/// Reports whether code runs in a sandbox.
fn isolates(cx: &SingleVisit) -> bool {
    record::record_value("isolates", || cx.deps.sandbox.isolates())
}

/// Reports whether a call of this agent has no side effects, and gives the same result each time.
pub fn is_pure(spec: &AgentSpec, isolated: bool) -> bool {
    match action_description::executable_of(spec) {
        Ok(code) => effect(code, isolated) == EffectClass::Compute && code.files_access().is_none(),
        Err(_) => spec.llm.is_some() && !spec.converses(),
    }
}

/// Returns the effect class, from the resources that the code uses beyond its inputs.
fn effect(code: Executable<'_>, isolated: bool) -> EffectClass {
    match code {
        Executable::Python(python) if !isolated || python.files.may_write() => EffectClass::Python,
        Executable::Shell(shell) if !isolated || shell.files.may_write() || !shell.env.is_empty() => {
            EffectClass::Shell
        }
        Executable::Python(_) | Executable::Shell(_) => EffectClass::Compute,
        Executable::Tool(_) => EffectClass::Tool,
    }
}

async fn question(
    cx: &SingleVisit,
    code: Executable<'_>,
    verdict: &Verdict,
) -> Result<QuestionDraft, ProgramError> {
    let (spec, locale) = (&cx.deps.spec, cx.state.locale);
    let action = code.action(spec, &cx.state.context).await.map_err(ProgramError::Failed)?;
    let (isolated, timeout) = (isolates(cx), cx.deps.confirm_timeout_s);
    let (sentence, values) = (approval_text::sentence(spec, &action, isolated, locale), values(cx, &action));
    let (about, labels) = approval_text::description_and_labels(spec, locale);
    let texts = in_both_languages(|locale| {
        let (about, labels) = approval_text::description_and_labels(spec, locale);
        let text = approval_text::sentence(spec, &action, isolated, locale);
        json!({"text": text, "reason": verdict.reason(locale), "about": about, "labels": labels})
    });
    // The answer permits exactly the action and values that were shown.
    let fingerprint = format!("{:x}", Sha256::digest(json!([action, values]).to_string()));
    Ok(QuestionDraft {
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
            "values": values,
            "labels": labels,
            "about": about,
            "texts": texts,
            "screenshot": null,
            "fingerprint": fingerprint,
        }),
        remember: verdict.remember.clone(),
        expires_at: (timeout > 0).then(|| Moment::now().plus_seconds(timeout)),
        on_expire: Status::Cancelled,
    })
}

/// Returns the values to show with the question: the declared inputs, or all arguments of a tool, and a
/// command too long for the sentence. Values are never truncated silently, because the person decides about
/// them.
fn values(cx: &SingleVisit, action: &Value) -> Value {
    let locale = cx.state.locale;
    let displayed = |value: &Value| format_for_approval(&format_value_text(value), locale);
    if let Value::Object(arguments) = &action["params"]["arguments"] {
        return arguments.iter().map(|(name, value)| (name.clone(), json!(displayed(value)))).collect();
    }
    let command = approval_text::long_command(&action["params"]);
    let command = command.map(|command| {
        (questions::command_label(locale).to_owned(), json!(format_for_approval(&command, locale)))
    });
    let inputs = cx.deps.spec.inputs.iter().filter_map(|input| {
        let value = cx.state.context.get(&input.name)?;
        let displayed = if input.secret && !value.is_null() { MASK.to_owned() } else { displayed(value) };
        Some((input.name.clone(), json!(displayed)))
    });
    Value::Object(command.into_iter().chain(inputs).collect())
}

/// Records the decision as an event and in the audit log.
fn record_decision(cx: &mut SingleVisit, code: Executable<'_>, assessment: &Assessment) {
    cx.record.facts.push(Fact::Event(assessment.event(action_description::ID)));
    let row = assessment.audit_row(AuditedAction {
        action_id: action_description::ID,
        action: Some(code.name()),
        values: values(cx, &Value::Null),
        details: json!({"agent": cx.deps.spec.name}),
    });
    cx.record.audit.push(row);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(rest: &Value) -> AgentSpec {
        let mut agent = json!({"name": "a", "kind": "atomic"});
        agent.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        serde_json::from_value(agent).unwrap()
    }

    // The effect class of each executor, or its refusal by the gate.
    #[test]
    fn the_gate_knows_what_every_executor_touches_or_refuses() {
        for (rest, isolated, expected) in [
            (json!({"python": {"code": "x = 1"}}), true, Some(EffectClass::Compute)),
            (json!({"python": {"code": "x = 1"}}), false, Some(EffectClass::Python)),
            (json!({"python": {"code": "x = 1", "files": true}}), true, Some(EffectClass::Python)),
            (json!({"python": {"code": "x = 1", "files": "read"}}), true, Some(EffectClass::Compute)),
            (json!({"python": {"code": "x = 1", "files": "read"}}), false, Some(EffectClass::Python)),
            (json!({"shell": {"command": "ls", "files": "read"}}), true, Some(EffectClass::Compute)),
            (
                json!({"shell": {"command": "ls", "files": "read", "env": ["HOME"]}}),
                true,
                Some(EffectClass::Shell),
            ),
            (json!({"shell": {"command": "ls"}}), true, Some(EffectClass::Compute)),
            (json!({"shell": {"command": "ls"}}), false, Some(EffectClass::Shell)),
            (json!({"shell": {"command": "ls", "files": true}}), true, Some(EffectClass::Shell)),
            (json!({"shell": {"command": "ls", "env": ["HOME"]}}), true, Some(EffectClass::Shell)),
            (json!({"llm": {"prompt": "p"}}), true, None),
            (json!({"browser": {}}), true, None),
            (json!({}), true, None),
        ] {
            let agent = agent(&rest);
            let found = action_description::executable_of(&agent).ok().map(|code| effect(code, isolated));
            assert_eq!(found, expected, "{rest}");
        }
    }
}
