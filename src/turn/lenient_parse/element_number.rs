//! Element ids as models write them: the number, or the number with its brackets or its name around it.

use serde_json::Value;

/// Words that may stand before the number.
const NAMES: [&str; 4] = ["element", "eid", "ref", "e"];

/// Reads an element id: `29`, `29.0`, `"29"`, `"[29]"`, `"eid 29"`, `"e29"`, a list of one of them, or a line of
/// the page with one number in brackets. `None` if there is no number, or if it could be another one.
pub(crate) fn read_element_number(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => match number.as_u64() {
            Some(whole) => u32::try_from(whole).ok(),
            None => {
                let exact = number.as_f64().filter(|exact| exact.fract() == 0.0)?;
                // Whole numbers in this range are exact in `f64`.
                (0.0..=f64::from(u32::MAX)).contains(&exact).then_some(exact as u32)
            }
        },
        Value::String(text) => read_text(text.trim()),
        Value::Array(items) => match items.as_slice() {
            [one] if !one.is_array() => read_element_number(one),
            _ => None,
        },
        Value::Null | Value::Bool(_) | Value::Object(_) => None,
    }
}

fn read_text(text: &str) -> Option<u32> {
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    read_named(inner.trim()).or_else(|| read_only_bracketed(text))
}

/// Reads a number, alone or after its name.
fn read_named(text: &str) -> Option<u32> {
    let lower = text.to_ascii_lowercase();
    let named = NAMES.iter().find_map(|name| lower.strip_prefix(name)).unwrap_or(&lower);
    let number = named.trim_start_matches([' ', ':', '=', '#', '[']).trim_end_matches([']', ' ']);
    let whole = number.strip_suffix(".0").unwrap_or(number);
    whole.bytes().all(|byte| byte.is_ascii_digit()).then(|| whole.parse().ok()).flatten()
}

/// Reads the number in brackets of a copied line; `None` if the line has several.
fn read_only_bracketed(text: &str) -> Option<u32> {
    let mut numbers = text.split('[').skip(1).filter_map(|rest| rest.split_once(']')?.0.trim().parse().ok());
    let first = numbers.next()?;
    numbers.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn element_numbers_are_read_in_the_ways_that_models_write_them() {
        for value in [
            json!(29),
            json!(29.0),
            json!("29"),
            json!(" [29] "),
            json!("eid 29"),
            json!("eid=29"),
            json!("[eid: 29]"),
            json!("EID [29]"),
            json!("#29"),
            json!("e29"),
            json!("element 29"),
            json!("29.0"),
            json!([29]),
            json!(["[29]"]),
            json!("- button \"Place order\" [29]"),
        ] {
            assert_eq!(read_element_number(&value), Some(29), "{value}");
        }
    }

    #[test]
    fn doubtful_element_numbers_are_not_read() {
        for value in [
            json!(null),
            json!(true),
            json!(-29),
            json!(29.5),
            json!(4_294_967_296_u64),
            json!(""),
            json!("[]"),
            json!("Place order"),
            json!("29 or 30"),
            json!("29, 30"),
            json!("-29"),
            json!("link \"[3]\" [12]"),
            json!([29, 30]),
            json!([]),
            json!({"eid": 29}),
        ] {
            assert_eq!(read_element_number(&value), None, "{value}");
        }
    }
}
