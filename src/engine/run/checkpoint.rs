//! Commits of steps: the changes of a step, its events and its end. Pure except for the clock.

use crate::clock::{Moment, Stopwatch};
use crate::engine::program::{Program, RunEnd, StepRecord};
use crate::engine::run::step_recorder::StepRecorder;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::protocol::{Status, markdown};
use crate::store::rows::recordings::StepRecording;
use crate::store::rows::{CheckpointRow, ChildChanges, PermissionChanges, RunCommit, StepRow, StoredRun};
use crate::turn::typed_secret;
use serde_json::{Value, json};

/// Minimum number of steps between two stored full states. The interval grows with the run, so that the total
/// amount written stays linear in the number of steps; the steps between store changes only.
const SNAPSHOT_EVERY: u64 = 64;

/// Most consecutive steps whose recordings are held back.
const MAX_HELD_RECORDINGS: usize = 16;

/// Step counter of a run. Knows when the next full state is due.
#[derive(Default)]
pub struct StepCounter {
    steps: u64,
    last_snapshot_at: u64,
    clock: Option<Stopwatch>,
    /// Recordings of steps held back because secrets may be on the page. They are stored when the run comes
    /// to rest or goes on from there.
    held_recordings: Vec<StepRecorder>,
}

impl StepCounter {
    /// Continues the counts of a restored run.
    pub fn from_stored(stored: &StoredRun) -> Self {
        Self { steps: stored.row.last_step, last_snapshot_at: stored.state_at, ..Self::default() }
    }

    /// Returns the number of the last step, which may still be being stored.
    pub fn last_step(&self) -> u64 {
        self.steps
    }

    /// Returns the number of the next step.
    pub fn next_step(&self) -> u64 {
        self.steps + 1
    }

    /// Returns the number of the last step that a commit builds on.
    pub fn step_before(&self, commit: &RunCommit) -> u64 {
        commit.checkpoint.as_ref().map_or(self.steps, |row| row.step.n.saturating_sub(1))
    }

    /// Returns the recording to store with a step, if the recording is not held back.
    pub fn take_recording(&mut self, recorder: StepRecorder, goes_on: bool) -> Option<StepRecording> {
        if goes_on && self.held_recordings.len() < MAX_HELD_RECORDINGS && recorder.is_held_back() {
            self.held_recordings.push(recorder);
            return None;
        }
        self.held_recordings.drain(..).for_each(StepRecorder::store_without_step);
        recorder.finish()
    }

    /// Starts the clock of a step.
    pub fn start_clock(&mut self) {
        self.clock = Some(Stopwatch::start());
    }

    /// Adds a step, or a change between two steps, to a commit: its outcome, its changes, which `program` has
    /// applied already, and its record.
    pub fn step_commit(
        &mut self,
        blank: RunCommit,
        (node, outcome): (&str, &str),
        changes: Value,
        record: StepRecord,
        program: &dyn Program,
    ) -> RunCommit {
        self.steps += 1;
        let due = self.steps - self.last_snapshot_at >= SNAPSHOT_EVERY.max(self.last_snapshot_at / 4);
        if due {
            self.last_snapshot_at = self.steps;
        }
        let step = StepRow {
            n: self.steps,
            node: node.to_owned(),
            outcome: outcome.to_owned(),
            at: Moment::now(),
            took_ms: self.clock.take().map_or(0, Stopwatch::millis),
            changes,
        };
        let snapshot = due.then(|| program.state());
        let row = CheckpointRow { step, node: program.node().to_owned(), snapshot };
        with_record(RunCommit { checkpoint: Some(row), ..blank }, record)
    }
}

/// Adds a program's record to a commit. The caller adds the children once they have begun.
pub fn with_record(mut commit: RunCommit, record: StepRecord) -> RunCommit {
    commit.events.extend(record.facts.iter().map(Fact::body));
    let (run, root) = (&commit.run, &commit.root);
    let tasks = record.tasks.into_iter().map(|task| task.into_row(run.clone(), root.clone())).collect();
    commit.children = ChildChanges { begin: Vec::new(), stop: record.cancel, tasks };
    commit.permissions =
        PermissionChanges { audit: record.audit, grant: record.grant, raised: record.raised };
    commit.effect.receipt = record.receipt;
    commit.consumed.inbox = record.read_inbox;
    commit.page.snapshot = record.browser;
    RunCommit { report: record.report, ..commit }
}

/// Returns the receipt of an effect that was interrupted, so that its outcome is unknown.
pub fn unknown_receipt() -> Value {
    json!({"ok": null, "outcome": "unknown"})
}

/// Returns the event of a new status.
pub fn status_event(status: Status, node: Option<&str>) -> Vec<String> {
    vec![Fact::Status { status, node: node.map(str::to_owned) }.body()]
}

/// Returns the event of a person's message, as it may be shown.
pub fn user_message_event(text: &str) -> String {
    Fact::Event(Event::UserMessage { text: typed_secret::mask_placeholders(text) }).body()
}

/// Returns the final message and the end as events.
pub fn end_events(end: &RunEnd, plan: Option<String>) -> Vec<String> {
    let text = end.response.clone().unwrap_or_default();
    let html = markdown::safe_html(&text);
    vec![
        Fact::AgentMessage { text, html, r#final: true }.body(),
        Fact::RunEnded {
            outcome: end.outcome,
            final_response: end.response.clone(),
            vars: end.vars.clone(),
            plan,
        }
        .body(),
    ]
}
