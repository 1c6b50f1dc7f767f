//! What an address says of what lies there.

use super::effect::{EffectClass, Sense};
use super::words::Intent;
use url::Url;

/// What a part of a path says, where it is a word for a deed.
pub(super) fn of_path(part: &str) -> Option<Intent> {
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

/// Opening a page of the web; of any other address nobody knows what it starts.
pub(super) fn opening(url: &Url) -> Sense {
    let page = matches!(url.scheme(), "http" | "https") || url.as_str() == "about:blank";
    Sense::plain(if page { EffectClass::Navigate } else { EffectClass::Unknown })
}
