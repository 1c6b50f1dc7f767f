//! Hosts that a person names in a message. Names of files, addresses of mail, quoted text and what the person
//! forbids name no host.

use crate::gate::flow::message_clauses::{ClauseWord, is_listed, is_negator, read_key, split_clauses};
use crate::gate::flow::read_texts::TextSource;
use crate::gate::flow::reading::readability::is_common_word;
use crate::page::site::{Site, has_known_suffix, site_of_url};
use crate::page::url::parse_typed_url;
use url::Url;

/// Endings of files that are endings of domains too. Such a name is a host only with a scheme, `www.`, a port
/// or a path.
const FILE_ENDINGS: [&str; 16] =
    ["zip", "md", "mov", "py", "rs", "sh", "app", "ps", "so", "java", "cab", "bat", "doc", "swf", "vi", "mm"];
/// Address in a message.
#[derive(Clone, Debug)]
struct NamedAddress {
    url: Url,
    forbidden: bool,
}

/// Returns the hosts that a person names in a message, by URL or by bare name.
pub fn hosts_named_in(message: &str) -> Vec<String> {
    let found = find_addresses(message);
    let forbidden = list_forbidden(&found);
    let mut hosts = Vec::new();
    for address in found.iter().filter(|address| !address.forbidden) {
        let host = read_host(&address.url);
        if !forbidden.contains(&host) && !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    hosts
}

/// Returns the hosts that a person forbids in a message, as in "do not open shop.test".
pub fn hosts_forbidden_in(message: &str) -> Vec<String> {
    list_forbidden(&find_addresses(message))
}

/// Returns the sites that a person names in a message.
pub fn sites_named_in(message: &str) -> Vec<Site> {
    let found = find_addresses(message);
    let forbidden = list_forbidden(&found);
    let named =
        found.iter().filter(|address| !address.forbidden && !forbidden.contains(&read_host(&address.url)));
    let mut sites: Vec<Site> = named.filter_map(|address| site_of_url(&address.url)).collect();
    sites.sort();
    sites.dedup();
    sites
}

/// True if a person's message names both ends of a flow, so that it needs no question.
pub fn names_both_ends(message: &str, from: &TextSource, to: &TextSource) -> bool {
    let sites = sites_named_in(message);
    let names = |party: &TextSource| match party {
        TextSource::Site(site) => sites.contains(site),
        TextSource::File(name) => names_word(message, name),
        TextSource::Tool(name) => !is_common_word(&name.to_lowercase()) && names_word(message, name),
        TextSource::Agent(_) => false,
    };
    names(from) && names(to)
}

/// True if the message has the name, and not as a part of a longer word.
fn names_word(message: &str, name: &str) -> bool {
    let stands_alone = |at: usize| {
        let before = message[..at].chars().next_back();
        let after = message[at + name.len()..].chars().next();
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    };
    !name.is_empty() && message.match_indices(name).any(|(at, _)| stands_alone(at))
}

/// Hosts that are forbidden as a whole; a forbidden path says nothing about the rest of its host.
fn list_forbidden(found: &[NamedAddress]) -> Vec<String> {
    let whole = found.iter().filter(|address| address.forbidden && address.url.path() == "/");
    let mut hosts: Vec<String> = whole.map(|address| read_host(&address.url)).collect();
    hosts.dedup();
    hosts
}

fn read_host(url: &Url) -> String {
    url.host_str().unwrap_or_default().trim_end_matches('.').to_lowercase()
}

/// Returns the address that a single word names as a host; `None` for words, files, mail addresses.
pub fn parse_named_host(word: &str) -> Option<Url> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '[' && c != '/');
    let full = ["http://", "https://"].iter().any(|scheme| starts_with(word, scheme));
    let url = parse_typed_url(word).filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let host = read_host(&url);
    let authority = word.split_once("//").map_or(word, |(_, rest)| rest).split(['/', '?', '#']).next()?;
    if host.is_empty() || authority.contains('@') {
        return None;
    }
    let explicit =
        starts_with(word, "www.") || url.path() != "/" || url.port().is_some() || url.query().is_some();
    (full || is_bare_host(&host, authority, explicit) && !word.contains('@')).then_some(url)
}

fn starts_with(word: &str, start: &str) -> bool {
    word.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

/// True if a name without a scheme is that of a host.
fn is_bare_host(host: &str, written: &str, explicit: bool) -> bool {
    let Some((front, end)) = host.rsplit_once('.') else { return false };
    if end.chars().count() < 2 || end.bytes().all(|byte| byte.is_ascii_digit()) || front.is_empty() {
        return false;
    }
    // A sentence without a space before the next one: "cheap.It is".
    let next = written.rsplit_once('.').is_some_and(|(front, end)| {
        let capital = end.chars().next().is_some_and(char::is_uppercase)
            && !end.chars().nth(1).is_some_and(char::is_uppercase);
        capital && !front.chars().next().is_some_and(char::is_uppercase)
    });
    explicit || (!next && has_known_suffix(host) && !FILE_ENDINGS.contains(&end))
}

/// Returns the addresses of a message, with those that are forbidden marked.
fn find_addresses(message: &str) -> Vec<NamedAddress> {
    let mut found = Vec::new();
    let mut before = Clause::default();
    for words in split_clauses(&blank_quotes(message)) {
        let clause = read_clause(&words, &before, &mut found);
        before = clause;
    }
    found
}

/// State of the clause before.
#[derive(Default)]
struct Clause {
    negated: bool,
    /// True if a list may go on: the clause ends with a host or a colon, and no full stop follows.
    open: bool,
}

/// Reads one clause: pushes its addresses and returns its state.
fn read_clause(words: &[ClauseWord], before: &Clause, found: &mut Vec<NamedAddress>) -> Clause {
    let only = |at: usize| at > 0 && is_listed("only", &words[at].key) && is_negator(words, at - 1);
    let though = (0..words.len()).any(|at| is_listed("though", &words[at].key) || only(at));
    let negator = (0..words.len()).find(|at| !though && is_negator(words, *at));
    let first = usize::from(words.first().is_some_and(|word| is_listed("and", &word.key)));
    let but = words.first().is_some_and(|word| is_listed("but", &word.key));
    let mut hosts = 0;
    let mut goes_on = before.negated && before.open && !but;
    let mut last_is_host = false;
    for (at, word) in words.iter().enumerate() {
        let address = parse_named_host(&word.written);
        last_is_host = address.is_some();
        let list_sign = word.key.is_empty() || is_listed("or", &word.key);
        if address.is_none() && at >= first && !list_sign {
            goes_on = false;
        }
        let Some(url) = address else { continue };
        let starts = at == first && words.first().is_none_or(|word| word.key != "if");
        let forbidden = goes_on || negator.is_some_and(|negator| negator < at || (starts && negator > at));
        found.push(NamedAddress { url, forbidden });
        hosts += 1;
    }
    let end = words.last().and_then(|word| word.end);
    let negated = goes_on || negator.is_some();
    Clause {
        negated,
        open: matches!(end, None | Some(',' | ':')) && (last_is_host && hosts > 0 || end == Some(':')),
    }
}

/// Replaces quoted text, code and quoted lines by spaces. An address that is quoted alone after a word such
/// as "open" stays.
fn blank_quotes(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut fenced = false;
    for line in message.lines() {
        let start = line.trim_start();
        if start.starts_with("```") || start.starts_with("~~~") {
            fenced = !fenced;
        } else if !fenced && !start.starts_with('>') {
            blank_quotes_in_line(line, &mut out);
        }
        out.push('\n');
    }
    out
}

fn blank_quotes_in_line(line: &str, out: &mut String) {
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let opens =
            out.chars().next_back().is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[' | ':' | ','));
        let inner = closing_quote(first)
            .filter(|_| opens)
            .and_then(|close| find_quoted(&rest[first.len_utf8()..], close));
        let Some((inner, length)) = inner else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        let before = out.split_whitespace().next_back().map(read_key).unwrap_or_default();
        let meant = is_listed("open", &before) && parse_named_host(inner).is_some();
        out.push_str(if meant { inner } else { " " });
        rest = &rest[first.len_utf8() + length..];
    }
}

fn closing_quote(open: char) -> Option<&'static [char]> {
    Some(match open {
        '"' | '“' | '„' | '”' => &['"', '”', '“'],
        '«' => &['»'],
        '»' => &['«'],
        '‹' => &['›'],
        '\'' | '‘' | '‚' => &['\'', '’', '‘'],
        '`' => &['`'],
        '「' => &['」'],
        '『' => &['』'],
        _ => return None,
    })
}

/// Returns the text up to the closing quote, and its length with the quote. A quote inside a word closes
/// nothing.
fn find_quoted<'a>(rest: &'a str, close: &[char]) -> Option<(&'a str, usize)> {
    rest.char_indices().filter(|(_, letter)| close.contains(letter)).find_map(|(at, letter)| {
        let after = rest[at + letter.len_utf8()..].chars().next();
        let closes = after.is_none_or(|c| !c.is_alphanumeric()) && at > 0;
        closes.then(|| (&rest[..at], at + letter.len_utf8()))
    })
}
