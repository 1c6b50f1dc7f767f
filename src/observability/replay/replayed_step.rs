//! Replays one step and compares it with the recorded one.

use crate::clock;
use crate::engine::program::ended_child::EndedChild;
use crate::engine::program::journal::Journal;
use crate::engine::program::{
    ChildCall, Continuation, Program, QuestionResult, Replayable, StepInput, StepResult,
};
use crate::ids::RunId;
use crate::observability::replay::context::{ReplayContext, input};
use crate::observability::replay::player::{Mismatch, Player};
use crate::observability::replay::recorded_run::RecordedRun;
use crate::observability::replay::{line_diff, normalize};
use crate::record::{self, Recorder};
use crate::store::rows::StepRow;
use crate::store::rows::inbox::{InboxItem, InboxRow};
use crate::turn::typed_secret;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// Maximum duration of a step. All its inputs are available at once.
const MAX_STEP_TIME: Duration = Duration::from_secs(60);

pub enum ReplayedStep {
    /// Taken from the recording. `differs` is set if it ran other code then.
    Taken {
        differs: Option<Mismatch>,
    },
    Again {
        answered: usize,
        notes: usize,
        differs: Option<Mismatch>,
    },
}

/// The recorded step, its inputs, and true if it is the last one.
type Step<'a> = (&'a StepRow, &'a Value, bool);

pub async fn replay_step(
    stage: &ReplayContext<'_>,
    (run, runs): (&RecordedRun, &[RecordedRun]),
    program: &dyn Program,
    (step, inputs, last): Step<'_>,
) -> ReplayedStep {
    let recorded = &inputs["given"];
    match step.outcome.as_str() {
        "reopen" => replayed_without_calls(match program.reopen() {
            Some(now) => compare_changes(&step.changes, &now),
            None => Some(Mismatch { what: "changes", how: String::from("+ it hears nothing more\n") }),
        }),
        "Attended" if !recorded.is_null() => {
            let (inbox, ended) = (messages(recorded), children(recorded, runs));
            let now = program
                .handle_background(&ended, &inbox)
                .map(|attended| attended.changes)
                .unwrap_or_default();
            replayed_without_calls(compare_changes(&step.changes, &now))
        }
        "recover" | "Attended" => ReplayedStep::Taken { differs: None },
        _ if inputs.is_null() => ReplayedStep::Taken { differs: None },
        _ if !program.is_replayable() => ReplayedStep::Taken { differs: other_code(program, inputs) },
        _ => run_step(stage, (run, runs), program, (step, inputs, last)).await,
    }
}

/// Compares the hash of the code, which is not run again.
fn other_code(program: &dyn Replayable, inputs: &Value) -> Option<Mismatch> {
    let notes = inputs["heard"].as_array()?;
    let then = notes.iter().find(|note| note["what"] == record::CODE)?["said"].as_str()?;
    let now = program.code_hash().unwrap_or_else(|| String::from("none"));
    (then != now).then(|| Mismatch { what: "code", how: format!("- code {then}\n+ code {now}\n") })
}

fn replayed_without_calls(differs: Option<Mismatch>) -> ReplayedStep {
    ReplayedStep::Again { answered: 0, notes: 0, differs }
}

async fn run_step(
    stage: &ReplayContext<'_>,
    (run, runs): (&RecordedRun, &[RecordedRun]),
    program: &dyn Program,
    (step, inputs, last): Step<'_>,
) -> ReplayedStep {
    let calls = run.calls.iter().filter(|call| call.step == step.n).cloned();
    let player = Arc::new(Player::new(inputs, calls));
    let row = &run.row;
    let step_input = StepInput {
        run: row.id.clone(),
        root: row.root.clone(),
        inbox: messages(&inputs["given"]),
        answer: answer(&inputs["given"]),
        ended: children(&inputs["given"], runs),
        journal: Journal::new(Arc::clone(&stage.store), row.id.clone(), row.root.clone(), 0),
    };
    let recorder = Some(Recorder::Replay(player.clone()));
    let visit = clock::with_fixed_time(step.at, record::run_recorded(recorder, program.step(step_input)));
    let done = tokio::select! {
        biased;
        done = visit => Some(done),
        () = player.wait_until_lost() => None,
        () = tokio::time::sleep(MAX_STEP_TIME) => None,
    };
    let (answered, notes, difference) = player.finish();
    let difference_of_result = || match &done {
        Some(Ok(visit)) => compare_result(visit, step, (run, runs), last),
        Some(Err(fault)) => Some(Mismatch { what: "changes", how: format!("+ {fault}\n") }),
        None => Some(Mismatch { what: "changes", how: String::from("+ it comes to no end\n") }),
    };
    let differs = difference.or_else(difference_of_result);
    ReplayedStep::Again { answered, notes, differs }
}

/// Compares the results of the step with the recorded ones.
fn compare_result(
    visit: &StepResult,
    step: &StepRow,
    (run, runs): (&RecordedRun, &[RecordedRun]),
    last: bool,
) -> Option<Mismatch> {
    if visit.outcome != step.outcome {
        let how = format!("- {}\n+ {}\n", step.outcome, visit.outcome);
        return Some(Mismatch { what: "outcome", how });
    }
    compare_changes(&step.changes, &visit.changes)
        .or_else(|| compare_calls(&visit.record.calls, &visit.changes, &step.changes, runs))
        .or_else(|| compare_end(&visit.next, run).filter(|_| last))
}

/// Returns the lines in which two values differ.
pub fn diff_lines(then: &Value, now: &Value) -> String {
    let (then, now) = (normalize::normalize_value(then), normalize::normalize_value(now));
    if then == now { String::new() } else { line_diff::diff(&format!("{then:#}"), &format!("{now:#}")) }
}

fn compare_changes(then: &Value, now: &Value) -> Option<Mismatch> {
    let how = diff_lines(then, now);
    (!how.is_empty()).then_some(Mismatch { what: "changes", how })
}

/// Compares the calls of agents: the same agents with the same inputs. Calls are matched through the ids in
/// the changes.
fn compare_calls(calls: &[ChildCall], now: &Value, then: &Value, runs: &[RecordedRun]) -> Option<Mismatch> {
    let mut twins = HashMap::new();
    pair(now, then, &mut twins);
    calls.iter().find_map(|call| {
        let twin = twins.get(call.run.as_str())?;
        let recorded = runs.iter().find(|run| run.row.id.as_str() == twin)?;
        let then = json!({"agent": recorded.row.agent, "input": input(&recorded.row.input)});
        if then.to_string().contains(typed_secret::MASK) {
            return None;
        }
        let how = diff_lines(&then, &json!({"agent": call.agent, "input": input(&call.input)}));
        (!how.is_empty()).then_some(Mismatch { what: "call", how })
    })
}

/// Pairs the ids that occur at the same position now and then.
fn pair(now: &Value, then: &Value, twins: &mut HashMap<String, String>) {
    match (now, then) {
        (Value::String(now), Value::String(then)) if RunId::is_one(now) && RunId::is_one(then) => {
            twins.insert(now.clone(), then.clone());
        }
        (Value::Array(now), Value::Array(then)) => {
            now.iter().zip(then).for_each(|(now, then)| pair(now, then, twins));
        }
        (Value::Object(now), Value::Object(then)) => {
            for (name, now) in now {
                if let Some(then) = then.get(name) {
                    pair(now, then, twins);
                }
            }
        }
        _ => {}
    }
}

/// Compares how the run ends, if it does.
fn compare_end(next: &Continuation, run: &RecordedRun) -> Option<Mismatch> {
    let Continuation::End(end) = next else { return None };
    run.row.ended_at?;
    let then = json!({"outcome": run.row.status, "response": run.row.response, "vars": input(&run.row.vars)});
    let now = json!({"outcome": end.outcome.word(), "response": end.response, "vars": input(&end.vars)});
    let how = diff_lines(&then, &now);
    (!how.is_empty()).then_some(Mismatch { what: "end", how })
}

fn messages(recorded: &Value) -> Vec<InboxRow> {
    let inbox = recorded["inbox"].as_array().into_iter().flatten();
    let message = |message: &Value| {
        // Older recordings have no kind.
        let kind = message["kind"].as_str().unwrap_or("words");
        let item = InboxItem::read(kind, message["text"].as_str()?.to_owned())?;
        Some(InboxRow { n: message["n"].as_u64()?, item })
    };
    inbox.filter_map(message).collect()
}

fn answer(recorded: &Value) -> Option<QuestionResult> {
    let result = recorded.get("answer")?;
    Some(QuestionResult {
        reference: result["reference"].as_str().unwrap_or_default().into(),
        by: serde_json::from_value(result["by"].clone()).ok()?,
        answer: serde_json::from_value(result["answer"].clone()).ok()?,
        handed_back: result["handed_back"] == true,
    })
}

/// Returns the child runs whose end the step received.
fn children(recorded: &Value, runs: &[RecordedRun]) -> Vec<EndedChild> {
    let ended = recorded["ended"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let row = |id: &str| runs.iter().find(|run| run.row.id.as_str() == id).map(|run| run.row.clone());
    ended.filter_map(row).map(EndedChild::from_row).collect()
}
