//! How like two names are. A person writes `sign in`, `Sign-in` or `Польщу`; the page has `Sign in →`
//! and `Польща`. What is more than a slip of the pen is no match: a wrong click is worse than a question.

/// How well a name fits what was said; a later kind is always better than an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// A few letters differ.
    Slip,
    /// All of the name stands in what was said, and it is most of it.
    Within,
    /// The same words with other endings.
    Endings,
    /// All that was said stands in the name, in any order or as the beginning of its words.
    Parts,
    /// What was said stands in the name as it is.
    Contains,
    /// The name begins with it.
    Begins,
    /// Equal but for spaces.
    Spaces,
    /// Equal but for case and punctuation.
    Case,
    Exact,
}

/// How the element's `name` fits what was `said`; none if it does not.
pub fn fit(said: &str, name: &str) -> Option<Fit> {
    if said.is_empty() || name.is_empty() {
        return None;
    }
    if said == name {
        return Some(Fit::Exact);
    }
    let (said, name) = (parts(said), parts(name));
    if said.is_empty() || name.is_empty() {
        return None;
    }
    if said == name {
        return Some(Fit::Case);
    }
    let (said_whole, name_whole) = (said.concat(), name.concat());
    if said_whole == name_whole {
        return Some(Fit::Spaces);
    }
    if name.starts_with(&said) {
        return Some(Fit::Begins);
    }
    if name.windows(said.len()).any(|window| window == said) {
        return Some(Fit::Contains);
    }
    if said.iter().all(|part| name.iter().any(|other| begins(other, part))) {
        return Some(Fit::Parts);
    }
    if said.len() == name.len() && said.iter().zip(&name).all(|(one, two)| same_stem(one, two)) {
        return Some(Fit::Endings);
    }
    let (meant, is) = (said_whole.chars().count(), name_whole.chars().count());
    // `Cart` is not what was meant by `Add to cart`.
    if is >= 4 && is * 3 >= meant * 2 && said.windows(name.len()).any(|window| window == name) {
        return Some(Fit::Within);
    }
    slip(&said_whole, &name_whole).then_some(Fit::Slip)
}

/// Words in lower case without punctuation; a name of punctuation alone is one part.
fn parts(text: &str) -> Vec<String> {
    let lower: String = text
        .to_lowercase()
        .chars()
        .map(|c| if super::words::is_apostrophe(c) { '\'' } else { c })
        .take(300)
        .collect();
    let words: Vec<String> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .map(|word| word.trim_matches('\''))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    if words.is_empty() { lower.split_whitespace().map(str::to_owned).collect() } else { words }
}

fn begins(word: &str, part: &str) -> bool {
    word == part || (part.chars().count() >= 3 && word.starts_with(part))
}

/// Declined forms of one word: `Польща`, `Польщу`; `упаковка`, `упаковки`.
fn same_stem(one: &str, two: &str) -> bool {
    if one == two {
        return true;
    }
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), two.chars().collect());
    let shared = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (shorter, longer) = (a.len().min(b.len()), a.len().max(b.len()));
    // Latin words of a page are not declined, so `Save` is never `Saved` here.
    let declined = a.iter().chain(&b).all(|c| !c.is_ascii());
    declined && shared >= 3 && longer - shared <= 3 && shorter >= 4
}

/// One letter in five to eight, two up to thirteen, then three; the first letter is right.
fn slip(said: &str, name: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (said.chars().collect(), name.chars().collect());
    let allowed = match a.len().max(b.len()) {
        0..=4 => 0,
        5..=8 => 1,
        9..=13 => 2,
        _ => 3,
    };
    allowed > 0
        && a.len().abs_diff(b.len()) <= allowed
        && a.first() == b.first()
        // A number is never a slip: `Room 12` is not `Room 13`.
        && a.iter().filter(|c| c.is_numeric()).eq(b.iter().filter(|c| c.is_numeric()))
        && distance(&a, &b) <= allowed
}

/// Edits between two words, a swap of neighbours counting as one.
pub fn distance(a: &[char], b: &[char]) -> usize {
    let mut before_last: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut now = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            now[j] = (last[j] + 1).min(now[j - 1] + 1).min(last[j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                now[j] = now[j].min(before_last[j - 2] + 1);
            }
        }
        (before_last, last) = (last, now);
    }
    last[b.len()]
}

/// How near two names are, from 0 to 1, for telling what else there is.
pub fn nearness(said: &str, name: &str) -> f64 {
    let pairs = |text: &str| -> Vec<(char, char)> {
        let chars: Vec<char> = parts(text).join(" ").chars().collect();
        chars.windows(2).map(|pair| (pair[0], pair[1])).collect()
    };
    let (one, mut two) = (pairs(said), pairs(name));
    let total = one.len() + two.len();
    if total == 0 {
        return 0.0;
    }
    let shared = one.iter().filter(|pair| take(&mut two, pair)).count();
    2.0 * shared as f64 / total as f64
}

fn take(pairs: &mut Vec<(char, char)>, wanted: &(char, char)) -> bool {
    match pairs.iter().position(|pair| pair == wanted) {
        Some(at) => {
            pairs.swap_remove(at);
            true
        }
        None => false,
    }
}
