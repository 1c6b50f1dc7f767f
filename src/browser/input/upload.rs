//! Uploading files of the run: into a file field, or through the file chooser that a click opens.

use crate::browser::cdp::message::{CdpEvents, RawCommand};
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::pointer;
use crate::browser::page::context::PageContext;
use crate::browser::page::tab::Tab;
use crate::turn::action::Button;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// Time within which a chooser opens after the click, if at all.
const CHOOSER: Duration = Duration::from_secs(3);

const TAKES_FOLDER: &str =
    "what it opens takes a whole folder, and this run has single files; look for a field that takes files";

#[derive(Debug, Deserialize)]
struct FileFieldCheck {
    /// True if the element, or the element that it labels, is a file field.
    is: bool,
    #[serde(default)]
    multiple: bool,
}

/// Sets the files; the page receives the events of a person's choice.
pub async fn upload(context: &PageContext, tab: &Tab, eid: u32, names: &[String]) -> Result<(), PageError> {
    let paths = names.iter().map(|name| path(context, name)).collect::<Result<Vec<_>, _>>()?;
    let frame_tab = tab.frame_of_element(eid);
    let field: FileFieldCheck = frame_tab.call_script(&format!("fileField({eid})")).await?;
    if field.is {
        check_file_count(field.multiple, names)?;
        let object = frame_tab.object(&format!("askfirst.fileNode({eid})")).await?;
        return set_files(&frame_tab, json!({"files": paths, "objectId": object})).await;
    }
    let (node, multiple) = choose(context, tab, &frame_tab, eid).await?;
    reject_folder_field(&frame_tab, node).await?;
    check_file_count(multiple, names)?;
    set_files(&frame_tab, json!({"files": paths, "backendNodeId": node})).await
}

/// Clicks the element and waits for the file chooser that the page opens.
async fn choose(
    context: &PageContext,
    tab: &Tab,
    frame_tab: &Tab,
    eid: u32,
) -> Result<(i64, bool), PageError> {
    let _guard = context.handle_chooser();
    let mut events = frame_tab.session.listen();
    pointer::click(tab, eid, context.viewport, Button::Left, 1).await?;
    let opened = tokio::time::timeout(CHOOSER, wait_for_chooser(&mut events)).await.ok().flatten();
    opened.ok_or_else(|| {
        let message = format!(
            "[{eid}] is no file field and opens no chooser of files; use the field, or the button that opens it"
        );
        PageError::new(ErrorCode::NoFileField, message)
    })
}

async fn wait_for_chooser(events: &mut CdpEvents) -> Option<(i64, bool)> {
    while let Some(event) = events.recv().await {
        if event.method == "Page.fileChooserOpened" {
            let node = event.params.get("backendNodeId").and_then(Value::as_i64)?;
            return Some((node, event.text("/mode") == "selectMultiple"));
        }
    }
    None
}

async fn set_files(frame_tab: &Tab, params: Value) -> Result<(), PageError> {
    frame_tab.call(RawCommand::new("DOM.setFileInputFiles", params)).await.map(|_| ())
}

/// Rejects fields that take a whole folder (`webkitdirectory`).
async fn reject_folder_field(frame_tab: &Tab, node: i64) -> Result<(), PageError> {
    let described =
        frame_tab.call(RawCommand::new("DOM.describeNode", json!({"backendNodeId": node}))).await?;
    let attributes = described["node"]["attributes"].as_array().into_iter().flatten();
    if attributes.step_by(2).any(|name| name == "webkitdirectory") {
        return Err(PageError::new(ErrorCode::NoFileField, TAKES_FOLDER));
    }
    Ok(())
}

pub fn check_file_count(multiple: bool, names: &[String]) -> Result<(), PageError> {
    if multiple || names.len() < 2 {
        return Ok(());
    }
    Err(PageError::new(ErrorCode::OneFile, "the field takes one file; name one"))
}

pub fn path(context: &PageContext, name: &str) -> Result<String, PageError> {
    let found = context.downloads.folder.find(name).and_then(|(path, _)| Some(path.to_str()?.to_owned()));
    found.ok_or_else(|| PageError::new(ErrorCode::NoFile, format!("the run has no file \"{name}\"")))
}
