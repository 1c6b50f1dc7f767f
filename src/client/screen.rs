//! What a person sees: progress and questions on standard error, what came of it on standard output. Texts of
//! pages and models are made plain, so that none of them can move the cursor, hide a line or fake one.

use std::io::{IsTerminal, Write};

/// Letters of one line; what is longer is cut where it is told in passing.
pub const LINE: usize = 240;

/// Colours, where they are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paint(pub bool);

impl Paint {
    /// For standard error: on a terminal that can, unless NO_COLOR says otherwise.
    pub fn of_progress() -> Self {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").is_none_or(|term| term == "dumb");
        Self(std::io::stderr().is_terminal() && set("NO_COLOR").is_none() && !dumb)
    }

    pub fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    pub fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    pub fn red(self, text: &str) -> String {
        self.with("31", text)
    }

    pub fn green(self, text: &str) -> String {
        self.with("32", text)
    }

    pub fn yellow(self, text: &str) -> String {
        self.with("33", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.0 { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Standard error, with a question standing at its end or not.
#[derive(Debug)]
pub struct Screen {
    pub paint: Paint,
    /// Lines that wait until the question that stands there is answered.
    held: Option<Vec<String>>,
    /// Lines that stay below all others, where a terminal can move its cursor.
    foot: Vec<String>,
    /// So many of them are drawn.
    drawn: usize,
    /// Whether it can.
    pub moves: bool,
}

impl Screen {
    pub fn new() -> Self {
        let able = std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
        let moves = able && std::io::stderr().is_terminal();
        Self { paint: Paint::of_progress(), held: None, foot: Vec::new(), drawn: 0, moves }
    }

    pub fn say(&mut self, line: String) {
        match &mut self.held {
            Some(held) => held.push(line),
            None => {
                let above = self.lifted();
                write(&format!("{above}{line}\n"));
                self.draw();
            }
        }
    }

    /// What stands below all lines from now on.
    pub fn keep_below(&mut self, foot: Vec<String>) {
        if !self.moves || foot == self.foot {
            return;
        }
        self.foot = foot;
        if self.held.is_none() {
            let above = self.lifted();
            write(&above);
            self.draw();
        }
    }

    /// Takes away what stands below.
    fn lifted(&mut self) -> String {
        match std::mem::take(&mut self.drawn) {
            0 => String::new(),
            lines => format!("\u{1b}[{lines}A\u{1b}[J"),
        }
    }

    /// A line that is longer than the terminal is wide would be two: it is cut there.
    fn draw(&mut self) {
        if self.held.is_none() && !self.foot.is_empty() {
            write(&format!("\u{1b}[?7l{}\n\u{1b}[?7h", self.foot.join("\n")));
            self.drawn = self.foot.len();
        }
    }

    /// Shows a question; everything else waits below it.
    pub fn ask(&mut self, lines: &[String], prompt: &str) {
        write(&self.lifted());
        for line in lines {
            write(&format!("{line}\n"));
        }
        write(prompt);
        self.held.get_or_insert_default();
    }

    /// The question is over; `unanswered` if nobody has ended its line.
    pub fn go_on(&mut self, unanswered: bool) {
        let Some(held) = self.held.take() else { return };
        if unanswered {
            write("\n");
        }
        for line in held {
            self.say(line);
        }
        let above = self.lifted();
        write(&above);
        self.draw();
    }
}

/// A fault, as every command tells it.
pub fn complain(fault: &dyn std::fmt::Display) {
    write(&format!("askfirst: {}\n", plain_lines(&fault.to_string())));
}

/// A note that belongs to no run.
pub fn note(text: &str) {
    write(&format!("askfirst: {text}\n"));
}

/// A line of progress, when no question stands there.
pub fn line(text: &str) {
    write(&format!("{text}\n"));
}

/// Nobody may be there any more to read it.
fn write(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// To standard output.
pub fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// One line of it, without anything that a terminal would obey.
pub fn plain(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_whitespace() { ' ' } else { harmless(c) }).collect();
    line.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The same, cut.
pub fn brief(text: &str) -> String {
    let line = plain(text);
    match line.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// All its lines.
pub fn plain_lines(text: &str) -> String {
    text.replace("\r\n", "\n")
        .chars()
        .map(|c| if matches!(c, '\n' | '\t') { c } else { harmless(c) })
        .collect()
}

/// Control characters, and those that turn the direction of what stands beside them, show themselves.
fn harmless(c: char) -> char {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}') { '\u{fffd}' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_page_says_moves_the_cursor_or_fakes_a_line() {
        assert_eq!(plain("Buy\n? Approve \u{1b}[2K\u{9b}1A\u{202e}yub\r\n"), "Buy ? Approve �[2K�1A�yub");
        assert_eq!(plain_lines("a\r\n\tb\u{1b}]0;x\u{7}\rc"), "a\n\tb�]0;x��c");
        assert_eq!(brief(&"я ".repeat(400)).chars().count(), LINE);
    }

    #[test]
    fn colours_are_there_or_not() {
        assert_eq!(Paint(false).red("no"), "no");
        assert_eq!(Paint(true).red("no"), "\u{1b}[31mno\u{1b}[0m");
    }
}
