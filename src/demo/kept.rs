//! What a visitor's browser keeps for the shop, in a cookie: cart, sign-in and the count of orders.
//!
//! The shop itself lives in memory only. With this, an open checkout looks the same after a restart of the
//! service, which is what an agent needs that had a question open over it. The cookie is not signed: whoever
//! forges it deceives nobody but himself, in a shop where nothing is real.

use super::cart::Cart;
use super::visitor::Visitor;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Kept {
    visitor: String,
    login: Option<String>,
    items: String,
    gift_wrap: bool,
    coupon: bool,
    orders_made: u32,
}

pub fn write(id: &str, visitor: &Visitor) -> String {
    let kept = Kept {
        visitor: id.to_owned(),
        login: visitor.account().map(|account| account.login.clone()),
        items: visitor.cart.items(),
        gift_wrap: visitor.cart.gift_wrap,
        coupon: visitor.cart.coupon.is_some(),
        orders_made: visitor.orders_made,
    };
    BASE64_URL_SAFE_NO_PAD.encode(serde_json::to_vec(&kept).unwrap_or_default())
}

/// Gives a visitor back what the cookie kept, if it is this visitor's; what it cannot read, it leaves.
pub fn restore(id: &str, cookie: &str, visitor: &mut Visitor) {
    let read = BASE64_URL_SAFE_NO_PAD.decode(cookie).ok();
    let Some(kept) = read.and_then(|json| serde_json::from_slice::<Kept>(&json).ok()) else { return };
    if kept.visitor != id {
        return;
    }
    visitor.cart = Cart::of_items(&kept.items, kept.gift_wrap, kept.coupon);
    visitor.orders_made = kept.orders_made;
    if let Some(login) = kept.login {
        visitor.stay_signed_in(&login);
    }
}

#[cfg(test)]
mod tests {
    use super::super::visitor::{DEMO_LOGIN, DEMO_PASSWORD};
    use super::*;

    #[test]
    fn a_forgotten_visitor_is_given_back_what_its_browser_kept() {
        let mut before = Visitor::default();
        before.sign_in(DEMO_LOGIN, DEMO_PASSWORD);
        before.cart.add("zoria", "mint", 2);
        before.cart.gift_wrap = true;
        before.orders_made = 3;
        let cookie = write("v1", &before);
        let mut after = Visitor::default();
        restore("v1", &cookie, &mut after);
        assert_eq!(after.cart.items(), "zoria-mint-2");
        assert_eq!((after.cart.gift_wrap, after.orders_made), (true, 3));
        assert_eq!(after.account().map(|account| account.login.as_str()), Some(DEMO_LOGIN));
        assert_eq!(write("v1", &after), cookie);
    }

    #[test]
    fn anothers_cookie_and_rubbish_change_nothing() {
        let mut before = Visitor::default();
        before.cart.add("zoria", "mint", 2);
        for cookie in [write("v2", &before), String::new(), "%".into(), "e30".into(), "AAAA".into()] {
            let mut after = Visitor::default();
            restore("v1", &cookie, &mut after);
            assert_eq!(after.cart.count(), 0);
        }
    }
}
