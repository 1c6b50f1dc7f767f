//! Answers of the command planner, and examples of commands.

texts! {
    /// Title of the take-over that a person asked for.
    fn your_turn() {
        uk: "Ваша черга на сторінці",
        en: "Your turn on the page",
    }
    /// The available commands.
    fn help() {
        uk: "Без моделі я виконую прості команди, по одній у рядку або через «потім»:\n\n\
            - відкрий example.com\n- натисни «Увійти», клацни «Рядок» з Control, утримуй «Запис» 2 секунди\n\
            - введи olena у поле «Логін»\n- заповни «Логін» значенням olena, «Місто» значенням Київ (одне запитання на всі поля)\n\
            - обери «Польща» у списку «Країна»\n\
            - познач «Подарункова упаковка», зніми позначку з «Розсилка»\n- натисни клавішу Enter\n\
            - прокрути вниз, прокрути до «Відгуки»\n- зачекай 2 секунди, зачекай, поки з’явиться «Дякуємо»; зачекай, поки зникне «Завантаження»\n\
            - знайди «Відгуки» (на всій сторінці), прочитай сторінку\n\
            - прочитай таблицю як CSV, прочитай стовпці «Назва», «Ціна» як JSON (рядки стануть файлом)\n\
            - виклич інструмент «search» з city: Київ (якщо сторінка має інструменти)\n\
            - додай файл звіт.pdf у поле «Фото» (файл прикріпіть скріпкою біля повідомлення)\n\
            - наведи на «Меню», перетягни «Картка» на «Готово», назад, вперед, онови\n- дай мені (керування переходить до вас), стоп\n\n\
            Діяти в точках знімка, де немає елементів, може лише агент із моделлю, яка бачить знімки.",
        en: "Without a model I carry out simple commands, one per line or joined by “then”:\n\n\
            - open example.com\n- click “Sign in”, click “Row” with Control, hold “Record” for 2 seconds\n\
            - type olena into “Login”\n- fill “Login” with olena, “City” with Kyiv (one question for all fields)\n\
            - select “Poland” in “Country”\n\
            - check “Gift wrap”, uncheck “Newsletter”\n- press Enter\n\
            - scroll down, scroll to “Reviews”\n- wait 2 seconds, wait until “Thank you” appears, wait until “Loading” is gone\n\
            - find “Reviews” (on the whole page), read the page\n\
            - read the table as CSV, read the columns “Name”, “Price” as JSON (the rows become a file)\n\
            - call the tool “search” with city: Kyiv (if the page has tools)\n\
            - upload report.pdf to “Photo” (attach the file with the paper clip beside the message)\n\
            - hover over “Menu”, drag “Card” to “Done”, back, forward, reload\n- let me (you take control), stop\n\n\
            Only an agent with a model that sees pictures can act at points of a picture, where there are no elements.",
    }
    /// Recommends a model for requests beyond the commands.
    fn model_would_help() {
        uk: "Щоб давати завдання своїми словами, під’єднайте мовну модель на сторінці «Модель».",
        en: "To give tasks in your own words, connect a language model on the page “Model”.",
    }
    /// Thought of a turn.
    fn command_thought(number: usize, count: usize, command: &str) {
        uk: "Команда {number} з {count}: {command}",
        en: "Command {number} of {count}: {command}",
    }
    fn no_text_on_page() {
        uk: "На сторінці немає тексту.",
        en: "There is no text on the page.",
    }
    fn nothing_found() {
        uk: "На сторінці цього не знайдено; може, воно з’явиться, якщо прокрутити, відкрити чи зачекати.",
        en: "Nothing on the page says this; it may come after scrolling, opening or waiting.",
    }
    /// Follows a found text.
    fn not_shown_now() { uk: "зараз не видно", en: "not shown now" }
    fn no_text_there() {
        uk: "Там немає тексту.",
        en: "There is no text there.",
    }
    /// Cut at the end of a page's text.
    fn more_characters(rest: usize) {
        uk: "… (і ще символів: {rest}; щоб прочитати певну частину, назвіть її)",
        en: "… ({rest} more characters; name a part to read just that)",
    }
    /// Head of the list of replaced commands.
    fn replaced_commands() {
        uk: "Решту попередніх команд не виконано:",
        en: "The rest of the earlier commands were not carried out:",
    }
    fn stopped_as_asked() {
        uk: "Зупинено, як ви просили.",
        en: "Stopped, as you asked.",
    }
    fn validation_failed(command: &str, fields: &str) {
        uk: "Після «{command}» сторінка не прийняла: {fields}.",
        en: "After “{command}” the page did not accept: {fields}.",
    }
    fn command_failed(command: &str, why: &str) {
        uk: "Не вдалося виконати «{command}»: {why}.",
        en: "“{command}” failed: {why}.",
    }
    fn outcome_unknown(command: &str) {
        uk: "Невідомо, чи встигла виконатися команда «{command}»: роботу було перервано. Перевірте сторінку і, якщо треба, дайте команду ще раз.",
        en: "It is not known whether “{command}” was carried out: the work was interrupted. Check the page and repeat the command if needed.",
    }
    fn action_not_allowed(command: &str, action: &str) {
        uk: "«{command}»: цей агент не може виконати дію `{action}`.",
        en: "“{command}”: this agent cannot do `{action}`.",
    }
    fn stopped_at(command: &str, why: &str) {
        uk: "Зупинився на «{command}»: {why}.",
        en: "Stopped at “{command}”: {why}.",
    }
    /// Label of the current page at the end of an answer.
    fn page_label() {
        uk: "Сторінка:",
        en: "Page:",
    }

    // Reasons why a command cannot be carried out.
    fn no_page() {
        uk: "ще не відкрито жодної сторінки; спершу відкрийте її, наприклад: відкрий example.com",
        en: "no page is open yet; open one first, for example: open example.com",
    }
    fn no_element(name: &str) {
        uk: "на сторінці немає «{name}»",
        en: "there is no “{name}” on the page",
    }
    fn element_disabled(name: &str) {
        uk: "елемент «{name}» зараз неактивний",
        en: "“{name}” is disabled right now",
    }
    fn field_read_only(name: &str) {
        uk: "у поле «{name}» не можна вписати; натисніть на нього і виберіть значення",
        en: "“{name}” cannot be typed into; click it and choose a value",
    }
    fn field_not_named() {
        uk: "не сказано, у яке поле",
        en: "it does not say which field",
    }
    fn unknown_command() {
        uk: "такої команди не знаю",
        en: "this command is not known",
    }
    fn no_option(value: &str) {
        uk: "у списку немає {value}",
        en: "the list has no {value}",
    }
    fn no_option_among(value: &str, names: &str) {
        uk: "у списку немає {value}; є {names}",
        en: "the list has no {value}; available: {names}",
    }
    fn no_file(name: &str) {
        uk: "файла {name} тут немає; прикріпіть його скріпкою біля повідомлення і повторіть команду",
        en: "there is no file {name} here; attach it with the paper clip beside the message and repeat the command",
    }
    fn no_file_among(name: &str, names: &str) {
        uk: "файла {name} тут немає; є {names}",
        en: "there is no file {name} here; there is {names}",
    }
    fn no_files_yet() {
        uk: "файлів тут ще немає; прикріпіть файл скріпкою біля повідомлення і повторіть команду",
        en: "there are no files here yet; attach one with the paper clip beside the message and repeat the command",
    }
    fn which_file(names: &str) {
        uk: "не сказано, який файл: є {names}",
        en: "it does not say which file: there is {names}",
    }
    fn unnamed_file_fields(count: usize) {
        uk: "на сторінці кілька полів для файлів без назви ({count}); назвіть кнопку, яка відкриває потрібне",
        en: "the page has {count} file fields without a name; name the button that opens the right one",
    }
    fn no_file_field() {
        uk: "на сторінці немає поля для файлів; якщо їх додають кнопкою, назвіть її, як-от «додай файл звіт.pdf у Вибрати файл»",
        en: "the page has no field for files; if a button opens one, name it, as in “upload report.pdf to Choose a file”",
    }
    fn which_file_field(names: &str) {
        uk: "не сказано, в яке поле: є {names}",
        en: "it does not say which field: there is {names}",
    }

    // Suggestions.
    fn not_understood(typed: &str) {
        uk: "Не розумію «{typed}».",
        en: "I don’t understand “{typed}”.",
    }
    fn did_you_mean() {
        uk: "Можливо, ви мали на увазі",
        en: "Did you mean",
    }
    /// Stands between two names.
    fn or() {
        uk: " або ",
        en: " or ",
    }

    // Examples, each a command that the planner understands.
    fn example_open() { uk: "відкрий example.com", en: "open example.com" }
    fn example_click() { uk: "клацни «Увійти»", en: "click “Sign in”" }
    fn example_press() { uk: "натисни «Увійти»", en: "press “Sign in”" }
    fn example_double_click() { uk: "двічі клацни «Рядок»", en: "double-click “Row”" }
    fn example_right_click() { uk: "клацни правою кнопкою «Рядок»", en: "right-click “Row”" }
    fn example_hold() { uk: "утримуй «Запис» 2 секунди", en: "hold “Record” for 2 seconds" }
    fn example_key() { uk: "натисни клавішу Enter", en: "press the key Enter" }
    fn example_type() { uk: "введи olena у поле «Логін»", en: "type olena into “Login”" }
    fn example_fill() { uk: "заповни «Логін»: olena", en: "fill “Login” with olena" }
    fn example_set() { uk: "постав «Країна» на «Польща»", en: "set “Country” to “Poland”" }
    fn example_clear() { uk: "очисти «Логін»", en: "clear “Login”" }
    fn example_select() { uk: "обери «Польща» у списку «Країна»", en: "select “Poland” in “Country”" }
    fn example_check() { uk: "познач «Подарункова упаковка»", en: "check “Gift wrap”" }
    fn example_uncheck() { uk: "зніми позначку з «Розсилка»", en: "uncheck “Newsletter”" }
    fn example_hover() { uk: "наведи на «Меню»", en: "hover over “Menu”" }
    fn example_upload() { uk: "додай файл звіт.pdf у поле «Фото»", en: "upload report.pdf to “Photo”" }
    fn example_drag() { uk: "перетягни «Картка» на «Готово»", en: "drag “Card” to “Done”" }
    fn example_scroll() { uk: "прокрути до «Відгуки»", en: "scroll to “Reviews”" }
    fn example_wait() { uk: "зачекай, поки з’явиться «Дякуємо»", en: "wait until “Thank you” appears" }
    fn example_back() { uk: "назад", en: "back" }
    fn example_forward() { uk: "вперед", en: "forward" }
    fn example_reload() { uk: "онови сторінку", en: "reload the page" }
    fn example_read() { uk: "прочитай сторінку", en: "read the page" }
    fn example_find() { uk: "знайди «Відгуки»", en: "find “Reviews”" }
    fn example_tool() { uk: "виклич інструмент «search» з city: Київ", en: "call the tool “search” with city: Kyiv" }
    fn example_need_user() { uk: "дай мені", en: "let me" }
    fn example_stop() { uk: "стоп", en: "stop" }
}
