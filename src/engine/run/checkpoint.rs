//! Commits of steps: the changes of a step, its events, and its question or end. Pure except for the clock.

use crate::clock::{Moment, Stopwatch};
use crate::engine::program::programs::ProgramFactory;
use crate::engine::program::{
    BackgroundResult, Program, ProgramError, QuestionDraft, QuestionResult, RunEnd, StepRecord, StepResult,
};
use crate::engine::run::recording::step_recorder::StepRecorder;
use crate::ids::{QuestionId, RunId};
use crate::protocol::caller::Caller;
use crate::protocol::client::Answer;
use crate::protocol::event::Event;
use crate::protocol::server::{Fact, Question, ResolvedBy};
use crate::protocol::{Status, markdown};
use crate::store::rows::llm_calls::StepRecording;
use crate::store::rows::{EndRow, QuestionRow, ResolutionRow, RunCommit, StepRow, StoredRun, TaskRow};
use crate::turn::typed_secret;
use serde_json::{Value, json};

/// Minimum number of steps between two stored full states. The interval grows with the run, so that the total
/// amount written stays linear in the number of steps; the steps between store changes only.
const SNAPSHOT_EVERY: u64 = 64;

/// Most consecutive steps whose recordings are held back.
const MAX_HELD_RECORDINGS: usize = 16;

/// Marker of a stored answer that is the report of a page handed back.
const HANDED_BACK: &str = "handed_back";

/// Outcome under which traces list changes made by attending to outside events.
const ATTENDED: &str = "Attended";

/// Step counter of a run. Knows when the next full state is due.
#[derive(Default)]
pub struct Checkpoint {
    steps: u64,
    whole_at: u64,
    begun: Option<Stopwatch>,
    /// Recordings of steps held back because secrets may be on the page. They are stored when the run comes
    /// to rest or goes on from there.
    held: Vec<StepRecorder>,
}

impl Checkpoint {
    pub fn restored(stored: &StoredRun) -> Self {
        Self { steps: stored.row.last_step, whole_at: stored.state_at, ..Self::default() }
    }

    /// Returns the number of the next step.
    pub fn next_step(&self) -> u64 {
        self.steps + 1
    }

    /// Returns the recording to store with a step, if the recording is not held back.
    pub fn take_recording(&mut self, heard: StepRecorder, goes_on: bool) -> Option<StepRecording> {
        if goes_on && self.held.len() < MAX_HELD_RECORDINGS && heard.is_held_back() {
            self.held.push(heard);
            return None;
        }
        self.held.drain(..).for_each(StepRecorder::store_without_step);
        heard.finish()
    }

    /// Starts the clock of a step.
    pub fn start_clock(&mut self) {
        self.begun = Some(Stopwatch::start());
    }

    /// Builds the commit of a step. `program` has applied the step's changes already.
    pub fn step_commit(
        &mut self,
        run: &RunId,
        root: &RunId,
        visit: &mut StepResult,
        program: &dyn Program,
    ) -> RunCommit {
        let record = std::mem::take(&mut visit.record);
        let changes = std::mem::take(&mut visit.changes);
        with_record(self.row(run, root, visit.node, visit.outcome, changes, program), record)
    }

    /// Builds the commit of a program's reaction to outside events between two steps.
    pub fn attention_commit(
        &mut self,
        run: &RunId,
        root: &RunId,
        attended: BackgroundResult,
        program: &dyn Program,
    ) -> RunCommit {
        let BackgroundResult { changes, record } = attended;
        with_record(self.row(run, root, program.node(), ATTENDED, changes, program), record)
    }

    /// Builds the commit of changes that no step made.
    pub fn change_commit(
        &mut self,
        run: &RunId,
        root: &RunId,
        why: &str,
        changes: Value,
        program: &dyn Program,
        facts: Vec<String>,
    ) -> RunCommit {
        RunCommit { facts, ..self.row(run, root, program.node(), why, changes, program) }
    }

    fn row(
        &mut self,
        run: &RunId,
        root: &RunId,
        node: &str,
        outcome: &str,
        changes: Value,
        program: &dyn Program,
    ) -> RunCommit {
        self.steps += 1;
        let due = self.steps - self.whole_at >= SNAPSHOT_EVERY.max(self.whole_at / 4);
        if due {
            self.whole_at = self.steps;
        }
        RunCommit {
            run: Some(run.clone()),
            root: Some(root.clone()),
            step: Some(StepRow {
                n: self.steps,
                node: node.to_owned(),
                outcome: outcome.to_owned(),
                at: Moment::now(),
                took_ms: self.begun.take().map_or(0, Stopwatch::millis),
                changes,
            }),
            snapshot: due.then(|| program.state()),
            node: Some(program.node().to_owned()),
            ..RunCommit::default()
        }
    }
}

/// Adds a program's record to a commit. The caller adds the children once they have begun.
pub fn with_record(mut commit: RunCommit, record: StepRecord) -> RunCommit {
    let StepRecord { facts, audit, grant, usage, receipt, browser, url, tool_steps, read_inbox, .. } = record;
    commit.facts.extend(facts.iter().map(Fact::body));
    (commit.audit, commit.grant, commit.usage, commit.receipt) = (audit, grant, usage, receipt);
    (commit.browser, commit.url, commit.tool_steps) = (browser, url, tool_steps);
    (commit.raised, commit.cause) = (record.raised, record.cause.map(|cause| json!(cause)));
    (commit.cancel, commit.plan, commit.progress) = (record.cancel, record.plan, record.progress);
    if let (Some(run), Some(root)) = (&commit.run, &commit.root) {
        let owned = |task| TaskRow { run: run.clone(), root: root.clone(), ..task };
        commit.tasks = record.tasks.into_iter().map(owned).collect();
    }
    commit.read_inbox = read_inbox;
    commit
}

/// Restores the full state from stored rows.
pub fn restore_state(programs: &dyn ProgramFactory, stored: StoredRun) -> Result<Value, ProgramError> {
    let mut program = programs.load(&stored.row, stored.state)?;
    stored.changes.iter().try_for_each(|changes| program.apply(changes))?;
    Ok(program.state())
}

/// Returns the receipt of an effect that was interrupted, so that its outcome is unknown.
pub fn unknown_receipt() -> Value {
    json!({"ok": null, "outcome": "unknown"})
}

/// Builds the row of a question, with a fresh reference.
pub fn question_row(run: &RunId, root: &RunId, ask: QuestionDraft) -> QuestionRow {
    let reference = QuestionId::fresh();
    let question = Question {
        reference: reference.clone(),
        kind: ask.kind,
        reason: ask.reason,
        text: ask.text,
        payload: ask.payload,
        remember: ask.remember,
        expires_at: ask.expires_at.map(Moment::rfc3339),
        on_expire: ask.on_expire,
    };
    QuestionRow {
        reference,
        run: run.clone(),
        root: root.clone(),
        kind: question.kind.word().to_owned(),
        frame: json!(Fact::AgentQuestion(question)),
        asked_at: Moment::now(),
        expires_at: ask.expires_at,
        resolved_by: None,
        answer: None,
    }
}

pub fn question_events(row: &QuestionRow, node: &str) -> Vec<String> {
    let mut facts = vec![row.frame.to_string()];
    facts.extend(status_event(Status::Waiting, Some(node)));
    facts
}

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

pub fn end_row(end: RunEnd) -> EndRow {
    EndRow { response: end.response, vars: end.vars }
}

/// Builds the resolution of a question with its event. The store accepts only the first one.
pub fn resolution(
    reference: &QuestionId,
    by: ResolvedBy,
    answer: &Answer,
    client: Option<&Caller>,
    audit: Option<Value>,
) -> ResolutionRow {
    let mut shown = answer.clone();
    for text in [&mut shown.text, &mut shown.comment, &mut shown.message].into_iter().flatten() {
        *text = typed_secret::mask_placeholders(text);
    }
    let client = client.cloned();
    let fact = Fact::QuestionResolved { reference: reference.clone(), by, answer: json!(shown), client };
    let word = json!(by).as_str().unwrap_or("user").to_owned();
    ResolutionRow {
        by: word,
        answer: json!(answer),
        at: Moment::now(),
        fact: fact.body(),
        audit,
        tried: None,
    }
}

/// Marks an answer as the report of a page handed back; `message` is the report. No client can set this
/// marker.
pub fn mark_handed_back(mut answered: ResolutionRow) -> ResolutionRow {
    answered.answer[HANDED_BACK] = json!(true);
    answered
}

/// Returns the resolution stored with a question, if the question is resolved.
pub fn stored_resolution(row: QuestionRow) -> Option<QuestionResult> {
    let by = serde_json::from_value(Value::String(row.resolved_by?)).ok()?;
    let stored = row.answer.unwrap_or_default();
    let handed_back = stored[HANDED_BACK] == true;
    let answer = serde_json::from_value(stored).unwrap_or_default();
    Some(QuestionResult { by, answer, handed_back })
}
