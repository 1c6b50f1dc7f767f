//! Paying: with the card on file, with another one, and what a refused checkout shows.

use super::{CARD, Shopper, borrowed, filled};
use actix_web::http::StatusCode;

async fn at_checkout(language: Option<&'static str>) -> (Shopper, String) {
    let mut shopper = Shopper { language, ..Shopper::default() };
    shopper.sign_in().await;
    shopper.submit("/demo/cart/add", &[("product", "zoria")]).await;
    let page = shopper.open("/demo/checkout").await.body;
    (shopper, page)
}

/// The tag of the field of this name and value.
fn input<'a>(page: &'a str, marks: &[&str]) -> &'a str {
    let mut tags = page.split("<input ").skip(1).filter_map(|rest| rest.split('>').next());
    tags.find(|tag| marks.iter().all(|mark| tag.contains(mark))).expect("such a field")
}

const CARD_FIELDS: [(&str, &str); 3] =
    [("card_number", "cc-number"), ("card_expiry", "cc-exp"), ("card_cvc", "cc-csc")];

#[actix_web::test]
async fn the_card_on_file_is_chosen_and_needs_no_typing() {
    for (language, saved, another, card) in [
        (Some("uk"), "Збережена картка •••• 4242", "Інша картка", "Номер картки"),
        (Some("en"), "Saved card •••• 4242", "Another card", "Card number"),
    ] {
        let (mut shopper, page) = at_checkout(language).await;
        for (id, label) in [("p-saved", saved), ("p-another", another), ("f-card_number", card)] {
            assert!(page.contains(&format!("<label for=\"{id}\">{label}</label>")), "{label}");
        }
        assert!(input(&page, &["pay_with", "\"saved\""]).ends_with(" checked"));
        assert!(!input(&page, &["pay_with", "\"another\""]).contains("checked"));
        for (name, autocomplete) in CARD_FIELDS {
            let tag = input(&page, &[name, &format!("autocomplete=\"{autocomplete}\"")]);
            assert!(!tag.contains("required"), "{tag}");
        }
        assert!(input(&page, &["\"terms\""]).contains("required"));
        let mut form = filled(&page);
        form.retain(|(name, _)| name != "terms");
        assert_eq!(
            shopper.submit("/demo/checkout", &borrowed(&form)).await.status,
            StatusCode::UNPROCESSABLE_ENTITY
        );
        shopper.submit_on("/demo/checkout", &borrowed(&filled(&page))).await.assert_contains("•••• 4242");
        assert_eq!(shopper.orders().await.len(), 1);
    }
}

#[actix_web::test]
async fn another_card_must_be_typed() {
    let (mut shopper, page) = at_checkout(Some("uk")).await;
    let mut form = filled(&page);
    form.retain(|(name, _)| !["pay_with", "card_number"].contains(&name.as_str()));
    form.push(("pay_with".into(), "another".into()));
    let refused = shopper.submit("/demo/checkout", &borrowed(&form)).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    refused.assert_contains("У номері картки має бути від 12 до 19 цифр.");
    assert!(input(&refused.body, &["pay_with", "\"another\""]).ends_with(" checked"));
    for (name, _) in CARD_FIELDS {
        assert!(input(&refused.body, &[name]).contains("required"), "{name}");
    }
    form.push(("card_number".into(), "5555 5555 5555 4444".into()));
    shopper.submit_on("/demo/checkout", &borrowed(&form)).await.assert_contains("•••• 4444");
}

#[actix_web::test]
async fn without_a_stored_card_the_checkout_shows_only_the_fields() {
    let mut shopper = Shopper::default();
    shopper.submit("/demo/cart/add", &[("product", "rosa")]).await;
    let page = shopper.open("/demo/checkout").await.body;
    assert!(!page.contains("pay_with"));
    for (name, _) in CARD_FIELDS {
        assert!(input(&page, &[name]).contains("required"), "{name}");
    }
    let mut form = filled(&page);
    form.push(("pay_with".into(), "saved".into()));
    for named in ["name", "address", "city"] {
        form.push((named.into(), "Іван".into()));
    }
    form.retain(|(name, value)| !(["name", "address", "city"].contains(&name.as_str()) && value.is_empty()));
    let forged = shopper.submit("/demo/checkout", &borrowed(&form)).await;
    forged.assert_contains("У номері картки має бути від 12 до 19 цифр.");
    form.retain(|(name, _)| name != "card_number");
    form.push((CARD.0.into(), CARD.1.into()));
    shopper.submit_on("/demo/checkout", &borrowed(&form)).await.assert_contains("•••• 4242");
}

#[actix_web::test]
async fn a_refused_checkout_makes_no_order_and_shows_no_card() {
    let mut shopper = Shopper::default();
    shopper.submit("/demo/cart/add", &[("product", "rosa")]).await;
    let answer = shopper.submit("/demo/checkout", &[("items", "rosa-amber-1"), CARD, ("name", "Іван")]).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    answer.assert_contains("Без згоди замовлення не оформити.");
    answer.assert_contains("value=\"Іван\"");
    assert!(!answer.body.contains(CARD.1));
    assert!(shopper.orders().await.is_empty());
    let nothing = shopper.submit("/demo/checkout", &[("items", "")]).await;
    assert_eq!(nothing.header("location"), "/demo/cart");
}
