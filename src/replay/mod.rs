//! Takes the steps of a recorded run tree again. What the world did (pages, code, people's answers, children's
//! ends, models' words) comes from the record; what askfirst and its agents make of it is worked out anew and
//! held against what they made of it then. Nothing is executed and nobody is asked.
//!
//! Each step begins where the recorded one did, so a difference is told where it arises and not again in all that
//! follows from it.

pub mod document;
mod lines;
mod player;
pub mod report;
mod same;
mod step;

use crate::program::{Program, ProgramError, Programs};
use crate::store::Store;
use crate::store::rows::{NewRun, RunRow};
use document::Recorded;
use report::{Difference, Report};
use serde_json::{Map, Value};
use std::sync::Arc;
use step::Stepped;

/// What takes the steps.
pub struct Stage<'a> {
    pub programs: &'a dyn Programs,
    /// Where steps write what they write while they are under way: nobody reads it.
    pub store: Arc<dyn Store>,
}

/// What differs in so many places differs everywhere: the rest would tell nothing more.
const ENOUGH: usize = 1_000;

/// All runs of a tree.
pub async fn replay(stage: &Stage<'_>, runs: &[Recorded]) -> Report {
    let mut report = Report::default();
    for run in runs {
        if let Err(fault) = stage.store.create(stand_in(&run.row), Vec::new()).await {
            tracing::warn!(%fault, "a run that is replayed has no row to write to");
        }
    }
    for run in runs {
        report.given_up |= report.differences.len() >= ENOUGH;
        if report.given_up {
            break;
        }
        let mut on = OneRun { stage, run, runs, report: &mut report, blind: false };
        on.take().await;
    }
    report
}

/// The row that steps write to while they are taken again; nobody reads it.
fn stand_in(row: &RunRow) -> NewRun {
    NewRun {
        id: row.id.clone(),
        root: row.root.clone(),
        parent: row.parent.clone(),
        depth: row.depth,
        agent: row.agent.clone(),
        program: row.program.clone(),
        title: String::new(),
        input: Map::new(),
        node: row.node.clone(),
        state: Value::Null,
        idempotency_key: None,
        tried: None,
        metadata: None,
        version: None,
        model: None,
        bounds: row.bounds.clone(),
        most: None,
        deadline: None,
    }
}

/// One run on its way.
struct OneRun<'a, 'b> {
    stage: &'a Stage<'b>,
    run: &'a Recorded,
    runs: &'a [Recorded],
    report: &'a mut Report,
    /// A step was not recorded, and the next ones go on with what it had in hand.
    blind: bool,
}

impl OneRun<'_, '_> {
    async fn take(&mut self) {
        self.report.runs += 1;
        let Some(beginning) = self.run.beginning.clone() else {
            // An older version kept less of it.
            self.report.taken += self.run.steps.len();
            self.report.steps += self.run.steps.len();
            return;
        };
        self.begins(&beginning);
        let mut program = match self.load(beginning) {
            Ok(program) => program,
            Err(fault) => return self.differs(0, "", "begins", format!("+ {fault}\n")),
        };
        for at in 0..self.run.steps.len() {
            if self.report.differences.len() >= ENOUGH {
                self.report.given_up = true;
                return;
            }
            match self.step(program, at).await {
                Ok(next) => program = next,
                Err(fault) => {
                    let (n, node) = (self.run.steps[at].n, self.run.steps[at].node.clone());
                    return self.differs(n, &node, "changes", format!("+ {fault}\n"));
                }
            }
        }
    }

    /// How it would begin now. Inputs with secrets are not kept, so nothing can be begun with them.
    fn begins(&mut self, then: &Value) {
        let row = &self.run.row;
        let hidden = Value::Object(row.input.clone()).to_string().contains(crate::turn::typed::MASK);
        if row.program == crate::program::refused::Refused::NAME || hidden {
            return;
        }
        match self.stage.programs.begin(&row.agent, &row.input) {
            Ok(now) => {
                let how = step::changed(then, &now.state);
                if !how.is_empty() {
                    self.differs(0, now.node, "begins", how);
                }
            }
            Err(fault) => self.differs(0, "", "begins", format!("+ {fault}\n")),
        }
    }

    fn load(&self, state: Value) -> Result<Box<dyn Program>, ProgramError> {
        self.stage.programs.load(&self.run.row, state)
    }

    async fn step(&mut self, program: Box<dyn Program>, at: usize) -> Result<Box<dyn Program>, ProgramError> {
        let recorded = &self.run.steps[at];
        let heard = self.run.heard.get(&recorded.n).cloned().unwrap_or_default();
        // Nothing was in hand: as it came back from the store.
        let fresh = heard["given"]["fresh"] == true;
        let mut program = if fresh { self.load(program.state())? } else { program };
        self.report.steps += 1;
        // Of one that was not recorded nobody knows what it had in hand then, nor what the next one had.
        self.blind = (self.blind || heard.is_null()) && !fresh;
        if self.blind {
            self.report.taken += 1;
            program.apply(&recorded.changes)?;
            return Ok(program);
        }
        let last = at + 1 == self.run.steps.len();
        let taken =
            step::again(self.stage, (self.run, self.runs), program.as_ref(), (recorded, &heard, last));
        match taken.await {
            Stepped::Taken { differs } => {
                self.report.taken += 1;
                if let Some(differs) = differs {
                    self.differs(recorded.n, &recorded.node, differs.what, differs.how);
                }
            }
            Stepped::Again { answered, heard, differs } => {
                self.report.recomputed += 1;
                self.report.answers += answered;
                self.report.heard += heard;
                if let Some(differs) = differs {
                    self.differs(recorded.n, &recorded.node, differs.what, differs.how);
                }
            }
        }
        program.apply(&recorded.changes)?;
        Ok(program)
    }

    fn differs(&mut self, step: u64, node: &str, what: &'static str, how: String) {
        let row = &self.run.row;
        let (run, agent) = (row.id.clone(), row.agent.clone());
        self.report.differences.push(Difference { run, agent, step, node: node.to_owned(), what, how });
    }
}

/// What a child is called with.
fn input(input: &Map<String, Value>) -> Value {
    Value::Object(input.clone())
}
