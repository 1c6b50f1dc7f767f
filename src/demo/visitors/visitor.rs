//! The shop's data about one visitor: accounts, orders, messages. Pure: no web, no clock. Every list is
//! bounded, which limits the memory that a visitor can use.

use crate::demo::cart::{Bill, Cart, CartLine, Delivery};
use crate::demo::products::{Product, product};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The account that every visitor has from the start. The sign-in page shows its password.
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
    /// Last four digits of the card on file. The shop stores nothing else of it.
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
pub struct PlacedOrder {
    /// 1, 2, 3 … for each visitor. Sending a form twice places two orders, so that a duplicated effect is
    /// visible.
    pub number: u32,
    pub lines: Vec<OrderLine>,
    pub bill: Bill,
    /// Total that the page showed when the form was sent. Differs from `bill.total` if the price changed in
    /// between.
    pub shown_total: u32,
    pub name: String,
    pub address: String,
    pub city: String,
    pub country: String,
    pub delivery: Delivery,
    pub slot: String,
    /// Last four digits; nothing else of the card is stored.
    pub card_last4: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ContactMessage {
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

/// Changes that a test makes to an open page of the lab.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Lab {
    /// Prices that differ from the catalog, for this visitor only.
    pub prices: BTreeMap<String, u32>,
    /// Name of the buy button on the price page, if it was changed.
    pub button: Option<String>,
    /// True if the buy button is removed.
    pub gone: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Visitor {
    /// Message shown once, on the next page.
    #[serde(skip)]
    pub flash: Option<String>,
    pub orders_made: u32,
    accounts: Vec<Account>,
    /// Login of the account that is signed in.
    signed_in: Option<String>,
    pub cart: Cart,
    pub slot: String,
    pub orders: Vec<PlacedOrder>,
    pub messages: Vec<ContactMessage>,
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
    pub fn calculate_price(&self, product: &Product) -> u32 {
        self.lab.prices.get(product.id).copied().unwrap_or(product.price)
    }

    pub fn bill(&self, cart: &Cart, delivery: Option<Delivery>) -> Bill {
        Bill::new(cart, delivery, |id| product(id).map_or(0, |product| self.calculate_price(product)))
    }

    pub fn order_lines(&self, cart: &Cart) -> Vec<OrderLine> {
        let line = |line: &CartLine| {
            let price = self.calculate_price(product(&line.product)?);
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

    /// Signs in, and returns whether the login and password were right.
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

    /// Creates an account and signs it in.
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

    /// Deletes the account that is signed in, and its orders.
    pub fn delete_account(&mut self) {
        if let Some(login) = self.signed_in.take() {
            self.accounts.retain(|account| account.login != login);
            self.orders.clear();
        }
    }

    /// Numbers and stores the order. Returns its number.
    pub fn place_order(&mut self, mut order: PlacedOrder) -> u32 {
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

/// Appends to a bounded list, removing the oldest entry if it is full.
pub fn keep<T>(list: &mut Vec<T>, entry: T) {
    if list.len() >= KEPT_ENTRIES {
        list.remove(0);
    }
    list.push(entry);
}

/// Hashes a password, so that a real one typed here by mistake is not stored in plain text. Not a protection:
/// the shop has no secrets.
fn digest(login: &str, password: &str) -> String {
    BASE64_STANDARD.encode(Sha256::digest(format!("{login}\n{password}")))
}
