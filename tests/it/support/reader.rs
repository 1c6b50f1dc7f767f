//! Parses page texts in the format of the protocol, including delta observations, from the text alone.

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub mark: char,
    /// Text of the line, without the word that marks it as new.
    pub words: String,
    pub eid: Option<u32>,
    pub within: Vec<Node>,
}

pub fn tree(text: &str) -> Vec<Node> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with(['<'])).collect();
    nodes(&lines, 0).0
}

fn nodes(lines: &[&str], depth: usize) -> (Vec<Node>, usize) {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < lines.len() {
        let indent = lines[at].len() - lines[at].trim_start().len();
        if indent / 2 < depth {
            break;
        }
        let mark = lines[at].trim_start().chars().next().unwrap_or(' ');
        let words = &lines[at][indent + 2..];
        let (within, taken) = nodes(&lines[at + 1..], indent / 2 + 1);
        found.push(Node { mark, words: settled(words), eid: eid(words), within });
        at += 1 + taken;
    }
    (found, at)
}

/// Removes the word `new` from a line, at its end or before `above` and `below`.
fn settled(words: &str) -> String {
    words
        .strip_suffix(" new")
        .unwrap_or(words)
        .replace(" new above", " above")
        .replace(" new below", " below")
        .replace(" new left", " left")
        .replace(" new right", " right")
}

/// Returns the number in brackets outside quotes.
fn eid(words: &str) -> Option<u32> {
    let (mut quoted, mut escaped) = (false, false);
    for (at, letter) in words.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '[' if !quoted => return words[at + 1..].split(']').next()?.parse().ok(),
            _ => {}
        }
    }
    None
}

/// Returns the full page of the last text. If it is a delta, its changes are applied to the full observation
/// that it refers to, which must be in one of the earlier texts.
pub fn whole(texts: &[String]) -> String {
    let Some(page) = texts.last().and_then(|text| pages(text).pop()) else { return String::new() };
    let (opening, closing) =
        (page.lines().next().unwrap_or_default(), page.lines().last().unwrap_or_default());
    let Some(since) = attribute(opening, "since") else { return page.to_owned() };
    let known = texts.iter().flat_map(|text| pages(text)).find(|page| {
        let fence = page.lines().next().unwrap_or_default();
        attribute(fence, "look") == Some(since) && attribute(fence, "since").is_none()
    });
    let known = known.unwrap_or_else(|| panic!("the look {since} does not stand in the request"));
    let mut lines = vec![opening.to_owned()];
    print(&apply(&tree(known), &tree(page)), 0, &mut lines);
    lines.push(closing.to_owned());
    lines.join("\n")
}

fn attribute<'a>(fence: &'a str, name: &str) -> Option<&'a str> {
    // The page controls its title, which precedes these attributes.
    fence.rsplit_once(&format!(" {name}=\""))?.1.split('"').next()
}

/// Returns the pages in a text, including their fences.
fn pages(text: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find("<page nonce=\"") {
        let nonce = rest[at..].split('"').nth(1).unwrap_or_default();
        let closing = format!("</page nonce=\"{nonce}\">");
        let Some(end) = rest[at..].find(&closing).map(|end| at + end + closing.len()) else { break };
        found.push(&rest[at..end]);
        rest = &rest[end..];
    }
    found
}

fn print(nodes: &[Node], depth: usize, lines: &mut Vec<String>) {
    for node in nodes {
        lines.push(format!("{}- {}", "  ".repeat(depth), node.words));
        print(&node.within, depth + 1, lines);
    }
}

/// Applies the changes to a page.
pub fn apply(base: &[Node], changes: &[Node]) -> Vec<Node> {
    let (mut came, mut known) = (Vec::new(), Vec::new());
    list_eids(base, &mut known);
    let changes = insert_returned(changes, &known);
    gather(&changes, &mut came);
    applied(base, &changes, &came)
}

fn list_eids(nodes: &[Node], known: &mut Vec<u32>) {
    for node in nodes {
        known.extend(node.eid);
        list_eids(&node.within, known);
    }
}

/// Reads a changed line that the base does not have as one to insert: the base had left it out.
fn insert_returned(changes: &[Node], known: &[u32]) -> Vec<Node> {
    let read = |node: &Node| {
        let returned = node.mark == '~' && node.eid.is_some_and(|eid| !known.contains(&eid));
        let mark = if returned { '+' } else { node.mark };
        Node { mark, within: insert_returned(&node.within, known), ..node.clone() }
    };
    changes.iter().map(read).collect()
}

/// Collects the ids of all new elements, which no longer exist in their old places.
fn gather(changes: &[Node], came: &mut Vec<u32>) {
    for node in changes {
        came.extend(node.eid.filter(|_| node.mark == '+'));
        gather(&node.within, came);
    }
}

fn applied(base: &[Node], changes: &[Node], came: &[u32]) -> Vec<Node> {
    let (mut out, mut from) = (Vec::new(), 0);
    let stays = |node: &Node| !node.eid.is_some_and(|eid| came.contains(&eid));
    let unchanged = |node: &Node| Node { within: applied(&node.within, &[], came), ..node.clone() };
    for entry in changes {
        if entry.mark == '+' {
            out.push(plain(entry));
            continue;
        }
        let at = find(base, from, entry);
        out.extend(base[from..at].iter().filter(|node| stays(node)).map(unchanged));
        from = at + 1;
        let within = || applied(&base[at].within, &entry.within, came);
        match entry.mark {
            '-' => out.push(Node { within: within(), ..base[at].clone() }),
            '~' => out.push(Node { mark: '-', within: within(), ..entry.clone() }),
            'x' => {}
            other => panic!("odd mark {other}"),
        }
    }
    out.extend(base[from..].iter().filter(|node| stays(node)).map(unchanged));
    out
}

fn plain(entry: &Node) -> Node {
    assert_eq!(entry.mark, '+', "all in what is new is new");
    Node { mark: '-', within: entry.within.iter().map(plain).collect(), ..entry.clone() }
}

fn find(base: &[Node], from: usize, entry: &Node) -> usize {
    let reads = |at: &usize| is(&base[*at], entry);
    let all: Vec<usize> = (from..base.len()).filter(reads).collect();
    let fits = all.iter().find(|at| holds(&base[**at], &entry.within));
    *fits.or(all.first()).unwrap_or_else(|| panic!("no such line: {entry:?}"))
}

fn is(node: &Node, entry: &Node) -> bool {
    match entry.eid {
        Some(eid) => node.eid == Some(eid),
        None => node.words == entry.words,
    }
}

fn holds(node: &Node, named: &[Node]) -> bool {
    named.iter().all(|entry| entry.mark == '+' || has(node, entry) && holds(node, &entry.within))
}

fn has(node: &Node, entry: &Node) -> bool {
    node.within.iter().any(|inner| is(inner, entry) || has(inner, entry))
}
