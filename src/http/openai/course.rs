//! One completion under way: what is said in a run from a place in its log on, until it has ended, asks
//! something, or rests.

use super::reply::Ending;
use super::words;
use crate::http::problem::Problem;
use crate::http::service::Service;
use crate::http::watching::Watch;
use crate::ids::RunId;
use crate::protocol::server::{Event, Fact, Question};
use crate::protocol::{Locale, Status};
use crate::store::rows::{FactRow, QuestionRow, RunRow, Usage};
use actix_web::web;
use std::time::Duration;

/// Facts read from the store at once.
const PAGE: usize = 256;
/// So often a silent stream shows that it is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

pub struct Course {
    service: web::Data<Service>,
    run: RunId,
    /// Where the page is, as `http://127.0.0.1:8787`.
    base: String,
    locale: Locale,
    after: u64,
    /// It is over once this has happened: a fact after this one shows that the run has heard the message.
    hears_after: Option<u64>,
    /// What had been used before.
    before: Usage,
    watch: Watch,
    spoken: bool,
}

/// Where it begins.
#[derive(Clone, Debug)]
pub struct Place {
    pub run: RunId,
    pub after: u64,
    pub hears_after: Option<u64>,
    pub before: Usage,
}

pub enum Part {
    Text(String),
    Alive,
    /// With the last words, if there are some left.
    End(Option<String>, Ending),
}

/// How the run stood before its facts were read.
struct Stood {
    row: RunRow,
    questions: Vec<QuestionRow>,
}

impl Course {
    pub async fn begin(service: web::Data<Service>, place: Place, base: String) -> Result<Self, Problem> {
        let Place { run, after, hears_after, before } = place;
        let watch = Watch::begin(&service.feed, &run).await?;
        let locale = Locale::of_input(&service.run(&run).await?.input);
        Ok(Self { service, run, base, locale, after, hears_after, before, watch, spoken: false })
    }

    pub async fn next(&mut self) -> Result<Part, Problem> {
        loop {
            // Before the facts: what it stood for then is told by facts that are read now.
            let stood = self.stood().await?;
            let facts = self.service.store().facts(self.run.clone(), self.after, PAGE).await?;
            if let Some(last) = facts.last() {
                self.after = last.seq;
                let said: Vec<String> = facts.iter().filter_map(|fact| self.said(fact)).collect();
                if let Some(text) = self.joined(said) {
                    return Ok(Part::Text(text));
                }
                continue;
            }
            if self.hears_after.is_none() && is_over(&stood) {
                return self.end(stood).await;
            }
            match tokio::time::timeout(KEEP_ALIVE, self.watch.rung()).await {
                Ok(rung) => rung?,
                Err(_) => return Ok(Part::Alive),
            }
        }
    }

    async fn stood(&self) -> Result<Stood, Problem> {
        let row = self.service.run(&self.run).await?;
        Ok(Stood { questions: self.service.store().open_questions(Some(self.run.clone())).await?, row })
    }

    fn said(&mut self, fact: &FactRow) -> Option<String> {
        let own = fact.run == self.run;
        match serde_json::from_str(&fact.body).ok()? {
            Fact::AgentMessage { text, .. } if own => Some(text).filter(|text| !text.trim().is_empty()),
            Fact::QuestionResolved { .. } | Fact::Event(Event::UserMessage { .. }) => {
                if self.hears_after.is_some_and(|before| fact.seq > before) {
                    self.hears_after = None;
                }
                None
            }
            _ => None,
        }
    }

    /// Paragraphs apart from those before.
    fn joined(&mut self, said: Vec<String>) -> Option<String> {
        if said.is_empty() {
            return None;
        }
        let lead = if std::mem::replace(&mut self.spoken, true) { "\n\n" } else { "" };
        Some(format!("{lead}{}", said.join("\n\n")))
    }

    async fn end(&mut self, stood: Stood) -> Result<Part, Problem> {
        let Stood { row, questions } = stood;
        let mut last: Vec<String> = questions.iter().filter_map(|question| self.asks(question)).collect();
        if last.is_empty() && !self.spoken {
            let words = row.response.clone().filter(|words| !words.trim().is_empty());
            last.push(words.unwrap_or_else(|| row.status.clone()));
        }
        let after = self.service.store().spent(self.run.clone()).await?;
        let ending = Ending {
            run: self.run.to_string(),
            status: row.status,
            usage: Usage {
                input: after.input.saturating_sub(self.before.input),
                cached: after.cached.saturating_sub(self.before.cached),
                output: after.output.saturating_sub(self.before.output),
                ..Usage::default()
            },
            questions: questions.iter().map(|question| question.reference.to_string()).collect(),
        };
        Ok(Part::End(self.joined(last), ending))
    }

    fn asks(&self, row: &QuestionRow) -> Option<String> {
        let question: Question = serde_json::from_value(row.frame.clone()).ok()?;
        let child = if row.run == row.root { String::new() } else { format!("/{}", row.run) };
        let link = format!("{}/#/runs/{}{child}", self.base, row.root);
        Some(words::question(&question, &link, self.locale))
    }
}

fn is_over(stood: &Stood) -> bool {
    let row = &stood.row;
    let rests = row.status == Status::Waiting.word() && row.question.is_none();
    row.ended_at.is_some() || rests || !stood.questions.is_empty()
}
