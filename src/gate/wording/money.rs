//! Amounts of money in page texts, so that a question can state the sum.

use crate::gate::wording::normalize;
use crate::gate::wording::normalize::{Token, visible_line};

/// Returns the amount that a text calls the total, or the only amount in it.
pub fn total_in(text: &str) -> Option<String> {
    let found = amounts(text);
    let mut before = 0;
    let mut named = None;
    for (start, end, amount) in &found {
        if text.get(before..*start).is_some_and(names_total) {
            named = Some(amount.clone());
        }
        before = *end;
    }
    named.or_else(|| match found.as_slice() {
        [(_, _, only)] => Some(only.clone()),
        _ => None,
    })
}

fn names_total(text: &str) -> bool {
    const WORDS: [&str; 30] = [
        "total",
        "разом",
        "всього",
        "усього",
        "сума",
        "сплати",
        "итого",
        "всего",
        "оплате",
        "сумма",
        "gesamt",
        "gesamtsumme",
        "summe",
        "gesamtbetrag",
        "importe",
        "totale",
        "totaal",
        "suma",
        "razem",
        "toplam",
        "tutar",
        "celkem",
        "totalt",
        "summa",
        "montant",
        "合计",
        "总计",
        "総額",
        "合計",
        "합계",
    ];
    const PHRASES: [[&str; 2]; 3] = [["to", "pay"], ["amount", "due"], ["you", "pay"]];
    let tokens = normalize::tokenize_name(text);
    let phrase = |pair: &[Token]| PHRASES.iter().any(|[one, two]| pair[0].is(one) && pair[1].is(two));
    tokens.iter().any(|token| WORDS.iter().any(|word| token.is(word))) || tokens.windows(2).any(phrase)
}

/// Returns the amounts of money in a text: start, end, and the amount as written.
pub fn amounts(text: &str) -> Vec<(usize, usize, String)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(|c: char| c.is_ascii_digit()).map(|at| from + at) {
        let end = number_end(text, start);
        let (first, last) = (money_before(text, start), money_after(text, end));
        if first.is_some() || last.is_some() {
            let (start, end) = (first.unwrap_or(start), last.unwrap_or(end));
            found.push((start, end, visible_line(&text[start..end], 40)));
        }
        from = last.unwrap_or(end);
    }
    found
}

/// Returns the end of a number: digits with points, commas or apostrophes between them, and spaces between
/// groups of three.
fn number_end(text: &str, start: usize) -> usize {
    let mut end = start;
    for (at, letter) in text[start..].char_indices() {
        let rest = &text[start + at + letter.len_utf8()..];
        let more = match letter {
            '0'..='9' => true,
            '.' | ',' | '\'' | '’' => rest.starts_with(|c: char| c.is_ascii_digit()),
            ' ' | '\u{a0}' | '\u{202f}' => rest.bytes().take_while(u8::is_ascii_digit).count() == 3,
            _ => false,
        };
        if !more {
            break;
        }
        end = start + at + letter.len_utf8();
    }
    end
}

const SIGNS: &str = "₴$€£¥₹₺₽₩₪₫₦฿";
const CODES: [&str; 24] = [
    "грн", "uah", "usd", "eur", "gbp", "pln", "zł", "zl", "kč", "czk", "kr", "sek", "nok", "dkk", "chf",
    "lei", "ron", "tl", "try", "руб", "р", "円", "元", "원",
];

fn money_before(text: &str, start: usize) -> Option<usize> {
    let head = text[..start].trim_end();
    let last = head.chars().next_back()?;
    if SIGNS.contains(last) {
        return Some(head.len() - last.len_utf8());
    }
    let word = head
        .rfind(|c: char| !c.is_alphabetic())
        .map_or(0, |at| at + head[at..].chars().next().map_or(1, char::len_utf8));
    is_code(&head[word..]).then_some(word)
}

fn money_after(text: &str, end: usize) -> Option<usize> {
    let tail = text[end..].trim_start();
    let start = text.len() - tail.len();
    let first = tail.chars().next()?;
    if SIGNS.contains(first) {
        return Some(start + first.len_utf8());
    }
    let word = tail.find(|c: char| !c.is_alphabetic()).unwrap_or(tail.len());
    is_code(&tail[..word]).then_some(start + word)
}

fn is_code(word: &str) -> bool {
    !word.is_empty() && word.len() <= 8 && CODES.contains(&word.to_lowercase().as_str())
}
