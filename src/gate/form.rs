//! What sending a form would do: by its fields, its method, its button, where it sends to, and what
//! stands above it.

use super::effect::{About, EffectClass, FieldKind, Sense};
use super::words::{self, Intent, Said};
use super::{Ask, element};
use crate::page::target::{Field, Form, Target};

/// Judges the form that `button` sends; for Enter in a field that is its default button.
pub(super) fn send(form: &Form, button: &str, target: &Target, ask: &Ask<'_>) -> Sense {
    let said = words::read(button);
    let named = said.button();
    let hint = path_hint(form);
    let kinds = kinds(form);
    judge(form, &said, named, hint, &kinds, target, ask).sending()
}

fn judge(
    form: &Form,
    said: &Said,
    named: Option<Intent>,
    hint: Option<Intent>,
    kinds: &[FieldKind],
    target: &Target,
    ask: &Ask<'_>,
) -> Sense {
    let has = |kind| kinds.contains(&kind);
    let secret = has(FieldKind::Password) || has(FieldKind::Card);
    let get = is_get(form);
    if is_cart(named, hint) && !secret && !has(FieldKind::Message) && !has(FieldKind::Personal) {
        return if get { Sense::new(EffectClass::Read, named) } else { cart(named) };
    }
    let intent = named.filter(|intent| !is_vague(*intent)).or_else(|| implied(form, hint, target, get && !secret));
    if let Some(sense) = intent.and_then(|intent| by_intent(intent, kinds, target, ask)) {
        return sense;
    }
    if has(FieldKind::Card) {
        return Sense::new(EffectClass::Purchase, Some(Intent::Pay));
    }
    if has(FieldKind::Password) {
        return password(form, intent);
    }
    if has(FieldKind::Message) && (!get || named == Some(Intent::Commit)) {
        return Sense::new(EffectClass::Message, Some(Intent::Send));
    }
    if get {
        return Sense::new(EffectClass::Read, named);
    }
    if form.fields.iter().any(|field| field.kind == "file" && field.filled) {
        return Sense::new(EffectClass::Upload, Some(Intent::Upload));
    }
    if named == Some(Intent::Consent) || (element::is_about_cookies(said, target) && named.is_none_or(is_vague)) {
        return cart(Some(Intent::Consent));
    }
    Sense::new(EffectClass::Submit, intent.or(named))
}

fn is_get(form: &Form) -> bool {
    form.method.is_empty() || form.method.eq_ignore_ascii_case("get")
}

fn cart(named: Option<Intent>) -> Sense {
    Sense::new(EffectClass::Submit, named.or(Some(Intent::Cart))).about(About::Cart)
}

/// The visitor's own cart or view: by its button, or by where it sends to and a button that says
/// nothing else. A bare "Buy" that sends to a cart fills it.
fn is_cart(named: Option<Intent>, hint: Option<Intent>) -> bool {
    match named {
        Some(Intent::Cart | Intent::Filter) => true,
        Some(Intent::Buy | Intent::Delete | Intent::Save | Intent::Commit | Intent::Step | Intent::View) | None => {
            matches!(hint, Some(Intent::Cart | Intent::Filter))
        }
        Some(
            Intent::DeleteAccount
            | Intent::Transfer
            | Intent::Pay
            | Intent::Order
            | Intent::Book
            | Intent::Subscribe
            | Intent::Unsubscribe
            | Intent::Password
            | Intent::Grant
            | Intent::SignInWith
            | Intent::Register
            | Intent::SignIn
            | Intent::SignOut
            | Intent::Post
            | Intent::Send
            | Intent::Reply
            | Intent::Upload
            | Intent::Download
            | Intent::Mark
            | Intent::Consent
            | Intent::Cookie
            | Intent::Program
            | Intent::Plain
            | Intent::Filler,
        ) => false,
    }
}

/// A button that says no more than "do it".
fn is_vague(intent: Intent) -> bool {
    matches!(intent, Intent::Commit | Intent::Step | Intent::View | Intent::Save | Intent::Filter | Intent::Consent)
}

/// What a form does whose button does not say: by where it sends to, its name, and the title above.
fn implied(form: &Form, hint: Option<Intent>, target: &Target, read: bool) -> Option<Intent> {
    if read {
        return None;
    }
    hint.filter(|intent| !matches!(intent, Intent::Cart | Intent::Filter))
        .or_else(|| words::read(&form.name).button().filter(|intent| !is_vague(*intent) && *intent != Intent::Cart))
        .or_else(|| words::read(&target.context).button().filter(|intent| !is_vague(*intent) && *intent != Intent::Cart))
}

fn by_intent(intent: Intent, kinds: &[FieldKind], target: &Target, ask: &Ask<'_>) -> Option<Sense> {
    let has = |kind| kinds.contains(&kind);
    match intent {
        Intent::SignIn if has(FieldKind::Card) => None,
        Intent::Send | Intent::Reply | Intent::Mark | Intent::Download | Intent::Upload if has(FieldKind::Card) => None,
        Intent::Send | Intent::Reply | Intent::Post | Intent::Mark | Intent::Download | Intent::Upload
            if has(FieldKind::Password) =>
        {
            None
        }
        Intent::Cart if has(FieldKind::Card) || has(FieldKind::Password) => None,
        Intent::Subscribe if has(FieldKind::Password) => Some(Sense::new(EffectClass::Account, Some(intent))),
        Intent::Subscribe if has(FieldKind::Card) => Some(Sense::new(EffectClass::Purchase, Some(intent))),
        Intent::Reply => Some(Sense::new(EffectClass::Message, Some(intent))),
        Intent::SignIn | Intent::Register | Intent::Send | Intent::Post => {
            element::effect_of(intent).map(|effect| Sense::new(effect, Some(intent)))
        }
        Intent::DeleteAccount
        | Intent::Transfer
        | Intent::Pay
        | Intent::Order
        | Intent::Buy
        | Intent::Book
        | Intent::Subscribe
        | Intent::Unsubscribe
        | Intent::Delete
        | Intent::Password
        | Intent::Grant
        | Intent::SignInWith
        | Intent::SignOut
        | Intent::Upload
        | Intent::Download
        | Intent::Mark
        | Intent::Save
        | Intent::Consent
        | Intent::Cart
        | Intent::Filter
        | Intent::Commit
        | Intent::Step
        | Intent::View
        | Intent::Cookie
        | Intent::Program
        | Intent::Plain
        | Intent::Filler => element::named_effect(intent, target, ask),
    }
}

/// A form with a password in it: a login, unless it makes or changes the account.
fn password(form: &Form, intent: Option<Intent>) -> Sense {
    let fresh = form.fields.iter().any(|field| field.autocomplete.contains("new-password"));
    let several = form.fields.iter().filter(|field| field.kind == "password").count() > 1;
    if fresh || several {
        return Sense::new(EffectClass::Account, intent.or(Some(Intent::Password)));
    }
    Sense::new(EffectClass::Credentials, Some(Intent::SignIn))
}

/// What the address that a form sends to says of it.
fn path_hint(form: &Form) -> Option<Intent> {
    let path = form.action.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
    let mut best = None;
    for part in path.split(|c: char| !c.is_ascii_alphabetic()).filter(|part| !part.is_empty()) {
        let hint = of_path(&part.to_ascii_lowercase());
        best = match (best, hint) {
            (Some(before), Some(now)) => Some(std::cmp::min::<Intent>(before, now)),
            (before, now) => before.or(now),
        };
    }
    best
}

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
        "message" | "messages" | "contact" | "comment" | "comments" | "reply" | "mail" | "send" | "feedback" => Intent::Send,
        "invite" | "share" | "grant" | "authorize" | "permissions" => Intent::Grant,
        "cart" | "basket" | "bag" | "wishlist" | "favorites" | "favourites" | "compare" | "coupon" => Intent::Cart,
        "search" | "filter" | "sort" | "locale" | "language" | "currency" | "theme" => Intent::Filter,
        _ => return None,
    })
}

/// The kinds of fields that a form has.
pub(super) fn kinds(form: &Form) -> Vec<FieldKind> {
    let mut found = Vec::new();
    for kind in form.fields.iter().filter_map(kind_of) {
        if !found.contains(&kind) {
            found.push(kind);
        }
    }
    found
}

fn kind_of(field: &Field) -> Option<FieldKind> {
    let name = field.name.to_ascii_lowercase();
    let auto = field.autocomplete.to_ascii_lowercase();
    if field.card || auto.contains("cc-") {
        return Some(FieldKind::Card);
    }
    if field.secret || field.kind == "password" || auto.contains("password") || auto.contains("one-time-code") {
        return Some(FieldKind::Password);
    }
    let personal = ["email", "tel", "street-address", "address-line", "postal-code", "given-name", "family-name", "username"];
    match field.kind.as_str() {
        "file" => Some(FieldKind::File),
        "hidden" | "submit" | "button" | "search" => None,
        "textarea" => Some(FieldKind::Message),
        "email" | "tel" => Some(FieldKind::Personal),
        _ if personal.iter().any(|part| auto.contains(part)) => Some(FieldKind::Personal),
        _ if ["email", "phone", "address", "username"].iter().any(|part| name.contains(part)) => Some(FieldKind::Personal),
        _ => None,
    }
}
