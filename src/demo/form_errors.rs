//! Errors of a form, by field, in the visitor's language.

use crate::demo::locale::Lang;
use serde::Serialize;
use std::collections::BTreeMap;

const LONGEST_LINE: usize = 200;
const LONGEST_TEXT: usize = 2000;

#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct FormErrors {
    fields: BTreeMap<&'static str, String>,
    #[serde(skip)]
    lang: Lang,
}

impl FormErrors {
    pub fn none(lang: Lang) -> Self {
        Self { fields: BTreeMap::new(), lang }
    }

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Adds an error if `wrong`. The first error of a field is kept.
    pub fn add_if(&mut self, wrong: bool, field: &'static str, text: &str) {
        if wrong && !self.fields.contains_key(field) {
            self.fields.insert(field, self.lang.text(text));
        }
    }

    /// Checks a required line.
    pub fn line(&mut self, field: &'static str, value: &str) {
        self.add_if(value.trim().is_empty(), field, "errors.empty");
        self.add_if(value.chars().count() > LONGEST_LINE, field, "errors.too_long");
    }

    /// Checks a required longer text.
    pub fn text(&mut self, field: &'static str, value: &str) {
        self.add_if(value.trim().is_empty(), field, "errors.empty");
        self.add_if(value.chars().count() > LONGEST_TEXT, field, "errors.too_long");
    }

    pub fn email(&mut self, field: &'static str, value: &str) {
        self.line(field, value);
        self.add_if(!is_email(value), field, "errors.email");
    }

    pub fn new_password(&mut self, field: &'static str, value: &str) {
        self.add_if(value.chars().count() < 8, field, "errors.password");
        self.add_if(value.chars().count() > LONGEST_LINE, field, "errors.too_long");
    }
}

/// Checks the form of an address only loosely, because the shop sends no mail.
pub fn is_email(text: &str) -> bool {
    let parts = text.trim().split_once('@');
    let plain = !text.trim().contains(char::is_whitespace) && text.chars().count() <= LONGEST_LINE;
    plain && parts.is_some_and(|(name, host)| !name.is_empty() && host.contains('.') && !host.contains('@'))
}
