//! Background work on a terminal: a bar or a line for each action, as it asks to be shown, and the changes
//! worth a line of their own where no bars are drawn.

use crate::cli::client::follow::terminal_output::{Paint, plain};
use crate::protocol::Status;
use crate::protocol::event::Display;

/// Width of a bar in characters.
const CELLS: f64 = 20.0;
/// Share of progress after which a line is printed where no bars are drawn.
const PART: f64 = 0.25;

/// A background action and its status.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub label: String,
    pub status: Status,
    /// 0 to 1.
    pub part: Option<f64>,
    /// True to show a bar, false to show a line.
    pub bar: bool,
}

impl Bar {
    /// Creates a bar from the display hint. Without a label, the agent's name is shown on a line.
    pub fn from_display(display: Option<Display>, agent: String, status: Status, part: Option<f64>) -> Self {
        let bar = display.as_ref().is_some_and(|display| display.r#type == "progress_bar");
        let label = display.map(|display| display.label).filter(|label| !label.is_empty()).unwrap_or(agent);
        Self { label, status, part, bar }
    }
}

/// Kind of change of a background action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarChange {
    Begun,
    /// The progress has passed a further quarter.
    Further,
    Ended,
    Nothing,
}

/// All background actions that run, in order of their start.
#[derive(Debug, Default)]
pub struct Bars(Vec<(String, Bar)>);

impl Bars {
    pub fn update(&mut self, id: &str, bar: Bar) -> BarChange {
        let at = self.0.iter().position(|(known, _)| known == id);
        match at {
            _ if bar.status.is_outcome() => {
                self.0.retain(|(known, _)| known != id);
                BarChange::Ended
            }
            None => {
                self.0.push((id.to_owned(), bar));
                BarChange::Begun
            }
            Some(at) => {
                let old = std::mem::replace(&mut self.0[at].1, bar);
                let quarters = |bar: &Bar| (bar.part.unwrap_or(0.0) / PART).floor();
                if quarters(&self.0[at].1) > quarters(&old) { BarChange::Further } else { BarChange::Nothing }
            }
        }
    }

    /// Returns a line for each action.
    pub fn lines(&self, paint: Paint) -> Vec<String> {
        self.0.iter().map(|(_, bar)| line(bar, paint)).collect()
    }
}

fn line(bar: &Bar, paint: Paint) -> String {
    let label = plain(&bar.label);
    match bar.part.filter(|_| bar.bar) {
        Some(part) => {
            let done = (part.clamp(0.0, 1.0) * CELLS).floor();
            let cells = |n: f64, cell: &str| (0..n as usize).map(|_| cell).collect::<String>();
            let drawn = format!("{}{}", paint.green(&cells(done, "█")), paint.dim(&cells(CELLS - done, "░")));
            format!("  {drawn} {:>4} {label}", percent(part))
        }
        None => format!("  {} {label}: {}", paint.yellow("…"), bar.status.word()),
    }
}

/// Formats a share as a percentage, rounded down, so that 100 % means done.
pub fn percent(part: f64) -> String {
    format!("{}%", (part * 100.0 + 1e-9).floor())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(status: Status, part: Option<f64>) -> Bar {
        Bar { label: String::from("Building\nthe report"), status, part, bar: true }
    }

    // A bar or a line, as the display hint asks (S4.12, S4.25).
    #[test]
    fn each_task_has_one_line_while_it_runs() {
        let mut bars = Bars::default();
        assert_eq!(bars.update("build", bar(Status::Running, Some(0.0))), BarChange::Begun);
        let watch = Bar { bar: false, label: String::from("Watching"), ..bar(Status::Running, None) };
        assert_eq!(bars.update("watch", watch), BarChange::Begun);
        assert_eq!(bars.update("build", bar(Status::Running, Some(0.2))), BarChange::Nothing);
        assert_eq!(bars.update("build", bar(Status::Running, Some(0.499))), BarChange::Further);
        assert_eq!(
            bars.lines(Paint(false)),
            ["  █████████░░░░░░░░░░░  49% Building the report", "  … Watching: running"]
        );
        assert_eq!(bars.update("build", bar(Status::Succeeded, Some(1.0))), BarChange::Ended);
        assert_eq!(bars.lines(Paint(false)).len(), 1);
    }
}
