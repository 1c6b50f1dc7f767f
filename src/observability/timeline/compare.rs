//! Compares two runs: aligns their steps and child runs, finds the first difference, and lists usage and
//! differing inputs and outputs. Pure.

use crate::ids::RunId;
use crate::observability::timeline::span::{Span, SpanKind, Timeline, TimelineItem};
use crate::observability::timeline::steps;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum size of the table for the alignment of steps. Larger ones are paired by position.
const PAIRS: usize = 4_000_000;
/// Name of the final response among the outputs.
const WORDS: &str = "final_response";

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    pub a: Side,
    pub b: Side,
    /// Index in `steps` of the first pair that differs; `None` if all are equal.
    pub first_difference: Option<usize>,
    pub steps: Vec<Pair<StepSide>>,
    pub children: Vec<Pair<ChildSide>>,
    pub inputs: Vec<ValueDifference>,
    /// Includes the final response as `final_response` if it is not an output itself.
    pub outputs: Vec<ValueDifference>,
}

/// Identity and usage of one run. Tokens and cost include the runs below it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    pub run_id: RunId,
    pub agent: String,
    pub title: String,
    pub status: String,
    pub begin: String,
    pub took_ms: u64,
    pub runs: u64,
    pub steps: u64,
    pub model_calls: u64,
    pub tokens: u64,
    /// `None` if no cost is known.
    pub cost: Option<f64>,
}

/// Aligned entries. One side is missing if only the other run has the entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair<T> {
    pub same: bool,
    pub a: Option<T>,
    pub b: Option<T>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepSide {
    pub id: String,
    pub n: u64,
    pub node: String,
    pub outcome: String,
    /// Actions of the step, with their targets.
    pub actions: Vec<ActionTaken>,
    pub took_ms: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ActionTaken {
    pub name: String,
    pub about: Value,
    pub status: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChildSide {
    pub run_id: RunId,
    pub agent: String,
    pub item_id: Option<String>,
    pub status: String,
}

/// A named value that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValueDifference {
    pub name: String,
    pub a: Option<Value>,
    pub b: Option<Value>,
}

/// A run with its inputs and outputs.
pub struct ComparedRun<'a> {
    pub timeline: &'a Timeline,
    pub input: &'a Map<String, Value>,
    pub vars: &'a Map<String, Value>,
    pub response: Option<&'a str>,
}

impl ComparedRun<'_> {
    /// Returns the outputs, and the final response, which is the only result of an agent without outputs.
    fn outputs(&self) -> Map<String, Value> {
        let mut outputs = self.vars.clone();
        let words = self.response.filter(|words| outputs.values().all(|value| value != words));
        if let Some(words) = words {
            outputs.entry(WORDS).or_insert_with(|| Value::from(words));
        }
        outputs
    }
}

pub(crate) fn compare(a: &ComparedRun<'_>, b: &ComparedRun<'_>) -> Option<Comparison> {
    let steps = align(own_steps(a.timeline), own_steps(b.timeline), is_same_step);
    Some(Comparison {
        a: side(a.timeline)?,
        b: side(b.timeline)?,
        first_difference: steps.iter().position(|pair| !pair.same),
        steps,
        children: align(children(a.timeline), children(b.timeline), is_same_child),
        inputs: differing(a.input, b.input),
        outputs: differing(&a.outputs(), &b.outputs()),
    })
}

fn side(timeline: &Timeline) -> Option<Side> {
    let top = timeline.spans.iter().find(|span| span.id == timeline.run.as_str())?;
    let SpanKind::Run { title, .. } = &top.what else { return None };
    let end = top.end.unwrap_or(timeline.at);
    let mut side = Side {
        run_id: top.run.clone(),
        agent: top.name.clone(),
        title: title.clone(),
        status: top.status.clone(),
        begin: top.begin.rfc3339(),
        took_ms: steps::millis_between(top.begin, end),
        runs: 0,
        steps: 0,
        model_calls: 0,
        tokens: 0,
        cost: None,
    };
    for span in &timeline.spans {
        if let SpanKind::Run { steps, model_calls, input_tokens, output_tokens, cost, .. } = &span.what {
            side.runs += 1;
            side.steps += steps;
            side.model_calls += model_calls;
            side.tokens += input_tokens + output_tokens;
            let paid = cost.filter(|_| *model_calls > 0);
            side.cost = paid.map_or(side.cost, |cost| Some(side.cost.unwrap_or_default() + cost));
        }
    }
    Some(side)
}

/// Returns the ended steps of the run itself, each with its actions.
fn own_steps(timeline: &Timeline) -> Vec<StepSide> {
    let mut done: BTreeMap<&str, Vec<ActionTaken>> = BTreeMap::new();
    for span in &timeline.spans {
        if let (SpanKind::Action { about, .. }, Some(step)) = (&span.what, span.parent.as_deref()) {
            let did =
                ActionTaken { name: span.name.clone(), about: about.clone(), status: span.status.clone() };
            done.entry(step).or_default().push(did);
        }
    }
    let own = |span: &&Span| span.run == timeline.run && span.end.is_some();
    let steps = timeline.spans.iter().filter(own).filter_map(|span| {
        let SpanKind::Step { n, took_ms } = span.what else { return None };
        Some(StepSide {
            id: span.id.clone(),
            n,
            node: span.name.clone(),
            outcome: span.status.clone(),
            actions: done.remove(span.id.as_str()).unwrap_or_default(),
            took_ms: took_ms.unwrap_or_default(),
        })
    });
    let mut steps: Vec<StepSide> = steps.collect();
    steps.sort_by_key(|step| step.n);
    steps
}

fn is_same_step(a: &StepSide, b: &StepSide) -> bool {
    a.node == b.node && a.outcome == b.outcome && a.actions == b.actions
}

fn children(timeline: &Timeline) -> Vec<ChildSide> {
    let below = timeline.spans.iter().filter(|span| span.parent.as_deref() == Some(timeline.run.as_str()));
    let runs = below.filter_map(|span| {
        let SpanKind::Run { item, .. } = &span.what else { return None };
        let item_id = item.as_ref().map(|TimelineItem { item_id, .. }| item_id.clone());
        Some(ChildSide {
            run_id: span.run.clone(),
            agent: span.name.clone(),
            item_id,
            status: span.status.clone(),
        })
    });
    runs.collect()
}

fn is_same_child(a: &ChildSide, b: &ChildSide) -> bool {
    a.agent == b.agent && a.item_id == b.item_id && a.status == b.status
}

fn differing(a: &Map<String, Value>, b: &Map<String, Value>) -> Vec<ValueDifference> {
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let apart = names.into_iter().filter(|name| a.get(*name) != b.get(*name));
    apart
        .map(|name| ValueDifference { name: name.clone(), a: a.get(name).cloned(), b: b.get(name).cloned() })
        .collect()
}

/// Aligns two sequences, pairing as many equal entries as possible in order.
fn align<T: Clone>(a: Vec<T>, b: Vec<T>, same: fn(&T, &T) -> bool) -> Vec<Pair<T>> {
    let both = |(a, b): (&T, &T)| same(a, b);
    let head = a.iter().zip(&b).take_while(|pair| both(*pair)).count();
    let (rest_a, rest_b) = (&a[head..], &b[head..]);
    let tail = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(|pair| both(*pair)).count();
    let (middle_a, middle_b) = (&rest_a[..rest_a.len() - tail], &rest_b[..rest_b.len() - tail]);
    let like = |a: &T, b: &T| Pair { same: true, a: Some(a.clone()), b: Some(b.clone()) };
    let mut pairs: Vec<Pair<T>> = a[..head].iter().zip(&b).map(|(a, b)| like(a, b)).collect();
    pairs.extend(align_middle(middle_a, middle_b, same));
    let ends = a[a.len() - tail..].iter().zip(&b[b.len() - tail..]);
    pairs.extend(ends.map(|(a, b)| like(a, b)));
    pairs
}

/// Aligns the middle part by its longest common subsequence. Entries between the matches are paired by
/// position.
fn align_middle<T: Clone>(a: &[T], b: &[T], same: fn(&T, &T) -> bool) -> Vec<Pair<T>> {
    let alike = if a.len().saturating_mul(b.len()) > PAIRS { Vec::new() } else { longest(a, b, same) };
    let mut pairs = Vec::new();
    let (mut from_a, mut from_b) = (0, 0);
    for (at_a, at_b) in alike.into_iter().chain([(a.len(), b.len())]) {
        let (apart_a, apart_b) = (&a[from_a..at_a], &b[from_b..at_b]);
        pairs.extend((0..apart_a.len().max(apart_b.len())).map(|at| Pair {
            same: false,
            a: apart_a.get(at).cloned(),
            b: apart_b.get(at).cloned(),
        }));
        if let (Some(entry_a), Some(entry_b)) = (a.get(at_a), b.get(at_b)) {
            pairs.push(Pair { same: true, a: Some(entry_a.clone()), b: Some(entry_b.clone()) });
        }
        (from_a, from_b) = ((at_a + 1).min(a.len()), (at_b + 1).min(b.len()));
    }
    pairs
}

/// Returns the index pairs of the longest common subsequence.
fn longest<T>(a: &[T], b: &[T], same: fn(&T, &T) -> bool) -> Vec<(usize, usize)> {
    let width = b.len() + 1;
    let mut lengths = vec![0_u32; (a.len() + 1) * width];
    for at_a in (0..a.len()).rev() {
        for at_b in (0..b.len()).rev() {
            lengths[at_a * width + at_b] = match same(&a[at_a], &b[at_b]) {
                true => lengths[(at_a + 1) * width + at_b + 1] + 1,
                false => lengths[(at_a + 1) * width + at_b].max(lengths[at_a * width + at_b + 1]),
            };
        }
    }
    let (mut at_a, mut at_b, mut found) = (0, 0, Vec::new());
    while at_a < a.len() && at_b < b.len() {
        if same(&a[at_a], &b[at_b]) {
            found.push((at_a, at_b));
            (at_a, at_b) = (at_a + 1, at_b + 1);
        } else if lengths[(at_a + 1) * width + at_b] >= lengths[at_a * width + at_b + 1] {
            at_a += 1;
        } else {
            at_b += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(a: &str, b: &str) -> String {
        let characters = |text: &str| text.chars().collect::<Vec<_>>();
        let side = |side: Option<char>| side.unwrap_or('-');
        let pairs = align(characters(a), characters(b), |a, b| a == b);
        let pairs = pairs.into_iter().map(|Pair { same, a, b }| match same {
            true => format!("{}", side(a)),
            false => format!("[{}{}]", side(a), side(b)),
        });
        pairs.collect()
    }

    #[test]
    fn equal_steps_are_aligned_in_order() {
        for (a, b, expected) in [
            ("", "", ""),
            ("abc", "abc", "abc"),
            ("abc", "ab", "ab[c-]"),
            ("ab", "xab", "[-x]ab"),
            ("aXbc", "aYbc", "a[XY]bc"),
            ("abcd", "acbd", "a[b-]c[-b]d"),
            ("aXYZb", "aQb", "a[XQ][Y-][Z-]b"),
            ("aa", "aaa", "aa[-a]"),
            ("abc", "xyz", "[ax][by][cz]"),
        ] {
            assert_eq!(pairs(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn only_differing_values_are_listed() {
        let map = |text: &str| serde_json::from_str::<Map<String, Value>>(text).unwrap();
        let found = differing(&map(r#"{"a": 1, "b": 2, "c": 3}"#), &map(r#"{"a": 1, "b": 5, "d": null}"#));
        let texts: Vec<String> =
            found.iter().map(|found| format!("{} {:?} {:?}", found.name, found.a, found.b)).collect();
        assert_eq!(
            texts,
            ["b Some(Number(2)) Some(Number(5))", "c Some(Number(3)) None", "d None Some(Null)"]
        );
    }

    #[test]
    fn the_final_response_is_compared_where_it_is_no_output() {
        let (run, root) = (RunId::from("r"), RunId::from("r"));
        let at = crate::clock::Moment::from_millis(0);
        let timeline = Timeline { run, root, at, spans: Vec::new(), left_out: 0 };
        let outputs = |vars: &Map<String, Value>, response| {
            ComparedRun { timeline: &timeline, input: &Map::new(), vars, response }.outputs()
        };
        let vars = |text: &str| serde_json::from_str::<Map<String, Value>>(text).unwrap();
        assert_eq!(outputs(&vars("{}"), Some("done")), vars(r#"{"final_response": "done"}"#));
        assert_eq!(outputs(&vars(r#"{"answer": "done"}"#), Some("done")), vars(r#"{"answer": "done"}"#));
        assert_eq!(outputs(&vars(r#"{"final_response": 1}"#), Some("x")), vars(r#"{"final_response": 1}"#));
        assert_eq!(outputs(&vars("{}"), None), vars("{}"));
    }
}
