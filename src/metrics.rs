//! The table of metrics (`docs/observability.md`) and their Prometheus text. Families are statics, because
//! like logs they belong to the process and not to a run. A family holds its lock only for one addition. The
//! number of labels is part of the type, and their order is given by the label names.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Buckets in seconds for work, from a store commit to a slow page.
const WORK: &[f64] = &[0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];
/// Buckets in seconds for waits of up to a day, such as the answer of a person.
const WAIT_BUCKETS: &[f64] = &[1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3_600.0, 14_400.0, 86_400.0];
/// Buckets in bytes for responses.
const SIZES: &[f64] = &[256.0, 1_024.0, 4_096.0, 16_384.0, 65_536.0, 262_144.0, 1_048_576.0];
/// Upper limit of a recorded response size in bytes (S3.30).
const SIZE_CAP: u32 = 1_048_576;
/// Maximum number of label sets of a family. Further ones are counted as `other`.
const MAX_LABEL_SETS: usize = 2_000;

#[rustfmt::skip]
mod table {
    use super::{Counter, Histogram, WAIT_BUCKETS, SIZES, WORK};

    pub static RUNS: Counter<2> = Counter::new("askfirst_runs_total", "Runs that ended.", ["agent", "outcome"]);
    pub static STEPS: Counter<1> = Counter::new("askfirst_steps_total", "Steps of runs.", ["node"]);
    pub static STEP_SECONDS: Histogram<1> = Histogram::new("askfirst_step_seconds", "Time of a phase: observe, plan, gate, execute, settle.", ["phase"], WORK);
    pub static MODEL_CALLS: Counter<2> = Counter::new("askfirst_model_calls_total", "Model calls.", ["role", "outcome"]);
    pub static TOKENS: Counter<2> = Counter::new("askfirst_tokens_total", "Tokens by kind: input, cached, output.", ["role", "kind"]);
    pub static COST: Counter<0> = Counter::new("askfirst_cost_total", "Cost of model calls, in the currency of the prices.", []);
    pub static QUESTIONS: Counter<2> = Counter::new("askfirst_questions_total", "Questions: each once as asked, and once by how it was resolved.", ["kind", "outcome"]);
    pub static QUESTION_WAIT: Histogram<0> = Histogram::new("askfirst_question_wait_seconds", "Time from a question to its answer.", [], WAIT_BUCKETS);
    pub static LIVE_FRAMES: Counter<0> = Counter::new("askfirst_live_frames_total", "Live pictures sent.", []);
    pub static LIVE_FRAME_AGE: Histogram<0> = Histogram::new("askfirst_live_frame_age_seconds", "Age of a live picture when it is sent.", [], WORK);
    pub static RECURSION_REJECTED: Counter<0> = Counter::new("askfirst_recursion_rejected_total", "Orchestrations refused for their depth.", []);
    pub static TRANSITIONS: Counter<2> = Counter::new("askfirst_orchestration_transitions_total", "What happened to orchestrations, and the state that followed.", ["event", "state"]);
    pub static STORE_SECONDS: Histogram<1> = Histogram::new("askfirst_store_seconds", "Time of a store call.", ["operation"], WORK);

    pub static INVOCATION_SECONDS: Histogram<2> = Histogram::new("askfirst_invocation_seconds", "Time from the beginning of a run to its end.", ["tool", "status"], WAIT_BUCKETS);
    pub static INVOCATION_BYTES: Histogram<1> = Histogram::new("askfirst_invocation_response_bytes", "Size of what a run answered, response and outputs; capped.", ["tool"], SIZES);

    /// All families, in the order of the output.
    pub static ALL: [&(dyn super::Family + Sync); 15] = [
        &RUNS, &STEPS, &STEP_SECONDS, &MODEL_CALLS, &TOKENS, &COST, &QUESTIONS, &QUESTION_WAIT,
        &LIVE_FRAMES, &LIVE_FRAME_AGE, &RECURSION_REJECTED, &TRANSITIONS, &STORE_SECONDS,
        &INVOCATION_SECONDS, &INVOCATION_BYTES,
    ];
}

pub use table::{
    COST, INVOCATION_BYTES, INVOCATION_SECONDS, LIVE_FRAME_AGE, LIVE_FRAMES, MODEL_CALLS, QUESTION_WAIT,
    QUESTIONS, RECURSION_REJECTED, RUNS, STEP_SECONDS, STEPS, STORE_SECONDS, TOKENS, TRANSITIONS,
};

/// A monotonically increasing counter.
pub struct Counter<const N: usize> {
    head: Head<N>,
    cells: Mutex<BTreeMap<[String; N], f64>>,
}

/// A histogram with fixed upper bounds.
pub struct Histogram<const N: usize> {
    head: Head<N>,
    bounds: &'static [f64],
    cells: Mutex<BTreeMap<[String; N], Bins>>,
}

struct Head<const N: usize> {
    name: &'static str,
    help: &'static str,
    labels: [&'static str; N],
}

#[derive(Default)]
struct Bins {
    /// Not cumulative; one per bound.
    counts: Vec<u64>,
    count: u64,
    sum: f64,
}

impl<const N: usize> Counter<N> {
    const fn new(name: &'static str, help: &'static str, labels: [&'static str; N]) -> Self {
        Self { head: Head { name, help, labels }, cells: Mutex::new(BTreeMap::new()) }
    }

    pub fn increment(&self, labels: [&str; N]) {
        self.add(labels, 1.0);
    }

    pub fn add(&self, labels: [&str; N], amount: f64) {
        let mut cells = lock(&self.cells);
        let labels = bounded(&cells, labels);
        *cells.entry(labels).or_default() += amount;
    }
}

impl<const N: usize> Histogram<N> {
    const fn new(
        name: &'static str,
        help: &'static str,
        labels: [&'static str; N],
        bounds: &'static [f64],
    ) -> Self {
        Self { head: Head { name, help, labels }, bounds, cells: Mutex::new(BTreeMap::new()) }
    }

    pub fn observe(&self, labels: [&str; N], seconds: f64) {
        let mut cells = lock(&self.cells);
        let labels = bounded(&cells, labels);
        let bins = cells.entry(labels).or_default();
        bins.counts.resize(self.bounds.len(), 0);
        if let Some(at) = self.bounds.iter().position(|bound| seconds <= *bound) {
            bins.counts[at] += 1;
        }
        bins.count += 1;
        bins.sum += seconds;
    }
}

/// Records the end of a run: agent, status, duration in seconds, and response size in bytes (S3.30).
pub fn record_invocation(tool: &str, status: &str, seconds: f64, bytes: usize) {
    INVOCATION_SECONDS.observe([tool, status], seconds);
    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX).min(SIZE_CAP);
    INVOCATION_BYTES.observe([tool], f64::from(bytes));
}

/// Returns the labels, or `other` for each if the family is full and does not have them yet.
fn bounded<const N: usize, T>(cells: &BTreeMap<[String; N], T>, labels: [&str; N]) -> [String; N] {
    let labels = labels.map(str::to_owned);
    if cells.len() < MAX_LABEL_SETS || cells.contains_key(&labels) {
        return labels;
    }
    labels.map(|_| String::from("other"))
}

/// Renders all families in the Prometheus text format.
pub fn text() -> String {
    let mut out = String::with_capacity(8 * 1024);
    for family in table::ALL {
        family.write(&mut out);
    }
    out
}

/// Renders a gauge whose values are read when metrics are requested, one for each value of its label.
pub fn gauge(out: &mut String, name: &str, help: &str, label: &str, values: &[(&str, f64)]) {
    opening(out, name, help, "gauge");
    for (word, value) in values {
        let labels = if label.is_empty() { String::new() } else { pairs(&[(label, word)]) };
        line(out, name, "", &labels, *value);
    }
}

trait Family {
    fn write(&self, out: &mut String);
}

impl<const N: usize> Family for Counter<N> {
    fn write(&self, out: &mut String) {
        let head = &self.head;
        opening(out, head.name, head.help, "counter");
        let cells = lock(&self.cells);
        if N == 0 && cells.is_empty() {
            line(out, head.name, "", "", 0);
        }
        for (words, value) in cells.iter() {
            line(out, head.name, "", &head.pairs(words, None), value);
        }
    }
}

impl<const N: usize> Family for Histogram<N> {
    fn write(&self, out: &mut String) {
        let head = &self.head;
        opening(out, head.name, head.help, "histogram");
        for (words, bins) in lock(&self.cells).iter() {
            let mut below = 0;
            for (bound, count) in self.bounds.iter().zip(&bins.counts) {
                below += count;
                line(out, head.name, "_bucket", &head.pairs(words, Some(&bound.to_string())), below);
            }
            line(out, head.name, "_bucket", &head.pairs(words, Some("+Inf")), bins.count);
            line(out, head.name, "_sum", &head.pairs(words, None), bins.sum);
            line(out, head.name, "_count", &head.pairs(words, None), bins.count);
        }
    }
}

impl<const N: usize> Head<N> {
    fn pairs(&self, words: &[String; N], le: Option<&str>) -> String {
        let named = self.labels.iter().copied().zip(words.iter().map(String::as_str));
        pairs(&named.chain(le.map(|bound| ("le", bound))).collect::<Vec<_>>())
    }
}

fn pairs(named: &[(&str, &str)]) -> String {
    if named.is_empty() {
        return String::new();
    }
    let escaped = |word: &str| word.replace('\\', r"\\").replace('"', r#"\""#).replace('\n', r"\n");
    let all: Vec<String> =
        named.iter().map(|(name, word)| format!(r#"{name}="{}""#, escaped(word))).collect();
    format!("{{{}}}", all.join(","))
}

// Writing to a String cannot fail.
fn opening(out: &mut String, name: &str, help: &str, kind: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn line(out: &mut String, name: &str, suffix: &str, labels: &str, value: impl Display) {
    let _ = writeln!(out, "{name}{suffix}{labels} {value}");
}

fn lock<T>(cells: &Mutex<T>) -> MutexGuard<'_, T> {
    cells.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_adds_up_and_escapes_its_labels() {
        let counter: Counter<2> = Counter::new("things_total", "Things.", ["kind", "name"]);
        counter.increment(["a", "say \"hi\"\\\n"]);
        counter.add(["a", "say \"hi\"\\\n"], 1.5);
        let mut out = String::new();
        counter.write(&mut out);
        let expected = "# HELP things_total Things.\n# TYPE things_total counter\n\
            things_total{kind=\"a\",name=\"say \\\"hi\\\"\\\\\\n\"} 2.5\n";
        assert_eq!(out, expected);
    }

    #[test]
    fn a_histogram_sums_its_buckets_up() {
        let histogram: Histogram<1> = Histogram::new("took_seconds", "Time.", ["phase"], &[0.5, 1.0]);
        for seconds in [0.25, 0.75, 4.0] {
            histogram.observe(["plan"], seconds);
        }
        let mut out = String::new();
        histogram.write(&mut out);
        for line in [
            r#"took_seconds_bucket{phase="plan",le="0.5"} 1"#,
            r#"took_seconds_bucket{phase="plan",le="1"} 2"#,
            r#"took_seconds_bucket{phase="plan",le="+Inf"} 3"#,
            r#"took_seconds_sum{phase="plan"} 5"#,
            r#"took_seconds_count{phase="plan"} 3"#,
        ] {
            assert!(out.lines().any(|seen| seen == line), "{line} is missing in {out}");
        }
    }

    // The recorded size is capped (S3.30).
    #[test]
    fn the_recorded_size_of_an_answer_is_capped() {
        record_invocation("metrics_test_agent", "succeeded", 0.5, 50_000_000);
        let text = text();
        for line in [
            r#"askfirst_invocation_response_bytes_sum{tool="metrics_test_agent"} 1048576"#,
            r#"askfirst_invocation_seconds_count{tool="metrics_test_agent",status="succeeded"} 1"#,
        ] {
            assert!(text.lines().any(|seen| seen == line), "{line} is missing in {text}");
        }
    }

    #[test]
    fn label_values_beyond_the_limit_are_counted_together() {
        let counter: Counter<1> = Counter::new("things_total", "Things.", ["name"]);
        for n in 0..MAX_LABEL_SETS + 10 {
            counter.increment([&n.to_string()]);
        }
        counter.increment(["1"]);
        let cells = lock(&counter.cells);
        assert_eq!((cells.len(), cells[&[String::from("1")]]), (MAX_LABEL_SETS + 1, 2.0));
        assert_eq!(cells[&[String::from("other")]], 10.0);
    }

    #[test]
    fn metrics_without_labels_exist_from_the_start() {
        assert!(text().contains("\naskfirst_recursion_rejected_total 0\n"));
    }
}
