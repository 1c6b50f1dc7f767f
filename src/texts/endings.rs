//! Final responses of runs, and reasons of their end.

texts! {
    fn done() {
        uk: "Готово.",
        en: "Done.",
    }
    fn stopped() {
        uk: "Зупинено.",
        en: "Stopped.",
    }
    fn failed() {
        uk: "Не вдалося.",
        en: "It failed.",
    }
    /// Opening of a failure; its reason follows.
    fn failed_with_reason() {
        uk: "Не вдалося:",
        en: "Failed:",
    }
    fn finished() {
        uk: "Завершено.",
        en: "Finished.",
    }
    fn not_everything_done() {
        uk: "Зроблено не все.",
        en: "Not everything is done.",
    }
    fn partly_done() {
        uk: "Виконано частково.",
        en: "Partly done.",
    }
    fn forbidden_by_rules() {
        uk: "Правила цього не дозволяють.",
        en: "The rules do not allow this.",
    }
    fn action_forbidden(reason: &str) {
        uk: "Правила не дозволяють цієї дії. {reason}",
        en: "The rules do not allow this action. {reason}",
    }
    fn action_not_approved() {
        uk: "Зупинено: дію не дозволено, тож її не виконано.",
        en: "Stopped: the action was not approved, so it was not done.",
    }
    fn nothing_actionable() {
        uk: "Далі робити нічого: решта плану залежить від пропущеного. Змініть план або напишіть, що робити.",
        en: "Nothing more can be done: the rest of the plan depends on what was skipped. Change the plan, or say what to do.",
    }
    fn unusable_replies(attempts: u32, reason: &str) {
        uk: "Модель не дала придатної відповіді (спроб поспіль: {attempts}). Перевірте її на сторінці «Модель» або виберіть іншу. Причина: {reason}.",
        en: "The model gave no usable answer {attempts} times in a row. Test it on the page “Model”, or choose another. Reason: {reason}.",
    }
    fn no_possible_action(attempts: u32, reason: &str) {
        uk: "Не можу продовжити: поспіль не вдалося обрати можливу дію (спроб: {attempts}). Остання причина: {reason}. Спробуйте сформулювати інакше.",
        en: "I cannot continue: {attempts} attempts in a row did not find a possible action. Last reason: {reason}. Try putting it another way.",
    }
    fn limit_ended_run(limit: &str, actions: u32) {
        uk: "Зупинено: {limit}. Виконано дій: {actions}. Напишіть, що робити далі, щоб продовжити.",
        en: "Stopped: {limit}. Actions done: {actions}. Reply with what to do next to continue.",
    }
    fn action_limit() {
        uk: "вичерпано ліміт дій",
        en: "the action limit was reached",
    }
    fn token_limit() {
        uk: "вичерпано ліміт токенів",
        en: "the token limit was reached",
    }
    fn spending_limit() {
        uk: "вичерпано ліміт витрат",
        en: "the spending limit was reached",
    }
    fn planning_limit() {
        uk: "вичерпано ліміт спроб планування",
        en: "the limit of planning attempts was reached",
    }
    fn shared_limit() {
        uk: "вичерпано ліміт часу, кроків або спільних витрат",
        en: "the limit of time, steps or shared spending was reached",
    }
    fn time_limit_ended_run() {
        uk: "Зупинено: вичерпано ліміт часу. Напишіть, що робити далі, щоб продовжити.",
        en: "Stopped: the time limit was reached. Reply with what to do next to continue.",
    }
    fn limit_reached() {
        uk: "Вичерпано ліміт.",
        en: "A limit was reached.",
    }
    fn token_limit_reached() {
        uk: "Вичерпано ліміт токенів.",
        en: "The token limit was reached.",
    }
    fn spending_limit_reached() {
        uk: "Вичерпано ліміт витрат.",
        en: "The spending limit was reached.",
    }
    /// Agent of a composite run that did not succeed; `outcome` is one of the five below.
    fn lane_failed(agent: &str, item: &str, outcome: &str) {
        uk: "Агент `{agent}` (картка {item}): {outcome}",
        en: "Agent `{agent}` (card {item}) {outcome}",
    }
    fn agent_was_stopped() {
        uk: "зупинено",
        en: "was stopped",
    }
    fn agent_reached_limit() {
        uk: "вичерпано ліміт",
        en: "reached a limit",
    }
    fn agent_not_allowed() {
        uk: "заборонено",
        en: "was not allowed",
    }
    fn agent_blocked() {
        uk: "не може продовжити",
        en: "could not continue",
    }
    fn agent_failed() {
        uk: "не вдалося",
        en: "failed",
    }
    /// Remark that the same failure is nested in itself.
    fn one_inside_another() {
        uk: "один в одному",
        en: "one inside another",
    }
    fn lanes_partly_done(items: &str) {
        uk: "Виконано частково; не вдалися картки: {items}.",
        en: "Partly done; cards that failed: {items}.",
    }
    fn step_failed(id: &str, agent: &str) {
        uk: "Крок `{id}` (агент `{agent}`) не вдався",
        en: "Step `{id}` (agent `{agent}`) failed",
    }
    fn parallel_step_failed(id: &str) {
        uk: "Паралельний крок `{id}` не вдався",
        en: "The parallel step `{id}` failed",
    }
    fn orchestration_out_of_time() {
        uk: "Час оркестрації вийшов.",
        en: "The orchestration ran out of time.",
    }
    fn orchestration_step_crashed() {
        uk: "Крок оркестрації аварійно зупинився.",
        en: "A step of the orchestration crashed.",
    }
    fn plan_impossible() {
        uk: "План неможливо виконати",
        en: "The plan cannot be carried out",
    }
    fn program_ran_too_long(agent: &str) {
        uk: "Програма агента «{agent}» працювала довше, ніж дозволено.",
        en: "The program of the agent “{agent}” ran longer than allowed.",
    }
    fn program_needed_too_much(agent: &str) {
        uk: "Програма агента «{agent}» потребувала більше, ніж дозволено.",
        en: "The program of the agent “{agent}” needed more than allowed.",
    }
    fn program_needs_library(agent: &str) {
        uk: "Програма агента «{agent}» потребує бібліотеки, якої тут немає.",
        en: "The program of the agent “{agent}” needs a library that is not installed.",
    }
    fn program_failed(agent: &str) {
        uk: "Програма агента «{agent}» зупинилася через помилку.",
        en: "The program of the agent “{agent}” stopped with an error.",
    }
    /// Label above a traceback.
    fn traceback_label() {
        uk: "Де:",
        en: "Where:",
    }
    fn call_declined() {
        uk: "Ви відхилили; нічого не виконано.",
        en: "You declined; nothing was run.",
    }
    fn call_outcome_unknown() {
        uk: "Сервіс перервано посеред виконання; чи його завершено, невідомо, тому автоматично воно не повторюється.",
        en: "The service was interrupted in the middle of this; it is not known whether it happened, so it is not repeated automatically.",
    }
    fn agent_version_missing(version: &str, agent: &str) {
        uk: "версії {version} агента {agent} вже немає",
        en: "the version {version} of agent {agent} is not kept any more",
    }
    fn program_missing(program: &str) {
        uk: "у цій версії askfirst немає програми \"{program}\"",
        en: "this version of askfirst has no program \"{program}\"",
    }
    /// Secrets outlive neither the process nor their run tree.
    fn secret_lost(input: &str) {
        uk: "Секрет `{input}` зберігався лише в пам’яті, і після перезапуску сервісу його вже немає; запустіть ще раз.",
        en: "The secret `{input}` was kept only in memory and was lost when the service restarted; run it again.",
    }
    fn secret_only_for_sites(input: &str) {
        uk: "Секрети з налаштувань вводяться лише на своїх сайтах; для `{input}` потрібне саме значення.",
        en: "Secrets from the settings can only be typed into their own sites; `{input}` needs the value itself.",
    }
    fn building(agent: &str) {
        uk: "Збирається `{agent}`",
        en: "Building `{agent}`",
    }
    fn built(agent: &str) {
        uk: "`{agent}` зібрано",
        en: "`{agent}` was built",
    }
    fn not_built(agent: &str) {
        uk: "`{agent}` не вдалося зібрати",
        en: "`{agent}` could not be built",
    }
    fn build_failed(fault: &str) {
        uk: "Агента не вдалося зібрати: {fault}",
        en: "The agent could not be built: {fault}",
    }
}
