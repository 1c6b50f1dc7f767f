//! Findings of one source, counted, and the known ones among those that differ.

use super::site::Finding;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Least share of the findings that apply, in percent.
pub const LEAST: f64 = 95.0;

/// Findings that differ, with the reason (`tests/truth/known.yaml`).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    source: String,
    /// Regular expression that finds something in the findings, as they are printed.
    finding: String,
    reason: String,
    /// True if they do not apply: a look differs there on purpose.
    #[serde(default)]
    exempt: bool,
    #[serde(skip)]
    expression: Option<regex::Regex>,
}

impl Known {
    fn fits(&self, finding: &(String, String)) -> bool {
        let text = format!("{}: {}", finding.0, finding.1);
        self.expression.as_ref().is_some_and(|expression| expression.is_match(&text))
    }
}

pub struct Tally {
    title: &'static str,
    good: usize,
    /// Findings that do not apply, by the rule.
    exempt: BTreeMap<String, usize>,
    /// Findings that differ: page with element, and what differs.
    wrong: Vec<(String, String)>,
}

impl Tally {
    pub fn new(title: &'static str) -> Self {
        Self { title, good: 0, exempt: BTreeMap::new(), wrong: Vec::new() }
    }

    pub fn add(&mut self, page: &str, finding: &Finding) {
        let key = format!("{page}: {}", finding.subject());
        if finding.agrees() {
            self.good += 1;
        } else if let Some(rule) = finding.exemption() {
            self.leave_out(rule);
        } else {
            self.wrong.push((key, finding.to_string()));
        }
    }

    /// Counts a thing that was tried, and what went wrong with it.
    pub fn add_outcome(&mut self, key: String, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.good += 1,
            Err(fault) => self.wrong.push((key, fault)),
        }
    }

    /// Counts what does not apply.
    pub fn leave_out(&mut self, rule: &str) {
        *self.exempt.entry(rule.to_owned()).or_default() += 1;
    }

    fn share(&self) -> f64 {
        100.0 * self.good as f64 / (self.good + self.wrong.len()).max(1) as f64
    }

    /// Prints a row of the table, and below it what differs. Returns whether enough agrees.
    #[must_use]
    pub fn close(mut self) -> bool {
        let known = read_known(self.title);
        let found = std::mem::take(&mut self.wrong);
        let mut used = vec![0_usize; known.len()];
        let mut new = 0;
        let mut told = Vec::new();
        for finding in found {
            let line = format!("{}: {}", finding.0, finding.1);
            let Some(at) = known.iter().position(|known| known.fits(&finding)) else {
                new += 1;
                told.push(format!("  NEW: {line}"));
                self.wrong.push(finding);
                continue;
            };
            used[at] += 1;
            if known[at].exempt {
                self.leave_out(&known[at].reason);
            } else {
                told.push(format!("  known: {line}\n    {}", known[at].reason));
                self.wrong.push(finding);
            }
        }
        let (all, exempt) = (self.good + self.wrong.len(), self.exempt.values().sum::<usize>());
        let row = format!("| {} | {} of {all} | {:.1} %", self.title, self.good, self.share());
        println!("{row} | {} known, {new} new | {exempt} |", self.wrong.len() - new);
        self.exempt.iter().for_each(|(rule, count)| println!("  does not apply: {count}: {rule}"));
        told.iter().for_each(|line| println!("{line}"));
        if std::env::var("TRUTH").unwrap_or_default().is_empty() {
            let gone = known.iter().zip(used).filter(|(_, used)| *used == 0);
            gone.for_each(|(known, _)| println!("  NO LONGER DIFFERS, delete it: {}", known.finding));
        }
        self.share() >= LEAST
    }
}

fn read_known(title: &str) -> Vec<Known> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/truth/known.yaml");
    let text = std::fs::read_to_string(file).unwrap();
    let known: Vec<Known> = serde_saphyr::from_str(&text).unwrap_or_else(|fault| panic!("{fault}"));
    let mut known: Vec<Known> = known.into_iter().filter(|known| known.source == title).collect();
    for one in &mut known {
        let expression = regex::Regex::new(&one.finding);
        one.expression = Some(expression.unwrap_or_else(|fault| panic!("{}: {fault}", one.finding)));
    }
    known
}
