//! The spans of one run that has ended, out of its time line: the run itself, its steps, the calls of models, the
//! actions and the questions in them. Pure. The runs that it called are exported when they end themselves; all of
//! one tree are one trace.

use super::conventions::{self as name, Contents};
use super::span::{Attribute, Kind, Outcome, Span, Value, span_of, trace_of};
use crate::protocol::Status;
use crate::store::rows::RunRow;
use crate::timeline::{self, Timeline, What};

/// How the step is called by which a run that had ended was opened again.
const REOPENED: &str = "reopen";

pub fn spans(run: &RunRow, timeline: &Timeline, contents: Contents) -> Vec<Span> {
    let own: Vec<&timeline::Span> = timeline.spans.iter().filter(|span| span.run == run.id).collect();
    // What came before a run was opened again has been exported at its end then.
    let reopened = own.iter().rev().find(|span| is_step(span) && span.status == REOPENED);
    let began = reopened.map(|span| span.begin);
    let whole = Whole::of(run, reopened.map(|span| span.id.as_str()));
    let inner = own.iter().filter(|span| !is_run(span) && began.is_none_or(|began| span.begin >= began));
    let inner = inner.map(|span| whole.part(span));
    std::iter::once(whole.span(run, began.unwrap_or(run.created_at).millis(), contents))
        .chain(inner)
        .collect()
}

fn is_run(span: &timeline::Span) -> bool {
    matches!(span.what, What::Run { .. })
}

fn is_step(span: &timeline::Span) -> bool {
    matches!(span.what, What::Step { .. })
}

/// The run that all of them are parts of.
struct Whole<'r> {
    run: &'r RunRow,
    trace: [u8; 16],
    id: [u8; 8],
    parent: Option<[u8; 8]>,
    end: i64,
}

impl<'r> Whole<'r> {
    /// Each time that it was opened is a span of its own, below the first.
    fn of(run: &'r RunRow, reopened: Option<&str>) -> Self {
        let first = span_of(&[run.id.as_str()]);
        let caller = run.parent.as_ref().map(|parent| span_of(&[parent.as_str()]));
        let (id, parent) = match reopened {
            Some(step) => (span_of(&[run.id.as_str(), step]), Some(first)),
            None => (first, caller),
        };
        let end = run.ended_at.unwrap_or(run.updated_at).millis();
        Self { run, trace: trace_of(&run.root), id, parent, end }
    }

    fn span(&self, run: &RunRow, begin: i64, contents: Contents) -> Span {
        let mut attributes: Vec<Attribute> = vec![
            (name::OPERATION, Value::from(name::INVOKE_AGENT)),
            (name::AGENT_NAME, Value::from(run.agent.as_str())),
            (name::CONVERSATION, Value::from(run.root.as_str())),
            (name::RUN, Value::from(run.id.as_str())),
            (name::ROOT, Value::from(run.root.as_str())),
            (name::PROGRAM, Value::from(run.program.as_str())),
            (name::STATUS, Value::from(run.status.as_str())),
            (name::INPUT_TOKENS, Value::from(run.usage.input)),
            (name::OUTPUT_TOKENS, Value::from(run.usage.output)),
            (name::CACHED_TOKENS, Value::from(run.usage.cached)),
        ];
        attributes.extend(run.version.as_deref().map(|version| (name::AGENT_ID, Value::from(version))));
        attributes.extend(run.usage.money().map(|cost| (name::COST, Value::Amount(cost))));
        if contents == Contents::Told {
            let input = serde_json::Value::Object(run.input.clone()).to_string();
            attributes.push((name::INPUT_MESSAGES, name::message("user", &input)));
            attributes.extend(
                run.response.as_deref().map(|said| (name::OUTPUT_MESSAGES, name::message("assistant", said))),
            );
        }
        let outcome = outcome(&run.status);
        if let Outcome::Error(word) = &outcome {
            attributes.push((name::ERROR, Value::from(word.as_str())));
        }
        Span {
            trace: self.trace,
            id: self.id,
            parent: self.parent,
            name: format!("{} {}", name::INVOKE_AGENT, run.agent),
            kind: Kind::Internal,
            begin,
            end: self.end,
            attributes,
            outcome,
        }
    }

    fn part(&self, span: &timeline::Span) -> Span {
        let parent = span.parent.as_deref().filter(|parent| *parent != self.run.id.as_str());
        let (called, kind, mut attributes) = told(span);
        attributes.push((name::RUN, Value::from(self.run.id.as_str())));
        let outcome = match &span.what {
            What::Call { .. } | What::Action { .. } if span.status == "failed" => {
                let why = failure(span);
                attributes.push((name::ERROR, Value::from(why.as_str())));
                Outcome::Error(why)
            }
            What::Task { .. } => outcome(&span.status),
            _ => Outcome::Unset,
        };
        Span {
            trace: self.trace,
            id: span_of(&[&span.id]),
            parent: Some(parent.map_or(self.id, |parent| span_of(&[parent]))),
            name: called,
            kind,
            begin: span.begin.millis(),
            // What has no end was cut off with its run.
            end: span.end.map_or(self.end, |end| end.millis()),
            attributes,
            outcome,
        }
    }
}

/// Its name, and what is said of it.
fn told(span: &timeline::Span) -> (String, Kind, Vec<Attribute>) {
    let inner = |name: String, attributes| (name, Kind::Internal, attributes);
    match &span.what {
        What::Run { .. } => inner(span.name.clone(), vec![status(span)]),
        What::Step { n, .. } => inner(span.name.clone(), step(span, *n)),
        What::Call { model, .. } => (format!("{} {model}", name::CHAT), Kind::Client, call(span)),
        What::Question { reference, .. } => {
            let reference = (name::REFERENCE, Value::from(reference.as_str()));
            let kind = (name::KIND, Value::from(span.name.as_str()));
            inner(format!("ask {}", span.name), vec![kind, reference, status(span)])
        }
        What::Action { action_id, effect, .. } => {
            let mut attributes = tool(span, action_id);
            attributes.push((name::OPERATION, Value::from(name::EXECUTE_TOOL)));
            attributes.push((name::TOOL_TYPE, Value::from("function")));
            attributes.push((name::EFFECT, Value::Switch(effect.is_some())));
            inner(format!("{} {}", name::EXECUTE_TOOL, span.name), attributes)
        }
        What::Task { task_id, action_id, .. } => {
            let mut attributes = tool(span, action_id);
            attributes.push((name::TASK, Value::from(task_id.as_str())));
            inner(format!("task {}", span.name), attributes)
        }
        What::Item { item, .. } => inner(format!("item {}", span.name), tool(span, &item.item_id)),
    }
}

fn status(span: &timeline::Span) -> Attribute {
    (name::STATUS, Value::from(span.status.as_str()))
}

fn step(span: &timeline::Span, n: u64) -> Vec<Attribute> {
    let outcome = (name::OUTCOME, Value::from(span.status.as_str()));
    vec![(name::NODE, Value::from(span.name.as_str())), outcome, (name::STEP, Value::from(n))]
}

/// Of what was called, under this id.
fn tool(span: &timeline::Span, id: &str) -> Vec<Attribute> {
    let called = (name::TOOL_NAME, Value::from(span.name.as_str()));
    vec![called, (name::TOOL_CALL, Value::from(id)), status(span)]
}

fn call(span: &timeline::Span) -> Vec<Attribute> {
    let What::Call { model, input_tokens, cached_tokens, output_tokens, cost, .. } = &span.what else {
        return Vec::new();
    };
    let mut attributes = vec![
        (name::OPERATION, Value::from(name::CHAT)),
        (name::PROVIDER, Value::from(name::OPENAI)),
        (name::REQUEST_MODEL, Value::from(model.as_str())),
        (name::ROLE, Value::from(span.name.as_str())),
        (name::INPUT_TOKENS, Value::from(*input_tokens)),
        (name::OUTPUT_TOKENS, Value::from(*output_tokens)),
        (name::CACHED_TOKENS, Value::from(*cached_tokens)),
    ];
    attributes.extend(cost.map(|cost| (name::COST, Value::Amount(cost))));
    attributes
}

/// Why a call or an action failed, as a word; what a model's service or a page said of it stays here.
fn failure(span: &timeline::Span) -> String {
    match &span.what {
        What::Action { code: Some(code), .. } => code.clone(),
        _ => String::from("failed"),
    }
}

fn outcome(status: &str) -> Outcome {
    match Status::from_word(status) {
        Some(Status::Succeeded) => Outcome::Ok,
        Some(Status::Partial | Status::Failed | Status::Denied | Status::Blocked | Status::Exhausted) => {
            Outcome::Error(status.to_owned())
        }
        Some(
            Status::Queued
            | Status::Running
            | Status::Waiting
            | Status::Paused
            | Status::Skipped
            | Status::Cancelled,
        )
        | None => Outcome::Unset,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use crate::ids::RunId;
    use crate::store::rows::Usage;
    use serde_json::{Map, json};

    fn run() -> RunRow {
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
            ordinal: 1,
            beyond: None,
            bounds: json!({}),
            deadline: None,
            plan: None,
            progress: None,
            cause: None,
            metadata: None,
        }
    }

    fn step(n: u64, outcome: &str) -> timeline::Span {
        let begin = Moment::from_millis(i64::try_from(n).unwrap() * 2_000);
        timeline::Span {
            id: format!("c/s{n}"),
            parent: Some(String::from("c")),
            run: RunId::from("c"),
            name: String::from("plan_action"),
            status: outcome.to_owned(),
            begin,
            end: None,
            what: What::Step { n, took_ms: None },
        }
    }

    fn exported(steps: &[timeline::Span], contents: Contents) -> Vec<Span> {
        let (run, root, at) = (RunId::from("c"), RunId::from("r"), Moment::from_millis(9_500));
        let timeline = Timeline { run, root, at, spans: steps.to_vec(), left_out: 0 };
        spans(&self::run(), &timeline, contents)
    }

    #[test]
    fn a_run_hangs_below_its_caller_and_its_steps_below_it() {
        let all = exported(&[step(1, "Planned"), step(2, "Planned")], Contents::Left);
        let [whole, one, two] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!((whole.name.as_str(), whole.parent), ("invoke_agent shop", Some(span_of(&["r"]))));
        assert_eq!((whole.begin, whole.end), (1_000, 9_000));
        assert_eq!(whole.outcome, Outcome::Error(String::from("failed")));
        assert_eq!((one.parent, two.parent), (Some(whole.id), Some(whole.id)));
        // What has no end ended with the run.
        assert_eq!((two.begin, two.end), (4_000, 9_000));
        assert!(all.iter().all(|span| span.trace == trace_of(&RunId::from("r"))));
        assert_eq!(
            exported(&[step(1, "Planned"), step(2, "Planned")], Contents::Left),
            all,
            "the same again"
        );
        let said = |all: &[Span]| format!("{all:?}").contains("no lamp");
        assert!(!said(&all) && said(&exported(&[], Contents::Told)));
    }

    #[test]
    fn a_run_that_was_opened_again_is_a_further_span_below_its_first() {
        let first = exported(&[step(1, "Planned")], Contents::Left);
        let all = exported(&[step(1, "Planned"), step(2, REOPENED), step(3, "Planned")], Contents::Left);
        let [whole, _, after] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!((whole.parent, whole.begin), (Some(first[0].id), 4_000));
        assert_ne!(whole.id, first[0].id);
        assert_eq!(after.parent, Some(whole.id));
        assert!(!all.iter().any(|span| span.id == first[1].id), "what was exported before is not sent again");
    }
}
