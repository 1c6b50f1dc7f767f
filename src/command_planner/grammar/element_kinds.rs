//! Nouns for elements in commands, such as `button`, `поле`, `списку`, and the roles that they denote.

use crate::text::tokenize::Word;

/// Kind of element that a noun in a command denotes; affects the choice between elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementKind {
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

const KINDS: &[(ElementKind, &[&str])] = &[
    (ElementKind::Button, &["button", "кнопка", "кнопку", "кнопці", "кнопки", "кнопкою"]),
    (ElementKind::Link, &["link", "посилання", "посиланню", "лінк", "лінку", "гіперпосилання"]),
    (
        ElementKind::Field,
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
        ElementKind::List,
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
    (ElementKind::Tab, &["tab", "вкладка", "вкладку", "вкладці", "вкладки"]),
    (
        ElementKind::Checkbox,
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
    (
        ElementKind::Radio,
        &["radio", "radiobutton", "option", "варіант", "варіанта", "варіанту", "опцію", "опція"],
    ),
    (
        ElementKind::Item,
        &["item", "пункт", "пункту", "пункта", "рядок", "елемент", "елемента", "елемента", "значення"],
    ),
    (
        ElementKind::Heading,
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
        ElementKind::Any,
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

pub fn parse_kind(word: &Word) -> Option<ElementKind> {
    if word.quoted {
        return None;
    }
    KINDS.iter().find(|(_, nouns)| nouns.contains(&word.key.as_str())).map(|(kind, _)| *kind)
}

impl ElementKind {
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
