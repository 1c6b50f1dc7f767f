//! Tests of every reason for every status, in both languages.

use crate::clock::Moment;
use crate::ids::{QuestionId, RunId, SessionId};
use crate::observability::why::reason::QueuePosition;
use crate::observability::why::situation::{LimitsUsed, Resolution, RunSituation};
use crate::observability::why::why;
use crate::protocol::{Locale, Status};
use crate::store::rows::usage::Usage;
use crate::store::rows::{LeaseRow, ListSettings, QuestionRow, RunRow, TaskRow};
use serde_json::{Map, json};
use std::collections::BTreeSet;

fn row(id: &str, status: Status) -> RunRow {
    let ended = status.is_outcome().then(|| Moment::from_millis(9_000));
    RunRow {
        id: RunId::from(id),
        root: RunId::from("r"),
        parent: None,
        depth: 0,
        agent: String::from("shop"),
        program: String::from("conversation"),
        title: String::from("a lamp"),
        input: Map::new(),
        status: status.word().to_owned(),
        node: String::from("plan_action"),
        question: None,
        created_at: Moment::from_millis(0),
        updated_at: Moment::from_millis(0),
        ended_at: ended,
        response: None,
        vars: Map::new(),
        tool_steps: 0,
        last_step: 1,
        usage: Usage::default(),
        url: None,
        version: None,
        model: None,
        ordinal: 0,
        beyond: None,
        bounds: json!({}),
        deadline: None,
        plan: None,
        progress: None,
        cause: None,
        metadata: None,
        kept: ListSettings::default(),
    }
}

fn standing(status: Status) -> RunSituation {
    RunSituation {
        run: row("r", status),
        parent: None,
        below: Vec::new(),
        questions: Vec::new(),
        resolved: None,
        tasks: Vec::new(),
        lease: None,
        line: None,
        asks_model: false,
        hears: false,
        at_work: true,
        limits: LimitsUsed::default(),
        now: Moment::from_millis(5_000),
    }
}

fn question(run: &str, kind: &str) -> QuestionRow {
    QuestionRow {
        reference: QuestionId::from("q"),
        run: RunId::from(run),
        root: RunId::from("r"),
        kind: kind.to_owned(),
        frame: json!({"text": "Place the\norder?"}),
        asked_at: Moment::from_millis(1_000),
        expires_at: (kind == "confirm").then(|| Moment::from_millis(60_000)),
        resolved_by: None,
        answer: None,
    }
}

fn called(status: Status) -> RunRow {
    RunRow { parent: Some(RunId::from("r")), depth: 1, agent: String::from("pay"), ..row("c", status) }
}

fn lease(holder: Option<&str>) -> LeaseRow {
    let run = RunId::from("r");
    LeaseRow { root: run.clone(), run, holder: holder.map(SessionId::from), paused: true }
}

fn task() -> TaskRow {
    let (root, now) = (RunId::from("r"), Moment::from_millis(1_000));
    TaskRow {
        id: String::from("build"),
        action_id: String::from("a1"),
        run: root.clone(),
        root,
        child: None,
        agent: String::from("maker"),
        status: String::from("running"),
        progress: None,
        display: None,
        result: None,
        error: None,
        created_at: now,
        started_at: None,
        ended_at: None,
    }
}

/// Creates a modified run context of this status.
fn but(status: Status, change: impl FnOnce(&mut RunSituation)) -> RunSituation {
    let mut standing = standing(status);
    change(&mut standing);
    standing
}

fn at(node: &str) -> RunSituation {
    but(Status::Running, |all| all.run.node = node.to_owned())
}

fn calling(status: Status, question_of: Option<&str>) -> RunSituation {
    but(Status::Running, |all| {
        (all.run.node, all.at_work) = (String::from("run_items"), false);
        all.below = vec![called(status)];
        all.questions = question_of.map(|run| question(run, "confirm")).into_iter().collect();
    })
}

fn asking(kind: &str) -> RunSituation {
    but(Status::Waiting, |all| {
        all.run.question = Some(QuestionId::from("q"));
        all.questions = vec![question("r", kind)];
    })
}

fn before_the_end() -> Vec<RunSituation> {
    use Status::{Paused, Queued, Running, Waiting};
    vec![
        standing(Queued),
        but(Queued, |all| all.run.bounds = json!({"not_before": 7_000})),
        but(Queued, |all| all.at_work = false),
        at("plan_action"),
        at("maybe_observe"),
        at("execute_action"),
        at("enter_lane"),
        but(Running, |all| (all.run.node, all.asks_model) = (String::from("execute"), true)),
        but(Running, |all| all.at_work = false),
        but(Running, |all| all.line = Some(QueuePosition { place: 2, places: 4 })),
        but(Running, |all| all.lease = Some(lease(Some("s")))),
        but(Running, |all| all.run.deadline = Some(Moment::from_millis(20_000))),
        calling(Running, None),
        calling(Waiting, Some("c")),
        calling(Paused, None),
        asking("confirm"),
        asking("manual"),
        asking("question"),
        asking("approve_plan"),
        asking("budget"),
        but(Waiting, |all| all.run.question = Some(QuestionId::from("q"))),
        standing(Waiting),
        but(Waiting, |all| all.tasks = vec![task()]),
        standing(Paused),
        but(Paused, |all| all.lease = Some(lease(Some("s")))),
        but(Paused, |all| all.lease = Some(lease(None))),
        but(Paused, |all| all.parent = Some(row("p", Paused))),
    ]
}

fn after_the_end() -> Vec<RunSituation> {
    use Status::{Blocked, Cancelled, Denied, Exhausted, Failed, Partial, Skipped, Succeeded};
    let late = Some(Moment::from_millis(9_000));
    vec![
        standing(Succeeded),
        but(Succeeded, |all| all.hears = true),
        standing(Partial),
        but(Failed, |all| all.run.response = Some(String::from("no disk"))),
        standing(Skipped),
        standing(Cancelled),
        but(Cancelled, |all| all.resolved = Some(Resolution::Declined)),
        but(Cancelled, |all| all.resolved = Some(Resolution::Expired)),
        but(Cancelled, |all| all.parent = Some(row("p", Failed))),
        but(Denied, |all| all.hears = true),
        standing(Blocked),
        standing(Exhausted),
        but(Exhausted, |all| all.run.deadline = late),
        but(Exhausted, |all| all.run.beyond = Some(10)),
        but(Exhausted, |all| all.limits.tokens = true),
        but(Exhausted, |all| all.limits.money = true),
        but(Exhausted, |all| (all.limits.steps, all.hears) = (true, true)),
    ]
}

#[test]
fn every_status_has_reasons_and_each_says_what_would_change_it() {
    let (mut table, mut statuses, mut reasons) = (String::new(), BTreeSet::new(), BTreeSet::new());
    for standing in before_the_end().into_iter().chain(after_the_end()) {
        let (uk, en) = (why(&standing, Locale::Uk), why(&standing, Locale::En));
        assert!(!en.moves.is_empty() && en.moves.len() == uk.moves.len(), "{en:?}");
        let cyrillic = |text: &str| text.chars().any(|letter| ('\u{400}'..='\u{4ff}').contains(&letter));
        assert!(cyrillic(&uk.because) && !cyrillic(&en.because), "{} | {}", uk.because, en.because);
        statuses.insert(en.status.word());
        reasons.insert(en.reason);
        table.push_str(&format!(
            "{} {}\n    {}\n    {}\n",
            en.status.word(),
            en.reason,
            uk.because,
            en.because
        ));
        for (uk, en) in uk.moves.iter().zip(&en.moves) {
            assert!(cyrillic(&uk.how) && !cyrillic(&en.how), "{} | {}", uk.how, en.how);
            let place = en.link.as_deref().unwrap_or_default();
            table.push_str(&format!("    - {:?}: {} | {} {place}\n", en.who, uk.how, en.how));
        }
    }
    assert_eq!(statuses.len(), Status::ALL.len());
    assert_eq!(reasons.len(), 39, "{reasons:?}");
    insta::assert_snapshot!(table);
}

// A run's own question takes precedence over questions of its children, which it does not wait for.
#[test]
fn the_own_question_of_a_run_comes_first() {
    let standing = but(Status::Waiting, |all| {
        all.run.question = Some(QuestionId::from("q"));
        all.questions = vec![question("r", "budget"), question("c", "confirm")];
        all.below = vec![called(Status::Waiting)];
        all.tasks = vec![task()];
    });
    assert_eq!(why(&standing, Locale::En).reason, "asks_budget");
}

// Agents write Markdown, but the reason is one line of plain text.
#[test]
fn the_words_of_an_agent_lose_their_marks_and_what_follows_the_first_paragraph() {
    let mut failed = standing(Status::Failed);
    failed.run.response =
        Some(String::from("Stopped at “`click` **Buy**”.\n\n- ✓ open\n- · click\n\n> the page"));
    assert_eq!(why(&failed, Locale::En).because, "Failed: Stopped at “click Buy”.");
    assert_eq!(why(&failed, Locale::Uk).because, "Не вдалося: Stopped at “click Buy”.");
}

// A run whose Chromium failed to start already says that it failed.
#[test]
fn a_failure_is_not_explained_twice() {
    let mut failed = standing(Status::Failed);
    for (said, en, uk) in [
        ("Failed: no chromium", "Failed: no chromium", "Не вдалося: no chromium"),
        ("Не вдалося: немає", "Failed: немає", "Не вдалося: немає"),
        ("Failed.", "Failed.", "Не вдалося."),
        // Wording of an earlier version.
        ("It failed.", "Failed.", "Не вдалося."),
        ("It failed to open", "Failed: It failed to open", "Не вдалося: It failed to open"),
    ] {
        failed.run.response = Some(said.to_owned());
        assert_eq!(why(&failed, Locale::En).because, en);
        assert_eq!(why(&failed, Locale::Uk).because, uk);
    }
}
