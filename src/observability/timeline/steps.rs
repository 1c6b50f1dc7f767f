//! Steps of a run in order, with their times.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::observability::timeline::span::{Span, SpanKind};
use crate::store::rows::trace::{StepHead, TimelineData};
use crate::text::truncate::truncate;
use std::collections::{BTreeMap, HashMap};

/// Maximum length of a question's text, in characters.
const LONG: usize = 300;

/// Maximum time in milliseconds between the end of a step and its storage, which is the time of its events.
const STORED_MS: i64 = 20;

/// The steps of each run in order, including the current one.
pub struct Steps<'a> {
    of_run: BTreeMap<&'a RunId, Vec<TimedStep<'a>>>,
}

impl<'a> Steps<'a> {
    pub(crate) fn from_rows(rows: &'a TimelineData) -> Self {
        let mut of_run: BTreeMap<&RunId, Vec<TimedStep<'_>>> = BTreeMap::new();
        for head in &rows.steps {
            of_run.entry(&head.run).or_default().push(TimedStep::from_head(head));
        }
        for row in rows.runs.iter().filter(|row| row.status == "running") {
            let steps = of_run.entry(&row.id).or_default();
            let begin = steps.last().and_then(|last| last.end).unwrap_or(row.created_at);
            let (run, n) = (&row.id, row.last_step + 1);
            steps.push(TimedStep { run, n, node: &row.node, outcome: "running", begin, end: None });
        }
        Self { of_run }
    }

    pub(crate) fn spans(&self) -> impl Iterator<Item = Span> {
        self.of_run.values().flatten().map(|step| Span {
            id: step.id(),
            parent: Some(step.run.to_string()),
            run: step.run.clone(),
            name: step.node.to_owned(),
            status: step.outcome.to_owned(),
            begin: step.begin,
            end: step.end,
            what: SpanKind::Step { n: step.n, took_ms: step.end.map(|end| millis_between(step.begin, end)) },
        })
    }

    /// Clamps spans to their steps, because events may be stored a moment after the step. A span that begins
    /// long after the step has ended belongs to an interrupted step, and is attached to the run instead.
    pub(crate) fn hold(&self, spans: &mut [Span]) {
        let steps: HashMap<String, &TimedStep<'_>> =
            self.of_run.values().flatten().map(|step| (step.id(), step)).collect();
        for span in spans {
            let Some(step) = span.parent.as_ref().and_then(|parent| steps.get(parent)) else { continue };
            if step.end.is_some_and(|end| span.begin.millis().saturating_sub(end.millis()) > STORED_MS) {
                span.parent = Some(span.run.to_string());
                continue;
            }
            span.begin = step.clamp(span.begin);
            span.end = span.end.map(|end| step.clamp(end));
        }
    }

    /// Reports whether this step of a run is known.
    pub fn has(&self, run: &RunId, n: u64) -> bool {
        self.of_run.get(run).is_some_and(|steps| steps.iter().any(|step| step.n == n))
    }

    /// Returns the step of a run in which an event occurred. The event may be stored with its step, a moment
    /// after the step's end.
    pub fn step_at(&self, run: &RunId, at: Moment) -> Option<&TimedStep<'a>> {
        let steps = self.of_run.get(run)?;
        let after = steps.partition_point(|step| step.begin < at);
        steps.get(after.saturating_sub(1)).filter(|step| step.begin <= at)
    }
}

pub struct TimedStep<'a> {
    run: &'a RunId,
    pub n: u64,
    node: &'a str,
    outcome: &'a str,
    pub begin: Moment,
    pub end: Option<Moment>,
}

impl<'a> TimedStep<'a> {
    fn from_head(head: &'a StepHead) -> Self {
        let took = i64::try_from(head.took_ms).unwrap_or(i64::MAX);
        let begin = Moment::from_millis(head.at.millis().saturating_sub(took));
        let StepHead { run, n, node, outcome, .. } = head;
        Self { run, n: *n, node, outcome, begin, end: Some(head.at) }
    }

    fn clamp(&self, at: Moment) -> Moment {
        let at = at.max(self.begin);
        self.end.map_or(at, |end| at.min(end))
    }

    pub fn id(&self) -> String {
        format!("{}/s{}", self.run, self.n)
    }
}

pub fn millis_between(begin: Moment, end: Moment) -> u64 {
    u64::try_from(end.millis().saturating_sub(begin.millis())).unwrap_or(0)
}

/// Shortens a text of a span.
pub(crate) fn short_text(text: &str) -> String {
    truncate(text, LONG)
}
