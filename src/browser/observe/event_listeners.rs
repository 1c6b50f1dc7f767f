//! Event listeners of a page: presses, drops, keys and hovering. Chromium knows them for every node, the
//! walker in its isolated world for none, so the nodes are passed to it. The page needs one query, concurrent
//! with the screenshot; only new nodes cost more.

use crate::browser::cdp::message::RawCommand;
use crate::browser::error::PageError;
use crate::browser::page::frames::frame_tree::PassedListeners;
use crate::browser::page::tab::Tab;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// Maximum number of new nodes per observation; the rest wait for the next one.
const MOST: usize = 300;
/// Number of event types from which on a node listens for everything below it: the root of a React application, or the
/// container of one of its portals.
const TYPES_OF_ROOT: usize = 25;
/// Event types by the letter that the walker uses: presses, double clicks, those that may begin a drag, drops, hovering,
/// keys, the context menu, the wheel.
const KINDS: [(char, &[&str]); 8] = [
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
    ('2', &["dblclick"]),
    ('g', &["mousedown", "pointerdown", "touchstart"]),
    ('d', &["drop", "dragover", "dragenter"]),
    ('h', &["mouseenter", "mouseover", "pointerenter", "pointerover"]),
    ('k', &["keydown", "keyup", "keypress"]),
    ('c', &["contextmenu"]),
    ('w', &["wheel", "mousewheel"]),
];

/// Types of touches, and of what a mouse sends. A node with the former only has the letter `t`: the page script passes
/// the mouse on to it as touches.
const TOUCHES: [&str; 2] = ["touchstart", "touchend"];
const BY_MOUSE: [&str; 6] = ["click", "mousedown", "mouseup", "pointerdown", "pointerup", "mousemove"];
const ONLY_TOUCHES: char = 't';

/// Types that begin a drag, and types of a plain press. A node with none of the latter has the letter `m`: it may be moved.
const BEGINS_DRAG: [&str; 3] = ["mousedown", "pointerdown", "touchstart"];
const PRESSES: [&str; 6] = ["click", "dblclick", "auxclick", "mouseup", "pointerup", "touchend"];
const MAY_BE_MOVED: char = 'm';

/// Passes the nodes with listeners to the walker. Returns true if another observation would show more.
pub async fn pass_listeners(tab: &Tab) -> Result<bool, PageError> {
    let world = tab.world().await?;
    let document = document(tab, *world.inner()).await?;
    let params = json!({"objectId": document, "depth": -1, "pierce": true});
    let found = tab.call(RawCommand::new("DOMDebugger.getEventListeners", params)).await?;
    let mut fresh = collect_nodes(&found);
    {
        let passed = tab.scripts.listeners.borrow();
        fresh.retain(|node, _| !passed.nodes.contains(node));
    }
    let fresh: Vec<(i64, String)> = fresh.into_iter().take(MOST).collect();
    if fresh.is_empty() {
        return Ok(false);
    }
    let nodes: Vec<i64> = fresh.iter().map(|(node, _)| *node).collect();
    let group = name_group(*world.inner());
    let fresh = with_menu_items(tab, fresh, &group).await;
    let shows_more = pass_nodes(tab, *world.inner(), &fresh, &group).await?;
    tab.scripts.listeners.borrow_mut().nodes.extend(nodes);
    Ok(shows_more)
}

/// Names the group of objects of one document: frames of a process are queried at the same time, and the end of one
/// query must not release the objects of another.
fn name_group(world: i64) -> String {
    format!("askfirst-listeners-{world}")
}

/// Maximum number of nodes whose handlers of context menus are read; the rest count as menus.
const MOST_HANDLERS: usize = 40;

/// Adds the selectors of the items for which nodes open a context menu, each in a line after the letters, and removes the
/// letter of the context menu from nodes whose handlers of it do nothing.
async fn with_menu_items(tab: &Tab, mut fresh: Vec<(i64, String)>, group: &str) -> Vec<(i64, String)> {
    let menus = fresh.iter_mut().filter(|(_, letters)| letters.contains('c')).take(MOST_HANDLERS);
    let checked = join_all(menus.map(|(node, letters)| async {
        let handlers = menu_handlers(tab, *node, group).await.unwrap_or_default();
        if !handlers.is_empty() && handlers.iter().all(|source| is_empty_function(source)) {
            letters.retain(|letter| letter != 'c');
        }
        for selector in handlers.iter().flat_map(|source| delegated_selectors(source)) {
            letters.push('\n');
            letters.push_str(selector);
        }
    }));
    checked.await;
    fresh.retain(|(_, letters)| !letters.is_empty());
    fresh
}

/// Returns the source texts of the handlers of a node's context menu. The node is resolved in the page's main world, as
/// [`document`] is.
async fn menu_handlers(tab: &Tab, node: i64, group: &str) -> Result<Vec<String>, PageError> {
    let params = json!({"backendNodeId": node, "objectGroup": group});
    let object = tab.call(RawCommand::new("DOM.resolveNode", params)).await?;
    let params = json!({"objectId": object["object"]["objectId"]});
    let found = tab.call(RawCommand::new("DOMDebugger.getEventListeners", params)).await?;
    let listeners = found["listeners"].as_array().into_iter().flatten();
    let menus = listeners.filter(|listener| listener["type"] == "contextmenu");
    Ok(menus
        .map(|listener| listener["handler"]["description"].as_str().unwrap_or_default().to_owned())
        .collect())
}

/// Maximum number and length of the selectors that are read from one handler.
const MOST_SELECTORS: usize = 4;
const LONGEST_SELECTOR: usize = 80;

/// Returns the selectors by which a handler looks for the item around the event's target: those in `closest("…")` and
/// `matches("…")`.
fn delegated_selectors(source: &str) -> Vec<&str> {
    let calls = ["closest(", "matches("].into_iter().flat_map(|call| source.match_indices(call));
    let quoted = calls.filter_map(|(at, call)| {
        let rest = source[at + call.len()..].trim_start();
        let quote = rest.chars().next().filter(|first| matches!(first, '"' | '\'' | '`'))?;
        let (selector, _) = rest[1..].split_once(quote)?;
        let is_plain = !selector.contains(['\n', '\\']) && !selector.contains("${");
        (is_plain && !selector.is_empty() && selector.len() <= LONGEST_SELECTOR).then_some(selector)
    });
    quoted.take(MOST_SELECTORS).collect()
}

/// Reports whether a function's source text, as Chromium describes it, has an empty body.
fn is_empty_function(source: &str) -> bool {
    let Some((_, body)) = source.split_once('{') else { return false };
    body.trim_end().strip_suffix('}').is_some_and(|statements| statements.trim().is_empty())
}

/// Returns an object id of the document in the page's main world, cached while the document lives. With an
/// object of our isolated world, Chromium mixes up the worlds: getters throw ("Illegal invocation"), then the
/// renderer crashes.
async fn document(tab: &Tab, world: i64) -> Result<String, PageError> {
    if let PassedListeners { world: Some(known), document: Some(document), .. } =
        &*tab.scripts.listeners.borrow()
        && *known == world
    {
        return Ok(document.clone());
    }
    let document = if tab.is_frame() {
        document_of_frame(tab).await?
    } else {
        let params = json!({"expression": "document"});
        let answer = tab.call(RawCommand::new("Runtime.evaluate", params)).await?;
        answer["result"]["objectId"].as_str().unwrap_or_default().to_owned()
    };
    tab.scripts.listeners.replace(PassedListeners {
        world: Some(world),
        document: Some(document.clone()),
        nodes: HashSet::new(),
    });
    Ok(document)
}

/// Returns the same for a frame, in the page's process or another: a node resolved without a world is
/// resolved in its page's main world.
async fn document_of_frame(tab: &Tab) -> Result<String, PageError> {
    let ours = tab.object("document").await?;
    let described = tab.call(RawCommand::new("DOM.describeNode", json!({"objectId": ours}))).await?;
    tab.session.post(RawCommand::new("Runtime.releaseObject", json!({"objectId": ours})));
    let params = json!({"backendNodeId": described["node"]["backendNodeId"]});
    let answer = tab.call(RawCommand::new("DOM.resolveNode", params)).await?;
    Ok(answer["object"]["objectId"].as_str().unwrap_or_default().to_owned())
}

/// Returns the nodes with the letters of their event types, without roots that listen for everything below them.
fn collect_nodes(found: &Value) -> HashMap<i64, String> {
    let mut types: HashMap<i64, HashSet<&str>> = HashMap::new();
    for listener in found["listeners"].as_array().into_iter().flatten() {
        if let (Some(node), Some(kind)) = (listener["backendNodeId"].as_i64(), listener["type"].as_str()) {
            types.entry(node).or_default().insert(kind);
        }
    }
    types.retain(|_, types| types.len() < TYPES_OF_ROOT);
    let letters = types.into_iter().map(|(node, types)| (node, letters_of(&types)));
    letters.filter(|(_, letters)| !letters.is_empty()).collect()
}

fn letters_of(types: &HashSet<&str>) -> String {
    let listens = |kinds: &[&str]| kinds.iter().any(|kind| types.contains(kind));
    let letters = KINDS.iter().filter(|(_, kinds)| listens(kinds)).map(|(letter, _)| *letter);
    let only_touches = (listens(&TOUCHES) && !listens(&BY_MOUSE)).then_some(ONLY_TOUCHES);
    let may_be_moved = (listens(&BEGINS_DRAG) && !listens(&PRESSES)).then_some(MAY_BE_MOVED);
    letters.chain(only_touches).chain(may_be_moved).collect()
}

async fn pass_nodes(tab: &Tab, world: i64, fresh: &[(i64, String)], group: &str) -> Result<bool, PageError> {
    let resolved = join_all(fresh.iter().map(|(node, _)| {
        let params = json!({"backendNodeId": node, "executionContextId": world, "objectGroup": group});
        tab.call(RawCommand::new("DOM.resolveNode", params))
    }));
    let mut kinds = Vec::new();
    let mut nodes = Vec::new();
    for (answer, (_, letters)) in resolved.await.into_iter().zip(fresh) {
        // A node that is gone by now, or belongs to another frame, is skipped.
        if let Some(object) =
            answer.ok().and_then(|answer| answer["object"]["objectId"].as_str().map(str::to_owned))
        {
            kinds.push(letters.as_str());
            nodes.push(json!({"objectId": object}));
        }
    }
    let mut arguments = vec![json!({"value": kinds})];
    arguments.append(&mut nodes);
    let params = json!({
        "functionDeclaration": "(kinds, ...nodes) => askfirst.listens(kinds, ...nodes)",
        "executionContextId": world, "arguments": arguments, "returnByValue": true,
    });
    let answer = tab.call(RawCommand::new("Runtime.callFunctionOn", params)).await?;
    tab.session.post(RawCommand::new("Runtime.releaseObjectGroup", json!({"objectGroup": group})));
    Ok(answer["result"]["value"].as_bool().unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_of_items_are_read_from_handlers() {
        let cases: [(&str, &[&str]); 5] = [
            ("(e) => { const row = e.target.closest(\"[data-row]\"); }", &["[data-row]"]),
            ("function(e){if(e.target.matches('.a, .b'))return}", &[".a, .b"]),
            ("(e) => open(e.target.closest(`.row-${kind}`))", &[]),
            ("(e) => open(e.target.closest(ROW))", &[]),
            ("(e) => { e.preventDefault(); }", &[]),
        ];
        for (source, selectors) in cases {
            assert_eq!(delegated_selectors(source), selectors, "{source}");
        }
    }
}
