//! Finds the secrets in a person's message before any of it is stored: values that a command types into a
//! password, code or card field, values that are named as a password, and card numbers. Pure.

use crate::command_planner::grammar::split::split_commands;
use crate::command_planner::grammar::typed_secrets::typed_secrets;
use crate::secrets::login_pairs::paired_secrets;
use crate::secrets::named_in_text::explicit_secrets;

/// Longest card number, including spaces.
const LONGEST: usize = 40;
/// Returns every secret in a message exactly as typed, the longest first.
pub fn secrets(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for order in split_commands(text) {
        found.extend(typed_secrets(&order.wish).map(str::to_owned));
    }
    found.extend(explicit_secrets(text));
    found.extend(paired_secrets(text));
    found.extend(card_numbers(text));
    found.retain(|value| !value.trim().is_empty());
    found.sort_by_key(|value| std::cmp::Reverse(value.len()));
    found.dedup();
    found
}

/// True if the whole text is the number of a payment card.
pub fn is_card_number(text: &str) -> bool {
    let plain = text.trim().chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '-' | '.'));
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(10)).collect();
    let issuer = digits.first().is_some_and(|first| matches!(first, 2..=6 | 9));
    plain && issuer && (14..=19).contains(&digits.len()) && passes_luhn(&digits)
}

fn passes_luhn(digits: &[u32]) -> bool {
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, digit)| if index % 2 == 1 { doubled(*digit) } else { *digit })
        .sum();
    sum.is_multiple_of(10)
}

/// Returns card numbers that are separate words, not parts of addresses.
fn card_numbers(text: &str) -> Vec<String> {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '/' | '=' | '_' | '-' | '@' | '&' | '%' | '#');
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(|c: char| c.is_ascii_digit()).map(|at| from + at) {
        let run = digits_run(&text[start..]);
        let free = |end: usize| !text[..start].ends_with(inside) && !text[start + end..].starts_with(inside);
        let ends = (1..=run.len().min(LONGEST)).rev().filter(|end| run.as_bytes()[end - 1].is_ascii_digit());
        let number = ends.filter(|end| free(*end)).map(|end| &run[..end]).find(|part| is_card_number(part));
        found.extend(number.map(str::to_owned));
        from = start + run.len();
    }
    found
}

/// Returns the leading digits, in groups separated by single spaces, hyphens or points.
fn digits_run(text: &str) -> &str {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let joins = |at: usize| matches!(bytes.get(at), Some(b' ' | b'-' | b'.')) && digit(at + 1);
    let end = (0..bytes.len()).find(|&at| !digit(at) && !joins(at)).unwrap_or(bytes.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    // A stored message must not contain these values.
    #[test]
    fn secrets_are_found_in_both_languages() {
        for (text, secret) in [
            ("type hunter2 into Password", "hunter2"),
            ("type “my long pass” into the Password field", "my long pass"),
            ("введи demo-pass-1 у поле Пароль", "demo-pass-1"),
            ("впиши «два слова» в Новий пароль", "два слова"),
            ("fill Password with hunter2 then click Sign in", "hunter2"),
            ("set PIN to 4821", "4821"),
            ("enter 123 into CVV", "123"),
            ("введи 12/30 у Термін дії", "12/30"),
            ("type 12/30 into Expiry date", "12/30"),
            ("enter 998877 in Code", "998877"),
            ("log in as olena with password qwerty and buy a lamp", "qwerty"),
            ("увійди як olena з паролем секретик, потім купи лампу", "секретик"),
            ("my password is Tr0ub4dor, use it", "Tr0ub4dor"),
            ("password: opensesame", "opensesame"),
            ("пароль — сезам", "сезам"),
            ("pay with 4242 4242 4242 4242, please", "4242 4242 4242 4242"),
            ("оплати карткою 4242424242424242.", "4242424242424242"),
            ("card 4242.4242.4242.4242 please", "4242.4242.4242.4242"),
            ("card 4242-4242-4242-4242 12/30", "4242-4242-4242-4242"),
        ] {
            assert_eq!(secrets(text).first().map(String::as_str), Some(secret), "{text}");
        }
    }

    #[test]
    fn text_without_secrets_is_unchanged() {
        for text in [
            "click Forgot password",
            "натисни Змінити пароль",
            "open the password page and tell me if the password is required",
            "type SAVE10 into Promo code",
            "введи 01001 у Поштовий код",
            "type Olena Koval into Name on card",
            "open https://shop.test/item/4242424242424242",
            "order 1234567890123456",
            "call +380 67 123 45 67",
            "type olena into Login",
            "введи лампа у Пошук",
        ] {
            assert_eq!(secrets(text), Vec::<String>::new(), "{text}");
        }
    }
}
