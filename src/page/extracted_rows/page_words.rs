//! Check that values of rows stand in the text of their page. A model that reads rows may invent some; what the page
//! does not show is left out and told. Booleans and values of an `enum` are judgements and cannot be checked.

use crate::page::extracted_rows::Row;
use crate::page::extracted_rows::dates::{Day, days_in};
use crate::page::extracted_rows::numbers::{is_same, numbers_in};
use crate::page::extracted_rows::schema::{RowField, ValueKind};
use serde_json::Value;

/// Words, numbers and days of a text.
pub struct PageWords {
    /// Letters and digits in lower case, with one space around each word.
    words: String,
    numbers: Vec<f64>,
    days: Vec<Day>,
}

/// A value that the page does not show.
#[derive(Clone, Debug, PartialEq)]
pub struct InventedValue {
    /// Names from the row to the value.
    pub name: String,
    pub value: Value,
}

impl PageWords {
    pub fn new(text: &str) -> Self {
        let mut numbers: Vec<f64> = numbers_in(text).into_iter().flat_map(|number| number.readings).collect();
        numbers.sort_by(f64::total_cmp);
        Self { words: bare_words(text), numbers, days: days_in(text) }
    }

    /// Replaces each value that the page does not show by null, and returns these values. A row of which nothing that
    /// can be checked remains becomes `None`.
    pub fn check_row(&self, fields: &[RowField], row: Row) -> (Option<Row>, Vec<InventedValue>) {
        let mut invented = Vec::new();
        let mut shown = 0;
        let row = self.check_fields(fields, row, "", (&mut shown, &mut invented));
        ((shown > 0).then_some(row), invented)
    }

    fn check_fields(
        &self,
        fields: &[RowField],
        mut row: Row,
        within: &str,
        found: (&mut usize, &mut Vec<InventedValue>),
    ) -> Row {
        for field in fields {
            let name =
                if within.is_empty() { field.name.clone() } else { format!("{within}.{}", field.name) };
            if let Some(value) = row.get_mut(&field.name) {
                *value = self.check_value(&field.kind, value.take(), &name, (&mut *found.0, &mut *found.1));
            }
        }
        row
    }

    fn check_value(
        &self,
        kind: &ValueKind,
        value: Value,
        name: &str,
        (shown, invented): (&mut usize, &mut Vec<InventedValue>),
    ) -> Value {
        match (kind, value) {
            (ValueKind::Object(fields), Value::Object(members)) => {
                Value::Object(self.check_fields(fields, members, name, (shown, invented)))
            }
            (ValueKind::List(items), Value::Array(listed)) => {
                let checked = listed
                    .into_iter()
                    .map(|item| self.check_value(items, item, name, (&mut *shown, &mut *invented)));
                Value::Array(checked.filter(|item| !item.is_null()).collect())
            }
            (ValueKind::Boolean | ValueKind::Choice(_), value) => value,
            (_, Value::Null) => Value::Null,
            (_, value) if self.shows(&value) => {
                *shown += 1;
                value
            }
            (_, value) => {
                invented.push(InventedValue { name: name.to_owned(), value });
                Value::Null
            }
        }
    }

    /// Reports whether the text has this value: a text in one piece, a number or day in any form.
    pub fn shows(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.has_words(text) || self.has_day(text),
            Value::Number(number) => number.as_f64().is_some_and(|number| self.has_number(number)),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => true,
        }
    }

    fn has_words(&self, text: &str) -> bool {
        let words = bare_words(text);
        // A value of signs alone cannot be looked up.
        !words.trim().is_empty() && self.words.contains(&words)
    }

    /// A sign may be a word of the page: "12 below zero", a debit in a column of its own.
    fn has_number(&self, number: f64) -> bool {
        [number, number.abs()].into_iter().any(|number| {
            let at = self.numbers.partition_point(|other| *other < number && !is_same(*other, number));
            self.numbers.get(at).is_some_and(|other| is_same(*other, number))
        })
    }

    fn has_day(&self, text: &str) -> bool {
        let day = Day::parse_iso(text).filter(|_| text.trim().len() == 10);
        day.is_some_and(|day| self.days.iter().any(|written| day.may_be(*written)))
    }
}

/// Returns the words of a text in lower case, without punctuation and with one space on each side.
fn bare_words(text: &str) -> String {
    let mut bare = String::from(" ");
    for c in text.chars() {
        if c.is_alphanumeric() || matches!(c, '$' | '€' | '£' | '₴') {
            bare.extend(c.to_lowercase());
        } else if !bare.ends_with(' ') {
            bare.push(' ');
        }
    }
    if !bare.ends_with(' ') {
        bare.push(' ');
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PAGE: &str = "# Lamps\n| Blue *lamp*, small | 1 234,50 грн | in stock since 4 May 2026 |\n- Maker: \"Sun & Co\", Lviv\n[more](http://shop.test/lamps/7?x=1)\n-5 °C, 15 %";

    #[test]
    fn values_of_the_page_are_found_in_any_form() {
        let page = PageWords::new(PAGE);
        for value in [
            json!("Blue lamp"),
            json!("blue lamp, small"),
            json!("Sun & Co"),
            json!("1 234,50 грн"),
            json!("http://shop.test/lamps/7?x=1"),
            json!(1234.5),
            json!(-5),
            json!(0.15),
            json!("2026-05-04"),
        ] {
            assert!(page.shows(&value), "{value}");
        }
        for value in [
            json!("Red lamp"),
            json!("amp"),
            json!("Lamps Lviv"),
            json!(1235),
            json!("2026-05-05"),
            json!("•"),
        ] {
            assert!(!page.shows(&value), "{value}");
        }
    }

    #[test]
    fn invented_values_are_left_out_and_told() {
        let field =
            |name: &str, kind| RowField { name: name.to_owned(), required: false, description: None, kind };
        let maker = ValueKind::Object(vec![field("city", ValueKind::Text)]);
        let fields = [
            field("name", ValueKind::Text),
            field("price", ValueKind::Number),
            field("maker", maker),
            field("tags", ValueKind::List(Box::new(ValueKind::Text))),
            field("good", ValueKind::Boolean),
        ];
        let check = |row: Value| {
            let row = row.as_object().cloned().unwrap_or_default();
            PageWords::new(PAGE).check_row(&fields, row)
        };
        let (row, invented) = check(json!({
            "name": "Blue lamp", "price": 99, "maker": {"city": "Paris"}, "tags": ["small", "cheap"], "good": true,
        }));
        assert_eq!(
            json!(row),
            json!({"name": "Blue lamp", "price": null, "maker": {"city": null}, "tags": ["small"], "good": true})
        );
        let told: Vec<&str> = invented.iter().map(|value| value.name.as_str()).collect();
        assert_eq!(told, ["price", "maker.city", "tags"]);
        let (row, invented) = check(json!({"name": "Golden lamp", "price": 77, "good": true}));
        assert_eq!((row, invented.len()), (None, 2));
    }
}
