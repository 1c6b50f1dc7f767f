//! Cases of Playwright's tests of its own page text, "aria snapshots": a page, and what it expects of it.

use serde_json::Value;

/// Page and expected snapshot of one assertion.
pub struct SnapshotCase {
    pub title: String,
    pub html: String,
    pub items: Vec<Item>,
    /// True if the snapshot tells everything of the page.
    pub whole: bool,
}

/// Element or text of a snapshot.
#[derive(Clone, Debug, Default)]
pub struct Item {
    pub role: String,
    pub name: Option<Pattern>,
    /// States with their values, `true` where none stands.
    pub states: Vec<(String, String)>,
    pub text: Option<Pattern>,
    pub url: Option<Pattern>,
    pub placeholder: Option<String>,
}

/// Text, or regular expression in slashes.
#[derive(Clone, Debug)]
pub enum Pattern {
    Text(String),
    Expression(regex::Regex),
}

impl Pattern {
    fn parse(text: &str) -> Self {
        let inner = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
        match inner.and_then(|inner| regex::Regex::new(&inner.replace("\\/", "/")).ok()) {
            Some(expression) => Self::Expression(expression),
            None => Self::Text(squeeze(text)),
        }
    }

    pub fn fits(&self, text: &str) -> bool {
        match self {
            Self::Text(wanted) => wanted == text,
            Self::Expression(expression) => expression.is_match(text),
        }
    }

    /// Reports whether it fits a part of a text.
    pub fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Text(wanted) => text.contains(wanted.as_str()),
            Self::Expression(expression) => expression.is_match(text),
        }
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => write!(to, "{text}"),
            Self::Expression(expression) => write!(to, "/{expression}/"),
        }
    }
}

/// White space is one space, and characters that cannot be seen are left out, as in looks.
pub fn squeeze(text: &str) -> String {
    let seen: String = text.chars().filter(|letter| !matches!(letter, '\u{ad}' | '\u{200b}')).collect();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the cases of a test file, and the number of assertions that do not apply, by the rule.
pub fn read_cases(source: &str) -> (Vec<SnapshotCase>, Vec<&'static str>) {
    let (mut cases, mut left_out) = (Vec::new(), Vec::new());
    let call = regex::Regex::new(
        r"(?s)(setContent|checkAndMatchSnapshot|toMatchAriaSnapshot|toContainYaml|page\.evaluate|setRoute|page\.goto)\((?:[^`;\n]*?`((?:[^`\\]|\\.)*)`)?",
    )
    .unwrap();
    for test in split_tests(source) {
        let title = test.split(['\'', '"']).nth(1).unwrap_or_default().to_owned();
        let mut html: Option<String> = None;
        for found in call.captures_iter(test) {
            let argument = found.get(2).map(|text| text.as_str());
            let start = found.get(0).map_or(0, |all| all.start());
            let statement = &test[test[..start].rfind('\n').unwrap_or(0)..start];
            match (&found[1], argument) {
                ("setContent", argument) => html = argument.and_then(unescape),
                ("page.evaluate" | "setRoute" | "page.goto", _) => html = None,
                (_, None) => left_out.push("an assertion of its parser or of its options"),
                _ if statement.contains(".not.") || statement.contains("= await expect") => {
                    left_out.push("an assertion that a wrong snapshot is refused");
                }
                (kind, Some(argument)) => match (&html, unescape(argument).and_then(|text| parse(&text))) {
                    (Some(html), Some(items)) => {
                        let whole = kind == "checkAndMatchSnapshot";
                        cases.push(SnapshotCase { title: title.clone(), html: html.clone(), items, whole });
                    }
                    (None, _) => left_out.push("a page that the test's own code makes or changes"),
                    (_, None) => left_out.push("an assertion of its parser or of its options"),
                },
            }
        }
    }
    (cases, left_out)
}

/// Splits a file at its tests, which begin and end at the start of a line.
fn split_tests(source: &str) -> Vec<&str> {
    let start = regex::Regex::new(r"(?m)^(?:it|test)\(").unwrap();
    let starts: Vec<usize> = start.find_iter(source).map(|found| found.start()).collect();
    let end_of = |at: usize| source[at..].find("\n});").map_or(source.len(), |end| at + end);
    starts.into_iter().map(|at| &source[at..end_of(at)]).collect()
}

/// Text of a template of JavaScript. Regular expressions in it stay; other code makes it none.
fn unescape(template: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = template;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        if letter == '$' && rest.starts_with("{/") {
            let end = rest.find("/}")?;
            text.push_str(&rest[1..=end]);
            rest = &rest[end + 2..];
        } else if letter == '$' && rest.starts_with('{') {
            return None;
        } else if letter == '\\' {
            let escaped = rest.chars().next()?;
            rest = &rest[escaped.len_utf8()..];
            match escaped {
                'n' => text.push('\n'),
                'u' => {
                    text.push(char::from_u32(u32::from_str_radix(rest.get(..4)?, 16).ok()?)?);
                    rest = &rest[4..];
                }
                other => text.push(other),
            }
        } else {
            text.push(letter);
        }
    }
    Some(text)
}

/// Reads a snapshot into its elements, in order.
fn parse(text: &str) -> Option<Vec<Item>> {
    let indent = text.lines().filter(|line| !line.trim().is_empty()).map(leading_spaces).min()?;
    let lines = text.lines().map(|line| line.get(indent.min(leading_spaces(line))..).unwrap_or_default());
    let plain = lines.collect::<Vec<_>>().join("\n");
    let list: Vec<Value> = serde_saphyr::from_str(&plain).ok()?;
    let mut items = Vec::new();
    list.iter().try_for_each(|value| collect(value, &mut items))?;
    Some(items)
}

fn leading_spaces(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn collect(value: &Value, items: &mut Vec<Item>) -> Option<()> {
    let Value::Object(map) = value else {
        items.push(parse_head(value.as_str()?)?);
        return Some(());
    };
    let (key, content) = map.iter().next()?;
    let plain = match content {
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Null => String::new(),
        other => other.to_string(),
    };
    match key.as_str() {
        "/url" => items.last_mut()?.url = Some(Pattern::parse(&plain)),
        "/placeholder" => items.last_mut()?.placeholder = Some(plain),
        "/children" => return None,
        _ => {
            let mut item = parse_head(key)?;
            item.text = (!plain.is_empty()).then(|| Pattern::parse(&plain));
            items.push(item);
            content.as_array().into_iter().flatten().try_for_each(|child| collect(child, items))?;
        }
    }
    Some(())
}

/// Reads `role "name" [state] [state=value]`.
fn parse_head(head: &str) -> Option<Item> {
    let head = squeeze(head);
    let (role, mut rest) = head.split_once(' ').unwrap_or((&head, ""));
    let mut item = Item { role: role.to_owned(), ..Item::default() };
    if rest.starts_with('"') {
        let mut quoted = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        item.name = Some(Pattern::Text(squeeze(&quoted.next()?.ok()?)));
        rest = &rest[quoted.byte_offset()..];
    } else if rest.starts_with('/') {
        let end = rest.rfind('/').filter(|end| *end > 0)?;
        item.name = Some(Pattern::parse(&rest[..=end]));
        rest = &rest[end + 1..];
    }
    for state in rest.split(['[', ']']).map(str::trim).filter(|state| !state.is_empty()) {
        let (name, value) = state.split_once('=').unwrap_or((state, "true"));
        item.states.push((name.trim().to_owned(), value.trim().to_owned()));
    }
    Some(item)
}

#[test]
fn snapshots_are_read() {
    let source = "it('a list', async ({ page }) => {\n  await page.setContent(`<ul><li>one</li></ul>`);\n  \
                  await checkAndMatchSnapshot(page.locator('body'), `\n    - list \"my\":\n      - listitem: one\n    \
                  - checkbox [checked]\n  `);\n});\n";
    let (cases, _) = read_cases(source);
    let items: Vec<String> =
        cases[0].items.iter().map(|item| format!("{} {:?}", item.role, item.states)).collect();
    assert_eq!(items, ["list []", "listitem []", r#"checkbox [("checked", "true")]"#]);
    assert!(cases[0].whole && cases[0].items[0].name.as_ref().unwrap().fits("my"));
    assert_eq!(unescape(r"Issues ${/\d+/} \u0041").as_deref(), Some(r"Issues /\d+/ A"));
}
