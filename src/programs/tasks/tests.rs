//! Tables of the steps of jobs, and properties that hold for every tree of calls.

use crate::clock::Moment;
use crate::engine::program::ended_child::EndedChild;
use crate::engine::program::ended_child::FailureCause;
use crate::ids::RunId;
use crate::programs::tasks::read_jobs::CallContext;
use crate::programs::tasks::step::JobStep;
use crate::programs::tasks::{Callee, Job, JobStatus, Jobs, read_jobs};
use crate::protocol::Status;
use crate::turn::Call;
use crate::turn::agent_tools::{Input, Tool};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::time::Duration;

fn callee(name: &str, tries: u32) -> Callee {
    let inputs =
        vec![Input { name: "n".into(), type_name: "integer".into(), required: true, ..Input::default() }];
    Callee { tool: Tool { name: name.into(), inputs, ..Tool::default() }, tries, timeout: None }
}

fn callees() -> Vec<Callee> {
    let mut browses = callee("browses", 1);
    browses.tool.browses = true;
    let slow = Callee { timeout: Some(Duration::from_secs(60)), ..callee("slow", 2) };
    vec![callee("once", 1), callee("thrice", 3), browses, slow]
}

fn fill(params: &Map<String, Value>, _: &Jobs) -> Result<Map<String, Value>, String> {
    Ok(params.clone())
}

fn stepping(tasks: Jobs, callees: &[Callee]) -> JobStep<'_> {
    JobStep::new(tasks, callees, Box::new(fill), Moment::from_millis(1), RunId::fresh)
}

fn call(value: Value) -> Call {
    serde_json::from_value(value).unwrap()
}

fn read(value: Value, tasks: &Jobs, has_page: bool) -> Result<Vec<Job>, String> {
    let callees = callees();
    let call = call(value);
    let id = call.id_at(0);
    let done = [String::from("done")];
    read_jobs::read_jobs(
        &call,
        &id,
        CallContext {
            callees: &callees,
            tasks,
            done_ids: &done,
            started_ids: &[],
            has_page,
            in_background: true,
        },
        1,
    )
}

fn begun(value: Value) -> Jobs {
    let callees = callees();
    let jobs = read(value, &Jobs::default(), false).unwrap();
    let mut step = stepping(Jobs::default(), &callees);
    step.add(jobs);
    step.advance();
    step.tasks
}

fn ends(tasks: Jobs, id: &str, outcome: Status) -> Jobs {
    ends_as(tasks, id, child(outcome))
}

fn child(outcome: Status) -> EndedChild {
    let response = Some(String::from("why"));
    EndedChild { run: RunId::from(""), outcome, late: false, vars: Map::new(), response, cause: None }
}

fn ends_as(tasks: Jobs, id: &str, child: EndedChild) -> Jobs {
    let callees = callees();
    let job = tasks.find_newest(id).unwrap();
    let run = tasks.get(job).unwrap().run().unwrap_or_else(|| panic!("{id} does not run")).clone();
    let mut step = stepping(tasks, &callees);
    step.process_ended(&[EndedChild { run, ..child }]);
    step.advance();
    step.tasks
}

fn statuses(tasks: &Jobs) -> Vec<(&str, &str)> {
    tasks.jobs.iter().map(|job| (job.action_id.as_str(), job.status().word())).collect()
}

fn report() -> Value {
    json!({"action_id": "report", "action": "enrich", "sub_actions": [
        {"action_id": "fetch", "action": "once", "params": {"n": 1}, "execution": "ASYNC"},
        {"action_id": "test", "action": "once", "params": {"n": 2}, "execution": "ASYNC", "depends_on": "fetch"},
        {"action_id": "sum", "action": "once", "params": {"n": 3}, "execution": "SYNC", "depends_on": "test"},
    ]})
}

// Each part starts when its dependency has succeeded; the group ends after all parts (S4.11, S4.20, S4.27).
#[test]
fn a_group_waits_for_all_of_its_parts_in_their_order() {
    let mut tasks = begun(report());
    for (ends_now, expected) in [
        ("fetch", ["running", "succeeded", "running", "queued"]),
        ("test", ["running", "succeeded", "succeeded", "running"]),
        ("sum", ["succeeded", "succeeded", "succeeded", "succeeded"]),
    ] {
        tasks = ends(tasks, ends_now, Status::Succeeded);
        let found: Vec<&str> = statuses(&tasks).into_iter().map(|(_, status)| status).collect();
        assert_eq!(found, expected, "{ends_now}");
    }
    let result = tasks.jobs[0].result.clone().unwrap();
    assert_eq!(
        (&result["success"], &result["tool"], &result["attempt"]),
        (&json!(true), &json!("enrich"), &json!(1))
    );
    assert_eq!(result["results"]["sum"]["success"], true);
}

// A job that depends on a failed one is skipped, and the group names the reason of the failure (S4.11).
#[test]
fn a_job_that_depends_on_a_failed_one_is_skipped() {
    let tasks = ends(begun(report()), "fetch", Status::Failed);
    let expected = [("report", "failed"), ("fetch", "failed"), ("test", "skipped"), ("sum", "skipped")];
    assert_eq!(statuses(&tasks), expected);
    assert_eq!(tasks.jobs[0].error().unwrap().message, "`fetch`: why");
}

// Sub-actions run side by side if ASYNC, in order if SYNC (C21).
#[test]
fn sub_actions_run_side_by_side_or_in_order() {
    for (execution, expected) in [("ASYNC", ["running", "running"]), ("SYNC", ["running", "queued"])] {
        let sub =
            |id: &str| json!({"action_id": id, "action": "once", "params": {"n": 1}, "execution": execution});
        let tasks = begun(json!({"action": "both", "sub_actions": [sub("a"), sub("b")]}));
        assert_eq!(statuses(&tasks)[1..].iter().map(|(_, status)| *status).collect::<Vec<_>>(), expected);
    }
    // An agent with sub-actions is called itself when they have ended.
    let sub = json!([{"action_id": "a", "action": "once", "params": {"n": 1}}]);
    let tasks = begun(json!({"action_id": "x", "action": "once", "params": {"n": 2}, "sub_actions": sub}));
    assert_eq!(statuses(&tasks), [("x", "queued"), ("a", "running")]);
    assert_eq!(statuses(&ends(tasks, "a", Status::Succeeded)), [("x", "running"), ("a", "succeeded")]);
}

// A call is tried again if that is safe, but never after a person said no (S2.20, S2.22, S2.23, C11).
#[test]
fn tries_are_made_only_where_nothing_is_done_twice() {
    for (agent, outcome, runs, attempt) in [
        ("thrice", Status::Failed, true, 1),
        ("thrice", Status::Cancelled, false, 1),
        ("thrice", Status::Denied, false, 1),
        ("thrice", Status::Blocked, false, 1),
        ("thrice", Status::Exhausted, false, 1),
        ("once", Status::Failed, false, 1),
        ("thrice", Status::Succeeded, false, 1),
    ] {
        let tasks = begun(json!({"action_id": "x", "action": agent, "params": {"n": 1}}));
        let tasks = ends(tasks, "x", outcome);
        assert_eq!(tasks.jobs[0].run().is_some(), runs, "{agent} {outcome:?}");
        if !runs {
            let result = tasks.jobs[0].result.clone().unwrap();
            assert_eq!((&result["attempt"], &result["tool"]), (&json!(attempt), &json!(agent)));
            assert_eq!(result["success"], outcome == Status::Succeeded);
            assert_eq!(result["error_type"].is_string(), outcome != Status::Succeeded);
        }
    }
    let mut tasks = begun(json!({"action_id": "x", "action": "thrice", "params": {"n": 1}}));
    for _ in 0..3 {
        tasks = ends(tasks, "x", Status::Failed);
    }
    let result = tasks.jobs[0].result.clone().unwrap();
    assert_eq!(
        (&result["attempt"], &result["retries"], &result["error"]),
        (&json!(3), &json!(2), &json!("why"))
    );
}

// A call that timed out is tried again. Then it ends as timed out, whatever its response was (S2.23).
#[test]
fn a_try_that_takes_too_long_ends_as_timed_out() {
    let late = || EndedChild { late: true, ..child(Status::Exhausted) };
    let begun = begun(json!({"action_id": "x", "action": "slow", "params": {"n": 1}}));
    let again = ends_as(begun, "x", late());
    assert!(again.jobs[0].run().is_some(), "{again:?}");
    let tasks = ends_as(again, "x", late());
    let result = tasks.jobs[0].result.clone().unwrap();
    let expected = json!({
        "success": false, "tool": "slow", "attempt": 2, "retries": 1, "error_type": "timeout",
        "error": "timed out after 60 s",
    });
    assert_eq!(result, expected);
}

// An exception is reported with its name, and its traceback apart from its message (S2.23, S2.28).
#[test]
fn an_exception_is_reported_with_name_and_traceback() {
    let cause = FailureCause {
        error: String::from("ZeroDivisionError: division by zero"),
        error_type: String::from("ZeroDivisionError"),
        traceback: Some(String::from("line 1: n = 1 // 0")),
    };
    let tasks = begun(json!({"action_id": "x", "action": "once", "params": {"n": 1}}));
    let tasks = ends_as(tasks, "x", EndedChild { cause: Some(cause), ..child(Status::Failed) });
    let expected = json!({
        "success": false, "tool": "once", "attempt": 1, "retries": 0, "error_type": "ZeroDivisionError",
        "error": "ZeroDivisionError: division by zero", "traceback": "line 1: n = 1 // 0",
    });
    assert_eq!(tasks.jobs[0].result, Some(expected));
}

// The end of a call decides about its success, unless its own output says that it failed (S2.22).
#[test]
fn the_result_of_a_call_is_a_map_with_its_status() {
    for (vars, succeeded, own) in [
        (json!({"n": 1}), true, json!({"n": 1})),
        (json!({}), true, json!({"response": "why"})),
        (json!({"success": "perhaps"}), true, json!({})),
        (
            json!({"success": false, "error": "no stock"}),
            false,
            json!({"error": "no stock", "error_type": "failed"}),
        ),
        (json!({"success": false}), false, json!({"error": "why"})),
    ] {
        let tasks = begun(json!({"action_id": "x", "action": "once", "params": {"n": 1}}));
        let gave = EndedChild { vars: vars.as_object().cloned().unwrap(), ..child(Status::Succeeded) };
        let tasks = ends_as(tasks, "x", gave);
        let result = tasks.jobs[0].result.clone().unwrap();
        assert_eq!(
            (&result["success"], tasks.jobs[0].has_succeeded()),
            (&json!(succeeded), succeeded),
            "{vars}"
        );
        assert_eq!((&result["tool"], &result["attempt"]), (&json!("once"), &json!(1)));
        for (name, value) in own.as_object().unwrap() {
            assert_eq!(&result[name], value, "{result}");
        }
    }
}

// A partial result is no success; its outputs are kept, and it is not tried again (S4.11, C22).
#[test]
fn a_partial_result_is_no_success_and_is_kept() {
    let tasks = begun(json!({"action_id": "both", "action": "a group", "sub_actions": [
        {"action_id": "x", "action": "thrice", "params": {"n": 1}},
        {"action_id": "y", "action": "once", "params": {"n": 2}, "depends_on": "x"},
    ]}));
    let vars = json!({"n": 7}).as_object().cloned().unwrap();
    let tasks = ends_as(tasks, "x", EndedChild { vars, ..child(Status::Partial) });
    assert_eq!(statuses(&tasks), [("both", "failed"), ("x", "partial"), ("y", "skipped")]);
    let result = tasks.jobs[1].result.clone().unwrap();
    assert_eq!(
        (&result["success"], &result["n"], &result["error_type"], &result["attempt"]),
        (&json!(false), &json!(7), &json!("partial"), &json!(1)),
        "{result}"
    );
}

// All tries of a call get the same input, whatever has changed in between (C11, S4.18).
#[test]
fn every_try_gets_the_same_input() {
    let tasks = begun(json!({"action_id": "x", "action": "thrice", "params": {"n": 1}}));
    let run = tasks.jobs[0].run().unwrap().clone();
    let callees = callees();
    let other = |_: &Map<String, Value>, _: &Jobs| Ok(Map::from_iter([(String::from("n"), json!(2))]));
    let mut step = JobStep::new(tasks, &callees, Box::new(other), Moment::from_millis(2), RunId::fresh);
    step.process_ended(&[EndedChild { run, ..child(Status::Failed) }]);
    assert_eq!(step.calls[0].input["n"], 1);
    let stored: Jobs = serde_json::from_value(json!(step.tasks)).unwrap();
    assert_eq!(stored.jobs[0].input.as_ref().unwrap()["n"], 1, "also by what is stored");
}

// An error that the same input causes every time is not tried again (S2.23).
#[test]
fn an_error_that_the_input_causes_is_not_retried() {
    let callees = callees();
    for (word, again) in [("secret_of_pages", false), ("secret_gone", false), ("bad_output", true)] {
        let tasks = begun(json!({"action_id": "x", "action": "thrice", "params": {"n": 1}}));
        let run = tasks.jobs[0].run().unwrap().clone();
        let cause = FailureCause { error: word.to_owned(), error_type: word.to_owned(), traceback: None };
        let mut step = stepping(tasks, &callees);
        step.process_ended(&[EndedChild { run, cause: Some(cause), ..child(Status::Failed) }]);
        let job = &step.tasks.jobs[0];
        assert_eq!((job.run().is_some(), job.tries), (again, if again { 2 } else { 1 }), "{word}");
        assert_eq!(job.error().map(|fault| &*fault.code), (!again).then_some(word));
    }
}

// Ids must be short and visible, because they are shown, stored and asked for; the error tells the model how
// to write them (S2.21).
#[test]
fn ids_that_are_empty_or_long_or_cannot_be_seen_are_refused() {
    let long = "x".repeat(100_000);
    for id in [&*long, "a\u{1b}[2J", "a\nb", "a\0"] {
        let top = json!({"action_id": id, "action": "once", "params": {"n": 1}, "execution": "ASYNC"});
        let below = json!({"action_id": "x", "action": "both", "sub_actions": [top.clone()]});
        for call in [top, below] {
            let why = read(call, &Jobs::default(), false).unwrap_err();
            assert!(why.contains("has 1 to 64 visible characters"), "{why}");
            assert!(why.len() < 300 && !why.chars().any(char::is_control), "{why:?}");
        }
    }
    let why = read(json!({"action_id": "x", "action": long, "depends_on": long}), &Jobs::default(), false);
    assert!(why.unwrap_err().len() < 300);
    let call = json!({"action_id": " ", "action": "once", "params": {"n": 1}, "execution": "ASYNC"});
    assert_eq!(read(call, &Jobs::default(), false).unwrap()[0].action_id, "a1");
    let call = json!({"action_id": "звіт", "action": "once", "params": {"n": 1}});
    assert_eq!(read(call, &Jobs::default(), false).unwrap()[0].action_id, "звіт");
}

// Input that does not fit is an error without a try (S2.21, S2.24).
#[test]
fn input_that_does_not_fit_is_an_error_without_a_try() {
    for (params, words) in [
        (json!({}), "`n` (integer) is missing"),
        (json!({"n": "one"}), "must be of type integer, not string"),
        (json!({"n": 1, "m": 2}), "there is no `m`"),
    ] {
        let tasks = begun(json!({"action_id": "x", "action": "thrice", "params": params}));
        let job = &tasks.jobs[0];
        assert_eq!((job.tries, job.status()), (0, Status::Failed));
        assert!(job.error().unwrap().message.contains(words), "{job:?}");
    }
    for (value, words) in [
        (json!({"action": "nobody"}), "there is no agent `nobody`"),
        (json!({"action": "once", "depends_on": "nothing"}), "no such action before it"),
        (
            json!({"action_id": "x", "action": "once", "sub_actions": [{"action": "once", "depends_on": "x"}]}),
            "waits for it",
        ),
    ] {
        let why = read(value, &Jobs::default(), false).unwrap_err();
        assert!(why.contains(words), "{why}");
    }
    assert!(read(json!({"action": "once", "depends_on": "done"}), &Jobs::default(), false).is_ok());
}

// The run tree has one page: a conversation that drives it calls other agents that do one at a time, and
// waits.
#[test]
fn the_page_is_driven_by_one_at_a_time() {
    let browse = |id: &str, execution: &str| json!({"action_id": id, "action": "browses", "params": {"n": 1}, "execution": execution});
    assert!(read(browse("x", "ASYNC"), &Jobs::default(), true).unwrap_err().contains("SYNC"));
    assert!(read(browse("x", "SYNC"), &Jobs::default(), true).is_ok());
    let tasks = begun(json!({"action": "both", "sub_actions": [browse("a", "ASYNC"), browse("b", "ASYNC")]}));
    assert_eq!(statuses(&tasks)[1..], [("a", "running"), ("b", "queued")]);
    assert_eq!(statuses(&ends(tasks, "a", Status::Succeeded))[1..], [("a", "succeeded"), ("b", "running")]);
}

// A cancelled task ends with everything that it waits for (S4.17).
#[test]
fn a_cancelled_task_takes_its_parts_along() {
    let callees = callees();
    let mut step = stepping(begun(report()), &callees);
    step.cancel(0);
    step.advance();
    assert_eq!(step.cancel.len(), 1);
    assert!(step.tasks.jobs.iter().all(|job| job.status() == Status::Cancelled), "{:?}", step.tasks);
}

/// Generates trees of calls, each with a possible dependency.
fn trees() -> impl Strategy<Value = Value> {
    let leaf = (any::<bool>(), 0..3_usize, any::<bool>()).prop_map(|(is_async, agent, dep)| {
        let agent = ["once", "thrice", "browses"][agent];
        json!({"action": agent, "params": {"n": 1}, "execution": if is_async { "ASYNC" } else { "SYNC" }, "dep": dep})
    });
    leaf.prop_recursive(3, 12, 4, |inner| {
        (proptest::collection::vec(inner, 1..4), any::<bool>(), any::<bool>()).prop_map(
            |(subs, is_async, agent)| {
                let name = if agent { "once" } else { "group" };
                json!({"action": name, "params": {"n": 1}, "sub_actions": subs,
                   "execution": if is_async { "ASYNC" } else { "SYNC" }})
            },
        )
    })
}

/// Gives every action an id, and makes some depend on the sibling before them.
fn number_calls(call: &mut Value, n: &mut usize, before: Option<String>) {
    *n += 1;
    let id = format!("j{n}");
    if call["dep"] == true {
        call["depends_on"] = json!(before);
    }
    call["action_id"] = json!(id);
    let mut last = None;
    for sub in call["sub_actions"].as_array_mut().into_iter().flatten() {
        number_calls(sub, n, last.take());
        last = sub["action_id"].as_str().map(str::to_owned);
    }
}

proptest! {
    // A job has at most one running try; nothing starts before its dependency has succeeded; a group ends
    // after all of its parts; and everything ends (S4.11, S4.20, C11).
    #[test]
    fn every_tree_of_calls_ends_in_order(mut tree in trees(), picks in proptest::collection::vec((0..64_usize, 0..4_usize), 64)) {
        number_calls(&mut tree, &mut 0, None);
        let mut tasks = begun(tree);
        for (which, how) in picks {
            for (at, job) in tasks.jobs.iter().enumerate() {
                let begun = job.tries > 0;
                if let Some(on) = job.depends_on {
                    prop_assert!(!begun || tasks.jobs[on].has_succeeded());
                }
                if job.has_ended() || begun {
                    prop_assert!(tasks.children(at).all(|(_, below)| below.has_ended()));
                }
                prop_assert!(job.tries <= 3);
            }
            let runs: Vec<String> =
                tasks.jobs.iter().filter(|job| job.run().is_some()).map(|job| job.action_id.clone()).collect();
            let browse = tasks.jobs.iter().filter(|job| job.run().is_some() && job.action == "browses").count();
            prop_assert!(browse <= 1);
            if runs.is_empty() {
                break;
            }
            let outcome = [Status::Succeeded, Status::Succeeded, Status::Failed, Status::Cancelled][how];
            tasks = ends(tasks, &runs[which % runs.len()], outcome);
        }
        prop_assert!(tasks.jobs.iter().all(|job| matches!(job.status, JobStatus::Ended { .. })), "{tasks:?}");
    }
}

// A dependency means an action of this turn before an older one with the same id (S4.11).
#[test]
fn ids_of_actions_are_those_of_their_turn() {
    let callees = callees();
    let older = begun(json!({"action_id": "a1", "action": "once", "params": {"n": 1}, "execution": "ASYNC"}));
    let older = ends(older, "a1", Status::Failed);
    let next = call(json!({"action_id": "a2", "action": "once", "params": {"n": 1}, "depends_on": "a1"}));
    let read = |done: &[String], begun: &[String]| {
        let context = CallContext {
            callees: &callees,
            tasks: &older,
            done_ids: done,
            started_ids: begun,
            has_page: false,
            in_background: true,
        };
        read_jobs::read_jobs(&next, "a2", context, 1).unwrap()[0].depends_on
    };
    let a1 = [String::from("a1")];
    assert_eq!(read(&a1, &[]), None, "it is done");
    assert_eq!(read(&[], &a1), older.find_newest("a1"));
    assert_eq!(read(&[], &[]), older.find("a1"), "a task of an earlier turn");
}

// A turn starts a limited number of jobs, and a limited number work at once (C5).
#[test]
fn the_numbers_of_running_and_waiting_jobs_are_limited() {
    let parts = |count: usize| -> Value {
        let part = |n: usize| json!({"action_id": format!("p{n}"), "action": "once", "params": {"n": n}, "execution": "ASYNC"});
        json!({"action_id": "all", "action": "group", "sub_actions": (0..count).map(part).collect::<Vec<_>>()})
    };
    let why = read(parts(100), &Jobs::default(), false).unwrap_err();
    assert!(why.contains("too much"), "{why}");
    let mut tasks = begun(parts(20));
    for left in (1..=20).rev() {
        assert_eq!(tasks.running_children().count(), left.min(8));
        let one = tasks.jobs.iter().find(|job| job.run().is_some()).unwrap().action_id.clone();
        tasks = ends(tasks, &one, Status::Succeeded);
    }
    assert!(tasks.jobs.iter().all(Job::has_succeeded));
}
