//! Checkout: address, delivery, payment, and placing the order.

use crate::demo::cart::{COUPON, Cart, Delivery};
use crate::demo::form_errors::FormErrors;
use crate::demo::products::choose_known;
use crate::demo::shop::cart_page::line_views;
use crate::demo::templates::merge_objects;
use crate::demo::visitors::visit::Visit;
use crate::demo::visitors::visitor::{PlacedOrder, Visitor};
use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const COUNTRIES: [&str; 5] = ["ua", "pl", "de", "cz", "gb"];
/// Payment with the card on file.
const SAVED: &str = "saved";
const SLOTS: [&str; 3] = ["morning", "day", "evening"];

/// The number and code of the card are never shown again.
#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
pub struct CheckoutForm {
    name: String,
    address: String,
    city: String,
    country: String,
    delivery: String,
    /// `SAVED`, or else another card, whose fields are then required.
    pay_with: String,
    #[serde(skip_serializing)]
    card_number: String,
    card_expiry: String,
    #[serde(skip_serializing)]
    card_cvc: String,
    terms: String,
    #[serde(skip_serializing)]
    shown_total: String,
    /// The ordered items are part of the form: the same form sent twice places two equal orders.
    items: String,
    gift_wrap: String,
    coupon: String,
}

impl CheckoutForm {
    /// Returns the initial form. For a signed-in visitor, the address is filled in and the card on file is
    /// chosen.
    fn prefill(visitor: &Visitor) -> Self {
        let cart = &visitor.cart;
        let form = Self {
            delivery: "post".into(),
            card_expiry: "12/30".into(),
            items: cart.items(),
            gift_wrap: if cart.gift_wrap { "yes".into() } else { String::new() },
            coupon: cart.coupon_code().into(),
            ..Self::default()
        };
        match visitor.account() {
            None => form,
            Some(account) => {
                let (name, address) = (account.name.clone(), account.address.clone());
                let pay_with = if account.saved_card.is_some() { SAVED } else { "" }.into();
                Self { name, address, city: account.city.clone(), pay_with, ..form }
            }
        }
    }

    fn cart(&self) -> Cart {
        Cart::from_items(&self.items, self.gift_wrap == "yes", self.coupon == COUPON)
    }

    /// Returns the last digits of the card on file, if it is chosen for payment.
    fn saved_card(&self, visitor: &Visitor) -> Option<String> {
        let account = visitor.account().filter(|_| self.pay_with == SAVED);
        account.and_then(|account| account.saved_card.clone())
    }

    fn card_digits(&self) -> String {
        self.card_number.chars().filter(|sign| !sign.is_whitespace() && *sign != '-').collect()
    }

    fn faults(&self, visit: &Visit) -> FormErrors {
        let mut faults = FormErrors::none(visit.lang);
        faults.line("name", &self.name);
        faults.line("address", &self.address);
        faults.line("city", &self.city);
        if visit.read(|visitor| self.saved_card(visitor)).is_none() {
            self.card_faults(&mut faults);
        }
        faults.add_if(self.terms != "yes", "terms", "errors.terms");
        faults
    }

    fn card_faults(&self, faults: &mut FormErrors) {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let card = self.card_digits();
        faults.add_if(
            !(12..=19).contains(&card.len()) || !digits(&card),
            "card_number",
            "errors.card_number",
        );
        let month_year = self.card_expiry.trim().split_once('/');
        let good = month_year.is_some_and(|(month, year)| {
            month.len() == 2 && year.len() == 2 && digits(year) && matches!(month.parse(), Ok(1..=12))
        });
        faults.add_if(!good, "card_expiry", "errors.card_expiry");
        let cvc = self.card_cvc.trim();
        faults.add_if(!(3..=4).contains(&cvc.len()) || !digits(cvc), "card_cvc", "errors.card_cvc");
    }
}

pub async fn show(visit: Visit) -> HttpResponse {
    let form = visit.read(CheckoutForm::prefill);
    if form.cart().lines.is_empty() {
        return visit.go("/demo/cart");
    }
    let page = checkout_context(&visit, &form);
    visit.page("checkout.html", page)
}

/// Places an order. Sending the same form twice places two orders.
pub async fn place(visit: Visit, form: web::Form<CheckoutForm>) -> HttpResponse {
    if form.cart().lines.is_empty() {
        return visit.redirect_with_message("/demo/cart", visit.text("errors.cart_empty"));
    }
    let faults = form.faults(&visit);
    if !faults.is_empty() {
        let page = checkout_context(&visit, &form);
        return visit.refuse("checkout.html", merge_objects(json!({ "errors": faults }), page));
    }
    let number = visit.change(|visitor| {
        let order = build_order(visitor, &form);
        let number = visitor.place_order(order);
        visitor.cart = Cart::default();
        number
    });
    visit.go(&format!("/demo/orders/{number}/thanks"))
}

fn build_order(visitor: &Visitor, form: &CheckoutForm) -> PlacedOrder {
    let delivery = Delivery::parse(&form.delivery);
    let (card, cart) = (form.card_digits(), form.cart());
    let typed = card.get(card.len().saturating_sub(4)..).unwrap_or_default();
    PlacedOrder {
        number: 0,
        lines: visitor.order_lines(&cart),
        bill: visitor.bill(&cart, Some(delivery)),
        shown_total: form.shown_total.parse().unwrap_or_default(),
        name: form.name.trim().to_owned(),
        address: form.address.trim().to_owned(),
        city: form.city.trim().to_owned(),
        country: choose_known(&form.country, &COUNTRIES).into(),
        delivery,
        slot: visitor.slot.clone(),
        card_last4: form.saved_card(visitor).unwrap_or_else(|| typed.to_owned()),
    }
}

fn checkout_context(visit: &Visit, form: &CheckoutForm) -> Value {
    let deliveries: Vec<Value> = Delivery::ALL
        .into_iter()
        .map(|way| {
            let name = visit.text(&format!("deliveries.{}", way.key()));
            json!({ "key": way.key(), "price": way.price(), "name": name })
        })
        .collect();
    let countries = visit.options("countries", &COUNTRIES);
    let cart = form.cart();
    visit.read(|visitor| {
        let bill = visitor.bill(&cart, Some(Delivery::parse(&form.delivery)));
        let saved_card = visitor.account().and_then(|account| account.saved_card.as_deref());
        let with_saved = form.saved_card(visitor).is_some();
        json!({ "saved_card": saved_card, "with_saved": with_saved, "lines": line_views(visit, visitor, &cart), "bill": bill, "deliveries": deliveries, "countries": countries, "form": form })
    })
}

/// The page in the iframe of the checkout.
pub async fn slots(visit: Visit) -> HttpResponse {
    let slot = visit.read(|visitor| visitor.slot.clone());
    let slot_name = slot_name(&visit, &slot);
    visit.page(
        "slot.html",
        json!({ "slots": visit.options("slots", &SLOTS), "slot": slot, "slot_name": slot_name }),
    )
}

/// Returns the chosen delivery time in words, or an empty text.
pub fn slot_name(visit: &Visit, slot: &str) -> String {
    if slot.is_empty() { String::new() } else { visit.text(&format!("slots.{slot}")) }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct SlotForm {
    slot: String,
}

pub async fn choose_slot(visit: Visit, form: web::Form<SlotForm>) -> HttpResponse {
    if SLOTS.contains(&form.slot.as_str()) {
        visit.change(|visitor| visitor.slot = form.0.slot);
    }
    visit.go("/demo/delivery-slot")
}
