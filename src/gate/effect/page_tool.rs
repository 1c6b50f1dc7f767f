//! Effects of tools that a page declares. What a page says of its tool may raise the verdict and never lowers it: a
//! name or description that states a deed is asked about before the call, and all else is judged as it leaves.

use crate::gate::effect::element;
use crate::gate::meaning::effect_class::{EffectClass, EffectJudgement};
use crate::gate::request::AssessmentRequest;
use crate::gate::wording::name_effects::intent_effect;
use crate::gate::wording::name_intents::read_name;
use crate::page::target::Target;

/// Words of a description that are read: its verb leads.
const LEADING_WORDS: usize = 6;

/// Judges the call of a tool like the press of a button of its name.
pub(crate) fn judge_call(request: &AssessmentRequest<'_>) -> EffectJudgement {
    let Some(tool) = request.target else { return EffectJudgement::plain(EffectClass::Unknown) };
    if tool.tag == "form" {
        // The form is filled in and not sent.
        return EffectJudgement::plain(EffectClass::Input);
    }
    let button = Target {
        role: String::from("button"),
        kind: String::new(),
        name: split_words(&tool.name),
        other_name: stated_deed(&[&tool.other_name, &tool.near]),
        ..tool.clone()
    };
    let judged = element::judge_click(&button, &AssessmentRequest { target: Some(&button), ..*request });
    match judged.effect {
        // A script does more than these say, and only what leaves tells what.
        EffectClass::Read | EffectClass::Navigate | EffectClass::Upload | EffectClass::Download => {
            EffectJudgement { effect: EffectClass::Unknown, ..judged }
        }
        _ => judged,
    }
}

/// True if the call is asked about before it: the tool names a deed.
pub(crate) fn needs_question_first(effect: EffectClass) -> bool {
    matches!(
        effect,
        EffectClass::Message
            | EffectClass::Purchase
            | EffectClass::Delete
            | EffectClass::Account
            | EffectClass::Permission
            | EffectClass::Credentials
    )
}

/// Returns the first of the texts that begins with a deed, shortened; empty if none does.
fn stated_deed(texts: &[&str]) -> String {
    let leading = |text: &&str| {
        let mut words: Vec<String> = text.split_whitespace().take(LEADING_WORDS).map(str::to_owned).collect();
        if let Some(first) = words.first_mut() {
            *first = imperative(first);
        }
        words.join(" ")
    };
    let states = |text: &String| {
        read_name(text).link_intent().and_then(intent_effect).is_some_and(needs_question_first)
    };
    texts.iter().map(leading).find(states).unwrap_or_default()
}

/// Returns the imperative of a verb of which descriptions have the third person: "Deletes" is "Delete".
fn imperative(verb: &str) -> String {
    if let Some(stem) = verb.strip_suffix("ies") {
        return format!("{stem}y");
    }
    match verb.strip_suffix("es") {
        Some(stem) if stem.ends_with("sh") || stem.ends_with("ch") || stem.ends_with("ss") => stem.to_owned(),
        _ => verb.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(verb).to_owned(),
    }
}

/// Returns the words of a name such as `place_order`, `placeOrder` or `shop.place-order`.
pub(crate) fn split_words(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 8);
    let mut before = ' ';
    for letter in name.chars() {
        if matches!(letter, '_' | '-' | '.' | '/' | ':') {
            words.push(' ');
        } else {
            if letter.is_uppercase() && before.is_lowercase() {
                words.push(' ');
            }
            words.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::host_kinds::HostContext;
    use crate::gate::request::PageRef;
    use crate::turn::action::{Action, PageAction};
    use serde_json::Map;

    fn effect(name: &str, description: &str) -> EffectClass {
        let target = Target {
            page: String::from("https://shop.test/"),
            role: String::from("tool"),
            tag: String::from("button"),
            name: name.to_owned(),
            near: description.to_owned(),
            ..Target::default()
        };
        let action = Action::Page(PageAction::Tool { name: name.to_owned(), arguments: Map::new() });
        let page = PageRef { url: target.page.clone(), ..PageRef::default() };
        let context = HostContext::default();
        let request =
            AssessmentRequest { action: &action, target: Some(&target), page: &page, context: &context };
        judge_call(&request).effect
    }

    #[test]
    fn names_and_descriptions_state_deeds() {
        for (name, description, expected) in [
            ("place_order", "", EffectClass::Purchase),
            ("buyNow", "", EffectClass::Purchase),
            ("delete-account", "", EffectClass::Delete),
            ("sendMessage", "Shows the messages", EffectClass::Message),
            ("run", "Deletes the note with this id", EffectClass::Delete),
            ("mark", "Notifies all members of the group", EffectClass::Message),
            ("note_tool", "Publishes the note for all to read", EffectClass::Message),
        ] {
            assert_eq!(effect(name, description), expected, "{name}: {description}");
        }
        for (name, description) in [
            ("search_flights", "Searches flights to book later"),
            ("view_order", "Returns the order with its price"),
            ("get_cart", "Returns what is in the cart"),
            ("set_filter", "Sets the filters of the list"),
            ("add_topping", "Adds a topping to the pizza"),
        ] {
            assert!(
                !needs_question_first(effect(name, description)),
                "{name}: {:?}",
                effect(name, description)
            );
        }
    }
}
