//! Scope of a remembered approval: one form or request, not everything of its rule. Pure.

use crate::gate::meaning::effect_class::{ActionProperties, EffectClass};
use crate::gate::request::AssessmentRequest;
use crate::page::target::Target;
use crate::page::url::path_pattern;
use crate::turn::action::{Action, PageAction};
use crate::turn::page_input::tool_arguments::list_values;
use serde::{Deserialize, Serialize};
use url::Url;

/// Scope of a remembered approval.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covers {
    /// Destination, such as `https://shop.test`.
    pub origin: String,
    /// In upper case; empty for an effect that is no request.
    pub method: String,
    /// Path in which `*` stands for ids; of a deletion the exact path.
    pub path: String,
    /// Names of the values, sorted; with the value where it names the operation, and always of a deletion.
    pub fields: Vec<String>,
    /// Role of the control that sends it, and its name.
    pub role: String,
}

impl Covers {
    /// Returns what remembering the approval of an action covers: its form, or its control at this place.
    pub fn of_action(facts: &ActionProperties, request: &AssessmentRequest<'_>) -> Self {
        let form = request.target.and_then(|target| target.form.as_ref());
        let sent = form.filter(|form| !form.action.is_empty() && facts.method.is_some());
        let address = sent.map(|form| form.action.as_str());
        let url = address.and_then(|address| Url::parse(address).ok()).or_else(|| facts.url.clone());
        let exact = facts.effect == EffectClass::Delete;
        let mut fields: Vec<String> = sent
            .into_iter()
            .flat_map(|form| &form.fields)
            .filter(|field| !field.name.is_empty() && !field.is_token())
            .map(|field| if exact { format!("{}={}", field.name, field.value) } else { field.name.clone() })
            .collect();
        // An address may carry data, too.
        let query = url.iter().filter(|_| sent.is_none()).flat_map(|url| url.query_pairs());
        fields.extend(
            query.map(|(name, value)| if exact { format!("{name}={value}") } else { name.into_owned() }),
        );
        if let Action::Page(PageAction::Tool { arguments, .. }) = request.action {
            fields.extend(
                list_values(arguments).into_iter().map(
                    |(name, value)| {
                        if exact { format!("{name}={value}") } else { name }
                    },
                ),
            );
        }
        fields.sort();
        fields.dedup();
        Self {
            origin: url.as_ref().map(|url| url.origin().ascii_serialization()).unwrap_or_default(),
            method: facts.method.as_deref().unwrap_or_default().to_ascii_uppercase(),
            path: url
                .map(|url| if exact { url.path().to_owned() } else { path_pattern(&url) })
                .unwrap_or_default(),
            fields,
            role: request.target.map(role_of).unwrap_or_default(),
        }
    }

    /// True if a grant for this covers the other: the same destination, method, path and control, and no value that was
    /// not among the approved ones. A request whose values count has all of them: of fewer, another effect may come, such
    /// as a deletion of all instead of one.
    pub fn includes(&self, other: &Self) -> bool {
        (&self.origin, &self.method, &self.path, &self.role)
            == (&other.origin, &other.method, &other.path, &other.role)
            && !self.origin.is_empty()
            && other.fields.iter().all(|field| self.fields.contains(field))
            && (self.fields.len() == other.fields.len()
                || !self.has_exact_values() && !other.fields.is_empty())
    }

    fn has_exact_values(&self) -> bool {
        self.method == "DELETE" || self.fields.iter().any(|field| field.contains('='))
    }
}

/// Returns the role of a control, and its name.
pub fn role_of(target: &Target) -> String {
    format!("{} {}", target.role, target.name.split_whitespace().collect::<Vec<_>>().join(" "))
        .trim()
        .to_owned()
}
