//! Replays the steps of a recorded run tree. All inputs from outside (pages, code, answers of people, results
//! of children, model outputs) come from the recording. The results that the program derives from them are
//! computed again and compared with the recorded ones. Nothing is executed, and neither models nor people are
//! asked.
//!
//! Each step starts from the recorded state, so a difference is reported only where it arises, and not in all
//! later steps.

pub(crate) mod line_diff;
pub(crate) mod normalize;
pub mod recorded_run;
pub(crate) mod replayed_step;
pub mod context;
pub(crate) mod player;
pub mod report;

use crate::engine::program::refused_run::RefusedRun;
use crate::engine::program::{Program, ProgramError};
use crate::observability::replay::context::ReplayContext;
use crate::observability::replay::recorded_run::RecordedRun;
use crate::observability::replay::replayed_step::ReplayedStep;
use crate::observability::replay::report::{Difference, Report};
use crate::store::rows::{NewRun, RunRow};
use crate::turn::typed_secret;
use serde_json::{Map, Value};

/// Maximum number of differences. Beyond it the replay stops, because further ones add nothing.
const ENOUGH: usize = 1_000;

/// Replays all runs of a tree.
pub async fn replay(stage: &ReplayContext<'_>, runs: &[RecordedRun]) -> Report {
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

/// Creates the row that replayed steps write to. It is never read.
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
        idempotency_record: None,
        metadata: None,
        version: None,
        model: None,
        bounds: row.bounds.clone(),
        descendant_limit: None,
        deadline: None,
    }
}

/// The replay of one run.
struct OneRun<'a, 'b> {
    stage: &'a ReplayContext<'b>,
    run: &'a RecordedRun,
    runs: &'a [RecordedRun],
    report: &'a mut Report,
    /// True after a step without a recording, because the in-memory state of the following steps is then
    /// unknown.
    blind: bool,
}

impl OneRun<'_, '_> {
    async fn take(&mut self) {
        self.report.runs += 1;
        let Some(beginning) = self.run.beginning.clone() else {
            // Older versions recorded less.
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

    /// Compares how the run would begin now. Skipped for inputs with secrets, because their values are not
    /// stored.
    fn begins(&mut self, then: &Value) {
        let row = &self.run.row;
        let hidden = Value::Object(row.input.clone()).to_string().contains(typed_secret::MASK);
        if row.program == RefusedRun::NAME || hidden {
            return;
        }
        match self.stage.programs.begin(&row.agent, &row.input) {
            Ok(now) => {
                let how = replayed_step::diff_lines(then, &now.state);
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
        let inputs = self.run.step_inputs.get(&recorded.n).cloned().unwrap_or_default();
        // The program was loaded from the store before this step.
        let fresh = inputs["given"]["fresh"] == true;
        let mut program = if fresh { self.load(program.state())? } else { program };
        self.report.steps += 1;
        // The in-memory state of an unrecorded step is unknown, and so is that of the next step.
        self.blind = (self.blind || inputs.is_null()) && !fresh;
        if self.blind {
            self.report.taken += 1;
            program.apply(&recorded.changes)?;
            return Ok(program);
        }
        let last = at + 1 == self.run.steps.len();
        let taken = replayed_step::replay_step(
            self.stage,
            (self.run, self.runs),
            program.as_ref(),
            (recorded, &inputs, last),
        );
        match taken.await {
            ReplayedStep::Taken { differs } => {
                self.report.taken += 1;
                if let Some(differs) = differs {
                    self.differs(recorded.n, &recorded.node, differs.what, differs.how);
                }
            }
            ReplayedStep::Again { answered, notes, differs } => {
                self.report.recomputed += 1;
                self.report.answers += answered;
                self.report.notes += notes;
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
