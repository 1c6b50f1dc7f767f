//! The cart and its bill. Pure.

use crate::demo::products::{CORDS, choose_known, product};
use serde::{Deserialize, Serialize};

pub const GIFT_WRAP_PRICE: u32 = 90;
/// The only coupon: ten per cent off.
pub const COUPON: &str = "SVITLO10";
const MAX_QUANTITY: u32 = 99;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CartLine {
    pub product: String,
    pub cord: String,
    pub quantity: u32,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Cart {
    /// At most one line for each product and cord, so the catalog bounds their number.
    pub lines: Vec<CartLine>,
    pub gift_wrap: bool,
    /// True if `COUPON` is applied.
    pub coupon: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Delivery {
    Post,
    Courier,
    Pickup,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bill {
    pub items: u32,
    pub gift_wrap: u32,
    pub discount: u32,
    pub delivery: u32,
    /// True if the bill includes delivery; in the cart it does not yet.
    pub with_delivery: bool,
    pub total: u32,
}

/// Returns the key of a line in forms.
pub fn line_key(product: &str, cord: &str) -> String {
    format!("{product}-{cord}")
}

impl CartLine {
    fn key(&self) -> String {
        line_key(&self.product, &self.cord)
    }
}

impl Cart {
    pub fn add(&mut self, product: &str, cord: &str, quantity: u32) {
        let quantity = quantity.clamp(1, MAX_QUANTITY);
        match self.lines.iter_mut().find(|line| line.product == product && line.cord == cord) {
            Some(line) => line.quantity = (line.quantity + quantity).min(MAX_QUANTITY),
            None => self.lines.push(CartLine { product: product.into(), cord: cord.into(), quantity }),
        }
    }

    pub fn set_quantity(&mut self, key: &str, quantity: u32) {
        if let Some(line) = self.lines.iter_mut().find(|line| line.key() == key) {
            line.quantity = quantity.clamp(1, MAX_QUANTITY);
        }
    }

    pub fn remove(&mut self, key: &str) {
        self.lines.retain(|line| line.key() != key);
    }

    /// Encodes the lines for forms, as words such as `zoria-amber-2`.
    pub fn items(&self) -> String {
        let word = |line: &CartLine| format!("{}-{}", line.key(), line.quantity);
        self.lines.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    /// Decodes a cart from the text of [`items`](Self::items). Words that name no product are skipped.
    pub fn from_items(items: &str, gift_wrap: bool, coupon: bool) -> Self {
        let mut cart = Self { lines: Vec::new(), gift_wrap, coupon };
        for word in items.split_whitespace() {
            let parts: Vec<&str> = word.split('-').collect();
            let [id, cord, quantity] = parts[..] else { continue };
            if let (Some(product), Ok(quantity)) = (product(id), quantity.parse()) {
                cart.add(product.id, choose_known(cord, &CORDS), quantity);
            }
        }
        cart
    }

    /// Returns `COUPON` or an empty text, for forms.
    pub fn coupon_code(&self) -> &'static str {
        if self.coupon { COUPON } else { "" }
    }

    pub fn count(&self) -> u32 {
        self.lines.iter().map(|line| line.quantity).sum()
    }
}

impl Delivery {
    pub const ALL: [Self; 3] = [Self::Post, Self::Courier, Self::Pickup];

    pub fn parse(key: &str) -> Self {
        Self::ALL.into_iter().find(|way| way.key() == key).unwrap_or(Self::Post)
    }

    pub fn key(self) -> &'static str {
        match self {
            Self::Post => "post",
            Self::Courier => "courier",
            Self::Pickup => "pickup",
        }
    }

    pub fn price(self) -> u32 {
        match self {
            Self::Post => 70,
            Self::Courier => 140,
            Self::Pickup => 0,
        }
    }
}

impl Bill {
    pub fn new(cart: &Cart, delivery: Option<Delivery>, price_of: impl Fn(&str) -> u32) -> Self {
        let sum = |line: &CartLine| price_of(&line.product).saturating_mul(line.quantity);
        let items = cart.lines.iter().map(sum).fold(0, u32::saturating_add);
        let gift_wrap = if cart.gift_wrap { GIFT_WRAP_PRICE } else { 0 };
        let discount = if cart.coupon { items / 10 } else { 0 };
        let fee = delivery.map_or(0, Delivery::price);
        let total = (items - discount).saturating_add(gift_wrap).saturating_add(fee);
        Self { items, gift_wrap, discount, delivery: fee, with_delivery: delivery.is_some(), total }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_of_an_order_adds_up() {
        let mut cart = Cart::default();
        cart.add("zoria", "amber", 1);
        cart.add("zoria", "amber", 2);
        cart.add("zoria", "mint", 1);
        assert_eq!((cart.lines.len(), cart.count()), (2, 4));
        cart.gift_wrap = true;
        cart.coupon = true;
        let bill = Bill::new(&cart, Some(Delivery::Courier), |_| 1000);
        assert_eq!((bill.items, bill.discount, bill.total), (4000, 400, 3600 + 90 + 140));
        assert_eq!(Cart::from_items(&cart.items(), true, true).items(), "zoria-amber-3 zoria-mint-1");
        assert_eq!(Cart::from_items("zoria-amber nothing-amber-1 zoria-mint-x", false, false).count(), 0);
        cart.remove("zoria-amber");
        cart.set_quantity("zoria-mint", 500);
        assert_eq!(cart.count(), 99);
        assert_eq!(Bill::new(&cart, None, |_| u32::MAX).items, u32::MAX);
    }
}
