//! Recordings of steps: the model calls and inputs of a step, for replays, stored in the commit of the step.
//!
//! The calls of a dropped step are stored without their answers, which have not been checked for secrets yet.

use crate::config::recording::Recording;
use crate::engine::program::StepInput;
use crate::engine::program::ended_child::EndedChild;
use crate::engine::services::RunServices;
use crate::ids::RunId;
use crate::record;
use crate::record::{Note, RecordedCall, Recorder, RecordingBuffer};
use crate::store::Store;
use crate::store::rows::RunCommit;
use crate::store::rows::inbox::InboxRow;
use crate::store::rows::recordings::{CallRow, CallText, NewCall, StepRecording};
use serde_json::{Value, json};
use std::sync::Arc;

/// Records one step. If dropped before `finish`, stores the calls without their answers.
pub struct StepRecorder {
    buffer: Option<RecordingBuffer>,
    services: Arc<RunServices>,
    run: RunId,
    root: RunId,
    step: u64,
    /// Inputs of the step.
    input: Value,
}

impl StepRecorder {
    /// Creates the recorder of step number `step`. `fresh` is true if its actor takes its first step.
    pub fn new(services: &Arc<RunServices>, input: &StepInput, step: u64, fresh: bool) -> Self {
        let answer = input
            .answer
            .as_ref()
            .map(|resolution| json!({"reference": resolution.reference, "by": resolution.by, "answer": resolution.answer, "handed_back": resolution.handed_back}));
        let members = [
            ("fresh", fresh.then(|| json!(true))),
            ("origin", fresh.then(|| json!(services.programs.origin()))),
            ("inbox", Some(describe_messages(&input.inbox)).filter(|_| !input.inbox.is_empty())),
            ("answer", answer),
            ("ended", Some(describe_children(&input.ended)).filter(|_| !input.ended.is_empty())),
        ];
        let members = members.into_iter().filter_map(|(name, member)| Some((name.to_owned(), member?)));
        Self {
            buffer: RecordingBuffer::new(services.recording),
            services: Arc::clone(services),
            run: input.run.clone(),
            root: input.root.clone(),
            step,
            input: Value::Object(members.collect()),
        }
    }

    /// Returns the recorder of the inputs of the step; `None` if nothing is recorded.
    pub fn input_recorder(&self) -> Option<Recorder> {
        self.buffer.clone().map(Recorder::Record)
    }

    /// Returns the recording without secrets, or `None` if nothing was recorded.
    pub fn finish(mut self) -> Option<StepRecording> {
        let record::StepRecording { calls, notes, .. } = self.buffer.take()?.take();
        let calls: Vec<NewCall> = calls.into_iter().map(|call| self.scrubbed_call(call, false)).collect();
        let records_all = self.services.recording == Recording::All;
        let recorded = recording_body(self.input.take(), notes);
        let body = records_all.then(|| self.clean(recorded));
        let recording = StepRecording { step: self.step, calls, body };
        (!recording.calls.is_empty() || recording.body.is_some()).then_some(recording)
    }

    /// True if the recording must be held back until its secrets are known.
    pub fn is_held_back(&self) -> bool {
        self.buffer.as_ref().is_some_and(RecordingBuffer::is_held_back)
    }

    /// Stores the recording without a step.
    pub fn store_without_step(self) {
        let (services, run, root) = (Arc::clone(&self.services), self.run.clone(), self.root.clone());
        if let Some(recording) = self.finish() {
            store_recording(&*services.store, run, root, recording);
        }
    }

    fn clean(&self, mut value: Value) -> Value {
        self.services.programs.scrub(&self.root, &mut value);
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

impl Drop for StepRecorder {
    fn drop(&mut self) {
        let Some(buffer) = self.buffer.take() else { return };
        let record::StepRecording { mut calls, held_back, .. } = buffer.take();
        if calls.is_empty() {
            return;
        }
        // The secrets of the run tree may be forgotten by now, so the request cannot be scrubbed.
        calls.iter_mut().filter(|_| held_back).for_each(|call| call.request = None);
        let calls = calls.into_iter().map(|call| self.scrubbed_call(call, true)).collect();
        let recording = StepRecording { step: self.step, calls, body: None };
        store_recording(&*self.services.store, self.run.clone(), self.root.clone(), recording);
    }
}

/// Records outside events as the inputs of step number `step`; `None` if only calls are recorded.
pub fn record_outside_events(
    services: &RunServices,
    root: &RunId,
    step: u64,
    (inbox, ended): (&[InboxRow], &[EndedChild]),
) -> Option<StepRecording> {
    if services.recording != Recording::All {
        return None;
    }
    let mut input = json!({"inbox": describe_messages(inbox), "ended": describe_children(ended)});
    services.programs.scrub(root, &mut input);
    Some(StepRecording { step, calls: Vec::new(), body: Some(recording_body(input, Vec::new())) })
}

fn describe_children(ended: &[EndedChild]) -> Value {
    ended.iter().map(|child| json!(child.run)).collect()
}

fn describe_messages(inbox: &[InboxRow]) -> Value {
    let row = |InboxRow { n, item }: &InboxRow| json!({"n": n, "kind": item.kind(), "text": item.text()});
    inbox.iter().map(row).collect()
}

/// Joins the engine's inputs with the values recorded during the step.
fn recording_body(input: Value, notes: Vec<Note>) -> Value {
    let inputs: Vec<Value> =
        notes.into_iter().map(|Note { name, value }| json!({"what": name, "said": value})).collect();
    json!({"given": input, "heard": inputs})
}

fn store_recording(store: &dyn Store, run: RunId, root: RunId, recording: StepRecording) {
    // Not awaited: a lost recording loses nothing that a step depends on.
    drop(store.commit(RunCommit { recording: Some(recording), ..RunCommit::new(run, root) }));
}
