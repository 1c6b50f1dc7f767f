//! The table: for each application its chores, effects, questions, needless questions and silent effects.

use super::AppResults;
use super::verdict::Verdict;
use std::fmt::Write;

/// Numbers of an application, or of all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    pub chores: usize,
    pub effects: usize,
    pub questions: usize,
    pub needless: usize,
    pub silent: usize,
    pub silent_messages: usize,
    pub broken: usize,
}

impl Sums {
    fn add(&mut self, verdict: &Verdict) {
        self.chores += 1;
        self.effects += verdict.effects;
        self.questions += verdict.questions;
        self.needless += verdict.needless.len();
        self.silent += verdict.silent.len();
        self.silent_messages += verdict.silent_messages.len();
        self.broken += usize::from(!verdict.broken.is_empty());
    }

    /// Needless questions for each chore.
    pub fn needless_a_chore(&self) -> f64 {
        let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        number(self.needless) / number(self.chores.max(1))
    }

    fn row(&self, title: &str) -> String {
        format!(
            "| {title} | {} | {} | {} | {} ({:.2}) | {} | {} | {} |\n",
            self.chores,
            self.effects,
            self.questions,
            self.needless,
            self.needless_a_chore(),
            self.silent,
            self.silent_messages,
            self.broken
        )
    }
}

pub struct Report {
    pub total: Sums,
    pub text: String,
}

/// Makes the report of all applications. Setting up (signing in) is no chore.
pub fn make_report(results: &[AppResults]) -> Report {
    let mut total = Sums::default();
    let mut text = String::from(
        "| application | chores | effects | questions | needless (a chore) | silent | silent on sockets | broken |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for result in results.iter().filter(|result| result.left_out.is_none()) {
        let mut sums = Sums::default();
        for (_, verdict) in result.chores.iter().filter(|(chore, _)| !chore.is_setup) {
            sums.add(verdict);
            total.add(verdict);
        }
        text.push_str(&sums.row(&result.app.title));
    }
    text.push_str(&total.row("all"));
    for result in results {
        if let Some(reason) = &result.left_out {
            let reason: String = reason.chars().take(300).collect();
            let _ = writeln!(text, "\n{} was left out: {reason}", result.app.title);
        }
        for (chore, verdict) in &result.chores {
            if verdict.has_fault() {
                let _ = write!(text, "\n{}: {}", chore.title(), verdict.line());
            }
        }
    }
    Report { total, text }
}
