//! Takes and restores snapshots of the open pages.

use crate::browser::error::PageError;
use crate::browser::injected::js_string;
use crate::browser::input::navigate;
use crate::browser::input::settle::SettleWait;
use crate::browser::page::context::PageContext;
use crate::browser::page::cookies;
use crate::browser::page::tab::Tab;
use crate::browser::snapshot::{FieldSnapshot, Snapshot};
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

#[derive(Deserialize)]
struct PageValues {
    url: String,
    fields: Vec<FieldSnapshot>,
    scroll: (f64, f64),
}

pub(super) async fn take(context: &PageContext) -> Result<Snapshot, PageError> {
    let tab = context.current()?;
    let (page, cookies) =
        tokio::try_join!(tab.call_script::<PageValues>("heldFields()"), cookies::read(context))?;
    let PageValues { url, mut fields, scroll } = page;
    // A person may type named secrets anywhere, so fields that contain one are left out.
    let keys = tab.policy.secrets();
    let (url, _) = keys.hide_secrets((url, String::new()));
    let known = keys.hidden_values();
    let holds = |value: &String| known.iter().any(|known| value.contains(&known.value));
    fields.retain(|field| !field.value.as_ref().is_some_and(holds));
    Ok(Snapshot { url, fields, scroll, cookies })
}

/// Opens the address and restores the typed text and the scroll position.
pub(super) async fn reopen(tab: &Tab, snapshot: &Snapshot, limit: Duration) -> Result<(), PageError> {
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
