//! Questions: asked with their events, resolved once, listed in pages.

use super::Engine;
use super::fixtures::{Observed, add_root, ask, commit, ignore, question, resolution};
use askfirst::clock::Moment;
use askfirst::ids::{QuestionId, RunId};
use askfirst::store::rows::idempotency::IdempotencyRecord;
use askfirst::store::rows::{Resolution, ResolutionRow, RunCommit, StatusChange};
use askfirst::store::waiting_questions::{QuestionCursor, WaitingFilter};
use futures_util::future::join_all;
use serde_json::json;

pub async fn a_question_is_asked_and_resolved_once(engine: &impl Engine) {
    let observed = Observed::default();
    let store = engine.open(observed.observer());
    let run = add_root(&*store, "a run").await;
    let asked = question(&run, 100, None);
    store.commit(ask(&run, &asked)).await.unwrap();
    let row = store.question(asked.reference.clone()).await.unwrap().unwrap();
    let events = store.events(run.clone(), 0, 9).await.unwrap();
    let mut frame = asked.frame.clone();
    (frame["seq"], frame["at"]) = (json!(2), json!(events[1].at.rfc3339()));
    assert_eq!((row.frame, row.asked_at.millis(), row.expires_at), (frame, 100, None));
    assert_eq!((row.kind.as_str(), row.resolved_by, row.answer), ("approval", None, None));
    let restored = store.restore(run.clone()).await.unwrap().unwrap();
    assert_eq!(restored.question.unwrap().reference, asked.reference);
    assert_eq!(restored.row.question, Some(asked.reference.clone()));
    assert_eq!((store.count_waiting(None).await.unwrap(), observed.questions()), (1, 1));

    let record =
        IdempotencyRecord { key: String::from("k"), request_hash: String::from("h"), position: json!(2) };
    let first = ResolutionRow { idempotency_record: Some(record.clone()), ..resolution("person") };
    let resolved = store.resolve(asked.reference.clone(), first).await.unwrap();
    assert_eq!(resolved, Resolution::Resolved { run: run.clone(), root: run.clone() });
    let again = store.resolve(asked.reference.clone(), resolution("person")).await.unwrap();
    assert_eq!(again, Resolution::AlreadyResolved);
    let unknown = store.resolve(QuestionId::fresh(), resolution("person")).await.unwrap();
    assert_eq!(unknown, Resolution::Unknown);
    assert_eq!(store.idempotency_record(String::from("k")).await.unwrap(), Some((run.clone(), record)));
    assert_eq!(store.last_seq(run.clone()).await.unwrap(), 3);
    assert_eq!((observed.events().len(), observed.questions()), (3, 2));
    assert_eq!(store.audit(Some(run.clone()), None, 9).await.unwrap().len(), 1);
    let row = store.question(asked.reference).await.unwrap().unwrap();
    assert_eq!((row.resolved_by.as_deref(), row.answer), (Some("person"), Some(json!({"text": "yes"}))));
    assert_eq!(store.count_waiting(Some(run)).await.unwrap(), 0);
}

pub async fn many_answer_at_once_and_one_counts(engine: &impl Engine) {
    let stores = [engine.open(ignore()), engine.open(ignore())];
    let run = add_root(&*stores[0], "a run").await;
    for round in 1..=5 {
        let asked = question(&run, round, None);
        stores[0].commit(ask(&run, &asked)).await.unwrap();
        let answers = (0..8)
            .map(|n: usize| stores[n % 2].resolve(asked.reference.clone(), resolution(&format!("p{n}"))));
        let results = join_all(answers).await;
        let count = |wanted: fn(&Resolution) -> bool| {
            results.iter().filter(|result| wanted(result.as_ref().unwrap())).count()
        };
        assert_eq!(count(|result| matches!(result, Resolution::Resolved { .. })), 1);
        assert_eq!(count(|result| *result == Resolution::AlreadyResolved), 7);
        assert_eq!(stores[1].last_seq(run.clone()).await.unwrap(), u64::try_from(round).unwrap() * 3);
    }
    assert_eq!(engine.count("audit_log").await, 5);
}

pub async fn an_expired_question_is_told_apart(engine: &impl Engine) {
    let store = engine.open(ignore());
    let run = add_root(&*store, "a run").await;
    let (brief, long) = (question(&run, 2, Some(50)), question(&run, 1, Some(90)));
    for asked in [&brief, &long] {
        let status = StatusChange { question: Some(asked.clone()), ..StatusChange::default() };
        store.commit(RunCommit { status, ..commit(&run) }).await.unwrap();
    }
    let overdue = async |at: i64| {
        let rows = store.overdue_questions(Moment::from_millis(at)).await.unwrap();
        rows.into_iter().map(|row| row.reference).collect::<Vec<_>>()
    };
    assert!(overdue(49).await.is_empty());
    assert_eq!(overdue(50).await, std::slice::from_ref(&brief.reference));
    assert_eq!(overdue(90).await, [long.reference.clone(), brief.reference.clone()]);
    store.resolve(brief.reference.clone(), resolution("expired")).await.unwrap();
    let late = store.resolve(brief.reference, resolution("person")).await.unwrap();
    assert_eq!(late, Resolution::Expired);
    let open = store.open_questions(Some(run)).await.unwrap();
    assert_eq!(open.iter().map(|row| &row.reference).collect::<Vec<_>>(), [&long.reference]);
    assert!(open[0].frame.get("seq").is_none(), "its event is not among those of the commit");
}

pub async fn waiting_questions_are_listed_in_pages(engine: &impl Engine) {
    let store = engine.open(ignore());
    let roots = [add_root(&*store, "one").await, add_root(&*store, "two").await];
    let mut asked = Vec::new();
    for (n, at) in [(0, 30), (1, 20), (0, 20), (1, 10)] {
        let asking = question(&roots[n], at, None);
        store.commit(ask(&roots[n], &asking)).await.unwrap();
        asked.push((at, asking.reference));
    }
    asked.sort();
    let page = async |root: Option<&RunId>, after: Option<&(i64, QuestionId)>, limit| {
        let after = after.map(|(at, reference)| QuestionCursor {
            asked_at: Moment::from_millis(*at),
            reference: reference.clone(),
        });
        let filter = WaitingFilter { root: root.cloned(), after, limit };
        let rows = store.waiting_questions(filter).await.unwrap();
        rows.into_iter().map(|row| (row.question.reference, row.title, row.agent)).collect::<Vec<_>>()
    };
    let references =
        |rows: Vec<(QuestionId, String, String)>| rows.into_iter().map(|row| row.0).collect::<Vec<_>>();
    let all: Vec<QuestionId> = asked.iter().map(|(_, reference)| reference.clone()).collect();
    assert_eq!(references(page(None, None, 9).await), all);
    assert_eq!(references(page(None, None, 2).await), all[..2]);
    assert_eq!(references(page(None, Some(&asked[1]), 9).await), all[2..]);
    let of_one = page(Some(&roots[1]), None, 9).await;
    assert!(of_one.len() == 2 && of_one.iter().all(|(_, title, agent)| title == "two" && agent == "browser"));
    assert_eq!(store.count_waiting(None).await.unwrap(), 4);
    assert_eq!(store.count_waiting(Some(roots[0].clone())).await.unwrap(), 2);
    assert_eq!(store.open_questions(None).await.unwrap().len(), 4);
}
