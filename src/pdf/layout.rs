//! Order of the lines of a page. Lines stay in the order in which they were drawn, which is that of reading in
//! nearly all documents, columns included; tables that were drawn column by column, values of forms and pages
//! drawn in no order are put together by their places.

use crate::pdf::glyphs::{PageGlyphs, PlacedGlyph};
use crate::pdf::lines::{GlyphLine, group_lines};

/// Distance of base lines, in sizes of the letters, above which a blank line is written.
const PARAGRAPH: f64 = 1.9;
/// Mean number of glyphs of a line of a column of a table; columns of prose have longer lines.
const CELL: usize = 18;
/// Share of lines drawn above the one before, from which on the order of drawing says nothing.
const DISORDER: f64 = 0.3;

/// Writes the text of a page.
pub fn write_text(page: PageGlyphs) -> String {
    let mut lines = merge_columns(group_lines(page.glyphs));
    if is_disordered(&lines) {
        lines = sort_lines(lines);
    }
    for line in group_lines(page.annotations) {
        insert_line(&mut lines, line);
    }
    let mut text = String::new();
    let mut before: Option<&GlyphLine> = None;
    for line in &lines {
        let written = line.text();
        if written.is_empty() {
            continue;
        }
        if let Some(before) = before {
            let distance = line.baseline - before.baseline;
            let near = before.angle == line.angle
                && distance > 0.0
                && distance < PARAGRAPH * line.size.max(before.size);
            text.push_str(if near || line.is_beside(before) { "\n" } else { "\n\n" });
        }
        text.push_str(&written);
        before = Some(line);
    }
    text
}

/// Counts the glyphs whose font does not tell their characters, and all glyphs.
pub fn count_unreadable(glyphs: &[PlacedGlyph]) -> (usize, usize) {
    (glyphs.iter().filter(|glyph| glyph.text.is_none()).count(), glyphs.len())
}

/// Reports whether a line was drawn after one below it.
fn goes_up(before: &GlyphLine, line: &GlyphLine) -> bool {
    before.angle == line.angle && line.baseline < before.baseline - before.size.max(line.size)
}

fn is_disordered(lines: &[GlyphLine]) -> bool {
    let ups = lines.windows(2).filter(|pair| goes_up(&pair[0], &pair[1])).count();
    lines.len() >= 6 && ups as f64 > DISORDER * lines.len() as f64
}

/// Sorts lines by their places, and joins those on one base line.
fn sort_lines(mut lines: Vec<GlyphLine>) -> Vec<GlyphLine> {
    lines.sort_by(|one, other| {
        (one.angle, one.baseline)
            .partial_cmp(&(other.angle, other.baseline))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut sorted: Vec<GlyphLine> = Vec::new();
    for line in lines {
        match sorted.last_mut() {
            Some(last) if last.is_beside(&line) => last.merge(line),
            _ => sorted.push(line),
        }
    }
    sorted
}

/// Joins the columns of tables that were drawn one after another.
fn merge_columns(lines: Vec<GlyphLine>) -> Vec<GlyphLine> {
    let mut blocks: Vec<Vec<GlyphLine>> = Vec::new();
    for line in lines {
        match blocks.last_mut() {
            Some(block) if !block.last().is_some_and(|last| goes_up(last, &line)) => block.push(line),
            _ => blocks.push(vec![line]),
        }
    }
    let mut merged: Vec<Vec<GlyphLine>> = Vec::new();
    for block in blocks {
        match merged.last_mut() {
            Some(before) if is_next_column(before, &block) => {
                block.into_iter().for_each(|line| insert_line(before, line));
            }
            _ => merged.push(block),
        }
    }
    merged.into_iter().flatten().collect()
}

/// Reports whether the block continues the rows of the block before it: its lines are short, and most of them stand
/// beside lines of that block.
fn is_next_column(before: &[GlyphLine], block: &[GlyphLine]) -> bool {
    let beside: Vec<&GlyphLine> =
        block.iter().filter_map(|line| before.iter().find(|known| known.is_beside(line))).collect();
    let mean = |lines: &mut dyn Iterator<Item = usize>| {
        let lengths: Vec<usize> = lines.collect();
        lengths.iter().sum::<usize>() / lengths.len().max(1)
    };
    beside.len() >= 2
        && beside.len() * 5 >= block.len() * 3
        && mean(&mut block.iter().map(|line| line.glyphs.len())) <= CELL
}

/// Inserts a line beside one on the same base line, or else above the first line that stands below it.
fn insert_line(lines: &mut Vec<GlyphLine>, line: GlyphLine) {
    if let Some(beside) = lines.iter_mut().find(|known| known.is_beside(&line)) {
        return beside.merge(line);
    }
    let below = |known: &GlyphLine| known.angle == line.angle && known.baseline > line.baseline;
    let at = lines.iter().position(below).unwrap_or(lines.len());
    lines.insert(at, line);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glyphs(rows: &[(f64, f64, &str)]) -> Vec<PlacedGlyph> {
        let letters = rows.iter().flat_map(|(along, baseline, text)| {
            text.chars()
                .enumerate()
                .map(move |(index, letter)| (along + 5.0 * index as f64, *baseline, letter))
        });
        let glyph = |(along, baseline, letter): (f64, f64, char)| PlacedGlyph {
            text: Some(letter.to_string()),
            along,
            baseline,
            advance: 5.0,
            size: 10.0,
            angle: 0,
        };
        letters.map(glyph).collect()
    }

    fn read(rows: &[(f64, f64, &str)]) -> String {
        write_text(PageGlyphs { glyphs: glyphs(rows), ..PageGlyphs::default() })
    }

    #[test]
    fn columns_of_prose_are_read_one_after_another() {
        let left = "the first column runs down to here";
        let right = "and the second one begins at the top";
        let rows = [(0.0, 10.0, left), (0.0, 22.0, left), (300.0, 10.0, right), (300.0, 22.0, right)];
        assert_eq!(read(&rows), format!("{left}\n{left}\n\n{right}\n{right}"));
    }

    #[test]
    fn tables_are_read_by_rows_however_they_are_drawn() {
        let by_rows = [(0.0, 10.0, "Lamp"), (200.0, 10.0, "$20"), (0.0, 22.0, "Desk"), (200.0, 22.0, "$90")];
        let by_columns = [by_rows[0], by_rows[2], by_rows[1], by_rows[3]];
        for rows in [by_rows, by_columns] {
            assert_eq!(read(&rows), "Lamp | $20\nDesk | $90");
        }
    }

    #[test]
    fn pages_drawn_in_no_order_are_read_from_the_top() {
        let rows: Vec<(f64, f64, &str)> = [5, 1, 4, 0, 3, 2, 6]
            .iter()
            .map(|row| (0.0, f64::from(*row) * 12.0, ["a", "b", "c", "d", "e", "f", "g"][*row as usize]))
            .collect();
        assert_eq!(read(&rows), "a\nb\nc\nd\ne\nf\ng");
    }

    #[test]
    fn values_of_a_form_stand_beside_their_labels() {
        let page = PageGlyphs {
            glyphs: glyphs(&[(0.0, 10.0, "Name"), (0.0, 22.0, "Town")]),
            annotations: glyphs(&[(60.0, 23.0, "Lviv"), (60.0, 11.0, "Anna")]),
            images: 0,
        };
        assert_eq!(write_text(page), "Name | Anna\nTown | Lviv");
    }
}
