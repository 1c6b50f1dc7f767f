//! The evidence for an item of the plan: the data that the run has at that moment, and the conditions that
//! need no judge (C12).

use crate::agent_spec::types::conversation_parts::VisionMode;
use crate::model::role_requests::JudgeRequest;
use crate::page::text;
use crate::plan::{Evidence, Item, Predicate};
use crate::programs::conversation::effects;
use crate::programs::conversation::visit_context::VisitContext;
use crate::protocol::Locale;
use crate::text::truncate::truncate;
use crate::text::value_text::format_value_text;
use crate::texts;
use serde_json::{Map, Value};

/// Longest page text that a judge reads, and longest text that is stored, in characters.
const MAX_PAGE_CHARS: usize = 12_000;
const MAX_EVIDENCE_CHARS: usize = 1_000;

/// The data to judge an item by.
pub struct JudgeInput {
    locale: Locale,
    pub url: Option<String>,
    pub picture: Option<String>,
    pub jpeg: Option<Vec<u8>>,
    /// The text of the page.
    pub page: String,
    /// The actions and their results.
    pub work: Vec<String>,
    pub files: Vec<String>,
    pub variables: Vec<(String, String)>,
    /// The person's answers, by key.
    pub answers: Vec<(String, String)>,
}

impl JudgeInput {
    /// Collects what there is now, with the actions that were done for the item at `position`.
    pub async fn collect(cx: &VisitContext, position: u32) -> Self {
        let jpeg = cx.working_set.picture_for_model(cx.deps.view.vision == VisionMode::Always).await;
        let (state, observed) = (&cx.state, cx.working_set.observation());
        let observation = observed.as_ref().map(|observed| &observed.observation);
        let pairs = |map: &Map<String, Value>| {
            map.iter().map(|(name, value)| (name.clone(), format_value_text(value))).collect()
        };
        Self {
            locale: state.locale,
            url: observation.map(|observation| observation.url.clone()),
            picture: state.last_screenshot.clone().filter(|_| observed.is_some()),
            jpeg: jpeg.map(|jpeg| jpeg.to_vec()),
            page: observation
                .map(|page| truncate(&text::write(page, ""), MAX_PAGE_CHARS))
                .unwrap_or_default(),
            work: state.plan.work_of(position),
            files: effects::list_files(cx).into_iter().map(|file| file.name).collect(),
            variables: pairs(&state.variables),
            answers: pairs(&state.answers),
        }
    }

    pub fn judge_request<'a>(
        &'a self,
        item: &'a Item,
        mission: &'a str,
        response: &'a str,
    ) -> JudgeRequest<'a> {
        JudgeRequest {
            locale: self.locale,
            item,
            mission,
            report: response,
            work: &self.work,
            url: self.url.as_deref(),
            page: &self.page,
            picture: self.jpeg.as_deref(),
            files: &self.files,
            variables: &self.variables,
            answers: &self.answers,
        }
    }

    /// Checks the item's own conditions; `None` if it has none.
    pub fn check_predicates(&self, item: &Item) -> Option<Evidence> {
        if item.predicates.is_empty() {
            return None;
        }
        let missing = item.predicates.iter().find(|predicate| !self.is_true(predicate));
        let why = match missing {
            None => item
                .predicates
                .iter()
                .map(|one| predicate_text(one, self.locale))
                .collect::<Vec<_>>()
                .join("; "),
            Some(missing) => {
                texts::page::condition_not_true(&predicate_text(missing, self.locale), self.locale)
            }
        };
        Some(self.evidence(missing.is_none(), "predicates", why))
    }

    fn is_true(&self, predicate: &Predicate) -> bool {
        match predicate {
            Predicate::Url { value } => self.url.as_ref().is_some_and(|url| url.contains(value.as_str())),
            Predicate::Text { value } => self.page.to_lowercase().contains(&value.to_lowercase()),
            Predicate::File { value } => self.files.contains(value),
            Predicate::Variable { name, value } => {
                let mut values = self.variables.iter().chain(&self.answers);
                values.any(|pair| pair.0 == *name && pair.1 == *value)
            }
        }
    }

    pub fn evidence(&self, accepted: bool, by: &str, why: String) -> Evidence {
        let page = if self.work.is_empty() { self.page.clone() } else { self.work.join("\n") };
        Evidence {
            accepted,
            by: by.to_owned(),
            why,
            url: self.url.clone(),
            picture: self.picture.clone(),
            text: Some(truncate(&page, MAX_EVIDENCE_CHARS)).filter(|text| !text.is_empty()),
        }
    }
}

fn predicate_text(predicate: &Predicate, locale: Locale) -> String {
    match predicate {
        Predicate::Url { value } => texts::page::address_contains(value, locale),
        Predicate::Text { value } => texts::page::page_shows(value, locale),
        Predicate::File { value } => texts::page::file_exists(value, locale),
        Predicate::Variable { name, value } => format!("{name} = {value}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // A condition that needs no judge is checked against the data of the run (C12).
    #[test]
    fn each_kind_of_condition_holds_or_does_not() {
        let at_hand = JudgeInput {
            locale: Locale::En,
            url: Some(String::from("https://shop.example/cart?id=7")),
            picture: None,
            jpeg: None,
            page: String::from("Your cart: Zoria Lamp"),
            work: Vec::new(),
            files: vec![String::from("order.pdf")],
            variables: vec![(String::from("count"), format_value_text(&json!(7)))],
            answers: vec![(String::from("lamp"), format_value_text(&json!("Zoria")))],
        };
        for (check, holds) in [
            (json!({"check": "url", "value": "/cart"}), true),
            (json!({"check": "url", "value": "/checkout"}), false),
            (json!({"check": "text", "value": "zoria lamp"}), true),
            (json!({"check": "text", "value": "empty"}), false),
            (json!({"check": "file", "value": "order.pdf"}), true),
            (json!({"check": "file", "value": "order"}), false),
            (json!({"check": "variable", "name": "count", "value": "7"}), true),
            (json!({"check": "variable", "name": "lamp", "value": "Zoria"}), true),
            (json!({"check": "variable", "name": "count", "value": "8"}), false),
            (json!({"check": "variable", "name": "lamps", "value": "7"}), false),
        ] {
            let predicate: Predicate = serde_json::from_value(check.clone()).unwrap();
            assert_eq!(at_hand.is_true(&predicate), holds, "{check}");
            let item = Item { predicates: vec![predicate], ..Item::default() };
            let evidence = at_hand.check_predicates(&item).unwrap();
            assert_eq!((evidence.accepted, evidence.by.as_str()), (holds, "predicates"), "{evidence:?}");
        }
        assert_eq!(at_hand.check_predicates(&Item::default()), None, "nothing to look up");
        // Without a page no address matches.
        let blank = JudgeInput { url: None, page: String::new(), ..at_hand };
        let anywhere = Predicate::Url { value: String::new() };
        assert!(!blank.is_true(&anywhere));
    }
}
