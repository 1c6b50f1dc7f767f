//! Small pages, and the elements that targets select on them.

use super::*;
use crate::page::observation::Attributes;
use crate::script::describe_element::describe;

/// Parses lines such as `button "Save" [3]`, two spaces per level, with `href=` and `source=` at the end.
fn page(text: &str) -> Observation {
    let line = |text: &str| {
        let depth = (text.len() - text.trim_start().len()) / 2;
        let (role, rest) = text.trim_start().split_once(' ').unwrap_or((text.trim_start(), ""));
        let (name, rest) = rest.strip_prefix('"').and_then(|rest| rest.split_once('"')).unwrap_or(("", rest));
        let eid = rest.split_once('[').and_then(|(_, rest)| rest.split(']').next()?.parse().ok());
        let after = |word: &str| rest.split_once(word).map(|(_, value)| value.to_owned());
        Line {
            depth: u32::try_from(depth).unwrap(),
            role: role.to_owned(),
            name: name.to_owned(),
            eid,
            attributes: Attributes {
                href: after("href="),
                source: after("source="),
                ..Attributes::default()
            },
        }
    };
    let lines = text.lines().filter(|text| !text.trim().is_empty()).map(line).collect();
    Observation { lines, ..Observation::default() }
}

const CART: &str = r#"
heading "Your cart"
list
  listitem
    text "Blue lamp, $20"
    button "Remove" [3]
  listitem
    text "Red lamp, $30"
    button "Remove" [4]
link "Cart" [5] href=/cart
button "Check  out" [6]
link "Cart" [7] href=/cart
"#;

const FLAT: &str = r#"
heading "Lamps"
text "Blue lamp"
button "Buy" [1]
text "Red lamp"
button "Buy" [2]
heading "Chairs"
text "Blue lamp stool"
button "Buy" [3]
"#;

const FRAMED: &str = r#"
textbox "Name" [1]
iframe "Payment"
  textbox "Name" [2]
  iframe "Code"
    textbox "Name" [3]
iframe "" source=https://pay.test:8443/form
  textbox "Number" [4]
"#;

const TABLE: &str = r#"
table
  row "Anna | 2 nights"
    button "Cancel" [1]
  row "Boris | 3 nights"
    button "Cancel" [2]
"#;

fn target(role: &str, name: &str, near: Option<&str>, frame: Option<&str>) -> Target {
    let own = |text: Option<&str>| text.map(str::to_owned);
    Target { role: role.into(), name: name.into(), near: own(near), frame: own(frame) }
}

#[test]
fn an_element_is_found_by_role_name_and_surroundings() {
    for (text, role, name, near, frame, eid) in [
        (CART, "button", "check out", None, None, 6),
        (CART, "button", "Remove", Some("Blue lamp"), None, 3),
        (CART, "button", "Remove", Some("red lamp, $30"), None, 4),
        // Links with the same destination count as one.
        (CART, "link", "Cart", None, None, 5),
        (FLAT, "button", "Buy", Some("Red lamp"), None, 2),
        // Exact words win over words that contain them.
        (FLAT, "button", "Buy", Some("Blue lamp"), None, 1),
        (FLAT, "button", "Buy", Some("Chairs"), None, 3),
        (TABLE, "button", "Cancel", Some("Boris"), None, 2),
        (FRAMED, "textbox", "Name", None, None, 1),
        (FRAMED, "textbox", "Name", None, Some("payment / code"), 3),
        (FRAMED, "textbox", "Name", None, Some("Code"), 3),
        (FRAMED, "textbox", "Number", None, None, 4),
        (FRAMED, "textbox", "Number", None, Some("https://pay.test:8443"), 4),
        (FRAMED, "textbox", "Number", None, Some("pay.test"), 4),
    ] {
        let (page, target) = (page(text), target(role, name, near, frame));
        assert_eq!(find(&target, &page).map(|line| line.eid), Ok(Some(eid)), "{target:?}");
    }
}

#[test]
fn missing_and_ambiguous_targets_are_reported() {
    let cart = page(CART);
    let describe_find = |target: Target| match find(&target, &cart) {
        Ok(line) => panic!("{line:?}"),
        Err(FindError::Nothing { nearest }) => {
            nearest.iter().take(2).map(|line| line.name.as_str()).collect::<Vec<_>>().join("|")
        }
        Err(FindError::NotNear { count }) => format!("{count} elsewhere"),
        Err(FindError::NoFrame { frames }) => format!("frames {frames:?}"),
        Err(FindError::Several { beside }) => format!("{beside:?}"),
    };
    assert_eq!(describe_find(target("button", "Check out now", None, None)), "Check  out|Remove");
    // Only whole names and roles match.
    assert_eq!(describe_find(target("button", "Check", None, None)), "Check  out|Remove");
    assert_eq!(describe_find(target("link", "Check out", None, None)).split('|').next(), Some("Cart"));
    assert_eq!(
        describe_find(target("button", "Remove", None, None)),
        r#"[Some("Blue lamp, $20"), Some("Red lamp, $30")]"#
    );
    assert_eq!(describe_find(target("button", "Remove", Some("Green lamp"), None)), "2 elsewhere");
    assert_eq!(describe_find(target("button", "Remove", None, Some("Pay"))), "frames []");
}

// The only element left must not be taken for one that is gone.
#[test]
fn surrounding_text_must_match_even_for_a_single_element() {
    let left = page("list\n  listitem\n    text \"Red lamp\"\n    button \"Remove\" [4]\ntext \"Blue lamp\"");
    let gone = target("button", "Remove", Some("Blue lamp"), None);
    assert_eq!(find(&gone, &left), Err(FindError::NotNear { count: 1 }));
}

#[test]
fn every_described_element_is_found_again() {
    for text in [CART, FLAT, FRAMED, TABLE] {
        let page = page(text);
        for line in page.lines.iter().filter(|line| line.eid.is_some_and(|eid| eid != 7)) {
            let target = describe(&page, line.eid.unwrap()).unwrap();
            assert_eq!(find(&target, &page).map(|found| found.eid), Ok(line.eid), "{target:?}");
        }
    }
    let described = |text: &str, eid: u32| describe(&page(text), eid).unwrap();
    assert_eq!(described(CART, 6), target("button", "Check out", None, None));
    assert_eq!(described(CART, 4), target("button", "Remove", Some("Red lamp, $30"), None));
    assert_eq!(described(FLAT, 2), target("button", "Buy", Some("Red lamp"), None));
    assert_eq!(described(FRAMED, 3).frame.as_deref(), Some("Payment / Code"));
    assert_eq!(described(FRAMED, 4).frame.as_deref(), Some("https://pay.test:8443"));
    assert_eq!(describe(&page(CART), 99), None);
}
