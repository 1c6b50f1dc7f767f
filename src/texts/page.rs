//! Pages and browsers: error codes, roles, take-overs, conditions of a plan, and actions that do not fit the page.

use crate::protocol::Locale;
use crate::texts::quote;

translations! {
    /// Translates error codes of the browser that people meet; the browser's own messages are in English, for
    /// models.
    fn error_in_ukrainian(code: &str) {
        "dead_eid" => "елемент зник зі сторінки",
        "changed_eid" => "елемент змінився",
        "hidden" | "zero_size" => "елемента не видно",
        "disabled" | "inert" => "елемент зараз неактивний",
        "covered" => "елемент закрито чимось іншим",
        "moving" => "елемент рухається",
        "not_editable" | "readonly" => "сюди не можна вводити текст",
        "not_select" | "invalid_option" => "у списку немає такого",
        "bad_value" => "поле не приймає такого значення",
        "other_site" => "PDF на іншому сайті; його відкриває перехід за адресою",
        "invalid_key" => "такої клавіші немає",
        "secret_misplaced" => "секрет не введено: це поле або цей сайт не для нього",
        "bad_url" => "це не адреса",
        "navigation_failed" => "сторінка не відкрилася",
        "timeout" => "сторінка довго не відповідає",
        "browser_crashed" | "browser_failed" => "браузер зупинився",
        "lease_held" | "no_lease" => "сторінкою зараз керує людина",
        "not_a_browser_action" => "цього браузер не вміє",
        "protocol" => "браузер відповів не так, як мав би",
        "approval_void" => "сторінка вже не та, яку ви схвалили, тож нічого не зроблено",
        "focus_moved" => "фокус перейшов деінде, тож клавішу не натиснуто",
        "blocked" => "ця адреса закрита для агента",
        "unresponsive" => "сторінка не відповідає",
        "dialog_open" => "сторінка відкрила діалог і чекає на відповідь",
        "no_file_field" => "цей елемент не приймає файлів",
        "one_file" => "поле приймає один файл",
        "no_file" => "у завдання немає такого файла",
        "no_dialog" => "відкритого діалогу немає",
        "no_effect" => "на сторінці нічого не змінилося",
        "bad_schema" => "схема рядків непридатна",
        "no_rows" => "на сторінці немає таблиці чи списку з такими рядками",
        "unreadable_file" => "файл не вдалося прочитати: він не PDF і не текст, пошкоджений, просить пароль або завеликий",
        "picture_changed" => "сторінка вже виглядає інакше, ніж на знімку",
        "not_taken" => "сюди не можна перетягнути",
        "stale_tool" => "сторінка вже не має такого інструмента, або він змінився",
        "tool_failed" => "інструмент сторінки повідомив про помилку",
        "no_page" => "ще не відкрито жодної сторінки",
        "sent_unasked" => "сторінка надіслала щось, про що вас не спитали",
    }

    /// Names a role; any other is an element.
    fn role_in_ukrainian(role: &str) {
        "button" => "кнопка",
        "link" => "посилання",
        "textbox" | "searchbox" | "spinbutton" => "поле",
        "combobox" | "listbox" => "список",
        "checkbox" => "прапорець",
        "switch" => "перемикач",
        "radio" => "варіант",
        "tab" => "вкладка",
        "menuitem" | "menuitemcheckbox" | "menuitemradio" => "пункт меню",
        "option" | "treeitem" => "пункт",
        "slider" => "повзунок",
        "heading" => "заголовок",
        "element" => "елемент",
    }
}

/// Returns the text of a browser error in the reader's language, if its own English message is not that.
pub(crate) fn translated_error(code: &str, locale: Locale) -> Option<&'static str> {
    match locale {
        Locale::Uk => error_in_ukrainian(code),
        Locale::En => None,
    }
}

/// Says that an element is not on the page, for planners.
pub(crate) fn no_element(eid: u32, locale: Locale) -> String {
    format!("{}{}", element_not_there(eid, locale), take_number_in_brackets(locale))
}

/// Writes an error for people, who read names of elements where planners read numbers. `name_of` returns the name of an
/// element that is known, which may be empty.
pub(crate) fn error_for_people(
    code: &str,
    message: &str,
    name_of: &dyn Fn(u32) -> Option<String>,
    locale: Locale,
) -> String {
    let message = message.strip_suffix(take_number_in_brackets(locale)).unwrap_or(message);
    let Some(translated) = translated_error(code, locale) else {
        return replace_numbers(message, name_of, locale);
    };
    let mut names = numbers_in(message).filter_map(|(_, _, eid)| name_of(eid));
    match names.find(|name| !name.trim().is_empty()) {
        Some(name) => format!("{}: {translated}", quote(&name, locale)),
        None => translated.to_owned(),
    }
}

/// Replaces numbers of elements by their names, and removes those that follow a name in quotes.
fn replace_numbers(message: &str, name_of: &dyn Fn(u32) -> Option<String>, locale: Locale) -> String {
    let (mut out, mut from) = (String::new(), 0);
    for (start, end, eid) in numbers_in(message) {
        let Some(name) = name_of(eid) else { continue };
        let before = message.get(from..start).unwrap_or_default();
        let named = before.strip_suffix(' ').filter(|before| before.ends_with(['"', '\'']));
        match named {
            Some(before) => out.push_str(before),
            None if name.trim().is_empty() => {
                out.push_str(before);
                out.push_str(element_of_action(locale));
            }
            None => {
                out.push_str(before);
                out.push_str(&quote(&name, locale));
            }
        }
        from = end;
    }
    out.push_str(message.get(from..).unwrap_or_default());
    out
}

/// Returns the numbers of elements in a message, `[29]` or `[eid 29]`, with the bytes where each begins and ends.
fn numbers_in(message: &str) -> impl Iterator<Item = (usize, usize, u32)> {
    message.match_indices('[').filter_map(move |(start, _)| {
        let inner = message.get(start + 1..)?.split_once(']')?.0;
        let eid = inner.strip_prefix("eid ").unwrap_or(inner).parse().ok()?;
        Some((start, start + inner.len() + 2, eid))
    })
}

/// Returns the name of a role for people; English role names are used as they are.
pub(crate) fn role_name(role: &str, locale: Locale) -> &str {
    match locale {
        Locale::Uk => role_in_ukrainian(role).or_else(|| role_in_ukrainian("element")).unwrap_or(role),
        Locale::En => role,
    }
}

texts! {
    fn waiting_for_browser(slots: usize, ahead: usize) {
        uk: "Чекаю на вільний браузер: зайнято всі місця ({slots}), попереду в черзі: {ahead}.",
        en: "Waiting for a free browser: all slots ({slots}) are in use, ahead in line: {ahead}.",
    }
    fn waiting_for_profile(name: &str) {
        uk: "Чекаю на профіль браузера «{name}»: його використовує інше завдання.",
        en: "Waiting for the browser profile “{name}”: another task is using it.",
    }
    fn browser_crashed() {
        uk: "Браузер раптово закрився. Відкриваю сторінку знову і дивлюся, що на ній.",
        en: "The browser closed unexpectedly. Opening the page again to see what is on it.",
    }
    fn opening_start_page() {
        uk: "Відкриваю початкову сторінку.",
        en: "Opening the start page.",
    }
    fn start_page_not_opened(start: &str, why: &str) {
        uk: "Не вдалося відкрити початкову сторінку {start}: {why}.",
        en: "Could not open the start page {start}: {why}.",
    }
    fn plan_not_changed(fault: &str) {
        uk: "План не змінено: {fault}.",
        en: "The plan was not changed: {fault}.",
    }

    // Conditions of an item of the plan.
    fn condition_not_true(condition: &str) {
        uk: "не справдилося: {condition}",
        en: "not true: {condition}",
    }
    fn address_contains(value: &str) {
        uk: "адреса містить «{value}»",
        en: "the address contains “{value}”",
    }
    fn page_shows(value: &str) {
        uk: "сторінка показує «{value}»",
        en: "the page shows “{value}”",
    }
    fn file_exists(name: &str) {
        uk: "є файл «{name}»",
        en: "there is a file “{name}”",
    }

    // Secrets that were not typed.
    fn secret_gone() {
        uk: "не введено: секрет не зберігається і після перезапуску його вже немає",
        en: "not typed: the secret is never stored, so it was lost in the restart",
    }
    fn secret_misplaced() {
        uk: "не введено: секрет вводиться лише в поле пароля, коду або картки",
        en: "not typed: a secret may only go into a password, code or card field",
    }

    // Actions that do not fit the page.
    fn element_not_there(eid: u32) {
        uk: "на сторінці зараз немає елемента [{eid}]",
        en: "there is no element [{eid}] on the page as it is now",
    }
    /// Advice to planners, which people are not shown.
    fn take_number_in_brackets() {
        uk: "; візьміть число в дужках із тексту сторінки",
        en: "; use a number in brackets from the page text",
    }
    fn element_of_action() {
        uk: "елемент",
        en: "the element",
    }
    fn is_disabled(element: &str) {
        uk: "{element} неактивний елемент; спершу треба зробити щось інше",
        en: "{element} is disabled; something else has to be done first",
    }
    fn not_filled_in(fields: &str) {
        uk: "не заповнено як слід: {fields}",
        en: "not filled in correctly: {fields}",
    }
    fn no_file_of_run(missing: &str, there: &str) {
        uk: "у цього запуску немає файла «{missing}»; є: {there}; попросіть людину додати його (need_user)",
        en: "this run has no file \"{missing}\"; it has: {there}; ask the person to add it (need_user)",
    }
    fn turn_without_action() {
        uk: "відповідь не має дії і не завершує роботу; потрібна одна дія або `stop`: true",
        en: "the turn has no action and does not stop; give one action, or `stop`: true",
    }
    fn no_picture_for_points() {
        uk: "точки рахуються на знімку сторінки, а цей агент знімків не бачить; назвіть елемент його номером",
        en: "points count on a picture of the page, and this agent sees none; name an element by its eid",
    }
    fn no_open_dialog() {
        uk: "сторінка зараз нічого не питає: відкритого діалогу немає",
        en: "the page asks nothing now: there is no open dialog",
    }
    fn no_page_tool(name: &str, known: &str) {
        uk: "сторінка не має інструмента {name}; вона має: {known}",
        en: "the page has no tool {name}; it has: {known}",
    }
    fn page_tool_arguments(name: &str, faults: &str) {
        uk: "інструмент сторінки {name} не приймає цих аргументів: {faults}",
        en: "the page’s tool {name} does not take these arguments: {faults}",
    }
    fn secret_for_page_tool(place: &str) {
        uk: "`{place}`: секрети не дають інструментам сторінки; введи його в поле сторінки або попроси людину (need_user)",
        en: "`{place}`: no secret is given to a page’s tool; type it into a field of the page, or ask the person (need_user)",
    }
    fn no_secret_names() {
        uk: "жодного",
        en: "none",
    }
    fn unknown_secret(known: &str) {
        uk: "секрету з такою назвою немає; відомі: {known}",
        en: "there is no secret of that name; known ones: {known}",
    }
    fn secret_beside_text(known: &str) {
        uk: "назва секрету має бути всім текстом, без іншого поруч; відомі: {known}",
        en: "a secret's name must be the whole text, with nothing beside it; known ones: {known}",
    }
    fn no_page_to_act_on() {
        uk: "немає сторінки, на якій діяти; спершу відкрийте її (navigate)",
        en: "there is no page to act on; navigate first",
    }
    fn is_read_only(element: &str) {
        uk: "{element} лише для читання",
        en: "{element} is read-only",
    }
    fn takes_no_text(element: &str) {
        uk: "{element} не приймає тексту; вводити можна в textbox, searchbox, combobox, spinbutton або slider",
        en: "{element} takes no text; type into a textbox, searchbox, combobox, spinbutton or slider",
    }

    // Report after a person's take-over; names from the page are quoted.
    fn page_handed_back(changes: &str) {
        uk: "Людина повернула сторінку; {changes}.",
        en: "The person handed the page back; {changes}.",
    }
    fn changes_unknown() {
        uk: "що на ній змінилося, з’ясувати не вдалося, тож її буде переглянуто знову",
        en: "the changes could not be determined, so the page is observed again",
    }
    fn no_changes_found() {
        uk: "відмінностей в адресі, назві, полях і тексті не знайдено; її буде переглянуто знову",
        en: "no changes were found in its address, title, fields and text; the page is observed again",
    }
    fn page_went(from: &str, to: &str) {
        uk: "сторінка перейшла з {from} на {to}",
        en: "the page went from {from} to {to}",
    }
    fn title_is_now(title: &str) {
        uk: "її назва тепер {title}",
        en: "its title is now {title}",
    }
    fn open_tabs(before: u32, now: u32) {
        uk: "вкладок було {before}, тепер {now}",
        en: "open tabs: {before}, now {now}",
    }
    fn seems_signed_in() {
        uk: "форми входу з паролем більше немає: схоже, вхід виконано",
        en: "the page no longer asks for a password: the person seems to have signed in",
    }
    fn another_document() {
        uk: "за тією самою адресою тепер інший документ",
        en: "another document stands at the same address",
    }
    fn fields_changed(names: &str) {
        uk: "змінено поля: {names}",
        en: "these fields were changed: {names}",
    }
    fn fields_appeared(names: &str) {
        uk: "з’явилися поля: {names}",
        en: "these fields are new: {names}",
    }
    fn fields_gone(names: &str) {
        uk: "зникли поля: {names}",
        en: "these fields are gone: {names}",
    }
    fn dialogs_opened(names: &str) {
        uk: "відкрилися вікна: {names}",
        en: "these dialogs have opened: {names}",
    }
    fn frames_changed() {
        uk: "вбудовані в неї сторінки тепер інші",
        en: "its frames are others, or show another document",
    }
    fn text_changed() {
        uk: "її текст змінився",
        en: "what it says has changed",
    }
    fn more_names(count: usize) {
        uk: "і ще {count}",
        en: "and {count} more",
    }
}

#[cfg(test)]
mod error_tests {
    use super::*;

    // Planners read numbers in these messages; a person has never seen one.
    #[test]
    fn people_read_names_in_place_of_numbers() {
        let name_of = |eid: u32| match eid {
            29 => Some(String::from("Email")),
            30 => Some(String::new()),
            _ => None,
        };
        for (code, message, en, uk) in [
            (
                "dead_eid",
                "field [29]: textbox 'Email' [29] is gone: the page has changed ([30] filled)",
                "field “Email”: textbox 'Email' is gone: the page has changed (the element filled)",
                "«Email»: елемент зник зі сторінки",
            ),
            (
                "changed_eid",
                "[eid 29] was link \"A\" and is link \"B\" now; look again",
                "“Email” was link \"A\" and is link \"B\" now; look again",
                "«Email»: елемент змінився",
            ),
            (
                "no_effect",
                "[30] is not checked",
                "the element is not checked",
                "на сторінці нічого не змінилося",
            ),
            ("of_none", "row [7] of [x]", "row [7] of [x]", "row [7] of [x]"),
        ] {
            assert_eq!(error_for_people(code, message, &name_of, Locale::En), en);
            assert_eq!(error_for_people(code, message, &name_of, Locale::Uk), uk);
        }
        for (locale, told) in [
            (Locale::En, "there is no element “Email” on the page as it is now"),
            (Locale::Uk, "на сторінці зараз немає елемента «Email»"),
        ] {
            assert_eq!(error_for_people("invalid_action", &no_element(29, locale), &name_of, locale), told);
        }
    }
}
