//! Inputs made from the person's values, with the value used as the default. Secrets become inputs too, but
//! their values are not kept.

use crate::agent_spec::types::script::{Step, Target};
use crate::agent_spec::types::spec::Variable;
use crate::script::author::identifiers::{first_free_name, identifier};
use crate::script::author::recorded_run::RecordedRun;
use crate::script::find::normalize_text;
use crate::script::recording::RecordedAction;
use crate::script::rendering::is_literal;
use crate::turn::{named_secret, typed_secret};
use serde_json::{Value, json};

/// Number of similarly named elements from which they count as a list.
const LIST: usize = 3;

/// An input with the value that it had.
struct FoundInput {
    variable: Variable,
    value: String,
    /// True if the value names an element of a list, so that names of elements contain it too.
    names: bool,
}

/// Replaces values by templates and returns the inputs.
pub fn extract_inputs(story: &RecordedRun, actions: &[RecordedAction], script: &mut [Step]) -> Vec<Variable> {
    let mut found: Vec<FoundInput> = Vec::new();
    for (deed, step) in actions.iter().zip(script.iter_mut()) {
        match deed.action.as_str() {
            "type" => typed_text(story, deed, step, &mut found),
            "select" => chosen(story, deed, step, &mut found),
            "click" => add_choice(story, deed, &mut found),
            _ => {}
        }
        for one in found.iter().filter(|one| one.names) {
            name_by_input(step, one);
        }
    }
    found.into_iter().map(|one| one.variable).collect()
}

fn typed_text(story: &RecordedRun, deed: &RecordedAction, step: &mut Step, found: &mut Vec<FoundInput>) {
    let Some(Value::String(text)) = deed.params.get("text") else { return };
    if named_secret::contains_placeholder(text) {
        return;
    }
    let secret = !typed_secret::placeholders(text).is_empty()
        || deed.elements.as_ref().is_some_and(|aimed| aimed.secret);
    if secret || is_in_messages(story, text) {
        let name = input(found, deed, if secret { None } else { Some(text) }, text);
        step.params.insert(String::from("text"), json!(format!("{{{{ {name} }}}}")));
    }
}

fn chosen(story: &RecordedRun, deed: &RecordedAction, step: &mut Step, found: &mut Vec<FoundInput>) {
    let Some(Value::String(option)) = deed.params.get("option") else { return };
    if is_in_messages(story, option) {
        let name = input(found, deed, Some(option), option);
        step.params.insert(String::from("option"), json!(format!("{{{{ {name} }}}}")));
    }
}

/// Adds an input for an element of a list that the person named.
fn add_choice(story: &RecordedRun, deed: &RecordedAction, found: &mut Vec<FoundInput>) {
    let Some(aimed) = &deed.elements else { return };
    let (Some((choice, count)), Some(target)) = (&aimed.choice, aimed.targets.first()) else { return };
    // A person who writes the whole name may mean the button itself, unless there are many of its kind.
    let whole = is_in_messages(story, &target.name) && *count < LIST;
    if whole || !is_in_messages(story, choice) || found.iter().any(|one| one.names && one.value == *choice) {
        return;
    }
    let name = first_free_name("item", |name| found.iter().any(|one| one.variable.name == name));
    let variable = Variable {
        name,
        of: Some(String::from("string")),
        description: Some(target.name.clone()),
        default: Some(json!(choice)),
        ..Variable::default()
    };
    found.push(FoundInput { variable, value: choice.clone(), names: true });
}

/// Returns the name of the input for a field's value, adding the input if it is new.
fn input(found: &mut Vec<FoundInput>, deed: &RecordedAction, default: Option<&str>, value: &str) -> String {
    let aimed = deed.elements.clone().unwrap_or_default();
    let label = aimed.targets.first().map(|target| target.name.clone()).unwrap_or_default();
    let called =
        identifier(&aimed.field).or_else(|| identifier(&label)).unwrap_or_else(|| String::from("value"));
    let known = found.iter().find(|one| one.value == value && one.variable.name.starts_with(&called));
    if let Some(known) = known {
        return known.variable.name.clone();
    }
    let name = first_free_name(&called, |name| found.iter().any(|one| one.variable.name == name));
    let variable = Variable {
        name: name.clone(),
        of: Some(String::from("string")),
        description: Some(label).filter(|label| !label.is_empty()),
        description_ua: None,
        default: default.map(|default| json!(default)),
        required: default.is_none().then_some(false),
        secret: default.is_none(),
    };
    found.push(FoundInput { variable, value: value.to_owned(), names: false });
    name
}

/// Replaces the value by the input in names of elements.
fn name_by_input(step: &mut Step, one: &FoundInput) {
    let template = format!("{{{{ {} }}}}", one.variable.name);
    let in_words = |words: &mut String| *words = replace_words(words, &one.value, &template);
    let in_target = |target: &mut Target| {
        in_words(&mut target.name);
        target.near.iter_mut().for_each(in_words);
    };
    [&mut step.target, &mut step.from_target, &mut step.to_target].into_iter().flatten().for_each(in_target);
    if let Some(check) = &mut step.check {
        [&mut check.text, &mut check.title].into_iter().flatten().for_each(in_words);
        // An address spells the value differently.
        if step.target.as_ref().is_some_and(|target| target.name.contains(&template)) {
            check.url = check.url.take().map(|url| open_end(&url));
        }
    }
}

/// Replaces the last segment of an address by `*`.
fn open_end(url: &str) -> String {
    match url.rsplit_once('/') {
        Some((before, last)) if !last.is_empty() && !before.ends_with('/') && !before.is_empty() => {
            format!("{before}/*")
        }
        Some(_) | None => url.to_owned(),
    }
}

/// Replaces a value in a text where it stands as whole words.
pub fn replace_words(words: &str, value: &str, with: &str) -> String {
    match find_words(words, value).filter(|_| !is_literal(words)) {
        Some(at) => format!("{}{with}{}", &words[..at], &words[at + value.len()..]),
        None => words.to_owned(),
    }
}

/// True if a message of the person contains the value as whole words.
fn is_in_messages(story: &RecordedRun, value: &str) -> bool {
    let value = normalize_text(value);
    story.words.iter().any(|words| find_words(&normalize_text(words), &value).is_some())
}

fn find_words(words: &str, value: &str) -> Option<usize> {
    if value.trim().is_empty() {
        return None;
    }
    let inside = |c: char| c.is_alphanumeric();
    words.match_indices(value).map(|(at, _)| at).find(|at| {
        let (before, after) = (&words[..*at], &words[at + value.len()..]);
        let begins = !(before.ends_with(inside) && value.starts_with(inside));
        begins && !(after.starts_with(inside) && value.ends_with(inside))
    })
}
