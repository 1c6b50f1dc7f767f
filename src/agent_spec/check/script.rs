//! Checks the steps of a script. Each fault has its path and says what to write instead.

use crate::agent_spec::types::executor::Browser;
use crate::agent_spec::types::script::{Check, Step, TARGET_KEYS, Target};
use crate::turn::Call;
use crate::turn::action::{Action, NAMES};
use serde::Deserialize;
use serde_json::{Value, json};

/// Number of elements that an action refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ElementCount {
    Nothing,
    One,
    MaybeOne,
    Two,
}

/// Element number used to check parameters.
const ANY_EID: u32 = 1;

/// Returns the faults of an agent's script: path within the file, and message.
pub fn faults_of_script(browser: &Browser) -> Vec<(String, String)> {
    let Some(script) = &browser.script else { return Vec::new() };
    let mut found = Faults { path: String::from("browser.script"), all: Vec::new() };
    if script.is_empty() {
        found.add("", "has no steps; write at least one, or leave it out");
    }
    for (index, step) in script.iter().enumerate() {
        found.path = format!("browser.script[{index}]");
        check_step(step, &mut found);
    }
    found.all
}

struct Faults {
    path: String,
    all: Vec<(String, String)>,
}

impl Faults {
    fn add(&mut self, below: &str, message: impl Into<String>) {
        self.all.push((format!("{}{below}", self.path), message.into()));
    }
}

fn check_step(step: &Step, found: &mut Faults) {
    if step.check.as_ref().is_some_and(Check::is_empty) {
        found.add(".check", "says nothing; write text, url or title, or leave it out");
    }
    if step.check.as_ref().and_then(|check| check.within_s).is_some_and(|wait| !(0.0..=60.0).contains(&wait))
    {
        found.add(".check.within_s", "must be from 0 to 60 seconds");
    }
    if step.action.is_empty() {
        if step.check.is_none() {
            found.add("", "has neither an `action` nor a `check`");
        }
        return;
    }
    let Some((about, known)) = takes(&step.action) else {
        let known: Vec<&str> = NAMES.iter().copied().filter(|name| takes(name).is_some()).collect();
        let message = format!("no step can be \"{}\"; use one of: {}", step.action, known.join(", "));
        return found.add(".action", message);
    };
    check_elements(step, about, found);
    check_params(step, about, known, found);
    check_what_is_kept(step, found);
}

/// Returns the elements that an action refers to, and the names of its other parameters.
fn takes(action: &str) -> Option<(ElementCount, &'static [&'static str])> {
    Some(match action {
        "navigate" => (ElementCount::Nothing, &["url"]),
        "back" | "forward" | "reload" => (ElementCount::Nothing, &[]),
        "click" => (ElementCount::One, &["button", "count", "modifiers", "hold_ms"]),
        "type" => (ElementCount::One, &["text", "clear", "submit"]),
        "select" => (ElementCount::One, &["option"]),
        "upload" => (ElementCount::One, &["file"]),
        "hover" => (ElementCount::One, &[]),
        "drag" => (ElementCount::Two, &[]),
        "press" => (ElementCount::Nothing, &["key"]),
        "scroll" => (ElementCount::MaybeOne, &["direction", "amount"]),
        "wait" => (ElementCount::Nothing, &["seconds", "text", "gone"]),
        "dialog" => (ElementCount::Nothing, &["accept", "text"]),
        "tab" => (ElementCount::Nothing, &["operation", "tab", "url"]),
        "extract" => (ElementCount::MaybeOne, &["schema", "as"]),
        "page_tool" => (ElementCount::Nothing, &["name", "arguments"]),
        "need_user" | "find" | "select_text" => (ElementCount::Nothing, &["text"]),
        "ask_user" => (ElementCount::Nothing, &["question", "answer_key", "options"]),
        "stop" | "complete" => (ElementCount::Nothing, &["response"]),
        _ => return None,
    })
}

fn check_elements(step: &Step, about: ElementCount, found: &mut Faults) {
    for key in TARGET_KEYS {
        let odd = step.params.get(key).and_then(|value| Target::deserialize(value).err());
        if let Some(fault) = odd {
            found.add(&format!(".params.{key}"), format!("is not an element: {fault}"));
        }
    }
    let target = step.target();
    let (from, to) = step.ends();
    let missing = "is missing; name the element: {role: button, name: Sign in}";
    let needed = |target: &Option<Target>, key: &str, found: &mut Faults| {
        if target.is_none() && !step.params.contains_key(key) {
            found.add(&format!(".{key}"), missing);
        }
    };
    match about {
        ElementCount::One => needed(&target, "target", found),
        ElementCount::Two => {
            needed(&from, "from_target", found);
            needed(&to, "to_target", found);
        }
        ElementCount::Nothing | ElementCount::MaybeOne => {}
    }
    if target.is_some() && matches!(about, ElementCount::Nothing | ElementCount::Two) {
        found.add(".target", format!("`{}` has no target; leave it out", step.action));
    }
    if (from.is_some() || to.is_some()) && about != ElementCount::Two {
        found.add("", "only `drag` has from_target and to_target");
    }
    for (target, key) in [(&target, "target"), (&from, "from_target"), (&to, "to_target")] {
        if target.as_ref().is_some_and(|target| target.role.trim().is_empty()) {
            found.add(&format!(".{key}.role"), "is empty; write what it is: button, link, textbox, …");
        }
    }
}

fn check_params(step: &Step, about: ElementCount, known: &[&str], found: &mut Faults) {
    let numbers = ["eid", "from_eid", "to_eid"];
    for name in step.params.keys().map(String::as_str).filter(|name| !TARGET_KEYS.contains(name)) {
        if numbers.contains(&name) {
            let message = "a number means nothing in another run; name the element by `target: {role, name}`";
            found.add(&format!(".params.{name}"), message);
        } else if !known.contains(&name) {
            let has = if known.is_empty() { String::from("none") } else { known.join(", ") };
            found.add(
                &format!(".params.{name}"),
                format!("`{}` has no such parameter; it has: {has}", step.action),
            );
        }
    }
    let mut params = step.plain_params();
    match about {
        ElementCount::One => drop(params.insert(String::from("eid"), json!(ANY_EID))),
        ElementCount::Two => {
            params.insert(String::from("from_eid"), json!(ANY_EID));
            params.insert(String::from("to_eid"), json!(ANY_EID));
        }
        ElementCount::Nothing | ElementCount::MaybeOne => {}
    }
    // The value of a template is known only when the script is played.
    let written = !params.values().any(is_template);
    let call = Call { action: step.action.clone(), params, ..Call::default() };
    if let Err(fault) = Action::parse(&call)
        && written
    {
        found.add(".params", fault.to_string());
    }
}

fn is_template(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains("{{") || text.contains("{%"),
        Value::Array(items) => items.iter().any(is_template),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

fn check_what_is_kept(step: &Step, found: &mut Faults) {
    let reads = step.action == "extract";
    if let Some(name) = &step.known_as {
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !reads {
            found.add(".as", "only what `extract` reads has a name; leave it out");
        } else if !begins || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            found.add(".as", format!("\"{name}\" must be letters, digits and _, and begin with a letter"));
        }
    }
    match &step.take {
        Some(_) if step.known_as.is_none() => {
            found.add(".take", "what is taken needs a name; add `as: name`");
        }
        Some(pattern) if pattern.matches('*').count() != 1 => {
            found.add(".take", "must have one * in place of what is wanted, as in \"Order no. *\"");
        }
        Some(_) | None => {}
    }
    if step.makes.is_some() && step.action != "click" {
        found.add(".makes", "belongs to `click`; leave it out");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(script: &str) -> Vec<String> {
        let browser: Browser = serde_saphyr::from_str(&format!("script:\n{script}")).unwrap();
        faults_of_script(&browser).into_iter().map(|(path, message)| format!("{path} {message}")).collect()
    }

    #[test]
    fn valid_scripts_have_no_faults() {
        let fine = r#"
- {action: navigate, params: {url: "/demo/?q={{ text }}"}}
- {action: click, target: {role: link, name: Cart}, check: {url: /demo/cart}}
- {action: type, params: {text: x, target: {role: textbox, name: City}}}
- {action: click, target: {role: checkbox, name: Terms}, makes: checked}
- {action: drag, from_target: {role: option, name: A}, to_target: {role: list, name: B}}
- {action: extract, as: order, take: "Order no. *"}
- {check: {text: Thank you}}
- {action: find, params: {text: Order no.}}
- {action: select_text, params: {text: "no. [[7]]"}}
- {action: wait, params: {seconds: "{{ pause }}"}}
- {note: the end, action_id: a9, type: tool, action: stop, params: {response: "{{ order }}"}}
"#;
        assert_eq!(faults(fine), Vec::<String>::new());
    }

    #[test]
    fn faults_say_where_and_what_to_write() {
        for (step, expected) in [
            ("{note: x}", "browser.script[0] has neither an `action` nor a `check`"),
            ("{action: fly}", "browser.script[0].action no step can be \"fly\"; use one of: navigate"),
            ("{action: click}", "browser.script[0].target is missing; name the element"),
            ("{action: click, params: {eid: 4}}", "browser.script[0].params.eid a number means nothing"),
            ("{action: click, target: {role: '', name: x}}", "browser.script[0].target.role is empty"),
            (
                "{action: click, params: {target: {name: x}}}",
                "browser.script[0].params.target is not an element: missing field `role`",
            ),
            (
                "{action: type, target: {role: textbox, name: A}, params: {txt: x}}",
                "browser.script[0].params.txt `type` has no such parameter; it has: text, clear, submit",
            ),
            (
                "{action: type, target: {role: textbox, name: A}}",
                "browser.script[0].params `type`: `text` (a string) is missing",
            ),
            ("{action: press, params: {key: {}}}", "browser.script[0].params `press`: `key` is not what"),
            (
                "{action: back, target: {role: link, name: A}}",
                "browser.script[0].target `back` has no target",
            ),
            ("{action: drag, from_target: {role: a, name: b}}", "browser.script[0].to_target is missing"),
            (
                "{action: click, target: {role: a, name: b}, from_target: {role: a, name: b}}",
                "browser.script[0] only `drag` has",
            ),
            ("{action: back, as: x}", "browser.script[0].as only what `extract` reads"),
            ("{action: extract, as: 'a b'}", "browser.script[0].as \"a b\" must be letters"),
            ("{action: extract, take: 'x *'}", "browser.script[0].take what is taken needs a name"),
            ("{action: extract, as: x, take: all}", "browser.script[0].take must have one *"),
            ("{action: reload, makes: checked}", "browser.script[0].makes belongs to `click`"),
            ("{check: {}}", "browser.script[0].check says nothing"),
            ("{check: {text: x, within_s: 600}}", "browser.script[0].check.within_s must be from 0 to 60"),
        ] {
            let text = faults(&format!("- {step}")).join("\n");
            assert!(text.contains(expected), "{step}\nsays: {text}\nnot: {expected}");
        }
        let none: Browser = serde_saphyr::from_str("script: []").unwrap();
        assert_eq!(faults_of_script(&none)[0].0, "browser.script");
    }
}
