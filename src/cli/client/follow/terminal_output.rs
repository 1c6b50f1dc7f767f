//! Output of commands: progress and questions on standard error, results on standard output. Control
//! characters in texts of pages and models are replaced, so that a text cannot move the cursor, or hide or
//! fake a line.

use std::io::{IsTerminal, Write};

/// Maximum length of a shortened line, in characters.
pub const LINE: usize = 240;

/// Colours, if they are enabled.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paint(pub bool);

impl Paint {
    /// Enables colours if standard error is a terminal that supports them and `NO_COLOR` is not set.
    pub fn for_progress() -> Self {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").is_none_or(|term| term == "dumb");
        Self(std::io::stderr().is_terminal() && set("NO_COLOR").is_none() && !dumb)
    }

    pub fn bold(self, text: &str) -> String {
        self.with_code("1", text)
    }

    pub fn dim(self, text: &str) -> String {
        self.with_code("2", text)
    }

    pub fn red(self, text: &str) -> String {
        self.with_code("31", text)
    }

    pub fn green(self, text: &str) -> String {
        self.with_code("32", text)
    }

    pub fn yellow(self, text: &str) -> String {
        self.with_code("33", text)
    }

    fn with_code(self, code: &str, text: &str) -> String {
        if self.0 { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Standard error, with or without an open question at its end.
#[derive(Debug)]
pub struct Screen {
    pub paint: Paint,
    /// Lines held back while a question is open.
    held: Option<Vec<String>>,
    /// Lines kept below all others, on a terminal that can move the cursor.
    foot: Vec<String>,
    /// Number of `foot` lines on the screen.
    drawn: usize,
    /// True if the terminal can move the cursor.
    pub moves: bool,
}

impl Screen {
    pub fn new() -> Self {
        let able = std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
        let moves = able && std::io::stderr().is_terminal();
        Self { paint: Paint::for_progress(), held: None, foot: Vec::new(), drawn: 0, moves }
    }

    pub fn print_line(&mut self, line: String) {
        match &mut self.held {
            Some(held) => held.push(line),
            None => {
                let above = self.erase_foot();
                write(&format!("{above}{line}\n"));
                self.draw();
            }
        }
    }

    /// Replaces the lines kept below all others.
    pub fn keep_below(&mut self, foot: Vec<String>) {
        if !self.moves || foot == self.foot {
            return;
        }
        self.foot = foot;
        if self.held.is_none() {
            let above = self.erase_foot();
            write(&above);
            self.draw();
        }
    }

    /// Returns the control sequence that erases the lines below.
    fn erase_foot(&mut self) -> String {
        match std::mem::take(&mut self.drawn) {
            0 => String::new(),
            lines => format!("\u{1b}[{lines}A\u{1b}[J"),
        }
    }

    /// Draws the lines below. Wrapping is off meanwhile: a line wider than the terminal is cut, since it
    /// would take two rows.
    fn draw(&mut self) {
        if self.held.is_none() && !self.foot.is_empty() {
            write(&format!("\u{1b}[?7l{}\n\u{1b}[?7h", self.foot.join("\n")));
            self.drawn = self.foot.len();
        }
    }

    /// Shows a question and holds back all other lines.
    pub fn ask(&mut self, lines: &[String], prompt: &str) {
        write(&self.erase_foot());
        for line in lines {
            write(&format!("{line}\n"));
        }
        write(prompt);
        self.held.get_or_insert_default();
    }

    /// Ends a question and prints the lines held back; `unanswered` if the cursor is still in the question's
    /// line.
    pub fn end_question(&mut self, unanswered: bool) {
        let Some(held) = self.held.take() else { return };
        if unanswered {
            write("\n");
        }
        for line in held {
            self.print_line(line);
        }
        let above = self.erase_foot();
        write(&above);
        self.draw();
    }
}

/// Prints an error, in the format of every command.
pub(crate) fn print_error(fault: &dyn std::fmt::Display) {
    write(&format!("askfirst: {}\n", plain_lines(&fault.to_string())));
}

/// Prints a note that belongs to no run.
pub fn note(text: &str) {
    write(&format!("askfirst: {text}\n"));
}

/// Prints a line of progress while no question is open.
pub fn line(text: &str) {
    write(&format!("{text}\n"));
}

/// Writes to standard error. Errors are ignored, since there may be no reader any more.
fn write(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Writes to standard output.
pub fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Makes a text one line without control characters.
pub fn plain(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_whitespace() { ' ' } else { harmless(c) }).collect();
    line.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Makes a text one line of at most `LINE` characters.
pub fn brief(text: &str) -> String {
    let line = plain(text);
    match line.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// Removes control characters, but keeps the lines.
pub fn plain_lines(text: &str) -> String {
    text.replace("\r\n", "\n")
        .chars()
        .map(|c| if matches!(c, '\n' | '\t') { c } else { harmless(c) })
        .collect()
}

/// Replaces control characters and those that change the direction of text.
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
    fn colours_can_be_switched_off() {
        assert_eq!(Paint(false).red("no"), "no");
        assert_eq!(Paint(true).red("no"), "\u{1b}[31mno\u{1b}[0m");
    }
}
