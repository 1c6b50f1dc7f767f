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
        exceeded_limit: None,
        bounds: json!({}),
        deadline: None,
        plan: None,
        progress: None,
        cause: None,
        metadata: None,
        list_settings: ListSettings::default(),
    }
}

fn situation(status: Status) -> RunSituation {
    RunSituation {
        run: row("r", status),
        parent: None,
        below: Vec::new(),
        questions: Vec::new(),
        resolution: None,
        tasks: Vec::new(),
        lease: None,
        queue_position: None,
        asks_model: false,
        accepts_messages: false,
        at_work: true,
        is_abandoned: false,
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

fn child_row(status: Status) -> RunRow {
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
fn modified(status: Status, change: impl FnOnce(&mut RunSituation)) -> RunSituation {
    let mut situation = situation(status);
    change(&mut situation);
    situation
}

fn at_node(node: &str) -> RunSituation {
    modified(Status::Running, |all| all.run.node = node.to_owned())
}

fn calling(status: Status, question_of: Option<&str>) -> RunSituation {
    modified(Status::Running, |all| {
        (all.run.node, all.at_work) = (String::from("run_items"), false);
        all.below = vec![child_row(status)];
        all.questions = question_of.map(|run| question(run, "confirm")).into_iter().collect();
    })
}

fn asking(kind: &str) -> RunSituation {
    modified(Status::Waiting, |all| {
        all.run.question = Some(QuestionId::from("q"));
        all.questions = vec![question("r", kind)];
    })
}

fn before_the_end() -> Vec<RunSituation> {
    use Status::{Paused, Queued, Running, Waiting};
    vec![
        situation(Queued),
        modified(Queued, |all| all.run.bounds = json!({"not_before": 7_000})),
        modified(Queued, |all| all.at_work = false),
        modified(Queued, |all| all.is_abandoned = true),
        at_node("plan_action"),
        at_node("maybe_observe"),
        at_node("execute_action"),
        at_node("enter_lane"),
        modified(Running, |all| (all.run.node, all.asks_model) = (String::from("execute"), true)),
        modified(Running, |all| all.at_work = false),
        modified(Running, |all| all.queue_position = Some(QueuePosition { position: 2, slots: 4 })),
        modified(Running, |all| all.lease = Some(lease(Some("s")))),
        modified(Running, |all| all.run.deadline = Some(Moment::from_millis(20_000))),
        calling(Running, None),
        calling(Waiting, Some("c")),
        calling(Paused, None),
        asking("confirm"),
        asking("manual"),
        asking("question"),
        asking("approve_plan"),
        asking("budget"),
        modified(Waiting, |all| all.run.question = Some(QuestionId::from("q"))),
        situation(Waiting),
        modified(Waiting, |all| all.tasks = vec![task()]),
        situation(Paused),
        modified(Paused, |all| all.lease = Some(lease(Some("s")))),
        modified(Paused, |all| all.lease = Some(lease(None))),
        modified(Paused, |all| all.parent = Some(row("p", Paused))),
    ]
}

fn after_the_end() -> Vec<RunSituation> {
    use Status::{Blocked, Cancelled, Denied, Exhausted, Failed, Partial, Skipped, Succeeded};
    let late = Some(Moment::from_millis(9_000));
    vec![
        situation(Succeeded),
        modified(Succeeded, |all| all.accepts_messages = true),
        situation(Partial),
        modified(Failed, |all| all.run.response = Some(String::from("no disk"))),
        situation(Skipped),
        situation(Cancelled),
        modified(Cancelled, |all| all.resolution = Some(Resolution::Declined)),
        modified(Cancelled, |all| all.resolution = Some(Resolution::Expired)),
        modified(Cancelled, |all| all.parent = Some(row("p", Failed))),
        modified(Denied, |all| all.accepts_messages = true),
        situation(Blocked),
        situation(Exhausted),
        modified(Exhausted, |all| all.run.deadline = late),
        modified(Exhausted, |all| all.run.exceeded_limit = Some(10)),
        modified(Exhausted, |all| all.limits.tokens = true),
        modified(Exhausted, |all| all.limits.money = true),
        modified(Exhausted, |all| (all.limits.steps, all.accepts_messages) = (true, true)),
    ]
}

#[test]
fn every_status_has_reasons_and_each_says_what_would_change_it() {
    let (mut table, mut statuses, mut reasons) = (String::new(), BTreeSet::new(), BTreeSet::new());
    for situation in before_the_end().into_iter().chain(after_the_end()) {
        let (uk, en) = (why(&situation, Locale::Uk), why(&situation, Locale::En));
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
            let link = en.link.as_deref().unwrap_or_default();
            table.push_str(&format!("    - {:?}: {} | {} {link}\n", en.who, uk.how, en.how));
        }
    }
    assert_eq!(statuses.len(), Status::ALL.len());
    assert_eq!(reasons.len(), 40, "{reasons:?}");
    insta::assert_snapshot!(table);
}

// A run's own question takes precedence over questions of its children, which it does not wait for.
#[test]
fn the_own_question_of_a_run_comes_first() {
    let situation = modified(Status::Waiting, |all| {
        all.run.question = Some(QuestionId::from("q"));
        all.questions = vec![question("r", "budget"), question("c", "confirm")];
        all.below = vec![child_row(Status::Waiting)];
        all.tasks = vec![task()];
    });
    assert_eq!(why(&situation, Locale::En).reason, "asks_budget");
}

// A person may answer, write or resume although no service works; the rest waits for one.
#[test]
fn a_run_that_no_service_works_on_says_so_unless_it_awaits_a_person() {
    let reasons = before_the_end().into_iter().chain(after_the_end()).map(|mut situation| {
        situation.is_abandoned = true;
        why(&situation, Locale::En).reason
    });
    let others: BTreeSet<_> = reasons.filter(|reason| *reason != "no_service").collect();
    let ends =
        after_the_end().iter().map(|situation| why(situation, Locale::En).reason).collect::<BTreeSet<_>>();
    let awaiting: Vec<_> = others.difference(&ends).copied().collect();
    assert_eq!(
        awaiting,
        [
            "asks_approve_plan",
            "asks_budget",
            "asks_confirm",
            "asks_manual",
            "asks_question",
            "page_left",
            "paused",
            "rests"
        ]
    );
}

// Agents write Markdown, but the reason is one line of plain text.
#[test]
fn the_words_of_an_agent_lose_their_marks_and_what_follows_the_first_paragraph() {
    let mut failed = situation(Status::Failed);
    failed.run.response =
        Some(String::from("Stopped at “`click` **Buy**”.\n\n- ✓ open\n- · click\n\n> the page"));
    assert_eq!(why(&failed, Locale::En).because, "Failed: Stopped at “click Buy”.");
    assert_eq!(why(&failed, Locale::Uk).because, "Не вдалося: Stopped at “click Buy”.");
}

// A run whose Chromium failed to start already says that it failed.
#[test]
fn a_failure_is_not_explained_twice() {
    let mut failed = situation(Status::Failed);
    for (response, en, uk) in [
        ("Failed: no chromium", "Failed: no chromium", "Не вдалося: no chromium"),
        ("Не вдалося: немає", "Failed: немає", "Не вдалося: немає"),
        ("Failed.", "Failed.", "Не вдалося."),
        // Wording of an earlier version.
        ("It failed.", "Failed.", "Не вдалося."),
        ("It failed to open", "Failed: It failed to open", "Не вдалося: It failed to open"),
    ] {
        failed.run.response = Some(response.to_owned());
        assert_eq!(why(&failed, Locale::En).because, en);
        assert_eq!(why(&failed, Locale::Uk).because, uk);
    }
}
