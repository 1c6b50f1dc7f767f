//! A completion in progress: the messages of a run from a position in its log until the run ends, asks a
//! question, is paused, waits for a message, or the client's time is up.

use crate::clock::Stopwatch;
use crate::http::openai::notices;
use crate::http::openai::reply::Ending;
use crate::http::problem::Problem;
use crate::http::rest::runs::follow_run::{HaltReason, RunFollower, RunSnapshot};
use crate::http::service::Service;
use crate::ids::RunId;
use crate::protocol::Locale;
use crate::protocol::event::Event;
use crate::protocol::server::{Fact, Question};
use crate::store::rows::usage::Usage;
use crate::store::rows::{EventRow, QuestionRow};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Interval of keep-alive comments in a stream without events.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

pub struct CompletionStream {
    follower: RunFollower<Arc<Service>>,
    /// Base address of the UI, such as `http://127.0.0.1:8787`.
    base: String,
    locale: Locale,
    position: RunPosition,
    limit: WaitLimit,
    /// Time since the start, or since the last event.
    waited: Stopwatch,
    has_text: bool,
}

/// Maximum time that a client waits.
#[derive(Clone, Copy, Debug)]
pub enum WaitLimit {
    /// For the whole completion.
    Total(Duration),
    /// Without any event of the run.
    Idle(Duration),
}

/// Run and position at which the completion starts.
#[derive(Clone, Debug)]
pub struct CompletionStart {
    pub run: RunId,
    pub position: RunPosition,
}

/// Position within a run.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct RunPosition {
    /// Messages after this event are returned.
    pub after: u64,
    /// Event number after which the run has to receive the message. Until an event shows that, the completion
    /// does not end because the run has ended or rests.
    #[serde(rename = "hears_after")]
    pub receives_after: Option<u64>,
    /// Usage of the run before this completion.
    pub before: Usage,
}

pub enum StreamPart {
    Text(String),
    KeepAlive,
    /// The end, with the last text if there is any.
    End(Option<String>, Ending),
}

impl CompletionStream {
    pub async fn begin(
        service: Arc<Service>,
        start: CompletionStart,
        base: String,
        limit: WaitLimit,
    ) -> Result<Self, Problem> {
        let CompletionStart { run, position } = start;
        let locale = Locale::from_input_or_english(&service.run(&run).await?.input);
        let follower = RunFollower::begin(service, &run, position.after).await?;
        Ok(Self { follower, base, locale, position, limit, waited: Stopwatch::start(), has_text: false })
    }

    pub async fn next(&mut self) -> Result<StreamPart, Problem> {
        loop {
            // Read the status first: the events read next then explain it.
            let snapshot = self.follower.snapshot().await?;
            let events = self.follower.next_events().await?;
            if !events.is_empty() {
                if let WaitLimit::Idle(_) = self.limit {
                    self.waited = Stopwatch::start();
                }
                let texts: Vec<String> = events.iter().filter_map(|event| self.message_text(event)).collect();
                if let Some(text) = self.join_paragraphs(texts) {
                    return Ok(StreamPart::Text(text));
                }
                continue;
            }
            let (halt_reason, time_left) = (self.halt_reason(&snapshot), self.time_left());
            if halt_reason.is_some() || time_left.is_zero() {
                return self.end(snapshot, halt_reason).await;
            }
            if !self.follower.wait_for_event_within(KEEP_ALIVE.min(time_left)).await?
                && !self.time_left().is_zero()
            {
                return Ok(StreamPart::KeepAlive);
            }
        }
    }

    fn halt_reason(&self, snapshot: &RunSnapshot) -> Option<HaltReason> {
        snapshot.halt_reason().filter(|halt_reason| match halt_reason {
            // The run receives the message after a person has acted.
            HaltReason::AwaitsAnswer | HaltReason::Paused => true,
            HaltReason::Ended | HaltReason::AwaitsMessage => self.position.receives_after.is_none(),
        })
    }

    fn time_left(&self) -> Duration {
        let (WaitLimit::Total(most) | WaitLimit::Idle(most)) = self.limit;
        most.saturating_sub(Duration::from_secs_f64(self.waited.seconds()))
    }

    fn message_text(&mut self, event: &EventRow) -> Option<String> {
        let own = event.run == *self.follower.root();
        match serde_json::from_str(&event.body).ok()? {
            Fact::AgentMessage { text, .. } if own => Some(text).filter(|text| !text.trim().is_empty()),
            Fact::QuestionResolved { .. } | Fact::Event(Event::UserMessage { .. }) => {
                if self.position.receives_after.is_some_and(|before| event.seq > before) {
                    self.position.receives_after = None;
                }
                None
            }
            _ => None,
        }
    }

    /// Joins texts into paragraphs, separated from earlier text.
    fn join_paragraphs(&mut self, texts: Vec<String>) -> Option<String> {
        if texts.is_empty() {
            return None;
        }
        let lead = if std::mem::replace(&mut self.has_text, true) { "\n\n" } else { "" };
        Some(format!("{lead}{}", texts.join("\n\n")))
    }

    /// Ends the completion. `halt_reason` is `None` if the time is up.
    async fn end(
        &mut self,
        snapshot: RunSnapshot,
        halt_reason: Option<HaltReason>,
    ) -> Result<StreamPart, Problem> {
        let RunSnapshot { row, questions } = snapshot;
        let mut last: Vec<String> =
            questions.iter().filter_map(|question| self.question_text(question)).collect();
        let link = || format!("{}/#/runs/{}", self.base, row.root);
        match halt_reason {
            Some(HaltReason::Paused) => last.push(notices::paused_notice(&link(), self.locale)),
            None => last.push(notices::long_run_notice(&link(), self.locale)),
            Some(HaltReason::Ended | HaltReason::AwaitsAnswer | HaltReason::AwaitsMessage) => {}
        }
        if last.is_empty() && !self.has_text {
            let words = row.response.clone().filter(|words| !words.trim().is_empty());
            last.push(words.unwrap_or_else(|| row.status.clone()));
        }
        let after = self.follower.service().store().tree_usage(row.id.clone()).await?;
        let before = self.position.before;
        let ending = Ending {
            run: row.id.to_string(),
            status: row.status,
            usage: Usage {
                input: after.input.saturating_sub(before.input),
                cached: after.cached.saturating_sub(before.cached),
                output: after.output.saturating_sub(before.output),
                ..Usage::default()
            },
            questions: questions.iter().map(|question| question.reference.to_string()).collect(),
        };
        Ok(StreamPart::End(self.join_paragraphs(last), ending))
    }

    fn question_text(&self, row: &QuestionRow) -> Option<String> {
        let question: Question = serde_json::from_value(row.frame.clone()).ok()?;
        let child = if row.run == row.root { String::new() } else { format!("/{}", row.run) };
        let link = format!("{}/#/runs/{}{child}", self.base, row.root);
        Some(notices::question_notice(&question, &link, self.locale))
    }
}
