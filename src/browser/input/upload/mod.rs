//! Uploading files of the run: into a file field, through the file chooser or picker that a click opens, or by dropping
//! them on a zone.

pub mod file_drop;
pub mod file_picker;

use crate::browser::cdp::message::{CdpEvents, RawCommand};
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::pointer;
use crate::browser::input::upload::file_picker::FilePicker;
use crate::browser::page::context::PageContext;
use crate::browser::page::tab::Tab;
use crate::turn::page_input::mouse::ClickInput;
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
    /// True if it listens for drops and is no button.
    #[serde(default)]
    drops: bool,
}

/// Sets the files; the page receives the events of a person's choice. What is no file field is clicked, for the chooser
/// that it opens, or the files are dropped on it.
pub async fn upload(context: &PageContext, tab: &Tab, eid: u32, names: &[String]) -> Result<(), PageError> {
    let paths = names.iter().map(|name| path(context, name)).collect::<Result<Vec<_>, _>>()?;
    let frame_tab = tab.frame_of_element(eid);
    let field: FileFieldCheck = frame_tab.call_script(&format!("fileField({eid})")).await?;
    if field.is {
        check_file_count(field.multiple, names)?;
        let object = frame_tab.object(&format!("askfirst.fileNode({eid})")).await?;
        return set_files(&frame_tab, json!({"files": paths, "objectId": object})).await;
    }
    // A press could do anything on what only takes drops.
    if field.drops && file_drop::drop_files(tab, eid, &paths).await? {
        return Ok(());
    }
    match choose(context, tab, &frame_tab, (eid, &paths)).await? {
        Some(Chosen::Chooser { node, multiple }) => {
            reject_folder_field(&frame_tab, node).await?;
            check_file_count(multiple, names)?;
            set_files(&frame_tab, json!({"files": paths, "backendNodeId": node})).await
        }
        Some(Chosen::Picker) => Ok(()),
        None if !field.drops && file_drop::drop_files(tab, eid, &paths).await? => Ok(()),
        None => {
            let message = format!(
                "[{eid}] is no file field, opens no chooser of files and takes no dropped files; use the field, the \
                 button that opens it, or the zone for drops"
            );
            Err(PageError::new(ErrorCode::NoFileField, message))
        }
    }
}

/// Way in which the page asked for files after the click.
enum Chosen {
    /// A chooser of a file field.
    Chooser { node: i64, multiple: bool },
    /// The picker of the File System Access API, which has got them.
    Picker,
}

/// Clicks the element and waits for what the page opens; `None` if that is nothing.
async fn choose(
    context: &PageContext,
    tab: &Tab,
    frame_tab: &Tab,
    (eid, paths): (u32, &[String]),
) -> Result<Option<Chosen>, PageError> {
    let _guard = context.handle_chooser();
    let mut events = frame_tab.session.listen();
    let picker = FilePicker::offer(frame_tab, paths).await;
    pointer::click(tab, eid, context.viewport, &ClickInput::once()).await?;
    let opened = async {
        tokio::select! {
            chooser = wait_for_chooser(&mut events) => {
                chooser.map(|(node, multiple)| Chosen::Chooser { node, multiple })
            }
            () = picker.wait_until_used() => Some(Chosen::Picker),
        }
    };
    let chosen = tokio::time::timeout(CHOOSER, opened).await.ok().flatten();
    picker.withdraw().await;
    Ok(chosen)
}

async fn wait_for_chooser(events: &mut CdpEvents) -> Option<(i64, bool)> {
    while let Some(event) = events.recv().await {
        if event.method == "Page.fileChooserOpened" {
            // Pickers of scripts have no field.
            let Some(node) = event.params.get("backendNodeId").and_then(Value::as_i64) else { continue };
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
