//! View of a planner: the page of a request, read line by line as docs/page_text.md describes it.

use super::Solved;
use crate::support::model::Request;

/// Line of the page text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Position in the page.
    pub at: usize,
    pub depth: usize,
    pub role: String,
    pub name: String,
    pub eid: Option<u32>,
    pub attributes: Vec<(String, String)>,
}

#[derive(Clone, Debug, Default)]
pub struct View {
    /// The attributes of the opening fence.
    pub fence: Vec<(String, String)>,
    pub lines: Vec<Line>,
    /// Results of the last turn's actions, one line each.
    pub results: Vec<String>,
    /// The whole last message.
    pub message: String,
}

impl Line {
    pub fn eid(&self) -> Solved<u32> {
        self.eid.ok_or_else(|| format!("{} “{}” bears no number", self.role, self.name))
    }

    /// True if the line has a word such as `checked`.
    pub fn is(&self, word: &str) -> bool {
        self.attributes.iter().any(|(name, _)| name == word)
    }

    pub fn get(&self, attribute: &str) -> &str {
        let found = self.attributes.iter().find(|(name, _)| name == attribute);
        found.map_or("", |(_, value)| value.as_str())
    }

    pub fn value(&self) -> &str {
        self.get("value")
    }
}

/// Reports whether the line of a result tells that the action was done: `result a1 ok`.
pub fn is_done(line: &str) -> bool {
    line.ends_with(" ok")
}

impl View {
    pub fn from_request(request: &Request) -> Self {
        let message = request.last_text();
        let page = request.page();
        let mut lines = page.lines();
        let fence = lines.next().and_then(|line| line.strip_prefix("<page ")).map(attributes);
        let body: Vec<&str> = lines.take_while(|line| !line.starts_with("</page ")).collect();
        let before = message.split("<page nonce=").next().unwrap_or_default();
        let results = before.lines().filter(|line| line.starts_with("result ")).map(str::to_owned).collect();
        let mut read: Vec<Line> = body.into_iter().filter_map(line).collect();
        read.iter_mut().enumerate().for_each(|(at, line)| line.at = at);
        Self { fence: fence.unwrap_or_default(), lines: read, results, message }
    }

    /// Text of the page's task, without the word "Goal".
    pub fn goal(&self) -> Solved<&str> {
        let goal = self.lines.iter().find_map(|line| line.name.strip_prefix("Goal: "));
        goal.ok_or_else(|| format!("no goal stands on the page\n{}", self.text()))
    }

    /// The words that the goal has in “quotes”.
    pub fn quoted(&self) -> Solved<Vec<String>> {
        let goal = self.goal()?;
        let parts = goal.split('“').skip(1).filter_map(|part| part.split('”').next());
        Ok(parts.map(str::to_owned).collect())
    }

    pub fn fence(&self, attribute: &str) -> &str {
        self.fence.iter().find(|(name, _)| name == attribute).map_or("", |(_, value)| value.as_str())
    }

    /// The element of this role and exactly this name.
    pub fn find(&self, role: &str, name: &str) -> Solved<&Line> {
        let found =
            self.lines.iter().find(|line| line.role == role && line.name == name && line.eid.is_some());
        found.ok_or_else(|| format!("there is no {role} “{name}” in\n{}", self.text()))
    }

    /// The first of the page that can be acted on and is called so, whatever it is.
    pub fn named(&self, name: &str) -> Solved<&Line> {
        let found = self.lines.iter().find(|line| line.name == name && line.eid.is_some());
        found.ok_or_else(|| format!("nothing to act on is called “{name}” in\n{}", self.text()))
    }

    /// Elements of this role that can be acted on.
    pub fn all(&self, role: &str) -> Vec<&Line> {
        self.lines.iter().filter(|line| line.role == role && line.eid.is_some()).collect()
    }

    /// The first line that has these words in its name or value.
    pub fn find_line(&self, words: &str) -> Solved<&Line> {
        let has_words = |line: &&Line| line.name.contains(words) || line.value().contains(words);
        self.lines.iter().find(has_words).ok_or_else(|| format!("nothing says “{words}” in\n{}", self.text()))
    }

    /// Actionable element of this name, or else one inside of or around an element of this name.
    pub fn near(&self, name: &str) -> Solved<&Line> {
        if let Ok(line) = self.named(name) {
            return Ok(line);
        }
        let line = self.lines.iter().rfind(|line| line.name == name);
        let line = line.ok_or_else(|| format!("nothing is called “{name}” in\n{}", self.text()))?;
        let inside = self.inside(line).iter().find(|other| other.eid.is_some());
        let around =
            || self.lines[..line.at].iter().rfind(|other| other.depth < line.depth && other.eid.is_some());
        inside.or_else(around).ok_or_else(|| format!("“{name}” cannot be acted on in\n{}", self.text()))
    }

    pub fn shows(&self, words: &str) -> bool {
        self.find_line(words).is_ok()
    }

    /// Lines behind that line, to the end of the page.
    pub fn after(&self, line: &Line) -> &[Line] {
        &self.lines[line.at + 1..]
    }

    /// Lines inside of that line.
    pub fn inside(&self, line: &Line) -> &[Line] {
        let rest = self.after(line);
        let end = rest.iter().position(|other| other.depth <= line.depth).unwrap_or(rest.len());
        &rest[..end]
    }

    /// The rows of the page's tables: each its line, and the texts of its cells, also the empty ones.
    pub fn rows(&self) -> Vec<(&Line, Vec<String>)> {
        let rows = self.lines.iter().filter(|line| line.role == "row");
        let cells = |row: &Line| match row.name.is_empty() {
            true => self.inside(row).iter().map(|cell| cell.name.clone()).collect(),
            false => row.name.split(" | ").map(str::to_owned).collect(),
        };
        rows.map(|row| (row, cells(row))).collect()
    }

    /// The next element of this role and name behind that line.
    pub fn next(&self, line: &Line, role: &str, name: &str) -> Solved<&Line> {
        let found = self
            .after(line)
            .iter()
            .find(|other| other.role == role && other.name == name && other.eid.is_some());
        found.ok_or_else(|| format!("no {role} “{name}” follows “{}” in\n{}", line.name, self.text()))
    }

    /// The page as it was read, for reports.
    pub fn text(&self) -> String {
        let lines = self.lines.iter().map(|line| {
            let eid = line.eid.map(|eid| format!(" [{eid}]")).unwrap_or_default();
            let more: String =
                line.attributes.iter().map(|(name, value)| format!(" {name}={value}")).collect();
            format!("{}{} “{}”{eid}{more}", "  ".repeat(line.depth), line.role, line.name)
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// `  - role "name" [eid] attributes`.
fn line(text: &str) -> Option<Line> {
    let rest = text.trim_start_matches(' ');
    let depth = (text.len() - rest.len()) / 2;
    let rest = rest.strip_prefix("- ")?;
    let (role, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let (name, rest) = if rest.starts_with('"') { quoted(rest) } else { (String::new(), rest) };
    let rest = rest.trim_start();
    let (eid, rest) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((number, rest)) => (number.parse().ok(), rest),
        None => (None, rest),
    };
    Some(Line { at: 0, depth, role: role.to_owned(), name, eid, attributes: attributes(rest) })
}

/// Words, and names with a value in quotes or without.
fn attributes(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() && rest != ">" {
        let end = rest.find([' ', '=', '>']).unwrap_or(rest.len());
        let name = rest[..end].to_owned();
        rest = &rest[end..];
        let value = match rest.strip_prefix('=') {
            Some(quote) if quote.starts_with('"') => {
                let (value, after) = quoted(quote);
                rest = after;
                value
            }
            Some(plain) => {
                let end = plain.find(' ').unwrap_or(plain.len());
                rest = &plain[end..];
                plain[..end].to_owned()
            }
            None => String::new(),
        };
        found.push((name, value));
        rest = rest.trim_start_matches([' ', '>']);
    }
    found
}

/// Text in quotes at the beginning, and the rest. A bar stays escaped, so that options can be parted.
fn quoted(text: &str) -> (String, &str) {
    let mut out = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (out, &text[at + 1..]),
            '\\' => match letters.next() {
                Some((_, '|')) => out.push_str("\\|"),
                Some((_, other)) => out.push(other),
                None => {}
            },
            other => out.push(other),
        }
    }
    (out, "")
}

#[test]
fn lines_of_the_page_text_are_parsed() {
    let read = line(
        r#"  - combobox "Say \"hi\" \\" [4] value="a b" options="x|y\|z" level=2 checked scroll="0/480""#,
    )
    .unwrap();
    assert_eq!(
        (read.depth, read.role.as_str(), read.name.as_str(), read.eid),
        (1, "combobox", r#"Say "hi" \"#, Some(4))
    );
    assert_eq!((read.value(), read.get("options"), read.get("level")), ("a b", r"x|y\|z", "2"));
    assert!(read.is("checked") && read.is("scroll") && !read.is("disabled"));
    let bare = line("- list").unwrap();
    assert_eq!((bare.role.as_str(), bare.name.as_str(), bare.eid), ("list", "", None));
    let fence = attributes(r#"nonce="k" url="http://a.test/?q=\"x\"" tab="1/2">"#);
    assert_eq!(fence[1].1, r#"http://a.test/?q="x""#);
}
