//! Amounts of money in page texts, so that a question can state the sum.

use crate::gate::wording::normalize;
use crate::gate::wording::normalize::{Token, visible_line};

/// Returns the amount that the name of a control states: the one that it calls the total, or the only one.
pub fn amount_in_name(name: &str) -> Option<String> {
    let found = labelled_amounts(name);
    let total = found.iter().rfind(|(label, _)| names_total(label));
    let only = if let [only] = found.as_slice() { Some(only) } else { None };
    total.or(only).filter(|(label, _)| !names_balance(label)).map(|(_, amount)| amount.clone())
}

/// Returns the last amount of a text that its own line, or a line before it without an amount, calls the total.
pub fn total_in_lines(text: &str) -> Option<String> {
    let mut total = None;
    let mut line_before = "";
    for line in text.lines() {
        let found = labelled_amounts(line);
        for (label, amount) in &found {
            let label = if label.is_empty() { line_before } else { label };
            if names_total(label) && !names_balance(label) {
                total = Some(amount.clone());
            }
        }
        line_before = if found.is_empty() { line } else { "" };
    }
    total
}

/// Returns the amounts of a line, each after its label: the words before it, or else those behind it.
fn labelled_amounts(line: &str) -> Vec<(&str, String)> {
    let found = amounts(line);
    let words = |from: usize, to: usize| line.get(from..to).unwrap_or_default();
    let mut before = 0;
    let mut labelled = Vec::new();
    for (at, (start, end, amount)) in found.iter().enumerate() {
        let behind = found.get(at + 1).map_or(line.len(), |(next, _, _)| *next);
        let label = [words(before, *start), words(*end, behind)];
        let label = label.into_iter().find(|label| label.contains(char::is_alphabetic)).unwrap_or_default();
        labelled.push((label, amount.clone()));
        before = *end;
    }
    labelled
}

/// Returns the amount in the value of a field that says by its name that it is a sum. A number needs a currency, in the
/// name or as the value of another field, or must stand with one in the text of the form: it may count pieces.
pub fn amount_in_field(name: &str, value: &str, currency: Option<&str>, form_text: &str) -> Option<String> {
    let tokens = normalize::tokenize_name(name);
    let is_sum = names_total(name) || tokens.iter().any(|token| SUMS.iter().any(|word| token.is(word)));
    if !is_sum || names_balance(name) {
        return None;
    }
    if let [(_, _, amount)] = amounts(value).as_slice() {
        return Some(amount.clone());
    }
    let number = value.trim();
    let is_number = number.starts_with(|c: char| c.is_ascii_digit()) && number_end(number, 0) == number.len();
    if !is_number {
        return None;
    }
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let stated = amounts(form_text).into_iter().find(|(_, _, amount)| digits(amount) == digits(number));
    if let Some((_, _, amount)) = stated {
        return Some(amount);
    }
    let named = currency_in(name);
    let currency = named.as_deref().or(currency)?;
    Some(visible_line(&format!("{number} {currency}"), 40))
}

/// Returns the sign or code of a currency in a text.
pub fn currency_in(text: &str) -> Option<String> {
    let sign = text.chars().find(|c| SIGNS.contains(*c)).map(String::from);
    sign.or_else(|| text.split(|c: char| !c.is_alphabetic()).find(|word| is_code(word)).map(str::to_owned))
}

/// Words for a sum in the names of fields, besides those for a total.
const SUMS: [&str; 10] =
    ["amount", "sum", "price", "betrag", "kwota", "importo", "monto", "somme", "ціна", "цена"];

/// Reports whether a label names money that somebody has, or may spend, and not what is paid.
fn names_balance(label: &str) -> bool {
    const WORDS: [&str; 23] = [
        "balance",
        "available",
        "limit",
        "remaining",
        "saldo",
        "баланс",
        "залишок",
        "доступно",
        "доступний",
        "ліміт",
        "остаток",
        "лимит",
        "доступный",
        "guthaben",
        "kontostand",
        "verfügbar",
        "solde",
        "disponible",
        "disponibile",
        "limite",
        "dostępne",
        "bakiye",
        "余额",
    ];
    let tokens = normalize::tokenize_name(label);
    let is_due = tokens.windows(2).any(|pair| pair[0].is("balance") && pair[1].is("due"));
    !is_due && tokens.iter().any(|token| WORDS.iter().any(|word| token.is(word)))
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
    const PHRASES: [[&str; 2]; 4] = [["to", "pay"], ["amount", "due"], ["balance", "due"], ["you", "pay"]];
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
