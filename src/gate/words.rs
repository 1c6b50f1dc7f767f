//! What a name means: the intents that `words.txt` lists in the languages of the web, found in the
//! name of a button or link. The table is built once; finding takes microseconds.

use super::fold::{self, Token};
use std::collections::HashMap;
use std::sync::LazyLock;

/// What a button says that it does. In order of weight: of several in one name, the first counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Intent {
    DeleteAccount,
    Transfer,
    Pay,
    Order,
    Buy,
    Book,
    Subscribe,
    Unsubscribe,
    Delete,
    Password,
    Grant,
    SignInWith,
    Register,
    SignIn,
    SignOut,
    Post,
    Send,
    Reply,
    Upload,
    Download,
    Mark,
    Save,
    Consent,
    Cart,
    Filter,
    Commit,
    Step,
    View,
    /// Speaks of cookies.
    Cookie,
    /// Speaks of programs to install.
    Program,
    /// A fixed phrase that only sounds like an effect ("Order history").
    Plain,
    /// Words that may stand before a verb ("yes", "now").
    Filler,
}

impl Intent {
    const ALL: [(&'static str, Intent); 32] = [
        ("delete_account", Self::DeleteAccount),
        ("transfer", Self::Transfer),
        ("pay", Self::Pay),
        ("order", Self::Order),
        ("buy", Self::Buy),
        ("book", Self::Book),
        ("subscribe", Self::Subscribe),
        ("unsubscribe", Self::Unsubscribe),
        ("delete", Self::Delete),
        ("password", Self::Password),
        ("grant", Self::Grant),
        ("sign_in_with", Self::SignInWith),
        ("register", Self::Register),
        ("sign_in", Self::SignIn),
        ("sign_out", Self::SignOut),
        ("post", Self::Post),
        ("send", Self::Send),
        ("reply", Self::Reply),
        ("upload", Self::Upload),
        ("download", Self::Download),
        ("mark", Self::Mark),
        ("save", Self::Save),
        ("consent", Self::Consent),
        ("cart", Self::Cart),
        ("filter", Self::Filter),
        ("commit", Self::Commit),
        ("step", Self::Step),
        ("view", Self::View),
        ("cookie", Self::Cookie),
        ("program", Self::Program),
        ("plain", Self::Plain),
        ("filler", Self::Filler),
    ];

    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, intent)| *intent)
    }
}

/// How much else may stand around a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strength {
    /// Counts anywhere in a name.
    Strong,
    /// `~`: a noun too.
    Weak,
    /// `=`: only as the whole name.
    Exact,
}

#[derive(Debug)]
struct Phrase {
    intent: Intent,
    strength: Strength,
    words: Vec<Word>,
}

#[derive(Debug)]
struct Word {
    text: String,
    /// Any ending may follow.
    stem: bool,
}

/// One phrase found in a name.
#[derive(Clone, Copy, Debug)]
struct Hit {
    intent: Intent,
    strength: Strength,
    place: usize,
    length: usize,
    /// Only words like "yes" and "now" stand before it in its part of the name.
    leads: bool,
}

#[derive(Debug, Default)]
struct Table {
    /// By the first two letters of the first word; longest phrases first.
    spaced: HashMap<[char; 2], Vec<Phrase>>,
    /// Phrases of scripts without spaces; longest first.
    unspaced: Vec<(String, Intent, Strength)>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("words.txt")));

/// What a name says, all told.
#[derive(Debug)]
pub struct Said {
    hits: Vec<Hit>,
    tokens: usize,
    letters: bool,
}

/// Reads a name.
pub fn read(name: &str) -> Said {
    let tokens = fold::tokens(name);
    let mut hits = TABLE.find(&tokens);
    let whole = |hit: &Hit| {
        tokens[..hit.place].iter().all(|token| is_filler(token)) && hit.place + hit.length == tokens.len()
    };
    hits.retain(|hit| hit.strength != Strength::Exact || whole(hit));
    let letters = tokens.iter().any(|token| token.text.chars().filter(|c| c.is_alphabetic()).count() > 1);
    Said { hits, tokens: tokens.len(), letters }
}

impl Said {
    /// What a button of this name does. A name that begins with "show", "view" and the like only
    /// shows, whatever it shows ("View order").
    pub fn button(&self) -> Option<Intent> {
        let mut showing = false;
        let mut found: Option<Intent> = None;
        for hit in &self.hits {
            if hit.leads {
                showing = matches!(hit.intent, Intent::View | Intent::Plain);
            }
            let passive = showing && !hit.leads;
            if let Some(intent) = counted(hit, self.tokens).filter(|_| !passive) {
                found = Some(found.map_or(intent, |before| before.min(intent)));
            }
        }
        found
    }

    /// What a link of this name does besides leading somewhere: only a short order does anything
    /// ("Delete account"), a headline ("Delete your old photos before …") does not.
    pub fn link(&self) -> Option<Intent> {
        const LONGEST: usize = 6;
        let hit = self.hits.iter().find(|hit| hit.intent != Intent::Filler)?;
        let order = hit.strength == Strength::Strong && hit.leads && self.tokens <= LONGEST;
        order.then_some(hit.intent)
    }

    pub fn speaks_of(&self, intent: Intent) -> bool {
        self.hits.iter().any(|hit| hit.intent == intent)
    }

    /// Whether there is a word in it at all: "×", "+", "12" and "›" have none.
    pub fn has_words(&self) -> bool {
        self.letters
    }

    pub fn is_empty(&self) -> bool {
        self.tokens == 0
    }
}

/// What a hit adds to the sense of a button's name.
fn counted(hit: &Hit, tokens: usize) -> Option<Intent> {
    let ends = hit.place + hit.length == tokens;
    match hit.intent {
        Intent::Cookie | Intent::Program | Intent::Plain | Intent::Filler => None,
        Intent::View => (hit.leads || ends).then_some(hit.intent),
        Intent::Commit | Intent::Step | Intent::Filter if hit.strength == Strength::Strong => {
            (hit.leads || ends).then_some(hit.intent)
        }
        Intent::DeleteAccount
        | Intent::Transfer
        | Intent::Pay
        | Intent::Order
        | Intent::Buy
        | Intent::Book
        | Intent::Subscribe
        | Intent::Unsubscribe
        | Intent::Delete
        | Intent::Password
        | Intent::Grant
        | Intent::SignInWith
        | Intent::Register
        | Intent::SignIn
        | Intent::SignOut
        | Intent::Post
        | Intent::Send
        | Intent::Reply
        | Intent::Upload
        | Intent::Download
        | Intent::Mark
        | Intent::Save
        | Intent::Consent
        | Intent::Cart
        | Intent::Filter
        | Intent::Commit
        | Intent::Step => (hit.strength != Strength::Weak || hit.leads).then_some(hit.intent),
    }
}

fn is_filler(token: &Token) -> bool {
    TABLE.longest(std::slice::from_ref(token), Some(Intent::Filler)).is_some()
}

impl Table {
    fn read(text: &str) -> Self {
        let mut table = Self::default();
        let mut intent = None;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                intent = Intent::named(name);
            } else if let (Some(intent), Some((_, phrases))) = (intent, line.split_once(": ")) {
                phrases.split(';').for_each(|phrase| table.add(intent, phrase.trim()));
            }
        }
        for list in table.spaced.values_mut() {
            list.sort_by_key(|phrase| {
                let letters: usize = phrase.words.iter().map(|word| word.text.len()).sum();
                (std::cmp::Reverse((phrase.words.len(), letters)), phrase.intent)
            });
        }
        table.unspaced.sort_by_key(|(text, intent, _)| (std::cmp::Reverse(text.len()), *intent));
        table
    }

    fn add(&mut self, intent: Intent, phrase: &str) {
        let (strength, phrase) = match phrase.chars().next() {
            Some('~') => (Strength::Weak, &phrase[1..]),
            Some('=') => (Strength::Exact, &phrase[1..]),
            Some(_) | None => (Strength::Strong, phrase),
        };
        if fold::is_cjk_text(phrase) {
            let text: String = fold::words(phrase).split(' ').collect();
            self.unspaced.push((text, intent, strength));
            return;
        }
        let mut words = Vec::new();
        for piece in phrase.split_whitespace() {
            let stem = piece.ends_with('*');
            let plain = fold::words(piece);
            let parts = plain.split(' ').filter(|part| !part.is_empty());
            words.extend(parts.map(|part| Word { text: part.to_owned(), stem }));
        }
        if let Some(first) = words.first() {
            self.spaced.entry(key(&first.text)).or_default().push(Phrase { intent, strength, words });
        }
    }

    fn find(&self, tokens: &[Token]) -> Vec<Hit> {
        let mut hits = Vec::new();
        let (mut place, mut leads) = (0, true);
        while let Some(token) = tokens.get(place) {
            leads |= token.first;
            if fold::is_cjk_text(&token.text) {
                let length = tokens[place..].iter().take_while(|next| fold::is_cjk_text(&next.text)).count();
                self.find_unspaced(&tokens[place..place + length], place, &mut hits);
                (place, leads) = (place + length, false);
                continue;
            }
            let Some((phrase, length)) = self.longest(&tokens[place..], None) else {
                leads &= token.text.bytes().all(|byte| byte.is_ascii_digit());
                place += 1;
                continue;
            };
            hits.push(Hit { intent: phrase.intent, strength: phrase.strength, place, length, leads });
            leads = (leads && phrase.intent == Intent::Filler) || joins(&tokens[place]);
            place += length;
        }
        hits
    }

    /// The longest phrase that the tokens begin with.
    fn longest(&self, tokens: &[Token], only: Option<Intent>) -> Option<(&Phrase, usize)> {
        let token = tokens.first()?;
        let keys = [Some(key(&token.text)), token.alike.as_deref().map(key)];
        keys.into_iter()
            .flatten()
            .filter_map(|key| self.spaced.get(&key))
            .flatten()
            .filter(|phrase| only.is_none_or(|intent| phrase.intent == intent))
            .find(|phrase| begins(tokens, phrase))
            .map(|phrase| (phrase, phrase.words.len()))
    }

    fn find_unspaced(&self, tokens: &[Token], place: usize, hits: &mut Vec<Hit>) {
        let mut text: String = tokens.iter().map(|token| token.text.as_str()).collect();
        for (phrase, intent, strength) in &self.unspaced {
            let Some(at) = text.find(phrase.as_str()) else { continue };
            let whole = text.len() == phrase.len();
            if *strength == Strength::Exact && !whole {
                continue;
            }
            text.replace_range(at..at + phrase.len(), "\u{0}");
            hits.push(Hit { intent: *intent, strength: *strength, place, length: tokens.len(), leads: true });
        }
    }
}

/// "Close and delete": what follows is an order of its own.
fn joins(token: &Token) -> bool {
    const WORDS: [&str; 14] =
        ["and", "та", "і", "и", "und", "et", "y", "e", "i", "oraz", "en", "ve", "a", "och"];
    WORDS.iter().any(|word| token.text == *word)
}

fn begins(tokens: &[Token], phrase: &Phrase) -> bool {
    phrase.words.len() <= tokens.len()
        && phrase.words.iter().zip(tokens).all(|(word, token)| {
            if word.stem { token.starts_with(&word.text) } else { token.is(&word.text) }
        })
}

fn key(word: &str) -> [char; 2] {
    let mut letters = word.chars();
    [letters.next().unwrap_or(' '), letters.next().unwrap_or(' ')]
}
