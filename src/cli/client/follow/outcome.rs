//! Result of a run: as text, as JSON, and as an exit code.

use crate::cli::client::error::Exit;
use crate::cli::client::follow::terminal_output::{plain, plain_lines};
use crate::protocol::Status;
use serde_json::{Map, Value, json};

/// A run at the end of the command.
#[derive(Debug)]
pub struct Outcome {
    pub status: Status,
    run: Value,
    /// True if the response says more than the outputs do.
    response_is_result: bool,
    /// Questions that could not be answered.
    pub questions: Vec<Value>,
}

impl Outcome {
    /// Reads the answer of `GET /api/runs/{id}`.
    pub fn from_run(run: Value, response_is_result: bool, questions: Vec<Value>) -> Option<Self> {
        let status = Status::from_word(run["status"].as_str()?)?;
        Some(Self { status, run, response_is_result, questions })
    }

    pub fn exit(&self) -> Exit {
        match self.status {
            Status::Succeeded => Exit::Succeeded,
            Status::Partial | Status::Failed | Status::Skipped => Exit::Failed,
            Status::Cancelled | Status::Denied => Exit::Cancelled,
            // The run has not ended: it was left waiting.
            Status::Blocked | Status::Queued | Status::Running | Status::Waiting | Status::Paused => {
                Exit::Blocked
            }
            Status::Exhausted => Exit::Exhausted,
        }
    }

    fn response(&self) -> &str {
        self.run["final_response"].as_str().unwrap_or_default().trim()
    }

    fn vars(&self) -> Map<String, Value> {
        self.run["vars"].as_object().cloned().unwrap_or_default()
    }

    /// Returns the reason if the run did not succeed.
    pub fn error(&self) -> Option<String> {
        if self.status == Status::Succeeded {
            return None;
        }
        let words = self.response();
        Some(if words.is_empty() { self.status.word().to_owned() } else { words.to_owned() })
    }

    /// Returns the reason for the last line of the progress; outputs are printed elsewhere.
    pub fn why(&self) -> Option<String> {
        let words = self.error().filter(|words| words != self.status.word())?;
        let first = words.lines().next().unwrap_or_default();
        let whole = self.response_is_result || self.status != Status::Partial;
        Some(plain_lines(if whole { &words } else { first }))
    }

    /// Returns the object of `--json`.
    pub fn json(&self) -> Value {
        json!({
            "run_id": self.run["run_id"],
            "agent": self.run["agent"],
            "status": self.status.word(),
            "ok": self.status == Status::Succeeded,
            "vars": self.vars(),
            "response": self.run["final_response"],
            "error": self.error(),
            "questions": self.questions,
        })
    }

    /// Returns the text for standard output: the response and the outputs, each once.
    pub fn text(&self) -> String {
        let good = matches!(self.status, Status::Succeeded | Status::Partial);
        let answer =
            if good && (self.response_is_result || self.vars().is_empty()) { self.response() } else { "" };
        let vars = self.vars();
        let new: Vec<(&String, &Value)> = vars
            .iter()
            .filter(|(_, value)| value.as_str().is_none_or(|text| text.trim() != answer))
            .collect();
        let mut lines = Vec::new();
        if !answer.is_empty() {
            lines.push(plain_lines(answer));
        }
        match new.as_slice() {
            [(_, only)] if answer.is_empty() => lines.push(format_plain_value(only)),
            several => lines.extend(several.iter().map(|(name, value)| named_value(name, value))),
        }
        lines.into_iter().map(|line| format!("{line}\n")).collect()
    }
}

/// Returns the object of `--json` if no run could be started.
pub fn without_run(fault: &str) -> Value {
    json!({
        "run_id": null, "agent": null, "status": null, "ok": false, "vars": {}, "response": null,
        "error": fault, "questions": [],
    })
}

fn format_plain_value(value: &Value) -> String {
    match value {
        Value::String(text) => plain_lines(text.trim_end()),
        other => other.to_string(),
    }
}

fn named_value(name: &str, value: &Value) -> String {
    let text = format_plain_value(value);
    let name = plain(name);
    if !text.contains('\n') {
        return format!("{name}: {text}");
    }
    let lines: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
    format!("{name}:\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(status: &str, response: Value, vars: Value) -> Outcome {
        let run =
            json!({"run_id": "r", "agent": "a", "status": status, "final_response": response, "vars": vars});
        Outcome::from_run(run, true, Vec::new()).unwrap()
    }

    #[test]
    fn outputs_are_printed_without_the_response_of_an_agent_that_does_not_speak() {
        let mut sum = outcome("partial", json!("In part.\n- sum: 4"), json!({"sum": 4}));
        assert_eq!(sum.text(), "In part.\n- sum: 4\nsum: 4\n");
        sum.response_is_result = false;
        assert_eq!((sum.text().as_str(), sum.why().as_deref()), ("4\n", Some("In part.")));
        let mut nothing = outcome("succeeded", json!("Done."), json!({}));
        nothing.response_is_result = false;
        assert_eq!((nothing.text().as_str(), nothing.why()), ("Done.\n", None));
    }

    #[test]
    fn every_status_has_its_exit_code() {
        for (status, code) in [
            ("succeeded", 0),
            ("partial", 3),
            ("failed", 3),
            ("skipped", 3),
            ("cancelled", 4),
            ("denied", 4),
            ("blocked", 5),
            ("waiting", 5),
            ("exhausted", 6),
        ] {
            assert_eq!(outcome(status, Value::Null, json!({})).exit() as u8, code, "{status}");
        }
    }

    #[test]
    fn a_result_is_printed_once() {
        let text = |status: &str, response: Value, vars: Value| outcome(status, response, vars).text();
        assert_eq!(text("succeeded", json!("Done."), json!({"answer": "Done."})), "Done.\n");
        assert_eq!(text("succeeded", json!(null), json!({"text": "a\nb\n"})), "a\nb\n");
        assert_eq!(text("succeeded", json!(""), json!({"n": 5})), "5\n");
        assert_eq!(
            text("partial", json!("Half."), json!({"n": [1], "poem": "a\nb"})),
            "Half.\nn: [1]\npoem:\n  a\n  b\n"
        );
        assert_eq!(text("failed", json!("It broke."), json!({})), "");
        assert_eq!(text("succeeded", json!(null), json!({"text": "\u{1b}[31mred"})), "�[31mred\n");
    }

    #[test]
    fn scripts_get_one_object() {
        let blocked = outcome("blocked", json!("I cannot go on."), json!({"n": 1})).json();
        assert_eq!(blocked["ok"], false);
        assert_eq!(blocked["error"], "I cannot go on.");
        assert_eq!(blocked["vars"], json!({"n": 1}));
        assert_eq!(outcome("succeeded", json!("Done."), json!({})).json()["error"], Value::Null);
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&without_run("no")), keys(&blocked));
    }
}
