//! Converts the timeline of an ended run into spans: the run, its steps, model calls, actions and questions.
//! Pure. Child runs are exported when they end; all runs of a tree share one trace. A run that was reopened
//! has one span per period.

use crate::observability::otlp::conventions as name;
use crate::observability::otlp::conventions::ContentExport;
use crate::observability::otlp::open_periods::{OpenPeriod, open_periods};
use crate::observability::otlp::span::{
    Attribute, AttributeValue, OtlpSpanKind, Span, SpanStatus, derive_span_id, trace_id,
};
use crate::observability::timeline;
use crate::observability::timeline::span::{SpanKind, Timeline};
use crate::protocol::Status;
use crate::store::rows::RunRow;

/// Returns the spans of everything after the step `known`, up to which the collector has them.
pub fn spans(run: &RunRow, timeline: &Timeline, known: u64, contents: ContentExport) -> Vec<Span> {
    let mut all = Vec::new();
    for period in open_periods(run, timeline, known) {
        let whole = RunSpan::for_run(run, &period);
        all.push(whole.span(&period, contents));
        all.extend(period.spans.iter().map(|span| whole.part(span)));
    }
    all
}

/// The run span that contains the others.
struct RunSpan<'r> {
    run: &'r RunRow,
    trace: [u8; 16],
    id: [u8; 8],
    parent: Option<[u8; 8]>,
    end: i64,
}

impl<'r> RunSpan<'r> {
    /// Each later period is a child span of the first one.
    fn for_run(run: &'r RunRow, period: &OpenPeriod<'_>) -> Self {
        let first = derive_span_id(&[run.id.as_str()]);
        let caller = run.parent.as_ref().map(|parent| derive_span_id(&[parent.as_str()]));
        let (id, parent) = match period.by {
            Some(step) => (derive_span_id(&[run.id.as_str(), step]), Some(first)),
            None => (first, caller),
        };
        Self { run, trace: trace_id(&run.root), id, parent, end: period.end.millis() }
    }

    fn span(&self, period: &OpenPeriod<'_>, contents: ContentExport) -> Span {
        let (run, usage) = (self.run, &period.usage);
        let mut attributes: Vec<Attribute> = vec![
            (name::OPERATION, AttributeValue::from(name::INVOKE_AGENT)),
            (name::AGENT_NAME, AttributeValue::from(run.agent.as_str())),
            (name::CONVERSATION, AttributeValue::from(run.root.as_str())),
            (name::RUN, AttributeValue::from(run.id.as_str())),
            (name::ROOT, AttributeValue::from(run.root.as_str())),
            (name::PROGRAM, AttributeValue::from(run.program.as_str())),
            (name::INPUT_TOKENS, AttributeValue::from(usage.input)),
            (name::OUTPUT_TOKENS, AttributeValue::from(usage.output)),
            (name::CACHED_TOKENS, AttributeValue::from(usage.cached)),
        ];
        attributes
            .extend(run.version.as_deref().map(|version| (name::AGENT_ID, AttributeValue::from(version))));
        attributes.extend(usage.money().map(|cost| (name::COST, AttributeValue::Amount(cost))));
        if contents == ContentExport::Included {
            attributes.extend(self.contents(period));
        }
        let outcome = if period.is_last { outcome(&run.status) } else { SpanStatus::Unset };
        attributes.extend(period.is_last.then(|| (name::STATUS, AttributeValue::from(run.status.as_str()))));
        if let SpanStatus::Error(word) = &outcome {
            attributes.push((name::ERROR, AttributeValue::from(word.as_str())));
        }
        Span {
            trace: self.trace,
            id: self.id,
            parent: self.parent,
            name: format!("{} {}", name::INVOKE_AGENT, run.agent),
            kind: OtlpSpanKind::Internal,
            begin: period.begin.millis(),
            end: self.end,
            attributes,
            outcome,
        }
    }

    /// Returns the inputs of the first period, and the response of the last one.
    fn contents(&self, period: &OpenPeriod<'_>) -> Vec<Attribute> {
        let text = || serde_json::Value::Object(self.run.input.clone()).to_string();
        let input = period.by.is_none().then(|| (name::INPUT_MESSAGES, name::message("user", &text())));
        let response = self.run.response.as_deref().filter(|_| period.is_last);
        let response = response.map(|response| (name::OUTPUT_MESSAGES, name::message("assistant", response)));
        input.into_iter().chain(response).collect()
    }

    fn part(&self, span: &timeline::span::Span) -> Span {
        let parent = span.parent.as_deref().filter(|parent| *parent != self.run.id.as_str());
        let (called, kind, mut attributes) = describe_span(span);
        attributes.push((name::RUN, AttributeValue::from(self.run.id.as_str())));
        let outcome = match &span.what {
            SpanKind::Call { .. } | SpanKind::Action { .. } if span.status == "failed" => {
                let why = failure(span);
                attributes.push((name::ERROR, AttributeValue::from(why.as_str())));
                SpanStatus::Error(why)
            }
            SpanKind::Task { .. } => outcome(&span.status),
            _ => SpanStatus::Unset,
        };
        Span {
            trace: self.trace,
            id: derive_span_id(&[&span.id]),
            parent: Some(parent.map_or(self.id, |parent| derive_span_id(&[parent]))),
            name: called,
            kind,
            begin: span.begin.millis(),
            // A span without an end was cut off with its run.
            end: span.end.map_or(self.end, |end| end.millis()),
            attributes,
            outcome,
        }
    }
}

/// Returns the name, kind and attributes of a span.
fn describe_span(span: &timeline::span::Span) -> (String, OtlpSpanKind, Vec<Attribute>) {
    let inner = |name: String, attributes| (name, OtlpSpanKind::Internal, attributes);
    match &span.what {
        SpanKind::Run { .. } => inner(span.name.clone(), vec![status(span)]),
        SpanKind::Step { n, .. } => inner(span.name.clone(), step(span, *n)),
        SpanKind::Call { model, .. } => (format!("{} {model}", name::CHAT), OtlpSpanKind::Client, call(span)),
        SpanKind::Question { reference, .. } => {
            let reference = (name::REFERENCE, AttributeValue::from(reference.as_str()));
            let kind = (name::KIND, AttributeValue::from(span.name.as_str()));
            inner(format!("ask {}", span.name), vec![kind, reference, status(span)])
        }
        SpanKind::Action { action_id, effect, .. } => {
            let mut attributes = tool(span, action_id);
            attributes.push((name::OPERATION, AttributeValue::from(name::EXECUTE_TOOL)));
            attributes.push((name::TOOL_TYPE, AttributeValue::from("function")));
            attributes.push((name::EFFECT, AttributeValue::Switch(effect.is_some())));
            inner(format!("{} {}", name::EXECUTE_TOOL, span.name), attributes)
        }
        SpanKind::Task { task_id, action_id, .. } => {
            let mut attributes = tool(span, action_id);
            attributes.push((name::TASK, AttributeValue::from(task_id.as_str())));
            inner(format!("task {}", span.name), attributes)
        }
        SpanKind::Item { item, .. } => inner(format!("item {}", span.name), tool(span, &item.item_id)),
    }
}

fn status(span: &timeline::span::Span) -> Attribute {
    (name::STATUS, AttributeValue::from(span.status.as_str()))
}

fn step(span: &timeline::span::Span, n: u64) -> Vec<Attribute> {
    let outcome = (name::OUTCOME, AttributeValue::from(span.status.as_str()));
    vec![
        (name::NODE, AttributeValue::from(span.name.as_str())),
        outcome,
        (name::STEP, AttributeValue::from(n)),
    ]
}

/// Returns the attributes of a tool call.
fn tool(span: &timeline::span::Span, id: &str) -> Vec<Attribute> {
    let called = (name::TOOL_NAME, AttributeValue::from(span.name.as_str()));
    vec![called, (name::TOOL_CALL, AttributeValue::from(id)), status(span)]
}

fn call(span: &timeline::span::Span) -> Vec<Attribute> {
    let SpanKind::Call { model, input_tokens, cached_tokens, output_tokens, cost, .. } = &span.what else {
        return Vec::new();
    };
    let mut attributes = vec![
        (name::OPERATION, AttributeValue::from(name::CHAT)),
        (name::PROVIDER, AttributeValue::from(name::OPENAI)),
        (name::REQUEST_MODEL, AttributeValue::from(model.as_str())),
        (name::ROLE, AttributeValue::from(span.name.as_str())),
        (name::INPUT_TOKENS, AttributeValue::from(*input_tokens)),
        (name::OUTPUT_TOKENS, AttributeValue::from(*output_tokens)),
        (name::CACHED_TOKENS, AttributeValue::from(*cached_tokens)),
    ];
    attributes.extend(cost.map(|cost| (name::COST, AttributeValue::Amount(cost))));
    attributes
}

/// Returns a failure code. Messages of models and pages are not exported.
fn failure(span: &timeline::span::Span) -> String {
    match &span.what {
        SpanKind::Action { code: Some(code), .. } => code.clone(),
        _ => String::from("failed"),
    }
}

fn outcome(status: &str) -> SpanStatus {
    match Status::from_word(status) {
        Some(Status::Succeeded) => SpanStatus::Ok,
        Some(Status::Partial | Status::Failed | Status::Denied | Status::Blocked | Status::Exhausted) => {
            SpanStatus::Error(status.to_owned())
        }
        Some(
            Status::Queued
            | Status::Running
            | Status::Waiting
            | Status::Paused
            | Status::Skipped
            | Status::Cancelled,
        )
        | None => SpanStatus::Unset,
    }
}
