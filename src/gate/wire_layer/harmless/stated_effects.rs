//! Effects that the words of a request, its values, or the pressed control state: no rule of harmless requests covers
//! them, unless it names them. Pure.

use crate::browser::network::request_judge::RequestTiming;
use crate::gate::meaning::effect_class::FieldKind;
use crate::gate::meaning::intent::Intent;
use crate::gate::wire_layer::proposed_request::ProposedRequest;
use crate::gate::wire_layer::reading::{RequestReading, push_words};
use crate::gate::wire_layer::request_class;
use crate::gate::wording::{address_effects, name_effects};
use crate::page::request_body::{BodyValue, OperationKind, ValueKind};

/// Words of addresses and operations that say what is done.
const DEEDS: [&str; 64] = [
    "delete",
    "remove",
    "destroy",
    "erase",
    "purge",
    "wipe",
    "pay",
    "charge",
    "buy",
    "transfer",
    "withdraw",
    "donate",
    "publish",
    "unpublish",
    "send",
    "submit",
    "invite",
    "share",
    "grant",
    "revoke",
    "approve",
    "reject",
    "deploy",
    "merge",
    "subscribe",
    "unsubscribe",
    "create",
    "update",
    "register",
    "signup",
    "cancel",
    "archive",
    "ban",
    "execute",
    "insert",
    "upsert",
    "save",
    "set",
    "put",
    "reset",
    "start",
    "stop",
    "restart",
    "trigger",
    "assign",
    "vote",
    "book",
    "clear",
    "flush",
    "renew",
    "activate",
    "deactivate",
    "enable",
    "disable",
    "accept",
    "decline",
    "refund",
    "redeem",
    "rotate",
    "regenerate",
    "promote",
    "demote",
    "terminate",
    "kick",
];
/// Words of addresses and operations that name a grave thing: a request may read it.
const THINGS: [&str; 10] = [
    "payment",
    "payments",
    "purchase",
    "purchases",
    "checkout",
    "order",
    "orders",
    "transfers",
    "password",
    "subscriptions",
];

/// A word that states an effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GraveWord<'a> {
    Deed(&'a str),
    Thing(&'a str),
}

impl<'a> GraveWord<'a> {
    /// True if reading such a thing is harmless.
    pub fn is_thing(self) -> bool {
        matches!(self, Self::Thing(_))
    }

    pub fn text(self) -> &'a str {
        match self {
            Self::Deed(word) | Self::Thing(word) => word,
        }
    }
}

/// Returns the words that state an effect, with what the address states in any language that the gate knows.
pub fn grave_words(reading: &RequestReading) -> impl Iterator<Item = GraveWord<'_>> {
    let by_word = reading.words.iter().filter_map(|word| match word.as_str() {
        word if DEEDS.contains(&word) => Some(GraveWord::Deed(word)),
        word if THINGS.contains(&word) => Some(GraveWord::Thing(word)),
        _ => None,
    });
    // "check in" and "check out" are effects, "check" is none.
    let pairs =
        reading.words.windows(2).filter(|pair| pair[0] == "check" && matches!(&*pair[1], "in" | "out"));
    let by_address = reading.url.as_ref().and_then(address_effects::address_effect).map(intent_word);
    by_word.chain(pairs.map(|_| GraveWord::Deed("check in"))).chain(by_address.map(GraveWord::Deed))
}

/// Names of values that say how much is given.
const SUMS: [&str; 5] = ["amount", "sum", "payout", "salary", "donation"];
/// Names of values that say to whom something is given.
const PAYEES: [&str; 6] = ["iban", "bic", "payee", "beneficiary", "creditor", "wallet"];
/// Names of values that say to whom something is sent, if they hold an address of mail.
const RECIPIENTS: [&str; 7] = ["to", "cc", "bcc", "recipient", "recipients", "forward", "target"];

/// Returns what values state, as `despite` of a rule writes it: sums, recipients, and flags named like a deed. A query
/// of GraphQL that can be read changes nothing, whatever it carries.
pub fn grave_values(reading: &RequestReading) -> impl Iterator<Item = &'static str> {
    let reads = !reading.graphql.is_empty()
        && reading
            .graphql
            .iter()
            .all(|call| call.kind == OperationKind::Query && call.foreign_fields.is_empty());
    reading.values.iter().filter(move |_| !reads).filter_map(grave_value)
}

fn grave_value(value: &BodyValue) -> Option<&'static str> {
    let parts = value.name.rsplit(['.', '[', ']']);
    let named = |part: &str| part.chars().any(char::is_alphabetic);
    let last = parts.into_iter().find(|part| named(part)).unwrap_or_default().to_ascii_lowercase();
    let has_value = !value.value.is_empty() && value.value != "0";
    if value.kind == ValueKind::Flag && value.value == "true" {
        return deed_of_name(&value.name);
    }
    if has_value && SUMS.contains(&last.as_str()) {
        return Some("money");
    }
    let receives =
        PAYEES.contains(&last.as_str()) || (RECIPIENTS.contains(&last.as_str()) && value.value.contains('@'));
    Some("recipient").filter(|_| has_value && receives)
}

/// Returns the deed that the last part of a name begins with: `publish`, `sendNow`.
pub fn deed_of_name(name: &str) -> Option<&'static str> {
    let mut words = Vec::new();
    push_words(&mut words, name.rsplit('.').next().unwrap_or_default());
    let first = words.first()?;
    DEEDS.into_iter().find(|deed| deed == first)
}

/// True if a value is a password or the number of a payment card.
pub fn has_secret_fields(reading: &RequestReading) -> bool {
    let is_secret = |kind: &FieldKind| matches!(kind, FieldKind::Password | FieldKind::Card);
    request_class::field_kinds(reading).iter().any(is_secret)
}

/// Returns the effect that the pressed button names, as `despite` of a rule writes it. The name of a row, a tab or a
/// link tells what it opens.
pub fn control_effect(proposed: &ProposedRequest) -> Option<&'static str> {
    if proposed.timing == RequestTiming::BeforeAction {
        return None;
    }
    let target = proposed.cause.proposed.target.as_ref()?;
    if !matches!(target.role.as_str(), "button" | "menuitem" | "switch") {
        return None;
    }
    let intent = name_effects::read_graver_name(&target.name, &target.other_name).button_intent()?;
    Some(intent_word(intent)).filter(|_| is_grave(intent))
}

fn is_grave(intent: Intent) -> bool {
    matches!(
        intent,
        Intent::DeleteAccount
            | Intent::Delete
            | Intent::Transfer
            | Intent::Pay
            | Intent::Order
            | Intent::Buy
            | Intent::Unsubscribe
            | Intent::Grant
            | Intent::Revoke
            | Intent::Post
            | Intent::Send
    )
}

fn intent_word(intent: Intent) -> &'static str {
    match intent {
        Intent::DeleteAccount | Intent::Delete => "delete",
        Intent::Buy => "buy",
        Intent::Order => "order",
        Intent::Pay => "pay",
        Intent::Transfer => "transfer",
        Intent::Unsubscribe => "unsubscribe",
        Intent::Grant => "grant",
        Intent::Revoke => "revoke",
        Intent::Post => "publish",
        Intent::Send => "send",
        _ => "other",
    }
}
