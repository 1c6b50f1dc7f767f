//! Style sheets of other sites. No script can read them, but Chromium keeps their texts. The walker needs the rules to
//! know which words style draws, and what shows under the pointer.

use crate::browser::cdp::message::RawCommand;
use crate::browser::error::PageError;
use crate::browser::injected::js_string;
use crate::browser::page::tab::Tab;
use futures_util::future::join_all;
use serde_json::json;

/// Maximum length of a sheet in bytes; a longer one stays unread.
const MAX_SHEET_BYTES: usize = 3_000_000;

/// Passes the texts of the sheets that the walker could not read, each once. Returns true if there are any: then there
/// may be more to observe.
pub async fn pass_sheets(frame_tab: &Tab) -> Result<bool, PageError> {
    let addresses: Vec<String> = frame_tab.call_script("closedSheets()").await?;
    let passed = join_all(addresses.iter().map(|address| pass_sheet(frame_tab, address))).await;
    // A sheet that Chromium has no longer is skipped.
    Ok(passed.into_iter().any(|passed| passed.unwrap_or_default()))
}

async fn pass_sheet(frame_tab: &Tab, address: &str) -> Result<bool, PageError> {
    let params = json!({"frameId": frame_tab.frame_id(), "url": address});
    let content = frame_tab.call(RawCommand::new("Page.getResourceContent", params)).await?;
    let text = content["content"].as_str().unwrap_or_default();
    if text.is_empty() || text.len() > MAX_SHEET_BYTES || content["base64Encoded"] == true {
        return Ok(false);
    }
    frame_tab.call_script(&format!("copySheet({}, {})", js_string(address), js_string(text))).await
}
