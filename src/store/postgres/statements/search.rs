//! Full-text index. Texts are split into words here and not by the server, whose rules depend on its configuration.

use crate::ids::RunId;
use crate::store::postgres::connection::sql::Sql;
use crate::store::search_texts::{IndexedText, query_words};
use icu_normalizer::DecomposingNormalizerBorrowed;

/// Most characters of a word that are indexed: the server has a limit.
const MAX_WORD_CHARS: usize = 200;

/// Splits a text into words in lower case. Latin letters lose their accents; other letters with marks are letters of their
/// own, as й is.
fn words(text: &str) -> Vec<String> {
    let decompose = DecomposingNormalizerBorrowed::new_nfd();
    let mut plain = String::with_capacity(text.len());
    let mut last_is_latin = false;
    for letter in text.chars() {
        if ('\u{300}'..='\u{36f}').contains(&letter) {
            if !last_is_latin {
                plain.push(letter);
            }
            continue;
        }
        let base = decompose.normalize(letter.encode_utf8(&mut [0; 4])).chars().next().unwrap_or(letter);
        last_is_latin = base.is_ascii_alphabetic();
        plain.extend(if last_is_latin { base } else { letter }.to_lowercase());
    }
    let is_separator = |letter: char| !letter.is_alphanumeric() && !('\u{300}'..='\u{36f}').contains(&letter);
    let found = plain.split(is_separator).filter(|word| !word.is_empty());
    found.map(|word| word.chars().take(MAX_WORD_CHARS).collect()).collect()
}

/// Indexes the texts of a run's events, if they have any.
pub fn index_events(root: &RunId, run: &RunId, bodies: &[String]) -> Option<Sql> {
    let texts: Vec<IndexedText> = bodies.iter().filter_map(|body| IndexedText::from_event(body)).collect();
    if texts.is_empty() {
        return None;
    }
    let (hashes, words): (Vec<Vec<u8>>, Vec<String>) =
        texts.iter().map(|text| (text.hash.to_vec(), words(&text.words).join(" "))).unzip();
    Some(
        Sql::new(
            "insert into search_texts (root_id, run_id, kind, hash, words)
             select $1, $2, 'event', text.hash, array_to_tsvector(string_to_array(text.words, ' '))
             from unnest($3, $4) text (hash, words)
             where exists (select 1 from runs where id = $2)
             on conflict do nothing",
        )
        .with(root)
        .with(run)
        .with(hashes)
        .with(words),
    )
}

/// Statements that index a title in place of the earlier one. With `own`, the title is a person's own; otherwise it is indexed
/// unless there is one.
pub fn index_title(run: &RunId, title: &str, own: bool) -> [Sql; 2] {
    let text = IndexedText::new(title);
    let delete = "delete from search_texts where run_id = $1 and kind = 'title'
                      and exists (select 1 from runs where id = $1 and (own_title is null or $2))";
    let insert = "insert into search_texts (root_id, run_id, kind, hash, words)
                  select root_id, id, 'title', $3, array_to_tsvector(string_to_array($4, ' '))
                  from runs where id = $1 and (own_title is null or $2)
                  on conflict do nothing";
    [
        Sql::new(delete).with(run).with(own),
        Sql::new(insert).with(run).with(own).with(text.hash.to_vec()).with(words(&text.words).join(" ")),
    ]
}

/// Returns search expressions for a query, one per word; a run must match all of them. `None` if the query has no words and
/// matches nothing.
pub fn terms(query: &str) -> Option<Vec<String>> {
    let found: Vec<String> = query_words(query).iter().flat_map(|word| words(word)).collect();
    let terms: Vec<String> = found.iter().map(|word| format!("'{word}':*")).collect();
    if terms.is_empty() { None } else { Some(terms) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_split_into_plain_words() {
        assert_eq!(words("à la CAFÉ, cafe\u{301}"), ["a", "la", "cafe", "cafe"]);
        assert_eq!(words("Ґанок і їжа; й\u{306}"), ["ґанок", "і", "їжа", "й\u{306}"]);
        assert_eq!(words("shop7.test/a_b"), ["shop7", "test", "a", "b"]);
        assert_eq!(words(&"w".repeat(500))[0].len(), MAX_WORD_CHARS);
        assert_eq!(terms("lamp's !"), Some(vec![String::from("'lamp':*")]));
        assert_eq!(terms("'!&|"), None);
    }
}
