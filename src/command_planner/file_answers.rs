//! Answers about commands that upload files: available files, and fields that accept them.

use crate::command_planner::answer::ReplyWriter;
use crate::text::truncate::truncate_within;
use crate::texts::commands;

/// Most names that an answer lists.
const LISTED: usize = 12;

impl ReplyWriter<'_> {
    /// Answers that the run has no file of this name.
    pub fn no_file(&self, name: &str, there: &[String]) -> String {
        let name = self.quote_text(name);
        if there.is_empty() {
            commands::no_file(&name, self.locale)
        } else {
            commands::no_file_among(&name, &self.join_files(there), self.locale)
        }
    }

    /// Answers that no file is named, and the run has none or several.
    pub fn which_file(&self, there: &[String]) -> String {
        if there.is_empty() {
            commands::no_files_yet(self.locale).to_owned()
        } else {
            commands::which_file(&self.join_files(there), self.locale)
        }
    }

    /// Answers that no field is named, and no field or several accept files.
    pub fn which_file_field(&self, fields: &[String]) -> String {
        if fields.is_empty() {
            return commands::no_file_field(self.locale).to_owned();
        }
        // Nothing tells fields without a name apart.
        if fields.iter().all(|field| field.trim().is_empty()) {
            return commands::unnamed_file_fields(fields.len(), self.locale);
        }
        commands::which_file_field(&self.join_files(fields), self.locale)
    }

    fn join_files(&self, names: &[String]) -> String {
        let mut names_shown: Vec<String> =
            names.iter().take(LISTED).map(|name| self.quote_text(&truncate_within(name, 80))).collect();
        if names.len() > LISTED {
            names_shown.push(format!("… +{}", names.len() - LISTED));
        }
        names_shown.join(", ")
    }
}
