//! Playback of scripts: descriptions of steps, the final response, and reasons why a script stopped.

keyed_texts! {
    /// Returns the verb of a step's action; a step without an action is a check.
    fn step_verb(action: &str) {
        "navigate" => { uk: "відкрити", en: "open" }
        "back" => { uk: "назад", en: "back" }
        "forward" => { uk: "вперед", en: "forward" }
        "reload" => { uk: "оновити", en: "reload" }
        "click" => { uk: "натиснути", en: "click" }
        "type" => { uk: "ввести", en: "type" }
        "fill" => { uk: "заповнити", en: "fill in" }
        "find" => { uk: "шукати", en: "find" }
        "select" => { uk: "вибрати", en: "select" }
        "upload" => { uk: "додати файл", en: "upload" }
        "hover" => { uk: "навести", en: "hover" }
        "drag" => { uk: "перетягнути", en: "drag" }
        "press" => { uk: "клавіша", en: "press" }
        "scroll" => { uk: "прокрутити", en: "scroll" }
        "wait" => { uk: "зачекати", en: "wait" }
        "dialog" => { uk: "відповісти на діалог", en: "answer the dialog" }
        "tab" => { uk: "вкладка", en: "tab" }
        "extract" => { uk: "прочитати", en: "read" }
        "page_tool" => { uk: "інструмент сторінки", en: "page tool" }
        "need_user" => { uk: "потрібна ваша допомога", en: "your help is needed" }
        "ask_user" => { uk: "запитати", en: "ask" }
        "stop" | "complete" => { uk: "завершити", en: "finish" }
        "" => { uk: "перевірити", en: "check" }
    }
}

texts! {
    fn step_number(number: usize, count: usize) {
        uk: "Крок {number} з {count}",
        en: "Step {number} of {count}",
    }
    /// Precedes the text next to an element.
    fn near() {
        uk: "біля",
        en: "near",
    }
    /// Precedes the name of a frame.
    fn in_frame() {
        uk: "у фреймі",
        en: "in the frame",
    }
    fn without_name() {
        uk: "без назви",
        en: "without a name",
    }
    fn model_found_no_way() {
        uk: "Модель теж не знайшла, як це зробити",
        en: "The model did not find a way either",
    }
    /// Asks the person to type secrets that were not given.
    fn type_yourself(fields: &str) {
        uk: "Візьміть керування, введіть самі {fields} і поверніть керування: такі значення ніде не зберігаються.",
        en: "Take over, type {fields} yourself, and hand control back: such values are never stored.",
    }
    fn give_file(file: &str) {
        uk: "Додайте до завдання файл {file} і натисніть «Готово».",
        en: "Add the file {file} to the task, then press “Done”.",
    }
    fn all_steps_done(count: usize) {
        uk: "Готово: виконано всі кроки сценарію ({count}).",
        en: "Done: all steps of the script were completed ({count}).",
    }
    /// Head of the list of steps that a model repaired.
    fn steps_mended() {
        uk: "Модель виправила кроки, що змінилися; збережіть агента, щоб наступного разу обійтися без неї:",
        en: "A model fixed steps that had changed; save the agent to do without it next time:",
    }
    /// Reply to a message sent while the script is played.
    fn takes_no_messages() {
        uk: "Цей агент виконує свій сценарій крок за кроком і команд у процесі не приймає. Щоб зупинити його, натисніть «Зупинити».",
        en: "This agent follows its script step by step and takes no commands along the way. Press “Stop” to end it.",
    }

    fn stopped_at_step(number: usize, count: usize, step: &str, why: &str) {
        uk: "Зупинився на кроці {number} з {count} ({step}): {why}.",
        en: "Stopped at step {number} of {count} ({step}): {why}.",
    }
    fn no_element(element: &str) {
        uk: "немає: {element}",
        en: "there is no {element}",
    }
    fn nothing_similar() {
        uk: "; на сторінці немає нічого такого",
        en: "; the page has nothing similar",
    }
    fn closest_matches(elements: &str) {
        uk: "; найближче до цього: {elements}",
        en: "; the closest matches are: {elements}",
    }
    fn not_near(count: usize, element: &str) {
        uk: "таких елементів є {count}, але не там: {element}",
        en: "{count} elements have that name, but none is {element}",
    }
    fn no_frame(element: &str, frames: &str) {
        uk: "немає такого фрейму: {element}; є: {frames}",
        en: "there is no such frame: {element}; there are: {frames}",
    }
    fn several_elements(count: usize, element: &str, positions: &str) {
        uk: "таких елементів кілька ({count}): {element}; вони біля {positions}; допишіть `near`",
        en: "there are {count} of them: {element}, next to {positions}; add `near`",
    }
    fn element_disabled(element: &str) {
        uk: "{element}: зараз неактивний елемент",
        en: "{element} is there but disabled",
    }
    fn text_not_shown(wanted: &str, seen: &str) {
        uk: "на сторінці мав бути текст {wanted}, а видно {seen}",
        en: "the page was expected to show {wanted}, but it shows {seen}",
    }
    fn address_differs(wanted: &str, seen: &str) {
        uk: "мала відкритися адреса {wanted}, а видно {seen}",
        en: "the address was expected to be {wanted}, but it is {seen}",
    }
    fn title_differs(wanted: &str, seen: &str) {
        uk: "заголовок сторінки мав містити {wanted}, а видно {seen}",
        en: "the page’s title was expected to contain {wanted}, but it is {seen}",
    }
    fn page_rejects(fields: &str) {
        uk: "; сторінка не приймає: {fields}",
        en: "; the page does not accept: {fields}",
    }
    fn step_declined(words: &str) {
        uk: "ви відхилили його зі словами {words}, а сценарій іншого шляху не знає",
        en: "you declined it, saying {words}, and the script knows no other way",
    }
    fn step_outcome_unknown() {
        uk: "роботу було перервано, і невідомо, чи він устиг виконатися; перевірте сторінку. Напишіть будь-що, щоб повторити його",
        en: "the work was interrupted, and it is not known whether this step was done; check the page. Send any message to repeat it",
    }
    fn step_unfilled(fault: &str) {
        uk: "не вдалося заповнити: {fault}",
        en: "it cannot be filled in: {fault}",
    }
    fn no_line_matches(pattern: &str) {
        uk: "у прочитаному немає рядка {pattern}",
        en: "no line of what was read matches {pattern}",
    }
}
