//! Texts of questions, and how long the answer may be remembered. S1.25, C24.

use crate::gate_page::*;
use askfirst::clock::Moment;
use askfirst::gate::effect::question_texts::subject_of;
use askfirst::gate::grants::covers::Covers;
use askfirst::gate::grants::{self, Grant, GrantScope, RememberOffer};
use askfirst::gate::verdict::{Decision, Verdict};
use askfirst::gate::wording::money::{amount_in_name, total_in_lines};
use askfirst::ids::RunId;
use askfirst::page::target::{Field, Target};
use askfirst::protocol::Locale::{En, Uk};
use askfirst::protocol::Remember::{self, Once, Run, Site};
use askfirst::turn::action::Action;

const CART: &str = "https://shop.test/checkout";

fn judge_in_cart(action: Action, target: &Target) -> Verdict {
    judged(&action, Some(target), CART)
}

fn order() -> Target {
    post(
        "Place order",
        "/checkout",
        &["text Name=Olena", "email E-mail=o@x.test", "card Card number", "hidden csrf=abc", "text Note="],
    )
    .with_text("Lamp ₴1 000 Delivery ₴250 Total ₴1 250 Place order")
}

fn dropped_on(name: &str, handle: &str, thing: &str) -> Target {
    let dragged = Target { subject: thing.into(), ..button(handle) };
    Target { dragged: Some(Box::new(dragged)), ..element("group", "div", name) }
}

#[test]
fn the_sentence_says_what_where_and_for_how_much() {
    #[rustfmt::skip]
    let cases = [
        (judge_in_cart(click(), &order()), "Оформити замовлення на shop.test на суму ₴1 250 («Place order»)", "Place the order on shop.test for ₴1 250 (“Place order”)"),
        (judge_in_cart(click(), &button("Pay €12.50")), "Заплатити на shop.test на суму €12.50 («Pay €12.50»)", "Pay on shop.test for €12.50 (“Pay €12.50”)"),
        (judge_in_cart(click(), &button("Delete").near("Photo 3 from Lviv")), "Видалити на shop.test («Delete», поруч із «Photo 3 from Lviv»)", "Delete on shop.test (“Delete”, next to “Photo 3 from Lviv”)"),
        (judge_in_cart(press("Enter"), &post("Log in", "/login", &["password P"]).at_field("textbox", "P")), "Увійти з паролем на shop.test (клавіша Enter у «P»)", "Sign in with the password on shop.test (key Enter in “P”)"),
        (judge_in_cart(click(), &post("Save", "/s", &["text a=b"]).sent_to("https://evil.test/x")), "Зберегти зміни на evil.test («Save»); дані підуть із shop.test на інший сайт", "Save changes on evil.test (“Save”); the data goes from shop.test to another site"),
        (judge_in_cart(click(), &post("Create", "/users/add/", &["text username=o", "password p1", "password p2"]).under("Add user")), "Створити обліковий запис на shop.test («Create»)", "Create an account on shop.test (“Create”)"),
        (judge_in_cart(click(), &post("Save", "/privacy", &["password shared"]).under("Change privacy")), "Зберегти пароль на shop.test («Save»)", "Save a password on shop.test (“Save”)"),
        (judge_in_cart(click(), &post("Save", "/settings", &["text name=Trip", "password shared="]).under("Settings")), "Зберегти зміни на shop.test («Save»)", "Save changes on shop.test (“Save”)"),
        (judge_in_cart(click(), &post("submit", "/create", &["text name=Trip", "password code"]).under("Create a new project")), "Зберегти пароль на shop.test («submit»)", "Save a password on shop.test (“submit”)"),
        (judge_in_cart(click(), &button("Yes").under("Delete?").near(&"a long sidebar ".repeat(9))), "Видалити на shop.test («Yes»)", "Delete on shop.test (“Yes”)"),
        (judge_in_cart(click(), &button("")), "Натиснути кнопку без назви на shop.test: наслідок незрозумілий", "Click a button without a name on shop.test: effect unclear"),
        (judge_in_cart(click(), &button("Press me")), "Натиснути «Press me» на shop.test: наслідок незрозумілий", "Click “Press me” on shop.test: effect unclear"),
        (judge_in_cart(click(), &button("Press me").near("Lamp")), "Натиснути «Press me» на shop.test (поруч із «Lamp»): наслідок незрозумілий", "Click “Press me” on shop.test (next to “Lamp”): effect unclear"),
        (judge_in_cart(click(), &post("Choose time", "/t", &["text a=b"])), "Надіслати форму «Choose time» на shop.test", "Submit the form “Choose time” on shop.test"),
        (judge_in_cart(drag(), &dropped_on("Trash", "Drag Item 4 of 4", "About us")), "Видалити на shop.test (перетягнути «About us» на «Trash»)", "Delete on shop.test (drag “About us” onto “Trash”)"),
        (judged(&navigate("http://10.0.0.1:81/x"), None, CART), "Відкрити сторінку 10.0.0.1:81", "Open the page 10.0.0.1:81"),
    ];
    for (verdict, uk, en) in cases {
        assert_eq!((uk, en), (verdict.sentence(Uk), verdict.sentence(En)));
    }
}

#[test]
fn the_subject_is_the_thing_and_not_what_stands_beside() {
    let in_row =
        |subject: &str| Target { subject: subject.into(), heading: "Catalogue".into(), ..button("Delete") };
    for (target, subject) in [
        (in_row("Red lamp"), "Red lamp"),
        (in_row("Red lamp Delete"), "Red lamp"),
        (in_row("Delete product?"), "Delete product?"),
        // The name of another button is no thing.
        (Target { name: "Update".into(), ..in_row("Delete") }, "Catalogue"),
        (dropped_on("Opening hours", "Drag Item 4 of 4", "About us"), "About us"),
        (dropped_on("Done", "Buy milk", ""), "Buy milk"),
        (in_row("").near(&"a long sidebar ".repeat(9)).under("Prices"), "Prices"),
    ] {
        assert_eq!(subject_of(&target, "Page"), subject);
    }
}

#[test]
fn a_page_cannot_write_into_the_sentence_beyond_its_quotes() {
    let name = "Pay\u{202e}\n\nApproved by the bank\u{200b}".to_owned() + &"!".repeat(500);
    let verdict = judge_in_cart(click(), &button(&name));
    let sentence = verdict.sentence(En);
    assert!(
        !sentence.contains(['\n', '\u{202e}', '\u{200b}']) && sentence.chars().count() < 200,
        "{sentence}"
    );
}

#[test]
fn values_are_what_is_about_to_be_sent_with_secrets_masked() {
    let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
        list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let expected = pairs(&[("Name", "Olena"), ("E-mail", "o@x.test"), ("Card number", "••••")]);
    assert_eq!(expected, judge_in_cart(click(), &order()).values);
    // The text being typed stands for the old value of the field.
    let login = post("Log in", "/login", &["text Login=old", "password Password"]);
    let verdict = judge_in_cart(typed("hunter2", true), &login.clone().at_field("textbox", "Password"));
    assert_eq!(pairs(&[("Login", "old"), ("Password", "••••")]), verdict.values);
    let verdict = judge_in_cart(typed("new", true), &login.at_field("textbox", "Login"));
    assert_eq!(pairs(&[("Password", "••••"), ("Login", "new")]), verdict.values);
}

// S1.25: a person reads the page's words for a choice, not what is sent for them.
#[test]
fn choices_are_named_in_the_page_s_words() {
    let choice = |kind: &str, group: &str, label: &str| Field {
        name: "raw".into(),
        label: label.into(),
        group: group.into(),
        kind: kind.into(),
        value: "post".into(),
        filled: true,
        ..Field::default()
    };
    let mut order = order();
    if let Some(form) = &mut order.form {
        form.fields = vec![
            choice("radio", "Delivery", "Parcel locker"),
            choice("radio", "Delivery", "In the evening"),
            choice("radio", "", "Saved card"),
            choice("checkbox", "", "I agree"),
        ];
    }
    let expected =
        [("Delivery", "Parcel locker"), ("In the evening", "✓"), ("Saved card", "✓"), ("I agree", "✓")];
    let values = judge_in_cart(click(), &order).values;
    assert_eq!(expected.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(), values);
}

#[test]
fn totals_are_found_in_the_words_of_many_shops() {
    for (name, sum) in [
        ("Blue lamp, 450 ₴", Some("450 ₴")),
        ("Lamp $20 Shade $5", None),
        ("Pay $25, balance $900", None),
        ("Pay from balance $900", None),
        ("Pay $20, total $25", Some("$25")),
    ] {
        assert_eq!(sum.map(str::to_owned), amount_in_name(name), "{name}");
    }
    for (text, total) in [
        ("Subtotal $10.00 Shipping $2.00 Total $12.00", Some("$12.00")),
        ("Разом до сплати: 1 250,50 грн", Some("1 250,50 грн")),
        ("Blue lamp, 450 ₴", None),
        ("Gesamtsumme 1.234,00 €", Some("1.234,00 €")),
        ("Итого 990 руб. доставка 2 дня", Some("990 руб")),
        ("合計 ¥3,200 3点", Some("¥3,200")),
        ("Total USD 99", Some("USD 99")),
        ("Lamp $20, shade $5. To pay: $25", Some("$25")),
        ("27 items, 3 pages", None),
        ("Available balance €500", None),
        ("Total balance €500", None),
        ("Available balance €500\nTotal €20", Some("€20")),
        ("Total €20\nAvailable balance €500", Some("€20")),
        ("Total\n€20\nAvailable balance\n€500", Some("€20")),
        ("€20 to pay\n€500 available", Some("€20")),
        ("Доступно 9 000 грн\nДо сплати 40 грн\nЛіміт 5 000 грн", Some("40 грн")),
        ("Balance due $30", Some("$30")),
        ("", None),
    ] {
        assert_eq!(total.map(str::to_owned), total_in_lines(text), "{text}");
    }
}

// S1.25: "Available balance" was once shown as what is paid.
#[test]
fn a_sum_is_what_leaves_or_what_the_form_calls_its_total() {
    let pay = |fields: &[&str], text: &str| {
        let target = post("Pay", "/pay", fields).with_text(text).near("Available balance €500");
        judge_in_cart(click(), &target).sentence(En).to_owned()
    };
    let all = [
        (pay(&["text to=Ann"], "Available balance €500"), None),
        (pay(&["text to=Ann"], "Available balance €500\nAmount due €20"), Some("€20")),
        (pay(&["text amount=€12"], "Available balance €500"), Some("€12")),
        (pay(&["text amount=12.50", "hidden currency=EUR"], "Available balance €500"), Some("12.50 EUR")),
        (pay(&["hidden total=€7.10"], "Available balance €500"), Some("€7.10")),
        // It may count cents or pieces.
        (pay(&["hidden amount=1250"], "Available balance €500"), None),
        (pay(&["hidden total=1250"], "Available balance €500\nPrice now: €1,250"), Some("€1,250")),
        (pay(&["hidden balance_amount=€500"], ""), None),
    ];
    for (sentence, sum) in all {
        let expected =
            format!("Pay on shop.test{} (“Pay”)", sum.map(|sum| format!(" for {sum}")).unwrap_or_default());
        assert_eq!(expected, sentence);
    }
    let bare = judge_in_cart(click(), &button("Pay").near("Available balance €500"));
    assert!(!bare.sentence(En).contains("for €500"), "{}", bare.sentence(En));
    let amount = post("Pay", "/pay", &["text Amount=€1"]).at_field("textbox", "Amount");
    let typed = judge_in_cart(typed("€9", true), &amount);
    assert!(
        typed.sentence(En).contains("for €9") || !typed.sentence(En).starts_with("Pay"),
        "{}",
        typed.sentence(En)
    );
}

fn choices(verdict: &Verdict) -> &[Remember] {
    &verdict.remember
}

#[test]
fn purchases_credentials_and_secrets_are_never_remembered() {
    for target in
        [order(), post("Log in", "/login", &["password p"]), button("Buy now"), button("Sign in with Google")]
    {
        assert_eq!([Once], choices(&judge_in_cart(click(), &target)), "{}", target.name);
    }
    assert_eq!(
        [Once, Run, Site],
        choices(&judge_in_cart(click(), &post("Send", "/contact", &["textarea t=hi"])))
    );
    assert_eq!([Once, Run], choices(&judge_in_cart(click(), &button("Delete"))));
    assert_eq!([Once], choices(&judge_in_cart(click(), &post("Delete", "/x", &["password p"]))));
}

/// The contact form of the shop.
fn form() -> Covers {
    Covers {
        origin: String::from("https://shop.test"),
        method: String::from("POST"),
        path: String::from("/contact"),
        fields: vec![String::from("email"), String::from("text")],
        role: String::from("button Send"),
    }
}

fn offer<'a>(verdict: &'a Verdict, covers: &'a Covers) -> RememberOffer<'a> {
    RememberOffer { choices: &verdict.remember, origin: &verdict.origin, rule: &verdict.rule, covers }
}

// A grant covers one form or request: nothing else of its rule at this site.
#[test]
fn a_grant_covers_no_other_form_request_control_or_further_value() {
    let granted = form();
    let with = |change: fn(&mut Covers)| {
        let mut other = form();
        change(&mut other);
        granted.includes(&other)
    };
    assert!(with(|_| {}));
    assert!(with(|other| drop(other.fields.pop())), "fewer values");
    assert!(!with(|other| other.fields.clear()), "no values");
    let deletion = Covers { method: String::from("DELETE"), ..form() };
    let mut of_all = deletion.clone();
    of_all.fields.pop();
    assert!(deletion.includes(&deletion) && !deletion.includes(&of_all), "a deletion of more");
    for (what, change) in [
        ("destination", (|other| other.origin = String::from("https://evil.test")) as fn(&mut Covers)),
        ("method", |other| other.method = String::from("DELETE")),
        ("path", |other| other.path = String::from("/publish")),
        ("control", |other| other.role = String::from("button Merge")),
        ("value", |other| other.fields.push(String::from("bcc"))),
    ] {
        assert!(!with(change), "another {what}");
    }
    assert!(!Covers::default().includes(&Covers::default()), "a grant without a destination covers nothing");
}

fn grant(remember: Remember) -> Option<Grant> {
    let verdict = judge_in_cart(click(), &post("Send", "/contact", &["textarea t=hi"]));
    grants::from_answer(offer(&verdict, &form()), remember, &RunId::from("run-1"), Moment::from_millis(0))
}

#[test]
fn a_grant_speaks_for_its_run_or_site_its_rule_and_its_time() {
    let verdict = judge_in_cart(click(), &post("Send", "/contact", &["textarea t=hi"]));
    let (one, two, now) = (RunId::from("run-1"), RunId::from("run-2"), Moment::from_millis(1000));
    let (run, site) = (grant(Run).expect("a grant"), grant(Site).expect("a grant"));
    assert_eq!((None, GrantScope::Run, GrantScope::Site), (grant(Once), run.scope, site.scope));
    assert!(
        grants::permits(&run, &verdict, &form(), &one, now)
            && !grants::permits(&run, &verdict, &form(), &two, now)
    );
    assert!(
        grants::permits(&site, &verdict, &form(), &one, now)
            && grants::permits(&site, &verdict, &form(), &two, now)
    );
    let (mut elsewhere, mut by_another_rule) = (verdict.clone(), verdict.clone());
    elsewhere.origin = String::from("https://other.test");
    by_another_rule.rule = String::from("submit");
    assert!(!grants::permits(&site, &elsewhere, &form(), &one, now));
    assert!(!grants::permits(&site, &by_another_rule, &form(), &one, now));
    assert!(!grants::permits(&site, &verdict, &form(), &one, site.expires_at));
    assert!(run.expires_at < site.expires_at);
}

#[test]
fn no_grant_answers_for_what_may_not_be_remembered_or_is_denied() {
    let now = Moment::from_millis(0);
    let run = RunId::from("run-1");
    let bought = judge_in_cart(click(), &button("Buy now"));
    assert_eq!(None, grants::from_answer(offer(&bought, &form()), Site, &run, now));
    let forged =
        Grant { rule: bought.rule.clone(), origin: bought.origin.clone(), ..grant(Site).expect("a grant") };
    assert!(!grants::permits(&forged, &bought, &form(), &run, now));
    let denied = judged(&navigate("http://10.0.0.1/"), None, CART);
    let forged = Grant { rule: denied.rule.clone(), origin: denied.origin.clone(), ..forged };
    assert_eq!(Decision::Deny, denied.decision);
    assert!(!grants::permits(&forged, &denied, &form(), &run, now));
}
