//! Messages for a person when a model call fails: what happened, and what to do.

use crate::model::endpoint::error::CallError;
use crate::protocol::Locale;

/// Returns one or two sentences for the error.
pub fn advice(call: &CallError, locale: Locale) -> &'static str {
    let (uk, en) = match call {
        CallError::Rejected { .. } if call.refuses_format() => (
            "Модель не вміє відповідати у форматі JSON. Натисніть «Перевірити» на сторінці «Модель» і збережіть; у налаштуваннях: `model.structured = \"prompt\"`.",
            "The model cannot answer in JSON. Press “Test” on the page “Model” and save; in the settings: `model.structured = \"prompt\"`.",
        ),
        CallError::Rejected { status, code, .. } => rejected(*status, code),
        CallError::Unreachable(_) => (
            "Немає зв’язку із сервером моделі. Перевірте, чи він запущений і чи правильна адреса (`model.base_url`).",
            "The model server cannot be reached. Check that it is running and that its address is right (`model.base_url`).",
        ),
        CallError::TimedOut => (
            "Модель не відповіла вчасно. Збільште `model.timeout_s` або візьміть швидшу модель.",
            "The model did not answer in time. Raise `model.timeout_s`, or use a faster model.",
        ),
        CallError::BrokeOff(_) => {
            ("Відповідь моделі обірвалася. Спробуйте ще раз.", "The model’s answer was cut off. Try again.")
        }
        CallError::Unreadable(_) => (
            "За цією адресою відповідає не модель. Перевірте адресу (`model.base_url`); зазвичай вона закінчується на /v1.",
            "The server at this address is not a model. Check the address (`model.base_url`); it usually ends in /v1.",
        ),
    };
    locale.pick(uk, en)
}

fn rejected(status: u16, code: &str) -> (&'static str, &'static str) {
    match status {
        300..=399 => (
            "Сервер відсилає на іншу адресу, а Askfirst туди нічого не надсилає. Вкажіть ту адресу.",
            "The server redirects elsewhere, and Askfirst sends nothing there. Give the other address.",
        ),
        401 | 403 => (
            "Сервер моделі не прийняв ключ. Перевірте ключ на сторінці «Модель»; у налаштуваннях це OPENAI_API_KEY або `model.api_key`.",
            "The model server did not accept the key. Check the key on the page “Model”; in the settings it is OPENAI_API_KEY or `model.api_key`.",
        ),
        _ if code.contains("insufficient_quota") => (
            "На рахунку моделі скінчилися кошти. Поповніть його або змініть `model.base_url`.",
            "The model account is out of credit. Add credit, or change `model.base_url`.",
        ),
        _ if code.contains("context_length") => (
            "Сторінка або розмова завелика для цієї моделі. Візьміть модель із більшим контекстом.",
            "The page or the conversation is too long for this model. Use one with a larger context.",
        ),
        404 => (
            "Такої моделі або адреси немає. Перевірте їх на сторінці «Модель» або в налаштуваннях (`model.planner`, `model.base_url`).",
            "This model or address does not exist. Check them on the page “Model” or in the settings (`model.planner`, `model.base_url`).",
        ),
        429 => (
            "Сервер моделі перевантажено запитами. Спробуйте за хвилину.",
            "The model server is getting too many requests. Try again in a minute.",
        ),
        500..=599 => (
            "Сервер моделі не працює. Спробуйте за хвилину або змініть `model.base_url`.",
            "The model server is down. Try again in a minute, or change `model.base_url`.",
        ),
        _ => (
            "Сервер моделі відхилив запит. Перевірте `model.planner` і `model.structured`.",
            "The model server rejected the request. Check `model.planner` and `model.structured`.",
        ),
    }
}
