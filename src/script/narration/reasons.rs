//! Reasons why a script stopped: the step, the wanted element or check, and what the page showed instead.

use crate::agent_spec::types::script::{Check, Step, Target};
use crate::page::observation::{Line, Observation};
use crate::script::find::FindError;
use crate::script::narration;
use crate::script::narration::PlayerTexts;
use crate::script::step_checks::FailedPart;
use crate::text::prose::plain;
use crate::text::truncate::truncate_within;
use crate::texts::page::{role_name, translated_error};
use crate::texts::{commands, scripts};
use std::fmt::Write;

impl PlayerTexts<'_> {
    /// Begins a reason with the number and description of the step.
    fn stop_reason(&self, at: usize, step: &Step, why: &str) -> String {
        let mut out =
            scripts::stopped_at_step(at + 1, self.steps.len(), &self.describe_step(step), why, self.locale);
        self.push_page_address(&mut out);
        out
    }

    /// Appends the title and address of the current page.
    fn push_page_address(&self, out: &mut String) {
        let Some(page) = self.page.filter(|page| !page.url.is_empty()) else { return };
        let title = if page.title.trim().is_empty() {
            String::new()
        } else {
            self.quote_text(&truncate_within(&page.title, 120))
        };
        let url = plain(&truncate_within(&page.url, 300));
        let _ = write!(out, "\n\n{} {title} {url}", commands::page_label(self.locale));
    }

    /// Reason for a missing element.
    pub fn missing_element_reason(
        &self,
        at: usize,
        step: &Step,
        target: &Target,
        missing: &FindError<'_>,
    ) -> String {
        let (element, locale) = (self.describe_element(target), self.locale);
        let why = match missing {
            FindError::Nothing { nearest } => {
                format!("{}{}", scripts::no_element(&element, locale), self.describe_similar(nearest))
            }
            FindError::NotNear { count } => scripts::not_near(*count, &element, locale),
            FindError::NoFrame { frames } => {
                let there: Vec<String> = frames.iter().take(5).map(|frame| self.quote_name(frame)).collect();
                let there = if there.is_empty() { String::from("–") } else { there.join(", ") };
                scripts::no_frame(&element, &there, locale)
            }
            FindError::Several { beside } => {
                let neighbours: Vec<String> =
                    beside.iter().take(5).flatten().map(|words| self.quote_name(words)).collect();
                scripts::several_elements(beside.len(), &element, &neighbours.join(", "), locale)
            }
        };
        self.stop_reason(at, step, &why)
    }

    fn describe_similar(&self, nearest: &[&Line]) -> String {
        let there: Vec<String> = nearest
            .iter()
            .map(|line| format!("{} {}", role_name(&line.role, self.locale), self.quote_name(&line.name)))
            .collect();
        if there.is_empty() {
            scripts::nothing_similar(self.locale).to_owned()
        } else {
            scripts::closest_matches(&there.join(", "), self.locale)
        }
    }

    /// Reason for a disabled target.
    pub fn disabled_element_reason(&self, at: usize, step: &Step, target: &Target) -> String {
        let why = scripts::element_disabled(&self.describe_element(target), self.locale);
        self.stop_reason(at, step, &format!("{why}{}", self.describe_invalid_fields()))
    }

    /// Reason for a failed check.
    pub fn failed_check_reason(&self, at: usize, step: &Step, check: &Check, lacking: FailedPart) -> String {
        let page = self.page.cloned().unwrap_or_default();
        let (wanted, seen) = match lacking {
            FailedPart::Text => (&check.text, self.list_headings(&page)),
            FailedPart::Url => (&check.url, plain(&truncate_within(&page.url, 300))),
            FailedPart::Title => (&check.title, self.quote_text(&truncate_within(&page.title, 120))),
        };
        let wanted =
            self.quote_text(&truncate_within(wanted.as_deref().unwrap_or_default(), narration::WORDS));
        let why = match lacking {
            FailedPart::Text => scripts::text_not_shown(&wanted, &seen, self.locale),
            FailedPart::Url => scripts::address_differs(&wanted, &seen, self.locale),
            FailedPart::Title => scripts::title_differs(&wanted, &seen, self.locale),
        };
        self.stop_reason(at, step, &format!("{why}{}", self.describe_invalid_fields()))
    }

    fn list_headings(&self, page: &Observation) -> String {
        let headings =
            page.lines.iter().filter(|line| matches!(line.role.as_str(), "heading" | "alert" | "status"));
        let headings: Vec<String> = headings.take(4).map(|line| self.quote_name(&line.name)).collect();
        if headings.is_empty() {
            self.quote_text(&truncate_within(&page.title, 120))
        } else {
            headings.join(", ")
        }
    }

    /// Lists the fields that the page marks as invalid.
    fn describe_invalid_fields(&self) -> String {
        let lines = self.page.map(|page| page.lines.as_slice()).unwrap_or_default();
        let wrong = lines.iter().filter(|line| line.attributes.invalid && line.eid.is_some());
        let wrong: Vec<String> = wrong.take(5).map(|line| self.quote_name(&line.name)).collect();
        if wrong.is_empty() { String::new() } else { scripts::page_rejects(&wrong.join(", "), self.locale) }
    }

    /// Reason for a failed action.
    pub fn failed_action_reason(&self, at: usize, step: &Step, code: &str, message: &str) -> String {
        let why = translated_error(code, self.locale)
            .map_or_else(|| plain(&truncate_within(message, 300)), str::to_owned);
        self.stop_reason(at, step, &why)
    }

    /// Reason for a step that a person declined with these words.
    pub fn declined_step_reason(&self, at: usize, step: &Step, words: &str) -> String {
        let words = self.quote_text(&truncate_within(words, narration::WORDS));
        self.stop_reason(at, step, &scripts::step_declined(&words, self.locale))
    }

    /// Reason for an interrupted step that may have been done.
    pub fn unknown_outcome_reason(&self, at: usize, step: &Step) -> String {
        self.stop_reason(at, step, scripts::step_outcome_unknown(self.locale))
    }

    /// Reason for a template of the step that cannot be filled in.
    pub fn unfilled_step_reason(&self, at: usize, step: &Step, fault: &str) -> String {
        self.stop_reason(at, step, &scripts::step_unfilled(&plain(&truncate_within(fault, 300)), self.locale))
    }

    /// Reason for a `take` pattern that no line matches.
    pub fn no_match_reason(&self, at: usize, step: &Step, pattern: &str) -> String {
        self.stop_reason(at, step, &scripts::no_line_matches(&self.quote_text(pattern), self.locale))
    }
}
