//! Lists the events that would change a run's status: who can cause them, how and where.

use crate::clock::Moment;
use crate::observability::why::reason::{Asks, Ended, Limit, OpenReason, Page, Reason};
use crate::observability::why::situation::{RunSituation, page_of};
use crate::protocol::Locale;
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

pub fn next_moves(reason: &Reason, standing: &RunSituation, locale: Locale) -> Vec<NextMove> {
    let say = Say { locale, own: page_of(&standing.run.id, &standing.run.root) };
    let mut moves = match reason {
        Reason::Stands(stands) => before_the_end(stands, &say),
        Reason::Ended(ended) => after_the_end(ended, standing, &say),
    };
    let deadline = standing.run.deadline.filter(|_| standing.run.ended_at.is_none());
    moves.extend(deadline.map(|at| {
        let uk = format!("Не пізніше {} вийде час, і завдання завершиться", at.rfc3339());
        say.time(uk, format!("By {} its time runs out, and the task ends", at.rfc3339()))
    }));
    moves
}

fn before_the_end(stands: &OpenReason, say: &Say) -> Vec<NextMove> {
    match stands {
        OpenReason::BeginsLater(at) => vec![later(*at, say)],
        OpenReason::Begins
        | OpenReason::Answered
        | OpenReason::Works
        | OpenReason::Looks
        | OpenReason::Acts => {
            vec![say.itself("Триває саме", "Continues on its own")]
        }
        OpenReason::SetAside => vec![anew(say)],
        OpenReason::NoFreeBrowser(_) => place(say),
        OpenReason::CalleeAsks { page, .. } => vec![answer_callee(page, say)],
        OpenReason::CalleePaused { page, .. } => vec![resume_callee(page, say)],
        OpenReason::Callees { page, .. } => vec![await_callees(page, say)],
        OpenReason::PageInHands => vec![say.here("Поверніть керування агентові", "Hand control back")],
        OpenReason::Model => {
            vec![say.model("Продовжиться, коли модель відповість", "Continues when the model answers")]
        }
        OpenReason::Asks { kind, expires, .. } => answer_moves(*kind, *expires, say),
        OpenReason::RestsWithTasks(_) => {
            vec![background(say), say.here("Напишіть повідомлення", "Send a message")]
        }
        OpenReason::Rests => vec![say.here("Напишіть повідомлення", "Send a message")],
        OpenReason::PageLeft => vec![say.here(
            "Візьміть керування й поверніть його або продовжте завдання",
            "Take over and hand control back, or resume the task",
        )],
        OpenReason::CallerPaused(page) => {
            let (uk, en) = ("Продовжте запуск, який його викликав", "Resume the run that called it");
            vec![say.person(uk, en, Some(&link(page)))]
        }
        OpenReason::Paused => vec![say.here("Продовжте завдання", "Resume the task")],
    }
}

fn answer_callee(page: &Page, say: &Say) -> NextMove {
    say.person("Дайте відповідь на запитання", "Answer the question", Some(&link(page)))
}

fn resume_callee(page: &Page, say: &Say) -> NextMove {
    say.person("Продовжте призупинений запуск", "Resume the paused run", Some(&link(page)))
}

fn await_callees(page: &Page, say: &Say) -> NextMove {
    let (uk, en) = ("Продовжиться, коли вони завершаться", "Continues when they finish");
    say.run(uk, en, Some(&link(page)))
}

fn background(say: &Say) -> NextMove {
    let uk = "Продовжиться, коли завершиться фонова робота";
    say.run(uk, "Continues when the background work ends", None)
}

fn later(at: Moment, say: &Say) -> NextMove {
    let at = at.rfc3339();
    say.time(format!("О {at} почнеться саме"), format!("At {at} it starts on its own"))
}

fn anew(say: &Say) -> NextMove {
    say.person(
        "Перезапустіть сервіс: він продовжить із цього кроку; що сталося, написано в журналі",
        "Restart the service: it continues from this step; the log says what happened",
        None,
    )
}

fn place(say: &Say) -> Vec<NextMove> {
    let free = say.run(
        "Місце звільниться, коли інше завдання завершиться",
        "A slot becomes free when another task ends",
        None,
    );
    let make = say.person(
        "Зупиніть інше завдання або збільште browser.max",
        "Stop another task, or raise browser.max",
        Some("/#/browsers"),
    );
    vec![free, make]
}

fn answer_moves(kind: Asks, expires: Option<Moment>, say: &Say) -> Vec<NextMove> {
    let answer = match kind {
        Asks::Confirm => say.here("Дозвольте або відхиліть", "Approve or decline"),
        Asks::Manual => say
            .here("Зробіть це на сторінці й поверніть керування", "Do it on the page and hand control back"),
        Asks::Question => say.here("Дайте відповідь", "Answer"),
        Asks::ApprovePlan => say.here("Схваліть або змініть план", "Approve or change the plan"),
        Asks::Budget => say.here("Дозвольте більше або завершіть", "Allow more, or end it"),
    };
    let late = expires.map(|at| {
        let uk = format!("О {} запитання втратить чинність", at.rfc3339());
        say.time(uk, format!("At {} the question expires", at.rfc3339()))
    });
    [answer].into_iter().chain(late).collect()
}

fn after_the_end(ended: &Ended, standing: &RunSituation, say: &Say) -> Vec<NextMove> {
    let further = standing.hears.then(|| say.here("Напишіть, щоб продовжити", "Reply to continue"));
    let mend = match ended {
        Ended::Denied => Some(say.person(
            "Змініть правила (gate.policy), якщо це має бути дозволено",
            "Change the rules (gate.policy) if this should be allowed",
            Some("/#/permissions"),
        )),
        Ended::OutOf(limit) => Some(raise(*limit, say)),
        Ended::ByCaller(page) => Some(say.person(
            "Запустіть знову завдання, яке його викликало",
            "Run the task that called it again",
            Some(&link(page)),
        )),
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
        moves.push(NextMove {
            who: Who::Nobody,
            how: say.pick(
                "Запуск завершено. Щоб повторити, запустіть знову.",
                "This run has finished. Run it again to retry.",
            ),
            link: None,
        });
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
    let (uk, en) = (format!("Збільште {key} і запустіть знову"), format!("Raise {key} and run it again"));
    say.person(&uk, &en, None)
}

fn link(page: &Page) -> String {
    page_of(&page.run, &page.root)
}

/// Creates moves in the reader's language.
struct Say {
    locale: Locale,
    /// Path of the run's own page.
    own: String,
}

impl Say {
    fn pick(&self, uk: &str, en: &str) -> String {
        self.locale.pick(uk, en).to_owned()
    }

    fn next_move(&self, who: Who, uk: &str, en: &str, link: Option<&str>) -> NextMove {
        NextMove { who, how: self.pick(uk, en), link: link.map(str::to_owned) }
    }

    fn person(&self, uk: &str, en: &str, link: Option<&str>) -> NextMove {
        self.next_move(Who::Person, uk, en, link)
    }

    /// Creates a move for a person on the run's own page.
    fn here(&self, uk: &str, en: &str) -> NextMove {
        self.next_move(Who::Person, uk, en, Some(&self.own))
    }

    fn run(&self, uk: &str, en: &str, link: Option<&str>) -> NextMove {
        self.next_move(Who::Run, uk, en, link)
    }

    fn itself(&self, uk: &str, en: &str) -> NextMove {
        self.next_move(Who::Run, uk, en, None)
    }

    fn model(&self, uk: &str, en: &str) -> NextMove {
        self.next_move(Who::Model, uk, en, None)
    }

    fn time(&self, uk: String, en: String) -> NextMove {
        self.next_move(Who::Time, &uk, &en, None)
    }
}
