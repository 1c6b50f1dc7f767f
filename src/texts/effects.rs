//! Effects of actions: one sentence in English for planners, and the same for people in both languages. Planners read
//! numbers of elements and quoted texts; people read names.

use crate::page::text::quoted;
use crate::protocol::Locale;
use crate::protocol::action_effect::{ActionEffect, PageThing, StateChange};
use crate::texts::quote;
use crate::turn::page_range::write_range;

texts! {
    fn page_says(words: &str) { uk: "сторінка повідомляє: {words}", en: "the page says: {words}" }
    fn heading_now(words: &str) { uk: "тепер заголовок {words}", en: "heading now {words}" }
    fn now_at(address: &str) { uk: "тепер відкрито {address}", en: "now at {address}" }
    fn state_came(state: &str) { uk: "новий стан: {state}", en: "{state} now" }
    fn state_went(state: &str) { uk: "більше не в стані: {state}", en: "not {state} any more" }
    fn value_now(value: &str) { uk: "тепер значення {value}", en: "value now {value}" }
    fn value_as_before(value: &str) { uk: "значення {value}, як і було", en: "value {value} as before" }
    fn opened(thing: &str) { uk: "відкрилося: {thing}", en: "opened {thing}" }
    fn closed(thing: &str) { uk: "закрилося: {thing}", en: "closed {thing}" }
    fn focus_moved(thing: &str) { uk: "фокус тепер тут: {thing}", en: "focus moved to {thing}" }
    fn text_selected(words: &str) { uk: "виділено {words}", en: "selected {words}" }
    fn one_thing_appeared() { uk: "з’явилося щось нове", en: "1 thing appeared" }
    fn words_appeared(words: &str) { uk: "з’явилося {words}", en: "{words} appeared" }
    fn things_appeared(count: usize) { uk: "з’явилося нового: {count}", en: "{count} things appeared" }
    fn page_scrolled() { uk: "сторінка прокрутилася", en: "the page scrolled" }
    fn element_gone() { uk: "цього елемента на сторінці вже немає", en: "it is gone from the page" }
    fn something_gone() { uk: "щось зникло зі сторінки", en: "something is gone from the page" }
    fn page_changed() { uk: "сторінка змінилася", en: "the page changed" }
    fn looks_changed() { uk: "змінився лише вигляд сторінки", en: "only looks changed on the page" }
    fn nothing_beside_drawing() {
        uk: "крім малюнка, нічого не змінилося; дивіться на знімок",
        en: "nothing changed beside the drawing; look at the picture",
    }
    fn nothing_changed() { uk: "на сторінці нічого не змінилося", en: "nothing on the page changed" }
    fn one_request_sent() { uk: "надіслано 1 запит", en: "1 request was sent" }
    fn requests_sent(count: usize) { uk: "надіслано запитів: {count}", en: "{count} requests were sent" }
    fn request_open() { uk: "відповіді на запит ще немає", en: "a request is still open" }
    fn secret_typed() { uk: "секрет введено", en: "the secret was typed" }
    fn tab_opened(number: u32, count: u32) {
        uk: "відкрилася нова вкладка ({number} з {count})",
        en: "a new tab opened ({number} of {count})",
    }
    fn dialog_asks(message: &str) { uk: "сторінка питає: {message}", en: "the page asks: {message}" }
    fn download_coming() { uk: "файл іще завантажується", en: "a download is still on its way" }
    fn sent_by_itself(field: &str) {
        uk: "сторінка сама надіслала форму, щойно заповнено {field}",
        en: "the page sent the form by itself when {field} was set",
    }
    fn not_filled(fields: &str) { uk: "не заповнено: {fields}", en: "not filled: {fields}" }
    fn enter_left_out() {
        uk: "Enter не натиснуто, щоб не надіслати двічі",
        en: "Enter was not pressed, that nothing is sent twice",
    }
    fn tool_form_filled() {
        uk: "форму інструмента заповнено, але не надіслано; її надсилає кнопка на сторінці",
        en: "the form of the tool is filled in and not sent; its button on the page sends it",
    }
    fn rows_stored(count: usize, file: &str) { uk: "рядків: {count}, у файлі {file}", en: "{count} rows in {file}" }
    fn rows_over_bound(count: usize, most: usize) {
        uk: "рядків пропущено: {count}, бо читаються лише перші {most}",
        en: "{count} more rows left out: only the first {most} are read",
    }
    fn values_unfit(names: &str) {
        uk: "залишено порожнім, бо значення іншого типу: {names}",
        en: "left empty, as of another type: {names}",
    }
    fn columns_missing(names: &str) {
        uk: "на сторінці немає нічого для: {names}",
        en: "nothing on the page stands for: {names}",
    }
    fn names_unread(names: &str) {
        uk: "прочитано лише список рядків, без: {names}",
        en: "only the list of rows is read, not: {names}",
    }
    fn rows_from_model() {
        uk: "рядки прочитала модель у тексті сторінки",
        en: "a model read them in the text of the page",
    }
    fn values_invented(values: &str) {
        uk: "вилучено, бо на сторінці цього немає: {values}",
        en: "left out, as not on the page: {values}",
    }
    fn rows_invented(count: usize) {
        uk: "вилучено рядків, з яких на сторінці немає нічого: {count}",
        en: "{count} rows left out, of which nothing is on the page",
    }
    fn fields_lacking(names: &str) {
        uk: "обов’язкове, але є не в кожному рядку: {names}",
        en: "required, and not told in every row: {names}",
    }
    fn text_unread(parts: &str) { uk: "не прочитано: {parts}", en: "not read: {parts}" }
    fn unread_parts(count: usize) { uk: "частин сторінки: {count}", en: "{count} parts of the page" }
    fn model_gave_no_rows() {
        uk: "модель рядків не прочитала; ці взято зі структури сторінки",
        en: "a model could not read the rows; these come from the structure of the page",
    }
    fn pages_read(pages: &str, of: u32) { uk: "прочитано сторінки {pages} з {of}", en: "read pages {pages} of {of}" }
    fn pages_left(pages: &str) { uk: "ще не прочитано: {pages}", en: "not read yet: {pages}" }
    fn pictures_hidden(pages: &str) {
        uk: "без знімків сторінок із секретом: {pages}",
        en: "without pictures of pages that show a secret: {pages}",
    }
    fn and_more(count: usize) { uk: "і ще {count}", en: "and {count} more" }
}

keyed_texts! {
    fn known_state_came(state: &str) {
        "checked" => { uk: "позначено", en: "checked now" }
        "mixed" => { uk: "позначено частково", en: "mixed now" }
        "pressed" => { uk: "натиснуто", en: "pressed now" }
        "selected" => { uk: "обрано", en: "selected now" }
        "expanded" => { uk: "розгорнуто", en: "expanded now" }
        "collapsed" => { uk: "згорнуто", en: "collapsed now" }
        "disabled" => { uk: "стало неактивним", en: "disabled now" }
        "invalid" => { uk: "значення не прийнято", en: "invalid now" }
        "readonly" => { uk: "тепер лише для читання", en: "readonly now" }
    }
    fn known_state_went(state: &str) {
        "checked" => { uk: "позначку знято", en: "unchecked now" }
        "pressed" => { uk: "уже не натиснуто", en: "not pressed any more" }
        "selected" => { uk: "уже не обрано", en: "not selected any more" }
        "disabled" => { uk: "стало активним", en: "not disabled any more" }
        "invalid" => { uk: "значення вже прийнято", en: "not invalid any more" }
        "readonly" => { uk: "уже можна змінювати", en: "not readonly any more" }
    }
    /// Names a thing of a page for people; any other is an element.
    fn thing_name(role: &str) {
        "dialog" | "alertdialog" => { uk: "вікно", en: "dialog" }
        "menu" | "menubar" => { uk: "меню", en: "menu" }
        "listbox" | "combobox" => { uk: "список", en: "list" }
        "tooltip" => { uk: "підказка", en: "tooltip" }
        "alert" => { uk: "попередження", en: "alert" }
        "status" => { uk: "повідомлення", en: "message" }
        "textbox" | "searchbox" | "spinbutton" => { uk: "поле", en: "field" }
        "button" => { uk: "кнопка", en: "button" }
        "link" | "a" => { uk: "посилання", en: "link" }
        "checkbox" => { uk: "прапорець", en: "checkbox" }
        "switch" => { uk: "перемикач", en: "switch" }
        "radio" => { uk: "варіант", en: "option" }
        "tab" => { uk: "вкладка", en: "tab" }
        "menuitem" | "menuitemcheckbox" | "menuitemradio" => { uk: "пункт меню", en: "menu item" }
        "option" | "treeitem" => { uk: "пункт", en: "item" }
        "slider" => { uk: "повзунок", en: "slider" }
        "heading" => { uk: "заголовок", en: "heading" }
        "region" | "group" | "form" => { uk: "частина сторінки", en: "part of the page" }
        "element" => { uk: "елемент", en: "element" }
    }
}

/// Writes the sentence that planners read.
pub(crate) fn describe_for_planner(effects: &[ActionEffect]) -> String {
    Writer { locale: Locale::En, name_of: None }.join(effects)
}

/// Writes the sentence for people; `name_of` returns the name of an element of the action.
pub(crate) fn describe_for_people(
    effects: &[ActionEffect],
    name_of: &dyn Fn(u32) -> Option<String>,
    locale: Locale,
) -> String {
    let sentence = Writer { locale, name_of: Some(name_of) }.join(effects);
    let mut letters = sentence.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

struct Writer<'a> {
    locale: Locale,
    /// Names of elements, for people; planners read their numbers.
    name_of: Option<&'a dyn Fn(u32) -> Option<String>>,
}

impl Writer<'_> {
    fn join(&self, effects: &[ActionEffect]) -> String {
        let parts = effects.iter().map(|effect| self.effect(effect)).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("; ")
    }

    fn effect(&self, effect: &ActionEffect) -> String {
        let locale = self.locale;
        match effect {
            ActionEffect::Says { text } if self.name_of.is_none() => format!("says: {}", self.words(text)),
            ActionEffect::Says { text } => page_says(&self.words(text), locale),
            ActionEffect::HeadingNow { text } => heading_now(&self.words(text), locale),
            ActionEffect::Moved { url } => now_at(&self.words(url), locale),
            ActionEffect::ElementChanged { eid, among, changes } => self.changes(*eid, *among, changes),
            ActionEffect::Opened(thing) => opened(&self.thing(thing), locale),
            ActionEffect::Closed(thing) => closed(&self.thing(thing), locale),
            ActionEffect::FocusMoved(thing) => focus_moved(&self.thing(thing), locale),
            ActionEffect::TextSelected { text } => text_selected(&self.words(text), locale),
            ActionEffect::Appeared { count: 1, text } if text.is_empty() => {
                one_thing_appeared(locale).to_owned()
            }
            ActionEffect::Appeared { count: 1, text } => words_appeared(&self.words(text), locale),
            ActionEffect::Appeared { count, .. } => things_appeared(*count, locale),
            ActionEffect::RequestsSent { count: 1 } => one_request_sent(locale).to_owned(),
            ActionEffect::RequestsSent { count } => requests_sent(*count, locale),
            ActionEffect::TabOpened { number, count } => tab_opened(*number, *count, locale),
            ActionEffect::DialogAsks { message } => dialog_asks(&self.words(message), locale),
            ActionEffect::SentByItself { eid, unfilled, enter_left_out } => {
                self.sent_form(*eid, unfilled, *enter_left_out)
            }
            other => plain_effect(other, locale).map_or_else(|| self.reading(other), str::to_owned),
        }
    }

    /// Describes what is to be known about a reading.
    fn reading(&self, effect: &ActionEffect) -> String {
        let locale = self.locale;
        let pages = |pages: &[u32]| write_range(pages);
        match effect {
            ActionEffect::RowsStored { count, file } => rows_stored(*count, file, locale),
            ActionEffect::RowsOverBound { count, most } => rows_over_bound(*count, *most, locale),
            ActionEffect::ValuesUnfit { names } => values_unfit(&names.join(", "), locale),
            ActionEffect::ColumnsMissing { names } => columns_missing(&names.join(", "), locale),
            ActionEffect::NamesUnread { names } => names_unread(&names.join(", "), locale),
            ActionEffect::ValuesInvented { values, more } => {
                values_invented(&list_some(values, *more, locale), locale)
            }
            ActionEffect::RowsInvented { count } => rows_invented(*count, locale),
            ActionEffect::FieldsLacking { names, more } => {
                fields_lacking(&list_some(names, *more, locale), locale)
            }
            ActionEffect::TextUnread { parts, more } if self.name_of.is_none() => {
                text_unread(&list_some(parts, *more, locale), locale)
            }
            ActionEffect::TextUnread { parts, more } => {
                text_unread(&unread_parts(parts.len() + more, locale), locale)
            }
            ActionEffect::PagesRead { pages: read, of } => pages_read(&pages(read), *of, locale),
            ActionEffect::PagesLeft { pages: left } => pages_left(&pages(left), locale),
            ActionEffect::PicturesHidden { pages: hidden } => pictures_hidden(&pages(hidden), locale),
            _ => String::new(),
        }
    }

    fn changes(&self, eid: u32, among: bool, changes: &[StateChange]) -> String {
        let told: Vec<String> = changes.iter().map(|change| self.change(change)).collect();
        match (told.is_empty(), among, self.name_of) {
            (true, ..) => String::new(),
            (false, false, _) => told.join(", "),
            (false, true, None) => format!("[{eid}] {}", told.join(", ")),
            (false, true, Some(_)) => format!("{}: {}", self.element(eid), told.join(", ")),
        }
    }

    fn change(&self, change: &StateChange) -> String {
        let locale = self.locale;
        match change {
            StateChange::On { state } => {
                known_state_came(state, locale).map_or_else(|| state_came(state, locale), str::to_owned)
            }
            StateChange::Off { state } => {
                known_state_went(state, locale).map_or_else(|| state_went(state, locale), str::to_owned)
            }
            StateChange::Value { value } => value_now(&self.words(value), locale),
            StateChange::SameValue { value } => value_as_before(&self.words(value), locale),
        }
    }

    fn sent_form(&self, eid: u32, unfilled: &[u32], is_enter_left_out: bool) -> String {
        let mut parts = vec![sent_by_itself(&self.element(eid), self.locale)];
        if !unfilled.is_empty() {
            let fields: Vec<String> = unfilled.iter().map(|eid| self.element(*eid)).collect();
            parts.push(not_filled(&fields.join(", "), self.locale));
        }
        if is_enter_left_out {
            parts.push(enter_left_out(self.locale).to_owned());
        }
        parts.join("; ")
    }

    /// Names an element of the action: by its name for people, by its number for planners.
    fn element(&self, eid: u32) -> String {
        let name = self.name_of.and_then(|name_of| name_of(eid)).filter(|name| !name.trim().is_empty());
        name.map_or_else(|| format!("[{eid}]"), |name| quote(&name, self.locale))
    }

    fn words(&self, text: &str) -> String {
        if self.name_of.is_some() { quote(text, self.locale) } else { quoted(text) }
    }

    fn thing(&self, PageThing { role, name }: &PageThing) -> String {
        let role = if role.is_empty() { "element" } else { role };
        let role = match self.name_of {
            None => role,
            Some(_) => {
                let known = thing_name(role, self.locale).or_else(|| thing_name("element", self.locale));
                known.unwrap_or(role)
            }
        };
        if name.is_empty() { role.to_owned() } else { format!("{role} {}", self.words(name)) }
    }
}

/// Returns the text of an effect without values.
fn plain_effect(effect: &ActionEffect, locale: Locale) -> Option<&'static str> {
    Some(match effect {
        ActionEffect::Scrolled => page_scrolled(locale),
        ActionEffect::ElementGone => element_gone(locale),
        ActionEffect::SomethingGone => something_gone(locale),
        ActionEffect::PageChanged => page_changed(locale),
        ActionEffect::LooksChanged => looks_changed(locale),
        ActionEffect::NothingBesideDrawing => nothing_beside_drawing(locale),
        ActionEffect::NothingChanged => nothing_changed(locale),
        ActionEffect::RequestOpen => request_open(locale),
        ActionEffect::SecretTyped => secret_typed(locale),
        ActionEffect::DownloadComing => download_coming(locale),
        ActionEffect::ToolFormFilled => tool_form_filled(locale),
        ActionEffect::RowsFromModel => rows_from_model(locale),
        ActionEffect::ModelGaveNoRows => model_gave_no_rows(locale),
        _ => return None,
    })
}

/// Lists the first texts, with the number of the others.
fn list_some(texts: &[String], more: usize, locale: Locale) -> String {
    let rest = (more > 0).then(|| and_more(more, locale));
    texts.iter().cloned().chain(rest).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thing(role: &str, name: &str) -> PageThing {
        PageThing { role: role.to_owned(), name: name.to_owned() }
    }

    #[test]
    fn one_effect_is_told_to_planners_and_to_people() {
        let changed =
            |changes: Vec<StateChange>| ActionEffect::ElementChanged { eid: 7, among: true, changes };
        let effects = [
            ActionEffect::Says { text: String::from("Saved.") },
            changed(vec![StateChange::On { state: String::from("checked") }]),
            changed(vec![StateChange::Value { value: String::from("Ol\"ena") }]),
            ActionEffect::Opened(thing("dialog", "Delete?")),
            ActionEffect::Appeared { count: 3, text: String::new() },
        ];
        assert_eq!(
            describe_for_planner(&effects),
            r#"says: "Saved."; [7] checked now; [7] value now "Ol\"ena"; opened dialog "Delete?"; 3 things appeared"#
        );
        let name_of = |eid: u32| (eid == 7).then(|| String::from("Name"));
        assert_eq!(
            describe_for_people(&effects, &name_of, Locale::En),
            "The page says: “Saved.”; “Name”: checked now; “Name”: value now “Ol\"ena”; opened dialog “Delete?”; 3 things appeared"
        );
        assert_eq!(
            describe_for_people(&effects, &name_of, Locale::Uk),
            "Сторінка повідомляє: «Saved.»; «Name»: позначено; «Name»: тепер значення «Ol\"ena»; відкрилося: вікно «Delete?»; з’явилося нового: 3"
        );
    }

    #[test]
    fn what_a_reading_leaves_out_is_told() {
        let effects = [
            ActionEffect::RowsStored { count: 5_000, file: String::from("rows.csv") },
            ActionEffect::RowsOverBound { count: 12, most: 5_000 },
            ActionEffect::ValuesInvented { values: vec![String::from("price 35")], more: 2 },
            ActionEffect::TextUnread { parts: vec![String::from("part 2 of 3: no budget")], more: 0 },
            ActionEffect::PagesLeft { pages: vec![4, 5, 6] },
        ];
        assert_eq!(
            describe_for_planner(&effects),
            "5000 rows in rows.csv; 12 more rows left out: only the first 5000 are read; left out, as not on the \
             page: price 35, and 2 more; not read: part 2 of 3: no budget; not read yet: 4-6"
        );
        let told = describe_for_people(&effects, &|_| None, Locale::Uk);
        assert_eq!(
            told,
            "Рядків: 5000, у файлі rows.csv; рядків пропущено: 12, бо читаються лише перші 5000; вилучено, бо на \
             сторінці цього немає: price 35, і ще 2; не прочитано: частин сторінки: 1; ще не прочитано: 4-6"
        );
    }

    #[test]
    fn people_read_names_of_fields_and_none_of_their_numbers() {
        let effect = ActionEffect::SentByItself { eid: 5, unfilled: vec![6], enter_left_out: true };
        let name_of = |eid: u32| Some(format!("F{eid}"));
        assert_eq!(
            describe_for_people(std::slice::from_ref(&effect), &name_of, Locale::En),
            "The page sent the form by itself when “F5” was set; not filled: “F6”; Enter was not pressed, that \
             nothing is sent twice"
        );
        let written = describe_for_planner(std::slice::from_ref(&effect));
        assert!(written.starts_with("the page sent the form by itself when [5] was set"), "{written}");
    }
}
