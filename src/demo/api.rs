//! The shop's state of a visitor as JSON, for tests. A request does not create a visitor: an unknown one
//! reads as new.

use crate::demo::cart::Cart;
use crate::demo::visitors::visit::Visit;
use crate::demo::visitors::visitor::{Account, ContactMessage, Lab, PlacedOrder, Return, Review, Share};
use actix_web::HttpResponse;
use serde::Serialize;
use serde_json::json;

#[derive(Serialize)]
struct State<'a> {
    visitor: &'a str,
    /// Account that is signed in.
    account: Option<AccountView<'a>>,
    accounts: Vec<AccountView<'a>>,
    cart: &'a Cart,
    /// Total of the cart, without delivery.
    total: u32,
    slot: &'a str,
    orders: &'a [PlacedOrder],
    orders_made: u32,
    messages: &'a [ContactMessage],
    newsletter: &'a [String],
    reviews: &'a [Review],
    returns: &'a [Return],
    lab: &'a Lab,
}

/// An account without its password.
#[derive(Serialize)]
struct AccountView<'a> {
    login: &'a str,
    name: &'a str,
    email: &'a str,
    address: &'a str,
    city: &'a str,
    shares: &'a [Share],
    saved_card: Option<&'a str>,
}

impl<'a> From<&'a Account> for AccountView<'a> {
    fn from(account: &'a Account) -> Self {
        Self {
            login: &account.login,
            name: &account.name,
            email: &account.email,
            address: &account.address,
            city: &account.city,
            shares: &account.shares,
            saved_card: account.saved_card.as_deref(),
        }
    }
}

/// `GET /demo/api/state`: account, cart, orders, messages and the rest.
pub async fn state(visit: Visit) -> HttpResponse {
    visit.read(|visitor| {
        HttpResponse::Ok().json(State {
            visitor: visit.id(),
            account: visitor.account().map(AccountView::from),
            accounts: visitor.accounts().iter().map(AccountView::from).collect(),
            cart: &visitor.cart,
            total: visitor.bill(&visitor.cart, None).total,
            slot: &visitor.slot,
            orders: &visitor.orders,
            orders_made: visitor.orders_made,
            messages: &visitor.messages,
            newsletter: &visitor.newsletter,
            reviews: &visitor.reviews,
            returns: &visitor.returns,
            lab: &visitor.lab,
        })
    })
}

/// `GET /demo/api/orders`.
pub async fn orders(visit: Visit) -> HttpResponse {
    visit.read(|visitor| HttpResponse::Ok().json(json!({ "items": visitor.orders, "cursor": null })))
}
