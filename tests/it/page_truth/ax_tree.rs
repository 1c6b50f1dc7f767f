//! Chromium's accessibility tree of the page that is shown, compared with the lines of a look: role, name, states and
//! value of every element that a person acts on.

use super::site::Finding;
use crate::browser_stage::Stage;
use crate::support::devtools::Page;
use askfirst::page::observation::{Line, Observation};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Roles of elements that a person acts on.
const ACTED_ON: &str = " button link textbox searchbox combobox checkbox radio switch slider spinbutton tab menuitem \
                        menuitemcheckbox menuitemradio option treeitem ";

/// Roles whose value is compared.
const WITH_VALUE: &str = " textbox searchbox combobox slider spinbutton ";

/// An element that a person acts on.
#[derive(Clone, Debug, Default)]
struct Node {
    role: String,
    name: String,
    states: BTreeSet<&'static str>,
    /// States that the tree tells of the element, be they on or off.
    told: BTreeSet<String>,
    value: Option<String>,
    value_text: Option<String>,
    backend: u64,
}

/// Reads the tree of the page in front, and compares it with a look of the same state.
pub async fn compare(stage: &Stage, url_part: &str, seen: &Observation) -> Vec<Finding> {
    let mut page = Page::find(stage.data_dir.path(), url_part).await;
    let mut nodes = read(&mut page).await;
    let mut findings = Vec::new();
    let mut unpaired = Vec::new();
    for line in seen.lines.iter().filter(|line| line.eid.is_some() && is_acted_on(&line.role)) {
        match take_equal(&mut nodes, line) {
            Some(node) => compare_pair(line, &node, &mut findings),
            None => unpaired.push(line),
        }
    }
    for line in unpaired {
        findings.push(compare_unpaired(line, &mut nodes));
    }
    let is_modal =
        seen.lines.iter().any(|line| line.role == "note" && line.name.contains("what is behind it"));
    for node in nodes {
        let fits = |line: &Line| line.attributes.options.iter().any(|option| option.contains(&node.name));
        let is_told = node.role == "option" && seen.lines.iter().any(fits);
        if !is_modal && !is_told && is_drawn(&mut page, node.backend).await {
            let what = format!("{} {:?}", node.role, node.name);
            findings.push(Finding::new("line", &what, "a line", "none", &node.role, false));
        }
    }
    findings
}

fn is_acted_on(role: &str) -> bool {
    ACTED_ON.contains(&format!(" {role} "))
}

/// Takes the first element of the same role and name, one with the same states if there is one.
fn take_equal(nodes: &mut Vec<Node>, line: &Line) -> Option<Node> {
    let states = states_of(line);
    let fits = |node: &Node| node.role == line.role && is_same_name(&node.name, &line.name);
    let exact = nodes.iter().position(|node| fits(node) && node.states == states);
    exact.or_else(|| nodes.iter().position(fits)).map(|at| nodes.remove(at))
}

/// Names of looks are cut at 200 characters.
fn is_same_name(theirs: &str, ours: &str) -> bool {
    match ours.strip_suffix('…') {
        Some(start) if ours.chars().count() >= 190 => theirs.starts_with(start),
        // Upper case that a style sheet draws is that of the tree only.
        _ => theirs == ours || theirs.to_lowercase() == ours.to_lowercase(),
    }
}

fn compare_pair(line: &Line, node: &Node, findings: &mut Vec<Finding>) {
    let what = format!("{} {:?}", line.role, line.name);
    let add = |kind, wanted: &str, got: &str| Finding::new(kind, &what, wanted, got, &line.role, true);
    findings.push(add("element", &node.role, &line.role));
    let join = |states: BTreeSet<&str>| states.into_iter().collect::<Vec<_>>().join(" ");
    let is_told = |state: &&str| {
        let property = if matches!(*state, "collapsed") { "expanded" } else { state };
        *state != "selected" && *state != "readonly" || node.told.contains(property)
    };
    let (theirs, ours) = (node.states.clone(), states_of(line).into_iter().filter(is_told).collect());
    findings.push(add("state", &join(theirs), &join(ours)));
    if WITH_VALUE.contains(&format!(" {} ", line.role)) && !line.attributes.secret {
        let ours = line.attributes.value.clone().unwrap_or_default();
        let is_text = node.value_text.as_ref().is_some_and(|text| *text == ours);
        let theirs = if is_text { ours.clone() } else { node.value.clone().unwrap_or_default() };
        findings.push(add("value", &theirs, &ours));
    }
}

/// Compares a line with what has its name, or its role and a name that holds it.
fn compare_unpaired(line: &Line, nodes: &mut Vec<Node>) -> Finding {
    let what = format!("{} {:?}", line.role, line.name);
    let add = |kind, wanted: &str, got: &str| Finding::new(kind, &what, wanted, got, &line.role, true);
    if let Some(at) = nodes.iter().position(|node| node.name == line.name && !node.name.is_empty()) {
        return add("role", &nodes.remove(at).role, &line.role);
    }
    match nodes.iter().position(|node| node.role == line.role) {
        Some(at) => {
            let name = nodes.remove(at).name;
            let guessed = if line.attributes.guessed { "guessed" } else { &line.name };
            add("name", &name, guessed)
        }
        None => add("line", "none", "a line"),
    }
}

/// States that the tree tells, too.
fn states_of(line: &Line) -> BTreeSet<&'static str> {
    let of = &line.attributes;
    let all = [
        ("checked", of.checked),
        ("mixed", of.mixed),
        ("selected", of.selected),
        ("pressed", of.pressed),
        ("expanded", of.expanded),
        ("collapsed", of.collapsed),
        ("required", of.required),
        ("readonly", of.readonly),
        ("disabled", of.disabled),
        ("focused", of.focused),
    ];
    all.into_iter().filter(|(_, on)| *on).map(|(state, _)| state).collect()
}

/// Reads the elements of all frames of this site that a person acts on, in the order of the tree.
async fn read(page: &mut Page) -> Vec<Node> {
    let frames = page.call("Page.getFrameTree", json!({})).await;
    let mut ids = Vec::new();
    collect_frames(&frames["frameTree"], &mut ids);
    let mut nodes = Vec::new();
    for id in ids {
        // A frame of another process has a tree of its own, which is not asked for.
        let tree = page.send_command("Accessibility.getFullAXTree", json!({"frameId": id})).await;
        nodes.extend(tree["result"]["nodes"].as_array().into_iter().flatten().filter_map(read_node));
    }
    nodes
}

fn collect_frames(tree: &Value, ids: &mut Vec<Value>) {
    ids.push(tree["frame"]["id"].clone());
    tree["childFrames"].as_array().into_iter().flatten().for_each(|child| collect_frames(child, ids));
}

fn read_node(value: &Value) -> Option<Node> {
    let role = match value["role"]["value"].as_str()? {
        "DisclosureTriangle" | "DisclosureTriangleGrouped" => "button",
        role if is_acted_on(role) => role,
        _ => return None,
    };
    if value["ignored"] == true {
        return None;
    }
    let mut node = Node { role: role.to_owned(), ..Node::default() };
    node.name = squeeze(value["name"]["value"].as_str().unwrap_or_default());
    node.backend = value["backendDOMNodeId"].as_u64().unwrap_or_default();
    node.value = text_of(&value["value"]["value"]);
    for property in value["properties"].as_array().into_iter().flatten() {
        let name = property["name"].as_str().unwrap_or_default();
        let told = text_of(&property["value"]["value"]).unwrap_or_default();
        if name == "valuetext" {
            node.value_text = Some(squeeze(&told));
        }
        node.told.insert(name.to_owned());
        node.states.extend(state_of(name, &told));
    }
    Some(node)
}

fn state_of(property: &str, value: &str) -> Option<&'static str> {
    match (property, value) {
        ("checked", "true") => Some("checked"),
        ("checked" | "pressed", "mixed") => Some("mixed"),
        ("pressed", "true") => Some("pressed"),
        ("selected", "true") => Some("selected"),
        ("expanded", "true") => Some("expanded"),
        ("expanded", "false") => Some("collapsed"),
        ("required", "true") => Some("required"),
        ("readonly", "true") => Some("readonly"),
        ("disabled", "true") => Some("disabled"),
        ("focused", "true") => Some("focused"),
        _ => None,
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(squeeze(text)),
        Value::Null => None,
        other => Some(other.to_string()),
    }
}

/// White space is one space; symbols of icon fonts, which stand in the private area of Unicode, are left out.
fn squeeze(text: &str) -> String {
    let plain: String = text.chars().filter(|letter| !matches!(letter, '\u{e000}'..='\u{f8ff}')).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reports whether an element has a box on the page.
async fn is_drawn(page: &mut Page, backend: u64) -> bool {
    // The page may have replaced the element meanwhile.
    let found = page.send_command("DOM.resolveNode", json!({"backendNodeId": backend})).await;
    let order = json!({
        "objectId": found["result"]["object"]["objectId"],
        "returnByValue": true,
        "functionDeclaration": "function () {
            const el = this.nodeType === 1 ? this : this.parentElement;
            const { width, height, right, bottom } = el.getBoundingClientRect();
            const isOnPage = right + scrollX > 0 && bottom + scrollY > 0;
            return width > 1 && height > 1 && isOnPage && el.checkVisibility({ visibilityProperty: true, opacityProperty: true });
        }"
    });
    page.send_command("Runtime.callFunctionOn", order).await["result"]["result"]["value"] == true
}
