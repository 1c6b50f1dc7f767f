//! The reason as a sentence for people, in both languages.

use super::reason::{Asks, Ended, Limit, Reason, Stands};
use super::{Line, Standing};
use crate::clock::Moment;
use crate::protocol::{Locale, markdown};

/// Of a question or a response as much as one line holds.
const LETTERS: usize = 300;

pub fn because(reason: &Reason, standing: &Standing, locale: Locale) -> String {
    let (uk, en) = match reason {
        Reason::Stands(stands) => standing_so(stands, standing),
        Reason::Ended(ended) => over(ended, standing),
    };
    match locale {
        Locale::Uk => uk,
        Locale::En => en,
    }
}

fn standing_so(reason: &Stands, standing: &Standing) -> (String, String) {
    let plain = |uk: &str, en: &str| (uk.to_owned(), en.to_owned());
    match reason {
        Stands::BeginsLater(at) => later(*at),
        Stands::Begins => plain("Ось-ось почнеться.", "It is about to begin."),
        Stands::SetAside => plain(
            "Ніхто його не виконує: служба відклала його на останньому збереженому кроці.",
            "Nothing steps it: the service has set it aside at its last stored step.",
        ),
        Stands::NoFreeBrowser(line) => in_line(*line),
        Stands::CalleeAsks { agent, question, .. } => callee_asks(agent, &short(question)),
        Stands::CalleePaused { agent, .. } => (
            format!("Чекає на агента {agent}, якого призупинено."),
            format!("It waits for the agent {agent}, which is paused."),
        ),
        Stands::Callees { agents, .. } => callees(&agents.join(", ")),
        Stands::PageInHands => plain("Сторінка в руках людини.", "Its page is in the hands of a person."),
        Stands::Model => plain("Модель думає над відповіддю.", "The model is making its answer."),
        Stands::Looks => plain("Дивиться на сторінку.", "It looks at the page."),
        Stands::Acts => plain("Виконує дію.", "It carries out an action."),
        Stands::Works => works(&standing.run.node),
        Stands::Asks { kind, question, .. } => asks(*kind, &short(question)),
        Stands::Answered => plain(
            "На питання відповіли; ось-ось піде далі.",
            "Its question has been answered; it is about to go on.",
        ),
        Stands::RestsWithTasks(agents) => beside(&agents.join(", ")),
        Stands::Rests => plain("Чекає на ваше повідомлення.", "It waits for your message."),
        Stands::PageLeft => plain(
            "Людина взяла сторінку й пішла, не повернувши її.",
            "A person took the page and left without handing it back.",
        ),
        Stands::CallerPaused(_) => {
            plain("Призупинено разом із тим, хто його викликав.", "It is paused with the run that called it.")
        }
        Stands::Paused => plain("Його призупинила людина.", "A person has paused it."),
    }
}

fn later(at: Moment) -> (String, String) {
    let at = at.rfc3339();
    (
        format!("Почнеться о {at}: перед повторною спробою є пауза."),
        format!("It begins at {at}: there is a pause before the next try."),
    )
}

fn callee_asks(agent: &str, question: &str) -> (String, String) {
    (
        format!("Чекає на агента {agent}, а той питає людину: «{question}»"),
        format!("It waits for the agent {agent}, which asks a person: “{question}”"),
    )
}

fn works(node: &str) -> (String, String) {
    (format!("Працює, крок {node}."), format!("It is at work, at the step {node}."))
}

fn callees(agents: &str) -> (String, String) {
    (
        format!("Чекає на агентів, яких викликало: {agents}."),
        format!("It waits for agents that it has called: {agents}."),
    )
}

fn beside(agents: &str) -> (String, String) {
    (format!("Чекає: у фоні працюють {agents}."), format!("It waits: {agents} work in the background."))
}

fn over(ended: &Ended, standing: &Standing) -> (String, String) {
    let said = standing.run.response.as_deref().map(short).filter(|words| !words.is_empty());
    let told = |uk: &str, en: &str| match said.as_deref().map(|words| without_head(words, [uk, en])) {
        Some(words) if !words.is_empty() => (format!("{uk}: {words}"), format!("{en}: {words}")),
        Some(_) | None => (format!("{uk}."), format!("{en}.")),
    };
    let plain = |uk: &str, en: &str| (uk.to_owned(), en.to_owned());
    match ended {
        Ended::Partial => told("Зроблено частково", "Done in part"),
        Ended::Failed => told("Не вдалося", "It failed"),
        Ended::Skipped => told("Пропущено", "It was left out"),
        Ended::Declined => plain(
            "Людина відмовила, тож завдання скасовано.",
            "A person declined what it asked for, and so it was cancelled.",
        ),
        Ended::Expired => plain(
            "На питання не відповіли вчасно, тож завдання скасовано.",
            "Its question was not answered in time, and so it was cancelled.",
        ),
        Ended::CallerEnded(_) => plain(
            "Завершено разом із тим, хто його викликав.",
            "It was stopped when the run that called it ended.",
        ),
        Ended::Stopped => plain("Його зупинено.", "It was stopped."),
        Ended::Denied => told("Правила цього не дозволяють", "The rules do not allow it"),
        Ended::Blocked => told("Не може йти далі", "It cannot go on"),
        Ended::OutOf(limit) => {
            let (uk, en) = used_up(*limit);
            told(uk, en)
        }
        Ended::Succeeded => plain("Завершено успішно.", "It has ended well."),
    }
}

/// The words of a run without what they would repeat: it says itself that it failed, in its own language.
fn without_head<'w>(words: &'w str, heads: [&str; 2]) -> &'w str {
    let rest = heads.into_iter().find_map(|head| words.strip_prefix(head));
    match rest.filter(|rest| rest.is_empty() || rest.starts_with([':', '.'])) {
        Some(rest) => rest.trim_start_matches([':', '.', ' ']),
        None => words,
    }
}

fn used_up(limit: Limit) -> (&'static str, &'static str) {
    match limit {
        Limit::Time => ("Вийшов час", "Its time is up"),
        Limit::Runs => ("Вичерпано кількість викликів агентів", "The allowed runs of agents are used up"),
        Limit::Tokens => ("Вичерпано токени", "The allowed tokens are used up"),
        Limit::Money => ("Вичерпано кошти", "The allowed money is used up"),
        Limit::Steps => ("Вичерпано дії", "The allowed actions are used up"),
        Limit::Other => ("Вичерпано ліміт", "A limit is used up"),
    }
}

fn in_line(Line { place, places }: Line) -> (String, String) {
    (
        format!("Немає вільного браузера: усі місця ({places}) зайняті, у черзі {place}-е."),
        format!("No browser is free: all places ({places}) are taken, and it is number {place} in line."),
    )
}

fn asks(kind: Asks, question: &str) -> (String, String) {
    let (uk, en) = match kind {
        Asks::Confirm => ("Просить дозволу", "It asks for approval"),
        Asks::Manual => ("Потрібні ваші руки на сторінці", "It needs your hands on the page"),
        Asks::Question => ("Питає", "It asks"),
        Asks::ApprovePlan => ("Просить схвалити план", "It asks you to approve its plan"),
        Asks::Budget => ("Питає, чи можна витратити більше", "It asks whether it may use more"),
    };
    (format!("{uk}: {question}"), format!("{en}: {question}"))
}

fn short(text: &str) -> String {
    markdown::opening(text, LETTERS)
}
