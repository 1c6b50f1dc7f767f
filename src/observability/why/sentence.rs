//! Formats the reason as a sentence for people.

use crate::observability::why::reason::{Asks, Ended, Limit, OpenReason, Reason};
use crate::observability::why::situation::RunSituation;
use crate::protocol::{Locale, markdown};
use crate::texts::{endings, why};

/// Maximum number of characters of a question or response in the sentence.
const MAX_CHARACTERS: usize = 300;

pub fn reason_sentence(reason: &Reason, situation: &RunSituation, locale: Locale) -> String {
    match reason {
        Reason::Open(open) => open_sentence(open, situation, locale),
        Reason::Ended(ended) => ended_sentence(ended, situation, locale),
    }
}

fn open_sentence(reason: &OpenReason, situation: &RunSituation, locale: Locale) -> String {
    let text = match reason {
        OpenReason::BeginsLater(at) => return why::starts_later(&at.rfc3339(), locale),
        OpenReason::Begins => why::about_to_start(locale),
        OpenReason::SetAside => why::suspended(locale),
        OpenReason::NoWorker => why::no_service_works(locale),
        OpenReason::NoFreeBrowser(queue) => return why::no_browser_free(queue.slots, queue.position, locale),
        OpenReason::CalleeAsks { agent, question, .. } => {
            return why::called_agent_asks(agent, &shorten(question), locale);
        }
        OpenReason::CalleePaused { agent, .. } => return why::called_agent_paused(agent, locale),
        OpenReason::Callees { agents, .. } => return why::waiting_for_agents(&agents.join(", "), locale),
        OpenReason::PersonInControl => why::person_in_control(locale),
        OpenReason::Model => why::model_at_work(locale),
        OpenReason::Observes => why::observing_page(locale),
        OpenReason::Acts => why::performing_action(locale),
        OpenReason::Works => return why::working_at_step(&situation.run.node, locale),
        OpenReason::Asks { kind, question, .. } => {
            return question_sentence(*kind, &shorten(question), locale);
        }
        OpenReason::Answered => why::about_to_continue(locale),
        OpenReason::RestsWithTasks(agents) => {
            return why::waiting_with_background_work(&agents.join(", "), locale);
        }
        OpenReason::Rests => why::waiting_for_message(locale),
        OpenReason::PageLeft => why::page_not_handed_back(locale),
        OpenReason::CallerPaused(_) => why::paused_with_caller(locale),
        OpenReason::Paused => why::paused_by_person(locale),
    };
    text.to_owned()
}

fn ended_sentence(ended: &Ended, situation: &RunSituation, locale: Locale) -> String {
    let text = match ended {
        Ended::Partial => return with_response(why::partly_done, situation, locale),
        Ended::Failed => return with_response(why::failed, situation, locale),
        Ended::Skipped => return with_response(why::skipped, situation, locale),
        Ended::Declined => why::action_declined(locale),
        Ended::Expired => why::question_expired(locale),
        Ended::ByCaller(_) => why::stopped_with_caller(locale),
        Ended::Stopped => endings::stopped(locale),
        Ended::Denied => return with_response(why::forbidden_by_rules, situation, locale),
        Ended::Blocked => return with_response(why::cannot_continue, situation, locale),
        Ended::OutOf(limit) => return with_response(limit_text(*limit), situation, locale),
        Ended::Succeeded => why::finished_successfully(locale),
    };
    text.to_owned()
}

/// Continues the opening of a sentence with the final response, if there is one.
fn with_response(opening: fn(Locale) -> &'static str, situation: &RunSituation, locale: Locale) -> String {
    let head = opening(locale);
    let response = situation.run.response.as_deref().map(shorten).filter(|words| !words.is_empty());
    let heads = [opening(Locale::Uk), opening(Locale::En), "It failed"];
    match response.as_deref().map(|words| without_head(words, heads)) {
        Some(words) if !words.is_empty() => format!("{head}: {words}"),
        Some(_) | None => format!("{head}."),
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

fn limit_text(limit: Limit) -> fn(Locale) -> &'static str {
    match limit {
        Limit::Time => why::time_limit,
        Limit::Runs => why::call_limit,
        Limit::Tokens => why::token_limit,
        Limit::Money => why::spending_limit,
        Limit::Steps => why::action_limit,
        Limit::Other => why::some_limit,
    }
}

fn question_sentence(kind: Asks, question: &str, locale: Locale) -> String {
    match kind {
        Asks::Confirm => why::asks_for_approval(question, locale),
        Asks::Manual => why::asks_for_help(question, locale),
        Asks::Question => why::asks(question, locale),
        Asks::ApprovePlan => why::asks_to_approve_plan(question, locale),
        Asks::Budget => why::asks_to_use_more(question, locale),
    }
}

fn shorten(text: &str) -> String {
    markdown::opening(text, MAX_CHARACTERS)
}
