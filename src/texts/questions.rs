//! Questions to a person: reasons, texts and options.

texts! {
    /// Reason of a question that asks for a take-over.
    fn help_needed() {
        uk: "Потрібна ваша допомога на сторінці",
        en: "Your help is needed on the page",
    }
    /// Reason of a question by the agent.
    fn answer_needed() {
        uk: "Агент має запитання",
        en: "The agent has a question",
    }
    /// Reason of the question about a plan.
    fn plan_needs_approval() {
        uk: "План чекає на ваше схвалення",
        en: "The plan is waiting for your approval",
    }
    fn plan_offered(items: usize) {
        uk: "Ось план (пунктів: {items}). Почати? Його можна змінити тут або написати, що не так.",
        en: "Here is the plan (items: {items}). Start? You can change it here, or say what is wrong with it.",
    }
    /// Question about an item whose attempts are used up. `because` is empty, or begins with a colon.
    fn failed_item(position: u32, goal: &str, because: &str) {
        uk: "Не вдається виконати пункт {position} плану («{goal}»){because}. Що робити? Можна й просто підказати.",
        en: "Item {position} of the plan (“{goal}”) is not working out{because}. What should I do? You can also just give a hint.",
    }
    fn try_again() {
        uk: "Спробувати ще",
        en: "Try again",
    }
    fn skip_item() {
        uk: "Пропустити",
        en: "Skip it",
    }
    fn end_here() {
        uk: "Завершити",
        en: "End here",
    }
    /// Reason for a failed item: its verdict cannot be read.
    fn verdict_unreadable(why: &str) {
        uk: "модель не змогла сказати, чи його виконано ({why})",
        en: "the model could not say whether it is done ({why})",
    }
    /// Reason of the question about a used-up limit.
    fn budget_needed() {
        uk: "Вичерпано ліміт",
        en: "A limit was reached",
    }
    fn money_spent(used: f64, most: f64) {
        uk: "Витрачено {used:.2} із {most:.2}. Дозволити ще стільки ж?",
        en: "{used:.2} of {most:.2} has been spent. Allow as much again?",
    }
    fn tokens_used(used: &str, most: &str) {
        uk: "Використано {used} токенів із {most}. Дозволити ще стільки ж?",
        en: "{used} of {most} tokens have been used. Allow as much again?",
    }
    /// Reason of the question about used-up actions.
    fn steps_used_up() {
        uk: "Вичерпано дозволені дії",
        en: "The allowed actions are used up",
    }
    /// Question about used-up actions. `done` is empty, or begins with a space.
    fn steps_used(used: u32, most: u32, done: &str, more: u32) {
        uk: "Виконано дій: {used} із {most}{done}. Дозволити ще {more}?",
        en: "{used} of {most} actions are done{done}. Allow {more} more?",
    }
    fn clicks_done() { uk: "натискань", en: "clicks" }
    fn fields_done() { uk: "полів", en: "fields" }
    fn pages_done() { uk: "сторінок", en: "pages" }
    fn reads_done() { uk: "читань", en: "reads" }
    fn others_done() { uk: "іншого", en: "other" }
    fn actions_failed() { uk: "невдалих", en: "failed" }
    fn items_done(over: usize, all: usize) {
        uk: "пунктів плану: {over} із {all}",
        en: "plan items: {over} of {all}",
    }
    fn same_step_failed(what: &str, why: &str) {
        uk: "Те саме (`{what}`) не вдалося тричі поспіль: {why}. Підкажіть, як бути.",
        en: "The same step (`{what}`) failed three times in a row: {why}. Please say how to continue.",
    }
    /// Asks the person to type a lost secret again.
    fn retype_secret(field: &str) {
        uk: "Те, що ви дали для поля «{field}», ніде не зберігається, тож після перезапуску його вже немає. Візьміть керування, введіть його самі й поверніть керування.",
        en: "What you gave for the field “{field}” is never stored, so it was lost in the restart. Take over, type it yourself, and hand control back.",
    }
    fn call_mcp_tool(tool: &str, server: &str, arguments: &str) {
        uk: "Викликати інструмент `{tool}` сервера MCP `{server}` з `{arguments}`.",
        en: "Call the tool `{tool}` of the MCP server `{server}` with `{arguments}`.",
    }
    fn run_program(agent: &str) {
        uk: "Виконати програму агента «{agent}»",
        en: "Run the program of the agent “{agent}”",
    }
    fn run_command(command: &str) {
        uk: "Виконати команду {command}",
        en: "Run the command {command}",
    }
    fn without_sandbox() {
        uk: "без пісочниці, з доступом до всього комп’ютера",
        en: "without a sandbox, with access to the whole computer",
    }
    fn with_environment(names: &str) {
        uk: "зі змінними середовища {names}",
        en: "with the environment variables {names}",
    }
    fn with_files() {
        uk: "із файлами цього завдання: програма може їх читати, змінювати й створювати",
        en: "with the files of this task: it can read, change and create them",
    }
    fn with_files_to_read() {
        uk: "із файлами цього завдання: програма може їх читати",
        en: "with the files of this task: it can read them",
    }
    /// Label of a command that is shown beside the question.
    fn command_label() {
        uk: "команда",
        en: "command",
    }
    /// Cut in the middle of a text that is shown for approval.
    fn characters_not_shown(count: usize) {
        uk: "[ТУТ НЕ ПОКАЗАНО СИМВОЛІВ: {count}]",
        en: "[{count} CHARACTERS ARE NOT SHOWN HERE]",
    }
}
