//! Premoves: agents that run before a turn is planned, so that the planner sees their results (S4.31). This
//! file decides which are due and which results are shown; an unchanged result is not repeated.

use crate::agent_spec::types::conversation_parts::Premove;
use crate::engine::program::ended_child::EndedChild;
use crate::ids::RunId;
use crate::protocol::Status;
use crate::text::truncate::truncate;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Defaults: the validity of a result in seconds, and the part of it that is shown, in tokens.
pub const TTL_S: u64 = 60;
const DEFAULT_TOKENS: usize = 200;
const CHARS_PER_TOKEN: usize = 4;
/// Longest reason of a failure, in characters.
const MAX_REASON_CHARS: usize = 200;

/// The settings of premoves in the agent's file.
#[derive(Clone, Debug)]
pub struct PremoveSettings {
    pub own: Vec<Premove>,
    /// The agents that the planner may run as premoves.
    pub uses: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Premoves {
    /// Premoves that the planner has set. They replace those of the same name in the file.
    set: Vec<Premove>,
    /// Names of premoves that the planner has cleared.
    cleared: Vec<String>,
    found: Vec<PremoveResult>,
    pub under_way: Vec<RunningPremove>,
    /// True if everything that is due for the next turn has been looked up.
    #[serde(rename = "looked")]
    up_to_date: bool,
}

/// The last result of a premove, and its time in Unix milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PremoveResult {
    name: String,
    at: i64,
    text: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunningPremove {
    pub name: String,
    pub run: RunId,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PremoveChange {
    Begun(Vec<RunningPremove>),
    /// A premove has ended; `text` is `None` if it gave no result.
    Ended {
        name: String,
        at: i64,
        text: Option<String>,
    },
    #[serde(rename = "looked")]
    UpToDate,
    /// A turn was planned with the results.
    Planned,
    Set(Premove),
    Cleared(Vec<String>),
}

impl Premoves {
    /// Returns all premoves, from the file and from the planner.
    pub fn all(&self, own: &[Premove]) -> Vec<Premove> {
        let is_kept = |premove: &&Premove| {
            !self.cleared.contains(&premove.name) && self.set.iter().all(|set| set.name != premove.name)
        };
        own.iter().filter(is_kept).chain(&self.set).cloned().collect()
    }

    /// Returns the premoves whose last result is no longer valid.
    pub fn due_premoves(&self, own: &[Premove], now: i64) -> Vec<Premove> {
        if self.up_to_date {
            return Vec::new();
        }
        let is_current = |premove: &Premove| {
            let ttl = i64::try_from(premove.ttl_s.unwrap_or(TTL_S)).unwrap_or(i64::MAX).saturating_mul(1000);
            self.found.iter().any(|found| found.name == premove.name && found.at.saturating_add(ttl) > now)
        };
        self.all(own).into_iter().filter(|premove| !is_current(premove)).collect()
    }

    pub fn running_children(&self) -> impl Iterator<Item = &RunId> {
        self.under_way.iter().map(|begun| &begun.run)
    }

    /// Returns the last result of a premove.
    pub fn last_result(&self, name: &str) -> Option<&str> {
        self.found.iter().find(|found| found.name == name)?.text.as_deref()
    }

    /// Returns the last result of each premove.
    pub fn last_results(&self) -> impl Iterator<Item = (&str, &str)> {
        self.found.iter().filter_map(|found| Some((found.name.as_str(), found.text.as_deref()?)))
    }

    pub fn change(&mut self, change: PremoveChange) {
        match change {
            PremoveChange::Begun(begun) => self.under_way = begun,
            PremoveChange::Ended { name, at, text } => {
                self.under_way.retain(|premove| premove.name != name);
                let before = self.last_result(&name).map(str::to_owned);
                self.found.retain(|found| found.name != name);
                self.found.push(PremoveResult { text: text.or(before), name, at });
            }
            PremoveChange::UpToDate => self.up_to_date = true,
            PremoveChange::Planned => self.up_to_date = false,
            PremoveChange::Set(premove) => {
                self.forget(&premove.name);
                self.cleared.retain(|name| *name != premove.name);
                self.set.push(premove);
            }
            PremoveChange::Cleared(names) => names.into_iter().for_each(|name| {
                self.forget(&name);
                self.cleared.push(name);
            }),
        }
    }

    fn forget(&mut self, name: &str) {
        self.set.retain(|set| set.name != name);
        self.found.retain(|found| found.name != name);
    }
}

/// Returns the result of a premove's run: its only output, or all outputs by name. Returns the reason if the
/// run failed.
pub fn read_result(child: &EndedChild, tokens: Option<usize>) -> Result<String, String> {
    let response = child.response.clone().unwrap_or_default();
    if child.outcome != Status::Succeeded {
        let why = if child.late { String::from("it took too long") } else { response };
        return Err(format!("{}: {}", child.outcome.word(), truncate(&why, MAX_REASON_CHARS)));
    }
    let mut values = child.vars.values();
    let text = match (values.next(), values.next()) {
        (Some(Value::String(text)), None) => text.clone(),
        (Some(only), None) => only.to_string(),
        (Some(_), Some(_)) => Value::Object(child.vars.clone()).to_string(),
        (None, _) => response,
    };
    Ok(truncate(text.trim(), tokens.unwrap_or(DEFAULT_TOKENS).saturating_mul(CHARS_PER_TOKEN)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn premove(name: &str, ttl_s: Option<u64>) -> Premove {
        Premove { name: name.to_owned(), agent: String::from("clock"), ttl_s, ..Premove::default() }
    }

    fn names(premoves: Vec<Premove>) -> Vec<String> {
        premoves.into_iter().map(|premove| premove.name).collect()
    }

    fn ended(name: &str, at: i64, text: Option<&str>) -> PremoveChange {
        PremoveChange::Ended { name: name.to_owned(), at, text: text.map(str::to_owned) }
    }

    // A premove is due if its result is older than its `ttl_s`, 60 seconds by default (S4.31).
    #[test]
    fn a_premove_is_due_when_its_result_is_too_old() {
        let own = [premove("time", Some(0)), premove("user", Some(10)), premove("task", None)];
        let mut premoves = Premoves::default();
        assert_eq!(names(premoves.due_premoves(&own, 0)), ["time", "user", "task"]);
        for name in ["time", "user", "task"] {
            premoves.change(ended(name, 1_000, Some("x")));
        }
        premoves.change(PremoveChange::UpToDate);
        assert_eq!(names(premoves.due_premoves(&own, 100_000)), [""; 0]);
        premoves.change(PremoveChange::Planned);
        assert_eq!(names(premoves.due_premoves(&own, 1_000)), ["time"]);
        assert_eq!(names(premoves.due_premoves(&own, 11_000)), ["time", "user"]);
        assert_eq!(names(premoves.due_premoves(&own, 61_000)), ["time", "user", "task"]);
    }

    #[test]
    fn premoves_of_the_planner_take_precedence_over_the_file() {
        let own = [premove("time", None), premove("user", None)];
        let mut premoves = Premoves::default();
        premoves.change(PremoveChange::Set(Premove { ttl_s: Some(5), ..premove("time", None) }));
        premoves.change(PremoveChange::Cleared(vec![String::from("user")]));
        let all = premoves.all(&own);
        assert_eq!((all.len(), all[0].ttl_s), (1, Some(5)));
        premoves.change(PremoveChange::Cleared(vec![String::from("time")]));
        assert_eq!(premoves.all(&own), []);
        premoves.change(PremoveChange::Set(premove("user", None)));
        assert_eq!(names(premoves.all(&own)), ["user"]);
    }

    #[test]
    fn a_failed_premove_keeps_its_last_result() {
        let mut premoves = Premoves::default();
        premoves.change(ended("time", 0, Some("noon")));
        premoves.change(ended("time", 1, None));
        assert_eq!(premoves.last_result("time"), Some("noon"));
    }

    #[test]
    fn a_premove_result_is_cut_to_its_budget_and_a_failure_is_one_line() {
        let child = |outcome, vars: Value, response: &str| EndedChild {
            run: RunId::fresh(),
            outcome,
            late: false,
            vars: vars.as_object().cloned().unwrap_or_default(),
            response: Some(response.to_owned()),
            cause: None,
        };
        let done = |vars| child(Status::Succeeded, vars, "said");
        assert_eq!(read_result(&done(serde_json::json!({"now": "12:00"})), None), Ok(String::from("12:00")));
        assert_eq!(
            read_result(&done(serde_json::json!({"a": 1, "b": 2})), None),
            Ok(String::from("{\"a\":1,\"b\":2}"))
        );
        assert_eq!(read_result(&done(serde_json::json!({})), Some(1)), Ok(String::from("said")));
        let long = done(serde_json::json!({"now": "x".repeat(50)}));
        assert_eq!(read_result(&long, Some(2)), Ok(format!("{}…", "x".repeat(8))));
        assert_eq!(
            read_result(&child(Status::Failed, Value::Null, "no"), None),
            Err(String::from("failed: no"))
        );
    }
}
