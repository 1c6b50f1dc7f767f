//! Recording of a run's actions for making a script: each action with its element, described so that a later
//! run can find it, and observations before and after.

use crate::agent_spec::types::script::{Makes, Target};
use crate::page::observation::Observation;
use crate::page::target::Target as Facts;
use crate::script::describe_element::describe;
use crate::script::find::normalize_text;
use crate::turn::action::{Action, PageAction};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Elements of an action at the time of its assessment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ActionElements {
    /// The element, or the two elements of a drag.
    pub targets: Vec<Target>,
    /// Name of the field in its form.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
    /// State in which a click leaves the switch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub makes: Option<Makes>,
    /// The part of the element's name that differs from others of its list, and the number of those others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<(String, usize)>,
}

/// A recorded action.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedAction {
    pub action_id: String,
    pub action: String,
    pub params: Map<String, Value>,
    pub elements: Option<ActionElements>,
    /// Observation before the action; `after` is the one after it.
    pub before: PageSummary,
    pub after: Option<PageSummary>,
    /// True if the action succeeded. A failed action had no effect.
    pub ok: bool,
}

/// Recorded parts of an observation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageSummary {
    pub url: String,
    pub title: String,
    pub heading: String,
}

/// Describes the elements of an action on the page that its planner saw.
pub fn describe_elements(
    action: &Action,
    page: &Observation,
    facts: Option<&Facts>,
) -> Option<ActionElements> {
    let eids = action.eids();
    let plain =
        |facts: &Facts| Target { role: facts.role.clone(), name: facts.name.clone(), ..Target::default() };
    let targets: Vec<Target> = eids
        .iter()
        .filter_map(|eid| describe(page, *eid).or_else(|| facts.filter(|facts| facts.eid == *eid).map(plain)))
        .collect();
    if targets.is_empty() {
        return None;
    }
    Some(ActionElements {
        targets,
        field: facts.and_then(Facts::own_field).map(|field| field.name.clone()).unwrap_or_default(),
        secret: facts.is_some_and(Facts::is_secret),
        makes: action.eid().and_then(|eid| state_after_click(action, page, eid)),
        choice: action.eid().and_then(|eid| choice(page, eid)),
    })
}

/// Returns the state in which a click leaves a switch.
fn state_after_click(action: &Action, page: &Observation, eid: u32) -> Option<Makes> {
    let line = page.line(eid).filter(|_| matches!(action, Action::Page(PageAction::Click { .. })))?;
    let is = &line.attributes;
    match line.role.as_str() {
        "radio" | "menuitemradio" => Some(Makes::Checked),
        "checkbox" | "switch" | "menuitemcheckbox" if is.mixed => None,
        "checkbox" | "switch" | "menuitemcheckbox" if is.checked => Some(Makes::Unchecked),
        "checkbox" | "switch" | "menuitemcheckbox" => Some(Makes::Checked),
        _ if is.expanded => Some(Makes::Collapsed),
        _ if is.collapsed => Some(Makes::Expanded),
        _ => None,
    }
}

/// Returns the part of the element's name that differs from similar ones, as in `Add to cart: Blue lamp`.
fn choice(page: &Observation, eid: u32) -> Option<(String, usize)> {
    let line = page.line(eid)?;
    let own: Vec<&str> = line.name.split_whitespace().collect();
    let others: Vec<Vec<&str>> = page
        .lines
        .iter()
        .filter(|other| {
            other.eid.is_some()
                && other.role == line.role
                && normalize_text(&other.name) != normalize_text(&line.name)
        })
        .map(|other| other.name.split_whitespace().collect())
        .collect();
    let begins = |other: &Vec<&str>| own.iter().zip(other).take_while(|(one, two)| one == two).count();
    let ends = |other: &Vec<&str>| {
        own.iter().rev().zip(other.iter().rev()).take_while(|(one, two)| one == two).count()
    };
    let of = |shared: &dyn Fn(&Vec<&str>) -> usize| {
        let alike: Vec<usize> = others.iter().map(shared).filter(|count| *count > 0).collect();
        alike.iter().min().map(|least| (*least, alike.len()))
    };
    let (part, count) = match (of(&begins), of(&ends)) {
        (Some((least, count)), _) => (&own[least..], count),
        (None, Some((least, count))) => (&own[..own.len() - least], count),
        (None, None) => return None,
    };
    (!part.is_empty()).then(|| (part.join(" "), count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::observation::{Attributes, Line};
    use crate::turn::action::BrowserAction;
    use crate::turn::page_input::mouse::ClickInput;

    fn page(lines: &[(&str, &str, Attributes)]) -> Observation {
        let line = |(index, (role, name, attributes)): (usize, &(&str, &str, Attributes))| Line {
            role: (*role).into(),
            name: (*name).into(),
            eid: Some(u32::try_from(index + 1).unwrap()),
            attributes: attributes.clone(),
            ..Line::default()
        };
        Observation { lines: lines.iter().enumerate().map(line).collect(), ..Observation::default() }
    }

    #[test]
    fn the_subject_of_a_repeated_button_is_recorded() {
        let plain = Attributes::default;
        let page = page(&[
            ("button", "Add to cart: Blue lamp", plain()),
            ("button", "Add to cart: Red  chair", plain()),
            ("link", "Add to cart: all", plain()),
            ("button", "Add to cart: Lamp", plain()),
            ("button", "Blue lamp remove", plain()),
            ("button", "Sign in", plain()),
            ("textbox", "City", plain()),
        ]);
        let choice = |eid| choice(&page, eid);
        assert_eq!(choice(1), Some((String::from("Blue lamp"), 2)));
        assert_eq!(choice(2), Some((String::from("Red chair"), 2)));
        assert_eq!((choice(3), choice(6), choice(7)), (None, None, None));
    }

    #[test]
    fn the_state_after_a_click_is_recorded() {
        let is = |checked, expanded, collapsed| Attributes {
            checked,
            expanded,
            collapsed,
            ..Attributes::default()
        };
        let page = page(&[
            ("checkbox", "A", is(false, false, false)),
            ("switch", "B", is(true, false, false)),
            ("radio", "C", is(true, false, false)),
            ("button", "D", is(false, false, true)),
            ("button", "E", is(false, true, false)),
            ("button", "F", is(false, false, false)),
        ]);
        let click = |eid| Action::Page(PageAction::Click { eid, click: ClickInput::once() });
        let left: Vec<Option<Makes>> =
            (1..=6).map(|eid| describe_elements(&click(eid), &page, None).unwrap().makes).collect();
        use Makes::{Checked, Collapsed, Expanded, Unchecked};
        assert_eq!(
            left,
            [Some(Checked), Some(Unchecked), Some(Checked), Some(Expanded), Some(Collapsed), None]
        );
        assert_eq!(
            describe_elements(&Action::Page(PageAction::Hover { eid: 1 }), &page, None).unwrap().makes,
            None
        );
        assert_eq!(describe_elements(&Action::Browser(BrowserAction::Reload), &page, None), None);
    }
}
