//! Division of a long page text into parts that fit a request, at the least harmful places.

/// Part of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextPart<'a> {
    /// End of the text before it, which tells the headings that the part stands under.
    pub before: &'a str,
    pub text: &'a str,
}

/// Length of `before`, in bytes.
const BEFORE: usize = 600;
/// Separators, the best first.
const SEPARATORS: [&str; 4] = ["\n#", "\n\n", "\n", " "];

/// Divides a text into parts of at most `most` bytes, and at most `count` of them. Returns the parts, and true if the
/// end of the text is in none of them.
pub fn split_text(text: &str, most: usize, count: usize) -> (Vec<TextPart<'_>>, bool) {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < text.len() && parts.len() < count {
        let rest = &text[at..];
        let length = if rest.len() <= most { rest.len() } else { cut_at(rest, most.max(4)) };
        let before = &text[boundary_before(text, at.saturating_sub(BEFORE))..at];
        parts.push(TextPart { before, text: &rest[..length] });
        at += length;
    }
    (parts, at < text.len())
}

/// Returns the length of the first part: to the last good separator in its second half.
fn cut_at(rest: &str, most: usize) -> usize {
    let end = boundary_before(rest, most);
    let half = boundary_before(rest, end / 2);
    let found = SEPARATORS.iter().find_map(|separator| rest[half..end].rfind(separator));
    found.map(|offset| half + offset).filter(|length| *length > 0).unwrap_or(end)
}

/// Returns the last place between characters that is not after `at`.
fn boundary_before(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_whole_text_cut_at_lines() {
        let text: String = (0..200).map(|n| format!("- лампа {n}, 20 грн\n")).collect();
        let (parts, is_cut) = split_text(&text, 1_000, 100);
        assert!(parts.len() > 4 && !is_cut);
        assert_eq!(parts.iter().map(|part| part.text).collect::<String>(), text);
        assert!(parts.iter().all(|part| part.text.len() <= 1_000));
        assert!(parts.iter().skip(1).all(|part| part.text.starts_with("\n- лампа")));
        assert!(parts[0].before.is_empty() && parts[1].before.ends_with("грн"));
    }

    #[test]
    fn a_heading_is_the_best_place_and_the_number_of_parts_is_bounded() {
        let text = format!("{}\n# Chairs\n{}", "a b\n\n".repeat(30), "c d\n\n".repeat(20));
        let (parts, _) = split_text(&text, 200, 10);
        assert!(parts[1].text.starts_with("\n# Chairs"), "{parts:?}");
        let (parts, is_cut) = split_text(&text, 50, 2);
        assert!(parts.len() == 2 && is_cut);
        let hedgehogs = "їжак".repeat(9);
        let (parts, is_cut) = split_text(&hedgehogs, 5, 100);
        assert!(!is_cut && parts.len() > 9);
        assert_eq!(split_text("", 10, 10), (Vec::new(), false));
    }
}
