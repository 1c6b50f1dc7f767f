//! Reading of days as pages write them, in English and Ukrainian. A day whose order of month and day cannot be told
//! (`05/04/2026`) has both readings.

/// Beginnings of the names of months.
const MONTHS: [[&str; 2]; 12] = [
    ["jan", "січ"],
    ["feb", "лют"],
    ["mar", "бер"],
    ["apr", "кві"],
    ["may", "тра"],
    ["jun", "чер"],
    ["jul", "лип"],
    ["aug", "сер"],
    ["sep", "вер"],
    ["oct", "жов"],
    ["nov", "лис"],
    ["dec", "гру"],
];

/// A day of the calendar. `year` is absent where a page leaves it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    pub year: Option<u32>,
    pub month: u32,
    pub day: u32,
}

impl Day {
    /// Parses the form 2026-05-04, also before a time.
    pub fn parse_iso(text: &str) -> Option<Self> {
        let (date, rest) = text.trim().split_at_checked(10)?;
        let is_date = rest.is_empty() || rest.starts_with(['T', ' ']);
        let parts: Vec<&str> = date.split('-').collect();
        match parts.as_slice() {
            [year, month, day] if is_date && year.len() == 4 => {
                Self::checked(Some(year.parse().ok()?), month.parse().ok()?, day.parse().ok()?)
            }
            _ => None,
        }
    }

    pub fn to_iso(self) -> Option<String> {
        self.year.map(|year| format!("{year:04}-{:02}-{:02}", self.month, self.day))
    }

    fn checked(year: Option<u32>, month: u32, day: u32) -> Option<Self> {
        let is_valid =
            (1..=12).contains(&month) && (1..=31).contains(&day) && year.is_none_or(|year| year < 10_000);
        is_valid.then_some(Self { year, month, day })
    }

    /// Reports whether a page's day may be this one.
    pub fn may_be(self, written: Self) -> bool {
        let same_year = match (self.year, written.year) {
            (Some(year), Some(other)) => year == other,
            _ => true,
        };
        same_year && self.month == written.month && self.day == written.day
    }
}

/// Part of a text: a number with its length, or the name of a month.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece {
    Number(u32, usize),
    Month(u32),
    Other,
}

/// Returns all days of a text, in every reading.
pub fn days_in(text: &str) -> Vec<Day> {
    let pieces: Vec<Piece> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .flat_map(pieces_of)
        .collect();
    let mut found = Vec::new();
    let mut rest = pieces.as_slice();
    while let Some((_, next)) = rest.split_first() {
        let (days, used) = days_at(rest);
        // The pieces of a day belong to no other.
        rest = if days.is_empty() { next } else { rest.get(used..).unwrap_or_default() };
        found.extend(days);
    }
    found
}

/// Returns the only day of a text, if it has one reading and a year.
pub fn only_day(text: &str) -> Option<Day> {
    let mut found = days_in(text);
    found.retain(|day| day.year.is_some());
    found.dedup();
    match found.as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}

fn pieces_of(word: &str) -> Vec<Piece> {
    let digits: String = word.chars().take_while(char::is_ascii_digit).collect();
    let rest = &word[digits.len()..];
    let number = digits.parse().map_or(Piece::Other, |number| Piece::Number(number, digits.len()));
    match (digits.is_empty(), rest.to_lowercase().as_str()) {
        (false, "" | "st" | "nd" | "rd" | "th" | "го" | "р") => vec![number],
        // A time after the day, as in 2026-05-04T10:00.
        (false, rest) if rest.starts_with('t') => vec![number],
        (false, _) => vec![Piece::Other],
        (true, "of" | "року") => Vec::new(),
        (true, rest) => vec![month_named(rest).map_or(Piece::Other, Piece::Month)],
    }
}

fn month_named(word: &str) -> Option<u32> {
    let at = MONTHS.iter().position(|names| names.iter().any(|name| word.starts_with(name)))?;
    u32::try_from(at + 1).ok()
}

/// Returns the days that the first pieces write, in every reading, and the number of those pieces.
fn days_at(pieces: &[Piece]) -> (Vec<Day>, usize) {
    let with_year = |month: u32, day: u32, rest: &[Piece]| match rest.first() {
        Some(Piece::Number(year, 4)) => (vec![Day::checked(Some(*year), month, day)], 3),
        _ => (vec![Day::checked(None, month, day)], 2),
    };
    let (found, used) = match pieces {
        [Piece::Number(year, 4), Piece::Number(month, 1..=2), Piece::Number(day, 1..=2), ..]
        | [Piece::Number(year, 4), Piece::Month(month), Piece::Number(day, 1..=2), ..] => {
            (vec![Day::checked(Some(*year), *month, *day)], 3)
        }
        [Piece::Number(a, 1..=2), Piece::Number(b, 1..=2), Piece::Number(year, length @ (2 | 4)), ..] => {
            let year = Some(if *length == 2 { 2000 + year } else { *year });
            let american = (a != b).then(|| Day::checked(year, *a, *b)).flatten();
            (vec![Day::checked(year, *b, *a), american], 3)
        }
        [Piece::Number(day, 1..=2), Piece::Month(month), rest @ ..]
        | [Piece::Month(month), Piece::Number(day, 1..=2), rest @ ..] => with_year(*month, *day, rest),
        _ => (Vec::new(), 0),
    };
    (found.into_iter().flatten().collect(), used)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_as_pages_write_them() {
        for text in [
            "2026-05-04",
            "2026-05-04T10:00:00Z",
            "May 4, 2026",
            "on 4 May 2026 at 10:30",
            "4th of May 2026",
            "4 травня 2026 року",
            "Mon, 04 May 2026",
        ] {
            assert_eq!(only_day(text).and_then(Day::to_iso).as_deref(), Some("2026-05-04"), "{text}");
        }
        assert_eq!(only_day("31.12.2025").and_then(Day::to_iso).as_deref(), Some("2025-12-31"));
        for text in ["05/04/2026", "May 4", "Maya, 17", "32 May 2026", ""] {
            assert_eq!(only_day(text), None, "{text}");
        }
    }

    #[test]
    fn a_day_without_year_or_order_may_be_several() {
        let day = Day::parse_iso("2026-05-04").expect("a day");
        for text in ["05/04/2026", "04.05.26", "4 May", "due May 4"] {
            assert!(days_in(text).into_iter().any(|written| day.may_be(written)), "{text}");
        }
        for text in ["2025-05-04", "5 May 2026", "4 June", "2026"] {
            assert!(!days_in(text).into_iter().any(|written| day.may_be(written)), "{text}");
        }
        assert_eq!(Day::parse_iso("2026-13-04"), None);
        assert_eq!(Day::parse_iso("May 4, 2026"), None);
    }
}
