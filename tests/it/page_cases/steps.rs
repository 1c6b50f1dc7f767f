//! Plays the steps of a case and compares what came of them.

use super::cases::{Hit, PageCase, Sent, Step, Target};
use super::lines::{fits, written_lines};
use super::site::CaseSite;
use crate::browser_stage::Stage;
use askfirst::page::delta::changes;
use askfirst::page::observation::{Line, Observation};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::Arc;

pub async fn play(stage: &Stage, site: &CaseSite, case: &PageCase) -> Result<(), String> {
    site.forget_hits();
    std::fs::write(stage.files().ensure_folder().unwrap().join("note.txt"), "hello").unwrap();
    let url = site.address(&case.page);
    stage.act("navigate", json!({"url": url})).await.map_err(|fault| format!("opening it: {fault:?}"))?;
    let mut seen = stage.observe().await;
    show(case, &seen);
    let mut earlier: Option<Arc<Observation>> = None;
    for (number, step) in case.steps.iter().enumerate() {
        let at = |fault: String| format!("step {}: {fault}", number + 1);
        if step.action.is_some() {
            act(stage, step, &seen).await.map_err(at)?;
            if step.blind {
                continue;
            }
            let before = std::mem::replace(&mut seen, stage.observe().await);
            show(case, &seen);
            compare_numbers(step, &before, &seen).map_err(at)?;
            if let Some(earlier) = &earlier {
                compare_returned(step, earlier, &seen).map_err(at)?;
            }
            earlier = Some(before);
        }
        compare(step, &seen).map_err(at)?;
    }
    compare_hits(site, case).await
}

fn show(case: &PageCase, seen: &Observation) {
    if std::env::var("PAGES_SHOW").is_ok() {
        println!("== {}\n{}", case.title(), askfirst::page::text::write(seen, "n"));
    }
}

pub(crate) async fn act(stage: &Stage, step: &Step, seen: &Observation) -> Result<(), String> {
    let action = step.action.as_deref().unwrap_or_default();
    let params = complete(step, action, seen)?;
    match (stage.act(action, Value::Object(params)).await, &step.fails) {
        (Ok(done), None) => {
            let told = format!("{done:?}");
            if std::env::var("PAGES_SHOW").is_ok() {
                println!("-- {action}: {told}");
            }
            lacking(&step.says, &told)
        }
        (Ok(done), Some(code)) => Err(format!("{action} should fail with `{code}`, but: {done:?}")),
        (Err(fault), Some(code)) => {
            let told = format!("{} {}", json!(fault.code), fault.message);
            if told.starts_with(&format!("\"{code}\"")) { lacking(&step.says, &told) } else { Err(told) }
        }
        (Err(fault), None) => {
            Err(format!("{action}: {} {}\n{}", json!(fault.code), fault.message, list(seen)))
        }
    }
}

fn lacking(words: &[String], told: &str) -> Result<(), String> {
    match words.iter().find(|word| !told.contains(word.as_str())) {
        Some(word) => Err(format!("the result lacks `{word}`: {told}")),
        None => Ok(()),
    }
}

/// Adds the numbers of the elements to the parameters; targets within lists of fields are found, too.
fn complete(step: &Step, action: &str, seen: &Observation) -> Result<Map<String, Value>, String> {
    let mut params = step.params.clone();
    let dragged = action == "drag" && step.to.is_some();
    if let Some(target) = &step.on {
        params.insert(String::from(if dragged { "from_eid" } else { "eid" }), json!(find_eid(target, seen)?));
    }
    if let Some(target) = &step.to {
        params.insert(String::from("to_eid"), json!(find_eid(target, seen)?));
    }
    if let Some(Value::Array(fields)) = params.get_mut("fields") {
        for field in fields.iter_mut().filter_map(Value::as_object_mut) {
            let Some(on) = field.remove("on") else { continue };
            let target: Target = serde_json::from_value(on).map_err(|fault| fault.to_string())?;
            field.insert(String::from("eid"), json!(find_eid(&target, seen)?));
        }
    }
    Ok(params)
}

fn find_eid(target: &Target, seen: &Observation) -> Result<u32, String> {
    let (name, role, nth, after) = match target {
        Target::Name(name) => (Some(name), None, 1, None),
        Target::Exact { name, role, nth, after } => {
            (name.as_ref(), role.as_ref(), nth.unwrap_or(1), after.as_ref())
        }
    };
    let start = match after {
        Some(text) => seen.lines.iter().position(|line| line.name.contains(text.as_str())).map(|at| at + 1),
        None => Some(0),
    };
    let is_meant = |line: &&Line| {
        line.eid.is_some()
            && name.is_none_or(|name| line.name == *name)
            && role.is_none_or(|role| line.role == *role)
    };
    let lines = &seen.lines[start.ok_or_else(|| format!("no line before {target:?}:\n{}", list(seen)))?..];
    let found = lines.iter().filter(is_meant).nth(nth.max(1) - 1).and_then(|line| line.eid);
    found.ok_or_else(|| format!("no element {target:?}:\n{}", list(seen)))
}

pub(crate) fn compare(step: &Step, seen: &Observation) -> Result<(), String> {
    let mut numbers = HashSet::new();
    let twice = seen.lines.iter().filter_map(|line| line.eid).find(|eid| !numbers.insert(*eid));
    if let Some(eid) = twice {
        return Err(format!("[{eid}] stands twice in:\n{}", list(seen)));
    }
    let lines = written_lines(seen);
    let missing = step.sees.iter().filter(|pattern| !lines.iter().any(|line| fits(line, pattern)));
    let missing: Vec<String> = missing.map(|pattern| format!("no line `{pattern}`")).collect();
    let extra = step.lacks.iter().filter(|pattern| lines.iter().any(|line| fits(line, pattern)));
    let extra: Vec<String> = extra.map(|pattern| format!("there is a line `{pattern}`")).collect();
    let faults = [missing, extra].concat();
    if faults.is_empty() { Ok(()) } else { Err(format!("{}\n{}", faults.join("\n"), list(seen))) }
}

/// Compares the numbers of elements, and the form in which the look is sent.
fn compare_numbers(step: &Step, before: &Observation, now: &Observation) -> Result<(), String> {
    for target in &step.keeps {
        let (was, is) = (find_eid(target, before)?, find_eid(target, now)?);
        if was != is {
            return Err(format!("{target:?} was [{was}] and is [{is}]:\n{}\n{}", list(before), list(now)));
        }
    }
    let sent = if changes(before, now).is_some() { Sent::Changes } else { Sent::Whole };
    match step.sent.filter(|wanted| *wanted != sent) {
        Some(wanted) => Err(format!("sent as {sent:?}, wanted {wanted:?}:\n{}\n{}", list(before), list(now))),
        None => Ok(()),
    }
}

/// Compares the numbers of elements with those of an earlier look; the one between may have lacked them.
fn compare_returned(step: &Step, earlier: &Observation, now: &Observation) -> Result<(), String> {
    for (targets, is_same) in [(&step.returns, true), (&step.differs, false)] {
        for target in targets {
            let (was, is) = (find_eid(target, earlier)?, find_eid(target, now)?);
            if (was == is) != is_same {
                return Err(format!(
                    "{target:?} was [{was}] and is [{is}]:\n{}\n{}",
                    list(earlier),
                    list(now)
                ));
            }
        }
    }
    Ok(())
}

fn list(seen: &Observation) -> String {
    askfirst::page::text::write(seen, "n")
}

async fn compare_hits(site: &CaseSite, case: &PageCase) -> Result<(), String> {
    let fits = |arrived: &[Hit]| {
        case.hits.as_ref().is_none_or(|hits| hits == arrived)
            && case.last.as_ref().is_none_or(|last| arrived.last() == Some(last))
            && case.has.iter().all(|hit| arrived.contains(hit))
    };
    let wanted = json!({"hits": case.hits, "last": case.last, "has": case.has});
    site.await_hits(fits).await.map_err(|arrived| format!("effects {}, wanted {wanted}", json!(arrived)))
}
