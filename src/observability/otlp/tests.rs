//! Tests of the conversion from timelines to spans.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::observability::otlp::conventions as name;
use crate::observability::otlp::conventions::ContentExport;
use crate::observability::otlp::open_periods::REOPENED;
use crate::observability::otlp::span::{AttributeValue, Span, SpanStatus, derive_span_id, trace_id};
use crate::observability::otlp::spans::spans;
use crate::observability::timeline;
use crate::observability::timeline::span::{SpanKind, Timeline};
use crate::store::rows::usage::Usage;
use crate::store::rows::{ListSettings, RunRow};
use serde_json::{Map, json};

fn row() -> RunRow {
    RunRow {
        id: RunId::from("c"),
        root: RunId::from("r"),
        parent: Some(RunId::from("r")),
        depth: 1,
        agent: String::from("shop"),
        program: String::from("conversation"),
        title: String::new(),
        input: Map::from_iter([(String::from("text"), json!("a lamp"))]),
        status: String::from("failed"),
        node: String::from("plan_action"),
        question: None,
        created_at: Moment::from_millis(1_000),
        updated_at: Moment::from_millis(9_000),
        ended_at: Some(Moment::from_millis(9_000)),
        response: Some(String::from("no lamp")),
        vars: Map::new(),
        tool_steps: 0,
        last_step: 3,
        usage: Usage::default(),
        url: None,
        version: None,
        model: None,
        ordinal: 1,
        exceeded_limit: None,
        bounds: json!({}),
        deadline: None,
        plan: None,
        progress: None,
        cause: None,
        metadata: None,
        list_settings: ListSettings::default(),
    }
}

fn step(n: u64, outcome: &str) -> timeline::span::Span {
    let begin = Moment::from_millis(i64::try_from(n).unwrap() * 2_000);
    timeline::span::Span {
        id: format!("c/s{n}"),
        parent: Some(String::from("c")),
        run: RunId::from("c"),
        name: String::from("plan_action"),
        status: outcome.to_owned(),
        begin,
        end: None,
        what: SpanKind::Step { n, took_ms: None },
    }
}

fn export(steps: &[timeline::span::Span], contents: ContentExport) -> Vec<Span> {
    export_after(0, steps, contents)
}

fn export_after(known: u64, steps: &[timeline::span::Span], contents: ContentExport) -> Vec<Span> {
    let (run, root, at) = (RunId::from("c"), RunId::from("r"), Moment::from_millis(9_500));
    let timeline = Timeline { run, root, at, spans: steps.to_vec(), left_out: 0 };
    spans(&row(), &timeline, known, contents)
}

#[test]
fn a_run_hangs_below_its_caller_and_its_steps_below_it() {
    let all = export(&[step(1, "Planned"), step(2, "Planned")], ContentExport::Omitted);
    let [whole, one, two] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((whole.name.as_str(), whole.parent), ("invoke_agent shop", Some(derive_span_id(&["r"]))));
    assert_eq!((whole.begin, whole.end), (1_000, 9_000));
    assert_eq!(whole.outcome, SpanStatus::Error(String::from("failed")));
    assert_eq!((one.parent, two.parent), (Some(whole.id), Some(whole.id)));
    // A span without an end ends with the run.
    assert_eq!((two.begin, two.end), (4_000, 9_000));
    assert!(all.iter().all(|span| span.trace == trace_id(&RunId::from("r"))));
    assert_eq!(
        export(&[step(1, "Planned"), step(2, "Planned")], ContentExport::Omitted),
        all,
        "the same again"
    );
    let has_content = |all: &[Span]| format!("{all:?}").contains("no lamp");
    assert!(!has_content(&all) && has_content(&export(&[], ContentExport::Included)));
}

#[test]
fn a_run_that_was_opened_again_is_a_further_span_below_its_first() {
    let first = export(&[step(1, "Planned")], ContentExport::Omitted);
    let steps = [step(1, "Planned"), call(100), step(2, REOPENED), step(3, "Planned"), call(7)];
    let all = export_after(1, &steps, ContentExport::Included);
    let [whole, _, after, call] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((whole.parent, whole.begin, whole.end), (Some(first[0].id), 4_000, 9_000));
    assert_ne!(whole.id, first[0].id);
    assert_eq!((after.parent, call.parent), (Some(whole.id), Some(whole.id)));
    assert!(!all.iter().any(|span| span.id == first[1].id), "what a collector has is not sent again");
    assert_eq!(tokens(whole), Some(7), "of this time alone");
    assert!(format!("{whole:?}").contains("no lamp") && !format!("{whole:?}").contains("a lamp"));

    // Periods before the first export are all sent, and no span has a parent that was never sent.
    let all = export(&steps, ContentExport::Included);
    let whole: Vec<&Span> = all.iter().filter(|span| span.name == "invoke_agent shop").collect();
    let [before, after] = whole.as_slice() else { panic!("{all:?}") };
    assert_eq!((before.id, before.begin, before.end), (first[0].id, 1_000, 3_000));
    assert_eq!((after.parent, tokens(before), tokens(after)), (Some(before.id), Some(100), Some(7)));
    assert_eq!((&before.outcome, &after.outcome), (&SpanStatus::Unset, &first[0].outcome));
}

fn call(tokens: u64) -> timeline::span::Span {
    let at = if tokens == 100 { 2_500 } else { 7_000 };
    let (begin, end) = (Moment::from_millis(at), Some(Moment::from_millis(at + 500)));
    let what = SpanKind::Call {
        n: None,
        model: String::from("m"),
        input_tokens: tokens,
        cached_tokens: 0,
        output_tokens: 0,
        cost: None,
        error: None,
        estimated: false,
    };
    timeline::span::Span { id: format!("c/c{tokens}"), begin, end, what, ..step(1, "succeeded") }
}

fn tokens(span: &Span) -> Option<i64> {
    let found = span.attributes.iter().find(|(key, _)| *key == name::INPUT_TOKENS)?;
    match found.1 {
        AttributeValue::Whole(tokens) => Some(tokens),
        _ => None,
    }
}
