//! Records the inputs of a step, for replays.

use crate::config::recording::Recording;
use crate::engine::services::RunServices;
use crate::ids::RunId;
use crate::record;
use crate::record::{Note, RecordedCall, Recorder, RecordingBuffer};
use crate::store::Store;
use crate::store::rows::RunCommit;
use crate::store::rows::recordings::{CallRow, CallText, NewCall, StepRecording};
use serde_json::{Value, json};
use std::sync::Arc;

/// Records one step. Dropped with calls on it, it stores what a dropped step may keep.
pub struct StepRecorder {
    pub(crate) buffer: Option<RecordingBuffer>,
    pub(crate) services: Arc<RunServices>,
    pub(crate) run: RunId,
    pub(crate) root: RunId,
    pub(crate) step: u64,
    /// Inputs of the step.
    pub(crate) input: Value,
}

impl StepRecorder {
    /// Returns the recorder for the calls of the step; `None` if nothing is recorded.
    pub fn tape(&self) -> Option<Recorder> {
        self.buffer.clone().map(Recorder::Takes)
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

/// Combines the engine's inputs with what the step received besides.
pub(crate) fn recording_body(input: Value, notes: Vec<Note>) -> Value {
    let inputs: Vec<Value> =
        notes.into_iter().map(|Note { name, value }| json!({"what": name, "said": value})).collect();
    json!({"given": input, "heard": inputs})
}

fn store_recording(store: &dyn Store, run: RunId, root: RunId, recording: StepRecording) {
    // Not awaited: a lost recording loses nothing that a step depends on.
    drop(store.commit(RunCommit { recording: Some(recording), ..RunCommit::new(run, root) }));
}
