//! Progress of a run tree as lines for a person. Lines of a child run are indented, and name its agent when
//! lines of several runs alternate.

use crate::cli::client::follow::event_stream::Frame;
use crate::cli::client::follow::plan_lines::PlanTracker;
use crate::cli::client::follow::progress_bars::{Bar, Bars};
use crate::cli::client::follow::terminal_output::{Paint, brief, plain_lines};
use crate::cli::client::terminal_language;
use crate::cli::client::terminal_language::terminal;
use crate::ids::RunId;
use crate::protocol::Status;
use crate::protocol::event::{Event, Failure, FileFact};
use crate::protocol::server::{Fact, ResolvedBy};
use crate::text::value_text::format_value_text;
use crate::texts::terminal as texts;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Action parameters shown in a line, in this order.
const SHOWN_PARAMETERS: [&str; 9] =
    ["url", "text", "option", "key", "file", "question", "direction", "seconds", "operation"];

/// State of a run tree as far as its events are read.
#[derive(Debug)]
pub struct Progress {
    pub(crate) paint: Paint,
    runs: HashMap<RunId, RunLine>,
    /// Actions under way, in words.
    started_actions: HashMap<(RunId, String), String>,
    /// Run of the last line.
    last: Option<RunId>,
    pub(crate) plans: PlanTracker,
    pub(crate) bars: Bars,
    /// True if bars are drawn, so that progress needs no lines.
    pub(crate) draws_bars: bool,
    pub(crate) actions: u32,
    pub(crate) tokens: u64,
    /// True if some token counts are estimates.
    pub(crate) estimated: bool,
    pub(crate) cost: f64,
    /// Currency of the cost.
    pub(crate) currency: Option<String>,
}

#[derive(Debug)]
struct RunLine {
    agent: String,
    /// Text of the run's input, kept until the person's first message repeats it.
    opening: Option<String>,
    depth: usize,
    url: String,
}

/// Start of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mark {
    Begun,
    Good,
    Bad,
    Plain,
    /// An item of a list, which has a mark of its own.
    Item,
    Ended,
}

impl Progress {
    pub fn new(paint: Paint, draws_bars: bool) -> Self {
        Self {
            paint,
            runs: HashMap::new(),
            started_actions: HashMap::new(),
            last: None,
            plans: PlanTracker::default(),
            bars: Bars::default(),
            draws_bars,
            actions: 0,
            tokens: 0,
            estimated: false,
            cost: 0.0,
            currency: None,
        }
    }

    /// Returns the agent of a run that is not the root.
    pub fn child(&self, run: &RunId) -> Option<&str> {
        self.runs.get(run).filter(|line| line.depth > 0).map(|line| line.agent.as_str())
    }

    /// Returns the lines for an event.
    pub fn lines(&mut self, frame: &Frame) -> Vec<String> {
        let Some(fact) = frame.fact.clone() else { return Vec::new() };
        match fact {
            Fact::RunStarted { agent, parent_run_id, input, .. } => {
                self.run_started_lines(&frame.run, agent, parent_run_id, &input)
            }
            Fact::Status { status: Status::Paused, .. } => {
                self.line(&frame.run, Mark::Plain, texts::paused(terminal()))
            }
            Fact::Status { .. } => Vec::new(),
            Fact::AgentMessage { text, r#final: false, .. } => self.text_lines(&frame.run, &text),
            // The command prints the root's final message at the end; a child's is for its parent.
            Fact::AgentMessage { r#final: true, .. } => Vec::new(),
            Fact::AgentQuestion(_) => Vec::new(),
            Fact::QuestionResolved { by, answer, .. } => {
                let (mark, words) = resolution_text(by, &answer);
                self.line(&frame.run, mark, words)
            }
            Fact::Event(event) => self.event(&frame.run, event),
            Fact::RunEnded { outcome, .. } => self.run_ended_line(&frame.run, outcome),
        }
    }

    fn run_started_lines(
        &mut self,
        run: &RunId,
        agent: String,
        parent: Option<RunId>,
        input: &Map<String, Value>,
    ) -> Vec<String> {
        let depth = parent.and_then(|parent| self.runs.get(&parent)).map_or(0, |line| line.depth + 1);
        let inputs: Vec<String> = input
            .iter()
            .filter(|(name, _)| *name != "locale")
            .map(|(name, value)| format!("{name}: {}", format_value_text(value)))
            .collect();
        let words = brief(&format!("{agent} {}", inputs.join(", ")));
        let opening = input.get("text").and_then(Value::as_str).map(str::to_owned);
        self.runs.insert(run.clone(), RunLine { agent, opening, depth, url: String::new() });
        self.last = Some(run.clone());
        vec![format!("{}{} {words}", "  ".repeat(depth), self.mark(Mark::Begun))]
    }

    fn run_ended_line(&mut self, run: &RunId, outcome: Status) -> Vec<String> {
        // The outcome of the root is printed last of all.
        let Some(line) = self.runs.get(run).filter(|line| line.depth > 0) else { return Vec::new() };
        let words = format!(
            "{}{} {} {}",
            "  ".repeat(line.depth),
            self.mark(Mark::Ended),
            line.agent,
            terminal_language::status(outcome, terminal())
        );
        self.last = None;
        vec![self.paint.dim(&words)]
    }

    fn event(&mut self, run: &RunId, event: Event) -> Vec<String> {
        match event {
            Event::Observation { url, title, .. } => self.page_line(run, &url, &title),
            Event::Thought { content, .. } => self.quietly(run, &content),
            Event::ActionStarted { action_id, action, params, target } => {
                self.remember_action(run, action_id, describe_action(&action, &params, target.as_ref()))
            }
            Event::ActionFinished { action_id, action, ok, error, files, .. } => {
                self.action_lines(run, (action_id, action), ok, error, &files)
            }
            Event::Policy { decision, rule, .. } if decision == "deny" => {
                self.line(run, Mark::Bad, &texts::forbidden_by_rule(&rule, terminal()))
            }
            Event::Effect { method, url, .. } => {
                self.line(run, Mark::Good, &texts::sent_request(&method, &url, terminal()))
            }
            Event::Usage { input_tokens, output_tokens, cost, currency, estimated, .. } => {
                self.estimated |= estimated;
                self.add_usage(input_tokens + output_tokens, cost, currency)
            }
            Event::Plan { items } => self.plan(run, items),
            Event::Task { task_id, status, progress, display, result, agent, .. } => {
                self.task(run, &task_id, Bar::from_display(display, agent, status, progress), result.as_ref())
            }
            Event::Compacted { entries, .. } => self.compacted_line(run, entries),
            Event::Budget { limit, used, most } => self.budget(run, &limit, used, most),
            Event::Item { agent, status, attempt, error, .. } => {
                self.item_lines(run, &agent, &status, attempt, error)
            }
            Event::UserMessage { text } => self.person_line(run, &text),
            Event::Policy { .. } | Event::StateUpdated { .. } | Event::Lease { .. } | Event::Node { .. } => {
                Vec::new()
            }
        }
    }

    /// Skips the first message, which was shown as the run's input.
    fn person_line(&mut self, run: &RunId, text: &str) -> Vec<String> {
        let opening = self.runs.get_mut(run).and_then(|line| line.opening.take());
        if opening.as_deref() == Some(text) {
            return Vec::new();
        }
        self.line(run, Mark::Plain, &texts::person_wrote(text, terminal()))
    }

    fn compacted_line(&mut self, run: &RunId, entries: u64) -> Vec<String> {
        self.quietly(run, &texts::entries_condensed(entries, terminal()))
    }

    /// Remembers an action; it is printed when it ends, with its result.
    fn remember_action(&mut self, run: &RunId, action_id: String, words: String) -> Vec<String> {
        self.started_actions.insert((run.clone(), action_id), words);
        Vec::new()
    }

    fn action_lines(
        &mut self,
        run: &RunId,
        (action_id, action): (String, String),
        ok: bool,
        error: Option<Failure>,
        files: &[FileFact],
    ) -> Vec<String> {
        let words = self.started_actions.remove(&(run.clone(), action_id)).unwrap_or(action);
        let why = error.map(|failure| format!(": {}", failure.message)).unwrap_or_default();
        self.actions += u32::from(ok);
        let mark = if ok { Mark::Good } else { Mark::Bad };
        let mut lines = self.line(run, mark, &format!("{words}{why}"));
        for file in files {
            let words = texts::file_line(&file.name, file.size, terminal());
            lines.extend(self.line(run, Mark::Plain, &words));
        }
        lines
    }

    /// Returns lines about an item of a lane that the item's own run does not report.
    fn item_lines(
        &mut self,
        run: &RunId,
        agent: &str,
        status: &str,
        tried: u32,
        error: Option<String>,
    ) -> Vec<String> {
        match (status, error) {
            (_, Some(error)) => self.line(run, Mark::Bad, &format!("{agent}: {error}")),
            ("skipped", None) => self.quietly(run, &texts::agent_skipped(agent, terminal())),
            ("running", None) if tried > 1 => {
                self.line(run, Mark::Plain, &texts::agent_attempt(agent, tried, terminal()))
            }
            _ => Vec::new(),
        }
    }

    /// Returns a line with the page, if its address has changed.
    fn page_line(&mut self, run: &RunId, url: &str, title: &str) -> Vec<String> {
        let Some(line) = self.runs.get_mut(run) else { return Vec::new() };
        if line.url == url || url.starts_with("about:") {
            return Vec::new();
        }
        url.clone_into(&mut line.url);
        self.quietly(run, &format!("{title} {url}"))
    }

    fn text_lines(&mut self, run: &RunId, text: &str) -> Vec<String> {
        let text = plain_lines(text);
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.flat_map(|line| self.line(run, Mark::Plain, line)).collect()
    }

    fn quietly(&mut self, run: &RunId, text: &str) -> Vec<String> {
        let dim = |line: String| self.paint.dim(&line);
        let (indent, name) = self.indent_and_name(run);
        let line = dim(format!("{indent}{} {name}{}", self.mark(Mark::Plain), brief(text)));
        self.last = Some(run.clone());
        vec![line]
    }

    pub(crate) fn line(&mut self, run: &RunId, mark: Mark, words: &str) -> Vec<String> {
        let (indent, name) = self.indent_and_name(run);
        let line = format!("{indent}{} {name}{}", self.mark(mark), brief(words));
        self.last = Some(run.clone());
        vec![line]
    }

    /// Returns the indentation of a line, and the agent's name if the previous line is of another run.
    fn indent_and_name(&self, run: &RunId) -> (String, String) {
        let Some(line) = self.runs.get(run) else { return (String::from("  "), String::new()) };
        let another = line.depth > 0 && self.last.as_ref() != Some(run);
        let name = if another { format!("{}: ", line.agent) } else { String::new() };
        ("  ".repeat(line.depth + 1), name)
    }

    fn mark(&self, mark: Mark) -> String {
        match mark {
            Mark::Begun => self.paint.bold("▸"),
            Mark::Good => self.paint.green("✓"),
            Mark::Bad => self.paint.red("✗"),
            Mark::Plain => String::from("·"),
            Mark::Item => String::from(" "),
            Mark::Ended => String::from("▪"),
        }
    }
}

fn resolution_text(by: ResolvedBy, answer: &Value) -> (Mark, &'static str) {
    match by {
        ResolvedBy::Expired => (Mark::Bad, texts::question_expired(terminal())),
        ResolvedBy::Stopped => (Mark::Plain, texts::question_dropped(terminal())),
        ResolvedBy::Policy => (Mark::Plain, texts::rules_answered(terminal())),
        ResolvedBy::User | ResolvedBy::Client(_) => match answer["confirmed"].as_bool() {
            Some(true) => (Mark::Good, texts::approved(terminal())),
            Some(false) => (Mark::Bad, texts::declined(terminal())),
            None => (Mark::Good, texts::answered(terminal())),
        },
    }
}

/// Describes an action in a few words.
fn describe_action(action: &str, params: &Map<String, Value>, target: Option<&Value>) -> String {
    let mut words = action.to_owned();
    for value in SHOWN_PARAMETERS.iter().filter_map(|name| params.get(*name)).filter(|value| !value.is_null())
    {
        match value.as_str().filter(|text| !text.contains("://")) {
            Some(text) => words.push_str(&format!(" “{text}”")),
            None => words.push_str(&format!(" {}", format_value_text(value))),
        }
    }
    let part = |name: &str| target.and_then(|target| target[name].as_str()).unwrap_or_default();
    if !part("name").is_empty() || !part("role").is_empty() {
        words.push_str(&format!(" {} “{}”", part("role"), part("name")));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Returns the lines for these events, given as run and frame.
    fn lines_of_events(facts: &[(&str, Value)]) -> Vec<String> {
        let mut progress = Progress::new(Paint(false), false);
        let frames = facts.iter().zip(1..).map(|((run, fact), seq)| {
            let read = serde_json::from_value(fact.clone()).unwrap();
            Frame { run: RunId::from(*run), seq, whole: fact.clone(), fact: Some(read) }
        });
        frames.flat_map(|frame| progress.lines(&frame)).collect()
    }

    fn event(name: &str, data: Value) -> Value {
        json!({"type": "event", "event": name, "data": data})
    }

    #[test]
    fn actions_are_printed_when_they_are_done() {
        let click = |id: &str| {
            event(
                "action_started",
                json!({"action_id": id, "action": "click", "params": {"eid": 3},
                "target": {"role": "button", "name": "Buy\n✓ faked"}}),
            )
        };
        let done = |id: &str, error: Value| {
            event(
                "action_finished",
                json!({"action_id": id, "action": "click", "ok": error.is_null(),
                "error": error, "took_ms": 1, "dropped": []}),
            )
        };
        let lines = lines_of_events(&[
            ("r", json!({"type": "run_started", "agent": "browser", "input": {"text": "buy\nit"}})),
            (
                "r",
                event(
                    "observation",
                    json!({"look": 1, "url": "http://a.test/", "title": "A", "tab": "1/1", "chars": 1, "picture": null}),
                ),
            ),
            (
                "r",
                event(
                    "observation",
                    json!({"look": 2, "url": "http://a.test/", "title": "B", "tab": "1/1", "chars": 1, "picture": null}),
                ),
            ),
            ("r", click("a1")),
            ("r", done("a1", Value::Null)),
            ("r", click("a2")),
            ("r", done("a2", json!({"code": "covered", "message": "it is covered"}))),
            ("r", json!({"type": "run_ended", "outcome": "succeeded", "final_response": null, "vars": {}})),
        ]);
        assert_eq!(
            lines,
            [
                "▸ browser text: buy it",
                "  · A http://a.test/",
                "  ✓ click button “Buy ✓ faked”",
                "  ✗ click button “Buy ✓ faked”: it is covered",
            ]
        );
    }

    #[test]
    fn lines_of_children_are_indented_and_named() {
        let started = |parent: &str, agent: &str| json!({"type": "run_started", "agent": agent, "parent_run_id": parent, "input": {}});
        let says = |text: &str| json!({"type": "agent_message", "text": text, "html": "", "final": false});
        let ended = json!({"type": "run_ended", "outcome": "failed", "final_response": null, "vars": {}});
        let lines = lines_of_events(&[
            ("r", json!({"type": "run_started", "agent": "whole", "input": {}})),
            ("a", started("r", "left")),
            ("a", says("one")),
            ("b", started("r", "right")),
            ("a", says("two")),
            ("a", says("three")),
            ("c", started("b", "inner")),
            ("b", says("four")),
            ("b", ended),
        ]);
        assert_eq!(
            lines,
            [
                "▸ whole",
                "  ▸ left",
                "    · one",
                "  ▸ right",
                "    · left: two",
                "    · three",
                "    ▸ inner",
                "    · right: four",
                "  ▪ right failed",
            ]
        );
    }
}
