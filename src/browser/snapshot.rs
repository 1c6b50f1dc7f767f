//! Snapshot for restoring a browser in another Chromium: address, cookies, typed text. Typed secrets are not
//! in it.

use super::act::settle::SettleWait;
use super::act::{keyboard::js_string, navigate};
use super::cookies;
use super::fault::PageError;
use super::tab::Tab;
use super::window::PageContext;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

/// Snapshot of a browser. Stored as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Snapshot {
    pub url: String,
    /// In the form of CDP's `Network.CookieParam`.
    pub cookies: Vec<Value>,
    pub fields: Vec<Field>,
    /// Left and top in CSS pixels.
    pub scroll: (f64, f64),
}

/// A form field whose value differs from the page's initial one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Index among the page's fields; `tag` and `name` must match as well to find the field again.
    pub index: usize,
    pub tag: String,
    pub name: String,
    pub value: Option<String>,
    pub checked: Option<bool>,
}

#[derive(Deserialize)]
struct Page {
    url: String,
    fields: Vec<Field>,
    scroll: (f64, f64),
}

pub async fn take(window: &PageContext) -> Result<Snapshot, PageError> {
    let tab = window.current()?;
    let (page, cookies) = tokio::try_join!(tab.call_script::<Page>("heldFields()"), cookies::read(window))?;
    let Page { url, mut fields, scroll } = page;
    // A person may type named secrets anywhere, so fields that contain one are left out.
    let keys = tab.session.keys();
    let (url, _) = keys.hide_secrets((url, String::new()));
    let known = keys.hidden_values();
    let holds = |value: &String| known.iter().any(|known| value.contains(&known.value));
    fields.retain(|field| !field.value.as_ref().is_some_and(holds));
    Ok(Snapshot { url, fields, scroll, cookies })
}

/// Opens the address and restores the typed text and the scroll position.
pub async fn reopen(tab: &Tab, snapshot: &Snapshot, limit: Duration) -> Result<(), PageError> {
    if snapshot.url.is_empty() || snapshot.url == "about:blank" {
        return Ok(());
    }
    let url = navigate::parse_url(&snapshot.url)?;
    let mut settling = SettleWait::begin(tab, limit);
    navigate::navigate(tab, &mut settling, &url).await?;
    settling.settle().await?;
    let fields = serde_json::to_string(&snapshot.fields).unwrap_or_else(|_| js_string(""));
    let (left, top) = snapshot.scroll;
    tab.call_script::<Value>(&format!("putBack({fields}, [{left}, {top}])")).await.map(|_| ())
}
