//! The times that a run was open: a conversation that has ended goes on when somebody says more. Pure.

use crate::clock::Moment;
use crate::store::rows::{RunRow, Usage};
use crate::timeline::{Span, Timeline, What};

/// How the step is called by which a run that had ended was opened again.
pub const REOPENED: &str = "reopen";

/// One of them, with what happened in it.
pub struct Opening<'t> {
    /// The span of the step that opened it again; none of the first.
    pub by: Option<&'t str>,
    pub begin: Moment,
    pub end: Moment,
    /// Whether the run as it stands now ended with it; how an earlier one ended is not kept.
    pub is_last: bool,
    /// Of this time alone.
    pub usage: Usage,
    pub spans: Vec<&'t Span>,
}

/// Those of which something came after the step `known`, the oldest first; the last is always among them.
pub fn openings<'t>(run: &RunRow, timeline: &'t Timeline, known: u64) -> Vec<Opening<'t>> {
    let inner: Vec<&Span> =
        timeline.spans.iter().filter(|span| span.run == run.id && !is_run(span)).collect();
    let reopened: Vec<(u64, &Span)> = inner
        .iter()
        .filter_map(|span| Some((number(span)?, *span)))
        .filter(|(_, s)| s.status == REOPENED)
        .collect();
    let mut found = Vec::new();
    for place in 0..=reopened.len() {
        let (by, next) = (place.checked_sub(1).map(|before| reopened[before]), reopened.get(place));
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
        found.push(Opening {
            by: by.map(|(_, span)| span.id.as_str()),
            begin,
            end: match next {
                Some((_, next)) => last(&spans).unwrap_or(begin).min(next.begin),
                None => run.ended_at.unwrap_or(run.updated_at),
            },
            is_last: next.is_none(),
            usage: if reopened.is_empty() { run.usage } else { used(&spans) },
            spans,
        });
    }
    found
}

fn is_run(span: &Span) -> bool {
    matches!(span.what, What::Run { .. })
}

fn number(span: &Span) -> Option<u64> {
    match span.what {
        What::Step { n, .. } => Some(n),
        _ => None,
    }
}

/// When the last of them was over.
fn last(spans: &[&Span]) -> Option<Moment> {
    spans.iter().map(|span| span.end.unwrap_or(span.begin)).max()
}

/// What models took in these.
fn used(spans: &[&Span]) -> Usage {
    spans.iter().fold(Usage::default(), |sum, span| match &span.what {
        What::Call { input_tokens, cached_tokens, output_tokens, cost, .. } => sum.with(&Usage {
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
