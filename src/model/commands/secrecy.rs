//! Which fields hold what nobody else may read, by their names; the page's own marks are the
//! browser's to know.

use super::order::Wish;

/// Names of fields whose values nobody else may read, as parts of their lower-case text.
const SECRET: &[&str] = &[
    "passw",
    "passcode",
    "парол",
    "cvc",
    "cvv",
    "csc",
    "secret",
    "секрет",
    "otp",
    "2fa",
    "one-time",
    "one time",
    "одноразов",
    "security code",
    "verification",
    "pin code",
    "pin-code",
    "пін-код",
    "card number",
    "card no",
    "номер карт",
    "expir",
    "термін дії",
    "дійсна до",
    "mm/yy",
    "мм/рр",
];

/// The same as whole words.
const SECRET_WORDS: &[&str] = &["pin", "пін", "card", "картка", "картку", "картки", "картці", "code", "код"];
/// Beside these a code or a card is none of that kind.
const HARMLESS: &[&str] = &[
    "promo",
    "post",
    "zip",
    "discount",
    "coupon",
    "voucher",
    "country",
    "area",
    "product",
    "gift",
    "holder",
    "name",
    "title",
    "промо",
    "пошт",
    "знижк",
    "купон",
    "товар",
    "країн",
    "ім'я",
    "власни",
    "назв",
    "source",
];

/// What an order types into a field whose name is that of a secret.
pub fn typed_secrets(wish: &Wish) -> impl Iterator<Item = &str> {
    let readings = match wish {
        Wish::Type { readings } | Wish::Set { readings } => readings.as_slice(),
        _ => &[],
    };
    // The likeliest reading is taken at its word; of the others only what leaves no doubt.
    let secret = readings.iter().enumerate().filter(|(at, reading)| {
        let told = if *at == 0 { names_secret } else { surely_secret };
        reading.field.as_ref().is_some_and(|name| told(&name.full) || told(&name.text))
    });
    secret
        .flat_map(|(_, reading)| &reading.values)
        .map(String::as_str)
        .filter(|value| !value.trim().is_empty())
}

/// Whether a field of this name, or a question in these words, is about a secret.
pub fn names_secret(name: &str) -> bool {
    if surely_secret(name) {
        return true;
    }
    let name = name.to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    words.any(|word| SECRET_WORDS.contains(&word)) && !HARMLESS.iter().any(|part| name.contains(part))
}

fn surely_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    SECRET.iter().any(|part| name.contains(part))
}
