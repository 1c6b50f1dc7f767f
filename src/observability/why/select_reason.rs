//! Selects the reason. Reasons that a person can act on precede those that resolve by themselves.

use crate::clock::Moment;
use crate::observability::why::reason::{Asks, Ended, Limit, OpenReason, Reason, RunPage};
use crate::observability::why::situation::{Resolution, RunSituation};
use crate::protocol::Status;
use crate::store::rows::{QuestionRow, RunRow};

impl Reason {
    pub(crate) fn select(situation: &RunSituation) -> Self {
        if situation.is_abandoned && !situation.status().is_outcome() && !awaits_person(situation) {
            return Self::Open(OpenReason::NoWorker);
        }
        let ended = match situation.status() {
            Status::Queued => return Self::Open(queued_reason(situation)),
            Status::Running => return Self::Open(running_reason(situation)),
            Status::Waiting => return Self::Open(waiting_reason(situation)),
            Status::Paused => return Self::Open(paused_reason(situation)),
            Status::Succeeded => Ended::Succeeded,
            Status::Partial => Ended::Partial,
            Status::Failed => Ended::Failed,
            Status::Skipped => Ended::Skipped,
            Status::Cancelled => cancellation_cause(situation),
            Status::Denied => Ended::Denied,
            Status::Blocked => Ended::Blocked,
            Status::Exhausted => Ended::OutOf(reached_limit(situation)),
        };
        Self::Ended(ended)
    }
}

/// Reports whether the run would do nothing before a person has answered, written, or resumed it.
fn awaits_person(situation: &RunSituation) -> bool {
    match situation.status() {
        Status::Waiting => {
            matches!(waiting_reason(situation), OpenReason::Asks { .. } | OpenReason::Rests)
        }
        Status::Paused => matches!(paused_reason(situation), OpenReason::Paused | OpenReason::PageLeft),
        _ => false,
    }
}

fn queued_reason(situation: &RunSituation) -> OpenReason {
    let not_before = situation.run.bounds["not_before"].as_i64().map(Moment::from_millis);
    match not_before.filter(|at| *at > situation.now) {
        Some(at) => OpenReason::BeginsLater(at),
        None if situation.at_work => OpenReason::Begins,
        None => OpenReason::SetAside,
    }
}

fn running_reason(situation: &RunSituation) -> OpenReason {
    if is_page_held(situation) {
        return OpenReason::PersonInControl;
    }
    if !situation.at_work {
        // A run that waits for others is not stepped. If its last child has just ended, it continues in a
        // moment.
        let alone =
            if awaits_children(&situation.run.node) { OpenReason::Works } else { OpenReason::SetAside };
        return child_runs_reason(situation).unwrap_or(alone);
    }
    if let Some(queue) = situation.queue_position {
        return OpenReason::NoFreeBrowser(queue);
    }
    let children = if awaits_children(&situation.run.node) { child_runs_reason(situation) } else { None };
    children.unwrap_or_else(|| node_reason(situation))
}

/// Reports whether the node waits for child runs.
fn awaits_children(node: &str) -> bool {
    matches!(node, "run_items" | "await_calls" | "run_premoves" | "awaiting_results" | "planner_active")
}

/// Returns the reason given by the child runs that it waits for.
fn child_runs_reason(situation: &RunSituation) -> Option<OpenReason> {
    let own = |row: &&RunRow| row.parent.as_ref() == Some(&situation.run.id);
    let children: Vec<&RunRow> = situation.below.iter().filter(own).collect();
    let first = children.first()?;
    let asking = |question: &QuestionRow| situation.below.iter().find(|row| row.id == question.run);
    if let Some((question, row)) = situation.questions.iter().find_map(|q| Some((q, asking(q)?))) {
        return Some(OpenReason::CalleeAsks {
            agent: row.agent.clone(),
            question: read_question_text(question),
            page: page(row),
        });
    }
    if let Some(row) = situation.below.iter().find(|row| row.status == Status::Paused.word()) {
        return Some(OpenReason::CalleePaused { agent: row.agent.clone(), page: page(row) });
    }
    let agents = children.iter().map(|row| row.agent.clone()).collect();
    Some(OpenReason::Callees { agents, page: page(first) })
}

fn node_reason(situation: &RunSituation) -> OpenReason {
    match situation.run.node.as_str() {
        "plan_action" | "make_plan" | "check_acceptance" | "planner_active" => OpenReason::Model,
        "execute" if situation.asks_model => OpenReason::Model,
        "maybe_observe" => OpenReason::Observes,
        "execute_action" | "execute" => OpenReason::Acts,
        _ => OpenReason::Works,
    }
}

fn waiting_reason(situation: &RunSituation) -> OpenReason {
    let own = situation.questions.iter().find(|question| question.run == situation.run.id);
    match own {
        Some(question) => OpenReason::Asks {
            kind: Asks::parse(&question.kind),
            question: read_question_text(question),
            expires: question.expires_at,
        },
        None if situation.run.question.is_some() => OpenReason::Answered,
        None if situation.tasks.is_empty() => OpenReason::Rests,
        None => OpenReason::RestsWithTasks(situation.tasks.iter().map(|task| task.agent.clone()).collect()),
    }
}

fn paused_reason(situation: &RunSituation) -> OpenReason {
    let caller = situation.parent.as_ref().filter(|row| row.status == Status::Paused.word());
    match (&situation.lease, caller) {
        (Some(_), _) if is_page_held(situation) => OpenReason::PersonInControl,
        (Some(lease), _) if lease.run == situation.run.id && lease.paused => OpenReason::PageLeft,
        (_, Some(caller)) => OpenReason::CallerPaused(page(caller)),
        (_, None) => OpenReason::Paused,
    }
}

/// Reports whether the run is stopped because a person has taken over its page.
fn is_page_held(situation: &RunSituation) -> bool {
    situation.lease.as_ref().is_some_and(|lease| lease.run == situation.run.id && lease.holder.is_some())
}

fn cancellation_cause(situation: &RunSituation) -> Ended {
    let has_ended = |row: &&RunRow| Status::from_word(&row.status).is_some_and(Status::is_outcome);
    match (situation.resolution, situation.parent.as_ref().filter(has_ended)) {
        (Some(Resolution::Declined), _) => Ended::Declined,
        (Some(Resolution::Expired), _) => Ended::Expired,
        (Some(Resolution::Answered) | None, Some(caller)) => Ended::ByCaller(page(caller)),
        (Some(Resolution::Answered) | None, None) => Ended::Stopped,
    }
}

fn reached_limit(situation: &RunSituation) -> Limit {
    let run = &situation.run;
    let late = run.deadline.zip(run.ended_at).is_some_and(|(deadline, ended)| ended >= deadline);
    match situation.limits {
        _ if run.exceeded_limit.is_some() => Limit::Runs,
        _ if late => Limit::Time,
        used if used.tokens => Limit::Tokens,
        used if used.money => Limit::Money,
        used if used.steps => Limit::Steps,
        _ => Limit::Other,
    }
}

fn page(row: &RunRow) -> RunPage {
    RunPage { run: row.id.clone(), root: row.root.clone() }
}

fn read_question_text(question: &QuestionRow) -> String {
    question.frame["text"].as_str().unwrap_or_default().to_owned()
}
