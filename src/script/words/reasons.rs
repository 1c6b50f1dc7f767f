//! Reasons why a script stopped: the step, the wanted element or check, and what the page showed instead.

use crate::agent_spec::types::script::{Check, Step, Target};
use crate::command_planner::phrases::{in_ukrainian, role_word};
use crate::page::observation::{Line, Observation};
use crate::protocol::Locale;
use crate::script::find::FindError;
use crate::script::player::checks::FailedPart;
use crate::script::words;
use crate::script::words::PlayerTexts;
use crate::text::prose::{cut, plain};
use std::fmt::Write;

impl PlayerTexts<'_> {
    /// Begins a reason with the number and description of the step.
    fn stopped(&self, at: usize, step: &Step, why: &str) -> String {
        let (number, of, what) = (at + 1, self.steps.len(), self.describe_step(step));
        let mut out = match self.locale {
            Locale::Uk => format!("Зупинився на кроці {number} з {of} ({what}): {why}."),
            Locale::En => format!("Stopped at step {number} of {of} ({what}): {why}."),
        };
        self.here(&mut out);
        out
    }

    /// Appends the title and address of the current page.
    fn here(&self, out: &mut String) {
        let Some(page) = self.page.filter(|page| !page.url.is_empty()) else { return };
        let title =
            if page.title.trim().is_empty() { String::new() } else { self.quoted(&cut(&page.title, 120)) };
        let place = plain(&cut(&page.url, 300));
        let _ = write!(out, "\n\n{} {title} {place}", if self.uk() { "Сторінка:" } else { "Page:" });
    }

    /// Reason for a missing element.
    pub fn missing(&self, at: usize, step: &Step, target: &Target, missing: &FindError<'_>) -> String {
        let element = self.element(target);
        let uk = self.uk();
        let why = match missing {
            FindError::Nothing { nearest } => {
                let none =
                    if uk { format!("немає: {element}") } else { format!("there is no {element}") };
                format!("{none}{}", self.instead(nearest))
            }
            FindError::NotNear { count } if uk => format!("таких елементів є {count}, але не там: {element}"),
            FindError::NotNear { count } => format!("{count} elements have that name, but none is {element}"),
            FindError::NoFrame { frames } => {
                let there: Vec<String> = frames.iter().take(5).map(|frame| self.name(frame)).collect();
                let there = if there.is_empty() { String::from("–") } else { there.join(", ") };
                if uk {
                    format!("немає такого фрейму: {element}; є: {there}")
                } else {
                    format!("there is no such frame: {element}; there are: {there}")
                }
            }
            FindError::Several { beside } => {
                let places: Vec<String> =
                    beside.iter().take(5).flatten().map(|words| self.name(words)).collect();
                let (count, places) = (beside.len(), places.join(", "));
                if uk {
                    format!(
                        "таких елементів кілька ({count}): {element}; вони біля {places}; допишіть `near`"
                    )
                } else {
                    format!("there are {count} of them: {element}, next to {places}; add `near`")
                }
            }
        };
        self.stopped(at, step, &why)
    }

    fn instead(&self, nearest: &[&Line]) -> String {
        let there: Vec<String> = nearest
            .iter()
            .map(|line| format!("{} {}", role_word(&line.role, self.locale), self.name(&line.name)))
            .collect();
        match (there.is_empty(), self.uk()) {
            (true, true) => String::from("; на сторінці немає нічого такого"),
            (true, false) => String::from("; the page has nothing similar"),
            (false, true) => format!("; найближче до цього: {}", there.join(", ")),
            (false, false) => format!("; the closest matches are: {}", there.join(", ")),
        }
    }

    pub fn disabled(&self, at: usize, step: &Step, target: &Target) -> String {
        let element = self.element(target);
        let why = if self.uk() {
            format!("{element}: зараз неактивний елемент")
        } else {
            format!("{element} is there but disabled")
        };
        self.stopped(at, step, &format!("{why}{}", self.complaints()))
    }

    /// Reason for a failed check.
    pub fn unseen(&self, at: usize, step: &Step, check: &Check, lacking: FailedPart) -> String {
        let page = self.page.cloned().unwrap_or_default();
        let (wanted, seen) = match lacking {
            FailedPart::Text => (&check.text, self.headings(&page)),
            FailedPart::Url => (&check.url, plain(&cut(&page.url, 300))),
            FailedPart::Title => (&check.title, self.quoted(&cut(&page.title, 120))),
        };
        let wanted = self.quoted(&cut(wanted.as_deref().unwrap_or_default(), words::WORDS));
        let is = if matches!(lacking, FailedPart::Text) { "shows" } else { "is" };
        let (uk, en) = match lacking {
            FailedPart::Text => ("на сторінці мав бути текст", "the page was expected to show"),
            FailedPart::Url => ("мала відкритися адреса", "the address was expected to be"),
            FailedPart::Title => {
                ("заголовок сторінки мав містити", "the page’s title was expected to contain")
            }
        };
        let why = if self.uk() {
            format!("{uk} {wanted}, а видно {seen}{}", self.complaints())
        } else {
            format!("{en} {wanted}, but it {is} {seen}{}", self.complaints())
        };
        self.stopped(at, step, &why)
    }

    fn headings(&self, page: &Observation) -> String {
        let told =
            page.lines.iter().filter(|line| matches!(line.role.as_str(), "heading" | "alert" | "status"));
        let told: Vec<String> = told.take(4).map(|line| self.name(&line.name)).collect();
        if told.is_empty() { self.quoted(&cut(&page.title, 120)) } else { told.join(", ") }
    }

    /// Lists the fields that the page marks as invalid.
    fn complaints(&self) -> String {
        let lines = self.page.map(|page| page.lines.as_slice()).unwrap_or_default();
        let wrong = lines.iter().filter(|line| line.attributes.invalid && line.eid.is_some());
        let wrong: Vec<String> = wrong.take(5).map(|line| self.name(&line.name)).collect();
        match (wrong.is_empty(), self.uk()) {
            (true, _) => String::new(),
            (false, true) => format!("; сторінка не приймає: {}", wrong.join(", ")),
            (false, false) => format!("; the page does not accept: {}", wrong.join(", ")),
        }
    }

    /// Reason for a failed action.
    pub fn failed(&self, at: usize, step: &Step, code: &str, message: &str) -> String {
        let why = match (self.locale, in_ukrainian(code)) {
            (Locale::Uk, Some(why)) => why.to_owned(),
            (Locale::Uk, None) | (Locale::En, _) => plain(&cut(message, 300)),
        };
        self.stopped(at, step, &why)
    }

    pub fn declined(&self, at: usize, step: &Step, words: &str) -> String {
        let words = self.quoted(&cut(words, words::WORDS));
        let why = if self.uk() {
            format!("ви відхилили його зі словами {words}, а сценарій іншого шляху не знає")
        } else {
            format!("you declined it, saying {words}, and the script knows no other way")
        };
        self.stopped(at, step, &why)
    }

    pub fn unknown(&self, at: usize, step: &Step) -> String {
        let why = if self.uk() {
            "роботу було перервано, і невідомо, чи він устиг виконатися; перевірте сторінку. Напишіть будь-що, щоб повторити його"
        } else {
            "the work was interrupted, and it is not known whether this step was done; check the page. Send any message to repeat it"
        };
        self.stopped(at, step, why)
    }

    pub fn unfilled(&self, at: usize, step: &Step, fault: &str) -> String {
        let fault = plain(&cut(fault, 300));
        let why = if self.uk() {
            format!("не вдалося заповнити: {fault}")
        } else {
            format!("it cannot be filled in: {fault}")
        };
        self.stopped(at, step, &why)
    }

    pub fn no_match(&self, at: usize, step: &Step, pattern: &str) -> String {
        let pattern = self.quoted(pattern);
        let why = if self.uk() {
            format!("у прочитаному немає рядка {pattern}")
        } else {
            format!("no line of what was read matches {pattern}")
        };
        self.stopped(at, step, &why)
    }
}
