//! Picker of the File System Access API (`showOpenFilePicker`). Chromium gives no files to it, so that it is replaced in
//! the page while a file is uploaded.

use crate::browser::cdp::message::RawCommand;
use crate::browser::page::tab::Tab;
use serde_json::{Value, json};
use std::time::Duration;

/// Time between two looks whether the page has used the picker.
const CHECK: Duration = Duration::from_millis(60);

/// Replaces the picker until it is used or withdrawn. `this` is a field that holds the files. Returns true if there is a
/// picker.
const OFFER: &str = r#"function () {
  if (typeof showOpenFilePicker !== "function") return false;
  const field = this;
  const own = Object.getOwnPropertyDescriptor(window, "showOpenFilePicker");
  const restore = () => {
    if (own) Object.defineProperty(window, "showOpenFilePicker", own);
    else delete window.showOpenFilePicker;
  };
  const fixed = (value) => ({ value, enumerable: true });
  const handle = (file) => Object.create(FileSystemFileHandle.prototype, {
    kind: fixed("file"), name: fixed(file.name), getFile: fixed(async () => file),
    queryPermission: fixed(async () => "granted"), requestPermission: fixed(async () => "granted"),
    isSameEntry: fixed(async (other) => other?.name === file.name),
  });
  const offer = { used: false, restore };
  Object.defineProperty(field, "askfirstOffer", { value: offer });
  window.showOpenFilePicker = async (options) => {
    offer.used = true;
    restore();
    const files = Array.from(field.files);
    return (options?.multiple ? files : files.slice(0, 1)).map(handle);
  };
  return true;
}"#;
const IS_USED: &str = "function () { return this.askfirstOffer?.used === true; }";
const WITHDRAW: &str =
    "function () { if (this.askfirstOffer?.used === false) this.askfirstOffer.restore(); return true; }";

/// Offer of files to the picker of a page.
pub struct FilePicker<'a> {
    tab: &'a Tab,
    /// Object id, in the page's own world, of the field that holds the files; `None` where there is no picker.
    field: Option<String>,
}

impl<'a> FilePicker<'a> {
    pub async fn offer(tab: &'a Tab, paths: &[String]) -> Self {
        let field = field_with_files(tab, paths).await;
        let mut picker = Self { tab, field };
        if picker.run(OFFER).await != Some(true) {
            picker.field = None;
        }
        picker
    }

    /// Resolves when the page has used the picker; never if it has none.
    pub async fn wait_until_used(&self) {
        if self.field.is_none() {
            return std::future::pending().await;
        }
        while self.run(IS_USED).await != Some(true) {
            tokio::time::sleep(CHECK).await;
        }
    }

    pub async fn withdraw(&self) {
        self.run(WITHDRAW).await;
    }

    async fn run(&self, function: &str) -> Option<bool> {
        let params =
            json!({"objectId": self.field.as_ref()?, "functionDeclaration": function, "returnByValue": true});
        let answer = self.tab.call(RawCommand::new("Runtime.callFunctionOn", params)).await.ok()?;
        answer["result"]["value"].as_bool()
    }
}

/// Makes a field with the files that is not part of the page. Returns its object in the page's own world.
async fn field_with_files(tab: &Tab, paths: &[String]) -> Option<String> {
    let made = "Object.assign(document.createElement('input'), { type: 'file', multiple: true })";
    let ours = tab.object(made).await.ok()?;
    let files = json!({"files": paths, "objectId": ours});
    tab.call(RawCommand::new("DOM.setFileInputFiles", files)).await.ok()?;
    let described = tab.call(RawCommand::new("DOM.describeNode", json!({"objectId": ours}))).await.ok()?;
    let params = json!({"backendNodeId": described["node"]["backendNodeId"]});
    let theirs: Value = tab.call(RawCommand::new("DOM.resolveNode", params)).await.ok()?;
    theirs["object"]["objectId"].as_str().map(str::to_owned)
}
