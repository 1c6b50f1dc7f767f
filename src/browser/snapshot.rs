//! Snapshot for restoring a browser in another Chromium: address, cookies, typed text. Typed secrets are not
//! in it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Snapshot of a browser. Stored as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Snapshot {
    pub url: String,
    /// In the form of CDP's `Network.CookieParam`.
    pub cookies: Vec<Value>,
    pub fields: Vec<FieldSnapshot>,
    /// Left and top in CSS pixels.
    pub scroll: (f64, f64),
}

/// A form field whose value differs from the page's initial one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldSnapshot {
    /// Index among the page's fields; `tag` and `name` must match as well to find the field again.
    pub index: usize,
    pub tag: String,
    pub name: String,
    pub value: Option<String>,
    pub checked: Option<bool>,
}
