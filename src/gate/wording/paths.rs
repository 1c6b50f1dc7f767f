//! Meanings of URL paths.

use crate::gate::meaning::effect_class::{EffectClass, EffectJudgement};
use crate::gate::meaning::intent::Intent;
use url::Url;

/// Returns the meaning of a path segment, if it names an effect.
pub(crate) fn segment_intent(part: &str) -> Option<Intent> {
    Some(match part {
        "checkout" | "order" | "orders" | "purchase" | "placeorder" => Intent::Order,
        "pay" | "payment" | "payments" | "donate" => Intent::Pay,
        "transfer" | "transfers" => Intent::Transfer,
        "booking" | "bookings" | "reserve" | "reservation" | "reservations" => Intent::Book,
        "unsubscribe" => Intent::Unsubscribe,
        "delete" | "remove" | "destroy" | "trash" => Intent::Delete,
        "signin" | "login" | "session" | "sessions" => Intent::SignIn,
        "signout" | "logout" => Intent::SignOut,
        "signup" | "register" | "registration" => Intent::Register,
        "publish" | "post" | "posts" | "tweet" => Intent::Post,
        "message" | "messages" | "contact" | "comment" | "comments" | "reply" | "mail" | "send"
        | "feedback" => Intent::Send,
        "invite" | "share" | "grant" | "authorize" | "permissions" => Intent::Grant,
        "cart" | "basket" | "bag" | "wishlist" | "favorites" | "favourites" | "compare" | "coupon" => {
            Intent::Cart
        }
        "search" | "filter" | "sort" | "locale" | "language" | "currency" | "theme" => Intent::Filter,
        _ => return None,
    })
}

/// True for words of the address of a step on the way to an order, which keeps a choice: `checkout shipping address`.
/// The order itself is placed elsewhere.
pub(crate) fn is_checkout_step(words: &[String]) -> bool {
    const STEPS: [&str; 10] = [
        "address",
        "addresses",
        "shipping",
        "delivery",
        "contact",
        "guest",
        "information",
        "pickup",
        "details",
        "customer",
    ];
    const DEEDS: [&str; 9] =
        ["order", "place", "placeorder", "pay", "payment", "confirm", "complete", "submit", "review"];
    let at = words.iter().position(|word| word == "checkout");
    let after = at.map(|at| &words[at + 1..]).unwrap_or_default();
    after.iter().any(|word| STEPS.contains(&word.as_str()))
        && !words.iter().any(|word| DEEDS.contains(&word.as_str()))
}

/// Judges the opening of a URL: a web page is navigation; any other scheme may start anything.
pub(crate) fn judge_opening(url: &Url) -> EffectJudgement {
    let page = matches!(url.scheme(), "http" | "https") || url.as_str() == "about:blank";
    EffectJudgement::plain(if page { EffectClass::Navigate } else { EffectClass::Unknown })
}
