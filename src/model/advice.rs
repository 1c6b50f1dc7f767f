//! What a person is told when there is no answer from a model: what happened, and what they can do.

use super::endpoint::CallError;
use crate::protocol::Locale;

/// One or two sentences.
pub fn advice(call: &CallError, locale: Locale) -> &'static str {
    let (uk, en) = match call {
        CallError::Rejected { .. } if call.refuses_format() => (
            "Модель не вміє відповідати у форматі JSON. Поставте `model.structured = \"prompt\"`.",
            "The endpoint cannot answer in JSON. Set `model.structured = \"prompt\"`.",
        ),
        CallError::Rejected { status, code, .. } => rejected(*status, code),
        CallError::Unreachable(_) => (
            "До моделі немає зв’язку. Перевірте, чи вона запущена і чи правильний `model.base_url`.",
            "The model's endpoint cannot be reached. Check that it runs and that `model.base_url` is right.",
        ),
        CallError::TimedOut => (
            "Модель не відповіла вчасно. Збільште `model.timeout_s` або візьміть швидшу модель.",
            "The model did not answer in time. Raise `model.timeout_s`, or take a faster model.",
        ),
        CallError::BrokeOff(_) => {
            ("Відповідь моделі обірвалася. Спробуйте ще раз.", "The model's answer broke off. Try again.")
        }
        CallError::Unreadable(_) => (
            "За цією адресою відповідає не модель. Перевірте `model.base_url` (зазвичай він закінчується на /v1).",
            "What answers there is no model. Check `model.base_url` (it mostly ends in /v1).",
        ),
    };
    locale.pick(uk, en)
}

fn rejected(status: u16, code: &str) -> (&'static str, &'static str) {
    match status {
        401 | 403 => (
            "Модель не прийняла ключ. Перевірте його на сторінці «Модель» або в налаштуваннях (OPENAI_API_KEY, `model.api_key`).",
            "The model's endpoint did not accept the key. Check it on the page “Model” or in the settings (OPENAI_API_KEY, `model.api_key`).",
        ),
        _ if code.contains("insufficient_quota") => (
            "На рахунку моделі скінчилися кошти. Поповніть його або змініть `model.base_url`.",
            "The model's account has no credit left. Add some, or change `model.base_url`.",
        ),
        _ if code.contains("context_length") => (
            "Сторінка або розмова завелика для цієї моделі. Візьміть модель із більшим контекстом.",
            "The page or the conversation is too long for this model. Take one with a larger context.",
        ),
        404 => (
            "Такої моделі або адреси немає. Перевірте їх на сторінці «Модель» або в налаштуваннях (`model.planner`, `model.base_url`).",
            "There is no such model or address. Check them on the page “Model” or in the settings (`model.planner`, `model.base_url`).",
        ),
        429 => (
            "Модель перевантажена запитами. Спробуйте за хвилину.",
            "The model's endpoint has too many requests. Try again in a minute.",
        ),
        500..=599 => (
            "Сервер моделі не працює. Спробуйте за хвилину або змініть `model.base_url`.",
            "The model's endpoint is out of order. Try again in a minute, or change `model.base_url`.",
        ),
        _ => (
            "Модель відхилила запит. Перевірте `model.planner` і `model.structured`.",
            "The model's endpoint rejected the request. Check `model.planner` and `model.structured`.",
        ),
    }
}
