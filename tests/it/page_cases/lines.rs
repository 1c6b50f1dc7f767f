//! Lines of a look as patterns of the cases name them.
//!
//! A pattern is a line of the page text without the element's number, as `button "Save" disabled`. Role and name are
//! equal; each further word is a mark that the line bears, or with `-` before it does not bear. Role `*` fits every
//! role, a name that ends with `…` fits every name that begins so. A pattern in slashes is a regular expression over
//! the whole line.

use askfirst::page::observation::Observation;
use askfirst::page::text;

/// Returns the written lines of a look, without indentation and numbers of elements.
pub fn written_lines(seen: &Observation) -> Vec<String> {
    let written = text::write(seen, "n");
    let lines = written.lines().map(str::trim_start).filter_map(|line| line.strip_prefix("- "));
    lines.map(without_number).collect()
}

/// The number stands in brackets after the name, or after the role of a line without a name.
fn without_number(line: &str) -> String {
    let name_end = end_of_name(line);
    let (head, rest) = line.split_at(name_end);
    let Some((before, after)) = rest.split_once('[') else { return line.to_owned() };
    let Some((number, marks)) = after.split_once(']') else { return line.to_owned() };
    if !before.trim().is_empty() && name_end > 0 || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return line.to_owned();
    }
    format!("{}{marks}", format!("{head}{before}").trim_end())
}

/// Returns where the quoted name of a line ends; 0 if it has none before its number.
fn end_of_name(line: &str) -> usize {
    let Some(start) = line.find('"').filter(|at| !line[..*at].contains('[') && !line[..*at].contains('='))
    else {
        return 0;
    };
    let mut escaped = false;
    for (at, letter) in line[start + 1..].char_indices() {
        match letter {
            '\\' if !escaped => escaped = true,
            '"' if !escaped => return start + at + 2,
            _ => escaped = false,
        }
    }
    line.len()
}

/// Reports whether a written line fits a pattern.
pub fn fits(line: &str, pattern: &str) -> bool {
    if let Some(expression) = pattern.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
        return regex::Regex::new(expression).unwrap().is_match(line);
    }
    let (line_head, line_marks) = line.split_at(end_of_name(line));
    let (head, marks) = pattern.split_at(end_of_name(pattern));
    fits_head(line_head, line_marks, head) && marks.split_whitespace().all(|mark| bears(line_marks, mark))
}

fn fits_head(line_head: &str, line_marks: &str, head: &str) -> bool {
    if head.is_empty() {
        return line_head.is_empty() && !line_marks.is_empty();
    }
    let (role, name) = head.split_once(' ').unwrap_or((head, ""));
    let (line_role, line_name) = line_head.split_once(' ').unwrap_or((line_head, ""));
    let same_name = match name.strip_suffix("…\"") {
        Some(start) => line_name.starts_with(start),
        None => name == line_name,
    };
    (role == "*" || role == line_role) && same_name
}

/// A mark with a value in quotes may hold spaces, which a pattern writes as `_`.
fn bears(marks: &str, mark: &str) -> bool {
    let plain = marks.replace(' ', "_");
    match mark.strip_prefix('-') {
        Some(absent) => !has_word(&plain, absent),
        None => has_word(&plain, mark),
    }
}

fn has_word(marks: &str, mark: &str) -> bool {
    format!("_{marks}_").contains(&format!("_{mark}_"))
}

#[test]
fn patterns_name_role_name_and_marks() {
    let line = r#"textbox "Full name" value="Anna K" focused required"#;
    for (pattern, expected) in [
        (r#"textbox "Full name""#, true),
        (r#"* "Full…" focused"#, true),
        (r#"textbox "Full name" value="Anna_K" required"#, true),
        (r#"textbox "Full name" value="Anna""#, false),
        (r#"textbox "Full name" -focused"#, false),
        (r#"textbox "Full name" -disabled"#, true),
        (r#"button "Full name""#, false),
        (r#"/^textbox .*Anna/"#, true),
    ] {
        assert_eq!(fits(line, pattern), expected, "{pattern}");
    }
    assert_eq!(without_number(r#"button "Say \"hi\"" [12] new"#), r#"button "Say \"hi\"" new"#);
    assert_eq!(without_number(r#"region [3] scroll="0/40""#), r#"region scroll="0/40""#);
    assert_eq!(without_number(r#"note "scroll [3] for more""#), r#"note "scroll [3] for more""#);
}
