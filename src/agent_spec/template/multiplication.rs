//! Restricts `*` to numbers: minijinja also repeats texts and lists, and one line could exhaust the memory of
//! the service. Each operand must be recognizable as a number: a literal, the result of a numeric filter, or
//! a variable whose value is a number.

use crate::agent_spec::template::error::TemplateError;
use serde_json::{Map, Value};

/// Filters that return a number or fail.
const NUMERIC: [&str; 5] = ["abs", "float", "int", "length", "round"];

/// Variables that an expression may read.
#[derive(Clone, Default)]
pub struct Names<'c> {
    /// Values of the variables; `None` when a template is only checked, and then any name may be a number.
    pub context: Option<&'c Map<String, Value>>,
    /// Names bound by `for`; their values are unknown.
    pub taken: Vec<String>,
}

/// Checks that both operands of every `*` are numbers.
pub fn check_multiplication(code: &str, names: &Names<'_>, line: usize) -> Result<(), TemplateError> {
    let letters: Vec<char> = blank_quotes(code);
    for at in (0..letters.len()).filter(|at| letters[*at] == '*') {
        let power =
            letters.get(at + 1) == Some(&'*') || at.checked_sub(1).map(|before| letters[before]) == Some('*');
        let (left, right) = (operand_before(&letters[..at]), operand_after(&letters[at + 1..]));
        let sound = power || (is_number(&left, names) && is_number(&right, names));
        if !sound {
            let words =
                "multiplies what may be no number; `*` is for numbers, as `{{ n * 2 }}` or `{{ n|int * 2 }}`";
            return Err(TemplateError {
                words: format!("{words} (line {line} of the template)"),
                line: Some(line),
            });
        }
    }
    Ok(())
}

/// Returns the expression with every character of quoted texts replaced by `"`.
fn blank_quotes(code: &str) -> Vec<char> {
    let (mut quote, mut escaped) = (None, false);
    let blank = |c: char| match quote {
        None => {
            quote = matches!(c, '"' | '\'').then_some(c);
            if quote.is_some() { '"' } else { c }
        }
        Some(open) => {
            let closes = !escaped && c == open;
            escaped = !escaped && c == '\\';
            quote = if closes { None } else { Some(open) };
            '"'
        }
    };
    code.chars().map(blank).collect()
}

/// Returns the operand that ends here: a name, number or parenthesized expression, with its filters.
fn operand_before(letters: &[char]) -> String {
    let mut start = trimmed_length(letters);
    let end = start;
    loop {
        start = trimmed_length(&letters[..start]);
        match start.checked_sub(1).map(|last| letters[last]) {
            Some(')') => start = opening(&letters[..start]),
            Some(c) if is_word(c) => {
                start -= letters[..start].iter().rev().take_while(|c| is_word(**c)).count();
            }
            // A quoted text, an index or an operator ends the operand.
            _ => break,
        }
        let left = trimmed_length(&letters[..start]);
        match left.checked_sub(1).map(|last| letters[last]) {
            Some('|') => start = left - 1,
            // Arguments of a filter such as `round(2)`: continue with its name.
            Some(c) if letters.get(start) == Some(&'(') && is_word(c) => {}
            Some(']' | '"' | ')') => return String::from("\""),
            _ => break,
        }
    }
    letters[start..end].iter().collect()
}

fn operand_after(letters: &[char]) -> String {
    let begin = letters.iter().take_while(|c| c.is_whitespace() || **c == '-').count();
    let mut at = begin;
    loop {
        at += letters[at..].iter().take_while(|c| c.is_whitespace()).count();
        match letters.get(at) {
            Some('(') => at = closing(letters, at),
            Some(c) if is_word(*c) => at += letters[at..].iter().take_while(|c| is_word(**c)).count(),
            _ => return String::from("\""),
        }
        let next = at + letters[at..].iter().take_while(|c| c.is_whitespace()).count();
        match letters.get(next) {
            Some('|') => at = next + 1,
            Some('(') if next == at => {}
            Some('[' | '"' | '(') => return String::from("\""),
            _ => return letters[begin..at].iter().collect(),
        }
    }
}

fn is_number(operand: &str, names: &Names<'_>) -> bool {
    let operand = operand.trim().trim_start_matches('-').trim();
    if let Some((_, filter)) = outer_pipe(operand) {
        let name: &str = filter.trim().split('(').next().unwrap_or_default().trim();
        return NUMERIC.contains(&name);
    }
    if let Some(inner) = operand.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        let plain = |c: char| is_word(c) || c.is_whitespace() || "+-*/%|()".contains(c);
        let parts =
            inner.split(|c: char| "+-*/%()".contains(c)).map(str::trim).filter(|part| !part.is_empty());
        return inner.chars().all(plain) && parts.into_iter().all(|part| is_number(part, names));
    }
    if operand.starts_with(|c: char| c.is_ascii_digit()) {
        return operand.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
    }
    let is_name = !operand.is_empty() && operand.chars().all(is_word);
    let first = operand.split('.').next().unwrap_or_default();
    let is_known = is_name && !names.taken.iter().any(|taken| taken == first);
    let counts = |value: &Value| value.is_number() || value.is_boolean();
    is_known && names.context.is_none_or(|context| look_up_path(operand, context).is_some_and(counts))
}

/// Looks up a dotted path such as `list.0.name`.
fn look_up_path<'v>(path: &str, context: &'v Map<String, Value>) -> Option<&'v Value> {
    let mut parts = path.split('.');
    let first = context.get(parts.next()?)?;
    parts.try_fold(first, |value, part| match value {
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        value => value.get(part),
    })
}

/// Splits at the last `|` outside parentheses.
fn outer_pipe(operand: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    let mut last = None;
    for (at, c) in operand.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => last = Some(at),
            _ => {}
        }
    }
    last.map(|at| (&operand[..at], &operand[at + 1..]))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.')
}

fn trimmed_length(letters: &[char]) -> usize {
    letters.len() - letters.iter().rev().take_while(|c| c.is_whitespace()).count()
}

/// Returns the position of the parenthesis that matches the closing one at the end.
fn opening(letters: &[char]) -> usize {
    let mut depth = 0_usize;
    for at in (0..letters.len()).rev() {
        match letters[at] {
            ')' => depth += 1,
            '(' if depth <= 1 => return at,
            '(' => depth -= 1,
            _ => {}
        }
    }
    0
}

/// Returns the position after the parenthesis that matches the opening one at `from`.
fn closing(letters: &[char], from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, letter) in letters.iter().enumerate().skip(from) {
        match letter {
            '(' => depth += 1,
            ')' if depth <= 1 => return at + 1,
            ')' => depth -= 1,
            _ => {}
        }
    }
    letters.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // Numbers may be multiplied in every notation, texts and lists in none (C9).
    #[test]
    fn numbers_are_multiplied_and_nothing_else() {
        let context = json!({"n": 3, "each": 3, "a": {"b": 2.5}, "list": [4, "x"], "s": "text", "many": [1]});
        let taken = vec![String::from("each")];
        let known = Names { context: context.as_object(), taken };
        for sound in [
            "n * 2",
            "2*n",
            "n*n",
            "a.b * n",
            "-n * 2",
            "2 * -n",
            "n + n * 2",
            "(n + 1) * 2",
            "2 * (n + a.b)",
            "s|int * 2",
            "2 * s|int",
            "s | length * 2",
            "a.b|round(1) * 2",
            "n ** 2",
            "s ~ n * 2",
            "list.0 * 2",
            "((n)) * 2",
            "\"a * b\"",
            "n * 1e3",
            "n|default(2)|int * 2",
            "2 * n|default(\"x\")|int",
        ] {
            assert_eq!(check_multiplication(sound, &known, 1), Ok(()), "{sound}");
        }
        for refused in [
            "\"x\" * 9",
            "9 * \"x\"",
            "s * 9",
            "9 * s",
            "[1] * 9",
            "9 * [1]",
            "many * 9",
            "list.1 * 9",
            "list[0] * 9",
            "9 * list[1]",
            "(s) * 9",
            "(s ~ s) * 9",
            "9 * (\"x\")",
            "s|upper * 9",
            "9 * s|upper",
            "range(9) * 9",
            "9 * range(9)",
            "range(9)|list * 9",
            "[range(9)|list] * 9",
            "(range(9)|list) * 9",
            "n|default(\"x\") * 9",
            "unknown * 9",
            "{\"a\": 1} * 9",
            "9 * {}",
            "* 9",
            "n *",
            "s.b * 9",
            "(n)(s) * 9",
            "s|int|string * 9",
            "(1, 2) * 9",
            "n * (1, 2)",
            "(n if n else s) * 9",
            "n * \"x\".upper()",
            "9 * s.upper()",
            "(s)\n* 9",
            "each * 9",
            "each.n * 9",
        ] {
            assert!(check_multiplication(refused, &known, 1).is_err(), "{refused}");
        }
        // Without values, any name may be a number.
        assert_eq!(
            (
                check_multiplication("s * 9", &Names::default(), 1),
                check_multiplication("\"x\" * 9", &Names::default(), 1).is_err()
            ),
            (Ok(()), true)
        );
    }
}
