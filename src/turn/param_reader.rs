//! Reads one call's parameters; its errors name the parameter and what it should be.

use crate::turn::action::ActionError;
use crate::turn::lenient_parse::call_shape::describe;
use crate::turn::lenient_parse::element_number::read_element_number;
use crate::turn::page_input::fields::{FieldInput, FieldValue};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Reads the parameters of one call.
pub(crate) struct ParamReader<'a> {
    pub action: &'a str,
    pub params: &'a Map<String, Value>,
}

impl ParamReader<'_> {
    /// Creates the error of a parameter of this action.
    pub fn fail(&self, message: String) -> ActionError {
        ActionError::Params { action: self.action.to_owned(), message }
    }

    /// Returns a parameter; `None` if it is absent or null.
    pub fn find_value(&self, name: &str) -> Option<&Value> {
        self.params.get(name).filter(|value| !value.is_null())
    }

    /// Reads an optional parameter, also a number, a switch or a word of a list that was written as text. Fails
    /// if it has another type.
    pub fn optional<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, ActionError> {
        self.find_value(name)
            .map(|value| {
                read_leniently(value).map_err(|fault| {
                    self.fail(format!(
                        "`{name}` is not what it should be: {fault} (it is {})",
                        describe(value)
                    ))
                })
            })
            .transpose()
    }

    /// Reads a parameter with a default. Fails if it has another type.
    pub fn or<T: DeserializeOwned>(&self, name: &str, default: T) -> Result<T, ActionError> {
        Ok(self.optional(name)?.unwrap_or(default))
    }

    /// Reads a required text that is not blank.
    pub fn text(&self, name: &str) -> Result<String, ActionError> {
        let text: String =
            self.optional(name)?.ok_or_else(|| self.fail(format!("`{name}` (a string) is missing")))?;
        if text.trim().is_empty() {
            return Err(self.fail(format!("`{name}` is empty")));
        }
        Ok(text)
    }

    /// Reads a text that may be empty; a number is converted, as weak models write one.
    pub fn text_or_number(&self, name: &str) -> Result<String, ActionError> {
        match self.find_value(name) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(Value::Number(number)) => Ok(number.to_string()),
            Some(_) => Err(self.fail(format!("`{name}` must be a string"))),
            None => Err(self.fail(format!("`{name}` (a string) is missing"))),
        }
    }

    /// Reads a text, a number or a list of texts as a list. Fails if it is empty.
    pub fn texts(&self, name: &str) -> Result<Vec<String>, ActionError> {
        match self.find_value(name) {
            Some(Value::String(text)) => Ok(vec![text.clone()]),
            Some(Value::Number(number)) => Ok(vec![number.to_string()]),
            _ => {
                let list: Vec<String> = self.or(name, Vec::new())?;
                if list.is_empty() {
                    return Err(
                        self.fail(format!("`{name}` (a label or value, or a list of them) is missing"))
                    );
                }
                Ok(list)
            }
        }
    }

    /// Reads a list like `texts`; an empty list is valid and means none.
    pub fn texts_or_none(&self, name: &str) -> Result<Vec<String>, ActionError> {
        match self.find_value(name) {
            Some(Value::Array(list)) if list.is_empty() => Ok(Vec::new()),
            _ => self.texts(name),
        }
    }

    /// Reads an optional text; a blank one counts as absent.
    pub fn optional_text(&self, name: &str) -> Result<Option<String>, ActionError> {
        let text: Option<String> = self.optional(name)?;
        Ok(text.filter(|text| !text.trim().is_empty()))
    }

    /// Reads the fields of `fill`.
    pub fn fields(&self) -> Result<Vec<FieldInput>, ActionError> {
        let listed = match self.find_value("fields") {
            Some(Value::Array(listed)) if !listed.is_empty() => listed.as_slice(),
            Some(field @ Value::Object(_)) => std::slice::from_ref(field),
            _ => {
                let message = "`fields` (a list of {eid, text or option or checked}) is missing";
                return Err(self.fail(String::from(message)));
            }
        };
        listed.iter().enumerate().map(|(index, field)| self.field(index + 1, field)).collect()
    }

    fn field(&self, number: usize, field: &Value) -> Result<FieldInput, ActionError> {
        let fault = |what: &str| self.fail(format!("field {number} {what}"));
        let eid =
            read_element_number(&field["eid"]).ok_or_else(|| fault("lacks `eid`, the number in brackets"))?;
        let params = field.as_object().cloned().unwrap_or_default();
        let reader = ParamReader { action: self.action, params: &params };
        let mut values = Vec::new();
        if reader.find_value("text").is_some() {
            values.push(FieldValue::Text(reader.text_or_number("text")?));
        }
        if reader.find_value("option").is_some() {
            values.push(FieldValue::Options(reader.texts_or_none("option")?));
        }
        if let Some(checked) = reader.optional("checked")? {
            values.push(FieldValue::Checked(checked));
        }
        match (values.pop(), values.is_empty()) {
            (Some(value), true) => Ok(FieldInput { eid, value }),
            (Some(_), false) => Err(fault("has several values; give `text`, `option` or `checked`")),
            (None, _) => Err(fault("has no value; give `text`, `option` or `checked`")),
        }
    }

    /// Reads a map, or a map as JSON in a string, as the strict schema requests it; empty if absent.
    pub fn map(&self, name: &str) -> Result<Map<String, Value>, ActionError> {
        match self.find_value(name) {
            Some(Value::String(text)) if text.trim().is_empty() => Ok(Map::new()),
            Some(Value::String(text)) => serde_json::from_str(text)
                .map_err(|fault| self.fail(format!("`{name}` is not the JSON of a map: {fault}"))),
            _ => self.or(name, Map::new()),
        }
    }

    /// Reads the required element id `eid`.
    pub fn eid(&self) -> Result<u32, ActionError> {
        self.eid_named("eid")
    }

    /// Reads a required element id of another name.
    pub fn eid_named(&self, name: &str) -> Result<u32, ActionError> {
        let what = "the number in brackets of an element on the page";
        self.optional_eid(name)?.ok_or_else(|| self.fail(format!("`{name}` ({what}) is missing")))
    }

    /// Reads an optional element id. Fails if it could be another one.
    pub fn optional_eid(&self, name: &str) -> Result<Option<u32>, ActionError> {
        let what = "the number in brackets of one element on the page, such as 29";
        let read = |value: &Value| {
            let fault = || self.fail(format!("`{name}` must be {what}, not {}", describe(value)));
            read_element_number(value).ok_or_else(fault)
        };
        self.find_value(name).map(read).transpose()
    }

    /// Reads a required parameter. `what` describes it in the error.
    pub fn require<T: DeserializeOwned>(&self, name: &str, what: &str) -> Result<T, ActionError> {
        self.optional(name)?.ok_or_else(|| self.fail(format!("`{name}` ({what}) is missing")))
    }
}

/// Deserializes a value, or what it was probably meant as: the number or switch in a text, the word in other case,
/// the text of a number, the item of a list of one. The first reading that has the right type counts.
fn read_leniently<T: DeserializeOwned>(value: &Value) -> Result<T, serde_json::Error> {
    let fault = match T::deserialize(value) {
        Ok(read) => return Ok(read),
        Err(fault) => fault,
    };
    let others: Vec<Value> = match value {
        Value::String(text) => {
            let lower = text.trim().to_lowercase();
            let plain: Option<Value> = serde_json::from_str(&lower).ok();
            let word = Value::String(lower);
            plain.into_iter().chain([word, Value::Array(vec![value.clone()])]).collect()
        }
        Value::Number(number) => {
            let whole = number.as_f64().filter(|exact| exact.fract() == 0.0 && exact.abs() < 1e15);
            // Whole numbers in this range are exact in `f64`.
            let whole = whole.map(|exact| Value::from(exact as i64));
            whole.into_iter().chain([Value::String(number.to_string())]).collect()
        }
        Value::Array(items) if items.len() == 1 => items.clone(),
        Value::Array(_) | Value::Object(_) | Value::Null | Value::Bool(_) => Vec::new(),
    };
    others.iter().find_map(|other| T::deserialize(other).ok()).ok_or(fault)
}
