//! The question about requests of the page that are held (the wire layer of the gate).

use crate::browser::page::held_requests::HeldBatch;
use crate::clock::Moment;
use crate::engine::program::{ProgramError, QuestionDraft};
use crate::gate::effect::question_texts;
use crate::gate::verdict::{Decision, Texts};
use crate::gate::wire_layer::comparison::ChangedValue;
use crate::gate::wire_layer::question::HeldQuestion;
use crate::gate::wording::normalize::visible_line;
use crate::programs::conversation::effects;
use crate::programs::conversation::questions::{number_values, picture, show_picture};
use crate::programs::conversation::state::changes::{ConversationChange, HeldEffect};
use crate::programs::conversation::visit_context::VisitContext;
use crate::protocol::{QuestionKind, Remember, Status};
use crate::texts::{gate, in_both_languages};
use crate::turn::action::{Action, PageAction};
use crate::turn::named_secret;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Longest typed text in a sentence, in characters.
const LONGEST_TYPED: usize = 120;

/// Asks about requests of the page that are held, if there are any: an earlier action may have caused them late.
/// Returns true if a question was made. The agent must work in a browser. `before_end` is true if the run ends otherwise.
pub async fn ask_about_held(cx: &mut VisitContext, before_end: bool) -> Result<bool, ProgramError> {
    match effects::list_held_requests(cx, before_end).await? {
        Some(batch) => ask_about_batch(cx, batch, false).await,
        None => Ok(false),
    }
}

/// Asks about a batch of held requests. Returns false if its question cannot be read; the requests then fail.
pub async fn ask_about_batch(
    cx: &mut VisitContext,
    batch: HeldBatch,
    is_of_planned_action: bool,
) -> Result<bool, ProgramError> {
    let Some(mut question) = merge_questions(&batch) else {
        effects::fail_requests(cx, batch).await?;
        return Ok(false);
    };
    if cx.deps.approvals.may_approve_rest(&read_questions(&batch)) {
        let after_once = question.remember.len().min(1);
        question.remember.insert(after_once, Remember::Action);
    }
    let pictured = picture(cx, question.target.as_ref()).await?;
    let mut payload = payload(cx, &question);
    show_picture(&mut payload, pictured);
    let (locale, timeout) = (cx.state.locale, cx.deps.confirm_timeout_s);
    cx.ask = Some(QuestionDraft {
        kind: QuestionKind::Confirm,
        reason: question.reason.pick(locale).to_owned(),
        text: sentence(&question, locale),
        payload,
        remember: question.remember.clone(),
        expires_at: (timeout > 0).then(|| Moment::now().plus_seconds(timeout)),
        on_expire: Status::Cancelled,
    });
    cx.record.audit.push(audit_row(&question, cx.state.last_screenshot.as_deref()));
    let question = Box::new(question);
    cx.change(ConversationChange::RequestsHeld(HeldEffect { batch, question, is_of_planned_action }));
    Ok(true)
}

/// Returns the questions about the single requests of a batch.
pub fn read_questions(batch: &HeldBatch) -> Vec<HeldQuestion> {
    let read = |question: &Value| serde_json::from_value(question.clone()).ok();
    batch.questions.iter().filter_map(read).collect()
}

/// Returns the row of the audit log about a request that a person is asked about.
fn audit_row(question: &HeldQuestion, picture: Option<&str>) -> Value {
    let HeldQuestion { request, rule, risk, effect, origin, flow, .. } = question;
    json!({
        "action_id": question.caused_by,
        "action": question.action.name(),
        "decision": Decision::RequiresConfirmation.as_str(),
        "rule": rule,
        "risk": risk.as_str(),
        "effect": effect,
        "origin": origin,
        "values": values_json(question),
        "by": "policy",
        "request": {"method": request.method, "url": request.url, "origin": request.origin},
        "flow": flow,
        "picture": picture,
    })
}

fn values_json(question: &HeldQuestion) -> Map<String, Value> {
    number_values(&question.values)
}

/// Most values of further requests that the sentence of a question names, and the longest one in characters.
const MOST_OTHERS: usize = 5;
const LONGEST_OTHER: usize = 80;

/// Merges the questions about requests of one kind: values that differ are listed, also in the sentence, which is all that
/// some people read.
fn merge_questions(batch: &HeldBatch) -> Option<HeldQuestion> {
    let mut questions = batch.questions.iter();
    let mut merged: HeldQuestion = serde_json::from_value(questions.next()?.clone()).ok()?;
    let mut others = Vec::new();
    for other in questions {
        let other: HeldQuestion = serde_json::from_value(other.clone()).ok()?;
        for (name, value) in other.values {
            let words: String = format!("{name}: {value}").chars().take(LONGEST_OTHER).collect();
            match merged.values.iter_mut().find(|(known, _)| *known == name) {
                Some((_, listed)) if listed.split("; ").any(|known| known == value) => continue,
                Some((_, listed)) => listed.push_str(&format!("; {value}")),
                None => merged.values.push((name, value)),
            }
            others.push(words);
        }
        if other.request.url != merged.request.url {
            let listed = (String::from("→"), other.request.url);
            if !merged.values.contains(&listed) {
                merged.values.push(listed);
            }
        }
        // A grant would cover more than one request.
        merged.remember.retain(|choice| *choice == Remember::Once);
    }
    let count = batch.questions.len();
    if count > 1 {
        let sentence = merged.sentence.clone();
        let more = others.len().saturating_sub(MOST_OTHERS);
        others.truncate(MOST_OTHERS);
        merged.sentence = Texts::write(|locale| {
            let mut words = [&[sentence.pick(locale).to_owned()], others.as_slice()].concat().join("; ");
            if more > 0 {
                words.push_str(&gate::and_more(more, locale));
            }
            gate::of_requests(&words, count, locale)
        });
    }
    Some(merged)
}

/// Returns the typed text of which the request carries only the beginning: the page sends while it is typed into.
fn text_sent_in_part(question: &HeldQuestion) -> Option<&str> {
    let Action::Page(PageAction::Type { text, .. }) = &question.action else { return None };
    question.target.as_ref().filter(|target| !target.is_secret())?;
    // The new value of a change counts; merged questions list theirs.
    let shown = question.values.iter().map(|(_, value)| value.rsplit(" → ").next().unwrap_or(value));
    let values: Vec<&str> = shown.flat_map(|value| value.split("; ")).map(str::trim).collect();
    let text = text.trim();
    let begins = |value: &&str| !value.is_empty() && value.len() < text.len() && text.starts_with(*value);
    let is_in_part = !values.contains(&text) && values.iter().any(begins);
    is_in_part.then_some(text).filter(|text| named_secret::name_in(text).is_none())
}

/// Returns the sentence: what would leave, or what differs from the approved.
fn sentence(question: &HeldQuestion, locale: crate::protocol::Locale) -> String {
    let sentence = question.sentence.pick(locale);
    if question.changed.is_empty() {
        return match text_sent_in_part(question) {
            Some(text) => gate::beginning_of_text(sentence, &visible_line(text, LONGEST_TYPED), locale),
            None => sentence.to_owned(),
        };
    }
    let names: Vec<&str> =
        question.changed.iter().map(|change: &ChangedValue| change.name.as_str()).collect();
    gate::differs_from_approved(sentence, &names.join(", "), locale)
}

fn payload(cx: &VisitContext, question: &HeldQuestion) -> Value {
    let mut action = json!(question.action);
    action["action_id"] = json!(question.caused_by);
    if question.target.as_ref().is_some_and(crate::page::target::Target::is_secret)
        && action.get("text").is_some()
    {
        action["text"] = json!(crate::turn::typed_secret::MASK);
    }
    json!({
        "layer": "wire",
        "action": action,
        "effect": sentence(question, cx.state.locale),
        "effect_class": question.effect,
        "risk": question.risk.as_str(),
        "rule": question.rule,
        "page": {"url": question.page_url, "title": question.page_title, "origin": question.origin},
        "target": question.target.as_ref().map(|target| target_json(cx, target)),
        "values": values_json(question),
        "request": question.request,
        "caused_by": question.caused_by,
        "changed": if question.changed.is_empty() { Value::Null } else { json!(question.changed) },
        "unchanged": question.unchanged,
        "subject": question.subject,
        "dialog": question.target.as_ref().and_then(question_texts::dialog_of),
        "flow": question.flow,
        "covers": question.covers,
        "fingerprint": fingerprint(question),
        "texts": in_both_languages(
            |locale| json!({"text": sentence(question, locale), "reason": question.reason.pick(locale)}),
        ),
    })
}

/// Returns the control that was pressed, with its box in 0..1 of the viewport.
fn target_json(cx: &VisitContext, target: &crate::page::target::Target) -> Value {
    let [x, y, w, h] = target.bounds;
    let (width, height) = cx.deps.view.viewport;
    let (width, height) = (f64::from(width.max(1)), f64::from(height.max(1)));
    json!({
        "eid": target.eid, "role": target.role, "name": target.name, "frame": target.frame,
        "box": [x / width, y / height, w / width, h / height],
    })
}

/// Returns the hash of what the approval is bound to.
fn fingerprint(question: &HeldQuestion) -> String {
    format!("{:x}", Sha256::digest(json!(question.approved).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::grants::covers::Covers;
    use crate::protocol::Locale;
    use crate::turn::action::{Action, BrowserAction};

    fn question(name: &str, run: &str) -> Value {
        json!({
            "caused_by": "a1", "action": Action::Browser(BrowserAction::Reload), "target": null, "page_url": "http://a.test/",
            "page_title": "", "sentence": {"uk": format!("Видалити: {run}"), "en": format!("Delete: {run}")},
            "reason": {"uk": "", "en": ""}, "rule": "delete", "risk": "high", "effect": "delete", "remember": ["once"],
            "origin": "http://a.test", "request": {"method": "POST", "url": "http://a.test/delete",
            "origin": "http://a.test", "content_type": "", "size": null}, "values": [[name, run]], "changed": [],
            "covers": Covers::default(), "subject": "",
            "approved": {"method": "POST", "url": "http://a.test/delete", "values": [], "digest": ""}
        })
    }

    // A person who approves the sentence alone knows each thing that it concerns.
    #[test]
    fn the_sentence_about_several_requests_names_what_each_carries() {
        let merged = |runs: &[&str]| {
            let questions = runs.iter().map(|run| question("run", run)).collect();
            let merged =
                merge_questions(&HeldBatch { context: String::new(), ids: Vec::new(), questions }).unwrap();
            merged.sentence.pick(Locale::En).to_owned()
        };
        assert_eq!(merged(&["one"]), "Delete: one");
        assert_eq!(merged(&["one", "one"]), "Delete: one; 2 requests together");
        assert_eq!(
            merged(&["one", "two", "three"]),
            "Delete: one; run: two; run: three; 3 requests together"
        );
        let many = merged(&["1", "2", "3", "4", "5", "6", "7", "8"]);
        assert_eq!(many, "Delete: 1; run: 2; run: 3; run: 4; run: 5; run: 6 and 2 more; 8 requests together");
    }
}
