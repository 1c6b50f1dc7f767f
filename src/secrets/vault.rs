//! Secrets of a run tree, in memory only: values that a person or a planner types into password, code and
//! card fields, and inputs declared as secrets. Everything that is stored or sent contains placeholders
//! (`turn::typed_secret`); the executor of an action replaces them with the values at the last moment. After a
//! restart the values are lost, and the person is asked to type them.

use crate::ids;
use crate::ids::RunId;
use crate::page::observation::Observation;
use crate::page::target::Target;
use crate::secrets::login_pairs::paired_secrets;
use crate::secrets::named_in_answer;
use crate::secrets::named_secrets::NamedSecrets;
use crate::secrets::redact::Redaction;
use crate::secrets::scrub::Replacement;
use crate::secrets::scrub::{redact_json, scrub_text};
use crate::secrets::{detect, redact};
use crate::text::secret_words;
use crate::turn::action::{Action, PageAction};
use crate::turn::page_input::fields::FieldValue;
use crate::turn::page_input::points::PointAction;
use crate::turn::{named_secret, typed_secret};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The vaults of all run trees that hold secrets.
#[derive(Default)]
pub struct Vaults {
    held: Mutex<HashMap<RunId, Arc<Vault>>>,
    keys: NamedSecrets,
}

impl Vaults {
    /// Creates vaults that share these named secrets.
    pub fn with(keys: NamedSecrets) -> Self {
        Self { held: Mutex::default(), keys }
    }

    /// Returns the secrets of the settings.
    pub fn keys(&self) -> &NamedSecrets {
        &self.keys
    }

    /// Returns the vault of a run tree, which is created at the first request.
    pub fn vault(&self, root: &RunId) -> Arc<Vault> {
        let mut all = self.all();
        // A vault that is empty and referenced nowhere else belongs to a run that has ended.
        all.retain(|_, vault| Arc::strong_count(vault) > 1 || !vault.is_empty());
        let fresh = || Arc::new(Vault { kept: Mutex::default(), keys: self.keys.for_run(root) });
        Arc::clone(all.entry(root.clone()).or_insert_with(fresh))
    }

    /// Returns a vault of no run tree, to test which values would be kept.
    pub fn scratch(&self) -> Vault {
        Vault { kept: Mutex::default(), keys: self.keys.clone() }
    }

    /// Drops the secrets of a run tree that has ended.
    pub fn forget(&self, root: &RunId) {
        self.all().remove(root);
    }

    fn all(&self) -> MutexGuard<'_, HashMap<RunId, Arc<Vault>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Secrets of one run tree, each with its placeholder. The mutex is never held across an await.
#[derive(Default)]
pub struct Vault {
    kept: Mutex<Vec<StoredSecret>>,
    keys: NamedSecrets,
}

struct StoredSecret {
    placeholder: String,
    value: String,
}

/// Reasons why a placeholder is not replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FillError {
    /// The process that held the value has ended.
    Gone,
    /// The element is not a field for secrets.
    Misplaced,
}

impl Vault {
    /// Stores a value and returns its placeholder. Equal values share one placeholder.
    pub fn store(&self, value: &str) -> String {
        let mut kept = self.lock_secrets();
        if let Some(known) = kept.iter().find(|known| known.value == value) {
            return known.placeholder.clone();
        }
        // Random, so that a placeholder of an earlier process never gets a new value.
        let token = ids::token();
        let placeholder = typed_secret::placeholder(&token[..token.len().min(12)]);
        kept.push(StoredSecret { placeholder: placeholder.clone(), value: value.to_owned() });
        placeholder
    }

    /// Replaces the secrets in a person's text with placeholders.
    pub fn conceal(&self, text: &str) -> String {
        let mut text = text.to_owned();
        let mut secrets = detect::secrets(&text);
        // Longest first: if a shorter value is a prefix of a longer one, replacing it first would expose the
        // rest.
        secrets.sort_by_key(|value| std::cmp::Reverse(value.len()));
        for value in secrets {
            if text.contains(&value) && is_value(&value) {
                let placeholder = self.store(&value);
                text = redact::replace_value(&text, &value, &placeholder, true);
            }
        }
        self.scrub_text(&text, Replacement::Placeholder)
    }

    /// Replaces the secrets in the answer to a question. The whole answer is a secret if a free-text question
    /// asks for one.
    pub fn conceal_answer(&self, answer: &str, question: &Value) -> String {
        let payload = &question["payload"];
        let chosen = payload["options"].as_array().is_some_and(|options| !options.is_empty());
        let asks = [&question["text"], &payload["answer_key"]];
        let secret = question["kind"] == "question"
            && !chosen
            && asks.iter().filter_map(|text| text.as_str()).any(secret_words::names_secret);
        if !secret || answer.trim().is_empty() {
            return self.conceal(answer);
        }
        match named_in_answer::secret_of_answer(answer) {
            Some(value) => self.store(&value),
            // Beside a login, only the password is a secret.
            None if !paired_secrets(answer).is_empty() => self.conceal(answer),
            None => self.store(answer.trim()),
        }
    }

    /// Replaces the placeholders in an action with their values, if the element may receive them.
    pub fn fill(&self, action: Action, target: Option<&Target>) -> Result<Action, FillError> {
        let mut action = action;
        match &mut action {
            Action::Page(
                PageAction::Type { text, .. } | PageAction::Point(PointAction::Type { text, .. }),
            ) => *text = self.fill_typed(text, target)?,
            Action::Page(PageAction::Fill { fields, .. }) => {
                for field in fields {
                    let target = target.and_then(|target| target.element(field.eid));
                    if let FieldValue::Text(text) = &mut field.value {
                        *text = self.fill_typed(text, target)?;
                    }
                }
            }
            Action::Page(_) | Action::Browser(_) | Action::Person(_) | Action::Agent(_) => {}
        }
        Ok(action)
    }

    /// Returns the text for an element with its placeholders replaced.
    fn fill_typed(&self, text: &str, target: Option<&Target>) -> Result<String, FillError> {
        let kept = self.lock_secrets();
        let mut filled = text.to_owned();
        for placeholder in typed_secret::placeholders(text) {
            let known = kept.iter().find(|known| known.placeholder == placeholder).ok_or(FillError::Gone)?;
            if !target.is_some_and(|target| accepts_secret(target, &known.value)) {
                return Err(FillError::Misplaced);
            }
            filled = filled.replace(placeholder, &known.value);
        }
        Ok(filled)
    }

    /// Returns the value of a secret input with its placeholders replaced, or `None` if one of them is
    /// unknown. A plain value, such as a default, is stored as a secret first.
    pub fn fill_text(&self, text: &str) -> Option<String> {
        if is_value(text) {
            self.store(text);
        }
        let kept = self.lock_secrets();
        typed_secret::placeholders(text).into_iter().try_fold(text.to_owned(), |text, placeholder| {
            let known = kept.iter().find(|known| known.placeholder == placeholder)?;
            Some(text.replace(placeholder, &known.value))
        })
    }

    /// Reports whether the text contains a placeholder without a value.
    pub fn has_lost_placeholder(&self, text: &str) -> bool {
        let kept = self.lock_secrets();
        typed_secret::placeholders(text)
            .iter()
            .any(|placeholder| !kept.iter().any(|known| known.placeholder == *placeholder))
    }

    /// True if neither a secret nor a value typed by a person is known.
    pub fn is_empty(&self) -> bool {
        self.lock_secrets().is_empty() && self.keys.typed().is_empty()
    }

    /// Returns the text without any of the values.
    pub fn scrub_text(&self, text: &str, shown: Replacement) -> String {
        scrub_text(text, &self.replacements(shown), shown)
    }

    /// Returns the most words of a value, at least one.
    pub fn most_words(&self) -> usize {
        let known = self.replacements(Replacement::Mask);
        known.iter().map(|known| known.value.split_whitespace().count()).max().unwrap_or_default().max(1)
    }

    /// Returns an address with placeholders in place of the values in its query, and of long values anywhere.
    pub fn scrub_address(&self, address: &str) -> String {
        redact::redact_address(address, &self.replacements(Replacement::Placeholder))
    }

    /// Returns a redacted copy of an observation if it contains any of the values, since a page may show what
    /// was typed into it. Returns `None` if nothing changes.
    pub fn redact_observation(&self, observation: &Observation) -> Option<Observation> {
        let known = self.replacements(Replacement::Placeholder);
        if known.is_empty() {
            return None;
        }
        let mut out = observation.clone();
        out.url = redact::redact_address(&out.url, &known);
        let mut clean = |text: &mut String| *text = redact::redact_text(text, &known);
        clean(&mut out.title);
        out.tabs.iter_mut().for_each(|tab| clean(&mut tab.title));
        for line in &mut out.lines {
            clean(&mut line.name);
            line.attributes.value.iter_mut().for_each(&mut clean);
            line.attributes.options.iter_mut().for_each(&mut clean);
            if let Some(href) = &mut line.attributes.href {
                let redacted = redact::redact_text(&redact::redact_address(href, &known), &known);
                *href = redacted;
            }
        }
        for tool in &mut out.tools {
            clean(&mut tool.title);
            clean(&mut tool.description);
            redact_json(&mut tool.schema, &known, Replacement::Placeholder, false, true);
        }
        (out != *observation).then_some(out)
    }

    /// Removes the values from all strings that people, planners and pages may have written. Strings of the
    /// program itself stay unchanged.
    pub fn scrub(&self, value: &mut Value, shown: Replacement) {
        let known = self.replacements(shown);
        if shown == Replacement::Mask || !known.is_empty() {
            redact_json(value, &known, shown, true, false);
        }
    }

    /// Replaces the values of named secrets in a caller's inputs with their names. Only pages receive these
    /// values.
    pub fn replace_named_values(&self, given: Map<String, Value>) -> Map<String, Value> {
        let known = self.keys.hidden_values();
        let clean = |(name, mut value)| {
            redact_json(&mut value, &known, Replacement::Placeholder, false, true);
            (name, value)
        };
        if known.is_empty() { given } else { given.into_iter().map(clean).collect() }
    }

    /// Masks the values in variables, whose names are arbitrary, for display to people.
    pub fn mask_variables(&self, vars: Map<String, Value>) -> Map<String, Value> {
        let mut vars = json!({ "vars": vars });
        self.scrub(&mut vars, Replacement::Mask);
        match vars["vars"].take() {
            Value::Object(vars) => vars,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Map::new()
            }
        }
    }

    /// Reports whether there are any values to remove from texts.
    pub fn knows_any(&self) -> bool {
        !self.replacements(Replacement::Mask).is_empty()
    }

    /// Removes secrets from a saved page state: redacts its URL, and drops form fields that contain a secret.
    /// The rest is restored in another browser.
    pub fn clean_page(&self, page: &mut Value) {
        let known = self.replacements(Replacement::Placeholder);
        if let Some(Value::String(url)) = page.get_mut("url") {
            *url = redact::redact_address(url, &known);
        }
        let Some(Value::Array(fields)) = page.get_mut("fields") else { return };
        fields.retain(|field| {
            let held = field["value"].as_str().unwrap_or_default();
            !known.iter().any(|known| held.contains(&known.value))
        });
    }

    /// Returns all values, including named secrets, each with its replacement.
    fn replacements(&self, shown: Replacement) -> Vec<Redaction> {
        let kept = self.lock_secrets();
        let kept =
            kept.iter().map(|kept| Redaction { value: kept.value.clone(), with: kept.placeholder.clone() });
        let mut all: Vec<Redaction> = kept.chain(self.keys.hidden_values()).collect();
        if shown == Replacement::Mask {
            all.iter_mut().for_each(|known| known.with = typed_secret::MASK.to_owned());
        }
        all
    }

    fn lock_secrets(&self) -> MutexGuard<'_, Vec<StoredSecret>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reports whether the text is a value itself: not blank, not the name of a secret, and without placeholders.
pub fn is_value(text: &str) -> bool {
    !text.trim().is_empty()
        && named_secret::name_in(text).is_none()
        && typed_secret::placeholders(text).is_empty()
}

/// Reports whether a secret may be typed into the element: a field for secrets, or any field for a card
/// number, because shops often do not mark the field.
fn accepts_secret(target: &Target, value: &str) -> bool {
    target.is_secret() || secret_words::names_secret(&target.name) || detect::is_card_number(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn password() -> Target {
        Target { secret: true, ..Target::default() }
    }

    #[test]
    fn addresses_lose_the_values_that_forms_put_there() {
        let vault = Vault::default();
        ["hunter 2&more", "734", "7"].iter().for_each(|value| drop(vault.store(value)));
        for (address, shown) in [
            ("http://a/x?p=hunter+2%26more&q=734", "http://a/x?p=****&q=****"),
            ("http://a/x?q=1734", "http://a/x?q=1734"),
            ("http://a/734/x#p=hunter%202%26more", "http://a/734/x#p=****"),
            // A code may have one field per digit, so other occurrences of a single digit stay.
            ("http://a/x?page=7", "http://a/x?page=7"),
            ("http://a?q=1", "http://a?q=1"),
            ("click", "click"),
        ] {
            assert_eq!(vault.scrub_address(address), shown);
        }
        let mut state =
            json!({"last_observation": {"url": "http://a/?p=734"}, "approval": {"url": "http://a/?p=734"}});
        vault.scrub(&mut state, Replacement::Placeholder);
        assert!(!state.to_string().contains("734"), "{state}");
    }

    fn typing(text: &str) -> Action {
        Action::Page(PageAction::Type { eid: 1, text: text.to_owned(), clear: true, submit: false })
    }

    #[test]
    fn secrets_are_filled_in_last_and_only_into_secret_fields() {
        let vault = Vault::default();
        let concealed = vault.conceal("type hunter2 into Password, then hunter2 again");
        let placeholder = vault.store("hunter2");
        assert_eq!(concealed, format!("type {placeholder} into Password, then {placeholder} again"));
        assert_eq!(vault.fill(typing(&placeholder), Some(&password())), Ok(typing("hunter2")));
        assert_eq!(vault.fill(typing(&placeholder), Some(&Target::default())), Err(FillError::Misplaced));
        assert_eq!(vault.fill(typing("olena"), None), Ok(typing("olena")));
        assert!(!vault.has_lost_placeholder(&placeholder));
        let later = Vault::default();
        assert!(later.has_lost_placeholder(&placeholder));
        assert_eq!(later.fill(typing(&placeholder), Some(&password())), Err(FillError::Gone));
        assert_ne!(later.store("other"), placeholder, "an old mark never means a new value");
    }

    #[test]
    fn records_of_a_visit_are_redacted_and_stay_usable() {
        let vault = Vault::default();
        let (long, short) = (vault.store("click&go"), vault.store("123"));
        let mut state = json!({
            "planned": {"turn": {"thoughts": [{"type": "PLAN", "content": "I type click&go, then 123."}],
                "actions": [{"action": "click", "params": {"any": ["123", "1234"]}}]}, "fault": null},
            "html": "click&amp;go", "url": "/item/123", "action": "click", "anything": ["click&go"],
            "target": {"role": "button", "also": "click&go", "form": {"fields": [{"group": "123", "type": "123"}]}},
        });
        vault.scrub(&mut state, Replacement::Placeholder);
        let turn = &state["planned"]["turn"];
        assert_eq!(turn["thoughts"][0]["content"], format!("I type {long}, then {short}."));
        assert_eq!(turn["actions"][0]["params"]["any"], json!([short, "1234"]));
        assert_eq!((&state["html"], &state["url"]), (&json!(long), &json!("/item/123")));
        assert_eq!((&state["anything"], &state["target"]["also"]), (&json!([long]), &json!(long)));
        assert_eq!(state["target"]["form"]["fields"], json!([{"group": short, "type": "123"}]));
        vault.scrub(&mut state, Replacement::Mask);
        assert_eq!(state["planned"]["turn"]["thoughts"][0]["content"], "I type ••••, then ••••.");
    }
}
