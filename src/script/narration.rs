//! The player in words: descriptions of steps, and the final response. Texts from pages are shortened and escaped
//! as Markdown.

pub(crate) mod reasons;

use crate::agent_spec::types::script::{Step, Target};
use crate::page::observation::Observation;
use crate::protocol::Locale;
use crate::text::prose::plain;
use crate::text::truncate::truncate_within;
use crate::texts::page::role_name;
use crate::texts::{quote, scripts};
use crate::turn::typed_secret;
use serde_json::Value;
use std::fmt::Write;

/// Longest name and text from a page, in characters.
const NAME: usize = 60;
const WORDS: usize = 200;

/// Texts about the steps of a script.
#[derive(Clone, Copy)]
pub struct PlayerTexts<'a> {
    pub locale: Locale,
    pub steps: &'a [Step],
    pub page: Option<&'a Observation>,
}

impl PlayerTexts<'_> {
    /// Returns the only thought of a turn.
    pub fn thought(&self, at: usize, step: &Step) -> String {
        format!("{}: {}", self.format_step_number(at), self.describe_step(step))
    }

    fn format_step_number(&self, at: usize) -> String {
        scripts::step_number(at + 1, self.steps.len(), self.locale)
    }

    /// Describes a step by its note, or by its action and element.
    pub fn describe_step(&self, step: &Step) -> String {
        if let Some(note) = &step.note {
            return plain(&truncate_within(note, WORDS));
        }
        let (from, to) = step.ends();
        let elements: Vec<String> =
            [step.target(), from, to].iter().flatten().map(|target| self.describe_element(target)).collect();
        let params = step.plain_params();
        let value = ["url", "text", "option", "file", "key", "question", "response", "direction"]
            .iter()
            .find_map(|name| params.get(*name).map(display_value));
        let value = value.map(|value| self.quote_text(&truncate_within(&value, NAME)));
        let verb = scripts::step_verb(&step.action, self.locale).unwrap_or(&step.action).to_owned();
        let parts: Vec<String> =
            [Some(verb), value, Some(elements.join(" → "))].into_iter().flatten().collect();
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    }

    /// Describes an element as a script names it.
    pub fn describe_element(&self, target: &Target) -> String {
        let mut out = format!("{} {}", role_name(&target.role, self.locale), self.quote_name(&target.name));
        if let Some(near) = &target.near {
            let _ = write!(out, " {} {}", scripts::near(self.locale), self.quote_name(near));
        }
        if let Some(frame) = &target.frame {
            let _ = write!(out, " {} {}", scripts::in_frame(self.locale), self.quote_name(frame));
        }
        out
    }

    fn quote_name(&self, name: &str) -> String {
        if name.is_empty() {
            return scripts::without_name(self.locale).to_owned();
        }
        self.quote_text(&truncate_within(name, NAME))
    }

    fn quote_text(&self, text: &str) -> String {
        quote(&plain(text), self.locale)
    }

    /// Message when the model did not find a way either.
    pub fn not_repaired(&self, sorry: &str, answer: Option<&str>) -> String {
        let head = scripts::model_found_no_way(self.locale);
        let answer =
            answer.map(|answer| format!(": {}", plain(&truncate_within(answer, 400)))).unwrap_or_default();
        format!("{sorry}\n\n{head}{answer}")
    }

    /// Asks the person to type secrets that were not given.
    pub fn type_yourself(&self, fields: &[String]) -> String {
        let fields: Vec<String> = fields.iter().map(|field| self.quote_name(field)).collect();
        scripts::type_yourself(&fields.join(", "), self.locale)
    }

    /// Returns the request to upload a file that the script needs.
    pub fn give_file(&self, file: &str) -> String {
        scripts::give_file(&self.quote_name(file), self.locale)
    }

    /// Returns the final response of a completed script; `read` holds the names and values of results.
    pub fn completed_response(&self, read: &[(String, String)], repaired: &[usize]) -> String {
        let mut out = scripts::all_steps_done(self.steps.len(), self.locale);
        for (index, (name, value)) in read.iter().enumerate() {
            let gap = if index == 0 { "\n\n" } else { "\n" };
            let _ = write!(out, "{gap}- {}: {}", plain(name), plain(&truncate_within(value, WORDS)));
        }
        self.push_repaired_steps(&mut out, repaired);
        out
    }

    /// Appends the list of steps that a model repaired.
    pub fn push_repaired_steps(&self, out: &mut String, repaired: &[usize]) {
        if repaired.is_empty() {
            return;
        }
        let head = scripts::steps_mended(self.locale);
        let _ = write!(out, "\n\n{head}");
        for (index, at) in repaired.iter().enumerate() {
            let gap = if index == 0 { "\n\n" } else { "\n" };
            let what = self.steps.get(*at).map(|step| self.describe_step(step)).unwrap_or_default();
            let _ = write!(out, "{gap}- {}: {what}", self.format_step_number(*at));
        }
    }

    /// Reply to a message sent while the script is played.
    pub fn takes_no_messages(&self) -> &'static str {
        scripts::takes_no_messages(self.locale)
    }
}

fn display_value(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(display_value).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    };
    typed_secret::mask_placeholders(&text)
}
