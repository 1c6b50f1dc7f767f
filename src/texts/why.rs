//! Explanations of a run's status: the reason, and what would change it.

texts! {
    fn starts_later(at: &str) {
        uk: "Почнеться о {at}: перед наступною спробою є пауза.",
        en: "Starts at {at}: there is a pause before the next attempt.",
    }
    fn about_to_start() {
        uk: "Ось-ось почнеться.",
        en: "It is about to start.",
    }
    fn suspended() {
        uk: "Зараз не виконується: сервіс призупинив його на останньому збереженому кроці.",
        en: "It is not running: the service suspended it at its last saved step.",
    }
    fn no_service_works() {
        uk: "Зараз не виконується: жоден із сервісів, що працюють над завданнями, не запущений.",
        en: "It is not running: no service that works on tasks is up.",
    }
    fn no_browser_free(slots: usize, position: usize) {
        uk: "Немає вільного браузера: зайнято всі місця ({slots}), у черзі {position}-е.",
        en: "No browser is free: all slots ({slots}) are in use, number {position} in line.",
    }
    fn called_agent_asks(agent: &str, question: &str) {
        uk: "Чекає на агента {agent}, а той питає людину: «{question}»",
        en: "Waiting for the agent {agent}, which is asking a person: “{question}”",
    }
    fn called_agent_paused(agent: &str) {
        uk: "Чекає на агента {agent}, якого призупинено.",
        en: "Waiting for the agent {agent}, which is paused.",
    }
    fn waiting_for_agents(agents: &str) {
        uk: "Чекає на викликаних агентів: {agents}.",
        en: "Waiting for the agents it called: {agents}.",
    }
    fn person_in_control() {
        uk: "Сторінкою керує людина.",
        en: "A person is in control of its page.",
    }
    fn model_at_work() {
        uk: "Модель обмірковує відповідь.",
        en: "The model is preparing its answer.",
    }
    fn observing_page() {
        uk: "Дивиться на сторінку.",
        en: "Looking at the page.",
    }
    fn performing_action() {
        uk: "Виконує дію.",
        en: "Performing an action.",
    }
    fn working_at_step(node: &str) {
        uk: "Працює, крок {node}.",
        en: "Working, step {node}.",
    }
    fn asks_for_approval(question: &str) {
        uk: "Просить дозволу: {question}",
        en: "Asking for approval: {question}",
    }
    fn asks_for_help(question: &str) {
        uk: "Потрібна ваша допомога на сторінці: {question}",
        en: "Your help is needed on the page: {question}",
    }
    fn asks(question: &str) {
        uk: "Запитує: {question}",
        en: "Asking: {question}",
    }
    fn asks_to_approve_plan(question: &str) {
        uk: "Просить схвалити план: {question}",
        en: "Asking you to approve the plan: {question}",
    }
    fn asks_to_use_more(question: &str) {
        uk: "Питає, чи можна витратити більше: {question}",
        en: "Asking whether it may use more: {question}",
    }
    fn about_to_continue() {
        uk: "На запитання відповіли; ось-ось продовжить.",
        en: "Its question has been answered; it is about to continue.",
    }
    fn waiting_with_background_work(agents: &str) {
        uk: "Чекає; у фоні працюють: {agents}.",
        en: "Waiting; working in the background: {agents}.",
    }
    fn waiting_for_message() {
        uk: "Чекає на ваше повідомлення.",
        en: "Waiting for your message.",
    }
    fn page_not_handed_back() {
        uk: "Хтось узяв керування сторінкою й пішов, не повернувши його.",
        en: "Someone took over the page and left without handing it back.",
    }
    fn paused_with_caller() {
        uk: "Призупинено разом із запуском, який його викликав.",
        en: "Paused together with the run that called it.",
    }
    fn paused_by_person() {
        uk: "Призупинено людиною.",
        en: "Paused by a person.",
    }

    fn finished_successfully() {
        uk: "Завершено успішно.",
        en: "Finished successfully.",
    }
    fn action_declined() {
        uk: "Людина відхилила дію, тож завдання зупинено.",
        en: "A person declined the action, so the task was stopped.",
    }
    fn question_expired() {
        uk: "На запитання не відповіли вчасно, тож завдання зупинено.",
        en: "Its question was not answered in time, so the task was stopped.",
    }
    fn stopped_with_caller() {
        uk: "Зупинено, бо завершився запуск, який його викликав.",
        en: "Stopped because the run that called it ended.",
    }

    // Openings of a sentence, which ends there or continues with the final response.
    fn partly_done() {
        uk: "Виконано частково",
        en: "Partly done",
    }
    fn failed() {
        uk: "Не вдалося",
        en: "Failed",
    }
    fn skipped() {
        uk: "Пропущено",
        en: "Skipped",
    }
    fn forbidden_by_rules() {
        uk: "Правила цього не дозволяють",
        en: "The rules do not allow this",
    }
    fn cannot_continue() {
        uk: "Не може продовжити",
        en: "Cannot continue",
    }
    fn time_limit() {
        uk: "Вичерпано ліміт часу",
        en: "The time limit was reached",
    }
    fn call_limit() {
        uk: "Вичерпано ліміт викликів агентів",
        en: "The limit of agent calls was reached",
    }
    fn token_limit() {
        uk: "Вичерпано ліміт токенів",
        en: "The token limit was reached",
    }
    fn spending_limit() {
        uk: "Вичерпано ліміт витрат",
        en: "The spending limit was reached",
    }
    fn action_limit() {
        uk: "Вичерпано ліміт дій",
        en: "The action limit was reached",
    }
    fn some_limit() {
        uk: "Вичерпано ліміт",
        en: "A limit was reached",
    }

    // Moves that would change the status.
    fn time_will_run_out(at: &str) {
        uk: "Не пізніше {at} вийде час, і завдання завершиться",
        en: "By {at} its time runs out, and the task ends",
    }
    fn continues_on_its_own() {
        uk: "Триває саме",
        en: "Continues on its own",
    }
    fn will_start(at: &str) {
        uk: "О {at} почнеться саме",
        en: "At {at} it starts on its own",
    }
    fn restart_service() {
        uk: "Перезапустіть сервіс: він продовжить із цього кроку; що сталося, написано в журналі",
        en: "Restart the service: it continues from this step; the log says what happened",
    }
    fn start_service_that_works() {
        uk: "Запустіть ще один сервіс або поверніть до роботи виведений: askfirst drain --undo. Завдання продовжиться саме",
        en: "Start one more service, or have a drained one work again: askfirst drain --undo. The task then goes on by itself",
    }
    fn slot_becomes_free() {
        uk: "Місце звільниться, коли інше завдання завершиться",
        en: "A slot becomes free when another task ends",
    }
    fn stop_another_task() {
        uk: "Зупиніть інше завдання або збільште browser.max",
        en: "Stop another task, or raise browser.max",
    }
    fn answer_question() {
        uk: "Дайте відповідь на запитання",
        en: "Answer the question",
    }
    fn resume_run() {
        uk: "Продовжте призупинений запуск",
        en: "Resume the paused run",
    }
    fn continues_when_they_finish() {
        uk: "Продовжиться, коли вони завершаться",
        en: "Continues when they finish",
    }
    fn hand_control_back() {
        uk: "Поверніть керування агентові",
        en: "Hand control back",
    }
    fn continues_when_model_answers() {
        uk: "Продовжиться, коли модель відповість",
        en: "Continues when the model answers",
    }
    fn continues_after_background_work() {
        uk: "Продовжиться, коли завершиться фонова робота",
        en: "Continues when the background work ends",
    }
    fn send_message() {
        uk: "Напишіть повідомлення",
        en: "Send a message",
    }
    fn take_over_or_resume() {
        uk: "Візьміть керування й поверніть його або продовжте завдання",
        en: "Take over and hand control back, or resume the task",
    }
    fn resume_caller() {
        uk: "Продовжте запуск, який його викликав",
        en: "Resume the run that called it",
    }
    fn resume_task() {
        uk: "Продовжте завдання",
        en: "Resume the task",
    }
    fn approve_or_decline() {
        uk: "Дозвольте або відхиліть",
        en: "Approve or decline",
    }
    fn do_it_on_page() {
        uk: "Зробіть це на сторінці й поверніть керування",
        en: "Do it on the page and hand control back",
    }
    fn answer() {
        uk: "Дайте відповідь",
        en: "Answer",
    }
    fn approve_or_change_plan() {
        uk: "Схваліть або змініть план",
        en: "Approve or change the plan",
    }
    fn allow_more_or_end() {
        uk: "Дозвольте більше або завершіть",
        en: "Allow more, or end it",
    }
    fn question_will_expire(at: &str) {
        uk: "О {at} запитання втратить чинність",
        en: "At {at} the question expires",
    }
    fn reply_to_continue() {
        uk: "Напишіть, щоб продовжити",
        en: "Reply to continue",
    }
    fn change_rules() {
        uk: "Змініть правила (gate.policy), якщо це має бути дозволено",
        en: "Change the rules (gate.policy) if this should be allowed",
    }
    fn run_caller_again() {
        uk: "Запустіть знову завдання, яке його викликало",
        en: "Run the task that called it again",
    }
    fn run_again() {
        uk: "Запуск завершено. Щоб повторити, запустіть знову.",
        en: "This run has finished. Run it again to retry.",
    }
    fn raise_limit(key: &str) {
        uk: "Збільште {key} і запустіть знову",
        en: "Raise {key} and run it again",
    }
}
