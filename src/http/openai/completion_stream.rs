//! A completion in progress: the messages of a run from a position in its log until the run ends, asks a
//! question, is paused, waits for a message, or the client's time is up.

use crate::clock::Stopwatch;
use crate::http::openai::notices;
use crate::http::openai::reply::Ending;
use crate::http::problem::Problem;
use crate::http::rest::runs::follow_run::{Following, Over, Stood};
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
    following: Following<Arc<Service>>,
    /// Base address of the UI, such as `http://127.0.0.1:8787`.
    base: String,
    locale: Locale,
    spot: Spot,
    patience: Patience,
    /// Time since the start, or since the last event.
    waited: Stopwatch,
    spoken: bool,
}

/// Maximum time that a client waits.
#[derive(Clone, Copy, Debug)]
pub enum Patience {
    /// For the whole completion.
    Whole(Duration),
    /// Without any event of the run.
    Silence(Duration),
}

/// Run and position at which the completion starts.
#[derive(Clone, Debug)]
pub struct Place {
    pub run: RunId,
    pub spot: Spot,
}

/// Position within a run.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Spot {
    /// Messages after this event are returned.
    pub after: u64,
    /// Event number after which the run has to receive the message. Until an event shows that, the completion
    /// does not end because the run has ended or rests.
    pub hears_after: Option<u64>,
    /// Usage of the run before this completion.
    pub before: Usage,
}

pub enum StreamPart {
    Text(String),
    Alive,
    /// The end, with the last text if there is any.
    End(Option<String>, Ending),
}

impl CompletionStream {
    pub async fn begin(
        service: Arc<Service>,
        place: Place,
        base: String,
        patience: Patience,
    ) -> Result<Self, Problem> {
        let Place { run, spot } = place;
        let locale = Locale::of_input(&service.run(&run).await?.input);
        let following = Following::begin(service, &run, spot.after).await?;
        Ok(Self { following, base, locale, spot, patience, waited: Stopwatch::start(), spoken: false })
    }

    pub async fn next(&mut self) -> Result<StreamPart, Problem> {
        loop {
            // Read the status first: the events read next then explain it.
            let stood = self.following.stood().await?;
            let facts = self.following.facts().await?;
            if !facts.is_empty() {
                if let Patience::Silence(_) = self.patience {
                    self.waited = Stopwatch::start();
                }
                let said: Vec<String> = facts.iter().filter_map(|fact| self.message_text(fact)).collect();
                if let Some(text) = self.joined(said) {
                    return Ok(StreamPart::Text(text));
                }
                continue;
            }
            let (over, left) = (self.over(&stood), self.left());
            if over.is_some() || left.is_zero() {
                return self.end(stood, over).await;
            }
            if !self.following.rung_within(KEEP_ALIVE.min(left)).await? && !self.left().is_zero() {
                return Ok(StreamPart::Alive);
            }
        }
    }

    fn over(&self, stood: &Stood) -> Option<Over> {
        stood.over().filter(|over| match over {
            // The run receives the message after a person has acted.
            Over::Asks | Over::Paused => true,
            Over::Ended | Over::Rests => self.spot.hears_after.is_none(),
        })
    }

    fn left(&self) -> Duration {
        let (Patience::Whole(most) | Patience::Silence(most)) = self.patience;
        most.saturating_sub(Duration::from_secs_f64(self.waited.seconds()))
    }

    fn message_text(&mut self, fact: &EventRow) -> Option<String> {
        let own = fact.run == *self.following.root();
        match serde_json::from_str(&fact.body).ok()? {
            Fact::AgentMessage { text, .. } if own => Some(text).filter(|text| !text.trim().is_empty()),
            Fact::QuestionResolved { .. } | Fact::Event(Event::UserMessage { .. }) => {
                if self.spot.hears_after.is_some_and(|before| fact.seq > before) {
                    self.spot.hears_after = None;
                }
                None
            }
            _ => None,
        }
    }

    /// Joins texts into paragraphs, separated from earlier text.
    fn joined(&mut self, said: Vec<String>) -> Option<String> {
        if said.is_empty() {
            return None;
        }
        let lead = if std::mem::replace(&mut self.spoken, true) { "\n\n" } else { "" };
        Some(format!("{lead}{}", said.join("\n\n")))
    }

    /// Ends the completion. `over` is `None` if the time is up.
    async fn end(&mut self, stood: Stood, over: Option<Over>) -> Result<StreamPart, Problem> {
        let Stood { row, questions } = stood;
        let mut last: Vec<String> = questions.iter().filter_map(|question| self.asks(question)).collect();
        let link = || format!("{}/#/runs/{}", self.base, row.root);
        match over {
            Some(Over::Paused) => last.push(notices::paused(&link(), self.locale)),
            None => last.push(notices::goes_on(&link(), self.locale)),
            Some(Over::Ended | Over::Asks | Over::Rests) => {}
        }
        if last.is_empty() && !self.spoken {
            let words = row.response.clone().filter(|words| !words.trim().is_empty());
            last.push(words.unwrap_or_else(|| row.status.clone()));
        }
        let after = self.following.service().store().tree_usage(row.id.clone()).await?;
        let before = self.spot.before;
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
        Ok(StreamPart::End(self.joined(last), ending))
    }

    fn asks(&self, row: &QuestionRow) -> Option<String> {
        let question: Question = serde_json::from_value(row.frame.clone()).ok()?;
        let child = if row.run == row.root { String::new() } else { format!("/{}", row.run) };
        let link = format!("{}/#/runs/{}{child}", self.base, row.root);
        Some(notices::question(&question, &link, self.locale))
    }
}
