//! Nouns for elements in commands, such as `button`, `поле`, `списку`, and the roles that they denote.

use super::words::Word;

/// Kind of element that a noun in a command denotes; affects the choice between elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Button,
    Link,
    Field,
    List,
    Tab,
    Checkbox,
    Radio,
    Item,
    Heading,
    /// `element`, `icon`, `text`: fits any role.
    Any,
}

const KINDS: &[(Kind, &[&str])] = &[
    (Kind::Button, &["button", "кнопка", "кнопку", "кнопці", "кнопки", "кнопкою"]),
    (Kind::Link, &["link", "посилання", "посиланню", "лінк", "лінку", "гіперпосилання"]),
    (
        Kind::Field,
        &[
            "field",
            "textbox",
            "input",
            "box",
            "поле",
            "поля",
            "полі",
            "полю",
            "рядок",
            "рядка",
            "рядку",
            "комірку",
        ],
    ),
    (
        Kind::List,
        &[
            "list",
            "dropdown",
            "drop-down",
            "combobox",
            "select",
            "menu",
            "список",
            "списку",
            "списка",
            "перелік",
            "переліку",
            "меню",
        ],
    ),
    (Kind::Tab, &["tab", "вкладка", "вкладку", "вкладці", "вкладки"]),
    (
        Kind::Checkbox,
        &[
            "checkbox",
            "check-box",
            "tickbox",
            "switch",
            "toggle",
            "прапорець",
            "прапорця",
            "галочка",
            "галочку",
            "галочки",
            "чекбокс",
            "чекбоксу",
            "чекбокса",
            "перемикач",
            "перемикача",
        ],
    ),
    (Kind::Radio, &["radio", "radiobutton", "option", "варіант", "варіанта", "варіанту", "опцію", "опція"]),
    (
        Kind::Item,
        &["item", "пункт", "пункту", "пункта", "рядок", "елемент", "елемента", "елемента", "значення"],
    ),
    (
        Kind::Heading,
        &[
            "heading",
            "section",
            "title",
            "заголовок",
            "заголовка",
            "заголовку",
            "розділ",
            "розділу",
            "розділа",
        ],
    ),
    (
        Kind::Any,
        &[
            "element",
            "icon",
            "image",
            "text",
            "іконку",
            "іконка",
            "картинку",
            "зображення",
            "текст",
            "тексту",
            "напис",
            "напису",
        ],
    ),
];

pub fn kind_of(word: &Word) -> Option<Kind> {
    if word.quoted {
        return None;
    }
    KINDS.iter().find(|(_, nouns)| nouns.contains(&word.key.as_str())).map(|(kind, _)| *kind)
}

impl Kind {
    /// True if elements of this role are of this kind.
    pub fn fits(self, role: &str) -> bool {
        match self {
            Self::Button => matches!(role, "button" | "summary" | "menuitem"),
            Self::Link => role == "link",
            Self::Field => matches!(role, "textbox" | "searchbox" | "spinbutton" | "combobox" | "textarea"),
            Self::List => matches!(role, "combobox" | "listbox" | "list" | "menu" | "menubar"),
            Self::Tab => role == "tab",
            Self::Checkbox => matches!(role, "checkbox" | "switch" | "menuitemcheckbox"),
            Self::Radio => matches!(role, "radio" | "option" | "menuitemradio"),
            Self::Item => matches!(role, "menuitem" | "option" | "listitem" | "treeitem" | "row"),
            Self::Heading => role == "heading",
            Self::Any => false,
        }
    }
}
