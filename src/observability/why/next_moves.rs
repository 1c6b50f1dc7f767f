//! Lists the events that would change a run's status: who can cause them, how and where.

use crate::clock::Moment;
use crate::observability::why::reason::{Asks, Ended, Limit, OpenReason, Reason, RunPage};
use crate::observability::why::situation::{RunSituation, format_page_path};
use crate::protocol::Locale;
use crate::texts::why;
use serde::Serialize;

/// An event that would change the status of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NextMove {
    pub who: Who,
    pub how: String,
    /// Path in the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Who {
    Person,
    Time,
    /// The run itself, or another run.
    Run,
    Model,
    /// The run has ended and stays as it is.
    Nobody,
}

pub fn next_moves(reason: &Reason, situation: &RunSituation, locale: Locale) -> Vec<NextMove> {
    let say = Say { locale, own: format_page_path(&situation.run.id, &situation.run.root) };
    let mut moves = match reason {
        Reason::Open(open) => before_the_end(open, &say),
        Reason::Ended(ended) => after_the_end(ended, situation, &say),
    };
    let deadline = situation.run.deadline.filter(|_| situation.run.ended_at.is_none());
    moves.extend(deadline.map(|at| say.time(why::time_will_run_out(&at.rfc3339(), locale))));
    moves
}

fn before_the_end(open: &OpenReason, say: &Say) -> Vec<NextMove> {
    let locale = say.locale;
    match open {
        OpenReason::BeginsLater(at) => vec![say.time(why::will_start(&at.rfc3339(), locale))],
        OpenReason::Begins
        | OpenReason::Answered
        | OpenReason::Works
        | OpenReason::Observes
        | OpenReason::Acts => {
            vec![say.run(why::continues_on_its_own, None)]
        }
        OpenReason::SetAside => vec![say.person(why::restart_service, None)],
        OpenReason::NoWorker => vec![say.person(why::start_service_that_works, None)],
        OpenReason::NoFreeBrowser(_) => vec![
            say.run(why::slot_becomes_free, None),
            say.person(why::stop_another_task, Some("/#/browsers")),
        ],
        OpenReason::CalleeAsks { page, .. } => vec![say.person(why::answer_question, Some(&link(page)))],
        OpenReason::CalleePaused { page, .. } => vec![say.person(why::resume_run, Some(&link(page)))],
        OpenReason::Callees { page, .. } => vec![say.run(why::continues_when_they_finish, Some(&link(page)))],
        OpenReason::PersonInControl => vec![say.here(why::hand_control_back)],
        OpenReason::Model => {
            vec![next_move(Who::Model, why::continues_when_model_answers(locale).to_owned(), None)]
        }
        OpenReason::Asks { kind, expires, .. } => answer_moves(*kind, *expires, say),
        OpenReason::RestsWithTasks(_) => {
            vec![say.run(why::continues_after_background_work, None), say.here(why::send_message)]
        }
        OpenReason::Rests => vec![say.here(why::send_message)],
        OpenReason::PageLeft => vec![say.here(why::take_over_or_resume)],
        OpenReason::CallerPaused(page) => vec![say.person(why::resume_caller, Some(&link(page)))],
        OpenReason::Paused => vec![say.here(why::resume_task)],
    }
}

fn answer_moves(kind: Asks, expires: Option<Moment>, say: &Say) -> Vec<NextMove> {
    let answer = match kind {
        Asks::Confirm => say.here(why::approve_or_decline),
        Asks::Manual => say.here(why::do_it_on_page),
        Asks::Question => say.here(why::answer),
        Asks::ApprovePlan => say.here(why::approve_or_change_plan),
        Asks::Budget => say.here(why::allow_more_or_end),
    };
    let late = expires.map(|at| say.time(why::question_will_expire(&at.rfc3339(), say.locale)));
    [answer].into_iter().chain(late).collect()
}

fn after_the_end(ended: &Ended, situation: &RunSituation, say: &Say) -> Vec<NextMove> {
    let further = situation.accepts_messages.then(|| say.here(why::reply_to_continue));
    let mend = match ended {
        Ended::Denied => Some(say.person(why::change_rules, Some("/#/permissions"))),
        Ended::OutOf(limit) => Some(raise(*limit, say)),
        Ended::ByCaller(page) => Some(say.person(why::run_caller_again, Some(&link(page)))),
        Ended::Succeeded
        | Ended::Partial
        | Ended::Failed
        | Ended::Skipped
        | Ended::Declined
        | Ended::Expired
        | Ended::Stopped
        | Ended::Blocked => None,
    };
    let mut moves: Vec<NextMove> = further.into_iter().chain(mend).collect();
    if moves.is_empty() {
        moves.push(next_move(Who::Nobody, why::run_again(say.locale).to_owned(), None));
    }
    moves
}

fn raise(limit: Limit, say: &Say) -> NextMove {
    let key = match limit {
        Limit::Time => "limits.wall_s",
        Limit::Runs => "limits.total_steps",
        Limit::Tokens => "limits.tokens",
        Limit::Money => "limits.money",
        Limit::Steps => "limits.tool_steps",
        Limit::Other => "limits",
    };
    next_move(Who::Person, why::raise_limit(key, say.locale), None)
}

fn next_move(who: Who, how: String, link: Option<&str>) -> NextMove {
    NextMove { who, how, link: link.map(str::to_owned) }
}

fn link(page: &RunPage) -> String {
    format_page_path(&page.run, &page.root)
}

/// Creates moves in the reader's language.
struct Say {
    locale: Locale,
    /// Path of the run's own page.
    own: String,
}

impl Say {
    fn person(&self, how: fn(Locale) -> &'static str, link: Option<&str>) -> NextMove {
        next_move(Who::Person, how(self.locale).to_owned(), link)
    }

    /// Creates a move for a person on the run's own page.
    fn here(&self, how: fn(Locale) -> &'static str) -> NextMove {
        self.person(how, Some(&self.own))
    }

    fn run(&self, how: fn(Locale) -> &'static str, link: Option<&str>) -> NextMove {
        next_move(Who::Run, how(self.locale).to_owned(), link)
    }

    fn time(&self, how: String) -> NextMove {
        next_move(Who::Time, how, None)
    }
}
