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

/// What was typed and chosen, but for secrets: passwords, one-time codes, cards.
const READ: &str = r#"(() => {
  const secret = (el) => el.type === "password" || el.type === "file" || el.type === "hidden" ||
    /cc-|one-time-code|password/.test(el.autocomplete || "") ||
    /card|cvv|cvc|iban|passw|otp/i.test(`${el.name} ${el.id}`);
  const fields = [];
  [...document.querySelectorAll("input, textarea, select")].slice(0, 2000).forEach((el, index) => {
    const tag = el.localName, name = el.name || el.id || "";
    if (secret(el)) return;
    if (el.type === "checkbox" || el.type === "radio") {
      if (el.checked !== el.defaultChecked) fields.push({index, tag, name, value: null, checked: el.checked});
    } else if (tag === "select") {
      if ([...el.options].some((o) => o.selected !== o.defaultSelected)) fields.push({index, tag, name, value: el.value, checked: null});
    } else if (el.value !== el.defaultValue) fields.push({index, tag, name, value: el.value.slice(0, 20000), checked: null});
  });
  return {url: location.href, fields, scroll: [scrollX, scrollY]};
})()"#;

const WRITE: &str = r#"((fields, [x, y]) => {
  const all = [...document.querySelectorAll("input, textarea, select")];
  const setter = (el) => Object.getOwnPropertyDescriptor(Object.getPrototypeOf(el), "value").set;
  for (const {index, tag, name, value, checked} of fields) {
    const fits = (el) => el && el.localName === tag && (el.name || el.id || "") === name;
    const el = fits(all[index]) ? all[index] : name === "" ? null : all.find(fits);
    if (!el || el.disabled) continue;
    if (checked !== null) el.checked = checked; else setter(el).call(el, value);
    el.dispatchEvent(new Event("input", {bubbles: true, composed: true}));
    el.dispatchEvent(new Event("change", {bubbles: true}));
  }
  scrollTo({left: x, top: y, behavior: "instant"});
})"#;

#[derive(Deserialize)]
struct Page {
    url: String,
    fields: Vec<Field>,
    scroll: (f64, f64),
}

pub async fn take(window: &Window) -> Result<Snapshot, Fault> {
    let tab = window.current()?;
    let (page, cookies) = tokio::try_join!(tab.run::<Page>(READ), cookies::read(window))?;
    Ok(Snapshot { url: page.url, fields: page.fields, scroll: page.scroll, cookies })
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
    tab.run::<Value>(&format!("{WRITE}({fields}, [{left}, {top}])")).await.map(|_| ())
}
