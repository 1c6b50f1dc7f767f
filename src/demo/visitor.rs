//! What the shop knows of one visitor: accounts, orders, messages. Pure: no web, no clock. Every list is
//! bounded, so that a visitor can hold only so much of the server's memory.

use super::cart::{Bill, Cart, Delivery, Line};
use super::catalogue::{Product, product};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The account that every visitor finds ready, and its password, which the sign-in page tells.
pub const DEMO_LOGIN: &str = "olena";
pub const DEMO_PASSWORD: &str = "demo-pass-1";

const KEPT_ENTRIES: usize = 200;
const KEPT_ACCOUNTS: usize = 20;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Account {
    pub login: String,
    pub name: String,
    pub email: String,
    pub address: String,
    pub city: String,
    pub shares: Vec<Share>,
    /// The last four digits of the card on file: all that the shop knows of it.
    pub saved_card: Option<String>,
    digest: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Share {
    pub email: String,
    pub role: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OrderLine {
    pub product: String,
    pub cord: String,
    pub quantity: u32,
    pub sum: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// 1, 2, 3 … for each visitor. Two posts of one form are two orders, so that a doubled effect shows.
    pub number: u32,
    pub lines: Vec<OrderLine>,
    pub bill: Bill,
    /// The total that the page showed when the form was sent: differs from `bill.total` if the price
    /// changed in between.
    pub shown_total: u32,
    pub name: String,
    pub address: String,
    pub city: String,
    pub country: String,
    pub delivery: Delivery,
    pub slot: String,
    /// All that is kept of the card.
    pub card_last4: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Message {
    pub email: String,
    pub topic: String,
    pub text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Review {
    pub product: String,
    pub author: String,
    pub stars: u32,
    pub text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Return {
    pub order: u32,
    pub reason: String,
    pub file: String,
    pub bytes: usize,
}

/// What a test may change under an open page of the lab.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Lab {
    /// Prices that differ from the catalogue's, for this visitor only.
    pub prices: BTreeMap<String, u32>,
    /// Another name for the buy button of the price page.
    pub button: Option<String>,
    /// The buy button is taken away.
    pub gone: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Visitor {
    /// Said once, on the next page.
    #[serde(skip)]
    pub flash: Option<String>,
    pub orders_made: u32,
    accounts: Vec<Account>,
    /// A login.
    signed_in: Option<String>,
    pub cart: Cart,
    pub slot: String,
    pub orders: Vec<Order>,
    pub messages: Vec<Message>,
    pub newsletter: Vec<String>,
    pub reviews: Vec<Review>,
    pub returns: Vec<Return>,
    pub lab: Lab,
}

impl Default for Visitor {
    fn default() -> Self {
        let olena = Account {
            login: DEMO_LOGIN.into(),
            name: "Олена Світла".into(),
            email: "olena@svitlo.example".into(),
            address: "вул. Ліхтарна, 7".into(),
            city: "Львів".into(),
            shares: Vec::new(),
            saved_card: Some("4242".into()),
            digest: digest(DEMO_LOGIN, DEMO_PASSWORD),
        };
        Self {
            flash: None,
            orders_made: 0,
            accounts: vec![olena],
            signed_in: None,
            cart: Cart::default(),
            slot: String::new(),
            orders: Vec::new(),
            messages: Vec::new(),
            newsletter: Vec::new(),
            reviews: Vec::new(),
            returns: Vec::new(),
            lab: Lab::default(),
        }
    }
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegisterError {
    #[error("the login is taken: choose another")]
    Taken,
    #[error("too many accounts: delete one first")]
    Full,
}

impl Visitor {
    pub fn price_of(&self, product: &Product) -> u32 {
        self.lab.prices.get(product.id).copied().unwrap_or(product.price)
    }

    pub fn bill(&self, cart: &Cart, delivery: Option<Delivery>) -> Bill {
        Bill::of(cart, delivery, |id| product(id).map_or(0, |product| self.price_of(product)))
    }

    pub fn order_lines(&self, cart: &Cart) -> Vec<OrderLine> {
        let line = |line: &Line| {
            let price = self.price_of(product(&line.product)?);
            let (product, cord, quantity) = (line.product.clone(), line.cord.clone(), line.quantity);
            Some(OrderLine { product, cord, quantity, sum: price.saturating_mul(quantity) })
        };
        cart.lines.iter().filter_map(line).collect()
    }

    pub fn account(&self) -> Option<&Account> {
        let login = self.signed_in.as_deref()?;
        self.accounts.iter().find(|account| account.login == login)
    }

    pub fn accounts(&self) -> &[Account] {
        &self.accounts
    }

    pub fn account_mut(&mut self) -> Option<&mut Account> {
        let login = self.signed_in.as_deref()?;
        self.accounts.iter_mut().find(|account| account.login == login)
    }

    pub fn knows(&self, login: &str) -> bool {
        self.accounts.iter().any(|account| account.login == login)
    }

    /// Whether login and password were right.
    pub fn sign_in(&mut self, login: &str, password: &str) -> bool {
        let right =
            self.accounts.iter().any(|account| account.login == login && account.password_is(password));
        if right {
            self.signed_in = Some(login.to_owned());
        }
        right
    }

    pub fn sign_out(&mut self) {
        self.signed_in = None;
    }

    /// Makes an account and signs it in.
    pub fn register(
        &mut self,
        login: &str,
        password: &str,
        name: &str,
        email: &str,
    ) -> Result<(), RegisterError> {
        if self.knows(login) {
            return Err(RegisterError::Taken);
        }
        if self.accounts.len() >= KEPT_ACCOUNTS {
            return Err(RegisterError::Full);
        }
        self.accounts.push(Account {
            login: login.into(),
            name: name.into(),
            email: email.into(),
            address: String::new(),
            city: String::new(),
            shares: Vec::new(),
            saved_card: None,
            digest: digest(login, password),
        });
        self.signed_in = Some(login.to_owned());
        Ok(())
    }

    /// Deletes the account that is signed in, with its orders.
    pub fn delete_account(&mut self) {
        if let Some(login) = self.signed_in.take() {
            self.accounts.retain(|account| account.login != login);
            self.orders.clear();
        }
    }

    /// Numbers the order and keeps it.
    pub fn place(&mut self, mut order: Order) -> u32 {
        self.orders_made = self.orders_made.saturating_add(1);
        order.number = self.orders_made;
        let number = order.number;
        keep(&mut self.orders, order);
        number
    }
}

impl Account {
    pub fn password_is(&self, password: &str) -> bool {
        self.digest == digest(&self.login, password)
    }

    pub fn set_password(&mut self, password: &str) {
        self.digest = digest(&self.login, password);
    }
}

/// Adds to a bounded list; the oldest entry makes room.
pub fn keep<T>(list: &mut Vec<T>, entry: T) {
    if list.len() >= KEPT_ENTRIES {
        list.remove(0);
    }
    list.push(entry);
}

/// Not for guarding secrets (the shop has none): so that a real password typed here by mistake does not
/// lie about in memory and file.
fn digest(login: &str, password: &str) -> String {
    BASE64_STANDARD.encode(Sha256::digest(format!("{login}\n{password}")))
}
