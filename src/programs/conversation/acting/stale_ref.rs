//! Checks that an element still is what the planner was shown under its number. A node may stay and change
//! its meaning; then nothing is done, and the planner is shown the page again.

use crate::browser::error::{ErrorCode, PageError};
use crate::engine::program::ProgramError;
use crate::page::observation::{Line, Observation};
use crate::page::target::Target;
use crate::page::text::{self, quoted};
use crate::programs::conversation::effects;
use crate::programs::conversation::visit_context::VisitContext;
use crate::secrets::scrub::Replacement;
use url::Url;

/// Returns why the action is not done if its elements differ from `observation`; `None` if they are the same.
pub async fn find_stale_element(
    cx: &VisitContext,
    observation: &Observation,
    target: &Target,
) -> Result<Option<PageError>, ProgramError> {
    for target in std::iter::once(target).chain(target.dragged.as_deref()).chain(&target.others) {
        let Some(before) =
            observation.line(target.eid).filter(|before| !matches_examination(cx, before, target))
        else {
            continue;
        };
        // An observation may name an element differently than an examination, so a new observation decides.
        let now = match effects::observe(cx).await? {
            Ok(observed) => observed.observation.line(target.eid).cloned(),
            Err(fault) => return Ok(Some(fault)),
        };
        let Some(now) = now.filter(|now| !is_same_element(before, now)) else { continue };
        // A counter or clock changes all the time, so it is accepted as it is the second time.
        if !(cx.working_set.record_changed(target.eid) && same_letters(before, &now)) {
            return Ok(Some(PageError::new(
                ErrorCode::ChangedEid,
                changed_message(before, &now, target.eid),
            )));
        }
    }
    Ok(None)
}

/// Reports whether the examination agrees with the observed line.
fn matches_examination(cx: &VisitContext, before: &Line, target: &Target) -> bool {
    let name = cx.deps.vault.scrub_text(&target.name, Replacement::Placeholder);
    before.role == target.role
        && split_words(&before.name) == split_words(&name)
        && before.attributes.href.as_ref().is_none_or(|href| is_link_to(href, target))
}

fn is_link_to(href: &str, target: &Target) -> bool {
    let url = Url::parse(&target.page).and_then(|page| page.join(href));
    url.is_ok_and(|url| Some(url.as_str()) == target.destination.as_deref())
}

fn is_same_element(before: &Line, now: &Line) -> bool {
    before.role == now.role
        && split_words(&before.name) == split_words(&now.name)
        && before.attributes.href == now.attributes.href
}

/// Compares the elements without digits and signs.
fn same_letters(before: &Line, now: &Line) -> bool {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).collect::<String>();
    before.role == now.role
        && letters(&before.name) == letters(&now.name)
        && before.attributes.href == now.attributes.href
}

fn split_words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

fn changed_message(before: &Line, now: &Line, eid: u32) -> String {
    let called = |line: &Line| {
        let bare = Line { eid: None, role: line.role.clone(), name: line.name.clone(), ..Line::default() };
        let leads = line.attributes.href.as_deref().filter(|_| before.attributes.href != now.attributes.href);
        let to = leads.map(|href| format!(" to {}", quoted(href))).unwrap_or_default();
        format!("{}{to}", text::describe(&bare))
    };
    format!("[eid {eid}] was {} and is {} now; look again", called(before), called(now))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::observation::Attributes;

    fn line(role: &str, name: &str, href: Option<&str>) -> Line {
        let attributes = Attributes { href: href.map(str::to_owned), ..Attributes::default() };
        Line { role: role.into(), name: name.into(), eid: Some(12), attributes, ..Line::default() }
    }

    #[test]
    fn an_element_is_the_same_by_role_name_and_destination() {
        let before = line("button", "Show  Anna", None);
        assert!(is_same_element(&before, &line("button", "Show Anna", None)));
        for other in [line("button", "Show Boris", None), line("link", "Show Anna", None)] {
            assert!(!is_same_element(&before, &other) && !same_letters(&before, &other));
        }
        assert_eq!(
            changed_message(&before, &line("button", "Show \"Boris\"", None), 12),
            r#"[eid 12] was button "Show Anna" and is button "Show \"Boris\"" now; look again"#
        );
        let (here, there) = (line("link", "Next", Some("/a")), line("link", "Next", Some("/b")));
        assert!(!is_same_element(&here, &there) && !same_letters(&here, &there));
        assert!(
            changed_message(&here, &there, 12)
                .contains(r#"was link "Next" to "/a" and is link "Next" to "/b""#)
        );
        let clock = |time: &str| line("button", &format!("Buy by {time}"), None);
        assert!(
            !is_same_element(&clock("12:00"), &clock("12:01"))
                && same_letters(&clock("12:00"), &clock("12:01"))
        );
    }
}
