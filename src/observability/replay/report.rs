//! Report of a replay: the numbers of recomputed and skipped steps, and the differences.

use crate::ids::RunId;
use crate::text::truncate::one_line;
use serde_json::{Value, json};
use std::fmt;

#[derive(Debug, Default)]
pub struct Report {
    pub runs: usize,
    pub steps: usize,
    /// Steps that were computed again.
    pub recomputed: usize,
    /// Steps taken from the recording: code, commands, and steps after a crash.
    pub taken: usize,
    /// Model answers, and other inputs, that came from the recording.
    pub answers: usize,
    pub notes: usize,
    pub differences: Vec<Difference>,
    /// True if there were so many differences that the replay stopped.
    pub given_up: bool,
}

/// A step with a different result.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub run: RunId,
    pub agent: String,
    /// 0 is the beginning of the run.
    pub step: u64,
    pub node: String,
    /// Kind of the difference: `begins`, `prompt`, `asks`, `outcome`, `changes`, `call`, `code` or `end`.
    pub what: &'static str,
    /// Lines with `-` for the recording and `+` for the replay.
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
            "heard": self.notes,
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

/// Formats the report for people: the first difference, the number of others, and the totals.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(first) = self.differences.first() {
            // Names stand on one line, so that a document cannot forge lines of this report.
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
            self.runs, self.steps, self.recomputed, self.answers, self.notes, self.taken
        )
    }
}
