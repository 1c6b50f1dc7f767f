//! Messages for a person when a model call fails: what happened, and what to do.

use crate::model::endpoint::error::CallError;
use crate::protocol::Locale;
use crate::texts::model;

/// Returns one or two sentences for the error.
pub fn advice(call: &CallError, locale: Locale) -> &'static str {
    match call {
        CallError::Rejected { .. } if call.refuses_format() => model::refuses_json(locale),
        CallError::Rejected { .. } if call.refused_context().is_some() => model::context_too_small(locale),
        CallError::ContextTooSmall { .. } => model::context_too_small(locale),
        CallError::Rejected { status, code, .. } => advice_for_status(*status, code, locale),
        CallError::Unreachable(_) => model::unreachable(locale),
        CallError::TimedOut => model::timed_out(locale),
        CallError::BrokeOff(_) => model::answer_cut_off(locale),
        CallError::Unreadable(_) => model::not_a_model(locale),
    }
}

fn advice_for_status(status: u16, code: &str, locale: Locale) -> &'static str {
    match status {
        300..=399 => model::redirects(locale),
        401 | 403 => model::key_not_accepted(locale),
        _ if code.contains("insufficient_quota") => model::out_of_credit(locale),
        _ if code.contains("context_length") => model::context_too_small(locale),
        404 => model::no_such_model(locale),
        429 => model::too_many_requests(locale),
        500..=599 => model::server_down(locale),
        _ => model::request_rejected(locale),
    }
}
