//! The question about a held request: what would leave, where to, and for which thing.

use crate::browser::network::request_judge::RequestTiming;
use crate::files::StoredFile;
use crate::gate::effect::picked_options::with_picked_words;
use crate::gate::effect::question_texts;
use crate::gate::flow::crossing::Flow;
use crate::gate::grants;
use crate::gate::grants::covers::Covers;
use crate::gate::host_kinds;
use crate::gate::meaning::effect_class::EffectClass;
use crate::gate::meaning::intent::Intent;
use crate::gate::request::AssessmentRequest;
use crate::gate::rules::Rule;
use crate::gate::verdict::{Decision, Risk, Texts, Verdict};
use crate::gate::wire_layer::body_changes::BodyChanges;
use crate::gate::wire_layer::comparison::{self, ChangedValue};
use crate::gate::wire_layer::proposed_request::{ApprovedRequest, ProposedRequest, RequestCause};
use crate::gate::wire_layer::reading::RequestReading;
use crate::gate::wire_layer::request_class::RequestClass;
use crate::gate::wire_layer::request_covers::covers_of_request;
use crate::gate::wording::address_words::decode_segments;
use crate::gate::wording::normalize::visible_line;
use crate::page::request_body::{self, BodyValue, ValueChange, ValueKind, is_opaque_token};
use crate::page::target::Target;
use crate::protocol::{Locale, Remember};
use crate::texts::gate;
use crate::turn::action::Action;
use serde::{Deserialize, Serialize};

/// Longest value that is shown, in characters.
const LONGEST_VALUE: usize = 2000;
/// Longest name of a value or thing, in characters.
const LONGEST_NAME: usize = 120;
/// Most values in the sentence, and the longest of them in characters.
const MOST_NAMES: usize = 3;
const LONGEST_IN_SENTENCE: usize = 40;

/// Verdict on a request that a person must be asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldRequestVerdict {
    pub verdict: Verdict,
    /// Scope of a remembered approval.
    pub covers: Covers,
    pub question: HeldQuestion,
}

/// All that is needed to ask about a held request. Kept with the run's state, so that a restarted service shows
/// the same question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldQuestion {
    /// Action that caused the request; `None` if the page sends it before any.
    pub caused_by: Option<String>,
    pub action: Action,
    pub target: Option<Target>,
    pub page_url: String,
    pub page_title: String,
    pub sentence: Texts,
    pub reason: Texts,
    pub rule: String,
    pub risk: Risk,
    pub effect: String,
    pub remember: Vec<Remember>,
    pub origin: String,
    pub request: ShownRequest,
    /// Names and values as shown; secrets are masked.
    pub values: Vec<(String, String)>,
    pub changed: Vec<ChangedValue>,
    /// Number of values of a whole state that go along unchanged and are not shown.
    #[serde(default)]
    pub unchanged: usize,
    pub covers: Covers,
    /// Row or card that the pressed control belongs to.
    pub subject: String,
    /// Requests whose questions have the same text here are asked about together; empty if it is asked about alone.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub together: String,
    /// Text that the request would take to another site, if that is what is asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<Flow>,
    /// Request to which an approval is bound, if the page gives the request up before the answer.
    pub approved: ApprovedRequest,
}

impl HeldQuestion {
    /// Makes the question of a verdict on an effect of an action. What only some questions have is empty: a subject,
    /// changed values, other effects of the same press, a scope, a flow.
    pub fn about(
        cause: &RequestCause,
        verdict: &Verdict,
        page_url: &str,
        request: ShownRequest,
        approved: ApprovedRequest,
    ) -> Self {
        let RequestCause { action_id, proposed } = cause;
        Self {
            caused_by: Some(action_id.clone()),
            action: proposed.action.clone(),
            target: proposed.target.clone(),
            page_url: page_url.to_owned(),
            page_title: proposed.page.title.clone(),
            sentence: verdict.sentence.clone(),
            reason: verdict.reason.clone(),
            rule: verdict.rule.clone(),
            risk: verdict.risk,
            effect: verdict.effect.as_str().to_owned(),
            remember: verdict.remember.clone(),
            origin: verdict.origin.clone(),
            request,
            values: verdict.values.clone(),
            changed: Vec::new(),
            unchanged: 0,
            together: String::new(),
            covers: Covers::default(),
            subject: String::new(),
            flow: None,
            approved,
        }
    }
}

/// A request as a person is shown it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShownRequest {
    pub method: String,
    pub url: String,
    pub origin: String,
    pub content_type: String,
    pub size: Option<u64>,
}

/// Makes the verdict and the question about a request.
pub fn ask_about(
    rule: &Rule,
    proposed: &ProposedRequest,
    reading: &RequestReading,
    class: &RequestClass,
    changed: Vec<ChangedValue>,
) -> HeldRequestVerdict {
    let is_caused = proposed.timing != RequestTiming::BeforeAction;
    let target = proposed.cause.proposed.target.clone().filter(|_| is_caused);
    let facts = &class.facts;
    let values = shown_values(proposed, reading);
    let verdict = Verdict {
        decision: Decision::RequiresConfirmation,
        rule: rule.id.clone(),
        risk: rule.risk,
        effect: facts.effect,
        reason: rule.reason.clone(),
        remember: offered_choices(rule, proposed, reading, class, &changed),
        origin: facts.origin.clone(),
        sentence: write_sentence(proposed, class, target.as_ref(), &values),
        values,
        new_host: None,
        is_known_before: true,
    };
    let covers = covers_of_request(proposed, reading, target.as_ref());
    let question = question_of(proposed, reading, target, &verdict, &covers, changed);
    HeldRequestVerdict { verdict, covers, question }
}

/// Returns the choices to remember an approval. What nobody can read is approved for the run at most.
fn offered_choices(
    rule: &Rule,
    proposed: &ProposedRequest,
    reading: &RequestReading,
    class: &RequestClass,
    changed: &[ChangedValue],
) -> Vec<Remember> {
    if !changed.is_empty() {
        return vec![Remember::Once];
    }
    let mut choices = grants::choices(rule, &class.facts);
    choices
        .retain(|choice| *choice != Remember::Site || !(proposed.request.is_message() && reading.is_opaque));
    choices
}

fn question_of(
    proposed: &ProposedRequest,
    reading: &RequestReading,
    target: Option<Target>,
    verdict: &Verdict,
    covers: &Covers,
    changed: Vec<ChangedValue>,
) -> HeldQuestion {
    let is_caused = proposed.timing != RequestTiming::BeforeAction;
    let approved = ApprovedRequest {
        method: proposed.request.method.clone(),
        url: proposed.request.url.clone(),
        values: comparison::comparable_values(&reading.values),
        digest: comparison::digest_of_rest(&proposed.request, reading),
    };
    let request = shown_request(proposed, verdict.origin.clone());
    let question = HeldQuestion::about(&proposed.cause, verdict, &proposed.request.page, request, approved);
    HeldQuestion {
        caused_by: question.caused_by.filter(|_| is_caused),
        subject: subject_of(target.as_ref(), &question.page_title),
        target,
        together: if changed.is_empty() { asked_together(proposed, reading, verdict) } else { String::new() },
        changed,
        unchanged: unchanged_values(proposed, reading),
        covers: covers.clone(),
        ..question
    }
}

/// Returns what the requests of one press share that store things of one kind: action, method, place and class. Each
/// thing is shown with its address. Graver ones are asked about one by one.
fn asked_together(proposed: &ProposedRequest, reading: &RequestReading, verdict: &Verdict) -> String {
    let query = reading.values.get(..reading.query_values).unwrap_or_default();
    let is_bare = query.iter().all(|value| is_opaque_token(&value.name, &value.value));
    let url = reading.url.as_ref().filter(|_| is_bare && verdict.effect == EffectClass::Submit);
    let is_script =
        !proposed.request.kind.is_navigation() && !proposed.request.is_message() && !reading.is_opaque;
    let Some((place, _)) = url.filter(|_| is_script).and_then(|url| url.path().rsplit_once('/')) else {
        return String::new();
    };
    let action = &proposed.cause.action_id;
    [action.as_str(), &proposed.request.method, &verdict.origin, place, &verdict.rule].join(" ")
}

fn subject_of(target: Option<&Target>, page_title: &str) -> String {
    target.map(|target| question_texts::subject_of(target, page_title)).unwrap_or_default()
}

pub fn shown_request(proposed: &ProposedRequest, origin: String) -> ShownRequest {
    let request = &proposed.request;
    ShownRequest {
        method: request.method.clone(),
        url: request.url.clone(),
        origin,
        content_type: request.content_type.split(';').next().unwrap_or_default().trim().to_owned(),
        size: request.size.filter(|_| request.body.is_some()),
    }
}

/// Returns the values as a person sees them: of a body that carries a whole state, only the differences.
fn shown_values(proposed: &ProposedRequest, reading: &RequestReading) -> Vec<(String, String)> {
    let target = proposed.cause.proposed.target.as_ref();
    if let Some(changes) = state_changes(proposed, reading) {
        return changes.0.iter().map(|change| shown_change(change, target)).collect();
    }
    if reading.is_opaque {
        let request = &proposed.request;
        let size = request.size.map(|size| format!(", {size} B")).unwrap_or_default();
        let kind = if request.content_type.is_empty() { "?" } else { &request.content_type };
        return vec![(String::from("body"), format!("{kind}{size}"))];
    }
    let mut values: Vec<BodyValue> =
        reading.values.iter().filter(|value| !is_opaque_token(&value.name, &value.value)).cloned().collect();
    request_body::mask_secrets(&mut values);
    let shown = values.iter().map(|value| shown_value(value, &proposed.context.files));
    shown.map(|(name, value)| (name.clone(), with_picked_words(target, &name, value))).collect()
}

/// Fewest values of a posted body of which only the differences are shown. A smaller one may be a new thing of its own,
/// such as a second field of a table: it is shown as a whole.
const FEWEST_OF_POSTED_STATE: usize = 12;

/// Returns the differences that are shown in place of the values: those of a whole state.
fn state_changes<'a>(proposed: &ProposedRequest, reading: &'a RequestReading) -> Option<&'a BodyChanges> {
    let changes = reading.changes.as_ref().filter(|changes| !changes.0.is_empty());
    changes.filter(|_| may_be_state(proposed, reading))
}

/// True if the body may be a whole state, of which only the differences count.
pub fn may_be_state(proposed: &ProposedRequest, reading: &RequestReading) -> bool {
    proposed.request.method != "POST" || reading.body_values().len() >= FEWEST_OF_POSTED_STATE
}

fn unchanged_values(proposed: &ProposedRequest, reading: &RequestReading) -> usize {
    state_changes(proposed, reading).map_or(0, |changes| {
        let changed = changes.0.iter().filter(|change| change.now.is_some()).count();
        reading.values.len().saturating_sub(changed)
    })
}

/// Returns a value as a person sees it. Chromium leaves out the contents of files, whose sizes are known to the run.
fn shown_value(value: &BodyValue, files: &[StoredFile]) -> (String, String) {
    let text = match &value.kind {
        ValueKind::File { file_name, content_type, size } => {
            let stored = files.iter().find(|stored| stored.name == *file_name).map(|stored| stored.size);
            let size = size.or(stored).map(|size| format!(", {size} B")).unwrap_or_default();
            format!("{file_name} ({content_type}{size})")
        }
        ValueKind::Text | ValueKind::Number | ValueKind::Flag | ValueKind::Null => value.value.clone(),
    };
    (visible_line(&value.name, LONGEST_NAME), visible_line(&text, LONGEST_VALUE))
}

fn shown_change(change: &ValueChange, target: Option<&Target>) -> (String, String) {
    let side = |text: &Option<String>| {
        let mut value = [BodyValue::text(change.name.clone(), text.clone().unwrap_or_default())];
        request_body::mask_secrets(&mut value);
        let [value] = value;
        with_picked_words(target, &change.name, visible_line(&value.value, LONGEST_VALUE))
    };
    let text = match (&change.before, &change.now) {
        (None, _) => side(&change.now),
        (Some(_), None) => format!("{} → —", side(&change.before)),
        (Some(_), Some(_)) => format!("{} → {}", side(&change.before), side(&change.now)),
    };
    (visible_line(&change.name, LONGEST_NAME), text)
}

/// Writes what would leave, where to, and for which thing.
fn write_sentence(
    proposed: &ProposedRequest,
    class: &RequestClass,
    target: Option<&Target>,
    values: &[(String, String)],
) -> Texts {
    let request = AssessmentRequest { target, ..AssessmentRequest::from(&proposed.cause.proposed) };
    let host = class.facts.url.as_ref().map(host_kinds::display_host).unwrap_or_default();
    let told = sort_by_telling(values);
    // An emptied value is a change, too.
    let is_change = matches!(proposed.request.method.as_str(), "PUT" | "PATCH");
    let count = if is_change { values.len() } else { told.len() };
    let listed = told.iter().take(MOST_NAMES).map(|pair| name_value(pair)).collect::<Vec<_>>().join(", ");
    let more = count.saturating_sub(told.len().min(MOST_NAMES));
    let thing = thing_of_address(proposed, class).map(|thing| format!(": {thing}")).unwrap_or_default();
    Texts::write(|locale: Locale| {
        let sends_form = proposed.request.kind.is_navigation();
        let deed = match question_texts::deed_phrase(&class.facts, locale) {
            deed if deed == gate::submit_form(locale) && !sends_form => gate::send_data(locale),
            deed => deed,
        };
        let goes_there = matches!(class.facts.effect, EffectClass::Submit | EffectClass::Upload)
            && class.facts.intent.is_none_or(|intent| !matches!(intent, Intent::Save | Intent::Cart));
        let place = if goes_there { gate::to_site(&host, locale) } else { gate::at_site(&host, locale) };
        // Messages of one channel are told apart by nothing else, if nobody can read them.
        let channel = match &class.facts.url {
            Some(url) if proposed.request.is_message() => {
                gate::by_channel(&visible_line(url.path(), LONGEST_NAME), locale)
            }
            Some(_) | None => String::new(),
        };
        let rest = if more > 0 { gate::and_more(more, locale) } else { String::new() };
        let what = if listed.is_empty() { thing.clone() } else { format!(": {listed}{rest}") };
        let means = question_texts::describe_target(&request, locale).map(|means| format!(" ({means})"));
        format!("{deed}{place}{channel}{}{what}", means.unwrap_or_default())
    })
}

/// Sorts values for a sentence: words before numbers and flags, ids last. Empty ones are left out, unless there are no others.
fn sort_by_telling(values: &[(String, String)]) -> Vec<&(String, String)> {
    let mut told: Vec<&(String, String)> =
        values.iter().filter(|(_, value)| !matches!(value.trim(), "" | "null")).collect();
    if told.is_empty() {
        told = values.iter().collect();
    }
    told.sort_by_key(|(name, value)| {
        // The new value of a change counts.
        let value = value.rsplit(" → ").next().unwrap_or(value);
        let has_letters = value.chars().any(char::is_alphabetic);
        let has_digits = value.chars().any(|letter| letter.is_ascii_digit());
        let is_token = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        let is_id = has_letters && has_digits && is_token && value.len() >= SHORTEST_ID;
        match (is_id || is_name_of_id(name), has_letters && !matches!(value, "true" | "false")) {
            (true, _) => 2,
            (false, true) => 0,
            (false, false) => 1,
        }
    });
    told
}

/// Shortest value of letters and digits that counts as an id.
const SHORTEST_ID: usize = 12;

/// True for the name of an id or a revision: `id`, `uuid`, `list_id`, `cellId`, `rev`.
fn is_name_of_id(name: &str) -> bool {
    let last = name.rsplit(['.', '[', ']']).find(|part| !part.is_empty()).unwrap_or(name);
    let lower = last.to_ascii_lowercase();
    matches!(
        lower.as_str(),
        "id" | "ids" | "uuid" | "uuids" | "guid" | "rev" | "revision" | "version" | "hash" | "etag"
    ) || lower.ends_with("_id")
        || last.ends_with("Id")
}

/// Returns the thing that the address of a script's request names by its last part: a request to delete carries no
/// values.
fn thing_of_address(proposed: &ProposedRequest, class: &RequestClass) -> Option<String> {
    let is_of_thing = matches!(proposed.request.method.as_str(), "DELETE" | "PUT" | "PATCH");
    let last = decode_segments(class.facts.url.as_ref().filter(|_| is_of_thing)?).pop()?;
    Some(visible_line(&last, LONGEST_IN_SENTENCE)).filter(|thing| !thing.is_empty())
}

/// Returns a value for the sentence, with the last part of its name: "title: Buy milk" for `task.title`.
fn name_value((name, value): &(String, String)) -> String {
    let own = name
        .rsplit(['.', '['])
        .map(|part| part.trim_end_matches(']'))
        .find(|part| !part.is_empty() && !part.bytes().all(|byte| byte.is_ascii_digit()));
    let (own, value) = (own.unwrap_or(name), visible_line(value, LONGEST_IN_SENTENCE));
    match (own.is_empty(), value.is_empty()) {
        (true, _) => value,
        (false, true) => own.to_owned(),
        (false, false) => format!("{own}: {value}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_names_words_first_and_ids_last() {
        let names = |values: &[(&str, &str)]| {
            let values: Vec<(String, String)> =
                values.iter().map(|(name, value)| (String::from(*name), String::from(*value))).collect();
            sort_by_telling(&values).into_iter().map(|(name, _)| name.clone()).collect::<Vec<_>>().join(" ")
        };
        let node = [("id", "7"), ("wires", "bb94f0c2e4097285"), ("x", "120"), ("name", "double"), ("z", "")];
        assert_eq!(names(&node), "name x id wires");
        assert_eq!(names(&[("op", "delete"), ("uuids", "83893156"), ("extra_data", "")]), "op uuids");
        assert_eq!(
            names(&[("layout", "null"), ("filter", "pages > 200"), ("public", "true")]),
            "filter public"
        );
        assert_eq!(names(&[("cellId", "rXou"), ("disabled", "false → true")]), "disabled cellId");
        assert_eq!(names(&[("email", "anna1990@mail.example"), ("n", "5")]), "email n");
        assert_eq!(names(&[("note", "")]), "note");
    }
}
