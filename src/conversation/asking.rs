//! The questions of a conversation to a person: approval, take-over, or an answer. A `confirm` question is
//! made from the page's own data and binds the approval to it.

use super::allowance::Used;
use super::change::{Approval, ConversationChange};
use super::cx::Cx;
use super::words;
use super::world::Surroundings;
use crate::browser::crop::NoPicture;
use crate::browser::fault::Code;
use crate::clock::Moment;
use crate::gate::effect::EffectClass;
use crate::gate::{PageRef, Verdict};
use crate::page::fingerprint::fingerprint;
use crate::page::target::Target;
use crate::plan::Item;
use crate::program::words::in_both;
use crate::program::{Ask, ProgramError};
use crate::protocol::{Locale, QuestionKind, Status};
use crate::turn::action::Action;
use crate::turn::typed;
use serde_json::{Map, Value, json};

/// Asks the person to approve an action. The payload has everything needed to decide (`docs/protocol.md`).
pub async fn confirm(
    cx: &mut Cx,
    action: &Action,
    target: Option<Target>,
    page: &PageRef,
    verdict: &Verdict,
) -> Result<(), ProgramError> {
    let pictured = picture(cx, target.as_ref()).await?;
    let blank = Target::default();
    let fingerprint = fingerprint(&page.url, action, target.as_ref().unwrap_or(&blank));
    let mut payload = payload(cx, action, target.as_ref(), page, verdict)?;
    show_picture(&mut payload, pictured);
    payload["fingerprint"] = json!(fingerprint);
    payload["texts"] =
        in_both(|locale| json!({"text": verdict.sentence(locale), "reason": verdict.reason(locale)}));
    // The page in front; the element may be in a frame with an address of its own.
    let top = target.as_ref().map(|target| target.top.clone()).filter(|top| !top.is_empty());
    let (locale, timeout) = (cx.state.locale, cx.deps.confirm_timeout_s);
    cx.ask = Some(Ask {
        kind: QuestionKind::Confirm,
        reason: verdict.reason(locale).to_owned(),
        text: verdict.sentence(locale).to_owned(),
        payload,
        remember: verdict.remember.clone(),
        expires_at: (timeout > 0).then(|| Moment::now().plus_seconds(timeout)),
        on_expire: Status::Cancelled,
    });
    cx.change(ConversationChange::Asked(Approval {
        fingerprint,
        target,
        url: top.unwrap_or_else(|| page.url.clone()),
        origin: verdict.origin.clone(),
        rule: verdict.rule.clone(),
        remember: verdict.remember.clone(),
        host: verdict.new_host.clone(),
        given: false,
        download: verdict.effect == EffectClass::Download,
    }));
    Ok(())
}

/// Returns the question that asks the person to take over and do something on the page.
pub fn hands(locale: Locale, text: &str) -> Ask {
    agents(QuestionKind::Manual, locale, words::hands_needed, text, json!({"text": text}))
}

/// Returns the question that asks for approval of the plan.
pub fn plan(locale: Locale, items: &[Item]) -> Ask {
    let text = |locale| words::plan_offered(items.len(), locale);
    services(QuestionKind::ApprovePlan, locale, words::plan_needs_approval, text, json!({"items": items}))
}

/// Returns the question about an item whose attempts are used up.
pub fn worn(locale: Locale, position: u32, goal: &str, why: &str) -> Ask {
    let text = |locale| words::worn(position, goal, why, locale);
    let payload = json!({
        "question": text(locale), "answer_key": format!("step_{position}"), "options": words::ways_on(locale),
        "for_step": position,
    });
    let mut ask = services(QuestionKind::Question, locale, words::answer_needed, text, payload);
    for reader in [Locale::Uk, Locale::En] {
        ask.payload["texts"][reader.tag()]["options"] = json!(words::ways_on(reader));
    }
    ask
}

/// Returns the question that asks to raise a used-up limit by the same amount.
pub fn budget(locale: Locale, used: &Used) -> Ask {
    let text = |locale| words::budget(used, locale);
    services(QuestionKind::Budget, locale, words::budget_needed, text, used.payload())
}

/// Returns the question that asks for help after the same action failed three times on the same page.
pub fn stuck(locale: Locale, what: &str, why: &str) -> Ask {
    let text = |locale| words::stuck(what, why, locale);
    let payload = json!({"question": text(locale), "answer_key": "no_progress", "options": []});
    services(QuestionKind::Question, locale, words::answer_needed, text, payload)
}

/// Returns the question that the agent asks.
pub fn words(locale: Locale, question: &str, answer_key: &str, options: &[String]) -> Ask {
    let payload = json!({"question": question, "answer_key": answer_key, "options": options});
    agents(QuestionKind::Question, locale, words::answer_needed, question, payload)
}

/// Crops the screenshot to the surroundings of the element. Without a picture the question is still asked:
/// its text has all the data.
async fn picture(cx: &Cx, target: Option<&Target>) -> Result<Result<Surroundings, NoPicture>, ProgramError> {
    let cropped = cx.cropped(target.map(|target| target.eid)).await?;
    // A page with an open dialog cannot be captured, so the screenshot of the last observation is used.
    let asks = matches!(&cropped, Err(NoPicture::Fault(fault)) if fault.code == Code::DialogOpen);
    let before = cx.state.last_screenshot.clone().filter(|_| asks && target.is_none());
    Ok(match before {
        Some(picture) => Ok(Surroundings { picture, bounds: None }),
        None => cropped,
    })
}

/// Adds the picture to the payload, and the target's box as it is in the picture: the page was scrolled for
/// the crop, and the live view outlines the same place.
fn show_picture(payload: &mut Value, pictured: Result<Surroundings, NoPicture>) {
    let bounds = pictured.as_ref().ok().and_then(|surroundings| surroundings.bounds);
    if let Some(target) = payload["target"].as_object_mut() {
        target.insert(String::from("box"), json!(bounds));
    }
    match pictured {
        Ok(Surroundings { picture, .. }) => payload["screenshot"] = json!(picture),
        Err(why) => {
            payload["screenshot"] = Value::Null;
            payload["picture_missing"] = json!(why.word());
        }
    }
}

/// Returns the values that are about to be sent, by name, with secrets masked.
pub fn shown_values(verdict: &Verdict) -> Map<String, Value> {
    verdict.values.iter().map(|(name, value)| (name.clone(), json!(value))).collect()
}

fn payload(
    cx: &Cx,
    action: &Action,
    target: Option<&Target>,
    page: &PageRef,
    verdict: &Verdict,
) -> Result<Value, ProgramError> {
    let mut whole = json!(action);
    whole["action_id"] = json!(cx.planned()?.action_id);
    if target.is_some_and(Target::is_secret) && whole.get("text").is_some() {
        whole["text"] = json!(typed::MASK);
    }
    Ok(json!({
        "action": whole,
        "effect": verdict.sentence(cx.state.locale),
        "effect_class": verdict.effect.as_str(),
        "risk": verdict.risk.as_str(),
        "rule": verdict.rule,
        "page": {"url": page.url, "title": page.title, "origin": verdict.origin},
        // Includes the box, so that the live view outlines the element.
        "target": target.and_then(|_| cx.desk.target_fact(cx.deps.viewport)),
        "values": shown_values(verdict),
    }))
}

/// Creates a question in the service's own words, which a page shows in the language of its reader.
fn services(
    kind: QuestionKind,
    locale: Locale,
    reason: fn(Locale) -> &'static str,
    text: impl Fn(Locale) -> String,
    mut payload: Value,
) -> Ask {
    payload["texts"] = in_both(|locale| json!({"text": text(locale), "reason": reason(locale)}));
    plain(kind, reason(locale), &text(locale), payload)
}

/// Creates a question in the agent's words; the service adds only the reason.
fn agents(
    kind: QuestionKind,
    locale: Locale,
    reason: fn(Locale) -> &'static str,
    text: &str,
    mut payload: Value,
) -> Ask {
    payload["texts"] = in_both(|locale| json!({"reason": reason(locale)}));
    plain(kind, reason(locale), text, payload)
}

fn plain(kind: QuestionKind, reason: &str, text: &str, payload: Value) -> Ask {
    Ask {
        kind,
        reason: reason.to_owned(),
        text: text.to_owned(),
        payload,
        remember: Vec::new(),
        expires_at: None,
        on_expire: Status::Cancelled,
    }
}
