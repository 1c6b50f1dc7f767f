//! Closed shadow roots. The walker cannot see them, but knows which elements could have one. Chromium is
//! asked about those once, and the roots are passed to the walker.

use crate::browser::cdp::message::RawCommand;
use crate::browser::error::PageError;
use crate::browser::page::tab::Tab;
use futures_util::future::join_all;
use serde_json::{Value, json};

/// Passes to the walker the closed shadow roots of its candidates: the `suspects` of an observation, or the
/// elements that are `unseen` by any. Returns true if there are any: then there is more to observe.
pub async fn pass_roots(frame_tab: &Tab, candidates: &str) -> Result<bool, PageError> {
    let list = frame_tab.object(&format!("askfirst.{candidates}()")).await?;
    let items = frame_tab
        .call(RawCommand::new("Runtime.getProperties", json!({"objectId": list, "ownProperties": true})));
    let items = items.await?;
    let hosts = items["result"].as_array().into_iter().flatten().filter_map(|item| {
        item["enumerable"].as_bool().filter(|enumerable| *enumerable)?;
        item.pointer("/value/objectId").and_then(Value::as_str)
    });
    let passed = join_all(hosts.map(|host| pass_root(frame_tab, host))).await;
    frame_tab.session.post(RawCommand::new("Runtime.releaseObject", json!({"objectId": list})));
    // An element that went away meanwhile is skipped.
    Ok(passed.into_iter().any(|passed| passed.unwrap_or_default()))
}

async fn pass_root(frame_tab: &Tab, host: &str) -> Result<bool, PageError> {
    let described = frame_tab.call(RawCommand::new("DOM.describeNode", json!({"objectId": host}))).await?;
    frame_tab.session.post(RawCommand::new("Runtime.releaseObject", json!({"objectId": host})));
    let roots = described.pointer("/node/shadowRoots").and_then(Value::as_array);
    // Chromium's own controls have shadow roots of another type.
    let closed = roots.into_iter().flatten().find(|root| root["shadowRootType"] == "closed");
    let Some(node) = closed.and_then(|root| root["backendNodeId"].as_i64()) else { return Ok(false) };
    let world = frame_tab.world().await?;
    let params = json!({"backendNodeId": node, "executionContextId": world});
    let root = frame_tab.call(RawCommand::new("DOM.resolveNode", params)).await?;
    let root = root.pointer("/object/objectId").and_then(Value::as_str).unwrap_or_default();
    let params = json!({
        "objectId": root,
        "functionDeclaration": "function () { return askfirst.adopt(this); }",
        "returnByValue": true,
    });
    let passed = frame_tab.call(RawCommand::new("Runtime.callFunctionOn", params)).await?;
    frame_tab.session.post(RawCommand::new("Runtime.releaseObject", json!({"objectId": root})));
    Ok(passed.pointer("/result/value").and_then(Value::as_bool).unwrap_or_default())
}
