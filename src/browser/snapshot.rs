//! What a new Chromium needs to stand where this one stands: address, cookies, what had been typed.
//! Secrets that were typed are not in it.

use super::act::settle::Settling;
use super::act::{keyboard::quoted, navigate};
use super::cookies;
use super::fault::Fault;
use super::tab::Tab;
use super::window::Window;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

/// Kept as JSON in the store.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Snapshot {
    pub url: String,
    /// As CDP's `Network.CookieParam`.
    pub cookies: Vec<Value>,
    pub fields: Vec<Field>,
    /// CSS pixels: left, top.
    pub scroll: (f64, f64),
}

/// One field of the page that differs from what the page came with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Its place among the fields of the page, and two marks that must fit to find it again.
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

pub async fn take(window: &Window) -> Result<Snapshot, Fault> {
    let tab = window.current()?;
    let (page, cookies) = tokio::try_join!(tab.ask::<Page>("heldFields()"), cookies::read(window))?;
    let Page { url, mut fields, scroll } = page;
    // Secrets that have names may be typed anywhere by hand.
    let keys = tab.session.keys();
    let (url, _) = keys.hidden_in((url, String::new()));
    let known = keys.known();
    let holds = |value: &String| known.iter().any(|known| value.contains(&known.value));
    fields.retain(|field| !field.value.as_ref().is_some_and(holds));
    Ok(Snapshot { url, fields, scroll, cookies })
}

/// Goes to the address and puts back what had been typed.
pub async fn reopen(tab: &Tab, snapshot: &Snapshot, limit: Duration) -> Result<(), Fault> {
    if snapshot.url.is_empty() || snapshot.url == "about:blank" {
        return Ok(());
    }
    let url = navigate::address(&snapshot.url)?;
    let mut settling = Settling::begin(tab, limit);
    navigate::navigate(tab, &mut settling, &url).await?;
    settling.settle().await?;
    let fields = serde_json::to_string(&snapshot.fields).unwrap_or_else(|_| quoted(""));
    let (left, top) = snapshot.scroll;
    tab.ask::<Value>(&format!("putBack({fields}, [{left}, {top}])")).await.map(|_| ())
}
