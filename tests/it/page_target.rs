//! Fingerprints that approvals are bound to: equal after a reload, different when anything relevant differs. S1.25.

use crate::gate_page::*;
use askfirst::page::fingerprint::fingerprint;
use askfirst::page::target::Target;
use askfirst::page::target_changes::describe_changes;
use askfirst::turn::action::Action;

fn order() -> Target {
    post(
        "Place order",
        "/checkout",
        &["text Name=Olena", "password Pin", "hidden csrf_token=a1b2c3", "hidden sku=lamp-1"],
    )
    .with_text("Total ₴1 250")
    .near("Blue lamp")
    .under("Checkout")
}

fn print(url: &str, action: &Action, target: &Target) -> String {
    fingerprint(url, action, target)
}

#[test]
fn the_fingerprint_is_the_same_after_a_reload() {
    let again = Target { eid: 99, bounds: [5.0, 6.0, 7.0, 8.0], ..order() };
    let mut fresh = again.clone().near("Blue   lamp");
    if let Some(form) = &mut fresh.form {
        form.fields[2].value = String::from("another-token");
    }
    let first = print(SHOP, &click(), &order());
    assert_eq!(64, first.len());
    assert_eq!(first, print("https://shop.test/page#top", &click(), &fresh));
    assert_eq!(Vec::<String>::new(), describe_changes(&order(), &fresh));
}

#[test]
fn the_fingerprint_never_changes_between_versions_by_accident() {
    insta::assert_snapshot!(print(SHOP, &click(), &order()), @"dfce658f3faa5b6546927849b3846d32fc024d46ac0915e316191f3436b3eb6d");
}

// Rows of a table have fields of one name and label.
#[test]
fn fields_of_one_name_are_compared_in_their_order() {
    let rows = |second: &str| {
        post("Save", "/rows", &["text price=1", "text price=2", &format!("text price={second}")])
    };
    assert_eq!(Vec::<String>::new(), describe_changes(&rows("3"), &rows("3")));
    assert_eq!(
        vec![String::from("field \"price\": was \"3\", is \"4\"")],
        describe_changes(&rows("3"), &rows("4"))
    );
}

type Change = (&'static str, fn(&mut Target));

#[test]
fn the_fingerprint_differs_when_anything_relevant_changes() {
    #[rustfmt::skip]
    let changes: &[Change] = &[
        ("name: was \"Place order\", is \"Pay\"", |t| t.name = "Pay".into()),
        ("role", |t| t.role = "link".into()),
        ("tag", |t| t.tag = "a".into()),
        ("frame", |t| t.frame = "Ads".into()),
        ("destination", |t| t.destination = Some("https://evil.test/".into())),
        ("text around it", |t| t.near = "Red lamp".into()),
        ("section", |t| t.context = "Donate".into()),
        ("it is now disabled", |t| t.disabled = true),
        ("sends its form", |t| t.submits = false),
        ("its form is gone", |t| t.form = None),
        ("where its form sends to", |t| t.form.as_mut().unwrap().action = "https://evil.test/".into()),
        ("how its form sends", |t| t.form.as_mut().unwrap().method = "get".into()),
        ("text of its form: was \"Total ₴1 250\", is \"Total ₴9 250\"", |t| t.form.as_mut().unwrap().text = "Total ₴9 250".into()),
        ("field \"Name\": was \"Olena\", is \"Oleh\"", |t| t.form.as_mut().unwrap().fields[0].value = "Oleh".into()),
        ("field \"Pin\" has changed", |t| t.form.as_mut().unwrap().fields[1].filled = false),
        ("field \"sku\"", |t| t.form.as_mut().unwrap().fields[3].value = "lamp-2".into()),
        ("field \"csrf_token\" has changed", |t| t.form.as_mut().unwrap().fields[2].sent = "ab".into()),
        ("further fields", |t| t.form.as_mut().unwrap().rest = "ab".into()),
        ("prices: was \"\", is \"Total $9\"", |t| t.prices = vec!["Total $9".into()]),
        ("field \"Name\" is new", |t| t.loose = vec![t.form.as_ref().unwrap().fields[0].clone()]),
        ("what it says", |t| t.other_name = "Pay".into()),
        ("field \"Name\" is gone", |t| { t.form.as_mut().unwrap().fields.remove(0); }),
    ];
    let before = print(SHOP, &click(), &order());
    for (what, change) in changes {
        let mut target = order();
        change(&mut target);
        assert_ne!(before, print(SHOP, &click(), &target), "{what}");
        let found = describe_changes(&order(), &target).join("; ");
        assert!(found.contains(what), "{found}\nshould say {what}");
    }
    assert_ne!(before, print("https://shop.test/page?step=2", &click(), &order()));
    assert_ne!(before, print(SHOP, &press("Enter"), &order()));
}

#[test]
fn the_fingerprint_includes_action_values_and_no_secrets() {
    let name = order().at_field("textbox", "Name");
    assert_ne!(print(SHOP, &typed("a", true), &name), print(SHOP, &typed("b", true), &name));
    assert_ne!(print(SHOP, &typed("a", true), &name), print(SHOP, &typed("a", false), &name));
    let secret = order().at_field("textbox", "Pin").with_kind("password");
    assert_eq!(print(SHOP, &typed("1234", true), &secret), print(SHOP, &typed("9999", true), &secret));
    assert_ne!(print(SHOP, &typed("1234", true), &secret), print(SHOP, &typed("", true), &secret));
    let mut revealed = order();
    revealed.form.as_mut().unwrap().fields[1].value = String::from("hunter2");
    assert_eq!(print(SHOP, &click(), &order()), print(SHOP, &click(), &revealed));
    assert!(!format!("{:?}", describe_changes(&order(), &revealed)).contains("hunter2"));
}
