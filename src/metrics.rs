//! The table of metrics (`docs/observability.md`) and their Prometheus text. Families are statics, because
//! like logs they belong to the process and not to a run. A family holds its lock only for one addition. The
//! number of labels is part of the type, and their order is given by the label names.
//!
//! The values and the text are those of `prometheus-client`; its own `Family` has no limit of label sets, and
//! leaves out families without samples.

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, prometheus_text};
use prometheus_client::metrics::{TypedMetric, counter, gauge, histogram};
use prometheus_client::registry::Registry;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};

pub use prometheus_text::CONTENT_TYPE;

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
    use super::{Collector, Counter, Histogram, SIZES, WAIT_BUCKETS, WORK};

    pub static RUNS: Counter<2> = Counter::new("askfirst_runs_total", "Runs that ended.", ["agent", "outcome"]);
    pub static STEPS: Counter<1> = Counter::new("askfirst_steps_total", "Steps of runs.", ["node"]);
    pub static STEP_SECONDS: Histogram<1> = Histogram::new("askfirst_step_seconds", "Time of a phase: observe, plan, gate, execute, settle.", ["phase"], WORK);
    pub static MODEL_CALLS: Counter<2> = Counter::new("askfirst_model_calls_total", "Model calls.", ["role", "outcome"]);
    pub static TOKENS: Counter<2> = Counter::new("askfirst_tokens_total", "Tokens by kind: input, cached, output.", ["role", "kind"]);
    pub static COST: Counter<0, f64> = Counter::new("askfirst_cost_total", "Cost of model calls, in the currency of the prices.", []);
    pub static QUESTIONS: Counter<2> = Counter::new("askfirst_questions_total", "Questions: each once as asked, and once by how it was resolved.", ["kind", "outcome"]);
    pub static QUESTION_WAIT: Histogram<0> = Histogram::new("askfirst_question_wait_seconds", "Time from a question to its answer.", [], WAIT_BUCKETS);
    pub static LIVE_FRAMES: Counter<0> = Counter::new("askfirst_live_frames_total", "Live pictures sent.", []);
    pub static LIVE_FRAME_AGE: Histogram<0> = Histogram::new("askfirst_live_frame_age_seconds", "Age of a live picture when it is sent.", [], WORK);
    pub static RECURSION_REJECTED: Counter<0> = Counter::new("askfirst_recursion_rejected_total", "Orchestrations refused for their depth.", []);
    pub static TRANSITIONS: Counter<2> = Counter::new("askfirst_orchestration_transitions_total", "What happened to orchestrations, and the state that followed.", ["event", "state"]);
    pub static STORE_SECONDS: Histogram<1> = Histogram::new("askfirst_store_seconds", "Time of a store call.", ["operation"], WORK);

    pub static INVOCATION_SECONDS: Histogram<2> = Histogram::new("askfirst_invocation_seconds", "Time from the beginning of a run to its end.", ["tool", "status"], WAIT_BUCKETS);
    pub static INVOCATION_BYTES: Histogram<1> = Histogram::new("askfirst_invocation_response_bytes", "Size of what a run answered, response and outputs; capped.", ["tool"], SIZES);

    /// Returns all families, in the order of the output.
    pub fn all() -> [Box<dyn Collector>; 15] {
        [
            Box::new(&RUNS), Box::new(&STEPS), Box::new(&STEP_SECONDS), Box::new(&MODEL_CALLS), Box::new(&TOKENS),
            Box::new(&COST), Box::new(&QUESTIONS), Box::new(&QUESTION_WAIT), Box::new(&LIVE_FRAMES),
            Box::new(&LIVE_FRAME_AGE), Box::new(&RECURSION_REJECTED), Box::new(&TRANSITIONS),
            Box::new(&STORE_SECONDS), Box::new(&INVOCATION_SECONDS), Box::new(&INVOCATION_BYTES),
        ]
    }
}

pub(crate) use crate::metrics::table::{
    COST, INVOCATION_BYTES, INVOCATION_SECONDS, LIVE_FRAME_AGE, LIVE_FRAMES, MODEL_CALLS, QUESTION_WAIT,
    QUESTIONS, RECURSION_REJECTED, RUNS, STEP_SECONDS, STEPS, STORE_SECONDS, TOKENS, TRANSITIONS,
};

/// A family of metrics: one metric for each set of labels, sorted by these.
#[derive(Debug)]
pub struct Family<const N: usize, M> {
    name: &'static str,
    help: &'static str,
    labels: [&'static str; N],
    /// Upper bounds of a histogram's buckets.
    bounds: &'static [f64],
    cells: Mutex<BTreeMap<[String; N], M>>,
}

/// A family of monotonically increasing counters.
pub type Counter<const N: usize, V = u64> = Family<N, counter::Counter<V>>;
/// A family of histograms with fixed upper bounds.
pub type Histogram<const N: usize> = Family<N, histogram::Histogram>;
/// A family of values that are read when metrics are requested.
pub type Gauge<const N: usize> = Family<N, gauge::Gauge<u64, AtomicU64>>;

impl<const N: usize, V> Counter<N, V>
where
    counter::Counter<V>: Cell,
    AtomicU64: counter::Atomic<V>,
{
    const fn new(name: &'static str, help: &'static str, labels: [&'static str; N]) -> Self {
        Self { name, help, labels, bounds: &[], cells: Mutex::new(BTreeMap::new()) }
    }

    /// Adds an amount.
    pub fn add(&self, labels: [&str; N], amount: V) {
        self.update(labels, |counter| counter.inc_by(amount));
    }
}

impl<const N: usize> Counter<N> {
    /// Adds 1.
    pub fn increment(&self, labels: [&str; N]) {
        self.add(labels, 1);
    }
}

impl<const N: usize> Histogram<N> {
    const fn new(
        name: &'static str,
        help: &'static str,
        labels: [&'static str; N],
        bounds: &'static [f64],
    ) -> Self {
        Self { name, help, labels, bounds, cells: Mutex::new(BTreeMap::new()) }
    }

    /// Adds a value to the histogram, in the unit of its name.
    pub fn observe(&self, labels: [&str; N], value: f64) {
        self.update(labels, |histogram| histogram.observe(value));
    }
}

impl<const N: usize> Gauge<N> {
    /// Creates a gauge without values.
    pub const fn new(name: &'static str, help: &'static str, labels: [&'static str; N]) -> Self {
        Self { name, help, labels, bounds: &[], cells: Mutex::new(BTreeMap::new()) }
    }

    /// Sets the current value.
    pub fn set(&self, labels: [&str; N], value: u64) {
        self.update(labels, |gauge| gauge.set(value));
    }
}

impl<const N: usize, M: Cell> Family<N, M> {
    /// Applies a change to the metric with these labels; to that with `other` for each label if the family is
    /// full and does not have them yet.
    fn update<T>(&self, labels: [&str; N], change: impl FnOnce(&M) -> T) {
        let mut cells = self.cells.lock().unwrap_or_else(PoisonError::into_inner);
        let mut labels = labels.map(str::to_owned);
        if cells.len() >= MAX_LABEL_SETS && !cells.contains_key(&labels) {
            labels = labels.map(|_| String::from("other"));
        }
        change(cells.entry(labels).or_insert_with(|| M::create(self.bounds)));
    }

    fn encode_to(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        // The encoder appends the suffix of counters itself.
        let name = self.name.strip_suffix("_total").unwrap_or(self.name);
        let mut encoder = encoder.encode_descriptor(name, self.help, None, M::TYPE)?;
        let cells = self.cells.lock().unwrap_or_else(PoisonError::into_inner);
        if N == 0 && cells.is_empty() && M::BEGINS_AT_ZERO {
            return M::create(self.bounds).encode(encoder);
        }
        for (words, cell) in cells.iter() {
            let labels: [(&str, &str); N] = std::array::from_fn(|at| (self.labels[at], words[at].as_str()));
            cell.encode(encoder.encode_family(&labels)?)?;
        }
        Ok(())
    }
}

/// A metric of a family.
pub trait Cell: TypedMetric + EncodeMetric + fmt::Debug + Send + 'static {
    /// True if a family without labels has a sample before the first change.
    const BEGINS_AT_ZERO: bool;

    fn create(bounds: &'static [f64]) -> Self;
}

impl<V> Cell for counter::Counter<V>
where
    Self: EncodeMetric + fmt::Debug + Send + 'static,
{
    const BEGINS_AT_ZERO: bool = true;

    fn create(_: &'static [f64]) -> Self {
        Self::default()
    }
}

impl Cell for gauge::Gauge<u64, AtomicU64> {
    const BEGINS_AT_ZERO: bool = false;

    fn create(_: &'static [f64]) -> Self {
        Self::default()
    }
}

impl Cell for histogram::Histogram {
    const BEGINS_AT_ZERO: bool = false;

    fn create(bounds: &'static [f64]) -> Self {
        Self::new(bounds.iter().copied())
    }
}

impl<const N: usize, M: Cell> Collector for Family<N, M> {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        self.encode_to(encoder)
    }
}

impl<const N: usize, M: Cell> Collector for &'static Family<N, M> {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        self.encode_to(encoder)
    }
}

/// Records the end of a run: agent, status, duration in seconds, and response size in bytes (S3.30).
pub fn record_invocation(tool: &str, status: &str, seconds: f64, bytes: usize) {
    INVOCATION_SECONDS.observe([tool, status], seconds);
    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX).min(SIZE_CAP);
    INVOCATION_BYTES.observe([tool], f64::from(bytes));
}

/// Renders all families in the Prometheus text format (0.0.4), followed by these gauges.
pub fn text(gauges: Vec<Box<dyn Collector>>) -> String {
    let mut registry = Registry::default();
    table::all().into_iter().chain(gauges).for_each(|family| registry.register_collector(family));
    let mut out = String::with_capacity(8 * 1024);
    // Writing to a String cannot fail.
    let _ = prometheus_text::encode(&mut out, &registry);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use prometheus_client::metrics::counter::Atomic;

    /// Renders one family.
    fn render(family: impl Collector) -> String {
        let (mut out, mut registry) = (String::new(), Registry::default());
        registry.register_collector(Box::new(family));
        prometheus_text::encode(&mut out, &registry).unwrap();
        out
    }

    #[test]
    fn a_counter_adds_up_and_escapes_its_labels() {
        let counter: Counter<2, f64> = Counter::new("things_total", "Things.", ["name", "kind"]);
        counter.add(["say \"hi\"\\\n", "a"], 1.0);
        counter.add(["say \"hi\"\\\n", "a"], 1.5);
        let expected = "# HELP things_total Things.\n# TYPE things_total counter\n\
            things_total{name=\"say \\\"hi\\\"\\\\\\n\",kind=\"a\"} 2.5\n";
        assert_eq!(render(counter), expected);
    }

    #[test]
    fn counts_are_whole_numbers_sorted_by_their_labels() {
        let counter: Counter<1> = Counter::new("things_total", "Things.", ["kind"]);
        assert_eq!(render(Counter::<1>::new("things_total", "Things.", ["kind"])).lines().count(), 2);
        for kind in ["b", "c", "a", "b"] {
            counter.increment([kind]);
        }
        let expected = "# HELP things_total Things.\n# TYPE things_total counter\n\
            things_total{kind=\"a\"} 1\nthings_total{kind=\"b\"} 2\nthings_total{kind=\"c\"} 1\n";
        assert_eq!(render(counter), expected);
    }

    #[test]
    fn a_histogram_sums_its_buckets_up() {
        let histogram: Histogram<1> = Histogram::new("took_seconds", "Time.", ["phase"], &[0.5, 1.0]);
        for seconds in [0.25, 0.5, 0.75, 4.0] {
            histogram.observe(["plan"], seconds);
        }
        let expected = r#"# HELP took_seconds Time.
# TYPE took_seconds histogram
took_seconds_bucket{phase="plan",le="0.5"} 2
took_seconds_bucket{phase="plan",le="1"} 3
took_seconds_bucket{phase="plan",le="+Inf"} 4
took_seconds_sum{phase="plan"} 5.5
took_seconds_count{phase="plan"} 4
"#;
        assert_eq!(render(histogram), expected);
    }

    #[test]
    fn a_gauge_has_its_last_value() {
        let gauge = Gauge::new("rooms", "Rooms.", []);
        gauge.set([], 7);
        gauge.set([], 3);
        assert_eq!(render(gauge), "# HELP rooms Rooms.\n# TYPE rooms gauge\nrooms 3\n");
    }

    // The recorded size is capped (S3.30).
    #[test]
    fn the_recorded_size_of_an_answer_is_capped() {
        record_invocation("metrics_test_agent", "succeeded", 0.5, 50_000_000);
        let text = text(Vec::new());
        for line in [
            r#"askfirst_invocation_response_bytes_sum{tool="metrics_test_agent"} 1048576.0"#,
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
        let cells = counter.cells.lock().unwrap();
        let value = |name: &str| cells[&[name.to_owned()]].inner().get();
        let (one, other): (u64, u64) = (value("1"), value("other"));
        assert_eq!((cells.len(), one, other), (MAX_LABEL_SETS + 1, 2, 10));
    }

    // A scraper sees each family, with samples or without.
    #[test]
    fn metrics_without_labels_exist_from_the_start() {
        let text = text(Vec::new());
        assert!(text.contains("\naskfirst_recursion_rejected_total 0\n"));
        assert_eq!(text.matches("# TYPE askfirst_").count(), table::all().len());
    }
}
