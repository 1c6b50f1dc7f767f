//! Formats the reason as a sentence for people, in both languages.

use crate::clock::Moment;
use crate::observability::why::reason::{Asks, Ended, Limit, OpenReason, QueuePosition, Reason};
use crate::observability::why::situation::RunSituation;
use crate::protocol::{Locale, markdown};

/// Maximum number of characters of a question or response in the sentence.
const LETTERS: usize = 300;

pub fn because(reason: &Reason, standing: &RunSituation, locale: Locale) -> String {
    let (uk, en) = match reason {
        Reason::Stands(stands) => standing_so(stands, standing),
        Reason::Ended(ended) => over(ended, standing),
    };
    match locale {
        Locale::Uk => uk,
        Locale::En => en,
    }
}

fn standing_so(reason: &OpenReason, standing: &RunSituation) -> (String, String) {
    let plain = |uk: &str, en: &str| (uk.to_owned(), en.to_owned());
    match reason {
        OpenReason::BeginsLater(at) => later(*at),
        OpenReason::Begins => plain("Ось-ось почнеться.", "It is about to start."),
        OpenReason::SetAside => plain(
            "Зараз не виконується: сервіс призупинив його на останньому збереженому кроці.",
            "It is not running: the service suspended it at its last saved step.",
        ),
        OpenReason::NoFreeBrowser(line) => in_line(*line),
        OpenReason::CalleeAsks { agent, question, .. } => callee_asks(agent, &short(question)),
        OpenReason::CalleePaused { agent, .. } => (
            format!("Чекає на агента {agent}, якого призупинено."),
            format!("Waiting for the agent {agent}, which is paused."),
        ),
        OpenReason::Callees { agents, .. } => callees(&agents.join(", ")),
        OpenReason::PageInHands => plain("Сторінкою керує людина.", "A person is in control of its page."),
        OpenReason::Model => plain("Модель обмірковує відповідь.", "The model is preparing its answer."),
        OpenReason::Looks => plain("Дивиться на сторінку.", "Looking at the page."),
        OpenReason::Acts => plain("Виконує дію.", "Performing an action."),
        OpenReason::Works => works(&standing.run.node),
        OpenReason::Asks { kind, question, .. } => asks(*kind, &short(question)),
        OpenReason::Answered => plain(
            "На запитання відповіли; ось-ось продовжить.",
            "Its question has been answered; it is about to continue.",
        ),
        OpenReason::RestsWithTasks(agents) => beside(&agents.join(", ")),
        OpenReason::Rests => plain("Чекає на ваше повідомлення.", "Waiting for your message."),
        OpenReason::PageLeft => plain(
            "Хтось узяв керування сторінкою й пішов, не повернувши його.",
            "Someone took over the page and left without handing it back.",
        ),
        OpenReason::CallerPaused(_) => plain(
            "Призупинено разом із запуском, який його викликав.",
            "Paused together with the run that called it.",
        ),
        OpenReason::Paused => plain("Призупинено людиною.", "Paused by a person."),
    }
}

fn later(at: Moment) -> (String, String) {
    let at = at.rfc3339();
    (
        format!("Почнеться о {at}: перед наступною спробою є пауза."),
        format!("Starts at {at}: there is a pause before the next attempt."),
    )
}

fn callee_asks(agent: &str, question: &str) -> (String, String) {
    (
        format!("Чекає на агента {agent}, а той питає людину: «{question}»"),
        format!("Waiting for the agent {agent}, which is asking a person: “{question}”"),
    )
}

fn works(node: &str) -> (String, String) {
    (format!("Працює, крок {node}."), format!("Working, step {node}."))
}

fn callees(agents: &str) -> (String, String) {
    (
        format!("Чекає на викликаних агентів: {agents}."),
        format!("Waiting for the agents it called: {agents}."),
    )
}

fn beside(agents: &str) -> (String, String) {
    (format!("Чекає; у фоні працюють: {agents}."), format!("Waiting; working in the background: {agents}."))
}

fn over(ended: &Ended, standing: &RunSituation) -> (String, String) {
    let said = standing.run.response.as_deref().map(short).filter(|words| !words.is_empty());
    let told =
        |uk: &str, en: &str| match said.as_deref().map(|words| without_head(words, [uk, en, "It failed"])) {
            Some(words) if !words.is_empty() => (format!("{uk}: {words}"), format!("{en}: {words}")),
            Some(_) | None => (format!("{uk}."), format!("{en}.")),
        };
    let plain = |uk: &str, en: &str| (uk.to_owned(), en.to_owned());
    match ended {
        Ended::Partial => told("Виконано частково", "Partly done"),
        Ended::Failed => told("Не вдалося", "Failed"),
        Ended::Skipped => told("Пропущено", "Skipped"),
        Ended::Declined => plain(
            "Людина відхилила дію, тож завдання зупинено.",
            "A person declined the action, so the task was stopped.",
        ),
        Ended::Expired => plain(
            "На запитання не відповіли вчасно, тож завдання зупинено.",
            "Its question was not answered in time, so the task was stopped.",
        ),
        Ended::ByCaller(_) => plain(
            "Зупинено, бо завершився запуск, який його викликав.",
            "Stopped because the run that called it ended.",
        ),
        Ended::Stopped => plain("Зупинено.", "Stopped."),
        Ended::Denied => told("Правила цього не дозволяють", "The rules do not allow this"),
        Ended::Blocked => told("Не може продовжити", "Cannot continue"),
        Ended::OutOf(limit) => {
            let (uk, en) = used_up(*limit);
            told(uk, en)
        }
        Ended::Succeeded => plain("Завершено успішно.", "Finished successfully."),
    }
}

/// Removes the introductory phrase from a response, because the sentence already says it. Tries each known
/// phrase.
fn without_head<'w>(words: &'w str, heads: [&str; 3]) -> &'w str {
    let rest = heads.into_iter().find_map(|head| words.strip_prefix(head));
    match rest.filter(|rest| rest.is_empty() || rest.starts_with([':', '.'])) {
        Some(rest) => rest.trim_start_matches([':', '.', ' ']),
        None => words,
    }
}

fn used_up(limit: Limit) -> (&'static str, &'static str) {
    match limit {
        Limit::Time => ("Вичерпано ліміт часу", "The time limit was reached"),
        Limit::Runs => ("Вичерпано ліміт викликів агентів", "The limit of agent calls was reached"),
        Limit::Tokens => ("Вичерпано ліміт токенів", "The token limit was reached"),
        Limit::Money => ("Вичерпано ліміт витрат", "The spending limit was reached"),
        Limit::Steps => ("Вичерпано ліміт дій", "The action limit was reached"),
        Limit::Other => ("Вичерпано ліміт", "A limit was reached"),
    }
}

fn in_line(QueuePosition { place, places }: QueuePosition) -> (String, String) {
    (
        format!("Немає вільного браузера: зайнято всі місця ({places}), у черзі {place}-е."),
        format!("No browser is free: all slots ({places}) are in use, number {place} in line."),
    )
}

fn asks(kind: Asks, question: &str) -> (String, String) {
    let (uk, en) = match kind {
        Asks::Confirm => ("Просить дозволу", "Asking for approval"),
        Asks::Manual => ("Потрібна ваша допомога на сторінці", "Your help is needed on the page"),
        Asks::Question => ("Запитує", "Asking"),
        Asks::ApprovePlan => ("Просить схвалити план", "Asking you to approve the plan"),
        Asks::Budget => ("Питає, чи можна витратити більше", "Asking whether it may use more"),
    };
    (format!("{uk}: {question}"), format!("{en}: {question}"))
}

fn short(text: &str) -> String {
    markdown::opening(text, LETTERS)
}
