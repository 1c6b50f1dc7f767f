//! What came of it: how much was worked out anew, how much was taken as it stands, and what is different.

use crate::ids::RunId;
use serde_json::{Value, json};
use std::fmt;

#[derive(Debug, Default)]
pub struct Report {
    pub runs: usize,
    pub steps: usize,
    /// Steps that were taken again.
    pub recomputed: usize,
    /// Steps that stand as they were recorded: code, commands, what followed a crash.
    pub taken: usize,
    /// Answers of models, and other things heard, that came from the record.
    pub answers: usize,
    pub heard: usize,
    pub differences: Vec<Difference>,
    /// There were so many that the rest was not looked at.
    pub given_up: bool,
}

/// Where a step comes to something else now.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub run: RunId,
    pub agent: String,
    /// 0 is how the run begins.
    pub step: u64,
    pub node: String,
    /// `begins`, `prompt`, `asks`, `outcome`, `changes`, `call`, `code`, `end`
    pub what: &'static str,
    /// Lines: `-` then, `+` now.
    pub how: String,
}

impl Report {
    pub fn json(&self) -> Value {
        let differences: Vec<Value> = self.differences.iter().map(Difference::json).collect();
        json!({
            "same": self.differences.is_empty(),
            "runs": self.runs,
            "steps": self.steps,
            "recomputed": self.recomputed,
            "taken": self.taken,
            "answers": self.answers,
            "heard": self.heard,
            "differences": differences,
            "given_up": self.given_up,
        })
    }
}

impl Difference {
    fn json(&self) -> Value {
        json!({
            "run_id": self.run, "agent": self.agent, "step": self.step, "node": self.node,
            "what": self.what, "diff": self.how,
        })
    }
}

/// For people: the first difference, how many more there are, and the numbers.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(first) = self.differences.first() {
            writeln!(f, "differs: run {} ({})", one_line(first.run.as_str()), one_line(&first.agent))?;
            match first.step {
                0 => writeln!(f, "  as it begins: {}", first.what)?,
                step => writeln!(f, "  step {step}, {}: {}", one_line(&first.node), first.what)?,
            }
            for line in first.how.lines() {
                writeln!(f, "    {line}")?;
            }
            let more = self.differences.len() - 1;
            if more > 0 {
                let left = if self.given_up { ", and there it was given up" } else { "" };
                writeln!(f, "  and {more} more{left}")?;
            }
        } else {
            writeln!(f, "the same")?;
        }
        writeln!(
            f,
            "runs: {}, steps: {}: {} taken again with {} answers of models and {} other notes of the record, {} as \
             they stand in it",
            self.runs, self.steps, self.recomputed, self.answers, self.heard, self.taken
        )
    }
}

/// What a file names may be more than one line, and then look like this report's own.
fn one_line(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}
