//! Fixed texts of the command planner's answers, in both languages.

use crate::protocol::Locale;

/// Returns the text for a person who takes control.
pub fn your_turn(locale: Locale) -> &'static str {
    locale.pick("Ваша черга на сторінці", "Your turn on the page")
}

/// Explains that a command needs a page and none is open.
pub fn no_page(locale: Locale) -> &'static str {
    locale.pick(
        "ще не відкрито жодної сторінки; спершу відкрийте її, наприклад: відкрий example.com",
        "no page is open yet; open one first, for example: open example.com",
    )
}

/// Lists the available commands.
pub fn help(locale: Locale) -> &'static str {
    let uk = "Без моделі я виконую прості команди, по одній у рядку або через «потім»:\n\n\
            - відкрий example.com\n- натисни «Увійти»\n- введи olena у поле «Логін»\n- обери «Польща» у списку «Країна»\n\
            - познач «Подарункова упаковка», зніми позначку з «Розсилка»\n- натисни клавішу Enter\n\
            - прокрути вниз, прокрути до «Відгуки»\n- зачекай 2 секунди, зачекай, поки з’явиться «Дякуємо»\n\
            - додай файл звіт.pdf у поле «Фото» (файл прикріпіть скріпкою біля повідомлення)\n\
            - прочитай сторінку, наведи на «Меню», назад, вперед, онови\n- дай мені (керування переходить до вас), стоп";
    let en = "Without a model I carry out simple commands, one per line or joined by “then”:\n\n\
            - open example.com\n- click “Sign in”\n- type olena into “Login”\n- select “Poland” in “Country”\n\
            - check “Gift wrap”, uncheck “Newsletter”\n- press Enter\n\
            - scroll down, scroll to “Reviews”\n- wait 2 seconds, wait until “Thank you” appears\n\
            - upload report.pdf to “Photo” (attach the file with the paper clip beside the message)\n\
            - read the page, hover over “Menu”, back, forward, reload\n- let me (you take control), stop";
    locale.pick(uk, en)
}

/// Recommends a model for requests beyond the commands.
pub fn model_would_help(locale: Locale) -> &'static str {
    locale.pick(
        "Щоб давати завдання своїми словами, під’єднайте мовну модель на сторінці «Модель».",
        "To give tasks in your own words, connect a language model on the page “Model”.",
    )
}

/// True if the text asks for the available commands.
pub fn is_call_for_help(said: &str) -> bool {
    let said = said.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    matches!(
        said.as_str(),
        "" | "help" | "what can you do" | "допомога" | "допоможи" | "довідка" | "що ти вмієш" | "що ти можеш"
    )
}

/// Translates error codes of the browser that people meet; the browser's own messages are in English, for
/// models.
pub fn in_ukrainian(code: &str) -> Option<&'static str> {
    Some(match code {
        "dead_eid" => "елемент зник зі сторінки",
        "changed_eid" => "елемент змінився",
        "hidden" | "zero_size" => "елемента не видно",
        "disabled" | "inert" => "елемент зараз неактивний",
        "covered" => "елемент закрито чимось іншим",
        "moving" => "елемент рухається",
        "not_editable" | "readonly" => "сюди не можна вводити текст",
        "not_select" | "invalid_option" => "у списку немає такого",
        "bad_value" => "поле не приймає такого значення",
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
        "not_taken" => "сюди не можна перетягнути",
        "no_page" => "ще не відкрито жодної сторінки",
        _ => return None,
    })
}

/// Returns the name of a role for people; English role names are used as they are.
pub fn role_word(role: &str, locale: Locale) -> &str {
    let uk = match role {
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
        _ => "елемент",
    };
    locale.pick(uk, role)
}
