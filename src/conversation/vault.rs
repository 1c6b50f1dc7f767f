//! Secrets of a run tree, in memory only: what a person says or a planner types into a password, code
//! or card field. Whatever is stored or sent has a mark in its place (`turn::typed`); the executor
//! puts the value in at the last moment. After a restart the values are gone, and the person is
//! asked to type them themselves.

use crate::ids::RunId;
use crate::model::commands::{hidden, secrecy};
use crate::page::target::Target;
use crate::turn::action::Action;
use crate::turn::typed;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use url::Url;

/// Values of so many letters are looked for inside of words too; shorter ones only as whole words.
const LONG: usize = 6;
/// Shorter ones stand for themselves everywhere else.
const SHORT: usize = 3;

/// Keys whose strings are free text, where JSON of ours holds any.
const FREE: &[&str] = &[
    "text",
    "content",
    "html",
    "message",
    "why",
    "returned",
    "said",
    "response",
    "final_response",
    "result",
    "note",
    "expected_outcome",
    "knowledge_relics",
    "responded",
    "heard",
    "fault",
    "failures",
    "opening",
    "title",
    "last_user_message",
    "near",
    "context",
    "name",
    "label",
    "value",
    "reason",
    "effect",
    "question",
    "comment",
];
/// Keys whose strings may be addresses; a form that is sent by GET puts its values there.
const ADDRESS: &[&str] = &["url", "page", "action", "destination"];
/// Keys below which everything is free text.
const DEEP: &[&str] = &["params", "variables", "values", "vars", "answers", "options", "notes", "input"];

/// The vaults of all run trees that hold something.
#[derive(Default)]
pub struct Vaults(Mutex<HashMap<RunId, Arc<Vault>>>);

impl Vaults {
    pub fn of(&self, root: &RunId) -> Arc<Vault> {
        let mut all = self.all();
        // Those that nobody holds and that hold nothing are of runs that have ended.
        all.retain(|_, vault| Arc::strong_count(vault) > 1 || !vault.is_empty());
        Arc::clone(all.entry(root.clone()).or_default())
    }

    pub fn forget(&self, root: &RunId) {
        self.all().remove(root);
    }

    fn all(&self) -> MutexGuard<'_, HashMap<RunId, Arc<Vault>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One run tree's secrets, each with its mark. The mutex is never held across an await.
#[derive(Default)]
pub struct Vault(Mutex<Vec<Kept>>);

struct Kept {
    mark: String,
    value: String,
}

/// Why a mark is not filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfilled {
    /// The process that knew the value has ended.
    Gone,
    /// The element takes no secrets.
    Misplaced,
}

/// What stands in place of a value in an address.
const HIDDEN: &str = "****";

/// What stands in place of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum As {
    /// Its mark, for what is stored and for planners.
    Mark,
    /// `••••`, for people.
    Mask,
}

impl Vault {
    /// Keeps a value and gives its mark; the same value has one mark.
    pub fn keep(&self, value: &str) -> String {
        let mut kept = self.kept();
        if let Some(known) = kept.iter().find(|known| known.value == value) {
            return known.mark.clone();
        }
        // Unlike any of an earlier process, so that an old mark never gets a new value.
        let token = crate::ids::token();
        let mark = typed::mark(&token[..token.len().min(12)]);
        kept.push(Kept { mark: mark.clone(), value: value.to_owned() });
        mark
    }

    /// A person's words with their secrets taken out.
    pub fn conceal(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for value in hidden::secrets(&text) {
            if text.contains(&value) {
                let mark = self.keep(&value);
                text = replaced(&text, &value, &mark, true);
            }
        }
        self.scrubbed(&text, As::Mark)
    }

    /// The answer to a question; one that asks for a secret is answered by nothing else.
    pub fn conceal_answer(&self, said: &str, question: &Value) -> String {
        let payload = &question["payload"];
        let chosen = payload["options"].as_array().is_some_and(|options| !options.is_empty());
        let asks = [&question["text"], &payload["answer_key"]];
        let secret = question["kind"] == "question"
            && !chosen
            && asks.iter().filter_map(|text| text.as_str()).any(secrecy::names_secret);
        if secret && !said.trim().is_empty() { self.keep(said.trim()) } else { self.conceal(said) }
    }

    /// An action with its values put in, for this element.
    pub fn fill(&self, action: Action, target: Option<&Target>) -> Result<Action, Unfilled> {
        let Action::Type { eid, text, clear, submit } = action else { return Ok(action) };
        let kept = self.kept();
        let mut filled = text.clone();
        for mark in typed::marks(&text) {
            let known = kept.iter().find(|known| known.mark == mark).ok_or(Unfilled::Gone)?;
            if !target.is_some_and(|target| fits(target, &known.value)) {
                return Err(Unfilled::Misplaced);
            }
            filled = filled.replace(mark, &known.value);
        }
        Ok(Action::Type { eid, text: filled, clear, submit })
    }

    /// Whether the text stands for what is not known any more.
    pub fn lost(&self, text: &str) -> bool {
        let kept = self.kept();
        typed::marks(text).iter().any(|mark| !kept.iter().any(|known| known.mark == *mark))
    }

    pub fn is_empty(&self) -> bool {
        self.kept().is_empty()
    }

    /// A text without any of the values.
    pub fn scrubbed(&self, text: &str, shown: As) -> String {
        let mut text = text.to_owned();
        for known in self.kept().iter() {
            let with = match shown {
                As::Mark => known.mark.as_str(),
                As::Mask => typed::MASK,
            };
            text = replaced(&text, &known.value, with, known.value.chars().count() >= SHORT);
            let html = escaped(&known.value);
            if html != known.value {
                text = text.replace(&html, with);
            }
        }
        match shown {
            As::Mark => text,
            As::Mask => typed::shown(&text),
        }
    }

    /// An address without any of the values in its query, and without the longer ones anywhere.
    pub fn scrubbed_address(&self, address: &str) -> String {
        let kept = self.kept();
        let Some(mut url) = Url::parse(address).ok().filter(|_| !kept.is_empty()) else {
            return address.to_owned();
        };
        let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        let is_kept = |value: &str| kept.iter().any(|known| known.value == value);
        // Otherwise it stays as it was written.
        let mut address = address.to_owned();
        if pairs.iter().any(|(_, value)| is_kept(value)) {
            let shown = pairs.iter().map(|(name, value)| (name, if is_kept(value) { HIDDEN } else { value }));
            url.query_pairs_mut().clear().extend_pairs(shown);
            address = url.to_string();
        }
        for known in kept.iter().filter(|known| known.value.chars().count() >= LONG) {
            for form in
                [known.value.clone(), encoded(&known.value), encoded(&known.value).replace('+', "%20")]
            {
                address = address.replace(&form, HIDDEN);
            }
        }
        address
    }

    /// Takes the values out of every free text in there: words of people, planners and pages. Names
    /// that the program itself works with stay as they are.
    pub fn scrub(&self, value: &mut Value, shown: As) {
        if shown == As::Mask || !self.is_empty() {
            self.walk(value, false, false, shown);
        }
    }

    /// What a form held is put back in another browser, but no secret is among it.
    pub fn without_secrets(&self, fields: &mut Vec<Value>) {
        let kept = self.kept();
        fields.retain(|field| {
            let held = field["value"].as_str().unwrap_or_default();
            !kept.iter().any(|known| held.contains(&known.value))
        });
    }

    /// `free`: a string here is free text. `deep`: so is everything below.
    fn walk(&self, value: &mut Value, free: bool, deep: bool, shown: As) {
        match value {
            Value::String(text) if free || deep => *text = self.scrubbed(text, shown),
            Value::Array(items) => items.iter_mut().for_each(|item| self.walk(item, free, deep, shown)),
            Value::Object(map) => {
                for (key, item) in map {
                    if let (Value::String(address), true) = (&*item, ADDRESS.contains(&key.as_str())) {
                        *item = Value::String(self.scrubbed_address(address));
                    }
                    let (free, below) = (FREE.contains(&key.as_str()), DEEP.contains(&key.as_str()));
                    self.walk(item, free, deep || below, shown);
                }
            }
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Secrets go where secrets are asked for; a card's number may, as shops mark its field badly.
fn fits(target: &Target, value: &str) -> bool {
    target.is_secret() || secrecy::names_secret(&target.name) || hidden::is_card_number(value)
}

fn replaced(text: &str, value: &str, with: &str, at_all: bool) -> String {
    if !at_all || value.is_empty() || !text.contains(value) {
        return text.to_owned();
    }
    if value.chars().count() >= LONG {
        return text.replace(value, with);
    }
    let pieces: Vec<&str> = text.split(value).collect();
    let mut out = String::with_capacity(text.len());
    for (index, piece) in pieces.iter().enumerate() {
        out.push_str(piece);
        if let Some(next) = pieces.get(index + 1) {
            let joined = piece.ends_with(char::is_alphanumeric) || next.starts_with(char::is_alphanumeric);
            out.push_str(if joined { value } else { with });
        }
    }
    out
}

/// As forms write it into addresses.
fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// As Markdown is made HTML of.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn password() -> Target {
        Target { secret: true, ..Target::default() }
    }

    #[test]
    fn addresses_lose_the_values_that_forms_put_there() {
        let vault = Vault::default();
        ["hunter 2&more", "73"].iter().for_each(|value| drop(vault.keep(value)));
        for (address, shown) in [
            ("http://a/x?p=hunter+2%26more&q=73", "http://a/x?p=****&q=****"),
            ("http://a/x?q=173", "http://a/x?q=173"),
            ("http://a/73/x#p=hunter%202%26more", "http://a/73/x#p=****"),
            ("http://a?q=1", "http://a?q=1"),
            ("click", "click"),
        ] {
            assert_eq!(vault.scrubbed_address(address), shown);
        }
        let mut state =
            json!({"last_observation": {"url": "http://a/?p=73"}, "approval": {"url": "http://a/?p=73"}});
        vault.scrub(&mut state, As::Mark);
        assert!(!state.to_string().contains("73"), "{state}");
    }

    fn typing(text: &str) -> Action {
        Action::Type { eid: 1, text: text.to_owned(), clear: true, submit: false }
    }

    #[test]
    fn a_value_goes_in_at_the_last_moment_and_only_where_secrets_go() {
        let vault = Vault::default();
        let said = vault.conceal("type hunter2 into Password, then hunter2 again");
        let mark = vault.keep("hunter2");
        assert_eq!(said, format!("type {mark} into Password, then {mark} again"));
        assert_eq!(vault.fill(typing(&mark), Some(&password())), Ok(typing("hunter2")));
        assert_eq!(vault.fill(typing(&mark), Some(&Target::default())), Err(Unfilled::Misplaced));
        assert_eq!(vault.fill(typing("olena"), None), Ok(typing("olena")));
        assert!(!vault.lost(&mark));
        let later = Vault::default();
        assert!(later.lost(&mark));
        assert_eq!(later.fill(typing(&mark), Some(&password())), Err(Unfilled::Gone));
        assert_ne!(later.keep("other"), mark, "an old mark never means a new value");
    }

    #[test]
    fn what_leaves_a_visit_is_scrubbed_and_what_works_stays() {
        let vault = Vault::default();
        let (long, short) = (vault.keep("click&go"), vault.keep("123"));
        let mut whole = json!({
            "planned": {"turn": {"thoughts": [{"type": "PLAN", "content": "I type click&go, then 123."}],
                "actions": [{"action": "click", "params": {"any": ["123", "1234"]}}]}, "fault": null},
            "html": "click&amp;go", "url": "/item/123", "action": "click",
        });
        vault.scrub(&mut whole, As::Mark);
        let turn = &whole["planned"]["turn"];
        assert_eq!(turn["thoughts"][0]["content"], format!("I type {long}, then {short}."));
        assert_eq!(turn["actions"][0]["params"]["any"], json!([short, "1234"]));
        assert_eq!((&whole["html"], &whole["url"]), (&json!(long), &json!("/item/123")));
        vault.scrub(&mut whole, As::Mask);
        assert_eq!(whole["planned"]["turn"]["thoughts"][0]["content"], "I type ••••, then ••••.");
    }
}
