//! Conversion of values that a page or a model gave to the types of a schema, as far as that changes no meaning.

use crate::page::extracted_rows::Row;
use crate::page::extracted_rows::dates::{Day, only_day};
use crate::page::extracted_rows::numbers::first_number;
use crate::page::extracted_rows::schema::{RowField, ValueKind};
use serde_json::Value;

/// Longest text of a value, in characters.
const MAX_TEXT_CHARS: usize = 10_000;
/// Most items of a list within a row.
const MAX_ITEMS: usize = 500;

/// Fits a row: absent members become null, others are left out. The error names the value, for a model.
pub fn fit_row(fields: &[RowField], row: &Value) -> Result<Row, String> {
    let Value::Object(members) = row else { return Err(String::from("a row is no object")) };
    fields
        .iter()
        .map(|field| {
            let value = members.get(&field.name).unwrap_or(&Value::Null);
            let fitted = fit_value(&field.kind, value).map_err(|why| format!("`{}` {why}", field.name))?;
            Ok((field.name.clone(), fitted))
        })
        .collect()
}

/// Fits a value. Null fits every type: the page does not tell the value.
pub fn fit_value(kind: &ValueKind, value: &Value) -> Result<Value, String> {
    if value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty()) {
        return Ok(Value::Null);
    }
    match kind {
        ValueKind::Text => fit_text(value),
        ValueKind::Date => fit_date(value),
        ValueKind::Number if value.is_number() => Ok(value.clone()),
        ValueKind::Number => number_of(value).map(plain_number).ok_or_else(no("number")),
        ValueKind::Integer => fit_integer(value),
        ValueKind::Boolean => fit_boolean(value),
        ValueKind::Choice(choices) => choices
            .iter()
            .find(|choice| is_choice(choice, value))
            .cloned()
            .ok_or_else(|| String::from("is none of the values of its `enum`")),
        ValueKind::Object(fields) => fit_row(fields, value).map(Value::Object),
        ValueKind::List(items) => match value {
            Value::Array(listed) => {
                let fitted = listed.iter().take(MAX_ITEMS).filter(|item| !item.is_null());
                fitted.map(|item| fit_value(items, item)).collect()
            }
            Value::Object(_) | Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => {
                Err(String::from("is no list"))
            }
        },
    }
}

fn no(what: &'static str) -> impl FnOnce() -> String {
    move || format!("is no {what}")
}

fn fit_text(value: &Value) -> Result<Value, String> {
    match value {
        Value::String(text) => Ok(Value::from(text.trim().chars().take(MAX_TEXT_CHARS).collect::<String>())),
        Value::Number(number) => Ok(Value::from(number.to_string())),
        Value::Bool(on) => Ok(Value::from(on.to_string())),
        Value::Array(_) | Value::Object(_) | Value::Null => Err(String::from("is no text")),
    }
}

fn fit_date(value: &Value) -> Result<Value, String> {
    let text = value.as_str().unwrap_or_default();
    let day = Day::parse_iso(text).or_else(|| only_day(text));
    day.and_then(Day::to_iso)
        .map(Value::from)
        .ok_or_else(|| String::from("is no date of the form 2026-05-04"))
}

fn number_of(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => {
            text.trim().parse().ok().filter(|number: &f64| number.is_finite()).or_else(|| first_number(text))
        }
        _ => None,
    }
}

fn fit_integer(value: &Value) -> Result<Value, String> {
    if value.is_i64() || value.is_u64() {
        return Ok(value.clone());
    }
    number_of(value).map(plain_number).filter(Value::is_i64).ok_or_else(no("integer"))
}

/// Returns a number without a fraction of zero.
fn plain_number(number: f64) -> Value {
    // Integers up to 2^53 are exact in `f64`.
    match number.fract() == 0.0 && number.abs() < 9e15 {
        true => Value::from(number as i64),
        false => Value::from(number),
    }
}

fn fit_boolean(value: &Value) -> Result<Value, String> {
    let word = value.as_str().map(str::trim).map(str::to_lowercase);
    match (value, word.as_deref()) {
        (Value::Bool(_), _) => Ok(value.clone()),
        (_, Some("true" | "yes" | "так")) => Ok(Value::Bool(true)),
        (_, Some("false" | "no" | "ні")) => Ok(Value::Bool(false)),
        _ => Err(String::from("is neither true nor false")),
    }
}

/// Compares a value with a choice, without case and punctuation: "In stock" is `in_stock`.
fn is_choice(choice: &Value, value: &Value) -> bool {
    let letters = |text: &str| {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
    };
    match (choice, value) {
        (Value::String(choice), Value::String(text)) => {
            choice == text || (!letters(choice).is_empty() && letters(choice) == letters(text))
        }
        (Value::Number(choice), _) => choice.as_f64().is_some() && choice.as_f64() == number_of(value),
        (choice, value) => choice == value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_converted_where_that_changes_no_meaning() {
        let choice = || ValueKind::Choice(vec![json!("in_stock"), json!("sold out")]);
        let list = || ValueKind::List(Box::new(ValueKind::Integer));
        for (kind, value, fitted) in [
            (ValueKind::Text, json!(" Lamp "), json!("Lamp")),
            (ValueKind::Text, json!(17), json!("17")),
            (ValueKind::Text, json!(""), json!(null)),
            (ValueKind::Number, json!("1 234,50 грн"), json!(1234.5)),
            (ValueKind::Number, json!(3), json!(3)),
            (ValueKind::Number, json!("20.00"), json!(20)),
            (ValueKind::Integer, json!("3,000"), json!(3000)),
            (ValueKind::Integer, json!(4.0), json!(4)),
            (ValueKind::Boolean, json!("Так"), json!(true)),
            (ValueKind::Date, json!("4 травня 2026"), json!("2026-05-04")),
            (ValueKind::Date, json!("2026-05-04T00:00:00Z"), json!("2026-05-04")),
            (choice(), json!("In stock"), json!("in_stock")),
            (ValueKind::Choice(vec![json!(3)]), json!("3"), json!(3)),
            (list(), json!(["1", null, 2]), json!([1, 2])),
            (list(), json!(null), json!(null)),
        ] {
            assert_eq!(fit_value(&kind, &value), Ok(fitted), "{value}");
        }
        for (kind, value) in [
            (ValueKind::Number, json!("cheap")),
            (ValueKind::Number, json!("NaN")),
            (ValueKind::Integer, json!(1.5)),
            (ValueKind::Boolean, json!("maybe")),
            (ValueKind::Date, json!("05/04/2026")),
            (choice(), json!("gone")),
            (ValueKind::Text, json!({"a": 1})),
            (list(), json!("1")),
            (ValueKind::Object(Vec::new()), json!([])),
        ] {
            assert!(fit_value(&kind, &value).is_err(), "{value}");
        }
    }

    #[test]
    fn a_row_has_exactly_the_fields_of_its_schema() {
        let field =
            |name: &str, kind| RowField { name: name.to_owned(), required: true, description: None, kind };
        let fields = [
            field("name", ValueKind::Text),
            field("maker", ValueKind::Object(vec![field("city", ValueKind::Text)])),
        ];
        let row = fit_row(&fields, &json!({"maker": {"city": "Lviv", "x": 1}, "more": true})).expect("a row");
        assert_eq!(json!(row), json!({"name": null, "maker": {"city": "Lviv"}}));
        let fault = fit_row(&fields, &json!({"maker": {"city": []}})).expect_err("no text");
        assert_eq!(fault, "`maker` `city` is no text");
        assert!(fit_row(&fields, &json!("Lamp")).is_err());
    }
}
