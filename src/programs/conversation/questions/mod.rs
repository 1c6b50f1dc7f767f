//! The questions of a conversation to a person: approval, take-over, or an answer. A `confirm` question is
//! made from the page's own data and binds the approval to it.

pub mod approval_check;
pub(crate) mod flow_question;
pub(crate) mod held_requests;
pub(crate) mod budget_check;
pub(crate) mod steps_question;

use crate::browser::error::ErrorCode;
use crate::browser::observe::crop::NoPicture;
use crate::clock::Moment;
use crate::engine::program::{ProgramError, QuestionDraft};
use crate::gate::assessment::Assessment;
use crate::gate::effect::question_texts;
use crate::gate::meaning::effect_class::EffectClass;
use crate::gate::request::PageRef;
use crate::gate::verdict::Verdict;
use crate::page::fingerprint::fingerprint;
use crate::page::target::Target;
use crate::plan::Item;
use crate::programs::conversation::effects::{self, CroppedPicture};
use crate::programs::conversation::state::changes::{Approval, ConversationChange};
use crate::programs::conversation::state::limit_use::LimitUse;
use crate::programs::conversation::visit_context::VisitContext;
use crate::protocol::{Locale, QuestionKind, Status};
use crate::texts::{in_both_languages, questions};
use crate::turn::action::Action;
use crate::turn::typed_secret;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Rule of the policy that asks about programs. Another rule that asks about a download says nothing about what arrives.
const PROGRAM_RULE: &str = "download-program";

/// Asks the person to approve an action. The payload has everything needed to decide (`docs/protocol.md`).
pub async fn confirm(
    cx: &mut VisitContext,
    action: &Action,
    target: Option<Target>,
    page: &PageRef,
    assessment: &Assessment,
) -> Result<(), ProgramError> {
    let verdict = &assessment.verdict;
    let pictured = picture(cx, target.as_ref()).await?;
    let blank = Target::default();
    let fingerprint = fingerprint(&page.url, action, target.as_ref().unwrap_or(&blank));
    let mut payload = payload(cx, action, target.as_ref(), page, verdict)?;
    show_picture(&mut payload, pictured);
    payload["fingerprint"] = json!(fingerprint);
    payload["layer"] = json!("intent");
    payload["covers"] = json!(assessment.covers);
    payload["texts"] = in_both_languages(
        |locale| json!({"text": verdict.sentence(locale), "reason": verdict.reason(locale)}),
    );
    let (locale, timeout) = (cx.state.locale, cx.deps.confirm_timeout_s);
    cx.ask = Some(QuestionDraft {
        kind: QuestionKind::Confirm,
        reason: verdict.reason(locale).to_owned(),
        text: verdict.sentence(locale).to_owned(),
        payload,
        remember: verdict.remember.clone(),
        expires_at: (timeout > 0).then(|| Moment::now().plus_seconds(timeout)),
        on_expire: Status::Cancelled,
    });
    let approval = requested_approval(fingerprint, target, page, assessment);
    cx.change(ConversationChange::Asked(Box::new(approval)));
    Ok(())
}

/// Returns the approval that is asked for. The address is that of the page in front: the element may be in a frame
/// with one of its own.
fn requested_approval(
    fingerprint: String,
    target: Option<Target>,
    page: &PageRef,
    assessment: &Assessment,
) -> Approval {
    let verdict = &assessment.verdict;
    let top = target.as_ref().map(|target| target.top.clone()).filter(|top| !top.is_empty());
    Approval {
        fingerprint,
        target,
        url: top.unwrap_or_else(|| page.url.clone()),
        origin: verdict.origin.clone(),
        rule: verdict.rule.clone(),
        remember: verdict.remember.clone(),
        host: verdict.new_host.clone(),
        given: false,
        reference: String::new(),
        covers: assessment.covers.clone(),
        download: verdict.effect == EffectClass::Download && verdict.rule == PROGRAM_RULE,
    }
}

/// Returns the question that asks the person to take over and do something on the page.
pub fn take_over_question(locale: Locale, text: &str) -> QuestionDraft {
    question_in_agents_words(
        QuestionKind::Manual,
        locale,
        questions::help_needed,
        text,
        json!({"text": text}),
    )
}

/// Returns the question that asks for approval of the plan.
pub fn plan_question(locale: Locale, items: &[Item]) -> QuestionDraft {
    let text = |locale| questions::plan_offered(items.len(), locale);
    service_question(
        QuestionKind::ApprovePlan,
        locale,
        questions::plan_needs_approval,
        text,
        json!({"items": items}),
    )
}

/// Returns the question about an item whose attempts are used up.
pub fn failed_item_question(locale: Locale, position: u32, goal: &str, why: &str) -> QuestionDraft {
    let text = |locale| failed_item_text(position, goal, why, locale);
    let payload = json!({
        "question": text(locale), "answer_key": format!("step_{position}"), "options": failed_item_options(locale),
        "for_step": position,
    });
    let mut ask = service_question(QuestionKind::Question, locale, questions::answer_needed, text, payload);
    for reader in [Locale::Uk, Locale::En] {
        ask.payload["texts"][reader.tag()]["options"] = json!(failed_item_options(reader));
    }
    ask
}

/// Returns the options for an item whose attempts are used up: try again, skip, end.
fn failed_item_options(locale: Locale) -> [&'static str; 3] {
    [questions::try_again(locale), questions::skip_item(locale), questions::end_here(locale)]
}

fn failed_item_text(position: u32, goal: &str, why: &str, locale: Locale) -> String {
    let because =
        if why.trim().is_empty() { String::new() } else { format!(": {}", why.trim_end_matches('.')) };
    questions::failed_item(position, goal, &because, locale)
}

/// Returns the question that asks to raise a used-up limit by the same amount.
pub fn budget_question(locale: Locale, used: &LimitUse) -> QuestionDraft {
    let text = |locale| budget_text(used, locale);
    service_question(QuestionKind::Budget, locale, questions::budget_needed, text, used.payload())
}

fn budget_text(used: &LimitUse, locale: Locale) -> String {
    if used.limit == "money" {
        return questions::money_spent(used.used, used.most, locale);
    }
    let between = match locale {
        Locale::Uk => '\u{a0}',
        Locale::En => ',',
    };
    questions::tokens_used(&group_digits(used.used, between), &group_digits(used.most, between), locale)
}

/// Formats a whole number with grouped thousands.
fn group_digits(number: f64, between: char) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(between);
        }
        text.push(digit);
    }
    text
}

/// Returns the question that asks for help after the same action failed three times on the same page.
pub fn stuck_question(locale: Locale, what: &str, why: &str) -> QuestionDraft {
    let text = |locale| questions::same_step_failed(what, why, locale);
    let payload = json!({"question": text(locale), "answer_key": "no_progress", "options": []});
    service_question(QuestionKind::Question, locale, questions::answer_needed, text, payload)
}

/// Returns the question that the agent asks.
pub fn agent_question(locale: Locale, question: &str, answer_key: &str, options: &[String]) -> QuestionDraft {
    let payload = json!({"question": question, "answer_key": answer_key, "options": options});
    question_in_agents_words(QuestionKind::Question, locale, questions::answer_needed, question, payload)
}

/// Crops the screenshot to the surroundings of the element. Without a picture the question is still asked:
/// its text has all the data.
pub(super) async fn picture(
    cx: &VisitContext,
    target: Option<&Target>,
) -> Result<Result<CroppedPicture, NoPicture>, ProgramError> {
    let cropped = effects::crop_picture(cx, target).await?;
    // A page with an open dialog cannot be captured, so the screenshot of the last observation is used.
    let asks = matches!(&cropped, Err(NoPicture::Fault(fault)) if fault.code == ErrorCode::DialogOpen);
    let before = cx.state.last_screenshot.clone().filter(|_| asks && target.is_none());
    Ok(match before {
        Some(picture) => Ok(CroppedPicture { picture, bounds: None }),
        None => cropped,
    })
}

/// Adds the picture to the payload, and the target's box as it is in the picture: the page was scrolled for
/// the crop, and the live view outlines the same place.
pub(super) fn show_picture(payload: &mut Value, pictured: Result<CroppedPicture, NoPicture>) {
    let bounds = pictured.as_ref().ok().and_then(|surroundings| surroundings.bounds);
    if let Some(target) = payload["target"].as_object_mut() {
        target.insert(String::from("box"), json!(bounds));
    }
    match pictured {
        Ok(CroppedPicture { picture, .. }) => payload["screenshot"] = json!(picture),
        Err(why) => {
            payload["screenshot"] = Value::Null;
            payload["picture_missing"] = json!(why.word());
        }
    }
}

fn hidden_values(target: &Target) -> Map<String, Value> {
    number_values(&question_texts::hidden_values(target))
}

/// Returns the values that are about to be sent, by name, with secrets masked.
pub fn values_to_show(verdict: &Verdict) -> Map<String, Value> {
    number_values(&verdict.values)
}

/// Returns values by name. Those of one name are numbered: `Partner`, `Partner (2)`.
pub(super) fn number_values(values: &[(String, String)]) -> Map<String, Value> {
    let mut numbered = Map::new();
    let mut times: HashMap<&str, usize> = HashMap::new();
    for (name, value) in values {
        let time = times.entry(name).or_default();
        *time += 1;
        let key = if *time == 1 { name.clone() } else { format!("{name} ({time})") };
        // A field may really be called so.
        let alike = numbered.keys().filter(|known| known.trim_end_matches('′') == key).count();
        let key = key + &"′".repeat(alike);
        numbered.insert(key, json!(value));
    }
    numbered
}

fn payload(
    cx: &VisitContext,
    action: &Action,
    target: Option<&Target>,
    page: &PageRef,
    verdict: &Verdict,
) -> Result<Value, ProgramError> {
    let mut shown_action = json!(action);
    shown_action["action_id"] = json!(cx.planned_turn()?.action_id);
    if target.is_some_and(Target::is_secret) && shown_action.get("text").is_some() {
        shown_action["text"] = json!(typed_secret::MASK);
    }
    Ok(json!({
        "action": shown_action,
        "effect": verdict.sentence(cx.state.locale),
        "effect_class": verdict.effect.as_str(),
        "risk": verdict.risk.as_str(),
        "rule": verdict.rule,
        "page": {"url": page.url, "title": page.title, "origin": verdict.origin},
        // Includes the box, so that the live view outlines the element.
        "target": target.and_then(|_| cx.working_set.target_json(cx.deps.view.viewport)),
        "values": values_to_show(verdict),
        "hidden": target.map(hidden_values).unwrap_or_default(),
        "subject": target.map(|target| question_texts::subject_of(target, &page.title)).unwrap_or_default(),
        "dialog": target.and_then(question_texts::dialog_of),
    }))
}

/// Creates a question in the service's own words, which a page shows in the language of its reader.
fn service_question(
    kind: QuestionKind,
    locale: Locale,
    reason: fn(Locale) -> &'static str,
    text: impl Fn(Locale) -> String,
    mut payload: Value,
) -> QuestionDraft {
    payload["texts"] = in_both_languages(|locale| json!({"text": text(locale), "reason": reason(locale)}));
    plain_draft(kind, reason(locale), &text(locale), payload)
}

/// Creates a question in the agent's words; the service adds only the reason.
fn question_in_agents_words(
    kind: QuestionKind,
    locale: Locale,
    reason: fn(Locale) -> &'static str,
    text: &str,
    mut payload: Value,
) -> QuestionDraft {
    payload["texts"] = in_both_languages(|locale| json!({"reason": reason(locale)}));
    plain_draft(kind, reason(locale), text, payload)
}

fn plain_draft(kind: QuestionKind, reason: &str, text: &str, payload: Value) -> QuestionDraft {
    QuestionDraft {
        kind,
        reason: reason.to_owned(),
        text: text.to_owned(),
        payload,
        remember: Vec::new(),
        expires_at: None,
        on_expire: Status::Cancelled,
    }
}
