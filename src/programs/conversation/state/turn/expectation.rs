//! Compares the expected outcome of a turn with its result, as far as possible without a model: quoted texts
//! are on the page, the page has changed, and no action failed. Pure.

use crate::page::observation::{Line, Observation};
use crate::page::text::quoted;
use crate::planning::{ActionResult, ActionStatus};
use serde::{Deserialize, Serialize};

/// The expected outcome of a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expectation {
    pub outcome: String,
    /// The address and the text digest of the page that the turn was planned for.
    pub url: String,
    pub digest: String,
    /// True if one of its actions may change a page.
    pub acts: bool,
}

/// Returns a note for the planner if the expected outcome was missed; `None` if no difference was found.
/// `now` is the address, the digest and the text of the page.
pub fn missed_expectation(
    expected: &Expectation,
    results: &[ActionResult],
    now: Option<(&str, &str, &str)>,
) -> Option<String> {
    let missed = |how: String| Some(format!("you expected: {}; {how}", expected.outcome));
    let failed = results.iter().find_map(|result| match &result.outcome {
        ActionStatus::Failed { message, .. } => Some((result, message)),
        ActionStatus::Ok | ActionStatus::Dropped { .. } => None,
    });
    if let Some((result, message)) = failed {
        return missed(format!("but {} ({}) failed: {message}", result.action_id, result.action));
    }
    let (url, digest, page) = now?;
    if let Some(missing) =
        quoted_texts(&expected.outcome).into_iter().find(|phrase| !contains_ignoring_case(page, phrase))
    {
        return missed(format!("but \"{missing}\" is not shown on the page"));
    }
    let unchanged = expected.acts && url == expected.url && digest == expected.digest && !digest.is_empty();
    if unchanged { missed(String::from("but nothing on the page has changed")) } else { None }
}

fn contains_ignoring_case(page: &str, phrase: &str) -> bool {
    page.to_lowercase().contains(&phrase.to_lowercase())
}

/// Returns the texts in quotation marks of any kind.
fn quoted_texts(text: &str) -> Vec<String> {
    let between = |open: char, close: char| {
        let after = text.split(open).skip(1);
        let step = if open == close { 2 } else { 1 };
        let words = after.step_by(step).filter_map(move |rest| {
            if open == close { Some(rest) } else { rest.split_once(close).map(|(words, _)| words) }
        });
        words.map(|words| words.trim().to_owned()).filter(|words| !words.is_empty()).collect::<Vec<_>>()
    };
    [('"', '"'), ('«', '»'), ('“', '”')].into_iter().flat_map(|(open, close)| between(open, close)).collect()
}

/// Beginning of the reason for which an action, or what it would have sent, was declined.
const DECLINED: &str = "the person declined";

/// Returns a note for the planner if the person declined something and the page shows a dialog, which then still waits:
/// the planner may take it for closed.
pub fn open_dialog_note(results: &[ActionResult], notes: &[String], page: &Observation) -> Option<String> {
    let by_person = |result: &ActionResult| match &result.outcome {
        ActionStatus::Dropped { why } => why.starts_with(DECLINED),
        ActionStatus::Ok | ActionStatus::Failed { .. } => false,
    };
    if !results.iter().any(by_person) && !notes.iter().any(|note| note.starts_with(DECLINED)) {
        return None;
    }
    let is_dialog = |line: &&Line| matches!(line.role.as_str(), "dialog" | "alertdialog");
    let open: Vec<&str> = match &page.dialog {
        Some(dialog) => vec![&dialog.message],
        None => page.lines.iter().filter(is_dialog).map(|line| line.name.as_str()).collect(),
    };
    let named = |name: &str| match name {
        "" => String::from("a dialog"),
        name => format!("the dialog {}", quoted(name)),
    };
    let mut names: Vec<String> = open.into_iter().map(named).collect();
    names.dedup();
    let verb = if names.len() == 1 { "is" } else { "are" };
    (!names.is_empty()).then(|| format!("{} {verb} still open", names.join(" and ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::observation::PageDialog;

    fn result(outcome: ActionStatus) -> ActionResult {
        let (action_id, action) = (String::from("a1"), String::from("click"));
        ActionResult { action_id, action, outcome, returned: None, answer: None, effect_summary: None }
    }

    // The expected outcome is compared with the page, and a difference is reported (S2.4).
    #[test]
    fn a_missed_expectation_becomes_a_note() {
        let expected = |outcome: &str| Expectation {
            outcome: outcome.to_owned(),
            url: String::from("http://a/"),
            digest: String::from("1"),
            acts: true,
        };
        let ok = [result(ActionStatus::Ok)];
        let failed = [result(ActionStatus::Failed {
            code: String::from("covered"),
            message: String::from("it is covered"),
        })];
        let same = Some(("http://a/", "1", "Cart: 1 lamp"));
        let other = Some(("http://a/", "2", "Cart: 1 Lamp"));
        for (outcome, results, now, expected_text) in [
            ("the cart shows a lamp", &ok, same, Some("nothing on the page has changed")),
            ("the cart shows a lamp", &ok, other, None),
            ("it says \"1 lamp\"", &ok, other, None),
            ("it says «2 lamps»", &ok, other, Some("\"2 lamps\" is not shown")),
            ("the cart shows a lamp", &failed, other, Some("failed: it is covered")),
            ("the file is there", &ok, None, None),
        ] {
            let note = missed_expectation(&expected(outcome), results, now);
            assert_eq!(note.is_some(), expected_text.is_some(), "{outcome}: {note:?}");
            assert!(note.unwrap_or_default().contains(expected_text.unwrap_or_default()), "{outcome}");
        }
        let still = Expectation { acts: false, ..expected("a text is read") };
        assert_eq!(missed_expectation(&still, &ok, same), None, "reading changes nothing");
    }

    #[test]
    fn a_dialog_that_is_open_after_the_person_declined_is_named() {
        let declined = |why: &str| [result(ActionStatus::Dropped { why: why.to_owned() })];
        let page = |dialogs: &[&str]| Observation {
            lines: dialogs
                .iter()
                .map(|name| Line { role: "dialog".into(), name: (*name).to_owned(), ..Line::default() })
                .collect(),
            ..Observation::default()
        };
        let by_person = declined("the person declined it");
        for (results, notes, dialogs, told) in [
            (&by_person, "", &["Delete \"A\"?"][..], Some(r#"the dialog "Delete \"A\"?" is still open"#)),
            (&by_person, "", &["", "Sure?"][..], Some(r#"a dialog and the dialog "Sure?" are still open"#)),
            (&by_person, "", &[][..], None),
            (&declined("an action before it failed"), "", &["Sure?"][..], None),
            (
                &[result(ActionStatus::Ok)],
                "the person declined what the page was about to send; nothing was sent",
                &["Sure?"][..],
                Some(r#"the dialog "Sure?" is still open"#),
            ),
        ] {
            let note = open_dialog_note(results, &[notes.to_owned()], &page(dialogs));
            assert_eq!(note.as_deref(), told);
        }
        let asks =
            Observation { dialog: Some(PageDialog::new("confirm", "Leave?", "")), ..page(&["Leave?"]) };
        let note = open_dialog_note(&by_person, &[], &asks);
        assert_eq!(note.as_deref(), Some(r#"the dialog "Leave?" is still open"#));
    }
}
