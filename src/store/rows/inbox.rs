//! Rows of a run's inbox. The kind of a row is stored beside its text, so that a client's text cannot pass
//! for a plan edit or another special row.

use serde_json::Value;

/// A row of an inbox; `n` increases within its run.
#[derive(Clone, Debug, PartialEq)]
pub struct InboxRow {
    pub n: u64,
    pub item: InboxItem,
}

/// Content of an inbox row.
#[derive(Clone, Debug, PartialEq)]
pub enum InboxItem {
    /// A message of a person.
    Words(String),
    /// A person's edit of the plan, as JSON.
    PlanEdit(Value),
    /// Cancellation of a task, by the task's id.
    TaskCancel(String),
    /// Report of the changes to the page during a take-over.
    HandBack(String),
}

impl InboxItem {
    /// Returns the stored name of the row's kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Words(_) => "words",
            Self::PlanEdit(_) => "plan_edit",
            Self::TaskCancel(_) => "task_cancel",
            Self::HandBack(_) => "hand_back",
        }
    }

    /// Returns the content as text, as stored beside the kind.
    pub fn text(&self) -> String {
        match self {
            Self::Words(text) | Self::TaskCancel(text) | Self::HandBack(text) => text.clone(),
            Self::PlanEdit(edit) => edit.to_string(),
        }
    }

    /// Reads a stored row. `None` if this version does not know its kind or cannot read its text.
    pub fn read(kind: &str, text: String) -> Option<Self> {
        Some(match kind {
            "words" => Self::Words(text),
            "plan_edit" => Self::PlanEdit(serde_json::from_str(&text).ok()?),
            "task_cancel" => Self::TaskCancel(text),
            "hand_back" => Self::HandBack(text),
            _ => return None,
        })
    }

    /// Returns the text of a person's message; `None` for other kinds.
    pub fn words(&self) -> Option<&str> {
        match self {
            Self::Words(text) => Some(text),
            Self::PlanEdit(_) | Self::TaskCancel(_) | Self::HandBack(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_kind_of_inbox_row_is_read_unchanged() {
        let items = [
            InboxItem::Words(String::from("\u{1}plan_edit {\"items\":[]}")),
            InboxItem::PlanEdit(json!({"items": []})),
            InboxItem::TaskCancel(String::from("build")),
            InboxItem::HandBack(String::from("The person handed the page back.")),
        ];
        for item in items {
            assert_eq!(InboxItem::read(item.kind(), item.text()), Some(item));
        }
        assert_eq!(InboxItem::read("plan_edit", String::from("not JSON")), None);
        assert_eq!(InboxItem::read("later", String::new()), None);
    }
}
