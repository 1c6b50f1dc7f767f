//! Restricts the syntax of templates before the engine parses them: only texts, values, `if` and `for`.
//! Statements that collect texts under a name, and endless chains of operators, could let one small file
//! exhaust the service.

use crate::agent_spec::template::error::TemplateError;
use crate::agent_spec::template::multiplication;
use crate::agent_spec::template::multiplication::Names;
use serde_json::{Map, Value};

/// Most `{% … %}` tags in one template.
const TAGS: usize = 500;
/// Longest `{{ … }}` or `{% … %}`, in bytes.
const LONGEST: usize = 2_000;
/// Most `~`, `+` and `*` operators in one expression; each may double a text.
const JOINS: usize = 32;

const STATEMENTS: [&str; 8] = ["if", "elif", "else", "endif", "for", "endfor", "raw", "endraw"];

/// Checks the tags and expressions of a template against these limits.
pub fn check_template(template: &str, context: Option<&Map<String, Value>>) -> Result<(), TemplateError> {
    let mut names = Names { context, taken: Vec::new() };
    let mut tags = 0;
    let mut rest = template;
    while let Some(at) = next_open(rest) {
        let line = count_line(template, rest, at);
        let (opening, inside) = rest[at..].split_at(2);
        let (end, close) = match opening {
            "{{" => (ending(inside, "}}"), "}}"),
            "{%" => (ending(inside, "%}"), "%}"),
            _ => (inside.find("#}"), "#}"),
        };
        // The engine reports the unclosed tag.
        let Some(end) = end else {
            return if opening == "{#" { Ok(()) } else { check_code(inside, &names, line) };
        };
        let within = &inside[..end];
        rest = &inside[end + close.len()..];
        match opening {
            "{{" => check_code(within, &names, line)?,
            "{%" => {
                tags += 1;
                if tags > TAGS {
                    return Err(fault_on_line(line, &format!("has more than {TAGS} tags")));
                }
                rest = statement(within, rest, &names, line)?;
                names.taken.extend(loop_names(within));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks one expression: the text between the braces, or a condition.
pub fn check_code(code: &str, names: &Names<'_>, line: usize) -> Result<(), TemplateError> {
    if code.len() > LONGEST {
        return Err(fault_on_line(line, &format!("has an expression of more than {LONGEST} characters")));
    }
    if joins(code) > JOINS {
        return Err(fault_on_line(
            line,
            &format!("joins or adds more than {JOINS} values in one expression"),
        ));
    }
    multiplication::check_multiplication(code, names, line)
}

/// Returns the names that a `for` binds: `key, value` in `for key, value in pairs`.
fn loop_names(within: &str) -> Vec<String> {
    let words = within.trim_start_matches(['-', '+']).trim_start().strip_prefix("for");
    let head = words.and_then(|words| Some(words.split_once(" in ")?.0)).unwrap_or_default();
    let names = head.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

/// Checks one statement and returns the text that follows it. For `raw` that is the text after its `endraw`.
fn statement<'t>(
    within: &str,
    rest: &'t str,
    names: &Names<'_>,
    line: usize,
) -> Result<&'t str, TemplateError> {
    check_code(within, names, line)?;
    let within = within.trim_start_matches(['-', '+']).trim_start();
    let word: &str = within.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    // The engine reports a tag without a keyword.
    if !word.is_empty() && !STATEMENTS.contains(&word) {
        return Err(fault_on_line(line, &format!("has `{word}`; templates know `if` and `for` alone")));
    }
    if word == "for" && joins(within) > 0 {
        return Err(fault_on_line(
            line,
            "joins or adds values in the head of `for`; do it where they are written",
        ));
    }
    // `raw` ends at the next `endraw`, regardless of what stands between.
    Ok(if word == "raw" {
        rest.find("endraw").map_or("", |at| rest[at..].split_once("%}").map_or("", |(_, after)| after))
    } else {
        rest
    })
}

fn joins(code: &str) -> usize {
    outside_of_texts(code).filter(|(_, c)| matches!(c, '~' | '+' | '*')).count()
}

fn next_open(text: &str) -> Option<usize> {
    ["{{", "{%", "{#"].iter().filter_map(|opening| text.find(opening)).min()
}

/// Returns the position of the closing delimiter, ignoring quoted texts.
fn ending(inside: &str, close: &str) -> Option<usize> {
    outside_of_texts(inside).find(|(at, _)| inside[*at..].starts_with(close)).map(|(at, _)| at)
}

/// Yields the characters outside quoted texts, with their positions.
fn outside_of_texts(code: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut quote, mut escaped) = (None, false);
    code.char_indices().filter(move |(_, c)| match quote {
        None => {
            quote = matches!(c, '"' | '\'').then_some(*c);
            quote.is_none()
        }
        Some(_) if escaped => {
            escaped = false;
            false
        }
        Some(open) => {
            escaped = *c == '\\';
            if *c == open {
                quote = None;
            }
            false
        }
    })
}

fn count_line(template: &str, rest: &str, at: usize) -> usize {
    let before = template.len() - rest.len() + at;
    1 + template[..before].matches('\n').count()
}

fn fault_on_line(line: usize, words: &str) -> TemplateError {
    TemplateError { words: format!("{words} (line {line} of the template)"), line: Some(line) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_template_is_reported_with_its_line() {
        for fine in [
            "plain {braces} $5 {# {% set %} #}",
            "{% if a %}{{ b ~ 'set + ~ * %} }}' }}{%- elif c -%}x{% else %}{% endif %}",
            "{% for a in list|sort(attribute='n') if a > 1 %}{{ a + 1 }}{% endfor %}",
            "{% raw %}{% set a = 1 %}{{ x{% endraw %}{{ y }}",
        ] {
            assert_eq!(check_template(fine, None), Ok(()), "{fine}");
        }
        let chain = format!("a\n{{{{ {}1 }}}}", "-".repeat(20_000));
        let tags = "{% if a %}".repeat(501);
        let joined = format!("{{{{ a{} }}}}", "~a".repeat(33));
        for (template, words, line) in [
            ("\n{% set a = 1 %}", "has `set`", 2),
            ("{% macro m() %}{% endmacro %}", "has `macro`", 1),
            ("{%- with a = 1 %}{% endwith %}", "has `with`", 1),
            ("{% filter upper %}x{% endfilter %}", "has `filter`", 1),
            ("{% for a in [b ~ b] %}{% endfor %}", "in the head of `for`", 1),
            (&chain, "more than 2000 characters", 2),
            (&tags, "more than 500 tags", 1),
            (&joined, "more than 32 values", 1),
        ] {
            let fault = check_template(template, None).unwrap_err();
            assert!(fault.to_string().contains(words), "{fault}");
            assert_eq!(fault.line, Some(line), "{fault}");
        }
    }
}
