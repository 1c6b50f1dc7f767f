//! Differences between two readings of what should be the same element.

use crate::page::fingerprint::{field_parts, identity, same_text};
use crate::page::target::{Field, Form, Target};
use crate::page::text::quoted;

/// Returns the differences that matter to an approval, in words; empty if there are none.
pub fn describe_changes(before: &Target, after: &Target) -> Vec<String> {
    let mut found = Vec::new();
    for ((what, old), (_, new)) in identity(before).into_iter().zip(identity(after)) {
        note(&mut found, what, old, new);
    }
    note(&mut found, "what it says", &before.other_name, &after.other_name);
    if let (Some(before), Some(after)) = (&before.dragged, &after.dragged) {
        found.extend(
            describe_changes(before, after).into_iter().map(|what| format!("what is dragged: {what}")),
        );
    }
    if before.disabled != after.disabled {
        found.push(String::from(if after.disabled { "it is now disabled" } else { "it is now enabled" }));
    }
    if before.submits != after.submits {
        found.push(String::from("whether it sends its form has changed"));
    }
    if before.prices != after.prices {
        let differ = |these: &[String], others: &[String]| {
            these.iter().filter(|price| !others.contains(price)).cloned().collect::<Vec<_>>().join(", ")
        };
        let (old, new) = (differ(&before.prices, &after.prices), differ(&after.prices, &before.prices));
        found.push(format!("prices: was {}, is {}", quoted(&old), quoted(&new)));
    }
    note_fields(&mut found, &before.loose, &after.loose);
    match (&before.form, &after.form) {
        (Some(old), Some(new)) => note_form(&mut found, old, new),
        (Some(_), None) => found.push(String::from("its form is gone")),
        (None, Some(_)) => found.push(String::from("it now belongs to a form")),
        (None, None) => {}
    }
    found
}

fn note(found: &mut Vec<String>, what: &str, old: &str, new: &str) {
    if !same_text(old, new) {
        found.push(format!("{what}: was {}, is {}", quoted(old), quoted(new)));
    }
}

fn note_form(found: &mut Vec<String>, old: &Form, new: &Form) {
    note(found, "where its form sends to", &old.action, &new.action);
    note(found, "how its form sends", &old.method, &new.method);
    note(found, "how its form is written", &old.encoding, &new.encoding);
    note(found, "the window its form opens", &old.window, &new.window);
    note(found, "text of its form", &old.text, &new.text);
    if !old.buttons.iter().eq(&new.buttons) {
        note(found, "buttons of its form", &old.buttons.join(", "), &new.buttons.join(", "));
    }
    if old.rest != new.rest {
        found.push(String::from("further fields of its form have changed"));
    }
    note_fields(found, &old.fields, &new.fields);
}

/// Notes the differences between fields of one name and label, in their order: rows of a table have such.
fn note_fields(found: &mut Vec<String>, old: &[Field], new: &[Field]) {
    for (at, field) in old.iter().enumerate() {
        match find_alike(new, field, count_alike(&old[..at], field)) {
            Some(other) if field_parts(field) == field_parts(other) => {}
            Some(other) => note_field(found, field, other),
            None => found.push(format!("field {} is gone", quoted(title(field)))),
        }
    }
    for (at, field) in new.iter().enumerate() {
        if find_alike(old, field, count_alike(&new[..at], field)).is_none() {
            found.push(format!("field {} is new", quoted(title(field))));
        }
    }
}

fn is_alike(one: &Field, other: &Field) -> bool {
    one.name == other.name && one.label == other.label
}

fn count_alike(fields: &[Field], field: &Field) -> usize {
    fields.iter().filter(|other| is_alike(other, field)).count()
}

fn find_alike<'a>(fields: &'a [Field], field: &Field, nth: usize) -> Option<&'a Field> {
    fields.iter().filter(|other| is_alike(other, field)).nth(nth)
}

fn note_field(found: &mut Vec<String>, old: &Field, new: &Field) {
    let what = format!("field {}", quoted(title(old)));
    if old.secret || old.card || new.secret || new.card || old.value == new.value {
        found.push(format!("{what} has changed"));
    } else {
        note(found, &what, &old.value, &new.value);
    }
}

fn title(field: &Field) -> &str {
    if field.label.is_empty() { &field.name } else { &field.label }
}

/// Returns the element with the texts that it had before, if only messages in live regions have come since: an approval
/// stays bound to all else. `None` if a message that the person may have read is gone or says something else.
pub fn without_late_messages(before: &Target, now: &Target) -> Option<Target> {
    let keeps_messages = before.live.iter().all(|message| now.live.contains(message));
    if !keeps_messages || before.others.len() != now.others.len() {
        return None;
    }
    let mut same = now.clone();
    if same_text(lasting_near(before), lasting_near(now)) {
        same.near.clone_from(&before.near);
    }
    if let (Some(form), Some(asked)) = (&mut same.form, &before.form)
        && same_text(lasting_text(before), lasting_text(now))
    {
        form.text.clone_from(&asked.text);
    }
    if let (Some(dragged), Some(asked)) = (&now.dragged, &before.dragged) {
        same.dragged = Some(Box::new(without_late_messages(asked, dragged)?));
    }
    let others = before.others.iter().zip(&now.others);
    same.others = others.map(|(asked, other)| without_late_messages(asked, other)).collect::<Option<_>>()?;
    Some(same)
}

fn lasting_near(target: &Target) -> &str {
    if target.lasting_near.is_empty() { &target.near } else { &target.lasting_near }
}

fn lasting_text(target: &Target) -> &str {
    let text = target.form.as_ref().map_or("", |form| form.text.as_str());
    if target.lasting_text.is_empty() { text } else { &target.lasting_text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn button(near: &str, text: &str) -> Target {
        let form = Form { text: text.to_owned(), ..Form::default() };
        Target { near: near.to_owned(), form: Some(form), ..Target::default() }
    }

    fn with_messages(target: Target, live: &[&str], lasting: &Target) -> Target {
        Target {
            live: live.iter().map(|&message| message.to_owned()).collect(),
            lasting_near: lasting.near.clone(),
            lasting_text: lasting.form.as_ref().unwrap().text.clone(),
            ..target
        }
    }

    #[test]
    fn only_messages_that_came_later_are_left_out() {
        let asked = button("Name Create", "Name\nCreate");
        let later = button("Create Unsaved edits", "Name\nUnsaved edits\nCreate");
        let now = with_messages(later.clone(), &["Unsaved edits"], &asked);
        assert_eq!(without_late_messages(&asked, &now).unwrap().near, asked.near);
        assert_eq!(without_late_messages(&asked, &now).unwrap().form, asked.form);
        // Another text, which no live region says.
        let other = with_messages(later.clone(), &["Unsaved edits"], &button("Name Delete", "Delete"));
        assert_eq!(without_late_messages(&asked, &other).unwrap().form, later.form);
        // A message that the person may have read.
        let read = with_messages(later, &["Goes to Anna"], &asked);
        assert_eq!(without_late_messages(&read, &now), None);
    }
}
