//! Recordings of steps: the model calls and inputs of a step, stored in the commit of the step.
//!
//! The calls of a dropped step are stored without their answers, which have not been checked for secrets yet.

use super::{Run, RunServices};
use crate::config::Recording;
use crate::ids::RunId;
use crate::program::{EndedChild, StepInput};
use crate::record::{self, Note, RecordedCall, Recorder, RecordingBuffer};
use crate::store::rows::{CallRow, CallText, Message, NewCall, RunCommit, StepRecording};
use serde_json::{Value, json};
use std::future::Future;
use std::sync::Arc;

/// Records one step. Dropped with calls on it, it stores what a dropped step may keep.
pub struct StepRecorder {
    blank: Option<RecordingBuffer>,
    engine: Arc<RunServices>,
    run: RunId,
    root: RunId,
    step: u64,
    /// Inputs of the step.
    given: Value,
}

impl Run {
    /// Runs a step and records its calls.
    pub(super) fn record_step<F: Future>(
        &self,
        given: Value,
        step: F,
    ) -> impl Future<Output = (F::Output, StepRecorder)> + use<F> {
        let recorder = StepRecorder {
            blank: RecordingBuffer::new(self.engine.recording),
            engine: Arc::clone(&self.engine),
            run: self.id.clone(),
            root: self.root.clone(),
            step: self.checkpoint.next_step(),
            given,
        };
        async move {
            let tape = recorder.blank.clone().map(Recorder::Takes);
            (record::on(tape, step).await, recorder)
        }
    }
}

impl Run {
    /// Describes the inputs of a step; `fresh` if this actor takes its first step.
    pub(super) fn describe_inputs(&self, given: &StepInput) -> Value {
        let answer = given
            .answer
            .as_ref()
            .map(|said| json!({"by": said.by, "answer": said.answer, "handed_back": said.handed_back}));
        let fresh = self.visits == 0;
        let told = [
            ("fresh", fresh.then(|| json!(true))),
            ("origin", fresh.then(|| json!(self.engine.programs.origin()))),
            ("inbox", Some(messages(&given.inbox)).filter(|_| !given.inbox.is_empty())),
            ("answer", answer),
            ("ended", Some(children(&given.ended)).filter(|_| !given.ended.is_empty())),
        ];
        Value::Object(told.into_iter().filter_map(|(name, told)| Some((name.to_owned(), told?))).collect())
    }

    /// Records the inputs of attending to outside events.
    pub(super) fn record_attention(&self, ended: &[EndedChild]) -> Option<StepRecording> {
        if self.engine.recording != Recording::All {
            return None;
        }
        let mut given = json!({"inbox": messages(self.hearing.inbox()), "ended": children(ended)});
        self.engine.programs.scrub(&self.root, &mut given);
        Some(StepRecording {
            step: self.checkpoint.next_step(),
            calls: Vec::new(),
            body: Some(body(given, Vec::new())),
        })
    }
}

impl StepRecorder {
    /// Returns the recording without secrets, or `None` if nothing was recorded.
    pub fn finish(mut self) -> Option<StepRecording> {
        let record::StepRecording { calls, notes, .. } = self.blank.take()?.take();
        let calls: Vec<NewCall> = calls.into_iter().map(|call| self.scrubbed_call(call, false)).collect();
        let whole = self.engine.recording == Recording::All;
        let told = body(self.given.take(), notes);
        let body = whole.then(|| self.clean(told));
        let heard = StepRecording { step: self.step, calls, body };
        (!heard.calls.is_empty() || heard.body.is_some()).then_some(heard)
    }

    /// True if the recording must be held back until its secrets are known.
    pub fn is_held_back(&self) -> bool {
        self.blank.as_ref().is_some_and(RecordingBuffer::is_held_back)
    }

    /// Stores the recording without a step.
    pub fn store_without_step(self) {
        let (engine, run, root) = (Arc::clone(&self.engine), self.run.clone(), self.root.clone());
        if let Some(heard) = self.finish() {
            store(&engine, run, root, heard);
        }
    }

    fn clean(&self, mut value: Value) -> Value {
        self.engine.programs.scrub(&self.root, &mut value);
        value
    }

    fn scrubbed_call(&self, call: RecordedCall, dropped: bool) -> NewCall {
        let mut request = call.request.map(|request| self.clean(request)).unwrap_or_default();
        let messages = match request.get_mut("messages").map(Value::take) {
            Some(Value::Array(messages)) => messages,
            _ => Vec::new(),
        };
        if let Value::Object(rest) = &mut request {
            rest.shift_remove("messages");
        }
        let answer = call.answer.filter(|_| !dropped).map(|answer| self.clean(answer));
        let fault = call.fault.map(|fault| self.clean(fault));
        let row = CallRow {
            n: 0,
            step: self.step,
            role: call.role,
            model: call.model,
            at: call.at,
            took_ms: call.took_ms,
            input: call.tokens.input,
            cached: call.tokens.cached,
            output: call.tokens.output,
            cost: call.cost,
            currency: call.currency,
            error: call.error,
            dropped,
        };
        NewCall { row, text: CallText { messages, request, answer, fault } }
    }
}

fn store(engine: &RunServices, run: RunId, root: RunId, heard: StepRecording) {
    let (run, root, heard) = (Some(run), Some(root), Some(heard));
    // Not awaited: a lost recording loses nothing that a step depends on.
    drop(engine.store.commit(RunCommit { run, root, heard, ..RunCommit::default() }));
}

/// Combines the engine's inputs with what the step received besides.
fn body(given: Value, notes: Vec<Note>) -> Value {
    let heard: Vec<Value> =
        notes.into_iter().map(|Note { what, said }| json!({"what": what, "said": said})).collect();
    json!({"given": given, "heard": heard})
}

fn children(ended: &[EndedChild]) -> Value {
    ended.iter().map(|child| json!(child.run)).collect()
}

fn messages(inbox: &[Message]) -> Value {
    let row = |Message { n, item }: &Message| json!({"n": n, "kind": item.kind(), "text": item.text()});
    inbox.iter().map(row).collect()
}

impl Drop for StepRecorder {
    fn drop(&mut self) {
        let Some(blank) = self.blank.take() else { return };
        let record::StepRecording { mut calls, held_back, .. } = blank.take();
        if calls.is_empty() {
            return;
        }
        // The secrets of the run tree may be forgotten by now, so the request cannot be scrubbed.
        calls.iter_mut().filter(|_| held_back).for_each(|call| call.request = None);
        let calls = calls.into_iter().map(|call| self.scrubbed_call(call, true)).collect();
        let heard = StepRecording { step: self.step, calls, body: None };
        store(&self.engine, self.run.clone(), self.root.clone(), heard);
    }
}
