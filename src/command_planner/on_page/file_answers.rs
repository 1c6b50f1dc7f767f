//! Answers about commands that upload files: available files, and fields that accept them.

use crate::command_planner::answer::ReplyWriter;
use crate::protocol::Locale;
use crate::text::prose::cut;

/// Most names that an answer lists.
const LISTED: usize = 12;

impl ReplyWriter<'_> {
    /// Answers that the run has no file of this name.
    pub fn no_file(&self, name: &str, there: &[String]) -> String {
        let (name, listed) = (self.quoted(name), self.listed(there));
        match (self.locale, there.is_empty()) {
            (Locale::Uk, true) => {
                format!(
                    "файла {name} тут немає; прикріпіть його скріпкою біля повідомлення і повторіть команду"
                )
            }
            (Locale::Uk, false) => format!("файла {name} тут немає; є {listed}"),
            (Locale::En, true) => format!(
                "there is no file {name} here; attach it with the paper clip beside the message and repeat the command"
            ),
            (Locale::En, false) => format!("there is no file {name} here; there is {listed}"),
        }
    }

    /// Answers that no file is named, and the run has none or several.
    pub fn which_file(&self, there: &[String]) -> String {
        let listed = self.listed(there);
        match (self.locale, there.is_empty()) {
            (Locale::Uk, true) => String::from(
                "файлів тут ще немає; прикріпіть файл скріпкою біля повідомлення і повторіть команду",
            ),
            (Locale::Uk, false) => format!("не сказано, який файл: є {listed}"),
            (Locale::En, true) => String::from(
                "there are no files here yet; attach one with the paper clip beside the message and repeat the command",
            ),
            (Locale::En, false) => format!("it does not say which file: there is {listed}"),
        }
    }

    /// Answers that no field is named, and no field or several accept files.
    pub fn which_file_field(&self, fields: &[String]) -> String {
        // Nothing tells fields without a name apart.
        if !fields.is_empty() && fields.iter().all(|field| field.trim().is_empty()) {
            return match self.locale {
                Locale::Uk => format!(
                    "на сторінці кілька полів для файлів без назви ({}); назвіть кнопку, яка відкриває потрібне",
                    fields.len()
                ),
                Locale::En => format!(
                    "the page has {} file fields without a name; name the button that opens the right one",
                    fields.len()
                ),
            };
        }
        let listed = self.listed(fields);
        match (self.locale, fields.is_empty()) {
            (Locale::Uk, true) => String::from(
                "на сторінці немає поля для файлів; якщо їх додають кнопкою, назвіть її, як-от «додай файл звіт.pdf у Вибрати файл»",
            ),
            (Locale::Uk, false) => format!("не сказано, в яке поле: є {listed}"),
            (Locale::En, true) => String::from(
                "the page has no field for files; if a button opens one, name it, as in “upload report.pdf to Choose a file”",
            ),
            (Locale::En, false) => format!("it does not say which field: there is {listed}"),
        }
    }

    fn listed(&self, names: &[String]) -> String {
        let mut listed: Vec<String> =
            names.iter().take(LISTED).map(|name| self.quoted(&cut(name, 80))).collect();
        if names.len() > LISTED {
            listed.push(format!("… +{}", names.len() - LISTED));
        }
        listed.join(", ")
    }
}
