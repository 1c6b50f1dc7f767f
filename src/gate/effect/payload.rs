//! Texts of a question for approval: the sentence that describes the effect, made from the page and never
//! from a model's words, and the values to be sent.

use crate::files::StoredFile;
use crate::gate::effect::class::{ActionProperties, EffectClass};
use crate::gate::effect::intent::Intent;
use crate::gate::effect::money;
use crate::gate::hosts;
use crate::gate::request::AssessmentRequest;
use crate::gate::verdict::Texts;
use crate::gate::wording::normalize::truncate_line;
use crate::page::target::{Field, Target};
use crate::turn::action::{Action, PageAction};
use crate::turn::typed_secret::MASK;
use url::Url;

/// Longest name or text of a page, in characters.
const LONGEST: usize = 80;
/// Longest text next to a target that a sentence names, in characters.
const NEAR: usize = 40;
/// Longest value, in characters. A cut value ends with `…`.
const VALUE: usize = 20_000;

/// Returns the names and values of the fields to be sent, in the form's order.
pub fn values(ask: &AssessmentRequest<'_>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let fields = ask
        .target
        .into_iter()
        .flat_map(|target| target.form.iter().flat_map(|form| &form.fields).chain(&target.loose));
    let typed = entered_value(ask);
    for field in fields {
        let shown = field.filled
            && !matches!(field.kind.as_str(), "hidden" | "submit" | "button" | "image" | "reset");
        if !shown || typed.as_ref().is_some_and(|(own, _)| *own == title(field)) {
            continue;
        }
        let (name, value) = field_text(field, &found);
        found.push((name, value));
    }
    found.extend(typed);
    found
}

/// Returns the name and value that the action itself enters.
fn entered_value(ask: &AssessmentRequest<'_>) -> Option<(String, String)> {
    let name =
        |target: &Target| target.own_field().map_or_else(|| truncate_line(&target.name, LONGEST), title);
    let Action::Page(action) = ask.action else { return None };
    match action {
        PageAction::Type { text, .. } => {
            let target = ask.target?;
            let shown = if target.is_secret() { MASK.to_owned() } else { truncate_line(text, VALUE) };
            Some((name(target), shown))
        }
        PageAction::Select { options, .. } => {
            Some((name(ask.target?), truncate_line(&options.join(", "), VALUE)))
        }
        PageAction::Upload { files, .. } => {
            let named = name(ask.target?);
            let files: Vec<String> = files.iter().map(|file| with_size(file, ask)).collect();
            Some((
                if named.is_empty() { String::from("file") } else { named },
                truncate_line(&files.join(", "), VALUE),
            ))
        }
        PageAction::Dialog { accept: true, text: Some(text) } => {
            Some((truncate_line(&ask.target?.name, LONGEST), truncate_line(text, VALUE)))
        }
        PageAction::Click { .. }
        | PageAction::Press { .. }
        | PageAction::Hover { .. }
        | PageAction::Drag { .. }
        | PageAction::Dialog { .. }
        | PageAction::Scroll { .. }
        | PageAction::Wait { .. }
        | PageAction::Extract { .. } => None,
    }
}

/// Returns the name of a file with its size.
fn with_size(file: &str, ask: &AssessmentRequest<'_>) -> String {
    let known = ask.context.files.iter().find(|kept| kept.name == file);
    known.map_or_else(|| file.to_owned(), StoredFile::display)
}

fn title(field: &Field) -> String {
    truncate_line(if field.label.is_empty() { &field.name } else { &field.label }, LONGEST)
}

/// Returns the name and value of a field as a person sees them. A choice shows the page's label, not its
/// submitted value.
fn field_text(field: &Field, before: &[(String, String)]) -> (String, String) {
    let named = !field.label.is_empty() && !field.secret && !field.card;
    let group = truncate_line(&field.group, LONGEST);
    let is_free = !group.is_empty() && before.iter().all(|(name, _)| *name != group);
    match field.kind.as_str() {
        "radio" if named && is_free => (group, truncate_line(&field.label, VALUE)),
        "radio" | "checkbox" if named => (title(field), String::from("✓")),
        _ => (title(field), value(field)),
    }
}

fn value(field: &Field) -> String {
    if field.secret || field.card || field.kind == "password" {
        MASK.to_owned()
    } else {
        truncate_line(&field.value, VALUE)
    }
}

/// Describes the effect in both languages.
pub fn sentence(facts: &ActionProperties, ask: &AssessmentRequest<'_>) -> Texts {
    let here = Url::parse(&ask.page.url).ok();
    let away = facts.other_origin || matches!(facts.effect, EffectClass::Navigate | EffectClass::Download);
    let at = if away { facts.place.as_ref() } else { here.as_ref().or(facts.place.as_ref()) };
    let at = at.map(shown).filter(|at| !at.is_empty());
    let total = total(facts, ask);
    let is_unclear = facts.effect == EffectClass::Unknown;
    let (deed, means) = describe_effect(facts, ask);
    let mut texts = Texts { uk: deed.0, en: deed.1 };
    if let Some(at) = at {
        let to = matches!(facts.effect, EffectClass::Navigate);
        texts.uk.push_str(&format!(" {} {at}", if to { "сторінку" } else { "на" }));
        texts.en.push_str(&format!(" {} {at}", if to { "the page" } else { "on" }));
    }
    if let Some(total) = total {
        texts.uk.push_str(&format!(" на суму {total}"));
        texts.en.push_str(&format!(" for {total}"));
    }
    if let Some((uk, en)) = means {
        texts.uk.push_str(&format!(" ({uk})"));
        texts.en.push_str(&format!(" ({en})"));
    }
    if is_unclear {
        texts.uk.push_str(": наслідок незрозумілий");
        texts.en.push_str(": effect unclear");
    }
    if let (true, Some(here)) = (facts.other_origin, here.as_ref()) {
        texts.uk.push_str(&format!("; дані підуть із {} на інший сайт", shown(here)));
        texts.en.push_str(&format!("; the data goes from {} to another site", shown(here)));
    }
    texts
}

fn shown(url: &Url) -> String {
    if url.has_host() { hosts::shown(url) } else { truncate_line(url.as_str(), LONGEST) }
}

type BothLanguages = (String, String);

/// Returns the description of the effect, and in brackets the gesture. Where the effect is unclear or a form
/// is sent, the pressed element is named first, because its name says more.
fn describe_effect(
    facts: &ActionProperties,
    ask: &AssessmentRequest<'_>,
) -> (BothLanguages, Option<BothLanguages>) {
    let deed = effect_phrase(facts);
    let is_click = matches!(ask.action, Action::Page(PageAction::Click { .. }));
    let name = ask.target.map(|target| truncate_line(&target.name, LONGEST)).unwrap_or_default();
    // A section's long text identifies the element less well than its own name.
    let is_short = ask.target.is_some_and(|target| target.near.chars().count() <= NEAR);
    let beside = describe_nearby(ask).filter(|_| is_short);
    if facts.effect == EffectClass::Unknown {
        (describe_gesture(ask, &name), beside.filter(|_| is_click))
    } else if deed == class_phrase(EffectClass::Submit) && is_click && !name.is_empty() {
        ((format!("Надіслати форму «{name}»"), format!("Submit the form “{name}”")), beside)
    } else {
        ((deed.0.to_owned(), deed.1.to_owned()), describe_target(ask))
    }
}

/// Describes the gesture itself, for actions whose effect is unclear.
fn describe_gesture(ask: &AssessmentRequest<'_>, name: &str) -> BothLanguages {
    let Action::Page(action) = ask.action else { return describe_unknown_gesture() };
    match action {
        PageAction::Click { .. } if name.is_empty() => {
            (String::from("Натиснути кнопку без назви"), String::from("Click a button without a name"))
        }
        PageAction::Click { .. } => (format!("Натиснути «{name}»"), format!("Click “{name}”")),
        PageAction::Press { key } => {
            let key = truncate_line(key, LONGEST);
            (format!("Натиснути клавішу {key} у «{name}»"), format!("Press {key} in “{name}”"))
        }
        PageAction::Type { .. } => {
            (format!("Натиснути Enter у полі «{name}»"), format!("Press Enter in “{name}”"))
        }
        PageAction::Upload { .. } => {
            (format!("Додати файл у «{name}»"), format!("Attach a file to “{name}”"))
        }
        PageAction::Dialog { .. } => {
            (format!("Натиснути «OK» у діалозі «{name}»"), format!("Press “OK” in the dialog “{name}”"))
        }
        PageAction::Drag { .. } => {
            let held = ask.target.and_then(|target| target.dragged.as_ref());
            let held = truncate_line(held.map_or("", |dragged| dragged.display_name()), LONGEST);
            (format!("Перетягнути «{held}» на «{name}»"), format!("Drag “{held}” onto “{name}”"))
        }
        PageAction::Select { .. }
        | PageAction::Hover { .. }
        | PageAction::Scroll { .. }
        | PageAction::Wait { .. }
        | PageAction::Extract { .. } => describe_unknown_gesture(),
    }
}

fn describe_unknown_gesture() -> BothLanguages {
    (String::from("Виконати дію"), String::from("Perform an action"))
}

/// Describes the text next to the target, if that differs from the target's name.
fn describe_nearby(ask: &AssessmentRequest<'_>) -> Option<BothLanguages> {
    let target = ask.target.filter(|target| target.form.is_none())?;
    let near = truncate_line(&target.near, LONGEST);
    let tells = !near.is_empty() && near != truncate_line(&target.name, LONGEST);
    tells.then(|| (format!("поруч із «{near}»"), format!("next to “{near}”")))
}

/// Describes the gesture. The name of the pressed element is quoted, because it comes from the page.
fn describe_target(ask: &AssessmentRequest<'_>) -> Option<BothLanguages> {
    let (Action::Page(action), Some(target)) = (ask.action, ask.target) else { return None };
    let name = truncate_line(&target.name, LONGEST);
    match action {
        PageAction::Click { .. } => {
            let (uk, en) = match name.is_empty() {
                true => (String::from("кнопка без назви"), String::from("a button without a name")),
                false => (format!("«{name}»"), format!("“{name}”")),
            };
            Some(match describe_nearby(ask) {
                Some((near_uk, near_en)) => (format!("{uk}, {near_uk}"), format!("{en}, {near_en}")),
                None => (uk, en),
            })
        }
        PageAction::Press { key } => {
            let key = truncate_line(key, LONGEST);
            Some((format!("клавіша {key} у «{name}»"), format!("key {key} in “{name}”")))
        }
        PageAction::Upload { .. } => Some((format!("у «{name}»"), format!("into “{name}”"))),
        PageAction::Drag { .. } => Some(onto(target, &name)),
        PageAction::Dialog { .. } => Some((format!("«OK» у діалозі «{name}»"), format!("“OK” in “{name}”"))),
        PageAction::Type { .. } => Some((format!("Enter у полі «{name}»"), format!("Enter in “{name}”"))),
        PageAction::Select { .. }
        | PageAction::Hover { .. }
        | PageAction::Scroll { .. }
        | PageAction::Wait { .. }
        | PageAction::Extract { .. } => None,
    }
}

fn onto(target: &Target, name: &str) -> BothLanguages {
    let held = truncate_line(target.dragged.as_ref().map_or("", |dragged| dragged.display_name()), LONGEST);
    (format!("перетягнути «{held}» на «{name}»"), format!("drag “{held}” onto “{name}”"))
}

/// Describes the effect in words, Ukrainian and English.
fn effect_phrase(facts: &ActionProperties) -> (&'static str, &'static str) {
    let by_class = class_phrase(facts.effect);
    let Some(intent) = facts.intent else { return by_class };
    match (facts.effect, intent) {
        (EffectClass::Purchase, Intent::Order) => ("Оформити замовлення", "Place the order"),
        (EffectClass::Purchase, Intent::Pay) => ("Заплатити", "Pay"),
        (EffectClass::Purchase, Intent::Buy) => ("Купити", "Buy"),
        (EffectClass::Purchase, Intent::Book) => ("Забронювати", "Book"),
        (EffectClass::Purchase, Intent::Subscribe) => {
            ("Оформити платну підписку", "Take out a paid subscription")
        }
        (EffectClass::Purchase, Intent::Transfer) => ("Переказати гроші", "Transfer money"),
        (EffectClass::Submit, Intent::Subscribe) => ("Підписатися", "Subscribe"),
        (EffectClass::Submit, Intent::Save) => ("Зберегти зміни", "Save changes"),
        (EffectClass::Submit, Intent::Cart) => ("Змінити кошик або список", "Change the cart or a list"),
        (EffectClass::Delete, Intent::DeleteAccount) => ("Видалити обліковий запис", "Delete the account"),
        (EffectClass::Account, Intent::Register) => ("Створити обліковий запис", "Create an account"),
        (EffectClass::Account, Intent::SignOut) => ("Вийти з облікового запису", "Sign out"),
        (EffectClass::Account, Intent::Unsubscribe) => ("Скасувати підписку", "Cancel the subscription"),
        (EffectClass::Account, Intent::Password) => {
            ("Змінити пароль або дані входу", "Change the password or sign-in details")
        }
        (EffectClass::Credentials, Intent::SignInWith) => {
            ("Увійти через інший сервіс", "Sign in with another service")
        }
        (EffectClass::Message, Intent::Post) => ("Опублікувати", "Publish"),
        _ => by_class,
    }
}

fn class_phrase(effect: EffectClass) -> (&'static str, &'static str) {
    match effect {
        EffectClass::Read => ("Прочитати", "Read"),
        EffectClass::Navigate => ("Відкрити", "Open"),
        EffectClass::Input => ("Змінити те, що показано", "Change what is shown"),
        EffectClass::Submit => ("Надіслати форму", "Submit a form"),
        EffectClass::Message => ("Надіслати повідомлення", "Send a message"),
        EffectClass::Purchase => ("Купити або замовити", "Buy or order"),
        EffectClass::Delete => ("Видалити", "Delete"),
        EffectClass::Account => ("Змінити обліковий запис", "Change the account"),
        EffectClass::Permission => ("Надати доступ або дозвіл", "Give access or permission"),
        EffectClass::Credentials => ("Увійти з паролем", "Sign in with the password"),
        EffectClass::Upload => ("Передати файл", "Upload a file"),
        EffectClass::Download => ("Завантажити файл", "Download a file"),
        EffectClass::Shell => ("Виконати команду", "Run a command"),
        EffectClass::Python => ("Виконати програму на Python", "Run a Python program"),
        EffectClass::Compute => ("Обчислити", "Compute"),
        EffectClass::AgentCall => ("Викликати агента", "Call an agent"),
        EffectClass::Tool => ("Викликати інструмент іншого сервера", "Call a tool of another server"),
        EffectClass::Unknown => ("Виконати дію", "Perform an action"),
    }
}

/// Returns the sum to pay, if the action spends money and the page states a sum.
fn total(facts: &ActionProperties, ask: &AssessmentRequest<'_>) -> Option<String> {
    if facts.effect != EffectClass::Purchase {
        return None;
    }
    let target = ask.target?;
    let form = target.form.as_ref().map(|form| form.text.as_str()).unwrap_or_default();
    [target.name.as_str(), form, &target.near].into_iter().find_map(money::total_in)
}
