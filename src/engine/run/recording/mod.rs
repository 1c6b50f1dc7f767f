//! Recordings of steps: the model calls and inputs of a step, stored in the commit of the step.
//!
//! The calls of a dropped step are stored without their answers, which have not been checked for secrets yet.

pub mod step_recorder;

use crate::config::recording::Recording;
use crate::engine::program::StepInput;
use crate::engine::program::ended_child::EndedChild;
use crate::engine::run::recording::step_recorder::{StepRecorder, recording_body};
use crate::engine::run::state::Run;
use crate::record::RecordingBuffer;
use crate::store::rows::inbox::InboxRow;
use crate::store::rows::recordings::StepRecording;
use serde_json::{Value, json};
use std::sync::Arc;

impl Run {
    /// Returns the recorder of a step with these inputs.
    pub(crate) fn step_recorder(&self, input: &StepInput) -> StepRecorder {
        StepRecorder {
            buffer: RecordingBuffer::new(self.services.recording),
            services: Arc::clone(&self.services),
            run: self.identity.id.clone(),
            root: self.identity.root.clone(),
            step: self.checkpoint.next_step(),
            input: self.describe_inputs(input),
        }
    }

    /// Describes the inputs of a step; `fresh` if this actor takes its first step.
    fn describe_inputs(&self, input: &StepInput) -> Value {
        let answer = input
            .answer
            .as_ref()
            .map(|resolution| json!({"by": resolution.by, "answer": resolution.answer, "handed_back": resolution.handed_back}));
        let fresh = self.steps_begun == 0;
        let members = [
            ("fresh", fresh.then(|| json!(true))),
            ("origin", fresh.then(|| json!(self.services.programs.origin()))),
            ("inbox", Some(messages(&input.inbox)).filter(|_| !input.inbox.is_empty())),
            ("answer", answer),
            ("ended", Some(describe_children(&input.ended)).filter(|_| !input.ended.is_empty())),
        ];
        Value::Object(
            members.into_iter().filter_map(|(name, members)| Some((name.to_owned(), members?))).collect(),
        )
    }

    /// Records the inputs of attending to outside events.
    pub(crate) fn record_attention(&self, ended: &[EndedChild]) -> Option<StepRecording> {
        if self.services.recording != Recording::All {
            return None;
        }
        let mut input = json!({"inbox": messages(self.mailbox.inbox()), "ended": describe_children(ended)});
        self.services.programs.scrub(&self.identity.root, &mut input);
        Some(StepRecording {
            step: self.checkpoint.next_step(),
            calls: Vec::new(),
            body: Some(recording_body(input, Vec::new())),
        })
    }
}

fn describe_children(ended: &[EndedChild]) -> Value {
    ended.iter().map(|child| json!(child.run)).collect()
}

pub(crate) fn messages(inbox: &[InboxRow]) -> Value {
    let row = |InboxRow { n, item }: &InboxRow| json!({"n": n, "kind": item.kind(), "text": item.text()});
    inbox.iter().map(row).collect()
}
