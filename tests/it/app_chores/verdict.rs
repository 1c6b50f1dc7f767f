//! Judgement of a chore: each effect with its question, and nothing else that asks.

use super::chores::{Chore, RealApp};
use super::visits::{ChoreVisit, StepResult};
use crate::gate_table::arrivals::Arrival;
use serde_json::Value;
use std::collections::BTreeSet;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Effects that happened.
    pub effects: usize,
    pub questions: usize,
    /// Questions that nobody needed.
    pub needless: Vec<String>,
    /// Effects that happened unasked.
    pub silent: Vec<String>,
    /// Messages of sockets whose effect happened unasked.
    pub silent_messages: Vec<String>,
    /// Reasons for which the chore did not work.
    pub broken: Vec<String>,
}

impl Verdict {
    pub fn has_fault(&self) -> bool {
        [&self.needless, &self.silent, &self.silent_messages, &self.broken]
            .iter()
            .any(|list| !list.is_empty())
    }

    pub fn line(&self) -> String {
        let mut line = format!("{} effects, {} questions", self.effects, self.questions);
        let kinds = [
            ("needless", &self.needless),
            ("silent", &self.silent),
            ("silent on a socket", &self.silent_messages),
            ("broken", &self.broken),
        ];
        for (kind, list) in kinds {
            list.iter().for_each(|what| line.push_str(&format!("\n    {kind}: {what}")));
        }
        line
    }
}

/// An effect that happened: the pattern that it matches, and the step in which it arrived.
#[derive(Debug)]
struct Happened<'v> {
    pattern: usize,
    step: usize,
    arrival: &'v Arrival,
}

pub fn judge(app: &RealApp, chore: &Chore, visit: &ChoreVisit) -> Verdict {
    let happened = list_effects(chore, visit);
    let mut verdict = Verdict { effects: happened.len(), ..Verdict::default() };
    let mut open: Vec<&Happened> = happened.iter().collect();
    let mut unmatched = Vec::new();
    for (step, result) in visit.steps.iter().enumerate() {
        for question in &result.questions {
            verdict.questions += 1;
            match find_effect(chore, &open, question, step) {
                Some(at) => drop(open.remove(at)),
                None => unmatched.push(format!("{} (step {})", describe(question), result.step)),
            }
        }
    }
    verdict.needless = unmatched;
    for effect in open {
        let line = format!("{} (step {})", short_line(effect.arrival), visit.steps[effect.step].step);
        let list = if effect.arrival.is_message { &mut verdict.silent_messages } else { &mut verdict.silent };
        list.push(line);
    }
    verdict.broken = list_broken(app, chore, visit, &happened);
    if chore.is_setup {
        verdict.needless.clear();
    }
    verdict
}

/// Effects, each pattern at most once a step: one action may send several requests of a kind.
fn list_effects<'v>(chore: &Chore, visit: &'v ChoreVisit) -> Vec<Happened<'v>> {
    let mut happened: Vec<Happened> = Vec::new();
    for (step, result) in visit.steps.iter().enumerate() {
        let mut known = BTreeSet::new();
        for arrival in &result.arrivals {
            let pattern = chore.effects.iter().position(|pattern| matches(arrival, pattern));
            if let Some(pattern) = pattern.filter(|pattern| known.insert(*pattern)) {
                happened.push(Happened { pattern, step, arrival });
            }
        }
    }
    happened
}

fn matches(arrival: &Arrival, pattern: &str) -> bool {
    pattern.split('|').any(|one| arrival.matches(one))
}

/// Finds the effect that a question was about: by its request, or else (asked before the press) by its step.
fn find_effect(chore: &Chore, open: &[&Happened], question: &Value, step: usize) -> Option<usize> {
    let near = |effect: &Happened| effect.step == step || effect.step == step + 1;
    if let Some(request) = requested(question) {
        let by_request =
            |effect: &&Happened| near(effect) && matches(&request, &chore.effects[effect.pattern]);
        return open.iter().position(by_request);
    }
    open.iter().position(|effect| near(effect))
}

/// Request that a question of the wire layer is about.
fn requested(question: &Value) -> Option<Arrival> {
    let payload = &question["payload"];
    let request = payload.get("request").filter(|request| request.is_object())?;
    let url = url::Url::parse(request["url"].as_str()?).ok()?;
    let values = payload["values"].as_object();
    let values = values.into_iter().flatten().map(|(name, value)| match value.as_str() {
        Some(text) => format!("{name}={text}"),
        None => format!("{name}={value}"),
    });
    Some(Arrival {
        method: request["method"].as_str()?.to_owned(),
        host: url.host_str()?.to_owned(),
        path: url[url::Position::BeforePath..].to_owned(),
        body: values.collect::<Vec<_>>().join(" "),
        cookie: String::new(),
        is_message: false,
    })
}

/// Reasons for which the chore proves nothing.
fn list_broken(app: &RealApp, chore: &Chore, visit: &ChoreVisit, happened: &[Happened]) -> Vec<String> {
    let mut broken = visit.seen.faults.clone();
    if !visit.seen.seen.iter().rev().take(3).any(|text| text.contains(&chore.must_show)) {
        broken.push(format!("does not show {:?} at the end", chore.must_show));
    }
    for (at, pattern) in chore.effects.iter().enumerate() {
        if !happened.iter().any(|effect| effect.pattern == at) {
            broken.push(format!("{pattern} did not arrive"));
        }
    }
    let unknown = visit.steps.iter().flat_map(|result| list_unknown(app, chore, result));
    broken.extend(unknown);
    broken
}

/// Requests that could have an effect and that nobody has classified.
fn list_unknown(app: &RealApp, chore: &Chore, result: &StepResult) -> Vec<String> {
    let is_write = |arrival: &Arrival| {
        matches!(arrival.method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE" | "MESSAGE")
    };
    let is_known = |arrival: &Arrival| {
        chore.effects.iter().chain(&app.harmless).any(|pattern| matches(arrival, pattern))
    };
    let lines = result.arrivals.iter().filter(|arrival| is_write(arrival) && !is_known(arrival));
    let lines: BTreeSet<String> = lines.map(short_line).collect();
    lines
        .into_iter()
        .map(|line| format!("neither an effect nor harmless: {line} (step {})", result.step))
        .collect()
}

fn short_line(arrival: &Arrival) -> String {
    arrival.line().chars().take(300).collect()
}

/// Returns a question in one line: layer, rule, request, what was pressed, values and text.
pub fn describe(question: &Value) -> String {
    let payload = &question["payload"];
    let word = |name: &str| payload[name].as_str().unwrap_or_default();
    let request = match requested(question) {
        Some(request) => format!("{} {} [{}]", request.method, request.path, cut(&request.body, 300)),
        None => format!("{} {}", payload["action"]["action"].as_str().unwrap_or_default(), payload["covers"]),
    };
    let target = &payload["target"];
    let (role, name) =
        (target["role"].as_str().unwrap_or_default(), target["name"].as_str().unwrap_or_default());
    let text = cut(question["text"].as_str().unwrap_or_default(), 160);
    let line = format!("{} {}: {request}; pressed {role} “{name}”: {text}", word("layer"), word("rule"));
    line.replace('\n', " ")
}

fn cut(text: &str, letters: usize) -> String {
    text.chars().take(letters).collect()
}
