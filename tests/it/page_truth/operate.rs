//! Operates the widgets of an example: one of each kind of state that it shows, whose state has to change.

use super::site::TruthSite;
use crate::browser_stage::Stage;
use askfirst::page::observation::{Line, Observation};
use serde_json::json;
use std::collections::BTreeSet;

/// Widget, and what came of operating it.
pub type Operated = (String, Result<(), String>);

/// Most widgets of one page.
const MOST: usize = 4;

pub async fn widgets_of_page(stage: &Stage, site: &TruthSite, page: &str) -> Vec<Operated> {
    let mut operated = Vec::new();
    let mut tried = BTreeSet::new();
    for _ in 0..MOST {
        if let Err(fault) = stage.act("navigate", json!({"url": site.address(page)})).await {
            return vec![(String::from("the page"), Err(format!("{fault:?}")))];
        }
        let seen = stage.observe().await;
        let Some(line) = seen.lines.iter().find(|line| is_operable(line) && !tried.contains(&kind_of(line)))
        else {
            break;
        };
        tried.insert(kind_of(line));
        let widget = format!("{} {:?}", line.role, line.name);
        operated.push((widget, operate(stage, &seen, line).await));
    }
    operated
}

/// Kind of a widget: its role and the states that it shows.
fn kind_of(line: &Line) -> String {
    let of = &line.attributes;
    format!("{} {} {} {}", line.role, of.collapsed, of.expanded, of.pressed)
}

/// Reports whether pressing a line, or setting it, is to change its state.
fn is_operable(line: &Line) -> bool {
    let of = &line.attributes;
    if line.eid.is_none() || of.disabled || of.readonly {
        return false;
    }
    match line.role.as_str() {
        "tab" | "option" | "radio" | "menuitemradio" => !of.selected && !of.checked,
        "checkbox" | "switch" | "menuitemcheckbox" | "slider" | "spinbutton" => true,
        "button" | "treeitem" | "menuitem" | "row" => of.collapsed || of.pressed,
        "combobox" => of.collapsed,
        _ => false,
    }
}

async fn operate(stage: &Stage, seen: &Observation, line: &Line) -> Result<(), String> {
    let before = state_of(line);
    let done = if line.role == "slider" || line.role == "spinbutton" {
        let value = next_value(&line.attributes.value.clone().unwrap_or_default());
        stage.act("type", json!({"eid": line.eid, "text": value})).await
    } else {
        stage.act("click", json!({"eid": line.eid})).await
    };
    done.map_err(|fault| format!("{:?}: {}", fault.code, fault.message))?;
    let after = stage.observe().await;
    let now = after.lines.iter().find(|other| other.eid == line.eid);
    match now {
        // A menu that closes, or a page that another one replaces, is an effect too.
        None if after.lines.len() != seen.lines.len() => Ok(()),
        None => Err(String::from("it is gone, and nothing else came")),
        Some(now) if state_of(now) != before || after.lines.len() != seen.lines.len() => Ok(()),
        Some(_) => Err(format!("its state stayed {before}")),
    }
}

fn state_of(line: &Line) -> String {
    let of = &line.attributes;
    format!(
        "value={:?} checked={} mixed={} selected={} pressed={} expanded={} collapsed={}",
        of.value, of.checked, of.mixed, of.selected, of.pressed, of.expanded, of.collapsed
    )
}

/// Returns a number beside the one in a text.
fn next_value(value: &str) -> String {
    let digits: String = value
        .chars()
        .skip_while(|letter| !letter.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    let number: i64 = digits.parse().unwrap_or(1);
    if number > 1 { (number - 1).to_string() } else { (number + 1).to_string() }
}
