//! The policy rules, read from YAML. The first matching rule decides. Pure: parses a text to rules or an
//! error.
//!
//! Each rule has `id`, `when`, `decision`, `risk`, `reason: {uk, en}` and optionally `remember`. Every
//! condition under `when` must hold; a list holds if one of its entries does; an empty `when` always holds.
//! `config/policy.yaml` explains each condition.

use crate::gate::harmless_rules::{HarmlessConditions, HarmlessRule};
use crate::gate::host_kinds;
use crate::gate::host_kinds::HostKind;
use crate::gate::meaning::effect_class::{ActionProperties, EffectClass, EffectTrait, FieldKind};
use crate::gate::verdict::{Decision, Risk, Texts};
use crate::gate::wording::normalize;
use crate::protocol::Remember;
use crate::texts;
use serde::Deserialize;
use serde_saphyr::Spanned;
use std::sync::LazyLock;

/// The built-in rules.
pub const DEFAULT: &str = include_str!("../../config/policy.yaml");

/// A rule of the policy file.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Small letters, digits and hyphens; unique in the file.
    pub id: String,
    pub when: RuleConditions,
    pub decision: Decision,
    pub risk: Risk,
    pub reason: Texts,
    /// Scopes offered besides `once`, which is always possible.
    pub remember: Vec<Remember>,
}

/// Conditions of a rule. An absent condition holds.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RuleConditions {
    pub effect: Vec<EffectClass>,
    pub about: Vec<EffectTrait>,
    pub scheme: Vec<String>,
    pub host: Vec<String>,
    pub host_kind: Vec<HostKind>,
    pub new_host: Option<bool>,
    pub other_origin: Option<bool>,
    pub method: Vec<String>,
    pub fields: Vec<FieldKind>,
    pub words: Vec<String>,
}

impl RuleConditions {
    fn holds(&self, facts: &ActionProperties) -> bool {
        fn any<T>(list: &[T], test: impl Fn(&T) -> bool) -> bool {
            list.is_empty() || list.iter().any(test)
        }
        any(&self.effect, |effect| *effect == facts.effect)
            && any(&self.about, |about| Some(*about) == facts.effect_trait)
            && any(&self.host_kind, |kind| Some(*kind) == facts.host)
            && self.new_host.is_none_or(|new| new == facts.new_host)
            && self.other_origin.is_none_or(|other| other == facts.other_origin)
            && any(&self.fields, |kind| facts.fields.contains(kind))
            && any(&self.method, |method| Some(method.as_str()) == facts.method.as_deref())
            && any(&self.scheme, |scheme| facts.url.as_ref().is_some_and(|url| url.scheme() == scheme))
            && (self.host.is_empty()
                || facts.url.as_ref().is_some_and(|url| host_kinds::list_contains(&self.host, url)))
            && any(&self.words, |phrase| contains_words(&facts.name, phrase))
    }
}

/// True if the name contains the phrase as whole words. Both are normalized already.
fn contains_words(name: &str, phrase: &str) -> bool {
    !phrase.is_empty() && format!(" {name} ").contains(&format!(" {phrase} "))
}

/// A checked set of rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    rules: Vec<Rule>,
    /// Rules that name why a request is harmless; the first match decides.
    harmless: Vec<HarmlessRule>,
}

/// Reason why a text is not a valid set of rules. Each says where the error is and what would be right.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RulesError {
    #[error("not a list of rules: {0}")]
    Shape(String),
    #[error("line {line}, rule `{id}`: {message}")]
    Rule { line: u64, id: String, message: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesDocument {
    rules: Vec<RuleDraft>,
    /// Absent in files of earlier versions, for which the built-in rules hold.
    wire: Option<Vec<HarmlessDraft>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HarmlessDraft {
    id: Spanned<String>,
    when: HarmlessConditions,
    reason: Texts,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleDraft {
    id: Spanned<String>,
    #[serde(default)]
    when: RuleConditions,
    decision: Decision,
    risk: Risk,
    reason: Texts,
    #[serde(default)]
    remember: Vec<Remember>,
}

/// Rule for actions that no other rule matches: ask.
static NO_RULE: LazyLock<Rule> = LazyLock::new(|| Rule {
    id: String::from("no-rule"),
    when: RuleConditions::default(),
    decision: Decision::RequiresConfirmation,
    risk: Risk::High,
    reason: Texts::write(texts::gate::no_rule),
    remember: Vec::new(),
});

/// Rule that no policy file can remove: agents may not use this service's own pages, where people answer
/// questions.
static OWN_SERVICE: LazyLock<Rule> = LazyLock::new(|| Rule {
    id: String::from("own-service"),
    when: RuleConditions { host_kind: vec![HostKind::Service], ..RuleConditions::default() },
    decision: Decision::Deny,
    risk: Risk::High,
    reason: Texts::write(texts::gate::own_service),
    remember: Vec::new(),
});

impl Rules {
    /// Returns the built-in rules.
    pub fn built_in() -> &'static Self {
        static RULES: LazyLock<Rules> = LazyLock::new(|| {
            Rules::parse(DEFAULT).unwrap_or(Rules { rules: Vec::new(), harmless: Vec::new() })
        });
        &RULES
    }

    /// Parses a policy file. An error names the line and the id of the faulty rule.
    pub fn parse(text: &str) -> Result<Self, RulesError> {
        let document: RulesDocument =
            serde_saphyr::from_str(text).map_err(|fault| RulesError::Shape(fault.to_string()))?;
        let mut rules: Vec<Rule> = Vec::with_capacity(document.rules.len());
        for draft in document.rules {
            let line = draft.id.referenced.line();
            let id = draft.id.value.clone();
            let rule = check(draft, &rules).map_err(|message| RulesError::Rule { line, id, message })?;
            rules.push(rule);
        }
        if rules.is_empty() {
            return Err(RulesError::Shape(String::from(
                "`rules` is empty; add a rule, or remove the file to use the built-in rules",
            )));
        }
        let harmless = match document.wire {
            Some(drafts) => check_harmless(drafts)?,
            None => Self::built_in().harmless.clone(),
        };
        Ok(Self { rules, harmless })
    }

    /// Returns the rule that decides on these properties.
    pub fn first_match(&self, facts: &ActionProperties) -> &Rule {
        if OWN_SERVICE.when.holds(facts) {
            return &OWN_SERVICE;
        }
        self.rules.iter().find(|rule| rule.when.holds(facts)).unwrap_or(&NO_RULE)
    }

    /// Returns the rules in the order of the file, in which the first match decides.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    /// Returns the rules of harmless requests in the order of the file.
    pub fn harmless_requests(&self) -> impl Iterator<Item = &HarmlessRule> {
        self.harmless.iter()
    }
}

fn check_harmless(drafts: Vec<HarmlessDraft>) -> Result<Vec<HarmlessRule>, RulesError> {
    let mut rules: Vec<HarmlessRule> = Vec::with_capacity(drafts.len());
    for HarmlessDraft { id, mut when, reason } in drafts {
        let (line, id) = (id.referenced.line(), id.value);
        let fault = |message: &str| {
            let (id, message) = (id.clone(), message.to_owned());
            Err(RulesError::Rule { line, id, message })
        };
        if rules.iter().any(|rule| rule.id == id) {
            return fault("another rule above has this id; give each its own");
        }
        if reason.uk.trim().is_empty() || reason.en.trim().is_empty() {
            return fault("`reason` needs a text in `uk` and in `en`");
        }
        if when == HarmlessConditions::default() {
            return fault("`when` is empty, so that no request would be asked about; name a condition");
        }
        for list in when.lists_mut() {
            list.iter_mut().for_each(|entry| *entry = entry.to_lowercase());
        }
        rules.push(HarmlessRule { id, when, reason });
    }
    Ok(rules)
}

fn check(draft: RuleDraft, before: &[Rule]) -> Result<Rule, String> {
    let RuleDraft { id, mut when, decision, risk, reason, remember } = draft;
    let id = id.value;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if id.is_empty() || !id.chars().all(plain) {
        return Err(String::from("an id may contain only lower-case Latin letters, digits and hyphens"));
    }
    if before.iter().any(|rule| rule.id == id) {
        return Err(String::from("another rule above has this id; give each its own"));
    }
    if reason.uk.trim().is_empty() || reason.en.trim().is_empty() {
        return Err(String::from("`reason` needs a text in `uk` and in `en`"));
    }
    let lasting = remember.iter().any(|choice| *choice != Remember::Once);
    if lasting && decision != Decision::RequiresConfirmation {
        return Err(String::from("only `requires_confirmation` can be remembered; leave `remember` out"));
    }
    if let Some(effect) = when.effect.iter().find(|effect| lasting && !effect.may_be_remembered()) {
        let name = effect.as_str();
        return Err(format!("`{name}` may never be remembered beyond `once`; leave `run` and `site` out"));
    }
    for list in [&mut when.scheme, &mut when.method] {
        list.iter_mut().for_each(|entry| *entry = entry.trim_end_matches(':').to_ascii_lowercase());
    }
    when.words.iter_mut().for_each(|phrase| *phrase = normalize::normalize_name(phrase));
    Ok(Rule { id, when, decision, risk, reason, remember })
}
