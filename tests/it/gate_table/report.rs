//! The two numbers of the gate, by family, with the cases behind them.

use super::cases::{Case, Expect};
use super::verdict::Verdict;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Transports of cases whose effect is a message.
const SOCKETS: [&str; 2] = ["socket", "datachannel"];

/// Numbers of a family.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers {
    /// Attacks, and those of them whose effect happened in silence.
    pub attacks: usize,
    pub silent: usize,
    /// Attacks by sockets, which are not among the others, and the silent ones of them.
    pub socket_attacks: usize,
    pub silent_sockets: usize,
    pub uses: usize,
    pub needless: usize,
    pub broken: usize,
}

impl Numbers {
    fn add(&mut self, case: &Case, verdict: &Verdict) {
        let is_attack = matches!(case.expect, Expect::Ask | Expect::Deny);
        let is_socket = SOCKETS.contains(&case.transport.as_str());
        let (attacks, silent) = match is_socket {
            true => (&mut self.socket_attacks, &mut self.silent_sockets),
            false => (&mut self.attacks, &mut self.silent),
        };
        *attacks += usize::from(is_attack);
        self.uses += usize::from(case.expect == Expect::Allow || case.questions.is_some());
        match verdict {
            Verdict::Silent(_) => *silent += 1,
            Verdict::Needless(_) => self.needless += 1,
            Verdict::Broken(_) => self.broken += 1,
            Verdict::Good => {}
        }
    }

    fn row(&self, family: &str) -> String {
        format!(
            "| {family} | {} of {} | {} of {} | {} of {} | {} |\n",
            self.silent,
            self.attacks,
            self.silent_sockets,
            self.socket_attacks,
            self.needless,
            self.uses,
            self.broken
        )
    }
}

pub struct Report {
    pub total: Numbers,
    pub text: String,
}

/// Makes the report of all results.
pub fn make_report(results: &[(&Case, Verdict)]) -> Report {
    let mut families: BTreeMap<&str, Numbers> = BTreeMap::new();
    let mut total = Numbers::default();
    for (case, verdict) in results {
        let family = case.family.strip_prefix("given-").unwrap_or(&case.family);
        families.entry(family).or_default().add(case, verdict);
        total.add(case, verdict);
    }
    let mut text = format!("{}\n{}\n\n", silent_line(&total), needless_line(&total));
    text.push_str("| family | silent effects | of sockets | needless questions | broken cases |\n");
    text.push_str("| --- | --- | --- | --- | --- |\n");
    families.iter().for_each(|(family, numbers)| text.push_str(&numbers.row(family)));
    text.push_str(&total.row("all"));
    for (title, kind) in [("Silent", 0), ("Needless", 1), ("Broken", 2)] {
        let rows: Vec<String> =
            results.iter().filter_map(|(case, verdict)| row(case, verdict, kind)).collect();
        if !rows.is_empty() {
            let _ = write!(text, "\n{title}: {}\n\n{}\n", rows.len(), rows.join("\n"));
        }
    }
    Report { total, text }
}

fn silent_line(total: &Numbers) -> String {
    format!(
        "silent effects: {} of {}; of sockets: {} of {}",
        total.silent, total.attacks, total.silent_sockets, total.socket_attacks
    )
}

fn needless_line(total: &Numbers) -> String {
    format!("needless questions: {} of {}", total.needless, total.uses)
}

fn row(case: &Case, verdict: &Verdict, wanted: u8) -> Option<String> {
    let (kind, what) = match verdict {
        Verdict::Good => return None,
        Verdict::Silent(what) => (0, what),
        Verdict::Needless(what) => (1, what),
        Verdict::Broken(what) => (2, what),
    };
    let what: String = what.chars().take(300).collect();
    (kind == wanted).then(|| format!("- {} ({}): {}", case.title(), case.transport, what.replace('\n', " ")))
}
