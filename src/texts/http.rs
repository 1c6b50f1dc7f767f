//! HTTP interface: problems in Ukrainian, notices for chat and MCP clients, and the log of a run.

translations! {
    /// Translates the title of a status.
    fn title_in_ukrainian(status: u16) {
        400 => "Неправильний запит",
        401 => "Потрібен вхід",
        403 => "Заборонено",
        404 => "Не знайдено",
        405 => "Метод не підтримується",
        409 => "Конфлікт",
        412 => "Умову не виконано",
        413 => "Завеликий запит",
        415 => "Непідтримуваний тип даних",
        422 => "Неправильні дані",
        428 => "Потрібна умова",
        429 => "Забагато запитів",
        500 => "Внутрішня помилка",
        503 => "Сервіс недоступний",
        507 => "Бракує місця",
    }

    /// Returns the general sentence of a code, for a detail that is not in `DETAILS`. `other` stands for a code
    /// that is not listed.
    fn code_in_ukrainian(code: &str) {
        "unauthorized" => "Потрібен вхід: відкрийте сторінку сервісу або надішліть `Authorization: Bearer`.",
        "forgery" => "Запит без токена проти підробки; перезавантажте сторінку.",
        "bad_model" => "Так під’єднати модель не можна.",
        "no_model" => "Модель не під’єднано; вкажіть її адресу як `base_url`.",
        "models_not_listed" => "Сервер не має списку моделей; введіть назву моделі.",
        "key_refused" => "Сервер моделі не прийняв ключ.",
        "model_unreachable" => "Сервер моделі не відповідає.",
        "method_not_allowed" => "Ця адреса не приймає такого методу.",
        "bad_query" => "Параметри адреси неправильні.",
        "bad_json" | "bad_body" | "bad_yaml" => "Тіло запиту не читається.",
        "bad_input" => "Вхідні дані не підходять агентові.",
        "bad_agent" => "У файлі агента є помилки.",
        "bad_name" => "Таке ім’я не підходить.",
        "bad_plan" => "Такий план виконати не можна.",
        "bad_message" => "Повідомлення неправильне.",
        "bad_answer" => "Така відповідь не підходить до запитання.",
        "bad_host" | "bad_origin" => "Запит надійшов не звідти, звідки дозволено.",
        "busy" | "lease_held" | "no_lease" => "Зараз цього зробити не можна.",
        "changed" | "plan_changed" => "Тим часом це змінив хтось інший.",
        "too_large" => "Це завелике.",
        "storage_full" | "disk_full" | "not_written" => "Не вдалося записати на диск.",
        "unsupported" => "Це не підтримується.",
        "internal" => "У сервісі сталася помилка.",
        "other" => "Запит не виконано.",
    }
}

texts! {
    // Notices for chat clients; a link follows.
    fn approve_here() {
        uk: "Дозволити або відхилити можна тут:",
        en: "Approve or decline here:",
    }
    fn approve_plan_here() {
        uk: "Схвалити або змінити план можна тут:",
        en: "Approve or change the plan here:",
    }
    fn reply_when_done() {
        uk: "Зробіть це на сторінці й напишіть, коли буде готово:",
        en: "Do it on the page, and reply when it is done:",
    }
    fn answer_here() {
        uk: "Дайте відповідь повідомленням або тут:",
        en: "Answer with a message, or here:",
    }
    fn paused_resume_here() {
        uk: "Призупинено. Продовжити можна тут:",
        en: "Paused. Resume it here:",
    }
    fn result_will_be_here() {
        uk: "Ще триває. Результат буде тут:",
        en: "Still running. See the result here:",
    }

    // Results for MCP clients.
    fn waiting_for_person(questions: &str, link: &str) {
        uk: "Чекає на людину: {questions}\nВідповісти: {link}",
        en: "Waiting for a person: {questions}\nAnswer at {link}",
    }
    fn waiting_for_background_work(link: &str) {
        uk: "Чекає, доки триває його фонова робота: {link}",
        en: "Waiting while its background work is running: {link}",
    }
    fn paused_resume_at(link: &str) {
        uk: "Призупинено. Продовжити можна тут: {link}",
        en: "Paused. Resume it at {link}",
    }
    fn still_running(link: &str) {
        uk: "Ще триває: {link} (результат дасть runs-read)",
        en: "Still running: {link} (runs-read gives the result)",
    }

    // Lines of a run's log.
    fn log_started(agent: &str) {
        uk: "почав {agent}",
        en: "started {agent}",
    }
    fn log_agent(text: &str) {
        uk: "агент: {text}",
        en: "agent: {text}",
    }
    fn log_asks(question: &str) {
        uk: "питає: {question}",
        en: "asks: {question}",
    }
    fn log_ended(outcome: &str) {
        uk: "кінець: {outcome}",
        en: "ended: {outcome}",
    }
    fn log_question_expired() {
        uk: "час на відповідь минув",
        en: "the question expired",
    }
    fn log_question_dropped() {
        uk: "запитання знято, бо запуск зупинено",
        en: "the question was dropped when the run stopped",
    }
    fn log_rules_answered() {
        uk: "відповіли правила",
        en: "the rules answered",
    }
    fn log_approved() {
        uk: "людина дозволила",
        en: "the person approved",
    }
    fn log_declined() {
        uk: "людина відхилила",
        en: "the person declined",
    }
    fn log_answered(text: &str) {
        uk: "людина відповіла: {text}",
        en: "the person answered: {text}",
    }
    fn log_done_by_person() {
        uk: "людина зробила",
        en: "the person did it",
    }
    fn log_sees(title: &str, url: &str) {
        uk: "бачить: {title} ({url})",
        en: "sees: {title} ({url})",
    }
    fn log_thinks(thought: &str) {
        uk: "думає: {thought}",
        en: "thinks: {thought}",
    }
    fn log_action_done(action: &str) {
        uk: "{action}: зроблено",
        en: "{action}: done",
    }
    fn log_action_failed(action: &str, why: &str) {
        uk: "{action}: не вийшло: {why}",
        en: "{action}: failed: {why}",
    }
    fn log_policy(action_id: &str, decision: &str, rule: &str) {
        uk: "правила для {action_id}: {decision} ({rule})",
        en: "policy for {action_id}: {decision} ({rule})",
    }
    fn log_effect(method: &str, url: &str, covered_by: &str) {
        uk: "надіслано: {method} {url} ({covered_by})",
        en: "sent: {method} {url} ({covered_by})",
    }
    fn log_person(text: &str) {
        uk: "людина: {text}",
        en: "person: {text}",
    }
}

/// English patterns of details with placeholders `{}`, and their translations with the placeholders in the
/// same order.
pub(crate) const DETAILS: &[(&str, &str)] = &[
    ("`ids` names {} runs; name 1 to {}", "У `ids` запусків: {}; назвіть від 1 до {}."),
    ("{} takes {}, not {}", "{} приймає {}, а не {}."),
    (
        "no model is connected; give its address as `base_url`",
        "Модель не під’єднано; вкажіть її адресу як `base_url`.",
    ),
    ("`base_url` is missing", "Бракує `base_url`."),
    ("`model` is missing", "Бракує `model`."),
    ("give either `key` or `key_env`, not both", "Вкажіть або `key`, або `key_env`, а не обидва."),
    ("the address is too long", "Адреса задовга."),
    (
        "the address has no http:// or https://; give it as http://127.0.0.1:11434/v1",
        "В адресі немає http:// або https://; вкажіть її так: http://127.0.0.1:11434/v1.",
    ),
    ("the address must begin with http:// or https://", "Адреса має починатися з http:// або https://."),
    (
        "the address must hold no user name or password; give the key as `key`",
        "В адресі не має бути імені чи пароля; ключ вкажіть як `key`.",
    ),
    (
        "the address must end with its path, mostly /v1, without ? and #",
        "Адреса має закінчуватися шляхом, зазвичай /v1, без ? і #.",
    ),
    (
        "`model` is empty; name a model that the endpoint has",
        "`model` порожній; назвіть модель, яка є на сервері.",
    ),
    ("`model` is not the name of a model", "`model` не є назвою моделі."),
    (
        "`key` holds characters that no key has; copy it again, without spaces and line breaks",
        "У `key` є символи, яких не буває в ключах; скопіюйте його ще раз, без пробілів і розривів рядка.",
    ),
    ("there is no run {}", "Запуску {} немає."),
    ("there is no question {}", "Запитання {} немає."),
    (
        "there is no agent {}; `GET /api/agents` lists them",
        "Агента {} немає; їхній список: `GET /api/agents`.",
    ),
    ("there is no agent {}", "Агента {} немає."),
    ("there is nothing at {}", "За адресою {} нічого немає."),
    ("there is no permission {}", "Дозволу {} немає."),
    ("there is no picture {} of run {}", "Знімка {} у запуску {} немає."),
    ("there is no call {} of run {}", "Запиту до моделі {} у запуску {} немає."),
    ("run {} has no step {}, or not yet", "У запуску {} кроку {} немає або ще немає."),
    ("run {} has no effect {}", "У запуску {} дії {} немає."),
    ("there is no background work with the id {}", "Фонової роботи з ідентифікатором {} немає."),
    ("there is no such browser", "Такого браузера немає."),
    ("there is no status \"{}\"; use {}", "Статусу «{}» немає; є такі: {}."),
    (
        "\"{}\" is not a cursor; use the `cursor` of the previous answer, or none",
        "«{}» — не курсор; візьміть `cursor` із попередньої відповіді або не вказуйте його.",
    ),
    (
        "\"{}\" is not a date and time; write 2026-01-31T12:00:00Z",
        "«{}» — не дата й час; пишіть так: 2026-01-31T12:00:00Z.",
    ),
    ("Last-Event-ID must be the number of an event", "Last-Event-ID має бути номером події."),
    ("the question has already been answered", "На це запитання вже відповіли."),
    ("the question has expired", "Час на відповідь минув."),
    ("this answer does not fit the question: {}", "Така відповідь не підходить до запитання: {}"),
    (
        "the plan has changed in the meantime; read it again and repeat your change",
        "План тим часом змінився; прочитайте його знову й повторіть зміну.",
    ),
    (
        "runs of {} do not take messages; answer their questions, or start another run",
        "Запуски {} не приймають повідомлень; дайте відповідь на їхнє запитання або почніть новий запуск.",
    ),
    (
        "the run has ended; send a message to continue it",
        "Запуск завершено; надішліть повідомлення, щоб продовжити його.",
    ),
    (
        "the run is waiting for an answer and does not continue without one",
        "Запуск чекає на відповідь і без неї не продовжиться.",
    ),
    ("the run is not paused", "Запуск не на паузі."),
    ("the run is already paused", "Запуск уже на паузі."),
    ("the run has not asked anything", "Запуск ні про що не питав."),
    ("the run is already running", "Запуск зараз виконується."),
    ("the run has not started yet", "Запуск ще не почався."),
    ("the run has no page open yet", "Запуск ще не відкрив сторінки."),
    ("the run has no file with this name", "У запуску немає файла з такою назвою."),
    (
        "someone else is in control of the page; wait until they hand it back",
        "Сторінкою керує хтось інший; зачекайте, доки керування повернуть.",
    ),
    (
        "you are already in control of a page; hand it back first",
        "Ви вже керуєте сторінкою; спершу поверніть керування.",
    ),
    (
        "you are not in control of the page; take it over first",
        "Зараз керуєте не ви; спершу візьміть керування.",
    ),
    (
        "another task is using the browser profile \"{}\"; try again when it has ended",
        "Профіль браузера «{}» використовує інше завдання; спробуйте, коли воно завершиться.",
    ),
    (
        "a run is using this browser, or a person is in control of its page; stop the run first",
        "Цей браузер використовує запуск або людина; спершу зупиніть запуск.",
    ),
    ("the input does not fit the agent: {}", "Вхідні дані не підходять агентові: {}"),
    (
        "the file of agent {} has errors; `faults` says what to fix",
        "У файлі агента {} є помилки; що виправити, сказано у `faults`.",
    ),
    ("`metadata` must be an object", "`metadata` має бути об’єктом."),
    ("`metadata` has more than {} kB", "`metadata` більше за {} кБ."),
    (
        "this idempotency_key started run {} with another input; use a new key",
        "Із цим idempotency_key вже почато запуск {} з іншими даними; візьміть новий ключ.",
    ),
    ("the message is empty", "Повідомлення порожнє."),
    ("it has already ended", "Уже завершено."),
    (
        "this run has no plan; it makes one when the task needs it",
        "У цього запуску немає плану; він складе його, коли буде потрібно.",
    ),
    ("this run has no plan to change", "У цього запуску немає плану, який можна змінити."),
    ("this run has ended; its plan can no longer be changed", "Запуск завершено; його план уже не змінити."),
    (
        "a plan has items; stop the run if nothing is left to do",
        "План не може бути порожнім; якщо робити більше нічого, зупиніть запуск.",
    ),
    ("the body does not fit: {}", "Тіло запиту не підходить: {}"),
    ("the body cannot be read: {}", "Тіло запиту не читається: {}"),
    ("the body is not JSON: {}", "Тіло запиту — не JSON: {}"),
    ("the body is not UTF-8 text", "Тіло запиту — не текст у UTF-8."),
    ("the body was cut off: {}", "Тіло запиту обірвалося: {}"),
    ("the file was cut off: {}", "Файл обірвався: {}"),
    ("the query of the address does not fit: {}", "Параметри адреси неправильні: {}"),
    ("the address does not fit: {}", "Адреса неправильна: {}"),
    ("the disk is full", "Диск заповнено."),
    (
        "pages of other origins may not send requests to this service",
        "Сторінкам інших сайтів не можна надсилати запити до цього сервісу.",
    ),
    (
        "too many requests from this address; try again in a moment",
        "Забагато запитів із цієї адреси; спробуйте за мить.",
    ),
    (
        "a token is required: open the address that was printed at the start, or send it as `Authorization: Bearer`",
        "Потрібен токен: відкрийте адресу, яку надруковано під час запуску, або надішліть його як `Authorization: Bearer`.",
    ),
    (
        "this service does not answer to the name \"{}\"; open {} or add the name to server.allowed_hosts",
        "Цей сервіс не відповідає на ім’я «{}»; відкрийте {} або додайте це ім’я до server.allowed_hosts.",
    ),
    (
        "something went wrong in the service; see its log",
        "У сервісі сталася помилка; подробиці в його журналі.",
    ),
];

#[cfg(test)]
mod tests {
    use super::DETAILS;
    use crate::texts::tests::check_pattern;

    #[test]
    fn every_pattern_has_the_same_placeholders_in_both_languages() {
        for (english, uk) in DETAILS {
            check_pattern(uk, english);
        }
    }
}
