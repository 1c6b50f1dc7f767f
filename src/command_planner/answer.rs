//! Answers of the command planner, in the language of the message.

use crate::command_planner::command_progress::{ReadKind, ReadText};
use crate::command_planner::grammar::command::PlainCommand;
use crate::command_planner::on_page::command_step::MissingPart;
use crate::command_planner::on_page::find::{ElementUse, nearest};
use crate::command_planner::on_page::mistyped_verbs::correct_verb;
use crate::command_planner::on_page::read_answer::{answer_text, found_text, rows_text};
use crate::command_planner::suggestions::suggest_commands;
use crate::command_planner::validation_errors::ValidationError;
use crate::page::observation::{Line, Observation};
use crate::protocol::Locale;
use crate::text::prose::{fenced, literal, plain};
use crate::text::truncate::truncate_within;
use crate::texts::page::{role_name, translated_error};
use crate::texts::{commands, endings, quote};
use std::fmt::Write;

/// Most commands that an answer lists.
const LISTED: usize = 30;

/// Context of an answer.
#[derive(Clone, Copy)]
pub struct ReplyWriter<'a> {
    pub locale: Locale,
    pub orders: &'a [PlainCommand],
    pub page: Option<&'a Observation>,
}

impl ReplyWriter<'_> {
    fn order(&self, index: usize) -> &str {
        self.orders.get(index).map_or("", |order| order.text.as_str())
    }

    /// Returns the single thought of a turn.
    pub fn thought(&self, index: usize) -> String {
        commands::command_thought(index + 1, self.orders.len(), self.order(index), self.locale)
    }

    /// Answers that all commands were carried out.
    pub fn done_text(&self, read: Vec<ReadText<'_>>, aside: &[PlainCommand]) -> String {
        let mut text = String::from(endings::done(self.locale));
        self.list(&mut text, 0..self.orders.len(), "✓");
        for piece in read {
            let page = self.page.filter(|_| piece.kind == ReadKind::WholePage);
            let words = match piece.kind {
                ReadKind::WholePage | ReadKind::Part => answer_text(piece.text, page, self.locale),
                // The line about the rows is for planners; the action itself tells people.
                ReadKind::Rows => rows_text(piece.text, self.locale),
                ReadKind::Found => found_text(piece.text, self.locale),
            };
            let shown = if words.is_empty() { self.nothing_to_read(piece.kind) } else { fenced(&words) };
            let _ = write!(text, "\n\n{shown}");
        }
        self.list_replaced(&mut text, aside);
        self.add_page(&mut text);
        text
    }

    fn nothing_to_read(&self, kind: ReadKind) -> String {
        let text = match kind {
            ReadKind::WholePage => commands::no_text_on_page(self.locale),
            ReadKind::Part | ReadKind::Rows => commands::no_text_there(self.locale),
            ReadKind::Found => commands::nothing_found(self.locale),
        };
        text.to_owned()
    }

    /// Lists commands that were replaced by a later message.
    fn list_replaced(&self, text: &mut String, aside: &[PlainCommand]) {
        if aside.is_empty() {
            return;
        }
        let head = commands::replaced_commands(self.locale);
        let _ = write!(text, "\n\n{head}\n");
        for order in aside.iter().take(LISTED) {
            let _ = write!(text, "\n- · {}", plain(&truncate_within(&order.text, 200)));
        }
    }

    /// Answers that a button was pressed but the page did not accept the form.
    pub fn validation_failed(&self, index: usize, complaints: &[ValidationError]) -> String {
        let text = plain(self.order(index));
        let joined: Vec<String> = complaints.iter().map(|complaint| self.complaint(complaint)).collect();
        let head = commands::validation_failed(&text, &joined.join("; "), self.locale);
        self.unfinished_text(head, index)
    }

    fn complaint(&self, complaint: &ValidationError) -> String {
        let field = self.quote_text(&truncate_within(&complaint.field, 60));
        match &complaint.why {
            Some(why) => {
                let why = plain(&truncate_within(why, 120));
                format!("{field} ({})", why.trim_end_matches('.'))
            }
            None => field,
        }
    }

    pub fn stopped_text(&self, index: usize) -> String {
        let mut text = String::from(commands::stopped_as_asked(self.locale));
        self.list(&mut text, 0..index, "✓");
        self.list(&mut text, index + 1..self.orders.len(), "·");
        self.add_page(&mut text);
        text
    }

    /// Answers that an action was tried and failed.
    pub fn failed_text(&self, index: usize, code: &str, message: &str) -> String {
        let why = translated_error(code, self.locale).map_or_else(|| plain(message), str::to_owned);
        let head = commands::command_failed(&plain(self.order(index)), &why, self.locale);
        self.unfinished_text(head, index)
    }

    pub fn unknown(&self, index: usize) -> String {
        let head = commands::outcome_unknown(&plain(self.order(index)), self.locale);
        self.unfinished_text(head, index)
    }

    pub fn not_allowed(&self, index: usize, action: &str) -> String {
        let head = commands::action_not_allowed(&plain(self.order(index)), action, self.locale);
        self.unfinished_text(head, index)
    }

    /// Answers that something the command needs is missing.
    pub fn missing(&self, index: usize, missing: &MissingPart) -> String {
        let why = self.reason(missing);
        let mut head = commands::stopped_at(&plain(self.order(index)), &why, self.locale);
        match missing {
            MissingPart::Element { name, want } => self.neighbours(&mut head, name, *want),
            MissingPart::Field => self.neighbours(&mut head, "", ElementUse::Type),
            MissingPart::Disabled { .. }
            | MissingPart::ReadOnly { .. }
            | MissingPart::Option { .. }
            | MissingPart::File { .. }
            | MissingPart::WhichFile { .. }
            | MissingPart::FileField { .. }
            | MissingPart::Page
            | MissingPart::Meaning => {}
        }
        self.unfinished_text(head, index)
    }

    fn reason(&self, missing: &MissingPart) -> String {
        let locale = self.locale;
        match missing {
            MissingPart::Element { name, .. } => commands::no_element(&plain(name), locale),
            MissingPart::Disabled { name } => commands::element_disabled(&plain(name), locale),
            MissingPart::ReadOnly { name } => commands::field_read_only(&plain(name), locale),
            MissingPart::Option { value, options } => self.no_option(value, options),
            MissingPart::Field => commands::field_not_named(locale).to_owned(),
            MissingPart::File { name, there } => self.no_file(name, there),
            MissingPart::WhichFile { there } => self.which_file(there),
            MissingPart::FileField { fields } => self.which_file_field(fields),
            MissingPart::Page => commands::no_page(locale).to_owned(),
            MissingPart::Meaning => commands::unknown_command(locale).to_owned(),
        }
    }

    fn no_option(&self, value: &str, options: &[String]) -> String {
        let joined =
            options.iter().take(12).map(|option| self.quote_text(option)).collect::<Vec<_>>().join(", ");
        let value = self.quote_text(value);
        if joined.is_empty() {
            commands::no_option(&value, self.locale)
        } else {
            commands::no_option_among(&value, &joined, self.locale)
        }
    }

    /// Answers that a text is no command. Quotes it exactly as typed, with the most similar commands.
    pub fn not_understood(&self, index: usize) -> String {
        let typed = self.orders.get(index).map_or("", |order| order.typed.as_str());
        let mut text = commands::not_understood(&literal(&truncate_within(typed, 200)), self.locale);
        let near =
            correct_verb(typed).map_or_else(|| suggest_commands(typed, self.locale), |meant| vec![meant]);
        if near.is_empty() {
            self.neighbours(&mut text, self.order(index), ElementUse::Click);
            let _ = write!(text, "\n\n{}\n\n{}", self.help(), commands::model_would_help(self.locale));
        } else {
            self.suggest(&mut text, &near);
        }
        if index > 0 { self.unfinished_text(text, index) } else { text }
    }

    /// Suggests commands: a single one within the sentence; several, or one that contains quotes, as a list.
    fn suggest(&self, text: &mut String, orders: &[String]) {
        let head = commands::did_you_mean(self.locale);
        let orders: Vec<String> = orders.iter().map(|order| literal(&truncate_within(order, 200))).collect();
        match orders.as_slice() {
            [one] if !one.contains(['«', '“']) => {
                let _ = write!(text, " {head} {}?", quote(one, self.locale));
            }
            orders => {
                let _ = write!(text, " {head}:\n\n- {}", orders.join("\n- "));
            }
        }
    }

    /// Lists the available commands.
    pub fn help(&self) -> String {
        commands::help(self.locale).to_owned()
    }

    fn neighbours(&self, answer: &mut String, name: &str, want: ElementUse) {
        let Some(page) = self.page else { return };
        let names: Vec<String> =
            nearest(page, name, want).into_iter().map(|line| self.element(line)).collect();
        if !names.is_empty() {
            let (head, or) = (commands::did_you_mean(self.locale), commands::or(self.locale));
            let _ = write!(answer, " {head} {}?", names.join(or));
        }
    }

    fn element(&self, line: &Line) -> String {
        format!(
            "{} ({})",
            self.quote_text(&truncate_within(&line.name, 60)),
            role_name(&line.role, self.locale)
        )
    }

    pub(crate) fn quote_text(&self, text: &str) -> String {
        quote(&plain(text), self.locale)
    }

    /// Returns the head, the commands done before it, and the remaining ones.
    fn unfinished_text(&self, head: String, index: usize) -> String {
        let mut text = head;
        self.list(&mut text, 0..index, "✓");
        self.list(&mut text, index..self.orders.len(), "·");
        self.add_page(&mut text);
        text
    }

    fn list(&self, text: &mut String, range: std::ops::Range<usize>, mark: &str) {
        if self.orders.len() < 2 || range.is_empty() {
            return;
        }
        text.push_str(if text.ends_with('\n') { "" } else { "\n" });
        let left_out = range.len().saturating_sub(LISTED);
        for index in range.take(LISTED) {
            let _ = write!(text, "\n- {mark} {}", plain(&truncate_within(self.order(index), 200)));
        }
        if left_out > 0 {
            let _ = write!(text, "\n- {mark} … +{left_out}");
        }
    }

    /// Adds the current page.
    fn add_page(&self, text: &mut String) {
        let Some(page) = self.page else { return };
        let title = if page.title.trim().is_empty() { &page.url } else { &page.title };
        if !title.is_empty() {
            let _ = write!(
                text,
                "\n\n{} {}",
                commands::page_label(self.locale),
                self.quote_text(&truncate_within(title, 120))
            );
        }
    }
}
