//! Periods in which a run was open: an ended conversation is reopened by a new message. Pure.

use crate::clock::Moment;
use crate::observability::timeline::span::{Span, SpanKind, Timeline};
use crate::store::rows::RunRow;
use crate::store::rows::usage::Usage;

/// Outcome of the step that reopens an ended run.
pub const REOPENED: &str = "reopen";

/// A period in which the run was open, with its spans.
pub struct OpenPeriod<'t> {
    /// Span of the step that reopened the run, or `None` for the first period.
    pub by: Option<&'t str>,
    pub begin: Moment,
    pub end: Moment,
    /// True if the run's current outcome belongs to this period. Outcomes of earlier periods are not stored.
    pub is_last: bool,
    /// Usage within this period.
    pub usage: Usage,
    pub spans: Vec<&'t Span>,
}

/// Returns the periods with anything after the step `known`, oldest first. The last period is always
/// included.
pub fn open_periods<'t>(run: &RunRow, timeline: &'t Timeline, known: u64) -> Vec<OpenPeriod<'t>> {
    let inner: Vec<&Span> =
        timeline.spans.iter().filter(|span| span.run == run.id && !is_run(span)).collect();
    let reopened: Vec<(u64, &Span)> = inner
        .iter()
        .filter_map(|span| Some((step_number(span)?, *span)))
        .filter(|(_, s)| s.status == REOPENED)
        .collect();
    let mut found = Vec::new();
    for period in 0..=reopened.len() {
        let (by, next) = (period.checked_sub(1).map(|before| reopened[before]), reopened.get(period));
        if next.is_some_and(|(step, _)| *step <= known + 1) {
            continue;
        }
        let since = by.map(|(_, span)| span.begin);
        let is_within = |span: &&Span| {
            since.is_none_or(|since| span.begin >= since)
                && next.is_none_or(|(_, next)| span.begin < next.begin)
        };
        let spans: Vec<&Span> = inner.iter().copied().filter(is_within).collect();
        let begin = since.unwrap_or(run.created_at);
        found.push(OpenPeriod {
            by: by.map(|(_, span)| span.id.as_str()),
            begin,
            end: match next {
                Some((_, next)) => end_of_spans(&spans).unwrap_or(begin).min(next.begin),
                None => run.ended_at.unwrap_or(run.updated_at),
            },
            is_last: next.is_none(),
            usage: if reopened.is_empty() { run.usage } else { sum_usage(&spans) },
            spans,
        });
    }
    found
}

fn is_run(span: &Span) -> bool {
    matches!(span.what, SpanKind::Run { .. })
}

fn step_number(span: &Span) -> Option<u64> {
    match span.what {
        SpanKind::Step { n, .. } => Some(n),
        _ => None,
    }
}

/// Returns the end of the last span.
fn end_of_spans(spans: &[&Span]) -> Option<Moment> {
    spans.iter().map(|span| span.end.unwrap_or(span.begin)).max()
}

/// Sums up the model usage of the spans.
fn sum_usage(spans: &[&Span]) -> Usage {
    spans.iter().fold(Usage::default(), |sum, span| match &span.what {
        SpanKind::Call { input_tokens, cached_tokens, output_tokens, cost, .. } => sum.plus(&Usage {
            calls: 1,
            unpriced: u64::from(cost.is_none()),
            input: *input_tokens,
            cached: *cached_tokens,
            output: *output_tokens,
            cost: cost.unwrap_or_default(),
        }),
        _ => sum,
    })
}
