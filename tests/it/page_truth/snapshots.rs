//! Compares looks with what Playwright expects of the same pages.

use super::site::{Finding, TruthSite};
use super::snapshot_cases::{Item, Pattern, SnapshotCase, squeeze};
use crate::browser_stage::Stage;
use askfirst::page::observation::{Line, Observation};
use serde_json::json;

/// Roles that have a line of their own in a look, with their names and states.
const WITH_LINES: &str = " alert alertdialog button checkbox combobox dialog heading iframe img link listbox menuitem \
                          menuitemcheckbox menuitemradio option progressbar radio row searchbox slider spinbutton switch \
                          tab textbox treeitem ";

/// Roles with a line if they have a name.
const WITH_LINES_IF_NAMED: &str =
    " banner complementary contentinfo form group list main navigation region table ";

/// Opens the page of a case, and compares its look.
pub async fn compare(stage: &Stage, site: &TruthSite, case: &SnapshotCase) -> Result<Vec<Finding>, String> {
    let url = site.show(&case.html);
    stage.act("navigate", json!({"url": url})).await.map_err(|fault| format!("{fault:?}"))?;
    let seen = stage.observe().await;
    Ok(compare_look(case, &seen))
}

fn compare_look(case: &SnapshotCase, seen: &Observation) -> Vec<Finding> {
    let whole = text_of_look(seen);
    let mut findings = Vec::new();
    let mut next = 0;
    for item in &case.items {
        let has_line = has_word(WITH_LINES, &item.role)
            || item.name.is_some() && has_word(WITH_LINES_IF_NAMED, &item.role);
        if has_line {
            match find_line(item, &seen.lines, next) {
                Some(at) => {
                    next = at + 1;
                    compare_line(item, &seen.lines[at], case.whole, &whole, &mut findings);
                }
                None => findings.push(missing_line(item, seen)),
            }
        } else if let Some(text) = &item.text {
            let got = if text.is_in(&whole) { text.to_string() } else { whole.clone() };
            findings.push(Finding::new("text", &item.role, &text.to_string(), &got, &item.role, true));
        }
    }
    if case.whole {
        findings.extend(compare_number(case, seen));
    }
    findings
}

/// Compares the number of elements that a person acts on.
fn compare_number(case: &SnapshotCase, seen: &Observation) -> Option<Finding> {
    let is_acted_on =
        |role: &str| has_word(" button checkbox combobox link radio textbox switch slider ", role);
    let wanted: Vec<&str> =
        case.items.iter().map(|item| item.role.as_str()).filter(|role| is_acted_on(role)).collect();
    let got: Vec<&str> = seen
        .lines
        .iter()
        .map(|line| if line.role == "file" { "button" } else { &line.role })
        .filter(|role| is_acted_on(role))
        .collect();
    let has_details = case.items.iter().any(|item| item.role == "group");
    (!has_details).then(|| Finding::new("number", "elements", &wanted.join(" "), &got.join(" "), "", true))
}

fn missing_line(item: &Item, seen: &Observation) -> Finding {
    let name = item.name.as_ref().map(Pattern::to_string).unwrap_or_default();
    let lines: Vec<String> = seen.lines.iter().map(|line| format!("{} {:?}", line.role, line.name)).collect();
    let is_file = item.role == "button" && seen.lines.iter().any(|line| line.role == "file");
    let role = if is_file { "file" } else { &item.role };
    Finding::new("line", &format!("{} {name:?}", item.role), "a line", &lines.join(", "), role, false)
}

fn find_line(item: &Item, lines: &[Line], next: usize) -> Option<usize> {
    let fits = |line: &Line| {
        line.role == item.role
            && item.name.as_ref().is_none_or(|name| name.fits(&line.name.replace(" | ", " ")))
    };
    let wanted: Vec<&(String, String)> = item.states.iter().collect();
    let exact =
        |line: &Line| fits(line) && wanted.iter().all(|(state, value)| state_of(line, state) == *value);
    let from = |test: &dyn Fn(&Line) -> bool| lines.iter().skip(next).position(test).map(|at| at + next);
    from(&exact).or_else(|| from(&fits))
}

fn compare_line(item: &Item, line: &Line, is_whole: bool, whole: &str, findings: &mut Vec<Finding>) {
    let what = format!("{} {:?}", line.role, line.name);
    let mut add = |kind, wanted: &str, got: &str| {
        findings.push(Finding::new(kind, &what, wanted, got, &line.role, true))
    };
    add("line", "a line", "a line");
    for state in ["checked", "disabled", "expanded", "level", "pressed", "selected", "invalid"] {
        let stated = item.states.iter().find(|(name, _)| name == state).map(|(_, value)| value.as_str());
        let got = state_of(line, state);
        match stated {
            Some(wanted) => add("state", &format!("{state} {wanted}"), &format!("{state} {got}")),
            // A snapshot of the whole page tells every state that is on.
            None if is_whole && got != "false" => {
                add("state", &format!("{state} false"), &format!("{state} {got}"))
            }
            None => {}
        }
    }
    if let Some(text) = &item.text {
        let value = line.attributes.value.clone().unwrap_or_default();
        let got = if text.fits(&value) || text.is_in(whole) { text.to_string() } else { value };
        add("text", &text.to_string(), &got);
    }
    if let (Some(url), Some(href)) = (&item.url, &line.attributes.href) {
        let got = if url.is_in(href) { url.to_string() } else { href.clone() };
        add("url", &url.to_string(), &got);
    }
    if let Some(placeholder) = &item.placeholder {
        add("placeholder", placeholder, line.attributes.placeholder.as_deref().unwrap_or_default());
    }
}

/// Value of a state, as snapshots write it.
fn state_of(line: &Line, state: &str) -> String {
    let of = &line.attributes;
    let mixed = if of.mixed { "mixed" } else { "false" };
    let on = |is_on: bool, off: &str| if is_on { String::from("true") } else { String::from(off) };
    match state {
        "checked" => on(of.checked, if line.role == "button" { "false" } else { mixed }),
        "pressed" => on(of.pressed, if line.role == "button" { mixed } else { "false" }),
        "disabled" => on(of.disabled, "false"),
        "expanded" => on(of.expanded, "false"),
        "selected" => on(of.selected, "false"),
        "invalid" => on(of.invalid, "false"),
        "level" => of.level.map_or_else(|| String::from("false"), |level| level.to_string()),
        _ => String::from("false"),
    }
}

/// Everything that the look says, in order.
fn text_of_look(seen: &Observation) -> String {
    let mut words = Vec::new();
    for line in seen.lines.iter().filter(|line| line.role != "note") {
        words.push(line.name.replace(" | ", " "));
        words.extend(line.attributes.value.clone());
        words.extend(line.attributes.placeholder.clone());
    }
    squeeze(&words.join(" "))
}

fn has_word(words: &str, word: &str) -> bool {
    words.contains(&format!(" {word} "))
}
