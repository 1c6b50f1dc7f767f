//! The command line: progress of a run, questions on a terminal, notes and tables.

pub(crate) mod doctor;

use crate::protocol::Locale;

translations! {
    /// Translates a status, or the party that would move a run.
    fn word_in_ukrainian(word: &str) {
        "queued" => "у черзі",
        "running" => "працює",
        "waiting" => "чекає",
        "paused" => "призупинено",
        "succeeded" => "виконано",
        "partial" => "виконано частково",
        "failed" => "не вдалося",
        "skipped" => "пропущено",
        "cancelled" => "зупинено",
        "denied" => "заборонено",
        "blocked" => "застрягло",
        "exhausted" => "вичерпано ліміт",
        "person" => "людина",
        "time" => "час",
        "run" => "завдання",
        "model" => "модель",
        "nobody" => "ніхто",
    }
}

/// Returns a status, or the party that would move a run, as text for people; English uses the word itself.
pub(crate) fn word_name(word: &str, locale: Locale) -> &str {
    match locale {
        Locale::Uk => word_in_ukrainian(word).unwrap_or(word),
        Locale::En => word,
    }
}

/// True if a person typed agreement, in either language and in lower case.
pub(crate) fn is_yes(typed: &str) -> bool {
    matches!(typed, "y" | "yes" | "т" | "так")
}

/// True if a person typed refusal, in either language and in lower case.
pub(crate) fn is_no(typed: &str) -> bool {
    matches!(typed, "n" | "no" | "н" | "ні")
}

texts! {
    // Progress of a run.
    fn paused() { uk: "призупинено", en: "paused" }
    fn question_expired() { uk: "час на відповідь вийшов", en: "the question expired" }
    fn question_dropped() {
        uk: "запитання знято, бо запуск зупинено",
        en: "the question was dropped when the run stopped",
    }
    fn rules_answered() { uk: "відповіли правила", en: "the rules answered" }
    fn approved() { uk: "дозволено", en: "approved" }
    fn declined() { uk: "відхилено", en: "declined" }
    fn answered() { uk: "є відповідь", en: "answered" }
    fn forbidden_by_rule(rule: &str) { uk: "заборонено правилом {rule}", en: "not allowed by rule {rule}" }
    fn sent_request(method: &str, url: &str) { uk: "надіслано: {method} {url}", en: "sent: {method} {url}" }
    fn person_wrote(text: &str) { uk: "ви: {text}", en: "you: {text}" }
    fn entries_condensed(entries: u64) {
        uk: "{entries} давніших записів стиснуто в підсумок",
        en: "{entries} earlier entries were condensed into a summary",
    }
    fn file_line(name: &str, size: u64) { uk: "файл {name} ({size} байтів)", en: "file {name} ({size} bytes)" }
    fn agent_skipped(agent: &str) { uk: "{agent}: пропущено", en: "{agent}: skipped" }
    fn agent_attempt(agent: &str, attempt: u32) { uk: "{agent}: спроба {attempt}", en: "{agent}: attempt {attempt}" }
    fn one_item_plan() { uk: "план, пунктів: 1", en: "plan with 1 item" }
    fn plan_of_items(count: usize) { uk: "план, пунктів: {count}", en: "plan with {count} items" }
    fn plan_dropped() { uk: "план відкинуто", en: "the plan was dropped" }
    fn item_skipped(item: &str) { uk: "{item}, пропущено", en: "{item}, skipped" }
    fn item_attempt(item: &str, attempt: u32, most: u32) {
        uk: "{item} (спроба {attempt} з {most})",
        en: "{item} (attempt {attempt} of {most})",
    }
    fn background_began(label: &str, id: &str) { uk: "{label} ({id}, у фоні)", en: "{label} ({id}, in the background)" }
    fn copied_store(rows: u64, tables: u64) {
        uk: "скопійовано й звірено: рядків {rows}, таблиць {tables}. Зображення та файли запусків лишаються в теці даних",
        en: "copied and compared: {rows} rows of {tables} tables. Pictures and files of runs stay in the data folder",
    }
    fn drained(trees: u64, takers: u64) {
        uk: "віддано дерев запусків: {trees}; їх бере вузлів: {takers}. Служба й далі обслуговує людей; коли захочете, зупиніть її",
        en: "run trees given back: {trees}; nodes that take them: {takers}. The service goes on serving people; stop it when you like",
    }
    fn drain_ended() { uk: "служба знову бере запуски", en: "the service takes runs again" }
    fn no_background_work() { uk: "у фоні нічого не працює", en: "nothing is running in the background" }
    fn budget_part_used(limit: &str, part: &str, used: f64, most: f64) {
        uk: "{limit}: використано {part}: {used} з {most}",
        en: "{part} of {limit} used: {used} of {most}",
    }
    fn cost(amount: f64) { uk: "вартість {amount:.4}", en: "cost {amount:.4}" }
    fn one_action() { uk: ", дій: 1", en: ", 1 action" }
    fn action_count(count: u32) { uk: ", дій: {count}", en: ", {count} actions" }
    fn token_count(tokens: u64) { uk: ", токенів: {tokens}", en: ", {tokens} tokens" }
    fn estimated_token_count(tokens: u64) { uk: ", токенів: близько {tokens}", en: ", about {tokens} tokens" }
    fn run_concluded(status: &str, seconds: f64, counted: &str) {
        uk: "{status} за {seconds:.1} с{counted}",
        en: "{status} in {seconds:.1} s{counted}",
    }

    // A question on the terminal; labels are padded to the same width.
    fn expires_label() { uk: "до      ", en: "until   " }
    fn do_it_label() { uk: "тут:     ", en: "do it at " }
    fn see_it_label() { uk: "сторінка ", en: "see it   " }
    fn page_label() { uk: "сторінка", en: "page    " }
    fn with_label() { uk: "значення", en: "with    " }
    fn sends_label() { uk: "надішле ", en: "sends   " }
    fn done_when(criteria: &str) { uk: "виконано, коли: {criteria}", en: "done when: {criteria}" }
    fn high_risk() { uk: "високий ризик", en: "high risk" }
    fn medium_risk() { uk: "середній ризик", en: "medium risk" }
    fn low_risk() { uk: "низький ризик", en: "low risk" }
    fn unknown_risk() { uk: "ризик невідомий", en: "unknown risk" }
    fn risk_by_rule(risk: &str, rule: &str, reason: &str) {
        uk: "{risk}, правило {rule}: {reason}",
        en: "{risk}, rule {rule}: {reason}",
    }
    fn budget_used(limit: &str, used: f64, most: f64) {
        uk: "{limit}: використано {used} з {most}",
        en: "{limit}: {used} of {most} used",
    }
    fn ask_instead() { uk: "  що зробити натомість? ", en: "  what should it do instead? " }
    fn ask_when_done() {
        uk: "  натисніть Enter, коли зробите, або напишіть, що сказати агентові: ",
        en: "  press Enter when it is done, or write a note for the agent: ",
    }
    fn ask_answer() { uk: "  ваша відповідь: ", en: "  your answer: " }
    fn ask_choice() { uk: "  номер або своя відповідь: ", en: "  a number, or your own words: " }
    fn yes_by_plan() { uk: "так, за цим планом", en: "yes, use this plan" }
    fn yes_as_much_again() { uk: "так, ще стільки ж", en: "yes, as much again" }
    fn yes_once() { uk: "так, цього разу", en: "yes, this once" }
    fn yes_for_action() { uk: "так, і все інше, що ця дія тут зберігає", en: "yes, and what else this action stores there" }
    fn yes_for_run() { uk: "так, для цього запуску", en: "yes, for this run" }
    fn yes_for_site() { uk: "так, для цього сайту на 30 днів", en: "yes, on this site for 30 days" }
    fn no() { uk: "ні", en: "no" }
    fn no_end_here() { uk: "ні, завершити", en: "no, end here" }
    fn no_but_instead() { uk: "ні, і сказати, що натомість", en: "no, and say what to do instead" }
    fn words_needed() {
        uk: "напишіть кілька слів або натисніть Ctrl-C, щоб зупинити запуск",
        en: "write a few words, or press Ctrl-C to stop the run",
    }
    fn answer_needed() { uk: "потрібна відповідь", en: "an answer is needed" }
    fn type_one_letter(letters: &str) {
        uk: "введіть одну з літер {letters} і натисніть Enter",
        en: "type one of {letters} and press Enter",
    }

    // Notes.
    fn yes_to_rule(rule: &str, question: &str) { uk: "так на {rule}: {question}", en: "yes to {rule}: {question}" }
    fn stopping_run() {
        uk: "зупиняю запуск і чекаю на його кінець; ще раз Ctrl-C, щоб вийти одразу",
        en: "stopping the run and waiting for it to end; press Ctrl-C again to leave at once",
    }
    fn stopping_late_run(seconds: u64) {
        uk: "зупиняю запуск: він триває довше за {seconds} с",
        en: "stopping the run: it took longer than {seconds} s",
    }
    fn nobody_answers_rule(rule: &str, question: &str) {
        uk: "зупиняю запуск, бо відповісти нікому: правило {rule} питає «{question}»; дозвольте його через --yes-to {rule}, запустіть у терміналі або залиште чекати через --leave-waiting",
        en: "stopping the run, as nobody is here to answer: rule {rule} asks \"{question}\"; allow it with --yes-to {rule}, run it in a terminal, or keep it waiting with --leave-waiting",
    }
    fn nobody_answers(question: &str) {
        uk: "зупиняю запуск, бо відповісти нікому: він питає «{question}»; запустіть у терміналі або залиште чекати через --leave-waiting",
        en: "stopping the run, as nobody is here to answer: it asks \"{question}\"; run it in a terminal, or keep it waiting with --leave-waiting",
    }
    fn run_waits_for_answer(run: &str, page: &str) {
        uk: "запуск {run} чекає на відповідь: {page}",
        en: "run {run} is waiting for an answer: {page}",
    }
    fn run_is_saved(run: &str) {
        uk: "запуск {run} збережено: він продовжиться, коли запрацює сервіс (`askfirst serve`)",
        en: "run {run} is saved and continues when the service runs again (`askfirst serve`)",
    }
    fn check_service() {
        uk: "перевірте, чи він працює, або запустіть його: `askfirst serve`",
        en: "check that it is running, or start it with `askfirst serve`",
    }
    fn agent_has_errors() { uk: "з помилками", en: "has errors" }
    fn see_validation(agent: &str) {
        uk: "докладніше: `askfirst agents validate {agent}`",
        en: "see `askfirst agents validate {agent}`",
    }
}
