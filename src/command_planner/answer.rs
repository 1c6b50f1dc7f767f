//! Answers of the command planner, in the language of the message.

use crate::command_planner::complaints::ValidationError;
use crate::command_planner::grammar::order::PlainCommand;
use crate::command_planner::on_page::find::{ElementUse, nearest};
use crate::command_planner::on_page::guess::correct_verb;
use crate::command_planner::on_page::reading::answer_text;
use crate::command_planner::phrases::{help, in_ukrainian, model_would_help, no_page, role_word};
use crate::command_planner::progress::ReadText;
use crate::command_planner::step::MissingPart;
use crate::command_planner::suggestions::suggest_commands;
use crate::page::observation::{Line, Observation};
use crate::protocol::Locale;
use crate::text::prose::{cut, fenced, literal, plain};
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
    fn pick<'t>(&self, uk: &'t str, en: &'t str) -> &'t str {
        self.locale.pick(uk, en)
    }

    fn order(&self, index: usize) -> &str {
        self.orders.get(index).map_or("", |order| order.said.as_str())
    }

    /// Returns the single thought of a turn.
    pub fn thought(&self, index: usize) -> String {
        let (number, of, said) = (index + 1, self.orders.len(), self.order(index));
        match self.locale {
            Locale::Uk => format!("Команда {number} з {of}: {said}"),
            Locale::En => format!("Command {number} of {of}: {said}"),
        }
    }

    /// Answers that all commands were carried out.
    pub fn done(&self, read: Vec<ReadText<'_>>, aside: &[PlainCommand]) -> String {
        let mut text = String::from(self.pick("Готово.", "Done."));
        self.list(&mut text, 0..self.orders.len(), "✓");
        for piece in read {
            let page = self.page.filter(|_| piece.whole);
            let words = answer_text(piece.text, page, self.locale);
            let shown = if words.is_empty() { self.nothing_to_read(piece.whole) } else { fenced(&words) };
            let _ = write!(text, "\n\n{shown}");
        }
        self.list_replaced(&mut text, aside);
        self.add_page(&mut text);
        text
    }

    fn nothing_to_read(&self, whole: bool) -> String {
        let words = if whole {
            self.pick("На сторінці немає тексту.", "There is no text on the page.")
        } else {
            self.pick("Там немає тексту.", "There is no text there.")
        };
        words.to_owned()
    }

    /// Lists commands that were replaced by a later message.
    fn list_replaced(&self, text: &mut String, aside: &[PlainCommand]) {
        if aside.is_empty() {
            return;
        }
        let head = self.pick(
            "Решту попередніх команд не виконано:",
            "The rest of the earlier commands were not carried out:",
        );
        let _ = write!(text, "\n\n{head}\n");
        for order in aside.iter().take(LISTED) {
            let _ = write!(text, "\n- · {}", plain(&cut(&order.said, 200)));
        }
    }

    /// Answers that a button was pressed but the page did not accept the form.
    pub fn validation_failed(&self, index: usize, complaints: &[ValidationError]) -> String {
        let said = plain(self.order(index));
        let listed: Vec<String> = complaints.iter().map(|complaint| self.complaint(complaint)).collect();
        let listed = listed.join("; ");
        let head = match self.locale {
            Locale::Uk => format!("Після «{said}» сторінка не прийняла: {listed}."),
            Locale::En => format!("After “{said}” the page did not accept: {listed}."),
        };
        self.unfinished(head, index)
    }

    fn complaint(&self, complaint: &ValidationError) -> String {
        let field = self.quoted(&cut(&complaint.field, 60));
        match &complaint.why {
            Some(why) => {
                let why = plain(&cut(why, 120));
                format!("{field} ({})", why.trim_end_matches('.'))
            }
            None => field,
        }
    }

    pub fn stopped(&self, index: usize) -> String {
        let mut text = String::from(self.pick("Зупинено, як ви просили.", "Stopped, as you asked."));
        self.list(&mut text, 0..index, "✓");
        self.list(&mut text, index + 1..self.orders.len(), "·");
        self.add_page(&mut text);
        text
    }

    /// Answers that an action was tried and failed.
    pub fn failed(&self, index: usize, code: &str, message: &str) -> String {
        let said = plain(self.order(index));
        let why = match (self.locale, in_ukrainian(code)) {
            (Locale::Uk, Some(why)) => why.to_owned(),
            (Locale::Uk, None) | (Locale::En, _) => plain(message),
        };
        let head = match self.locale {
            Locale::Uk => format!("Не вдалося виконати «{said}»: {why}."),
            Locale::En => format!("“{said}” failed: {why}."),
        };
        self.unfinished(head, index)
    }

    pub fn unknown(&self, index: usize) -> String {
        let said = plain(self.order(index));
        let head = match self.locale {
            Locale::Uk => format!(
                "Невідомо, чи встигла виконатися команда «{said}»: роботу було перервано. Перевірте сторінку і, якщо треба, дайте команду ще раз."
            ),
            Locale::En => format!(
                "It is not known whether “{said}” was carried out: the work was interrupted. Check the page and repeat the command if needed."
            ),
        };
        self.unfinished(head, index)
    }

    pub fn not_allowed(&self, index: usize, action: &str) -> String {
        let said = plain(self.order(index));
        let head = match self.locale {
            Locale::Uk => format!("«{said}»: цей агент не може виконати дію `{action}`."),
            Locale::En => format!("“{said}”: this agent cannot do `{action}`."),
        };
        self.unfinished(head, index)
    }

    /// Answers that something the command needs is missing.
    pub fn missing(&self, index: usize, missing: &MissingPart) -> String {
        let said = plain(self.order(index));
        let (why, want) = self.reason(missing);
        let mut head = match self.locale {
            Locale::Uk => format!("Зупинився на «{said}»: {why}."),
            Locale::En => format!("Stopped at “{said}”: {why}."),
        };
        if let Some((name, want)) = want {
            self.neighbours(&mut head, &name, want);
        }
        self.unfinished(head, index)
    }

    fn reason(&self, missing: &MissingPart) -> (String, Option<(String, ElementUse)>) {
        let uk = self.locale == Locale::Uk;
        match missing {
            MissingPart::Element { name, want } => {
                let shown = plain(name);
                let why = if uk {
                    format!("на сторінці немає «{shown}»")
                } else {
                    format!("there is no “{shown}” on the page")
                };
                (why, Some((name.clone(), *want)))
            }
            MissingPart::Disabled { name } => {
                let name = plain(name);
                (
                    if uk {
                        format!("елемент «{name}» зараз неактивний")
                    } else {
                        format!("“{name}” is disabled right now")
                    },
                    None,
                )
            }
            MissingPart::ReadOnly { name } => {
                let name = plain(name);
                (
                    if uk {
                        format!("у поле «{name}» не можна вписати; натисніть на нього і виберіть значення")
                    } else {
                        format!("“{name}” cannot be typed into; click it and choose a value")
                    },
                    None,
                )
            }
            MissingPart::Option { value, options } => (self.no_option(value, options), None),
            MissingPart::Field => {
                let why = self.pick("не сказано, у яке поле", "it does not say which field");
                (why.to_owned(), Some((String::new(), ElementUse::Type)))
            }
            MissingPart::File { name, there } => (self.no_file(name, there), None),
            MissingPart::WhichFile { there } => (self.which_file(there), None),
            MissingPart::FileField { fields } => (self.which_file_field(fields), None),
            MissingPart::Page => (no_page(self.locale).to_owned(), None),
            MissingPart::Meaning => {
                (self.pick("такої команди не знаю", "this command is not known").to_owned(), None)
            }
        }
    }

    fn no_option(&self, value: &str, options: &[String]) -> String {
        let listed = options.iter().take(12).map(|option| self.quoted(option)).collect::<Vec<_>>().join(", ");
        let value = self.quoted(value);
        match (self.locale, listed.is_empty()) {
            (Locale::Uk, true) => format!("у списку немає {value}"),
            (Locale::Uk, false) => format!("у списку немає {value}; є {listed}"),
            (Locale::En, true) => format!("the list has no {value}"),
            (Locale::En, false) => format!("the list has no {value}; available: {listed}"),
        }
    }

    /// Answers that a text is no command. Quotes it exactly as typed, with the most similar commands.
    pub fn not_understood(&self, index: usize) -> String {
        let typed = self.orders.get(index).map_or("", |order| order.typed.as_str());
        let said = literal(&cut(typed, 200));
        let mut text = match self.locale {
            Locale::Uk => format!("Не розумію «{said}»."),
            Locale::En => format!("I don’t understand “{said}”."),
        };
        let near =
            correct_verb(typed).map_or_else(|| suggest_commands(typed, self.locale), |meant| vec![meant]);
        if near.is_empty() {
            self.neighbours(&mut text, self.order(index), ElementUse::Click);
            let _ = write!(text, "\n\n{}\n\n{}", self.help(), model_would_help(self.locale));
        } else {
            self.suggest(&mut text, &near);
        }
        if index > 0 { self.unfinished(text, index) } else { text }
    }

    /// Suggests commands: a single one within the sentence; several, or one that contains quotes, as a list.
    fn suggest(&self, text: &mut String, orders: &[String]) {
        let head = self.did_you_mean();
        let orders: Vec<String> = orders.iter().map(|order| literal(&cut(order, 200))).collect();
        match orders.as_slice() {
            [one] if !one.contains(['«', '“']) => {
                let _ = match self.locale {
                    Locale::Uk => write!(text, " {head} «{one}»?"),
                    Locale::En => write!(text, " {head} “{one}”?"),
                };
            }
            orders => {
                let _ = write!(text, " {head}:\n\n- {}", orders.join("\n- "));
            }
        }
    }

    fn did_you_mean(&self) -> &'static str {
        self.locale.pick("Можливо, ви мали на увазі", "Did you mean")
    }

    /// Lists the available commands.
    pub fn help(&self) -> String {
        help(self.locale).to_owned()
    }

    fn neighbours(&self, text: &mut String, said: &str, want: ElementUse) {
        let Some(page) = self.page else { return };
        let names: Vec<String> =
            nearest(page, said, want).into_iter().map(|line| self.element(line)).collect();
        if !names.is_empty() {
            let (head, or) = (self.did_you_mean(), self.pick(" або ", " or "));
            let _ = write!(text, " {head} {}?", names.join(or));
        }
    }

    fn element(&self, line: &Line) -> String {
        format!("{} ({})", self.quoted(&cut(&line.name, 60)), role_word(&line.role, self.locale))
    }

    pub(crate) fn quoted(&self, text: &str) -> String {
        let text = plain(text);
        match self.locale {
            Locale::Uk => format!("«{text}»"),
            Locale::En => format!("“{text}”"),
        }
    }

    /// Returns the head, the commands done before it, and the remaining ones.
    fn unfinished(&self, head: String, index: usize) -> String {
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
            let _ = write!(text, "\n- {mark} {}", plain(&cut(self.order(index), 200)));
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
            let _ = write!(text, "\n\n{} {}", self.pick("Сторінка:", "Page:"), self.quoted(&cut(title, 120)));
        }
    }
}
