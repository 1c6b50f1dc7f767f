//! What would move it: who can, how, and where.

use super::reason::{Asks, Ended, Limit, Page, Reason, Stands};
use super::{Standing, page_of};
use crate::clock::Moment;
use crate::protocol::Locale;
use serde::Serialize;

/// One thing that would move a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Move {
    pub who: Who,
    pub how: String,
    /// Where in the page, as a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Who {
    Person,
    Time,
    /// It itself, or another run.
    Run,
    Model,
    /// What has ended stays as it is.
    Nobody,
}

pub fn of(reason: &Reason, standing: &Standing, locale: Locale) -> Vec<Move> {
    let say = Say { locale, own: page_of(&standing.run.id, &standing.run.root) };
    let mut moves = match reason {
        Reason::Stands(stands) => before_the_end(stands, &say),
        Reason::Ended(ended) => after_the_end(ended, standing, &say),
    };
    let deadline = standing.run.deadline.filter(|_| standing.run.ended_at.is_none());
    moves.extend(deadline.map(|at| {
        let uk = format!("не пізніше {} вийде час, і завдання завершиться", at.rfc3339());
        say.time(uk, format!("at {} at the latest its time is up, and it ends", at.rfc3339()))
    }));
    moves
}

fn before_the_end(stands: &Stands, say: &Say) -> Vec<Move> {
    match stands {
        Stands::BeginsLater(at) => vec![later(*at, say)],
        Stands::Begins | Stands::Answered | Stands::Works | Stands::Looks | Stands::Acts => {
            vec![say.itself("йде саме", "it goes on by itself")]
        }
        Stands::SetAside => vec![anew(say)],
        Stands::NoFreeBrowser(_) => place(say),
        Stands::CalleeAsks { page, .. } => {
            vec![say.person("відповісти на питання", "answer the question", Some(&link(page)))]
        }
        Stands::CalleePaused { page, .. } => {
            vec![say.person("продовжити призупинене", "resume what is paused", Some(&link(page)))]
        }
        Stands::Callees { page, .. } => {
            vec![say.run("коли вони завершаться", "when they have ended", Some(&link(page)))]
        }
        Stands::PageInHands => vec![say.here("повернути сторінку агентові", "hand the page back")],
        Stands::Model => vec![say.model("коли модель відповість", "when the model has answered")],
        Stands::Asks { kind, expires, .. } => asked(*kind, *expires, say),
        Stands::RestsWithTasks(_) => vec![
            say.run("коли фонова робота завершиться", "when the work in the background has ended", None),
            say.here("написати йому", "write to it"),
        ],
        Stands::Rests => vec![say.here("написати йому", "write to it")],
        Stands::PageLeft => vec![say.here(
            "взяти сторінку й повернути її, або продовжити завдання",
            "take the page and hand it back, or resume the run",
        )],
        Stands::CallerPaused(page) => {
            let (uk, en) = ("продовжити того, хто його викликав", "resume the run that called it");
            vec![say.person(uk, en, Some(&link(page)))]
        }
        Stands::Paused => vec![say.here("продовжити завдання", "resume the run")],
    }
}

fn later(at: Moment, say: &Say) -> Move {
    let at = at.rfc3339();
    say.time(format!("о {at} почнеться саме"), format!("at {at} it begins by itself"))
}

fn anew(say: &Say) -> Move {
    say.person(
        "перезапустіть службу: вона продовжить із цього кроку; журнал каже, що сталося",
        "start the service anew: it goes on from this step; the log says what happened",
        None,
    )
}

fn place(say: &Say) -> Vec<Move> {
    let free = say.run(
        "звільниться місце, коли інше завдання завершиться",
        "a place becomes free when another run ends",
        None,
    );
    let make = say.person(
        "зупиніть інше завдання або підніміть browser.max",
        "stop another run, or raise browser.max",
        Some("/#/browsers"),
    );
    vec![free, make]
}

fn asked(kind: Asks, expires: Option<Moment>, say: &Say) -> Vec<Move> {
    let answer = match kind {
        Asks::Confirm => say.here("дозволити або відмовити", "approve or decline"),
        Asks::Manual => say.here("зробити на сторінці й повернути її", "do it on the page and hand it back"),
        Asks::Question => say.here("відповісти", "answer"),
        Asks::ApprovePlan => say.here("схвалити або змінити план", "approve or change the plan"),
        Asks::Budget => say.here("дозволити більше або завершити", "allow more, or let it end"),
    };
    let late = expires.map(|at| {
        let uk = format!("о {} питання втратить силу", at.rfc3339());
        say.time(uk, format!("at {} the question expires", at.rfc3339()))
    });
    [answer].into_iter().chain(late).collect()
}

fn after_the_end(ended: &Ended, standing: &Standing, say: &Say) -> Vec<Move> {
    let further = standing
        .hears
        .then(|| say.here("написати ще: завдання піде далі звідси", "write further: it goes on from here"));
    let mend = match ended {
        Ended::Denied => Some(say.person(
            "змінити правила (gate.policy), якщо це має бути дозволено",
            "change the rules (gate.policy) if this is to be allowed",
            Some("/#/permissions"),
        )),
        Ended::OutOf(limit) => Some(raise(*limit, say)),
        Ended::CallerEnded(page) => Some(say.person(
            "почати знову того, хто його викликав",
            "start the run that called it anew",
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
    let mut moves: Vec<Move> = further.into_iter().chain(mend).collect();
    if moves.is_empty() {
        moves.push(Move {
            who: Who::Nobody,
            how: say.pick(
                "завершене лишається як є; щоб спробувати ще, почніть нове",
                "what has ended stays as it is; start a new run to try again",
            ),
            link: None,
        });
    }
    moves
}

fn raise(limit: Limit, say: &Say) -> Move {
    let key = match limit {
        Limit::Time => "limits.wall_s",
        Limit::Runs => "limits.total_steps",
        Limit::Tokens => "limits.tokens",
        Limit::Money => "limits.money",
        Limit::Steps => "limits.tool_steps",
        Limit::Other => "limits",
    };
    let (uk, en) = (format!("підняти {key} і почати знову"), format!("raise {key} and start again"));
    say.person(&uk, &en, None)
}

fn link(page: &Page) -> String {
    page_of(&page.run, &page.root)
}

/// Moves in the reader's language.
struct Say {
    locale: Locale,
    /// The page of the run itself.
    own: String,
}

impl Say {
    fn pick(&self, uk: &str, en: &str) -> String {
        self.locale.pick(uk, en).to_owned()
    }

    fn one(&self, who: Who, uk: &str, en: &str, link: Option<&str>) -> Move {
        Move { who, how: self.pick(uk, en), link: link.map(str::to_owned) }
    }

    fn person(&self, uk: &str, en: &str, link: Option<&str>) -> Move {
        self.one(Who::Person, uk, en, link)
    }

    /// A person, on the run's own page.
    fn here(&self, uk: &str, en: &str) -> Move {
        self.one(Who::Person, uk, en, Some(&self.own))
    }

    fn run(&self, uk: &str, en: &str, link: Option<&str>) -> Move {
        self.one(Who::Run, uk, en, link)
    }

    fn itself(&self, uk: &str, en: &str) -> Move {
        self.one(Who::Run, uk, en, None)
    }

    fn model(&self, uk: &str, en: &str) -> Move {
        self.one(Who::Model, uk, en, None)
    }

    fn time(&self, uk: String, en: String) -> Move {
        self.one(Who::Time, &uk, &en, None)
    }
}
