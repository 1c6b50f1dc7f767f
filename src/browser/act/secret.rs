//! Typing a named secret. This is the last step before the page and the only one that has the value.

use super::keyboard::js_string;
use crate::browser::fault::{ErrorCode, PageError};
use crate::browser::tab::Tab;
use crate::clock::Moment;
use crate::turn::named_secret;
use serde::Deserialize;
use serde_json::Value;

/// Origin and kind of the field, reported by the frame that holds it.
#[derive(Debug, Deserialize)]
struct SecretField {
    origin: String,
    /// "password" or "code"; empty for any other field.
    kind: String,
}

/// Types the secret `name` into an element. The value is sent only after origin and kind of the field were
/// checked; the page script checks both again in the same task as the filling, so that nothing can change in
/// between.
pub async fn type_named(tab: &Tab, eid: u32, name: &str, clear: bool) -> Result<(), PageError> {
    let keys = tab.session.keys();
    let there = tab.frame_of_element(eid);
    let place: SecretField = there.call_script(&format!("secretPlace({eid})")).await?;
    let said = named_secret::placeholder(name);
    if place.kind.is_empty() {
        return Err(misplaced(format!(
            "{said} was not typed: secrets only go into password and one-time-code fields, and [{eid}] is neither"
        )));
    }
    let origins = keys.origins(name);
    if !origins.contains(&place.origin) {
        return Err(misplaced(format!(
            "{said} was not typed: it may only be typed at {}, and [{eid}] belongs to {}",
            origins.join(", "),
            if place.origin == "null" { "a page without an origin" } else { &place.origin }
        )));
    }
    let value = keys.value(name, Moment::now());
    let value = value.ok_or_else(|| misplaced(format!("{said} was not typed: there is no such secret")))?;
    let order = format!("fillSecret({eid}, {clear}, {}, {})", js_string(&value), js_string(&place.origin));
    there.call_script::<Value>(&order).await.map(|_| ())
}

fn misplaced(message: String) -> PageError {
    PageError::new(ErrorCode::SecretMisplaced, message)
}
