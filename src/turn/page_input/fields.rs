//! Fields of the action `fill`.

use serde::{Deserialize, Serialize};

/// Field of the page and its new value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldInput {
    pub eid: u32,
    #[serde(flatten)]
    pub value: FieldValue,
}

/// New value of a field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldValue {
    /// Text that replaces what is there.
    Text(String),
    /// Options of a list, by label or value.
    #[serde(rename = "option")]
    Options(Vec<String>),
    /// State of a checkbox, switch or radio button.
    Checked(bool),
}

impl FieldInput {
    /// Returns the options that are chosen in the field.
    pub fn options(&self) -> &[String] {
        match &self.value {
            FieldValue::Options(options) => options,
            FieldValue::Text(_) | FieldValue::Checked(_) => &[],
        }
    }

    /// Returns the text that is typed into the field.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            FieldValue::Text(text) => Some(text),
            FieldValue::Options(_) | FieldValue::Checked(_) => None,
        }
    }
}
