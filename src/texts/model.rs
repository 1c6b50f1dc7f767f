//! Models: advice when a call fails, and results of the test of a model.

texts! {
    /// Error of a request that only a model can answer.
    fn model_required() {
        uk: "Для цього потрібна модель; під’єднайте її на сторінці «Модель» або додайте `model.base_url`.",
        en: "This needs a model; connect one on the page “Model”, or set `model.base_url`.",
    }
    /// Response of an agent that needs a model when there is none.
    fn agent_needs_model() {
        uk: "Цьому агентові потрібна модель: під’єднайте її на сторінці «Модель» або задайте OPENAI_API_KEY чи `model.base_url`.",
        en: "This agent needs a model: connect one on the page “Model”, or set OPENAI_API_KEY or `model.base_url`.",
    }
    fn unusable_twice(fault: &str) {
        uk: "Модель двічі відповіла не так, як треба: {fault}",
        en: "The model gave an unusable answer twice: {fault}",
    }

    // Advice when a call fails.
    fn refuses_json() {
        uk: "Модель не вміє відповідати у форматі JSON. Натисніть «Перевірити» на сторінці «Модель» і збережіть; у налаштуваннях: `model.structured = \"prompt\"`.",
        en: "The model cannot answer in JSON. Press “Test” on the page “Model” and save; in the settings: `model.structured = \"prompt\"`.",
    }
    fn unreachable() {
        uk: "Немає зв’язку із сервером моделі. Перевірте, чи він запущений і чи правильна адреса (`model.base_url`).",
        en: "The model server cannot be reached. Check that it is running and that its address is right (`model.base_url`).",
    }
    fn timed_out() {
        uk: "Модель не відповіла вчасно. Збільште `model.timeout_s` або візьміть швидшу модель.",
        en: "The model did not answer in time. Raise `model.timeout_s`, or use a faster model.",
    }
    fn answer_cut_off() {
        uk: "Відповідь моделі обірвалася. Спробуйте ще раз.",
        en: "The model’s answer was cut off. Try again.",
    }
    fn not_a_model() {
        uk: "За цією адресою відповідає не модель. Перевірте адресу (`model.base_url`); зазвичай вона закінчується на /v1.",
        en: "The server at this address is not a model. Check the address (`model.base_url`); it usually ends in /v1.",
    }
    fn redirects() {
        uk: "Сервер відсилає на іншу адресу, а Askfirst туди нічого не надсилає. Вкажіть ту адресу.",
        en: "The server redirects elsewhere, and Askfirst sends nothing there. Give the other address.",
    }
    fn key_not_accepted() {
        uk: "Сервер моделі не прийняв ключ. Перевірте ключ на сторінці «Модель»; у налаштуваннях це OPENAI_API_KEY або `model.api_key`.",
        en: "The model server did not accept the key. Check the key on the page “Model”; in the settings it is OPENAI_API_KEY or `model.api_key`.",
    }
    fn out_of_credit() {
        uk: "На рахунку моделі скінчилися кошти. Поповніть його або змініть `model.base_url`.",
        en: "The model account is out of credit. Add credit, or change `model.base_url`.",
    }
    fn context_too_small() {
        uk: "Сторінка або розмова завелика для цієї моделі. Дайте їй більший контекст і вкажіть його в `model.context_tokens`, або візьміть іншу модель.",
        en: "The page or the conversation is too long for this model. Give it a larger context and set `model.context_tokens` to it, or use another model.",
    }
    fn no_such_model() {
        uk: "Такої моделі або адреси немає. Перевірте їх на сторінці «Модель» або в налаштуваннях (`model.planner`, `model.base_url`).",
        en: "This model or address does not exist. Check them on the page “Model” or in the settings (`model.planner`, `model.base_url`).",
    }
    fn too_many_requests() {
        uk: "Сервер моделі перевантажено запитами. Спробуйте за хвилину.",
        en: "The model server is getting too many requests. Try again in a minute.",
    }
    fn server_down() {
        uk: "Сервер моделі не працює. Спробуйте за хвилину або змініть `model.base_url`.",
        en: "The model server is down. Try again in a minute, or change `model.base_url`.",
    }
    fn request_rejected() {
        uk: "Сервер моделі відхилив запит. Перевірте `model.planner` і `model.structured`.",
        en: "The model server rejected the request. Check `model.planner` and `model.structured`.",
    }

    // Results of the test.
    fn model_answered(model: &str) {
        uk: "Модель {model} відповіла.",
        en: "{model} answered.",
    }
    fn not_tried() {
        uk: "Не перевірено: модель не відповіла.",
        en: "Not tried: the model did not answer.",
    }
    fn answers_by_schema() {
        uk: "Дає відповідь точно за JSON Schema.",
        en: "Answers strictly by JSON Schema.",
    }
    /// A weaker mode works; `instead` is one of the two below, `mode` its name in the settings.
    fn schema_fails(fault: &str, instead: &str, mode: &str) {
        uk: "JSON Schema не працює ({fault}). {instead} (model.structured = \"{mode}\"); «Зберегти» це запам’ятає.",
        en: "JSON Schema does not work ({fault}). {instead} (model.structured = \"{mode}\"); “Save” keeps that.",
    }
    fn plain_json_works() {
        uk: "Замість неї працює звичайний JSON",
        en: "Plain JSON works instead",
    }
    fn asking_in_words_works() {
        uk: "Замість неї працює прохання словами",
        en: "Asking for it in words works instead",
    }
    fn answers_do_not_fit(fault: &str) {
        uk: "Відповіді моделі не відповідають потрібній формі. Спробуйте більшу модель. ({fault})",
        en: "The model’s answers do not fit the required form. Try a larger model. ({fault})",
    }
    fn streams(pieces: usize) {
        uk: "Передає відповідь частинами (частин: {pieces}).",
        en: "Sends its answer in pieces ({pieces}).",
    }
    fn does_not_stream() {
        uk: "Відповідає лише цілком; для роботи цього досить.",
        en: "Answers in one piece only; that is enough to work with.",
    }
    fn takes_no_pictures(fault: &str) {
        uk: "Зображень не приймає; агенти працюватимуть за текстом сторінки. ({fault})",
        en: "Takes no pictures; agents work by the text of pages. ({fault})",
    }
    fn sees_pictures() {
        uk: "Бачить зображення: прочитала число на ньому.",
        en: "Sees pictures: it read the number in one.",
    }
    fn did_not_see_picture(wanted: &str, answer: &str) {
        uk: "Зображення не побачила: на ньому {wanted}, а відповідь — «{answer}». Агенти працюватимуть за текстом сторінки.",
        en: "Did not see the picture: it shows {wanted}, and the answer was “{answer}”. Agents work by the text of pages.",
    }
    fn not_known(fault: &str) {
        uk: "Не з’ясовано: на сервері моделі сталася помилка. Перевірте його журнал. ({fault})",
        en: "Not known: the model server failed. Check its own log. ({fault})",
    }
}
