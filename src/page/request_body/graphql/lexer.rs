//! Tokens of GraphQL documents. Unknown characters are skipped, so that no document is refused.

/// Token of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum QueryToken {
    Name(String),
    /// String or block string, without quotes and escapes.
    Text(String),
    Number(String),
    Spread,
    Mark(char),
}

/// Tokens of a document, and whether all of it could be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryTokens {
    pub tokens: Vec<QueryToken>,
    pub is_whole: bool,
}

/// Most tokens; a longer document counts as not whole.
const TOKENS: usize = 200_000;

/// Splits a document into tokens; commas, white space and comments are left out.
pub fn tokenize_query(text: &str) -> QueryTokens {
    let mut found = QueryTokens { tokens: Vec::new(), is_whole: true };
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if found.tokens.len() == TOKENS {
            found.is_whole = false;
            break;
        }
        rest = match first {
            '#' => &rest[rest.find(['\n', '\r']).unwrap_or(rest.len())..],
            '"' => read_string(rest, &mut found),
            '.' if rest.starts_with("...") => {
                found.tokens.push(QueryToken::Spread);
                &rest[3..]
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
                read_run(rest, is_inside, QueryToken::Name, &mut found.tokens)
            }
            '0'..='9' | '-' => {
                let is_inside = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
                read_run(rest, is_inside, QueryToken::Number, &mut found.tokens)
            }
            '{' | '}' | '(' | ')' | '[' | ']' | ':' | '=' | '!' | '$' | '@' | '|' | '&' => {
                found.tokens.push(QueryToken::Mark(first));
                &rest[1..]
            }
            other => {
                found.is_whole &= other.is_whitespace() || matches!(other, ',' | '\u{feff}');
                &rest[other.len_utf8()..]
            }
        };
    }
    found
}

fn read_run<'a>(
    text: &'a str,
    is_inside: impl Fn(char) -> bool,
    wrap: impl Fn(String) -> QueryToken,
    tokens: &mut Vec<QueryToken>,
) -> &'a str {
    let end = text.find(|c: char| !is_inside(c)).unwrap_or(text.len()).max(1);
    tokens.push(wrap(text[..end].to_owned()));
    &text[end..]
}

fn read_string<'a>(text: &'a str, found: &mut QueryTokens) -> &'a str {
    if let Some(inside) = text.strip_prefix("\"\"\"") {
        return read_block_string(inside, found);
    }
    let mut value = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => {
                found.tokens.push(QueryToken::Text(value));
                return &text[at + 1..];
            }
            '\n' | '\r' => {
                found.is_whole = false;
                found.tokens.push(QueryToken::Text(value));
                return &text[at..];
            }
            '\\' => match letters.next() {
                Some((at, 'u')) => {
                    let code = text.get(at + 1..at + 5).and_then(|hex| u32::from_str_radix(hex, 16).ok());
                    let skipped = if code.is_some() { 4 } else { 0 };
                    value.push(code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
                    for _ in 0..skipped {
                        letters.next();
                    }
                }
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                Some((_, 'r')) => value.push('\r'),
                Some((_, other)) => value.push(other),
                None => {}
            },
            other => value.push(other),
        }
    }
    found.is_whole = false;
    found.tokens.push(QueryToken::Text(value));
    ""
}

fn read_block_string<'a>(inside: &'a str, found: &mut QueryTokens) -> &'a str {
    let mut from = 0;
    while let Some(at) = inside[from..].find("\"\"\"").map(|at| from + at) {
        if inside[..at].ends_with('\\') {
            from = at + 3;
            continue;
        }
        found.tokens.push(QueryToken::Text(inside[..at].replace("\\\"\"\"", "\"\"\"").trim().to_owned()));
        return &inside[at + 3..];
    }
    found.is_whole = false;
    found.tokens.push(QueryToken::Text(inside.to_owned()));
    ""
}
