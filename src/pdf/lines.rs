//! Lines of text out of placed glyphs: words by gaps, writing from right to left in reading order.

use crate::pdf::glyphs::PlacedGlyph;
use crate::text::invisible_chars::is_invisible;
use icu_normalizer::ComposingNormalizer;

/// Gap between words, in sizes of the letters.
const WORD_GAP: f64 = 0.13;
/// Gap between words of ideographs, which are often set with space between them.
const IDEOGRAPH_GAP: f64 = 0.7;
/// Number of letters from which on a line may be letter-spaced, and the greatest difference of the gaps in a word.
const SPACED_LETTERS: usize = 6;
const SPACED_GRAIN: f64 = 0.1;
/// Gap between columns.
const COLUMN_GAP: f64 = 1.8;
/// Greatest distance of base lines within a line, for raised and lowered letters.
const RAISED: f64 = 0.4;
/// Mark between columns, as in the page text.
const COLUMN: &str = " | ";

/// Glyphs on one base line.
#[derive(Clone, Debug)]
pub struct GlyphLine {
    pub glyphs: Vec<PlacedGlyph>,
    pub baseline: f64,
    pub size: f64,
    pub angle: i32,
}

impl GlyphLine {
    fn new(first: PlacedGlyph) -> Self {
        Self { baseline: first.baseline, size: first.size, angle: first.angle, glyphs: vec![first] }
    }

    /// Reports whether the glyph stands on the base line, as far as raised letters do.
    fn holds(&self, glyph: &PlacedGlyph) -> bool {
        self.angle == glyph.angle
            && (self.baseline - glyph.baseline).abs() <= RAISED * self.size.max(glyph.size)
    }

    /// Reports whether both lines stand on the same base line.
    pub fn is_beside(&self, other: &Self) -> bool {
        self.angle == other.angle && (self.baseline - other.baseline).abs() <= 0.5 * self.size.max(other.size)
    }

    fn add(&mut self, glyph: PlacedGlyph) {
        if glyph.size > self.size {
            // The larger letters tell the base line.
            (self.size, self.baseline) = (glyph.size, glyph.baseline);
        }
        self.glyphs.push(glyph);
    }

    /// Adds the glyphs of a line beside this one.
    pub fn merge(&mut self, other: Self) {
        self.size = self.size.max(other.size);
        self.glyphs.extend(other.glyphs);
    }

    /// Returns the beginning and the end of the line along its direction.
    pub fn extent(&self) -> (f64, f64) {
        let starts = self.glyphs.iter().map(|glyph| glyph.along);
        let ends = self.glyphs.iter().map(|glyph| glyph.along + glyph.advance);
        (starts.fold(f64::INFINITY, f64::min), ends.fold(f64::NEG_INFINITY, f64::max))
    }

    /// Writes the line.
    pub fn text(&self) -> String {
        let mut glyphs: Vec<&PlacedGlyph> = self.glyphs.iter().collect();
        glyphs.sort_by(|one, other| one.along.total_cmp(&other.along));
        let words = split_words(&glyphs, self.size);
        let letters = order_as_read(words);
        let mut text = String::new();
        letters.iter().for_each(|letter| push_letter(&mut text, letter));
        text.trim().to_owned()
    }
}

/// Groups glyphs into lines, in the order in which they were drawn.
pub fn group_lines(glyphs: Vec<PlacedGlyph>) -> Vec<GlyphLine> {
    let mut lines: Vec<GlyphLine> = Vec::new();
    for glyph in glyphs {
        match lines.last_mut() {
            Some(line) if line.holds(&glyph) => line.add(glyph),
            _ => lines.push(GlyphLine::new(glyph)),
        }
    }
    let is_blank = |glyph: &PlacedGlyph| glyph.text.as_deref().is_some_and(|text| text.trim().is_empty());
    lines.retain(|line| !line.glyphs.iter().all(is_blank));
    lines
}

/// Returns the texts of the glyphs from left to right, with spaces and marks of columns between them.
fn split_words(glyphs: &[&PlacedGlyph], size: f64) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let mut end: Option<f64> = None;
    let mut is_spaced = false;
    let tracking = measure_tracking(glyphs, size);
    for glyph in glyphs {
        let text = glyph.text.clone().unwrap_or_else(|| String::from('\u{fffd}'));
        if text.trim().is_empty() {
            is_spaced = true;
            continue;
        }
        let gap = end.map_or(0.0, |end| glyph.along - end - tracking);
        let unit = size.min(glyph.size * 1.5);
        let are_ideographs = is_ideograph(&text) && texts.last().is_some_and(|last| is_ideograph(last));
        let word_gap = if are_ideographs { IDEOGRAPH_GAP } else { WORD_GAP };
        if gap > COLUMN_GAP * unit {
            texts.push(String::from(COLUMN));
        } else if !texts.is_empty() && (is_spaced || gap > word_gap * unit) {
            texts.push(String::from(' '));
        }
        is_spaced = false;
        end = Some(end.unwrap_or(f64::NEG_INFINITY).max(glyph.along + glyph.advance));
        texts.push(text);
    }
    texts
}

/// Returns the space that stands after each letter of a letter-spaced line; 0 for other lines. A line is letter-spaced
/// if it is of letters, no two of them stand close to each other, and most gaps are equal.
fn measure_tracking(glyphs: &[&PlacedGlyph], size: f64) -> f64 {
    let is_letter = |glyph: &PlacedGlyph| {
        glyph.text.as_deref().is_some_and(|text| text.chars().all(char::is_alphabetic) && !is_ideograph(text))
    };
    let pairs = glyphs.windows(2).filter(|pair| is_letter(pair[0]) && is_letter(pair[1]));
    let mut gaps: Vec<f64> = pairs.map(|pair| pair[1].along - pair[0].along - pair[0].advance).collect();
    gaps.sort_by(f64::total_cmp);
    let (Some(least), Some(middle)) = (gaps.first(), gaps.get(gaps.len() / 2)) else { return 0.0 };
    let is_even = *least > WORD_GAP * size && middle - least < SPACED_GRAIN * size;
    if gaps.len() + 1 >= SPACED_LETTERS && is_even && *middle < COLUMN_GAP * size { *middle } else { 0.0 }
}

/// Reports whether a text is an ideograph or of kana, which are written without spaces.
fn is_ideograph(text: &str) -> bool {
    let is_one = |letter| matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
    text.chars().next().is_some_and(is_one)
}

/// Direction of a letter: from left to right (letters, digits), from right to left, or as its surroundings.
#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Left,
    Right,
    Digit,
    Neutral,
}

fn direction(text: &str) -> Direction {
    match text.chars().find(|letter| letter.is_alphanumeric()) {
        Some(
            '\u{590}'..='\u{65f}'
            | '\u{66e}'..='\u{6ef}'
            | '\u{6fa}'..='\u{8ff}'
            | '\u{fb1d}'..='\u{fdff}'
            | '\u{fe70}'..='\u{feff}',
        ) => Direction::Right,
        Some(letter) if letter.is_numeric() => Direction::Digit,
        Some(_) => Direction::Left,
        None => Direction::Neutral,
    }
}

/// Brings texts that stand from left to right into the order in which they are read.
fn order_as_read(texts: Vec<String>) -> Vec<String> {
    let directions: Vec<Direction> = texts.iter().map(|text| direction(text)).collect();
    let count = |sought: Direction| directions.iter().filter(|found| **found == sought).count();
    if count(Direction::Right) == 0 {
        return texts;
    }
    if count(Direction::Right) < count(Direction::Left) {
        return reverse_runs(texts, |found| found == Direction::Right, |found| found == Direction::Neutral);
    }
    let mut texts = texts;
    texts.reverse();
    reverse_runs(
        texts,
        |found| matches!(found, Direction::Left | Direction::Digit),
        |found| found == Direction::Neutral,
    )
}

/// Reverses each run of texts whose direction is sought, with the neutral ones between two of them.
fn reverse_runs(
    mut texts: Vec<String>,
    is_sought: fn(Direction) -> bool,
    is_neutral: fn(Direction) -> bool,
) -> Vec<String> {
    let directions: Vec<Direction> = texts.iter().map(|text| direction(text)).collect();
    let mut start = 0;
    while start < texts.len() {
        if !is_sought(directions[start]) {
            start += 1;
            continue;
        }
        let (mut end, mut next) = (start, start + 1);
        while next < texts.len()
            && texts[next] != COLUMN
            && (is_sought(directions[next]) || is_neutral(directions[next]))
        {
            if is_sought(directions[next]) {
                end = next;
            }
            next += 1;
        }
        texts[start..=end].reverse();
        start = end + 1;
    }
    texts
}

/// Appends the text of a glyph: without invisible characters, and ligatures as their letters.
fn push_letter(text: &mut String, letter: &str) {
    let plain: String =
        letter.chars().filter(|letter| !is_invisible(*letter) && !letter.is_control()).collect();
    let is_form = |letter: char| matches!(letter, '\u{fb00}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}');
    if plain.chars().any(is_form) {
        text.push_str(&ComposingNormalizer::new_nfkc().normalize(&plain));
    } else {
        text.push_str(&plain);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places each letter of the words, whose beginnings are given, half a size wide.
    fn place(words: &[(f64, &str)]) -> Vec<PlacedGlyph> {
        let letters = words.iter().flat_map(|(start, word)| {
            word.chars().enumerate().map(move |(index, letter)| (start + 5.0 * index as f64, letter))
        });
        let glyph = |(along, letter): (f64, char)| PlacedGlyph {
            text: Some(letter.to_string()),
            along,
            baseline: 100.0,
            advance: 5.0,
            size: 10.0,
            angle: 0,
        };
        letters.map(glyph).collect()
    }

    fn read(words: &[(f64, &str)]) -> String {
        group_lines(place(words)).iter().map(GlyphLine::text).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn gaps_part_words_and_columns() {
        assert_eq!(read(&[(0.0, "Total"), (28.0, "due"), (90.0, "$7")]), "Total due | $7");
        assert_eq!(read(&[(0.0, "A V"), (15.5, "ia")]), "A Via");
        assert_eq!(read(&[(90.0, "$7"), (0.0, "Sum")]), "Sum | $7", "drawn in another order");
        assert_eq!(read(&[(0.0, "Two"), (16.5, "years")]), "Two years", "narrow spaces");
        assert_eq!(read(&[(0.0, "中"), (9.0, "文")]), "中文");
        assert_eq!(read(&[(0.0, "\u{fb01}t"), (10.0, "\u{200b}!")]), "fit!");
    }

    #[test]
    fn letters_with_equal_space_between_them_are_words() {
        let spaced = |text: &str, from: f64| -> Vec<(f64, String)> {
            text.chars()
                .enumerate()
                .map(|(at, letter)| (from + 9.0 * at as f64, letter.to_string()))
                .collect()
        };
        let letters: Vec<(f64, String)> =
            spaced("Lorem", 0.0).into_iter().chain(spaced("ipsum", 53.0)).collect();
        let words: Vec<(f64, &str)> =
            letters.iter().map(|(along, letter)| (*along, letter.as_str())).collect();
        assert_eq!(read(&words), "Lorem ipsum");
        let digits: Vec<(f64, String)> = spaced("12345678", 0.0);
        let words: Vec<(f64, &str)> = digits.iter().map(|(along, digit)| (*along, digit.as_str())).collect();
        assert_eq!(read(&words), "1 2 3 4 5 6 7 8");
    }

    #[test]
    fn raised_letters_stay_in_their_line() {
        let mut glyphs = place(&[(0.0, "x")]);
        glyphs.extend(place(&[(5.0, "2")]).into_iter().map(|glyph| PlacedGlyph {
            baseline: 96.5,
            size: 6.0,
            ..glyph
        }));
        glyphs.extend(place(&[(8.0, "y")]));
        assert_eq!(group_lines(glyphs).iter().map(GlyphLine::text).collect::<Vec<_>>(), ["x2y"]);
    }

    // Letters stand from left to right on the page, whatever their order of reading is.
    #[test]
    fn writing_from_right_to_left_is_in_order_of_reading() {
        assert_eq!(read(&[(0.0, "םלוע םולש")]), "שלום עולם");
        assert_eq!(read(&[(0.0, "123 ריחמ")]), "מחיר 123");
        assert_eq!(read(&[(0.0, "Word םולש end here")]), "Word שלום end here");
        assert_eq!(read(&[(0.0, "30.5"), (80.0, "ריחמ")]), "מחיר | 30.5");
    }
}
