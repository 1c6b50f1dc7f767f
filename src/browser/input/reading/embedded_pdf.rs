//! PDFs that a page shows within it. Chromium shows a placeholder for each, which a press saves as a file.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::page::context::PageContext;
use crate::browser::page::frames::query_all;
use crate::browser::page::tab::Tab;

/// Text that `extract` returns for an embedded PDF.
const SAVED: &str = "this is a PDF; it is among the files of this run now";
const NOT_SAVED: &str = "the PDF cannot be saved from within this page; navigate to its address";

/// Reads the text of an element, or of the page. The PDF that an element shows is saved instead.
pub async fn read_text_or_save(
    context: &PageContext,
    tab: &Tab,
    eid: Option<u32>,
) -> Result<String, PageError> {
    match eid {
        Some(eid) if save(context, tab, eid).await? => Ok(SAVED.to_owned()),
        _ => query_all::extract(tab, eid.unwrap_or(0)).await,
    }
}

/// Saves the PDF that an element shows as a file of the run. Returns false if it shows none.
async fn save(context: &PageContext, tab: &Tab, eid: u32) -> Result<bool, PageError> {
    let (frame_tab, inner) = tab.document_of(Some(eid));
    let shows_pdf: bool = frame_tab.act_by_script(&format!("savePdf({inner})")).await?;
    if !shows_pdf {
        return Ok(false);
    }
    match context.downloads.wait_for_begin().await {
        true => Ok(true),
        false => Err(PageError::new(ErrorCode::Timeout, NOT_SAVED)),
    }
}
