//! Hashing of the facts about an element to which an approval is bound: long and private texts become hashes
//! before they are stored or shown.

use crate::page::target::Target;
use sha2::{Digest, Sha256};

const MOST_PRICES: usize = 80;
const LONGEST_PRICE: usize = 160;

pub fn hash_values(mut target: Target) -> Target {
    if let Some(form) = &mut target.form {
        form.rest = hash(&form.rest);
    }
    let listed = target.form.iter_mut().flat_map(|form| &mut form.fields);
    for field in listed.chain(&mut target.loose) {
        field.sent = hash(&field.sent);
        field.generated = hash(&field.generated);
    }
    let further = target.prices.split_off(target.prices.len().min(MOST_PRICES));
    for price in target.prices.iter_mut().filter(|price| price.len() > LONGEST_PRICE) {
        *price = hash(price);
    }
    target.prices.extend(Some(hash(&further.join("\n"))).filter(|hash| !hash.is_empty()));
    target
}

/// Returns the hash in hexadecimal; empty for an empty text.
fn hash(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!("{:x}", Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::target::{Field, Form};

    // Long and private texts are hashed, and every change still shows (S1.25).
    #[test]
    fn long_and_private_values_are_hashed_and_every_change_shows() {
        let hashed = |sent: &str, last: &str| {
            let field = Field { sent: sent.into(), ..Field::default() };
            let form = Form { fields: vec![field.clone()], rest: sent.into(), ..Form::default() };
            let mut prices = vec![String::from("$1"); 100];
            prices.push(last.into());
            prices[0] = format!("$2{}", "x".repeat(500));
            hash_values(Target { form: Some(form), loose: vec![field], prices, ..Target::default() })
        };
        let one = hashed("private", "$3");
        let text = serde_json::to_string(&one).unwrap();
        assert!(!text.contains("private") && !text.contains("xxx"), "{text}");
        assert_eq!(one.prices.len(), MOST_PRICES + 1);
        assert_eq!(one, hashed("private", "$3"));
        assert_ne!(one.prices, hashed("private", "$4").prices);
        let other = hashed("other", "$3");
        assert_ne!(one.loose, other.loose);
        assert_ne!(one.form, other.form);
        assert_eq!(hash_values(Target::default()), Target::default());
    }
}
