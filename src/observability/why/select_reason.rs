//! Selects the reason. Reasons that a person can act on precede those that resolve by themselves.

use crate::clock::Moment;
use crate::observability::why::reason::{Asks, Ended, Limit, OpenReason, Page, Reason};
use crate::observability::why::situation::{Resolution, RunSituation};
use crate::protocol::Status;
use crate::store::rows::{QuestionRow, RunRow};

impl Reason {
    pub(crate) fn select(standing: &RunSituation) -> Self {
        let ended = match standing.status() {
            Status::Queued => return Self::Stands(queued(standing)),
            Status::Running => return Self::Stands(running(standing)),
            Status::Waiting => return Self::Stands(waiting(standing)),
            Status::Paused => return Self::Stands(paused(standing)),
            Status::Succeeded => Ended::Succeeded,
            Status::Partial => Ended::Partial,
            Status::Failed => Ended::Failed,
            Status::Skipped => Ended::Skipped,
            Status::Cancelled => cancelled(standing),
            Status::Denied => Ended::Denied,
            Status::Blocked => Ended::Blocked,
            Status::Exhausted => Ended::OutOf(limit(standing)),
        };
        Self::Ended(ended)
    }
}

fn queued(standing: &RunSituation) -> OpenReason {
    let not_before = standing.run.bounds["not_before"].as_i64().map(Moment::from_millis);
    match not_before.filter(|at| *at > standing.now) {
        Some(at) => OpenReason::BeginsLater(at),
        None if standing.at_work => OpenReason::Begins,
        None => OpenReason::SetAside,
    }
}

fn running(standing: &RunSituation) -> OpenReason {
    if held(standing) {
        return OpenReason::PageInHands;
    }
    if !standing.at_work {
        // A run that waits for others is not stepped. If its last child has just ended, it continues in a
        // moment.
        let alone = if awaits(&standing.run.node) { OpenReason::Works } else { OpenReason::SetAside };
        return beside(standing).unwrap_or(alone);
    }
    if let Some(line) = standing.line {
        return OpenReason::NoFreeBrowser(line);
    }
    let called = if awaits(&standing.run.node) { beside(standing) } else { None };
    called.unwrap_or_else(|| doing(standing))
}

/// Reports whether the node waits for child runs.
fn awaits(node: &str) -> bool {
    matches!(node, "run_items" | "await_calls" | "run_premoves" | "awaiting_results" | "planner_active")
}

/// Returns the reason given by the child runs that it waits for.
fn beside(standing: &RunSituation) -> Option<OpenReason> {
    let own = |row: &&RunRow| row.parent.as_ref() == Some(&standing.run.id);
    let called: Vec<&RunRow> = standing.below.iter().filter(own).collect();
    let first = called.first()?;
    let asking = |question: &QuestionRow| standing.below.iter().find(|row| row.id == question.run);
    if let Some((question, row)) = standing.questions.iter().find_map(|q| Some((q, asking(q)?))) {
        return Some(OpenReason::CalleeAsks {
            agent: row.agent.clone(),
            question: text_of(question),
            page: page(row),
        });
    }
    if let Some(row) = standing.below.iter().find(|row| row.status == Status::Paused.word()) {
        return Some(OpenReason::CalleePaused { agent: row.agent.clone(), page: page(row) });
    }
    let agents = called.iter().map(|row| row.agent.clone()).collect();
    Some(OpenReason::Callees { agents, page: page(first) })
}

fn doing(standing: &RunSituation) -> OpenReason {
    match standing.run.node.as_str() {
        "plan_action" | "make_plan" | "check_acceptance" | "planner_active" => OpenReason::Model,
        "execute" if standing.asks_model => OpenReason::Model,
        "maybe_observe" => OpenReason::Looks,
        "execute_action" | "execute" => OpenReason::Acts,
        _ => OpenReason::Works,
    }
}

fn waiting(standing: &RunSituation) -> OpenReason {
    let own = standing.questions.iter().find(|question| question.run == standing.run.id);
    match own {
        Some(question) => OpenReason::Asks {
            kind: Asks::parse(&question.kind),
            question: text_of(question),
            expires: question.expires_at,
        },
        None if standing.run.question.is_some() => OpenReason::Answered,
        None if standing.tasks.is_empty() => OpenReason::Rests,
        None => OpenReason::RestsWithTasks(standing.tasks.iter().map(|task| task.agent.clone()).collect()),
    }
}

fn paused(standing: &RunSituation) -> OpenReason {
    let caller = standing.parent.as_ref().filter(|row| row.status == Status::Paused.word());
    match (&standing.lease, caller) {
        (Some(_), _) if held(standing) => OpenReason::PageInHands,
        (Some(lease), _) if lease.run == standing.run.id && lease.paused => OpenReason::PageLeft,
        (_, Some(caller)) => OpenReason::CallerPaused(page(caller)),
        (_, None) => OpenReason::Paused,
    }
}

/// Reports whether the run is stopped because a person has taken over its page.
fn held(standing: &RunSituation) -> bool {
    standing.lease.as_ref().is_some_and(|lease| lease.run == standing.run.id && lease.holder.is_some())
}

fn cancelled(standing: &RunSituation) -> Ended {
    let over = |row: &&RunRow| Status::from_word(&row.status).is_some_and(Status::is_outcome);
    match (standing.resolved, standing.parent.as_ref().filter(over)) {
        (Some(Resolution::Declined), _) => Ended::Declined,
        (Some(Resolution::Expired), _) => Ended::Expired,
        (Some(Resolution::Answered) | None, Some(caller)) => Ended::ByCaller(page(caller)),
        (Some(Resolution::Answered) | None, None) => Ended::Stopped,
    }
}

fn limit(standing: &RunSituation) -> Limit {
    let run = &standing.run;
    let late = run.deadline.zip(run.ended_at).is_some_and(|(deadline, ended)| ended >= deadline);
    match standing.limits {
        _ if run.beyond.is_some() => Limit::Runs,
        _ if late => Limit::Time,
        used if used.tokens => Limit::Tokens,
        used if used.money => Limit::Money,
        used if used.steps => Limit::Steps,
        _ => Limit::Other,
    }
}

fn page(row: &RunRow) -> Page {
    Page { run: row.id.clone(), root: row.root.clone() }
}

fn text_of(question: &QuestionRow) -> String {
    question.frame["text"].as_str().unwrap_or_default().to_owned()
}
