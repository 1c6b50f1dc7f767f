//! Recognizes secret fields by their names. Markup that marks a field as secret is known only to the browser.

/// Substrings of the lower-case names of secret fields.
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

/// Whole words in the names of secret fields.
const SECRET_WORDS: &[&str] = &["pin", "пін", "card", "картка", "картку", "картки", "картці", "code", "код"];
/// Substrings with which a "code" or "card" is not secret.
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

/// True if a field of this name, or a question with these words, concerns a secret.
pub fn names_secret(name: &str) -> bool {
    if surely_secret(name) {
        return true;
    }
    let name = name.to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    words.any(|word| SECRET_WORDS.contains(&word)) && !HARMLESS.iter().any(|part| name.contains(part))
}

pub(crate) fn surely_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    SECRET.iter().any(|part| name.contains(part))
}
