//! Rows of results, and their output.

use std::fmt::Write;

/// Measured values, in the unit of their row.
#[derive(Clone, Debug, Default)]
pub struct Sample(pub Vec<f64>);

impl Sample {
    pub fn from_value(value: f64) -> Self {
        Self(vec![value])
    }

    pub fn add(&mut self, value: f64) {
        self.0.push(value);
    }

    /// Returns the quantile of `part` (0..=1).
    pub fn quantile(&self, part: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        sorted.get((part * last as f64).round() as usize).copied().unwrap_or(f64::NAN)
    }

    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    fn written(&self, by: By) -> String {
        match (by, self.0.len()) {
            (_, 0) => String::from("–"),
            (_, 1) => short(self.0[0]),
            (By::Median, _) => {
                format!(
                    "{} ({}–{})",
                    short(self.median()),
                    short(self.quantile(0.0)),
                    short(self.quantile(1.0))
                )
            }
            (By::P95, _) => format!("p50 {}, p95 {}", short(self.median()), short(self.quantile(0.95))),
        }
    }
}

/// Statistic that a goal applies to.
#[derive(Clone, Copy, Debug)]
pub enum By {
    Median,
    P95,
}

#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// Maximum ratio of ours to the baseline.
    Ratio(f64),
    /// Maximum ratio of ours to the baseline, plus this many units.
    RatioAnd(f64, f64),
    /// Minimum ratio of ours to the baseline.
    AtLeast(f64),
    /// Minimum value.
    Reaches(f64),
    Below(f64),
    AtMost(f64),
    /// Printed for information only.
    None,
}

#[derive(Clone, Debug)]
pub struct Row {
    pub what: String,
    pub unit: &'static str,
    pub floor: Sample,
    pub ours: Sample,
    pub goal: Goal,
    pub by: By,
    /// Why the row misses its goal, if that is known.
    pub cause: Option<String>,
}

impl Row {
    pub fn new(what: impl Into<String>, unit: &'static str, ours: Sample, goal: Goal) -> Self {
        Self { what: what.into(), unit, floor: Sample::default(), ours, goal, by: By::Median, cause: None }
    }

    pub fn with_floor(mut self, floor: Sample) -> Self {
        self.floor = floor;
        self
    }

    /// Names the cause that is printed if the goal is missed.
    pub fn missed_because(mut self, cause: impl Into<String>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    pub fn p95(mut self) -> Self {
        self.by = By::P95;
        self
    }

    fn value(&self) -> f64 {
        match self.by {
            By::Median => self.ours.median(),
            By::P95 => self.ours.quantile(0.95),
        }
    }

    fn ratio(&self) -> f64 {
        self.ours.median() / self.floor.median()
    }

    /// Reports whether the goal is met; `None` for a row without one.
    fn meets_goal(&self) -> Option<bool> {
        Some(match self.goal {
            Goal::Ratio(most) => self.ratio() <= most,
            Goal::RatioAnd(most, more) => self.ours.median() <= self.floor.median() * most + more,
            Goal::AtLeast(least) => self.ratio() >= least,
            Goal::Reaches(least) => self.value() >= least,
            Goal::Below(most) => self.value() < most,
            Goal::AtMost(most) => self.value() <= most,
            Goal::None => return None,
        })
    }

    fn met(&self) -> &'static str {
        match self.meets_goal() {
            Some(true) => "met",
            Some(false) => "MISSED",
            None => "",
        }
    }

    /// Returns the line that explains a missed goal.
    fn explanation(&self) -> Option<String> {
        let cause = self.cause.as_deref().unwrap_or("cause not known");
        (self.meets_goal() == Some(false)).then(|| format!("MISSED {}: {cause}", self.what.trim_start()))
    }

    fn goal(&self) -> String {
        match self.goal {
            Goal::Ratio(most) => format!("≤ {most}×"),
            Goal::RatioAnd(most, more) => format!("≤ {most}× + {} {}", short(more), self.unit),
            Goal::AtLeast(least) => format!("≥ {least}×"),
            Goal::Reaches(least) => format!("≥ {} {}", short(least), self.unit),
            Goal::Below(most) => format!("< {} {}", short(most), self.unit),
            Goal::AtMost(most) => format!("≤ {} {}", short(most), self.unit),
            Goal::None => String::new(),
        }
    }

    fn cells(&self) -> [String; 6] {
        let floor = self.floor.written(By::Median);
        let ratio = match self.floor.0.is_empty() {
            true => String::new(),
            false => format!("{:.2}×", self.ratio()),
        };
        let ours = format!("{} {}", self.ours.written(self.by), self.unit);
        [self.what.clone(), floor, ours, ratio, self.goal(), self.met().to_owned()]
    }
}

/// Formats a number with three significant digits.
fn short(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

pub fn print(rows: &[Row]) {
    let head = ["what", "floor (least–most)", "ours", "ratio", "goal", ""].map(String::from);
    let lines: Vec<[String; 6]> = std::iter::once(head).chain(rows.iter().map(Row::cells)).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..6).map(width).collect();
    for line in &lines {
        let mut out = String::new();
        for (cell, width) in line.iter().zip(&widths) {
            let _ = write!(out, "{cell:width$}  ");
        }
        println!("{}", out.trim_end());
    }
    rows.iter().filter_map(Row::explanation).for_each(|line| println!("{line}"));
}
