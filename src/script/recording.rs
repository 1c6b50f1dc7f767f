//! What a run leaves for whoever makes a script of it: each thing that was done, on what, as a later run
//! can find it again, and what was seen then.

use super::describe::describe;
use super::find::folded;
use crate::page::Observation;
use crate::page::target::Target as Facts;
use crate::spec::script::{Makes, Target};
use crate::turn::action::Action;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What an action was about, when it was judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Aimed {
    /// One element, or the two of a drag.
    pub targets: Vec<Target>,
    /// What its form calls the field.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
    /// What a click leaves the switch as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub makes: Option<Makes>,
    /// The part of its name by which it differs from others of a list, and how many those are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<(String, usize)>,
}

/// One thing that was done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deed {
    pub action_id: String,
    pub action: String,
    pub params: Map<String, Value>,
    pub aimed: Option<Aimed>,
    /// What was seen before and after it.
    pub before: Seen,
    pub after: Option<Seen>,
    /// Whether it came off; what did not, did nothing.
    pub ok: bool,
}

/// What is kept of a look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub url: String,
    pub title: String,
    pub heading: String,
}

/// What an action is about, on the page as its planner was shown it.
pub fn aimed(action: &Action, page: &Observation, facts: Option<&Facts>) -> Option<Aimed> {
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
    Some(Aimed {
        targets,
        field: facts.and_then(Facts::own_field).map(|field| field.name.clone()).unwrap_or_default(),
        secret: facts.is_some_and(Facts::is_secret),
        makes: action.eid().and_then(|eid| makes(action, page, eid)),
        choice: action.eid().and_then(|eid| choice(page, eid)),
    })
}

/// What a click makes of a switch.
fn makes(action: &Action, page: &Observation, eid: u32) -> Option<Makes> {
    let line = page.line(eid).filter(|_| matches!(action, Action::Click { .. }))?;
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

/// Elements of a list are often called alike but for what they are about: `Add to cart: Blue lamp`.
fn choice(page: &Observation, eid: u32) -> Option<(String, usize)> {
    let line = page.line(eid)?;
    let own: Vec<&str> = line.name.split_whitespace().collect();
    let others: Vec<Vec<&str>> = page
        .lines
        .iter()
        .filter(|other| {
            other.eid.is_some() && other.role == line.role && folded(&other.name) != folded(&line.name)
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
    use crate::page::{Attributes, Line};

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
    fn what_one_of_a_list_is_about_is_told() {
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
    fn what_a_click_leaves_is_kept() {
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
        let click = |eid| Action::Click { eid, button: Default::default(), count: 1 };
        let left: Vec<Option<Makes>> =
            (1..=6).map(|eid| aimed(&click(eid), &page, None).unwrap().makes).collect();
        use Makes::{Checked, Collapsed, Expanded, Unchecked};
        assert_eq!(
            left,
            [Some(Checked), Some(Unchecked), Some(Checked), Some(Expanded), Some(Collapsed), None]
        );
        assert_eq!(aimed(&Action::Hover { eid: 1 }, &page, None).unwrap().makes, None);
        assert_eq!(aimed(&Action::Reload, &page, None), None);
    }
}
