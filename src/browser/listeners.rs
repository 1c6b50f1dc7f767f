//! What listens for presses, drops, keys and the coming of the pointer. Chromium knows it of every node, the
//! walker in its own world of none: so the nodes are handed to it. One question for the whole page, beside
//! the picture; only nodes that were not known yet cost more.

use super::fault::Fault;
use super::frames::known::Told;
use super::tab::Tab;
use super::wire::Raw;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// More new ones than that wait for the next look.
const MOST: usize = 300;
const GROUP: &str = "askfirst-listeners";
/// What is listened for, by the letter that the walker knows it by: presses, drops, the pointer's coming,
/// keys, the right button.
const KINDS: [(char, &[&str]); 5] = [
    (
        'p',
        &[
            "click",
            "dblclick",
            "auxclick",
            "mousedown",
            "mouseup",
            "pointerdown",
            "pointerup",
            "touchstart",
            "touchend",
        ],
    ),
    ('d', &["drop", "dragover", "dragenter"]),
    ('h', &["mouseenter", "mouseover", "pointerenter", "pointerover"]),
    ('k', &["keydown", "keyup", "keypress"]),
    ('c', &["contextmenu"]),
];

/// Tells the walker of nodes that listen. True if another look would say more.
pub async fn tell(tab: &Tab) -> Result<bool, Fault> {
    let world = tab.world().await?;
    let document = document(tab, *world.inner()).await?;
    let order = json!({"objectId": document, "depth": -1, "pierce": true});
    let found = tab.call(Raw::new("DOMDebugger.getEventListeners", order)).await?;
    let mut fresh = listening(&found);
    {
        let told = tab.told.borrow();
        fresh.retain(|node, _| !told.nodes.contains(node));
    }
    let fresh: Vec<(i64, String)> = fresh.into_iter().take(MOST).collect();
    if fresh.is_empty() {
        return Ok(false);
    }
    tab.told.borrow_mut().nodes.extend(fresh.iter().map(|(node, _)| node));
    hand_over(tab, *world.inner(), &fresh).await
}

/// The document as the page itself knows it; kept for as long as it lives. Asked with an object of our
/// own world, Chromium mixes up the worlds: getters throw there ("Illegal invocation"), then the renderer
/// dies.
async fn document(tab: &Tab, world: i64) -> Result<String, Fault> {
    if let Told { world: Some(known), document: Some(document), .. } = &*tab.told.borrow()
        && *known == world
    {
        return Ok(document.clone());
    }
    let document = if tab.is_frame() {
        document_of_frame(tab).await?
    } else {
        let order = json!({"expression": "document"});
        let answer = tab.call(Raw::new("Runtime.evaluate", order)).await?;
        answer["result"]["objectId"].as_str().unwrap_or_default().to_owned()
    };
    tab.told.replace(Told { world: Some(world), document: Some(document.clone()), nodes: HashSet::new() });
    Ok(document)
}

/// Of a frame too, be it in the page's process or in another: a node that is resolved without a world is
/// resolved in that of its own page.
async fn document_of_frame(tab: &Tab) -> Result<String, Fault> {
    let ours = tab.object("document").await?;
    let told = tab.call(Raw::new("DOM.describeNode", json!({"objectId": ours}))).await?;
    tab.session.post(Raw::new("Runtime.releaseObject", json!({"objectId": ours})));
    let order = json!({"backendNodeId": told["node"]["backendNodeId"]});
    let answer = tab.call(Raw::new("DOM.resolveNode", order)).await?;
    Ok(answer["object"]["objectId"].as_str().unwrap_or_default().to_owned())
}

/// Nodes and the letters of what they listen for.
fn listening(found: &Value) -> HashMap<i64, String> {
    let mut nodes: HashMap<i64, String> = HashMap::new();
    for listener in found["listeners"].as_array().into_iter().flatten() {
        let (Some(node), Some(kind)) = (listener["backendNodeId"].as_i64(), listener["type"].as_str()) else {
            continue;
        };
        let Some((letter, _)) = KINDS.iter().find(|(_, kinds)| kinds.contains(&kind)) else { continue };
        let letters = nodes.entry(node).or_default();
        if !letters.contains(*letter) {
            letters.push(*letter);
        }
    }
    nodes
}

async fn hand_over(tab: &Tab, world: i64, fresh: &[(i64, String)]) -> Result<bool, Fault> {
    let resolved = join_all(fresh.iter().map(|(node, _)| {
        let order = json!({"backendNodeId": node, "executionContextId": world, "objectGroup": GROUP});
        tab.call(Raw::new("DOM.resolveNode", order))
    }));
    let mut kinds = Vec::new();
    let mut nodes = Vec::new();
    for (answer, (_, letters)) in resolved.await.into_iter().zip(fresh) {
        // One that is gone meanwhile, or belongs to another frame, is not told of.
        if let Some(object) =
            answer.ok().and_then(|answer| answer["object"]["objectId"].as_str().map(str::to_owned))
        {
            kinds.push(letters.as_str());
            nodes.push(json!({"objectId": object}));
        }
    }
    let mut arguments = vec![json!({"value": kinds})];
    arguments.append(&mut nodes);
    let order = json!({
        "functionDeclaration": "(kinds, ...nodes) => askfirst.listens(kinds, ...nodes)",
        "executionContextId": world, "arguments": arguments, "returnByValue": true,
    });
    let answer = tab.call(Raw::new("Runtime.callFunctionOn", order)).await?;
    tab.session.post(Raw::new("Runtime.releaseObjectGroup", json!({"objectGroup": GROUP})));
    Ok(answer["result"]["value"].as_bool().unwrap_or(false))
}
