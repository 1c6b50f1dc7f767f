//! Texts of the player in both languages: descriptions of steps, and the final response. Texts from pages are
//! shortened and escaped as Markdown.

pub(crate) mod reasons;

use crate::agent_spec::types::script::{Step, Target};
use crate::command_planner::phrases::role_word;
use crate::page::observation::Observation;
use crate::protocol::Locale;
use crate::text::prose::{cut, plain};
use crate::turn::typed_secret;
use serde_json::Value;
use std::fmt::Write;

/// Longest name and text from a page, in characters.
const NAME: usize = 60;
const WORDS: usize = 200;

/// Texts about the steps of a script.
#[derive(Clone, Copy)]
pub struct PlayerTexts<'a> {
    pub locale: Locale,
    pub steps: &'a [Step],
    pub page: Option<&'a Observation>,
}

impl PlayerTexts<'_> {
    fn uk(&self) -> bool {
        self.locale == Locale::Uk
    }

    /// Returns the only thought of a turn.
    pub fn thought(&self, at: usize, step: &Step) -> String {
        format!("{}: {}", self.number(at), self.describe_step(step))
    }

    fn number(&self, at: usize) -> String {
        let (number, of) = (at + 1, self.steps.len());
        if self.uk() { format!("Крок {number} з {of}") } else { format!("Step {number} of {of}") }
    }

    /// Describes a step by its note, or by its action and element.
    pub fn describe_step(&self, step: &Step) -> String {
        if let Some(note) = &step.note {
            return plain(&cut(note, WORDS));
        }
        let (from, to) = step.ends();
        let elements: Vec<String> =
            [step.target(), from, to].iter().flatten().map(|target| self.element(target)).collect();
        let params = step.plain_params();
        let value = ["url", "text", "option", "file", "key", "question", "response", "direction"]
            .iter()
            .find_map(|name| params.get(*name).map(shown));
        let value = value.map(|value| self.quoted(&cut(&value, NAME)));
        let verb = self.verb(&step.action).to_owned();
        let parts: Vec<String> =
            [Some(verb), value, Some(elements.join(" → "))].into_iter().flatten().collect();
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    }

    fn verb<'w>(&self, action: &'w str) -> &'w str {
        let (uk, en) = match action {
            "navigate" => ("відкрити", "open"),
            "back" => ("назад", "back"),
            "forward" => ("вперед", "forward"),
            "reload" => ("оновити", "reload"),
            "click" => ("натиснути", "click"),
            "type" => ("ввести", "type"),
            "select" => ("вибрати", "select"),
            "upload" => ("додати файл", "upload"),
            "hover" => ("навести", "hover"),
            "drag" => ("перетягнути", "drag"),
            "press" => ("клавіша", "press"),
            "scroll" => ("прокрутити", "scroll"),
            "wait" => ("зачекати", "wait"),
            "dialog" => ("відповісти на діалог", "answer the dialog"),
            "tab" => ("вкладка", "tab"),
            "extract" => ("прочитати", "read"),
            "need_user" => ("потрібна ваша допомога", "your help is needed"),
            "ask_user" => ("запитати", "ask"),
            "stop" | "complete" => ("завершити", "finish"),
            "" => ("перевірити", "check"),
            other => (other, other),
        };
        if self.uk() { uk } else { en }
    }

    /// Describes an element as a script names it.
    pub fn element(&self, target: &Target) -> String {
        let mut out = format!("{} {}", role_word(&target.role, self.locale), self.name(&target.name));
        if let Some(near) = &target.near {
            let _ = write!(out, " {} {}", if self.uk() { "біля" } else { "near" }, self.name(near));
        }
        if let Some(frame) = &target.frame {
            let _ =
                write!(out, " {} {}", if self.uk() { "у фреймі" } else { "in the frame" }, self.name(frame));
        }
        out
    }

    fn name(&self, name: &str) -> String {
        if name.is_empty() {
            return String::from(if self.uk() { "без назви" } else { "without a name" });
        }
        self.quoted(&cut(name, NAME))
    }

    fn quoted(&self, text: &str) -> String {
        let text = plain(text);
        if self.uk() { format!("«{text}»") } else { format!("“{text}”") }
    }

    /// Message when the model did not find a way either.
    pub fn not_repaired(&self, sorry: &str, said: Option<&str>) -> String {
        let head = if self.uk() {
            "Модель теж не знайшла, як це зробити"
        } else {
            "The model did not find a way either"
        };
        let said = said.map(|said| format!(": {}", plain(&cut(said, 400)))).unwrap_or_default();
        format!("{sorry}\n\n{head}{said}")
    }

    /// Asks the person to type secrets that were not given.
    pub fn type_yourself(&self, fields: &[String]) -> String {
        let fields: Vec<String> = fields.iter().map(|field| self.name(field)).collect();
        let fields = fields.join(", ");
        match self.locale {
            Locale::Uk => format!(
                "Візьміть керування, введіть самі {fields} і поверніть керування: такі значення ніде не зберігаються."
            ),
            Locale::En => format!(
                "Take over, type {fields} yourself, and hand control back: such values are never stored."
            ),
        }
    }

    pub fn give_file(&self, file: &str) -> String {
        let file = self.name(file);
        match self.locale {
            Locale::Uk => format!("Додайте до завдання файл {file} і натисніть «Готово»."),
            Locale::En => format!("Add the file {file} to the task, then press “Done”."),
        }
    }

    /// Returns the final response of a completed script; `read` holds the names and values of results.
    pub fn done(&self, read: &[(String, String)], mended: &[usize]) -> String {
        let count = self.steps.len();
        let mut out = match self.locale {
            Locale::Uk => format!("Готово: виконано всі кроки сценарію ({count})."),
            Locale::En => format!("Done: all steps of the script were completed ({count})."),
        };
        for (index, (name, value)) in read.iter().enumerate() {
            let gap = if index == 0 { "\n\n" } else { "\n" };
            let _ = write!(out, "{gap}- {}: {}", plain(name), plain(&cut(value, WORDS)));
        }
        self.mended(&mut out, mended);
        out
    }

    /// Appends the list of steps that a model repaired.
    pub fn mended(&self, out: &mut String, mended: &[usize]) {
        if mended.is_empty() {
            return;
        }
        let head = if self.uk() {
            "Модель виправила кроки, що змінилися; збережіть агента, щоб наступного разу обійтися без неї:"
        } else {
            "A model fixed steps that had changed; save the agent to do without it next time:"
        };
        let _ = write!(out, "\n\n{head}");
        for (index, at) in mended.iter().enumerate() {
            let gap = if index == 0 { "\n\n" } else { "\n" };
            let what = self.steps.get(*at).map(|step| self.describe_step(step)).unwrap_or_default();
            let _ = write!(out, "{gap}- {}: {what}", self.number(*at));
        }
    }

    /// Reply to a message sent while the script is played.
    pub fn takes_no_messages(&self) -> &'static str {
        if self.uk() {
            "Цей агент виконує свій сценарій крок за кроком і команд у процесі не приймає. Щоб зупинити його, натисніть «Зупинити»."
        } else {
            "This agent follows its script step by step and takes no commands along the way. Press “Stop” to end it."
        }
    }
}

fn shown(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    };
    typed_secret::mask_placeholders(&text)
}
