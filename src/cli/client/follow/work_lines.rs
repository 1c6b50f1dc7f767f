//! Progress of a run's plan, background work and costs.

use crate::cli::client::follow::plan_lines::PlanChange;
use crate::cli::client::follow::progress_bars::{Bar, BarChange, percent};
use crate::cli::client::follow::progress_lines::{Mark, Progress};
use crate::cli::client::terminal_language;
use crate::cli::client::terminal_language::terminal;
use crate::ids::RunId;
use crate::plan::{Item, ItemStatus};
use crate::protocol::Status;
use crate::texts::terminal as texts;
use serde_json::Value;

impl Progress {
    /// Returns lines for a plan: all items if the plan is new, else those whose status changed.
    pub(crate) fn plan(&mut self, run: &RunId, items: Vec<Item>) -> Vec<String> {
        let changes = self.plans.changes(run, items);
        let line = |change: PlanChange| match change {
            PlanChange::Whole(n, items) => {
                let plan = match n {
                    1 => texts::one_item_plan(terminal()).to_owned(),
                    _ => texts::plan_of_items(n, terminal()),
                };
                let mut lines = self.line(run, Mark::Plain, &plan);
                lines.extend(items.iter().flat_map(|item| self.line(run, Mark::Item, item)));
                lines
            }
            PlanChange::One(ItemStatus::Succeeded, words) => self.line(run, Mark::Good, &words),
            PlanChange::One(ItemStatus::Failed, words) => self.line(run, Mark::Bad, &words),
            PlanChange::One(ItemStatus::Running, words) => self.line(run, Mark::Begun, &words),
            PlanChange::One(ItemStatus::Queued | ItemStatus::Skipped, words) => {
                self.line(run, Mark::Plain, &words)
            }
            PlanChange::Gone => self.line(run, Mark::Plain, texts::plan_dropped(terminal())),
        };
        changes.into_iter().flat_map(line).collect()
    }

    /// Returns lines for the start and the end of background work, and for its progress if no bar shows it.
    pub(crate) fn task(&mut self, run: &RunId, id: &str, bar: Bar, result: Option<&Value>) -> Vec<String> {
        let (label, status, part) = (bar.label.clone(), bar.status, bar.part);
        match self.bars.update(id, bar) {
            BarChange::Begun => self.line(run, Mark::Begun, &texts::background_began(&label, id, terminal())),
            BarChange::Further if !self.draws_bars => {
                self.line(run, Mark::Plain, &format!("{label}: {}", percent(part.unwrap_or_default())))
            }
            BarChange::Further | BarChange::Nothing => Vec::new(),
            BarChange::Ended => {
                let good = matches!(status, Status::Succeeded | Status::Partial);
                let why = result.and_then(|result| result["error"].as_str()).filter(|_| !good);
                let why = why.map(|why| format!(": {why}")).unwrap_or_default();
                let mark = if good { Mark::Good } else { Mark::Bad };
                self.line(
                    run,
                    mark,
                    &format!("{label} ({id}) {}{why}", terminal_language::status(status, terminal())),
                )
            }
        }
    }

    pub(crate) fn add_usage(
        &mut self,
        tokens: u64,
        cost: Option<f64>,
        currency: Option<String>,
    ) -> Vec<String> {
        self.tokens += tokens;
        self.cost += cost.unwrap_or_default();
        self.currency = currency.or(self.currency.take());
        Vec::new()
    }

    pub(crate) fn budget(&mut self, run: &RunId, limit: &str, used: f64, most: f64) -> Vec<String> {
        let part = percent(if most > 0.0 { used / most } else { 1.0 });
        self.line(run, Mark::Plain, &texts::budget_part_used(limit, &part, used, most, terminal()))
    }

    /// Returns one line for each background action that runs.
    pub fn bars(&self) -> Vec<String> {
        self.bars.lines(self.paint)
    }

    /// Returns the cost; `None` if no price is known, which is not the same as free.
    fn money(&self) -> Option<String> {
        match &self.currency {
            Some(currency) => Some(format!("{:.4} {currency}", self.cost)),
            None => (self.cost > 0.0).then(|| texts::cost(self.cost, terminal())),
        }
    }

    /// Returns actions, tokens and cost for the last line.
    pub fn usage_summary(&self) -> String {
        let mut words = String::new();
        if self.actions > 0 {
            words.push_str(&match self.actions {
                1 => texts::one_action(terminal()).to_owned(),
                count => texts::action_count(count, terminal()),
            });
        }
        if self.tokens > 0 {
            words.push_str(&if self.estimated {
                texts::estimated_token_count(self.tokens, terminal())
            } else {
                texts::token_count(self.tokens, terminal())
            });
        }
        if let Some(money) = self.money() {
            words.push_str(&format!(", {money}"));
        }
        words
    }
}
